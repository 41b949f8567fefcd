"""nextword.attention against the figures of lessons 20 and 21."""

import json
import math
import random
import statistics
from pathlib import Path

import pytest

from nextword.attention import (
    attention_scores,
    causal_mask,
    masked_softmax,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
)
from nextword.entropy import entropy
from nextword.matrices import add, draw_matrix, matmul, shape_of
from nextword.positions import sinusoidal_positions
from nextword.sampling import argmax
from nextword.softmax import softmax

FACTS = {
    number: json.loads(
        (Path(__file__).parents[1] / "facts" / f"lesson-{number}.json").read_text(encoding="utf-8")
    )
    for number in (20, 21)
}


def close(wanted):
    """The wanted matrix or matrices, number by number within the last digits."""
    if isinstance(wanted, list):
        return [close(part) for part in wanted]
    return pytest.approx(wanted, abs=1e-14)


def printed(matrix):
    return [[f"{number:.4f}" for number in row] for row in matrix]


class TestByHand:
    """Panel 20.1."""

    inputs, wanted = FACTS[20]["20.1"]["inputs"], FACTS[20]["20.1"]["expected"]
    queries, keys, values = inputs["Q"], inputs["K"], inputs["V"]

    def test_scores(self):
        assert attention_scores(self.queries, self.keys, scaled=False) == self.wanted["raw"]
        assert attention_scores(self.queries, self.keys) == self.wanted["scaled"]

    def test_weights_and_outputs(self):
        outputs, weights = scaled_dot_product_attention(self.queries, self.keys, self.values)
        assert weights == close(self.wanted["weights"])
        assert outputs == close(self.wanted["output"])
        assert printed(weights) == self.wanted["weights_printed"]
        assert printed(outputs) == self.wanted["output_printed"]
        assert [f"{math.fsum(row):.10f}" for row in weights] == self.wanted["row_sums_printed"]

    def test_closed_forms(self):
        _, weights = scaled_dot_product_attention(self.queries, self.keys, self.values)
        e = math.exp(3)
        one, rest = e / (e + 3), 1 / (e + 3)
        half, little = e / (2 * e + 2), 1 / (2 * e + 2)
        assert weights == close(
            [
                [one, rest, rest, rest],
                [rest, rest, one, rest],
                [little, half, little, half],
                [rest, rest, one, rest],
            ]
        )

    def test_checks(self):
        outputs, weights = scaled_dot_product_attention(self.queries, self.keys, self.values)
        assert all(math.fsum(row) == pytest.approx(1, abs=1e-15) for row in weights)
        assert all(0 < weight < 1 for row in weights for weight in row)
        assert argmax(weights[1]) == 2
        assert weights[2][1] == weights[2][3] > 0.45
        assert weights[2][0] < 0.03 and weights[2][2] < 0.03
        assert outputs[1][1] == pytest.approx(0.87, abs=0.01) and outputs[1][1] > 3 * outputs[1][0]
        for row in outputs:
            for number, column in zip(row, zip(*self.values, strict=True), strict=True):
                assert min(column) <= number <= max(column)


class TestScaling:
    """Panel 20.2."""

    inputs, wanted = FACTS[20]["20.2"]["inputs"], FACTS[20]["20.2"]["expected"]

    @pytest.mark.parametrize("width", inputs["d_k"])
    def test_table(self, width):
        rng = random.Random(self.inputs["seed_per_d_k"])
        raws, softs = [], {"raw": [], "scaled": []}
        for _ in range(self.inputs["trials"]):
            query = [rng.gauss(0, 1) for _ in range(width)]
            keys = [[rng.gauss(0, 1) for _ in range(width)] for _ in range(self.inputs["keys"])]
            raws += attention_scores([query], keys, scaled=False)[0]
            for name, scaled in (("raw", False), ("scaled", True)):
                softs[name] += masked_softmax(attention_scores([query], keys, scaled))
        wanted = self.wanted["by_d_k"][str(width)]
        sd = statistics.pstdev(raws)
        assert sd == pytest.approx(wanted["sd"], rel=1e-12)
        assert sd / math.sqrt(width) == pytest.approx(wanted["sd_over_root"], rel=1e-12)
        for name, rows in softs.items():
            peaks = [max(row) for row in rows]
            slopes = [peak * (1 - peak) for peak in peaks]
            assert statistics.fmean(peaks) == pytest.approx(wanted[f"{name}_max"], rel=1e-12)
            assert statistics.fmean(map(entropy, rows)) == pytest.approx(wanted[f"{name}_entropy"], rel=1e-12)
            assert statistics.fmean(slopes) == pytest.approx(wanted[f"{name}_slope"], rel=1e-12)
            extra = wanted["extra_not_in_source"]
            assert statistics.median(slopes) == pytest.approx(extra[f"{name}_slope_median"], rel=1e-9)
            if name == "raw":
                assert sum(peak > 0.99 for peak in peaks) == wanted["collapsed_count"]
                flat = sum(slope < 1e-3 for slope in slopes) / len(slopes)
                assert flat == pytest.approx(extra["raw_slope_below_1e-3_share"], abs=1e-15)
            else:
                assert min(slopes) >= 1e-3
        assert wanted["same_winner"] is True
        assert list(map(argmax, softs["raw"])) == list(map(argmax, softs["scaled"]))

    def test_the_entropy_of_equal_weights(self):
        weights = masked_softmax([[0.0] * self.inputs["keys"]])[0]
        assert entropy(weights) == pytest.approx(self.wanted["ln12"], abs=1e-14)


class TestCausalMask:
    """Panel 20.3."""

    inputs, wanted = FACTS[20]["20.3"]["inputs"], FACTS[20]["20.3"]["expected"]
    extra = FACTS[20]["20.3"]["extra_not_in_source"]
    queries, keys, values = inputs["Q"], inputs["K"], inputs["V"]
    keys_after = [*keys[:-1], inputs["replace_last_key"]]
    values_after = [*values[:-1], inputs["replace_last_value"]]

    def test_open(self):
        outputs, weights = scaled_dot_product_attention(self.queries, self.keys, self.values)
        assert weights == close(self.wanted["open_weights"])
        assert outputs == close(self.wanted["open_output"])

    def test_causal(self):
        outputs, weights = scaled_dot_product_attention(self.queries, self.keys, self.values, causal_mask(4))
        assert weights == close(self.wanted["causal_weights"])
        assert printed(weights) == self.wanted["causal_weights_printed"]
        assert outputs == close(self.wanted["causal_output"])
        assert printed(outputs)[1] == self.wanted["cat_before_printed"]
        assert {weights[i][j] for i in range(4) for j in range(i + 1, 4)} == {0.0}
        assert weights[0] == [1.0, 0.0, 0.0, 0.0]
        assert [sum(weight > 0 for weight in row) for row in weights] == [1, 2, 3, 4]

    def test_tampering_with_the_last_token(self):
        before, _ = scaled_dot_product_attention(self.queries, self.keys, self.values, causal_mask(4))
        after, _ = scaled_dot_product_attention(
            self.queries, self.keys_after, self.values_after, causal_mask(4)
        )
        assert after == close(self.wanted["causal_output_after"])
        assert printed(after)[1] == self.wanted["cat_after_causal_printed"]
        assert after[:3] == before[:3] and after[3] != before[3]
        open_before, _ = scaled_dot_product_attention(self.queries, self.keys, self.values)
        open_after, _ = scaled_dot_product_attention(self.queries, self.keys_after, self.values_after)
        assert open_after == close(self.wanted["open_output_after"])
        assert printed(open_after) == self.extra["open_output_after_printed"]
        assert printed(open_after)[1] == self.wanted["cat_after_open_printed"]
        changed = [one != other for one, other in zip(open_before, open_after, strict=True)]
        assert changed == self.extra["open_rows_changed"] == [True] * 4

    def test_the_mask_that_leaves_out_the_diagonal(self):
        strict = [[key < query for key in range(4)] for query in range(4)]
        with pytest.raises(ValueError, match=r"^row 0 of mask must be True somewhere"):
            scaled_dot_product_attention(self.queries, self.keys, self.values, strict)
        weights = masked_softmax(attention_scores(self.queries, self.keys)[1:], strict[1:])
        assert weights == close(self.extra["fill_-inf_inclusive_mask_weights(None=0/0)"][1:])

    def test_a_large_negative_number_for_minus_infinity_hides_that(self):
        strict = [[key < query for key in range(4)] for query in range(4)]
        scores = attention_scores(self.queries, self.keys)
        filled = [
            [score if seen else -1e9 for score, seen in zip(*rows, strict=True)]
            for rows in zip(scores, strict, strict=True)
        ]
        assert masked_softmax(filled) == close(self.extra["fill_-1e9_inclusive_mask_weights"])


class TestMultiHead:
    """Panel 20.4."""

    inputs, wanted = FACTS[20]["20.4"]["inputs"], FACTS[20]["20.4"]["expected"]
    x = inputs["X"]

    def drawn(self):
        """The weights in the lesson's order: of each head, then of the projection."""
        rng = random.Random(self.inputs["seed"])
        heads = [
            [draw_matrix(4, 2, 1.5, rng) for _ in ("query", "key", "value")]
            for _ in range(self.inputs["heads"])
        ]
        return heads, draw_matrix(4, 4, 1.5, rng)

    def test_draws(self):
        heads, w_o = self.drawn()
        assert heads == self.inputs["head_params"]
        assert w_o == self.inputs["W_O"]

    def test_head_by_head(self):
        heads, w_o = self.drawn()
        attended = [
            scaled_dot_product_attention(*(matmul(self.x, weights) for weights in head)) for head in heads
        ]
        outputs = [output for output, _ in attended]
        assert [weights for _, weights in attended] == close(self.wanted["weights"])
        assert [printed(weights) for _, weights in attended] == self.wanted["weights_printed"]
        assert outputs == close(self.wanted["head_outputs"])
        assert merge_heads(outputs) == close(self.wanted["concatenated"])
        assert printed(merge_heads(outputs)) == self.wanted["concatenated_printed"]
        assert matmul(merge_heads(outputs), w_o) == close(self.wanted["output"])

    def test_all_at_once(self):
        heads, w_o = self.drawn()
        w_q, w_k, w_v = (merge_heads(parts) for parts in zip(*heads, strict=True))
        output, weights = multi_head_attention(self.x, w_q, w_k, w_v, w_o, heads=2)
        assert weights == close(self.wanted["weights"])
        assert output == close(self.wanted["output"])
        assert printed(output) == self.wanted["output_printed"]
        tokens = FACTS[20]["20.1"]["inputs"]["tokens"]
        favourites = [[tokens[argmax(row)] for row in head] for head in weights]
        assert favourites == self.wanted["favourites"]
        gap = max(
            abs(one - other) for rows in zip(*weights, strict=True) for one, other in zip(*rows, strict=True)
        )
        assert gap == pytest.approx(self.wanted["max_gap"], abs=1e-14)
        shapes = [shape_of(w) for w in (w_q, w_k, w_v)]
        assert sum(rows * columns for rows, columns in shapes) == self.wanted["params"][1] == 48


class TestOrder:
    """Panel 21.4: one head without the last projection, and its two orders."""

    inputs, wanted = FACTS[21]["21.4"]["inputs"], FACTS[21]["21.4"]["expected"]
    extra = FACTS[21]["21.4"]["extra_not_in_source"]

    def attend(self, order, positions=False, mask=None):
        rng = random.Random(self.inputs["seed"])
        w_q, w_k, w_v = (draw_matrix(8, 8, 0.5, rng) for _ in range(3))
        assert [w_q, w_k, w_v] == [self.inputs[name] for name in ("W_Q", "W_K", "W_V")]
        x = [self.inputs["embedding"][token] for token in order]
        if positions:
            x = add(x, sinusoidal_positions(len(x), 8))
        outputs, _ = scaled_dot_product_attention(matmul(x, w_q), matmul(x, w_k), matmul(x, w_v), mask)
        return outputs

    def readout(self, *args, **settings):
        return [statistics.fmean(column) for column in zip(*self.attend(*args, **settings), strict=True)]

    def test_without_positions(self):
        for order in (self.inputs["order"], self.inputs["reversed"]):
            rows = self.attend(order)
            assert dict(zip(order, rows, strict=True)) == {
                token: close(row) for token, row in self.wanted["plain"].items()
            }
            assert self.readout(order) == close(self.wanted["summary_plain"])

    def test_the_rows_of_both_orders_are_equal_to_the_last_digit(self):
        rows = self.attend(self.inputs["order"])
        assert self.attend(self.inputs["reversed"]) == rows[::-1]

    def test_with_positions(self):
        one = self.readout(self.inputs["order"], positions=True)
        other = self.readout(self.inputs["reversed"], positions=True)
        assert one == close(self.wanted["summary_with_pos"])
        assert other == close(self.wanted["summary_with_pos_reversed"])
        gap = max(abs(x - y) for x, y in zip(one, other, strict=True))
        assert gap == pytest.approx(self.wanted["gap"], abs=1e-14)

    def test_a_causal_mask_alone_leaks_the_order(self):
        one = self.readout(self.inputs["order"], mask=causal_mask(4))
        other = self.readout(self.inputs["reversed"], mask=causal_mask(4))
        gap = max(abs(x - y) for x, y in zip(one, other, strict=True))
        assert gap == pytest.approx(self.extra["causal_no_positions_summary_gap"], abs=1e-14)


def test_the_attention_of_panel_21_3():
    inputs, wanted = FACTS[21]["21.3"]["inputs"], FACTS[21]["21.3"]["expected"]["steps"]
    weights = (inputs["weights"][name] for name in ("W_Q", "W_K", "W_V", "W_O"))
    output, _ = multi_head_attention(wanted["1"], *weights, heads=1, mask=causal_mask(4))
    assert output == close(wanted["2"])


def test_softmax_is_the_open_row():
    assert masked_softmax([[0.5, -1.0, 3.0]]) == [softmax([0.5, -1.0, 3.0])]
