"""Where a filter cuts: the ranked probabilities of a step as bars, and each cut as a line across them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.svg import (
    FULL,
    INK,
    INK_2,
    MEDIUM,
    ROUNDING,
    SERIES,
    SMALL,
    WIDTH,
    Canvas,
    is_count,
    is_list,
    is_name,
    is_probability,
    probability,
    refuse,
    rows,
    text_width,
)

NAME = "cuts"
NEEDED = (
    "a list of {step, probabilities, cuts}: step text, probabilities a list from the largest to the smallest "
    "that adds up to at most 1, cuts a list of {name, kept} with each name once and kept from 1 to the number "
    "of probabilities"
)

BAR = 11.0  # height of a bar
ROW = 17.0  # from one bar to the next
CUT = 18.0  # height of a cut's line with its label
RULE = 40.0  # the least length of a cut's line
DECIMALS = 4
MOST_BARS = 30
DASHES = ("", "6 4", "2 3", "10 4 2 4", "4 2", "12 3 2 3 2 3")  # a cut's line, by its name


@dataclass(frozen=True)
class Cut:
    """A filter's setting, and how many of the most probable tokens it keeps."""

    name: str
    kept: int

    @property
    def label(self) -> str:
        return f"{self.name}: keeps {self.kept}"


@dataclass(frozen=True)
class Step:
    """A step of decoding: its name, its probabilities from the largest down, and the cuts."""

    name: str
    probabilities: tuple[float, ...]
    cuts: tuple[Cut, ...]


def cuts(figures: Mapping[str, Any], ident: str) -> str:
    """Draw the ranked probabilities of each step, one below the other to one scale, and where each filter cuts.

    A cut's line has the same dash in every step: the first name to appear, over all steps, has the first dash.
    Steps that list their cuts in one order therefore keep the dashes of a picture when numbers change.

    Args:
        figures: `cuts`, a list of {"step", "probabilities", "cuts"}; a cut is {"name", "kept"}. List the methods
            in one order in every step.
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    steps = [_read(item) for item in rows(figures, NAME, NAME, NEEDED)]
    names = list(dict.fromkeys(cut.name for step in steps for cut in step.cuts))
    if len(names) > len(DASHES):
        refuse(NAME, NAME, NEEDED, f"has {len(names)} names of cuts: at most {len(DASHES)} can be told apart")
    rule = WIDTH - 1 - 6 - max(text_width(cut.label, SMALL) for step in steps for cut in step.cuts)
    every = [value for step in steps for value in step.probabilities]
    ranks = text_width(str(max(len(step.probabilities) for step in steps)), SMALL)
    values = max(text_width(probability(value, DECIMALS), SMALL) for value in every)
    left = 1 + ranks + 6
    scale = (WIDTH - 1 - values - 6 - left) / (max(every) or 1.0)
    canvas = Canvas(NAME, ident, "Where each cut falls in the ranked probabilities", _describe(steps))
    y = 0.0
    for step in steps:
        canvas.text(1, y + 13, step.name, INK, MEDIUM, bold=True)
        y += 22
        for rank, value in enumerate(step.probabilities, start=1):
            _draw_bar(canvas, rank, value, y, left, value * scale)
            y += ROW
            for cut in step.cuts:
                if cut.kept == rank:
                    middle = y - (ROW - BAR) / 2 + CUT / 2
                    canvas.line([(1, middle), (rule, middle)], SERIES[1], 2, DASHES[names.index(cut.name)])
                    canvas.text(rule + 6, middle + 4.5, cut.label, INK)
                    y += CUT
        y += 12
    canvas.text(1, y + 8, "At a bar: rank and probability.", INK_2)
    return canvas.finish(y + 14)


def _read(item: object) -> Step:
    if not isinstance(item, Mapping):
        refuse(NAME, NAME, NEEDED, f"has {item!r}")
    for key in ("step", "probabilities", "cuts"):
        if key not in item:
            refuse(NAME, NAME, NEEDED, f"has {dict(item)!r} without {key!r}")
    name, values = item["step"], item["probabilities"]
    if not (is_name(name) and text_width(name, MEDIUM, bold=True) <= WIDTH - 2):
        refuse(NAME, NAME, NEEDED, f"has the step {name!r}, not a text that fits in a line")
    if not (is_list(values) and values and all(is_probability(value) for value in values)):
        refuse(NAME, NAME, NEEDED, f"has probabilities = {values!r} for {name!r}")
    if len(values) > MOST_BARS:
        refuse(NAME, NAME, NEEDED, f"has {len(values)} probabilities for {name!r}: at most {MOST_BARS} fit")
    if list(values) != sorted(values, reverse=True):
        refuse(NAME, NAME, NEEDED, f"has probabilities that are not ranked for {name!r}: {values!r}")
    if math.fsum(values) > 1 + ROUNDING:
        refuse(NAME, NAME, NEEDED, f"has probabilities that add up to {math.fsum(values)!r} for {name!r}")
    if not (is_list(item["cuts"]) and item["cuts"]):
        refuse(NAME, NAME, NEEDED, f"has cuts = {item['cuts']!r} for {name!r}")
    found = tuple(_read_cut(cut, name, len(values)) for cut in item["cuts"])
    if len({cut.name for cut in found}) < len(found):
        refuse(NAME, NAME, NEEDED, f"has the name of a cut more than once for {name!r}")
    return Step(name, tuple(values), found)


def _read_cut(cut: object, step: str, bars: int) -> Cut:
    if not (isinstance(cut, Mapping) and "name" in cut and "kept" in cut and is_name(cut["name"])):
        refuse(NAME, NAME, NEEDED, f"has the cut {cut!r} for {step!r}")
    if not (is_count(cut["kept"]) and cut["kept"] <= bars):
        refuse(NAME, NAME, NEEDED, f"has the cut {cut!r} for {step!r}, whose ranks go from 1 to {bars}")
    found = Cut(cut["name"], cut["kept"])
    if text_width(found.label, SMALL) > WIDTH - 2 - RULE - 6:
        refuse(NAME, NAME, NEEDED, f"has the cut {cut!r} for {step!r}, whose name is too long for a line")
    return found


def _draw_bar(canvas: Canvas, rank: int, value: float, y: float, left: float, length: float) -> None:
    canvas.text(left - 6, y + 10, str(rank), INK_2, anchor="end")
    if length:
        canvas.box(left, y, length, BAR, FULL, FULL, 1)
    canvas.text(left + length + 6, y + 10, probability(value, DECIMALS), INK)


def _describe(steps: list[Step]) -> str:
    told = []
    for step in steps:
        ranked = ", ".join(probability(value, DECIMALS) for value in step.probabilities)
        kept = "; ".join(f"{cut.name} keeps {cut.kept}" for cut in step.cuts)
        told.append(f"{step.name}: {ranked}. Of these {len(step.probabilities)}, {kept}.")
    return f"Bars for the probabilities of each step, from the largest down, cut by lines. {' '.join(told)}"
