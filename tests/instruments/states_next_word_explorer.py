"""Random states of the next-word explorer."""

import random
from typing import Any

from coursebuild.instruments.next_word_explorer import GRIDS, LONGEST, PARAMETERS
from nextword.ngram import END, START


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    choices = {one.name: [name for name, _ in one.choices] for one in PARAMETERS if hasattr(one, "choices")}
    found = {name: rng.choice(names) for name, names in choices.items()}
    return found | {
        "sentence": _sentence(data["texts"][found["text"]]["training"], rng),
        "k": rng.choice([0.001, 0.5, 1.0, 100.0, *GRIDS["k"], float(f"{10 ** rng.uniform(-3, 2):.3g}")]),
        "weight": rng.choice([0.0, 0.5, 0.99, round(rng.uniform(0, 0.99), 2)]),
        "discount": rng.choice([0.01, 0.75, 0.99, round(rng.uniform(0.01, 0.99), 2)]),
        "start_marker": rng.random() < 0.5,
        "seed": rng.choice([0, 42, 2**32 - 1, rng.randrange(2**32)]),
    }


def _sentence(lines: list[str], rng: random.Random) -> str:
    """The beginning of a line, known words in any order, and now and then what is refused."""
    known = " ".join(lines).split()
    words = rng.choice(lines).split()[: rng.randrange(8)]
    if rng.random() < 0.5:
        words += rng.choices(known, k=rng.choice([1, 2, 5]))
    if rng.random() < 0.2:
        words.append(END)
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice([START, END, "zebra", "", "The"]))
    if rng.random() < 0.02:
        words = ["the"] * (LONGEST + rng.randrange(2))
    return " ".join(words)
