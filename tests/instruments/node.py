"""The scripts of instruments under Node, and the comparison of what they say with what the library says."""

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCRIPTS = HERE.parents[1] / "src" / "coursebuild" / "live" / "instruments"


def answers(jobs: list[dict[str, Any]]) -> list[Any]:
    """What `agreement.mjs` says of each job."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or "node"
    done = subprocess.run(
        [node, HERE / "agreement.mjs", SCRIPTS],
        input="".join(json.dumps(job, allow_nan=False) + "\n" for job in jobs),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def differences(ours: Any, theirs: Any, where: str = "view") -> Iterator[str]:
    """Where two values differ: all but floats must be equal, floats up to rounding."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            yield f"{where}: names {sorted(ours)} and {sorted(theirs)}"
        for name in ours.keys() & theirs.keys():
            yield from differences(ours[name], theirs[name], f"{where}.{name}")
    elif isinstance(ours, (list, tuple)) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{where}: {len(ours)} and {len(theirs)} values"
        for place, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            yield from differences(one, other, f"{where}[{place}]")
    elif _is_number(ours) and _is_number(theirs):
        if not math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{where}: {ours!r} and {theirs!r}"
    elif type(ours) is not type(theirs) or ours != theirs:
        yield f"{where}: {ours!r} and {theirs!r}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
