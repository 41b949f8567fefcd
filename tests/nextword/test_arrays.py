"""nextword.arrays against the plain version, the laws of causal attention, and what both refuse."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword import arrays as module
from nextword.arrays import (
    BLOCK,
    all_finite,
    causal_multi_head_attention,
    causal_softmax,
    causal_softmax_in_place,
    merge_from_heads,
    split_into_heads,
)
from nextword.attention import causal_mask, masked_softmax, merge_heads, multi_head_attention, split_heads
from nextword.matrices import draw_matrix

steady = settings(derandomize=True, deadline=None, max_examples=80, database=None)


@st.composite
def models(draw):
    """Tokens and weights as lists, and the number of heads: x, w_q, w_k, w_v, w_o, heads."""
    n, d, e, heads, key_width, value_width = (draw(st.integers(1, 5)) for _ in range(6))
    rng = random.Random(draw(st.integers(0, 10**6)))
    shapes = [(n, d), (d, heads * key_width), (d, heads * key_width), (d, heads * value_width)]
    return (
        *(draw_matrix(*shape, 2, rng) for shape in shapes),
        draw_matrix(heads * value_width, e, 2, rng),
        heads,
    )


def arrays(model):
    *matrices, heads = model
    return *map(np.array, matrices), heads


def plain(model):
    return multi_head_attention(*model, causal_mask(len(model[0])))


def drawn(seed=0, n=6, d=8, heads=2, batch=(), kind=np.float64):
    """Tokens, and weights of the usual size, so that the weights of attention are neither even nor one-hot."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((*batch, n, d)).astype(kind)
    weights = [(rng.standard_normal((d, d)) / math.sqrt(d)).astype(kind) for _ in range(4)]
    return x, *weights, heads


# The plain version says what is right.


@steady
@given(models())
def test_agrees_with_the_plain_version(model):
    output, weights = causal_multi_head_attention(*arrays(model))
    wanted_output, wanted_weights = plain(model)
    assert weights.shape == np.shape(wanted_weights)
    assert np.allclose(weights, wanted_weights, rtol=0, atol=1e-12)
    assert output.shape == np.shape(wanted_output)
    assert np.allclose(output, wanted_output, rtol=0, atol=1e-12 * max(1, np.abs(wanted_output).max()))


def test_agrees_in_float32_within_its_digits():
    for seed in range(20):
        x, *weights, heads = drawn(seed, n=12, d=16, heads=4, kind=np.float32)
        output, shares = causal_multi_head_attention(x, *weights, heads)
        lists = [matrix.tolist() for matrix in (x, *weights)]
        wanted_output, wanted_shares = multi_head_attention(*lists, heads, causal_mask(12))
        assert output.dtype == shares.dtype == np.float32
        assert np.allclose(output, wanted_output, rtol=0, atol=1e-5)
        assert np.allclose(shares, wanted_shares, rtol=0, atol=1e-5)


@steady
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_splits_and_merges_as_the_plain_version_does(n, heads, width, seed):
    matrix = draw_matrix(n, heads * width, 2, random.Random(seed))
    parts = split_into_heads(np.array(matrix), heads)
    assert parts.tolist() == split_heads(matrix, heads)
    assert merge_from_heads(parts).tolist() == merge_heads(split_heads(matrix, heads)) == matrix


@steady
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_the_causal_softmax_is_a_softmax_under_a_mask(n, seed):
    scores = draw_matrix(n, n, 30, random.Random(seed))
    weights = causal_softmax(np.array(scores))
    assert np.allclose(weights, masked_softmax(scores, causal_mask(n)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 8])
def test_any_block_of_queries_gives_the_same(monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK", block)
    for n in range(1, 9):
        scores = [draw_matrix(n, n, 30, random.Random(seed)) for seed in range(6)]
        wanted = np.array([masked_softmax(part, causal_mask(n)) for part in scores]).reshape(2, 3, n, n)
        weights = causal_softmax(np.array(scores).reshape(2, 3, n, n))
        assert np.allclose(weights, wanted, rtol=0, atol=1e-15)
        assert not np.triu(weights, k=1).any()


@pytest.mark.parametrize("n", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 5])
def test_more_queries_than_a_block_are_those_of_the_plain_version(n):
    scores = draw_matrix(n, n, 5, random.Random(n))
    weights = causal_softmax(np.array(scores))
    assert np.allclose(weights, masked_softmax(scores, causal_mask(n)), rtol=0, atol=1e-15)


# Laws.


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_rows_sum_to_one_and_see_no_later_token(batch):
    _, weights = causal_multi_head_attention(*drawn(n=7, batch=batch))
    assert weights.shape == (*batch, 2, 7, 7)
    assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-14
    later = np.triu_indices(7, k=1)
    assert set(weights[..., later[0], later[1]].ravel().tolist()) == {0.0}
    assert weights[..., np.arange(7), np.arange(7)].min() > 0
    assert set(weights[..., 0, 0].ravel().tolist()) == {1.0}


@steady
@given(st.integers(2, 8), st.integers(0, 10**6), st.data())
def test_changing_a_token_changes_it_and_later_ones_alone(n, seed, data):
    place = data.draw(st.integers(0, n - 1))
    x, *others = drawn(seed, n=n)
    changed = x.copy()
    changed[place] += 1
    before, _ = causal_multi_head_attention(x, *others)
    after, _ = causal_multi_head_attention(changed, *others)
    moved = np.abs(before - after).max(axis=-1)
    assert (moved[:place] < 1e-13).all()
    assert (moved[place:] > 1e-6).all()


def test_a_batch_is_each_sequence_by_itself():
    x, *others = drawn(batch=(2, 3))
    output, weights = causal_multi_head_attention(x, *others)
    for place in np.ndindex(2, 3):
        alone, shares = causal_multi_head_attention(x[place], *others)
        assert np.allclose(output[place], alone, rtol=0, atol=1e-13)
        assert np.allclose(weights[place], shares, rtol=0, atol=1e-13)


def test_reshaping_without_moving_the_axes_gives_the_shape_and_not_the_numbers():
    numbers = np.arange(24.0).reshape(3, 8)
    wrong = numbers.reshape(2, 3, 4)
    right = split_into_heads(numbers, 2)
    assert wrong.shape == right.shape
    assert right[1].tolist() == numbers[:, 4:].tolist() != wrong[1].tolist()


def test_no_argument_is_changed():
    model = drawn()
    copies = [part.copy() for part in model[:-1]]
    causal_multi_head_attention(*model)
    assert all(np.array_equal(part, copy) for part, copy in zip(model, copies, strict=False))


def test_only_in_place_are_the_scores_lost():
    scores = np.random.default_rng(0).standard_normal((2, BLOCK + 3, BLOCK + 3), dtype=np.float32)
    given = scores.copy()
    weights = causal_softmax(scores)
    assert np.array_equal(scores, given)
    assert causal_softmax_in_place(scores) is scores
    assert np.array_equal(scores, weights)
    assert weights.dtype == np.float32
    turned = np.asfortranarray(given)
    assert np.allclose(causal_softmax_in_place(turned), weights, rtol=0, atol=1e-7)


def test_each_row_is_shifted_by_its_own_largest_score():
    """Shifted by the largest of all, the rows of small scores would be 0 / 0."""
    rows = [[0.0, 5.0, -3.0], [2000.0, 2000.0, 1.0], [-2000.0, -2001.0, -2000.0]]
    scores = np.array([rows, [row[::-1] for row in rows[::-1]]])
    wanted = [masked_softmax(part.tolist(), causal_mask(3)) for part in scores]
    assert np.allclose(causal_softmax(scores), wanted, rtol=0, atol=1e-15)
    assert causal_softmax(np.array([[0.0, 5.0], [2000.0, 2000.0]])).tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_a_gap_beyond_all_floats_warns_of_nothing():
    with np.errstate(all="raise"):
        weights = causal_softmax(np.array([[1e308, -1e308], [-1e308, 1e308]]))
    assert weights.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_scores_of_any_size_are_shared_out():
    scores = np.array([[1e300, -1e300], [-1e300, 1e300]])
    assert causal_softmax(scores).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert causal_softmax(np.array([[1000.0, 0.0], [1000.0, 1000.0]], np.float32)).tolist() == [
        [1.0, 0.0],
        [0.5, 0.5],
    ]


def test_the_widest_floats_win():
    x, *others = drawn(kind=np.float32)
    assert causal_multi_head_attention(x.astype(np.float64), *others)[0].dtype == np.float64
    assert causal_multi_head_attention(x, *others)[0].dtype == np.float32


# Refusals.

one = np.eye(2)


@pytest.mark.parametrize(
    ("shapes", "heads"),
    [
        ([(2, 3), (4, 4), (4, 4), (4, 4), (4, 4)], 2),  # x and w_q
        ([(2, 4), (4, 4), (3, 4), (4, 4), (4, 4)], 2),  # x and w_k
        ([(2, 4), (4, 4), (4, 4), (5, 4), (4, 4)], 2),  # x and w_v
        ([(2, 4), (4, 4), (4, 8), (4, 4), (4, 4)], 2),  # w_q and w_k
        ([(2, 4), (4, 4), (4, 4), (4, 6), (4, 4)], 2),  # w_v and w_o
        ([(2, 4), (4, 4), (4, 4), (4, 4), (4, 4)], 3),
        ([(2, 4), (4, 6), (4, 6), (4, 4), (4, 4)], 3),
        ([(2, 4), (4, 4), (4, 4), (4, 4), (4, 4)], 0),
        ([(2, 4), (4, 4), (4, 4), (4, 4), (4, 4)], True),
        ([(2, 4), (4, 4), (4, 4), (4, 4), (4, 4)], 2.0),
    ],
)
def test_what_does_not_fit_is_refused_in_the_words_of_the_plain_version(shapes, heads):
    matrices = [np.ones(shape) for shape in shapes]
    with pytest.raises(ValueError) as said:
        causal_multi_head_attention(*matrices, heads)
    with pytest.raises(ValueError) as wanted:
        multi_head_attention(*(matrix.tolist() for matrix in matrices), heads)
    assert str(said.value) == str(wanted.value).replace("key_heads", "heads")


def test_a_mismatch_says_both_shapes():
    with pytest.raises(ValueError, match=r"^x must be as wide as w_q has rows.*\(5, 2, 3\) and \(2, 2\)"):
        causal_multi_head_attention(np.ones((5, 2, 3)), one, one, one, one, 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1.0, 2.0]], r"must be a NumPy array, of no subclass, not \[\[1\.0, 2\.0\]\]"),
        (
            np.ma.array([[1.0, 2.0]], mask=[[False, True]]),
            "must be a NumPy array, of no subclass, not masked_array(?s:.*)",
        ),
        (np.eye(2).view(np.matrix), "must be a NumPy array, of no subclass, not matrix(?s:.*)"),
        (np.array([[1, 2]]), "must hold floats, not int64"),
        (np.array([[1j, 2]]), "must hold floats, not complex128"),
        (np.ones(2), r"must have (at least )?2 axes, none of length 0, not the shape \(2,\)"),
        (np.ones((0, 2)), r"must have (at least )?2 axes, none of length 0, not the shape \(0, 2\)"),
        (np.array([[1.0, math.nan]]), "must hold finite numbers, not nan"),
        (np.array([[1.0, -math.inf]]), "must hold finite numbers, not -inf"),
    ],
)
@pytest.mark.parametrize("place", range(5))
def test_what_is_no_array_of_finite_floats_is_refused(place, value, message):
    arguments = [np.ones((1, 2)), one, one, one, one]
    arguments[place] = value
    name = ("x", "w_q", "w_k", "w_v", "w_o")[place]
    with pytest.raises(ValueError, match=rf"^{name} {message}$"):
        causal_multi_head_attention(*arguments, 1)


@pytest.mark.parametrize("place", range(1, 5))
def test_weights_have_two_axes(place):
    arguments = [np.ones((1, 2)), one, one, one, one]
    arguments[place] = np.ones((3, 2, 2))
    with pytest.raises(ValueError, match=r"must have 2 axes, none of length 0, not the shape \(3, 2, 2\)"):
        causal_multi_head_attention(*arguments, 1)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_what_is_not_finite_is_found_among_numbers_of_any_size(kind):
    rng = np.random.default_rng(0)
    limits = np.finfo(kind)
    with np.errstate(all="raise"):
        for size in (1.0, limits.max, limits.smallest_subnormal):
            array = np.full((5, 7), size, kind)
            array[rng.random((5, 7)) < 0.5] *= -1
            assert all_finite(array)
            assert all_finite(array.T[::2])
            for bad in (math.nan, math.inf, -math.inf):
                for place in np.ndindex(5, 7):
                    broken = array.copy()
                    broken[place] = bad
                    assert not all_finite(broken)
            broken[:] = math.inf
            broken[::2] = -math.inf
            assert not all_finite(broken)


def test_each_step_refuses_what_it_cannot_read():
    with pytest.raises(ValueError, match=r"^heads must divide the width of projected, 4, not be 3"):
        split_into_heads(np.ones((2, 4)), 3)
    with pytest.raises(ValueError, match=r"^parts must have at least 3 axes.*\(2, 4\)"):
        merge_from_heads(np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"^scores must be square, not of shape \(2, 3\)"):
        causal_softmax(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"^scores must hold finite numbers, not -inf"):
        causal_softmax(np.array([[0.0, -math.inf], [0.0, 0.0]]))


@pytest.mark.parametrize(("place", "said"), [(1, "scores"), (2, "scores"), (3, "outputs"), (4, "outputs")])
@pytest.mark.parametrize(("kind", "large"), [(np.float64, 1e200), (np.float32, 1e30)])
def test_what_outgrows_the_floats_is_an_error_not_an_infinity(place, said, kind, large):
    arguments = [np.full((3, 2), large, kind), *(np.eye(2, dtype=kind) for _ in range(4))]
    arguments[1] = arguments[2] = np.eye(2, dtype=kind) / large
    arguments[place] = np.full((2, 2), large, kind)
    with pytest.raises(OverflowError, match=rf"^{said} are too large for {np.dtype(kind)}$"):
        causal_multi_head_attention(*arguments, 1)


def test_the_width_that_heads_do_not_divide_is_the_last_axis():
    with pytest.raises(ValueError, match=r"^heads must divide the width of projected, 4, not be 3$"):
        split_into_heads(np.ones((5, 2, 4)), 3)


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
def test_the_weights_that_do_not_fit_are_named(name):
    weights = {"w_q": one, "w_k": one, "w_v": one} | {name: np.ones((3, 2))}
    with pytest.raises(ValueError, match=rf"^x must be as wide as {name} has rows, .*\(1, 2\) and \(3, 2\)$"):
        causal_multi_head_attention(np.ones((1, 2)), *weights.values(), one, 1)


@pytest.mark.parametrize(
    ("name", "call"), [("projected", lambda x: split_into_heads(x, 1)), ("scores", causal_softmax)]
)
def test_each_step_names_what_is_no_array(name, call):
    with pytest.raises(
        ValueError, match=rf"^{name} must be a NumPy array, of no subclass, not \[\[1\.0\]\]$"
    ):
        call([[1.0]])


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
def test_the_weights_whose_width_heads_do_not_divide_are_named(name):
    weights = {"w_q": np.ones((2, 2)), "w_k": np.ones((2, 2)), "w_v": np.ones((2, 2))} | {
        name: np.ones((2, 3))
    }
    with pytest.raises(ValueError, match=rf"^heads must divide the width of {name}, 3, not be 2$"):
        causal_multi_head_attention(np.ones((1, 2)), *weights.values(), np.ones((2, 2)), 2)
