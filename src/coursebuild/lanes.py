"""The second lane: panels that need a real library.

`make real` runs them, with the packages of requirements-real.lock. Elsewhere a page shows the run that was approved,
and says so: its record holds what was run, with which packages, and when. A record of other code is refused, so that
a panel which was never run cannot pass as run.
"""

import ast
import datetime
import hashlib
import importlib.metadata
import io
import json
import os
import platform
import tokenize
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


def identity(program: str, data: Iterable[Path], packages: Iterable[str]) -> str:
    """What tells one run from another: a hash of the whole program, of the files that it reads, and of what it needs.

    The program is the one in one file: the code of the panel, and that of the library which it imports. Comments and
    docstrings may change without another run.
    """
    read = [path.read_bytes() if path.is_file() else b"" for path in data]
    parts = [_without_remarks(program).encode(), *read, *(name.encode() for name in packages)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _without_remarks(program: str) -> str:
    """The lines of code of a program; line by line, for versions of Python take programs apart into other tokens."""
    lines = program.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(program)):
        if not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            for row in range(node.body[0].lineno - 1, node.body[0].end_lineno or 0):
                lines[row] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


def origin_here(packages: Iterable[str]) -> Origin:
    """The versions that are installed here, and today.

    Raises:
        importlib.metadata.PackageNotFoundError: a package is not installed.
    """
    versions = {name: importlib.metadata.version(name).split("+")[0] for name in packages}
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Origin(versions, platform.python_version(), today)


def keep(root: Path, panel: Panel, done: Execution, run: str) -> None:
    """Write down the run of a panel, as it was approved; `run` is its identity."""
    origin = origin_here(panel.packages)
    record = {
        "run": run,
        "packages": origin.packages,
        "python": origin.python,
        "date": origin.date,
        "checks": done.record["checks"],
        "figures": done.record["figures"],
    }
    text = json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    record_path(root, panel.ident).write_text(text, encoding="utf-8", newline="\n")


def is_current(root: Path, panel: Panel, run: str) -> bool:
    """Whether the record is of this run, made with the versions that are installed here."""
    _, origin, _ = recall(root, panel, run)
    return origin is not None and origin.packages == origin_here(panel.packages).packages


def orphans(root: Path, panels: Mapping[str, Panel]) -> list[Path]:
    """Records of panels that are gone, or have left the second lane."""
    known = {record_path(root, ident) for ident, panel in panels.items() if panel.packages}
    return sorted(path for path in (root / FOLDER).glob("*.json") if path not in known)


def recall(root: Path, panel: Panel, run: str) -> tuple[Execution | None, Origin | None, list[Fault]]:
    """The approved run of a panel, with what it was made of, and why it cannot stand for `run`, the run of today."""
    hint = "make real runs it, make approve-real accepts it"
    try:
        record: dict[str, Any] = json.loads(record_path(root, panel.ident).read_text(encoding="utf-8"))
        text = record_path(root, panel.ident).with_suffix(".txt").read_text(encoding="utf-8")
        printed = (text.partition(FIGURES)[0] + "\n").encode()
        origin = Origin(dict(record["packages"]), str(record["python"]), str(record["date"]))
        checks, figures, kept_run = record["checks"], record["figures"], record["run"]
    except FileNotFoundError:
        return None, None, [panel.fault("it was never run with the packages that it needs", 0, hint)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return None, None, [panel.fault(f"the record of its run cannot be read: {error!r}", 0, hint)]
    if kept_run != run:
        message = f"its code, or what it imports or reads, is not what was run on {origin.date}"
        return None, None, [panel.fault(message, 0, hint)]
    kept = {"checks": checks, "figures": figures, "faults": [], "loaded": []}
    return Execution(kept, 0, printed, ""), origin, []
