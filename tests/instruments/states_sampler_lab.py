"""Random states of the sampler lab."""

import random
from typing import Any

from coursebuild.instruments.sampler_lab import LABELS, MOST_TOKENS


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    source = rng.choice(list(data["presets"]))
    count = len(data["presets"][source]["tokens"])
    count += count < MOST_TOKENS and rng.random() < 0.05  # one too many
    of = lambda *values: rng.choice([*values, None])  # noqa: E731
    either = lambda off, value: off if rng.random() < 0.4 else value  # noqa: E731
    logits = (
        [] if of(True) else [rng.choice([0.0, 1.0, round(rng.uniform(-10, 10), 2)]) for _ in range(count)]
    )
    return {
        "from": source,
        "logits": logits,
        "history": [rng.randrange(count) for _ in range(rng.choice([0, 0, 1, 3, 20]))],
        "temperature": either(1, rng.choice([0, 0.01, 0.5, 2, 5, round(rng.uniform(0.01, 5), 2)])),
        "top_k": either(0, rng.randint(0, 12)),
        "top_p": either(1, rng.choice([0.01, 1, round(rng.uniform(0.01, 1), 2)])),
        "min_p": either(0, rng.choice([0, 1, round(rng.random(), 2)])),
        "repetition_penalty": either(1, round(rng.uniform(1, 5), 2)),
        "frequency_penalty": either(0, round(rng.uniform(0, 5), 2)),
        "presence_penalty": either(0, round(rng.uniform(0, 5), 2)),
        "order": rng.sample(list(LABELS), len(LABELS)),
        "draws": rng.choice(["10", "10", "100", "1000"]) if rng.random() < 0.2 else "10",
        "seed": rng.choice([0, 1, 42, 2**32 - 1, rng.randrange(2**32)]),
    }
