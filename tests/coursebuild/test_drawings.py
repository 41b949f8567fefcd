"""The drawings show the figures they are given, all of them, and nothing else."""

import copy
import json
import math
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coursebuild.drawings import (
    DRAWINGS,
    blocks,
    curves,
    cuts,
    heat_maps,
    merge_tree,
    next_words,
    tokens_by_language,
)
from coursebuild.drawings.axes import round_axis, thinned, ticks_of
from coursebuild.drawings.curves import DASHES
from coursebuild.drawings.cuts import DASHES as CUT_DASHES
from coursebuild.drawings.placing import LABEL_GAP, Box, free_place, push_apart
from coursebuild.drawings.svg import WIDTH, printable, probability, scientific, significant, text_width

pytestmark = pytest.mark.once

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

FACTS = Path(__file__).parents[1] / "facts"
COUNTING = json.loads((FACTS / "lesson-18.json").read_text(encoding="utf-8"))
DECODING = json.loads((FACTS / "lesson-19.json").read_text(encoding="utf-8"))
# What may come after three words of lesson 18's first panel.
AFTER_THE = COUNTING["18.1"]["expected"]["after_the"]
WORDS: dict[str, Any] = {
    "next_words": [
        {"context": "after the", "rows": [[row["word"], row["p"], row["count"]] for row in AFTER_THE]},
        {"context": "after cat", "rows": [["sat", 2 / 3, 2], ["ate", 1 / 3, 1]]},
        {"context": "after sat", "rows": [["on", 1.0, 3]]},
    ]
}
# Perplexity against k of its fourth panel, on the text that was counted and on text held out.
BY_K = {
    name: [[float(k), value] for k, value in COUNTING["18.4"]["not_in_source"][key].items()]
    for name, key in (("training text", "corpus_by_k"), ("held-out text", "held_out_by_k"))
}
SMOOTHING: dict[str, Any] = {
    "curves": {
        "x": {"label": "k", "scale": "log"},
        "y": {"label": "perplexity", "scale": "linear"},
        "series": [{"name": name, "points": points} for name, points in BY_K.items()],
        "lowest": ["held-out text"],
    }
}
# Five probabilities against the temperature, of lesson 19's first panel.
HEAT = DECODING["19.1"]["expected"]["probabilities"]
TEMPERATURE: dict[str, Any] = {
    "curves": {
        "x": {"label": "temperature", "scale": "linear"},
        "y": {"label": "probability", "scale": "linear"},
        "series": [
            {"name": token, "points": [[float(t), row[i]] for t, row in HEAT.items()]}
            for i, token in enumerate(DECODING["19.1"]["inputs"]["tokens"])
        ],
    }
}
# A confident and an unsure step, of its second and third panels.
KEPT = {"confident": [3, 1], "unsure": [3, 9]}
CUT_NAMES = ["top-k, k = 3", "top-p, p = 0.9"]
CUTS: dict[str, Any] = {
    "cuts": [
        {
            "step": step,
            "probabilities": DECODING["19.2"]["expected"][step],
            "cuts": [{"name": name, "kept": n} for name, n in zip(CUT_NAMES, kept, strict=True)],
        }
        for step, kept in KEPT.items()
    ]
}
# Attention over four tokens, open and causal; a table of sines and cosines as that of positions.
TOKENS = ["the", "cat", "sat", "down"]
OPEN = [
    [0.64, 0.23, 0.1, 0.03],
    [0.004, 0.986, 0.003, 0.007],
    [0.21, 0.57, 0.13, 0.09],
    [0.05, 0.05, 0.82, 0.08],
]
CAUSAL = [[1.0, None, None, None], [0.004, 0.996, None, None], [0.23, 0.63, 0.14, None], OPEN[3]]
HEAT_MAPS: dict[str, Any] = {
    "heat_maps": {
        "rows": "query",
        "columns": "key",
        "maps": [
            {"title": "open", "rows": TOKENS, "columns": TOKENS, "values": OPEN},
            {"title": "causal", "rows": TOKENS, "columns": TOKENS, "values": CAUSAL},
        ],
    }
}
BLOCKS: dict[str, Any] = {
    "blocks": [
        {
            "name": "pre-norm",
            "input": "x",
            "output": "y",
            "sublayers": [
                {"branch": [["layer norm", "rms 1.00"], ["causal attention", "rms 0.45"]], "after": []},
                {"branch": ["layer norm", "feed-forward"], "after": []},
            ],
        },
        {
            "name": "post-norm",
            "input": "x",
            "output": "y",
            "sublayers": [
                {"branch": ["causal attention"], "after": ["layer norm"]},
                {"branch": ["feed-forward"], "after": [["layer norm", "rms 1.00"]]},
            ],
        },
    ]
}
FIGURES = {
    "blocks": BLOCKS,
    "curves": SMOOTHING,
    "cuts": CUTS,
    "heat_maps": HEAT_MAPS,
    "merge_tree": MERGES,
    "next_words": WORDS,
    "tokens_by_language": LANGUAGES,
}


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter("text")]


def description(svg: str) -> str:
    found = parse(svg).findtext("desc")
    assert found
    return found


def boxes_of_texts(svg: str) -> list[tuple[str, Box]]:
    """Where each text stands: a safe guess of its width, and the height of its letters."""
    root = parse(svg)
    found = []
    for element in root.iter("text"):
        size = float(element.get("font-size", root.get("font-size", "0")))
        x, y, text = float(element.get("x", "0")), float(element.get("y", "0")), element.text or ""
        mono, bold = "mono" in element.get("font-family", ""), "font-weight" in element.attrib
        wide = text_width(text, size, mono=mono, bold=bold)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
        if "transform" in element.attrib:  # it runs upwards from where it begins
            assert element.get("transform") == f"rotate(-90 {element.get('x')} {element.get('y')})"
            assert left == x
            found.append((text, Box(x - 0.75 * size, y - wide, x + 0.2 * size, y)))
        else:
            found.append((text, Box(left, y - 0.75 * size, left + wide, y + 0.2 * size)))
    return found


def overlapping_texts(svg: str) -> list[tuple[str, str]]:
    return [(a, b) for (a, one), (b, two) in combinations(boxes_of_texts(svg), 2) if one.meets(two)]


def changed(figures: Mapping[str, Any], key: str, value: object) -> dict[str, Any]:
    return {**copy.deepcopy(dict(figures)), key: value}


def test_every_drawing_is_registered_and_tried_here() -> None:
    assert DRAWINGS.keys() == FIGURES.keys()
    assert DRAWINGS["merge_tree"] is merge_tree
    assert DRAWINGS["tokens_by_language"] is tokens_by_language
    assert DRAWINGS["next_words"] is next_words
    assert DRAWINGS["curves"] is curves
    assert DRAWINGS["cuts"] is cuts
    assert DRAWINGS["heat_maps"] is heat_maps
    assert DRAWINGS["blocks"] is blocks


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
            assert float(element.get("font-size", default)) * 328 / width >= 11
        for text, box in boxes_of_texts(DRAWINGS[name](FIGURES[name], "17.1")):
            assert box.left >= -1, text
            assert box.right <= width + 1, text
            assert box.top >= 0, text
            assert box.bottom <= height, text

    def test_no_text_stands_on_another(self, name: str) -> None:
        assert overlapping_texts(DRAWINGS[name](FIGURES[name], "17.1")) == []

    def test_a_missing_figure_is_named(self, name: str) -> None:
        for key in FIGURES[name]:
            figures = {k: v for k, v in FIGURES[name].items() if k != key}
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' is missing; needed: a (list|dict)"):
                DRAWINGS[name](figures, "17.1")

    @pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], ["text"], [[]]])
    def test_a_malformed_figure_is_named(self, name: str, value: object) -> None:
        for key in FIGURES[name]:
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' .*needed: a (list|dict)"):
                DRAWINGS[name](changed(FIGURES[name], key, value), "17.1")

    @pytest.mark.parametrize(
        "number", [10**15, -(10**20), 10**400, -(10**400), 10**5000], ids=["15", "-20", "400", "-400", "5000"]
    )
    def test_a_number_anywhere_that_is_too_large_is_named(self, name: str, number: int) -> None:
        """Python cannot compare 10**400 with floats, nor write 10**5000."""

        def planted(value: Any) -> list[Any]:
            """The value with each of its numbers replaced, one at a time."""
            if isinstance(value, dict):
                return [{**value, key: other} for key in value for other in planted(value[key])]
            if isinstance(value, list):
                return [
                    [*value[:i], other, *value[i + 1 :]]
                    for i, item in enumerate(value)
                    for other in planted(item)
                ]
            return [number] if isinstance(value, (int, float)) else []

        every = planted(FIGURES[name])
        assert len(every) > 8 or (name == "blocks" and not every)  # whose figure is all text
        for figures in every:
            with pytest.raises(
                ValueError, match=rf"drawing {name}: figure '.*(too large to draw|has ).*; needed"
            ):
                DRAWINGS[name](figures, "1")


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


def filled(svg: str) -> list[float]:
    """Lengths of the bars."""
    return [float(e.get("width", "0")) for e in parse(svg).iter("rect") if "full" in e.get("fill", "")]


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
        assert len(bars) == len(values)
        for bar, value in zip(bars, values, strict=True):
            assert bar / max(bars) == pytest.approx(value / max(values), abs=1e-3)

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

    def test_words_that_look_the_same_are_refused(self) -> None:
        with pytest.raises(ValueError, match="has a word more than once in the rows of 'x'"):
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
        ],
    )
    def test_a_malformed_row_is_named(self, row: object) -> None:
        with pytest.raises(ValueError, match=r"next_words.* has the .* for 'x'|has the word .*17 letters"):
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
        with pytest.raises(ValueError, match=rf"next_words.*{said}.*needed"):
            next_words({"next_words": [{"context": "x", "rows": [["a", 0.5, 1]]} | change]}, "1")

    @pytest.mark.parametrize("key", ["context", "rows"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        group = {k: v for k, v in WORDS["next_words"][0].items() if k != key}
        with pytest.raises(ValueError, match=rf"without '{key}'"):
            next_words({"next_words": [group]}, "1")


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
        assert dashes == [CUT_DASHES["abc".index(name)] for row in names for name in row]

    def test_near_one_is_not_one(self) -> None:
        step = {"step": "x", "probabilities": [0.99999, 1e-6], "cuts": [{"name": "a", "kept": 1}]}
        svg = cuts({"cuts": [step]}, "1")
        assert "> 0.9999" in texts(svg)
        assert "x: > 0.9999, 10⁻⁶." in description(svg)

    def test_bars_are_to_one_scale(self) -> None:
        bars = filled(cuts(CUTS, "19.3"))
        values = [value for step in CUTS["cuts"] for value in step["probabilities"]]
        for bar, value in zip(bars, values, strict=True):
            assert bar / max(bars) == pytest.approx(value / max(values), abs=1e-3)

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

    def test_the_most_that_fits(self) -> None:
        values = [1 / 30] * 30
        kept = [{"name": "n" * 29, "kept": 30}]
        svg = cuts({"cuts": [{"step": "s" * 34, "probabilities": values, "cuts": kept}]}, "1")
        assert overlapping_texts(svg) == []
        assert all(box.left >= 0 and box.right <= WIDTH for _, box in boxes_of_texts(svg))

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
        with pytest.raises(ValueError, match=rf"cuts.*{said}.*needed"):
            cuts({"cuts": [step | change]}, "1")

    @pytest.mark.parametrize("key", ["step", "probabilities", "cuts"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        step = {k: v for k, v in CUTS["cuts"][0].items() if k != key}
        with pytest.raises(ValueError, match=rf"without '{key}'"):
            cuts({"cuts": [step]}, "1")


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
        with pytest.raises(ValueError, match=r"curves.*has values of y .*needed"):
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
        with pytest.raises(ValueError, match=r"curves.*has the name '.*without spare spaces.*needed"):
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
        with pytest.raises(ValueError, match=rf"figure 'curves' {said}; needed"):
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
        with pytest.raises(ValueError, match=rf"drawing curves: figure 'curves' .*{said}.*needed"):
            curves(chart(**change), "1")

    @pytest.mark.parametrize("key", ["x", "y", "series"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        figure = {k: v for k, v in chart()["curves"].items() if k != key}
        with pytest.raises(ValueError, match=rf"curves.*has no '{key}'.*needed"):
            curves({"curves": figure}, "1")


def heat(*tables: list[list[Any]], **change: Any) -> dict[str, Any]:
    """Heat maps with these values, their labels numbers; with something changed."""
    maps = [
        {
            "title": f"map {i}",
            "rows": [str(n) for n in range(len(table))],
            "columns": [str(n) for n in range(len(table[0]))],
            "values": table,
        }
        for i, table in enumerate(tables)
    ]
    return {"heat_maps": {"rows": "row", "columns": "column", "maps": maps} | change}


def shades(svg: str) -> list[tuple[str, float]]:
    """The colour and the opacity of each shaded rectangle, without those of the legend."""
    groups = [g for g in parse(svg).iter("g") if len(g) and g[0].get("height") != "13"]
    return [(g.get("fill", ""), float(e.get("fill-opacity", "1"))) for g in groups for e in g]


def within(svg: str) -> None:
    """Nothing sticks out of the picture, no text stands on another."""
    root = parse(svg)
    width, height = [float(value) for value in root.get("viewBox", "").split()[2:]]
    assert width == WIDTH
    assert overlapping_texts(svg) == []
    for text, box in boxes_of_texts(svg):
        assert box.left >= 0, text
        assert box.right <= width, text
        assert box.top >= 0, text
        assert box.bottom <= height, text
    for e in root.iter("rect"):
        x, y, w, h = (float(e.get(key, "0")) for key in ("x", "y", "width", "height"))
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for e in root.iter("path"):
        for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", e.get("d", "")):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height


def causal_table(count: int, seed: int) -> list[list[float | None]]:
    rng = random.Random(seed)
    table: list[list[float | None]] = []
    for i in range(count):
        weights = [rng.random() for _ in range(i + 1)]
        table.append([w / sum(weights) for w in weights] + [None] * (count - 1 - i))
    return table


# Labels that are easily mistaken, and values near those that they are not.
LABELS = ["a", " a", "a b", "a  b", "the", "The", "the ", "4", "é", "<s>", "-", "x|y", *"mnopqr"]
WHOLES = st.integers(-3, 12).map(float)
VALUES = st.one_of(
    WHOLES,
    st.builds(lambda whole, power, sign: whole + sign * 10.0**-power, WHOLES, st.integers(1, 17), WHOLES),
    st.floats(-1, 1),
    st.floats(-2e4, 2e4),
    st.sampled_from([1e-9, 1e-4, 0.5, 999.6, 1e6 + 0.25]),
)


def table_of(
    shape: tuple[int, int], signed: bool, most: float
) -> st.SearchStrategy[list[list[float | None]]]:
    inside = VALUES.map(lambda v: v if signed else abs(v)).map(lambda v: v if abs(v) <= most else v / 1e7)
    return st.lists(
        st.lists(st.one_of(inside, inside, st.none()), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )


TABLES = st.builds(
    table_of,
    st.tuples(st.integers(1, 5), st.sampled_from([1, 2, 3, 5, 8, 9, 14])),
    st.booleans(),
    st.sampled_from([1.0, 20.0, 2e6]),
).flatmap(lambda tables: tables)


@dataclass(frozen=True)
class Cell:
    """What a picture shows at one place of a map."""

    row: str
    column: str
    share: float  # below 0 in the other colour
    number: str
    hatched: bool
    mark: str  # "dot", "dash" or ""


def drawn_maps(svg: str, tables: list[list[list[float | None]]]) -> list[list[list[Cell]]]:
    """The cells of each map as they are seen, read off the shapes of the picture."""
    root = parse(svg)

    def numbers(element: ET.Element, *keys: str) -> list[float]:
        return [float(element.get(key, "0")) for key in keys]

    def strokes(width: str) -> list[tuple[float, float]]:
        """The middles of all pieces of the lines of this width."""
        ends = [
            [float(n) for n in piece]
            for path in root.iter("path")
            if path.get("stroke-width") == width
            for piece in re.findall(r"M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)", path.get("d", ""))
        ]
        return [((x + u) / 2, (y + v) / 2) for x, y, u, v in ends]

    frames = [
        numbers(e, "x", "y", "width", "height")
        for e in root.findall("rect")
        if e.get("fill") == "none" and e.get("height") != "13"
    ]
    shaded = [
        (*numbers(e, "x", "y", "width", "height", "fill-opacity"), "heat-2" in g.get("fill", ""))
        for g in root.iter("g")
        for e in g
    ]
    spots = [
        (text, (box.left + box.right) / 2, (box.top + box.bottom) / 2) for text, box in boxes_of_texts(svg)
    ]
    boxes = boxes_of_texts(svg)
    hatches, dashes = strokes("0.8"), strokes("1.2")
    dots = [(x, y) for e in root.iter("circle") for x, y in [numbers(e, "cx", "cy")]]
    found = []
    for table, (left, top, width, height) in zip(tables, frames, strict=True):
        wide, tall = width / len(table[0]), height / len(table)
        lines = []
        for i in range(len(table)):
            y = top + i * tall
            [name] = [
                t for t, b in boxes if abs(b.right - left + 5) < 0.1 and y < (b.top + b.bottom) / 2 < y + tall
            ]
            line = []
            for j in range(len(table[0])):
                x = left + j * wide
                cell = Box(x, y, x + wide, y + tall)
                above = [
                    (b.bottom, t)
                    for t, b in boxes
                    if x < (b.left + b.right) / 2 < x + wide and b.bottom < top
                ]
                shades_here = [
                    -share if other else share
                    for u, v, w, h, share, other in shaded
                    if cell.has((u + w / 2, v + h / 2))
                ]
                line.append(
                    Cell(
                        row=name,
                        column=max(above)[1],
                        share=sum(shades_here),
                        number="".join(t for t, u, v in spots if cell.has((u, v))),
                        hatched=any(cell.has(middle, -0.3) for middle in hatches),
                        mark="dot" * any(map(cell.has, dots)) + "dash" * any(map(cell.has, dashes)),
                    )
                )
                assert len(shades_here) <= 1
            lines.append(line)
        found.append(lines)
    return found


def told_rows(told: str) -> list[list[tuple[str, str]]]:
    """The label of each row of each map and what the text alternative says of it."""
    maps = re.split(r"\.? ?\bmap \d: ", told.removesuffix("."))[1:]
    return [[(row.partition(": ")[0], row.partition(": ")[2]) for row in one.split("; ")] for one in maps]


def told_masked(line: str, columns: list[str]) -> set[str]:
    if line == "all masked":
        return set(columns)
    found = re.search(r"(?:^|, )masked (.*)$", line)
    if not found:
        return set()
    if found[1].startswith("from "):
        return set(columns[columns.index(found[1].removeprefix("from ").removesuffix(" on")) :])
    return set(found[1].split(", "))


def told_values(line: str) -> list[tuple[str, str, str]]:
    """Each value that is told of a row: "", "largest" or "smallest", the value, its column."""
    if line == "all masked":
        return []
    line = re.sub(r"(^|, )masked .*$", "", line)
    found = []
    for part in (
        re.split(r", (?=\S.* at )|, (?=smallest )", line)
        if "largest" not in line
        else (re.split(r", (?=smallest )", line))
    ):
        sort = next((word for word in ("largest", "smallest") if part.startswith(word)), "")
        if sort:
            value, _, places = part.removeprefix(f"{sort} ").partition(" at ")
            places = re.sub(r" and \d+ more$", "", places)
            found += [(sort, value, place) for place in re.split(r", | and ", places)]
        else:
            value, _, place = part.partition(" at ")
            found.append(("", value, place))
    return found


def agrees(text: str, value: float) -> None:
    """A written number is that value, as exactly as it is written, and says that it is whole only if it is."""
    power = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    if text.startswith(("less than ", "more than ")):
        bound = float(text[10:])
        assert value < bound if text.startswith("less") else value > bound
        assert abs(value - bound) <= 1
        return
    if "10⁻" in text:
        mantissa, _, exponent = power.rpartition("10-")
        read = float(mantissa.removesuffix(" × ") or 1) * 10.0 ** -int(exponent)
        assert read == pytest.approx(value, rel=0.06)
        return
    plain = text.removeprefix("≈")
    decimals = len(plain.partition(".")[2])
    if text == plain:
        assert abs(float(plain) - value) <= 0.5 * 10.0**-decimals * (1 + 1e-6)
    else:
        assert abs(float(plain) - value) <= 0.5
    if float(plain).is_integer():
        distance = abs(float(plain) - value) / max(1.0, abs(value))
        whole = distance <= 1e-12 and (value == 0 or float(plain) != 0)
        assert whole == (text == plain) or 0.9e-12 < distance < 1.1e-12, (text, value)


class TestHeatMaps:
    def test_every_cell_has_its_number(self) -> None:
        shown = texts(heat_maps(HEAT_MAPS, "20.1"))
        assert shown == [
            *["Rows: query. Columns: key.", "open", *TOKENS, *TOKENS],
            *["0.64", "0.23", "0.10", "0.03", "≈0", "0.99", "≈0", "0.01"],
            *["0.21", "0.57", "0.13", "0.09", "0.05", "0.05", "0.82", "0.08"],
            *["causal", *TOKENS, *TOKENS, "1.00", "≈0", "≈1", "0.23", "0.63", "0.14"],
            *["0.05", "0.05", "0.82", "0.08", "0", "1", "masked"],
        ]

    def test_the_text_alternative_has_every_value_and_what_is_masked(self) -> None:
        told = description(heat_maps(HEAT_MAPS, "20.1"))
        assert told.startswith(
            "2 heat maps, shaded from 0 to 1. Rows: query. Columns: key. open: the: 0.64 at the, "
        )
        assert "cat: 0.004 at the, 0.986 at cat, 0.003 at sat, 0.007 at down; sat: 0.21 at the, " in told
        assert (
            "causal: the: 1 at the, masked cat, sat, down; cat: 0.004 at the, 0.996 at cat, masked " in told
        )
        assert told.endswith("down: 0.05 at the, 0.05 at cat, 0.82 at sat, 0.08 at down.")
        title = parse(heat_maps(HEAT_MAPS, "20.1")).findtext("title")
        assert title == "Query by key: open, causal"

    @pytest.mark.parametrize(
        ("values", "ends", "bound"),
        [
            ([[0, 0.25], [0.5, 0.1]], ["0", "1"], 1),
            ([[0, 0], [0, 0]], ["0", "1"], 1),
            ([[0, 1 + 1e-12]], ["0", "1"], 1),
            ([[1, 12], [3, 0]], ["0", "12"], 12),
            ([[1.5, 2.34567]], ["0", "2.35"], 2.34567),
            ([[-1.5, 0.5]], ["-1.5", "0", "1.5"], 1.5),
            ([[-0.002, 0.001]], ["-0.002", "0", "0.002"], 0.002),
        ],
    )
    def test_the_scale_goes_from_zero_or_around_it(
        self, values: list[list[float]], ends: list[str], bound: float
    ) -> None:
        svg = heat_maps(heat(values), "1")
        assert sorted(texts(svg)[-len(ends) :]) == sorted(ends)
        expected = [
            (v > 0, abs(v) / bound) for sign in (1, -1) for row in values for v in row if v * sign > 0
        ]
        got = shades(svg)
        assert [fill.startswith("var(--course-drawing-heat,") for fill, _ in got] == [
            up for up, _ in expected
        ]
        assert [share for _, share in got] == pytest.approx([share for _, share in expected], abs=6e-4)
        within(svg)

    def test_all_maps_share_the_scale(self) -> None:
        svg = heat_maps(heat([[0.5, 1]], [[2, 4]]), "1")
        assert [share for _, share in shades(svg)] == [0.125, 0.25, 0.5, 1]

    def test_cells_stand_in_rows_and_columns(self) -> None:
        svg = heat_maps(heat([[1, 2, 3], [4, 5, 6]]), "1")
        cells = [e for g in parse(svg).iter("g") for e in g if e.get("height") != "13"]
        at = [(float(e.get("x", "0")), float(e.get("y", "0"))) for e in cells]
        assert at == sorted(at, key=lambda place: (place[1], place[0]))
        assert len({x for x, _ in at}) == 3
        assert len({y for _, y in at}) == 2
        places = {text: (e.left + e.right) / 2 for text, e in boxes_of_texts(svg)}
        assert places["4"] == pytest.approx(at[3][0] + float(cells[3].get("width", "0")) / 2, abs=0.02)

    def test_two_maps_stand_beside_each_other_if_their_numbers_fit(self) -> None:
        def tops(svg: str) -> list[float]:
            return [box.top for text, box in boxes_of_texts(svg) if text.startswith("map ")]

        small, wide = [[0.5] * 4] * 4, [[0.5] * 7] * 7
        one, two, three = tops(heat_maps(heat(small, small, small), "1"))
        assert one == two < three
        one, two = tops(heat_maps(heat(wide, wide), "1"))
        assert one < two
        titles = heat(small, small)
        titles["heat_maps"]["maps"][0]["title"] = "a title longer than half"
        svg = heat_maps(titles, "1")
        assert "a title longer than half" in texts(svg)
        within(svg)

    def test_masked_cells_are_hatched_and_only_they(self) -> None:
        svg = heat_maps(heat([[0.5, None], [None, 0.25]]), "1")
        hatches = [e.get("d", "") for e in parse(svg).iter("path") if e.get("stroke-width") == "0.8"]
        assert len(hatches) == 2  # the map's and the legend's
        cells = [e for g in parse(svg).iter("g") for e in g if e.get("height") != "13"]
        boxes = [
            Box(x, y, x + w, y + h)
            for e in cells
            for x, y, w, h in [[float(e.get(k, "0")) for k in ("x", "y", "width", "height")]]
        ]
        ends = [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", hatches[0])]
        middles = [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in zip(ends[::2], ends[1::2], strict=True)]
        assert len(middles) > 8
        assert not any(box.has(middle, -0.01) for box in boxes for middle in middles)
        assert "masked" in texts(svg)
        svg = heat_maps(heat([[0.5, 0.25]]), "1")
        assert "masked" not in texts(svg)
        assert not [e for e in parse(svg).iter("path") if e.get("stroke-width") == "0.8"]

    def test_a_row_may_be_masked_whole_but_not_all_rows(self) -> None:
        assert "1: all masked." in description(heat_maps(heat([[0.5, 1], [None, None]]), "1"))
        with pytest.raises(ValueError, match="has no value: every cell is masked"):
            heat_maps(heat([[None, None]]), "1")

    def test_large_maps_have_a_dot_at_the_largest_of_each_row(self) -> None:
        table = causal_table(15, 3)
        svg = heat_maps(heat(table, causal_table(15, 4)), "1")
        within(svg)
        assert not any(re.fullmatch(r"0\.\d\d", text) for text in texts(svg))
        dots = list(parse(svg).iter("circle"))
        assert len(dots) == 2 * 14 + 1  # the first row has one cell only; the legend
        tops = [row.index(max(v for v in row if v is not None)) for row in table[1:]]
        xs = sorted({float(e.get("cx", "0")) for e in dots[:14]})
        lefts = [float(e.get("cx", "0")) for e in dots[:14]]
        assert [xs.index(x) for x in lefts] == [sorted(set(tops)).index(top) for top in tops]
        assert "largest of its row" in texts(svg)
        told = description(svg)
        for i, (row, top) in enumerate(zip(table[1:14], tops, strict=False), start=1):
            last = f"masked from {i + 1} on" if i < 12 else "masked"
            assert re.search(rf"; {i}: largest {round(row[top] or 0, 4)}\d* at {top}, {last}", told)

    def test_equal_largest_cells_have_no_dot_and_are_named(self) -> None:
        rows = [[0.1] * 12, [0.5, 0.5] + [0.0] * 10]
        svg = heat_maps(heat(rows), "1")
        assert list(parse(svg).iter("circle")) == []
        assert "largest of its row" not in texts(svg)
        assert "0: largest 0.1 at 0, 1, 2 and 9 more; 1: largest 0.5 at 0 and 1." in description(svg)

    def test_large_maps_with_negative_values_have_a_dash_at_each(self) -> None:
        """As the picture of positions: 24 positions by 16 dimensions."""
        table = [[(math.sin, math.cos)[i % 2](p / 10 ** (i // 2 / 2)) for i in range(16)] for p in range(24)]
        svg = heat_maps(heat(table), "21.4")
        within(svg)
        assert list(parse(svg).iter("circle")) == []
        assert "negative" in texts(svg)
        dashes = [e.get("d", "") for e in parse(svg).iter("path") if e.get("stroke-width") == "1.2"]
        assert dashes[0].count("M") == sum(value < 0 for row in table for value in row)
        assert "3: largest more than 0.9999 at 15, smallest -0.99 at 1;" in description(svg)

    @pytest.mark.parametrize("signed", [False, True])
    @pytest.mark.parametrize("label", ["{}", "{} token", "{}internationalization"])
    @pytest.mark.parametrize(
        ("down", "across"), [(24, 24), (24, 16), (15, 15), (1, 24), (24, 1), (8, 8), (2, 3)]
    )
    @pytest.mark.parametrize("count", [1, 2, 4])
    def test_all_sizes_fit(self, count: int, down: int, across: int, label: str, signed: bool) -> None:
        rng = random.Random(down + across)
        least = -1 if signed else 0
        tables = [[[rng.uniform(least, 1) for _ in range(across)] for _ in range(down)] for _ in range(count)]
        tables[0][-1][-1] = None  # type: ignore[call-overload]
        figure = heat(*tables)
        for one in figure["heat_maps"]["maps"]:
            one["rows"] = [label.format(i) for i in range(down)]
            one["columns"] = [label.format(i) for i in range(across)]
        svg = heat_maps(figure, "1")
        within(svg)
        told = description(svg)
        assert told.count(f"{label.format(down - 1)}: ") >= count
        known = sum(value is not None for table in tables for row in table for value in row)
        assert sum(0 < share <= 1 or share == 0 for _, share in shades(svg)) == known
        if across <= 8:
            assert told.count(" at ") == known

    def test_long_labels_are_shortened_in_the_picture_only(self) -> None:
        figure = heat([[0.5] * 20] * 20)
        figure["heat_maps"]["maps"][0]["rows"][3] = "internationalization"
        figure["heat_maps"]["maps"][0]["columns"][4] = "a very long label indeed"
        svg = heat_maps(figure, "1")
        within(svg)
        shortened = [text for text in texts(svg) if text.endswith("…")]
        assert len(shortened) == 2
        assert all(len(text) > 4 for text in shortened)
        assert "internationalization: largest" in description(svg)

    def test_labels_that_repeat_are_told_by_their_place(self) -> None:
        figure = heat([[0.9, 0.1], [0.2, 0.8]])
        figure["heat_maps"]["maps"][0] |= {"rows": ["the", "the"], "columns": [" the", " the"]}
        svg = heat_maps(figure, "1")
        assert texts(svg).count("·the") == 2
        assert "A raised dot is a space." in texts(svg)
        assert "the (place 2): 0.2 at ·the (place 1), 0.8 at ·the (place 2)." in description(svg)

    @pytest.mark.parametrize(
        ("values", "shown"),
        [
            ([0, 3, 12], ["0", "3", "12"]),
            ([-3, 0, 2], ["-3", "0", "2"]),
            ([0.0, 0.004, 0.996], ["0", "≈0", "≈1"]),
            ([-0.996, -1.0, -0.001, -0.0], ["≈-1", "-1.00", "≈0", "0"]),
            ([123.456, 7.0], ["≈123", "7"]),
            ([12.34, 7.0], ["12.3", "7.0"]),
            ([12.34, 7.04, 0.97, -0.02], ["12.3", "≈7", "≈1", "≈0"]),
            ([1234.5, 0.58, 0.2, 7.0, -3.7], ["≈1234", "≈1", "≈0", "7", "≈-4"]),
            ([1.004, 1.0, 2.996, 2.0], ["≈1", "1.00", "≈3", "2.00"]),
            ([1 + 2**-52, 1 - 2**-53, 0.5], ["1.00", "1.00", "0.50"]),  # rounding errors
            ([1 + 1e-10, 1 - 1e-10, 1e-20], ["≈1", "≈1", "≈0"]),
            ([-0.0123, 0.002], ["-0.012", "0.002"]),
            ([123456, 20], ["123456", "20"]),
        ],
    )
    def test_numbers_in_cells_are_short_and_not_rounded_to_others(
        self, values: list[float], shown: list[str]
    ) -> None:
        got = texts(heat_maps(heat([values]), "1"))
        assert got[-len(shown) - (3 if min(values) < 0 else 2) :][: len(shown)] == shown

    @pytest.mark.parametrize(
        ("values", "ends"),
        [
            ([0, 123.456], ["0", "≈123"]),
            ([-1.0004, 0.5], ["≈-1", "0", "≈1"]),
            ([-1 - 2**-52, 0.5], ["-1", "0", "1"]),
            ([0.5, 12.34567], ["0", "12.3"]),
        ],
    )
    def test_the_ends_of_the_scale_are_not_rounded_to_others(
        self, values: list[float], ends: list[str]
    ) -> None:
        svg = heat_maps(heat([values]), "1")
        assert sorted(texts(svg)[-len(ends) :]) == sorted(ends)
        assert f"shaded from {ends[0]} to {ends[-1]}." in description(svg)

    def test_the_text_alternative_says_of_no_value_wrongly_that_it_is_whole(self) -> None:
        told = description(heat_maps(heat([[1e5 + 0.25, 0.58, 7.0, 0.0, -3.7]]), "1"))
        assert "0: ≈100000 at 0, ≈1 at 1, 7 at 2, 0 at 3, ≈-4 at 4." in told

    def test_a_cosine_that_is_one_but_for_a_rounding_error_is_drawn_as_one(self) -> None:
        svg = heat_maps(heat([[1 + 2**-51, 0.5], [0.5, 1 - 2**-52]]), "1")
        assert texts(svg)[-6:] == ["1.00", "0.50", "0.50", "1.00", "0", "1"]
        assert [share for _, share in shades(svg)] == [1, 0.5, 0.5, 1]
        assert "shaded from 0 to 1." in description(svg)
        assert "0: 1 at 0, 0.5 at 1; 1: 0.5 at 0, 1 at 1." in description(svg)

    def test_a_middle_dot_in_a_label_is_a_dot(self) -> None:
        figure = heat([[0.5, 1], [0.25, 0]])
        figure["heat_maps"]["maps"][0] |= {"rows": ["q·k", "b c"], "columns": ["·a", "a"]}
        svg = heat_maps(figure, "1")
        assert {"q·k", "b c", "·a", "a"} <= set(texts(svg))
        assert "A raised dot is a space." not in texts(svg)
        assert "A raised dot" not in description(svg)

    def test_a_dot_that_would_be_read_as_a_space_is_refused(self) -> None:
        one, two = heat([[0.5, 1]], [[0.5, 1]])["heat_maps"]["maps"]
        for first, second in (
            (one | {"columns": ["q·k", " b"]}, two),
            (one | {"columns": ["q·k", "b"]}, two | {"rows": [" b"]}),
        ):
            with pytest.raises(
                ValueError, match="'q·k', whose dot would be read as a space: so the spaces of ' b' are"
            ):
                heat_maps(heat(maps=[first, second]), "1")
        with pytest.raises(ValueError, match="has the label ' ·', whose dot would be read as a space"):
            heat_maps(heat(maps=[one | {"columns": [" ·", "b"]}]), "1")

    def test_labels_that_differ_only_in_spaces_are_drawn_apart(self) -> None:
        labels = ["a b", " a b", "a b ", "a  b", "ab", " ", "  ", "a\tb", "a\nb", "a\u00a0b", "a\u200bb"]
        figure = heat([[0.5]] * len(labels))
        figure["heat_maps"]["maps"][0]["rows"] = labels
        svg = heat_maps(figure, "1")
        drawn = ["a b", "·a·b", "a·b·", "a··b", "ab", "·", "··", "a⇥b", "a↵b", r"a\xa0b", r"a\x200bb"]
        assert [text for text in texts(svg) if text in drawn] == drawn
        assert "A raised dot is a space." in texts(svg)
        told = description(svg)
        assert "Columns: column. A raised dot is a space. map 0: a b: 0.5 at 0; ·a·b: 0.5" in told
        assert all(f"{label}: 0.5 at 0" in told for label in drawn)

    @pytest.mark.parametrize(
        "labels",
        [[" a", "·a"], ["a\n", "a↵"], ["a\tb", "a⇥b"], ["\x00", r"\x00"], ["\u00e9", "e\u0301"]],
    )
    def test_labels_that_look_alike_are_refused(self, labels: list[str]) -> None:
        one, two = heat([[0.5, 1]], [[0.5, 1]])["heat_maps"]["maps"]
        for maps in (
            [one | {"columns": labels}],
            [one | {"rows": labels[:1]}, two | {"columns": [*labels[1:], "b"]}],
        ):
            with pytest.raises(ValueError, match=r"has the labels .* and .*, which look alike: .*; needed"):
                heat_maps(heat(maps=maps), "1")

    @pytest.mark.parametrize("key", ["rows", "columns"])
    def test_labels_of_which_the_same_would_remain_are_refused(self, key: str) -> None:
        figure = heat([[0.5] * 20] * 20)
        one = figure["heat_maps"]["maps"][0]
        one[key] = [f"representation-{i:02}" for i in range(20)]
        said = "'representation-00' and 'representation-01', which both are cut to 'repr.*…'; needed"
        with pytest.raises(ValueError, match=said):
            heat_maps(figure, "1")
        one[key] = [f"{i:02}-representation" for i in range(20)]
        assert "19-representation: " in description(heat_maps(figure, "1")) or key == "columns"
        one[key] = ["representation"] * 20  # the same label is cut to the same
        within(heat_maps(figure, "1"))

    def test_maps_stand_below_each_other_where_their_labels_would_be_cut_alike_beside(self) -> None:
        tables = heat(*[[[0.5] * 15] * 15] * 4)
        labels = [f"{i} mapping {j}" for i in range(5) for j in "abc"]
        for one in tables["heat_maps"]["maps"]:
            one["rows"] = labels
        svg = heat_maps(tables, "1")
        within(svg)
        assert [text for text in texts(svg) if text in labels] == labels * 4

    def test_a_label_that_is_the_place_of_others_is_refused(self) -> None:
        one = heat([[0.5, 1, 0]])["heat_maps"]["maps"][0] | {"columns": ["a", "a", "a (place 1)"]}
        with pytest.raises(ValueError, match=r"has columns = .* for 'map 0', one named as a place of others"):
            heat_maps(heat(maps=[one]), "1")

    @given(tables=st.lists(TABLES, min_size=1, max_size=3), names=st.permutations(LABELS))
    @settings(derandomize=True, deadline=None, max_examples=120, database=None)
    def test_text_alternative_and_picture_agree(
        self, tables: list[list[list[float | None]]], names: list[str]
    ) -> None:
        """What a reader of either learns is the same, and it is so."""
        assume(any(value is not None for table in tables for row in table for value in row))
        figure = heat(*tables)
        for one in figure["heat_maps"]["maps"]:
            one["rows"], one["columns"] = names[: len(one["rows"])], names[-len(one["columns"]) :]
        svg = heat_maps(figure, "1")
        within(svg)
        known = [v for table in tables for row in table for v in row if v is not None]
        largest = max(map(abs, known))
        bound = largest if min(known) < 0 or largest > 1 + 1e-9 else 1.0
        told = told_rows(description(svg))
        assert description(svg).count("A raised dot") == texts(svg).count("A raised dot is a space.")
        for table, lines, drawn in zip(tables, told, drawn_maps(svg, tables), strict=True):
            columns = [cell.column for cell in drawn[0]]
            for row, (label, line), cells in zip(table, lines, drawn, strict=True):
                assert {cell.row for cell in cells} == {label}
                masked = {cell.column for cell in cells if cell.hatched}
                assert masked == {c for c, v in zip(columns, row, strict=True) if v is None}
                assert masked == told_masked(line, columns)
                for cell, value in zip(cells, row, strict=True):
                    if value is None:
                        assert (cell.share, cell.number, cell.mark) == (0, "", "")
                        continue
                    assert cell.share == pytest.approx(value / bound, abs=6e-4)
                    if cell.number:
                        agrees(cell.number, value)
                        assert cell.mark == ""
                    if cell.mark == "dash" or (min(known) < 0 and not cell.number):
                        assert (value < 0) == (cell.mark == "dash")
                for sort, text, place in told_values(line):
                    value = row[columns.index(place)]
                    assert value is not None
                    agrees(text, value)
                    rest = [v for v in row if v is not None]
                    assert sort != "largest" or value >= max(rest) - 1e-12 * abs(value)
                    assert sort != "smallest" or value <= min(rest) + 1e-12 * abs(value)
                dots = {cell.column for cell in cells if cell.mark == "dot"}
                assert dots <= {place for sort, _, place in told_values(line) if sort != "smallest"}
                if any(cell.number for cell in cells) or len(columns) <= 8:
                    places = [place for _, _, place in told_values(line)]
                    assert places == [c for c in columns if c not in masked]

    @pytest.mark.parametrize("value", [5e-324, 1e-300, 1e-12, 1e-7, 3e-4, 0.3, 1, 7.5, 1e6, 123456.7, 9.9e14])
    def test_any_size_is_drawn(self, value: float) -> None:
        for values in ([value, 0], [-value, value / 3], [value, -value, None, 0.0]):
            for columns in (1, 5):
                svg = heat_maps(heat([values * columns]), "1")
                within(svg)
                assert not re.search(r"nan|inf", svg)
                assert len(description(svg)) < 900

    def test_markup_in_a_label_is_text(self) -> None:
        figure = heat([[0.5, 1]])
        figure["heat_maps"]["maps"][0] |= {"title": "<b>&", "columns": ["</svg>", '"\x00']}
        svg = heat_maps(figure, "1")
        assert "<b>&" in texts(svg)
        assert "</svg>" in texts(svg)
        assert r'"\x00' in texts(svg)

    def test_tuples_do_as_well_as_lists(self) -> None:
        figure = heat([[0.5, None], [0.25, 1]])
        one = figure["heat_maps"]["maps"][0]
        rows = tuple(map(tuple, one["values"]))
        other = {**one, "values": rows, "rows": tuple(one["rows"])}
        assert heat_maps(heat(maps=(other,)), "1") == heat_maps(figure, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"rows": ""}, "has rows = '', not the name of an axis"),
            ({"columns": 3}, "has columns = 3, not the name of an axis"),
            ({"columns": " key"}, "has columns = ' key'"),
            ({"columns": "k" * 60}, "has the names of axes .* which do not fit in a line"),
            ({"maps": []}, r"has maps = \[\]"),
            ({"maps": "ab"}, "has maps = 'ab'"),
            ({"maps": [3]}, "has the map 3"),
        ],
    )
    def test_a_malformed_figure_is_named(self, change: dict[str, Any], said: str) -> None:
        with pytest.raises(
            ValueError, match=rf"drawing heat_maps: figure 'heat_maps' {said}.*needed: a dict"
        ):
            heat_maps(heat([[1]], **change), "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"title": ""}, "has the title ''"),
            ({"title": "t" * 60}, "has the title 'ttt.*not a text that fits in a line"),
            ({"rows": []}, r"has rows = \[\] for 'a'"),
            ({"rows": "ab"}, "has rows = 'ab' for 'a'"),
            ({"columns": ["x", 3]}, r"has columns = \['x', 3\] for 'a'"),
            ({"columns": ["x", ""]}, r"has columns = \['x', ''\] for 'a'"),
            ({"rows": ["x"] * 25}, "has 25 rows for 'a': at most 24 fit"),
            ({"columns": ["x"] * 25}, "has 25 columns for 'a': at most 24 fit"),
            ({"values": 3}, "has values = 3 for 'a'"),
            ({"values": [1, 2]}, r"has values = \[1, 2\] for 'a'"),
            ({"values": [[1, 2]]}, "has 1 row of values, but 2 labels of rows and 2 of columns for 'a'"),
            (
                {"values": [[1, 2], [3]]},
                "has a row of 1 value, but 2 labels of rows and 2 of columns for 'a'",
            ),
            ({"values": [[1, 2], [3, "4"]]}, "has the value '4' for 'a'"),
            ({"values": [[1, 2], [3, True]]}, "has the value True for 'a'"),
            ({"values": [[1, 2], [3, math.nan]]}, "has the value nan for 'a'"),
            ({"values": [[1, 2], [3, -math.inf]]}, "has the value -inf for 'a'"),
            ({"values": [[1, 2], [3, 1e15]]}, r"has the value 1000000000000000\.0 for 'a'"),
        ],
    )
    def test_a_malformed_map_is_named(self, change: dict[str, Any], said: str) -> None:
        one = {"title": "a", "rows": ["r", "s"], "columns": ["x", "y"], "values": [[1, 2], [3, 4]]}
        with pytest.raises(
            ValueError, match=rf"drawing heat_maps: figure 'heat_maps' {said}.*needed: a dict"
        ):
            heat_maps(heat(maps=[one | change]), "1")

    def test_too_many_maps_and_titles_alike_are_refused(self) -> None:
        with pytest.raises(ValueError, match="has 5 maps: at most 4 fit"):
            heat_maps(heat(*[[[1]]] * 5), "1")
        one = heat([[1]])["heat_maps"]["maps"][0]
        with pytest.raises(ValueError, match=r"has a title more than once: \['map 0', 'map 0'\]"):
            heat_maps(heat(maps=[one, one]), "1")

    def test_a_missing_key_is_named(self) -> None:
        for key in ("rows", "columns", "maps"):
            figure = {k: v for k, v in HEAT_MAPS["heat_maps"].items() if k != key}
            with pytest.raises(ValueError, match=rf"heat_maps.*has no '{key}'.*needed"):
                heat_maps({"heat_maps": figure}, "1")
        for key in ("title", "rows", "columns", "values"):
            one = {k: v for k, v in HEAT_MAPS["heat_maps"]["maps"][0].items() if k != key}
            with pytest.raises(ValueError, match=rf"without '{key}'"):
                heat_maps(heat(maps=[one]), "1")


def block(*sublayers: tuple[list[Any], list[Any]], **change: Any) -> dict[str, Any]:
    """A block with these (branch, after), with something changed."""
    listed = [{"branch": branch, "after": after} for branch, after in sublayers]
    return {"name": "a", "input": "x", "output": "y", "sublayers": listed} | change


STEPS = st.one_of(
    st.sampled_from(["layer norm", "feed-forward", "q·k", "<g>&"]),
    st.sampled_from([["layer norm", "rms 1.00"], ["add", "x"]]),
)


class TestBlocks:
    def test_every_step_stands_once_with_its_note_in_order(self) -> None:
        shown = texts(blocks(BLOCKS, "21.2"))
        assert shown == [
            *["pre-norm", "x", "layer norm", "rms 1.00", "causal attention", "rms 0.45"],
            *["layer norm", "feed-forward", "y"],
            *[
                "post-norm",
                "x",
                "causal attention",
                "layer norm",
                "feed-forward",
                "layer norm",
                "rms 1.00",
                "y",
            ],
        ]
        within(blocks(BLOCKS, "21.2"))

    def test_the_text_alternative_has_the_flow(self) -> None:
        assert description(blocks(BLOCKS, "21.2")) == (
            "2 diagrams of a stream. pre-norm: x comes in; a branch goes through layer norm (rms 1.00), then "
            "causal attention (rms 0.45), and is added back to the stream; a branch goes through layer norm, then "
            "feed-forward, and is added back to the stream; y comes out. post-norm: x comes in; a branch goes "
            "through causal attention, and is added back to the stream; the stream goes through layer norm; a "
            "branch goes through feed-forward, and is added back to the stream; the stream goes through layer "
            "norm (rms 1.00); y comes out."
        )
        assert parse(blocks(BLOCKS, "21.2")).findtext("title") == "The stream through pre-norm, post-norm"

    @given(
        shape=st.lists(
            st.tuples(st.lists(STEPS, max_size=3), st.lists(STEPS, max_size=2)).filter(any),
            min_size=1,
            max_size=4,
        )
    )
    @settings(derandomize=True, deadline=None, max_examples=60, database=None)
    def test_text_alternative_and_picture_agree(self, shape: list[tuple[list[Any], list[Any]]]) -> None:
        svg = blocks({"blocks": [block(*shape)]}, "1")
        within(svg)
        root = parse(svg)
        stream = 12 + min(float(e.get("x", "0")) for e in root.iter("text"))
        found: list[tuple[float, str]] = []  # how far down, and what is there
        for e in root.iter("rect"):
            x, y, w, h = (float(e.get(key, "0")) for key in ("x", "y", "width", "height"))
            lines = [t for t, b in boxes_of_texts(svg) if Box(x, y, x + w, y + h).has((b.left + 0.1, b.top))]
            text = f"{lines[0]} ({lines[1]})" if len(lines) == 2 else lines[0]
            found.append((y, f"on {text}" if x < stream else f"beside {text}"))
        found += [(float(e.get("cy", "0")), "add") for e in root.iter("circle") if e.get("r") == "8"]
        told = description(svg).partition("x comes in; ")[2].removesuffix("; y comes out.")
        said = []
        for part in told.split("; "):
            aside = part.startswith("a branch goes through ")
            steps = part.partition(" through ")[2].removesuffix(", and is added back to the stream")
            said += [f"{'beside' if aside else 'on'} {step}" for step in steps.split(", then ")]
            said += ["add"] * aside
        assert [what for _, what in sorted(found)] == said

    def test_boxes_of_a_branch_stand_beside_the_stream_and_the_others_on_it(self) -> None:
        root = parse(blocks({"blocks": [BLOCKS["blocks"][1]]}, "1"))
        pluses = [e for e in root.iter("circle") if e.get("r") == "8"]
        dots = [e for e in root.iter("circle") if e.get("r") == "3"]
        assert len(pluses) == len(dots) == 2
        streams = {float(e.get("cx", "0")) for e in (*pluses, *dots)}
        assert len(streams) == 1
        stream = streams.pop()
        boxes = list(root.iter("rect"))
        spans = [(float(e.get("x", "0")), float(e.get("x", "0")) + float(e.get("width", "0"))) for e in boxes]
        assert [left < stream < right for left, right in spans] == [False, True, False, True]
        tops = [float(e.get("y", "0")) for e in boxes]
        forks, joins = ([float(e.get("cy", "0")) for e in group] for group in (dots, pluses))
        assert forks[0] < tops[0] < joins[0] < tops[1] < forks[1] < tops[2] < joins[1] < tops[3]

    def test_boxes_and_signs_do_not_overlap(self) -> None:
        root = parse(blocks(BLOCKS, "1"))
        found = [
            Box(x, y, x + w, y + h)
            for e in root.iter("rect")
            for x, y, w, h in [[float(e.get(k, "0")) for k in ("x", "y", "width", "height")]]
        ]
        found += [
            Box(x - r, y - r, x + r, y + r)
            for e in root.iter("circle")
            for x, y, r in [[float(e.get(k, "0")) for k in ("cx", "cy", "r")]]
        ]
        assert len(found) == 8 + 8
        assert not any(one.meets(two) for one, two in combinations(found, 2))

    def test_arrows_go_along_or_down(self) -> None:
        for path in parse(blocks(BLOCKS, "1")).iter("path"):
            data = path.get("d", "")
            if not data.endswith("Z"):
                corners = [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", data)]
                assert all((x == u) != (y == v) and v >= y for (x, y), (u, v) in pairwise(corners))

    def test_two_stand_beside_each_other_if_their_texts_fit(self) -> None:
        def tops(*every: dict[str, Any]) -> list[float]:
            svg = blocks({"blocks": list(every)}, "1")
            within(svg)
            names = {one["name"] for one in every}
            return [box.top for text, box in boxes_of_texts(svg) if text in names]

        short = block((["layer norm", "feed-forward"], []))
        two = block((["causal self-attention"], []), name="b")  # in two lines
        long = block((["grouped-query attention with rotary positions"], []), name="c")
        one, other = tops(short, two)
        assert one == other
        one, other, third = tops(short, two, short | {"name": "d"})
        assert one == other < third
        one, other = tops(short, long)
        assert one < other

    def test_a_long_label_has_two_lines(self) -> None:
        svg = blocks({"blocks": [block((["grouped-query attention with rotary positions"], []))]}, "1")
        assert texts(svg)[2:4] == ["grouped-query attention", "with rotary positions"]
        assert "through grouped-query attention with rotary positions," in description(svg)

    def test_a_sublayer_may_have_no_branch(self) -> None:
        svg = blocks({"blocks": [block(([], ["attention", "feed-forward"]))]}, "1")
        assert list(parse(svg).iter("circle")) == []
        assert description(svg).endswith(
            "x comes in; the stream goes through attention, then feed-forward; y comes out."
        )
        within(svg)

    def test_the_most_that_fits(self) -> None:
        step = ["w" * 10 + " " + "w" * 10, "n" * 18]
        one = block(*[([step] * 6, [step] * 6)] * 6)
        names = ["a", "b", "c", "d"]
        within(blocks({"blocks": [one | {"name": name} for name in names]}, "1"))

    def test_markup_in_a_label_is_text(self) -> None:
        svg = blocks({"blocks": [block((["<g>&", ["</svg>", "<"]], []))]}, "1")
        assert "<g>&" in texts(svg)
        assert "</svg>" in texts(svg)

    def test_tuples_do_as_well_as_lists(self) -> None:
        one = {**block(), "sublayers": ({"branch": (("a", "b"), "c"), "after": ()},)}
        assert blocks({"blocks": (one,)}, "1") == blocks({"blocks": [block(([["a", "b"], "c"], []))]}, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"name": ""}, "has name = ''"),
            ({"input": 3}, "has input = 3"),
            ({"output": "y "}, "has output = 'y ', not a text without spare spaces"),
            ({"name": "n" * 60}, r"has texts in 'n*' that do not fit: \['n*'\]"),
            ({"sublayers": []}, r"has sublayers = \[\] for 'a'"),
            ({"sublayers": "ab"}, "has sublayers = 'ab' for 'a'"),
            ({"sublayers": [3]}, "has the sublayer 3 for 'a'"),
            ({"sublayers": [{"branch": ["b"]}]}, "has the sublayer {'branch': .* for 'a'"),
            ({"sublayers": [{"branch": "b", "after": []}]}, "has branch = 'b' for 'a'"),
            ({"sublayers": [{"branch": [], "after": None}]}, "has after = None for 'a'"),
            ({"sublayers": [{"branch": [], "after": []}]}, "has a sublayer without any step for 'a'"),
            ({"sublayers": [{"branch": ["b"] * 7, "after": []}]}, "has 7 steps in branch for 'a': at most 6"),
            ({"sublayers": [{"branch": ["b"], "after": []}] * 7}, "has 7 sublayers for 'a': at most 6"),
            (
                {"sublayers": [{"branch": ["b" * 40], "after": []}]},
                r"has texts in 'a' that do not fit: \['b*'\]",
            ),
            (
                {"sublayers": [{"branch": [["b", "n" * 40]], "after": []}]},
                r"has texts in 'a' that do not fit: \['b \(n*\)'\]",
            ),
            *(
                ({"sublayers": [{"branch": [step], "after": []}]}, "has the step .* for 'a'")
                for step in (3, None, "", " b", [], ["b"], ["b", 3], ["b", " n"], ["b", "n", "m"], ["", "n"])
            ),
        ],
    )
    def test_a_malformed_block_is_named(self, change: dict[str, Any], said: str) -> None:
        with pytest.raises(ValueError, match=rf"drawing blocks: figure 'blocks' {said}.*needed: a list"):
            blocks({"blocks": [block((["b"], [])) | change]}, "1")

    def test_too_many_and_names_alike_are_refused(self) -> None:
        one = block((["b"], []))
        with pytest.raises(ValueError, match="has 5 diagrams: at most 4 fit"):
            blocks({"blocks": [one] * 5}, "1")
        with pytest.raises(ValueError, match=r"has a name more than once: \['a', 'a'\]"):
            blocks({"blocks": [one] * 2}, "1")

    @pytest.mark.parametrize("key", ["name", "input", "output", "sublayers"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        one = {k: v for k, v in BLOCKS["blocks"][0].items() if k != key}
        with pytest.raises(ValueError, match=rf"without '{key}'"):
            blocks({"blocks": [one]}, "1")


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


class TestPlacing:
    @pytest.mark.parametrize(
        "wanted", [[50, 50, 50], [10, 90, 50], [0, 0, 0, 0], [100, 99, 98], [5, 8, 95, 97], [47]]
    )
    def test_labels_keep_their_order_and_their_distance(self, wanted: list[float]) -> None:
        heights = [14.0, 28.0, 14.0, 14.0][: len(wanted)]
        got = push_apart(wanted, heights, 0, 100)
        tops = sorted(
            (middle - tall / 2, middle + tall / 2) for middle, tall in zip(got, heights, strict=True)
        )
        assert all(two[0] - one[1] >= LABEL_GAP - 1e-9 for one, two in pairwise(tops))
        assert tops[0][0] >= -1e-9
        assert tops[-1][1] <= 100 + 1e-9
        assert sorted(range(len(got)), key=lambda i: (wanted[i], i)) == sorted(
            range(len(got)), key=got.__getitem__
        )

    def test_labels_with_room_stand_where_they_are_wanted(self) -> None:
        assert push_apart([80, 20, 50], [14, 14, 14], 0, 100) == pytest.approx([80, 20, 50])

    def test_labels_that_meet_stand_around_their_mean(self) -> None:
        assert push_apart([50, 52], [14, 14], 0, 100) == pytest.approx([42, 60])

    def test_a_text_goes_where_no_line_is(self) -> None:
        field = Box(0, 0, 200, 200)
        below = [(float(x), 100.0 + y) for x in range(0, 200, 3) for y in (15, 30, 60)]
        box = free_place(field, (100, 100), 60, below, [(100, 100)], [])
        assert box
        assert box.bottom <= 100
        assert not any(box.has(place) for place in below)
        again = free_place(field, (100, 100), 60, below, [(100, 100)], [box])
        assert again
        assert not again.meets(box)
        assert free_place(field, (100, 100), 201, [], [(100, 100)], []) is None
        assert free_place(field, (100, 100), 60, [], [(100, 100)], [field]) is None


class TestWrittenNumbers:
    @pytest.mark.parametrize(
        ("value", "digits", "expected"),
        [
            (0, 4, "0"),
            (2.6452561, 4, "2.645"),
            (11.7602, 4, "11.76"),
            (9.99996, 4, "10"),
            (0.5, 4, "0.5"),
            (12346, 4, "12346"),
            (-50257.0, 2, "-50257"),
            (999_999, 1, "999999"),
            (12_345_678, 4, "12345678"),
            (12_345_678.9, 4, "1.235 × 10⁷"),
            (0.99999, 4, "0.99999"),
            (-0.9996, 3, "-0.9996"),
            (1 - 2**-53, 4, "1"),  # a rounding error
            (1.00001, 4, "1"),
            (0.0001, 1, "0.0001"),
            (0.00001, 1, "10⁻⁵"),
            (1.388e-11, 2, "1.4 × 10⁻¹¹"),
            (-0.25, 4, "-0.25"),
            (2_500_000, 2, "2.5 × 10⁶"),
        ],
    )
    def test_significant(self, value: float, digits: int, expected: str) -> None:
        assert significant(value, digits) == expected

    def test_scientific(self) -> None:
        assert scientific(0.001, 1) == "10⁻³"
        assert scientific(1.5e-6, 2) == "1.5 × 10⁻⁶"

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (0, "0"),
            (1, "1.000"),
            (0.25, "0.250"),
            (1 + 1e-10, "1.000"),
            (0.9994, "0.999"),
            (0.9999, "> 0.999"),
            (1 - 2**-53, "> 0.999"),
            (0.0005, "0.001"),
            (0.00049, "0.00049"),
            (8e-6, "8 × 10⁻⁶"),
        ],
    )
    def test_probability(self, value: float, expected: str) -> None:
        assert probability(value, 3) == expected


# Advances in ems that Chromium measured: regular and bold, each the wider of DejaVu Sans and Liberation Sans.
MEASURED = """
a .61 .67  b .63 .72  d .63 .72  e .62 .68  f .34 .41  i .28 .34  k .58 .67  l .28 .34  m .97 1.04  n .63 .71
r .39 .49  s .52 .60  t .39 .48  v .59 .65  w .82 .92  x .59 .65  A .71 .77  E .67 .68  G .78 .82  H .75 .84
I .29 .37  M .86 1.00  N .75 .84  O .79 .85  Q .79 .85  W .99 1.10  0 .64 .70  8 .64 .70  . .32 .38  : .34 .40
· .32 .38  × .84 .84  = .84 .84  > .84 .84  % .95 1.00  @ 1.02 1.00  & .78 .87  # .84 .84  — 1.00 1.00
… 1.00 1.00  → 1.00 1.00  ↵ .84 .84  ⁻ .53 .53  ⁴ .40 .44  ä .61 .67  ß .63 .72  æ .98 1.05  Œ 1.07 1.17
ω .84 .87  π .69 .79  Ω .76 .85  Ж 1.08 1.22  щ .94 1.11  中 1.00 1.00  ü .63 .71  Ö .79 .85
""".split()


class TestWidths:
    @pytest.mark.parametrize(
        ("character", "regular", "bold"),
        list(zip(MEASURED[::3], MEASURED[1::3], MEASURED[2::3], strict=True)),
    )
    def test_no_text_is_wider_than_its_estimate(self, character: str, regular: str, bold: str) -> None:
        assert text_width(character * 44, 10) >= 440 * float(regular)
        assert text_width(character * 44, 10, bold=True) >= 440 * float(bold)

    def test_usual_text_is_not_thought_much_wider(self) -> None:
        """Chromium measured 13.09 ems for this in DejaVu Sans, 11.17 in Liberation Sans."""
        assert 13.1 < text_width("perplexity of held-out text", 1) < 15

    @given(st.text(max_size=60), st.sampled_from([10.0, 12.5]), st.booleans())
    def test_the_width_is_the_same_on_every_python(self, text: str, size: float, mono: bool) -> None:
        """Rounded once: the built-in sum of floats is another from Python 3.12 on."""
        widths = [Fraction(text_width(letter, 1.0, mono=mono)) for letter in printable(text)]
        assert text_width(text, size, mono=mono) == size * float(sum(widths))

    def test_what_cannot_be_printed_counts_as_its_code(self) -> None:
        assert text_width("\x00", 10) == text_width(r"\x00", 10)

    @pytest.mark.parametrize("name", ["W" * 44, "M" * 30, "m" * 44, "b" * 44, "%" * 30, "Щ" * 25])
    def test_texts_that_would_be_cut_off_are_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match=r"has the context .* not a text that fits in a line"):
            next_words({"next_words": [{"context": name, "rows": [["a", 0.5, 1]]}]}, "1")
        with pytest.raises(ValueError, match=r"has the step .* not a text that fits in a line"):
            cuts({"cuts": [{"step": name, "probabilities": [1], "cuts": [{"name": "a", "kept": 1}]}]}, "1")
