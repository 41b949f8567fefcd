"""The kernels that run notebooks: they see the project's own source, nothing stale, and nothing of the user's settings."""

import atexit
import functools
import hashlib
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path

os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")


@functools.cache
def _own_settings() -> str:
    """A folder for the settings of IPython and of the converter: none of the user's, and no remark on the kernel's transport."""
    folder = tempfile.mkdtemp(prefix="course-ipython-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    profile = Path(folder) / "profile_default"
    profile.mkdir()
    settings = {"IPKernelApp": {"log_level": logging.ERROR}}
    profile.joinpath("ipython_kernel_config.json").write_text(json.dumps(settings), encoding="utf-8")
    # one output for all that a cell prints, however often the kernel sends what it has
    converter = {"NotebookClient": {"coalesce_streams": True}}
    Path(folder).joinpath("jupyter_nbconvert_config.json").write_text(json.dumps(converter), encoding="utf-8")
    return folder


def let_kernels_import_afresh(source: Path) -> None:
    """Let a notebook's kernel import the project's own source, and no compiled file that could be stale."""
    known = [
        path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in ("", str(source))
    ]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(source), *known])
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["IPYTHONDIR"] = os.environ["JUPYTER_CONFIG_DIR"] = _own_settings()
    for folder in source.joinpath("nextword").rglob("__pycache__"):
        shutil.rmtree(folder, ignore_errors=True)


def key_of(notebook: Path, source: Path) -> str:
    """What a notebook's run depends on: its file and the library's source."""
    files = [notebook, *sorted(source.joinpath("nextword").rglob("*.py"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
