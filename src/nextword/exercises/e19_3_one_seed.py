"""A seed begins one stream of numbers for a text: not a stream for each token, and none that others share.

That output changes although the seed is fixed, because the generator was used in between, is in the course's table of symptoms.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nextword.decoding import decode, decode_step
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.sampling import draw
from nextword.softmax import softmax

Model = Callable[[Sequence[int]], Sequence[float]]
"""From the ids so far to the logits of the next token."""


def start(next_logits: Model, seed: int, limit: int) -> list[int]:
    """Draw a text, token after token, that its seed can replay.

    Args:
        next_logits: the model, from the ids so far to V logits.
        seed: where the generator of this text starts.
        limit: how many tokens to draw.

    Returns:
        The ids, one uniform number of the generator for each.
    """
    text: list[int] = []
    while len(text) < limit:
        rng = random.Random(seed)
        text.append(draw(softmax(next_logits(text)), rng))
    return text


def solution(next_logits: Model, seed: int, limit: int) -> list[int]:
    """Draw a text, token after token, that its seed can replay."""
    rng = random.Random(seed)
    text: list[int] = []
    while len(text) < limit:
        text.append(draw(softmax(next_logits(text)), rng))
    return text


def a_seed_for_each_token(next_logits: Model, seed: int, limit: int) -> list[int]:
    """Begin another stream at each token."""
    text: list[int] = []
    while len(text) < limit:
        rng = random.Random(seed + len(text))
        text.append(draw(softmax(next_logits(text)), rng))
    return text


def the_generator_of_all(next_logits: Model, seed: int, limit: int) -> list[int]:
    """Seed the generator of the module, which everybody uses."""
    random.seed(seed)
    text: list[int] = []
    while len(text) < limit:
        shares = softmax(next_logits(text))
        text += random.choices(range(len(shares)), weights=shares)
    return text


def even(text: Sequence[int]) -> list[float]:
    """A model that finds all of many tokens alike, whatever came."""
    return [0.0] * 50


def uneven(text: Sequence[int]) -> list[float]:
    """A model that minds the last token and the length."""
    last = text[-1] if text else 3
    return [((7 * token + 5 * last + len(text)) % 11) / 3 for token in range(11)]


def replayed(model: Model, seed: int, limit: int) -> list[int]:
    """The library's text of a seed, without an end marker."""
    rng = random.Random(seed)
    return decode(
        lambda text: [*model(text), -1e9],
        lambda logits, text: decode_step(logits[:-1], rng=rng),
        end=len(model([])),
        limit=limit,
    )


def shifted(answer: Any, seed: int) -> list[object]:
    """Is the next seed's text this one's without its first token?"""
    one, other = (list(answer(even, seed + step, 20)) for step in (0, 1))
    return [len(one), one[1:] == other[:-1]]


def leaves_others_alone(answer: Any) -> list[object]:
    """Does the generator of the module stay where it was?"""
    before = random.getstate()
    try:
        text = answer(uneven, 19, 12)
        return [len(text), random.getstate() == before]
    finally:
        random.setstate(before)


def checks(answer: Any) -> Iterator[Check]:
    """What a text that can be replayed must be."""
    yield Check(
        "It draws more than one token from a model that finds all alike",
        lambda: len(set(answer(even, 19, 40))) > 1,
        True,
        "Made anew from its seed, a generator gives its first number over again",
    )
    yield Check(
        "A seed's text is not the one of the seed before, moved by a token",
        lambda: shifted(answer, 19),
        [20, False],
        "With a seed for each token, neighbouring seeds share nearly all numbers",
    )
    yield Check(
        "It leaves the generator that all code shares as it was",
        lambda: leaves_others_alone(answer),
        [12, True],
        "The functions of `random` share one generator, which any other call moves",
    )
    seeds = range(20)
    yield Check(
        "It takes one number for each token, from a generator made with the seed",
        lambda: sum(list(answer(uneven, seed, 25)) == replayed(uneven, seed, 25) for seed in seeds),
        len(seeds),
        "Of so many seeds the texts agree with those of the library's draw",
    )
    yield Check(
        "A longer text of a seed begins with the shorter one, whenever it is asked for",
        lambda: [answer(uneven, 5, length)[:5] for length in (30, 5)],
        [replayed(uneven, 5, 5)] * 2,
    )


EXERCISE = Exercise(
    ident="19.3",
    title="The same word all along",
    level="find the bug",
    name="write",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            a_seed_for_each_token,
            "makes a new generator for each token, from the seed and its place",
            "A seed's text is not the one of the seed before, moved by a token",
        ),
        Wrong(
            the_generator_of_all,
            "seeds the generator of the module, which other code uses as well",
            "It leaves the generator that all code shares as it was",
        ),
    ),
)
