"""What holds for all logits, and deliberately naive filters on exact fractions to compare with."""

import math
import random
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nextword.decoding import (
    ORDER,
    apply_temperature,
    ban_repeated_ngrams,
    decode,
    decode_distribution,
    decode_step,
    keep_min_p,
    keep_only,
    keep_top_k,
    keep_top_p,
    penalize_frequency,
    penalize_presence,
    penalize_repetition,
    rank_tokens,
)
from nextword.softmax import softmax

steady = settings(derandomize=True, deadline=None, max_examples=100, database=None)

NO = -math.inf

quarters = st.integers(-40, 40).map(lambda number: number / 4)  # few values: ties are the rule
tame_logits = st.lists(quarters | st.just(NO), min_size=1, max_size=8).filter(lambda logits: max(logits) > NO)
wild_logits = (
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False)
        | st.sampled_from([NO, 0.0, -0.0, 40.0, -1.0, 1e308, -1e308, 5e-324]),
        min_size=1,
        max_size=8,
    ).filter(lambda logits: max(logits) > NO)
    | st.builds(lambda logit, size: [logit] * size, quarters, st.integers(1, 9))
    | st.just([40.0, 0.0, -1.0])
)
shares = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.9, 0.95, math.nextafter(1, 0), 1.0])
temperatures = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0])
penalties = st.sampled_from([1.0, 1.1, 1.5, 2.0, 8.0])
amounts = st.sampled_from([0.0, 0.25, 0.5, 2.0])


def histories(logits):
    return st.lists(st.integers(0, len(logits) - 1), max_size=6)


with_history = tame_logits.flatmap(lambda logits: st.tuples(st.just(logits), histories(logits)))


def kept(logits):
    return [token for token, logit in enumerate(logits) if logit > NO]


# The oracles: sets of ids found by trying, on exact fractions of the weights.


def exact_shares(logits):
    """The probabilities as fractions, from weights rounded once each."""
    largest = max(logits)
    weights = [Fraction(math.exp(logit - largest)) for logit in logits]
    return [weight / sum(weights) for weight in weights]


def naive_top_k(logits, k):
    """Take the best k times, the lowest id first."""
    left = dict(enumerate(logits))
    taken = []
    for _ in range(k):
        best = min(token for token, logit in left.items() if logit == max(left.values()))
        taken.append(best)
        del left[best]
    return sorted(token for token in taken if logits[token] > NO)


def naive_top_p(logits, p):
    """The first size at which the best tokens of that number have the mass."""
    exact = exact_shares(logits)
    for size in range(1, len(logits) + 1):
        tokens = naive_top_k(logits, size)
        mass = sum(exact[token] for token in tokens)
        if abs(mass - Fraction(p)) < Fraction(1, 10**12):
            return None  # too near to say how rounding decides
        if mass >= p:
            return tokens
    return None


def naive_banned(history, size):
    """Try each token: does the n-gram that it ends stand in the history?"""
    text = "," + ",".join(map(str, history)) + ","
    banned = set()
    for token in set(history):
        gram = [*history[len(history) - size + 1 :], token] if size > 1 else [token]
        if len(gram) == size and "," + ",".join(map(str, gram)) + "," in text:
            banned.add(token)
    return banned


@steady
@given(wild_logits)
def test_ranking_is_a_stable_permutation(logits):
    ranked = rank_tokens(logits)
    assert sorted(ranked) == list(range(len(logits)))
    for one, other in pairwise(ranked):
        assert logits[one] > logits[other] or (logits[one] == logits[other] and one < other)
    assert rank_tokens([logits[token] for token in ranked]) == list(range(len(logits)))


@steady
@given(wild_logits, st.data())
def test_keeping_only_some_is_idempotent_and_leaves_them_alone(logits, data):
    ids = data.draw(st.lists(st.integers(0, len(logits) - 1), max_size=8))
    if not set(ids) & set(kept(logits)):
        with pytest.raises(ValueError, match=r"^the logits that are left must "):
            keep_only(logits, ids)
        return
    left = keep_only(logits, ids)
    assert left == [logit if token in ids else NO for token, logit in enumerate(logits)]
    assert keep_only(left, ids) == left
    assert keep_only(logits, ids[::-1] + ids) == left
    assert keep_only(logits, range(len(logits))) == logits


@steady
@given(tame_logits, st.data())
def test_top_k_keeps_what_the_naive_one_keeps(logits, data):
    k = data.draw(st.integers(1, len(logits)))
    assert kept(keep_top_k(logits, k)) == naive_top_k(logits, k)


@steady
@given(tame_logits, shares.filter(lambda p: p < 0.99))
def test_top_p_keeps_what_the_naive_one_keeps(logits, p):
    wanted = naive_top_p(logits, p)
    assume(wanted is not None)
    assert kept(keep_top_p(logits, p)) == wanted


@steady
@given(tame_logits, st.floats(0, 1))
def test_min_p_keeps_what_exact_fractions_keep(logits, p):
    exact = exact_shares(logits)
    assume(all(abs(share / max(exact) - Fraction(p)) > 1e-12 for share in exact) or p in (0, 1))
    wanted = [token for token, share in enumerate(exact) if share >= Fraction(p) * max(exact) and share > 0]
    assert kept(keep_min_p(logits, p)) == wanted


@steady
@given(with_history, st.integers(1, 4))
def test_bans_are_those_found_in_the_text_of_the_history(pair, size):
    logits, history = pair
    wanted = [token for token in kept(logits) if token not in naive_banned(history, size)]
    if wanted:
        assert kept(ban_repeated_ngrams(logits, history, size)) == wanted
    else:
        with pytest.raises(ValueError, match=r"^the logits that are left"):
            ban_repeated_ngrams(logits, history, size)


# Filters.

FILTERS = {
    "top-k": lambda logits, p: keep_top_k(logits, max(1, round(p * len(logits)))),
    "top-p": keep_top_p,
    "min-p": keep_min_p,
}


@pytest.mark.parametrize("name", FILTERS)
@steady
@given(logits=wild_logits, p=shares)
def test_filters_keep_the_most_probable_as_they_are(name, logits, p):
    filtered = FILTERS[name](logits, p)
    assert len(filtered) == len(logits)
    assert all(new in (old, NO) for old, new in zip(logits, filtered, strict=True))
    best = rank_tokens(logits)[0]
    assert filtered[best] == logits[best]
    lost = [token for token in kept(logits) if filtered[token] == NO]
    assert all(logits[token] >= logits[other] for token in kept(filtered) for other in lost)


@pytest.mark.parametrize("name", ["top-k", "min-p"])
@steady
@given(logits=wild_logits, p=shares)
def test_filters_by_rank_or_ratio_are_idempotent(name, logits, p):
    once = FILTERS[name](logits, p)
    assert FILTERS[name](once, p) == once


@pytest.mark.parametrize("name", FILTERS)
@steady
@given(logits=wild_logits, one=shares, other=shares)
def test_filters_keep_more_or_less_as_their_value_says(name, logits, one, other):
    low, high = sorted((one, other))
    few, many = (low, high) if name != "min-p" else (high, low)
    assert set(kept(FILTERS[name](logits, few))) <= set(kept(FILTERS[name](logits, many)))


@steady
@given(tame_logits, shares, st.integers(-64, 64))
def test_top_p_and_min_p_see_no_shift(logits, p, shift):
    shifted = [logit + shift for logit in logits]
    assert kept(keep_top_p(shifted, p)) == kept(keep_top_p(logits, p))
    assert kept(keep_min_p(shifted, p)) == kept(keep_min_p(logits, p))


@steady
@given(wild_logits)
def test_values_that_remove_nothing(logits):
    assert keep_top_p(logits, 1) == logits
    assert keep_min_p(logits, 0) == logits
    assert keep_top_k(logits, len(logits)) == logits
    assert apply_temperature(logits, 1) == logits


@steady
@given(tame_logits, temperatures, st.data())
def test_temperature_and_top_k_commute(logits, temperature, data):
    k = data.draw(st.integers(1, len(logits)))
    assert decode_distribution(logits, temperature=temperature, top_k=k) == decode_distribution(
        logits, temperature=temperature, top_k=k, order=("top_k", "temperature")
    )


@steady
@given(tame_logits, shares, st.data())
def test_min_p_and_top_k_commute(logits, p, data):
    k = data.draw(st.integers(1, len(logits)))
    assert keep_top_k(keep_min_p(logits, p), k) == keep_min_p(keep_top_k(logits, k), p)


@steady
@given(wild_logits, st.floats(0.5, 1e3))
def test_temperature_agrees_with_that_of_softmax(logits, temperature):
    assume(all(abs(logit) < 1e300 for logit in logits if logit > NO))
    wanted = softmax(logits, temperature)
    assert decode_distribution(logits, temperature=temperature) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@steady
@given(wild_logits)
def test_temperature_0_is_top_k_of_1(logits):
    assert decode_distribution(logits, temperature=0) == decode_distribution(logits, top_k=1)
    assert decode_step(logits, temperature=0) == rank_tokens(logits)[0]


# Penalties.

PENALTIES = {
    "repetition": (penalize_repetition, 1.0),
    "frequency": (penalize_frequency, 0.0),
    "presence": (penalize_presence, 0.0),
}


@pytest.mark.parametrize("name", PENALTIES)
@steady
@given(pair=with_history)
def test_penalties_that_are_off_change_nothing(name, pair):
    penalize, off = PENALTIES[name]
    logits, history = pair
    assert penalize(logits, history, off) == logits


@pytest.mark.parametrize("name", PENALTIES)
@steady
@given(pair=with_history, one=penalties, other=penalties)
def test_a_larger_penalty_lowers_more_and_only_what_came(name, pair, one, other):
    penalize, _ = PENALTIES[name]
    logits, history = pair
    mild, harsh = (penalize(logits, history, value) for value in sorted((one, other)))
    for token, logit in enumerate(logits):
        if token in history:
            assert harsh[token] <= mild[token] <= logit
        else:
            assert harsh[token] == mild[token] == logit


@pytest.mark.parametrize("name", PENALTIES)
@steady
@given(pair=with_history, value=penalties, data=st.data())
def test_the_order_of_the_history_plays_no_part(name, pair, value, data):
    penalize, _ = PENALTIES[name]
    logits, history = pair
    shuffled = data.draw(st.permutations(history))
    assert penalize(logits, shuffled, value) == penalize(logits, history, value)


@steady
@given(with_history, penalties, amounts)
def test_only_the_frequency_penalty_counts(pair, penalty, amount):
    logits, history = pair
    doubled = [*history, *history]
    assert penalize_repetition(logits, doubled, penalty) == penalize_repetition(logits, history, penalty)
    assert penalize_presence(logits, doubled, amount) == penalize_presence(logits, history, amount)
    assert penalize_frequency(logits, doubled, amount) == penalize_frequency(logits, history, 2 * amount)
    once = list(set(history))
    assert penalize_frequency(logits, once, amount) == penalize_presence(logits, history, amount)


@steady
@given(st.lists(st.lists(quarters, min_size=5, max_size=5), min_size=5, max_size=5), st.integers(1, 4))
def test_no_ngram_comes_twice_under_a_ban(table, size):
    """Token 4 ends. Where all is banned decoding stops with an error: the walk so far is looked at."""
    walk = []

    def next_logits(history):
        walk[:] = history
        return table[history[-1] if history else 0]

    def choose(logits, history):
        return decode_step(logits, history, temperature=0, no_repeat_ngram_size=size)

    with suppress(ValueError):
        walk = decode(next_logits, choose, end=4, limit=60)
    grams = [tuple(walk[start : start + size]) for start in range(len(walk) - size + 1)]
    assert len(grams) == len(set(grams))


# One step.

settings_of_a_step = st.fixed_dictionaries(
    {},
    optional={
        "repetition_penalty": penalties,
        "frequency_penalty": amounts,
        "presence_penalty": amounts,
        "temperature": st.sampled_from([0, 0.25, 1.0, 4.0, 1e6]),
        "top_k": st.integers(1, 9),
        "top_p": shares,
        "min_p": shares,
    },
)


@settings(steady, max_examples=400)
@given(wild_logits, settings_of_a_step, st.permutations(ORDER), st.integers(0, 2**32), st.data())
def test_what_has_probability_0_is_never_chosen(logits, chosen, order, seed, data):
    history = data.draw(histories(logits))
    if "top_k" in chosen:
        chosen["top_k"] = min(chosen["top_k"], len(logits))
    try:
        probabilities = decode_distribution(logits, history, order=order, **chosen)
    except ValueError:  # a quotient or product beyond all floats
        assert max(abs(logit) for logit in logits if logit > NO) > 1e300
        return
    assert len(probabilities) == len(logits)
    assert math.fsum(probabilities) == pytest.approx(1, abs=1e-12)
    token = decode_step(logits, history, rng=random.Random(seed), order=order, **chosen)
    assert probabilities[token] > 0
    assert logits[token] > NO


@steady
@given(wild_logits, st.integers(0, 2**32))
def test_edges_of_all_filters_at_once_change_nothing(logits, seed):
    edges = {"temperature": 1, "top_k": len(logits), "top_p": 1, "min_p": 0, "repetition_penalty": 1}
    assert decode_distribution(logits, **edges) == softmax(logits)
    assert decode_step(logits, rng=random.Random(seed), **edges) == decode_step(
        logits, rng=random.Random(seed)
    )


@steady
@given(tame_logits, temperatures, shares, st.data())
def test_the_order_is_the_order_in_which_the_steps_act(logits, temperature, p, data):
    k = data.draw(st.integers(1, len(logits)))
    act = {
        "temperature": lambda given: apply_temperature(given, temperature),
        "top_k": lambda given: keep_top_k(given, k),
        "top_p": lambda given: keep_top_p(given, p),
    }
    for order in permutations(act):
        by_hand = logits
        for name in order:
            by_hand = act[name](by_hand)
        got = decode_distribution(logits, order=order, temperature=temperature, top_k=k, top_p=p)
        assert got == softmax(by_hand)
