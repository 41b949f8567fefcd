"""Other surroundings than those of the build, drawn at random: COURSE_SEED=… draws the same ones again (tests/conftest.py)."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from coursebuild.runner import Surroundings

ROOT = Path(__file__).resolve().parents[2]
SEED = os.environ["COURSE_SEED"]
HOW = f"drawn with COURSE_SEED={SEED}"
"""Ends the message of a test that fails in these surroundings."""

T = TypeVar("T")


def drawn(purpose: str) -> random.Random:
    """A source of random choices, another one for each purpose."""
    return random.Random(f"{SEED} {purpose}")


def shuffled(items: Iterable[T], purpose: str) -> list[T]:
    """The items in an order that is drawn."""
    found = list(items)
    drawn(purpose).shuffle(found)
    return found


def locales() -> list[str]:
    """The locales of this machine; two that every one has, at least."""
    if not shutil.which("locale"):
        return ["C", "POSIX"]
    said = subprocess.run(["locale", "-a"], capture_output=True, encoding="latin-1").stdout.split()
    return sorted({"C", "POSIX", *(name for name in said if name.isascii())})


def surroundings(purpose: str) -> Surroundings:
    """A hash seed, a time zone up to 14 hours from Greenwich, a locale, and a clock moved by up to two years."""
    draw = drawn(purpose)
    minutes = 15 * draw.choice([n for n in range(-48, 57) if n])
    hours, rest = divmod(abs(minutes), 60)
    return Surroundings(
        hash_seed=str(draw.randrange(1, 2**32)),
        timezone=f"AWAY{'-' if minutes > 0 else ''}{hours:02}:{rest:02}",  # POSIX counts to the west
        locale=draw.choice(locales()),
        days=draw.choice([-1, 1]) * draw.randrange(30, 730),
        source=ROOT / "src",
    )


ELSEWHERE = surroundings("panels")
"""Other surroundings than those of the build, all at once: no output may depend on them."""
