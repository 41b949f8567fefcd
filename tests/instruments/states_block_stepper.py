"""Random states of the block stepper."""

import random
from typing import Any

from coursebuild.instruments.block_stepper import DEEPEST, SEEDS, TOKENS, D


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    return {
        "order": rng.choice(["pre", "post"]),
        "step": rng.randint(0, 6),
        "token": rng.randrange(len(TOKENS)),
        "feature": rng.randrange(D),
        "block": rng.choice([1, 2, 12, 13, DEEPEST, rng.randint(1, DEEPEST)]),
        "weights": rng.choice(["reused", "fresh"]),
        "seed": rng.choice(SEEDS),
    }
