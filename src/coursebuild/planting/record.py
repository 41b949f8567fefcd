"""What a run of `make faults` over the whole site showed, as the ledger's page publishes it and the tests hold it to the site."""

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coursebuild.faults import Fault
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


def read(root: Path) -> tuple[dict[str, Any] | None, list[Fault]]:
    """The record of the last run of all, or None if there was none; and what is wrong with it."""
    try:
        found: dict[str, Any] = json.loads((root / FILE).read_text(encoding="utf-8"))
        problem = _disagreement(found)
    except FileNotFoundError:
        return None, []
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
    if problem:
        message = f"it is no record of planted faults: {problem}"
        return None, [Fault("planted-unreadable", FILE.as_posix(), 1, "planted faults", message)]
    return found, []


def _disagreement(found: dict[str, Any]) -> str:
    """Where a record does not add up: each kind was planted once in each target, and no more were caught than were planted."""
    if set(found) != {"date", "targets", "kinds"}:
        return f"it has {sorted(found)}"
    datetime.date.fromisoformat(found["date"])
    many = {group: len(set(found["targets"][group])) for group in GROUPS}
    if not found["kinds"]:
        return "it has no kinds"
    for kind, row in found["kinds"].items():
        for group in GROUPS:
            planted, caught = row[group]
            if type(caught) is not int or planted != many[group] or not 0 <= caught <= planted:
                return f"of {kind} {caught!r} of {planted!r} were caught in {many[group]} {group}s"
    return ""
