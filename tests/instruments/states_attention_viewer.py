"""Random states of the attention viewer."""

import random
from typing import Any

WORDS = ["a", "b", "c", "on_", "<s>", "Ä", "猫", "longer-than-a-cell", "a\tb", "\u00a0"]


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    source = rng.choice(["sentence", "heads", "machine"])
    words = rng.choices(
        rng.sample(WORDS, rng.randint(1, len(WORDS))),
        k=rng.choice([0, 1, 2, 3, 4, 4, 6, 6, 6, 15 if rng.random() < 0.3 else 5, 16]),
    )
    n = 1 + len(words) if source == "machine" else 4
    count = 16 if rng.random() < 0.95 else rng.choice([1, 4, 15])
    number = lambda: rng.choice([0, 6, -10, 10, round(rng.uniform(-10, 10), 1)])  # noqa: E731
    place = lambda: rng.choice([-1, 0, n - 1, rng.randrange(n), min(n, 15) if rng.random() < 0.1 else 0])  # noqa: E731
    return {
        "source": source,
        "head": rng.choice("01"),
        "without": rng.choice(["none", "none", "first", "second"]),
        "prompt": rng.choice([" ", "  "]).join(words)[:200],
        "mask": rng.random() < 0.6,
        "scaled": rng.random() < 0.6,
        "queries": rng.choice([[], [number() for _ in range(count)]]),
        "query": min(place(), 15),
        "key": min(place(), 15),
    }
