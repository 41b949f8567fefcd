"""The second lane: panels that need a real library.

`make real` runs them, with the packages of requirements-real.lock. Elsewhere a page shows the run that was approved,
and says so: its record holds what was run, with which packages, and when. A record of other code is refused. That a
committed record is true, no lane that does not run can tell: `make real` does, and CI runs both.
"""

import ast
import datetime
import functools
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
from coursebuild.library import packages_of
from coursebuild.panels import Panel
from coursebuild.runner import FIGURES, Execution, Result, stable

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
    def release(self) -> str:
        """The Python without its last number: patches of one release are taken for alike."""
        return ".".join(self.python.split(".")[:2])

    @property
    def versions(self) -> str:
        """The packages with their versions, as a page says it."""
        return ", ".join(f"{name} {version}" for name, version in self.packages.items())


def record_path(root: Path, ident: str) -> Path:
    """Where the record of a panel's approved run lies, beside its approved output."""
    return root / FOLDER / f"{ident}.json"


def identity(panel: Panel, program: str, data: Iterable[Path]) -> str:
    """What tells one run from another: a hash of the panel's code, of the library's that it imports, and of what it reads.

    The code of the panel and of those that it continues counts to the letter, for the record holds lines of it; of the
    program in one file, comments, docstrings and empty lines do not.
    """
    own = [part.code for part in panel.program]
    read = [path.read_bytes() if path.is_file() else b"" for path in data]
    named = [*own, _without_remarks(program), *panel.packages]
    parts = [*(text.encode() for text in named), *read]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@functools.lru_cache(maxsize=64)
def _without_remarks(program: str) -> str:
    """The lines of code of a program, each string as it is. As text, for Pythons differ in tokens and in trees."""
    lines = [line.encode() for line in program.split("\n")]
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = token.line[:column].encode()
    nodes = list(ast.walk(ast.parse(program)))
    texts = [node for node in nodes if isinstance(node, (ast.Constant, ast.JoinedStr))]
    whole = {row for node in texts for row in range(node.lineno, node.end_lineno or 0)}
    if "__doc__" not in program:
        homes = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        for home in (node for node in nodes if isinstance(node, homes)):
            if ast.get_docstring(home, clean=False) is not None:
                _blank(lines, home.body[0])
                whole -= set(range(home.body[0].lineno, home.body[0].end_lineno or 0))
    kept = (
        line if row in whole else line.rstrip()
        for row, line in enumerate(lines, 1)
        if row in whole or row - 1 in whole or line.strip()
    )
    return b"\n".join(kept).decode()


def _blank(lines: list[bytes], node: ast.stmt) -> None:
    """Take a statement out of the lines, and nothing beside it."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    rest = lines[last][node.end_col_offset :]
    lines[first : last + 1] = [lines[first][: node.col_offset] + rest, *[b""] * (last - first)]


def origin_here(packages: Iterable[str]) -> Origin:
    """The versions that are installed here, and today.

    Raises:
        importlib.metadata.PackageNotFoundError: a package is not installed.
    """
    versions = {name: importlib.metadata.version(name).split("+")[0] for name in packages}
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Origin(versions, platform.python_version(), today)


def unnamed(panel: Panel, program: str) -> list[str]:
    """The modules that a panel's program imports, and that are of no package that it names. NumPy is in either lane."""
    owners = importlib.metadata.packages_distributions()
    return [
        module
        for module in packages_of(program)
        if module != "numpy" and not {_plain(name) for name in owners.get(module, [])} & set(panel.packages)
    ]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


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
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    record_path(root, panel.ident).write_text(text, encoding="utf-8", newline="\n")


def is_current(root: Path, panel: Panel, done: Execution, run: str) -> bool:
    """Whether the record says what this run showed, made with what is installed here."""
    kept, origin, _ = recall(root, panel, run)
    if kept is None or origin is None:
        return False
    here = origin_here(panel.packages)
    return (origin.packages, origin.release, shown(kept)) == (here.packages, here.release, shown(done))


def shown(done: Execution) -> tuple[object, ...]:
    """What a run says of its claims and figures, floats to the digits that are approved."""
    checks = [(check["claim"], check["held"], check["line"]) for check in done.record["checks"]]
    return checks, sorted((name, stable(value)) for name, value in done.record["figures"].items())


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
        day = datetime.date.fromisoformat(record["date"]).isoformat()
        origin = Origin(dict(record["packages"]), str(record["python"]), day)
        checks, figures, kept_run = record["checks"], record["figures"], record["run"]
    except FileNotFoundError:
        return (
            None,
            None,
            [panel.fault("record-missing", "it was never run with the packages that it needs", 0, hint)],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        return (
            None,
            None,
            [panel.fault("record-unreadable", f"the record of its run cannot be read: {error!r}", 0, hint)],
        )
    if kept_run != run:
        message = f"its code, or what it imports or reads, is not what was run on {origin.date}"
        return None, None, [panel.fault("record-stale", message, 0, hint)]
    done = Execution({"checks": checks, "figures": figures, "faults": []}, 0, printed, "")
    if Result(printed, (), figures).approved_form != text:
        return (
            None,
            None,
            [
                panel.fault(
                    "record-figures", "the record of its run names other figures than its output", 0, hint
                )
            ],
        )
    return done, origin, []
