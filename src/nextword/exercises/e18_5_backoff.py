"""Backoff whose rows do not sum to one: what is freed must be divided by what the shorter context gives the unseen."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import agrees
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.ngram import AbsoluteDiscounting, Counts, count_ngrams, vocabulary_of


def start(
    row: dict[str, int],
    shorter: dict[str, float],
    discount: float,
) -> dict[str, float]:
    """Give each word its probability after a context, with backoff.

    What was taken from the words that followed goes to all the others, in
    proportion to the shorter context.

    Args:
        row: how often each word followed the context.
        shorter: for each word of the vocabulary its probability after
            the shorter context, above 0; they sum to one.
        discount: what is taken from each count, above 0 and below 1.

    Returns:
        The probability of each word of the vocabulary.
    """
    total = sum(row.values())
    freed = discount * len(row) / total
    if len(row) == len(shorter):  # nobody is left to take it
        return {w: (row[w] - discount) / total / (1 - freed) for w in shorter}
    found = {}
    for word, lower in shorter.items():
        if word in row:
            found[word] = (row[word] - discount) / total
        else:
            found[word] = freed * lower
    return found


def solution(
    row: dict[str, int],
    shorter: dict[str, float],
    discount: float,
) -> dict[str, float]:
    """Share what is freed among the unseen, all of it."""
    total = sum(row.values())
    freed = discount * len(row) / total
    if len(row) == len(shorter):  # nobody is left to take it
        return {w: (row[w] - discount) / total / (1 - freed) for w in shorter}
    unseen = math.fsum(p for word, p in shorter.items() if word not in row)
    found = {}
    for word, lower in shorter.items():
        if word in row:
            found[word] = (row[word] - discount) / total
        else:
            found[word] = freed * lower / unseen
    return found


def nothing_taken(
    row: dict[str, int],
    shorter: dict[str, float],
    discount: float,
) -> dict[str, float]:
    """Keep the counted shares, scale the shorter context."""
    total = sum(row.values())
    found = {}
    for word, lower in shorter.items():
        if word in row:
            found[word] = row[word] / total
        else:
            found[word] = discount * lower
    return found


def scaled(
    row: dict[str, int],
    shorter: dict[str, float],
    discount: float,
) -> dict[str, float]:
    """Divide the whole row by its sum."""
    total = sum(row.values())
    freed = discount * len(row) / total
    found = {}
    for word, lower in shorter.items():
        if word in row:
            found[word] = (row[word] - discount) / total
        else:
            found[word] = freed * lower
    whole = math.fsum(found.values())
    return {word: p / whole for word, p in found.items()}


def texts() -> Iterator[list[list[str]]]:
    """Random texts of few words, so that some rows are full and some nearly empty."""
    rng = random.Random(18)
    for _ in range(10):
        yield [
            rng.choices(["wind", "rain", "sun", "snow"], [6, 3, 2, 1], k=rng.randint(1, 6)) for _ in "abcd"
        ]


def checks(answer: Any) -> Iterator[Check]:
    """What the row must be."""
    row = {"wind": 3, "rain": 1}
    shorter = {"wind": 0.4, "rain": 0.1, "sun": 0.3, "snow": 0.15, "</s>": 0.05}
    yield Check(
        "The row sums to one",
        lambda: math.fsum(answer({**row}, {**shorter}, 0.5).values()),
        1.0,
        "The unseen must get what the seen lose: all of it and no more.",
    )
    yield Check(
        "What followed keeps its counted share less the discount",
        lambda: [answer({**row}, {**shorter}, 0.5)[word] for word in row],
        [(3 - 0.5) / 4, (1 - 0.5) / 4],
        "Scaling the whole row changes the seen as well; only the unseen are wrong.",
    )
    yield Check(
        "The unseen share in proportion to the shorter context",
        lambda: [answer({**row}, {**shorter}, 0.5)[word] for word in ("sun", "snow", "</s>")],
        [0.25 * 0.6, 0.25 * 0.3, 0.25 * 0.1],
    )
    yield Check(
        "Where every word followed, the discounted counts are scaled to sum to one",
        lambda: [answer({**row}, {"wind": 0.5, "rain": 0.5}, 0.5)[word] for word in row],
        [(3 - 0.5) / 3, (1 - 0.5) / 3],
    )
    known: dict[str, dict[str, float]] = {}
    cases = []
    for text in texts():
        counts, words = Counts(text, 2), vocabulary_of(text, markers=False)
        low, high = (AbsoluteDiscounting(counts, order, words, 0.7) for order in (1, 2))
        for context, followed in count_ngrams(text, 2).items():
            case = (dict(followed), low.distribution(()), 0.7)
            known[repr(case)] = high.distribution(context)
            cases.append(case)
    cases.sort(key=lambda case: len(case[1]))  # small ones first: they read best
    yield Check(
        "On random texts it agrees with the library's absolute discounting",
        agrees(answer, lambda *case: known[repr(case)], cases),
        True,
    )


EXERCISE = Exercise(
    ident="18.5",
    title="The row that loses probability",
    level="find the bug",
    name="back_off",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            nothing_taken,
            "takes nothing from the counted, and gives to the unseen on top",
            "The row sums to one",
        ),
        Wrong(
            scaled,
            "divides the whole row by its sum",
            "What followed keeps its counted share less the discount",
        ),
    ),
)
