"""nextword.attention against NumPy, brute force and the laws of attention."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.attention import (
    KVCache,
    attend_next,
    attention_scores,
    causal_mask,
    combine_masks,
    grouped_query_attention,
    masked_softmax,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    shared_heads,
    split_heads,
)
from nextword.matrices import draw_matrix, matmul

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

sizes = st.integers(1, 6)
seeds = st.integers(0, 10**6)


@st.composite
def attentions(draw, square=False):
    """Queries, keys and values of any fitting shapes, and a mask whose rows all see something."""
    n, d, e = draw(sizes), draw(sizes), draw(sizes)
    m = n if square else draw(sizes)
    rng = random.Random(draw(seeds))
    mask = [[rng.random() < 0.6 for _ in range(m)] for _ in range(n)]
    for row in mask:
        row[rng.randrange(m)] = True
    return draw_matrix(n, d, 3, rng), draw_matrix(m, d, 3, rng), draw_matrix(m, e, 3, rng), mask


@st.composite
def models(draw):
    """Tokens and weights for several heads: x, w_q, w_k, w_v, w_o, and the number of heads."""
    n, d, e, heads, key_width, value_width = (draw(st.integers(1, 4)) for _ in range(6))
    rng = random.Random(draw(seeds))
    shapes = [(n, d), (d, heads * key_width), (d, heads * key_width), (d, heads * value_width)]
    return (
        *(draw_matrix(*shape, 2, rng) for shape in shapes),
        draw_matrix(heads * value_width, e, 2, rng),
        heads,
    )


def near(matrix, accuracy=1e-12):
    return [pytest.approx(row, abs=accuracy) for row in matrix]


def numpy_attention(queries, keys, values, mask=None):
    """The same on arrays, the mask as an added matrix of zeros and minus infinities."""
    queries, keys, values = map(np.asarray, (queries, keys, values))
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(queries.shape[-1])
    if mask is not None:
        scores = scores + np.where(mask, 0.0, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ values, weights


def numpy_multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None):
    def heads_of(weights):
        return (np.asarray(x) @ weights).reshape(len(x), heads, -1).transpose(1, 0, 2)

    outputs, weights = numpy_attention(heads_of(w_q), heads_of(w_k), heads_of(w_v), mask)
    return outputs.transpose(1, 0, 2).reshape(len(x), -1) @ np.asarray(w_o), weights


# One head.


@steady
@given(attentions())
def test_agrees_with_numpy(case):
    queries, keys, values, mask = case
    for used in (None, mask):
        outputs, weights = scaled_dot_product_attention(queries, keys, values, used)
        wanted_outputs, wanted_weights = numpy_attention(queries, keys, values, used)
        assert np.allclose(outputs, wanted_outputs, rtol=0, atol=1e-12)
        assert np.allclose(weights, wanted_weights, rtol=0, atol=1e-12)


@steady
@given(attentions())
def test_rows_of_weights_are_shared_among_what_is_seen(case):
    queries, keys, values, mask = case
    _, weights = scaled_dot_product_attention(queries, keys, values, mask)
    for row, seen in zip(weights, mask, strict=True):
        assert math.fsum(row) == pytest.approx(1, abs=1e-14)
        assert all((weight > 0) is allowed for weight, allowed in zip(row, seen, strict=True))


@steady
@given(attentions())
def test_outputs_lie_within_the_values_that_are_seen(case):
    queries, keys, values, mask = case
    outputs, _ = scaled_dot_product_attention(queries, keys, values, mask)
    for output, seen in zip(outputs, mask, strict=True):
        rows = [row for row, allowed in zip(values, seen, strict=True) if allowed]
        for number, column in zip(output, zip(*rows, strict=True), strict=True):
            assert min(column) - 1e-12 <= number <= max(column) + 1e-12


@steady
@given(attentions())
def test_a_mask_is_the_same_as_leaving_the_hidden_keys_out(case):
    queries, keys, values, mask = case
    outputs, _ = scaled_dot_product_attention(queries, keys, values, mask)
    for query, seen, output in zip(queries, mask, outputs, strict=True):
        kept = [place for place, allowed in enumerate(seen) if allowed]
        alone, _ = scaled_dot_product_attention([query], [keys[i] for i in kept], [values[i] for i in kept])
        assert alone == [output]  # to the last digit


@steady
@given(attentions(square=True), seeds)
def test_without_a_mask_a_permutation_of_the_tokens_permutes_the_rows(case, seed):
    queries, keys, values, _ = case
    order = list(range(len(queries)))
    random.Random(seed).shuffle(order)
    outputs, _ = scaled_dot_product_attention(queries, keys, values)
    permuted, _ = scaled_dot_product_attention(
        *([rows[i] for i in order] for rows in (queries, keys, values))
    )
    assert permuted == [outputs[i] for i in order]  # to the last digit: every sum is rounded once


@steady
@given(attentions(square=True), seeds)
def test_under_a_causal_mask_later_tokens_change_no_earlier_row(case, seed):
    queries, keys, values, _ = case
    n = len(queries)
    rng = random.Random(seed)
    outputs, weights = scaled_dot_product_attention(queries, keys, values, causal_mask(n))
    for place in range(n):
        changed = [
            rows[:place] + draw_matrix(n - place, len(rows[0]), 50, rng) for rows in (queries, keys, values)
        ]
        after, weights_after = scaled_dot_product_attention(*changed, causal_mask(n))
        assert after[:place] == outputs[:place]
        assert weights_after[:place] == weights[:place]
        assert after[place] != outputs[place]


@steady
@given(attentions(square=True), seeds)
def test_padding_changes_no_real_row(case, seed):
    queries, keys, values, _ = case
    n = len(queries)
    rng = random.Random(seed)
    outputs, _ = scaled_dot_product_attention(queries, keys, values, causal_mask(n))
    padded = [rows + draw_matrix(2, len(rows[0]), 50, rng) for rows in (queries, keys, values)]
    mask = combine_masks(causal_mask(n + 2), padding_mask([True] * n + [False] * 2))
    after, weights = scaled_dot_product_attention(*padded, mask)
    assert after[:n] == outputs
    assert {row[place] for row in weights for place in (n, n + 1)} == {0.0}


@steady
@given(attentions())
def test_the_scale_changes_no_ranking(case):
    queries, keys, _, _ = case
    for raw, scaled in zip(
        attention_scores(queries, keys, scaled=False), attention_scores(queries, keys), strict=True
    ):
        ranked = sorted(range(len(raw)), key=raw.__getitem__)
        assert all(scaled[one] <= scaled[other] for one, other in pairwise(ranked))


@steady
@given(attentions())
def test_a_vector_added_to_all_keys_changes_no_weight(case):
    """It adds one number to each row of scores, and softmax does not see that."""
    queries, keys, values, mask = case
    shifted = [[number + 0.5 for number in key] for key in keys]
    _, weights = scaled_dot_product_attention(queries, keys, values, mask)
    _, after = scaled_dot_product_attention(queries, shifted, values, mask)
    assert after == near(weights)


@steady
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=2, max_size=2), seeds)
def test_combine_masks_is_numpys_and(mask, seed):
    rng = random.Random(seed)
    other = [[rng.random() < 0.5 for _ in range(3)] for _ in range(2)]
    assert np.array_equal(combine_masks(mask, other), np.array(mask) & np.array(other))


@pytest.mark.parametrize("n", range(1, 8))
def test_causal_mask_is_numpys_lower_triangle(n):
    assert np.array_equal(causal_mask(n), np.tri(n, dtype=bool))


def test_without_scores_to_tell_them_apart_the_causal_rows_are_running_means():
    values = [[float(place**2)] for place in range(6)]
    outputs, weights = scaled_dot_product_attention([[0.0]] * 6, values, values, causal_mask(6))
    assert weights == [[1 / (n + 1)] * (n + 1) + [0.0] * (5 - n) for n in range(6)]
    assert outputs == near([[sum(i**2 for i in range(n + 1)) / (n + 1)] for n in range(6)])


# Several heads.


@steady
@given(models(), st.booleans())
def test_several_heads_agree_with_numpy(case, causal):
    mask = causal_mask(len(case[0])) if causal else None
    output, weights = multi_head_attention(*case, mask)
    wanted_output, wanted_weights = numpy_multi_head(*case, mask)
    assert np.allclose(output, wanted_output, rtol=0, atol=1e-10)
    assert np.allclose(weights, wanted_weights, rtol=0, atol=1e-12)


def test_a_larger_size_agrees_with_numpy():
    rng = random.Random(42)
    case = (*(draw_matrix(*shape, 0.3, rng) for shape in [(24, 48)] + [(48, 48)] * 4), 6, causal_mask(24))
    output, weights = multi_head_attention(*case)
    wanted_output, wanted_weights = numpy_multi_head(*case)
    assert np.allclose(output, wanted_output, rtol=0, atol=1e-12)
    assert np.allclose(weights, wanted_weights, rtol=0, atol=1e-13)


@steady
@given(models())
def test_one_head_is_single_head_attention_and_a_projection(case):
    x, w_q, w_k, w_v, w_o, _ = case
    output, weights = multi_head_attention(x, w_q, w_k, w_v, w_o, heads=1)
    outputs, wanted = scaled_dot_product_attention(matmul(x, w_q), matmul(x, w_k), matmul(x, w_v))
    assert output == matmul(outputs, w_o)
    assert weights == [wanted]


@steady
@given(models())
def test_the_heads_are_attentions_with_weights_of_their_own(case):
    x, w_q, w_k, w_v, w_o, heads = case
    parts = zip(*(split_heads(w, heads) for w in (w_q, w_k, w_v)), strict=True)
    attended = [scaled_dot_product_attention(*(matmul(x, w) for w in part)) for part in parts]
    output, weights = multi_head_attention(*case)
    assert weights == [wanted for _, wanted in attended]
    assert output == matmul(merge_heads([outputs for outputs, _ in attended]), w_o)


@steady
@given(models(), seeds)
def test_the_order_of_the_heads_does_not_matter(case, seed):
    """If the rows of ``w_o`` move with them."""
    x, w_q, w_k, w_v, w_o, heads = case
    order = random.Random(seed).sample(range(heads), heads)
    columns = [merge_heads([split_heads(w, heads)[head] for head in order]) for w in (w_q, w_k, w_v)]
    step = len(w_o) // heads
    rows = [row for head in order for row in w_o[head * step : (head + 1) * step]]
    assert multi_head_attention(x, *columns, rows, heads)[0] == multi_head_attention(*case)[0]


@steady
@given(models())
def test_merging_undoes_splitting(case):
    _, w_q, _, _, _, heads = case
    parts = split_heads(w_q, heads)
    assert merge_heads(parts) == w_q
    assert split_heads(merge_heads(parts), heads) == parts


# Shared key heads.


@steady
@given(models())
def test_as_many_key_heads_as_heads_are_multi_head_attention(case):
    heads = case[-1]
    assert grouped_query_attention(*case, heads) == multi_head_attention(*case)


@steady
@given(st.sampled_from([(1, 1), (2, 1), (4, 2), (6, 2), (6, 3)]), seeds)
def test_shared_key_heads_are_multi_head_attention_with_repeated_weights(numbers, seed):
    heads, key_heads = numbers
    rng = random.Random(seed)
    x, w_q = draw_matrix(3, 4, 1, rng), draw_matrix(4, 2 * heads, 1, rng)
    w_k, w_v = draw_matrix(4, 2 * key_heads, 1, rng), draw_matrix(4, 3 * key_heads, 1, rng)
    w_o = draw_matrix(3 * heads, 4, 1, rng)
    repeated = [
        merge_heads([part for part in split_heads(w, key_heads) for _ in range(heads // key_heads)])
        for w in (w_k, w_v)
    ]
    wanted = multi_head_attention(x, w_q, *repeated, w_o, heads, causal_mask(3))
    assert grouped_query_attention(x, w_q, w_k, w_v, w_o, heads, key_heads, causal_mask(3)) == wanted


@pytest.mark.parametrize("heads", range(1, 13))
def test_shared_heads_are_equal_groups_in_order(heads):
    for key_heads in range(1, heads + 1):
        if heads % key_heads == 0:
            assert shared_heads(heads, key_heads) == sorted(list(range(key_heads)) * (heads // key_heads))


# The cache.


@steady
@given(attentions(square=True), st.booleans())
def test_a_cache_gives_the_rows_of_causal_attention(case, scaled):
    queries, keys, values, _ = case
    wanted, wanted_weights = scaled_dot_product_attention(
        queries, keys, values, causal_mask(len(keys)), scaled
    )
    cache = KVCache()
    for place, row in enumerate(zip(queries, keys, values, strict=True)):
        output, weights = attend_next(cache, *row, scaled)
        assert output == wanted[place]  # to the last digit
        assert weights == wanted_weights[place][: place + 1]
    assert (cache.keys, cache.values) == (keys, values)
    assert cache.stored == len(keys) * (len(keys[0]) + len(values[0]))


@steady
@given(models())
def test_a_cache_for_each_head_gives_multi_head_attention(case):
    x, w_q, w_k, w_v, w_o, heads = case
    wanted, _ = multi_head_attention(*case, causal_mask(len(x)))
    caches = [KVCache() for _ in range(heads)]
    for place in range(len(x)):
        projected = [split_heads(matmul([x[place]], w), heads) for w in (w_q, w_k, w_v)]
        outputs = [
            [attend_next(caches[head], *(parts[head][0] for parts in projected))[0]] for head in range(heads)
        ]
        assert matmul(merge_heads(outputs), w_o) == [wanted[place]]


@steady
@given(attentions())
def test_masked_softmax_of_any_shift_is_the_same(case):
    queries, keys, _, mask = case
    scores = attention_scores(queries, keys)
    shifted = [[score - 700 * (place + 1) for score in row] for place, row in enumerate(scores)]
    assert masked_softmax(shifted, mask) == near(masked_softmax(scores, mask), 1e-10)
