"""The kernels that run notebooks: they see the project's own source, nothing stale, and nothing of the user's settings."""

import atexit
import functools
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from coursebuild.cache import key
from coursebuild.runner import Surroundings

os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")

CONVERTER = {
    "Exporter": {
        "default_preprocessors": [
            f"nbconvert.preprocessors.{name}Preprocessor"
            for name in ("Execute", "CoalesceStreams", "HighlightMagics")
        ]
    },
    "CoalesceStreamsPreprocessor": {"enabled": True},
}
"""Settings of the converter: one output for all that a cell prints in a row, however often the kernel sends what it has.

The converter would merge outputs before it runs the cells that print them, so the order is named; what is not named is not done.
"""


@functools.cache
def _own_settings() -> str:
    """A folder for the settings of IPython and of the converter: none of the user's, and no remark on the kernel's transport."""
    folder = tempfile.mkdtemp(prefix="course-ipython-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    profile = Path(folder) / "profile_default"
    profile.mkdir()
    settings = {"IPKernelApp": {"log_level": logging.ERROR}}
    profile.joinpath("ipython_kernel_config.json").write_text(json.dumps(settings), encoding="utf-8")
    Path(folder).joinpath("jupyter_nbconvert_config.json").write_text(json.dumps(CONVERTER), encoding="utf-8")
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


def key_of(page: Page, text: str, settings: Mapping[str, object], around: Surroundings) -> str:
    """The name under which a notebook's page is kept: its text, the title that the nav gives it, the converter's settings.

    What its run reads is what the same code read as a panel, run just before.
    """
    told = {name: repr(value) for name, value in settings.items()}
    return key("notebook", around, page.file.src_uri, text, vars(page).get("title"), told)


def kept_page(page: Page) -> dict[str, Any]:
    """A notebook's page as it is kept, once it is rendered."""
    return {
        "content": page.content,
        "title": vars(page).get("title"),
        "toc": [_entry(item) for item in page.toc],
    }


def restore(page: Page, kept: Mapping[str, Any]) -> None:
    """Make a page what it was when it was kept."""
    page.content, page.toc = kept["content"], TableOfContents([_item(entry) for entry in kept["toc"]])
    if kept["title"] is not None:
        page.title = kept["title"]


def _entry(item: AnchorLink) -> list[Any]:
    return [item.title, item.id, item.level, [_entry(child) for child in item.children]]


def _item(entry: list[Any]) -> AnchorLink:
    item = AnchorLink(*entry[:3])
    item.children = [_item(child) for child in entry[3]]
    return item
