"""What holds for every corpus, and a second, deliberately naive implementation to compare with."""

import itertools
import math
import random
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.entropy import perplexity
from nextword.ngram import (
    END,
    START,
    AbsoluteDiscounting,
    AddK,
    Counts,
    CountTable,
    Interpolation,
    KneserNey,
    MaximumLikelihood,
    UnseenContext,
    continuation_counts,
    count_ngrams,
    generate_sentence,
    padded_ngrams,
    sentence_probability,
    token_probabilities,
    transitions,
    tune,
    vocabulary_of,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

sentence_lists = st.lists(st.lists(st.sampled_from("aab"), max_size=5), min_size=1, max_size=5)
orders = st.integers(1, 4)
shares = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)
vocabularies = (
    st.permutations(["a", "b", "c", END]) | st.just([END, START, "a", "b"]) | st.just(["a", "b", END])
)


def contexts_of(model):
    """Every context that a model accepts: also those that no text can have, with a start in the middle."""
    return itertools.product(sorted({*model.vocabulary, START}), repeat=model.order - 1)


# The oracle: exact fractions, straight from the formulas. It counts by looking through the text each time.


class Naive:
    def __init__(self, sentences, order, vocabulary, setting):
        self.padded = [[START] * (order - 1) + sentence + [END] for sentence in sentences]
        self.order = order
        self.vocabulary = vocabulary
        self.setting = setting
        self.count = cache(self.count)
        self.total = cache(self.total)
        self.probability = cache(self.probability)

    def count(self, context, token):
        """How often the token was predicted after the context, of at most order - 1 tokens."""
        ngram = [*context, token]
        return sum(
            tokens[end + 1 - len(ngram) : end + 1] == ngram
            for tokens in self.padded
            for end in range(self.order - 1, len(tokens))
        )

    def total(self, context):
        return sum(self.count(context, token) for token in self.vocabulary)

    def types(self, context):
        return sum(self.count(context, token) > 0 for token in self.vocabulary)

    def lower(self, token, context):
        return self.probability(token, context[1:]) if context else Fraction(1, len(self.vocabulary))


class NaiveMaximumLikelihood(Naive):
    def probability(self, token, context):
        return Fraction(self.count(context, token), self.total(context))


class NaiveAddK(Naive):
    """Lidstone: (c + k) / (total + k V)."""

    def probability(self, token, context):
        bottom = self.total(context) + self.setting * len(self.vocabulary)
        return (self.count(context, token) + self.setting) / bottom


class NaiveInterpolation(Naive):
    """Jelinek and Mercer: λ c / total + (1 - λ) lower."""

    def probability(self, token, context):
        if not self.total(context):
            return self.lower(token, context)
        weight = self.setting[len(context)] if isinstance(self.setting, list) else self.setting
        estimate = Fraction(self.count(context, token), self.total(context))
        return weight * estimate + (1 - weight) * self.lower(token, context)


class NaiveAbsoluteDiscounting(Naive):
    """Katz's backoff with Ney's discount: α(context) · lower for what is unseen."""

    def probability(self, token, context):
        if not self.total(context):
            return self.lower(token, context)
        discounted = {
            word: (self.count(context, word) - self.setting) / self.total(context)
            for word in self.vocabulary
            if self.count(context, word)
        }
        unseen = [word for word in self.vocabulary if word not in discounted]
        if not unseen:
            return discounted[token] / sum(discounted.values())
        if token in discounted:
            return discounted[token]
        alpha = (1 - sum(discounted.values())) / sum(self.lower(word, context) for word in unseen)
        return alpha * self.lower(token, context)


class NaiveKneserNey(Naive):
    """Chen and Goodman (1999): max(c - D, 0) / total + D types / total · lower; below, continuation counts."""

    def count(self, context, token):
        longest = len(context) == self.order - 1
        if longest or (context and context[0] == START):  # nothing stands before a start
            return super().count(context, token)
        return sum(super(NaiveKneserNey, self).count((left, *context), token) > 0 for left in self.lefts)

    @property
    def lefts(self):
        return {token for tokens in self.padded for token in tokens}

    def probability(self, token, context):
        total = self.total(context)
        if not total:
            return self.lower(token, context)
        estimate = max(self.count(context, token) - self.setting, 0) / Fraction(total)
        return estimate + self.setting * self.types(context) / total * self.lower(token, context)


class NaiveInterpolatedDiscounting(NaiveKneserNey):
    """The same formula on plain counts at every order."""

    def count(self, context, token):
        return Naive.count(self, context, token)


KINDS = {
    Interpolation: NaiveInterpolation,
    AbsoluteDiscounting: NaiveAbsoluteDiscounting,
    KneserNey: NaiveKneserNey,
}


def assert_agrees(model, naive):
    for context in contexts_of(model):
        wanted = {token: naive.probability(token, context) for token in model.vocabulary}
        assert sum(wanted.values()) == 1, "the formula itself must sum to one"
        assert model.distribution(context) == pytest.approx(
            {token: float(p) for token, p in wanted.items()}, rel=1e-10, abs=0
        )


small_orders = st.integers(1, 3)
brief = settings(steady, max_examples=25)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@brief
@given(sentence_lists, small_orders, vocabularies, shares)
def test_the_naive_smoothers_agree(kind, sentences, order, words, setting):
    counts = Counts(sentences, 3)
    assert_agrees(kind(counts, order, words, float(setting)), KINDS[kind](sentences, order, words, setting))


@brief
@given(sentence_lists, small_orders, vocabularies, shares)
def test_kneser_ney_without_continuation_counts_agrees(sentences, order, words, discount):
    model = KneserNey(Counts(sentences, 3), order, words, float(discount), continuation=False)
    assert_agrees(model, NaiveInterpolatedDiscounting(sentences, order, words, discount))


@brief
@given(sentence_lists, vocabularies, st.lists(shares, min_size=3, max_size=3))
def test_the_naive_interpolation_agrees_on_a_weight_for_each_order(sentences, words, weights):
    model = Interpolation(Counts(sentences, 3), 3, words, [float(weight) for weight in weights])
    assert_agrees(model, NaiveInterpolation(sentences, 3, words, weights))


@brief
@given(sentence_lists, small_orders, vocabularies, st.fractions(Fraction(1, 100), 50, max_denominator=100))
def test_the_naive_add_k_agrees(sentences, order, words, k):
    model = AddK(count_ngrams(sentences, order), words, float(k))
    assert_agrees(model, NaiveAddK(sentences, order, words, k))


@brief
@given(sentence_lists, small_orders, vocabularies)
def test_the_naive_division_agrees(sentences, order, words):
    counts = count_ngrams(sentences, order)
    model = MaximumLikelihood(counts, words)
    naive = NaiveMaximumLikelihood(sentences, order, words, None)
    for context in contexts_of(model):
        if context in counts:
            wanted = {token: float(naive.probability(token, context)) for token in words}
            assert model.distribution(context) == wanted  # one division, so to the last digit
        else:
            with pytest.raises(UnseenContext):
                model.distribution(context)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_the_naive_smoothers_agree_on_english(kind, order):
    text = "the cat sat on the mat and the dog sat on the log because the cat ate the fish"
    sentences = [list(text), list("a cat")]
    words = vocabulary_of([*sentences, ["z"]], markers=False)
    model = kind(Counts(sentences, 6), order, words, 0.7)
    naive = KINDS[kind](sentences, order, words, Fraction(0.7))
    steps = transitions(list("a blond zombie ate the sun"), order)
    for context, token in [steps[0], *steps[3::4], steps[-1]]:
        assert model.probability(token, context) == pytest.approx(float(naive.probability(token, context)))


# What holds for every corpus.


@st.composite
def models(draw, smoothed=True):
    """Any of the models on any small corpus, with the corpus."""
    sentences, order, words = draw(sentence_lists), draw(orders), draw(vocabularies)
    kinds = [AddK, Interpolation, AbsoluteDiscounting, KneserNey] + ([] if smoothed else [MaximumLikelihood])
    kind = draw(st.sampled_from(kinds))
    if kind is MaximumLikelihood:
        return kind(count_ngrams(sentences, order), words), sentences
    setting = draw(st.floats(1e-6, 1 - 1e-6))
    if kind is AddK:
        return kind(count_ngrams(sentences, order), words, 1 / setting - 1), sentences
    return kind(Counts(sentences, draw(st.integers(order, 4))), order, words, setting), sentences


@settings(steady, max_examples=200)
@given(models())
def test_every_smoothed_model_sums_to_one_everywhere(made):
    model, _ = made
    for context in contexts_of(model):
        distribution = model.distribution(context)
        assert list(distribution) == model.vocabulary
        assert math.fsum(distribution.values()) == pytest.approx(1, abs=1e-12)
        assert min(distribution.values()) > 0
        assert all(model.probability(token, context) == p for token, p in distribution.items())


@steady
@given(sentence_lists, orders, vocabularies)
def test_maximum_likelihood_sums_to_one_wherever_it_counted(sentences, order, words):
    counts = count_ngrams(sentences, order)
    model = MaximumLikelihood(counts, words)
    for context in counts:
        distribution = model.distribution(context)
        assert math.fsum(distribution.values()) == pytest.approx(1, abs=1e-12)
        assert {token for token, p in distribution.items() if p} == set(counts[context])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("setting", [1e-9, 1e-5, 1 - 1e-9])
def test_extreme_settings_still_sum_to_one(kind, setting):
    rng = random.Random(1)
    sentences = [rng.choices("abcdefgh", (500, 100, 20, 5, 1, 1, 1, 1), k=400) for _ in range(5)]
    words = vocabulary_of([*sentences, list("xyz")], markers=False)
    model = kind(Counts(sentences, 5), 5, words, setting)
    some = [*count_ngrams(sentences, 5)][::20]
    for context in [*some, ("x", "a", "a", "a"), ("x",) * 4]:
        distribution = model.distribution(context)
        assert math.fsum(distribution.values()) == pytest.approx(1, abs=1e-12)
        assert min(distribution.values()) >= 0


@steady
@given(sentence_lists, orders)
def test_counts_of_all_orders_are_those_of_each(sentences, order):
    counts = Counts(sentences, order)
    for lower in range(1, order + 1):
        wanted = count_ngrams(sentences, lower)
        assert counts.table(lower).rows == wanted
        assert [(context, list(row)) for context, row in counts.table(lower).rows.items()] == [
            (context, list(row)) for context, row in wanted.items()
        ]
        assert sum(row.total() for row in wanted.values()) == sum(len(sentence) + 1 for sentence in sentences)


@steady
@given(sentence_lists, orders)
def test_a_table_adds_up_to_its_text(sentences, order):
    table = CountTable(count_ngrams(sentences, order))
    assert table.order == order
    assert sum(table.totals.values()) == sum(len(sentence) + 1 for sentence in sentences)
    assert table.totals.keys() == table.rows.keys()
    assert table.next_tokens == set(vocabulary_of(sentences, markers=False))
    assert table.past_tokens <= set(vocabulary_of(sentences))


@steady
@given(sentence_lists, orders)
def test_padded_ngrams_overlap_and_give_the_sentence_back(sentences, order):
    for sentence in sentences:
        ngrams = padded_ngrams(sentence, order)
        assert {len(ngram) for ngram in ngrams} == {order}
        assert [ngram[-1] for ngram in ngrams] == [*sentence, END]
        assert ngrams[0][:-1] == (START,) * (order - 1)
        assert all(one[1:] == other[:-1] for one, other in itertools.pairwise(ngrams))
        assert [ngram[1:] for ngram in padded_ngrams(sentence, order + 1)] == ngrams


@steady
@given(sentence_lists, orders)
def test_continuation_counts_count_what_stood_before(sentences, order):
    shorter, longer = count_ngrams(sentences, order), count_ngrams(sentences, order + 1)
    before = [shorter.copy(), longer.copy()]
    found = continuation_counts(shorter, longer)
    assert [shorter, longer] == before
    stood = {ngram for sentence in sentences for ngram in padded_ngrams(sentence, order + 1)}
    assert found.keys() == shorter.keys()
    for context, row in found.items():
        assert row.keys() == shorter[context].keys()
        for token, count in row.items():
            lefts = {ngram[0] for ngram in stood if ngram[1:] == (*context, token)}
            plain = shorter[context][token]
            assert count == (plain if context[:1] == (START,) else len(lefts))
            assert 1 <= count <= plain
    assert Counts(sentences, order + 1).continued(order + 1)[order - 1].rows == found


@steady
@given(sentence_lists, sentence_lists, orders)
def test_continuation_counts_refuse_another_text(sentences, other, order):
    shorter, longer = count_ngrams(sentences, order), count_ngrams(other, order + 1)
    if shorter == count_ngrams(other, order):
        assert continuation_counts(shorter, longer).keys() == shorter.keys()
    else:
        with pytest.raises(
            ValueError, match=r"^longer must be counted in the same text as shorter, which has "
        ):
            continuation_counts(shorter, longer)


@steady
@given(st.lists(st.lists(st.text(max_size=2), max_size=5), min_size=1, max_size=5))
def test_a_vocabulary_is_sorted_and_names_each_token_once(sentences):
    words = vocabulary_of(sentences)
    assert words == sorted(set(words))
    assert set(words) == {START, END}.union(*sentences)
    assert vocabulary_of(sentences, markers=False) == [word for word in words if word != START]
    assert vocabulary_of(sentences[::-1] + sentences) == words


@steady
@given(sentence_lists, orders, orders, vocabularies, st.floats(0.01, 0.99))
def test_a_model_does_not_depend_on_the_longer_counts_that_it_leaves(sentences, order, more, words, setting):
    for kind in KINDS:
        alone = kind(Counts(sentences, order), order, words, setting)
        among = kind(Counts(sentences, order + more), order, words, setting)
        for context in contexts_of(alone):
            assert alone.distribution(context) == among.distribution(context)


@steady
@given(sentence_lists, orders)
def test_a_sentence_is_its_transitions(sentences, order):
    for sentence in sentences:
        steps = transitions(sentence, order)
        assert [token for _, token in steps] == [*sentence, END]
        assert [len(context) for context, _ in steps] == [order - 1] * len(steps)
        tokens = [START] * (order - 1)
        for context, token in steps:
            assert context == tuple(tokens[len(tokens) - order + 1 :])
            tokens.append(token)


@steady
@given(models(smoothed=False), sentence_lists)
def test_scoring_is_asking_for_each_token(made, texts):
    model, _ = made

    def ask(context, token):
        try:
            return model.probability(token, context)
        except UnseenContext:
            return 0.0

    wanted = [[ask(*step) for step in transitions(text, model.order)] for text in texts]
    assert token_probabilities(model, texts) == [p for row in wanted for p in row]
    for text, row in zip(texts, wanted, strict=True):
        product = 1.0
        for p in row:
            product *= p
        assert sentence_probability(model, text) == product


@steady
@given(models())
def test_perplexity_is_the_products_root(made):
    model, sentences = made
    found = token_probabilities(model, sentences)
    product = math.prod(map(Fraction, map(sentence_probability, [model] * len(sentences), sentences)))
    assert perplexity(found) == pytest.approx(math.exp(-math.log(product) / len(found)))


@steady
@given(sentence_lists, orders, vocabularies)
def test_counting_is_the_best_that_its_own_text_can_have(sentences, order, words):
    # The closed-form minimum of the mean surprise: no other model of the same contexts scores lower.
    counts = count_ngrams(sentences, order)
    best = perplexity(token_probabilities(MaximumLikelihood(counts, words), sentences))
    for k in (1e-3, 0.1, 1, 10):
        assert best <= perplexity(token_probabilities(AddK(counts, words, k), sentences)) * (1 + 1e-12)
    for kind in KINDS:
        model = kind(Counts(sentences, order), order, words, 0.5)
        assert best <= perplexity(token_probabilities(model, sentences)) * (1 + 1e-12)


@steady
@given(sentence_lists, orders, vocabularies)
def test_add_k_lies_between_counting_and_guessing(sentences, order, words):
    counts = count_ngrams(sentences, order)
    raw = MaximumLikelihood(counts, words)
    tiny, huge, uniform = AddK(counts, words, 1e-12), AddK(counts, words, 1e12), 1 / len(words)
    for context in contexts_of(raw):
        assert list(huge.distribution(context).values()) == pytest.approx([uniform] * len(words), abs=1e-9)
        if context in counts:
            assert tiny.distribution(context) == pytest.approx(raw.distribution(context), abs=1e-9)
        else:
            assert list(tiny.distribution(context).values()) == pytest.approx([uniform] * len(words))
    # The score on the training text falls as k falls.
    scores = [
        perplexity(token_probabilities(AddK(counts, words, k), sentences))
        for k in (1e-3, 0.01, 0.1, 1, 10, 100)
    ]
    assert all(a <= b * (1 + 1e-12) for a, b in itertools.pairwise(scores))
    assert scores[-1] <= len(words) * (1 + 1e-12)


@steady
@given(sentence_lists, orders, vocabularies)
def test_the_smoothers_at_the_ends_of_their_settings(sentences, order, words):
    counts = Counts(sentences, order)
    raw = MaximumLikelihood(counts.table(order), words)
    for context in counts.table(order).rows:
        plain = pytest.approx(raw.distribution(context), abs=1e-6)
        assert Interpolation(counts, order, words, 1 - 1e-9).distribution(context) == plain
        assert AbsoluteDiscounting(counts, order, words, 1e-9).distribution(context) == plain
        assert KneserNey(counts, order, words, 1e-9).distribution(context) == plain
    for context in contexts_of(raw):
        uniform = dict.fromkeys(words, 1 / len(words))
        assert Interpolation(counts, order, words, 0).distribution(context) == uniform


@steady
@given(sentence_lists, orders, vocabularies, st.floats(0.01, 0.99))
def test_what_never_came_is_unseen_at_every_order(sentences, order, words, setting):
    # A context of tokens that never came leaves nothing but the unigram.
    words = [*words, "z"]
    counts = Counts(sentences, order)
    for kind in (Interpolation, AbsoluteDiscounting):
        model = kind(counts, order, words, setting)
        unigram = kind(counts, 1, words, setting)
        assert model.distribution(("z",) * (order - 1)) == unigram.distribution(())


@steady
@given(sentence_lists, orders, st.floats(0.01, 0.99))
def test_absolute_discounting_with_nothing_unseen_renormalizes(sentences, order, discount):
    counts = Counts([*sentences, ["a", "b"]], order)
    words = vocabulary_of([*sentences, ["a", "b"]], markers=False)
    model = AbsoluteDiscounting(counts, order, words, discount)
    for context, row in counts.table(order).rows.items():
        if len(row) == len(words):
            left = {token: count - discount for token, count in row.items()}
            wanted = {token: share / math.fsum(left.values()) for token, share in left.items()}
            assert model.distribution(context) == pytest.approx(wanted)


@steady
@given(sentence_lists, orders, st.integers(0, 2**32), st.integers(1, 8))
def test_counting_generates_nothing_but_transitions_that_it_saw(sentences, order, seed, limit):
    counts = count_ngrams(sentences, order)
    words = vocabulary_of(sentences)
    made = generate_sentence(MaximumLikelihood(counts, words), random.Random(seed), limit)
    assert len(made) <= limit
    steps = transitions(made, order)
    for context, token in steps if len(made) < limit else steps[:-1]:
        assert counts[context][token] > 0
    backwards = MaximumLikelihood(counts, words[::-1])  # the order of the vocabulary plays no part
    assert generate_sentence(backwards, random.Random(seed), limit) == made


@steady
@given(models(), st.integers(0, 2**32))
def test_generation_is_repeated_by_its_seed(made, seed):
    model, _ = made
    assert generate_sentence(model, random.Random(seed), 6) == generate_sentence(
        model, random.Random(seed), 6
    )


def test_generation_draws_as_often_as_the_model_says():
    sentences = [["a"], ["a"], ["b"], ["c", "a"]]
    model = MaximumLikelihood(count_ngrams(sentences, 2), vocabulary_of(sentences))
    rng = random.Random(5)
    made = [" ".join(generate_sentence(model, rng, 9)) for _ in range(4000)]
    for text in ("a", "b", "c a"):
        expected = sentence_probability(model, text.split())
        deviation = math.sqrt(expected * (1 - expected) / 4000)
        assert abs(made.count(text) / 4000 - expected) < 4 * deviation


@steady
@given(
    sentence_lists,
    sentence_lists,
    orders,
    vocabularies,
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4),
)
def test_tuning_finds_the_lowest(sentences, development, order, words, settings_tried):
    counts = Counts(sentences, order)
    tried = {setting: KneserNey(counts, order, words, setting) for setting in settings_tried}
    scores = {
        setting: perplexity(token_probabilities(model, development)) for setting, model in tried.items()
    }
    best = tune(tried, development)
    assert scores[best] == pytest.approx(min(scores.values()), rel=1e-12)
