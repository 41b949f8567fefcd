"""What the tests of the second lane share: they need the real libraries, and write down what they measured.

Only `make real` collects them. If PARITY_JSON names a file, each measurement is put into it: the page "How we know" is
made from it.
"""

import fcntl
import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from coursebuild.lanes import is_real

FILE = "PARITY_JSON"
PACKAGES = ("nextword", "numpy", "tiktoken", "tokenizers", "torch", "transformers")

collect_ignore_glob = [] if is_real() else ["test_*.py"]


def versions() -> dict[str, str]:
    """Of Python and of each library compared with, as installed here."""
    found = {name: importlib.metadata.version(name).split("+")[0] for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def write_down(path: Path, name: str, cases: int, difference: float) -> None:
    """Put one measurement into a file to which several workers of a test run write; a later one replaces it."""
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        kept = json.loads(text)["measured"] if text else {}
        kept[name] = {"cases": cases, "difference": difference}
        file.truncate(0)
        record = {"versions": versions(), "measured": kept}
        file.write(json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


@pytest.fixture
def measured() -> Callable[[str, int, float], None]:
    """Call it after the assertions: what was compared, on how many cases, and the largest difference."""

    def note(name: str, cases: int, difference: float) -> None:
        assert cases > 0, f"{name}: nothing was compared"
        if os.environ.get(FILE):
            write_down(Path(os.environ[FILE]), name, cases, float(difference))

    return note
