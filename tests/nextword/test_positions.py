"""nextword.positions against the figures of lesson 21, complex numbers and the laws of rotation."""

import cmath
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.attention import scaled_dot_product_attention
from nextword.matrices import dot
from nextword.positions import (
    PAIRINGS,
    pairs_of,
    position_rates,
    rotate,
    rotate_rows,
    sinusoidal_position,
    sinusoidal_positions,
)

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-21.json").read_text(encoding="utf-8"))[
    "21.4"
]
WANTED, EXTRA = FACTS["expected"], FACTS["extra_not_in_source"]

steady = settings(derandomize=True, deadline=None, max_examples=100, database=None)

numbers = st.floats(-10, 10, allow_subnormal=False)
even_vectors = st.integers(1, 6).flatmap(lambda half: st.lists(numbers, min_size=2 * half, max_size=2 * half))
vector_pairs = st.integers(1, 6).flatmap(
    lambda half: st.tuples(*[st.lists(numbers, min_size=2 * half, max_size=2 * half)] * 2)
)
places = st.integers(0, 500)
pairings = st.sampled_from(PAIRINGS)


def turned(vector, position, pairing, base=10_000.0):
    """Rotation as multiplication of complex numbers, by slices instead of pairs of places."""
    half = len(vector) // 2
    firsts, seconds = (
        (vector[::2], vector[1::2]) if pairing == "interleaved" else (vector[:half], vector[half:])
    )
    turns = [
        complex(x, y) * cmath.exp(1j * position * base ** (-i / half))
        for i, (x, y) in enumerate(zip(firsts, seconds, strict=True))
    ]
    if pairing == "interleaved":
        return [part for turn in turns for part in (turn.real, turn.imag)]
    return [turn.real for turn in turns] + [turn.imag for turn in turns]


# Sinusoidal positions: the figures.


def test_the_table_of_panel_21_4():
    encodings = sinusoidal_positions(6, 8)
    assert encodings == [pytest.approx(row, abs=1e-15) for row in WANTED["pe"]]
    assert [[f"{number:.4f}" for number in row] for row in encodings] == WANTED["pe_printed"]
    assert [f"{math.sqrt(dot(row, row)):.6f}" for row in encodings] == WANTED["norms_printed"]
    dots = [dot(encodings[0], row) for row in encodings]
    assert dots == pytest.approx(WANTED["dots"], abs=1e-14)
    assert [f"{number:.4f}" for number in dots] == WANTED["dots_printed"]
    assert dots[1] > dots[2] > dots[3] < dots[4]
    assert sinusoidal_position(3, 8) == encodings[3]


def test_the_rates_of_panel_21_4():
    assert position_rates(8) == pytest.approx(EXTRA["d8_rates"], rel=1e-15)
    assert 2 * math.pi / position_rates(8)[0] == EXTRA["fastest_period"]


def test_the_dot_products_further_out():
    encodings = sinusoidal_positions(len(EXTRA["d8_dots_to_40"]), 8)
    assert [dot(encodings[0], row) for row in encodings] == pytest.approx(EXTRA["d8_dots_to_40"], abs=1e-12)


def test_the_dot_products_at_width_768():
    encodings = sinusoidal_positions(200, 768)
    dots = [dot(encodings[0], row) for row in encodings]
    assert dots[:12] == pytest.approx(EXTRA["d768_dot_first_12"], abs=1e-9)
    rises_after = [k for k in range(199) if dots[k + 1] > dots[k]]
    assert rises_after[0] == EXTRA["d768_first_uptick_k"] == 43
    assert len(rises_after) == EXTRA["d768_upticks_in_200"]
    assert max(dots[4:]) == pytest.approx(EXTRA["d768_max_for_k>=4"], abs=1e-9)
    assert dots[0] == pytest.approx(EXTRA["d768_self"], abs=1e-9)


# Sinusoidal positions: the laws.


@steady
@given(st.integers(1, 20), st.integers(1, 12), st.floats(1.5, 1e6))
def test_sinusoids_agree_with_numpy(n, half, base):
    angles = np.arange(n)[:, None] / base ** (np.arange(half) / half)
    wanted = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(n, 2 * half)
    assert np.allclose(sinusoidal_positions(n, 2 * half, base), wanted, rtol=0, atol=1e-12)


@steady
@given(places, st.integers(1, 12))
def test_all_encodings_are_equally_long(position, half):
    encoding = sinusoidal_position(position, 2 * half)
    assert dot(encoding, encoding) == pytest.approx(half, rel=1e-12)


@steady
@given(places, places, st.integers(0, 100), st.integers(1, 12))
def test_dot_products_of_encodings_depend_on_the_offset(one, other, offset, half):
    def product(start):
        return dot(sinusoidal_position(start, 2 * half), sinusoidal_position(start + offset, 2 * half))

    assert product(one) == pytest.approx(product(other), abs=1e-10)


# Rotary positions.


def test_the_scores_of_correction_14():
    query, key = (FACTS["inputs"]["embedding"][token] for token in ("cat", "milk"))
    for start, wanted in zip((0, 1, 5, 50), EXTRA["rope_scores_same_offset_2"], strict=True):
        assert dot(rotate(query, start + 2), rotate(key, start)) == pytest.approx(wanted, abs=1e-14)
    assert dot(rotate(query, 3), key) == pytest.approx(EXTRA["rope_score_offset_3"], abs=1e-14)


def test_a_quarter_turn_by_hand():
    quarter = math.pi / 2  # of the first pair, and a hundredth of it for the second
    small = math.pi / 200
    assert rotate([1.0, 0.0, 1.0, 0.0], quarter) == pytest.approx(
        [0.0, 1.0, math.cos(small), math.sin(small)], abs=1e-15
    )
    assert rotate([1.0, 1.0, 0.0, 0.0], quarter, "halved") == pytest.approx(
        [0.0, math.cos(small), 1.0, math.sin(small)], abs=1e-15
    )


def test_pairs():
    assert pairs_of(2) == pairs_of(2, "halved") == [(0, 1)]
    assert pairs_of(8) == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert pairs_of(8, "halved") == [(0, 4), (1, 5), (2, 6), (3, 7)]


@steady
@given(even_vectors, st.floats(-500, 500), pairings, st.floats(2, 1e6))
def test_rotation_is_multiplication_of_complex_numbers(vector, position, pairing, base):
    assert rotate(vector, position, pairing, base) == pytest.approx(
        turned(vector, position, pairing, base), abs=1e-9
    )


@steady
@given(vector_pairs, places, places, st.integers(-100, 100), pairings)
def test_scores_depend_on_the_offset_alone(pair, one, other, offset, pairing):
    query, key = pair

    def score(start):
        return dot(rotate(query, start + offset, pairing), rotate(key, start, pairing))

    assert score(one) == pytest.approx(score(other), abs=1e-9)
    assert score(0) == pytest.approx(dot(rotate(query, offset, pairing), key), abs=1e-9)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_scores_do_depend_on_the_offset_and_on_the_content(pairing):
    query, key = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]
    scores = {offset: dot(rotate(query, offset, pairing), key) for offset in range(5)}
    assert len({round(score, 6) for score in scores.values()}) == 5
    assert dot(rotate(key, 2, pairing), key) != pytest.approx(scores[2])


def test_mixed_pairings_depend_on_where_the_tokens_are():
    query, key = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]

    def score(start):
        return dot(rotate(query, start + 2, "interleaved"), rotate(key, start, "halved"))

    assert score(0) == pytest.approx(dot(rotate(query, 2), key))  # position 0 turns nothing
    assert score(1) - score(0) > 5


@steady
@given(even_vectors, places)
def test_one_pairing_is_the_other_after_a_permutation(vector, position):
    width = len(vector)
    order = [place for pair in pairs_of(width, "halved") for place in pair]
    permuted = [vector[place] for place in order]
    rotated = rotate(vector, position, "halved")
    assert rotate(permuted, position, "interleaved") == [rotated[place] for place in order]


@steady
@given(even_vectors, places, places, pairings)
def test_rotations_add_up_and_keep_lengths(vector, one, other, pairing):
    twice = rotate(rotate(vector, one, pairing), other, pairing)
    assert twice == pytest.approx(rotate(vector, one + other, pairing), abs=1e-9)
    assert rotate(rotate(vector, one, pairing), -one, pairing) == pytest.approx(vector, abs=1e-9)
    assert rotate(vector, 0, pairing) == vector
    assert math.hypot(*twice) == pytest.approx(math.hypot(*vector), abs=1e-9)


@steady
@given(st.integers(1, 6), places)
def test_sinusoids_are_a_rotated_hand(half, position):
    """The encoding of a position is that of position 0, (sine, cosine) = (0, 1), turned back by the position."""
    start = sinusoidal_position(0, 2 * half)
    assert rotate(start, -position) == pytest.approx(sinusoidal_position(position, 2 * half), abs=1e-12)


def test_rotate_rows_counts_from_the_start():
    rows = [[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 2.0, 0.0], [3.0, 1.0, -2.0, 1.0]]
    assert rotate_rows(rows) == [rotate(row, place) for place, row in enumerate(rows)]
    assert rotate_rows(rows, "halved", 500.0, start=7) == [
        rotate(row, 7 + place, "halved", 500.0) for place, row in enumerate(rows)
    ]


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_attention_with_rotated_queries_and_keys_ignores_the_start(pairing):
    queries = [[1.0, -0.5, 0.3, 2.0], [0.2, 0.9, -1.0, 0.4], [1.5, 0.1, 0.7, -0.6]]
    keys = [[0.3, 1.0, -0.2, 0.5], [1.1, 0.4, 0.8, -0.9], [-0.7, 0.6, 0.2, 1.3]]
    weights = [
        scaled_dot_product_attention(
            rotate_rows(queries, pairing, start=start), rotate_rows(keys, pairing, start=start), queries
        )[1]
        for start in (0, 17)
    ]
    assert weights[0] == [pytest.approx(row, abs=1e-12) for row in weights[1]]
    unturned = scaled_dot_product_attention(queries, keys, queries)[1]
    assert weights[0] != [pytest.approx(row, abs=1e-3) for row in unturned]


def test_arguments_stay_as_they_are():
    vector, rows = [1.0, 2.0], [[1.0, 2.0]]
    rotate(vector, 1)
    rotate_rows(rows, start=1)
    assert vector == [1.0, 2.0] and rows == [[1.0, 2.0]]


# Bad input.

CALLS = {
    "width": lambda value: position_rates(value),
    "width of a position": lambda value: sinusoidal_position(0, value),
    "width of positions": lambda value: sinusoidal_positions(1, value),
    "width of pairs": lambda value: pairs_of(value),
}


@pytest.mark.parametrize("value", [0, 1, 3, 7, -2, 2.0, "2", None, True])
@pytest.mark.parametrize("call", CALLS)
def test_widths_that_are_odd_or_none(call, value):
    with pytest.raises(
        ValueError, match=r"^width must be (a whole number of at least 2|an even number), not "
    ):
        CALLS[call](value)


@pytest.mark.parametrize("vector", [[1.0], [1.0, 2.0, 3.0]])
def test_vectors_of_an_odd_width(vector):
    with pytest.raises(ValueError, match=r"^the width of vector must be "):
        rotate(vector, 1)
    with pytest.raises(ValueError, match=r"^the width of vector must be "):
        rotate_rows([vector])


@pytest.mark.parametrize(
    "vector", [None, [], "12", [[1.0, 2.0]], [1.0, math.nan], [math.inf, 0.0], [True, False]]
)
def test_vectors_that_are_none(vector):
    with pytest.raises(ValueError, match=r"^vector must "):
        rotate(vector, 1)


@pytest.mark.parametrize("matrix", [None, [], [1.0, 2.0], [[1.0, 2.0], [1.0]]], ids=repr)
def test_matrices_that_are_none(matrix):
    with pytest.raises(ValueError, match=r"^(row \d of )?matrix must "):
        rotate_rows(matrix)


@pytest.mark.parametrize("base", [0, -1.0, 5e-324, 1e-101, math.inf, math.nan, "2", None, True])
def test_bases_that_are_none(base):
    for call in (
        lambda: position_rates(4, base),
        lambda: sinusoidal_position(1, 4, base),
        lambda: sinusoidal_positions(2, 4, base),
        lambda: rotate([1.0, 2.0], 1, base=base),
        lambda: rotate_rows([[1.0, 2.0]], base=base),
    ):
        with pytest.raises(ValueError, match=r"^base must be a finite number of at least 1e-100, not "):
            call()


@pytest.mark.parametrize("pairing", ["", "half", "Interleaved", None, 2])
def test_pairings_that_are_none(pairing):
    for call in (
        lambda: pairs_of(4, pairing),
        lambda: rotate([1.0, 2.0], 1, pairing),
        lambda: rotate_rows([[1.0, 2.0]], pairing),
    ):
        with pytest.raises(ValueError, match=r"^pairing must be 'interleaved' or 'halved', not "):
            call()


@pytest.mark.parametrize("position", [-1, 1.0, 2**53 + 1, 10**400, None, "1", True])
def test_positions_that_are_none(position):
    with pytest.raises(
        ValueError, match=r"^position must be a whole number from 0 to 9007199254740992, not "
    ):
        sinusoidal_position(position, 4)
    with pytest.raises(ValueError, match=r"^start must be a whole number from 0 to 9007199254740992, not "):
        rotate_rows([[1.0, 2.0]], start=position)


@pytest.mark.parametrize("position", [math.nan, math.inf, 2**53 + 2, -1e20, 10**400, None, "1", True])
def test_turns_that_are_none(position):
    with pytest.raises(ValueError, match=r"^position must be a finite number"):
        rotate([1.0, 2.0], position)


@pytest.mark.parametrize("n", [0, -1, 2.0, None, True])
def test_counts_that_are_none(n):
    with pytest.raises(ValueError, match=r"^n must be a whole number of at least 1"):
        sinusoidal_positions(n, 4)


def test_the_last_positions_are_told_apart_and_the_smallest_base_does():
    assert rotate([1.0, 0.0], 2**53) != rotate([1.0, 0.0], 2**53 - 1)
    assert sinusoidal_position(2**53, 2) != sinusoidal_position(2**53 - 1, 2)
    assert all(map(math.isfinite, position_rates(2000, 1e-100)))
    assert all(map(math.isfinite, rotate([1.0] * 2000, -(2**53), base=1e-100)))
    with pytest.raises(ValueError, match=r"^start must be a whole number from 0 to 9007199254740991, not "):
        rotate_rows([[1.0, 0.0]] * 2, start=2**53)
