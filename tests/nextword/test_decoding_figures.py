"""nextword.decoding against the independent figures of lesson 19 (tests/facts/lesson-19.json)."""

import json
import math
import random
from functools import partial
from pathlib import Path

import pytest

from nextword.decoding import (
    ORDER,
    STEPS,
    apply_temperature,
    decode,
    decode_distribution,
    decode_step,
    keep_top_k,
    keep_top_p,
    penalize_repetition,
)
from nextword.softmax import softmax

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-19.json").read_text(encoding="utf-8"))
STEP_NAMES = ("confident", "unsure")


def reachable(probabilities):
    return sum(share > 0 for share in probabilities)


class TestTemperature:
    """Panel 19.1."""

    facts = FACTS["19.1"]
    logits = facts["inputs"]["logits"]
    tokens = facts["inputs"]["tokens"]

    @pytest.mark.parametrize(("temperature", "wanted"), facts["expected"]["probabilities"].items())
    def test_probabilities(self, temperature, wanted):
        got = decode_distribution(self.logits, temperature=float(temperature))
        assert got == pytest.approx(wanted, abs=1e-14)
        assert [f"{share:.4f}" for share in got] == self.facts["expected"]["printed"][temperature]

    def test_greedy_picks(self):
        picks = [self.tokens[decode_step(self.logits, temperature=0)] for _ in range(10)]
        assert picks == self.facts["expected"]["greedy_10"]

    @pytest.mark.parametrize(("temperature", "wanted"), facts["expected"]["draws"].items())
    def test_draws(self, temperature, wanted):
        rng = random.Random(self.facts["inputs"]["seed"])
        assert [
            self.tokens[decode_step(self.logits, rng=rng, temperature=float(temperature))] for _ in wanted
        ] == wanted

    def test_checks(self):
        claims = {row["claim"]: row for row in self.facts["checks"]}
        assert softmax(self.logits, 0.2)[0] == pytest.approx(claims["P(cat) at T=0.2 > 0.99"]["got"])
        assert softmax(self.logits, 3.0)[4] == pytest.approx(claims["P(quark) at T=3 > 0.03"]["got"])


class TestTopK:
    """Panel 19.2."""

    facts = FACTS["19.2"]

    @pytest.mark.parametrize("row", facts["expected"]["table"], ids=lambda row: f"{row['which']}-{row['k']}")
    def test_table(self, row):
        logits = self.facts["inputs"][f"{row['which']}_logits"]
        got = decode_distribution(logits, top_k=row["k"])
        assert reachable(got) == row["tokens_left"] == row["k"]
        mass = math.fsum(p for p, left in zip(softmax(logits), got, strict=True) if left)
        assert mass == pytest.approx(row["mass"], abs=1e-14)
        assert f"{mass:.4f}" == row["mass_printed"]
        assert math.fsum(got) == pytest.approx(1, abs=1e-14)

    def test_the_cut_of_the_unsure_step(self):
        ranked = softmax(self.facts["inputs"]["unsure_logits"])
        assert ranked[2] - ranked[3] == pytest.approx(self.facts["expected"]["difference"], abs=1e-15)

    def test_k_0_is_refused(self):
        with pytest.raises(ValueError, match=r"^k must be a whole number from 1 to 10, not 0$"):
            keep_top_k(self.facts["inputs"]["unsure_logits"], 0)


class TestTopP:
    """Panel 19.3."""

    facts = FACTS["19.3"]

    @pytest.mark.parametrize("step", STEP_NAMES)
    @pytest.mark.parametrize("row", facts["expected"]["p_table"], ids=lambda row: str(row["p"]))
    def test_table(self, row, step):
        got = decode_distribution(self.facts["inputs"][f"{step}_logits"], top_p=row["p"])
        assert reachable(got) == row[step]
        assert math.fsum(got) == pytest.approx(1, abs=1e-14)

    @pytest.mark.parametrize("step", STEP_NAMES)
    @pytest.mark.parametrize("row", facts["expected"]["k_table"], ids=lambda row: str(row["k"]))
    def test_contrast_with_top_k(self, row, step):
        got = decode_distribution(self.facts["inputs"][f"{step}_logits"], top_k=row["k"])
        assert reachable(got) == row[step]

    def test_a_tiny_p_is_greedy(self):
        assert reachable(decode_distribution(self.facts["inputs"]["confident_logits"], top_p=0.01)) == 1

    def test_p_0_is_refused(self):
        with pytest.raises(ValueError, match=r"^p must be a finite number above 0 and of at most 1, not 0$"):
            keep_top_p(self.facts["inputs"]["unsure_logits"], 0)

    def test_p_1_removes_nothing_where_the_rounded_sum_reaches_1_too_early(self):
        extra = self.facts["extra_not_in_source"]
        logits = extra["p1_counterexample_logits"]
        running, prefix = 0.0, 0
        for share in softmax(logits):
            if running < 1:
                running, prefix = running + share, prefix + 1
        assert prefix == extra["p1_keeps"] < len(logits) == extra["p1_vocab"]
        assert keep_top_p(logits, 1) == logits
        assert reachable(decode_distribution(logits, top_p=1.0)) == len(logits)

    @pytest.mark.parametrize("step", STEP_NAMES)
    def test_each_running_sum_is_a_crossing(self, step):
        """A p at a running sum keeps the tokens up to there; a p just above it one more."""
        stored = {
            "unsure": self.facts["expected"]["unsure_cumulative"],
            "confident": self.facts["extra_not_in_source"]["confident_cumulative"],
        }[step]
        logits = self.facts["inputs"][f"{step}_logits"]
        for place, running in enumerate(stored[:-1], start=1):
            assert reachable(keep_top_p_shares(logits, running - 1e-9)) == place
            assert reachable(keep_top_p_shares(logits, running + 1e-9)) == place + 1


def keep_top_p_shares(logits, p):
    return softmax(keep_top_p(logits, p))


class TestRepetition:
    """Panel 19.4."""

    facts = FACTS["19.4"]
    scores = facts["inputs"]["scores"]
    tokens = sorted({token for row in scores.values() for token in row})
    limit = facts["inputs"]["limit"]

    def logits_after(self, state):
        return [self.scores[state].get(token, -math.inf) for token in self.tokens]

    def next_logits(self, history):
        return self.logits_after(self.tokens[history[-1]] if history else self.facts["inputs"]["start"])

    def walk(self, **settings):
        end = self.tokens.index(self.facts["inputs"]["end"])
        ids = decode(self.next_logits, partial(decode_step, temperature=0, **settings), end, self.limit)
        return [self.tokens[token] for token in ids]

    @pytest.mark.parametrize("penalty", facts["inputs"]["penalties_walk"])
    def test_walks(self, penalty):
        assert self.walk(repetition_penalty=penalty) == self.facts["expected"][f"walk_{penalty}"]

    def test_the_walk_without_a_penalty(self):
        assert self.walk() == self.facts["expected"]["walk_1.0"] == ["the", "cat"] * 6

    def test_penalized_step(self):
        used = [self.tokens.index(token) for token in self.facts["inputs"]["one_step_used"]]
        logits = self.logits_after(self.facts["inputs"]["one_step_state"])
        for penalty in self.facts["inputs"]["one_step_penalties"]:
            got = penalize_repetition(logits, used, penalty)
            possible = {
                token: round(logit, 3)
                for token, logit in zip(self.tokens, got, strict=True)
                if logit > -math.inf
            }
            assert possible == self.facts["expected"]["one_step"][str(penalty)]

    def test_probe(self):
        probe = self.facts["inputs"]["untouched_probe"]
        used = [self.tokens.index(token) for token in probe["used"]]
        got = penalize_repetition(self.logits_after(probe["state"]), used, probe["penalty"])
        wanted = self.facts["expected"]["probe_penalty_2"]
        assert got == [wanted.get(token, -math.inf) for token in self.tokens]

    def test_the_negative_branch(self):
        wanted = self.facts["extra_not_in_source"]["negative_branch_example"]
        end = self.tokens.index("</s>")
        got = penalize_repetition(self.logits_after("the"), [end], 1.5)[end]
        assert got == wanted["</s> from the, used, penalty 1.5"]
        assert got < self.scores["the"]["</s>"] < wanted["wrong_if_divided"]

    def test_penalties_below_1_are_refused(self):
        with pytest.raises(
            ValueError, match=r"^penalty must be .* 1 \(below 1 rewards repeating\), not 0\.5$"
        ):
            self.walk(repetition_penalty=0.5)

    @pytest.mark.parametrize("size", [1, 2, 3])
    def test_a_ban_ends_the_loop(self, size):
        walk = self.walk(no_repeat_ngram_size=size)
        grams = list(zip(*(walk[start:] for start in range(size)), strict=False))
        assert len(grams) == len(set(grams))


class TestOrder:
    """Panel 19.5."""

    facts = FACTS["19.5"]
    logits = facts["inputs"]["logits"]
    tokens = facts["inputs"]["tokens"]
    names = {"T": "temperature", "k": "top_k", "p": "top_p"}

    def draws(self, seed, count=8, **settings):
        rng = random.Random(seed)
        return [self.tokens[decode_step(self.logits, rng=rng, **settings)] for _ in range(count)]

    @pytest.mark.parametrize("row", facts["expected"]["table"], ids=lambda row: row["settings"])
    def test_table(self, row):
        settings = {self.names[key]: value for key, value in row["kwargs"].items()}
        got = decode_distribution(self.logits, **settings)
        assert got == pytest.approx(row["probs"], abs=1e-14)
        assert reachable(got) == row["reachable"]
        assert self.draws(42, **settings) == row["draws"]

    def test_two_seeds(self):
        assert self.draws(42, top_k=3) == self.facts["expected"]["k3_seed42"]
        assert self.draws(self.facts["inputs"]["other_seed"], top_k=3) == self.facts["expected"]["k3_seed7"]
        assert set(self.draws(42, top_k=1)) == {"cat"}

    def test_temperature_and_top_p_do_not_commute(self):
        swap = {"temperature": 2.0, "top_p": 0.6}
        assert self.facts["inputs"]["swap"] == {"temperature": 2.0, "p": 0.6}
        first = decode_distribution(self.logits, **swap)
        last = decode_distribution(self.logits, order=("top_p", "temperature"), **swap)
        assert first == pytest.approx(self.facts["expected"]["T2_then_p0.6"], abs=1e-14)
        assert last == pytest.approx(self.facts["expected"]["p0.6_then_T2"], abs=1e-14)
        assert reachable(first) == self.facts["expected"]["T2_then_p0.6_reachable"]
        assert reachable(last) == self.facts["expected"]["p0.6_then_T2_reachable"]

    @pytest.mark.parametrize("temperature", [0.5, 0.7, 1.0, 2.0, 3.0])
    @pytest.mark.parametrize("k", range(1, 9))
    def test_temperature_and_top_k_commute(self, temperature, k):
        assert decode_distribution(self.logits, temperature=temperature, top_k=k) == decode_distribution(
            self.logits, temperature=temperature, top_k=k, order=("top_k", "temperature")
        )

    @pytest.mark.parametrize("example", facts["extra_not_in_source"]["first_examples_k_p_T"], ids=str)
    def test_top_k_and_top_p_need_not_commute(self, example):
        k, p, temperature, k_first, p_first = example
        heated = apply_temperature(self.logits, temperature)
        assert reachable(decode_distribution(heated, top_k=k, top_p=p)) == k_first
        assert reachable(decode_distribution(heated, top_k=k, top_p=p, order=("top_p", "top_k"))) == p_first

    @pytest.mark.parametrize(
        ("name", "k", "p", "temperature"),
        [("example_k5_p0.9_T0.7", 5, 0.9, 0.7), ("example_k4_p0.9_T1", 4, 0.9, 1)],
        ids=["heated", "plain"],
    )
    def test_top_k_and_top_p_often_do(self, name, k, p, temperature):
        wanted = self.facts["extra_not_in_source"][name]
        settings = {"temperature": temperature, "top_k": k, "top_p": p}
        assert reachable(decode_distribution(self.logits, **settings)) == wanted["k_then_p"]
        swapped = ("temperature", "top_p", "top_k")
        assert reachable(decode_distribution(self.logits, order=swapped, **settings)) == wanted["p_then_k"]


def test_the_default_order_is_that_of_transformers():
    """RepetitionPenalty, NoRepeatNGram, Temperature, TopK, TopP, MinP: read off transformers 5.24.0."""
    theirs = ["repetition_penalty", "no_repeat_ngram_size", "temperature", "top_k", "top_p", "min_p"]
    assert [name for name in ORDER if name in theirs] == theirs
    assert list(ORDER) == list(STEPS)
