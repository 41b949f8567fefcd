"""The ticks of an axis are round and do not meet."""

import pytest

from coursebuild.drawings.axes import Axis, Tick, round_axis, thinned, ticks_of

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
            ("linear", 3, 12, ["2", "4", "6", "8", "10", "12"]),  # zero would cost a quarter of the room
            ("linear", 3, 12.1, ["0", "5", "10", "15"]),
            ("linear", 0.1, 0.7, ["0.0", "0.2", "0.4", "0.6", "0.8"]),
            ("linear", 1, 6.0, ["0", "1", "2", "3", "4", "5", "6"]),  # six parts are not too many
            ("linear", 0, 7, ["0", "2", "4", "6", "8"]),
            ("linear", -4, -1, ["-4.0", "-3.5", "-3.0", "-2.5", "-2.0", "-1.5", "-1.0"]),
            ("linear", 20, 320, ["0", "100", "200", "300", "400"]),
            ("log", 0.9, 1.1, ["0.5", "1", "2"]),
            ("log", 5, 10, ["5", "6", "7", "8", "9", "10"]),
            ("log", 100, 200, ["100", "120", "140", "160", "180", "200"]),
            ("log", 1e4, 3e5, ["10⁴", "2 × 10⁴", "5 × 10⁴", "10⁵", "2 × 10⁵", "5 × 10⁵"]),
            ("log", 0.2, 0.5, ["0.20", "0.25", "0.30", "0.35", "0.40", "0.45", "0.50"]),
            ("log", 2e-4, 5e-4, ["0.0002", "0.0005"]),
            ("log", 1e-4, 1e-2, ["10⁻⁴", "10⁻³", "10⁻²"]),
            ("log", 1e-5, 1, ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]),
            ("log", 1e-3, 1e4, ["0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000"]),
            ("log", 1, 1e5, ["1", "10", "10²", "10³", "10⁴", "10⁵"]),
            ("log", 1e-300, 1e-299, ["10⁻³⁰⁰", "2 × 10⁻³⁰⁰", "5 × 10⁻³⁰⁰", "10⁻²⁹⁹"]),
        ],
    )
    def test_ticks_of_a_vertical_axis(self, scale: str, low: float, high: float, expected: list[str]) -> None:
        axis = round_axis({"label": "y", "scale": scale}, low, high)
        assert [tick.text for tick in ticks_of(axis)] == expected
        assert axis.low <= low < high <= axis.high
        assert axis.share(axis.low) == 0
        assert axis.share(axis.high) == 1
        assert (axis.label, axis.scale, axis.places) == ("y", scale, ())

    @pytest.mark.parametrize(
        ("scale", "value", "ends"),
        [
            ("linear", 5, (0, 5)),
            ("linear", 0.5, (0, 0.5)),
            ("linear", -5, (-5, 0)),
            ("linear", 0, (0, 1)),
            ("log", 1, (1, 2)),
            ("log", 2, (2, 5)),
            ("log", 0.07, (0.05, 0.1)),
        ],
    )
    def test_one_value_has_an_axis_that_is_no_point(
        self, scale: str, value: float, ends: tuple[float, float]
    ) -> None:
        axis = round_axis({"label": "y", "scale": scale}, value, value)
        assert (axis.low, axis.high) == pytest.approx(ends)

    @pytest.mark.parametrize(
        ("axis", "expected"),
        [
            (Axis("x", "points", 1.25, 3, (1.25, 1.625, 3)), [(1.25, "1.25"), (1.625, "1.625"), (3, "3")]),
            (Axis("x", "linear", 1, 3, (1, 2, 3)), [(1, "1"), (2, "2"), (3, "3")]),  # no halves of wholes
            (
                Axis("x", "linear", 1, 3, (1, 2.5, 3)),
                [(1, "1.0"), (1.5, "1.5"), (2, "2.0"), (2.5, "2.5"), (3, "3.0")],
            ),
            (Axis("x", "linear", 0.3, 2.2), [(0.5, "0.5"), (1, "1.0"), (1.5, "1.5"), (2, "2.0")]),
            (Axis("x", "linear", 1, 31, (1, 31)), [(5, "5"), *[(n, str(n)) for n in range(10, 31, 5)]]),
            (Axis("x", "log", 2, 50), [(2, "2"), (5, "5"), (10, "10"), (20, "20"), (50, "50")]),
            (Axis("x", "log", 3, 30), [(5, "5"), (10, "10"), (20, "20")]),
            (Axis("x", "log", 3, 3.5), [(3 + n / 10, f"{3 + n / 10:.1f}") for n in range(6)]),
            (Axis("x", "log", 0.3, 300), [(1, "1"), (10, "10"), (100, "100")]),
        ],
    )
    def test_ticks_stand_at_round_values_within_an_axis(
        self, axis: Axis, expected: list[tuple[float, str]]
    ) -> None:
        ticks = ticks_of(axis)
        assert [tick.text for tick in ticks] == [text for _, text in expected]
        assert [tick.value for tick in ticks] == pytest.approx([value for value, _ in expected])

    @pytest.mark.parametrize(
        ("axis", "shares"),
        [
            (Axis("x", "linear", 10, 30), {10: 0, 15: 0.25, 30: 1}),
            (Axis("x", "log", 0.01, 100), {0.01: 0, 0.1: 0.25, 1: 0.5, 100: 1}),
            (Axis("x", "points", 1, 50, (1, 2, 9, 11, 50)), {1: 0, 2: 0.25, 9: 0.5, 50: 1}),
        ],
    )
    def test_a_value_stands_where_its_scale_has_it(self, axis: Axis, shares: dict[float, float]) -> None:
        assert [axis.share(value) for value in shares] == pytest.approx(list(shares.values()))

    def test_thinned_ticks_do_not_meet(self) -> None:
        axis = round_axis({"label": "y", "scale": "log"}, 1e-11, 1)
        every = ticks_of(axis)
        kept = thinned(every, lambda tick: 0.15, axis)
        assert kept == every[::2]
        assert thinned(every, lambda tick: 2, axis) == every[:1]
        assert thinned([], lambda tick: 2, axis) == []

    def test_ticks_whose_labels_just_touch_are_kept(self) -> None:
        axis = Axis("x", "linear", 0, 4)
        ticks = [Tick(n, str(n)) for n in range(5)]
        assert thinned(ticks, lambda tick: 0.25, axis) == ticks
        assert thinned(ticks, lambda tick: 0.5 if tick.value == 1 else 0.125, axis) == ticks[::2]
        assert thinned(ticks[:3], lambda tick: 0.3, axis) == [ticks[0], ticks[2]]

    def test_ticks_are_thinned_where_only_later_ones_meet(self) -> None:
        ticks = [Tick(n, str(n)) for n in (0, 5, 6, 10)]
        assert thinned(ticks, lambda tick: 0.2, Axis("x", "linear", 0, 10)) == [ticks[0], ticks[2]]


class TestWrittenValues:
    @pytest.mark.parametrize(
        ("axis", "texts"),
        [
            (
                Axis("y", "linear", 0, 1),
                {
                    0: "0",
                    0.5: "0.5",
                    0.25004: "0.25",
                    2 / 3: "0.6667",
                    1e-9: "less than 0.0001",
                    -1e-9: "more than -0.0001",
                    1 - 1e-9: "more than 0.9999",
                    -1 + 1e-9: "less than -0.9999",
                    1 - 2**-53: "1",
                    1 + 1e-9: "1",
                    1: "1",
                },
            ),
            (Axis("y", "linear", 0, 12), {8.0004: "8", 2 / 3: "0.667", 0.0004: "less than 0.001"}),
            (Axis("y", "linear", 0, 123), {8.004: "8", 82.306: "82.31", 0.004: "less than 0.01"}),
            (Axis("y", "linear", 0.99998, 1), {1 - 1e-10: "more than 0.999999999", 0.99998: "0.99998"}),
            (Axis("y", "linear", 0, 5e5), {0.3: "less than 1", 0.9999: "1", 80000.6: "80001"}),
            (Axis("y", "log", 1e-9, 1), {2 / 3: "0.6667", 1e-9: "10⁻⁹", 12345: "12345", 0.99999: "0.99999"}),
        ],
    )
    def test_a_value_is_written_a_little_finer_than_it_can_be_read(
        self, axis: Axis, texts: dict[float, str]
    ) -> None:
        assert {value: axis.told(value) for value in texts} == texts

    @pytest.mark.parametrize("scale", ["linear", "log", "points"])
    def test_places_close_to_each_other_are_written_apart(self, scale: str) -> None:
        axis = Axis("x", scale, 1, 2, (1, 1.00001, 2))
        assert [axis.told(place) for place in axis.places] == ["1", "1.00001", "2"]

    def test_a_place_is_rather_written_in_full_than_told_to_be_less_than_something(self) -> None:
        axis = Axis("x", "linear", 0, 1, (0, 1e-7, 1))
        assert [axis.told(place) for place in axis.places] == ["0", "0.0000001", "1"]
        axis = Axis("x", "linear", 0, 1, (0, 1e-14, 1))  # up to twelve decimals
        assert [axis.told(place) for place in axis.places] == ["0", "less than 0.0000000000001", "1"]

    def test_a_value_is_rounded_unless_another_place_is_written_the_same(self) -> None:
        axis = Axis("x", "log", 1, 50257, (1, 17.04, 17.44, 50257))
        assert axis.rounded(17.04, 1) == axis.rounded(17.04, 3) == "17"
        assert [axis.rounded(place, 2) for place in axis.places] == ["1", "17", "17.4", "50257"]
