"""The program of each panel, one file that needs nothing of ours, prints what was approved: in every Python of this machine, alone,
and in Pyodide under Node. Pyodide with the Python that the site serves is tested with the site's own scripts (tests/browser/test_parity.py)."""

import ast
import difflib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from coursebuild import playing
from coursebuild.approval import approved_path
from coursebuild.exercises import Trial
from coursebuild.notebooks import Lab
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import DATA, FIGURES

from .elsewhere import ELSEWHERE, HOW, ROOT, shuffled

NEEDS_NUMPY = {"arrays.1", "arrays.2"}
"""The panels that import NumPy, so that their program needs it as well."""

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PYODIDES = ROOT / ".ci" / "pyodides"
IN_PYODIDE = ("3.13", "3.14")

slow, once = pytest.mark.slow, pytest.mark.once


def wanted(panel: Panel) -> str:
    """The approved text that a terminal shows of a panel's program."""
    texts = (approved_path(ROOT, part.ident).read_text(encoding="utf-8") for part in panel.program)
    return "".join(text.split(FIGURES)[0] + "\n" for text in texts)


def difference(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"approved {name}", f"this run of {name}", lineterm="", n=2
    )
    return "\n".join(lines)


def of_first_lane(press: Press) -> list[Panel]:
    """The panels that need no real library, in an order that is drawn; tests/real/test_programs.py has the others."""
    return shuffled((panel for panel in press.panels.values() if not panel.packages), "programs")


def without_numpy(press: Press) -> list[Panel]:
    return [panel for panel in of_first_lane(press) if panel.ident not in NEEDS_NUMPY]


def imports_numpy(panel: Panel) -> bool:
    names = [
        name
        for part in panel.program
        for node in ast.walk(ast.parse(part.code))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [getattr(node, "module", "") or ""]
        )
    ]
    return any(name.split(".")[0] == "numpy" for name in names)


def test_the_panels_that_need_numpy_are_named(project_press: Press) -> None:
    assert {panel.ident for panel in of_first_lane(project_press) if imports_numpy(panel)} == NEEDS_NUMPY


def test_a_program_says_what_it_needs_and_has_nothing_of_ours(project_press: Press) -> None:
    for panel in of_first_lane(project_press):
        program = project_press.programs[panel.ident]
        assert "import nextword" not in program and "from nextword" not in program
        needs = "Python with numpy." if panel.ident in NEEDS_NUMPY else "Python alone."
        assert program.split("\n")[0].endswith(needs)


def python_of(version: str) -> str:
    """A Python of a version, or nothing: this one, or what the set-up would take."""
    if version == HERE:
        return sys.executable
    asked = ["sh", str(ROOT / ".ci/find-python"), "--each", version]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def run_alone(press: Press, panels: Iterable[Panel], python: str, folder: Path, *flags: str) -> list[str]:
    """Run each program in a process of its own, in a folder with its data alone; where it printed something else."""
    keep = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    found = []
    for panel in panels:
        file, work = folder / f"{panel.ident}.py", folder / panel.ident
        work.mkdir()
        file.write_text(press.programs[panel.ident], encoding="utf-8")
        for name in panel.files:
            shutil.copyfile(ROOT / DATA / name, work / name)
        command = [python, "-I", *flags, "-X", "utf8", "-W", "error", str(file)]
        done = subprocess.run(command, cwd=work, capture_output=True, env=keep, timeout=300)
        assert (done.returncode, done.stderr) == (0, b""), f"{panel.ident}: {done.stderr.decode()}"
        if done.stdout.decode("utf-8") != wanted(panel):
            found.append(difference(panel.ident, wanted(panel), done.stdout.decode("utf-8")))
        left = sorted(file.name for file in work.iterdir())
        assert left == sorted(panel.files), f"{panel.ident} left a file behind"
    return found


@slow
@once
@pytest.mark.parametrize("version", PYTHONS)
def test_it_prints_the_same_in_every_Python(project_press: Press, tmp_path: Path, version: str) -> None:
    """One that is not installed is not looked at: the workflow has them all."""
    if not (python := python_of(version)):
        pytest.skip(f"there is no Python {version} here")
    found = run_alone(project_press, without_numpy(project_press), python, tmp_path, "-S")
    assert not found, "\n\n".join([*found, HOW])


@slow
def test_it_prints_the_same_with_numpy(project_press: Press, tmp_path: Path) -> None:
    panels = [panel for panel in of_first_lane(project_press) if panel.ident in NEEDS_NUMPY]
    found = run_alone(project_press, panels, sys.executable, tmp_path)
    assert not found, "\n\n".join([*found, HOW])


def python_in(package: Path) -> str:
    """The version of the Python in a Pyodide, as in 3.13."""
    lock = json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))
    return ".".join(lock["info"]["python"].split(".")[:2])


def pyodide_of(version: str) -> Path:
    package = PYODIDES / "node_modules" / f"pyodide-{version}"
    if not package.is_dir():
        assert not os.environ.get("CI"), "make test installs the Pyodides"
        pytest.skip("make test installs the Pyodides")
    return package


def run_in_pyodide(
    package: Path, programs: Mapping[str, str], files: Mapping[str, list[str]]
) -> dict[str, str]:
    """What each program prints in one Pyodide, each in a namespace of its own."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or "node"
    asked = {
        "seed": ELSEWHERE.hash_seed,
        "programs": [
            {"name": name, "code": code, "files": files.get(name, [])} for name, code in programs.items()
        ],
    }
    done = subprocess.run(
        [node, Path(__file__).with_name("programs.mjs"), package],
        input=json.dumps(asked), capture_output=True, encoding="utf-8", timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    printed: dict[str, str] = json.loads(done.stdout)
    return printed


@slow
@once
@pytest.mark.parametrize("version", IN_PYODIDE)
def test_it_prints_the_same_in_pyodide(project_press: Press, version: str) -> None:
    """Labs and answers to exercises, which are panels too, do so in every Python; here it would take too long."""
    found_here = without_numpy(project_press)
    panels = {panel.ident: panel for panel in found_here if not isinstance(panel, Trial | Lab)}
    assert panels
    programs = {ident: project_press.programs[ident] for ident in panels}
    files = {ident: [str(ROOT / DATA / name) for name in panel.files] for ident, panel in panels.items()}
    package = pyodide_of(version)
    assert python_in(package) == version
    printed = run_in_pyodide(package, programs, files)
    found = [
        difference(ident, wanted(panel), printed[ident])
        for ident, panel in panels.items()
        if printed[ident] != wanted(panel)
    ]
    assert not found, "\n\n".join([*found, HOW])


@once
def test_the_pyodides_have_each_a_python_that_the_site_does_not_serve() -> None:
    assert python_in(playing.PACKAGE) == "3.12"
    named = json.loads((PYODIDES / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert set(named) == {f"pyodide-{version}" for version in IN_PYODIDE}


@slow
@once
def test_a_program_in_pyodide_is_alone_and_its_error_is_seen(tmp_path: Path) -> None:
    data = tmp_path / "data.txt"
    data.write_text("words", encoding="utf-8")
    programs = {
        "first": "import random\nleft = 1\nprint(__name__, 'é', end='')",
        "second": "with open('data.txt') as file:\n    print(file.read())\ntry:\n    left\nexcept NameError:\n    print('alone')",
        "third": "import pathlib, sys, warnings\nprint(list(pathlib.Path().iterdir()))\nwarnings.warn('loud')",
        "fourth": "import sys\nprint('to stderr', file=sys.stderr)\nsys.exit(3)",
    }
    printed = run_in_pyodide(pyodide_of(IN_PYODIDE[-1]), programs, {"second": [str(data)]})
    assert printed["first"] == "__main__ é"
    assert printed["second"] == "words\nalone\n"
    assert printed["third"].startswith("[]\nTraceback") and "UserWarning: loud" in printed["third"]
    assert "to stderr" in printed["fourth"] and printed["fourth"].endswith("SystemExit: 3\n")
