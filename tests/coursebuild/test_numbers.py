"""Which numbers are claims: every digit and number word, but for names, places in the course and years of sources."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebuild import numbers
from coursebuild.numbers import RECOGNISED, absent_from, find, normalise, spelled

pytestmark = pytest.mark.once

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def found(text: str) -> list[str]:
    return [number.text for number in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Twenty-one", ["Twenty"]),
        ("two-thirds", ["two", "thirds"]),
        ("one-third, one third", ["one-third", "one third"]),
        ("a third of them, a tenth of it", ["a third", "a tenth"]),
        ("TWO tWo Two's", ["TWO", "tWo", "Two"]),
        ("fifty‐five, fifty–five, fiftyfive", ["fifty", "five", "fifty", "five", "fiftyfive"]),
        ("sevenfold, two-fold, hundredfold", ["sevenfold", "two", "hundredfold"]),
        ("half-hearted, double-edged, quarter", ["half", "double", "quarter"]),
        ("three\u00a0times, 1\u00a0000, 1\u2009000", ["three", "1", "000", "1", "000"]),
        ("½ ² x² Ⅳ ① ３ ٣ ৩", ["½", "²", "x²", "Ⅳ", "①", "３", "٣", "৩"]),
        ("3x ×3 x3 3× 3rd 1/3 3e5 1_000 0x10", ["3x", "3", "x3", "3", "3rd", "1/3", "3e5", "1_000", "0x10"]),
        ("-3 +3 $3 3% 6.67×", ["3", "3", "3", "3%", "6.67"]),
        ("doubly, triply, halfway", ["doubly", "triply", "halfway"]),
        ("a fifth. a tenth as many, a quarter", ["a fifth", "a tenth", "a quarter"]),
        ("two tenths, three fifths, thousandths", ["two", "tenths", "three", "fifths", "thousandths"]),
        ("_40_ __40__", ["40", "40"]),
        ("trillions dozens", ["trillions", "dozens"]),
    ],
)
def test_numbers_are_found_in_any_dress(text: str, expected: list[str]) -> None:
    assert sorted(found(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "one", "often", "weighted", "attention", "the third panel", "a second rule", "a fifth panel", "network", "someone", "stone", "freight",
        "UTF-8", "GPT-2", "Llama-3.1", "gpt2", "cl100k_base", "o200k_base", "U+03AC", "SHA-256", "utf8", "Python 3.11", "Python 3.11 to 3.14",
        "lesson 17", "Lessons 17-21", "lessons 17, 18 and 19", "panel 17.2", "panels 17.1 and 17.2", "panel rotary.2", "panels smoothing.4 and norms-and-gates.1", "(section 3)", "NumPy 2.1", "v1.2.3",
        "Sennrich et al. (2016)", "(Sennrich et al., 2016)", "Sennrich et al. 2016", "Gage (1994)", "in 2016.", "Since 2019, models",
        "in May 2024", "12 May 2024", "CC BY-SA 4.0", "WCAG 2.2",
    ],
)  # fmt: skip
def test_names_places_and_years_are_no_claims(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "panel 40 tokens", "each step 40 times", "a part 3 times as big", "the figure 4 shows", "section 40%", "lesson 17%",
        "in 2020 words", "since 1999 tokens", "tokens (2000)", "(costs 2020)", "(about 1900)", "Greek, 2000 tokens", "40 May 2024",
        "Python 3.11 to 6.67 times", "Python 40", "lesson 17 costs 40", "GPT-2 costs 40", "lesson 170", "(2020)", "panel 17.2 times 3", "rotary.2", "panel rotary.2 times 3", "panel rotary.2%",
        "Two (2016)", "In Two, 2016)", "Sennrich et al. (2048)", "in 2096.", "Gage (1799)", "in 1700.",
    ],
)  # fmt: skip
def test_a_claim_does_not_pass_as_a_name_a_place_or_a_year(text: str) -> None:
    assert found(text)


NEUTRAL = st.text(st.sampled_from("abé猫 .,;:-_()[]*'\"\n\t/×%"), max_size=12)


@steady
@given(NEUTRAL, st.from_regex(r"[0-9]{1,6}([.,][0-9]{1,3})?", fullmatch=True), NEUTRAL)
def test_every_run_of_digits_is_found_outside_recognised_forms(before: str, digits: str, after: str) -> None:
    text = before + digits + after
    spans = [span for pattern in RECOGNISED for span in (match.span() for match in pattern.finditer(text))]
    seen = [(number.start, number.end) for number in find(text)]
    for run in re.finditer(r"\d+", text):
        assert any(start <= run.start() and run.end() <= end for start, end in [*spans, *seen])


@steady
@given(
    NEUTRAL,
    st.sampled_from(sorted(numbers.WORDS)),
    NEUTRAL,
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_every_number_word_is_found(before: str, word: str, after: str, case: object) -> None:
    text = f"{before} {case(word)} {after}"  # type: ignore[operator]
    assert case(word) in [number.text for number in find(text)]  # type: ignore[operator]


@steady
@given(st.text(max_size=30))
def test_a_found_number_stands_where_it_says(text: str) -> None:
    for number in find(text):
        assert text[number.start : number.end] == number.text


def test_every_numeric_character_is_found() -> None:
    for character in map(chr, range(0x10000)):
        if re.match(r"\d", character) or (character.isnumeric() and not character.isalpha()):
            assert found(f"a {character} b"), hex(ord(character))


def test_normalising_shows_what_a_reader_sees() -> None:
    assert normalise("&#52;0 &half; th\u200bree t&shy;wo ｔｗｏ") == "40 ½ three two two"
    assert found(normalise("x&sup2;")) == ["x²"]


@pytest.mark.parametrize(
    ("claim", "values", "absent"),
    [
        ("11 of 16", ["[11, 16]"], []),
        ("11 of 16", ["[11, 17]"], ["16"]),
        ("twice the cost", ["2"], []),
        ("two thirds", ["2"], ["thirds"]),
        ("1/3 of it", ["1"], ["1/3"]),
        ("½ of it", ["1", "2"], ["½"]),
        ("2.5 tokens", ["[2, 5]"], ["2.5"]),
        ("1,000 tokens", ["1000"], []),
        ("three", ["'three words'"], []),
        ("6k tokens", ["6"], ["6k"]),
        ("6k tokens", ["'6k'"], []),
        ("6% of it", ["6", "0.06"], ["6%"]),
        ("6% of it", ["'6%'"], []),
        ("6 of it", ["'6%'"], ["6"]),
        ("6x", ["6"], ["6x"]),
        ("6GB", ["6"], ["6GB"]),
        ("40", ["'v40'"], ["40"]),
        ("40", ["'1.40'", "'40.1'", "'4:40'", "'x/40'", "'40k'"], ["40"]),
        ("40", ["'at 40, say'"], []),
        ("8", ["'UTF-8'", "'8-bit'"], ["8"]),
        ("8", ["-8"], []),
        ("40", ["np.int64(40)"], []),
        ("64", ["np.int64(40)"], ["64"]),
        ("40", ["{40: -1}"], []),
        ("1", ["{40: -1}"], []),
        ("a 16-token text", ["16"], []),
        ("0.00001", ["1e-05"], []),
    ],
)
def test_a_number_of_a_claim_is_looked_for_among_the_values(
    claim: str, values: list[str], absent: list[str]
) -> None:
    assert [number.text for number in absent_from(find(claim), *values)] == absent


@steady
@given(st.integers(-5, 25))
def test_spelled_writes_small_whole_numbers(value: int) -> None:
    word = spelled(value)
    assert word == (numbers.SMALL[value] if 0 <= value <= 19 else str(value))


def test_spelled_leaves_the_rest() -> None:
    assert [spelled(value) for value in (True, 2.0, "x")] == ["True", "2.0", "x"]
