"""Runs one panel in a fresh interpreter and writes down what it claimed. Started by ``coursebuild.runner`` as a script.

It uses the standard library alone, and reads the source of ``nextword`` afresh: no compiled file can be stale.
"""

import contextlib
import faulthandler
import functools
import importlib.machinery
import json
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence

try:
    from _blake2 import blake2b  # what hashlib hands on, without the time that its import takes
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

SYSTEM = ("/dev", "/proc", "/sys", "/usr/share/zoneinfo")
LONGEST_REPR = 2000
WHERE = ".where"
"""What the name of the file ends in that says at which line a run was when half its time was up."""
KNOWN = {"builtins", "collections", "fractions", "decimal", "enum", "datetime", "array", "numpy", "nextword"}
"""Packages whose types say truly what they equal."""


class Fresh(importlib.machinery.SourceFileLoader):
    """Loads a module from its source, never from a compiled file."""

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def state_of(path: str) -> str:
    """A hash of a file, or of the names in a folder; nothing if there is neither.

    With a slash behind, whether it is a folder; with ``/*``, what a folder's list tells of its entries beside their names; with
    ``/@``, where a link leads, and else of a folder that it is one.
    """
    try:
        if path.endswith("/@"):
            path = path[:-2]
            if os.path.islink(path):  # noqa: PTH114
                return "link " + ascii(os.readlink(path))  # noqa: PTH115
            return "folder" if os.path.isdir(path) else state_of(path)  # noqa: PTH112
        if path.endswith("/*"):
            with os.scandir(path[:-1]) as entries:
                told = sorted(
                    (entry.name, entry.is_symlink(), entry.is_dir(), entry.is_file() and entry.stat().st_size)
                    for entry in entries
                    if entry.name != "__pycache__"
                )
            return blake2b(ascii(told).encode(), digest_size=16).hexdigest()
        if path.endswith("/"):
            return "folder" if os.path.isdir(path) else ""  # noqa: PTH112
        if os.path.isdir(path):  # noqa: PTH112
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")  # noqa: PTH208
            content, kind = "\n".join(names).encode("utf-8", "surrogateescape"), "names "
        else:
            with open(path, "rb") as file:  # noqa: PTH123
                content, kind = file.read(), ""
    except (OSError, ValueError):
        return ""
    return kind + blake2b(content, digest_size=16).hexdigest()


class Reads:
    """The files of a project that a run reads or looks for, each with its state when it was first met.

    Args:
        project: the project's folder.
        apart: folders in it whose files do not count, such as that of the packages.
        beside: a folder elsewhere whose files count too, by their whole path.

    Attributes:
        found: the states by the path within the project.
        is_whole: whether all was seen; not what another process or a database reads.
    """

    BEYOND = (
        "subprocess.Popen",
        "os.system",
        "os.posix_spawn",
        "os.exec",
        "os.fork",
        "socket.connect",
        "sqlite3.connect",
    )
    STARTERS = ("multiprocessing.popen_spawn_posix", "multiprocessing.popen_forkserver")
    """Modules that start processes of which no event tells; they are imported when they do."""

    def __init__(self, project: str, apart: Sequence[str], beside: str = "") -> None:
        self.project = project.rstrip(os.sep) + os.sep
        self.beside = (beside or project).rstrip(os.sep) + os.sep
        folders = (folder.rstrip(os.sep) + os.sep for folder in apart)
        self.apart = tuple(
            folder
            for folder in folders
            if folder.startswith((self.project, self.beside)) and folder not in (self.project, self.beside)
        )
        self.found: dict[str, str] = {}
        self.is_whole = True
        self._is_aside = False

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """While it lasts, nothing is seen."""
        before, self._is_aside = self._is_aside, True
        try:
            yield
        finally:
            self._is_aside = before

    def note(self, given: object, what: str = "") -> None:
        """Write a path down, if it is one of the project; and what of it, as ``state_of`` has it."""
        if not self._is_aside and isinstance(given, (str, bytes, os.PathLike)):
            with self.aside():
                self._add(os.fsdecode(given), what)

    def _add(self, given: str, what: str = "") -> None:
        if "/../" in f"/{given}/".replace(os.sep, "/"):  # behind a link that is another folder than it says
            self._add_path(os.path.realpath(given), what)
        self._add_path(os.path.abspath(given), what or ("/" if given.endswith("/") else ""))  # noqa: PTH100

    def _add_path(self, path: str, what: str) -> None:
        if not path.startswith((self.project, self.beside)):
            path = os.path.realpath(path)
        within = path + os.sep
        is_apart = within.startswith(self.apart) or (
            what == "/@" and any(folder.startswith(within) for folder in self.apart)  # on the way there
        )
        if path.startswith((self.project, self.beside)) and not is_apart:
            path += what
            name = path.removeprefix(self.project).replace(os.sep, "/")
            if name not in self.found:
                self.found[name] = state_of(path)

    def note_module(self, folder: str, name: str) -> None:
        """Write down where a module of that name is looked for in a folder."""
        path = f"{folder}{os.sep}{name}"
        with self.aside():
            self._add(path + "/")
            package = f"{path}{os.sep}__init__.py" if state_of(path + "/") else ""
            if package:
                self._add(package)
            if not package or not state_of(package):
                self._add(path + ".py")

    def watch(self) -> None:
        """Begin: see what is opened and listed, and of what the existence is asked."""

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in ("open", "os.listdir", "os.scandir"):
                given = "." if arguments[0] is None else arguments[0]
                self.note(given)
                if event == "os.scandir":
                    self.note(given, "/*")
            elif (
                event in self.BEYOND
                or (event == "import" and arguments[0] in self.STARTERS)
                or (event == "ctypes.dlopen" and arguments[0])
            ):
                self.is_whole = False

        def seen(function: Callable[..., object], what: str) -> Callable[..., object]:
            @functools.wraps(function)
            def asked(path: object, *rest: object, **named: object) -> object:
                self.note(path, what if named.get("follow_symlinks", True) else "/@")
                if named.get("dir_fd") is not None:  # it is not where its path says
                    self.is_whole = False
                return function(path, *rest, **named)

            return asked

        sys.addaudithook(hook)
        of_links = {"lstat": "/@", "readlink": "/@"}
        for name in ("stat", "access", "open", *of_links):
            setattr(os, name, seen(getattr(os, name), of_links.get(name, "")))


class Finder(importlib.machinery.FileFinder):
    """Finds modules by their source, and has written down where it looked."""

    reads: Reads | None = None

    def find_spec(
        self, fullname: str, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if self.reads is None:
            return super().find_spec(fullname, target)
        self.reads.note_module(self.path, fullname.rpartition(".")[2])
        with self.reads.aside():  # it lists the folder
            return super().find_spec(fullname, target)


def import_afresh(folder: str, reads: Reads | None = None) -> None:
    """Put ``folder`` first on the path, and take everything below it from its source."""

    def hook(path: str) -> importlib.machinery.FileFinder:
        if path == folder or path.startswith(folder + os.sep):
            finder = Finder(path, (Fresh, [".py"]))
            finder.reads = reads
            return finder
        raise ImportError

    plain = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: importlib.machinery.SourceFileLoader, fullname: str) -> types.CodeType | None:
        path = os.path.abspath(loader.get_filename(fullname))  # noqa: PTH100
        if not path.startswith(folder + os.sep):
            return plain(loader, fullname)
        return loader.source_to_code(loader.get_data(path), path)

    # also what is loaded by its path
    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment]
    sys.path_hooks.insert(0, hook)
    sys.path.insert(0, folder)


def limit(memory: int, file_size: int) -> None:
    """Bound the memory and the output of this process, where the platform can."""
    try:
        import resource
    except ImportError:
        return
    for kind, bound in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(kind, (bound, bound))
        except (ValueError, OSError):
            continue


def shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_REPR else text[:LONGEST_REPR] + " …"


def equals_anything(value: object) -> bool:
    """Whether a value, or a part of it, says that it equals a thing that nothing equals."""
    parts = (
        list(value.values())
        if isinstance(value, dict)
        else value
        if isinstance(value, (list, tuple, set))
        else []
    )
    try:
        return (value == object()) is True or any(map(equals_anything, parts))
    except Exception:
        return False


def strange(value: object, depth: int = 50) -> str:
    """The type of a value, or of a part of it, that compares or writes itself in a way of the panel's own, or of no known library's."""
    kind = type(value)
    if depth == 0 or value is None or kind in (bool, int, float, complex, str, bytes, range):
        return ""
    for method in ("__eq__", "__repr__"):
        home = next(one for one in kind.__mro__ if method in vars(one))
        code = getattr(vars(home)[method], "__code__", None)
        package = home.__module__.split(".")[0]
        made = code is not None and not code.co_filename.startswith("<panel ")
        if not (made if package == "__main__" else package in KNOWN and (code is None or made)):
            return kind.__name__
    parts: list[object] = []
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = list(value)
    elif hasattr(kind, "__dataclass_fields__"):
        parts = [getattr(value, name, None) for name in kind.__dataclass_fields__]
    return next((found for part in parts if (found := strange(part, depth - 1))), "")


class Record:
    """What a panel claimed and named, in order."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.checks: list[dict[str, object]] = []
        self.figures: dict[str, object] = {}
        self.faults: list[dict[str, object]] = []
        self.closed = False
        self.error_line = 0

    def fault(self, kind: str, line: int, message: str) -> None:
        self.faults.append({"kind": kind, "line": line, "message": message})

    def caller(self) -> int:
        """The line of the panel that called a check or figure; 0 where it was called from elsewhere."""
        frame = sys._getframe(2)
        return frame.f_lineno if frame.f_code.co_filename == self.filename else 0

    def nearest(self) -> int:
        """The line of the panel that is being run, whatever it has called; 0 for none."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def install(self) -> None:
        """Let ``nextword.checks`` write down each claim, and go on after one that fails, so that all are seen."""
        from nextword import checks

        plain_check, plain_figure = checks.check, checks.figure

        def check(claim: str, got: object, expected: object) -> None:
            line = self.caller()
            sys.stdout.flush()
            start = os.lseek(1, 0, os.SEEK_CUR)
            entry = {
                "claim": claim,
                "line": line,
                "got": shorten(got),
                "expected": shorten(expected),
                "start": start,
            }
            if equals_anything(got) or equals_anything(expected):
                self.fault(
                    "check-cannot-fail", line, "a check that cannot fail: one of the values equals anything"
                )
            elif own := strange(got) or strange(expected):
                self.fault(
                    "check-own-comparison",
                    line,
                    f"a check of a type that compares or shows itself in its own way: {own}",
                )
            if got is expected and isinstance(got, (list, dict, set, bytearray)):
                self.fault(
                    "check-cannot-fail",
                    line,
                    "a check that cannot fail: both values are one and the same object",
                )
            try:
                plain_check(claim, got, expected)
                held = True
            except checks.CheckFailed:
                held = False
            sys.stdout.flush()
            self.checks.append({**entry, "held": held, "end": os.lseek(1, 0, os.SEEK_CUR)})

        def figure(name: str, value: object) -> None:
            plain_figure(name, value)
            if name in self.figures:
                self.fault("figure-twice", self.caller(), f"figure {name!r} is named twice")
            self.figures[name] = json.loads(json.dumps(value))

        checks.check, checks.figure = check, figure


class Noted:
    """Standard error, which notes the line of the panel that first wrote to it."""

    def __init__(self, stream: "TextIO", record: Record) -> None:
        self.stream, self.record = stream, record

    def write(self, text: str) -> int:
        self.record.error_line = self.record.error_line or self.record.nearest()
        return self.stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def explain(error: BaseException, filename: str) -> tuple[str, int, str]:
    """The kind of refusal, the panel's own line at which an error came out, and the error with the lines of source it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == filename]
    if isinstance(error, SyntaxError) and error.filename == filename:
        return "panel-syntax", error.lineno or 0, f"SyntaxError: {error.msg}"
    shown = [
        f"  {os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"  # noqa: PTH119
        for frame in frames
        if "coursebuild" not in frame.filename and not frame.filename.startswith("<frozen")
    ]
    kind = type(error).__name__
    message = f"{kind}: {error}" if str(error) else kind
    slug = "panel-warns" if isinstance(error, Warning) else "panel-raises"
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        slug, message = "panel-exits", f"{kind} would end the build in silence: {error!r}"
    return slug, (own[-1].lineno or 0) if own else 0, "\n".join([message, *shown[-6:]])


def watch_files(record: "Record", own: str, known: list[str]) -> None:
    """Refuse a panel that opens a file which it does not name: its program would not run elsewhere.

    Args:
        record: where it is written down.
        own: the folder of the run, with the data that the panel names.
        known: folders of Python, of its packages and of the project's source.
    """
    roots = [
        os.path.realpath(folder) + os.sep for folder in (own, *known, sys.prefix, sys.base_prefix, *SYSTEM)
    ]

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes)):
            return
        name = os.path.realpath(os.fsdecode(arguments[0]))
        if not any(name.startswith(root) for root in roots) and not record.closed:
            shown = os.path.basename(name)  # noqa: PTH119
            message = f"it opens {shown!r}, which its option data does not name"
            record.fault("file-undeclared", record.nearest(), message)

    sys.addaudithook(hook)


def strict_warnings() -> None:
    """Every warning is an error, but for a deprecation that is another library's own affair."""
    warnings.simplefilter("error")
    for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning):
        warnings.simplefilter("ignore", category)
        for module in ("__main__", r"nextword(\..*)?"):
            warnings.filterwarnings("error", category=category, module=module)


def run(parts: list[dict[str, str]], record: Record) -> None:
    """Run the parts of a program in one namespace. Only the last one's output, claims and figures count."""
    main = types.ModuleType("__main__")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            after_in_child=lambda: os._exit(1),
            after_in_parent=lambda: record.fault(
                "panel-forks", record.nearest(), "a panel is one process: it forked"
            ),
        )
    sys.modules["__main__"] = main
    for number, part in enumerate(parts):
        name, code = part["filename"], part["code"]
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        record.filename = name
        try:
            exec(compile(code, name, "exec", dont_inherit=True), main.__dict__)
            sys.stdout.flush()
        except BaseException as error:
            kind, line, message = explain(error, name)
            is_last = number == len(parts) - 1
            record.fault(
                kind if is_last else "earlier-panel-fails",
                line if is_last else 0,
                message if is_last else f"in {name[1:-1]}, line {line} of its code: {message}",
            )
            return
        if number < len(parts) - 1:
            record.checks.clear()
            record.figures.clear()
            record.faults.clear()
            os.lseek(1, 0, os.SEEK_SET)
            os.ftruncate(1, 0)
    if len(sys._current_frames()) > 1:
        record.fault("panel-thread", 0, "a thread is still running after the panel's last line")


def main() -> None:
    job = json.load(sys.stdin)
    reads = Reads(job["project"], [*job["path"], sys.prefix])
    import_afresh(job["source"], reads)
    for path in job["path"]:
        if path not in sys.path:
            sys.path.append(path)
    if job["days"]:
        import datetime

        import time_machine

        time_machine.travel(datetime.timedelta(days=job["days"])).start()
    record = Record(job["parts"][-1]["filename"])
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    sys.stderr = Noted(sys.stderr, record)
    record.install()
    known = [job["source"], *job["path"], *job["known"], os.path.dirname(__file__)]  # noqa: PTH120
    where = open(job["result"] + WHERE, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    watch_files(record, os.getcwd(), known)  # noqa: PTH109
    reads.watch()
    limit(job["memory"], job["file_size"])
    strict_warnings()
    with where:
        faulthandler.dump_traceback_later(job["seconds"] / 2, file=where)
        run(job["parts"], record)
        faulthandler.cancel_dump_traceback_later()
    record.closed = True
    told = {
        "checks": record.checks,
        "figures": record.figures,
        "faults": record.faults,
        "error_line": record.error_line,
    }
    with open(job["result"], "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(told | {"read": reads.found if reads.is_whole else None}, file)


if __name__ == "__main__":
    main()
