"""A large weight is no explanation: Serrano and Smith (2019) take weights away and look whether the decision changes."""

import math
from collections.abc import Iterator
from typing import Any

from nextword.attention import scaled_dot_product_attention
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short, without_array
from nextword.matrices import Matrix, Vector

Case = tuple[Vector, Matrix, Matrix]
TINY = 1e-9


def start(
    query: Vector,
    keys: Matrix,
    values: Matrix,
) -> tuple[Vector, Vector]:
    """Each token's weight, and how far the output moves without it.

    query: shape (d,). keys: shape (n, d). values: shape (n, e).
    """

    def attend(places: list[int]) -> tuple[Vector, Vector]:
        left, said = ([part[i] for i in places] for part in (keys, values))
        outputs, weights = scaled_dot_product_attention([query], left, said)
        return outputs[0], weights[0]

    every = list(range(len(keys)))
    output, weights = attend(every)
    moves = []
    for hidden in every:
        without, _ = attend([i for i in every if i != hidden])
        moves.append(math.dist(output, without))
    return weights, moves


def solution() -> Case:
    """Others that pull apart average to what the favourite says."""
    keys = [[math.log(weight)] for weight in (0.8, 0.11, 0.09)]
    return [1.0], keys, [[0.0], [1.0], [-1.5]]


def silent_favourite() -> Case:
    """Gives the favourite a value of zero, so that it adds nothing."""
    keys = [[math.log(weight)] for weight in (0.8, 0.15, 0.05)]
    return [1.0], keys, [[0.0], [1.0], [2.0]]


def all_alike() -> Case:
    """Gives all tokens one value, so that no weight matters."""
    keys = [[math.log(weight)] for weight in (0.8, 0.15, 0.05)]
    return [1.0], keys, [[1.0], [1.0], [1.0]]


def checks(answer: Any) -> Iterator[Check]:
    """A favourite, and how the output moves without each token."""

    def seen() -> tuple[Vector, Vector, int]:
        query, keys, values = map(without_array, answer)
        weights, moves = start(query, keys, values)
        moves = [round(move, 9) for move in moves]
        return weights, moves, max(range(len(weights)), key=weights.__getitem__)

    def favourite_outweighs() -> bool:
        weights, _, most = seen()
        others = math.fsum(weights) - weights[most]
        if not weights[most] > others:
            raise Differs(f"the largest weight is {weights[most]:.3g}, the others sum to {others:.3g}")
        return True

    def some_moves() -> bool:
        _, moves, _ = seen()
        if not max(moves) > TINY:
            raise Differs(f"without each in turn the output moves {short(moves)}")
        return True

    def favourite_moves_least() -> bool:
        _, moves, most = seen()
        others = min(move for i, move in enumerate(moves) if i != most)
        if not moves[most] < others - TINY:
            raise Differs(f"without it the output moves {moves[most]:.3g}, without another {others:.3g}")
        return True

    def least_moves_most() -> bool:
        weights, moves, _ = seen()
        least = [i for i, weight in enumerate(weights) if weight <= min(weights)]
        if len(least) > 1:
            raise Differs(f"{len(least)} tokens share the least weight")
        others = max(move for i, move in enumerate(moves) if i not in least)
        if not moves[least[0]] > others + TINY:
            raise Differs(f"without it the output moves {moves[least[0]]:.3g}, without another {others:.3g}")
        return True

    yield Check(
        "One token, the favourite, outweighs all others together",
        favourite_outweighs,
        True,
        "Only differences of scores count: keys that are logarithms set any weights.",
    )
    yield Check(
        "Without some token the output moves",
        some_moves,
        True,
        "Where all values are alike every average is the same, whatever the weights.",
    )
    yield Check(
        "Without the favourite it moves less than without any other",
        favourite_moves_least,
        True,
        "A zero is heard: it pulls the average. What must the others say together?",
    )
    yield Check(
        "Without the token of least weight it moves most",
        least_moves_most,
        True,
        "A token adds its weight times its distance from the average.",
    )


EXERCISE = Exercise(
    ident="20.5",
    title="The favourite that does not matter",
    level="find an example",
    name="weights_and_moves",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            silent_favourite,
            "gives the favourite a value of zero, as if that were no part of the average",
            "Without the favourite it moves less than without any other",
        ),
        Wrong(
            all_alike,
            "gives all tokens the same value, so that nothing matters",
            "Without some token the output moves",
        ),
    ),
)
