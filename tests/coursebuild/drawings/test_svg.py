"""Numbers are written without becoming others, and texts are not wider than thought."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coursebuild.drawings import (
    cuts,
    next_words,
)
from coursebuild.drawings.svg import (
    CELL,
    FULL,
    FULL_INK,
    GRID,
    HEAT,
    HEAT_2,
    INK,
    INK_2,
    JOINT,
    LINE,
    MEDIUM,
    PAPER,
    SERIES,
    Canvas,
    is_count,
    is_list,
    is_name,
    is_number,
    is_probability,
    is_text,
    number,
    of_size,
    plural,
    printable,
    probability,
    rows,
    scientific,
    significant,
    text_width,
    visible,
)

pytestmark = pytest.mark.once


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
            (-0.0, 3, "0"),
            (1_000_000, 3, "10⁶"),
            (1_230_000, 2, "1230000"),
            (100_000, 1, "100000"),
            (0.9999951, 3, "0.999995"),
            (1_234_567, 3, "1234567"),
            (2_000_000, 1, "2 × 10⁶"),
            (123_456.7, 4, "123500"),
            (99_999.5, 3, "100000"),
            (1_234.56, 2, "1200"),
            (1 - 2e-12, 3, "0.999999999998"),
            (1 - 5e-13, 3, "1"),
            (-1 + 1e-9, 2, "-0.999999999"),
        ],
    )
    def test_significant(self, value: float, digits: int, expected: str) -> None:
        assert significant(value, digits) == expected

    def test_scientific(self) -> None:
        assert scientific(0.001, 1) == "10⁻³"
        assert scientific(1.5e-6, 2) == "1.5 × 10⁻⁶"
        assert scientific(1.04e12, 2) == "10¹²"
        assert scientific(9.87654321e-30, 3) == "9.88 × 10⁻³⁰"
        assert [scientific(float(f"2e{power}"), 1)[6:] for power in (13, 26, 45, 87, 9)] == [
            *["¹³", "²⁶", "⁴⁵", "⁸⁷", "⁹"]
        ]

    def test_a_coordinate_has_two_decimals_at_most(self) -> None:
        assert [number(value) for value in (3, 2.5, 100, 1 / 3, -0.126)] == [
            "3",
            "2.5",
            "100",
            "0.33",
            "-0.13",
        ]

    def test_white_space_is_made_visible(self) -> None:
        assert visible(" a b\n\tc") == "·a·b↵⇥c"

    def test_what_cannot_be_shown_is_written_as_its_code(self) -> None:
        assert printable("aé\x00\u200b\n") == r"aé\x00\x200b\x0a"

    def test_one_thing_is_not_several(self) -> None:
        assert [plural(count, "token") for count in (0, 1, 2)] == ["0 tokens", "1 token", "2 tokens"]

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
            (0.0001234, "0.00012"),
        ],
    )
    def test_probability(self, value: float, expected: str) -> None:
        assert probability(value, 3) == expected

    def test_a_probability_near_one_is_told_with_all_its_decimals(self) -> None:
        assert probability(1 - 1e-12, 8) == "> 0.99999999"


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

    @pytest.mark.parametrize(
        ("characters", "ems"),
        [
            ("Ifijlrt .,:;-·'|/\\()[]!⁰¹²³⁴⁵⁶⁷⁸⁹", 0.42),
            ("MWmw@%—…æœ½™←→", 1.02),
            ("abcdeghknopqsuvxyz0123456789_?$*`{}", 0.64),
            ("éäßñ", 0.66),
            ("#&+<=>^~ABCDEFGHJKLNOPQRSTUVXYZÄÉ×⁻↑↓≤≥αωΩͰ", 0.85),
            ("ÆŒЀЖщ中ﬁ", 1.1),
        ],
    )
    def test_a_class_of_characters_has_one_estimate(self, characters: str, ems: float) -> None:
        assert {text_width(character, 1) for character in characters} == {ems}
        assert text_width(characters, 10, bold=True) == pytest.approx(11.7 * ems * len(characters))

    def test_characters_of_a_fixed_width_font_have_one_width_and_east_asian_ones_two(self) -> None:
        for bold in (False, True):
            assert {text_width(c, 10, mono=True, bold=bold) for c in "iMé·Ж"} == {6.1}
            assert {text_width(c, 10, mono=True, bold=bold) for c in "中猫Ａ"} == {10.5}

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


def test_a_colour_is_a_variable_of_the_page() -> None:
    css = (Path(__file__).parents[3] / "docs" / "assets" / "css" / "course.css").read_text(encoding="utf-8")
    colours = [INK, INK_2, PAPER, GRID, LINE, CELL, JOINT, FULL, FULL_INK, HEAT, HEAT_2, *SERIES]
    for colour in colours:
        found = re.fullmatch(r"var\((--course-[a-z0-9-]+), (currentColor|transparent)\)", colour)
        assert found, colour
        assert f"{found[1]}:" in css
    assert len(SERIES) == 6
    assert len(set(colours)) == len(colours)


class TestCanvas:
    def test_a_picture_has_a_title_a_description_and_its_size(self) -> None:
        svg = Canvas("merge_tree", "17.1", "A\x00", "B < C").finish(10.5)
        assert svg == (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="merge-tree-17.1-title" '
            'aria-describedby="merge-tree-17.1-desc" fill="var(--course-ink, currentColor)" '
            'font-family="var(--md-text-font-family, sans-serif)" font-size="12.5" viewBox="0 0 360 10.5" '
            r'width="360" height="10.5"><title id="merge-tree-17.1-title">A\x00</title>'
            '<desc id="merge-tree-17.1-desc">B &lt; C</desc></svg>'
        )
        assert 'viewBox="0 0 400.5 10" width="400.5" height="10"' in Canvas("a", "1", "A", "B").finish(
            10, 400.5
        )

    def test_without_an_identifier_it_is_refused(self) -> None:
        said = "^drawing cuts: ident is empty; it must be unique on the page, as '17.1'$"
        with pytest.raises(ValueError, match=said):
            Canvas("cuts", "", "A", "B")

    @pytest.mark.parametrize(
        ("shape", "arguments", "drawn"),
        [
            (
                "box",
                (1, 2.345, 3, 4, FULL),
                "<rect x=1 y=2.35 width=3 height=4 rx=3 fill=FULL stroke=LINE />",
            ),
            (
                "box",
                (1, 2, 3, 4, FULL, INK, 0.5),
                "<rect x=1 y=2 width=3 height=4 rx=0.5 fill=FULL stroke=INK />",
            ),
            ("stem", (1, 2, 3.5), "<path d=M1 2V3.5 fill=none stroke=LINE />"),
            (
                "line",
                ([(0, 0), (1, 2), (3, 4)], INK),
                "<path d=M0 0L1 2L3 4 fill=none stroke=INK stroke-linejoin=round />",
            ),
            (
                "line",
                ([(0, 0), (1, 2)], INK, 1.4, "6 4"),
                "<path d=M0 0L1 2 fill=none stroke=INK stroke-linejoin=round stroke-width=1.4 "
                "stroke-dasharray=6 4 />",
            ),
            ("lines", ([], INK), ""),
            (
                "lines",
                ([((0, 0), (1, 1)), ((2, 2), (3, 3))], GRID),
                "<path d=M0 0L1 1M2 2L3 3 fill=none stroke=GRID />",
            ),
            (
                "lines",
                ([((0, 0), (1, 1))], GRID, 0.8),
                "<path d=M0 0L1 1 fill=none stroke=GRID stroke-width=0.8 />",
            ),
            ("shades", ([], HEAT), ""),
            (
                "shades",
                ([((1, 2, 3, 4), 0.12345), ((5, 6, 7, 8), 1)], HEAT),
                "<g fill=HEAT><rect x=1 y=2 width=3 height=4 fill-opacity=0.123 />"
                "<rect x=5 y=6 width=7 height=8 fill-opacity=1 /></g>",
            ),
            (
                "shape",
                ([(0, 0), (1, 0), (1, 1)], INK, PAPER),
                "<path d=M0 0L1 0L1 1Z fill=INK stroke=PAPER />",
            ),
            ("circle", (1, 2, 3, INK, PAPER), "<circle cx=1 cy=2 r=3 fill=INK stroke=PAPER />"),
            (
                "circle",
                (1, 2, 3, INK, PAPER, 1.4),
                "<circle cx=1 cy=2 r=3 fill=INK stroke=PAPER stroke-width=1.4 />",
            ),
            ("text", (1, 2, "a"), "<text x=1 y=2>a</text>"),
            (
                "text",
                (1, 2.5, "b<\x00", INK_2, MEDIUM, "end", True, True, True, True),
                "<text x=1 y=2.5 transform=rotate(-90 1 2.5) fill=INK_2 font-size=14 text-anchor=end "
                r"font-family=MONO font-weight=700 stroke=PAPER stroke-width=3 paint-order=stroke>b&lt;\x00</text>",
            ),
        ],
    )
    def test_a_shape_is_drawn_with_no_more_than_it_needs(
        self, shape: str, arguments: tuple[Any, ...], drawn: str
    ) -> None:
        """`<path d="M1 2" stroke="var(--course-ink, currentColor)" />` is written here as `<path d=M1 2 stroke=INK />`."""
        canvas = Canvas("a", "1", "A", "B")
        getattr(canvas, shape)(*arguments)
        svg = canvas.finish(1).partition("</desc>")[2].removesuffix("</svg>")
        for name, colour in {
            "INK": "var(--course-ink, currentColor)",
            "INK_2": "var(--course-ink-2, currentColor)",
            "PAPER": "var(--course-paper, transparent)",
            "GRID": "var(--course-line, transparent)",
            "LINE": "var(--course-line-strong, currentColor)",
            "FULL": "var(--course-drawing-full, transparent)",
            "HEAT": "var(--course-drawing-heat, transparent)",
            "MONO": "var(--md-code-font-family, monospace)",
        }.items():
            svg = svg.replace(f'"{colour}"', f'"{name}"')
        assert svg.replace('"', "") == drawn


class TestFigures:
    @pytest.mark.parametrize(
        ("check", "right", "wrong"),
        [
            (is_list, [[], [1], (), (1,)], ["ab", b"ab", {}, {1}, None, 3]),
            (is_count, [1, 2, 10**9], [0, -1, 1.0, True, "1", None]),
            (is_number, [0, -1.5, 10**9], [True, False, float("inf"), float("nan"), "1", None]),
            (is_probability, [0, 0.5, 1, 1 + 1e-9], [-1e-9, 1 + 2e-9, 2, True, float("nan"), "1"]),
            (is_text, ["a", " "], ["", None, 3, ["a"]]),
            (is_name, ["a", "a b"], ["", " ", " a", "a ", "a  b", "a\nb", None, 3, ["a"]]),
        ],
    )
    def test_what_a_drawing_takes(self, check: Any, right: list[object], wrong: list[object]) -> None:
        assert [value for value in right if not check(value)] == []
        assert [value for value in wrong if check(value)] == []

    def test_the_rows_of_a_figure_are_a_list_that_is_not_empty(self) -> None:
        assert rows({"a": [1], "b": 3}, "cuts", "a", "a list") == [1]
        with pytest.raises(ValueError, match=r"^drawing cuts: figure 'c' is missing; needed: a list$"):
            rows({"a": [1]}, "cuts", "c", "a list")
        for value in ([], "ab", 3, {"b": 1}):
            said = re.escape(f"drawing cuts: figure 'a' is {value!r}; needed: a list")
            with pytest.raises(ValueError, match=f"^{said}$"):
                rows({"a": value}, "cuts", "a", "a list")

    def test_a_figure_may_be_anything_but_missing(self) -> None:
        assert of_size({"a": {"b": 3}}, "cuts", "a", "a dict") == {"b": 3}
        with pytest.raises(ValueError, match=r"^drawing cuts: figure 'a' is missing; needed: a dict$"):
            of_size({"b": 3}, "cuts", "a", "a dict")

    @pytest.mark.parametrize(
        "value",
        [
            10**15,
            -(10**15),
            10**5000,
            [1, [10**15]],
            [10**15, 1],
            {"b": 10**15, "c": 1},
            {10**15: 1},
            [10**15, {"b": 1}, [1]],
        ],
        ids=["15", "-15", "5000", "last", "first", "value", "key", "before others"],
    )
    def test_a_whole_number_that_is_too_large_is_refused_wherever_it_stands(self, value: object) -> None:
        said = "drawing cuts: figure 'a' has a whole number of more than 15 digits, too large to draw; needed: a dict"
        for figures in ({"a": value}, {"a": [0, {"b": value}, "c"]}):
            with pytest.raises(ValueError, match=f"^{said}$"):
                of_size(figures, "cuts", "a", "a dict")
        largest = [10**15 - 1, 1e300, "10"]
        assert of_size({"a": largest, "b": value}, "cuts", "a", "a dict") == largest
