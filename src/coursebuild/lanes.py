"""The second lane: panels that need a real library.

`make real` runs them, with the packages of requirements-real.lock. Elsewhere a page shows the run that was approved,
and says so: its record holds what was run, with which packages, and when. A record of other code is refused, so that
a panel which was never run cannot pass as run.
"""

import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coursebuild.faults import Fault
from coursebuild.panels import Panel
from coursebuild.runner import FIGURES, Execution

FOLDER = Path("tests") / "outputs"
REAL = "COURSE_REAL"
"""The variable of the environment that `make real` sets."""


def is_real() -> bool:
    """Whether this process runs the panels of the second lane."""
    return os.environ.get(REAL) == "1"


@dataclass(frozen=True)
class Origin:
    """With what a panel was run: the versions of its packages, of Python, and the day."""

    packages: dict[str, str]
    python: str
    date: str

    @property
    def versions(self) -> str:
        """The packages with their versions, as a page says it."""
        return ", ".join(f"{name} {version}" for name, version in self.packages.items())


def record_path(root: Path, ident: str) -> Path:
    """Where the record of a panel's approved run lies, beside its approved output."""
    return root / FOLDER / f"{ident}.json"


def code_of(panel: Panel) -> str:
    """What identifies the program of a panel: a hash of its code and of the names of what it reads."""
    parts = [*(part.code for part in panel.program), *panel.files, *panel.packages]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def origin_here(packages: Iterable[str]) -> Origin:
    """The versions that are installed here, and today.

    Raises:
        importlib.metadata.PackageNotFoundError: a package is not installed.
    """
    versions = {name: importlib.metadata.version(name).split("+")[0] for name in packages}
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Origin(versions, platform.python_version(), today)


def keep(root: Path, panel: Panel, done: Execution) -> None:
    """Write down the run of a panel, as it was approved."""
    origin = origin_here(panel.packages)
    record = {
        "code": code_of(panel),
        "packages": origin.packages,
        "python": origin.python,
        "date": origin.date,
        "checks": done.record["checks"],
        "figures": done.record["figures"],
    }
    text = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    record_path(root, panel.ident).write_text(text, encoding="utf-8", newline="\n")


def is_current(root: Path, panel: Panel) -> bool:
    """Whether the record is of this code, run with the versions that are installed here."""
    _, origin, _ = recall(root, panel)
    return origin is not None and origin.packages == origin_here(panel.packages).packages


def orphans(root: Path, panels: Mapping[str, Panel]) -> list[Path]:
    """Records of panels that are gone, or have left the second lane."""
    known = {record_path(root, ident) for ident, panel in panels.items() if panel.packages}
    return sorted(path for path in (root / FOLDER).glob("*.json") if path not in known)


def recall(root: Path, panel: Panel) -> tuple[Execution | None, Origin | None, list[Fault]]:
    """The approved run of a panel, with what it was made of, and why it cannot stand for a run of the panel's code."""
    hint = "make real runs it, make approve-real accepts it"
    try:
        record: dict[str, Any] = json.loads(record_path(root, panel.ident).read_text(encoding="utf-8"))
        text = record_path(root, panel.ident).with_suffix(".txt").read_text(encoding="utf-8")
        printed = (text.partition(FIGURES)[0] + "\n").encode()
        origin = Origin(dict(record["packages"]), str(record["python"]), str(record["date"]))
        checks, figures, code = record["checks"], record["figures"], record["code"]
    except FileNotFoundError:
        return None, None, [panel.fault("it was never run with the packages that it needs", 0, hint)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return None, None, [panel.fault(f"the record of its run cannot be read: {error!r}", 0, hint)]
    if code != code_of(panel):
        return None, None, [panel.fault(f"its code is not what was run on {origin.date}", 0, hint)]
    kept = {"checks": checks, "figures": figures, "faults": [], "loaded": []}
    return Execution(kept, 0, printed, ""), origin, []
