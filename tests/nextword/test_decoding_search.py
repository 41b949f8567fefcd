"""nextword.decoding: whole sequences. Beam search against greedy decoding and against trying everything."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.decoding import beam_search, decode, decode_step, extend_beam
from nextword.sampling import argmax
from nextword.softmax import log_softmax

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

NO = -math.inf

rows = st.lists(st.integers(-6, 6).map(float) | st.just(NO), min_size=3, max_size=3).filter(
    lambda logits: max(logits) > NO
)
tables = st.lists(rows, min_size=4, max_size=4)
"""A row for each of three tokens, and one for the start. The last token ends."""
END = 2


def model(table):
    """A first-order model: the row of the last token."""
    return lambda history: table[history[-1] if history else -1]


def pick(logits, history):
    return argmax(logits)


def all_sequences(table, limit):
    """Every sequence that is possible and its log probability, by trying all."""
    found = {}
    for length in range(1, limit + 1):
        for ids in product(range(3), repeat=length):
            whole = ids[-1] == END or length == limit
            if END in ids[:-1] or not whole:
                continue
            parts = [log_softmax(model(table)(ids[:place]))[token] for place, token in enumerate(ids)]
            if min(parts) > NO:
                found[ids] = math.fsum(parts)
    return found


class TestDecode:
    def test_stops_before_the_end_marker(self):
        seen = []

        def next_logits(history):
            seen.append(history)
            return [1.0, 0.0, 5.0 if len(history) == 3 else 0.0]

        assert decode(next_logits, pick, end=2, limit=10) == [0, 0, 0]
        assert seen == [(), (0,), (0, 0), (0, 0, 0)]

    def test_stops_at_the_limit(self):
        assert decode(lambda history: [1.0, 0.0], pick, end=1, limit=4) == [0] * 4

    def test_may_stop_at_once(self):
        assert decode(lambda history: [1.0, 0.0], pick, end=0, limit=4) == []

    def test_the_choice_sees_logits_and_history(self):
        def choose(logits, history):
            assert logits == [0.0, 0.0, 0.0]
            return len(history)

        assert decode(lambda history: [0.0] * 3, choose, end=2, limit=9) == [0, 1]

    @steady
    @given(tables)
    def test_greedy_decoding_of_a_first_order_table_ends_or_cycles(self, table):
        ids = decode(model(table), pick, END, limit=12)
        if len(ids) == 12:
            assert any(ids[-period:] == ids[-2 * period : -period] for period in (1, 2))

    @pytest.mark.parametrize("name", ["next_logits", "choose"])
    @pytest.mark.parametrize("value", [None, [0.0, 1.0], "model"])
    def test_what_cannot_be_called(self, name, value):
        arguments = {"next_logits": lambda history: [0.0], "choose": pick, name: value}
        with pytest.raises(ValueError, match=f"^{name} must be a function, not ") as info:
            decode(**arguments, end=0, limit=3)
        assert str(info.value).endswith(repr(value))

    @pytest.mark.parametrize("limit", [0, -1, 1.0, True, None])
    def test_limits_that_are_none(self, limit):
        with pytest.raises(ValueError, match=r"^limit must be a whole number of at least 1, not "):
            decode(lambda history: [0.0], pick, end=0, limit=limit)

    @pytest.mark.parametrize("end", [2, -1, None, "1"])
    def test_ends_that_are_no_ids(self, end):
        with pytest.raises(ValueError, match=r"^end must hold token ids from 0 to 1, not "):
            decode(lambda history: [0.0, 1.0], pick, end=end, limit=3)

    @pytest.mark.parametrize("token", [2, -1, 0.0, None])
    def test_choices_that_are_no_ids(self, token):
        with pytest.raises(ValueError, match=r"^what choose returned must hold token ids from 0 to 1, not "):
            decode(lambda history: [0.0, 1.0], lambda logits, history: token, end=1, limit=3)

    @pytest.mark.parametrize("logits", [[], [NO, NO], [math.nan, 0.0], None], ids=repr)
    def test_models_that_give_no_logits(self, logits):
        with pytest.raises(ValueError, match=r"^what next_logits returned must "):
            decode(lambda history: logits, pick, end=0, limit=3)


class TestBeamSearch:
    def test_greedy_misses_what_two_beams_find(self):
        """The first token's best is 0.6, but its continuations split; 0.4 times 0.9 is more than 0.6 times 0.5."""
        shares = {(): [0.6, 0.4, 0], (0,): [0.5, 0.5, 0], (1,): [0.9, 0.1, 0]}

        def next_logits(history):
            return [math.log(share) if share else NO for share in shares.get(history, [0, 0, 1])]

        assert beam_search(next_logits, 1, END, limit=3) == [([0, 0], pytest.approx(math.log(0.3)))]
        found = beam_search(next_logits, 2, END, limit=3)
        assert [ids for ids, _ in found] == [[1, 0], [0, 0]]
        assert [total for _, total in found] == pytest.approx([math.log(0.36), math.log(0.3)])

    @steady
    @given(tables, st.integers(1, 6))
    def test_width_1_is_greedy(self, table, limit):
        [(ids, total)] = beam_search(model(table), 1, END, limit)
        assert ids == decode(model(table), pick, END, limit)
        assert ids == decode(model(table), lambda z, h: decode_step(z, h, temperature=0), END, limit)
        scored = [*ids, END] if len(ids) < limit else ids
        parts = [log_softmax(model(table)(scored[:place]))[token] for place, token in enumerate(scored)]
        assert total == pytest.approx(math.fsum(parts), abs=1e-9)

    @steady
    @given(tables, st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]))
    def test_a_width_for_all_sequences_is_exhaustive(self, table, limit, power):
        wanted = all_sequences(table, limit)
        found = beam_search(model(table), len(wanted), END, limit, power)
        assert len(found) == len(wanted)
        ids_with_end = [tuple(ids) + (END,) * (len(ids) < limit) for ids, _ in found]
        assert set(ids_with_end) == set(wanted)
        assert [total for _, total in found] == pytest.approx([wanted[ids] for ids in ids_with_end], abs=1e-9)
        scores = [wanted[ids] / len(ids) ** power for ids in ids_with_end]
        assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-9)
        assert math.fsum(math.exp(total) for _, total in found) == pytest.approx(1, abs=1e-9)

    @steady
    @given(tables, st.integers(1, 5), st.integers(1, 4))
    def test_beams_are_distinct_possible_and_best_first(self, table, width, limit):
        found = beam_search(model(table), width, END, limit)
        assert 1 <= len(found) <= width
        assert len({tuple(ids) for ids, _ in found}) == len(found)
        assert all(END not in ids and len(ids) <= limit for ids, _ in found)
        totals = [total for _, total in found]
        assert totals == sorted(totals, reverse=True)
        possible = all_sequences(table, limit)
        for ids, total in found:
            whole = tuple(ids) + (END,) * (len(ids) < limit)
            assert total == pytest.approx(possible[whole], abs=1e-9)

    def test_a_finished_sequence_keeps_its_place(self):
        """Ending at once has 1/2; both other sequences have 1/4."""
        found = beam_search(lambda history: [math.log(0.25), math.log(0.25), math.log(0.5)], 3, END, limit=2)
        assert [ids for ids, _ in found] == [[], [0], [1]]
        wanted = [Fraction(1, 2), Fraction(1, 8), Fraction(1, 8)]
        assert [math.exp(total) for _, total in found] == pytest.approx([float(share) for share in wanted])

    def test_among_equals_the_first_ids_win(self):
        found = beam_search(lambda history: [0.0, 0.0, NO], 3, END, limit=2)
        assert [ids for ids, _ in found] == [[0, 0], [0, 1], [1, 0]]

    def test_a_power_of_the_length_favours_longer_sequences(self):
        """Ending at once has 0.5; going on has 0.5 and then 0.8 for 0 and the end: total 0.4, mean above."""

        def next_logits(history):
            shares = [[0.5, 0, 0.5], [0.1, 0.1, 0.8]][min(len(history), 1)]
            return [math.log(share) if share else NO for share in shares]

        assert beam_search(next_logits, 2, END, limit=2)[0][0] == []
        best, total = beam_search(next_logits, 2, END, limit=2, length_power=1.0)[0]
        assert best == [0]
        assert total == pytest.approx(math.log(0.4))

    @pytest.mark.parametrize("value", [None, [0.0, 1.0], "model"])
    def test_a_model_that_cannot_be_called(self, value):
        with pytest.raises(ValueError, match=r"^next_logits must be a function, not ") as info:
            beam_search(value, 2, 0, 3)
        assert str(info.value).endswith(repr(value))

    def test_totals_may_leave_the_floats(self):
        far = [-1e308, 0.0, NO]
        found = beam_search(lambda history: far, 4, END, limit=2)
        assert found == [([1, 1], 0.0), ([0, 1], -1e308), ([1, 0], -1e308), ([0, 0], NO)]
        assert len(beam_search(lambda history: far, 8, END, limit=3)) == 8

    @pytest.mark.parametrize("name", ["width", "limit"])
    @pytest.mark.parametrize("value", [0, -1, 1.0, True, None])
    def test_widths_and_limits_that_are_none(self, name, value):
        arguments = {"width": 1, "limit": 1, name: value}
        with pytest.raises(ValueError, match=f"^{name} must be a whole number of at least 1, not "):
            beam_search(lambda history: [0.0], end=0, **arguments)

    @pytest.mark.parametrize("power", [-0.1, 1.1, math.nan, math.inf, True, None])
    def test_powers_that_are_none(self, power):
        with pytest.raises(
            ValueError, match=r"^length_power must be a finite number of at least 0 and of at most 1"
        ):
            beam_search(lambda history: [0.0], 1, 0, 1, power)

    @pytest.mark.parametrize("end", [2, -1, None, "1"])
    def test_ends_that_are_no_ids(self, end):
        with pytest.raises(ValueError, match=r"^end must hold token ids from 0 to 1, not "):
            beam_search(lambda history: [0.0, 1.0], 1, end, 3)

    @pytest.mark.parametrize("logits", [[], [NO, NO], [math.nan, 0.0], None], ids=repr)
    def test_models_that_give_no_logits(self, logits):
        with pytest.raises(ValueError, match=r"^logits must "):
            beam_search(lambda history: logits, 1, 0, 3)


def test_extend_beam_leaves_out_what_is_impossible():
    longer = extend_beam(((0,), -1.0), lambda history: [0.0, NO, 0.0], END)
    assert longer == [((0, 0), pytest.approx(-1 - math.log(2))), ((0, 2), pytest.approx(-1 - math.log(2)))]
    assert extend_beam(((0, END), -1.0), lambda history: [], END) == [((0, END), -1.0)]


@pytest.mark.parametrize(("end", "logits"), [(3, [0.0] * 3), (0, []), (0, [math.inf])], ids=str)
def test_extend_beam_refuses(end, logits):
    with pytest.raises(ValueError, match="must hold"):
        extend_beam(((), 0.0), lambda history: logits, end)


@steady
@given(tables, st.lists(st.integers(0, 1), max_size=4).map(tuple), st.floats(-50, 0))
def test_the_parts_of_a_beam_add_up_to_it(table, tokens, total):
    longer = extend_beam((tokens, total), model(table), END)
    shares = [math.exp(whole) for _, whole in longer]
    assert math.fsum(shares) == pytest.approx(math.exp(total), rel=1e-9)
    assert all(ids[:-1] == tokens and whole <= total for ids, whole in longer)
    possible = [token for token, logit in enumerate(model(table)(tokens)) if logit > NO]
    assert [ids[-1] for ids, _ in longer] == possible
    for finished in longer:
        if finished[0][-1] == END:
            assert extend_beam(finished, model(table), END) == [finished]


@pytest.mark.parametrize(
    ("beam", "message"),
    [
        (None, "^beam must be a tuple of a tuple of ids and their total, not None$"),
        ((), "^beam must be a tuple "),
        (((0,), -1.0, 2), "^beam must be a tuple "),
        ([(0,), -1.0], "^beam must be a tuple "),
        (([0], -1.0), "^beam must be a tuple "),
        ("01", "^beam must be a tuple "),
        (((3,), -1.0), "^the ids of beam must hold token ids from 0 to 2, not 3$"),
        (((0, -1), -1.0), "^an id of beam must be a whole number of at least 0, not -1$"),
        (((True,), -1.0), "^an id of beam must be a whole number of at least 0, not True$"),
        (((None, END), -1.0), "^an id of beam must be a whole number of at least 0, not None$"),
        (((0,), 0.5), "^the total of beam must be a log probability, at most 0, not 0.5$"),
        (((0,), math.nan), "^the total of beam must be a log probability, at most 0, not nan$"),
        (((0,), "1"), "^the total of beam must be a log probability, at most 0, not '1'$"),
        (((0, END), None), "^the total of beam must be a log probability, at most 0, not None$"),
    ],
    ids=repr,
)
def test_extend_beam_refuses_what_is_no_beam(beam, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        extend_beam(beam, lambda history: [0.0, 1.0, 2.0], END)


def test_extend_beam_refuses_what_cannot_be_called():
    for beam in (((), 0.0), ((0, END), -1.0)):
        with pytest.raises(ValueError, match=r"^next_logits must be a function, not \[0\.0\]$"):
            extend_beam(beam, [0.0], END)
