"""Numbers are written without becoming others, and texts are not wider than thought."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coursebuild.drawings import (
    cuts,
    next_words,
)
from coursebuild.drawings.svg import printable, probability, scientific, significant, text_width

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
