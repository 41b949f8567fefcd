"""The Python side of a live panel: runs a reader's program and says what became of its claims.

It is loaded into Python in the browser's worker (worker.js), and under Node by the tests (parity.mjs).
"""

import __future__

import ast
import contextlib
import gc
import importlib
import importlib.util
import io
import json
import linecache
import os
import random
import re
import shutil
import sys
import textwrap
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LONGEST_REPR = 300
LONGEST_LINE = 200
LONGEST_ERROR = 4000
MOST_CHECKS = 1000
MOST_FRAMES = 6
"""How many lines of a traceback are shown; of a longer one the first half and the last half."""

PART = re.compile(r"# panel \S+: ")
"""The line above the code of each panel in its program, those that it continues included."""

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
CLAIM, FIGURE = ["claim", "got", "expected"], ["name", "value"]
OWN_FILE = __file__

HINTS = {
    "RecursionError": "A function called itself too many times. Does it ever reach its end?",
    "MemoryError": "Python has no more memory in this page. Is the data smaller that you need?",
    "ModuleNotFoundError": "Here are the modules of Python itself, numpy and nextword.",
}


class Silence(io.TextIOBase):
    """Stands for standard output where nothing is to be seen."""

    def write(self, text: str) -> int:
        """Drop the text."""
        return len(text)


class Record:
    """What a run claimed and named, in order."""

    def __init__(self) -> None:
        from nextword import checks

        self.module: Any = checks
        self.plain_check, self.plain_figure = checks.check, checks.figure
        self.checks: list[dict[str, object]] = []
        self.figures: dict[str, object] = {}
        self.counts = True

    def check(self, claim: str, got: object, expected: object) -> None:
        """Stands for ``check``: writes down whether the claim holds, and goes on."""
        held = True
        try:
            with contextlib.redirect_stdout(Silence()):  # its ok line
                self.plain_check(claim, got, expected)
        except self.module.CheckFailed:
            held = False
        if self.counts and len(self.checks) < MOST_CHECKS:
            values = {"got": shortened(got), "expected": shortened(expected)}
            self.checks.append({"claim": claim, "held": held, **values})

    def figure(self, name: str, value: object) -> None:
        """Stands for ``figure``."""
        self.plain_figure(name, value)
        if self.counts:
            self.figures[name] = json.loads(json.dumps(value))

    def put_into(self, namespace: dict[str, Any], statement: ast.stmt) -> None:
        """Let a program's own copy of ``check`` or ``figure``, which a statement has just defined, write down as well."""
        if isinstance(statement, ast.FunctionDef):
            names = [argument.arg for argument in statement.args.args]
            if (statement.name, names) == ("check", CLAIM):
                namespace["check"] = self.check
            elif (statement.name, names) == ("figure", FIGURE):
                namespace["figure"] = self.figure


def shortened(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 2] + " …"


def refuse_input(prompt: object = "") -> str:
    """Stands for ``input``: nobody can be asked while a panel runs."""
    raise RuntimeError("input() cannot ask anything here. Write the value into the code instead.")


class State:
    """What runs have in common and could change: each run finds it as the first one did."""

    def __init__(self) -> None:
        self.modules = dict(sys.modules)
        modules = [module for module in self.modules.values() if isinstance(module, types.ModuleType)]
        self.contents = [(vars(module), dict(vars(module))) for module in modules]
        self.lists: list[tuple[list[Any], list[Any]]]
        self.lists = [(found, list(found)) for found in (sys.path, sys.meta_path, sys.path_hooks)]
        self.filters = list(warnings.filters)
        self.environment = dict(os.environ)
        self.random = random.getstate()
        self.recursion = sys.getrecursionlimit()
        self.folder = Path.cwd()
        self.trace = sys.gettrace()
        self.numpy = self.modules.get("numpy")
        if self.numpy:
            self.options = self.numpy.get_printoptions()
            self.errors = self.numpy.geterr()
            self.drawn = self.numpy.random.get_state()

    def put_back(self) -> None:
        """Undo what a run changed."""
        sys.settrace(self.trace)
        for contents, before in self.contents:
            if len(contents) != len(before) or any(contents.get(k) is not v for k, v in before.items()):
                for name in set(contents) - set(before):
                    del contents[name]
                contents.update(before)
        for changed, first in self.lists:
            changed[:] = first
        for name in set(sys.modules) - set(self.modules):
            del sys.modules[name]
        sys.modules.update(self.modules)
        warnings.resetwarnings()
        warnings.filters[:] = self.filters  # type: ignore[index]
        if dict(os.environ) != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
        random.setstate(self.random)
        sys.setrecursionlimit(self.recursion)
        os.chdir(self.folder)
        if self.numpy:
            self.numpy.set_printoptions(**self.options)
            self.numpy.seterr(**self.errors)
            self.numpy.random.set_state(self.drawn)


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Let a run leave nothing behind."""
    state = State()
    try:
        yield
    finally:
        state.put_back()


def fresh_folder(parent: str = "/home") -> str:
    """An empty folder, which a run works in: nothing of an earlier one is in it."""
    folder = Path(parent) / "panel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return str(folder)


def needs_numpy(code: str) -> bool:
    """Whether a program imports numpy, itself or by a module of ``nextword``. One that cannot be read imports nothing."""
    seen: set[str] = set()
    waiting = [code]
    while waiting:
        for name in _imported(waiting.pop()):
            if name.split(".")[0] == "numpy":
                return True
            if name.split(".")[0] == "nextword" and name not in seen:
                seen.add(name)
                waiting += _source(name)
    return False


def _imported(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _source(name: str) -> list[str]:
    """The source of a module, or nothing if there is no such module: a name may be that of a function."""
    try:
        found = importlib.util.find_spec(name)
        return [Path(found.origin).read_text(encoding="utf-8")] if found and found.origin else []
    except (ImportError, ValueError, OSError):
        return []


def run(code: str, name: str, marker: str, ident: str = "", answer: str = "", folder: str = "") -> str:
    """Run a program in a namespace of its own, and say as JSON what became of its claims.

    Args:
        code: the program.
        name: what it is called in messages.
        marker: how the line begins above the panel's own code. What the panels print and claim that stand before it is dropped.
        ident: the exercise that the program answers, or nothing.
        answer: the name of what is graded.
        folder: where the program runs; nothing means where it is.

    Returns:
        An object of ``checks`` [{claim, held, got, expected}], ``figures``, ``error`` (null or {text, line}) and ``report``
        (null, or the text of a grading).
    """
    report: str | None = None
    with put_back():
        record = Record()
        record.module.check, record.module.figure = record.check, record.figure
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        sys.modules["builtins"].input = refuse_input  # type: ignore[attr-defined]
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        if folder:
            os.chdir(folder)
        error = _caught(name, lambda: _execute(code, name, marker, main.__dict__, record))
        checks = record.checks
        if ident:
            report, checks = (None, []) if error else _graded(ident, answer, main)
    return json.dumps({"checks": checks, "figures": record.figures, "error": error, "report": report})


def tidy() -> None:
    """Let go of what the last run made; it takes a moment, so it is done when its result is on its way."""
    linecache.clearcache()
    gc.collect()


def _caught(name: str, work: Callable[[], None]) -> dict[str, object] | None:
    """What ended a program before its last line, or nothing."""
    try:
        work()
    except BaseException as error:  # a reader's code may raise anything, SystemExit and KeyboardInterrupt too
        return told(error, name)
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
    return None


def _execute(code: str, name: str, marker: str, namespace: dict[str, Any], record: Record) -> None:
    """Run a program statement by statement: between two of them, output is dropped or not, and ``check`` replaced."""
    with warnings.catch_warnings(action="ignore"):  # each statement is compiled again, and warns then
        tree = ast.parse(code, name)
        flags = compile(code, name, "exec", dont_inherit=True).co_flags & FUTURE
    earlier = _earlier(code, marker)
    for statement in tree.body:
        whole = ast.Module([statement], [])
        is_earlier = statement.lineno in earlier
        record.counts = not is_earlier
        with _silence() if is_earlier else contextlib.nullcontext():
            exec(compile(whole, name, "exec", flags, dont_inherit=True), namespace)
        record.put_into(namespace, statement)


def _earlier(code: str, marker: str) -> range:
    """The lines of the panels that a panel continues: from the first one's heading to the panel's own."""
    lines = code.split("\n")
    own = [number for number, line in enumerate(lines, 1) if marker and line.startswith(marker)]
    parts = [number for number, line in enumerate(lines, 1) if PART.match(line)]
    return range(min(parts), own[0]) if own and parts else range(0)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with contextlib.redirect_stdout(Silence()), contextlib.redirect_stderr(Silence()):
        yield


def _graded(ident: str, answer: str, main: types.ModuleType) -> tuple[str, list[dict[str, object]]]:
    """The report of an exercise's checks of the answer, and each check in its order."""
    from nextword.exercises.catalogue import exercise
    from nextword.exercises.comparing import LONGEST_TEXT

    grading: Any = importlib.import_module("nextword.exercises.grading")
    if sys.platform == "emscripten":
        # There are no threads, so it would look at the clock in each line: nine times slower. The page ends what does not end.
        grading.within = lambda seconds, ask: ask()
    found = exercise(ident)
    graded = grading.report(found, getattr(main, answer, None))
    text: str = graded.text
    claims = {**dict.fromkeys(graded.held, True), **dict.fromkeys(graded.failed, False)}
    if not hasattr(main, answer):
        problem = f"Nothing was checked: the code defines no {answer}"
        text = "\n".join([text.split("\n")[0], *textwrap.wrap(problem, LONGEST_TEXT)])

    def place(claim: str) -> int:
        mark = "ok   " if claims[claim] else "NOT  "
        return text.find(textwrap.wrap(claim, LONGEST_TEXT, initial_indent=mark)[0])

    ordered = sorted(claims, key=place)
    return text, [{"claim": one, "held": claims[one], "got": "", "expected": ""} for one in ordered]


def told(error: BaseException, name: str, depth: int = 3) -> dict[str, object]:
    """An error as a reader needs it: what it says, and the lines of the reader's own program on the way to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != OWN_FILE]
    own = [frame for frame in frames if frame.filename == name]
    line = own[-1].lineno or 0 if own else 0
    shown = [_frame(frame, frame.filename == name) for frame in frames if frame in own or frame is frames[-1]]
    if len(shown) > MOST_FRAMES:
        half = MOST_FRAMES // 2
        shown[half:-half] = [f"… {len(shown) - MOST_FRAMES} calls more …"]
    if isinstance(error, SyntaxError) and error.filename == name:
        line = error.lineno or 0
        shown = [] if frames and own else [f"line {line}:"]
    lines = [*shown, *_said(error)]
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before and depth:
        lines = [str(told(before, name, depth - 1)["text"]), "", "While this was handled:", *lines]
    text = "\n".join(lines)
    return {"text": text if len(text) <= LONGEST_ERROR else text[:LONGEST_ERROR] + " …", "line": line}


def _frame(frame: traceback.FrameSummary, is_own: bool) -> str:
    """One line of a traceback: where, and the line of source."""
    where = f"line {frame.lineno}" + (f", in {frame.name}" if frame.name != "<module>" else "")
    if not is_own:
        where = f"{'/'.join(Path(frame.filename).parts[-2:])}, {where}"
    text = f"{where}: {frame.line}" if frame.line else where
    return text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + " …"


def _said(error: BaseException) -> Iterator[str]:
    """What an error says, and what that means here."""
    if isinstance(error, SystemExit):
        yield f"The program ended itself here (SystemExit: {error.code}). What comes after did not run."
        return
    said = "".join(traceback.TracebackException.from_exception(error).format_exception_only())
    for line in re.sub(r'\A  File ".*", line \d+\n', "", said).rstrip("\n").split("\n"):
        yield line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …"
    if hint := HINTS.get(type(error).__name__):
        yield hint
