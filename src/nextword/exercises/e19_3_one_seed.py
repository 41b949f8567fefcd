"""A seed begins one stream of numbers for a text: not a stream for each token, and none that others share.

That output changes although the seed is fixed, because the generator was used in between, is in the course's table of symptoms.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nextword.decoding import decode, decode_step
from nextword.exercises.asking import Differs, agrees
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
        limit: how many tokens to draw, at least 0.

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


class Uneven:
    """A model that minds the last token and the length."""

    def __call__(self, text: Sequence[int]) -> list[float]:
        """Give the logits."""
        last = text[-1] if text else 3
        return [((7 * token + 5 * last + len(text)) % 11) / 3 for token in range(11)]

    def __repr__(self) -> str:
        """How a report calls it."""
        return "model"


class Noisy(Uneven):
    """The same model, which moves the generator of the module whenever it is asked."""

    def __call__(self, text: Sequence[int]) -> list[float]:
        """Draw a number that nobody needs, and give the logits."""
        random.random()
        return super().__call__(text)


def replayed(model: Model, seed: int, limit: int) -> list[int]:
    """The library's text of a seed, without an end marker."""
    if limit == 0:
        return []
    rng = random.Random(seed)
    return decode(
        lambda text: [*model(text), -1e9],
        lambda logits, text: decode_step(logits[:-1], rng=rng),
        end=len(model([])),
        limit=limit,
    )


def drawn(answer: Any, model: Model, seed: int, limit: int) -> list[int]:
    """What the answer draws, as many tokens as asked for."""
    given = answer(model, seed, limit)
    if given is None:
        raise Differs("got None. Is a return missing?")
    text = list(given)
    if len(text) != limit:
        raise Differs(f"asked for {limit} tokens, got {len(text)}")
    return text


def varies(answer: Any) -> bool:
    """Does it draw different tokens where all are alike?"""
    text = drawn(answer, even, 19, 40)
    if len(set(text)) == 1:
        raise Differs(f"asked for {len(text)} tokens, got the token {text[0]} each time")
    return True


def stands_apart(answer: Any, seed: int) -> bool:
    """Is a seed's text more than the next one's, moved by a token?"""
    one, other = (drawn(answer, even, seed + step, 20) for step in (0, 1))
    if one[1:] == other[:-1]:
        raise Differs(f"seed {seed}: {one[:6]} …\nseed {seed + 1}: {other[:5]} …")
    return True


def leaves_others_alone(answer: Any) -> bool:
    """Does the generator of the module stay where it was?"""
    before = random.getstate()
    try:
        drawn(answer, Uneven(), 19, 12)
        moved = random.getstate() != before
    finally:
        random.setstate(before)
    if moved:
        raise Differs("the next `random.random()` gives another number than without the call")
    return True


def is_left_alone(answer: Any) -> bool:
    """Is the text the same if the model uses the generator of the module?"""
    before = random.getstate()
    try:
        quiet, noisy = (drawn(answer, model, 19, 6) for model in (Uneven(), Noisy()))
    finally:
        random.setstate(before)
    if quiet != noisy:
        raise Differs(f"undisturbed {quiet}\ndisturbed {noisy}")
    return True


def begins_anew(answer: Any) -> bool:
    """Does a longer text of a seed begin with the shorter one?"""
    longer, shorter = (drawn(answer, Uneven(), 5, length) for length in (30, 6))
    if longer[:6] != shorter:
        raise Differs(f"asked for {len(longer)} tokens {longer[:6]} …\nasked for {len(shorter)} {shorter}")
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What a text that can be replayed must be."""
    yield Check(
        "It draws more than one token from a model that finds all alike",
        lambda: varies(answer),
        True,
        "Made anew from its seed, a generator repeats its first number.",
    )
    yield Check(
        "A seed's text is not the next seed's, moved by a token",
        lambda: stands_apart(answer, 19),
        True,
        "With a seed for each token, neighbouring seeds share their numbers.",
    )
    yield Check(
        "A longer text of a seed begins with the shorter one",
        lambda: begins_anew(answer),
        True,
        "A generator that outlives the call goes on where the last text ended.",
    )
    yield Check(
        "It leaves the generator that all code shares as it was",
        lambda: leaves_others_alone(answer),
        True,
        "The functions of `random` share one generator, which any call moves.",
    )
    yield Check(
        "A model that draws from that generator does not disturb it",
        lambda: is_left_alone(answer),
        True,
        "A text needs a generator that nobody else can reach.",
    )
    yield Check(
        "It takes one number for each token, from a generator of the seed",
        agrees(answer, replayed, [*((Uneven(), seed, 8) for seed in range(20)), (Uneven(), 0, 0)]),
        True,
        "Expected is what the library draws from `random.Random(seed)`.",
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
            "A seed's text is not the next seed's, moved by a token",
        ),
        Wrong(
            the_generator_of_all,
            "seeds the generator of the module, which other code uses as well",
            "It leaves the generator that all code shares as it was",
        ),
    ),
)
