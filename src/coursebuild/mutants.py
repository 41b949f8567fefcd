"""Mutation testing: would the tests notice if a module computed something else?

    python -m coursebuild.mutants [MODULE ...]

mutmut's operators make the mutants, each a copy of the module with one small change; they are run here, not by mutmut.
mutmut puts all mutants into one file behind trampolines, which change what listings and tracebacks show, and leaves code
outside functions alone. Here a mutant is a file: in a copy of the checkout it stands in the module's place, and a fork of a
process that has imported the libraries (a start of Python and pytest takes longer than most tests) runs the tests that
reach the changed function, quickest first, until one fails.

A mutant that no test notices must be listed in tests/mutants/survivors/, with the reason.
"""

import ast
import gc
import importlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from coursebuild import survivors
from coursebuild.survivors import LISTS, Figures, Mutation, read_modules, source_of

ROOT = Path(__file__).resolve().parents[2]
ENOUGH = 0.9
"""The share of a module's mutants that its tests must kill."""
SECONDS = 5.0
"""How long a module's tests may compute, all together."""
COPIED = (".github", "docs", "src", "tests", "mkdocs.yml", "pyproject.toml")
PRELOADED = (
    "_hypothesis_pytestplugin",
    "hypothesis.strategies",
    "hypothesis.internal.conjecture.engine",
    "numpy",
    "pytest",
    "_pytest.doctest",
    "_pytest.junitxml",
)
OPTIONS = [
    "-q",
    "-x",
    "--no-header",
    "--tb=short",
    "--doctest-modules",
    "--capture=sys",
    "--assert=plain",
    "-mnot slow",
]
NOT_SWAPPED = 71
"""The exit code of a fork in which a function could not be given a mutant's code."""
PLUGINS = ["no:cacheprovider", "no:faulthandler", "_hypothesis_pytestplugin"]


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    mutation: Mutation
    source: str
    lines: range
    """The lines of the module that are changed."""
    body: range
    """The body of the function or method that holds them; empty outside of functions."""

    @property
    def inside(self) -> bool:
        """Whether nothing but the function's body is changed."""
        return bool(self.body) and self.lines.start in self.body


@dataclass
class Baseline:
    """What the tests did with the module as it is."""

    seconds: dict[str, float] = field(default_factory=dict)
    """How long each test computed."""
    reached: dict[int, set[str]] = field(default_factory=dict)
    """Which tests reached a line; "" stands for the import."""


@dataclass
class Results:
    """What became of a module's mutants."""

    module: str
    killed: int = 0
    timed_out: int = 0
    survived: list[Mutation] = field(default_factory=list)
    gone: set[Mutation] = field(default_factory=set)
    """The mutations that tests noticed."""

    def count(self, mutation: Mutation, code: int) -> None:
        """Note an exit code: 0 where all tests passed, a signal's where the time was over; else a test or the import failed."""
        if code == 0:
            self.survived.append(mutation)
            return
        self.gone.add(mutation)
        if -code in (signal.SIGPROF, signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL):
            self.timed_out += 1
        else:
            self.killed += 1

    def figures(self) -> Figures:
        """How many there are of each kind. A loop that never ends is noticed."""
        made = self.killed + self.timed_out + len(self.survived)
        return Figures(made, self.killed, self.timed_out, len(self.survived), survivors.today())

    def __str__(self) -> str:
        row = self.figures()
        return (
            f"{self.module}: {row.made} mutants, {row.killed} killed, {row.timed_out} timed out, "
            f"{row.survived} survived: {row.score:.1%}"
        )


# Making.


def mutants_of(source: str) -> list[Mutant]:
    """Every different mutant that mutmut's operators make of a module, in the order of its lines."""
    mutmut = importlib.import_module("mutmut.mutation.file_mutation")
    tree, mutations, *_ = mutmut.create_mutations("module.py", source)
    parts = ["".join(map(tree.code_for_node, tree.header)), *map(tree.code_for_node, tree.body)]
    home = {id(node): place for place, part in enumerate(tree.body) for node in _nodes(part)}
    functions = list(_functions(ast.parse(source)))
    made: dict[str, Mutant] = {}
    for mutation in mutations:
        place = home[id(mutation.original_node)]
        changed = tree.body[place].deep_replace(mutation.original_node, mutation.mutated_node)
        code = "".join([*parts[: place + 1], tree.code_for_node(changed), *parts[place + 2 :]])
        code += "".join(map(tree.code_for_node, tree.footer))
        if code not in made and code != source and _compiles(code):
            made[code] = _mutant(source, code, functions)
    return sorted(made.values(), key=lambda mutant: mutant.lines.start)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, range, range]]:
    """The functions of a module and the methods of its classes, with their lines, and those of the body."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            end = (node.end_lineno or node.lineno) + 1
            yield prefix + node.name, range(node.lineno, end), range(node.body[0].lineno, end)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _compiles(code: str) -> bool:
    try:
        compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _mutant(source: str, code: str, functions: Iterable[tuple[str, range, range]]) -> Mutant:
    old, new = source.split("\n"), code.split("\n")
    start = _alike(old, new)
    tail = _alike(old[start:][::-1], new[start:][::-1])
    removed, added = tuple(old[start : len(old) - tail]), tuple(new[start : len(new) - tail])
    lines = range(start + 1, start + 1 + max(1, len(removed)))
    where, body = next(
        ((name, body) for name, whole, body in functions if lines.start in whole), ("", range(0))
    )
    return Mutant(Mutation(where, removed, added), code, lines, body)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts begin with that are the same."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


# Running.


class Watcher:
    """A plugin of pytest that notes how long each test computes; or runs some tests in an order, each for a limited time."""

    def __init__(
        self,
        chosen: Sequence[str] | None = None,
        seconds: Mapping[str, float] | None = None,
        started: Callable[[str], object] = str,
    ) -> None:
        self.rank = None if chosen is None else {test: place for place, test in enumerate(chosen)}
        self.usual = seconds or {}
        self.started = started
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.rank is not None:
            ranked = sorted(
                (self.rank[_name(item)], i) for i, item in enumerate(items) if _name(item) in self.rank
            )
            items[:] = [items[i] for _, i in ranked]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.started(_plain(nodeid))
        self.seconds[_plain(nodeid)] = -time.process_time()
        if self.rank is not None:
            signal.setitimer(signal.ITIMER_PROF, 0.5 + 10 * self.usual[_plain(nodeid)])

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[_plain(nodeid)] += time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.pytest_collectreport(report)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and self.rank is not None:
            os._exit(1)  # noticed: pytest's own end would take longer than most tests


def _name(item: Any) -> str:
    return _plain(item.nodeid)


def _plain(nodeid: str) -> str:
    """A test's name without the addresses of objects in it, which each run has anew."""
    return re.sub(r"0x[0-9a-f]+", "0x", nodeid)


def forked(work: Callable[[], int], cpu: int, idle: float) -> int:
    """Start work in a fork of this process, which ends it after some seconds of computing or of rest."""
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    status = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        end_at_rest(idle)
        status = work()
    finally:
        os._exit(status)


def end_at_rest(seconds: float) -> None:
    """End this process when it has computed nothing for so long. On a busy machine it only waits for its turn."""
    computed = time.process_time()

    def look(*_: object) -> None:
        nonlocal computed
        before, computed = computed, time.process_time()
        if computed - before < 0.001:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGALRM)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


def run_tests(folder: Path, tests: Iterable[str], watcher: Watcher, written: bool = False) -> int:
    """Run tests of a copy of the checkout in this process; pytest's status. What it prints goes to a file there."""
    import pytest

    os.chdir(folder)
    log = os.open(folder / "log.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("coursebuild", "nextword")]:
        del sys.modules[name]
    sys.path[:0] = [str(folder / "src")]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = not written
    options = [*OPTIONS, *(f"-p{plugin}" for plugin in PLUGINS), f"--rootdir={folder}"]
    status = pytest.main([*options, *tests], plugins=[watcher])
    return (
        0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)
    )  # what no test looks at survives


def prepare() -> None:
    """Import what the tests need and the mutants do not change; examples of Hypothesis do not depend on chance or load."""
    for name in PRELOADED:
        importlib.import_module(name)
    hypothesis = importlib.import_module("hypothesis")
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile(
        "mutants",
        database=None,
        deadline=None,
        derandomize=True,
        phases=phases,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile("mutants")
    gc.freeze()


def copy_checkout(root: Path, folder: Path) -> Path:
    """A copy of what the tests read."""
    ignored = shutil.ignore_patterns("node_modules", "__pycache__", "vendor")
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=ignored)
        elif (root / name).exists():
            shutil.copy(root / name, folder)
    return folder


def baseline(folder: Path, file: Path, tests: Sequence[str]) -> Baseline:
    """Run a module's tests as they are: they must pass in time; and which lines each of them reaches.

    Raises:
        RuntimeError: a test fails, or they take too long.
    """
    measured = folder / "measured.json"

    def plain() -> int:
        before, watcher = time.process_time(), Watcher()
        status = run_tests(folder, tests, watcher, written=True)
        measured.write_text(json.dumps([time.process_time() - before, watcher.seconds]), encoding="utf-8")
        return status

    def covered() -> int:
        coverage = importlib.import_module("coverage")
        measure = coverage.Coverage(data_file=None, include=[str(file)], config_file=False)
        measure.start()
        status = run_tests(folder, tests, Watcher(started=measure.switch_context))
        measure.stop()
        contexts = measure.get_data().contexts_by_lineno(str(file))
        measured.write_text(json.dumps(contexts), encoding="utf-8")
        return status

    found = Baseline()
    for work in (plain, covered):
        _, status = os.waitpid(forked(work, 120, 600), 0)
        if status:
            raise RuntimeError(f"the tests fail without a mutant:\n{_end_of_log(folder)}")
        got = json.loads(measured.read_text(encoding="utf-8"))
        if work is plain:
            seconds, found.seconds = got
            if seconds > SECONDS:
                raise RuntimeError(
                    f"the tests compute for {seconds:.1f} s; at most {SECONDS:.0f} are allowed"
                )
        else:
            found.reached = {int(line): set(tests) for line, tests in got.items()}
    return found


def _end_of_log(folder: Path) -> str:
    return (folder / "log.txt").read_text(encoding="utf-8")[-3000:]


def chosen_tests(mutant: Mutant, base: Baseline) -> list[str]:
    """The tests that reach the mutant's function, those that reach the changed lines first, and quick ones before slow ones."""
    reach = set(base.seconds) if runs_at_import(mutant, base) else _reaching(mutant.body, base)
    near = _reaching(mutant.lines, base)
    return sorted(reach & set(base.seconds), key=lambda test: (test not in near, base.seconds[test], test))


def runs_at_import(mutant: Mutant, base: Baseline) -> bool:
    """Whether what is changed has run before the first test."""
    return not mutant.body or "" in _reaching(mutant.body, base)


def _reaching(lines: range, base: Baseline) -> set[str]:
    return set[str]().union(*(base.reached.get(line, ()) for line in lines))


def run_mutants(
    root: Path, module: str, mutants: Sequence[Mutant], tests: Sequence[str], jobs: int = 1
) -> Results:
    """Run a module's tests against each of its mutants.

    Raises:
        RuntimeError: the tests fail without a mutant, or take too long.
    """
    path = source_of(module)
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        first = copy_checkout(root, Path(temporary).resolve() / "0")
        base = baseline(first, first / path, tests)
        for compiled in (first / path).parent.glob(f"__pycache__/{(first / path).stem}.*"):
            compiled.unlink()  # it could be taken for that of a mutant of the same length and second
        copies = [first, *(Path(shutil.copytree(first, first.with_name(str(i)))) for i in range(1, jobs))]
        return Runner(module, tests, base, copies).run(mutants)


@dataclass(frozen=True)
class Runner:
    """Runs the mutants of a module, as many at once as there are copies of the checkout."""

    module: str
    tests: Sequence[str]
    base: Baseline
    copies: Sequence[Path]

    def run(self, mutants: Sequence[Mutant]) -> Results:
        """What becomes of each mutant."""
        codes = self.swapped(
            [mutant for mutant in mutants if mutant.inside and not runs_at_import(mutant, self.base)]
        )
        codes = {mutant: code for mutant, code in codes.items() if code != NOT_SWAPPED}
        codes |= self.in_files([mutant for mutant in mutants if mutant not in codes])
        results = Results(self.module)
        for mutant in mutants:
            results.count(mutant.mutation, codes[mutant])
        return results

    def in_files(self, mutants: Sequence[Mutant]) -> dict[Mutant, int]:
        """Run mutants as the module's file in a copy of the checkout, from its import on; how each ended."""

        def start(mutant: Mutant, chosen: list[str], copy: Path) -> int:
            (copy / source_of(self.module)).write_text(mutant.source, encoding="utf-8")
            files = sorted({test.partition("::")[0] for test in chosen})
            return forked(
                lambda: run_tests(copy, files, Watcher(chosen, self.base.seconds)), *self.limits(chosen)
            )

        return dict(self.in_turn(mutants, start))

    def swapped(self, mutants: Sequence[Mutant]) -> dict[Mutant, int]:
        """Run mutants of functions by swapping the function's code when the tests are imported; how each ended."""
        first, runner = self.copies[0], self
        ended = first / "ended.json"

        class Loop(Watcher):
            def pytest_runtestloop(self, session: Any) -> bool:
                gc.freeze()
                items = {_name(item): item for item in session.items}
                codes = dict(
                    runner.in_turn(mutants, lambda *one, items=items: runner.start_swapped(items, *one))
                )
                ended.write_text(json.dumps([codes[mutant] for mutant in mutants]), encoding="utf-8")
                return True

        loop = Loop(list(self.base.seconds), self.base.seconds)
        os.waitpid(forked(lambda: run_tests(first, self.tests, loop), 36000, 36000), 0)
        if not ended.exists():
            raise RuntimeError(f"the tests could not be started:\n{_end_of_log(first)}")
        return dict(zip(mutants, json.loads(ended.read_text(encoding="utf-8")), strict=True))

    def start_swapped(self, items: dict[str, Any], mutant: Mutant, chosen: list[str], _: Path) -> int:
        """Start a fork in which a function has the code of a mutant, and runs the tests that are chosen."""

        def work() -> int:
            try:
                swap(sys.modules[self.module], mutant)
            except (IndexError, KeyError, AttributeError, ValueError):
                return NOT_SWAPPED
            for item in (items[test] for test in chosen):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            return 0

        return forked(work, *self.limits(chosen))

    def in_turn(
        self, mutants: Sequence[Mutant], start: Callable[[Mutant, list[str], Path], int]
    ) -> Iterator[tuple[Mutant, int]]:
        """Start processes for the mutants, as many at once as there are copies; the exit code of each."""
        waiting, free = list(reversed(mutants)), list(self.copies)
        running: dict[int, tuple[Mutant, Path]] = {}
        while waiting or running:
            while waiting and free:
                mutant = waiting.pop()
                if chosen := chosen_tests(mutant, self.base):
                    copy = free.pop()
                    running[start(mutant, chosen, copy)] = (mutant, copy)
                else:
                    yield mutant, 0
            if running:
                pid, status = os.wait()
                mutant, copy = running.pop(pid)
                free.append(copy)
                yield mutant, os.waitstatus_to_exitcode(status)

    def limits(self, chosen: Sequence[str]) -> tuple[int, int]:
        """How many seconds some tests may compute, with what they import, and rest."""
        return int(10 + 10 * sum(self.base.seconds[test] for test in chosen)), 60


def swap(module: ModuleType, mutant: Mutant) -> None:
    """Give a function of a module the code that it has in a mutant."""
    function: Any = module
    code = compile(mutant.source, str(module.__file__), "exec")
    for name in mutant.mutation.function.split("."):
        function = vars(function)[name]
        code = [part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name][-1]
    getattr(function, "__func__", function).__code__ = code


# The command.


def test_module(root: Path, module: str, files: Collection[str], jobs: int) -> tuple[Results, list[str]]:
    """Run one module's mutants; the results, and what is wrong with them."""
    path = source_of(module)
    mutants = mutants_of((root / path).read_text(encoding="utf-8"))
    results = run_mutants(root, module, mutants, [*(f"tests/{file}" for file in files), path], jobs)
    listed = survivors.read(root / LISTS / "survivors" / f"{module}.diff")
    return results, complaints(results, listed)


def complaints(results: Results, listed: dict[Mutation, str]) -> list[str]:
    """What keeps a module from passing, a text each."""
    found = [f"unlisted survivor, {mutation}" for mutation in results.survived if mutation not in listed]
    for mutation in listed:
        if mutation not in results.survived:
            what = "is killed by the tests" if mutation in results.gone else "is no mutant"
            found.append(f"listed as a survivor, but {what}: {mutation}")
    if (score := results.figures().score) < ENOUGH:
        found.append(f"{score:.1%} are killed; at least {ENOUGH:.0%} must be")
    return list(dict.fromkeys(found))


def main(arguments: Sequence[str]) -> int:
    """Run the mutants of the modules that are named, or of all; the status of the command."""
    table = read_modules(ROOT)
    if unknown := [name for name in arguments if name not in table]:
        print(f"no such module in {LISTS / 'modules.toml'}: {', '.join(unknown)}", file=sys.stderr)
        return 2
    prepare()
    jobs = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))
    failed = []
    for module in arguments or table:
        try:
            results, wrong = test_module(ROOT, module, table[module], jobs)
        except RuntimeError as error:
            results, wrong = None, [str(error)]
        for text in [str(results or module), *wrong]:
            print(text, flush=True)
        if wrong:
            failed.append(module)
        elif results:
            figures = survivors.read_figures(ROOT / LISTS / "figures.md") | {module: results.figures()}
            in_order = {name: figures[name] for name in table if name in figures}
            survivors.write_figures(ROOT / LISTS / "figures.md", in_order)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
