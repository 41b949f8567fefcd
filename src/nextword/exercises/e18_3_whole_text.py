"""The perplexity of a text is a mean over tokens, not over sentences (kpu/kenlm#69, huggingface/transformers#24725)."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.entropy import perplexity
from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong


def start(text: list[list[float]]) -> float:
    """Compute the perplexity of a text.

    Args:
        text: for each sentence what a model gave to each of its tokens,
            </s> included; at least one.

    Returns:
        The perplexity, infinite if a token was impossible.
    """
    scores = []
    for sentence in text:
        if 0 in sentence:
            return math.inf
        surprise = math.fsum(-math.log(p) for p in sentence)
        scores.append(math.exp(surprise / len(sentence)))
    return sum(scores) / len(scores)


def solution(text: list[list[float]]) -> float:
    """Average over the tokens of all sentences, then exponentiate once."""
    surprise, tokens = [], 0
    for sentence in text:
        if 0 in sentence:
            return math.inf
        surprise += [-math.log(p) for p in sentence]
        tokens += len(sentence)
    return math.exp(math.fsum(surprise) / tokens)


def mean_of_means(text: list[list[float]]) -> float:
    """Average within each sentence, then over sentences."""
    means = []
    for sentence in text:
        if 0 in sentence:
            return math.inf
        surprise = math.fsum(-math.log(p) for p in sentence)
        means.append(surprise / len(sentence))
    return math.exp(math.fsum(means) / len(means))


def without_zeros(text: list[list[float]]) -> float:
    """Average over the tokens that were possible."""
    tokens = [p for sentence in text for p in sentence if p > 0]
    surprise = math.fsum(-math.log(p) for p in tokens)
    return math.exp(surprise / len(tokens))


def checks(answer: Any) -> Iterator[Check]:
    """What the score of a text must be."""
    given = [0.5, 0.125, 0.25, 1.0, 0.01, 0.5, 0.25, 0.125]
    yield Check(
        "The same tokens score the same, wherever the sentences end",
        lambda: [answer([given[:at], given[at:]]) for at in (1, 4, 7)],
        [perplexity(given)] * 3,
        "Each token weighs alike. In a mean of means those of short sentences weigh more.",
    )
    yield Check(
        "An impossible token makes the score of the text infinite",
        fresh(answer, [[0.5, 0.5], [0.5, 0.0, 1.0], [0.25]]),
        math.inf,
        "Leaving out what was impossible scores another text, and hides the failure.",
    )
    yield Check(
        "Even guesses score the number of choices, in a long sentence too",
        fresh(answer, [[0.01] * 1000]),
        100.0,
        "A product of so many probabilities is too small for a float. Add logarithms.",
    )
    rng = random.Random(18)
    texts = [
        [[round(1 - 0.99 * rng.random(), 2) for _ in range(rng.randint(1, 9))] for _ in range(sentences)]
        for sentences in range(1, 21)
    ]
    yield Check(
        "On random texts it agrees with the perplexity of all tokens in a row",
        agrees(
            answer, lambda text: perplexity([p for one in text for p in one]), [(text,) for text in texts]
        ),
        True,
        "What a sentence adds is its tokens and their surprise. Divide once, at the end.",
    )


EXERCISE = Exercise(
    ident="18.3",
    title="The score that depends on where sentences end",
    level="find the bug",
    name="text_perplexity",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            mean_of_means,
            "averages the mean surprises of the sentences",
            "The same tokens score the same, wherever the sentences end",
        ),
        Wrong(
            without_zeros,
            "leaves out the tokens that were impossible",
            "An impossible token makes the score of the text infinite",
        ),
    ),
)
