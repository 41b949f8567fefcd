"""Instruments: what a reader moves by hand on a page, beside the panel that computes the same.

Each instrument is a module here, which says with ``nextword`` what the instrument shows in a state, and a script in
``coursebuild/live/instruments``, whose port of that computation the tests hold against this one. The build runs the
module on the state that the page begins with: what it finds is the picture of a reader without scripts.

The press never imports the modules: they run in an interpreter of their own, so that an edit of the library is seen.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coursebuild.cache import Cache, key
from coursebuild.faults import Problem
from coursebuild.runner import SOURCE, Surroundings, environment
from coursebuild.source import Fence

NAMES = (
    "bpe-stepper",
    "token-inspector",
    "next-word-explorer",
    "sampler-lab",
    "attention-viewer",
    "block-stepper",
)
"""The instruments, as pages name them; the module of one has underscores."""

LANGUAGE = "instrument"


class NotComputed(Exception):
    """The module of an instrument failed."""


@dataclass(frozen=True)
class Asked:
    """An instrument on a page.

    Attributes:
        name: one of ``NAMES``.
        start: where the state differs from the instrument's own, as in a link: ``temperature=2&top_k=3``.
    """

    name: str
    start: str = ""


@dataclass(frozen=True)
class Made:
    """What the build computed for an instrument on a page.

    Attributes:
        title: the instrument's name for readers.
        shows: the names of the library's functions that compute what it shows.
        kept: what its script needs, JSON of ``data``, ``parameters`` and ``state``.
        picture: HTML for a reader without scripts.
        problem: why the page's own state is refused; empty if it is not.
    """

    title: str = ""
    shows: tuple[str, ...] = ()
    kept: str = ""
    picture: str = ""
    problem: str = ""


def is_instrument(fence: Fence) -> bool:
    """Whether a block is a well written one of an instrument."""
    return fence.language == LANGUAGE and not any(True for _ in problems(fence))


def asked(fence: Fence) -> Asked:
    """The instrument of a well written block."""
    return Asked(fence.option["use"], fence.option.get("start", ""))


def problems(fence: Fence) -> Iterator[Problem]:
    """What is wrong with a block of an instrument as it is written."""
    if fence.problem:
        yield fence.problem
    elif set(fence.option) - {"start"} != {"use", "panel"}:
        yield Problem(
            "instrument-malformed",
            'an instrument is ```instrument use="name" panel="17.1", and start="name=value" where it begins otherwise',
        )
    elif fence.option["use"] not in NAMES:
        yield Problem(
            "instrument-unknown",
            f"there is no instrument {fence.option['use']!r}; there are {', '.join(NAMES)}",
        )
    elif not fence.body.strip():
        yield Problem("instrument-caption-missing", "an instrument needs a caption: the text of its block")


def make(asked: Sequence[Asked], around: Surroundings, cache: Cache | None = None) -> dict[Asked, Made]:
    """Compute what pages show of their instruments, but for what is kept, in an interpreter of its own.

    Raises:
        NotComputed: a module failed, or took too long.
    """
    wanted = list(dict.fromkeys(asked))
    keys = {one: key("instrument", around, one.name, one.start) for one in wanted} if cache else {}
    kept = {one: cache.recall(keys[one]) for one in wanted} if cache else {}
    entries = {one: found.value for one, found in kept.items() if found}
    missing = [one for one in wanted if one not in entries]
    for one, entry in zip(missing, computed(missing, around), strict=True):
        read = entry.pop("read")
        entries[one] = entry
        if cache:
            cache.keep(keys[one], entry, read)
    return {one: _as_made(entries[one]) for one in wanted}


def _as_made(entry: dict[str, Any]) -> Made:
    return Made(**entry | {"shows": tuple(entry["shows"])})


def computed(asked: list[Asked], around: Surroundings) -> list[dict[str, Any]]:
    """Compute what pages show of instruments, each with the files that it read.

    Raises:
        NotComputed: a module failed, or took too long.
    """
    if not asked:
        return []
    source = around.source.resolve()
    program = f"import sys\nsys.path.insert(0, {str(SOURCE)!r})\nfrom coursebuild.instruments.making import main\nmain()"
    job = {
        "asked": [[one.name, one.start] for one in asked],
        "source": str(source),
        "project": str(source.parent),
        "press_source": str(SOURCE),
        "press": str(SOURCE.parent),
        "apart": [sys.prefix, *(path for path in sys.path if path.endswith("site-packages"))],
    }
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", program],
            input=json.dumps(job),
            env=environment(around),
            capture_output=True,
            encoding="utf-8",
            timeout=around.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotComputed(f"the instruments were still computed after {around.seconds:g} s") from None
    if done.returncode or done.stderr:
        raise NotComputed(done.stderr.strip()[-2000:] or f"it ended with status {done.returncode}")
    entries: list[dict[str, Any]] = json.loads(done.stdout)
    return entries


def script_of(name: str) -> Path:
    """The script of an instrument."""
    return Path(__file__).parent.parent / "live" / "instruments" / f"{name.replace('-', '_')}.js"
