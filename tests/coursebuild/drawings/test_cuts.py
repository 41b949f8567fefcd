"""Each cut stands after the last bar that it keeps, the same dash for the same filter."""

import math
import re
from typing import Any

import pytest

from coursebuild.drawings import cuts
from coursebuild.drawings.cuts import DASHES
from coursebuild.drawings.svg import MEDIUM, SMALL, WIDTH

from .pictures import (
    CUT_NAMES,
    CUTS,
    DECODING,
    KEPT,
    as_wide_as,
    boxes_of_texts,
    description,
    filled,
    overlapping_texts,
    parse,
    refused,
    texts,
    to_one_scale,
)

pytestmark = pytest.mark.once


def lines_across(svg: str) -> list[tuple[float, str]]:
    """Height and dash of each cut's line."""
    return [
        (float(found[1]), e.get("stroke-dasharray", ""))
        for e in parse(svg).iter("path")
        if (found := re.fullmatch(r"M1 ([\d.]+)L[\d.]+ \1", e.get("d", "")))
    ]


class TestCuts:
    def test_every_probability_stands_with_its_rank(self) -> None:
        shown = texts(cuts(CUTS, "19.3"))
        for step in ("confident", "unsure"):
            at = shown.index(step)
            after = [text for text in shown[at + 1 :] if ":" not in text][:20]
            assert after[::2] == [str(rank) for rank in range(1, 11)]
            assert after[1::2] == DECODING["19.2"]["expected"][f"{step}_printed"]

    def test_each_cut_stands_after_the_last_bar_that_it_keeps(self) -> None:
        shown = texts(cuts(CUTS, "19.3"))
        unsure = shown.index("unsure")
        assert shown[:unsure].index("top-p, p = 0.9: keeps 1") == 3  # after the step, a rank, a probability
        assert shown[:unsure].index("top-k, k = 3: keeps 3") == 8
        assert shown[unsure:].index("top-k, k = 3: keeps 3") == 7
        assert shown[unsure:].index("top-p, p = 0.9: keeps 9") == 20

    def test_lines_lie_between_the_bars(self) -> None:
        svg = cuts(CUTS, "19.3")
        bars = [(float(e.get("y", "0")), float(e.get("height", "0"))) for e in parse(svg).iter("rect")]
        assert len(bars) == 20
        lines = lines_across(svg)
        above = [sum(y + height < line for y, height in bars) for line, _ in lines]
        assert above == [1, 3, 10 + 3, 10 + 9]
        assert not any(y <= line <= y + height for y, height in bars for line, _ in lines)
        dashes = [dash for _, dash in lines]
        assert dashes == [dashes[0], dashes[1], dashes[1], dashes[0]]  # top-p, top-k, top-k, top-p
        assert dashes[0] != dashes[1]

    def test_dashes_go_by_first_appearance_in_all_steps(self) -> None:
        names = [["a", "b"], ["c", "b", "a"]]
        steps = [
            {"step": "x", "probabilities": [0.5, 0.3, 0.2], "cuts": [{"name": n, "kept": 1} for n in row]}
            for row in names
        ]
        dashes = [dash for _, dash in lines_across(cuts({"cuts": steps}, "1"))]
        assert dashes == [DASHES["abc".index(name)] for row in names for name in row]

    def test_near_one_is_not_one(self) -> None:
        step = {"step": "x", "probabilities": [0.99999, 1e-6], "cuts": [{"name": "a", "kept": 1}]}
        svg = cuts({"cuts": [step]}, "1")
        assert "> 0.9999" in texts(svg)
        assert "x: > 0.9999, 10⁻⁶." in description(svg)

    def test_bars_are_to_one_scale(self) -> None:
        bars = filled(cuts(CUTS, "19.3"))
        values = [value for step in CUTS["cuts"] for value in step["probabilities"]]
        to_one_scale(bars, values)

    def test_the_text_alternative_has_every_value(self) -> None:
        told = description(cuts(CUTS, "19.3"))
        for step, kept in KEPT.items():
            ranked = ", ".join(DECODING["19.2"]["expected"][f"{step}_printed"])
            said = "; ".join(f"{name} keeps {n}" for name, n in zip(CUT_NAMES, kept, strict=True))
            assert f"{step}: {ranked}. Of these 10, {said}." in told

    def test_several_cuts_at_one_place(self) -> None:
        one = [{"name": f"cut {i}", "kept": 2} for i in range(6)]
        svg = cuts({"cuts": [{"step": "x", "probabilities": [0.6, 0.4], "cuts": one}]}, "1")
        assert overlapping_texts(svg) == []
        lines = lines_across(svg)
        assert len(lines) == len({y for y, _ in lines}) == len({dash for _, dash in lines}) == 6
        assert all(re.fullmatch(r"(\d+ \d+( \d+ \d+)*)?", dash) for _, dash in lines)

    def test_the_most_that_fits(self) -> None:
        values = [1 / 30] * 30
        kept = [{"name": "n" * 29, "kept": 30}]
        svg = cuts({"cuts": [{"step": "s" * 34, "probabilities": values, "cuts": kept}]}, "1")
        assert overlapping_texts(svg) == []
        assert all(box.left >= 0 and box.right <= WIDTH for _, box in boxes_of_texts(svg))

    def test_a_name_fits_up_to_the_edge(self) -> None:
        def drawn(step: str, name: str) -> str:
            one = {"step": step, "probabilities": [1], "cuts": [{"name": name, "kept": 1}]}
            return cuts({"cuts": [one]}, "1")

        svg = drawn(as_wide_as(358, MEDIUM, bold=True), as_wide_as(312, SMALL, after=": keeps 1"))
        assert all(box.left >= 1 and box.right <= WIDTH - 1 for _, box in boxes_of_texts(svg))
        with refused("cuts", "has the step .* not a text that fits in a line"):
            drawn(as_wide_as(358.4, MEDIUM, bold=True), "a")
        with refused("cuts", "has the cut .* for 'x', whose name is too long for a line"):
            drawn("x", as_wide_as(312.4, SMALL, after=": keeps 1"))

    def test_zero_has_no_bar(self) -> None:
        kept = [{"name": "a", "kept": 1}]
        assert len(filled(cuts({"cuts": [{"step": "x", "probabilities": [0.5, 0], "cuts": kept}]}, "1"))) == 1
        svg = cuts({"cuts": [{"step": "x", "probabilities": [0, 0], "cuts": kept}]}, "1")
        assert filled(svg) == []
        assert "x: 0, 0. Of these 2, a keeps 1." in description(svg)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"step": ""}, "has the step ''"),
            ({"step": "s" * 60}, "has the step 's"),
            ({"step": "s "}, "has the step 's '"),
            ({"cuts": [{"name": "a", "kept": 1}, {"name": "a ", "kept": 2}]}, "has the cut .* for 'x'"),
            ({"probabilities": []}, r"has probabilities = \[\] for 'x'"),
            ({"probabilities": "0.5"}, "has probabilities = '0.5' for 'x'"),
            ({"probabilities": [0.5, "0.4"]}, "has probabilities = "),
            ({"probabilities": [0.5, math.inf]}, "has probabilities = "),
            ({"probabilities": [0.4, 0.5]}, "has probabilities that are not ranked for 'x'"),
            ({"probabilities": [0.8, 0.5]}, "has probabilities that add up to 1.3 for 'x'"),
            ({"probabilities": [0.01] * 31}, "has 31 probabilities for 'x': at most 30 fit"),
            ({"cuts": []}, r"has cuts = \[\] for 'x'"),
            ({"cuts": [{"name": "a"}]}, "has the cut {'name': 'a'} for 'x'"),
            ({"cuts": [3]}, "has the cut 3 for 'x'"),
            ({"cuts": [{"name": "", "kept": 1}]}, "has the cut .* for 'x'"),
            ({"cuts": [{"name": "a", "kept": 0}]}, "has the cut .* for 'x', whose ranks go from 1 to 2"),
            ({"cuts": [{"name": "a", "kept": 3}]}, "has the cut .* for 'x', whose ranks go from 1 to 2"),
            ({"cuts": [{"name": "a", "kept": True}]}, "has the cut .* for 'x'"),
            ({"cuts": [{"name": "n" * 60, "kept": 1}]}, "for 'x', whose name is too long for a line"),
            ({"cuts": [{"name": "a", "kept": 1}] * 2}, "has the name of a cut more than once for 'x'"),
            ({"cuts": [{"name": str(i), "kept": 1} for i in range(7)]}, "has 7 names of cuts: at most 6"),
        ],
    )
    def test_a_malformed_step_is_named(self, change: dict[str, Any], said: str) -> None:
        step = {"step": "x", "probabilities": [0.5, 0.4], "cuts": [{"name": "a", "kept": 1}]}
        with refused("cuts", said):
            cuts({"cuts": [step | change]}, "1")

    @pytest.mark.parametrize("key", ["step", "probabilities", "cuts"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        step = {k: v for k, v in CUTS["cuts"][0].items() if k != key}
        with refused("cuts", rf"without '{key}'"):
            cuts({"cuts": [step]}, "1")
