"""Tables of numbers as heat maps: shaded cells to one scale, with their numbers where there is room for them."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from coursebuild.drawings.axes import Axis
from coursebuild.drawings.placing import Point
from coursebuild.drawings.svg import (
    GRID,
    HEAT,
    HEAT_2,
    INK,
    INK_2,
    LINE,
    MEDIUM,
    MOST,
    NOISE,
    ROUNDING,
    SMALL,
    WIDTH,
    Canvas,
    is_list,
    is_name,
    is_number,
    is_text,
    of_size,
    plural,
    printable,
    refuse,
    significant,
    text_width,
    visible,
)

NAME = "heat_maps"
MOST_MAPS = 4
MOST_CELLS = 24  # in a row and in a column
NEEDED = (
    f"a dict {{rows, columns, maps}}: rows and columns the names of the axes, maps a list of 1 to {MOST_MAPS} "
    f"{{title, rows, columns, values}} with each title once, rows and columns lists of 1 to {MOST_CELLS} labels, "
    "values a list with a list for each row, in it for each column a finite number below 10¹⁵ or None if masked"
)

FEW = 8  # columns up to which the text alternative has every value
GAP = 10.0  # between maps beside each other
BELOW = 16.0  # between maps below each other
TURNED = 13.2  # what a turned label, or the label of a row, takes across
WIDEST = 64.0  # of a cell
HIGHEST = 700.0  # what numbers may cost in height before maps go side by side without
LEGEND = 96.0  # length of the bar of the scale
PITCH = 7.0  # between hatches
CAP = 84.0  # length of a turned label
DOTS = "A raised dot is a space."
FINEST = 6  # decimals that a number in a cell has at most

DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")

Rectangle: TypeAlias = tuple[float, float, float, float]  # x, y, width, height
Value: TypeAlias = float | None


@dataclass(frozen=True)
class Map:
    """A table: its title, the labels of its rows and columns, and its values, None where masked."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    dotted: bool  # whether a dot in a label is a space


@dataclass(frozen=True)
class Scale:
    """The shades of all maps: from 0 to `bound`, or if there are negative values from -`bound` to it."""

    bound: float
    signed: bool
    decimals: int

    def share(self, value: float) -> float:
        """How dark the shade of a value is: 0 as the paper, 1 at either end of the scale."""
        return min(abs(value) / self.bound, 1.0)

    @property
    def ends(self) -> tuple[str, str]:
        """The least and the largest value of the scale, written."""
        low = _marked(f"-{significant(self.bound, 3)}", -self.bound) if self.signed else "0"
        return low, _marked(significant(self.bound, 3), self.bound)

    def in_cell(self, value: float) -> str:
        """A value as a cell has it; what is not a whole number is not written as if it were."""
        return _marked(f"{value:.{self.decimals}f}", value) if value else "0"

    def told(self, value: float) -> str:
        """A value as the text alternative has it: somewhat finer than it can be seen."""
        if self.decimals > FINEST:
            return significant(value, 4) if value else "0"
        return _marked(Axis("", "linear", -self.bound if self.signed else 0.0, self.bound).told(value), value)


def _marked(text: str, value: float) -> str:
    """`text`, or `≈7` where it would say that a value is whole which is not, and not by a rounding error."""
    if not DECIMAL.fullmatch(text) or not float(text).is_integer():  # `less than 0.001`, `10⁻⁶`, `0.25`
        return text
    whole = round(value)
    same = math.isclose(value, whole, rel_tol=NOISE, abs_tol=NOISE) and (whole or not value)
    return text if same else f"≈{float(text) or 0.0:.0f}"


@dataclass(frozen=True)
class Layout:
    """The measures that all maps of a picture share."""

    beside: int  # maps in a line
    block: float  # width of a map with the labels of its rows
    labels: float  # width of these labels
    heads: float  # height of the labels of its columns
    cell: float  # width of a cell
    tall: float  # height of a cell
    turned: bool  # whether the labels of the columns are
    numbers: bool  # whether cells have their numbers
    whole: bool  # whether no label is shortened

    def row(self, label: str) -> str:
        """The label of a row as it is drawn."""
        return _shortened(label, self.labels)

    def column(self, label: str) -> str:
        """The label of a column as it is drawn."""
        return _shortened(label, self.heads - 6) if self.turned else label

    def height(self, one: Map) -> float:
        """Of a map with its title and labels."""
        return 20 + self.heads + len(one.rows) * self.tall


def heat_maps(figures: Mapping[str, Any], ident: str) -> str:
    """Draw up to four tables as heat maps, all to one scale: two beside each other where that costs nothing.

    The scale goes from 0 to 1 if no value is negative and none above 1, to the largest if none is negative, and
    otherwise from minus the largest size of a value to it. Cells without room for their numbers have instead a
    dot at the largest of each row or, if there are negative values, a dash where the value is negative.

    Args:
        figures: `heat_maps`, {"rows": name, "columns": name, "maps": [{"title", "rows", "columns", "values"}]};
            None in the values is a masked cell.
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    down, across, maps = _read(figures)
    scale = _scale(maps)
    layout = _lay_out(maps, scale)
    title = f"{down[0].upper()}{down[1:]} by {across}: {', '.join(one.title for one in maps)}"
    canvas = Canvas(NAME, ident, title, _describe(down, across, maps, scale, layout))
    canvas.text(1, 13, _axes(down, across), INK_2)
    y = 24.0
    for at in range(0, len(maps), layout.beside):
        line = maps[at : at + layout.beside]
        for place, one in enumerate(line):
            _draw_map(canvas, one, scale, layout, (1 + place * (layout.block + GAP), y))
        y += max(layout.height(one) for one in line) + BELOW
    return canvas.finish(_draw_legend(canvas, maps, scale, layout, y))


def _axes(down: str, across: str) -> str:
    return f"Rows: {down}. Columns: {across}."


# Reading the figure ---------------------------------------------------------------------------------------


def _read(figures: Mapping[str, Any]) -> tuple[str, str, list[Map]]:
    figure = of_size(figures, NAME, NAME, NEEDED)
    if not isinstance(figure, Mapping):
        refuse(NAME, NAME, NEEDED, f"is {figure!r}")
    for key in ("rows", "columns", "maps"):
        if key not in figure:
            refuse(NAME, NAME, NEEDED, f"has no {key!r}: {dict(figure)!r}")
    for key in ("rows", "columns"):
        if not is_name(figure[key]):
            refuse(NAME, NAME, NEEDED, f"has {key} = {figure[key]!r}, not the name of an axis")
    if text_width(_axes(figure["rows"], figure["columns"]), SMALL) > WIDTH - 2:
        names = f"{figure['rows']!r} and {figure['columns']!r}"
        refuse(NAME, NAME, NEEDED, f"has the names of axes {names}, which do not fit in a line")
    if not (is_list(figure["maps"]) and figure["maps"]):
        refuse(NAME, NAME, NEEDED, f"has maps = {figure['maps']!r}")
    if len(figure["maps"]) > MOST_MAPS:
        refuse(NAME, NAME, NEEDED, f"has {len(figure['maps'])} maps: at most {MOST_MAPS} fit")
    maps = [_read_map(item) for item in figure["maps"]]
    if len({one.title for one in maps}) < len(maps):
        refuse(NAME, NAME, NEEDED, f"has a title more than once: {[one.title for one in maps]}")
    if all(value is None for one in maps for row in one.values for value in row):
        refuse(NAME, NAME, NEEDED, "has no value: every cell is masked")
    _tell_apart([label for item in figure["maps"] for key in ("rows", "columns") for label in item[key]])
    return figure["rows"], figure["columns"], maps


def _read_map(item: object) -> Map:
    if not isinstance(item, Mapping):
        refuse(NAME, NAME, NEEDED, f"has the map {item!r}")
    for key in ("title", "rows", "columns", "values"):
        if key not in item:
            refuse(NAME, NAME, NEEDED, f"has the map {dict(item)!r} without {key!r}")
    title, rows, columns, values = (item[key] for key in ("title", "rows", "columns", "values"))
    if not (is_name(title) and text_width(title, MEDIUM, bold=True) <= WIDTH - 2):
        refuse(NAME, NAME, NEEDED, f"has the title {title!r}, not a text that fits in a line")
    for key, labels in (("rows", rows), ("columns", columns)):
        if not (is_list(labels) and labels and all(is_text(label) for label in labels)):
            refuse(NAME, NAME, NEEDED, f"has {key} = {labels!r} for {title!r}")
        if len(set(_placed(labels))) < len(labels):
            refuse(
                NAME, NAME, NEEDED, f"has {key} = {labels!r} for {title!r}, one named as a place of others"
            )
        if len(labels) > MOST_CELLS:
            refuse(NAME, NAME, NEEDED, f"has {len(labels)} {key} for {title!r}: at most {MOST_CELLS} fit")
    if not (is_list(values) and all(is_list(row) for row in values)):
        refuse(NAME, NAME, NEEDED, f"has values = {values!r} for {title!r}")
    shape = f"{plural(len(rows), 'label')} of rows and {len(columns)} of columns for {title!r}"
    if len(values) != len(rows):
        refuse(NAME, NAME, NEEDED, f"has {plural(len(values), 'row')} of values, but {shape}")
    for row in values:
        if len(row) != len(columns):
            refuse(NAME, NAME, NEEDED, f"has a row of {plural(len(row), 'value')}, but {shape}")
        for value in row:
            if value is not None and not (is_number(value) and abs(value) < MOST):
                refuse(NAME, NAME, NEEDED, f"has the value {value!r} for {title!r}")
    dotted = any(map(_has_spare_spaces, (*rows, *columns)))
    return Map(title, _labels(rows), _labels(columns), tuple(map(tuple, values)), dotted)


def _labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels as they are written: those with spare spaces with all their spaces made visible."""
    return tuple(label if is_name(label) else visible(label) for label in labels)


def _tell_apart(labels: Sequence[str]) -> None:
    """Refuse labels that are written alike though they differ, and a dot that would be taken for a space."""
    written: dict[str, str] = {}
    for label, text in zip(labels, _labels(labels), strict=True):
        other = written.setdefault(unicodedata.normalize("NFC", printable(text)), label)
        if other != label:
            refuse(NAME, NAME, NEEDED, f"has the labels {other!r} and {label!r}, which look alike: {text}")
    spaced = next((label for label in labels if _has_spare_spaces(label)), "")
    dot = next((label for label in labels if spaced and "·" in label), "")
    if dot:
        refuse(
            NAME,
            NAME,
            NEEDED,
            f"has the label {dot!r}, whose dot would be read as a space: so the spaces of {spaced!r} are written",
        )


def _has_spare_spaces(label: str) -> bool:
    """Whether spaces of a label are written as dots."""
    return " " in label and not is_name(label)


def _scale(maps: Sequence[Map]) -> Scale:
    every = [value for one in maps for row in one.values for value in row if value is not None]
    largest = max(map(abs, every)) or 1.0
    signed = min(every) < 0
    bound = float(largest if signed or largest > 1 + ROUNDING else 1.0)
    if all(float(value).is_integer() for value in every):
        return Scale(bound, signed, 0)
    power = math.floor(math.log10(bound))  # -1 for what is from 0.1 to below 1
    return Scale(bound, signed, 2 if power == -1 else max(0, (2 if power >= 0 else 1) - power))


# Measures -------------------------------------------------------------------------------------------------


def _lay_out(maps: Sequence[Map], scale: Scale) -> Layout:
    """One map in a line, or two if they lose nothing by it but height."""
    one = _measure(maps, scale, 1)
    two = _measure(maps, scale, 2) if len(maps) > 1 else None
    if one is None:
        title = max(maps, key=lambda each: len(each.columns)).title
        refuse(NAME, NAME, NEEDED, f"has more columns for {title!r} than fit beside the labels of its rows")
    alike = _shortened_alike(maps, one)
    if alike:
        first, second, short = alike
        refuse(
            NAME, NAME, NEEDED, f"has the labels {first!r} and {second!r}, which both are cut to {short!r}"
        )
    if two is None or two.whole != one.whole or _shortened_alike(maps, two):
        return one
    tall = math.fsum(one.height(each) for each in maps) > HIGHEST
    return two if tall or two.numbers == one.numbers else one


def _shortened_alike(maps: Sequence[Map], layout: Layout) -> tuple[str, str, str] | None:
    """Two labels that differ and are drawn alike, and as what; None if there are none."""
    drawn: dict[str, str] = {}
    for one in maps:
        texts = [*map(layout.row, one.rows), *map(layout.column, one.columns)]
        for label, text in zip((*one.rows, *one.columns), texts, strict=True):
            other = drawn.setdefault(text, label)
            if other != label:
                return other, label, text
    return None


def _measure(maps: Sequence[Map], scale: Scale, beside: int) -> Layout | None:
    """The measures with so many maps in a line; None if they do not fit."""
    block = (WIDTH - 2 - GAP * (beside - 1)) / beside
    if any(text_width(one.title, MEDIUM, bold=True) > block for one in maps):
        return None
    most = max(len(one.columns) for one in maps)
    names = max(text_width(label, SMALL) for one in maps for label in one.rows)
    room = min(0.32 * block, block - 5 - TURNED * most)
    if room < min(names, 24):
        return None
    labels = min(names, room)
    cell = min((block - labels - 5) / most, WIDEST)
    heads = max(text_width(label, SMALL) for one in maps for label in one.columns)
    turned = heads > cell - 4
    texts = [scale.in_cell(v) for one in maps for row in one.values for v in row if v is not None]
    numbers = scale.decimals <= FINEST and max(text_width(text, SMALL) for text in texts) <= cell - 2
    tall = min(max(cell, 18.0), 28.0) if numbers else min(max(cell, 14.0), 18.0)
    whole = names <= labels and (not turned or heads <= CAP)
    above = min(heads, CAP) + 6 if turned else 18.0
    return Layout(beside, block, labels, above, cell, tall, turned, numbers, whole)


def _shortened(label: str, room: float) -> str:
    """A label, or as much of its beginning as fits and an ellipsis."""
    if text_width(label, SMALL) <= room + 1e-9:
        return label
    kept = label
    while kept and text_width(f"{kept}…", SMALL) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


# A map ----------------------------------------------------------------------------------------------------


def _draw_map(canvas: Canvas, one: Map, scale: Scale, layout: Layout, at: Point) -> None:
    x, y = at
    canvas.text(x, y + 12, one.title, INK, MEDIUM, bold=True)
    left, top = x + layout.labels + 5, y + 20 + layout.heads
    wide, high = len(one.columns) * layout.cell, len(one.rows) * layout.tall
    for i, label in enumerate(one.columns):
        middle = left + (i + 0.5) * layout.cell
        if layout.turned:
            canvas.text(middle + 4.5, top - 5, layout.column(label), INK, turned=True)
        else:
            canvas.text(middle, top - 6, layout.column(label), INK, anchor="middle")
    for i, label in enumerate(one.rows):
        middle = top + (i + 0.5) * layout.tall
        canvas.text(left - 5, middle + 4.5, layout.row(label), INK, anchor="end")
    places = list(_cells(one, layout, left, top))
    for sign, fill in ((1, HEAT), (-1, HEAT_2)):
        shaded = [(place, scale.share(v)) for place, v in places if v is not None and v * sign > 0]
        canvas.shades(shaded, fill)
    canvas.lines(_hatches(place for place, value in places if value is None), LINE, 0.8)
    canvas.lines(
        [
            *(
                ((left + i * layout.cell, top), (left + i * layout.cell, top + high))
                for i in range(1, len(one.columns))
            ),
            *(
                ((left, top + i * layout.tall), (left + wide, top + i * layout.tall))
                for i in range(1, len(one.rows))
            ),
        ],
        GRID,
    )
    canvas.box(left, top, wide, high, "none", LINE, 0)
    _draw_marks(canvas, one, scale, layout, places)


def _cells(one: Map, layout: Layout, left: float, top: float) -> Iterator[tuple[Rectangle, Value]]:
    """Where each cell stands, row by row, and its value."""
    for i, row in enumerate(one.values):
        for j, value in enumerate(row):
            yield (left + j * layout.cell, top + i * layout.tall, layout.cell, layout.tall), value


def _draw_marks(
    canvas: Canvas, one: Map, scale: Scale, layout: Layout, places: Sequence[tuple[Rectangle, Value]]
) -> None:
    """In the cells: their numbers, or dashes at negative values, or a dot at the largest of each row."""
    if layout.numbers:
        for (x, y, width, height), value in places:
            if value is not None:
                canvas.text(x + width / 2, y + height / 2 + 4.5, scale.in_cell(value), INK, anchor="middle")
    elif scale.signed:
        negative = [place for place, value in places if value is not None and value < 0]
        canvas.lines([_dash(place) for place in negative], INK, 1.2)
    else:
        for i, row in enumerate(one.values):
            largest = _largest(row)
            if _is_dotted(row):
                x, y, width, height = places[i * len(row) + largest[0]][0]
                canvas.circle(x + width / 2, y + height / 2, 2.6, INK, INK)


def _dash(place: Rectangle) -> tuple[Point, Point]:
    x, y, width, height = place
    return (x + width / 2 - 2.5, y + height / 2), (x + width / 2 + 2.5, y + height / 2)


def _largest(row: Sequence[Value]) -> list[int]:
    """The places of the largest value in a row: more than one if they are equal but for a rounding error."""
    known = [value for value in row if value is not None]
    if not known:
        return []
    top = max(known)
    return [i for i, value in enumerate(row) if value is not None and top - value <= NOISE * abs(top)]


def _is_dotted(row: Sequence[Value]) -> bool:
    """Whether one cell of the row is larger than each other."""
    return len(_largest(row)) == 1 and sum(value is not None for value in row) > 1


def _hatches(places: Iterable[Rectangle]) -> list[tuple[Point, Point]]:
    """Slanting lines over rectangles, which go on from one into the next."""
    found: list[tuple[Point, Point]] = []
    for x, y, width, height in places:
        for n in range(math.ceil((x + y) / PITCH), math.floor((x + y + width + height) / PITCH) + 1):
            c = n * PITCH
            start = (c - y, y) if c - y <= x + width else (x + width, c - x - width)
            end = (x, c - x) if c - x <= y + height else (c - y - height, y + height)
            if math.dist(start, end) > 0.5:
                found.append((start, end))
    return found


# The legend -----------------------------------------------------------------------------------------------


def _draw_legend(canvas: Canvas, maps: Sequence[Map], scale: Scale, layout: Layout, y: float) -> float:
    """The scale and what the marks mean, from `y` downwards; returns the height of the picture."""
    low, high = scale.ends
    bar = text_width(low, SMALL) + 5
    items: list[tuple[float, Callable[[float, float], None]]] = []

    def draw_scale(x: float, y: float) -> None:
        canvas.text(x + bar - 5, y + 11, low, INK_2, anchor="end")
        steps = 16
        each = LEGEND / steps
        shades = [(2 * i / (steps - 1) - 1) if scale.signed else i / (steps - 1) for i in range(steps)]
        for sign, fill in ((1, HEAT), (-1, HEAT_2)):
            cells = [
                ((x + bar + i * each, y, each, 13.0), abs(s)) for i, s in enumerate(shades) if s * sign > 0
            ]
            canvas.shades(cells, fill)
        canvas.box(x + bar, y, LEGEND, 13, "none", LINE, 0)
        if scale.signed:
            canvas.text(x + bar + LEGEND / 2, y + 11, "0", INK, anchor="middle")
        canvas.text(x + bar + LEGEND + 5, y + 11, high, INK_2)

    def key(text: str, mark: Callable[[Rectangle], None], frame: bool = True) -> None:
        def draw(x: float, y: float) -> None:
            mark((x, y, 18.0, 13.0))
            if frame:
                canvas.box(x, y, 18, 13, "none", LINE, 0)
            canvas.text(x + 23, y + 11, text, INK_2)

        items.append((23 + text_width(text, SMALL), draw))

    items.append((bar + LEGEND + 5 + text_width(high, SMALL), draw_scale))
    rows = [row for one in maps for row in one.values]
    if any(value is None for row in rows for value in row):
        key("masked", lambda place: canvas.lines(_hatches([place]), LINE, 0.8))
    if not layout.numbers and scale.signed:
        key("negative", lambda place: canvas.lines([_dash(place)], INK, 1.2))
    if not layout.numbers and not scale.signed and any(_is_dotted(row) for row in rows):
        key("largest of its row", lambda place: canvas.circle(place[0] + 9, place[1] + 6.5, 2.6, INK, INK))
    if any(one.dotted for one in maps):
        items.append((text_width(DOTS, SMALL), lambda x, y: canvas.text(x, y + 11, DOTS, INK_2)))
    x = 1.0
    for width, draw in items:
        if x > 1 and x + width > WIDTH - 1:
            x, y = 1.0, y + 20
        draw(x, y)
        x += width + 16
    return y + 16


# The text alternative -------------------------------------------------------------------------------------


def _describe(down: str, across: str, maps: Sequence[Map], scale: Scale, layout: Layout) -> str:
    low, high = scale.ends
    told = [f"{plural(len(maps), 'heat map')}, shaded from {low} to {high}. {_axes(down, across)}"]
    told += [DOTS] if any(one.dotted for one in maps) else []
    for one in maps:
        rows, columns = _placed(one.rows), _placed(one.columns)
        every = layout.numbers or len(columns) <= FEW
        lines = [_tell_row(row, columns, scale, every) for row in one.values]
        told.append(
            f"{one.title}: {'; '.join(f'{row}: {line}' for row, line in zip(rows, lines, strict=True))}."
        )
    return " ".join(told)


def _placed(labels: Sequence[str]) -> list[str]:
    """Labels, with their place where one label stands at several."""
    times = Counter(labels)
    return [f"{label} (place {i})" if times[label] > 1 else label for i, label in enumerate(labels, start=1)]


def _tell_row(row: Sequence[Value], columns: Sequence[str], scale: Scale, every: bool) -> str:
    """All values of a row with their columns, or the largest (and with negative ones the smallest)."""
    known = [(label, value) for label, value in zip(columns, row, strict=True) if value is not None]
    parts = [", ".join(f"{scale.told(value)} at {label}" for label, value in known)] if every else []
    if known and not every:
        parts.append(f"largest {_tell_ends(row, columns, scale, 1)}")
        if scale.signed:
            parts.append(f"smallest {_tell_ends(row, columns, scale, -1)}")
    masked = [label for label, value in zip(columns, row, strict=True) if value is None]
    if not known:
        return "all masked"
    if masked and not every and row[-len(masked) :] == (None,) * len(masked) and len(masked) > 2:
        parts.append(f"masked from {masked[0]} on")
    elif masked:
        parts.append(f"masked {', '.join(masked)}")
    return ", ".join(parts)


def _tell_ends(row: Sequence[Value], columns: Sequence[str], scale: Scale, sign: int) -> str:
    """The largest value (smallest for `sign` -1) and its columns, the first three if there are more."""
    places = _largest([None if value is None else sign * value for value in row])
    value = row[places[0]]
    assert value is not None
    named = [columns[i] for i in places[:3]]
    rest = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return f"{scale.told(value)} at {', '.join(named) if rest else ' and '.join(named)}{rest}"
