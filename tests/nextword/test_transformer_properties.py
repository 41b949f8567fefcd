"""What holds for all norms, layers and blocks, with deliberately naive ones on exact fractions to compare with."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nextword.transformer import (
    chain_rule,
    count_parameters,
    feed_forward,
    gated_feed_forward,
    gelu,
    layer_norm,
    post_norm_block,
    pre_norm_block,
    relu,
    rms_norm,
    root_mean_square,
    silu,
    swiglu,
)

steady = settings(derandomize=True, deadline=None, max_examples=100, database=None)

quarters = st.integers(-400, 400).map(lambda number: number / 4)  # their sums are exact
vectors = st.lists(quarters, min_size=1, max_size=8)
spread_vectors = vectors.filter(lambda x: max(x) > min(x))
wild_numbers = st.floats(-1e150, 1e150) | st.sampled_from([0.0, -0.0, 5e-324, 1e150, -1e150])
wild_vectors = st.lists(wild_numbers, min_size=1, max_size=8)
numbers = st.floats(-40, 40)
sizes = st.integers(1, 4)


def matrix_of(rows, columns):
    return st.lists(st.lists(quarters, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


streams = st.tuples(st.integers(1, 5), sizes).flatmap(lambda shape: matrix_of(*shape))
layers = st.tuples(sizes, sizes).flatmap(
    lambda shape: st.tuples(
        matrix_of(1, shape[0]).map(lambda rows: rows[0]),
        matrix_of(*shape),
        matrix_of(1, shape[1]).map(lambda rows: rows[0]),
        matrix_of(shape[1], shape[0]),
        matrix_of(1, shape[0]).map(lambda rows: rows[0]),
    )
)


def look_back(rows):
    """A stand-in for causal attention: each row becomes the mean of the rows so far, times 1/4."""
    return [
        [math.fsum(column) / len(column) / 4 for column in zip(*rows[: place + 1], strict=True)]
        for place in range(len(rows))
    ]


def bend(row):
    """A stand-in for a feed-forward layer."""
    return [math.sin(number) - 0.5 for number in row]


# Norms.


@steady
@given(spread_vectors, st.sampled_from([0, 1e-5, 0.25]))
def test_layer_norm_agrees_with_exact_arithmetic(x, eps):
    exact = [Fraction(number) for number in x]
    mean = sum(exact) / len(exact)
    variance = sum((number - mean) ** 2 for number in exact) / len(exact)
    root = math.sqrt(variance + Fraction(eps))
    assert layer_norm(x, eps=eps) == pytest.approx(
        [float(n - mean) / root for n in exact], rel=1e-13, abs=1e-13
    )


@steady
@given(vectors.filter(any), st.sampled_from([0, 1e-5, 0.25]))
def test_rms_norm_agrees_with_exact_arithmetic(x, eps):
    root = math.sqrt(sum(Fraction(number) ** 2 for number in x) / len(x) + Fraction(eps))
    assert rms_norm(x, eps=eps) == pytest.approx([number / root for number in x], rel=1e-13)


@steady
@given(wild_vectors)
def test_norms_of_anything_are_finite_and_small(x):
    for norm in (layer_norm, rms_norm):
        got = norm(x)
        assert len(got) == len(x)
        assert all(abs(number) <= math.sqrt(len(x)) * (1 + 1e-12) for number in got)


@steady
@given(spread_vectors)
def test_mean_0_and_variance_1(x):
    got = layer_norm(x, eps=0)
    assert math.fsum(got) == pytest.approx(0, abs=1e-12)
    assert root_mean_square([got]) == pytest.approx(1, abs=1e-12)


@steady
@given(spread_vectors)
def test_eps_makes_the_spread_a_little_smaller_than_1(x):
    spread = root_mean_square([layer_norm(x)])
    assert spread < 1
    variance = root_mean_square([[n - math.fsum(x) / len(x) for n in x]]) ** 2
    assert spread == pytest.approx(math.sqrt(variance / (variance + 1e-5)), abs=1e-12)


@steady
@given(spread_vectors, quarters)
def test_layer_norm_does_not_see_a_shift(x, shift):
    assert layer_norm([number + shift for number in x]) == pytest.approx(layer_norm(x), abs=1e-12)


@steady
@given(spread_vectors, quarters.filter(bool))
def test_rms_norm_does(x, shift):
    moved = rms_norm([number + shift for number in x])
    assert max(abs(a - b) for a, b in zip(moved, rms_norm(x), strict=True)) > 1e-6


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@steady
@given(x=spread_vectors, stretch=st.sampled_from([0.5, 3.0, 10.0, 1000.0]))
def test_norms_see_the_sign_of_a_stretch_alone(norm, x, stretch):
    wanted = norm(x, eps=0)
    assert norm([number * stretch for number in x], eps=0) == pytest.approx(wanted, abs=1e-12)
    assert norm([number * -stretch for number in x], eps=0) == pytest.approx([-n for n in wanted], abs=1e-12)


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
@steady
@given(x=vectors, data=st.data())
def test_norms_follow_a_permutation(norm, x, data):
    order = data.draw(st.permutations(range(len(x))))
    got = norm(x)
    assert norm([x[i] for i in order]) == [got[i] for i in order]


@steady
@given(vectors)
def test_without_a_mean_the_two_norms_are_one(x):
    balanced = [*x, *(-number for number in x)]
    assert layer_norm(balanced) == rms_norm(balanced)


@steady
@given(spread_vectors, st.data())
def test_gamma_and_beta_come_last(x, data):
    gamma, beta = (data.draw(st.lists(quarters, min_size=len(x), max_size=len(x))) for _ in "gb")
    plain = layer_norm(x)
    assert layer_norm(x, gamma, beta) == [n * g + b for n, g, b in zip(plain, gamma, beta, strict=True)]
    assert rms_norm(x, gamma) == [n * g for n, g in zip(rms_norm(x), gamma, strict=True)]
    assert layer_norm(x, [1.0] * len(x), [0.0] * len(x)) == plain


@steady
@given(streams, st.sampled_from([-3.0, 0.5, 2.0]))
def test_the_root_mean_square_is_that_of_all_numbers_and_stretches(x, stretch):
    flat = [number for row in x for number in row]
    assert root_mean_square(x) == root_mean_square([flat])
    assert root_mean_square(x) ** 2 == pytest.approx(sum(Fraction(n) ** 2 for n in flat) / len(flat))
    stretched = [[number * stretch for number in row] for row in x]
    assert root_mean_square(stretched) == pytest.approx(abs(stretch) * root_mean_square(x))


# The chain rule.


@steady
@given(st.floats(-2, 2), st.integers(0, 6), st.booleans())
def test_the_slope_agrees_with_a_nudge(x, depth, residual):
    def out(start):
        return chain_rule(math.sin, math.cos, start, depth, residual)[0]

    slope = chain_rule(math.sin, math.cos, x, depth, residual)[1]
    assert (out(x + 1e-6) - out(x - 1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-5, abs=1e-6)


@steady
@given(st.floats(-2, 2), st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_chains_can_be_joined(x, first, second, residual):
    middle, slope_1 = chain_rule(math.sin, math.cos, x, first, residual)
    end, slope_2 = chain_rule(math.sin, math.cos, middle, second, residual)
    joined = chain_rule(math.sin, math.cos, x, first + second, residual)
    assert joined == pytest.approx((end, slope_1 * slope_2), rel=1e-12, abs=1e-12)


# Activations.


@steady
@given(numbers)
def test_what_an_activation_and_its_mirror_image_have_in_common(x):
    """relu(x) - relu(-x) = x, and so for all that are x times a share."""
    for activation in (relu, gelu, silu, lambda x: gelu(x, form="tanh")):
        assert activation(x) - activation(-x) == pytest.approx(x, rel=1e-12, abs=1e-12)
        assert min(x, 0) <= activation(x) <= max(x, 0)
    assert abs(gelu(x) - gelu(x, form="tanh")) < 5e-4


# Feed-forward layers.


@steady
@given(layers)
def test_feed_forward_agrees_with_exact_arithmetic(layer):
    x, w_1, b_1, w_2, b_2 = layer
    wide = [
        max(Fraction(0), sum(Fraction(x[i]) * Fraction(w_1[i][j]) for i in range(len(x))) + Fraction(b_1[j]))
        for j in range(len(b_1))
    ]
    wanted = [
        float(sum(wide[j] * Fraction(w_2[j][k]) for j in range(len(wide))) + Fraction(b_2[k]))
        for k in range(len(b_2))
    ]
    assert feed_forward(x, w_1, b_1, w_2, b_2) == pytest.approx(wanted, rel=1e-13)


@steady
@given(layers, st.data())
def test_the_order_of_the_hidden_numbers_plays_no_part(layer, data):
    x, w_1, b_1, w_2, b_2 = layer
    order = data.draw(st.permutations(range(len(b_1))))
    wide = [[row[j] for j in order] for row in w_1]
    narrow = [w_2[j] for j in order]
    got = feed_forward(x, wide, [b_1[j] for j in order], narrow, b_2)
    assert got == pytest.approx(feed_forward(*layer), rel=1e-12, abs=1e-9)
    gated = gated_feed_forward(x, wide, wide, narrow, silu)
    assert gated == pytest.approx(swiglu(x, w_1, w_1, w_2), rel=1e-12, abs=1e-9)


@steady
@given(layers)
def test_a_relu_gated_by_itself_is_its_square(layer):
    x, w_1, _, w_2, _ = layer
    zeros = [0.0] * len(w_1[0]), [0.0] * len(x)
    squared = feed_forward(x, w_1, zeros[0], w_2, zeros[1], lambda h: relu(h) ** 2)
    assert gated_feed_forward(x, w_1, w_1, w_2, relu) == pytest.approx(squared, rel=1e-12)


# Blocks.

BLOCKS = [pre_norm_block, post_norm_block]


@steady
@given(streams)
def test_a_pre_norm_block_whose_sublayers_are_silent_is_the_identity(x):
    quiet = (lambda rows: [[0.0] * len(row) for row in rows], lambda row: [0.0] * len(row))
    assert pre_norm_block(x, *quiet) == x
    assert post_norm_block(x, *quiet) == [layer_norm(layer_norm(row)) for row in x]


@steady
@given(streams)
def test_without_norms_pre_and_post_are_one(x):
    assert pre_norm_block(x, look_back, bend, list, list) == post_norm_block(x, look_back, bend, list, list)


@steady
@given(streams)
def test_the_rows_of_a_post_norm_block_have_spread_1(x):
    for row in post_norm_block(x, look_back, bend):
        assume(max(row) - min(row) > 0.5)  # a flat row stays flat
        assert root_mean_square([row]) == pytest.approx(1, abs=1e-3)
        assert math.fsum(row) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("block", BLOCKS)
@steady
@given(x=streams)
def test_what_a_block_adds_on_top_of_causal_attention_lets_no_later_token_in(block, x):
    whole = block(x, look_back, bend)
    for length in range(1, len(x) + 1):
        assert block(x[:length], look_back, bend) == whole[:length]


@pytest.mark.parametrize("block", BLOCKS)
@steady
@given(x=streams, data=st.data())
def test_without_attention_no_token_sees_another(block, x, data):
    def quiet(rows):
        return [[0.0] * len(row) for row in rows]

    order = data.draw(st.permutations(range(len(x))))
    got = block(x, quiet, bend)
    assert block([x[i] for i in order], quiet, bend) == [got[i] for i in order]
    assert [block([row], quiet, bend)[0] for row in x] == got


@steady
@given(streams, quarters)
def test_a_shift_of_a_row_passes_a_pre_norm_block(x, shift):
    """The sublayers read the same, so the sum keeps the shift; a post-norm block drops it."""
    moved = [[number + shift for number in row] for row in x]
    got, wanted = pre_norm_block(moved, mean_free, bend), pre_norm_block(x, mean_free, bend)
    for row, wanted_row in zip(got, wanted, strict=True):
        assume(max(wanted_row) - min(wanted_row) > 0.5)
        assert row == pytest.approx([number + shift for number in wanted_row], abs=1e-9)
    dropped, stays = post_norm_block(moved, mean_free, bend), post_norm_block(x, mean_free, bend)
    for row, wanted_row in zip(dropped, stays, strict=True):
        assert row == pytest.approx(wanted_row, abs=1e-6)


def mean_free(rows):
    """A stand-in for attention that sees no shift."""
    return look_back([[n - math.fsum(row) / len(row) for n in row] for row in rows])


# Parameters.


@steady
@given(sizes, st.integers(1, 40))
def test_parameters_are_those_of_weights_that_work(d, d_ff):
    x, w_1, b_1, w_2, b_2 = [1.0] * d, [[1.0] * d_ff] * d, [1.0] * d_ff, [[1.0] * d] * d_ff, [1.0] * d
    feed_forward(x, w_1, b_1, w_2, b_2)
    layer_norm(x, x, b_2)
    counts = count_parameters(d, d_ff)
    assert counts["feed_forward"] == sum(map(len, w_1)) + len(b_1) + sum(map(len, w_2)) + len(b_2)
    assert counts["norms"] == 4 * len(x)
    assert counts["attention"] == 4 * len(x) ** 2
