"""The drawings show the figures they are given, all of them, and nothing else."""

import copy
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from coursebuild.drawings import DRAWINGS, merge_tree, tokens_by_language
from coursebuild.drawings.svg import WIDTH, text_width

# The words and merges of lesson 17's first panel, as its facts give them.
MERGES: dict[str, Any] = {
    "merge_list": [
        ["e", "r", 9],
        ["er", "_", 9],
        ["e", "w", 8],
        ["n", "ew", 8],
        ["l", "o", 7],
        ["lo", "w", 7],
        ["new", "er_", 6],
        ["low", "_", 5],
        ["d", "er_", 3],
        ["i", "der_", 3],
    ],
    "final_spellings": [
        [2, ["low", "e", "s", "t", "_"]],
        [5, ["low_"]],
        [2, ["new", "_"]],
        [6, ["newer_"]],
        [3, ["w", "ider_"]],
    ],
}
# Which rounds built each word.
ROUNDS = {
    "lowest_": [5, 6],
    "low_": [5, 6, 8],
    "new_": [3, 4],
    "newer_": [1, 2, 3, 4, 7],
    "wider_": [1, 2, 9, 10],
}

LANGUAGES: dict[str, Any] = {
    "languages": [
        {
            "language": "English",
            "characters": 22,
            "bytes": 22,
            "tokens": 6,
            "pieces": ["the", " cat", " sat", " on", " the", " mat"],
        },
        {"language": "Greek", "characters": 24, "bytes": 40, "tokens": 40, "pieces": ["CE", "97"] * 20},
        {
            "language": "Japanese",
            "characters": 11,
            "bytes": 33,
            "tokens": 33,
            "pieces": ["E7", "8C", "AB"] * 11,
        },
    ]
}
FIGURES = {"merge_tree": MERGES, "tokens_by_language": LANGUAGES}


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter("text")]


def description(svg: str) -> str:
    found = parse(svg).findtext("desc")
    assert found
    return found


def changed(figures: Mapping[str, Any], key: str, value: object) -> dict[str, Any]:
    return {**copy.deepcopy(dict(figures)), key: value}


def test_every_drawing_is_registered_and_tried_here() -> None:
    assert DRAWINGS.keys() == FIGURES.keys()
    assert DRAWINGS["merge_tree"] is merge_tree
    assert DRAWINGS["tokens_by_language"] is tokens_by_language


@pytest.mark.parametrize("name", DRAWINGS)
class TestEveryDrawing:
    def test_is_an_image_named_by_its_title_and_description(self, name: str) -> None:
        root = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        assert root.tag == "svg"
        assert root.get("role") == "img"
        title, desc = root.find("title"), root.find("desc")
        assert title is not None
        assert desc is not None
        assert title.text
        assert desc.text
        assert root.get("aria-labelledby") == title.get("id")
        assert root.get("aria-describedby") == desc.get("id")

    def test_ids_are_unique_on_a_page_through_the_identifier(self, name: str) -> None:
        one = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        two = parse(DRAWINGS[name](FIGURES[name], "17.2"))
        ids = [e.get("id") for root in (one, two) for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)) == 4
        with pytest.raises(ValueError, match="ident"):
            DRAWINGS[name](FIGURES[name], "")

    def test_is_the_same_text_each_time_and_leaves_the_figures_alone(self, name: str) -> None:
        figures = copy.deepcopy(FIGURES[name])
        assert DRAWINGS[name](figures, "17.1") == DRAWINGS[name](FIGURES[name], "17.1")
        assert figures == FIGURES[name]

    def test_colours_are_variables_of_the_page(self, name: str) -> None:
        svg = DRAWINGS[name](FIGURES[name], "17.1")
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl", svg)
        for element in parse(svg).iter():
            for attribute in ("fill", "stroke"):
                value = element.get(attribute, "none")
                assert value == "none" or re.fullmatch(
                    r"var\(--course-[\w-]+, (currentColor|transparent)\)", value
                )

    def test_is_readable_on_a_phone(self, name: str) -> None:
        """At 360 px a drawing is 328 px wide; its text stays above 11 px and within the picture."""
        root = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        width, height = [float(value) for value in root.get("viewBox", "").split()[2:]]
        assert width <= WIDTH
        default = float(root.get("font-size", "0"))
        for element in root.iter("text"):
            size = float(element.get("font-size", default))
            assert size * 328 / width >= 11
            x, wide = float(element.get("x", "0")), text_width(element.text or "", size)
            left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
            assert left >= -1
            assert left + wide <= width + 1, element.text
            assert float(element.get("y", "0")) <= height

    def test_a_missing_figure_is_named(self, name: str) -> None:
        for key in FIGURES[name]:
            figures = {k: v for k, v in FIGURES[name].items() if k != key}
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' is missing; needed: a list"):
                DRAWINGS[name](figures, "17.1")

    @pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], ["text"], [[]]])
    def test_a_malformed_figure_is_named(self, name: str, value: object) -> None:
        for key in FIGURES[name]:
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' .*needed: a list"):
                DRAWINGS[name](changed(FIGURES[name], key, value), "17.1")


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

    def test_markup_in_a_symbol_is_text(self) -> None:
        svg = merge_tree({"merge_list": [["<", "&", 1]], "final_spellings": [[1, ["<&", "\x00"]]]}, "1")
        assert "<&" in texts(svg)
        assert r"\x00" in texts(svg)

    @pytest.mark.parametrize(
        "item", [["e", "r"], ["e", "r", 0], ["e", "r", True], ["e", "r", 9.0], ["", "r", 9], [1, "r", 9]]
    )
    def test_a_malformed_merge_is_named(self, item: list[object]) -> None:
        with pytest.raises(ValueError, match=r"merge_list.* has .*needed"):
            merge_tree(changed(MERGES, "merge_list", [item]), "17.1")

    @pytest.mark.parametrize(
        "item", [[2], [0, ["a"]], [True, ["a"]], [2, []], [2, "low"], [2, ["low", ""]], [2, [1]]]
    )
    def test_a_malformed_spelling_is_named(self, item: list[object]) -> None:
        with pytest.raises(ValueError, match=r"final_spellings.* has .*needed"):
            merge_tree(changed(MERGES, "final_spellings", [item]), "17.1")

    def test_merges_that_do_not_lead_to_the_spelling_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"final_spellings.*merge_list gives \['low_'\]"):
            merge_tree(changed(MERGES, "final_spellings", [[5, ["low", "_"]]]), "17.1")

    def test_a_merge_that_joins_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"merge_list.*\['q', 'u'\] as round 11, which joins nothing"):
            merge_tree(changed(MERGES, "merge_list", [*MERGES["merge_list"], ["q", "u", 3]]), "17.1")


class TestTokensByLanguage:
    def test_every_language_stands_once_with_its_numbers(self) -> None:
        shown = texts(tokens_by_language(LANGUAGES, "17.5"))
        for language in LANGUAGES["languages"]:
            assert shown.count(language["language"]) == 1
            assert shown.count(f"{language['tokens']} tokens") == 1
            assert shown.count(f"{language['characters']} characters, {language['bytes']} bytes") == 1

    def test_every_token_has_its_box(self) -> None:
        svg = parse(tokens_by_language(LANGUAGES, "17.5"))
        cells = [e.text for e in svg.iter("text") if e.get("text-anchor") == "middle"]
        pieces = [piece.replace(" ", "·") for one in LANGUAGES["languages"] for piece in one["pieces"]]
        assert cells == pieces
        assert len(list(svg.iter("rect"))) == len(pieces) + len(LANGUAGES["languages"])

    def test_bars_are_as_long_as_the_counts(self) -> None:
        svg = parse(tokens_by_language(LANGUAGES, "17.5"))
        bars = [float(e.get("width", "0")) for e in svg.iter("rect") if "full" in e.get("fill", "")]
        tokens = [language["tokens"] for language in LANGUAGES["languages"]]
        assert len(bars) == len(tokens)
        for bar, count in zip(bars, tokens, strict=True):
            assert bar / max(bars) == pytest.approx(count / max(tokens), abs=1e-3)

    def test_the_text_alternative_has_every_count(self) -> None:
        told = description(tokens_by_language(LANGUAGES, "17.5"))
        assert "English: 6 tokens for 22 characters, 22 bytes: the, ·cat, ·sat, ·on, ·the, ·mat." in told
        assert "Greek: 40 tokens for 24 characters, 40 bytes: CE, 97, CE, 97, CE, 97 and 34 more." in told
        assert "Japanese: 33 tokens for 11 characters, 33 bytes: E7, 8C, AB, E7, 8C, AB and 27 more." in told

    def test_other_values_another_picture(self) -> None:
        one = {"language": "Test", "characters": 1, "bytes": 1, "tokens": 1, "pieces": ["a"]}
        svg = tokens_by_language({"languages": [one]}, "1")
        assert texts(svg) == ["Test", "1 token", "a", "1 character, 1 byte", "Each box is one token."]
        assert "Test: 1 token for 1 character, 1 byte: a." in description(svg)

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("language", ""),
            ("language", 3),
            ("tokens", 0),
            ("tokens", 6.0),
            ("characters", True),
            ("bytes", "22"),
            ("pieces", "the"),
            ("pieces", [1] * 6),
            ("pieces", ["the"]),
        ],
    )
    def test_a_malformed_language_is_named(self, key: str, value: object) -> None:
        one = {**LANGUAGES["languages"][0], key: value}
        with pytest.raises(ValueError, match=r"languages.* has .*needed"):
            tokens_by_language({"languages": [one]}, "17.5")

    def test_a_missing_key_is_named(self) -> None:
        for key in LANGUAGES["languages"][0]:
            one = {k: v for k, v in LANGUAGES["languages"][0].items() if k != key}
            with pytest.raises(ValueError, match=rf"without '{key}'"):
                tokens_by_language({"languages": [one]}, "17.5")
