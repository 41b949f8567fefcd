"""A line chart: series told apart by dash, marker, colour, and a label where each line ends."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.axes import NEAR, Axis, Tick, round_axis, thinned, ticks_of
from coursebuild.drawings.placing import (
    LABEL_GAP,
    LINE_HEIGHT,
    RING,
    Box,
    Point,
    along,
    free_place,
    push_apart,
)
from coursebuild.drawings.svg import (
    GRID,
    INK,
    INK_2,
    LINE,
    MOST,
    NOISE,
    PAPER,
    SERIES,
    SMALL,
    WIDTH,
    Canvas,
    is_list,
    is_name,
    is_number,
    is_text,
    of_size,
    plural,
    refuse,
    significant,
    text_width,
)

NAME = "curves"
NEEDED = (
    "a dict {x, y, series}: x {label, scale} with scale 'log', 'linear' or 'points', y {label, scale} with "
    "scale 'log' or 'linear', series a list of {name, points} with each name once and points a list of [x, y], "
    "x rising, all finite, below 10¹⁵ and on a log scale from 10⁻³⁰⁰; and if the lowest points are marked, lowest, a list of "
    "names of series"
)
SCALES = {"x": ("log", "linear", "points"), "y": ("log", "linear")}

HEIGHT = 210.0  # of the field in which the lines run, where the labels need no more
INSET = 9.0  # between the edge of the field and the first and last points
KEY = 16.0  # from the field to the middle of the marker at a label
TICK = 68.0  # room for the number at a tick of the y axis
LABEL = 100.0  # room for a line of a series' label
MARKER = 4.2  # about half the width of a marker
LEADER = RING + 3  # a text farther than this from its ring is joined to it
APART = 11.0  # markers nearer than this are left out
MOST_POINTS = 40
LEAST = 1e-300  # below this numbers are too small for a scale
DASHES = ("", "7 4", "2 3", "11 3 2 3", "4 2", "12 3 2 3 2 3")


@dataclass(frozen=True)
class Series:
    """A line: its name, its points from left to right, and which of the styles is its own."""

    name: str
    points: tuple[Point, ...]
    style: int

    @property
    def lines(self) -> list[str]:
        """The name as its label is written: in one line or two."""
        return _wrap(self.name) or [self.name]

    @property
    def lowest(self) -> Point:
        """The lowest point; of several the first."""
        return self.lowest_points[0]

    @property
    def lowest_points(self) -> list[Point]:
        """All points that are as low as the lowest, but for a rounding error."""
        least = min(y for _, y in self.points)
        return [point for point in self.points if point[1] <= least + NEAR * abs(least)]


@dataclass(frozen=True)
class Field:
    """Where the lines run, in units of the picture."""

    box: Box
    x: Axis
    y: Axis

    def at(self, point: Point) -> Point:
        box = self.box
        x = box.left + INSET + self.x.share(point[0]) * (box.right - box.left - 2 * INSET)
        return x, box.bottom - self.y.share(point[1]) * (box.bottom - box.top)


def curves(figures: Mapping[str, Any], ident: str) -> str:
    """Draw a line chart.

    Args:
        figures: `curves`, {"x": {"label", "scale"}, "y": {"label", "scale"}, "series": [{"name", "points"}]} and,
            if wanted, "lowest": the names of the series whose lowest point is marked. On the scale "points" the
            values of x stand evenly apart, each with its tick.
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    x, y, series, lowest = _read(figures)
    y_ticks = thinned(ticks_of(y), lambda tick: LINE_HEIGHT / HEIGHT, y)
    if max(text_width(tick.text, SMALL) for tick in y_ticks) > TICK:
        refuse(NAME, NAME, NEEDED, f"has values of y whose ticks, such as {y_ticks[-1].text}, do not fit")
    half = max(text_width(tick.text, SMALL) for tick in ticks_of(x)) / 2
    ends = (
        WIDTH
        - 1
        - max(KEY + 9 + max(text_width(line, SMALL) for one in series for line in one.lines), half - INSET)
    )
    start = 1 + max(max(text_width(tick.text, SMALL) for tick in y_ticks) + 6, half - INSET)
    room = max(ends - start - 2 * INSET, 1.0)
    x_ticks = thinned(ticks_of(x), lambda tick: (text_width(tick.text, SMALL) + 7) / room, x)
    if x.scale == "points" and len(x_ticks) < len(x.places):
        refuse(NAME, NAME, NEEDED, f"has {len(x.places)} values of x, whose ticks do not fit: take 'linear'")
    if len(x_ticks) < 2:
        refuse(NAME, NAME, NEEDED, f"has values of x whose ticks, such as {x_ticks[-1].text}, do not fit")
    for key, ticks in (("x", x_ticks), ("y", y_ticks)):
        if len({tick.text for tick in ticks}) < len(ticks):
            refuse(NAME, NAME, NEEDED, f"has values of {key} that are too close to each other to draw")
    tall = math.fsum(len(one.lines) * LINE_HEIGHT + LABEL_GAP for one in series)
    field = Field(Box(start, 26, ends, 26 + max(HEIGHT, tall)), x, y)
    title = f"{y.label[0].upper()}{y.label[1:]} against {x.label}"
    canvas = Canvas(NAME, ident, title, _describe(x, y, series, lowest))
    _draw_axes(canvas, field, x_ticks, y_ticks)
    _draw_labels(canvas, field, series)
    for one in series:
        canvas.line([field.at(point) for point in one.points], SERIES[one.style], 2, DASHES[one.style])
    for one in series:
        for place in _marked(field, one, one in lowest):
            _draw_marker(canvas, place, one.style)
    _draw_lowest(canvas, field, series, lowest)
    return canvas.finish(field.box.bottom + 44)


# Reading the figure ---------------------------------------------------------------------------------------


def _read(figures: Mapping[str, Any]) -> tuple[Axis, Axis, list[Series], list[Series]]:
    figure = of_size(figures, NAME, NAME, NEEDED)
    if not isinstance(figure, Mapping):
        refuse(NAME, NAME, NEEDED, f"is {figure!r}")
    for key in ("x", "y", "series"):
        if key not in figure:
            refuse(NAME, NAME, NEEDED, f"has no {key!r}: {dict(figure)!r}")
    for key in SCALES:
        _check_axis(key, figure[key])
    if not (is_list(figure["series"]) and figure["series"]):
        refuse(NAME, NAME, NEEDED, f"has series = {figure['series']!r}")
    if len(figure["series"]) > len(SERIES):
        got = f"has {len(figure['series'])} series: at most {len(SERIES)} can be told apart"
        refuse(NAME, NAME, NEEDED, got)
    logs = [figure[key]["scale"] == "log" for key in SCALES]
    series = [_read_series(item, style, logs) for style, item in enumerate(figure["series"])]
    by_name = {one.name: one for one in series}
    if len(by_name) < len(series):
        refuse(NAME, NAME, NEEDED, f"has a name of series more than once: {[one.name for one in series]}")
    lowest = figure.get("lowest", [])
    if not (is_list(lowest) and all(is_text(name) and name in by_name for name in lowest)):
        refuse(NAME, NAME, NEEDED, f"has lowest = {lowest!r}, not all of them names of series")
    xs = sorted({point[0] for one in series for point in one.points})
    ys = [point[1] for one in series for point in one.points]
    if len(xs) < 2:
        refuse(NAME, NAME, NEEDED, f"has one value of x, {xs[0]!r}: two at least make a line")
    for key, values in (("x", xs), ("y", ys)):
        low, high = min(values), max(values)
        span = high - low if low < high else abs(high)
        if figure[key]["scale"] != "points" and 0 < span < max(NOISE * max(-low, high), LEAST):
            refuse(NAME, NAME, NEEDED, f"has values of {key} that are too close to each other to draw")
    x = Axis(figure["x"]["label"], figure["x"]["scale"], xs[0], xs[-1], tuple(xs))
    return (
        x,
        round_axis(figure["y"], min(ys), max(ys)),
        series,
        [by_name[name] for name in dict.fromkeys(lowest)],
    )


def _check_axis(key: str, axis: object) -> None:
    if not (isinstance(axis, Mapping) and "label" in axis and "scale" in axis):
        refuse(NAME, NAME, NEEDED, f"has {key} = {axis!r}")
    if not (isinstance(axis["scale"], str) and axis["scale"] in SCALES[key]):
        refuse(NAME, NAME, NEEDED, f"has the scale {axis['scale']!r} for {key}")
    if not (is_text(axis["label"]) and text_width(axis["label"], SMALL) <= WIDTH - 2):
        refuse(
            NAME, NAME, NEEDED, f"has the label {axis['label']!r} for {key}, not a text that fits in a line"
        )


def _read_series(item: object, style: int, logs: list[bool]) -> Series:
    if not (isinstance(item, Mapping) and "name" in item and "points" in item):
        refuse(NAME, NAME, NEEDED, f"has the series {item!r}")
    name, points = item["name"], item["points"]
    if not (is_name(name) and _wrap(name)):
        most = int(LABEL / text_width("x", SMALL))
        got = f"has the name {name!r}, not a text that fits in two lines of {most} letters, without spare spaces"
        refuse(NAME, NAME, NEEDED, got)
    if not (is_list(points) and points):
        refuse(NAME, NAME, NEEDED, f"has points = {points!r} for {name!r}")
    if len(points) > MOST_POINTS:
        refuse(NAME, NAME, NEEDED, f"has {len(points)} points for {name!r}: at most {MOST_POINTS} fit")
    found: list[Point] = []
    for point in points:
        if not (is_list(point) and len(point) == 2 and all(is_number(value) for value in point)):
            refuse(NAME, NAME, NEEDED, f"has the point {point!r} for {name!r}")
        if any(abs(value) >= MOST for value in point):
            refuse(NAME, NAME, NEEDED, f"has the point {point!r} for {name!r}, too large to draw")
        if any(log and value < LEAST for log, value in zip(logs, point, strict=True)):
            refuse(NAME, NAME, NEEDED, f"has the point {point!r} for {name!r}, which no log scale has")
        if found and point[0] <= found[-1][0]:
            refuse(NAME, NAME, NEEDED, f"has the point {point!r} of {name!r} after x = {found[-1][0]!r}")
        found.append((point[0], point[1]))
    return Series(name, tuple(found), style)


def _wrap(name: str) -> list[str]:
    """A label in as few lines as fit, one or two; none if it does not fit."""
    if text_width(name, SMALL) <= LABEL:
        return [name]
    words = name.split(" ")
    splits = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
    best = min(splits, key=lambda lines: max(map(len, lines)), default=[name])
    return best if all(text_width(line, SMALL) <= LABEL for line in best) else []


# Axes -----------------------------------------------------------------------------------------------------


def _draw_axes(canvas: Canvas, field: Field, x_ticks: list[Tick], y_ticks: list[Tick]) -> None:
    box = field.box
    canvas.text(1, 13, field.y.label, INK_2)
    for tick in y_ticks:
        y = field.at((field.x.low, tick.value))[1]
        canvas.line([(box.left, y), (box.right, y)], GRID)
        canvas.text(box.left - 6, y + 4.5, tick.text, INK_2, anchor="end")
    for tick in x_ticks:
        x = field.at((tick.value, field.y.low))[0]
        canvas.line([(x, box.top), (x, box.bottom)], GRID)
        canvas.line([(x, box.bottom), (x, box.bottom + 4)], LINE)
        canvas.text(x, box.bottom + 18, tick.text, INK_2, anchor="middle")
    canvas.line([(box.left, box.bottom), (box.right, box.bottom)], LINE)
    half = text_width(field.x.label, SMALL) / 2
    middle = min(max((box.left + box.right) / 2, 1 + half), WIDTH - 1 - half)
    canvas.text(middle, box.bottom + 37, field.x.label, INK_2, anchor="middle")


# Lines and what is written at them ------------------------------------------------------------------------


def _marked(field: Field, one: Series, with_lowest: bool) -> list[Point]:
    """Where the markers of a series stand: at each point, or where points are close, at some."""
    places = [field.at(point) for point in one.points]
    kept = [places[0]]
    for place in places[1:-1]:
        if place[0] - kept[-1][0] >= APART and places[-1][0] - place[0] >= APART:
            kept.append(place)
    lowest = field.at(one.lowest)
    return list(dict.fromkeys([*kept, places[-1], *([lowest] if with_lowest else [])]))


def _draw_marker(canvas: Canvas, at: Point, style: int) -> None:
    (x, y), r, fill = at, MARKER, SERIES[style]
    if style == 0:
        canvas.circle(x, y, r, fill, PAPER)
        return
    corners = (
        [
            (x - r + 0.4, y - r + 0.4),
            (x + r - 0.4, y - r + 0.4),
            (x + r - 0.4, y + r - 0.4),
            (x - r + 0.4, y + r - 0.4),
        ],
        [(x, y - r - 0.8), (x + r + 0.6, y + r - 0.2), (x - r - 0.6, y + r - 0.2)],
        [(x, y - r - 1.2), (x + r + 1.2, y), (x, y + r + 1.2), (x - r - 1.2, y)],
        [(x, y + r + 0.8), (x + r + 0.6, y - r + 0.2), (x - r - 0.6, y - r + 0.2)],
        _cross(x, y, r),
    )
    canvas.shape(corners[style - 1], fill, PAPER)


def _cross(x: float, y: float, r: float) -> list[Point]:
    arm, wide = r + 0.8, 1.5
    turns = [(wide, arm), (wide, wide), (arm, wide), (arm, -wide), (wide, -wide), (wide, -arm)]
    return [(x + u, y - v) for u, v in turns] + [(x - u, y + v) for u, v in turns]


def _draw_labels(canvas: Canvas, field: Field, series: Sequence[Series]) -> None:
    """Each series' marker and name at the right, level with its last point or joined to it by a thin line."""
    ends = [field.at(one.points[-1]) for one in series]
    heights = [len(one.lines) * LINE_HEIGHT for one in series]
    middles = push_apart([y for _, y in ends], heights, field.box.top, field.box.bottom)
    x = field.box.right + KEY
    for one, end, middle in zip(series, ends, middles, strict=True):
        canvas.line([end, (x, middle)], LINE)
        _draw_marker(canvas, (x, middle), one.style)
        first = middle - len(one.lines) * LINE_HEIGHT / 2 + LINE_HEIGHT - 2.5
        for row, line in enumerate(one.lines):
            canvas.text(x + 9, first + row * LINE_HEIGHT, line, INK)


def _draw_lowest(canvas: Canvas, field: Field, series: Sequence[Series], lowest: Sequence[Series]) -> None:
    """A ring around each lowest point, and its two values where the least is in the way."""
    lines = [place for one in series for place in along([field.at(point) for point in one.points])]
    rings = [field.at(one.lowest) for one in lowest]
    inner = Box(field.box.left + 2, field.box.top, field.box.right - 2, field.box.bottom - 2)
    taken: list[Box] = []
    for one, ring in zip(lowest, rings, strict=True):
        text = _at_lowest(field.x, field.y, one)
        box = free_place(inner, ring, text_width(text, SMALL), lines, rings, taken)
        if box is None:
            refuse(NAME, NAME, NEEDED, f"has no room for {text!r} at the lowest point of {one.name!r}")
        taken.append(box)
        near = box.nearest(ring)
        away = math.dist(near, ring)
        if away > LEADER:
            rim = [a + (b - a) * RING / away for a, b in zip(ring, near, strict=True)]
            canvas.line([(rim[0], rim[1]), near], LINE)
        canvas.circle(*ring, RING, "none", SERIES[one.style], 1.5)
    for one, box in zip(lowest, taken, strict=True):
        middle = (box.left + box.right) / 2
        canvas.text(
            middle, box.bottom - 3, _at_lowest(field.x, field.y, one), INK, anchor="middle", halo=True
        )


def _at_lowest(x: Axis, y: Axis, one: Series) -> str:
    """The values of a lowest point for its label, no finer than the picture shows; whole numbers in full."""
    u, v = one.lowest
    digits = 3
    if v:  # a value far from zero against the axis needs more
        digits = max(digits, math.floor(math.log10(abs(v))) + 2 - math.floor(math.log10(y.high - y.low)))
    across = x.told(u) if x.scale == "points" else x.rounded(u, 2)
    return f"{significant(v, digits)} at {across}{_tie(one)}"


def _tie(one: Series) -> str:
    equal = len(one.lowest_points)
    return f" (first of {equal})" if equal > 1 else ""


# The text alternative -------------------------------------------------------------------------------------


def _describe(x: Axis, y: Axis, series: Sequence[Series], lowest: Sequence[Series]) -> str:
    told = []
    for one in series:
        values = "; ".join(f"{y.told(v)} at {x.told(u)}" for u, v in one.points)
        told.append(f"{one.name}: {values}.")
    marked = []
    for one in lowest:
        u, v = one.lowest
        low = y.told(v)
        low = significant(v, 4) if " than " in low else low
        marked.append(f"Lowest of {one.name}: {low} at {x.told(u)}{_tie(one)}.")
    across, up = [
        " (logarithmic scale)" if axis.scale == "log" and "log" not in axis.label else "" for axis in (x, y)
    ]
    head = f"{plural(len(series), 'line')}: {y.label}{up} against {x.label}{across}."
    return " ".join([head, *told, *marked])
