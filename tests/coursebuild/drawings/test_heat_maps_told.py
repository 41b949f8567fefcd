"""What a heat map shows and what its text alternative tells is the same, whatever the table: drawn of many that chance makes."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coursebuild.drawings import heat_maps
from coursebuild.drawings.placing import Box

from .pictures import (
    boxes_of_texts,
    description,
    parse,
    texts,
    within,
)
from .test_heat_maps import heat

pytestmark = pytest.mark.once

# Labels that are easily mistaken, and values near those that they are not.
LABELS = ["a", " a", "a b", "a  b", "the", "The", "the ", "4", "é", "<s>", "-", "x|y", *"mnopqr"]
WHOLES = st.integers(-3, 12).map(float)
VALUES = st.one_of(
    WHOLES,
    st.builds(lambda whole, power, sign: whole + sign * 10.0**-power, WHOLES, st.integers(1, 17), WHOLES),
    st.floats(-1, 1),
    st.floats(-2e4, 2e4),
    st.sampled_from([1e-9, 1e-4, 0.5, 999.6, 1e6 + 0.25]),
)


def table_of(
    shape: tuple[int, int], signed: bool, most: float
) -> st.SearchStrategy[list[list[float | None]]]:
    inside = VALUES.map(lambda v: v if signed else abs(v)).map(lambda v: v if abs(v) <= most else v / 1e7)
    return st.lists(
        st.lists(st.one_of(inside, inside, st.none()), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )


TABLES = st.builds(
    table_of,
    st.tuples(st.integers(1, 5), st.sampled_from([1, 2, 3, 5, 8, 9, 14])),
    st.booleans(),
    st.sampled_from([1.0, 20.0, 2e6]),
).flatmap(lambda tables: tables)


@dataclass(frozen=True)
class Cell:
    """What a picture shows at one place of a map."""

    row: str
    column: str
    share: float  # below 0 in the other colour
    number: str
    hatched: bool
    mark: str  # "dot", "dash" or ""


def drawn_maps(svg: str, tables: list[list[list[float | None]]]) -> list[list[list[Cell]]]:
    """The cells of each map as they are seen, read off the shapes of the picture."""
    root = parse(svg)

    def numbers(element: ET.Element, *keys: str) -> list[float]:
        return [float(element.get(key, "0")) for key in keys]

    def strokes(width: str) -> list[tuple[float, float]]:
        """The middles of all pieces of the lines of this width."""
        ends = [
            [float(n) for n in piece]
            for path in root.iter("path")
            if path.get("stroke-width") == width
            for piece in re.findall(r"M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)", path.get("d", ""))
        ]
        return [((x + u) / 2, (y + v) / 2) for x, y, u, v in ends]

    frames = [
        numbers(e, "x", "y", "width", "height")
        for e in root.findall("rect")
        if e.get("fill") == "none" and e.get("height") != "13"
    ]
    shaded = [
        (*numbers(e, "x", "y", "width", "height", "fill-opacity"), "heat-2" in g.get("fill", ""))
        for g in root.iter("g")
        for e in g
    ]
    spots = [
        (text, (box.left + box.right) / 2, (box.top + box.bottom) / 2) for text, box in boxes_of_texts(svg)
    ]
    boxes = boxes_of_texts(svg)
    hatches, dashes = strokes("0.8"), strokes("1.2")
    dots = [(x, y) for e in root.iter("circle") for x, y in [numbers(e, "cx", "cy")]]
    found = []
    for table, (left, top, width, height) in zip(tables, frames, strict=True):
        wide, tall = width / len(table[0]), height / len(table)
        lines = []
        for i in range(len(table)):
            y = top + i * tall
            [name] = [
                t for t, b in boxes if abs(b.right - left + 5) < 0.1 and y < (b.top + b.bottom) / 2 < y + tall
            ]
            line = []
            for j in range(len(table[0])):
                x = left + j * wide
                cell = Box(x, y, x + wide, y + tall)
                above = [
                    (b.bottom, t)
                    for t, b in boxes
                    if x < (b.left + b.right) / 2 < x + wide and b.bottom < top
                ]
                shades_here = [
                    -share if other else share
                    for u, v, w, h, share, other in shaded
                    if cell.has((u + w / 2, v + h / 2))
                ]
                line.append(
                    Cell(
                        row=name,
                        column=max(above)[1],
                        share=sum(shades_here),
                        number="".join(t for t, u, v in spots if cell.has((u, v))),
                        hatched=any(cell.has(middle, -0.3) for middle in hatches),
                        mark="dot" * any(map(cell.has, dots)) + "dash" * any(map(cell.has, dashes)),
                    )
                )
                assert len(shades_here) <= 1
            lines.append(line)
        found.append(lines)
    return found


def told_rows(told: str) -> list[list[tuple[str, str]]]:
    """The label of each row of each map and what the text alternative says of it."""
    maps = re.split(r"\.? ?\bmap \d: ", told.removesuffix("."))[1:]
    return [[(row.partition(": ")[0], row.partition(": ")[2]) for row in one.split("; ")] for one in maps]


def told_masked(line: str, columns: list[str]) -> set[str]:
    if line == "all masked":
        return set(columns)
    found = re.search(r"(?:^|, )masked (.*)$", line)
    if not found:
        return set()
    if found[1].startswith("from "):
        return set(columns[columns.index(found[1].removeprefix("from ").removesuffix(" on")) :])
    return set(found[1].split(", "))


def told_values(line: str) -> list[tuple[str, str, str]]:
    """Each value that is told of a row: "", "largest" or "smallest", the value, its column."""
    if line == "all masked":
        return []
    line = re.sub(r"(^|, )masked .*$", "", line)
    found = []
    for part in (
        re.split(r", (?=\S.* at )|, (?=smallest )", line)
        if "largest" not in line
        else (re.split(r", (?=smallest )", line))
    ):
        sort = next((word for word in ("largest", "smallest") if part.startswith(word)), "")
        if sort:
            value, _, places = part.removeprefix(f"{sort} ").partition(" at ")
            places = re.sub(r" and \d+ more$", "", places)
            found += [(sort, value, place) for place in re.split(r", | and ", places)]
        else:
            value, _, place = part.partition(" at ")
            found.append(("", value, place))
    return found


def agrees(text: str, value: float) -> None:
    """A written number is that value, as exactly as it is written, and says that it is whole only if it is."""
    power = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    if text.startswith(("less than ", "more than ")):
        bound = float(text[10:])
        assert value < bound if text.startswith("less") else value > bound
        assert abs(value - bound) <= 1
        return
    if "10⁻" in text:
        mantissa, _, exponent = power.rpartition("10-")
        read = float(mantissa.removesuffix(" × ") or 1) * 10.0 ** -int(exponent)
        assert read == pytest.approx(value, rel=0.06)
        return
    plain = text.removeprefix("≈")
    decimals = len(plain.partition(".")[2])
    if text == plain:
        assert abs(float(plain) - value) <= 0.5 * 10.0**-decimals * (1 + 1e-6)
    else:
        assert abs(float(plain) - value) <= 0.5
    if float(plain).is_integer():
        distance = abs(float(plain) - value) / max(1.0, abs(value))
        whole = distance <= 1e-12 and (value == 0 or float(plain) != 0)
        assert whole == (text == plain) or 0.9e-12 < distance < 1.1e-12, (text, value)


@given(tables=st.lists(TABLES, min_size=1, max_size=3), names=st.permutations(LABELS))
@settings(derandomize=True, deadline=None, max_examples=120, database=None)
def test_text_alternative_and_picture_agree(tables: list[list[list[float | None]]], names: list[str]) -> None:
    """What a reader of either learns is the same, and it is so."""
    assume(any(value is not None for table in tables for row in table for value in row))
    figure = heat(*tables)
    for one in figure["heat_maps"]["maps"]:
        one["rows"], one["columns"] = names[: len(one["rows"])], names[-len(one["columns"]) :]
    svg = heat_maps(figure, "1")
    within(svg)
    known = [v for table in tables for row in table for v in row if v is not None]
    largest = max(map(abs, known))
    bound = largest if min(known) < 0 or largest > 1 + 1e-9 else 1.0
    told = told_rows(description(svg))
    assert description(svg).count("A raised dot") == texts(svg).count("A raised dot is a space.")
    for table, lines, drawn in zip(tables, told, drawn_maps(svg, tables), strict=True):
        columns = [cell.column for cell in drawn[0]]
        for row, (label, line), cells in zip(table, lines, drawn, strict=True):
            assert {cell.row for cell in cells} == {label}
            masked = {cell.column for cell in cells if cell.hatched}
            assert masked == {c for c, v in zip(columns, row, strict=True) if v is None}
            assert masked == told_masked(line, columns)
            for cell, value in zip(cells, row, strict=True):
                if value is None:
                    assert (cell.share, cell.number, cell.mark) == (0, "", "")
                    continue
                assert cell.share == pytest.approx(value / bound, abs=6e-4)
                if cell.number:
                    agrees(cell.number, value)
                    assert cell.mark == ""
                if cell.mark == "dash" or (min(known) < 0 and not cell.number):
                    assert (value < 0) == (cell.mark == "dash")
            for sort, text, place in told_values(line):
                value = row[columns.index(place)]
                assert value is not None
                agrees(text, value)
                rest = [v for v in row if v is not None]
                assert sort != "largest" or value >= max(rest) - 1e-12 * abs(value)
                assert sort != "smallest" or value <= min(rest) + 1e-12 * abs(value)
            dots = {cell.column for cell in cells if cell.mark == "dot"}
            assert dots <= {place for sort, _, place in told_values(line) if sort != "smallest"}
            if any(cell.number for cell in cells) or len(columns) <= 8:
                places = [place for _, _, place in told_values(line)]
                assert places == [c for c in columns if c not in masked]
