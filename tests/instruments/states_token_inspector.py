"""Random states of the token inspector."""

import random
from typing import Any

from coursebuild.instruments.token_inspector import tokenizer

PIECES = (
    *("the", " cat", " sat", "sand", " on", " ", "  ", "\n", "\t", "\0", "a", "Z", "4123"),
    *(
        "é",
        "e\u0301",
        "\u0301",
        "γάτα",
        "猫",
        "ガ",
        "カ\u3099",
        "ﬁ",
        "ß",
        "\u200d",
        "\ufe0f",
        "\u202e",
        "\ufeff",
    ),
    *(
        "😀",
        "👩\u200d💻",
        "🇬🇷",
        "👍🏽",
        "𝒜",
        "\U0010ffff",
        "\ue000",
        "\uffff",
        "\xa0",
        "\x85",
        "\u2028",
        "\u2029",
    ),
)


def character(rng: random.Random) -> str:
    """Any character that UTF-8 can write."""
    value = rng.choice(
        [rng.randrange(0x80), rng.randrange(0x800), rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)]
    )
    return chr(value)


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    many = rng.choice([0, 1, 2, 5, 20, 60])
    kinds = [
        lambda: rng.choice(PIECES),
        lambda: character(rng),
        lambda: rng.choice("the cat sand"),
        lambda: rng.choice(data["samples"])[1],
    ]
    kind = rng.choice([*kinds, lambda: rng.choice(kinds)()])
    text = "".join(kind() for _ in range(many))[: rng.choice([30, 1000])]
    tokens = len(tokenizer(data).encode(text))
    token = rng.choice([0, min(1, tokens), tokens, rng.randint(0, tokens), rng.randint(0, tokens)])
    return {"text": text, "token": token + (rng.random() < 0.05)}
