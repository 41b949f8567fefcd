"""nextword.transformer against the independent figures of lesson 21 (tests/facts/lesson-21.json)."""

import json
import math
import random
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from nextword.attention import causal_mask, multi_head_attention
from nextword.transformer import (
    chain_rule,
    count_parameters,
    feed_forward,
    layer_norm,
    post_norm_block,
    pre_norm_block,
    relu,
    rms_norm,
    root_mean_square,
)

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-21.json").read_text(encoding="utf-8"))


def printed(row, digits=4):
    return [f"{number:.{digits}f}" for number in row]


class TestLayerNorm:
    """Panel 21.1."""

    facts = FACTS["21.1"]["inputs"]
    wanted = FACTS["21.1"]["expected"]
    extra = FACTS["21.1"]["extra_not_in_source"]
    x = facts["x"]

    def test_the_input(self):
        assert np.mean(self.x) == self.wanted["mean"]
        assert np.std(self.x) == pytest.approx(self.wanted["sd"], abs=1e-15)

    def test_normalized(self):
        got = layer_norm(self.x, eps=self.facts["eps"])
        assert got == pytest.approx(self.wanted["normed"], abs=1e-15)
        assert printed(got) == self.wanted["printed"]["normed"]
        assert np.mean(got) == pytest.approx(self.wanted["normed_mean"], abs=1e-15)
        assert np.std(got) == pytest.approx(self.wanted["normed_sd"], abs=1e-15)
        assert f"{np.std(got):.10f}" == self.wanted["printed"]["normed_sd"]

    def test_the_eps_of_the_sheet_is_the_default(self):
        assert layer_norm(self.x) == layer_norm(self.x, eps=self.facts["eps"])
        assert layer_norm(self.x) != layer_norm(self.x, eps=1e-6)

    def test_shifted_and_stretched(self):
        shifted = layer_norm([number + self.facts["shift"] for number in self.x])
        stretched = layer_norm([number * self.facts["stretch"] for number in self.x])
        assert shifted == pytest.approx(self.wanted["shifted"], abs=1e-15)
        assert stretched == pytest.approx(self.wanted["stretched"], abs=1e-15)
        assert printed(shifted) == printed(stretched) == self.wanted["printed"]["normed"]
        gaps = [abs(a - b) for a, b in zip(stretched, layer_norm(self.x), strict=True)]
        assert max(gaps) == pytest.approx(self.extra["max_diff_x10"], abs=1e-14)

    def test_gamma_and_beta(self):
        gamma, beta = [self.facts["gamma"]] * 4, [self.facts["beta"]] * 4
        got = layer_norm(self.x, gamma, beta)
        assert got == pytest.approx(self.wanted["affine"], abs=1e-15)
        assert printed(got) == self.wanted["printed"]["affine"]
        assert np.mean(got) == pytest.approx(self.wanted["affine_mean"], abs=1e-15)
        assert np.std(got) == pytest.approx(self.wanted["affine_sd"], abs=1e-15)

    def test_flat(self):
        assert layer_norm(self.facts["flat"]) == self.wanted["flat"]
        with pytest.raises(ZeroDivisionError):
            layer_norm(self.facts["flat"], eps=0)

    def test_where_eps_dominates(self):
        got = layer_norm([number * 0.001 for number in self.x])
        assert got == pytest.approx(self.extra["x_times_0.001_normed"], abs=1e-15)
        assert np.std(got) == pytest.approx(self.extra["x_times_0.001_sd"], abs=1e-15)

    def test_rms_norm_is_not_invariant_to_a_shift(self):
        assert rms_norm(self.x) == pytest.approx(self.extra["rmsnorm_x"], abs=1e-15)
        shifted = [number + self.facts["shift"] for number in self.x]
        assert rms_norm(shifted) == pytest.approx(self.extra["rmsnorm_x_plus_100"], abs=1e-15)


class TestResidual:
    """Panel 21.2."""

    facts = FACTS["21.2"]["inputs"]
    wanted = FACTS["21.2"]["expected"]
    extra = FACTS["21.2"]["extra_not_in_source"]

    def layer(self, x):
        return self.facts["W"] * math.tanh(x)

    def derivative(self, x):
        return self.facts["W"] * (1 - math.tanh(x) ** 2)

    def run(self, depth, residual, x=facts["x0"]):
        return chain_rule(self.layer, self.derivative, x, depth, residual)

    @pytest.mark.parametrize("row", wanted["table"], ids=lambda row: str(row["depth"]))
    def test_table(self, row):
        plain, residual = self.run(row["depth"], False), self.run(row["depth"], True)
        assert plain == pytest.approx((row["plain_out"], row["plain_slope"]), rel=1e-12, abs=0)
        assert residual == pytest.approx((row["res_out"], row["res_slope"]), rel=1e-12)
        got = [f"{plain[0]:.10f}", f"{plain[1]:.3e}", f"{residual[0]:.4f}", f"{residual[1]:.3e}"]
        assert got == row["printed"]

    def test_saturated(self):
        depth, x = self.facts["saturate_depth"], self.facts["saturate_x0"]
        assert self.run(depth, False, x)[1] == self.wanted["saturated"]["plain"] == 0
        assert self.run(depth, True, x)[1] == self.wanted["saturated"]["residual"] == 1

    def test_one_saturated_layer_is_enough(self):
        x = self.facts["saturate_x0"]
        for wanted in self.extra["saturated_plain_local_derivatives"]:
            output, slope = self.run(1, False, x)
            assert slope == pytest.approx(wanted, abs=1e-14)
            x = output

    @pytest.mark.parametrize(("name", "residual"), [("plain", False), ("residual", True)])
    def test_nudge(self, name, residual):
        h, depth = self.facts["nudge_h"], self.facts["nudge_depth"]
        x, wanted = self.facts["x0"], self.wanted["nudge"][name]
        above, below = (self.run(depth, residual, x + step)[0] for step in (h, -h))
        assert self.run(depth, residual)[1] == pytest.approx(wanted["analytic"], rel=1e-12)
        assert (above - below) / (2 * h) == pytest.approx(wanted["numeric"], abs=1e-8)

    def test_the_slope_levels_off(self):
        slopes = {depth: self.run(depth, True)[1] for depth in (8, 16, 32)}
        assert slopes[32] / slopes[8] == pytest.approx(self.extra["res_slope_32_over_8"], abs=1e-12)
        assert slopes[32] / slopes[16] == pytest.approx(self.extra["res_slope_32_over_16"], abs=1e-12)
        assert self.run(2000, True)[1] == pytest.approx(self.extra["limit_slope"], abs=1e-12)

    def test_the_slope_if_x_stayed_at_the_bend(self):
        slope = chain_rule(lambda x: 0.0, lambda x: self.facts["W"], 0.0, 32, residual=True)[1]
        assert slope == pytest.approx(self.extra["res_slope_if_x_held_at_0_depth_32"], rel=1e-12)


def drawn(rng, rows, columns):
    return [[rng.uniform(-0.5, 0.5) for _ in range(columns)] for _ in range(rows)]


def draw_weights(rng):
    """The weights of one block, in the order of the sheet."""
    weights = {name: drawn(rng, 4, 4) for name in ("W_Q", "W_K", "W_V", "W_O")}
    weights["W1"] = drawn(rng, 4, 16)
    weights["B1"] = drawn(rng, 1, 16)[0]
    weights["W2"] = drawn(rng, 16, 4)
    weights["B2"] = drawn(rng, 1, 4)[0]
    return weights


def causal_attention(weights, rows):
    """One causal head and W_O, in NumPy: independent of nextword.attention."""
    x = np.array(rows)
    queries, keys, values = (x @ np.array(weights[name]) for name in ("W_Q", "W_K", "W_V"))
    scores = queries @ keys.T / math.sqrt(keys.shape[1])
    scores[np.triu_indices(len(x), 1)] = -np.inf
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) @ values @ np.array(weights["W_O"])).tolist()


def sublayers(weights):
    attention = partial(causal_attention, weights)

    def feed(row):
        return feed_forward(row, weights["W1"], weights["B1"], weights["W2"], weights["B2"], relu)

    return attention, feed


def sizes(block, x, depths):
    """The size of the stream at each depth; ``block`` is a function of depth and stream."""
    found = {0: root_mean_square(x)}
    for depth in range(1, max(depths) + 1):
        x = block(depth, x)
        found[depth] = root_mean_square(x)
    return {depth: found[depth] for depth in depths}


def near(got, wanted, tolerance=1e-13):
    assert np.shape(got) == np.shape(wanted)
    assert np.max(np.abs(np.subtract(got, wanted))) < tolerance
    return True


class TestBlock:
    """Panel 21.3."""

    facts = FACTS["21.3"]["inputs"]
    wanted = FACTS["21.3"]["expected"]
    extra = FACTS["21.3"]["extra_not_in_source"]
    x = facts["X"]
    attention, feed = sublayers(facts["weights"])

    def test_the_weights_are_those_of_the_seed(self):
        assert draw_weights(random.Random(self.facts["seed"])) == self.facts["weights"]

    def test_each_step_of_the_pre_norm_block(self):
        steps = self.wanted["steps"]
        assert near([layer_norm(row) for row in self.x], steps["1"])
        assert near(type(self).attention(steps["1"]), steps["2"])
        assert near([layer_norm(row) for row in steps["3"]], steps["4"])
        got = [type(self).feed(row) for row in steps["4"]]
        assert near(got, steps["5"])
        assert [printed(row) for row in got] == self.wanted["steps_printed"]["5"]

    def test_the_pre_norm_block(self):
        got = pre_norm_block(self.x, type(self).attention, type(self).feed)
        assert near(got, self.wanted["steps"]["6"])
        assert [printed(row) for row in got] == self.wanted["steps_printed"]["6"]

    def test_the_post_norm_block(self):
        got = post_norm_block(self.x, type(self).attention, type(self).feed)
        assert near(got, self.wanted["post_norm"])
        assert [printed(row) for row in got] == self.wanted["post_norm_printed"]

    def test_with_the_attention_of_the_library(self):
        """The other tests of this class compute attention in NumPy."""
        weights = [self.facts["weights"][name] for name in ("W_Q", "W_K", "W_V", "W_O")]

        def attend(rows):
            return multi_head_attention(rows, *weights, heads=1, mask=causal_mask(len(rows)))[0]

        assert near(pre_norm_block(self.x, attend, type(self).feed), self.wanted["steps"]["6"])
        assert near(post_norm_block(self.x, attend, type(self).feed), self.wanted["post_norm"])

    def test_the_size_of_the_stream(self):
        depths = [row["depth"] for row in self.wanted["stream_size"]]
        for name, block in (("pre", pre_norm_block), ("post", post_norm_block)):
            got = sizes(lambda _, x: block(x, type(self).attention, type(self).feed), self.x, depths)  # noqa: B023
            for row in self.wanted["stream_size"]:
                assert got[row["depth"]] == pytest.approx(row[name], rel=1e-11)

    def test_silenced_sublayers(self):
        quiet = (lambda rows: [[0.0] * 4 for _ in rows], lambda row: [0.0] * 4)
        assert pre_norm_block(self.x, *quiet) == self.x
        post = np.array(post_norm_block(self.x, *quiet))
        gap = np.max(np.abs(post - np.array(self.x)))
        assert gap == pytest.approx(
            self.extra["post_norm_silenced_equals_ln_of_x_not_x_max_abs_diff"], abs=1e-4
        )

    def test_parameters(self):
        counts = count_parameters(self.facts["d_model"], self.facts["d_ff"])
        assert sum(counts.values()) == self.wanted["params"]
        assert counts["feed_forward"] == self.wanted["ff_params"]
        assert counts["feed_forward"] / sum(counts.values()) == pytest.approx(self.extra["ff_share"])

    def test_two_thirds_is_the_limit_of_the_share(self):
        counts = count_parameters(10**6, 4 * 10**6)
        share = counts["feed_forward"] / sum(counts.values())
        assert share == pytest.approx(self.extra["ff_share_large_d_limit"], abs=1e-6)

    def test_fresh_weights_against_reused_ones(self):
        @cache
        def weights_of(depth):
            while len(layers) < depth:
                layers.append(sublayers(draw_weights(rng)))
            return layers[depth - 1]

        rng, layers = random.Random(self.facts["seed"]), []
        fresh = {int(depth): size for depth, size in self.extra["pre_size_independent_weights"].items()}
        got = sizes(lambda depth, x: pre_norm_block(x, *weights_of(depth)), self.x, fresh)
        assert got == pytest.approx(fresh, rel=1e-9)
        reused = {int(depth): size for depth, size in self.extra["pre_size_reused_weights"].items()}
        got = sizes(lambda depth, x: pre_norm_block(x, *weights_of(1)), self.x, reused)
        assert got == pytest.approx(reused, rel=1e-9)

    def test_the_block_without_any_norm_blows_up(self):
        """A norm that is left out is ``list``: it copies the row."""
        wanted = {int(depth): size for depth, size in self.extra["no_norm_size_reused_weights"].items()}
        got = sizes(
            lambda _, x: pre_norm_block(x, type(self).attention, type(self).feed, list, list), self.x, wanted
        )
        assert got == pytest.approx(wanted, rel=1e-9)

    def test_a_norm_on_the_skip_path(self):
        """The silent bug ln(x) + sublayer(x)."""

        def wrong(_, x):
            h = np.array([layer_norm(row) for row in x]) + np.array(type(self).attention(x))
            return [np.add(layer_norm(row), type(self).feed(row)).tolist() for row in h.tolist()]

        wanted = {int(depth): size for depth, size in self.extra["wrong_residual_ln(x)+f(x)_size"].items()}
        assert sizes(wrong, self.x, wanted) == pytest.approx(wanted, rel=1e-11)
