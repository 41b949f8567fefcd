"""nextword.attention by hand, and what it refuses."""

import json
import math
import random
from pathlib import Path

import pytest

from nextword.attention import (
    KVCache,
    attend_next,
    attention_scores,
    causal_mask,
    combine_masks,
    count_attention,
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

PANEL = json.loads((Path(__file__).parents[1] / "facts" / "lesson-20.json").read_text(encoding="utf-8"))[
    "20.3"
]
one = [[1.0]]
pair = [[1.0, 0.0], [0.0, 1.0]]


class Counted(float):
    """A float that counts its multiplications; its arithmetic gives more of them."""

    count = 0

    def __mul__(self, other):
        Counted.count += 1
        return Counted(float(self) * float(other))

    __rmul__ = __mul__


def counted(matrix):
    return [[Counted(number) for number in row] for row in matrix]


# Scores and masks.


def test_scores_are_divided_by_the_root_of_the_width():
    queries, keys = [[1.0] * 9, [2.0] * 9], [[1.0] * 9]
    assert attention_scores(queries, keys) == [[3.0], [6.0]]
    assert attention_scores(queries, keys, scaled=False) == [[9.0], [18.0]]


def test_the_width_of_the_values_does_not_scale():
    outputs, _ = scaled_dot_product_attention([[2.0]], [[math.log(2) / 2], [0.0]], [[3.0] * 16, [0.0] * 16])
    assert outputs == [pytest.approx([2.0] * 16, abs=1e-15)]


def test_causal_mask():
    assert causal_mask(1) == [[True]]
    assert causal_mask(3) == [[True, False, False], [True, True, False], [True, True, True]]


def test_padding_mask():
    assert padding_mask([False, True, True]) == [[False, True, True]] * 3
    mask = padding_mask([True, False])
    mask[0][1] = True
    assert mask[1] == [True, False]  # the rows are lists of their own


def test_combine_masks():
    assert combine_masks([[True, True, False, False]], [[True, False, True, False]]) == [
        [True, False, False, False]
    ]


def test_padding_first_and_a_causal_mask_leave_a_row_without_anything():
    mask = combine_masks(causal_mask(3), padding_mask([False, True, True]))
    assert mask == [[False, False, False], [False, True, False], [False, True, True]]
    with pytest.raises(ValueError, match=r"^row 0 of mask must be True somewhere"):
        masked_softmax([[0.0] * 3] * 3, mask)


def test_masked_softmax_shares_among_what_is_seen():
    scores = [[math.log(1), math.log(2), math.log(5)], [7.0, 7.0, 7.0]]
    mask = [[True, False, True], [False, True, False]]
    weights = masked_softmax(scores, mask)
    assert weights == [pytest.approx([1 / 6, 0, 5 / 6], abs=1e-15), [0.0, 1.0, 0.0]]
    assert weights[0][1] == 0.0
    assert masked_softmax(scores)[0] == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=1e-15)


def test_a_masked_score_may_be_the_largest():
    assert masked_softmax([[0.0, 1e308]], [[True, False]]) == [[1.0, 0.0]]
    assert masked_softmax([[-1e308, 1e308]], [[True, False]]) == [[1.0, 0.0]]


# Heads.


def test_split_and_merge():
    rows = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]
    assert split_heads(rows, 1) == [rows]
    assert split_heads(rows, 3) == [
        [[1.0, 2.0], [7.0, 8.0]],
        [[3.0, 4.0], [9.0, 10.0]],
        [[5.0, 6.0], [11.0, 12.0]],
    ]
    assert merge_heads(split_heads(rows, 3)) == rows


def test_shared_heads():
    assert shared_heads(4, 4) == [0, 1, 2, 3]
    assert shared_heads(4, 1) == [0, 0, 0, 0]
    assert shared_heads(8, 4) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_two_heads_that_see_different_things():
    x = [[1.0, 0.0], [0.0, 1.0]]
    w_q, w_k = [[100.0, 0.0], [0.0, 100.0]], [[1.0, 0.0], [0.0, 1.0]]
    output, weights = multi_head_attention(x, w_q, w_k, pair, pair, heads=2)
    # Head 0 reads the first number, head 1 the second; a query of 0 looks everywhere.
    assert weights[0] == [pytest.approx([1, 0], abs=1e-15), [0.5, 0.5]]
    assert weights[1] == [[0.5, 0.5], pytest.approx([0, 1], abs=1e-15)]
    assert output == [pytest.approx([1, 0.5], abs=1e-15), pytest.approx([0.5, 1], abs=1e-15)]


def test_widths_of_keys_values_and_output_may_all_differ():
    rng = random.Random(3)
    x, w_q, w_k = draw_matrix(5, 3, 1, rng), draw_matrix(3, 4, 1, rng), draw_matrix(3, 4, 1, rng)
    w_v, w_o = draw_matrix(3, 6, 1, rng), draw_matrix(6, 7, 1, rng)
    output, weights = multi_head_attention(x, w_q, w_k, w_v, w_o, heads=2)
    assert (len(output), len(output[0]), len(weights), len(weights[0]), len(weights[0][0])) == (5, 7, 2, 5, 5)


# The cache.


def test_the_cache_reproduces_panel_20_3():
    inputs, wanted = PANEL["inputs"], PANEL["expected"]
    cache = KVCache()
    for place, row in enumerate(zip(inputs["Q"], inputs["K"], inputs["V"], strict=True)):
        output, weights = attend_next(cache, *row)
        assert output == pytest.approx(wanted["causal_output"][place], abs=1e-14)
        assert weights == pytest.approx(wanted["causal_weights"][place][: place + 1], abs=1e-14)
    assert cache.keys == inputs["K"] and cache.values == inputs["V"]


def test_what_the_cache_counts():
    cache = KVCache()
    assert (cache.stored, cache.multiplications) == (0, 0)
    for n in range(1, 6):
        attend_next(cache, [1.0, 2.0], [0.5, 0.5], [1.0, 2.0, 3.0])
        assert cache.stored == n * (2 + 3)
        assert cache.multiplications == sum(m * (2 + 3) for m in range(1, n + 1))


def test_the_counts_are_those_of_the_code():
    rng = random.Random(1)
    queries, keys = counted(draw_matrix(4, 3, 1, rng)), counted(draw_matrix(6, 3, 1, rng))
    values = counted(draw_matrix(6, 5, 1, rng))
    Counted.count = 0
    scaled_dot_product_attention(queries, keys, values, [[True] * 3 + [False] * 3] * 4)
    assert Counted.count == count_attention(4, 6, 3, 5) == 4 * 6 * 3 + 4 * 6 * 5
    cache = KVCache()
    Counted.count = 0
    for key, value in zip(keys, values, strict=True):
        attend_next(cache, queries[0], key, value)
    assert Counted.count == cache.multiplications


def test_the_cache_keeps_copies():
    key, value = [1.0], [2.0]
    cache = KVCache()
    attend_next(cache, [1.0], key, value)
    key[0] = value[0] = 9.0
    assert (cache.keys, cache.values) == ([[1.0]], [[2.0]])


def test_caches_share_nothing():
    first = KVCache()
    first.append([1.0], [2.0])
    assert KVCache().keys == [] and KVCache().values == []


def test_the_cache_can_leave_the_scores_unscaled():
    cache, other = KVCache(), KVCache()
    for key in ([1.0, 0.0, 0.0, 0.0], [0.0] * 4):
        row = ([2 * math.log(3), 0.0, 0.0, 0.0], key, [1.0])
        _, weights = attend_next(cache, *row)
        _, unscaled = attend_next(other, *row, scaled=False)
    assert weights == pytest.approx([3 / 4, 1 / 4], abs=1e-15)
    assert unscaled == pytest.approx([9 / 10, 1 / 10], abs=1e-15)


# Arguments.


def test_arguments_stay_as_they_are():
    x, mask = [[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]]
    kept_x, kept_mask = [list(row) for row in x], [list(row) for row in mask]
    outputs, weights = scaled_dot_product_attention(x, x, x, mask)
    multi, _ = multi_head_attention(x, x, x, x, x, 2, mask)
    for matrix in (outputs, weights, multi, *split_heads(x, 2), merge_heads([x, x]), split_heads(x, 1)[0]):
        matrix[0][0] = 99.0
    combine_masks(mask, mask)[0][0] = False
    assert x == kept_x and mask == kept_mask


NO_MATRIX = [
    None,
    3.0,
    "12",
    [],
    [[]],
    [1.0],
    [[1.0], [1.0, 2.0]],
    [["1"]],
    [[True]],
    [[math.nan]],
    [[math.inf]],
]
TAKES_A_MATRIX = {
    "attention_scores queries": lambda value: attention_scores(value, one),
    "attention_scores keys": lambda value: attention_scores(one, value),
    "scaled_dot_product_attention queries": lambda value: scaled_dot_product_attention(value, one, one),
    "scaled_dot_product_attention keys": lambda value: scaled_dot_product_attention(one, value, one),
    "scaled_dot_product_attention values": lambda value: scaled_dot_product_attention(one, one, value),
    "masked_softmax scores": lambda value: masked_softmax(value),
    "split_heads matrix": lambda value: split_heads(value, 1),
    "merge_heads part.0.of.parts": lambda value: merge_heads([value]),
    "merge_heads part.1.of.parts": lambda value: merge_heads([one, value]),
    "multi_head_attention x": lambda value: multi_head_attention(value, one, one, one, one, 1),
    "multi_head_attention w_q": lambda value: multi_head_attention(one, value, one, one, one, 1),
    "multi_head_attention w_k": lambda value: multi_head_attention(one, one, value, one, one, 1),
    "multi_head_attention w_v": lambda value: multi_head_attention(one, one, one, value, one, 1),
    "multi_head_attention w_o": lambda value: multi_head_attention(one, one, one, one, value, 1),
    "grouped_query_attention x": lambda value: grouped_query_attention(value, one, one, one, one, 1, 1),
    "grouped_query_attention w_o": lambda value: grouped_query_attention(one, one, one, one, value, 1, 1),
}


@pytest.mark.parametrize("value", NO_MATRIX, ids=repr)
@pytest.mark.parametrize("call", TAKES_A_MATRIX)
def test_what_is_no_matrix(call, value):
    with pytest.raises(ValueError, match=rf"^(row \d of )?{call.split()[1]} must "):
        TAKES_A_MATRIX[call](value)


NO_MASK = [3, "12", [], [[]], [True], [[True], [True, False]], [[1]], [[0.0]], ["1"], [[None]]]
TAKES_A_MASK = {
    "masked_softmax mask": lambda value: masked_softmax(one, value),
    "scaled_dot_product_attention mask": lambda value: scaled_dot_product_attention(one, one, one, value),
    "multi_head_attention mask": lambda value: multi_head_attention(one, one, one, one, one, 1, value),
    "grouped_query_attention mask": lambda value: grouped_query_attention(
        one, one, one, one, one, 1, 1, value
    ),
    "combine_masks a": lambda value: combine_masks(value, [[True]]),
    "combine_masks b": lambda value: combine_masks([[True]], value),
}


@pytest.mark.parametrize("value", NO_MASK, ids=repr)
@pytest.mark.parametrize("call", TAKES_A_MASK)
def test_what_is_no_mask(call, value):
    with pytest.raises(ValueError, match=rf"^(row \d of )?{call.split()[1]} must "):
        TAKES_A_MASK[call](value)


@pytest.mark.parametrize("call", list(TAKES_A_MASK)[:4])
def test_a_mask_that_hides_everything(call):
    with pytest.raises(ValueError, match=r"^row 0 of mask must be True somewhere$"):
        TAKES_A_MASK[call]([[False]])


@pytest.mark.parametrize("real", [None, "1", [], [1, 0], [None], [[True]], [False, False]], ids=repr)
def test_flags_that_are_none(real):
    with pytest.raises(ValueError, match=r"^real must "):
        padding_mask(real)


@pytest.mark.parametrize("parts", [None, "12", [], {}, 3], ids=repr)
def test_parts_that_are_none(parts):
    with pytest.raises(ValueError, match=r"^parts must "):
        merge_heads(parts)


wide, tall = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
MISFITS = {
    "queries and keys must have rows of one width, not the shapes (2, 3) and (3, 2)": lambda: (
        scaled_dot_product_attention(wide, tall, tall)
    ),
    "keys and values must have as many rows, not the shapes (2, 3) and (3, 2)": lambda: (
        scaled_dot_product_attention(wide, wide, tall)
    ),
    "scores and mask must have one shape, not the shapes (2, 2) and (3, 3)": lambda: (
        scaled_dot_product_attention(wide, wide, wide, causal_mask(3))
    ),
    "scores and mask must have one shape, not the shapes (2, 3) and (2, 2)": lambda: masked_softmax(
        wide, causal_mask(2)
    ),
    "a and b must have one shape, not the shapes (2, 2) and (3, 3)": lambda: combine_masks(
        causal_mask(2), causal_mask(3)
    ),
    "part 0 of parts and part 1 of parts must have one shape, not the shapes (2, 3) and (3, 2)": lambda: (
        merge_heads([wide, tall])
    ),
    "x must be as wide as w_k has rows, not of the shapes (2, 3) and (2, 3)": lambda: multi_head_attention(
        wide, tall, wide, tall, pair, 1
    ),
    "w_q and w_k must give heads of one width, not have the shapes (3, 2) and (3, 1)": lambda: (
        multi_head_attention(wide, tall, [[1.0]] * 3, tall, pair, 1)
    ),
    "w_q and w_k must give heads of one width, not have the shapes (3, 2) and (3, 2)": lambda: (
        grouped_query_attention(wide, tall, tall, tall, pair, 2, 1)
    ),
    "w_o must have a row for each number of the merged heads, not the shapes (3, 2) and (3, 2)": lambda: (
        multi_head_attention(wide, tall, tall, tall, tall, 1)
    ),
    "w_o must have a row for each number of the merged heads, not the shapes (3, 1) and (1, 1)": lambda: (
        grouped_query_attention(wide, tall, [[1.0]] * 3, [[1.0]] * 3, one, 2, 1)
    ),
    "heads must divide the width of matrix, 3, not be 2": lambda: split_heads(wide, 2),
    "heads must divide the width of w_q, 2, not be 3": lambda: multi_head_attention(
        wide, tall, tall, tall, pair, 3
    ),
    "heads must divide the width of w_k, 3, not be 2": lambda: multi_head_attention(
        one, [[1.0, 2.0]], [[1.0, 2.0, 3.0]], [[1.0, 2.0]], pair, 2
    ),
    "key_heads must divide the width of w_k, 3, not be 2": lambda: grouped_query_attention(
        one, [[1.0, 2.0]], [[1.0, 2.0, 3.0]], [[1.0, 2.0]], pair, 2, 2
    ),
    "key_heads must divide the width of w_v, 3, not be 2": lambda: grouped_query_attention(
        one, [[1.0, 2.0]], [[1.0, 2.0]], [[1.0, 2.0, 3.0]], pair, 2, 2
    ),
    "key_heads must divide 3, not be 2": lambda: grouped_query_attention(
        one, [[1.0] * 3], [[1.0] * 2], [[1.0] * 2], [[1.0]] * 3, 3, 2
    ),
}


@pytest.mark.parametrize("message", MISFITS)
def test_shapes_that_do_not_fit(message):
    with pytest.raises(ValueError) as caught:
        MISFITS[message]()
    assert str(caught.value) == message


@pytest.mark.parametrize("number", [0, -1, 1.0, "1", None, True])
def test_numbers_that_are_none(number):
    for name, call in {
        "n": lambda: causal_mask(number),
        "heads": lambda: split_heads(one, number),
        "key_heads": lambda: shared_heads(2, number),
        "queries": lambda: count_attention(number, 1, 1, 1),
        "keys": lambda: count_attention(1, number, 1, 1),
        "key_width": lambda: count_attention(1, 1, number, 1),
        "value_width": lambda: count_attention(1, 1, 1, number),
    }.items():
        with pytest.raises(ValueError, match=f"^{name} must be a whole number of at least 1, not "):
            call()
    for call in (
        lambda: shared_heads(number, 1),
        lambda: multi_head_attention(one, one, one, one, one, number),
        lambda: grouped_query_attention(one, one, one, one, one, number, 1),
    ):
        with pytest.raises(ValueError, match=r"^heads must be a whole number of at least 1, not "):
            call()
    with pytest.raises(ValueError, match=r"^key_heads must be a whole number of at least 1, not "):
        grouped_query_attention(one, one, one, one, one, 1, number)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            ([1.0], [1.0, 2.0], [1.0]),
            "query and key must have rows of one width, not the shapes (1, 1) and (1, 2)",
        ),
        (
            ([1.0], [1.0], [1.0]),
            "the keys of the cache and key must have rows of one width, not the shapes (1, 2) and (1, 1)",
        ),
        (
            ([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]),
            "the values of the cache and value must have rows of one width, not the shapes (1, 1) and (1, 2)",
        ),
        (([], [1.0, 2.0], [1.0]), "query must hold at least one number, not []"),
        (([1.0, 2.0], "12", [1.0]), "key must be a list or tuple of numbers, not '12'"),
        (([1.0, 2.0], [1.0, math.inf], [1.0]), "key must hold finite numbers, not inf"),
        (([1.0, 2.0], [1.0, 2.0], [math.nan]), "value must hold numbers only, not nan"),
    ],
)
def test_rows_that_do_not_fit_the_cache(row, message):
    cache = KVCache()
    attend_next(cache, [1.0, 1.0], [1.0, 1.0], [1.0])
    with pytest.raises(ValueError) as caught:
        attend_next(cache, *row)
    assert str(caught.value) == message
    assert (cache.keys, cache.values, cache.stored, cache.multiplications) == ([[1.0, 1.0]], [[1.0]], 3, 3)


@pytest.mark.parametrize("cache", [None, [], {}, 3])
def test_caches_that_are_none(cache):
    with pytest.raises(ValueError, match=r"^cache must be a KVCache, not "):
        attend_next(cache, [1.0], [1.0], [1.0])


def test_scores_beyond_all_floats():
    with pytest.raises(OverflowError, match=r"^a sum of products is too large for a float$"):
        scaled_dot_product_attention([[1e200]], [[1e200]], one)
    with pytest.raises(OverflowError):
        scaled_dot_product_attention([[1e154, 1e154]], [[1.7e154, 1.7e154]], one)


def test_the_product_is_the_one_of_the_projections():
    x = [[1.0, 2.0], [3.0, -1.0]]
    output, _ = multi_head_attention(x, pair, pair, [[2.0, 0.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]], 1)
    attended, _ = scaled_dot_product_attention(x, x, matmul(x, [[2.0, 0.0], [0.0, 3.0]]))
    assert output == [row[::-1] for row in attended]


def test_the_row_of_a_mask_that_has_another_width_is_named():
    with pytest.raises(
        ValueError, match=r"^a must have rows of one width, but row 0 has 2 entries and row 1 1$"
    ):
        combine_masks([[True, False], [True]], [[True, False], [True]])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("1", [1.0], "key must be a list or tuple of numbers, not '1'"),
        ([1.0], "1", "value must be a list or tuple of numbers, not '1'"),
        ([1.0, 2.0], [1.0], r"the keys of the cache .* key .*"),
        ([1.0], [1.0, 2.0], r"the values of the cache .* value .*"),
    ],
)
def test_a_cache_stores_rows_of_one_width(key, value, message):
    cache = KVCache()
    cache.append([1.0], [2.0])
    with pytest.raises(ValueError, match=rf"^{message}$"):
        cache.append(key, value)
    assert (cache.keys, cache.values) == ([[1.0]], [[2.0]])
