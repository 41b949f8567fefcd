"""Keys that are all alike: scores count against the others of their row, and hidden keys leave their share to the rest."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from nextword.attention import causal_mask, scaled_dot_product_attention
from nextword.exercises.catalogue import Check, Exercise, Wrong

EACH_VALUE = [6.0, 0.0, 3.0, 7.0]


def start() -> list[float]:
    """The outputs of causal attention where no key differs."""
    queries = [[5.0, 0.0], [-3.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    keys = [[2.0, 1.0], [2.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    values = [[number] for number in EACH_VALUE]
    mask = causal_mask(len(EACH_VALUE))
    outputs, _ = scaled_dot_product_attention(queries, keys, values, mask)
    return [round(output, 6) for [output] in outputs]


def solution() -> list[float]:
    """Equal scores share a row evenly: each output is the mean so far."""
    totals = accumulate(EACH_VALUE)
    return [total / seen for seen, total in enumerate(totals, 1)]


def hides_after_sharing() -> list[float]:
    """Shares each row among all keys, then drops the hidden ones."""
    return [total / len(EACH_VALUE) for total in accumulate(EACH_VALUE)]


def finds_itself() -> list[float]:
    """Lets each token give all its weight to itself."""
    return list(EACH_VALUE)


def checks(answer: Any) -> Iterator[Check]:
    """The first output, the last, and all of them."""
    right = solution()
    yield Check(
        "The first output is predicted",
        lambda: answer[0],
        right[0],
        "How many keys may the first token look at, and what do its weights sum to?",
    )
    yield Check(
        "The last output is predicted",
        lambda: answer[-1],
        right[-1],
        "Only scores of one row compete. How do those of the last row differ?",
    )
    yield Check(
        "All outputs are predicted",
        lambda: answer,
        right,
        "Write each row's scores down first, then cross out what the mask hides.",
    )


EXERCISE = Exercise(
    ident="20.1",
    title="All keys alike",
    level="predict",
    name="outputs_of_equal_keys",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            hides_after_sharing,
            "shares each row among all keys and then drops the hidden ones, so their weight is lost",
            "The first output is predicted",
        ),
        Wrong(
            finds_itself,
            "lets each token look at itself alone, as if its query could prefer its own key to an equal one",
            "The last output is predicted",
        ),
    ),
)
