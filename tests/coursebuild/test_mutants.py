"""Mutation testing: the lists and figures hold together, and a mutant can be made and killed."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from coursebuild.mutants import mutants_of
from coursebuild.survivors import (
    LISTS,
    Mutation,
    read,
    read_figures,
    read_modules,
    source_of,
)

ROOT = Path(__file__).resolve().parents[2]
MODULES = read_modules(ROOT)
HERE = os.environ | {"PYTHONPATH": str(ROOT / "src")}
SURVIVORS = ROOT / LISTS / "survivors"

MODULE = """\
LIMIT = 3


def larger(a, b):
    if a > b:
        return a
    return b


def halvings(n):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count
"""

SOME_TESTS = """\
from nextword import small


def test_larger():
    assert [small.larger(1, 2), small.larger(2, 1)] == [2, 2]


def test_limit():
    assert small.LIMIT > 2
"""

ALL_TESTS = """\
import pytest

from nextword.small import LIMIT, halvings, larger


def test_larger():
    assert [larger(1, 2), larger(2, 1)] == [2, 2]


def test_limit():
    assert LIMIT == 3


@pytest.mark.parametrize(("n", "count"), [(1, 0), (5, 2), (8, 3)])
def test_halvings(n, count):
    assert halvings(n) == count
"""

# Mutants that are written here: the function, the line, the changed line, and what must become of it.
CHANGES = [
    ("larger", "    if a > b:", "    if a >= b:", "survived"),  # of two equals it does not matter which
    ("larger", "    if a > b:", "    if a < b:", "killed"),
    ("larger", "    if a > b:", "    if a > None:", "killed"),
    ("", "LIMIT = 3", "LIMIT = 2", "killed"),
    ("", "LIMIT = 3", "LIMIT = 4", "survived"),
    ("", "LIMIT = 3", "LIMIT = = 4", "killed"),  # it cannot be imported
    ("", "LIMIT = 3", "LIMIT = [1 for _ in iter(int, 1)]", "timed out"),
    ("halvings", "        n //= 2", "        n = 2", "survived"),  # no test calls it
]
BASE = {
    "seconds": {"tests/test_small.py::test_larger": 0.01, "tests/test_small.py::test_limit": 0.01},
    "reached": {1: [""], 4: [""], 5: ["tests/test_small.py::test_larger"], 10: [""]},
}

RUN = """\
import json, sys
from pathlib import Path
from coursebuild import mutants
from coursebuild.survivors import Mutation

folder, source, changes, base = Path(sys.argv[1]), *map(json.loads, sys.argv[2:])
mutants.prepare()
made, bodies = [], {"": range(0), "larger": range(5, 8), "halvings": range(11, 16)}
for name, old, new, _ in changes:
    start = source[: source.index(old)].count("\\n") + 1
    change = Mutation(name, (old,), (new,))
    made.append(mutants.Mutant(change, source.replace(old, new), range(start, start + 1), bodies[name]))
base = mutants.Baseline(base["seconds"], {int(line): set(tests) for line, tests in base["reached"].items()})
assert [mutant.inside and not mutants.runs_at_import(mutant, base) for mutant in made] == [name != "" for name, *_ in changes]
results = mutants.Runner("nextword.small", ["tests/test_small.py"], base, [folder]).run(made)
print(json.dumps([results.killed, results.timed_out, sorted(mutation.added[0] for mutation in results.survived)]))
"""

ENDS = """\
import os, time
from coursebuild.mutants import forked

def compute():
    while time.process_time() < 1:
        pass
    return 3

for work in (compute, lambda: time.sleep(60)):
    print(os.waitstatus_to_exitcode(os.waitpid(forked(work, 10, 0.4), 0)[1]))
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A project of one module of some ten lines, with its tests."""
    for name, text in {
        "src/nextword/__init__.py": "",
        "src/nextword/small.py": MODULE,
        "tests/test_small.py": SOME_TESTS,
        "pyproject.toml": '[tool.pytest]\nminversion = "9"\naddopts = ["--import-mode=importlib"]\n',
        "tests/mutants/modules.toml": '"nextword.small" = ["test_small.py"]\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)


class TestLists:
    def test_each_module_has_mutants_or_a_reason_why_not(self) -> None:
        table = tomllib.loads((ROOT / LISTS / "without.toml").read_text(encoding="utf-8"))
        assert all(len(entry["reason"].split()) > 3 for entry in table["without"])
        without = [name for entry in table["without"] for name in entry["modules"]]
        files = [
            file for package in ("nextword", "coursebuild") for file in (ROOT / "src" / package).rglob("*.py")
        ]
        modules = [module_of(file) for file in files if "node_modules" not in file.parts]
        named = {name: [one for one in modules if f"{one}.".startswith(f"{name}.")] for name in without}
        assert [name for name, found in named.items() if not found] == [], "there are none"
        assert sorted([*MODULES, *(one for found in named.values() for one in found)]) == sorted(modules)

    @pytest.mark.parametrize("module", MODULES)
    def test_what_a_list_names_is_in_the_module(self, module: str) -> None:
        lines = (ROOT / source_of(module)).read_text(encoding="utf-8").split("\n")
        for mutation, reason in read(SURVIVORS / f"{module}.diff").items():
            removed, starts = list(mutation.removed), range(len(lines))
            assert any(lines[start : start + len(removed)] == removed for start in starts), mutation
            name = mutation.function.rpartition(".")[2]
            assert not name or any(line.lstrip().startswith(f"def {name}(") for line in lines), mutation
            assert len(reason.split()) > 3, f"{reason} is no reason"

    def test_each_list_is_of_a_module(self) -> None:
        assert {file.name for file in SURVIVORS.iterdir()} <= {f"{module}.diff" for module in MODULES}

    def test_the_figures_are_of_runs_that_passed(self) -> None:
        figures = read_figures(ROOT / LISTS / "figures.md")
        assert list(figures) == list(MODULES)
        for module, row in figures.items():
            assert row.made == row.killed + row.timed_out + row.survived > 0
            assert row.score >= 0.9
            assert row.survived >= len(read(SURVIVORS / f"{module}.diff")), module


@pytest.mark.skipif(sys.platform == "win32", reason="a mutant runs in a fork, which Windows has not")
@pytest.mark.once
class TestMutants:
    def test_tests_kill_what_they_notice(self, small: Path) -> None:
        arguments = [str(small), *map(json.dumps, (MODULE, CHANGES, BASE))]
        run = subprocess.run(
            [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, cwd=ROOT, env=HERE
        )
        assert run.returncode == 0, run.stderr
        fates = [fate for *_, fate in CHANGES]
        survived = [new for *_, new, fate in CHANGES if fate == "survived"]
        assert json.loads(run.stdout) == [fates.count("killed"), fates.count("timed out"), sorted(survived)]

    def test_what_rests_is_ended_and_what_computes_is_not(self) -> None:
        ends = subprocess.run(
            [sys.executable, "-c", ENDS], capture_output=True, text=True, cwd=ROOT, env=HERE
        )
        assert (ends.stdout.split(), ends.stderr) == (["3", str(-signal.SIGALRM)], "")


needs_mutmut = pytest.mark.skipif(
    importlib.util.find_spec("mutmut") is None, reason="mutmut is in .venv-mutants: `make mutants` runs this"
)

COMMAND = """\
import sys
import tomllib
from pathlib import Path
from coursebuild import mutants
mutants.ROOT, mutants.SECONDS = Path(sys.argv[1]), 2
sys.exit(mutants.main(sys.argv[2:]))
"""


@needs_mutmut
class TestCommand:
    """`make mutants` on a module of some ten lines."""

    @staticmethod
    def run(folder: Path, *modules: str) -> tuple[int, str]:
        command = [sys.executable, "-c", COMMAND, str(folder), *modules]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=HERE)
        return done.returncode, done.stdout + done.stderr

    @staticmethod
    def test_mutants_are_small_changes_with_their_place() -> None:
        made = {mutant.mutation: mutant for mutant in mutants_of(MODULE)}
        changed = Mutation("larger", ("    if a > b:",), ("    if a >= b:",))
        assert made[changed].source == MODULE.replace("a > b", "a >= b")
        assert (list(made[changed].lines), made[changed].body) == ([5], range(5, 8))
        outside = Mutation("", ("LIMIT = 3",), ("LIMIT = 4",))
        assert (list(made[outside].lines), made[outside].body) == ([1], range(0))
        assert made[changed].inside and not made[outside].inside
        assert Mutation("halvings", ("        count += 1",), ("        count -= 1",)) in made
        assert all(mutant.source.count("\n") == MODULE.count("\n") for mutant in made.values())

    def test_survivors_must_be_listed_with_a_reason(self, small: Path) -> None:
        """First too few are killed, then one is not listed, then all is well; at last one is listed that is killed."""
        status, said = self.run(small)
        assert status == 1
        assert "unlisted survivor, @ larger\n-    if a > b:\n+    if a >= b:\n" in said
        assert "are killed; at least 90% must be" in said
        assert not (small / LISTS / "figures.md").exists()

        (small / "tests/test_small.py").write_text(ALL_TESTS)
        status, said = self.run(small, "nextword.small")
        assert status == 1
        assert said.count("unlisted survivor") == 1
        assert "must be" not in said

        listed = small / LISTS / "survivors" / "nextword.small.diff"
        listed.parent.mkdir()
        listed.write_text("# Equals are alike.\n@ larger\n-    if a > b:\n+    if a >= b:\n")
        status, said = self.run(small)
        assert (status, said.count("\n")) == (0, 1)
        assert said.startswith("nextword.small: ")
        row = read_figures(small / LISTS / "figures.md")["nextword.small"]
        assert (row.survived, row.timed_out > 0) == (1, True)

        with listed.open("a") as file:
            file.write("@ module\n-LIMIT = 3\n+LIMIT = 4\n@ module\n-LIMIT = 3\n+LIMIT = 7\n")
        status, said = self.run(small)
        assert status == 1
        assert "listed as a survivor, but is killed by the tests: @ module\n-LIMIT = 3\n+LIMIT = 4\n" in said
        assert "listed as a survivor, but is no mutant: @ module\n-LIMIT = 3\n+LIMIT = 7\n" in said

    @pytest.mark.parametrize(
        ("test", "message"),
        [
            ("def test_fails():\n    assert False\n", "the tests fail without a mutant:\n"),
            (
                "def test_slow():\n    while time.process_time() < 2.5:\n        pass\n",
                "the tests compute for 2.",
            ),
        ],
    )
    def test_tests_that_fail_or_are_slow_measure_nothing(self, small: Path, test: str, message: str) -> None:
        (small / "tests/test_small.py").write_text(f"import time\n\n\n{test}")
        status, said = self.run(small)
        assert status == 1
        assert said.startswith(f"nextword.small\n{message}")

    def test_a_module_that_has_no_tests_here_is_refused(self, small: Path) -> None:
        said = "no such module in tests/mutants/modules.toml: nextword.big\n"
        assert self.run(small, "nextword.small", "nextword.big") == (2, said)
