"""Perplexity against the cross-entropy of torch, and Kneser-Ney against its formula written out with fractions."""

import math
import random
from fractions import Fraction
from itertools import product

import torch
from torch.nn import functional

from nextword.entropy import cross_entropy, entropy, kl_divergence, perplexity, total_surprise
from nextword.ngram import (
    END,
    START,
    AddK,
    Counts,
    KneserNey,
    MaximumLikelihood,
    count_ngrams,
    token_probabilities,
    vocabulary_of,
)
from nextword.softmax import log_softmax, softmax

from .conftest import Measured

torch.set_num_threads(1)

CASES = 300

Sentences = list[list[str]]


def relative(ours: float, theirs: float) -> float:
    return abs(ours - theirs) / theirs


def draw_text(rng: random.Random, sentences: int, longest: int, words: str = "abcd") -> Sentences:
    return [[rng.choice(words) for _ in range(rng.randint(0, longest))] for _ in range(sentences)]


# Perplexity.


def test_perplexity_is_exp_of_the_cross_entropy_of_torch(measured: Measured) -> None:
    rng = random.Random("perplexity")
    largest = 0.0
    for _ in range(CASES):
        size, n, steepness = rng.randint(2, 60), rng.randint(1, 40), rng.choice([0.1, 1.0, 5.0])
        logits = [[rng.gauss(0, steepness) for _ in range(size)] for _ in range(n)]
        targets = [rng.randrange(size) for _ in range(n)]
        ours = perplexity([softmax(row)[target] for row, target in zip(logits, targets, strict=True)])
        rows, ids = torch.tensor(logits, dtype=torch.float64), torch.tensor(targets)
        theirs = float(functional.cross_entropy(rows, ids).exp())
        summed = float(functional.cross_entropy(rows, ids, reduction="sum"))
        surprise = -math.fsum(log_softmax(row)[target] for row, target in zip(logits, targets, strict=True))
        largest = max(largest, relative(ours, theirs), relative(surprise, summed))
    assert largest < 1e-12
    measured("perplexity, in proportion", "exp of torch's cross_entropy", CASES, largest, 1e-12, "float64")


def test_the_perplexity_of_a_counted_model_is_that_of_its_logarithms_in_torch(measured: Measured) -> None:
    rng = random.Random("counted")
    largest = 0.0
    for _ in range(CASES):
        order = rng.randint(1, 3)
        training, held_out = draw_text(rng, 8, 6), draw_text(rng, 4, 6)
        vocabulary = vocabulary_of([*training, list("abcd")], markers=False)
        model = AddK(count_ngrams(training, order), vocabulary, rng.uniform(0.05, 2))
        logits, targets = [], []
        for sentence in held_out:
            tokens = [START] * (order - 1) + [*sentence, END]
            for place in range(order - 1, len(tokens)):
                chances = model.distribution(tuple(tokens[place - order + 1 : place]))
                logits.append([math.log(chances[token]) for token in vocabulary])
                targets.append(vocabulary.index(tokens[place]))
        rows, ids = torch.tensor(logits, dtype=torch.float64), torch.tensor(targets)
        theirs = float(functional.cross_entropy(rows, ids).exp())
        largest = max(largest, relative(perplexity(token_probabilities(model, held_out)), theirs))
    assert largest < 1e-12
    measured(
        "perplexity of add-k, in proportion", "exp of torch's cross_entropy", CASES, largest, 1e-12, "float64"
    )


def test_what_is_impossible_is_infinite_in_both() -> None:
    text = [["the", "cat"], ["the", "dog"]]
    model = MaximumLikelihood(count_ngrams(text, 2), vocabulary_of(text, markers=False))
    assert perplexity(token_probabilities(model, [["the", "the"]])) == math.inf
    logits = torch.tensor([[0.0, -math.inf]])
    assert functional.cross_entropy(logits, torch.tensor([1])).exp() == math.inf


def test_entropies_are_those_of_torch(measured: Measured) -> None:
    rng = random.Random("entropies")
    largest = 0.0
    for _ in range(CASES):
        size = rng.randint(2, 40)
        p, q = (softmax([rng.gauss(0, 2) for _ in range(size)]) for _ in range(2))
        their_p, their_q = (torch.tensor(values, dtype=torch.float64) for values in (p, q))
        differences = [
            abs(cross_entropy(p, q) - float(functional.cross_entropy(their_q.log(), their_p))),
            abs(entropy(p) - float(torch.distributions.Categorical(probs=their_p).entropy())),  # type: ignore[no-untyped-call]
            abs(kl_divergence(p, q) - float(functional.kl_div(their_q.log(), their_p, reduction="sum"))),
            abs(total_surprise(p) + float(their_p.log().sum())),
        ]
        largest = max(largest, *differences)
    assert largest < 1e-11  # the sum of surprises reaches hundreds of nats
    measured("entropy, cross-entropy, KL, in nats", "torch", CASES, largest, 1e-11, "float64")


# Kneser-Ney: the closed form, with one line for each order; no table, no recursion, and no rounding.


class ClosedForm:
    """Interpolated Kneser-Ney of order 1, 2 or 3 over the plain list of all n-grams of a text.

    Chen and Goodman (1999), section 3; 1 / V below the unigrams; contexts that begin with START keep their counts.
    """

    def __init__(self, text: Sentences, order: int, discount: Fraction, vocabulary: int) -> None:
        self.discount = discount
        self.uniform = Fraction(1, vocabulary)
        padded = [[START] * (order - 1) + [*sentence, END] for sentence in text]
        self.ngrams = [
            tuple(tokens[place - order + 1 : place + 1])
            for tokens in padded
            for place in range(order - 1, len(tokens))
        ]

    def share(self, counts: dict[str, int], token: str, lower: Fraction) -> Fraction:
        """(max(c - D, 0) + D · N1+ · lower) / sum of c; the lower order alone if nothing was counted."""
        if not counts:
            return lower
        kept = max(counts.get(token, 0) - self.discount, Fraction(0))
        return (kept + self.discount * len(counts) * lower) / sum(counts.values())

    def plain(self, context: tuple[str, ...]) -> dict[str, int]:
        """How often each token followed the context, which may be shorter than those of the order."""
        size = len(context)
        after = [
            ngram[-1] for ngram in self.ngrams if ngram[len(ngram) - 1 - size : len(ngram) - 1] == context
        ]
        return {token: after.count(token) for token in set(after)}

    def before(self, context: tuple[str, ...]) -> dict[str, int]:
        """How many distinct tokens stood before the context and each token together."""
        size = len(context) + 2
        distinct = {ngram[-size:] for ngram in self.ngrams if ngram[-size + 1 : -1] == context}
        lasts = [ngram[-1] for ngram in distinct]
        return {token: lasts.count(token) for token in set(lasts)}

    def order_1(self, token: str) -> Fraction:
        return self.share(self.plain(()), token, self.uniform)

    def order_2(self, token: str, v: str) -> Fraction:
        unigram = self.share(self.before(()), token, self.uniform)
        return self.share(self.plain((v,)), token, unigram)

    def order_3(self, token: str, u: str, v: str) -> Fraction:
        unigram = self.share(self.before(()), token, self.uniform)
        middle = self.plain((v,)) if v == START else self.before((v,))
        return self.share(self.plain((u, v)), token, self.share(middle, token, unigram))

    def probability(self, token: str, context: tuple[str, ...]) -> Fraction:
        return (self.order_1, self.order_2, self.order_3)[len(context)](token, *context)


def contexts_of(words: list[str], order: int) -> list[tuple[str, ...]]:
    """Every context that a sentence over the words can have: seen or not, START only at its beginning."""
    contexts: list[tuple[str, ...]] = []
    for starts in range(order):
        for rest in product(words, repeat=order - 1 - starts):
            contexts.append((START,) * starts + rest)
    return contexts


def test_kneser_ney_is_its_closed_form(measured: Measured) -> None:
    rng = random.Random("Kneser-Ney")
    largest, compared, unseen = 0.0, 0, 0
    for case in range(60):
        order = case % 3 + 1
        text = draw_text(rng, rng.randint(1, 6), 5, "aabc")
        words = ["a", "b", "c", "d"]  # d never comes
        vocabulary = [*words, END]
        discount = Fraction(rng.randint(1, 99), 100)
        model = KneserNey(Counts(text, order), order, vocabulary, float(discount))
        formula = ClosedForm(text, order, discount, len(vocabulary))
        for context in contexts_of(words, order):
            exact = {token: formula.probability(token, context) for token in vocabulary}
            assert sum(exact.values()) == 1
            for token in vocabulary:
                ours = model.probability(token, context)
                largest = max(largest, abs(ours - float(exact[token])))
                compared += 1
                unseen += not formula.plain(context)
    assert unseen > compared / 10
    assert largest < 1e-14
    measured("Kneser-Ney, orders 1 to 3", "closed form in fractions", compared, largest, 1e-12, "float64")


def test_kneser_ney_of_one_small_text_by_hand(measured: Measured) -> None:
    text = [["the", "cat"], ["the", "dog"], ["a", "cat"]]
    model = KneserNey(Counts(text, 2), 2, vocabulary_of(text, markers=False), discount=0.5)
    # Bigram types: <s> the, <s> a, the cat, the dog, a cat, cat </s>, dog </s>: seven, five of them with other ends.
    cat = Fraction(2 * 2 - 1, 2 * 7) + Fraction(1, 2) * 5 / 7 * Fraction(1, 5)  # came after two tokens
    the = Fraction(2 * 1 - 1, 2 * 7) + Fraction(1, 2) * 5 / 7 * Fraction(1, 5)  # came twice, after one
    expected = {
        ("cat", ("the",)): Fraction(1, 2) / 2 + Fraction(1, 2) * 2 / 2 * cat,
        ("the", ("the",)): Fraction(1, 2) * 2 / 2 * the,
        ("cat", ("a",)): Fraction(1, 2) + Fraction(1, 2) * cat,
        ("cat", (END,)): cat,
    }
    differences = [abs(model.probability(*asked) - float(value)) for asked, value in expected.items()]
    assert max(differences) < 1e-15
    measured(
        "Kneser-Ney, probabilities by hand", "fractions", len(expected), max(differences), 1e-12, "float64"
    )
