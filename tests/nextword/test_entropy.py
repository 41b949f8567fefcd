"""nextword.entropy against closed forms, examples of textbooks, and the laws that hold for every input."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nextword.entropy import (
    bits_per_byte,
    bits_per_character,
    cross_entropy,
    entropy,
    kl_divergence,
    perplexity,
    total_surprise,
)

steady = settings(derandomize=True, deadline=None, max_examples=200, database=None)
BIT = math.log(2)


def shares(weights):
    """Whole numbers as the distribution in their proportion."""
    return [float(Fraction(weight, sum(weights))) for weight in weights]


weights = st.lists(st.integers(0, 1000), min_size=1, max_size=12).filter(any)
distributions = weights.map(shares)
pairs = (
    st.integers(1, 12)
    .flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 1000), min_size=n, max_size=n).filter(any)] * 2))
    .map(lambda two: (shares(two[0]), shares(two[1])))
)
probabilities = st.lists(st.floats(1e-300, 1), min_size=1, max_size=20)


# Closed forms and textbook examples.


@pytest.mark.parametrize(
    ("given_probabilities", "bits"),
    [
        ([1], 0),
        ([0.0, 1.0, 0.0], 0),
        ([0.5, 0.5], 1),
        ([0.5, 0.0, 0.5], 1),
        ([1 / 8] * 8, 3),
        # Cover and Thomas, "Elements of Information Theory", section 1.1: a race of eight horses.
        ([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 64, 1 / 64, 1 / 64, 1 / 64], 2),
        # The same book, example 2.1.1: four letters.
        ([1 / 2, 1 / 4, 1 / 8, 1 / 8], 7 / 4),
    ],
)
def test_entropy(given_probabilities, bits):
    assert entropy(given_probabilities) / BIT == pytest.approx(bits, abs=1e-15)
    assert math.copysign(1, entropy(given_probabilities)) == 1  # never minus zero


def test_entropy_of_thirds_mixes_logarithms():
    # H(2/3, 1/3) = ln 3 - 2/3 ln 2
    assert entropy([2 / 3, 1 / 3]) == pytest.approx(math.log(3) - 2 / 3 * BIT, rel=1e-15)


def test_divergence_of_two_coins_depends_on_the_order():
    # Cover and Thomas, example 2.3.1: r = 1/2, s = 1/4.
    assert kl_divergence([1 / 2, 1 / 2], [3 / 4, 1 / 4]) / BIT == pytest.approx(1 - math.log2(3) / 2)
    assert kl_divergence([3 / 4, 1 / 4], [1 / 2, 1 / 2]) / BIT == pytest.approx(3 / 4 * math.log2(3) - 1)
    assert round(1 - math.log2(3) / 2, 4) == 0.2075
    assert round(3 / 4 * math.log2(3) - 1, 4) == 0.1887


def test_cross_entropy_by_hand():
    # -(1/2 log2 1/4 + 1/4 log2 1/2 + 1/4 log2 1/4) = 1 + 1/4 + 1/2
    assert cross_entropy([1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4]) / BIT == pytest.approx(7 / 4)


def test_what_is_impossible_but_comes_is_infinitely_surprising():
    assert cross_entropy([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert cross_entropy([1.0, 0.0], [0.5, 0.5]) == pytest.approx(BIT)
    assert kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0
    assert math.copysign(1, cross_entropy([1.0, 0.0], [1.0, 0.0])) == 1


def test_perplexity_of_the_ten_digits():
    # Jurafsky and Martin, "Speech and Language Processing" (3rd edition), section 3.3: ten equally likely
    # digits; then 91 zeros in 100, and 1 of each other digit, on "0 0 0 0 0 3 0 0 0 0": 1.725.
    assert perplexity([0.1] * 10) == pytest.approx(10)
    skewed = [0.91] * 5 + [0.01] + [0.91] * 4
    assert perplexity(skewed) == pytest.approx((0.91**9 * 0.01) ** (-1 / 10))
    assert round(perplexity(skewed), 3) == 1.725


@pytest.mark.parametrize("size", [1, 2, 12, 31, 50_257])
def test_the_uniform_model_scores_the_size_of_its_vocabulary(size):
    assert perplexity([1 / size] * 20) == pytest.approx(size, rel=1e-12)


def test_perplexity_at_its_ends():
    assert perplexity([1, 1.0, 1]) == 1.0
    assert perplexity([1.0, 0.5, 0.0]) == math.inf
    assert perplexity([0]) == math.inf
    assert perplexity([5e-324]) == math.inf  # 1 / 5e-324 is beyond all floats
    assert perplexity([5e-324, 1.0]) == pytest.approx(math.exp(537 * BIT), rel=1e-12)  # 5e-324 is 2 ** -1074
    assert perplexity([1 + 2**-52]) == pytest.approx(1)  # a sum of shares may round up


def test_total_surprise_adds_logarithms():
    assert total_surprise([1 / 2, 1 / 4, 1 / 8]) == pytest.approx(6 * BIT)
    assert total_surprise([1.0]) == 0.0
    assert total_surprise((0.5, 0)) == math.inf
    assert math.copysign(1, total_surprise([1.0])) == 1


def test_bits_by_byte_and_by_character():
    # Two tokens of probability 1/16 are 8 bits; "née" has 3 characters and 4 bytes, "🐈" 1 and 4.
    assert bits_per_character([1 / 16] * 2, "née") == pytest.approx(8 / 3)
    assert bits_per_byte([1 / 16] * 2, "née") == pytest.approx(2)
    assert bits_per_character([1 / 16] * 2, "🐈") == pytest.approx(8)
    assert bits_per_byte([1 / 16] * 2, "🐈") == pytest.approx(2)
    assert bits_per_byte([0.5, 0.0], "ab") == bits_per_character([0.5, 0.0], "ab") == math.inf


def test_bits_per_byte_do_not_depend_on_the_tokens_but_perplexity_does():
    letters = [1 / 2, 1 / 4, 1 / 4]  # three tokens
    whole = [1 / 32]  # one token of the product of their probabilities
    assert bits_per_byte(letters, "cat") == pytest.approx(bits_per_byte(whole, "cat"))
    assert perplexity(whole) == pytest.approx(perplexity(letters) ** 3)


# What holds for every input.


@steady
@given(distributions)
def test_entropy_lies_between_zero_and_the_logarithm_of_the_size(p):
    assert 0 <= entropy(p) <= math.log(len(p)) + 1e-12
    assert entropy(sorted(p)) == pytest.approx(entropy(p), rel=1e-12)
    assert entropy([*p, 0.0]) == entropy(p)


@steady
@given(st.integers(1, 500))
def test_entropy_of_equal_chances_is_the_logarithm_of_their_number(size):
    assert entropy([1 / size] * size) == pytest.approx(math.log(size), abs=1e-12)


@steady
@given(pairs)
def test_divergence_is_what_cross_entropy_has_above_entropy(two):
    p, q = two
    assert kl_divergence(p, q) >= -1e-12
    assert cross_entropy(p, q) >= entropy(p) - 1e-12
    assert cross_entropy(p, q) == pytest.approx(entropy(p) + kl_divergence(p, q), abs=1e-9)


@steady
@given(distributions)
def test_nothing_predicts_a_distribution_better_than_itself(p):
    assert cross_entropy(p, p) == pytest.approx(entropy(p), abs=1e-12)
    assert kl_divergence(p, p) == 0


@steady
@given(pairs)
def test_divergence_is_zero_only_where_both_are_equal(two):
    p, q = two
    assume(max(abs(a - b) for a, b in zip(p, q, strict=True)) > 1e-4)
    # Pinsker: the divergence is at least half the square of the sum of the differences.
    assert (
        kl_divergence(p, q)
        >= sum(abs(a - b) for a, b in zip(p, q, strict=True)) ** 2 / 2 * (1 - 1e-6) - 1e-12
    )


@steady
@given(probabilities)
def test_perplexity_is_one_over_the_geometric_mean(given_probabilities):
    logarithms = [math.log2(p) for p in given_probabilities]
    wanted = -math.fsum(logarithms) / len(logarithms)
    assert math.log2(perplexity(given_probabilities)) == pytest.approx(wanted, abs=1e-9)
    assert perplexity(given_probabilities) >= 1


@steady
@given(st.lists(st.integers(1, 5), min_size=1, max_size=8))
def test_perplexity_of_a_sample_in_proportion_is_the_exponential_of_entropy(counts):
    p = shares(counts)
    sample = [share for share, count in zip(p, counts, strict=True) for _ in range(count)]
    assert perplexity(sample) == pytest.approx(math.exp(entropy(p)))


@steady
@given(probabilities, probabilities)
def test_total_surprise_adds_up_over_joined_texts(one, other):
    both = total_surprise(one + other)
    assert both == pytest.approx(total_surprise(one) + total_surprise(other), rel=1e-12)
    assert total_surprise(other + one) == both
    assert both >= max(total_surprise(one), total_surprise(other)) >= 0
    assert total_surprise([*one, 1.0]) == total_surprise(one)
    assert total_surprise([*one, 0.0, *other]) == math.inf


@steady
@given(probabilities, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10))
def test_bits_share_one_total(given_probabilities, text):
    bits = math.log2(perplexity(given_probabilities)) * len(given_probabilities)
    assert bits_per_character(given_probabilities, text) * len(text) == pytest.approx(bits, abs=1e-9)
    assert bits_per_byte(given_probabilities, text) * len(text.encode()) == pytest.approx(bits, abs=1e-9)


# What is refused: the message names the argument and the value.


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], r"must hold at least one number, not \[\]"),
        ("1", "must be a list or tuple of numbers, not '1'"),
        (0.5, "must be a list or tuple of numbers, not 0.5"),
        ([0.5, "0.5"], "must hold numbers only, not '0.5'"),
        ([True], "must hold numbers only, not True"),
        ([math.nan, 1.0], "must hold numbers only, not nan"),
        ([1.5, -0.5], "must hold numbers from 0 to 1, not 1.5"),
        ([-0.5, 1.5], "must hold numbers from 0 to 1, not -0.5"),
        ([0.5, 0.4], "must sum to 1, not to 0.9"),
        ([0.0, 0.0], "must sum to 1, not to 0.0"),
        ([0.5, 0.5 + 1e-8], "must sum to 1, not to 1.00000001"),
    ],
)
def test_what_is_no_distribution_is_refused(bad, message):
    with pytest.raises(ValueError, match=rf"^probabilities {message}"):
        entropy(bad)
    for function in (cross_entropy, kl_divergence):
        with pytest.raises(ValueError, match=rf"^p {message}"):
            function(bad, [1.0])
        with pytest.raises(ValueError, match=rf"^q {message}"):
            function([1.0], bad)


def test_two_distributions_are_over_the_same_things():
    for function in (cross_entropy, kl_divergence):
        with pytest.raises(ValueError, match=r"^q must have as many probabilities as p, 2, not 1"):
            function([0.5, 0.5], [1.0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], r"hold at least one number, not \[\]"),
        ([0.5, 1.01], "hold numbers from 0 to 1, not 1.01"),
        ([0.0, -0.1], "hold numbers from 0 to 1, not -0.1"),
        ([0.0, math.nan], "hold numbers only, not nan"),
        ([math.inf], "hold numbers from 0 to 1, not inf"),
        ([1, "1"], "hold numbers only, not '1'"),
        ([True], "hold numbers only, not True"),
        ([None], "hold numbers only, not None"),
        ("0.5", "be a list or tuple of numbers, not '0.5'"),
        (0.5, "be a list or tuple of numbers, not 0.5"),
        (iter([0.5]), "be a list or tuple of numbers, not <list_iterator"),
    ],
)
def test_what_are_no_probabilities_is_refused(bad, message):
    calls = [
        total_surprise,
        perplexity,
        lambda values: bits_per_byte(values, "ab"),
        lambda values: bits_per_character(values, "ab"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=rf"^probabilities must {message}"):
            call(bad)


@pytest.mark.parametrize("text", [None, 3, b"ab", ["ab"]])
def test_text_must_be_a_string(text):
    for function in (bits_per_byte, bits_per_character):
        with pytest.raises(ValueError, match=r"^text must be a str, not "):
            function([0.5], text)


def test_text_must_not_be_empty():
    with pytest.raises(ValueError, match=r"^text must have at least one byte, not ''"):
        bits_per_byte([0.5], "")
    with pytest.raises(ValueError, match=r"^text must have at least one character, not ''"):
        bits_per_character([0.5], "")


def test_a_lone_surrogate_has_no_bytes():
    with pytest.raises(ValueError, match=r"^text must hold no lone surrogate, not U\+DC80"):
        bits_per_byte([0.5], "a\udc80")


@pytest.mark.parametrize(
    ("probabilities", "wrong"),
    [([0.0, 2.0], 2.0), ([0.0, -0.5], -0.5), ([-0.5, 2.0], -0.5), ([1.5, 0.5], 1.5)],
)
def test_the_number_that_is_no_probability_is_named(probabilities, wrong):
    with pytest.raises(ValueError, match=rf"^probabilities must hold numbers from 0 to 1, not {wrong}$"):
        total_surprise(probabilities)
