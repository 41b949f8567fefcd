"""The axes of a chart: where a value stands on its scale, and which round values are marked and written."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from coursebuild.drawings.svg import NOISE, scientific, significant, trimmed

PARTS = 6  # into which ticks divide a linear axis, at most
NEAR = 1e-9  # a rounding error, against what it is an error of
EXACT = 12  # decimals up to which a place is written rather than told to be more or less than something


@dataclass(frozen=True)
class Axis:
    """A scale from `low` to `high`; on the scale 'points' the places are the values themselves, evenly apart.

    No two places are written alike.
    """

    label: str
    scale: str
    low: float
    high: float
    places: tuple[float, ...] = ()

    def share(self, value: float) -> float:
        """How far `value` is along the axis: 0 at its beginning, 1 at its end."""
        if self.scale == "points":
            return self.places.index(value) / (len(self.places) - 1)
        if self.scale == "log":
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)

    def told(self, value: float) -> str:
        """A value as it is written: as exactly as it can be read from the picture, and a little more."""
        return self._written(value, self._fineness)

    def rounded(self, value: float, digits: int) -> str:
        """A value with so many significant digits, or as many as tell it from the places."""
        others = [place for place in self.places if place != value]
        while any(significant(place, digits) == significant(value, digits) for place in others):
            digits += 1
        return significant(value, digits)

    def _written(self, value: float, fineness: int) -> str:
        """A value with so many decimals on a linear scale, and so many significant digits on others."""
        if self.scale != "linear":
            return significant(value, fineness)
        text = f"{value:.{fineness}f}"
        if value and not float(text):
            least = math.copysign(10.0**-fineness, value)
            return f"{'less' if value > 0 else 'more'} than {least:.{fineness}f}"
        if abs(value) < 1 - NOISE and abs(float(text)) == 1 and fineness:
            most = math.copysign(1 - 10.0**-fineness, value)
            return f"{'more' if value > 0 else 'less'} than {most:.{fineness}f}"
        return trimmed(text)

    @cached_property
    def _fineness(self) -> int:
        span = self.high - self.low
        least = max(0, 4 - math.floor(math.log10(span))) if self.scale == "linear" else 4
        while True:
            texts = {self._written(place, least) for place in self.places}
            if len(texts) == len(self.places) and (least > EXACT or not any(" than " in t for t in texts)):
                return least
            least += 1


@dataclass(frozen=True)
class Tick:
    """A value that is marked on an axis, and how it is written."""

    value: float
    text: str


def round_axis(axis: Mapping[str, Any], low: float, high: float) -> Axis:
    """An axis that begins and ends at a round number; a linear one at zero where that costs little room."""
    label, scale = axis["label"], axis["scale"]
    if scale == "log":
        rounds = list(_rounds(low, high))
        below = max(value for value in rounds if value <= low)
        return Axis(label, scale, below, min(value for value in rounds if value >= high and value > below))
    if 0 <= low < high / 4:
        low = 0.0
    if low == high:
        low, high = (0.0, high) if high > 0 else (low, 0.0) if low < 0 else (0.0, 1.0)
    step = _step(high - low)
    return Axis(label, scale, math.floor(low / step + NEAR) * step, math.ceil(high / step - NEAR) * step)


def _step(span: float) -> float:
    """The least of 1, 2, 5 and their tenfolds and tenths that divides `span` into `PARTS` at most."""
    ten = math.floor(math.log10(span / PARTS))
    steps = [float(f"{digit}e{ten}") for digit in (1, 2, 5, 10)]
    return next(step for step in steps if span / step <= PARTS + NEAR)


def _rounds(low: float, high: float) -> Iterator[float]:
    """1, 2, 5 and their tenfolds and tenths, from below `low` to above `high`."""
    for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2):
        for digit in (1, 2, 5):
            yield float(f"{digit}e{power}")


def ticks_of(axis: Axis) -> list[Tick]:
    """What is marked: each value of 'points', powers of ten (if few, also their 2- and 5-folds), or round steps."""
    if axis.scale == "points":
        return [Tick(value, axis.told(value)) for value in axis.places]
    if axis.scale == "log":
        low, high = axis.low * (1 - NEAR), axis.high * (1 + NEAR)
        inside = [value for value in _rounds(axis.low, axis.high) if low <= value <= high]
        tens = [value for value in inside if f"{value:e}".startswith("1.0")]
        if len(inside) > (2 if 1e-3 < low < 1e4 else 1):
            return _log_ticks(tens if len(tens) > 2 else inside)
    step = _step(axis.high - axis.low)
    if axis.places and all(float(value).is_integer() for value in axis.places):
        step = max(step, 1.0)
    first, last = math.ceil(axis.low / step - NEAR), math.floor(axis.high / step + NEAR)
    decimals = max(0, -math.floor(math.log10(step) + NEAR))
    return [Tick(n * step, f"{n * step:.{decimals}f}") for n in range(first, last + 1)]


def _log_ticks(values: list[float]) -> list[Tick]:
    """Plain numbers if all are short; otherwise powers of ten."""
    plain = all(1e-4 < value < 1e5 for value in values)
    return [
        Tick(value, significant(value, 1) if plain or 1 <= value <= 10 else scientific(value, 1))
        for value in values
    ]


def thinned(ticks: list[Tick], share: Callable[[Tick], float], axis: Axis) -> list[Tick]:
    """Every first, second, third ... tick, so that no two labels meet; `share` is what one takes of the axis."""
    for every in range(1, len(ticks)):
        kept = ticks[::every]
        if all(
            axis.share(two.value) - axis.share(one.value) >= (share(one) + share(two)) / 2
            for one, two in pairwise(kept)
        ):
            return kept
    return ticks[:1]
