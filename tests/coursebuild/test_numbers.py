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
        "one", "often", "weighted", "attention", "the third panel", "a second rule", "a fifth panel", "network", "twentyten", "someone", "stone", "freight",
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
        ("3 words", ["'three words'"], []),
        ("TWO words", ["'Two words'"], []),
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


def test_the_words_begin_with_zero_and_end_with_nineteen() -> None:
    assert [spelled(value) for value in (0, 16, 17, 19)] == ["zero", "sixteen", "seventeen", "nineteen"]


def test_spelled_leaves_the_rest() -> None:
    assert [spelled(value) for value in (True, 2.0, "x")] == ["True", "2.0", "x"]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("two", 2), ("twelve", 12), ("Nineteen", 19), ("twenty", 20), ("ninety", 90), ("twentyone", 21), ("ninetynine", 99), ("dozen dozens", 12),
        ("hundred hundreds hundredfold", 100), ("thousand thousands thousandfold", 1000), ("million millions", 1e6), ("billion billions", 1e9), ("trillion trillions", 1e12),
        ("twofold", 2), ("nineteenfold", 19), ("thirtyfold", 30), ("twice double doubly doubles doubled doubling", 2),
        ("thrice triple triply triples tripled tripling", 3), ("quadruple quadruples quadrupled quadrupling", 4), ("half halves halved halving halfway", 1 / 2),
        ("thirds", 1 / 3), ("quarter quarters", 1 / 4), ("fifths", 1 / 5), ("sixths", 1 / 6), ("ninths", 1 / 9), ("tenths", 1 / 10), ("hundredths", 1 / 100), ("thousandths", 1 / 1000),
        ("16 16.0 16-token 16% 16k", 16), ("1,000 1000", 1000), ("2.5", 2.5), ("1,000,000", 1e6),
    ],
)  # fmt: skip
def test_a_number_has_its_value(words: str, value: float) -> None:
    assert [number.value for number in find(words)] == [value] * len(words.split())


@pytest.mark.parametrize("text", ["1/3", "a third", "½", "1,000-2", "6.67-7", "1e5"])
def test_a_number_that_is_none_or_several_has_no_value(text: str) -> None:
    assert next(find(text)).value is None


def test_numbers_stand_where_they_are_written() -> None:
    text = "UTF-8 costs 40 or two"
    assert [(text[: number.start], text[number.end :]) for number in find(text)] == [
        ("UTF-8 costs ", " or two"),
        ("UTF-8 costs 40 or ", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "NumPy 2.1", "MkDocs 1.6", "PyTorch 2.4 and 2.5", "Transformers 4.40.1", "version 3.4, 3.5 or 3.6", "Python 3.11, 3.12 and 3.13", "1.2.3", "CC BY 4.0", "U+1F600", "U+00e9",
        "Lesson 1", "lesson 17-18", "Panel 17.1", "Exercise 17.1", "exercises 17.1, 17.2 and 17.3", "Section 3.", "a chapter 4, b", "Chapter 4)", "part 5; c", "Part 5]", "Figure 6: d", "step 7.1.2)", "Step 7.",
        "T5-base", "bert_2-base", "Gage et al., 1994", "Gage et al. (1994a)", "(Gage, 1994)", "O’Neill-Smith (2016b)", "In 1994,", "in 2029", "since 1800 the", "In 2016 and", "in 2016 with",
        "in 2016 as", "in 2016 at", "in 2016 by", "in 2016 for", "in 2016 from", "in 2016 in", "in 2016 it", "in 2016 to", "in 2016 when", "in 2016; in 2016: (in 2016)",
        "January 2016", "1 February 2016", "9 March 2016", "10 April 2016", "19 May 2016", "20 June 2016", "29 July 2016", "30 August 2016", "31 September 2016", "October 2016", "November 2016", "December 2016",
    ],
)  # fmt: skip
def test_each_name_version_place_and_date_is_recognised(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Python 3.11%", ["3.11%"]), ("aPython 3.11", ["3.11"]), ("NumPy 2.1x", ["2.1x"]), ("NumPy 2", ["2"]), ("1.2.3%", ["1.2.3%"]), ("CC BY 4.05", ["4.05"]),
        ("WCAG 2.22", ["2.22"]), ("U+03AC03AC", ["U+03AC03AC"]), ("mylesson 17", ["17"]), ("lesson 17.5", ["17.5"]), ("x3 X3", ["x3", "X3"]), ("32 May 2024", ["32"]), ("40 May 2024", ["40"]),
        ("May 2024xy", ["2024xy"]), ("in 2016ab.", ["2016ab"]), ("begin 2016.", ["2016"]), ("In 2016 tokens", ["2016"]), ("section 3 tokens", ["3"]), ("section 3.5.", []), ("section 3,5", ["3,5"]),
        ("subpanel 17.1", ["17.1"]), ("exercise 17.1%", ["17.1%"]), ("exercise 17", ["17"]), ("preexercise 17.1", ["17.1"]),
    ],
)  # fmt: skip
def test_what_only_resembles_a_recognised_form_is_a_claim(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("panels 17.1 and 17.2, panel rotary.2", ["17.1", "17.2", "rotary.2"]),
        ("Panel norms-and-gates.1 to 4.2", ["norms-and-gates.1", "4.2"]),
        ("Exercises 17.1, 17.2 or 18.1", ["exercise-17.1", "exercise-17.2", "exercise-18.1"]),
        ("exercise 3.1 follows panel 3.2", ["3.2", "exercise-3.1"]),
        ("panel 17, 17.1 alone, panel 17.1%", []),
    ],
)
def test_the_panels_and_exercises_that_a_text_names(text: str, named: list[str]) -> None:
    assert numbers.panels_named(text) == named


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plain", ""), ("é ½", ""), ("\U0001f469\u200d\U0001f4bb", ""), ("a\u200bb\u00ad", "ZERO WIDTH SPACE"), ("so\u00adft", "SOFT HYPHEN"), ("\u2764\ufe0f", "VARIATION SELECTOR-16"),
        ("x\ufe00", "VARIATION SELECTOR-1"), ("x\U000e0100", "VARIATION SELECTOR-17"), ("x\U000e01ef", "VARIATION SELECTOR-256"), ("x\ufdff \ufe10", ""), ("x\U000e0041", "TAG LATIN CAPITAL LETTER A"),
    ],
)  # fmt: skip
def test_an_invisible_character_is_told_by_its_name(text: str, name: str) -> None:
    assert numbers.invisible(text) == name


def test_normalising_changes_letters_alone() -> None:
    assert normalise("& &amp; ½ ² ｔ ﬁ é 3") == "& & ½ ² t fi é 3"
    assert normalise("a &lt; b") == "a < b"
