"""What the tests of several folders share: the project's site, built once."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SEED = os.environ.setdefault("COURSE_SEED", str(secrets.randbelow(10**6)))
"""Decides what is drawn at random. The workers of a run get it with the environment."""


def pytest_report_header() -> str:
    return f"surroundings of panels and of the second build: COURSE_SEED={SEED}"


os.environ["COURSE_CACHE"] = "off"
"""Tests run what they test, and so do the builds that they start."""


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``mkdocs build --strict`` writes it: what `make test` has just built, or one build for all workers."""
    if built := os.environ.get("BUILT_SITE"):
        assert (ROOT / built / "index.html").is_file(), f"there is no site in {built}"
        return ROOT / built
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    site, said, claimed = folder / "built-site", folder / "built-site.txt", folder / "built-site.claimed"
    try:
        os.close(os.open(claimed, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        waited = time.monotonic()
        while not said.exists():
            assert time.monotonic() - waited < 300, "another worker builds the site and does not end"
            time.sleep(0.1)
    else:
        said.with_suffix(".part").write_text(_build(site), encoding="utf-8")
        said.with_suffix(".part").rename(said)
    problem = said.read_text(encoding="utf-8")
    assert not problem, problem
    return site


def _build(site: Path) -> str:
    """Build the project's site into a folder; what was said if it failed."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("SITE_URL", "GITHUB_REPOSITORY")
    }
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, env=environment)
    except subprocess.TimeoutExpired as error:
        return str(error)
    return "" if done.returncode == 0 else f"mkdocs build ended with {done.returncode}:\n{done.stderr}"
