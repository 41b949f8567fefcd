"""The ticks of an axis are round and do not meet."""

import pytest

from coursebuild.drawings.axes import round_axis, thinned, ticks_of

pytestmark = pytest.mark.once


class TestAxes:
    @pytest.mark.parametrize(
        ("scale", "low", "high", "expected"),
        [
            ("linear", 1.87, 11.76, ["0", "2", "4", "6", "8", "10", "12"]),
            ("linear", 0.0, 0.9994, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            ("linear", 2.17, 4.1, ["2.0", "2.5", "3.0", "3.5", "4.0", "4.5"]),
            ("linear", -3, 4, ["-4", "-2", "0", "2", "4"]),
            ("log", 1.87, 11.76, ["1", "2", "5", "10", "20"]),
            ("log", 2.1, 3.0, ["2.0", "2.5", "3.0", "3.5", "4.0", "4.5", "5.0"]),
            ("log", 2.1e-9, 3e-9, ["2 × 10⁻⁹", "5 × 10⁻⁹"]),
            ("log", 0.001, 100, ["0.001", "0.01", "0.1", "1", "10", "100"]),
            ("log", 1e-6, 0.01, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]),
        ],
    )
    def test_ticks_of_a_vertical_axis(self, scale: str, low: float, high: float, expected: list[str]) -> None:
        axis = round_axis({"label": "y", "scale": scale}, low, high)
        assert [tick.text for tick in ticks_of(axis)] == expected
        assert axis.low <= low < high <= axis.high
        assert axis.share(axis.low) == 0
        assert axis.share(axis.high) == 1

    def test_thinned_ticks_do_not_meet(self) -> None:
        axis = round_axis({"label": "y", "scale": "log"}, 1e-11, 1)
        every = ticks_of(axis)
        kept = thinned(every, lambda tick: 0.15, axis)
        assert kept == every[::2]
        assert thinned(every, lambda tick: 2, axis) == every[:1]
