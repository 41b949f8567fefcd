"""A chart's points stand where their values say, its labels apart, and no number is written as another."""

import copy
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import pytest

from coursebuild.drawings import curves
from coursebuild.drawings.curves import DASHES
from coursebuild.drawings.svg import SMALL, WIDTH

from .pictures import (
    BY_K,
    COUNTING,
    SMOOTHING,
    TEMPERATURE,
    as_wide_as,
    boxes_of_texts,
    description,
    overlapping_texts,
    parse,
    refused,
    texts,
    within,
)

pytestmark = pytest.mark.once


def chart(**change: Any) -> dict[str, Any]:
    """A small chart with something changed."""
    figure = {
        "x": {"label": "x", "scale": "linear"},
        "y": {"label": "y", "scale": "linear"},
        "series": [{"name": "a", "points": [[0, 1], [1, 3], [2, 2]]}],
    }
    return {"curves": figure | change}


def line_of(svg: str, number: int) -> ET.Element:
    """The line of a series, the only open path of its colour."""
    ours = [e for e in parse(svg).iter("path") if f"series-{number}," in e.get("stroke", "")]
    assert len(ours) == 1
    return ours[0]


def corners(svg: str, number: int) -> list[tuple[float, float]]:
    """Where the line of a series goes."""
    found = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", line_of(svg, number).get("d", ""))
    return [(float(x), float(y)) for x, y in found]


def markers(svg: str, number: int) -> list[ET.Element]:
    """The markers of a series, of which one stands at its label."""
    return [e for e in parse(svg).iter() if f"series-{number}," in e.get("fill", "")]


def proportional(places: list[float], values: list[float]) -> None:
    """Places are to values as a ruler's marks to its numbers."""
    span = (places[-1] - places[0]) / (values[-1] - values[0])
    for place, value in zip(places, values, strict=True):
        assert place == pytest.approx(places[0] + span * (value - values[0]), abs=0.02)


class TestCurves:
    def test_points_stand_where_their_values_say(self) -> None:
        svg = curves(SMOOTHING, "18.4")
        drawn = list(parse(svg).iter("text"))
        up = {e.text: e for e in drawn if e.get("text-anchor") == "end"}
        across = {e.text: e for e in drawn if e.get("text-anchor") == "middle"}
        for number, points in enumerate(BY_K.values(), start=1):
            places = corners(svg, number)
            proportional([x for x, _ in places], [math.log(k) for k, _ in points])
            zero, ten = (float(up[tick].get("y", "0")) for tick in ("0", "10"))
            proportional([zero, ten, *[y + 4.5 for _, y in places]], [0, 10, *[v for _, v in points]])
        assert float(across["0.1"].get("x", "0")) == pytest.approx(corners(svg, 1)[2][0], abs=0.02)

    def test_a_log_scale_has_decades(self) -> None:
        shown = texts(curves(SMOOTHING, "18.4"))
        start = shown.index("0.001")
        assert shown[start : start + 6] == ["0.001", "0.01", "0.1", "1", "10", "100"]

    def test_points_stand_evenly_apart_each_with_its_tick(self) -> None:
        figure = copy.deepcopy(TEMPERATURE)
        figure["curves"]["x"]["scale"] = "points"
        svg = curves(figure, "19.1")
        assert [t for t in texts(svg) if t in {"0.2", "0.7", "1", "1.5", "3"}][-5:] == [
            *["0.2", "0.7", "1", "1.5", "3"]
        ]
        proportional([x for x, _ in corners(svg, 1)], [0, 1, 2, 3, 4])

    def test_linear_ticks_are_round(self) -> None:
        shown = texts(curves(TEMPERATURE, "19.1"))
        assert shown[1:7] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        assert shown[7:13] == ["0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]

    def test_each_series_has_a_label_a_dash_a_shape_and_a_colour_of_its_own(self) -> None:
        series = [{"name": f"series {i}", "points": [[0, i], [1, i], [2, i + 1]]} for i in range(6)]
        svg = curves(chart(series=series), "1")
        assert [text for text in texts(svg) if text.startswith("series")] == [one["name"] for one in series]
        lines = [line_of(svg, number) for number in range(1, 7)]
        assert [line.get("stroke-dasharray", "") for line in lines] == list(DASHES)
        assert len(set(DASHES)) == 6
        shapes = set()
        for number in range(1, 7):
            found = markers(svg, number)
            assert len(found) == 3 + 1
            shape = found[0]
            drawn = shape.get("d", "")
            first = re.match(r"M([-\d.]+) ([-\d.]+)", drawn)
            if first:  # relative to its first corner
                x, y = float(first[1]), float(first[2])
                drawn = str(
                    [
                        (round(float(u) - x, 1), round(float(v) - y, 1))
                        for u, v in re.findall(r"([-\d.]+) ([-\d.]+)", drawn)
                    ]
                )
            shapes.add((shape.tag, drawn))
        assert len(shapes) == 6

    @pytest.mark.parametrize("y", ["linear", "log"])
    @pytest.mark.parametrize("x", ["linear", "log", "points"])
    def test_labels_of_lines_that_meet_are_pushed_apart(self, x: str, y: str) -> None:
        """As the smoothers nearly do at a high order."""
        names = ["add-k", "linear interpolation", "absolute discounting", "Kneser-Ney", "uniform", "one more"]
        series = [{"name": name, "points": [[1, 4 + i], [6, 2 + i / 100]]} for i, name in enumerate(names)]
        figure = chart(
            series=series, x={"label": "order", "scale": x}, y={"label": "bits", "scale": y}, lowest=names[:2]
        )
        svg = curves(figure, "1")
        assert overlapping_texts(svg) == []
        shown = " ".join(texts(svg))
        order = sorted(names, key=lambda name: shown.index(name))
        heights = {text: box.top for text, box in boxes_of_texts(svg)}
        firsts = [heights[name if name in heights else name.split()[0]] for name in names]
        assert order == names
        assert firsts == sorted(firsts, reverse=True)  # the last series ends highest
        root = parse(svg)
        height = float(root.get("height", "0"))
        assert all(b.left >= 0 and b.right <= WIDTH and b.bottom <= height for _, b in boxes_of_texts(svg))

    def test_the_lowest_point_is_ringed_and_has_both_values(self) -> None:
        svg = curves(SMOOTHING, "18.4")
        rings = [e for e in parse(svg).iter("circle") if e.get("fill") == "none"]
        assert len(rings) == 1
        x, y = corners(svg, 2)[1]
        assert float(rings[0].get("cx", "0")) == pytest.approx(x, abs=0.01)
        assert float(rings[0].get("cy", "0")) == pytest.approx(y, abs=0.01)
        assert texts(svg).count("2.65 at 0.01") == 1
        assert "Lowest of held-out text: 2.645 at 0.01." in description(svg)

    def test_without_lowest_nothing_is_ringed(self) -> None:
        svg = curves(TEMPERATURE, "19.1")
        assert not [e for e in parse(svg).iter("circle") if e.get("fill") == "none"]
        assert "Lowest" not in description(svg)

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            ([2, 1, 1], "1 at 1 (first of 2)"),
            ([3, 3, 3], "3 at 0 (first of 3)"),
            ([1, 0, 0], "0 at 1 (first of 2)"),
            ([1, 0.1 + 0.2, 0.3], "0.3 at 1 (first of 2)"),  # but for a rounding error
            ([2, 1, 1.1], "1 at 1"),
        ],
    )
    def test_of_equal_points_the_first_is_lowest_and_the_tie_is_named(
        self, values: list[float], said: str
    ) -> None:
        points = [[x, y] for x, y in enumerate(values)]
        svg = curves(chart(series=[{"name": "a", "points": points}], lowest=["a", "a"]), "1")
        assert description(svg).count(f"Lowest of a: {said}.") == 1
        assert texts(svg).count(said) == 1
        assert overlapping_texts(svg) == []

    @pytest.mark.parametrize(
        ("x", "y", "said"),
        [
            ([0.01, 0.017782794, 0.1], [3, 2.6309, 4], "2.63 at 0.018"),
            ([0.017, 0.017782794, 0.1], [3, 2.6309, 4], "2.63 at 0.018"),
            (
                [0.018, 0.017782794, 0.1],
                [3, 2.6309, 4],
                "2.63 at 0.0178",
            ),  # as many as tell it from the others
            ([1, 12345, 50257], [70000, 12345, 80000], "12345 at 12345"),
            ([1, 1234567, 12345678], [3e6, 1234567, 4e6], "1234567 at 1234567"),
            ([1, 2_000_000, 12345678], [3e6, 2.5e6, 4e6], "2.5 × 10⁶ at 2 × 10⁶"),
            ([1, 2, 3], [100.17, 100.123, 100.2], "100.123 at 2"),  # no coarser than the picture
            ([0.5, 1.25, 3], [0.9999, 0.99951, 0.9999], "0.99951 at 1.2"),
        ],
    )
    def test_the_label_of_the_lowest_is_short_and_changes_no_whole_number(
        self, x: list[float], y: list[float], said: str
    ) -> None:
        points = sorted([u, v] for u, v in zip(x, y, strict=True))
        for scale in ("linear", "log"):
            figure = chart(
                x={"label": "x", "scale": scale}, series=[{"name": "a", "points": points}], lowest=["a"]
            )
            assert texts(curves(figure, "1")).count(said) == 1

    def test_on_the_scale_points_the_label_of_the_lowest_names_its_tick(self) -> None:
        figure = chart(
            x={"label": "x", "scale": "points"},
            series=[{"name": "a", "points": [[1.25, 2], [1.625, 1], [3, 2]]}],
            lowest=["a"],
        )
        shown = texts(curves(figure, "1"))
        assert "1.625" in shown
        assert "1 at 1.625" in shown

    @pytest.mark.parametrize("scale", ["linear", "log", "points"])
    @pytest.mark.parametrize(
        "x",
        [
            [12345, 50257],
            [10001, 10002, 10003],
            [12345, 123456],
            [999_999, 1_000_001],
            [1_234_567, 1_234_568],
            [12345.0, 50257.0],
            [1, 7, 32768, 50257],
        ],
    )
    def test_whole_numbers_are_written_in_full(self, scale: str, x: list[float]) -> None:
        """Sizes of vocabularies must not be rounded to others: 50257 is not 50260."""
        for y_scale in ("linear", "log"):
            points = [[value, value * i] for i, value in enumerate(x, start=1)]
            figure = chart(
                x={"label": "x", "scale": scale},
                y={"label": "y", "scale": y_scale},
                series=[{"name": "a", "points": points}],
                lowest=["a"],
            )
            svg = curves(figure, "1")
            wholes = [str(int(value)) for value in x]
            told = "; ".join(f"{int(v)} at {int(u)}" for u, v in points)
            assert f" a: {told}. Lowest of a: {wholes[0]} at {wholes[0]}." in description(svg)
            assert f"{wholes[0]} at {wholes[0]}" in texts(svg)
            if scale == "points":
                assert [text for text in texts(svg) if text in wholes][-len(x) :] == wholes

    @pytest.mark.parametrize("scale", ["linear", "log", "points"])
    @pytest.mark.parametrize(
        "x", [[0.12341, 0.12342, 1], [1.00001, 1.00002, 2], [0.99999, 1, 2], [1, 1 + 1e-9, 3]]
    )
    def test_no_two_values_of_x_are_written_alike(self, scale: str, x: list[float]) -> None:
        figure = chart(
            x={"label": "x", "scale": scale}, series=[{"name": "a", "points": [[value, 1] for value in x]}]
        )
        told = re.findall(r" at ([\d.]+)[;.]", description(curves(figure, "1")))
        assert [round(float(text), 9) for text in told] == x

    def test_ticks_of_one_text_are_refused(self) -> None:
        points = [[1, 1e14], [2, 1e14 + 0.03]]
        with refused("curves", "has values of y "):
            curves(chart(series=[{"name": "a", "points": points}]), "1")

    @pytest.mark.parametrize("x", ["linear", "log", "points"])
    @pytest.mark.parametrize("y", ["linear", "log"])
    def test_any_numbers_are_drawn_or_refused_by_name(self, x: str, y: str) -> None:
        """Nothing else is raised, however large, small, or close to each other they are."""
        odd = [
            *[0, 1, 5e-324, 1e-310, 1e-300, 1e-30, 1e-15, 1 + 2**-52, 1 - 2**-53, 1 + 1e-9, 3.7, -2, 50257],
            *[1e14, 1e14 + 0.03, 1e14 + 1, 10**15 - 1, 10**15, 1e15, 1e300, math.inf, math.nan],
            *[10**20, 10**400, 10**5000, -(10**400)],
        ]
        drawn = 0
        for one, two in combinations(odd, 2):
            for ys in ((one, two), (1, 2), (one, one)):
                figure = chart(
                    x={"label": "x", "scale": x},
                    y={"label": "y", "scale": y},
                    series=[{"name": "a", "points": [[one, ys[0]], [two, ys[1]]]}],
                    lowest=["a"],
                )
                try:
                    svg = curves(figure, "1")
                except ValueError as error:
                    assert str(error).startswith("drawing curves: figure 'curves' ")  # noqa: PT017
                    continue
                drawn += 1
                assert overlapping_texts(svg) == []
                assert all(box.left >= -0.01 and box.right <= WIDTH for _, box in boxes_of_texts(svg))
                assert not re.search(r"nan|inf", "".join(e.get("d", "") for e in parse(svg).iter()))
        assert drawn > 50

    @pytest.mark.parametrize("names", [["ours", "ours "], [" ours"], ["our  s"], ["our\ns"], [" "]])
    def test_names_that_look_the_same_are_refused(self, names: list[str]) -> None:
        series = [{"name": name, "points": [[0, 1], [1, 2]]} for name in names]
        with refused("curves", "has the name '.*without spare spaces"):
            curves(chart(series=series), "1")

    def test_every_lowest_label_stands_off_the_lines(self) -> None:
        """A label that hid a line or stood on one would be misread; here there is room for each."""
        key = "perplexity_by_k [bigram corpus, bigram held-out, trigram corpus, trigram held-out]"
        table = COUNTING["18.5"]["not_in_source"][key]
        names = ["bigram, training", "bigram, held-out", "trigram, training", "trigram, held-out"]
        series = [
            {"name": name, "points": [[float(k), row[i]] for k, row in table.items()]}
            for i, name in enumerate(names)
        ]
        figure = chart(series=series, x={"label": "k", "scale": "log"}, lowest=[names[1], names[3]])
        svg = curves(figure, "18.5")
        assert overlapping_texts(svg) == []
        labels = [box for text, box in boxes_of_texts(svg) if " at " in text]
        assert len(labels) == 2
        for number in range(1, 5):
            for (x, y), (u, v) in pairwise(corners(svg, number)):
                along = [(x + (u - x) * i / 50, y + (v - y) * i / 50) for i in range(51)]
                assert not any(box.has(place) for box in labels for place in along)

    def test_the_text_alternative_has_every_value(self) -> None:
        told = description(curves(SMOOTHING, "18.4"))
        assert told.startswith("2 lines: perplexity against k (logarithmic scale). training text: 1.869 at ")
        assert "held-out text: 2.885 at 0.001; 2.645 at 0.01; 2.932 at 0.1; 5.503 at 1; 11.76 at 100." in told
        told = description(curves(TEMPERATURE, "19.1"))
        assert "cat: 0.9994 at 0.2; 0.8621 at 0.7; 0.7344 at 1; 0.5788 at 1.5; 0.3849 at 3." in told
        assert "quark: less than 0.0001 at 0.2; 0.0007 at 0.7; 0.0049 at 1; " in told
        logs = copy.deepcopy(TEMPERATURE)
        logs["curves"]["y"] = {"label": "probability", "scale": "log"}
        told = description(curves(logs, "19.1"))
        assert "probability (logarithmic scale) against temperature." in told
        assert "quark: 1.388 × 10⁻¹¹ at 0.2; 0.0006815 at 0.7;" in told

    def test_the_title_names_both_axes(self) -> None:
        assert parse(curves(SMOOTHING, "18.4")).findtext("title") == "Perplexity against k"

    def test_many_points_have_markers_at_some(self) -> None:
        points = [[i, math.sin(i / 6)] for i in range(40)]
        svg = curves(chart(series=[{"name": "a", "points": points}], lowest=["a"]), "1")
        assert len(corners(svg, 1)) == 40
        assert 15 < len(markers(svg, 1)) < 35
        assert "less than" not in description(svg)
        assert description(svg).count(" at ") == 41

    def test_a_series_may_have_one_point_or_end_early(self) -> None:
        series = [{"name": "a", "points": [[1, 1]]}, {"name": "b", "points": [[0, 2], [2, 3]]}]
        svg = curves(chart(series=series), "1")
        assert len(markers(svg, 1)) == 2
        assert "a: 1 at 1. b: 2 at 0; 3 at 2." in description(svg)

    @pytest.mark.parametrize(
        "values", [[5, 5], [0, 0], [-3, -3], [-2, 7], [1e-4, 3e-4], [100, 101], [1e5, 3e6]]
    )
    def test_any_range_has_ticks_and_fits(self, values: list[float]) -> None:
        for scale in ("linear", "log") if min(values) > 0 else ("linear",):
            points = [[i + 1, value] for i, value in enumerate(values)]
            figure = chart(
                series=[{"name": "a", "points": points}], y={"label": "y", "scale": scale}, lowest=["a"]
            )
            svg = curves(figure, "1")
            assert overlapping_texts(svg) == []
            assert all(b.left >= 0 and b.right <= WIDTH for _, b in boxes_of_texts(svg))
            top, bottom = 26, float(parse(svg).get("height", "0")) - 44
            assert all(top - 0.01 <= y <= bottom + 0.01 for _, y in corners(svg, 1))

    def test_a_wide_first_tick_stays_in_the_picture(self) -> None:
        figure = chart(
            x={"label": "x", "scale": "log"}, series=[{"name": "a", "points": [[20_000, 1], [5_000_000, 2]]}]
        )
        svg = curves(figure, "1")
        assert "2 × 10⁴" in texts(svg)
        assert all(box.left >= 0 for _, box in boxes_of_texts(svg))

    def test_slopes_over_many_powers_of_ten(self) -> None:
        """As slopes with depth: from 10⁻¹⁰ to 10³ in one picture."""
        depths = (1, 2, 5, 10, 20, 48)
        series = [
            {"name": "plain", "points": [[d, 10.0 ** -(d / 5 + 0.4)] for d in depths]},
            {"name": "residual", "points": [[d, d**1.7] for d in depths]},
            {"name": "residual, fresh weights", "points": [[d, d**1.2] for d in depths]},
            {"name": "no norm", "points": [[d, 10.0 ** (d / 16)] for d in depths]},
        ]
        axes = {"x": {"label": "depth", "scale": "points"}, "y": {"label": "slope", "scale": "log"}}
        svg = curves(chart(series=series, **axes), "1")
        within(svg)
        assert {"10⁻¹⁰", "1", "10³"} <= set(texts(svg))

    def test_a_lowest_point_without_room_is_refused(self) -> None:
        points = [[123_456_789_012_345, 123_456_789_012_345], [987_654_321_012_345, 2 * 10**14]]
        figure = chart(
            x={"label": "x", "scale": "log"},
            y={"label": "y", "scale": "log"},
            series=[{"name": "linear interpolation", "points": points}],
        )
        curves(figure, "1")
        figure["curves"]["lowest"] = ["linear interpolation"]
        said = "has no room for '123456789012345 at 123456789012345' at the lowest point of 'linear inter.*'"
        with refused("curves", said):
            curves(figure, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"x": 3}, "has x = 3"),
            ({"x": {"label": "x"}}, "has x = "),
            ({"x": {"label": "x", "scale": "cubic"}}, "has the scale 'cubic' for x"),
            ({"x": {"label": "x", "scale": ["log"]}}, "has the scale .* for x"),
            ({"y": {"label": "y", "scale": "points"}}, "has the scale 'points' for y"),
            ({"y": {"label": "", "scale": "log"}}, "has the label '' for y"),
            ({"y": {"label": "y" * 60, "scale": "log"}}, "has the label 'y"),
            ({"series": []}, r"has series = \[\]"),
            ({"series": "ab"}, "has series = 'ab'"),
            ({"series": [3]}, "has the series 3"),
            ({"series": [{"name": "a"}]}, "has the series {'name': 'a'}"),
            ({"series": [{"name": "", "points": [[0, 1], [1, 1]]}]}, "has the name ''"),
            ({"series": [{"name": "n" * 14, "points": [[0, 1], [1, 1]]}]}, "in two lines of 12 letters"),
            ({"series": [{"name": "a", "points": []}]}, r"has points = \[\] for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1]]}]}, r"has the point \[1\] for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1, None]]}]}, "has the point .* for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1, math.inf]]}]}, "has the point .* for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1, math.nan]]}]}, "has the point .* for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1, True]]}]}, "has the point .* for 'a'"),
            ({"series": [{"name": "a", "points": [[0, 1], [1, 1e15]]}]}, "too large to draw"),
            ({"series": [{"name": "a", "points": [[1, 1], [1, 2]]}]}, "of 'a' after x = 1"),
            ({"series": [{"name": "a", "points": [[2, 1], [1, 2]]}]}, "of 'a' after x = 2"),
            ({"series": [{"name": "a", "points": [[2, 1]]}]}, "has one value of x, 2"),
            ({"series": [{"name": "a", "points": [[i, 1] for i in range(41)]}]}, "at most 40 fit"),
            ({"series": [{"name": str(i), "points": [[0, 1]]} for i in range(7)]}, "has 7 series: at most 6"),
            (
                {"series": [{"name": "a", "points": [[0, 1], [1, 1]]}] * 2},
                "has a name of series more than once",
            ),
            ({"x": {"label": "x", "scale": "log"}}, "has the point .* for 'a', which no log scale has"),
            ({"lowest": "a"}, "has lowest = 'a'"),
            ({"lowest": ["b"]}, r"has lowest = \['b'\], not all of them names of series"),
            ({"lowest": [["a"]]}, "has lowest = "),
            (
                {
                    "x": {"label": "x", "scale": "points"},
                    "series": [{"name": "a", "points": [[i / 1000, 1] for i in range(40)]}],
                },
                "has 40 values of x, whose ticks do not fit",
            ),
            (
                {"series": [{"name": "a", "points": [[0, 1], [1, 1 + 1e-9]]}]},
                "has values of y whose ticks, such as 1.0000000010, do not fit",
            ),
        ],
    )
    def test_a_malformed_chart_is_named(self, change: dict[str, Any], said: str) -> None:
        with refused("curves", said):
            curves(chart(**change), "1")

    @pytest.mark.parametrize(
        ("room", "placed"),
        [
            (358, lambda text: chart(x={"label": text, "scale": "linear"})),
            (358, lambda text: chart(y={"label": text, "scale": "linear"})),
            (100, lambda text: chart(series=[{"name": text, "points": [[0, 1], [1, 2]]}])),
        ],
        ids=["x", "y", "name"],
    )
    def test_a_text_fits_up_to_the_edge(self, room: float, placed: Callable[[str], dict[str, Any]]) -> None:
        svg = curves(placed(as_wide_as(room, SMALL)), "1")
        assert as_wide_as(room, SMALL) in texts(svg)
        assert all(box.left >= 0.99 and box.right <= WIDTH - 0.99 for _, box in boxes_of_texts(svg))
        with refused("curves", "not a text that fits"):
            curves(placed(as_wide_as(room + 0.5, SMALL)), "1")

    def test_a_name_has_two_lines_only_where_one_is_too_short(self) -> None:
        for room, lines in ((100, 1), (100.5, 2)):
            name = f"{as_wide_as(room, SMALL, after=' b')} b"
            shown = texts(curves(chart(series=[{"name": name, "points": [[0, 1], [1, 2]]}]), "1"))
            assert shown[-lines:] == ([name] if lines == 1 else name.split())

    @pytest.mark.parametrize("key", ["x", "y"])
    def test_a_log_scale_begins_far_below_one(self, key: str) -> None:
        def drawn(least: float) -> str:
            points = [[least, 1], [1, 1]] if key == "x" else [[1, least], [2, 1]]
            return curves(
                chart(
                    series=[{"name": "a", "points": points}],
                    **{axis: {"label": axis, "scale": "log" if axis == key else "linear"} for axis in "xy"},
                ),
                "1",
            )

        assert "10⁻³⁰⁰" in texts(drawn(1e-300))
        with refused("curves", "has the point .* for 'a', which no log scale has"):
            drawn(9e-301)

    def test_a_number_is_too_large_from_ten_to_the_fifteenth_on(self) -> None:
        for value in (1e15, -1e15):
            with refused("curves", "has the point .* for 'a', too large to draw"):
                curves(chart(series=[{"name": "a", "points": [[0, 1], [1, value]]}]), "1")
        assert "9 × 10¹⁴ at 1" in description(
            curves(
                chart(
                    y={"label": "y", "scale": "log"}, series=[{"name": "a", "points": [[0, 1], [1, 9e14]]}]
                ),
                "1",
            )
        )

    @pytest.mark.parametrize("key", ["x", "y", "series"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        figure = {k: v for k, v in chart()["curves"].items() if k != key}
        with refused("curves", rf"has no '{key}'"):
            curves({"curves": figure}, "1")
