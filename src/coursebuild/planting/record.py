"""What a run of `make faults` over the whole site showed, as the ledger's page publishes it and the tests hold it to the site."""

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coursebuild.planting.kinds import GROUPS, KINDS

FILE = Path("tests") / "faults.json"


@dataclass(frozen=True)
class Outcome:
    """What became of a planted fault: what was missed of what should have been said, and what was said."""

    kind: str
    group: str
    ident: str
    missed: tuple[str, ...]
    said: str


def counts(done: Sequence[Outcome], kind: str, group: str) -> tuple[int, int]:
    """How many faults of a kind were planted in a group, and how many of them were caught."""
    here = [not outcome.missed for outcome in done if (outcome.kind, outcome.group) == (kind, group)]
    return len(here), sum(here)


def table(done: Sequence[Outcome]) -> str:
    """How many of each kind were caught, of how many that were planted."""
    lines = [f"{'':<26}" + "".join(f"{group + 's':>14}" for group in GROUPS)]
    for kind in KINDS:
        found = [counts(done, kind, group) for group in GROUPS]
        cells = [f"{caught} of {planted}" if planted else "" for planted, caught in found]
        lines.append(f"{kind:<26}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)


def write(root: Path, done: Sequence[Outcome]) -> None:
    """Write down a run of all: its day, in what faults were planted, and of each kind how many, and how many were caught."""
    found = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "targets": {
            group: sorted({outcome.ident for outcome in done if outcome.group == group}) for group in GROUPS
        },
        "kinds": {kind: {group: counts(done, kind, group) for group in GROUPS} for kind in KINDS},
    }
    (root / FILE).parent.mkdir(exist_ok=True)
    (root / FILE).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def read(root: Path) -> dict[str, Any] | None:
    """The record of the last run of all, or None if there was none.

    Raises:
        ValueError: the file is no such record.
    """
    try:
        text = (root / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        found: dict[str, Any] = json.loads(text)
        is_sound = set(found) == {"date", "targets", "kinds"} and _adds_up(found)
    except (ValueError, TypeError, KeyError, AttributeError):
        is_sound = False
    if not is_sound:
        raise ValueError(f"{FILE.as_posix()} is no record of planted faults: make faults writes one")
    return found


def _adds_up(found: dict[str, Any]) -> bool:
    """Whether each kind was planted once in each target, and no more were caught than were planted."""
    many = {group: len(set(found["targets"][group])) for group in GROUPS}
    datetime.date.fromisoformat(found["date"])
    return bool(found["kinds"]) and all(
        type(caught) is int and planted == many[group] and 0 <= caught <= planted
        for row in found["kinds"].values()
        for group in GROUPS
        for planted, caught in [row[group]]
    )
