"""A perplexity per token in other units, for models with other tokens (lesson 18, panel 18.7; kpu/kenlm#193)."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.entropy import bits_per_byte, perplexity, total_surprise
from nextword.exercises.asking import agrees, fresh, refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong


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
        text: at least one word; white space parts them.

    Returns:
        Bits per byte of the text in UTF-8, and the perplexity per word,
        infinite if it is too large for a float.

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
    if not per_token >= 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    per_byte = bits / len(text.encode("utf-8"))
    per_word = bits / len(text.split())
    return per_byte, 2.0**per_word if per_word < 1024 else math.inf


def per_character(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Spread the bits over the characters."""
    if not per_token >= 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    per_word = bits / len(text.split())
    return bits / len(text), 2.0**per_word if per_word < 1024 else math.inf


def in_proportion(
    per_token: float,
    tokens: int,
    text: str,
) -> tuple[float, float]:
    """Scale the perplexity by the tokens of a word."""
    if not per_token >= 1:
        raise ValueError(f"per_token must be at least 1, not {per_token}")
    bits = math.log2(per_token) * tokens
    per_byte = bits / len(text.encode("utf-8"))
    return per_byte, per_token * tokens / len(text.split())


def scored() -> dict[tuple[float, int, str], tuple[float, float]]:
    """Scores of texts in several scripts, from the probabilities of a random number of tokens."""
    rng = random.Random(18)
    found = {}
    for text in ("the wind blew", "the wind\nblew\n", "ο άνεμος φύσηξε", "風 が 吹いた", "naïve cafés"):
        for tokens in (rng.randint(3, 9) for _ in range(5)):
            given = [1 - rng.random() for _ in range(tokens)]
            per_word = math.exp(total_surprise(given) / len(text.split()))
            found[perplexity(given), tokens, text] = (bits_per_byte(given, text), per_word)
    return found


def checks(answer: Any) -> Iterator[Check]:
    """What the converted scores must be."""
    text = "ο άνεμος φύσηξε και η πόρτα έκλεισε"
    size = len(text.encode("utf-8"))
    lines = "the wind\nblew and\nblew\n"
    yield Check(
        "Guessing each byte evenly costs as many bits as a byte has",
        lambda: answer(256.0, size, text)[0],
        math.log2(256),
        "Bits want log2, not the natural logarithm, and a byte is not a character.",
    )
    yield Check(
        "With one token a word, the perplexity per word is that per token",
        lambda: answer(30.0, len(lines.split()), lines)[1],
        30.0,
        "Words are what white space parts, be it a space, several, or the end of a line.",
    )
    yield Check(
        "Splitting each token into a pair leaves the perplexity per word as it is",
        lambda: [answer(16.0, 10, text)[1], answer(4.0, 20, text)[1]],
        [16 ** (10 / len(text.split()))] * 2,
        "Perplexities multiply. Spread their logarithm, the surprise, over the words.",
    )
    yield Check(
        "A sure model costs no bits, an impossible token infinitely many",
        lambda: [answer(1.0, 9, text), answer(math.inf, 9, text)],
        [(0.0, 1.0), (math.inf, math.inf)],
    )
    unparted = "風が吹いた"
    yield Check(
        "A perplexity per word that is too large for a float is infinite",
        fresh(answer, 50257.0, 100, unparted),
        (math.log2(50257) * 100 / len(unparted.encode("utf-8")), math.inf),
        "A text without white space is a single word. Ask how large the exponent is.",
    )
    known = scored()
    yield Check(
        "In several scripts it agrees with scores of the single probabilities",
        agrees(answer, lambda *case: known[case], known),
        True,
    )
    yield Check(
        "A perplexity that no model can have is refused with a ValueError",
        refuses(answer, 0.99, 9, text),
        True,
        "Below it lies no probability: even a model that is always sure and right scores one.",
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
