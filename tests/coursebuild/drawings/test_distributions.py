"""Each word that may come next stands once, with its probability, its count and a bar to one scale."""

import math
import re
from typing import Any

import pytest

from coursebuild.drawings import next_words
from coursebuild.drawings.svg import MEDIUM, WIDTH

from .pictures import (
    COUNTING,
    WORDS,
    as_wide_as,
    boxes_of_texts,
    description,
    filled,
    overlapping_texts,
    refused,
    texts,
    to_one_scale,
)

pytestmark = pytest.mark.once


class TestNextWords:
    def test_every_word_stands_once_with_its_values_in_the_order_given(self) -> None:
        shown = texts(next_words(WORDS, "18.1"))
        assert shown == [
            *["after the", "cat", "0.250 · 3×", "dog", "0.250 · 3×", "fish", "0.167 · 2×"],
            *["log", "0.167 · 2×", "mat", "0.083 · 1×", "bone", "0.083 · 1×"],
            *["after cat", "sat", "0.667 · 2×", "ate", "0.333 · 1×"],
            *["after sat", "on", "1.000 · 3×"],
            "At a bar: probability · count.",
        ]
        printed = COUNTING["18.1"]["printed"]["p"]
        assert [text.split(" ")[0] for text in shown[2:13:2]] == printed

    def test_bars_are_to_one_scale(self) -> None:
        bars = filled(next_words(WORDS, "18.1"))
        values = [row[1] for group in WORDS["next_words"] for row in group["rows"]]
        to_one_scale(bars, values)

    def test_the_text_alternative_has_every_value(self) -> None:
        told = description(next_words(WORDS, "18.1"))
        assert "after the: cat 0.250, counted 3 times; dog 0.250, counted 3 times; fish 0.167, " in told
        assert "bone 0.083, counted 1 time. after cat: sat 0.667, counted 2 times;" in told
        assert told.endswith("after sat: on 1.000, counted 3 times.")

    def test_without_counts(self) -> None:
        table = COUNTING["18.3"]["expected"]["table"]
        rows = [[word, table[0][word], None] for word in ("cat", "fish", "sat")]
        svg = next_words({"next_words": [{"context": "k = 0.001", "rows": rows}]}, "18.3")
        assert texts(svg) == [
            *["k = 0.001", "cat", "0.250", "fish", "0.167", "sat", "8.3 × 10⁻⁵"],
            "At a bar: probability.",
        ]
        assert "sat 8.3 × 10⁻⁵." in description(svg)

    def test_zero_has_no_bar(self) -> None:
        rows = [["a", 0.0, 0], ["b", 1, 2]]
        svg = next_words({"next_words": [{"context": "x", "rows": rows}]}, "1")
        assert texts(svg)[1:5] == ["a", "0 · 0×", "b", "1.000 · 2×"]
        assert "a 0, counted 0 times" in description(svg)
        assert len(filled(svg)) == 1
        assert filled(next_words({"next_words": [{"context": "x", "rows": rows[:1]}]}, "1")) == []

    def test_spaces_can_be_seen(self) -> None:
        rows = [[" ", 0.5, None], ["\n", 0.25, None]]
        svg = next_words({"next_words": [{"context": "x", "rows": rows}]}, "1")
        assert texts(svg) == ["x", "·", "0.500", "↵", "0.250", "At a bar: probability. A dot is a space."]

    def test_the_longest_word_that_fits(self) -> None:
        rows = [["w" * 17, 0.00001234, 123456], ["v", 0.9, 7]]
        svg = next_words({"next_words": [{"context": "c" * 34, "rows": rows}]}, "1")
        assert overlapping_texts(svg) == []
        assert all(box.left >= 0 and box.right <= WIDTH for _, box in boxes_of_texts(svg))
        assert max(filled(svg)) > 50

    def test_near_one_is_not_one(self) -> None:
        for value in (0.9999, 0.99999, 1 - 2**-53):
            svg = next_words({"next_words": [{"context": "x", "rows": [["a", value, 3]]}]}, "1")
            assert "> 0.999 · 3×" in texts(svg)
            assert "a > 0.999, counted 3 times" in description(svg)

    @pytest.mark.parametrize("digits", range(1, 401, 7))
    def test_there_is_room_for_bars_or_it_is_refused(self, digits: int) -> None:
        for word in ("w" * 17, "w"):
            rows = [[word, 0.00001234, 10**digits], ["v", 0.9, 7]]
            try:
                svg = next_words({"next_words": [{"context": "x", "rows": rows}]}, "1")
            except ValueError as error:
                assert re.match(  # noqa: PT017
                    r"drawing next_words: figure 'next_words' has .*(no room is left for bars|too large to draw);",
                    str(error),
                )
                assert digits > 6
            else:
                assert max(filled(svg)) >= 40
                assert all(box.left >= 0 and box.right <= WIDTH for _, box in boxes_of_texts(svg))

    def test_what_leaves_no_room_for_bars_is_named(self) -> None:
        """The longest word leaves as much as it can if the values have fourteen digits, and not one more."""
        rows = [["a" * 15, 0.001, 10**13], ["z", 0.9, 7]]
        assert 40 < max(filled(next_words({"next_words": [{"context": "x", "rows": rows}]}, "1"))) < 41
        rows[0][2] = 10**14
        said = "has the word 'a{15}' and the values '0.001 · 10{14}×': no room is left for bars"
        with refused("next_words", said):
            next_words({"next_words": [{"context": "x", "rows": rows}]}, "1")

    def test_a_context_fits_up_to_the_edge(self) -> None:
        rows = [["中" * 9 + "ww", 0.5, 1]]
        svg = next_words({"next_words": [{"context": as_wide_as(358, MEDIUM, bold=True), "rows": rows}]}, "1")
        assert all(box.left >= 1 and box.right <= WIDTH - 0.99 for _, box in boxes_of_texts(svg))
        with refused("next_words", "has the context .* not a text that fits in a line"):
            next_words({"next_words": [{"context": as_wide_as(358.4, MEDIUM, bold=True), "rows": rows}]}, "1")

    def test_words_that_look_the_same_are_refused(self) -> None:
        with refused("next_words", "has a word more than once in the rows of 'x'"):
            next_words({"next_words": [{"context": "x", "rows": [[" a", 0.5, 1], ["·a", 0.5, 1]]}]}, "1")

    @pytest.mark.parametrize(
        "row",
        [
            None,
            "abc",
            ["a", 0.5],
            ["a", 0.5, 1, 1],
            ["", 0.5, 1],
            [1, 0.5, 1],
            ["a", "0.5", 1],
            ["a", True, 1],
            ["a", -0.1, 1],
            ["a", 1.1, 1],
            ["a", math.nan, 1],
            ["a", 0.5, -1],
            ["a", 0.5, 1.0],
            ["a", 0.5, False],
            ["w" * 18, 0.5, 1],
            ["中" * 5 + "w" * 9, 0.5, 1],
        ],
    )
    def test_a_malformed_row_is_named(self, row: object) -> None:
        with refused("next_words", r"has the .* for 'x'|has the word .*17 letters"):
            next_words({"next_words": [{"context": "x", "rows": [row]}]}, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"context": ""}, "has the context ''"),
            ({"context": 3}, "has the context 3"),
            ({"context": "c" * 50}, "has the context 'ccc"),
            ({"rows": []}, r"has rows = \[\] for 'x'"),
            ({"rows": "ab"}, "has rows = 'ab' for 'x'"),
            ({"rows": [["a", 0.5, 1], ["a", 0.5, 1]]}, "has a word more than once in the rows of 'x'"),
            ({"rows": [["a", 0.7, 1], ["b", 0.4, 1]]}, "has probabilities that add up to 1.1 for 'x'"),
        ],
    )
    def test_a_malformed_context_is_named(self, change: dict[str, Any], said: str) -> None:
        with refused("next_words", said):
            next_words({"next_words": [{"context": "x", "rows": [["a", 0.5, 1]]} | change]}, "1")

    @pytest.mark.parametrize("key", ["context", "rows"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        group = {k: v for k, v in WORDS["next_words"][0].items() if k != key}
        with refused("next_words", rf"without '{key}'"):
            next_words({"next_words": [group]}, "1")
