"""nextword.decoding: each function on small cases worked by hand, on edges, and on bad input."""

import math
import random
from itertools import accumulate

import pytest

from nextword.decoding import (
    ORDER,
    STEPS,
    apply_temperature,
    ban_repeated_ngrams,
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
    temperature_or_argmax,
)

NO = -math.inf

FILTERS = {
    "rank_tokens": rank_tokens,
    "keep_only": lambda logits: keep_only(logits, [0]),
    "apply_temperature": lambda logits: apply_temperature(logits, 2.0),
    "temperature_or_argmax": lambda logits: temperature_or_argmax(logits, 0),
    "keep_top_k": lambda logits: keep_top_k(logits, 1),
    "keep_top_p": lambda logits: keep_top_p(logits, 0.5),
    "keep_top_p of 1": lambda logits: keep_top_p(logits, 1),
    "keep_min_p": lambda logits: keep_min_p(logits, 0.5),
    "penalize_repetition": lambda logits: penalize_repetition(logits, [], 2.0),
    "penalize_frequency": lambda logits: penalize_frequency(logits, [], 2.0),
    "penalize_presence": lambda logits: penalize_presence(logits, [], 2.0),
    "ban_repeated_ngrams": lambda logits: ban_repeated_ngrams(logits, [], 2),
    "decode_distribution": decode_distribution,
    "decode_step": lambda logits: decode_step(logits, temperature=0),
}
BAD_LOGITS = [[], [NO], [NO, NO], [0.0, math.nan], [0.0, math.inf], ["1", "2"], [True], "12", None, 1.0]


@pytest.mark.parametrize("function", FILTERS.values(), ids=list(FILTERS))
@pytest.mark.parametrize("logits", BAD_LOGITS, ids=repr)
def test_logits_that_are_none_are_refused_everywhere(function, logits):
    with pytest.raises(ValueError, match=r"^logits must "):
        function(logits)


WITH_HISTORY = {
    "penalize_repetition": lambda history: penalize_repetition([1.0, 2.0], history, 1.5),
    "penalize_frequency": lambda history: penalize_frequency([1.0, 2.0], history, 0.5),
    "penalize_presence": lambda history: penalize_presence([1.0, 2.0], history, 0.5),
    "ban_repeated_ngrams": lambda history: ban_repeated_ngrams([1.0, 2.0], history, 3),
    "decode_distribution": lambda history: decode_distribution([1.0, 2.0], history),
    "decode_step": lambda history: decode_step([1.0, 2.0], history, temperature=0),
}


@pytest.mark.parametrize("function", WITH_HISTORY.values(), ids=list(WITH_HISTORY))
@pytest.mark.parametrize(
    "history", [[2], [0, -1], [0.0], ["0"], [None], [True], "01", None, 1, {0}], ids=repr
)
def test_a_history_of_what_is_no_id_is_refused_everywhere(function, history):
    with pytest.raises(ValueError, match=r"^history must "):
        function(history)


@pytest.mark.parametrize("function", WITH_HISTORY.values(), ids=list(WITH_HISTORY))
def test_a_history_may_be_a_tuple_or_empty(function):
    function(())
    function((0, 0, 1))


@pytest.mark.parametrize("name", STEPS)
def test_steps_leave_their_arguments_as_they_were(name):
    logits, history = [3.0, 2.0, NO, 1.0], [0, 3]
    STEPS[name](logits, history, 1)
    assert logits == [3.0, 2.0, NO, 1.0]
    assert history == [0, 3]


class TestRankAndKeep:
    def test_equal_logits_rank_by_id(self):
        assert rank_tokens([1.0, 3.0, 1.0, NO, 3.0, NO]) == [1, 4, 0, 2, 3, 5]

    def test_what_was_impossible_stays_so(self):
        assert keep_only([1.0, NO, 3.0], [0, 1]) == [1.0, NO, NO]

    def test_something_possible_must_be_kept(self):
        for kept in ([], [1]):
            with pytest.raises(
                ValueError, match=r"^the logits that are left must hold at least one finite number"
            ):
                keep_only([1.0, NO, 3.0], kept)

    @pytest.mark.parametrize("kept", [[3], [-1], [0.5], "0", None], ids=repr)
    def test_only_ids_can_be_kept(self, kept):
        with pytest.raises(ValueError, match=r"^kept must "):
            keep_only([1.0, 2.0, 3.0], kept)


class TestTemperature:
    def test_divides(self):
        assert apply_temperature([3.0, 0, -1.5, NO], 0.5) == [6.0, 0.0, -3.0, NO]

    @pytest.mark.parametrize("temperature", [0, -0.5, math.inf, math.nan, "1", None, True])
    def test_not_by_everything(self, temperature):
        with pytest.raises(ValueError, match=r"^temperature must be a .* above 0 \(0 means argmax\), not "):
            apply_temperature([1.0, 2.0], temperature)

    @pytest.mark.parametrize("temperature", [-0.5, math.inf, math.nan, "", None, False])
    def test_as_a_setting_it_may_be_0_and_no_less(self, temperature):
        with pytest.raises(ValueError, match=r"^temperature must be a finite number of at least 0, not "):
            temperature_or_argmax([1.0, 2.0], temperature)

    def test_0_keeps_the_first_maximum(self):
        assert temperature_or_argmax([1.0, 2.0, 2.0, NO], 0) == [NO, 2.0, NO, NO]
        assert temperature_or_argmax([1.0, 2.0], 0.0) == [NO, 2.0]

    def test_quotients_beyond_all_floats_are_refused(self):
        with pytest.raises(
            ValueError, match=r"^logits / temperature must hold finite numbers or -inf, not inf"
        ):
            apply_temperature([1e308, 0.0], 0.1)
        with pytest.raises(ValueError, match=r"^logits / temperature must hold at least one finite number"):
            apply_temperature([-1e308, -1e308], 0.1)


class TestTopK:
    def test_keeps_exactly_k_where_transformers_keeps_all_ties(self):
        assert keep_top_k([2.0, 1.0, 1.0, 1.0], 2) == [2.0, 1.0, NO, NO]
        assert keep_top_k([1.0] * 4, 3) == [1.0, 1.0, 1.0, NO]

    def test_k_of_the_whole_vocabulary_removes_nothing(self):
        assert keep_top_k([2.0, NO, 1.0], 3) == [2.0, NO, 1.0]

    def test_k_may_exceed_what_is_possible(self):
        assert keep_top_k([2.0, NO, NO], 2) == [2.0, NO, NO]

    @pytest.mark.parametrize("k", [0, -1, 4, 2.0, math.inf, True, "2", None])
    def test_k_lies_between_1_and_the_size_of_the_vocabulary(self, k):
        with pytest.raises(ValueError, match=r"^k must be a whole number from 1 to 3, not "):
            keep_top_k([1.0, 2.0, 3.0], k)


class TestTopP:
    def test_keeps_the_lower_ids_among_equals_where_transformers_keeps_the_higher(self):
        assert keep_top_p([0.0] * 4, 0.5) == [0.0, 0.0, NO, NO]

    def test_keeps_the_token_at_which_p_is_reached(self):
        logits = [math.log(share) for share in (0.1, 0.5, 0.4)]
        assert keep_top_p(logits, 0.49) == [NO, logits[1], NO]
        assert keep_top_p(logits, 0.51) == [NO, *logits[1:]]
        assert keep_top_p(logits, 0.89) == [NO, *logits[1:]]
        assert keep_top_p(logits, 0.91) == logits

    def test_p_1_leaves_even_what_softmax_rounds_to_0(self):
        logits = [0.0, -1000.0, NO]
        assert keep_top_p(logits, 1) == keep_top_p(logits, 1.0) == logits

    def test_a_sum_that_never_reaches_p_keeps_all_that_is_possible(self):
        almost = math.nextafter(1, 0)
        assert list(accumulate([1 / 7] * 7))[-1] < almost
        logits = [0.0] * 7
        assert keep_top_p([*logits, -1000.0, NO], almost) == [*logits, NO, NO]

    def test_is_not_idempotent(self):
        """What is left has more mass each, so fewer reach p."""
        logits = [math.log(share) for share in (0.5, 0.3, 0.2)]
        once = keep_top_p(logits, 0.6)
        assert once == [*logits[:2], NO]
        assert keep_top_p(once, 0.6) == [logits[0], NO, NO]

    @pytest.mark.parametrize("p", [0, 0.0, -0.1, 1.1, math.nan, math.inf, True, "0.5", None])
    def test_p_lies_above_0_and_at_most_at_1(self, p):
        with pytest.raises(ValueError, match=r"^p must be a finite number above 0 and of at most 1, not "):
            keep_top_p([1.0, 2.0], p)


class TestMinP:
    def test_compares_with_the_best(self):
        logits = [math.log(share) for share in (0.1, 0.5, 0.4)]
        assert keep_min_p(logits, 0.19) == logits
        assert keep_min_p(logits, 0.21) == [NO, *logits[1:]]
        assert keep_min_p(logits, 0.79) == [NO, *logits[1:]]
        assert keep_min_p(logits, 0.81) == [NO, logits[1], NO]

    def test_0_removes_nothing_and_1_leaves_the_best_and_its_equals(self):
        logits = [2.0, 1.0, 2.0, -1000.0, NO]
        assert keep_min_p(logits, 0) == logits
        assert keep_min_p(logits, 1) == [2.0, NO, 2.0, NO, NO]

    @pytest.mark.parametrize("p", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None])
    def test_p_lies_between_0_and_1(self, p):
        with pytest.raises(
            ValueError, match=r"^p must be a finite number of at least 0 and of at most 1, not "
        ):
            keep_min_p([1.0, 2.0], p)


class TestPenalties:
    logits = (4.0, -1.0, 0.0, NO, 4.0)
    history = (0, 1, 0, 2, 3, 0)

    def test_repetition_divides_or_multiplies_once(self):
        assert penalize_repetition(self.logits, self.history, 2) == [2.0, -2.0, 0.0, NO, 4.0]

    def test_frequency_counts(self):
        assert penalize_frequency(self.logits, self.history, 0.5) == [2.5, -1.5, -0.5, NO, 4.0]

    def test_presence_does_not(self):
        assert penalize_presence(self.logits, self.history, 0.5) == [3.5, -1.5, -0.5, NO, 4.0]

    @pytest.mark.parametrize("penalty", [0.99, 0, -1, math.inf, math.nan, True, "2", None])
    def test_repetition_penalties_below_1_are_refused(self, penalty):
        with pytest.raises(
            ValueError, match=r"^penalty must be a .* at least 1 \(below 1 rewards repeating\), not "
        ):
            penalize_repetition([1.0, 2.0], [0], penalty)

    @pytest.mark.parametrize("function", [penalize_frequency, penalize_presence])
    @pytest.mark.parametrize("amount", [-0.01, -1, math.inf, math.nan, True, "2", None])
    def test_negative_amounts_are_refused(self, function, amount):
        with pytest.raises(
            ValueError, match=r"^amount must be a .* at least 0 \(below 0 rewards repeating\), not "
        ):
            function([1.0, 2.0], [0], amount)

    def test_nothing_left_is_refused(self):
        for function, amount in [(penalize_repetition, 1e10), (penalize_frequency, 1.7e308)]:
            with pytest.raises(
                ValueError, match=r"^the penalized logits must hold at least one finite number"
            ):
                function([-1e308], [0], amount)


class TestBan:
    def test_pairs(self):
        assert ban_repeated_ngrams([0.0] * 4, [0, 1, 0, 2, 0], 2) == [0.0, NO, NO, 0.0]

    def test_triples(self):
        assert ban_repeated_ngrams([0.0] * 4, [0, 1, 2, 3, 0, 1], 3) == [0.0, 0.0, NO, 0.0]
        assert ban_repeated_ngrams([0.0] * 4, [0, 1, 2, 3, 1, 0], 3) == [0.0] * 4

    def test_overlapping(self):
        assert ban_repeated_ngrams([0.0] * 2, [0, 0], 2) == [NO, 0.0]
        assert ban_repeated_ngrams([0.0] * 2, [0, 0, 0], 3) == [NO, 0.0]

    def test_size_1_bans_all_that_came(self):
        assert ban_repeated_ngrams([0.0] * 4, [2, 0, 2], 1) == [NO, 0.0, NO, 0.0]

    @pytest.mark.parametrize("history", [[], [0], [0, 1]], ids=str)
    def test_a_history_shorter_than_the_ngram_bans_nothing(self, history):
        assert ban_repeated_ngrams([0.0] * 2, history, 3) == [0.0] * 2
        assert ban_repeated_ngrams([0.0] * 2, history, 4) == [0.0] * 2

    def test_nothing_left_is_refused(self):
        with pytest.raises(
            ValueError, match=r"^the logits that are left must hold at least one finite number"
        ):
            ban_repeated_ngrams([0.0, 1.0, NO], [0, 1], 1)

    @pytest.mark.parametrize("size", [0, -1, 2.0, True, "2", None])
    def test_the_size_is_a_whole_number(self, size):
        with pytest.raises(ValueError, match=r"^size must be a whole number of at least 1, not "):
            ban_repeated_ngrams([1.0, 2.0], [0], size)


class TestOneStep:
    logits = (2.0, 2.0, 1.0, NO)

    def test_without_settings_it_is_softmax(self):
        e = math.e
        wanted = [e / (2 * e + 1), e / (2 * e + 1), 1 / (2 * e + 1), 0]
        assert decode_distribution(self.logits) == pytest.approx(wanted, abs=1e-15)
        assert decode_distribution(self.logits, **dict.fromkeys(ORDER)) == decode_distribution(self.logits)

    @pytest.mark.parametrize(
        ("settings", "wanted"),
        [
            ({"temperature": 0}, [1, 0, 0, 0]),
            ({"top_k": 2}, [0.5, 0.5, 0, 0]),
            ({"top_p": 0.5}, [0.5, 0.5, 0, 0]),
            ({"min_p": 0.5}, [0.5, 0.5, 0, 0]),
            ({"repetition_penalty": 2}, [1 / (2 + math.e), math.e / (2 + math.e), 1 / (2 + math.e), 0]),
            ({"frequency_penalty": 0.5, "temperature": 0}, [0, 1, 0, 0]),
            ({"presence_penalty": 1.0}, [1 / (2 + math.e), math.e / (2 + math.e), 1 / (2 + math.e), 0]),
            ({"no_repeat_ngram_size": 1, "top_k": 1}, [0, 1, 0, 0]),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
    )
    def test_each_setting_acts(self, settings, wanted):
        assert decode_distribution(self.logits, [0, 0], **settings) == pytest.approx(wanted, abs=1e-15)

    def test_penalties_act_under_greedy_decoding_and_after_it_come_too_late(self):
        settings = {"temperature": 0, "repetition_penalty": 3.0}
        assert decode_step([3.0, 2.0], [0], **settings) == 1
        assert decode_step([3.0, 2.0], [0], order=("temperature", "repetition_penalty"), **settings) == 0

    def test_the_draw_is_the_seeds(self):
        def draws(seed):
            rng = random.Random(seed)
            return [decode_step(self.logits, rng=rng) for _ in range(20)]

        assert draws(1) == draws(1) != draws(2)
        assert set(draws(1)) == {0, 1, 2}

    def test_one_uniform_number_each_step(self):
        rng, other = random.Random(3), random.Random(3)
        for settings in ({}, {"temperature": 0}, {"top_k": 1}):
            decode_step(self.logits, rng=rng, **settings)
            other.random()
        assert rng.getstate() == other.getstate()

    @pytest.mark.parametrize("settings", [{"temperature": 0}, {"top_k": 1}, {"top_p": 0.01}], ids=str)
    def test_no_generator_is_needed_where_one_token_is_left(self, settings):
        assert decode_step(self.logits, **settings) == 0

    @pytest.mark.parametrize("settings", [{}, {"top_k": 2}, {"min_p": 1}], ids=str)
    def test_a_generator_is_needed_where_several_are(self, settings):
        with pytest.raises(ValueError, match=r"^rng must not be None with [23] tokens left"):
            decode_step(self.logits, **settings)

    def test_rng_is_a_generator(self):
        with pytest.raises(ValueError, match=r"^rng must be a random.Random, not 42"):
            decode_step(self.logits, rng=42)

    @pytest.mark.parametrize("function", [decode_distribution, decode_step])
    @pytest.mark.parametrize(
        ("order", "settings", "wording"),
        [
            (("heat",), {}, "order must name settings among repetition_penalty, .*, min_p, not 'heat'"),
            (("top_k", "top_p", "top_k"), {}, "order must name each setting once, but 'top_k' comes again"),
            (
                ("top_k",),
                {"top_p": 0.9},
                r"order must name 'top_p', which is set to 0.9, but is \('top_k',\)",
            ),
            ((), {"temperature": 0}, "order must name 'temperature', which is set to 0, but is"),
            ("top_k", {"top_k": 1}, "order must be a list or tuple of settings, not 'top_k'"),
            (None, {"top_k": 1}, "order must be a list or tuple of settings, not None"),
            (([],), {"top_k": 1}, r"order must name settings among .*, not \[\]"),
            (ORDER, {"topk": 1}, "settings must be among repetition_penalty, .*, min_p, not 'topk'"),
            (ORDER, {"topk": None}, "settings must be among .*, not 'topk'"),
        ],
        ids=["unknown", "twice", "missing", "none", "string", "None", "unhashable", "setting", "off"],
    )
    def test_orders_that_are_none(self, function, order, settings, wording):
        with pytest.raises(ValueError, match=f"^{wording}"):
            function(self.logits, order=order, **settings)

    @pytest.mark.parametrize(
        "settings",
        [
            {"temperature": -1},
            {"top_k": 0},
            {"top_k": 5},
            {"top_p": 0},
            {"min_p": 2},
            {"repetition_penalty": 0.9},
            {"frequency_penalty": -1},
            {"presence_penalty": -1},
            {"no_repeat_ngram_size": 0},
        ],
        ids=str,
    )
    def test_values_that_a_step_refuses(self, settings):
        with pytest.raises(ValueError, match="must be a"):
            decode_distribution(self.logits, [0], **settings)

    def test_an_off_setting_may_be_missing_in_the_order(self):
        assert decode_step(self.logits, order=("top_k",), top_k=1, top_p=None) == 0

    def test_nothing_left_is_refused(self):
        with pytest.raises(
            ValueError, match=r"^the logits that are left must hold at least one finite number"
        ):
            decode_step([1.0, 2.0], [1, 0], temperature=0, no_repeat_ngram_size=1)
        late = ("temperature", "no_repeat_ngram_size")
        with pytest.raises(
            ValueError, match=r"^the logits that are left must hold at least one finite number"
        ):
            decode_step([1.0, 2.0], [1], order=late, temperature=0, no_repeat_ngram_size=1)


def test_a_positive_logit_is_divided_however_small():
    assert penalize_repetition([0.5, 1.0, -0.5, 0.5], [0, 1, 2], 2) == [0.25, 0.5, -1.0, 0.5]


@pytest.mark.parametrize("history", [[], [0], [0, 0], [0, 0, 0]])
def test_a_history_shorter_than_an_ngram_bans_nothing(history):
    assert ban_repeated_ngrams([1.0, 2.0], history, 4) == [1.0, 2.0]
