"""nextword.matrices against exact arithmetic, NumPy and the laws of matrices."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.matrices import (
    add,
    add_to_rows,
    dot,
    draw_matrix,
    matmul,
    require_matrix,
    scale,
    shape_of,
    transpose,
    vector_matrix,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
widths = st.integers(1, 5)


def matrices(rows, columns, entries=numbers):
    return st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def several(draw, *shape_names, entries=numbers):
    """Matrices whose shapes are named by letters, such as "nd" and "de": one letter, one width."""
    sizes = {letter: draw(widths) for letter in sorted(set("".join(shape_names)))}
    return [draw(matrices(sizes[rows], sizes[columns], entries)) for rows, columns in shape_names]


def exact(row, column):
    """The sum of the products as Python's floats have them, without rounding the sum."""
    return float(sum(Fraction(x * y) for x, y in zip(row, column, strict=True)))


# Values.


def test_matmul_by_hand():
    a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    b = [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]
    assert matmul(a, b) == [[58.0, 64.0], [139.0, 154.0]]
    assert matmul(b, a) == [[39.0, 54.0, 69.0], [49.0, 68.0, 87.0], [59.0, 82.0, 105.0]]


def test_sums_are_rounded_once():
    assert dot([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]) == 1.0
    assert matmul([[0.1] * 10], [[1.0]] * 10) == [[1.0]]
    assert vector_matrix([0.1] * 10, [[1.0]] * 10) == [1.0]


def test_shape_of():
    assert shape_of([[1.0, 2.0, 3.0]]) == (1, 3)
    assert shape_of([[True], [False]]) == (2, 1)


def test_add_to_rows_adds_to_each_row():
    assert add_to_rows([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [10.0, 20.0]) == [
        [11.0, 22.0],
        [13.0, 24.0],
        [15.0, 26.0],
    ]


def test_scale():
    assert scale([[1.0, -2.0], [0.5, 0.0]], -4) == [[-4.0, 8.0], [-2.0, 0.0]]


def test_whole_numbers_and_tuples_do():
    assert matmul(((1, 2),), ((3,), (4,))) == [[11.0]]
    assert transpose(((1, 2), (3, 4))) == [[1, 3], [2, 4]]


def test_what_is_too_large_for_a_float():
    for factors in ([1e200], [1e200]), ([1e308, 1e308], [1.0, 1.0]), ([1e200, 1e200], [1e200, -1e200]):
        with pytest.raises(OverflowError, match=r"^a sum of products is too large for a float$"):
            dot(*factors)
        with pytest.raises(OverflowError, match=r"^a sum of products is too large for a float$"):
            matmul([factors[0]], transpose([factors[1]]))


# Draws.


def test_draw_matrix_draws_row_by_row():
    rng = random.Random(7)
    wanted = [rng.uniform(-0.5, 0.5) for _ in range(6)]
    assert draw_matrix(2, 3, 0.5, random.Random(7)) == [wanted[:3], wanted[3:]]


def test_draw_matrix_keeps_within_the_limit():
    drawn = [x for row in draw_matrix(40, 50, 1.5, random.Random(42)) for x in row]
    assert -1.5 <= min(drawn) < -1.49 and 1.49 < max(drawn) <= 1.5


# Laws.


@steady
@given(several("nd", "de"))
def test_matmul_agrees_with_exact_arithmetic(pair):
    a, b = pair
    assert matmul(a, b) == [[exact(row, column) for column in zip(*b, strict=True)] for row in a]


@steady
@given(several("nd", "de"))
def test_matmul_agrees_with_numpy(pair):
    a, b = pair
    assert np.allclose(matmul(a, b), np.array(a) @ np.array(b), rtol=1e-9, atol=1e-2)


@steady
@given(several("nd", "de"))
def test_matmul_is_made_of_dots_and_of_rows(pair):
    a, b = pair
    product = matmul(a, b)
    assert shape_of(product) == (len(a), len(b[0]))
    assert product == [[dot(row, column) for column in transpose(b)] for row in a]
    assert product == [vector_matrix(row, b) for row in a]


@steady
@given(several("nd", "de"))
def test_transpose_turns_a_product_around(pair):
    a, b = pair
    assert transpose(transpose(a)) == a
    assert transpose(matmul(a, b)) == matmul(transpose(b), transpose(a))


@steady
@given(several("nd", "de", "ef", entries=st.integers(-50, 50).map(float)))
def test_matmul_is_associative(triple):
    a, b, c = triple
    assert matmul(matmul(a, b), c) == matmul(a, matmul(b, c))


@steady
@given(several("nd", "nd", "de", entries=st.integers(-50, 50).map(float)), st.integers(-9, 9))
def test_matmul_is_linear(triple, factor):
    a, b, c = triple
    assert matmul(add(a, b), c) == add(matmul(a, c), matmul(b, c))
    assert matmul(scale(a, factor), c) == scale(matmul(a, c), factor)


@steady
@given(several("nd"), st.randoms(use_true_random=False))
def test_the_order_of_the_terms_changes_no_digit(single, rng):
    (a,) = single
    order = list(range(len(a[0])))
    rng.shuffle(order)
    shuffled = [[row[place] for place in order] for row in a]
    assert matmul(a, transpose(a)) == matmul(shuffled, transpose(shuffled))


@steady
@given(several("nd", "nd"))
def test_add_and_add_to_rows(pair):
    a, b = pair
    assert np.array_equal(add(a, b), np.array(a) + np.array(b))
    assert add(a, b) == add(b, a)
    assert np.array_equal(add_to_rows(a, b[0]), np.array(a) + np.array(b[0]))


def test_arguments_stay_as_they_are():
    a = [[1.0, 2.0], [3.0, 4.0]]
    kept = [list(row) for row in a]
    results = [matmul(a, a), transpose(a), add(a, a), add_to_rows(a, a[0]), scale(a, 2)]
    for result in results:
        for row in result:
            row[0] = 99.0
    assert a == kept


# Bad input.

NO_MATRIX = [
    None,
    3.0,
    "12",
    [],
    [[]],
    [[], []],
    [1.0],
    ["12"],
    [[1.0], [1.0, 2.0]],
    [["1"]],
    [[None]],
    [[True]],
    {1: 2},
]
NO_MATRIX += [[[math.nan]], [[math.inf]], [[0.0], [-math.inf]]]
one = [[1.0]]


TAKES_A_MATRIX = {
    "matmul a": lambda value: matmul(value, one),
    "matmul b": lambda value: matmul(one, value),
    "add a": lambda value: add(value, one),
    "add b": lambda value: add(one, value),
    "transpose matrix": transpose,
    "scale matrix": lambda value: scale(value, 2),
    "add_to_rows matrix": lambda value: add_to_rows(value, [1.0]),
    "vector_matrix matrix": lambda value: vector_matrix([1.0], value),
    "require_matrix thing": lambda value: require_matrix("thing", value),
}
TAKES_A_VECTOR = {
    "dot a": lambda value: dot(value, [1.0]),
    "dot b": lambda value: dot([1.0], value),
    "vector_matrix vector": lambda value: vector_matrix(value, one),
    "add_to_rows vector": lambda value: add_to_rows(one, value),
}


@pytest.mark.parametrize("value", NO_MATRIX, ids=repr)
@pytest.mark.parametrize("call", TAKES_A_MATRIX)
def test_what_is_no_matrix(call, value):
    with pytest.raises(ValueError, match=rf"^(row \d of )?{call.split()[1]} must "):
        TAKES_A_MATRIX[call](value)


@pytest.mark.parametrize(
    "value", [None, 3.0, "12", [], [[1.0]], ["1"], [True], [math.nan], [math.inf]], ids=repr
)
@pytest.mark.parametrize("call", TAKES_A_VECTOR)
def test_what_is_no_vector(call, value):
    with pytest.raises(ValueError, match=f"^{call.split()[1]} must "):
        TAKES_A_VECTOR[call](value)


def test_the_messages_name_the_row():
    with pytest.raises(ValueError) as caught:
        require_matrix("keys", [[1.0, 2.0], [3.0]])
    assert str(caught.value) == "keys must have rows of one width, but row 0 has 2 numbers and row 1 1"
    with pytest.raises(ValueError) as caught:
        require_matrix("keys", [[1.0, 2.0], [3.0, math.inf]])
    assert str(caught.value) == "row 1 of keys must hold finite numbers, not inf"


@pytest.mark.parametrize(
    ("call", "message"),
    {
        matmul: "a must be as wide as b has rows, not of the shapes (2, 3) and (2, 1)",
        add: "a and b must have one shape, not the shapes (2, 3) and (2, 1)",
        lambda a, b: vector_matrix(a[0], b): (
            "vector must be as wide as matrix has rows, not of the shapes (1, 3) and (2, 1)"
        ),
        lambda a, b: add_to_rows(a, b[0]): (
            "matrix and vector must have rows of one width, not the shapes (2, 3) and (1, 1)"
        ),
        lambda a, b: dot(a[0], b[0]): "a and b must have one width, not 3 and 1",
    }.items(),
    ids=["matmul", "add", "vector_matrix", "add_to_rows", "dot"],
)
def test_shapes_that_do_not_fit(call, message):
    with pytest.raises(ValueError) as caught:
        call([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0], [2.0]])
    assert str(caught.value) == message


@pytest.mark.parametrize("factor", [None, "2", math.nan, math.inf, True])
def test_factors_that_are_none(factor):
    with pytest.raises(ValueError, match=r"^factor must be a finite number"):
        scale(one, factor)


@pytest.mark.parametrize("size", [0, -1, 1.0, None, True])
def test_sizes_that_are_none(size):
    with pytest.raises(ValueError, match=r"^rows must be a whole number of at least 1"):
        draw_matrix(size, 1, 0.5, random.Random(1))
    with pytest.raises(ValueError, match=r"^columns must be a whole number of at least 1"):
        draw_matrix(1, size, 0.5, random.Random(1))


@pytest.mark.parametrize("limit", [0, -1.0, 1e301, math.inf, math.nan, "1", None])
def test_limits_that_are_none(limit):
    with pytest.raises(ValueError, match=r"^limit must be a finite number above 0"):
        draw_matrix(1, 1, limit, random.Random(1))


def test_the_largest_limit_gives_finite_numbers():
    [row] = draw_matrix(1, 50, 1e300, random.Random(1))
    assert all(abs(number) <= 1e300 for number in row)


@pytest.mark.parametrize("rng", [1.0, None, random])
def test_sources_of_randomness_that_are_none(rng):
    with pytest.raises(ValueError, match=r"^rng must be a random\.Random, not "):
        draw_matrix(1, 1, 1.0, rng)
