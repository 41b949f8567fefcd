"""What the site serves so that a reader can run its panels: Python for the browser, and our own scripts and package for it.

`make` fetches Python (Pyodide, from npm) into ``live/node_modules``; see ``.ci/setup``. The site serves all of it itself.
"""

import functools
import hashlib
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flit_core.wheel import WheelBuilder  # type: ignore[import-untyped]

LIVE = Path(__file__).parent / "live"
PACKAGE = LIVE / "node_modules" / "pyodide"
VENDOR = LIVE / "vendor"
NUMPY = VENDOR / "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm.gz", "python_stdlib.zip")
"""Files of the package that the site serves as they are; the last but one is packed by ``.ci/setup``."""
PACKED_BY_SERVERS = {"pyodide.mjs", "pyodide.asm.js"}
"""Files that travel packed: what a reader waits for is their packed size."""
SCRIPTS = ("*.js", "*.css", "harness.py")
FOLDERS = (".", "instruments", "instruments/ports")
"""Where our own scripts are."""
ELSEWHERE = {"service-worker.js"}
"""Scripts that the site has in another place."""
TIME = (2020, 1, 1, 0, 0, 0)
"""The time that the files of our package have, whenever it is built."""


class NotInstalled(Exception):
    """Pyodide is not there, or it is not what the lock names."""


@dataclass(frozen=True)
class Runtime:
    """All files of the live panels.

    Attributes:
        folder: the address of the folder of our own scripts, which changes with any byte of them.
        files: content by address; a path stands for the file's content.
    """

    folder: str
    files: dict[str, bytes | Path]


def runtime(root: Path) -> Runtime:
    """What the site of the project in ``root`` serves.

    Raises:
        NotInstalled: `make` has not fetched Pyodide.
    """
    version = _version()
    base = f"assets/pyodide/{version}/"
    lock = _lock()
    kept: dict[str, bytes | Path] = {f"{base}{name}": PACKAGE / name for name in RUNTIME}
    kept |= {f"{base}pyodide-lock.json": lock}
    kept |= {f"{base}{path.name}": path for path in sorted(VENDOR.iterdir())}
    name, wheel = nextword_wheel(root)
    own = {path.relative_to(LIVE).as_posix(): path.read_bytes() for path in _scripts()} | {name: wheel}
    manifest = {
        "runtime": f"../../pyodide/{version}/",
        "harness": "harness.py",
        "wheel": name,
        "sizes": {file: _size(PACKAGE / file) for file in RUNTIME}
        | {"pyodide-lock.json": len(lock), "harness.py": len(own["harness.py"]), name: len(wheel)},
        "numpy": {"file": NUMPY.name, "size": NUMPY.stat().st_size},
    }
    own["manifest.json"] = (json.dumps(manifest, indent=1) + "\n").encode()
    folder = f"assets/live/{_hash(own)}/"
    return Runtime(folder, kept | {f"{folder}{name}": content for name, content in own.items()})


def _scripts() -> Iterator[Path]:
    for folder in FOLDERS:
        for pattern in SCRIPTS:
            yield from (path for path in sorted((LIVE / folder).glob(pattern)) if path.name not in ELSEWHERE)


def _version() -> str:
    """The version of the Pyodide that is installed."""
    wanted = json.loads((LIVE / "package.json").read_text(encoding="utf-8"))["dependencies"]["pyodide"]
    try:
        found = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))["version"]
    except FileNotFoundError:
        raise NotInstalled("Python for the browser is not installed") from None
    missing = [name for name in RUNTIME if not (PACKAGE / name).is_file()]
    if found != wanted or missing:
        problem = f"{missing[0]} is missing" if missing else f"it is version {found}, and {wanted} is asked"
        raise NotInstalled(f"Python for the browser is not as it should be: {problem}")
    return str(found)


@functools.cache
def _lock() -> bytes:
    """Pyodide's own list of packages without the packages: what we serve, the worker loads itself."""
    lock = json.loads((PACKAGE / "pyodide-lock.json").read_text(encoding="utf-8"))
    return json.dumps(lock | {"packages": {}}).encode()


@functools.cache
def _size(path: Path) -> int:
    """How many bytes of a file a reader's browser loads."""
    content = path.read_bytes()
    return len(zlib.compress(content)) if path.name in PACKED_BY_SERVERS else len(content)


def _hash(files: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:16]


def nextword_wheel(root: Path) -> tuple[str, bytes]:
    """The project's own package as a wheel, always of the same bytes while its source is the same: its name, and its bytes."""
    files = [root / "pyproject.toml", *sorted((root / "src" / "nextword").rglob("*.py"))]
    state = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
    return _built(root, state)


@functools.lru_cache(maxsize=1)
def _built(root: Path, state: tuple[tuple[Path, int, int], ...]) -> tuple[str, bytes]:
    content = io.BytesIO()
    builder = WheelBuilder.from_ini_path(root / "pyproject.toml", content)
    builder.source_time_stamp = TIME
    builder.build()
    return builder.wheel_filename, content.getvalue()
