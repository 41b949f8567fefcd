"""The last norm can change the word that wins, since it subtracts a mean: it does more than scale (lesson 21)."""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Vector, vector_matrix
from nextword.sampling import argmax
from nextword.transformer import layer_norm

WORDS = ("snow", "sun", "rain")
UNEMBEDDING = [
    [0.0, 2.0, 1.0],
    [-1.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 0.0, 0.0],
]


def start(row: Vector) -> list[str]:
    """The likeliest word with the last norm, and the one without it.

    row: width d, as many numbers as UNEMBEDDING has rows.
    UNEMBEDDING: shape (d, len(WORDS)), a column for each word.
    """
    said = []
    for read in (layer_norm(row), row):
        logits = vector_matrix(read, UNEMBEDDING)
        said.append(WORDS[argmax(logits)])
    return said


def solution() -> Vector:
    """Take a row of mean zero that says sun, and shift all its numbers."""
    shift = 10.0
    return [shift + 1.0, shift - 1.0, shift, shift]


def stretched() -> Vector:
    """Make a row that says sun very large."""
    size = 100.0
    return [size, -size, 0.0, 0.0]


def flat() -> Vector:
    """Give the stream the same number everywhere, for which rain wins."""
    return [10.0] * len(UNEMBEDDING)


def checks(answer: Any) -> Iterator[Check]:
    """What the row must make of the model."""
    with_norm, without = WORDS[1:]

    def said() -> list[str]:
        return start(answer.tolist() if hasattr(answer, "tolist") else answer)

    yield Check(
        f"With the last norm the model says {with_norm}",
        lambda: said()[0],
        with_norm,
        "The norm subtracts the mean first: what all features share says nothing then.",
    )
    yield Check(
        f"Without it the model says {without}",
        lambda: said()[1],
        without,
        "A positive stretch of the row stretches all logits: it changes no order.",
    )


EXERCISE = Exercise(
    ident="21.5",
    title="Does the last norm only scale?",
    level="find an example",
    name="words_said",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            stretched,
            "makes the row large, which changes no order of logits",
            "Without it the model says rain",
        ),
        Wrong(
            flat,
            "gives all features one number, of which the norm leaves nothing",
            "With the last norm the model says sun",
        ),
    ),
)
