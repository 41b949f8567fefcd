"""The trees of merges show each word, each merge and each count, and refuse merges that do not lead to the words."""

import copy
import re
from collections import Counter
from itertools import pairwise

import pytest

from coursebuild.drawings import merge_tree

from .pictures import MERGES, ROUNDS, boxes_of_texts, changed, description, parse, refused, texts, within

pytestmark = pytest.mark.once


class TestMergeTree:
    def test_every_word_stands_once_with_its_count(self) -> None:
        shown = texts(merge_tree(MERGES, "17.1"))
        heads = [
            (shown[i], shown[i + 1]) for i, text in enumerate(shown[:-1]) if shown[i + 1].startswith("seen ")
        ]
        expected = [("".join(symbols), f"seen {count} times") for count, symbols in MERGES["final_spellings"]]
        assert heads == expected

    def test_every_merge_stands_once_in_each_word_that_it_builds(self) -> None:
        shown = texts(merge_tree(MERGES, "17.1"))
        joints = Counter(
            (symbol, label) for symbol, label in pairwise(shown) if re.fullmatch(r"\d+ · \d+×", label)
        )
        expected: Counter[tuple[str, str]] = Counter()
        for rounds in ROUNDS.values():
            for number in rounds:
                left, right, count = MERGES["merge_list"][number - 1]
                expected[left + right, f"{number} · {count}×"] += 1
        assert joints == expected
        assert len(joints) == len(MERGES["merge_list"])

    def test_every_character_is_a_leaf(self) -> None:
        svg = parse(merge_tree(MERGES, "17.1"))
        leaves = [e.text for e in svg.iter("text") if e.get("text-anchor") == "middle"]
        assert Counter(leaves) == Counter("".join(ROUNDS))
        joints = sum(map(len, ROUNDS.values()))
        assert len(list(svg.iter("rect"))) == len(leaves) + joints
        assert len(list(svg.iter("path"))) == 2 * joints

    def test_the_final_symbols_are_filled(self) -> None:
        filled = [e for e in parse(merge_tree(MERGES, "17.1")).iter("rect") if "full" in e.get("fill", "")]
        assert len(filled) == sum(len(symbols) for _, symbols in MERGES["final_spellings"])

    def test_blocks_do_not_overlap(self) -> None:
        boxes = [
            tuple(float(e.get(a, "0")) for a in ("x", "y", "width", "height"))
            for e in parse(merge_tree(MERGES, "17.1")).iter("rect")
        ]
        for i, (x, y, w, h) in enumerate(boxes):
            for u, v, s, t in boxes[i + 1 :]:
                assert x + w <= u or u + s <= x or y + h <= v or v + t <= y

    def test_the_text_alternative_has_every_merge_and_word(self) -> None:
        told = description(merge_tree(MERGES, "17.1"))
        for number, (left, right, count) in enumerate(MERGES["merge_list"], start=1):
            assert (
                told.count(f"round {number}, {left} and {right} make {left + right}, counted {count} times")
                == 1
            )
        for count, symbols in MERGES["final_spellings"]:
            word = "".join(symbols)
            rounds = ", ".join(map(str, ROUNDS[word]))
            assert (
                f"{word}, seen {count} times, ends as {', '.join(symbols)} in {len(ROUNDS[word])} merges"
                in told
            )
            assert f"(rounds {rounds})" in told

    def test_another_count_another_picture(self) -> None:
        merges = copy.deepcopy(MERGES["merge_list"])
        merges[0][2] = 11
        svg = merge_tree(changed(MERGES, "merge_list", merges), "17.1")
        assert "1 · 11×" in texts(svg)
        assert "1 · 9×" not in texts(svg)
        assert "counted 11 times" in description(svg)

    def test_other_words_another_picture(self) -> None:
        svg = merge_tree({"merge_list": [["a", "b", 1]], "final_spellings": [[1, ["ab", "c", "ab"]]]}, "1")
        assert texts(svg)[:2] == ["abcab", "seen 1 time"]
        assert texts(svg).count("1 · 1×") == 2
        assert "in 1 merge (round 1)" in description(svg)
        assert description(svg).startswith("A tree for each of 1 word,")

    def test_tuples_do_as_well_as_lists(self) -> None:
        figures = {
            "merge_list": tuple(map(tuple, MERGES["merge_list"])),
            "final_spellings": tuple((count, tuple(symbols)) for count, symbols in MERGES["final_spellings"]),
        }
        assert merge_tree(figures, "17.1") == merge_tree(MERGES, "17.1")

    @pytest.mark.parametrize(
        ("words", "rows"),
        [
            ([("ab", 123), ("abcde", 1)], [2]),  # 357.83 wide, of 358
            ([("abc", 12), ("abcde", 1)], [1, 1]),  # 358.37
            ([("ab", 1), ("z", 1), ("y", 1), ("x", 1)], [3, 1]),
            ([("ab", 123), ("z", 1), ("y", 1), ("x", 1)], [2, 2]),
        ],
    )
    def test_words_share_a_row_as_long_as_they_fit(
        self, words: list[tuple[str, int]], rows: list[int]
    ) -> None:
        spellings = [[count, ["ab", *text[2:]] if text[:2] == "ab" else [text]] for text, count in words]
        svg = merge_tree({"merge_list": [["a", "b", 1]], "final_spellings": spellings}, "1")
        heights = Counter(box.top for text, box in boxes_of_texts(svg) if text.startswith("seen "))
        assert list(heights.values()) == rows
        within(svg)

    @pytest.mark.parametrize(
        ("symbols", "column"),
        [
            (["a", "b"], 41),  # a block of 80.45 for two columns
            (["\x00", "\x01"], 66),  # eight letters in a block of 131.70
            (["a", "\u200b"], 67),  # six in a block of 66.24
        ],
    )
    def test_a_column_is_as_wide_as_what_is_written_in_a_block_needs(
        self, symbols: list[str], column: int
    ) -> None:
        one = {"merge_list": [[*symbols, 1]], "final_spellings": [[1, ["".join(symbols)]]]}
        blocks = list(parse(merge_tree(one, "1")).iter("rect"))
        assert [float(e.get("width", "0")) + 3 for e in blocks] == [2 * column, column, column]

    def test_markup_in_a_symbol_is_text(self) -> None:
        svg = merge_tree({"merge_list": [["<", "&", 1]], "final_spellings": [[1, ["<&", "\x00"]]]}, "1")
        assert "<&" in texts(svg)
        assert r"\x00" in texts(svg)

    @pytest.mark.parametrize(
        "item", [["e", "r"], ["e", "r", 0], ["e", "r", True], ["e", "r", 9.0], ["", "r", 9], [1, "r", 9]]
    )
    def test_a_malformed_merge_is_named(self, item: list[object]) -> None:
        with refused("merge_tree", re.escape(f"has {item!r}"), "merge_list"):
            merge_tree(changed(MERGES, "merge_list", [item]), "17.1")

    @pytest.mark.parametrize(
        "item", [[2], [0, ["a"]], [True, ["a"]], [2, []], [2, "low"], [2, ["low", ""]], [2, [1]]]
    )
    def test_a_malformed_spelling_is_named(self, item: list[object]) -> None:
        with refused("merge_tree", re.escape(f"has {item!r}"), "final_spellings"):
            merge_tree(changed(MERGES, "final_spellings", [item]), "17.1")

    def test_merges_that_do_not_lead_to_the_spelling_are_refused(self) -> None:
        with refused("merge_tree", r"merge_list gives \['low_'\]", "final_spellings"):
            merge_tree(changed(MERGES, "final_spellings", [[5, ["low", "_"]]]), "17.1")

    def test_a_merge_that_joins_nothing_is_refused(self) -> None:
        with refused("merge_tree", r"\['q', 'u'\] as round 11, which joins nothing", "merge_list"):
            merge_tree(changed(MERGES, "merge_list", [*MERGES["merge_list"], ["q", "u", 3]]), "17.1")
