"""The bars of languages are as long as the counts of tokens, and each token has its box."""

import re

import pytest

from coursebuild.drawings import tokens_by_language
from coursebuild.drawings.svg import WIDTH

from .pictures import LANGUAGES, description, parse, refused, texts, to_one_scale

pytestmark = pytest.mark.once


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
        to_one_scale(bars, tokens)

    def test_the_text_alternative_has_every_count(self) -> None:
        told = description(tokens_by_language(LANGUAGES, "17.5"))
        assert "English: 6 tokens for 22 characters, 22 bytes: the, ·cat, ·sat, ·on, ·the, ·mat." in told
        assert "Greek: 40 tokens for 24 characters, 40 bytes: CE, 97, CE, 97, CE, 97 and 34 more." in told
        assert "Japanese: 33 tokens for 11 characters, 33 bytes: E7, 8C, AB, E7, 8C, AB and 27 more." in told

    @pytest.mark.parametrize(("count", "rest"), [(6, "a."), (7, "a and 1 more."), (8, "a and 2 more.")])
    def test_the_text_alternative_counts_the_tokens_that_it_leaves_out(self, count: int, rest: str) -> None:
        one = {"language": "A", "characters": 9, "bytes": 9, "tokens": count, "pieces": ["a"] * count}
        assert description(tokens_by_language({"languages": [one]}, "1")).endswith(f"a, a, a, a, a, {rest}")

    @pytest.mark.parametrize(("lengths", "lines"), [([4] * 5 + [3] * 4, 1), ([22, 22], 2)])
    def test_a_line_of_tokens_goes_up_to_the_edge(self, lengths: list[int], lines: int) -> None:
        """The first are 358 wide, which is all there is; the others, 358.5."""
        pieces = ["w" * length for length in lengths]
        one = {"language": "A", "characters": 9, "bytes": 9, "tokens": len(pieces), "pieces": pieces}
        boxes = list(parse(tokens_by_language({"languages": [one]}, "1")).iter("rect"))[1:]
        assert len({e.get("y") for e in boxes}) == lines
        assert all(float(e.get("x", "0")) + float(e.get("width", "0")) <= WIDTH - 1 for e in boxes)

    def test_other_values_another_picture(self) -> None:
        one = {"language": "Test", "characters": 1, "bytes": 1, "tokens": 1, "pieces": ["a"]}
        svg = tokens_by_language({"languages": [one]}, "1")
        assert texts(svg) == ["Test", "1 token", "a", "1 character, 1 byte", "Each box is one token."]
        assert "Test: 1 token for 1 character, 1 byte: a." in description(svg)

    @pytest.mark.parametrize(
        ("key", "value", "said"),
        [
            ("language", "", "has the language ''"),
            ("language", 3, "has the language 3"),
            ("tokens", 0, "has tokens = 0 for 'English'"),
            ("tokens", 6.0, "has tokens = 6.0 for 'English'"),
            ("characters", True, "has characters = True for 'English'"),
            ("bytes", "22", "has bytes = '22' for 'English'"),
            ("pieces", "the", "has pieces = 'the' for 'English'"),
            ("pieces", [1] * 6, "has pieces = [1, 1, 1, 1, 1, 1] for 'English'"),
            ("pieces", ["the"], "has 1 pieces for the 6 tokens of 'English'"),
        ],
    )
    def test_a_malformed_language_is_named(self, key: str, value: object, said: str) -> None:
        one = {**LANGUAGES["languages"][0], key: value}
        with refused("tokens_by_language", re.escape(said), "languages"):
            tokens_by_language({"languages": [one]}, "17.5")

    def test_a_missing_key_is_named(self) -> None:
        for key in LANGUAGES["languages"][0]:
            one = {k: v for k, v in LANGUAGES["languages"][0].items() if k != key}
            with refused("tokens_by_language", rf"without '{key}'", "languages"):
                tokens_by_language({"languages": [one]}, "17.5")
