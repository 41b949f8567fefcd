"""How much of the order attention sees without positions: none when open, and under a causal mask which words came before."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from math import prod
from typing import Any

from nextword.attention import causal_mask, scaled_dot_product_attention
from nextword.exercises.catalogue import Check, Exercise, Wrong

WORDS = "the dog bit the man".split()


def start() -> list[int]:
    """How many outputs "bit" can get, over all orders of the words."""
    rng = random.Random(20)
    vectors = {}
    for word in WORDS:
        vectors[word] = [rng.gauss(0, 1) for _ in range(4)]
    open_outputs, causal_outputs = set(), set()
    for order in permutations(WORDS):
        x = [vectors[word] for word in order]
        place = order.index("bit")
        output = scaled_dot_product_attention(x, x, x)[0][place]
        open_outputs.add(tuple(round(number, 6) for number in output))
        mask = causal_mask(len(x))
        output = scaled_dot_product_attention(x, x, x, mask)[0][place]
        causal_outputs.add(tuple(round(number, 6) for number in output))
    return [len(open_outputs), len(causal_outputs)]


def solution() -> list[int]:
    """Open: an average knows no order. Causal: what stands before counts.

    Each other word can stand before "bit" as often as it occurs, or less.
    """
    others = Counter(WORDS) - Counter(["bit"])
    return [1, prod(count + 1 for count in others.values())]


def every_order() -> list[int]:
    """Takes each order for a text of its own, as if positions were added."""
    orders = len(set(permutations(WORDS)))
    return [orders, orders]


def every_place() -> list[int]:
    """Takes the place of the word for all that the mask tells."""
    return [1, len(WORDS)]


def checks(answer: Any) -> Iterator[Check]:
    """The number without a mask, then that with it."""
    unmasked, causal = solution()
    yield Check(
        "The number for open attention is predicted",
        lambda: answer[0],
        unmasked,
        "Swap tokens it looks at: weights and values swap along. And the average?",
    )
    yield Check(
        "The number for causal attention is predicted",
        lambda: answer[1],
        causal,
        "The mask picks the words that are averaged. How many picks differ?",
    )
    yield Check("The answer is a pair", lambda: len(answer), len(solution()))


EXERCISE = Exercise(
    ident="20.4",
    title="How much order does it see?",
    level="predict",
    name="outputs_over_all_orders",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            every_order,
            "takes each order for a text of its own, as if the vectors held positions",
            "The number for open attention is predicted",
        ),
        Wrong(
            every_place,
            "takes the number of words before for all that the mask tells",
            "The number for causal attention is predicted",
        ),
    ),
)
