"""Every panel and every exercise in the Python that runs in a reader's browser, here under Node: what the page shows is what a run says.

One start of Node runs many programs. The pages say which: each has its programs in its bars, Run and Edit.
"""

import ast
import functools
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from bs4 import BeautifulSoup

from coursebuild import exercises, playing
from coursebuild.library import Library
from coursebuild.runner import FIGURES, OK, stable
from nextword.exercises import exercise
from nextword.exercises import exercises as all_exercises

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = ROOT / "tests" / "outputs"

pytestmark = [pytest.mark.slow, pytest.mark.once]


@dataclass(frozen=True)
class Job:
    """A program to run."""

    code: str
    name: str
    marker: str = ""
    files: list[str] = field(default_factory=list)
    exercise: dict[str, str] | None = None


@dataclass(frozen=True)
class Outcome:
    """What a program printed, and what the harness said of it."""

    printed: str
    told: list[dict[str, Any]]
    checks: list[dict[str, Any]]
    more: dict[str, int]
    figures: dict[str, Any]
    error: dict[str, Any] | None
    report: str | None


def run_under_node(site: Path, jobs: list[Job], folder: Path) -> dict[str, Outcome]:
    """Run programs one after the other, in one Python."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or "node"
    [live] = (site / "assets" / "live").iterdir()
    asked = folder / "jobs.json"
    asked.write_text(json.dumps([vars(job) for job in jobs]), encoding="utf-8")
    script = playing.LIVE / "parity.mjs"
    command = [node, str(script), str(live), str(playing.NUMPY), str(asked)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0, done.stderr
    results = map(json.loads, done.stdout.splitlines())
    return {line["name"]: Outcome(line["printed"], line["told"], **line["result"]) for line in results}


def panels_of(site: Path) -> list[Job]:
    """The programs of all bars of the site."""
    jobs = []
    for page in sorted(site.rglob("*.html")):
        html = page.read_text(encoding="utf-8")
        for bar in (
            BeautifulSoup(html, "html.parser").select(".live[data-program]") if 'class="live"' in html else ()
        ):
            program = page.parent / str(bar["data-program"])
            files = [str(program.parent / name) for name in str(bar.get("data-files", "")).split()]
            ident, code = str(bar["data-panel"]), program.read_text(encoding="utf-8")
            jobs.append(Job(code, ident, f"# panel {ident}: ", files))
    return jobs


def approved(ident: str) -> tuple[str, list[str], str]:
    """What was approved of a panel: its output, its claims, its figures."""
    printed, figures = (OUTPUTS / f"{ident}.txt").read_text(encoding="utf-8").split(FIGURES)
    lines = printed.split("\n")
    output = [line for line in lines if not line.startswith(OK)]
    return "\n".join(output).strip("\n"), [line[len(OK) :] for line in lines if line.startswith(OK)], figures


def found(outcome: Outcome) -> tuple[str, list[str], str]:
    """The same of a run."""
    figures = "\n".join(
        [*(f"{name} = {stable(value)}" for name, value in sorted(outcome.figures.items())), ""]
    )
    return outcome.printed.strip("\n"), [str(check["claim"]) for check in outcome.checks], figures


def test_every_panel_prints_claims_and_names_what_was_approved(built_site: Path, tmp_path: Path) -> None:
    jobs = panels_of(built_site)
    first_lane = {path.stem for path in OUTPUTS.glob("*.txt") if not path.with_suffix(".json").exists()}
    assert {job.name for job in jobs} == {
        ident for ident in first_lane if not ident.startswith(("exercise-", "lab-"))
    }
    outcomes = run_under_node(built_site, jobs, tmp_path)
    assert list(outcomes) == [job.name for job in jobs]
    for job in jobs:
        outcome = outcomes[job.name]
        assert outcome.error is None, job.name
        assert [check["claim"] for check in outcome.checks if not check["held"]] == [], job.name
        assert found(outcome) == approved(job.name), job.name
        assert outcome.told == outcome.checks, job.name
        assert outcome.more == {"held": 0, "failed": 0}, job.name
        assert all(check["asked"] for check in outcome.checks), job.name


SPOILERS = {
    "a layer": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('ä')\n",
    "closed": "import sys\nprint('ä')\nsys.stdout.close()\nsys.stdin.close()\n",
    "descriptor": "import sys\nwith open(sys.stdout.fileno(), 'w', encoding='utf-8') as out:\n    out.write('ä\\n')\n",
    "first descriptor": "import os\nprint('ä')\nos.close(1)\nos.close(2)\n",
    "encoding": "import sys\nprint('ä')\nsys.stdout.reconfigure(encoding='ascii', newline='\\r\\n')\n",
    "cut character": "import sys\nprint('ä')\nsys.stdout.buffer.write('ä'.encode()[:1])\n",
    "precision": "import decimal\nprint('ä')\ndecimal.getcontext().prec = 3\n",
    "files": "from pathlib import Path\nprint('ä')\nfor folder in ('~', '/tmp'):\n    Path(folder, 'left').expanduser().touch()\n",
}
NEXT = """\
import decimal, sys
from pathlib import Path
print("next: ä", decimal.Decimal(1) / 3, *Path("~").expanduser().iterdir(), *Path("/tmp").iterdir())
"""


def test_no_run_spoils_the_next(built_site: Path, tmp_path: Path) -> None:
    jobs = [
        job for name, code in SPOILERS.items() for job in (Job(code, name), Job(NEXT, f"{name}, the next"))
    ]
    outcomes = run_under_node(built_site, jobs, tmp_path)
    for name in SPOILERS:
        printed = "ä\n\ufffd" if name == "cut character" else "ä\n"
        assert (outcomes[name].printed, outcomes[name].error) == (printed, None), name
        after = outcomes[f"{name}, the next"]
        assert (after.printed, after.error) == (f"next: ä 0.{'3' * 28}\n", None), name


def test_what_is_doubtful_is_warned_of_once_and_a_group_tells_of_its_errors(
    built_site: Path, tmp_path: Path
) -> None:
    doubtful = Job("x = '\\d'\ny = 1 is 1\nraise ExceptionGroup('all', [ValueError('bad')])\n", "panel.py")
    outcome = run_under_node(built_site, [doubtful], tmp_path)["panel.py"]
    warned = [line for line in outcome.printed.splitlines() if "SyntaxWarning" in line]
    assert [line.split(" ")[0] for line in warned] == ["panel.py:1:", "panel.py:2:"]
    assert outcome.error
    assert outcome.error["text"].endswith("\n  ValueError: bad")


def answers_of(ident: str) -> dict[str, str]:
    """Programs that answer an exercise, as a reader would write them below its starting point: right, wrong in two ways, not at all."""
    known = exercises.read(Library(ROOT / "src"), ident)
    ending = dict.fromkeys(("start", "solution", "first", "second"), "")
    sources = {
        "start": "",
        "solution": known.solution,
        "first": known.wrong[0].source,
        "second": known.wrong[1].source,
    }
    if known.is_value:
        ending = {name: f"\n\nanswer = {defined(source)}()\n" for name, source in sources.items() if source}
        ending["start"] = "\n\nanswer = ...  # your value\n"
    before = {
        "start": "",
        "solution": "",
        "first": known.solution + "\n\n\n",
        "second": known.solution + "\n\n\n",
    }
    return {
        name: f"{known.start}\n\n\n{before[name]}{source}{ending[name]}\n" for name, source in sources.items()
    }


def defined(source: str) -> str:
    """The name of the last function or class of a source."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)][
        -1
    ]


@functools.cache
def harness() -> ModuleType:
    """The same harness in this Python."""
    spec = importlib.util.spec_from_file_location("live_harness", playing.LIVE / "harness.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_exercise_is_graded_as_here(built_site: Path, tmp_path: Path) -> None:
    jobs = [
        Job(code, f"{asked.ident} {which}", exercise={"ident": asked.ident, "answer": name_of(asked.ident)})
        for asked in all_exercises()
        for which, code in answers_of(asked.ident).items()
    ]
    outcomes = run_under_node(built_site, jobs, tmp_path)
    assert list(outcomes) == [job.name for job in jobs]
    for job in jobs:
        outcome = outcomes[job.name]
        ident, which = job.name.split()
        failed = [check["claim"] for check in outcome.checks if not check["held"]]
        if which == "solution":
            assert failed == [], job.name
        elif which != "start":
            wrong = exercise(ident).wrong[("first", "second").index(which)]
            assert failed[:1] == [wrong.fails], job.name
        here = json.loads(harness().run(job.code, job.name, "", ident, name_of(ident)))
        assert outcome.error is None, job.name
        assert outcome.report == here["report"], job.name
        assert outcome.checks == here["checks"], job.name


def name_of(ident: str) -> str:
    """The name under which an exercise's answer is graded."""
    known = exercise(ident)
    return "answer" if known.level in exercises.VALUES else known.name
