"""Perplexity by hand: which tokens are steps, and that logarithms are averaged, not probabilities (lesson 18)."""

from collections.abc import Iterator
from typing import Any

from nextword.entropy import perplexity
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.ngram import MaximumLikelihood, count_ngrams, token_probabilities, vocabulary_of


def start() -> float:
    """The perplexity of a bigram model on a line that it never counted."""
    lines = [
        "north wind rises",
        "south wind falls",
        "east wind turns",
        "west wind dies",
    ]
    corpus = [line.split() for line in lines]
    counts, vocabulary = count_ngrams(corpus, 2), vocabulary_of(corpus)
    bigram = MaximumLikelihood(counts, vocabulary)
    line = "north wind falls".split()
    return perplexity(token_probabilities(bigram, [line]))


def solution() -> float:
    """Multiply over the steps, take the root of as many, turn it over."""
    first = 1 / 4  # north after <s>: one line of four begins so
    second = 1.0  # wind after north: nothing else ever followed
    third = 1 / 4  # falls after wind: the bigram has forgotten north
    end = 1.0  # </s> after falls, which was a last word
    product = first * second * third * end
    return float(product ** (-1 / 4))


def of_the_mean() -> float:
    """Average the probabilities, then turn the mean over."""
    mean = (1 / 4 + 1.0 + 1 / 4 + 1.0) / 4
    return 1 / mean


def without_the_end() -> float:
    """Spread the surprise over the words alone."""
    product = 1 / 4 * 1.0 * 1 / 4
    return float(product ** (-1 / 3))


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted score must be."""
    yield Check(
        "It is above one over the mean probability: unlikely steps weigh more",
        lambda: float(answer) > of_the_mean() + 1e-6,
        True,
        "Perplexity averages logarithms; a mean of probabilities hides unlikely steps",
    )
    yield Check(
        "It is the score that the program computes",
        lambda: answer,
        solution(),
        "Which tokens does the model predict? An end is one, a start is none",
    )


EXERCISE = Exercise(
    ident="18.1",
    title="How surprised by a new line?",
    level="predict",
    name="score_of_a_new_line",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            of_the_mean,
            "averages the probabilities, not their logarithms",
            "It is above one over the mean probability: unlikely steps weigh more",
        ),
        Wrong(
            without_the_end,
            "counts the words and leaves out the end of the line",
            "It is the score that the program computes",
        ),
    ),
)
