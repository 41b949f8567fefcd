"""What an instrument weighs, compressed: all of its scripts, the style and its data."""

import gzip
import re
from pathlib import Path

import pytest

from coursebuild.instruments import NAMES, Asked, make, script_of
from coursebuild.runner import Surroundings

from .node import SCRIPTS

MOST = 50_000
IMPORT = re.compile(r'^import [^;]*? from "(\./[^"]+|\.\./[^"]+)";', re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.once


def scripts(path: Path, seen: set[Path]) -> set[Path]:
    """A script and all that it imports."""
    if path not in seen:
        seen.add(path)
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            scripts((path.parent / name).resolve(), seen)
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_weight(name: str) -> None:
    files = scripts(SCRIPTS / "mount.js", set()) | scripts(script_of(name), set())
    assert SCRIPTS / "ports" / f"{name.replace('-', '_')}.js" in files
    [made] = make([Asked(name)], Surroundings()).values()
    parts = [
        *(path.read_bytes() for path in files),
        (SCRIPTS / "instruments.css").read_bytes(),
        made.kept.encode(),
    ]
    assert sum(len(gzip.compress(part)) for part in parts) <= MOST
