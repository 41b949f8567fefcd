"""Perplexity by hand: which tokens are steps, and that logarithms are averaged, not probabilities (lesson 18)."""

from collections.abc import Iterator
from typing import Any

from nextword.entropy import perplexity
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import kind_of, same, short
from nextword.ngram import MaximumLikelihood, count_ngrams, token_probabilities, vocabulary_of


def start() -> float:
    """The perplexity of a bigram model on a line that it never counted."""
    lines = [
        "north wind rises",
        "south wind falls",
        "far north snow falls",
        "east light fades",
    ]
    corpus = [line.split() for line in lines]
    counts, vocabulary = count_ngrams(corpus, 2), vocabulary_of(corpus)
    bigram = MaximumLikelihood(counts, vocabulary)
    line = "north wind falls".split()
    return perplexity(token_probabilities(bigram, [line]))


def solution() -> float:
    """Multiply over the steps, take the root of as many, turn it over."""
    first = 1 / 4  # north after <s>: one line of four begins so
    second = 1 / 2  # wind after north, which snow followed as well
    third = 1 / 2  # falls after wind: the bigram has forgotten north
    end = 1.0  # </s> after falls: nothing else ever followed
    product = first * second * third * end
    return float(product ** (-1 / 4))


def of_the_mean() -> float:
    """Average the probabilities, then turn the mean over."""
    mean = (1 / 4 + 1 / 2 + 1 / 2 + 1.0) / 4
    return 1 / mean


def without_the_end() -> float:
    """Spread the surprise over the words alone."""
    product = 1 / 4 * 1 / 2 * 1 / 2
    return float(product ** (-1 / 3))


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted score must be."""
    steps = [1 / 4, 1 / 2, 1 / 2, 1.0]

    def no_mean() -> bool:
        try:
            number = float(answer)
        except (TypeError, ValueError):
            raise Differs(f"got {short(answer)}: this is {kind_of(answer)}, not a number") from None
        means = [sum(some) / len(some) for some in (steps, steps[:-1])]
        if any(same(number, mean) or same(number, 1 / mean) for mean in means):
            raise Differs(f"got {short(answer)}")
        return True

    yield Check(
        "It is no mean of probabilities, nor one over such a mean",
        no_mean,
        True,
        "Perplexity averages logarithms. A mean of probabilities hides unlikely steps.",
    )
    yield Check(
        "It is the score that the program computes",
        lambda: answer,
        solution(),
        "Which tokens does the model predict? An end is one, a start is none.",
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
            "It is no mean of probabilities, nor one over such a mean",
        ),
        Wrong(
            without_the_end,
            "counts the words and leaves out the end of the line",
            "It is the score that the program computes",
        ),
    ),
)
