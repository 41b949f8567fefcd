"""nextword.softmax against the figures of lesson 19, closed forms and exact arithmetic."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.softmax import log_softmax, softmax

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-19.json").read_text(encoding="utf-8"))

steady = settings(derandomize=True, deadline=None, max_examples=100, database=None)

finite = st.floats(-1e3, 1e3, allow_subnormal=False)
logits_with_holes = st.lists(finite | st.just(-math.inf), min_size=1, max_size=8).filter(
    lambda logits: max(logits) > -math.inf
)
wild_logits = st.lists(
    st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-math.inf, 0.0, 40.0, 1e308, -1e308]),
    min_size=1,
    max_size=8,
).filter(lambda logits: max(logits) > -math.inf)
temperatures = st.floats(1e-3, 1e3)


def exact_softmax(logits, temperature):
    """Softmax in decimal arithmetic of fifty digits, without subtracting anything."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 50, 10**12, -(10**12)
        powers = [
            Decimal(0) if logit == -math.inf else (Decimal(logit) / Decimal(temperature)).exp()
            for logit in logits
        ]
        return [float(power / sum(powers)) for power in powers]


# The figures of lesson 19.


@pytest.mark.parametrize(("temperature", "wanted"), FACTS["19.1"]["expected"]["probabilities"].items())
def test_panel_19_1(temperature, wanted):
    assert softmax(FACTS["19.1"]["inputs"]["logits"], float(temperature)) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("step", ["confident", "unsure"])
def test_panel_19_2(step):
    logits = FACTS["19.2"]["inputs"][f"{step}_logits"]
    assert softmax(logits) == pytest.approx(FACTS["19.2"]["expected"][step], abs=1e-14)


# Closed forms.


def test_logarithms_of_whole_numbers_give_fractions():
    wanted = [Fraction(1, 8), Fraction(2, 8), Fraction(5, 8)]
    logits = [math.log(number) for number in (1, 2, 5)]
    assert softmax(logits) == pytest.approx([float(share) for share in wanted], abs=1e-15)
    halved = [Fraction(1, 30), Fraction(4, 30), Fraction(25, 30)]  # temperature 1/2 squares the numbers
    assert softmax(logits, 0.5) == pytest.approx([float(share) for share in halved], abs=1e-15)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("logit", [0.0, -1e308, 1e308, 3])
def test_equal_logits_give_equal_probabilities(size, logit):
    assert softmax([logit] * size) == [1 / size] * size
    assert log_softmax([logit] * size) == pytest.approx([-math.log(size)] * size, abs=1e-12)


def test_two_logits_give_the_logistic_function():
    for difference in (-30.0, -1.0, 0.0, 0.5, 30.0):
        assert softmax([difference, 0.0])[0] == pytest.approx(1 / (1 + math.exp(-difference)), rel=1e-14)


def test_what_overflows_without_the_subtraction():
    assert softmax([1000.0, 1000.0, 0.0]) == [0.5, 0.5, 0.0]
    assert softmax([1e308, 0.0, -1e308], 0.1) == [1.0, 0.0, 0.0]
    assert log_softmax([0.0, -1000.0, -math.inf]) == [0.0, -1000.0, -math.inf]


def test_a_probability_can_be_too_small_for_a_float_while_its_logarithm_is_not():
    assert softmax([0.0, -800.0])[1] == 0.0
    assert log_softmax([0.0, -800.0])[1] == -800.0


# Laws.


@steady
@given(logits_with_holes, st.floats(0.1, 100))
def test_agrees_with_exact_arithmetic(logits, temperature):
    wanted = exact_softmax(logits, temperature)
    assert softmax(logits, temperature) == pytest.approx(wanted, rel=1e-9, abs=1e-300)
    for log_share, share in zip(log_softmax(logits, temperature), wanted, strict=True):
        if share > 1e-300:
            assert log_share == pytest.approx(math.log(share), rel=1e-9, abs=1e-9)


@steady
@given(wild_logits, temperatures)
def test_is_a_distribution(logits, temperature):
    probabilities = softmax(logits, temperature)
    assert len(probabilities) == len(logits)
    assert all(0 <= share <= 1 for share in probabilities)
    assert math.fsum(probabilities) == pytest.approx(1, abs=1e-12)
    assert all(share == 0 for share, logit in zip(probabilities, logits, strict=True) if logit == -math.inf)


@steady
@given(st.lists(st.integers(-640, 640).map(lambda n: n / 64), min_size=1), st.integers(-(2**20), 2**20))
def test_a_shift_changes_nothing(logits, shift):
    assert softmax([logit + shift for logit in logits]) == softmax(logits)  # these sums are exact
    assert log_softmax([logit + shift for logit in logits]) == log_softmax(logits)


@steady
@given(wild_logits, temperatures)
def test_the_ranking_never_changes(logits, temperature):
    probabilities = softmax(logits, temperature)
    ranked = sorted(range(len(logits)), key=lambda token: logits[token])
    assert [probabilities[token] for token in ranked] == sorted(probabilities)
    logs = log_softmax(logits, temperature)
    assert [logs[token] for token in ranked] == sorted(logs)


@steady
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_a_low_temperature_shares_all_among_the_best(logits):
    best = logits.count(max(logits))
    assert softmax(logits, 1e-6) == [float(logit == max(logits)) / best for logit in logits]


@steady
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_a_high_temperature_shares_all_among_all(logits):
    assert softmax(logits, 1e12) == pytest.approx([1 / len(logits)] * len(logits), abs=1e-9)


@steady
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6), temperatures, temperatures)
def test_a_higher_temperature_never_helps_the_best(logits, one, other):
    cool, hot = sorted((one, other))
    assert max(softmax(logits, cool)) >= max(softmax(logits, hot)) - 1e-12
    assert min(softmax(logits, cool)) <= min(softmax(logits, hot)) + 1e-12


def test_softmax_of_log_probabilities_gives_them_back():
    wanted = [0.5, 0.3, 0.2, 0.0]
    logs = [math.log(share) if share else -math.inf for share in wanted]
    assert softmax(logs) == pytest.approx(wanted, abs=1e-15)


# Bad input.


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize(
    "logits",
    [[], [-math.inf, -math.inf], [0.0, math.nan], [math.inf, 0.0], ["1"], "12", None, 3.0, [None], [True]],
    ids=repr,
)
def test_logits_that_are_none(function, logits):
    with pytest.raises(ValueError, match=r"^logits must "):
        function(logits)


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, math.inf, math.nan, "1", None, True])
def test_temperatures_that_are_none(function, temperature):
    with pytest.raises(
        ValueError, match=r"^temperature must be a finite number above 0 \(0 means argmax\), not "
    ):
        function([1.0, 2.0], temperature)
