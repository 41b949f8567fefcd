"""Tuning and testing on texts of their own: what is chosen on a text is flattered by it (lesson 18, panel 18.4)."""

import random
from collections.abc import Iterator
from typing import Any

from nextword.entropy import perplexity
from nextword.exercises.asking import agrees, fresh, refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.ngram import AddK, count_ngrams, token_probabilities, tune, vocabulary_of

Text = list[list[str]]


def start(
    training: Text,
    development: Text,
    test: Text,
    ks: list[float],
) -> tuple[float, float]:
    """Count a bigram model, choose its k, report its score.

    The vocabulary is what can come next in the training text: its words
    and </s>, not <s>.

    Args:
        training: sentences, each a list of words.
        development: the same, for the choice.
        test: the same, for the report.
        ks: settings of add-k to choose from.

    Returns:
        The k chosen, and the perplexity to report.

    Raises:
        ValueError: a text has a word that the training text lacks.
    """
    raise NotImplementedError("count on one text, choose on another")


def solution(
    training: Text,
    development: Text,
    test: Text,
    ks: list[float],
) -> tuple[float, float]:
    """Count on one text, choose on another, report on the third."""
    counts = count_ngrams(training, 2)
    vocabulary = vocabulary_of(training, markers=False)

    def score(k: float, text: Text) -> float:
        model = AddK(counts, vocabulary, k)
        return perplexity(token_probabilities(model, text))

    chosen = min(ks, key=lambda k: score(k, development))
    return chosen, score(chosen, test)


def on_the_test(
    training: Text,
    development: Text,
    test: Text,
    ks: list[float],
) -> tuple[float, float]:
    """Report the best score that can be had on the test text."""
    counts = count_ngrams(training, 2)
    vocabulary = vocabulary_of(training, markers=False)

    def score(k: float, text: Text) -> float:
        model = AddK(counts, vocabulary, k)
        return perplexity(token_probabilities(model, text))

    chosen = min(ks, key=lambda k: score(k, test))
    return chosen, score(chosen, test)


def all_words(
    training: Text,
    development: Text,
    test: Text,
    ks: list[float],
) -> tuple[float, float]:
    """Take the vocabulary from all texts, so that no word is refused."""
    counts = count_ngrams(training, 2)
    vocabulary = vocabulary_of(training + development + test, markers=False)

    def score(k: float, text: Text) -> float:
        model = AddK(counts, vocabulary, k)
        return perplexity(token_probabilities(model, text))

    chosen = min(ks, key=lambda k: score(k, development))
    return chosen, score(chosen, test)


def case(rng: random.Random) -> tuple[Text, Text, Text, list[float]]:
    """Random texts of the same words, and some settings."""
    words = ["wind", "rain", "sun", "snow", "fog"]
    training = [[*words], *([rng.choice(words) for _ in range(6)] for _ in "abcd")]
    development, test = ([[rng.choice(words) for _ in range(n)] for n in (1, 8)] for _ in "ab")
    return training, development, test, [0.1, 10.0, 0.01, 1.0]


def by_the_library(training: Text, development: Text, test: Text, ks: list[float]) -> tuple[float, float]:
    """What the library's `tune` chooses, and the score of that model."""
    counted, words = count_ngrams(training, 2), vocabulary_of(training, markers=False)
    models = {k: AddK(counted, words, k) for k in ks}
    chosen = tune(models, development)
    return chosen, perplexity(token_probabilities(models[chosen], test))


def checks(answer: Any) -> Iterator[Check]:
    """What is chosen and reported."""
    training = [["rain", "then", "wind"], ["sun", "then", "wind"], ["rain", "then", "sun"]]
    odd = [["wind", "then", "rain"], ["sun", "rain"]]
    ks = [0.01, 0.1, 1.0, 10.0]
    yield Check(
        "The choice does not depend on the text whose score is reported",
        lambda: [fresh(answer, training, odd, [*text], ks)()[0] for text in (odd, training)],
        [10.0, 10.0],
        "A choice made on the test text is flattered by it. Let development choose.",
    )
    yield Check(
        "A development text like the training text asks for the smallest k",
        lambda: fresh(answer, training, [[*line] for line in training], odd, ks)()[0],
        min(ks),
        "None of its pairs is unseen, so nothing need be set aside for unseen ones.",
    )
    yield Check(
        "A word of the test text that training lacks is refused with a ValueError",
        refuses(answer, [["rain", "sun"]], [["sun"]], [["fog"]], [1.0]),
        True,
        "That a word comes in the test text is knowledge of it, and the model has none.",
    )
    yield Check(
        "Such a word of the development text is refused as well",
        refuses(answer, [["rain", "sun"]], [["fog"]], [["sun"]], [1.0]),
        True,
        "To leave the word out scores another text than the one that was given.",
    )
    rng = random.Random(18)
    yield Check(
        "On random texts k and score are those of a model counted on training alone",
        agrees(answer, by_the_library, [case(rng) for _ in range(8)]),
        True,
        "Count the training text alone, and leave <s> out of the vocabulary.",
    )


EXERCISE = Exercise(
    ident="18.6",
    title="Choose on one text, report on another",
    level="implement",
    name="choose_and_report",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            on_the_test,
            "chooses the k that is best on the test text",
            "The choice does not depend on the text whose score is reported",
        ),
        Wrong(
            all_words,
            "takes the vocabulary from all texts together",
            "A word of the test text that training lacks is refused with a ValueError",
        ),
    ),
)
