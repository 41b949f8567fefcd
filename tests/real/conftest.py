"""What the tests of the second lane share: they need the real libraries, and write down what they measured.

Only `make real` collects them; a file that is named elsewhere is skipped. If PARITY_JSON names a file, each measurement
is put into it: the page "How we know" shows the approved ones (`coursebuild.parity`).
"""

import datetime
import fcntl
import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from coursebuild.lanes import REAL, is_real

FILE = "PARITY_JSON"
PACKAGES = ("numpy", "regex", "tiktoken", "tokenizers", "torch", "transformers")

Measured = Callable[..., None]

collect_ignore_glob = [] if is_real() else ["drawn.py", "test_*.py"]


class OfTheSecondLane(pytest.Module):
    """A file of tests that is not imported, as the real libraries may be missing."""

    def collect(self) -> NoReturn:
        pytest.skip(f"it needs the real libraries: make real runs it, with {REAL}=1", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Skip a file that is named on the command line: such a one is collected, ignored or not."""
    return None if is_real() else OfTheSecondLane.from_parent(parent, path=module_path)


def versions() -> dict[str, str]:
    """Of Python and of each library compared with, as installed here."""
    found = {name: importlib.metadata.version(name).split("+")[0] for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def write_down(path: Path, kind: str, row: dict[str, Any]) -> None:
    """Put one measurement into a file to which several workers of a test run write."""
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        record = json.loads(text) if text else {"equal": [], "differs": []}
        record |= {"date": today, "versions": versions()}
        record[kind] = sorted(
            [*record[kind], row],
            key=lambda row: (row["about"], row["ours"].lower(), row["theirs"], str(row.get("precision"))),
        )
        file.truncate(0)
        file.write(json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str, dict[str, Any]], None]:
    """Write a row down, with what its module is about."""

    def put(kind: str, row: dict[str, Any]) -> None:
        assert row["cases"] > 0, f"{row['ours']}: nothing was compared"
        about = request.module.__name__.rpartition("test_")[2]
        if os.environ.get(FILE):
            write_down(Path(os.environ[FILE]), kind, {"about": about} | row)

    return put


@pytest.fixture
def measured(note: Callable[[str, dict[str, Any]], None]) -> Measured:
    """Call it after the assertions: what of ours is what of theirs, on how many cases, how far apart at most, and may be.

    ``precision`` is the floating-point type; without one the results are exact, and a difference is a case that differs.
    """

    def put(
        ours: str, theirs: str, cases: int, largest: float, limit: float = 0, precision: object = "exact"
    ) -> None:
        assert largest <= limit
        kind = str(precision).removeprefix("torch.")
        row = {"ours": ours, "theirs": theirs, "cases": cases, "precision": kind}
        note("equal", row | {"largest": float(largest), "limit": float(limit)})

    return put


@pytest.fixture
def documented(note: Callable[[str, dict[str, Any]], None]) -> Measured:
    """Call it for a difference that the course tells: what is done here, what there, and in how many cases it shows."""

    def put(ours: str, theirs: str, cases: int, different: int) -> None:
        assert 0 < different <= cases
        note("differs", {"ours": ours, "theirs": theirs, "cases": cases, "different": different})

    return put
