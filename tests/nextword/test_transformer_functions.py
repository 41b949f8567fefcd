"""nextword.transformer against closed forms, published models and NumPy; and what it refuses."""

import math
import re
from fractions import Fraction
from functools import partial
from statistics import NormalDist

import numpy as np
import pytest

from nextword.transformer import (
    chain_rule,
    count_attention_parameters,
    count_feed_forward_parameters,
    count_parameters,
    feed_forward,
    gated_feed_forward,
    gelu,
    layer_norm,
    linear_layer,
    post_norm_block,
    pre_norm_block,
    relu,
    require_bias,
    rms_norm,
    root_mean_square,
    silu,
    swiglu,
)

ONES = [[1.0, 1.0], [1.0, 1.0]]


def said(message):
    return pytest.raises(ValueError, match=re.escape(message))


# Norms.


@pytest.mark.parametrize(
    ("x", "mean", "variance"),
    [
        ([1, 3], 2, 1),
        ([0, 0, 0, 4], 1, 3),
        ([1, 2, 3, 4, 5], 3, 2),
        ([Fraction(1, 2), Fraction(3, 2)], 1, Fraction(1, 4)),
    ],
)
def test_layer_norm_on_whole_numbers(x, mean, variance):
    root = math.sqrt(variance)
    assert layer_norm(x, eps=0) == pytest.approx([float(n - mean) / root for n in x], abs=1e-15)


def test_the_variance_is_divided_by_d_not_by_d_less_1():
    """The unbiased variance of [1, 0, 0, 0] would give 1.5."""
    assert layer_norm([1.0, 0.0, 0.0, 0.0], eps=0)[0] == pytest.approx(math.sqrt(3), abs=1e-15)


def test_eps_stands_inside_the_root():
    assert layer_norm([1.0, -1.0], eps=3) == [0.5, -0.5]
    assert rms_norm([1.0, 1.0], eps=3) == [0.5, 0.5]


def test_rms_norm_on_whole_numbers():
    assert rms_norm([3.0, 4.0, 0.0, 0.0], eps=0) == [1.2, 1.6, 0.0, 0.0]
    assert rms_norm([7.0], eps=0) == [1.0]
    assert rms_norm([0.0, 0.0]) == [0.0, 0.0]


def test_gamma_and_beta_act_number_by_number():
    assert layer_norm([1.0, 3.0], [2.0, -1.0], [10.0, 20.0], eps=0) == [8.0, 19.0]
    assert layer_norm([1.0, 3.0], beta=[10.0, 20.0], eps=0) == [9.0, 21.0]
    assert rms_norm([2.0, -2.0], [3.0, 5.0], eps=0) == [3.0, -5.0]


def test_gamma_and_beta_can_undo_a_layer_norm():
    x = [2.0, -1.0, 4.0, 7.0]
    spread = math.sqrt(np.var(x) + 1e-5)
    assert layer_norm(x, [spread] * 4, [3.0] * 4) == pytest.approx(x, abs=1e-14)


def test_one_number_has_no_spread():
    assert layer_norm([7.0]) == [0.0]
    for x in ([7.0], [1e-200, 2e-200]):  # the latter's squares are too small for a float
        with pytest.raises(ZeroDivisionError):
            layer_norm(x, eps=0)
    with pytest.raises(ZeroDivisionError):
        rms_norm([0.0, 0.0], eps=0)


def test_norms_at_the_edge_of_what_can_be_squared():
    assert layer_norm([1e150, -1e150]) == [1.0, -1.0]
    assert rms_norm([1e150, -1e150]) == [1.0, -1.0]
    assert root_mean_square([[1e150, -1e150]]) == pytest.approx(1e150)
    for norm in (layer_norm, rms_norm):
        with said("x must hold numbers of size up to 1e+150, not -1e+151"):
            norm([0.0, -1e151])
    with said("row 1 of matrix must hold numbers of size up to 1e+150, not 1e+151"):
        root_mean_square([[0.0], [1e151]])


def test_norms_leave_their_input_alone():
    x, gamma = [1.0, 3.0], [2.0, 2.0]
    layer_norm(x, gamma, gamma)
    rms_norm(x, gamma)
    assert (x, gamma) == ([1.0, 3.0], [2.0, 2.0])


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_what_norms_refuse(norm):
    with said("x must hold at least one number, not []"):
        norm([])
    with said("x must hold finite numbers, not inf"):
        norm([1.0, math.inf])
    with said("x must hold numbers only, not nan"):
        norm([1.0, math.nan])
    with said("x must hold numbers only, not [1.0, 2.0]"):
        norm([[1.0, 2.0]])
    with said("gamma and x must have rows of one width, not the shapes (1, 3) and (1, 2)"):
        norm([1.0, 2.0], [1.0, 1.0, 1.0])
    with said("gamma must hold finite numbers, not inf"):
        norm([1.0, 2.0], [1.0, math.inf])
    for eps in (-1e-5, math.inf, math.nan, None, True):
        with said(f"eps must be a finite number of at least 0, not {eps!r}"):
            norm([1.0, 2.0], eps=eps)


def test_layer_norm_refuses_a_beta_of_another_width():
    with said("beta and x must have rows of one width, not the shapes (1, 1) and (1, 2)"):
        layer_norm([1.0, 2.0], beta=[1.0])


def test_root_mean_square():
    assert root_mean_square([[3.0, 4.0]]) == math.sqrt(12.5)
    assert root_mean_square([[0.0]]) == 0
    assert root_mean_square([[1.0, 1.0], [1.0, 5.0]]) == math.sqrt(7)
    with said("matrix must have rows of one width, but row 0 has 1 numbers and row 1 2"):
        root_mean_square([[1.0], [1.0, 2.0]])


# The chain rule.


def test_a_straight_layer_gives_powers():
    for depth in range(6):
        assert chain_rule(lambda x: 3 * x, lambda x: 3.0, 2.0, depth) == (2 * 3**depth, 3**depth)
        assert chain_rule(lambda x: 3 * x, lambda x: 3.0, 2.0, depth, residual=True) == (
            2 * 4**depth,
            4**depth,
        )


def test_the_slope_is_taken_where_x_enters():
    """f(x) = x² twice: x⁴, of slope 4x³."""
    assert chain_rule(lambda x: x * x, lambda x: 2 * x, 3.0, 2) == (81, 108)


def test_a_residual_layer_can_be_cancelled():
    assert chain_rule(lambda x: -x, lambda x: -1.0, 5.0, 1, residual=True) == (0, 0)


def test_what_chain_rule_refuses():
    with said("layer must be a function, not 1"):
        chain_rule(1, math.cos, 0.0, 1)
    with said("derivative must be a function, not None"):
        chain_rule(math.sin, None, 0.0, 1)
    with said("x must be a finite number, not nan"):
        chain_rule(math.sin, math.cos, math.nan, 1)
    with said("depth must be a whole number of at least 0, not -1"):
        chain_rule(math.sin, math.cos, 0.0, -1)


# Activations.


def test_relu():
    assert [relu(x) for x in (-1e308, -0.5, 0, 0.5, 1e308)] == [0, 0, 0, 0.5, 1e308]


def test_gelu_is_x_times_the_normal_distribution():
    for x in (-6.0, -2.0, -0.75, 0.0, 0.3, 1.0, 4.0):
        assert gelu(x) == pytest.approx(x * NormalDist().cdf(x), abs=1e-15)


def test_gelu_keeps_its_digits_far_below_0():
    """The tail of the normal distribution at -20 is 2.7536241186062337e-89."""
    assert gelu(-20.0) == pytest.approx(-20 * 2.7536241186062337e-89, rel=1e-12, abs=0)


def test_gelu_by_tanh():
    for x in (-3.0, -0.75, 0.0, 0.3, 1.0, 4.0):
        wanted = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        assert gelu(x, form="tanh") == pytest.approx(wanted, abs=1e-15)


def test_the_forms_of_gelu_differ_in_the_fourth_digit():
    gaps = [abs(gelu(n / 100) - gelu(n / 100, form="tanh")) for n in range(-800, 801)]
    assert 1e-4 < max(gaps) < 1e-3
    assert gelu(1.0) == pytest.approx(0.8413447460685429, abs=1e-15)
    assert gelu(1.0, form="tanh") == pytest.approx(0.8411919906082768, abs=1e-15)


def test_the_lowest_points():
    assert min(gelu(n / 1000) for n in range(-2000, 0)) == pytest.approx(-0.16997, abs=1e-5)
    assert min(silu(n / 1000) for n in range(-2000, 0)) == pytest.approx(-0.278465, abs=1e-6)


def test_silu():
    assert silu(math.log(3)) == pytest.approx(math.log(3) * 3 / 4, abs=1e-15)
    assert silu(-math.log(3)) == pytest.approx(-math.log(3) / 4, abs=1e-15)


@pytest.mark.parametrize("activation", [relu, gelu, silu, partial(gelu, form="tanh")])
def test_activations_at_the_ends(activation):
    for x in (1e3, 1e200, 1.7e308):
        assert activation(x) == x
        assert activation(-x) == 0
    assert activation(0) == 0
    assert activation(Fraction(5)) == pytest.approx(5, abs=0.1)
    for x in (math.nan, math.inf, -math.inf, "1", None, True):
        with said(f"x must be a finite number, not {x!r}"):
            activation(x)


def test_gelu_refuses_an_unknown_form():
    for form in ("none", None, ["erf"]):
        with said(f"form must be 'erf' or 'tanh', not {form!r}"):
            gelu(1.0, form)


# Linear and feed-forward layers.


def test_linear_layer():
    assert linear_layer([1.0, 2.0], [[1.0, 0.0, 3.0], [0.0, 1.0, 4.0]], [0.5, 0.5, 0.5]) == [1.5, 2.5, 11.5]
    with said("x must be as wide as weights has rows, not of the shapes (1, 3) and (2, 2)"):
        linear_layer([1.0, 2.0, 3.0], ONES, [0.0, 0.0])
    with said("bias and weights must have rows of one width, not the shapes (1, 3) and (2, 2)"):
        linear_layer([1.0, 2.0], ONES, [0.0, 0.0, 0.0])


def test_feed_forward_can_compute_what_no_linear_layer_can():
    """Exclusive or, with relu(a + b) - 2 relu(a + b - 1)."""
    table = {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}
    for pair, wanted in table.items():
        assert feed_forward(list(pair), ONES, [0.0, -1.0], [[1.0], [-2.0]], [0.0]) == [wanted]


@pytest.mark.parametrize("activation", [relu, gelu, silu])
def test_feed_forward_and_the_gated_one_against_numpy(activation):
    rng = np.random.default_rng(21)
    x, w_1, w_2, up = (
        rng.normal(size=5),
        rng.normal(size=(5, 7)),
        rng.normal(size=(7, 3)),
        rng.normal(size=(5, 7)),
    )
    b_1, b_2 = rng.normal(size=7), rng.normal(size=3)
    bend = np.vectorize(activation)
    given = [array.tolist() for array in (x, w_1, b_1, w_2, b_2)]
    assert feed_forward(*given, activation) == pytest.approx(
        (bend(x @ w_1 + b_1) @ w_2 + b_2).tolist(), abs=1e-13
    )
    given = [array.tolist() for array in (x, w_1, up, w_2)]
    wanted = ((bend(x @ w_1) * (x @ up)) @ w_2).tolist()
    assert gated_feed_forward(*given, activation) == pytest.approx(wanted, abs=1e-13)


def test_feed_forward_uses_relu_unless_told():
    given = ([1.0, 2.0], [[1.0, -1.0], [1.0, -1.0]], [0.0, 0.0], [[1.0], [1.0]], [0.0])
    assert feed_forward(*given) == [3.0]
    assert feed_forward(*given, gelu) == [gelu(3.0) + gelu(-3.0)]
    assert feed_forward(*given, lambda x: x) == [0.0]


def test_the_gate_is_the_bent_half():
    gate, up, down = [[-1.0]], [[5.0]], [[1.0]]
    assert gated_feed_forward([1.0], gate, up, down, relu) == [0.0]
    assert gated_feed_forward([1.0], up, gate, down, relu) == [-5.0]
    assert swiglu([1.0], gate, up, down) == [silu(-1.0) * 5.0]


def test_what_feed_forward_refuses():
    good = {"x": [1.0, 2.0], "w_1": ONES, "b_1": [0.0, 0.0], "w_2": ONES, "b_2": [0.0, 0.0]}
    feed_forward(**good)
    bad = [
        ("x", [1.0], "x must be as wide as w_1 has rows, not of the shapes (1, 1) and (2, 2)"),
        (
            "w_1",
            [[1.0], [2.0], [3.0]],
            "x must be as wide as w_1 has rows, not of the shapes (1, 2) and (3, 1)",
        ),
        ("b_1", [0.0], "b_1 and w_1 must have rows of one width, not the shapes (1, 1) and (2, 2)"),
        ("w_2", [[1.0, 2.0]], "w_1 must be as wide as w_2 has rows, not of the shapes (2, 2) and (1, 2)"),
        ("b_2", [0.0], "b_2 and w_2 must have rows of one width, not the shapes (1, 1) and (2, 2)"),
        ("x", ONES, "x must hold numbers only, not [1.0, 1.0]"),
        ("w_1", [1.0, 2.0], "row 0 of w_1 must be a list or tuple of numbers, not 1.0"),
        ("b_2", None, "b_2 must be a list or tuple of numbers, not None"),
        ("activation", "relu", "activation must be a function, not 'relu'"),
        ("activation", lambda x: math.inf, "what activation gave must hold finite numbers, not inf"),
    ]
    for name, value, message in bad:
        with said(message):
            feed_forward(**(good | {name: value}))


def test_what_gated_layers_refuse():
    good = {"x": [1.0, 2.0], "w_gate": ONES, "w_up": ONES, "w_down": ONES}
    swiglu(**good)
    bad = [
        ("x", [1.0], "x must be as wide as w_gate has rows, not of the shapes (1, 1) and (2, 2)"),
        ("w_up", [[1.0], [1.0]], "w_gate and w_up must have one shape, not the shapes (2, 2) and (2, 1)"),
        ("w_down", [[1.0]], "w_up must be as wide as w_down has rows, not of the shapes (2, 2) and (1, 1)"),
        ("w_gate", [[math.nan, 1.0], [1.0, 1.0]], "row 0 of w_gate must hold numbers only, not nan"),
    ]
    for name, value, message in bad:
        with said(message):
            swiglu(**(good | {name: value}))
    with said("activation must be a function, not None"):
        gated_feed_forward(**good, activation=None)


# Blocks.


def swapped(rows):
    return rows[::-1]


def doubled(row):
    return [2 * number for number in row]


def test_the_order_of_the_pre_norm_block():
    seen = []

    def spy(name, function):
        def called(value):
            seen.append((name, value))
            return function(value)

        return called

    x = [[1.0, 3.0], [4.0, 2.0]]
    norm = [[-1.0, 1.0], [1.0, -1.0]]
    got = pre_norm_block(
        x,
        spy("attention", swapped),
        spy("feed", doubled),
        spy("norm 1", partial(layer_norm, eps=0)),
        spy("norm 2", lambda row: [number + 1 for number in row]),
    )
    h = [[2.0, 2.0], [3.0, 3.0]]
    assert seen == [
        ("norm 1", x[0]),
        ("norm 1", x[1]),
        ("attention", norm),
        ("norm 2", h[0]),
        ("feed", [3.0, 3.0]),
        ("norm 2", h[1]),
        ("feed", [4.0, 4.0]),
    ]
    assert got == [[8.0, 8.0], [11.0, 11.0]]


def test_the_order_of_the_post_norm_block():
    x = [[1.0, 3.0], [4.0, 2.0]]
    got = post_norm_block(
        x, swapped, doubled, lambda row: [n / 5 for n in row], lambda row: [n - 1 for n in row]
    )
    assert got == [[2.0, 2.0], [2.0, 2.0]]  # x + swapped is 5 all over, h is 1, h + doubled is 3


@pytest.mark.parametrize("block", [pre_norm_block, post_norm_block])
def test_the_norms_of_a_block_are_layer_norms_unless_told(block):
    x = [[1.0, 3.0, -2.0], [4.0, 2.0, 0.5]]
    assert block(x, swapped, doubled) == block(x, swapped, doubled, layer_norm, layer_norm)
    assert block(x, swapped, doubled) != block(x, swapped, doubled, rms_norm, layer_norm)
    assert block(x, swapped, doubled) != block(x, swapped, doubled, layer_norm, rms_norm)
    assert x == [[1.0, 3.0, -2.0], [4.0, 2.0, 0.5]]


@pytest.mark.parametrize("block", [pre_norm_block, post_norm_block])
def test_what_a_block_refuses(block):
    with said("x must have rows of one width"):
        block([[1.0], [1.0, 2.0]], swapped, doubled)
    with said("x must be a list or tuple of at least one row, not []"):
        block([], swapped, doubled)
    for place, name in enumerate(("attention", "feed_forward", "norm_1", "norm_2")):
        given = [swapped, doubled, layer_norm, layer_norm]
        given[place] = None
        with said(f"{name} must be a function, not None"):
            block(ONES, *given)
    with said("must have one shape, not the shapes (2, 2) and (1, 2)"):
        block(ONES, lambda rows: rows[:1], doubled)
    with said("must have one shape, not the shapes (2, 2) and (2, 1)"):
        block(ONES, swapped, lambda row: row[:1])


# Parameters.


def test_parameters_of_a_sheet_of_paper():
    assert count_parameters(4, 16) == {"attention": 4 * 16, "feed_forward": 64 + 16 + 64 + 4, "norms": 4 * 4}


def test_parameters_are_the_numbers_in_the_weights():
    d, d_ff, heads, groups = 12, 20, 6, 2
    key_width = d // heads * groups
    shapes = [(d, d), (d, key_width), (d, key_width), (d, d)]
    matrices = sum(rows * columns for rows, columns in shapes)
    assert count_attention_parameters(d, heads, groups) == matrices
    assert count_attention_parameters(d, heads, groups, biases=True) == matrices + sum(c for _, c in shapes)
    gated = [(d, d_ff), (d, d_ff), (d_ff, d)]
    matrices = sum(rows * columns for rows, columns in gated)
    assert count_feed_forward_parameters(d, d_ff, gated=True, biases=False) == matrices
    assert count_feed_forward_parameters(d, d_ff, gated=True) == matrices + sum(c for _, c in gated)


def test_heads_change_nothing_unless_they_share_keys():
    counts = {count_attention_parameters(96, heads) for heads in (1, 2, 8, 96)}
    assert counts == {4 * 96 * 96}
    assert count_attention_parameters(96, 8, 8) == 4 * 96 * 96
    assert count_attention_parameters(96, 8, 1) == 2 * 96 * 96 + 2 * 96 * 12


def test_gpt_2():
    """The smallest GPT-2 has 124,439,808 parameters, its output weights being those of the embedding."""
    block = (
        count_attention_parameters(768, heads=12, biases=True)
        + count_feed_forward_parameters(768, 3072)
        + count_parameters(768, 3072)["norms"]
    )
    assert 12 * block + 50257 * 768 + 1024 * 768 + 2 * 768 == 124_439_808


@pytest.mark.parametrize(
    ("total", "layers", "d_ff", "key_value_heads", "vocabulary"),
    [(6_738_415_616, 32, 11008, 32, 32000), (8_030_261_248, 32, 14336, 8, 128256)],
    ids=["Llama 2 7B", "Llama 3 8B"],
)
def test_llama(total, layers, d_ff, key_value_heads, vocabulary):
    block = (
        count_attention_parameters(4096, heads=32, key_value_heads=key_value_heads)
        + count_feed_forward_parameters(4096, d_ff, gated=True, biases=False)
        + 2 * 4096
    )
    assert layers * block + 2 * vocabulary * 4096 + 4096 == total


def test_what_counts_refuse():
    for value in (0, -4, 4.0, True, "4"):
        for count in (count_attention_parameters, lambda d: count_parameters(d, 16)):
            with said(f"d_model must be a whole number of at least 1, not {value!r}"):
                count(value)
        with said(f"d_ff must be a whole number of at least 1, not {value!r}"):
            count_parameters(4, value)
        with said(f"heads must be a whole number of at least 1, not {value!r}"):
            count_attention_parameters(4, value)
        with said(f"key_value_heads must be a whole number of at least 1, not {value!r}"):
            count_attention_parameters(4, 2, value)
    with said("heads must divide d_model, 4, not 3"):
        count_attention_parameters(4, heads=3)
    with said("key_value_heads must divide heads, 4, not 3"):
        count_attention_parameters(4, heads=4, key_value_heads=3)
    with said("key_value_heads must divide heads, 2, not 4"):
        count_attention_parameters(4, heads=2, key_value_heads=4)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda bad: require_bias("b", [1.0], "w", bad), "w"),
        (lambda bad: feed_forward([1.0], [[1.0]], [0.0], bad, [0.0]), "w_2"),
        (lambda bad: swiglu([1.0], [[1.0]], bad, [[1.0]]), "w_up"),
        (lambda bad: swiglu([1.0], [[1.0]], [[1.0]], bad), "w_down"),
    ],
)
def test_weights_that_are_no_matrix_are_named(call, name):
    for bad in ("1", [], [[1.0], [1.0, 2.0]]):
        with pytest.raises(ValueError, match=rf"^{name} must "):
            call(bad)


def test_counts_at_their_smallest():
    assert count_attention_parameters(3) == 36  # four square matrices; one head divides any width
    assert count_feed_forward_parameters(1, 1) == 4  # two weights, two biases
    with pytest.raises(ValueError, match=r"^d_model must be a whole number of at least 1, not 0$"):
        count_feed_forward_parameters(0, 1)
