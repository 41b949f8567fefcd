"""The Python side of a live panel: runs a reader's program and says what became of its claims.

It is loaded into Python in the browser's worker (worker.js), and under Node by the tests (parity.mjs).
"""

import __future__

import ast
import atexit
import builtins
import contextlib
import contextvars
import gc
import importlib
import importlib.util
import io
import itertools
import json
import linecache
import logging
import operator
import os
import random
import re
import shutil
import sys
import textwrap
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

LONGEST_CLAIM = 1000
LONGEST_ASKED = 160
LONGEST_REPR = 300
LONGEST_LINE = 200
LONGEST_ERROR = 4000
MOST_CHECKS = 1000
"""How many checks are kept whatever they say. As many again are kept if they failed or say something new; the others are counted."""
MOST_INNER = 4
"""How many errors of a group are told."""
MOST_FRAMES = 6
"""How many lines of a traceback are shown; of a longer one the first half and the last half."""

PART = re.compile(r"# panel \S+: ")
"""The line above the code of each panel in its program, those that it continues included."""

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
CLAIM, FIGURE = ["claim", "got", "expected"], ["name", "value"]
OWN_FILE = __file__
UNCHANGING = 1 << 8
"""The flag of a class whose attributes cannot be set (Py_TPFLAGS_IMMUTABLETYPE)."""

HINTS = {
    "RecursionError": "A function called itself too many times. Does it ever reach its end?",
    "MemoryError": "Python has no more memory in this page. Is the data smaller that you need?",
    "ModuleNotFoundError": "Here are the modules of Python itself, numpy and nextword.",
}


ENCODE = json.JSONEncoder().encode
"""Writes JSON, also where a program has put something else in the place of ``json.dumps``."""


class Record:
    """What a run claimed and named, in order."""

    def __init__(self, name: str, tell: Callable[[str], object] | None) -> None:
        from nextword import checks

        self.module: Any = checks
        self.plain_check, self.plain_figure = checks.check, checks.figure
        self.name, self.tell = name, tell
        self.code, self.tree = "", ast.Module([], [])
        self.checks: list[dict[str, object]] = []
        self.more = {"held": 0, "failed": 0}
        self.claims: set[str] = set()
        self.figures: dict[str, object] = {}
        self.counts = True
        self.calls: dict[tuple[int, int], ast.Call] = {}
        self.texts: dict[tuple[int, int], str] = {}

    def check(self, claim: str, got: object, expected: object) -> None:
        """Stands for ``check``: writes down whether the claim holds, and goes on."""
        if not isinstance(claim, str) or not claim.strip():
            self.plain_check(claim, got, expected)  # refuses it
        # The rule of the plain one, which would also write both values, for its message; not each value can be written.
        held = isinstance(got, bool) == isinstance(expected, bool) and bool(got == expected)
        if self.counts:
            self._keep(str.__getitem__(claim, slice(LONGEST_CLAIM)), held, got, expected, sys._getframe(1))

    def _keep(self, claim: str, held: bool, got: object, expected: object, caller: FrameType) -> None:
        kept = len(self.checks)
        has_room = kept < MOST_CHECKS or (kept < 2 * MOST_CHECKS and (not held or claim not in self.claims))
        if not has_room:
            self.more["held" if held else "failed"] += 1
            return
        self.claims.add(claim)
        values = [] if held else [got, expected]
        first, second = map(shortened, values) if values else ("", "")
        check = {"claim": claim, "held": held, "got": first, "expected": second}
        check |= {"asked": self._asked(caller), "said": ""}
        self.checks.append(check)
        if self.tell:
            self.tell(ENCODE(check))

    def _asked(self, caller: FrameType) -> str:
        """What stands in the program as the second argument of the ``check`` that is called there, or nothing."""
        if caller.f_code.co_filename != self.name:
            return ""
        step = caller.f_lasti // 2
        _, line, _, column = next(itertools.islice(caller.f_code.co_positions(), step, None), (None,) * 4)
        if line is None or column is None:
            return ""
        place = (line, column)
        if place not in self.texts:
            self.calls = self.calls or {
                (node.end_lineno or 0, node.end_col_offset or 0): node
                for node in ast.walk(self.tree)
                if isinstance(node, ast.Call)
            }
            self.texts[place] = self._second(self.calls.get(place), caller.f_globals)
        return self.texts[place]

    def _second(self, call: ast.Call | None, names: dict[str, Any]) -> str:
        function = call.func if call else None
        name = getattr(function, "attr", getattr(function, "id", ""))
        if not call or (name != "check" and names.get(name) != self.check):
            return ""
        named = [keyword.value for keyword in call.keywords if keyword.arg == "got"]
        is_plain = len(call.args) > 1 and not any(isinstance(one, ast.Starred) for one in call.args[:2])
        node = call.args[1] if is_plain else named[0] if named else None
        text = " ".join(((node and ast.get_source_segment(self.code, node)) or "").split())
        return cut(text, LONGEST_ASKED)

    def figure(self, name: str, value: object) -> None:
        """Stands for ``figure``."""
        self.plain_figure(name, value)
        if self.counts:
            self.figures[name] = json.loads(json.dumps(value))

    def put_into(self, namespace: dict[str, Any], statement: ast.stmt) -> None:
        """Let a program's own copy of ``check`` or ``figure``, which a statement has just defined, write down as well.

        A function that is called in another way is the reader's own, and stays what it is.
        """
        if not isinstance(statement, ast.FunctionDef) or statement.decorator_list:
            return
        taken = statement.args
        if taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg or taken.defaults:
            return
        names = [argument.arg for argument in taken.args]
        if (statement.name, names) == ("check", CLAIM):
            namespace["check"] = self.check
        elif (statement.name, names) == ("figure", FIGURE):
            namespace["figure"] = self.figure


def cut(text: str, longest: int) -> str:
    """A text that is not longer than it may be."""
    return text if len(text) <= longest else text[: longest - 2] + " …"


def shortened(value: object) -> str:
    """A value as Python writes it, cut where it is long. Some cannot be written: that is said, and never raised."""
    try:
        text = repr(value)
        return cut(str.__getitem__(text, slice(LONGEST_REPR + 1)), LONGEST_REPR)
    except BaseException:  # its __repr__ is a reader's code, and a long whole number has no text either
        kind = type.__dict__["__name__"].__get__(type(value))
        return cut(f"a value of type {kind} that cannot be printed", LONGEST_REPR)


class Below(io.BufferedIOBase):
    """What is below a stream of a run. It can be turned off, and closing it closes nothing else."""

    def __init__(self, stream: Any, name: str) -> None:
        self.stream = stream
        self.name = name
        self.mode = "w"
        self.passes = True
        self.number: int | None = None

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Let the bytes pass, or drop them."""
        if self.passes:
            self.stream.buffer.write(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Send on what was written."""
        self.stream.buffer.flush()

    def fileno(self) -> int:
        """A descriptor of the run's own, which it may close."""
        if self.number is None:
            self.number = os.dup(self.stream.fileno())
        return self.number

    def close(self) -> None:
        """Stay open: other streams write here as well."""


class NoInput(io.TextIOBase):
    """Stands for standard input."""

    def readable(self) -> bool:
        """Yes, so that the reader is told why there is nothing."""
        return True

    def read(self, size: int | None = -1, /) -> str:
        """Refuse."""
        return refuse_input()

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Refuse."""
        return refuse_input()


class Streams:
    """The standard streams of one run: whatever it does to them, the next run has others.

    What a part of a program keeps of them writes to the same place, so that all of it is turned off and on together.
    """

    def __init__(self) -> None:
        self.below = [Below(sys.stdout, "<stdout>"), Below(sys.stderr, "<stderr>")]
        self.descriptors = [(number, os.dup(number)) for number in (1, 2)]
        self.own = [
            io.TextIOWrapper(below, "utf-8", "backslashreplace", newline="\n", line_buffering=True)
            for below in self.below
        ]
        sys.stdout, sys.stderr = self.own
        sys.__stdout__, sys.__stderr__ = self.own  # type: ignore[misc]
        sys.stdin = sys.__stdin__ = NoInput()  # type: ignore[misc, assignment]

    def let(self, passes: bool) -> None:
        """Show what is printed from here on, or drop it."""
        if passes != self.below[0].passes:
            self.flush()
            for below in self.below:
                below.passes = passes

    def flush(self) -> None:
        """Send on what was printed, also by a stream that the program has put in place of these."""
        for stream in [sys.stdout, sys.stderr, *self.own]:
            with contextlib.suppress(Exception):
                stream.flush()

    def end(self) -> None:
        """Let nothing more pass, and put the descriptors back. An error here means that this Python is of no more use."""
        self.flush()
        for below in self.below:
            below.flush()
            below.passes = False
            if below.number is not None:
                with contextlib.suppress(OSError):
                    os.close(below.number)
        for number, kept in self.descriptors:
            os.dup2(kept, number)
            os.close(kept)


class Exits:
    """Stands for ``atexit``: what it is asked to call is called when the run ends, and not at the end of Python."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, Callable[[], object]]] = []

    def register(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call the function at the end."""
        self.calls.append((function, lambda: function(*arguments, **named)))
        return function

    def unregister(self, function: Any, /) -> None:
        """Do not call it."""
        self.calls = [call for call in self.calls if call[0] != function]

    def run(self) -> None:
        """Call all, the last one first."""
        while self.calls:
            self.calls.pop()[1]()


def refuse_input(prompt: object = "") -> str:
    """Stands for ``input``: nobody can be asked while a panel runs."""
    raise RuntimeError("input() cannot ask anything here. Write the value into the code instead.")


CLASSES: dict[types.ModuleType, set[type]] = {}
"""The classes that are in a module and can be changed. A module is searched once, for that takes a while."""


def unchanged(names: Mapping[str, object], before: dict[str, object]) -> bool:
    """Whether a namespace has what it had, each the very same object. There are many, so this is quick and asks no ``__eq__``."""
    return (
        len(names) == len(before)
        and all(map(operator.is_, names, before))
        and all(map(operator.is_, names.values(), before.values()))
    )


class State:
    """What runs have in common and could change: each run finds it as the first one did."""

    def __init__(self) -> None:
        self.modules = dict(sys.modules)
        self.builtins, self.first = vars(builtins), dict(vars(builtins))
        modules = [module for module in self.modules.values() if isinstance(module, types.ModuleType)]
        self.contents = [(vars(module), dict(vars(module))) for module in modules]
        for module in modules:
            if module not in CLASSES:
                found = {value for value in vars(module).values() if isinstance(value, type)}
                CLASSES[module] = {one for one in found if not one.__flags__ & UNCHANGING}
        classes = set[type]().union(*(CLASSES[module] for module in modules))
        self.classes = [(one, dict(vars(one))) for one in classes]
        loggers = [
            one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)
        ]
        objects = [logging.Logger.manager, logging.root, *loggers]
        self.objects = [(vars(one), dict(vars(one))) for one in objects]
        lists: list[list[Any]] = [sys.path, sys.meta_path, sys.path_hooks, gc.callbacks]
        lists += [kept for one in [logging.root, *loggers] for kept in (one.handlers, one.filters)]
        self.lists: list[tuple[list[Any], list[Any]]] = [(one, list(one)) for one in lists]
        self.loggers = (logging.Logger.manager.loggerDict, dict(logging.Logger.manager.loggerDict))
        self.filters = list(warnings.filters)
        self.environment = dict(os.environ)
        self.random = random.getstate()
        self.recursion = sys.getrecursionlimit()
        self.folder = Path.cwd()
        self.trace, self.profile = sys.gettrace(), sys.getprofile()
        self.digits = sys.get_int_max_str_digits()
        self.collecting, self.threshold, self.debug = gc.isenabled(), gc.get_threshold(), gc.get_debug()
        self.numpy = self.modules.get("numpy")
        if self.numpy:
            self.options = self.numpy.get_printoptions()
            self.errors = self.numpy.geterr()
            self.drawn = self.numpy.random.get_state()

    def put_back(self) -> None:
        """Undo what a run changed."""
        self.builtins.update(self.first)  # first, for all of this is written with them
        sys.settrace(self.trace)
        sys.setprofile(self.profile)
        for contents, before in [*self.contents, *self.objects, self.loggers]:
            if not unchanged(contents, before):
                for name in set(contents) - set(before):
                    del contents[name]
                contents.update(before)
        for one, before in self.classes:
            if not unchanged(vars(one), before):
                for name in set(vars(one)) - set(before):
                    type.__delattr__(one, name)
                for name in [name for name, value in before.items() if vars(one).get(name) is not value]:
                    type.__setattr__(one, name, before[name])
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
        sys.set_int_max_str_digits(self.digits)
        (gc.enable if self.collecting else gc.disable)()
        gc.set_threshold(*self.threshold)
        gc.set_debug(self.debug)
        gc.unfreeze()
        logging.Logger.manager._clear_cache()  # type: ignore[attr-defined]  # of levels
        Path(self.folder).mkdir(parents=True, exist_ok=True)
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


def fresh_folder(folder: str, *others: str) -> str:
    """Empty the folder that a run works in, and others that it could write to: nothing of an earlier run is in them."""
    for one in (folder, *others):
        Path(one).mkdir(parents=True, exist_ok=True)
        for path in Path(one).iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
    return folder


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


def run(
    code: str,
    name: str,
    marker: str,
    ident: str = "",
    answer: str = "",
    folder: str = "",
    tell: Callable[[str], object] | None = None,
) -> str:
    """Run a program in a namespace of its own, and say as JSON what became of its claims.

    Args:
        code: the program.
        name: what it is called in messages.
        marker: how the line begins above the panel's own code. What the panels print and claim that stand before it is dropped.
        ident: the exercise that the program answers, or nothing.
        answer: the name of what is graded.
        folder: where the program runs; nothing means where it is.
        tell: called with each check that is kept, as JSON, when it is made: a program that is stopped says nothing at its end.
            Those of an exercise are made at the end.

    Returns:
        An object of ``checks`` [{claim, held, got, expected, asked, said}], ``more`` {held, failed} (how many checks were made
        that are not among those), ``figures``, ``error`` (null or {text, line}) and ``report`` (null, or the text of a grading).
        The values of a check are written where it failed; ``asked`` is the source of the first of them; ``said`` is what the
        grading of an exercise tells of a check that failed.
    """
    report: str | None = None
    code = re.sub("\r\n?", "\n", code)  # as Python reads it
    with put_back():
        record = Record(name, None if ident else tell)
        record.module.check, record.module.figure = record.check, record.figure
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        sys.modules["builtins"].input = refuse_input  # type: ignore[attr-defined]
        linecache.cache[name] = (len(code), None, [line + "\n" for line in code.split("\n")], name)
        if folder:
            os.chdir(folder)
        exits = Exits()
        atexit.register, atexit.unregister = exits.register, exits.unregister
        streams = Streams()
        try:
            # In a context of its own, so that the precision of decimal is its own too.
            own = contextvars.Context()
            error = _caught(
                name, lambda: own.run(_execute, code, name, marker, main.__dict__, record, streams)
            )
            streams.let(True)
            ended = _caught(name, lambda: own.run(exits.run))
            error = error or ended
            checks, more = record.checks, record.more
            if ident:
                checks, more = [], {"held": 0, "failed": 0}
                if not error:
                    report, checks = _graded(ident, answer, main)
        finally:
            streams.end()
    result = {"checks": checks, "more": more, "figures": record.figures, "error": error, "report": report}
    return ENCODE(result)


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
    return None


def _execute(
    code: str, name: str, marker: str, namespace: dict[str, Any], record: Record, streams: Streams
) -> None:
    """Run a program statement by statement: between two of them, output is dropped or not, and ``check`` replaced."""
    tree = ast.parse(code, name)  # warns of what is doubtful in a text
    record.code, record.tree = code, tree
    with warnings.catch_warnings(
        action="ignore"
    ):  # each statement is compiled again, and warns of the rest then
        flags = compile(code, name, "exec", dont_inherit=True).co_flags & FUTURE
    earlier = _earlier(code, marker)
    for statement in tree.body:
        whole = ast.Module([statement], [])
        is_earlier = statement.lineno in earlier
        record.counts = not is_earlier
        streams.let(not is_earlier)
        exec(compile(whole, name, "exec", flags, dont_inherit=True), namespace)
        record.put_into(namespace, statement)


def _earlier(code: str, marker: str) -> range:
    """The lines of the panels that a panel continues: from the first one's heading to the panel's own."""
    lines = code.split("\n")
    own = [number for number, line in enumerate(lines, 1) if marker and line.startswith(marker)]
    parts = [number for number, line in enumerate(lines, 1) if PART.match(line)]
    return range(min(parts), own[0]) if own and parts else range(0)


def _graded(ident: str, answer: str, main: types.ModuleType) -> tuple[str, list[dict[str, object]]]:
    """The report of an exercise's checks of the answer, and each check in its order."""
    from nextword.exercises.catalogue import exercise
    from nextword.exercises.comparing import LONGEST_TEXT

    grading: Any = importlib.import_module("nextword.exercises.grading")
    if sys.platform == "emscripten":
        # There are no threads, so it would look at the clock in each line: nine times slower. The page ends what does not end.
        grading.within = lambda seconds, ask: ask()
    graded = grading.report(exercise(ident), vars(main).get(answer))
    text: str = graded.text
    if answer not in vars(main):
        problem = f"Nothing was checked: the code defines no {answer}"
        text = "\n".join([text.split("\n")[0], *textwrap.wrap(problem, LONGEST_TEXT)])
    empty = {"got": "", "expected": "", "asked": ""}
    return text, [
        {"claim": one.claim, "held": one.held, **empty, "said": one.said} for one in graded.outcomes
    ]


def told(error: BaseException, name: str, depth: int = 3) -> dict[str, object]:
    """An error as a reader needs it: what it says, and the lines of the reader's own program on the way to it."""
    steps = [
        step for step in traceback.walk_tb(error.__traceback__) if step[0].f_code.co_filename != OWN_FILE
    ]
    own = [step for step in steps if step[0].f_code.co_filename == name]
    line = own[-1][1] if own else 0
    breaks_elsewhere = bool(steps) and steps[-1] not in own[-1:]
    way = [*own, steps[-1]] if breaks_elsewhere else own
    half = MOST_FRAMES // 2  # of a very long way the lines in between are not even looked up
    ends = way if len(way) <= MOST_FRAMES else way[:half] + way[-half:]
    shown = [_frame(frame, number, frame.f_code.co_filename == name) for frame, number in ends]
    if len(way) > MOST_FRAMES:
        shown.insert(half, f"… {len(way) - MOST_FRAMES} calls more …")
    if isinstance(error, SyntaxError) and error.filename == name:
        line = error.lineno or 0
        shown = [] if own else [f"line {line}:"]
    lines = [*shown, *_said(error)]
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before and depth:
        lines = [str(told(before, name, depth - 1)["text"]), "", "While this was handled:", *lines]
    text = "\n".join(lines)
    return {"text": text if len(text) <= LONGEST_ERROR else text[:LONGEST_ERROR] + " …", "line": line}


def _frame(frame: FrameType, number: int, is_own: bool) -> str:
    """One line of a traceback: where, and the line of source."""
    code = frame.f_code
    where = f"line {number}" + (f", in {code.co_name}" if code.co_name != "<module>" else "")
    if not is_own:
        where = f"{'/'.join(Path(code.co_filename).parts[-2:])}, {where}"
    line = linecache.getline(code.co_filename, number, frame.f_globals).strip()
    return _line(f"{where}: {line}" if line else where)


def _line(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + " …"


def _said(error: BaseException, depth: int = 2) -> Iterator[str]:
    """What an error says, and what that means here; of a group, what its first errors say too."""
    last = error.__traceback__  # the frame that a name was looked up in, for "Did you mean"
    while last and last.tb_next:
        last = last.tb_next
    told = traceback.TracebackException(type(error), error, last, limit=0)
    said = "".join(told.format_exception_only())
    if isinstance(error, SystemExit):
        yield _line(f"The program ended itself here ({said.strip()}). What comes after did not run.")
        return
    for line in re.sub(r'\A  File ".*", line \d+\n', "", said).rstrip("\n").split("\n"):
        yield _line(line)
    if isinstance(error, BaseExceptionGroup) and depth:
        for inner in error.exceptions[:MOST_INNER]:
            yield from ("  " + line for line in _said(inner, depth - 1))
        if len(error.exceptions) > MOST_INNER:
            yield f"  … {len(error.exceptions) - MOST_INNER} more …"
    if hint := HINTS.get(type(error).__name__):
        yield hint
