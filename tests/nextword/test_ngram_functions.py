"""nextword.ngram on the examples of papers, on small cases worked by hand, and on input that it refuses."""

import math
import random
from collections import Counter
from fractions import Fraction

import pytest

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
    NgramModel,
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

# Three sentences of which every number below is worked out by hand.
#   after <s>: a 2, c 1 (3 in all)    after a: b 2, </s> 1 (3)    after b: </s> 2, a 1 (3)    after c: b 1 (1)
#   in all: a 3, b 3, c 1, </s> 3 (10)
SMALL = [["a", "b"], ["a", "b"], ["c", "b", "a"]]
WORDS = [END, "a", "b", "c", "d"]  # d never came


def fractions_of(**shares):
    """What the sentences' tokens should have: ``end`` stands for END."""
    return {END if word == "end" else word: Fraction(share) for word, share in shares.items()}


def assert_distribution(model, context, shares):
    assert sum(shares.values()) == 1, "the hand has slipped"
    found = model.distribution(context)
    assert list(found) == model.vocabulary
    assert found == pytest.approx({word: float(share) for word, share in shares.items()}, rel=1e-12)
    for word, share in shares.items():
        assert model.probability(word, context) == pytest.approx(float(share), rel=1e-12)


# Counting.


def test_transitions():
    assert transitions(["a", "b"], 1) == [((), "a"), ((), "b"), ((), END)]
    assert transitions(["a", "b"], 2) == [((START,), "a"), (("a",), "b"), (("b",), END)]
    assert transitions(["a", "b"], 3) == [((START, START), "a"), ((START, "a"), "b"), (("a", "b"), END)]
    assert transitions(["a"], 4) == [((START, START, START), "a"), ((START, START, "a"), END)]
    assert transitions((), 2) == [((START,), END)]


def test_padded_ngrams():
    assert padded_ngrams(["a", "b"], 1) == [("a",), ("b",), (END,)]
    assert padded_ngrams(["a", "b"], 3) == [(START, START, "a"), (START, "a", "b"), ("a", "b", END)]
    assert padded_ngrams((), 2) == [(START, END)]


def test_count_ngrams():
    counts = count_ngrams(SMALL, 2)
    assert counts == {
        (START,): {"a": 2, "c": 1},
        ("a",): {"b": 2, END: 1},
        ("b",): {END: 2, "a": 1},
        ("c",): {"b": 1},
    }
    assert list(counts) == [(START,), ("a",), ("b",), ("c",)]
    assert count_ngrams(SMALL, 1) == {(): {"a": 3, "b": 3, "c": 1, END: 3}}
    assert all(type(row) is Counter for row in counts.values())
    assert count_ngrams(iter([["b"], ["a"]]), 2) == {
        (START,): {"a": 1, "b": 1},
        ("b",): {END: 1},
        ("a",): {END: 1},
    }


def test_counts_hold_the_table_of_every_order():
    counts = Counts(iter(SMALL), 3)
    assert counts.order == 3
    for order in (1, 2, 3):
        assert counts.table(order).rows == count_ngrams(SMALL, order)
        assert list(counts.table(order).rows) == list(count_ngrams(SMALL, order))


def test_a_table_adds_up_its_rows():
    table = CountTable(count_ngrams(SMALL, 2))
    assert table.order == 2
    assert table.rows == count_ngrams(SMALL, 2)
    assert table.totals == {(START,): 3, ("a",): 3, ("b",): 3, ("c",): 1}
    assert table.next_tokens == {"a", "b", "c", END}
    assert table.past_tokens == {START, "a", "b", "c"}
    assert CountTable(count_ngrams(SMALL, 1)).past_tokens == set()


def test_continuation_counts():
    # a came after <s> and b, b after a and c, c after <s>, </s> after a and b.
    assert continuation_counts(count_ngrams(SMALL, 1), count_ngrams(SMALL, 2)) == {
        (): {"a": 2, "b": 2, "c": 1, END: 2}
    }
    # Nothing stands before <s>: its row is the plain one. "a b" came after <s> only, "b a" after c.
    assert continuation_counts(count_ngrams(SMALL, 2), count_ngrams(SMALL, 3)) == {
        (START,): {"a": 2, "c": 1},
        ("a",): {"b": 1, END: 1},
        ("b",): {END: 1, "a": 1},
        ("c",): {"b": 1},
    }


def test_counts_continue_below_an_order_and_stay_plain_at_it():
    counts = Counts(SMALL, 3)
    for order in (1, 2, 3):
        tables = counts.continued(order)
        assert [table.order for table in tables] == list(range(1, order + 1))
        assert tables[-1].rows == count_ngrams(SMALL, order)
        for table in tables[:-1]:
            plain = [count_ngrams(SMALL, table.order), count_ngrams(SMALL, table.order + 1)]
            assert table.rows == continuation_counts(*plain)


def test_vocabulary_of():
    assert vocabulary_of([["the", "Cat"], ["the", "1"]]) == ["1", END, START, "Cat", "the"]
    assert vocabulary_of(iter(SMALL), markers=False) == [END, "a", "b", "c"]
    assert vocabulary_of([[]]) == [END, START]


# The examples of a paper and of a book.


def test_the_bigrams_of_chen_and_goodman():
    # "An Empirical Study of Smoothing Techniques for Language Modeling" (1998), section 1.1:
    # p(JOHN READ A BOOK) = 1/3 · 1/1 · 2/3 · 1/2 · 1/2, about 0.06, and p(CHER READ A BOOK) = 0.
    lines = ["JOHN READ MOBY DICK", "MARY READ A DIFFERENT BOOK", "SHE READ A BOOK BY CHER"]
    sentences = [line.split() for line in lines]
    words = vocabulary_of(sentences, markers=False)
    model = MaximumLikelihood(count_ngrams(sentences, 2), words)
    book = "JOHN READ A BOOK".split()
    cher = "CHER READ A BOOK".split()
    assert token_probabilities(model, [book]) == pytest.approx([1 / 3, 1, 2 / 3, 1 / 2, 1 / 2])
    assert sentence_probability(model, book) == pytest.approx(1 / 18)
    assert sentence_probability(model, cher) == 0
    # Add-one, section 2.1, with V = 12: the paper's 11 words and the end, which is predicted too.
    smoothed = AddK(count_ngrams(sentences, 2), words, 1)
    assert len(words) == 12
    assert sentence_probability(smoothed, book) == pytest.approx(2 / 15 * 2 / 13 * 3 / 15 * 2 / 14 * 2 / 14)
    assert sentence_probability(smoothed, cher) == pytest.approx(1 / 15 * 1 / 13 * 3 / 15 * 2 / 14 * 2 / 14)


def test_the_bigrams_of_jurafsky_and_martin():
    # "Speech and Language Processing" (3rd edition), section 3.1.
    lines = ["I am Sam", "Sam I am", "I do not like green eggs and ham"]
    sentences = [line.split() for line in lines]
    model = MaximumLikelihood(count_ngrams(sentences, 2), vocabulary_of(sentences))
    wanted = {
        ("I", START): 2 / 3,
        ("Sam", START): 1 / 3,
        ("am", "I"): 2 / 3,
        (END, "Sam"): 1 / 2,
        ("Sam", "am"): 1 / 2,
        ("do", "I"): 1 / 3,
    }
    assert {
        (token, before): model.probability(token, (before,)) for token, before in wanted
    } == pytest.approx(wanted)


def test_francisco_is_frequent_but_only_after_san():
    # The standard case for Kneser-Ney (Chen and Goodman, section 2.7): francisco came more often than glasses,
    # but after one word only; glasses came after four. What does "reading", which came with neither, let us
    # expect?
    lines = (
        ["san francisco"] * 6 + [f"{word} glasses" for word in ("my", "her", "old", "new")] + ["reading lamp"]
    )
    sentences = [line.split() for line in lines]
    counts = Counts(sentences, 2)
    words = vocabulary_of(sentences, markers=False)
    for model in (Interpolation(counts, 2, words, 0.5), AbsoluteDiscounting(counts, 2, words, 0.75)):
        after = model.distribution(("reading",))
        assert after["francisco"] > after["glasses"]
    after = KneserNey(counts, 2, words, 0.75).distribution(("reading",))
    assert after["glasses"] > 3 * after["francisco"]
    assert KneserNey(counts, 2, words, 0.75).probability("francisco", ("san",)) > 0.8


# The models by hand.


def test_maximum_likelihood():
    model = MaximumLikelihood(count_ngrams(SMALL, 2), WORDS)
    assert model.order == 2
    assert model.vocabulary == WORDS
    assert_distribution(model, ("a",), fractions_of(end="1/3", a=0, b="2/3", c=0, d=0))
    unigrams = MaximumLikelihood(count_ngrams(SMALL, 1), WORDS)
    assert_distribution(unigrams, (), fractions_of(end="3/10", a="3/10", b="3/10", c="1/10", d=0))


def test_maximum_likelihood_knows_nothing_of_a_context_that_never_came():
    model = MaximumLikelihood(count_ngrams(SMALL, 2), WORDS)
    for call in (lambda: model.probability("a", ("d",)), lambda: model.distribution(("d",))):
        with pytest.raises(UnseenContext, match=r"^context must be one that was counted, not \('d',\)"):
            call()
    assert issubclass(UnseenContext, ValueError)


def test_add_k():
    model = AddK(count_ngrams(SMALL, 2), WORDS, 0.5)
    # (c + 1/2) / (3 + 5/2)
    assert_distribution(model, ("a",), fractions_of(end="3/11", a="1/11", b="5/11", c="1/11", d="1/11"))
    assert_distribution(model, ("d",), dict.fromkeys(WORDS, Fraction(1, 5)))


def test_interpolation():
    model = Interpolation(Counts(SMALL, 2), 2, WORDS, 0.5)
    # Half the unigram's count, half of 1/5:      3/10 -> 3/20 + 1/10 = 1/4;  1/10 -> 3/20;  0 -> 1/10.
    unigram = fractions_of(end="1/4", a="1/4", b="1/4", c="3/20", d="1/10")
    assert_distribution(Interpolation(Counts(SMALL, 2), 1, WORDS, 0.5), (), unigram)
    # Half the bigram's, half of that:            b: 1/3 + 1/8;  </s>: 1/6 + 1/8.
    assert_distribution(model, ("a",), fractions_of(end="7/24", a="1/8", b="11/24", c="3/40", d="1/20"))
    assert_distribution(model, ("d",), unigram)


def test_interpolation_with_a_weight_for_each_order():
    model = Interpolation(Counts(SMALL, 3), 2, WORDS, [0.2, 0.6])
    # The first is the unigram's: a: 0.2 · 3/10 + 0.8 / 5 = 0.22. After a, b: 0.6 · 2/3 + 0.4 · 0.22 = 0.488.
    assert model.probability("b", ("a",)) == pytest.approx(0.488)
    assert model.probability("a", ("d",)) == pytest.approx(0.22)
    nothing = Interpolation(Counts(SMALL, 2), 2, WORDS, 0)
    assert_distribution(nothing, ("a",), dict.fromkeys(WORDS, Fraction(1, 5)))


def test_absolute_discounting():
    # D = 1/2. Unigram: each count less 1/2, over 10; the four halves go to d, which alone is unseen.
    unigram = fractions_of(end="1/4", a="1/4", b="1/4", c="1/20", d="1/5")
    counts = Counts(SMALL, 2)
    assert_distribution(AbsoluteDiscounting(counts, 1, WORDS, 0.5), (), unigram)
    # After a: b (2 - 1/2) / 3, </s> (1 - 1/2) / 3; the free third goes to a, c, d as 1/4 : 1/20 : 1/5.
    model = AbsoluteDiscounting(counts, 2, WORDS, 0.5)
    assert_distribution(model, ("a",), fractions_of(end="1/6", a="1/6", b="1/2", c="1/30", d="2/15"))
    assert_distribution(model, ("d",), unigram)


def test_absolute_discounting_with_nothing_unseen():
    # Without d the unigrams have all been seen: 5/2, 5/2, 1/2, 5/2 of 8, not of 10.
    words = [END, "a", "b", "c"]
    counts = Counts(SMALL, 2)
    unigram = fractions_of(end="5/16", a="5/16", b="5/16", c="1/16")
    assert_distribution(AbsoluteDiscounting(counts, 1, words, 0.5), (), unigram)
    # After a the free third goes to a and c as 5 : 1.
    model = AbsoluteDiscounting(counts, 2, words, 0.5)
    assert_distribution(model, ("a",), fractions_of(end="1/6", a="5/18", b="1/2", c="1/18"))


def test_kneser_ney():
    # D = 1/2. Distinct tokens before each: a <s> b; b a c; c <s>; </s> b a: 2, 2, 1, 2 of 7.
    # Unigram: (n - 1/2) / 7 + (1/2 · 4 / 7) / 5 = (n - 1/2) / 7 + 2/35.
    counts = Counts(SMALL, 2)
    unigram = fractions_of(end="19/70", a="19/70", b="19/70", c="9/70", d="4/70")
    model = KneserNey(counts, 2, WORDS, 0.5)
    assert_distribution(model, ("d",), unigram)
    # After a: (c - 1/2) / 3 + (1/2 · 2 / 3) · unigram.
    assert_distribution(
        model, ("a",), fractions_of(end="54/210", a="19/210", b="124/210", c="9/210", d="4/210")
    )
    # On its own the unigram is the highest order, so it counts: (c - 1/2) / 10 + (1/2 · 4 / 10) / 5.
    assert_distribution(
        KneserNey(counts, 1, WORDS, 0.5),
        (),
        fractions_of(end="29/100", a="29/100", b="29/100", c="9/100", d="4/100"),
    )


def test_kneser_ney_with_three_orders():
    # D = 1/2, the unigram as above: a 19/70, b 19/70.
    model = KneserNey(Counts(SMALL, 3), 3, WORDS, 0.5)
    # b after a: "a b" came after <s> only, "a </s>" after b only: (1 - 1/2) / 2 + (1/2 · 2 / 2) · 19/70 = 27/70.
    assert model.probability("b", ("d", "a")) == pytest.approx(27 / 70)
    # b after <s> a, twice of twice: 3/2 / 2 + (1/2 · 1 / 2) · 27/70 = 237/280.
    assert model.probability("b", (START, "a")) == pytest.approx(237 / 280)
    # Nothing comes before <s>, so "<s> a" keeps its count of 2 and "<s> c" its 1 at the middle order:
    # a after <s>: 3/2 / 3 + (1/2 · 2 / 3) · 19/70 = 124/210, so after <s> <s>: 1/2 + 1/3 · 124/210 = 439/630.
    assert model.probability("a", ("d", START)) == pytest.approx(124 / 210)
    assert model.probability("a", (START, START)) == pytest.approx(439 / 630)


def test_settings_share_their_counts():
    counts = Counts(SMALL, 3)
    before = [
        {context: dict(row) for context, row in counts.table(order).rows.items()} for order in (1, 2, 3)
    ]
    for order in (1, 2, 3):
        for setting in (0.1, 0.9):
            for kind in (Interpolation, AbsoluteDiscounting, KneserNey):
                kind(counts, order, WORDS, setting).distribution((START,) * (order - 1))
    assert [
        {context: dict(row) for context, row in counts.table(order).rows.items()} for order in (1, 2, 3)
    ] == before


# Scoring.


def test_token_probabilities_count_words_and_ends():
    model = MaximumLikelihood(count_ngrams(SMALL, 2), WORDS)
    assert token_probabilities(model, [["a", "b"], []]) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])
    assert token_probabilities(model, [["d", "a"]]) == pytest.approx([0, 0, 1 / 3])  # d is no counted context
    assert token_probabilities(model, iter([["a"]])) == pytest.approx([2 / 3, 1 / 3])


def test_sentence_probability_is_multiplied_from_the_left():
    model = MaximumLikelihood(count_ngrams(SMALL, 2), WORDS)
    assert sentence_probability(model, ["a", "b"]) == 1.0 * (2 / 3) * (2 / 3) * (2 / 3)
    assert sentence_probability(model, ["d", "a"]) == 0.0
    assert sentence_probability(model, []) == 0.0


def test_tune_takes_the_lowest_perplexity_and_among_equals_the_first():
    counts = count_ngrams(SMALL, 2)
    models = {k: AddK(counts, WORDS, k) for k in (10, 0.1, 1)}
    scores = {k: perplexity(token_probabilities(model, SMALL)) for k, model in models.items()}
    assert scores[0.1] < scores[1] < scores[10]
    assert tune(models, iter(SMALL)) == 0.1
    assert tune({"one": models[1], "two": AddK(counts, WORDS, 1)}, SMALL) == "one"
    raw = MaximumLikelihood(counts, WORDS)
    assert tune({"raw": raw, ("add", 10): models[10]}, [["d"]]) == ("add", 10)
    assert tune({"raw": raw}, [["d"]]) == "raw"


class Uniforms(random.Random):
    """A generator that gives the numbers named, one after the other."""

    def __init__(self, *numbers):
        super().__init__()
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def test_generation_walks_the_sorted_vocabulary():
    # After <s>: a 2/3, c 1/3. After c: b. After b: </s> 2/3, a 1/3, and "</s>" sorts before "a".
    model = MaximumLikelihood(count_ngrams(SMALL, 2), ["d", "c", "b", "a", END])
    assert generate_sentence(model, Uniforms(0.66, 0.5, 0.66), 9) == ["a", "b"]
    assert generate_sentence(model, Uniforms(0.67, 0.999, 0.67, 0.34, 0.0), 9) == ["c", "b", "a", "b"]
    assert generate_sentence(model, Uniforms(0.67, 0.5), 2) == [
        "c",
        "b",
    ]  # one number a word, none for the rest


def test_generation_stops_at_the_limit_and_at_the_end():
    sentences = [["a", "a", "a", "a"]]
    assert (
        generate_sentence(MaximumLikelihood(count_ngrams(sentences, 5), [END, "a"]), random.Random(1), 9)
        == ["a"] * 4
    )
    assert generate_sentence(MaximumLikelihood(count_ngrams([[]], 3), [END]), random.Random(1), 9) == []
    assert (
        len(generate_sentence(AddK(count_ngrams(sentences, 1), [END, "a"], 0.01), Uniforms(*[0.9] * 3), 3))
        == 3
    )


def test_a_start_in_the_vocabulary_can_be_drawn():
    # Why the start is better left out of what a smoothed model predicts.
    model = AddK(count_ngrams(SMALL, 2), vocabulary_of(SMALL), 1e6)  # so each of five has about a fifth
    assert generate_sentence(model, Uniforms(0.3, 0.3, 0.5), 3) == [START, START, "a"]


# What is refused: the message names the argument and the value.


@pytest.mark.parametrize("order", [0, -1, 2.0, True, "2", None])
def test_order_must_be_a_whole_number_above_zero(order):
    for function in (count_ngrams, Counts):
        with pytest.raises(ValueError, match=rf"^order must be a whole number of at least 1, not {order!r}"):
            function(SMALL, order)
    for function in (transitions, padded_ngrams, lambda words, order: NgramModel(order, words)):
        with pytest.raises(ValueError, match=rf"^order must be a whole number of at least 1, not {order!r}"):
            function(["a"], order)
    for kind in (Interpolation, AbsoluteDiscounting, KneserNey):
        with pytest.raises(ValueError, match=r"^order must be a whole number of at least 1, not "):
            kind(Counts(SMALL, 2), order, WORDS, 0.5)


@pytest.mark.parametrize("sentence", ["a b", b"ab", 3, None, {"a", "b"}])
def test_a_sentence_must_be_a_sequence_of_tokens(sentence):
    model = AddK(count_ngrams(SMALL, 2), WORDS, 1)
    calls = [
        lambda: transitions(sentence, 2),
        lambda: count_ngrams([sentence], 2),
        lambda: Counts([sentence], 2),
        lambda: vocabulary_of([sentence]),
        lambda: token_probabilities(model, [sentence]),
        lambda: sentence_probability(model, sentence),
        lambda: tune({1: model}, [sentence]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^sentence must be a list or tuple of tokens, not "):
            call()


@pytest.mark.parametrize("token", [START, END])
def test_a_marker_is_no_word(token):
    for call in (
        lambda: transitions(["a", token], 2),
        lambda: count_ngrams([["a", token]], 2),
        lambda: Counts([["a", token]], 2),
        lambda: vocabulary_of([["a", token]]),
        lambda: token_probabilities(AddK(count_ngrams(SMALL, 2), WORDS, 1), [[token]]),
    ):
        with pytest.raises(ValueError, match=rf"^sentence must hold no marker, not {token!r}"):
            call()


@pytest.mark.parametrize("token", [1, None, b"a", ["a"]])
def test_a_token_is_a_string(token):
    for call in (lambda: transitions(["a", token], 2), lambda: vocabulary_of([["a", token]])):
        with pytest.raises(ValueError, match=r"^sentence must hold tokens that are str, not "):
            call()


@pytest.mark.parametrize("sentences", ["a b", 3, None])
def test_sentences_must_be_several(sentences):
    model = AddK(count_ngrams(SMALL, 2), WORDS, 1)
    for call in (
        lambda: count_ngrams(sentences, 2),
        lambda: Counts(sentences, 2),
        lambda: vocabulary_of(sentences),
        lambda: token_probabilities(model, sentences),
        lambda: tune({1: model}, sentences),
    ):
        with pytest.raises(ValueError, match=r"^sentences must hold several values, as a list does, not "):
            call()


def test_there_must_be_a_sentence():
    model = AddK(count_ngrams(SMALL, 2), WORDS, 1)
    for call in (
        lambda: count_ngrams([], 2),
        lambda: Counts([], 2),
        lambda: vocabulary_of(iter([])),
        lambda: token_probabilities(model, []),
        lambda: tune({1: model}, []),
    ):
        with pytest.raises(ValueError, match=r"^sentences must hold at least one sentence"):
            call()


MODELS = {
    "maximum likelihood": lambda words: MaximumLikelihood(count_ngrams(SMALL, 2), words),
    "add-k": lambda words: AddK(count_ngrams(SMALL, 2), words, 1),
    "interpolation": lambda words: Interpolation(Counts(SMALL, 2), 2, words, 0.5),
    "absolute discounting": lambda words: AbsoluteDiscounting(Counts(SMALL, 2), 2, words, 0.5),
    "kneser-ney": lambda words: KneserNey(Counts(SMALL, 2), 2, words, 0.5),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
class TestEveryModelRefuses:
    @pytest.mark.parametrize("words", ["abc", None, 3, {END, "a"}, iter(WORDS)])
    def test_a_vocabulary_without_order(self, make, words):
        with pytest.raises(ValueError, match=r"^vocabulary must be a list or tuple of tokens, not "):
            make(words)

    @pytest.mark.parametrize("token", [1, None, ["a"]])
    def test_a_vocabulary_of_other_things(self, make, token):
        with pytest.raises(ValueError, match=r"^vocabulary must hold tokens that are str, not "):
            make([*WORDS, token])

    def test_a_vocabulary_that_repeats_itself(self, make):
        with pytest.raises(ValueError, match=r"^vocabulary must name each token once, but 'a' comes again"):
            make([*WORDS, "a"])

    @pytest.mark.parametrize("missing", [END, "b"])
    def test_a_vocabulary_without_what_was_counted(self, make, missing):
        with pytest.raises(
            ValueError, match=rf"^vocabulary must hold every token counted, but lacks {missing!r}"
        ):
            make([word for word in WORDS if word != missing])

    @pytest.mark.parametrize("token", ["e", START])
    def test_a_token_outside_the_vocabulary(self, make, token):
        with pytest.raises(
            ValueError, match=rf"^token must be one of the 5 in the vocabulary, not {token!r}"
        ):
            make(WORDS).probability(token, ("a",))

    @pytest.mark.parametrize("token", [1, None, ["a"]])
    def test_a_token_that_is_none(self, make, token):
        with pytest.raises(ValueError, match=r"^token must be a str, not "):
            make(WORDS).probability(token, ("a",))

    @pytest.mark.parametrize("context", [(), ("a", "b"), "a", ["a"], None, 1])
    def test_a_context_of_another_length(self, make, context):
        for call in (make(WORDS).distribution, lambda value: make(WORDS).probability("a", value)):
            with pytest.raises(ValueError, match=r"^context must be a tuple of length 1, not "):
                call(context)

    @pytest.mark.parametrize("token", ["e", 1, None, ["a"]])
    def test_a_context_outside_the_vocabulary(self, make, token):
        for call in (make(WORDS).distribution, lambda value: make(WORDS).probability("a", value)):
            with pytest.raises(
                ValueError, match=r"^context must hold tokens of the vocabulary or '<s>', not "
            ) as info:
                call((token,))
            assert not isinstance(info.value, UnseenContext)

    def test_a_text_outside_the_vocabulary(self, make):
        with pytest.raises(ValueError, match=r"^token must be one of the 5 in the vocabulary, not 'e'"):
            token_probabilities(make(WORDS), [["a", "e"]])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({}, r"counts must be a mapping of at least one context to its counts, not \{\}"),
        (None, "counts must be a mapping"),
        ([("a",)], "counts must be a mapping"),
        ({"a": {"b": 1}}, "the contexts of counts must be tuples of one length, not 'a'"),
        ({1: {"b": 1}}, "the contexts of counts must be tuples of one length, not 1"),
        ({("a",): {"b": 1}, (): {"b": 1}}, r"the contexts of counts must be tuples of one length, not \(\)"),
        ({("e",): {"b": 1}}, "vocabulary must hold every token counted, but lacks 'e'"),
        ({("a",): {}}, r"the row of \('a',\) in counts must be a dict of whole numbers above 0, not \{\}"),
        ({("a",): {"b": 0}}, r"the row of \('a',\) in counts must be .* above 0, not \{'b': 0\}"),
        ({("a",): {"b": 2, "a": -1}}, r"the row of \('a',\) in counts must be .* above 0, not "),
        ({("a",): {"b": 1.5}}, r"the row of \('a',\) in counts must be .* above 0, not "),
        ({("a",): {"b": "2"}}, r"the row of \('a',\) in counts must be .* above 0, not "),
        ({("a",): ["b"]}, r"the row of \('a',\) in counts must be .* above 0, not \['b'\]"),
        ({("a",): {None: 1}}, "vocabulary must hold every token counted, but lacks None"),
        ({("a",): {None: 1, "e": 1}}, "vocabulary must hold every token counted, but lacks None"),
        ({("a",): {"e": 1}}, "vocabulary must hold every token counted, but lacks 'e'"),
    ],
)
def test_counts_that_no_text_has(counts, message):
    for make in (lambda: MaximumLikelihood(counts, WORDS), lambda: AddK(counts, WORDS, 1)):
        with pytest.raises(ValueError, match=rf"^{message}"):
            make()


def test_a_table_is_made_of_counts():
    with pytest.raises(
        ValueError, match=r"^counts must be a mapping of at least one context to its counts, not"
    ):
        CountTable([("a", 1)])
    with pytest.raises(ValueError, match=r"^the row of \('a',\) in counts must be a dict of whole numbers"):
        CountTable({("a",): {"b": True}})


@pytest.mark.parametrize("bad", [None, {}, [], {"a": {"b": 1}}, {("a",): {}}, {("a",): None}, {(): {"a": 0}}])
def test_continuation_counts_are_made_of_counts(bad):
    with pytest.raises(ValueError, match=r"(^| )shorter must be "):
        continuation_counts(bad, count_ngrams(SMALL, 2))
    with pytest.raises(ValueError, match=r"(^| )longer must be "):
        continuation_counts(count_ngrams(SMALL, 1), bad)


@pytest.mark.parametrize(("shorter", "longer"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_continuation_counts_need_one_token_more(shorter, longer):
    message = f"^longer must be of order {shorter + 1}, one more than shorter, not {longer}$"
    with pytest.raises(ValueError, match=rf"^{message}"):
        continuation_counts(count_ngrams(SMALL, shorter), count_ngrams(SMALL, longer))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ([*SMALL, ["a"]], r"which has \('a',\) 3 times, not 4$"),  # more of what came
        (SMALL[1:], r"which has \('a',\) 3 times, not 2$"),  # less
        ([["a", "b"], ["a", "b"], ["d", "b", "a"]], r"which has \('c',\) 1 times, not 0$"),  # another word
        ([*SMALL, []], r"which has \('</s>',\) 3 times, not 4$"),
    ],
)
def test_continuation_counts_are_of_one_text(other, message):
    with pytest.raises(ValueError, match=f"^longer must be counted in the same text as shorter, {message}"):
        continuation_counts(count_ngrams(SMALL, 1), count_ngrams(other, 2))


@pytest.mark.parametrize("markers", ["no", 0, 1, None, []])
def test_markers_are_listed_or_not(markers):
    with pytest.raises(ValueError, match=r"^markers must be True or False, not ") as info:
        vocabulary_of(SMALL, markers=markers)
    assert str(info.value).endswith(repr(markers))


def test_what_models_share_estimates_nothing_itself():
    model = NgramModel(2, WORDS)
    assert (model.order, model.vocabulary) == (2, WORDS)
    for ask in (lambda: model.probability("a", ("b",)), lambda: model.distribution(("b",))):
        with pytest.raises(NotImplementedError):
            ask()
    with pytest.raises(ValueError, match=r"^context must be a tuple of length 1, not "):
        model.probability("a", ())
    with pytest.raises(ValueError, match=r"^order must be a whole number of at least 1, not 'x'"):
        NgramModel("x", WORDS)


@pytest.mark.parametrize("k", [0, 0.0, -1, math.nan, math.inf, 1e301, True, "1", None])
def test_k_must_be_above_zero(k):
    with pytest.raises(ValueError, match=r"^k must be a finite number above 0 and of at most 1e.*, not "):
        AddK(count_ngrams(SMALL, 2), WORDS, k)


@pytest.mark.parametrize("discount", [0, 1e-10, 1, -0.1, 1.5, math.nan, True, "0.5", None])
def test_discount_must_lie_between_zero_and_one(discount):
    for kind in (AbsoluteDiscounting, KneserNey):
        with pytest.raises(
            ValueError, match=r"^discount must be a finite number .*at least 1e-09.*below 1.*, not "
        ):
            kind(Counts(SMALL, 2), 2, WORDS, discount)


@pytest.mark.parametrize("continuation", [1, None, "yes"])
def test_continuation_is_true_or_false(continuation):
    with pytest.raises(ValueError, match=r"^continuation must be True or False, not ") as info:
        KneserNey(Counts(SMALL, 2), 2, WORDS, 0.5, continuation)
    assert str(info.value).endswith(repr(continuation))


@pytest.mark.parametrize("weight", [1, -0.1, 1.5, math.nan, True, None])
def test_weight_must_be_below_one(weight):
    for value in (weight, [0.5, weight]):
        with pytest.raises(ValueError, match=r"^weight must be a finite number .*below 1.*, not "):
            Interpolation(Counts(SMALL, 2), 2, WORDS, value)


@pytest.mark.parametrize("weight", [[], [0.5], (0.5, 0.5, 0.5), "0.5"])
def test_a_weight_for_each_order(weight):
    with pytest.raises(
        ValueError, match=r"^weight must be one number or 2, one for each order, not "
    ) as info:
        Interpolation(Counts(SMALL, 2), 2, WORDS, weight)
    assert str(info.value).endswith(repr(weight))


def test_a_model_has_no_more_orders_than_its_counts():
    counts = Counts(SMALL, 2)
    for kind in (Interpolation, AbsoluteDiscounting, KneserNey):
        with pytest.raises(ValueError, match=r"^order must be at most 2, the order of the counts, not 3"):
            kind(counts, 3, WORDS, 0.5)
        with pytest.raises(ValueError, match=r"^counts must be of type Counts, not "):
            kind(count_ngrams(SMALL, 2), 2, WORDS, 0.5)
    for order in (0, -1, 3, 5, True, 1.0, "1", None):
        for give in (counts.table, counts.continued):
            with pytest.raises(ValueError, match=r"^order must be "):
                give(order)


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, None])
def test_limit_must_be_a_whole_number_above_zero(limit):
    with pytest.raises(ValueError, match=r"^limit must be a whole number of at least 1, not "):
        generate_sentence(MaximumLikelihood(count_ngrams(SMALL, 2), WORDS), random.Random(1), limit)


@pytest.mark.parametrize("rng", [None, 42, random])
def test_randomness_comes_from_a_generator(rng):
    with pytest.raises(ValueError, match=r"^rng must be a random\.Random, not "):
        generate_sentence(MaximumLikelihood(count_ngrams(SMALL, 2), WORDS), rng, 5)


@pytest.mark.parametrize("models", [{}, None, []])
def test_tune_needs_models(models):
    with pytest.raises(
        ValueError, match=r"^models must be a mapping of at least one setting to its model, not "
    ):
        tune(models, SMALL)


@pytest.mark.parametrize("model", [None, {}, "model"])
def test_a_model_is_needed(model):
    for call in (
        lambda: token_probabilities(model, SMALL),
        lambda: sentence_probability(model, ["a"]),
        lambda: generate_sentence(model, random.Random(1), 5),
        lambda: tune({1: model}, SMALL),
    ):
        with pytest.raises(ValueError, match=r"^model must be an n-gram model, such as AddK, not "):
            call()


def test_the_token_that_is_none_is_named():
    class Word(str):
        """A token that knows more than its letters."""

    assert padded_ngrams([Word("a"), "b"], 1) == [("a",), ("b",), (END,)]
    for tokens in (["a", 3], [3, "a"]):
        with pytest.raises(ValueError, match=r"^sentence must hold tokens that are str, not 3$"):
            padded_ngrams(tokens, 1)


@pytest.mark.parametrize(
    ("context", "row", "message"),
    [
        (("x", "d"), {"e": 1}, r"which has \('d', 'e'\) 0 times, not 1"),
        ((START, "a"), {"b": 1}, r"which has \('a', 'b'\) 2 times, not 1"),
    ],
)
def test_the_first_count_of_another_text_is_named(context, row, message):
    longer = count_ngrams(SMALL, 3) | {context: row}
    with pytest.raises(ValueError, match=f"^longer must be counted in the same text as shorter, {message}$"):
        continuation_counts(count_ngrams(SMALL, 2), longer)


def test_models_of_one_order_and_of_another_share_counts_but_not_what_they_found():
    counts = Counts(SMALL, 2)
    KneserNey(counts, 1, WORDS, 0.5)
    found = Interpolation(counts, 2, WORDS, 0.5).distribution(("b",))
    assert found == Interpolation(Counts(SMALL, 2), 2, WORDS, 0.5).distribution(("b",))


def test_a_model_tells_whether_its_lower_orders_count_contexts():
    counts = Counts(SMALL, 2)
    assert [KneserNey(counts, 2, WORDS, 0.5, *last).continuation for last in ((), (True,), (False,))] == [
        True,
        True,
        False,
    ]
