"""Keeps what runs left behind, in ``.cache/press``, and hands it out again while nothing that could change it is another.

A run is found by its key: the interpreter, the installed packages, the press's own part in a run, its bounds, its code. With it
lie the project's files that it read, or looked for in vain, each with its state at that moment; it counts only while all of them
are in that state. So an edit of a module runs again what imports that module, directly or not, and nothing else.

CI keeps nothing, nor does a command under ``COURSE_CACHE=off``: tests and approvals run everything.
"""

import contextlib
import functools
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from coursebuild.harness import state_of
from coursebuild.panels import Panel
from coursebuild.runner import VOCABULARIES, Execution, Surroundings, bounds_of, environment

FOLDER = Path(".cache") / "press"
VARIABLE = "COURSE_CACHE"
VARIANTS = 8
"""How many runs of one key are kept, each with files in other states: who edits back and forth waits once."""
DAYS = 30
"""After how many days a run that nobody asked for is removed."""
OWN = ("cache.py", "harness.py", "kernels.py", "notebooks.py", "runner.py")
"""The modules of the press that have a part in what a run leaves behind."""


def is_off() -> bool:
    """Whether this process is to run everything."""
    return bool(os.environ.get("CI")) or os.environ.get(VARIABLE, "").lower() in {"off", "0", "no", "false"}


def own_state() -> tuple[str, ...]:
    """The state of the press's own modules that have a part in a run."""
    return tuple(state_of(str(Path(__file__).with_name(name))) for name in OWN)


AT_START = own_state()
"""As this process has loaded them; once they are edited it keeps nothing more, for it still runs what they were."""


def installed(folders: Iterable[str]) -> list[tuple[str, int, int]]:
    """What lies at the top of folders of packages. A package's version is in a name there, its installation in a time."""
    found = []
    for folder in folders:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                if entry.name != "__pycache__":
                    told = entry.stat()
                    is_code = entry.is_dir() and not entry.name.endswith("-info")
                    found.append(
                        (entry.name, 0, 0) if is_code else (entry.name, told.st_size, told.st_mtime_ns)
                    )
    return sorted(found)


@functools.cache
def interpreter() -> str:
    """The Python that runs things, and the packages that it sees."""
    folders = [path for path in sys.path if path.endswith("site-packages")]
    told = (sys.version, sys.implementation.name, sys.platform, platform.machine(), platform.libc_ver())
    return json.dumps([*told, [(folder, installed([folder])) for folder in folders]])


def key(kind: str, around: Surroundings, *parts: object) -> str:
    """The name under which a run is kept.

    Args:
        kind: what runs it, for example ``panel``.
        around: the surroundings and bounds of the run.
        parts: all else that it depends on, as JSON has it, but for the project's files.
    """
    bounds = {**asdict(around), "source": str(around.source.resolve())}
    told = [kind, AT_START, interpreter(), bounds, environment(around), parts]
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Kept:
    """What a run left behind, and the files that it read, each with its state."""

    value: Any
    read: dict[str, str]


class Cache:
    """What was kept of earlier runs.

    Args:
        root: the project's folder.
        folder: where it is kept; nowhere but in this process without one.

    Attributes:
        served: how many runs were handed out since the last ``refresh``.
        missed: how many were asked for and not there.
    """

    def __init__(self, root: Path, folder: Path | None) -> None:
        self.root = root.resolve()
        self.folder = folder
        self.served = self.missed = 0
        self._states: dict[str, str] = {}
        self._here: dict[str, str] = {}
        self._is_current = True
        self._is_swept = folder is None

    @property
    def told(self) -> str:
        """What a build says that it did not run; nothing if it ran everything."""
        said = f"{self.served} runs are kept ones, {self.missed} were run: {VARIABLE}=off runs all"
        return said if self.served else ""

    def refresh(self) -> None:
        """Begin a build: files may have changed since the last one."""
        interpreter.cache_clear()
        self._states = {}
        self.served = self.missed = 0
        self._is_current = own_state() == AT_START

    def recall(self, key: str) -> Kept | None:
        """What was kept under a key, if all that it read is as it was."""
        variants = self._load(key) if self._is_current else []
        for index, variant in enumerate(variants):
            if all(self._state(path) == state for path, state in variant["read"].items()):
                self.served += 1
                self._touch(key)
                if index:  # what was asked for last is dropped last
                    self._save(key, [variant, *(other for other in variants if other is not variant)])
                return Kept(variant["value"], variant["read"])
        self.missed += 1
        return None

    def keep(self, key: str, value: object, read: Mapping[str, str] | None) -> None:
        """Keep what a run left behind, unless a file that it read has changed since it was read.

        Args:
            key: see ``key``.
            value: what it left behind, as JSON has it.
            read: the files that it read, as ``coursebuild.harness.Reads`` has them; None if nobody can tell.
        """
        if read is None or not self._is_current or not self._are_still(read):
            return
        others = [variant for variant in self._load(key) if variant["read"] != read]
        self._save(key, [{"read": dict(read), "value": value}, *others][:VARIANTS])

    def _are_still(self, read: Mapping[str, str]) -> bool:
        return all(self._now(path) == state for path, state in read.items())

    def _now(self, path: str) -> str:
        return state_of(path if Path(path).is_absolute() else f"{self.root}{os.sep}{path}")

    def _state(self, path: str) -> str:
        if path not in self._states:
            self._states[path] = self._now(path)
        return self._states[path]

    def _path(self, key: str) -> Path:
        assert self.folder is not None, "only what lies in a folder has a path"
        return self.folder / f"{key}.json"

    def _load(self, key: str) -> list[dict[str, Any]]:
        """The runs kept under a key; a damaged file is as none."""
        try:
            text = self._path(key).read_text(encoding="utf-8") if self.folder else self._here.get(key, "")
        except (OSError, ValueError):
            return []
        seal, _, body = text.partition("\n")
        return json.loads(body) if body and seal == _seal(key, body) else []

    def _save(self, key: str, variants: list[dict[str, Any]]) -> None:
        """Write a whole file or none; of two builds at once the later one's stays."""
        body = json.dumps(variants, ensure_ascii=False)
        text = f"{_seal(key, body)}\n{body}"
        if self.folder is None:
            self._here[key] = text
            return
        with contextlib.suppress(OSError, UnicodeEncodeError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            try:
                with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
                    file.write(text)
                Path(name).replace(self._path(key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _touch(self, key: str) -> None:
        if self.folder:
            with contextlib.suppress(OSError):
                os.utime(self._path(key))

    def _sweep(self) -> None:
        """Once a process, remove what nobody asked for in a long time."""
        if self._is_swept or self.folder is None:
            return
        self._is_swept = True
        oldest = time.time() - DAYS * 24 * 3600
        for path in [*self.folder.glob("*.json"), *self.folder.glob("*.part")]:
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _seal(key: str, body: str) -> str:
    """What a whole file begins with: it is of this key, and of no other."""
    return blake2b(f"{key}\n{body}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def of(root: Path) -> Cache | None:
    """The project's cache, or none where everything is to run."""
    return None if is_off() else Cache(root, root / FOLDER)


def key_of_panel(panel: Panel, around: Surroundings) -> str:
    """The name under which a panel's run is kept. What it reads is no part of it, not even the data that it names."""
    program = [(part.subject, part.code, part.data) for part in panel.program]
    vocabularies = installed([str(Path(sys.prefix) / VOCABULARIES)]) if panel.packages else []
    return key("panel", bounds_of(panel, around), program, panel.packages, vocabularies)


def value(done: Execution) -> dict[str, Any]:
    """A run as it is kept."""
    return {
        "record": done.record,
        "status": done.status,
        "printed": done.printed.decode(),
        "errors": done.errors,
    }


def execution(kept: Kept) -> Execution:
    """A kept run as it was."""
    value = kept.value
    return Execution(value["record"], value["status"], value["printed"].encode(), value["errors"], kept.read)
