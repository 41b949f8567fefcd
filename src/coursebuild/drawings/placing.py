"""Where texts stand in a chart: apart from each other, and off its lines."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

LINE_HEIGHT = 14.0
LABEL_GAP = 4.0  # between labels that touch
RING = 8.0  # radius of the ring around a point that a text belongs to
CELL = 3.0  # points along lines that are nearer to each other than about this count once
CLEAR = 4.0  # between a text and a line that it should not touch


@dataclass(frozen=True)
class Box:
    """A rectangle from (left, top) to (right, bottom)."""

    left: float
    top: float
    right: float
    bottom: float

    def has(self, point: Point, rim: float = 0.0) -> bool:
        x, y = point
        return self.left - rim < x < self.right + rim and self.top - rim < y < self.bottom + rim

    def meets(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def nearest(self, point: Point) -> Point:
        """The point of the rectangle that is nearest to `point`."""
        x, y = point
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


def push_apart(wanted: Sequence[float], heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Middles of labels as near as they can be to where they are wanted, in the same order, none over another.

    Labels that meet form a block around the mean of what they want (pooled adjacent violators); blocks stay
    between `top` and `bottom`.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    before: dict[int, float] = {}  # from the top of the first label to the middle of this one, if they touch
    at = 0.0
    for i in order:
        before[i] = at + heights[i] / 2
        at += heights[i] + LABEL_GAP
    blocks: list[list[int]] = []
    start = {i: wanted[i] - before[i] for i in order}

    def begin(block: list[int]) -> float:
        mean = math.fsum(start[i] for i in block) / len(block)
        highest = top - (before[block[0]] - heights[block[0]] / 2)
        deepest = bottom - (before[block[-1]] + heights[block[-1]] / 2)
        return max(min(mean, deepest), highest)

    for i in order:
        blocks.append([i])
        while len(blocks) > 1 and begin(blocks[-2]) > begin(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    placed = {i: begin(block) + before[i] for block in blocks for i in block}
    return [placed[i] for i in range(len(wanted))]


def along(places: Sequence[Point], step: float = 3.0) -> Iterator[Point]:
    """Points along a line, `step` apart."""
    yield from places
    for (x, y), (u, v) in pairwise(places):
        parts = math.ceil(math.dist((x, y), (u, v)) / step)
        for i in range(1, parts):
            yield x + (u - x) * i / parts, y + (v - y) * i / parts


def free_place(
    field: Box, at: Point, width: float, lines: Iterable[Point], rings: Sequence[Point], taken: Sequence[Box]
) -> Box | None:
    """Where a text about the point `at` stands within `field`; None if there is no room.

    Off the texts that are `taken` and, if it can be, off the `rings`; with the least of the `lines` (points
    along them) under it and its leader; and else as near as can be.
    """
    coarse = {(CELL * round(x / CELL), CELL * round(y / CELL)) for x, y in lines}
    places = [box for box in _around(field, at, width) if not any(box.meets(other) for other in taken)]
    places = [box for box in places if not any(box.has(ring, RING) for ring in rings)] or places
    places.sort(key=lambda box: (math.dist(box.nearest(at), at), abs((box.left + box.right) / 2 - at[0])))
    best, least = None, math.inf
    for box in places:
        crossed = sum(box.has(place, CLEAR) for place in coarse)
        if crossed < least:
            crossed += _crossed(at, box.nearest(at), coarse)
        if crossed < least:
            best, least = box, crossed
        if not crossed:
            break
    return best


def _around(field: Box, at: Point, width: float) -> list[Box]:
    """Places for a text on all sides of a point, within `field`."""
    tops = [at[1] - LINE_HEIGHT / 2 + 5 * n for n in range(-20, 21)]
    shifts = [at[0] - width / 2 + n * width / 8 for n in range(-8, 9)]
    lefts = sorted({min(max(left, field.left), field.right - width) for left in shifts})
    return [
        Box(left, top, left + width, top + LINE_HEIGHT)
        for top in tops
        for left in lefts
        if field.left <= left and field.top <= top and top + LINE_HEIGHT <= field.bottom
    ]


def _crossed(at: Point, end: Point, lines: Iterable[Point]) -> int:
    """How many of the points along lines a leader from the ring around `at` to `end` comes close to."""
    leader = [place for place in along([at, end]) if math.dist(place, at) > RING]
    beyond = [place for place in lines if math.dist(place, at) > RING]
    return sum(any(math.dist(one, two) < CLEAR for one in leader) for two in beyond) if len(leader) > 1 else 0
