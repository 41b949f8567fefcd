"""The scripts that run in a reader's browser agree with their types, as TypeScript reads them from the comments."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "src" / "coursebuild" / "live"
SCRIPTS = Path(sys.executable).parent
TSC = ROOT / ".ci/node/node_modules/typescript/bin/tsc"

pytestmark = pytest.mark.once


def types(folder: Path, settings: str, *options: str) -> subprocess.CompletedProcess[str]:
    if not TSC.is_file():
        reason = "TypeScript is not installed; `make test` installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    command = [SCRIPTS / "node", TSC, "-p", folder / settings, *options]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("settings", ["tsconfig.json", "tsconfig.workers.json"])
def test_types_are_right(settings: str) -> None:
    run = types(LIVE, settings)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("settings", "script", "fault"),
    [
        ("tsconfig.json", "runner.js", "no_such_name(1);"),
        ("tsconfig.json", "instruments/sampler_lab.js", "no_such_name(1);"),
        ("tsconfig.json", "instruments/ports/random.js", "no_such_name(1);"),
        ("tsconfig.workers.json", "python.js", "document.title;"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, settings: str, script: str, fault: str) -> None:
    """A checker that read nothing would be content too."""
    folder = tmp_path / "live"
    shutil.copytree(LIVE, folder, ignore=shutil.ignore_patterns("node_modules", "vendor"))
    text = (folder / script).read_text(encoding="utf-8")
    (folder / script).write_text(f"{text}\n{fault}\n", encoding="utf-8")
    run = types(folder, settings)
    assert run.returncode != 0
    assert f"Cannot find name '{fault.partition('(')[0].partition('.')[0]}'" in run.stdout


def test_every_script_is_read() -> None:
    both = ("tsconfig.json", "tsconfig.workers.json")
    read = "".join(types(LIVE, settings, "--listFilesOnly").stdout for settings in both)
    scripts = {path for path in LIVE.rglob("*.js") if "node_modules" not in path.parts}
    assert scripts <= {Path(line).resolve() for line in read.splitlines()}
