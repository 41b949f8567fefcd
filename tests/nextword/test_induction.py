"""The wired machine completes every repeated pattern, needs both of its layers, and holds what its factors promise."""

import math
import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.attention import causal_mask, masked_softmax
from nextword.induction import (
    SLOTS,
    Head,
    StreamLayout,
    embed_tokens,
    induction_head,
    position_gap,
    previous_token_head,
    read_slot,
    run_layers,
    sharpness,
    step_back,
    unembed,
)
from nextword.matrices import matmul, transpose
from nextword.positions import sinusoidal_position, sinusoidal_positions
from nextword.sampling import argmax
from nextword.softmax import softmax

steady = settings(derandomize=True, deadline=None, max_examples=40, database=None)

SIZE = 9
START = SIZE - 1
LAYOUT = StreamLayout(SIZE, length=24)

patterns = st.permutations(range(START)).flatmap(
    lambda tokens: st.integers(2, START).map(lambda size: list(tokens[:size]))
)
"""Distinct tokens, none of them the start token."""

texts = st.lists(st.integers(0, START - 1), min_size=1, max_size=16)
"""Tokens that may come again."""


@cache
def first(layout=LAYOUT):
    """The previous-token head."""
    return previous_token_head(layout)


@cache
def second(layout=LAYOUT):
    """The induction head."""
    return induction_head(layout)


def both(layout=LAYOUT):
    """The machine: the one before the other."""
    return [first(layout), second(layout)]


def logits_after(ids, layers=None, layout=LAYOUT):
    """The logits after each token of a text behind the start token; of both layers, if no others are given."""
    layers = both(layout) if layers is None else layers
    stream, _ = run_layers(embed_tokens([layout.size - 1, *ids], layout), layers)
    return unembed(stream, layout)


def weights_of(ids, layers=None, layout=LAYOUT):
    """The attention weights of each layer on a text behind the start token."""
    layers = both(layout) if layers is None else layers
    return run_layers(embed_tokens([layout.size - 1, *ids], layout), layers)[1]


def followers(ids):
    """For each place, what followed earlier copies of its token: what the machine should find, by search alone."""
    return [[ids[j + 1] for j in range(i) if ids[j] == ids[i]] for i in range(len(ids))]


# What the machine does.


@steady
@given(patterns, st.data())
def test_a_repeated_pattern_of_distinct_tokens_is_completed(pattern, data):
    again = data.draw(st.integers(1, len(pattern)))
    prompt = pattern + pattern[:again]
    wanted = pattern[again % len(pattern)]
    probs = softmax(logits_after(prompt)[-1])
    assert argmax(probs) == wanted
    assert probs[wanted] > 0.99


@steady
@given(patterns)
def test_the_pattern_is_completed_again_and_again(pattern):
    text = (pattern * 12)[:23]
    for place, row in enumerate(logits_after(text)):  # row 0 is that of the start token
        if place > len(pattern):
            assert argmax(row) == pattern[place % len(pattern)]


@steady
@given(texts)
def test_the_prediction_is_the_share_of_each_token_among_the_followers(ids):
    """An independent way to the same answer: search, count, divide."""
    stream, _ = run_layers(embed_tokens([START, *ids], LAYOUT), both())
    columns = LAYOUT.slot("prediction")
    for place, found in enumerate(followers(ids), 1):
        seen = found or [START, *ids[:place]]
        counts = Counter(seen)
        shares = [counts[token] / len(seen) for token in range(SIZE)]
        predicted = [stream[place][column] for column in columns]
        assert predicted == pytest.approx(shares, abs=0.02)


def test_two_followers_of_one_token_are_split_evenly():
    a, b, c = 0, 1, 2
    probs = softmax(logits_after([a, b, a, c, a])[-1])
    assert probs[b] == pytest.approx(probs[c], rel=0.02)
    assert min(probs[b], probs[c]) > 0.4
    assert sorted(range(SIZE), key=lambda token: -probs[token])[:2] in ([b, c], [c, b])


def test_a_follower_seen_more_often_is_the_likelier():
    a, b, c = 0, 1, 2
    weights = weights_of([a, b, a, c, a, b, a])[1][-1]
    assert [weights[place] for place in (2, 4, 6)] == pytest.approx([1 / 3] * 3, abs=0.01)
    assert argmax(logits_after([a, b, a, c, a, b, a])[-1]) == b


@steady
@given(patterns)
def test_a_token_seen_for_the_first_time_spreads_evenly(pattern):
    for place, row in enumerate(weights_of(pattern)[1]):
        assert row[: place + 1] == pytest.approx([1 / (place + 1)] * (place + 1), rel=0.02)


def test_without_a_start_token_the_first_token_takes_itself_for_the_one_before():
    a, b, c = 0, 1, 2
    stream, (_, weights) = run_layers(embed_tokens([a, b, c, a], LAYOUT), both())
    assert weights[-1][:2] == pytest.approx([0.5, 0.5], abs=0.01)
    probs = softmax(unembed(stream, LAYOUT)[-1])
    assert probs[a] == pytest.approx(probs[b], rel=0.02)
    assert argmax(logits_after([a, b, c, a])[-1]) == b


# Without a layer.


@steady
@given(patterns)
def test_without_the_previous_token_head_the_most_frequent_token_wins(pattern):
    """No key matches, so the induction head spreads evenly: it counts what came, and A came once more than B."""
    prompt = [*pattern, pattern[0]]
    [weights] = weights_of(prompt, [second()])
    assert weights[-1] == pytest.approx([1 / (len(prompt) + 1)] * (len(prompt) + 1))
    assert argmax(logits_after(prompt, [second()])[-1]) == pattern[0] != pattern[1]


@steady
@given(texts)
def test_without_the_induction_head_nothing_is_predicted(ids):
    for layers in ([first()], []):
        assert logits_after(ids, layers) == [[0.0] * SIZE] * (len(ids) + 1)


@steady
@given(patterns)
def test_the_layers_in_the_other_order_do_not_complete(pattern):
    prompt = [*pattern, pattern[0]]
    assert argmax(logits_after(prompt, both()[::-1])[-1]) == pattern[0]


# What holds of all texts.


@steady
@given(texts, st.permutations(range(START)))
def test_other_names_for_the_tokens_give_the_same_predictions_under_these_names(ids, names):
    renamed = [*names, START]
    for row, other in zip(logits_after(ids), logits_after([renamed[i] for i in ids]), strict=True):
        assert [other[renamed[token]] for token in range(SIZE)] == pytest.approx(row, abs=1e-9)


@steady
@given(texts, texts)
def test_later_tokens_change_nothing_earlier(ids, more):
    ids, more = ids[:12], more[:10]
    assert logits_after(ids + more)[: len(ids) + 1] == logits_after(ids)


@steady
@given(texts)
def test_the_first_layer_looks_one_step_back_and_the_stream_says_so(ids):
    stream, [weights] = run_layers(embed_tokens([START, *ids], LAYOUT), [first()])
    before = [START, START, *ids[:-1]]
    for place, row in enumerate(weights):
        assert row[max(place - 1, 0)] >= LAYOUT.weight
        slot = [stream[place][column] for column in LAYOUT.slot("previous")]
        assert argmax(slot) == before[place]
        assert slot[before[place]] >= LAYOUT.weight - 1e-12


@steady
@given(texts)
def test_layers_leave_the_slots_that_they_do_not_write_as_they_were(ids):
    x = embed_tokens([START, *ids], LAYOUT)
    written = {*LAYOUT.slot("previous"), *LAYOUT.slot("prediction")}
    stream, _ = run_layers(x, both())
    for before, after in zip(x, stream, strict=True):
        assert [v for i, v in enumerate(after) if i not in written] == [
            v for i, v in enumerate(before) if i not in written
        ]


# The factors.


@pytest.mark.parametrize(("position_width", "weight"), [(8, 0.999), (8, 0.99), (2, 0.99), (16, 0.999)])
def test_the_weight_asked_for_is_reached_at_every_length_up_to_the_last(position_width, weight):
    """Up to 64 positions: the rows of the longest text are those of all shorter ones, for the mask is causal."""
    layout = StreamLayout(5, length=64, position_width=position_width, weight=weight)
    rng = random.Random(42)
    ids = [rng.randrange(4) for _ in range(63)]
    back, found = weights_of(ids, layout=layout)
    assert len(back) == 64
    for place in range(1, 64):
        assert back[place][place - 1] >= weight
    for place, row in enumerate(found[1:], 1):
        matches = [j + 1 for j in range(1, place) if ids[j - 1] == ids[place - 1]]
        if matches:
            assert math.fsum(row[j] for j in matches) >= weight


def test_two_distinct_halves_of_the_longest_text_are_completed():
    layout = StreamLayout(33, length=64)
    pattern = random.Random(7).sample(range(32), 32)
    rows = logits_after((pattern * 2)[:63], layout=layout)[32:]
    for place, row in enumerate(rows[1:], 1):
        wanted = pattern[place % 32]
        assert softmax(row)[wanted] >= 0.998


@steady
@given(st.floats(0.01, 5), st.integers(2, 200), st.floats(0.5, 0.9999))
def test_the_factor_gives_the_weight_when_all_others_trail_by_the_gap(gap, choices, weight):
    factor = sharpness(gap, choices, weight)
    assert softmax([factor * gap] + [0.0] * (choices - 1))[0] == pytest.approx(weight)


@steady
@given(
    st.integers(2, 40),
    st.floats(0.1, 2),
    st.lists(st.floats(0, 3), min_size=1, max_size=39),
    st.floats(0.5, 0.999),
)
def test_the_factor_gives_at_least_the_weight_when_fewer_trail_by_more(choices, gap, more, weight):
    factor = sharpness(gap, choices, weight)
    others = [-factor * extra for extra in more[: choices - 1]]
    assert softmax([factor * gap, *others])[0] >= weight - 1e-9


@pytest.mark.parametrize("length", [2, 3, 7, 8, 45, 64])
@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_the_gap_is_that_of_the_dot_products(length, width):
    rows = sinusoidal_positions(length, width)
    table = matmul(rows, transpose(rows))
    own = min(table[i][i] for i in range(length))
    other = max(table[i][j] for i in range(length) for j in range(length) if i != j)
    assert position_gap(length, width) == pytest.approx(own - other)
    assert position_gap(length, width) > 0


@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_a_step_back_turns_each_position_into_the_one_before(width):
    turn = step_back(width)
    for position in range(1, 65):
        [back] = matmul([sinusoidal_position(position, width)], turn)
        assert back == pytest.approx(sinusoidal_position(position - 1, width), abs=1e-12)


@pytest.mark.parametrize("width", [2, 8])
def test_a_step_back_keeps_lengths_and_angles(width):
    turn = step_back(width)
    for row, wanted in zip(matmul(turn, transpose(turn)), range(width), strict=True):
        assert row == pytest.approx([float(i == wanted) for i in range(width)], abs=1e-12)


def test_the_scores_of_the_first_layer_are_cosines_of_the_distance():
    """The attention of the wired layer, against softmax of a closed form."""
    n, rates = 9, (1.0, 0.1, 0.01, 0.001)
    factor = math.log(23 * 0.999 / 0.001) / position_gap(24, 8)
    scores = [
        [factor * math.fsum(math.cos((query - 1 - key) * rate) for rate in rates) for key in range(n)]
        for query in range(n)
    ]
    [weights] = weights_of(range(n - 1), [first()])
    expected = masked_softmax(scores, causal_mask(n))
    for row, wanted in zip(weights, expected, strict=True):
        assert row == pytest.approx(wanted, abs=1e-9)


# The stream.


def test_a_layout_has_room_for_64_tokens_if_nothing_else_is_said():
    assert StreamLayout(5) == StreamLayout(5, length=64, position_width=8, weight=0.999)


def test_the_slots_lie_side_by_side_and_fill_the_stream():
    for layout in (LAYOUT, StreamLayout(2, length=2, position_width=2), StreamLayout(30, position_width=16)):
        columns = [column for name in SLOTS for column in layout.slot(name)]
        assert columns == list(range(layout.width))
        assert len(layout.slot("position")) == layout.position_width


@pytest.mark.parametrize("name", SLOTS)
def test_what_is_read_from_a_slot_is_written_back_to_it_by_the_transpose(name):
    read = read_slot(LAYOUT, name)
    row = [float(column) for column in range(LAYOUT.width)]
    [inside] = matmul([row], read)
    assert inside == [float(column) for column in LAYOUT.slot(name)]
    [back] = matmul([inside], transpose(read))
    assert back == [x if column in LAYOUT.slot(name) else 0.0 for column, x in enumerate(row)]


def test_the_embedding_fills_the_first_two_slots():
    ids = [START, 3, 3, 0]
    for place, row in enumerate(embed_tokens(ids, LAYOUT)):
        assert [row[c] for c in LAYOUT.slot("token")] == [float(i == ids[place]) for i in range(SIZE)]
        assert [row[c] for c in LAYOUT.slot("position")] == sinusoidal_position(place, 8)
        assert not any(row[c] for name in ("previous", "prediction") for c in LAYOUT.slot(name))


def test_the_induction_head_stretches_by_what_the_layer_below_promises():
    layout = StreamLayout(4, length=10, weight=0.75)  # of 10 rows one has 0.75, so others at most 0.25
    factor = math.log(9 * 0.75 / 0.25) / (0.75 - 0.25)
    assert max(map(max, induction_head(layout).w_q)) == pytest.approx(factor * math.sqrt(4))


@pytest.mark.parametrize(("head", "keys"), [(first, LAYOUT.position_width), (second, SIZE)])
def test_the_shapes_of_a_head_fit_the_stream(head, keys):
    shapes = [(len(w), len(w[0])) for w in head()]
    assert shapes == [(LAYOUT.width, keys), (LAYOUT.width, keys), (LAYOUT.width, SIZE), (SIZE, LAYOUT.width)]


def test_no_layer_leaves_the_stream_alone():
    x = embed_tokens([START, 1], LAYOUT)
    assert run_layers(x, []) == (x, [])


def test_arguments_are_left_as_they_were():
    x = embed_tokens([START, 1, 2, 1], LAYOUT)
    copy = [list(row) for row in x]
    layers = list(both())
    run_layers(x, layers)
    assert (x, layers) == (copy, both())


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 1}, "size must be a whole number of at least 2, not 1"),
        ({"size": 2.0}, "size must be a whole number of at least 2, not 2.0"),
        ({"size": 4, "length": 1}, "length must be a whole number of at least 2, not 1"),
        ({"size": 4, "position_width": 3}, "position_width must be an even number of at least 2, not 3"),
        ({"size": 4, "position_width": 0}, "position_width must be a whole number of at least 2, not 0"),
        ({"size": 4, "weight": 0.5}, "weight must be a finite number above 0.5 and below 1, not 0.5"),
        ({"size": 4, "weight": 1}, "weight must be a finite number above 0.5 and below 1, not 1"),
    ],
)
def test_a_layout_that_nothing_can_be_wired_for_is_refused(arguments, message):
    with pytest.raises(ValueError) as caught:
        StreamLayout(**arguments)
    assert str(caught.value) in (message, message.replace("an even number of at least 2", "an even number"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: LAYOUT.slot("past"),
            "name must be one of 'token', 'position', 'previous', 'prediction', not 'past'",
        ),
        (lambda: read_slot(LAYOUT, ["token"]), "name must be one of .* not \\['token'\\]"),
        (lambda: read_slot((5, 64), "token"), r"layout must be a StreamLayout, not \(5, 64\)"),
        (lambda: previous_token_head(None), "layout must be a StreamLayout, not None"),
        (lambda: induction_head(5), "layout must be a StreamLayout, not 5"),
        (lambda: embed_tokens([1], [5]), r"layout must be a StreamLayout, not \[5\]"),
        (lambda: embed_tokens([SIZE], LAYOUT), "ids must hold token ids from 0 to 8, not 9"),
        (lambda: embed_tokens("1", LAYOUT), "ids must be a list or tuple of token ids, not '1'"),
        (lambda: embed_tokens([], LAYOUT), "ids must hold from 1 to 24 token ids, not 0"),
        (lambda: embed_tokens([0] * 25, LAYOUT), "ids must hold from 1 to 24 token ids, not 25"),
        (lambda: sharpness(0, 4, 0.9), "gap must be a finite number of at least 1e-300, not 0"),
        (lambda: sharpness(5e-324, 3, 0.9), "gap must be a finite number of at least 1e-300, not 5e-324"),
        (lambda: sharpness(1, 1, 0.9), "choices must be a whole number from 2 to 9007199254740992, not 1"),
        (
            lambda: sharpness(1, 10**400, 0.9),
            "choices must be a whole number from 2 to 9007199254740992, not 10+$",
        ),
        (lambda: sharpness(1, 4, 1), "weight must be a finite number .* below 1, not 1"),
        (
            lambda: sharpness(1, 4, 0.2),
            "weight must be a finite number of at least 0.25 and below 1, not 0.2",
        ),
        (lambda: position_gap(1, 8), "length must be a whole number of at least 2, not 1"),
        (lambda: position_gap(8, 3), "width must be an even number, not 3"),
        (lambda: step_back(5), "width must be an even number, not 5"),
        (lambda: run_layers([], []), "x must be a list or tuple of at least one row"),
        (lambda: run_layers([[1.0]], first()), "layers must be a list or tuple of Head, not Head"),
        (lambda: run_layers([[1.0]], 3), "layers must hold several values, as a list does, not 3"),
        (
            lambda: run_layers([[1.0]], iter(both())),
            "layers must be a list or tuple of Head, not list_iterator",
        ),
        (
            lambda: run_layers([[1.0]], [tuple(first())]),
            "layer 0 of layers must be a Head, not tuple",
        ),
        (lambda: run_layers([[1.0, 2.0]], [first()]), r"\(1, 2\) and \(35, 8\)"),
        (lambda: unembed([], LAYOUT), "^stream must be a list or tuple of at least one row"),
        (lambda: unembed([[1.0]], 7), "layout must be a StreamLayout, not 7"),
        (lambda: unembed([[1.0, 2.0]], LAYOUT), r"not the shapes \(1, 2\) and \(1, 35\)"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_head_that_writes_another_width_is_refused():
    one = [[1.0]]
    with pytest.raises(ValueError, match=r"\(1, 1\) and \(1, 2\)"):
        run_layers(one, [Head(one, one, one, [[1.0, 1.0]])])
