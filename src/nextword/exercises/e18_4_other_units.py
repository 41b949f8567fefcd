"""A perplexity per token in other units, for models with other tokens (lesson 18, panel 18.7; kpu/kenlm#193)."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.entropy import bits_per_byte, perplexity, total_surprise
from nextword.exercises.asking import refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same


def start(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Convert a perplexity, so that models with other tokens compare.

    Args:
        per_token: the perplexity of a model on the text, at least 1; it
            may be infinite.
        tokens: how many tokens the model predicted for the text.
        text: words of it are parted by white space.

    Returns:
        Bits per byte of the text in UTF-8, and the perplexity per word.

    Raises:
        ValueError: the perplexity is below 1.
    """
    raise NotImplementedError("spread the surprise of the whole text")


def solution(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Find the surprise of the whole text, then spread it."""
    if per_token < 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    per_byte = bits / len(text.encode("utf-8"))
    per_word = bits / len(text.split())
    return per_byte, math.pow(2, per_word)


def per_character(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Spread the bits over the characters."""
    if per_token < 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    return bits / len(text), math.pow(2, bits / len(text.split()))


def in_proportion(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Scale the perplexity by the tokens of a word."""
    if per_token < 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    per_byte = bits / len(text.encode("utf-8"))
    return per_byte, per_token * tokens / len(text.split())


def cases() -> list[tuple[list[float], str]]:
    """Texts in several scripts, with a probability for each of a random number of tokens."""
    rng = random.Random(18)
    texts = ["the wind blew", "ο άνεμος φύσηξε", "風 が 吹いた", "naïve cafés"]
    return [([1 - rng.random() for _ in range(rng.randint(3, 9))], text) for text in texts for _ in range(5)]


def checks(answer: Any) -> Iterator[Check]:
    """What the converted scores must be."""
    text = "ο άνεμος φύσηξε και η πόρτα έκλεισε"
    size = len(text.encode("utf-8"))
    yield Check(
        "Guessing each byte evenly costs as many bits as a byte has",
        lambda: answer(256.0, size, text)[0],
        math.log2(256),
        "Bits want log2, not the natural logarithm, and a byte is not a character",
    )
    yield Check(
        "With one token a word, the perplexity per word is that per token",
        lambda: answer(30.0, len(text.split()), text)[1],
        30.0,
    )
    yield Check(
        "Splitting each token into a pair leaves the perplexity per word as it is",
        lambda: [answer(16.0, 10, text)[1], answer(4.0, 20, text)[1]],
        [16 ** (10 / len(text.split()))] * 2,
        "Perplexities multiply. Spread their logarithm, the surprise, over the words",
    )
    yield Check(
        "A sure model costs no bits, an impossible token infinitely many",
        lambda: [answer(1.0, 9, text), answer(math.inf, 9, text)],
        [(0.0, 1.0), (math.inf, math.inf)],
    )
    yield Check(
        "In several scripts it agrees with scores of the single probabilities",
        lambda: sum(
            same(
                answer(perplexity(given), len(given), text),
                (bits_per_byte(given, text), math.exp(total_surprise(given) / len(text.split()))),
            )
            for given, text in cases()
        ),
        len(cases()),
    )
    yield Check(
        "A perplexity that no model can have is refused with a ValueError",
        refuses(answer, 0.5, 9, text),
        True,
        "Below it lies no probability: even a model that is always sure and right scores one",
    )


EXERCISE = Exercise(
    ident="18.4",
    title="Perplexity in other units",
    level="implement",
    name="convert_perplexity",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            per_character,
            "spreads the bits over characters in place of bytes",
            "Guessing each byte evenly costs as many bits as a byte has",
        ),
        Wrong(
            in_proportion,
            "scales the perplexity as if it grew in proportion to the tokens",
            "Splitting each token into a pair leaves the perplexity per word as it is",
        ),
    ),
)
