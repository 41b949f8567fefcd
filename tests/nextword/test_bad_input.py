"""Faults of one kind in all functions that could have them: flags, choices, results beyond floats, a failed step."""

import math
import re
import warnings

import numpy as np
import pytest

from nextword.arguments import require_flag
from nextword.attention import (
    KVCache,
    attend_next,
    attention_scores,
    grouped_query_attention,
    multi_head_attention,
    scaled_dot_product_attention,
)
from nextword.induction import StreamLayout
from nextword.matrices import add, add_to_rows, dot, matmul, scale, vector_matrix
from nextword.positions import pairs_of, rotate, rotate_rows
from nextword.transformer import (
    chain_rule,
    count_attention_parameters,
    count_feed_forward_parameters,
    feed_forward,
    gated_feed_forward,
    gelu,
    layer_norm,
    linear_layer,
    post_norm_block,
    pre_norm_block,
    relu,
    rms_norm,
    swiglu,
)

one, huge = [[1.0]], [[1e200]]


def named(names):
    """A parametrization over calls, each with its name as its id."""
    return pytest.mark.parametrize(("name", "call"), names.items(), ids=list(names))


# Flags.

FLAGS = {
    "require_flag flag": lambda value: require_flag("flag", value),
    "attention_scores scaled": lambda value: attention_scores(one, one, value),
    "scaled_dot_product_attention scaled": lambda value: scaled_dot_product_attention(
        one, one, one, None, value
    ),
    "attend_next scaled": lambda value: attend_next(KVCache(), [1.0], [1.0], [1.0], value),
    "chain_rule residual": lambda value: chain_rule(math.sin, math.cos, 1.0, 1, value),
    "count_attention_parameters biases": lambda value: count_attention_parameters(4, biases=value),
    "count_feed_forward_parameters gated": lambda value: count_feed_forward_parameters(4, 16, gated=value),
    "count_feed_forward_parameters biases": lambda value: count_feed_forward_parameters(4, 16, biases=value),
}


@pytest.mark.parametrize("value", ["no", "", 0, 1, None, [], np.array([True, False])], ids=repr)
@named(FLAGS)
def test_flags_are_true_or_false(name, call, value):
    call(True)
    call(False)
    with pytest.raises(
        ValueError, match=f"^{name.split()[1]} must be True or False, not {re.escape(repr(value))}$"
    ):
        call(value)


# Choices.

CHOICES = {
    "pairs_of pairing": lambda value: pairs_of(4, value),
    "rotate pairing": lambda value: rotate([1.0, 2.0], 1, value),
    "rotate_rows pairing": lambda value: rotate_rows([[1.0, 2.0]], value),
    "gelu form": lambda value: gelu(1.0, value),
    "slot name": lambda value: StreamLayout(5).slot(value),
}


@pytest.mark.parametrize("value", [np.array(["erf", "tanh"]), np.array([1.0, 2.0]), ["erf"], {}, 0], ids=repr)
@named(CHOICES)
def test_choices_are_text(name, call, value):
    with pytest.raises(ValueError, match=rf"^{name.split()[1]} must be .*, not {re.escape(repr(value))}$"):
        call(value)


# Results that are too large for a float.

BEYOND = {
    "dot": lambda: dot(huge[0], huge[0]),
    "dot, both signs": lambda: dot([1e200, 1e200], [1e200, -1e200]),
    "matmul": lambda: matmul(huge, huge),
    "matmul, both signs": lambda: matmul([[1e200, 1e200]], [[1e200], [-1e200]]),
    "vector_matrix": lambda: vector_matrix(huge[0], huge),
    "add": lambda: add([[1.7e308]], [[1.7e308]]),
    "add_to_rows": lambda: add_to_rows([[1.7e308]], [1.7e308]),
    "scale": lambda: scale(huge, 1e200),
    "attention_scores": lambda: attention_scores(huge, huge),
    "scaled_dot_product_attention": lambda: scaled_dot_product_attention(huge, huge, one),
    "multi_head_attention, w_q": lambda: multi_head_attention(huge, huge, one, one, one, 1),
    "multi_head_attention, w_k": lambda: multi_head_attention(huge, one, huge, one, one, 1),
    "multi_head_attention, w_v": lambda: multi_head_attention(huge, one, one, huge, one, 1),
    "multi_head_attention, w_o": lambda: multi_head_attention([[1e100]], one, one, [[1e100]], huge, 1),
    "grouped_query_attention": lambda: grouped_query_attention(huge, one, huge, one, one, 1, 1),
    "rotate": lambda: rotate([1.7e308, 1.7e308], -0.75),
    "rotate_rows": lambda: rotate_rows([[1.7e308, -1.7e308]] * 2),
    "linear_layer": lambda: linear_layer([1.0], [[1.7e308]], [1.7e308]),
    "feed_forward, w_1": lambda: feed_forward(huge[0], huge, [0.0], one, [0.0]),
    "feed_forward, w_2": lambda: feed_forward(huge[0], one, [0.0], huge, [0.0]),
    "feed_forward, b_2": lambda: feed_forward([1.0], one, [0.0], [[1.7e308]], [1.7e308]),
    "gated_feed_forward, the gate": lambda: gated_feed_forward(huge[0], one, one, one, relu),
    "swiglu, w_gate": lambda: swiglu(huge[0], huge, one, one),
    "swiglu, w_up": lambda: swiglu(huge[0], one, huge, one),
    "swiglu, w_down": lambda: swiglu([1e100], one, one, huge),
    "pre_norm_block, attention": lambda: pre_norm_block([[1.7e308]], lambda rows: rows, list, list, list),
    "pre_norm_block, feed_forward": lambda: pre_norm_block([[1e308]], lambda r: [[0.0]], list, list, list),
    "post_norm_block, attention": lambda: post_norm_block([[1.7e308]], lambda rows: rows, list, list, list),
    "post_norm_block, feed_forward": lambda: post_norm_block([[1e308]], lambda r: [[0.0]], list, list, list),
}


@named(BEYOND)
def test_what_is_too_large_for_a_float_is_said_and_not_passed_on(name, call):
    with pytest.raises(OverflowError, match=r"^a [a-z ]+ is too large for a float$"):
        call()


# What the caller's functions give.


@pytest.mark.parametrize("value", [math.inf, math.nan, "1", None, [1.0]], ids=repr)
def test_what_an_activation_gives_is_a_finite_number(value):
    with pytest.raises(ValueError, match=r"^what activation gave must hold "):
        feed_forward([1.0], one, [0.0], one, [0.0], lambda x: value)
    with pytest.raises(ValueError, match=r"^what activation gave must hold "):
        gated_feed_forward([1.0], one, one, one, lambda x: value)


@pytest.mark.parametrize("residual", [False, True])
def test_what_a_layer_gives_is_a_finite_number(residual):
    for value in (math.inf, -math.inf, math.nan):
        for layer, derivative in (
            (lambda x, v=value: v, math.cos),
            (math.sin, lambda x, v=value: v),
            (lambda x, v=value: v, lambda x: math.nan),
        ):
            with pytest.raises(ValueError, match=r"^output and slope of a layer must hold "):
                chain_rule(layer, derivative, 1.0, 2, residual)
    with pytest.raises(ValueError, match=r"^output and slope of a layer must hold finite numbers, not inf$"):
        chain_rule(lambda x: x * 1e200, lambda x: 1.0, 1.0, 2, residual)
    with pytest.raises(ValueError, match=r"^output and slope of a layer must hold finite numbers, not inf$"):
        chain_rule(lambda x: x, lambda x: 1e200, 1.0, 2, residual)
    with pytest.raises(TypeError):
        chain_rule(lambda x: "1", math.cos, 1.0, 1, residual)


# Narrow numbers of NumPy.


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_norms_of_numpy_numbers_warn_of_nothing(norm, kind):
    x = [kind(1), kind(2), kind(6)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert norm(x) == pytest.approx(norm([1.0, 2.0, 6.0]), rel=1e-2)


# A failed step.

FAILURES = {
    "score": (([1e200], [1e200], [1.0]), OverflowError),
    "output": (([0.0], [0.0], [1.0, 1.0]), ValueError),
    "query": (([math.nan], [1.0], [1.0]), ValueError),
    "key": (([1.0], [1.0, 2.0], [1.0]), ValueError),
    "value": (([1.0], [1.0], [math.inf]), ValueError),
    "scaled": (([1.0], [1.0], [1.0], "no"), ValueError),
}


@pytest.mark.parametrize("before", [0, 1, 3])
@named(FAILURES)
def test_a_failed_step_leaves_the_cache_as_it_was(name, call, before):
    arguments, error = call
    cache, untouched = KVCache(), KVCache()
    for step in range(before):
        for one_of_them in (cache, untouched):
            attend_next(one_of_them, [1.0], [float(step)], [2.0])
    if name in ("key", "output") and not before:
        pytest.skip("the first key and value set the widths")
    with pytest.raises(error):
        attend_next(cache, *arguments)
    assert vars(cache) == vars(untouched)
    again = attend_next(cache, [1.0], [0.5], [3.0])
    assert again == attend_next(untouched, [1.0], [0.5], [3.0])
    assert vars(cache) == vars(untouched)


def test_what_follows_is_not_stored():
    cache = KVCache()
    cache.append([1.0], [2.0])
    key, value = [3.0], [4.0]
    keys, values = cache.followed_by(key, value)
    key[0] = value[0] = 0.0
    assert (keys, values) == ([[1.0], [3.0]], [[2.0], [4.0]])
    assert (cache.keys, cache.values) == ([[1.0]], [[2.0]])
