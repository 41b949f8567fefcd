"""Decoding with a cache: the newest token alone is fed, so its position is no longer its place in what is fed."""

import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import KVCache, attend_next, causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same
from nextword.matrices import Matrix, add, draw_matrix


def start(tokens: Matrix, positions: Matrix) -> Matrix:
    """Causal attention, token by token, with a cache.

    tokens: shape (n, d). positions: shape (m, d) with m >= n; row i is
    added to token i. The sum is its query, key and value. Returns (n, d).
    """
    cache = KVCache()
    outputs = []
    for token in tokens:
        fed = [token]  # the newest alone: the cache has the others
        (x,) = add(fed, positions[: len(fed)])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def solution(tokens: Matrix, positions: Matrix) -> Matrix:
    """Causal attention, token by token, with a cache.

    tokens: shape (n, d). positions: shape (m, d) with m >= n; row i is
    added to token i. The sum is its query, key and value. Returns (n, d).
    """
    cache = KVCache()
    outputs = []
    for token in tokens:
        fed = [token]
        stored = len(cache.keys)  # as many as came before
        (x,) = add(fed, positions[stored : stored + len(fed)])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def feeds_all_again(tokens: Matrix, positions: Matrix) -> Matrix:
    """Feeds the whole text at each step, into a cache that has it."""
    cache = KVCache()
    outputs = []
    for n in range(1, len(tokens) + 1):
        for x in add(tokens[:n], positions[:n]):
            output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def counts_from_one(tokens: Matrix, positions: Matrix) -> Matrix:
    """Counts the newest token among those that are stored."""
    cache = KVCache()
    outputs = []
    for token in tokens:
        number = len(cache.keys) + 1
        (x,) = add([token], [positions[number]])
        output, _ = attend_next(cache, x, x, x)
        outputs.append(output)
    return outputs


def checks(answer: Any) -> Iterator[Check]:
    """Against causal attention over all tokens at once, which needs no cache."""
    rng = random.Random(20)
    tokens, positions = draw_matrix(5, 2, 1.5, rng), draw_matrix(8, 2, 1.5, rng)
    yield Check(
        "The first token stands at the first position",
        lambda: fresh(answer, tokens[:1], positions)()[0],
        add(tokens[:1], positions[:1])[0],
        "A position is the number of tokens before; the newest is not stored yet.",
    )
    yield Check(
        "A token that comes again gets another output: it stands elsewhere",
        lambda: _unlike_first(fresh(answer, [tokens[0]] * 3, positions)()),
        [True, True],
        "What is fed is one row at each step; its length is no position.",
    )
    yield Check(
        "Each token is stored once: at every step the output of attention over all so far",
        lambda: same(fresh(answer, tokens, positions)(), _at_once(tokens, positions)),
        True,
        "The cache has the tokens before: fed again, they are stored again.",
    )
    yield Check(
        "The outputs of a text begin with those of its beginning",
        lambda: _begins_alike(fresh(answer, tokens, positions)(), fresh(answer, tokens[:3], positions)()),
        True,
        "A position counts from the start of the text, never from its end.",
    )


def _at_once(tokens: Matrix, positions: Matrix) -> Matrix:
    """Causal attention over all tokens, each with its position, without a cache."""
    x = add(tokens, positions[: len(tokens)])
    return scaled_dot_product_attention(x, x, x, causal_mask(len(x)))[0]


def _begins_alike(outputs: Matrix, shorter: Matrix) -> bool:
    """Whether the outputs begin with those of a shorter text of several tokens."""
    return len(shorter) > 1 and same(outputs[: len(shorter)], shorter)


def _unlike_first(outputs: Matrix) -> list[bool]:
    """Whether each later output differs from the first."""
    first, *others = map(list, outputs)
    return [other != first for other in others]


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
            "Each token is stored once: at every step the output of attention over all so far",
        ),
        Wrong(
            counts_from_one,
            "counts the newest token among those stored, so every position is one too high",
            "The first token stands at the first position",
        ),
    ),
)
