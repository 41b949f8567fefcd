"""Decoding with a cache: the newest token alone is fed, so its position is no longer its place in what is fed."""

import copy
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import KVCache, attend_next, causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import Differs, agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short
from nextword.matrices import Matrix, add, draw_matrix


def start(tokens: Matrix, positions: Matrix, cache: KVCache) -> Matrix:
    """Causal attention, token by token, with a cache.

    tokens: shape (n, d), what comes next. positions: shape (m, d), a row
    for each place of the whole text. A token plus its position is its
    query, key and value. cache: what came before; empty for a new text.
    Returns the outputs, shape (n, d).
    """
    outputs = []
    for token in tokens:
        fed = [token]  # the newest alone: the cache has the others
        (x,) = add(fed, positions[: len(fed)])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def solution(tokens: Matrix, positions: Matrix, cache: KVCache) -> Matrix:
    """Causal attention, token by token, with a cache.

    tokens: shape (n, d), what comes next. positions: shape (m, d), a row
    for each place of the whole text. A token plus its position is its
    query, key and value. cache: what came before; empty for a new text.
    Returns the outputs, shape (n, d).
    """
    outputs = []
    for token in tokens:
        fed = [token]
        stored = len(cache.keys)  # as many as came before
        (x,) = add(fed, positions[stored : stored + len(fed)])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def feeds_all_again(tokens: Matrix, positions: Matrix, cache: KVCache) -> Matrix:
    """Feeds the whole text at each step, into a cache that has it."""
    outputs = []
    for n in range(1, len(tokens) + 1):
        for x in add(tokens[:n], positions[:n]):
            output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def counts_from_one(tokens: Matrix, positions: Matrix, cache: KVCache) -> Matrix:
    """Counts the newest token among those that are stored."""
    outputs = []
    for token in tokens:
        number = len(cache.keys) + 1
        (x,) = add([token], [positions[number]])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


class EmptyCache(KVCache):
    """A cache that is shown as a reader would write it."""

    def __repr__(self) -> str:
        """How one is made."""
        return "KVCache()"


TOKENS = [[1.0], [-1.0], [2.0], [0.0]]
POSITIONS = [[0.0], [1.0], [3.0], [2.0], [5.0]]


def checks(answer: Any) -> Iterator[Check]:
    """Against causal attention over all tokens at once, which needs no cache."""
    rng = random.Random(20)
    tokens, positions = draw_matrix(5, 2, 1.5, rng), draw_matrix(8, 2, 1.5, rng)
    yield Check(
        "The first token stands at the first position",
        fresh(answer, TOKENS[:1], POSITIONS, EmptyCache()),
        add(TOKENS[:1], POSITIONS[:1]),
        "A position is the number of tokens before; the newest is not stored yet.",
    )
    again = [list(TOKENS[0]) for _ in TOKENS]
    yield Check(
        "A token that comes again gets another output: it stands elsewhere",
        lambda: _differ(fresh(answer, again, POSITIONS, EmptyCache())()),
        True,
        "What is fed is one row at each step; its length is no position.",
    )
    yield Check(
        "The cache then holds a key for each token, once",
        lambda: _stored(answer, tokens, positions),
        len(tokens),
        "Feed each token once: the cache has those before, and it alone keeps them.",
    )
    cases = [(TOKENS[:2], POSITIONS[:2]), (TOKENS, POSITIONS), (tokens, positions)]
    yield Check(
        "At every step the output is that of attention over all so far",
        agrees(answer, _at_once, [(*case, EmptyCache()) for case in cases]),
        True,
    )
    yield Check(
        "Called again with the same cache, it goes on with the text",
        lambda: _in_parts(answer, TOKENS, POSITIONS),
        _at_once(TOKENS, POSITIONS),
        "How many came before, the cache knows; this call has seen but a part.",
    )


def _at_once(tokens: Matrix, positions: Matrix, cache: KVCache | None = None) -> Matrix:
    """Causal attention over all tokens, each with its position, without a cache."""
    x = add(tokens, positions[: len(tokens)])
    return scaled_dot_product_attention(x, x, x, causal_mask(len(x)))[0]


def _stored(answer: Any, tokens: Matrix, positions: Matrix) -> int:
    """How many keys the cache holds after a text."""
    cache = EmptyCache()
    answer(copy.deepcopy(tokens), copy.deepcopy(positions), cache)
    return len(cache.keys)


def _in_parts(answer: Any, tokens: Matrix, positions: Matrix) -> list[Any]:
    """The outputs of a text that is fed in parts, with one cache."""
    cache = EmptyCache()
    outputs: list[Any] = []
    for part in (tokens[:2], tokens[2:]):
        outputs.extend(answer(copy.deepcopy(part), copy.deepcopy(positions), cache))
    return outputs


def _differ(outputs: Matrix) -> bool:
    """Whether each later output differs from the first; what came is told."""
    first, *others = map(list, outputs)
    if not others or any(other == first for other in others):
        raise Differs(f"the same token again and again gives {short(outputs)}")
    return True


EXERCISE = Exercise(
    ident="20.6",
    title="Right without a cache, wrong with it",
    level="find the bug",
    name="decode",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            feeds_all_again,
            "feeds the whole text at each step, so each token is stored again and again",
            "The cache then holds a key for each token, once",
        ),
        Wrong(
            counts_from_one,
            "counts the newest token among those stored, so every position is one too high",
            "The first token stands at the first position",
        ),
    ),
)
