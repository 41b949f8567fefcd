"""nextword.sampling against the draws of lesson 19, exact arithmetic and frequencies."""

import json
import math
import random
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.sampling import argmax, draw

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-19.json").read_text(encoding="utf-8"))

steady = settings(derandomize=True, deadline=None, max_examples=100, database=None)

weights = st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any)


class Fixed(random.Random):
    """A generator whose next uniform number is known."""

    def __init__(self, uniform):
        super().__init__(0)
        self.uniform = uniform

    def random(self):
        return self.uniform


LARGEST_UNIFORM = 1 - 2**-53


# The figures of lesson 19.


def test_the_uniform_numbers_of_seed_42():
    rng = random.Random(42)
    assert [rng.random() for _ in range(10)] == FACTS["19.1"]["inputs"]["uniforms_seed_42"]


@pytest.mark.parametrize(("temperature", "wanted"), FACTS["19.1"]["expected"]["draws"].items())
def test_the_draws_of_panel_19_1(temperature, wanted):
    facts = FACTS["19.1"]
    rng = random.Random(facts["inputs"]["seed"])
    probabilities = facts["expected"]["probabilities"][temperature]
    assert [facts["inputs"]["tokens"][draw(probabilities, rng)] for _ in wanted] == wanted


@pytest.mark.parametrize("row", FACTS["19.5"]["expected"]["table"], ids=lambda row: row["settings"])
def test_the_draws_of_panel_19_5(row):
    rng = random.Random(42)
    assert [FACTS["19.5"]["inputs"]["tokens"][draw(row["probs"], rng)] for _ in range(8)] == row["draws"]


# Drawing.


@steady
@given(weights, st.integers(0, 2**53 - 1))
def test_draw_inverts_the_exact_running_sum(weights, step):
    total = 2 ** math.ceil(math.log2(sum(weights)))
    probabilities = [
        weight / total for weight in [*weights, total - sum(weights)]
    ]  # powers of 2: no rounding
    uniform = Fraction(step, 2**53)
    sums = list(accumulate(map(Fraction, probabilities)))
    wanted = min(index for index, running in enumerate(sums) if uniform < running)
    assert draw(probabilities, Fixed(float(uniform))) == wanted


@steady
@given(weights, st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, LARGEST_UNIFORM, 1.0]))
def test_what_is_impossible_is_never_drawn(weights, uniform):
    probabilities = [weight / sum(weights) for weight in weights]
    assert probabilities[draw(probabilities, Fixed(uniform))] > 0


def test_a_sum_below_the_uniform_number_gives_the_last_that_is_possible():
    assert list(accumulate([0.1] * 10))[-1] <= LARGEST_UNIFORM
    assert draw([0.0, *[0.1] * 10, 0.0, 0.0], Fixed(LARGEST_UNIFORM)) == 10


def test_the_edges_belong_to_the_index_that_begins_there():
    assert [draw([0.25, 0.0, 0.75], Fixed(u)) for u in (0.0, 0.2499999, 0.25, 0.9999)] == [0, 0, 2, 2]


def test_one_uniform_number_a_draw():
    rng, other = random.Random(5), random.Random(5)
    for probabilities in ([1.0], [0.0, 1.0], [0.5, 0.5]):
        draw(probabilities, rng)
        other.random()
    assert rng.getstate() == other.getstate()


def test_frequencies_are_the_probabilities():
    probabilities = [0.4, 0.3, 0.2, 0.1, 0.0]
    rng = random.Random(1)
    counts = Counter(draw(probabilities, rng) for _ in range(10_000))
    for index, share in enumerate(probabilities):
        assert abs(counts[index] - 10_000 * share) <= 4 * math.sqrt(10_000 * share * (1 - share))


@pytest.mark.parametrize(
    "probabilities",
    [
        [],
        [0.0, 0.0],
        [0.5, 0.4],
        [1.5, -0.5],
        [math.nan, 1.0],
        [math.inf],
        [0.5, 0.5 + 1e-8],
        "1",
        None,
        [True],
    ],
    ids=repr,
)
def test_what_is_no_distribution(probabilities):
    with pytest.raises(ValueError, match=r"^probabilities must "):
        draw(probabilities, random.Random(0))


@pytest.mark.parametrize("rng", [None, 42, random], ids=["None", "seed", "module"])
def test_what_is_no_generator(rng):
    with pytest.raises(ValueError, match=r"^rng must be a random\.Random, not "):
        draw([1.0], rng)


# argmax.


@steady
@given(st.lists(st.integers(-3, 3), min_size=1))
def test_argmax_is_the_first_of_the_largest(values):
    assert argmax(values) == values.index(max(values))


def test_argmax_takes_infinities():
    assert argmax([-math.inf, -math.inf]) == 0
    assert argmax((0.0, math.inf, math.inf)) == 1


@pytest.mark.parametrize("values", [[], [math.nan], [0, math.nan], "31", None, 3, ["a"], [True]], ids=repr)
def test_argmax_of_what_has_no_largest(values):
    with pytest.raises(ValueError, match=r"^values must "):
        argmax(values)
