"""The project's own pages, pressed once."""

import fcntl
import os
import re
from pathlib import Path

import pytest

from coursebuild.approval import pages_of
from coursebuild.cache import Cache
from coursebuild.press import Press

from .elsewhere import ELSEWHERE, ROOT, drawn, shuffled
from .shuffling import shuffling

ON_EACH_PYTHON = {
    "test_outputs.py",
    "test_packaging.py",
    "test_pages.py",
    "test_programs.py",
    "test_setup.py",
}

LINK = re.compile(r"(?<!\[)\[([^\[\]]*)\]\([^()]*\)")


def without_links(text: str) -> str:
    """A page's source with the text of each link in the link's place."""
    return LINK.sub(r"\1", text)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every panel prints on each Python what was approved, so what that has to be is looked at once."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in ON_EACH_PYTHON:
            item.add_marker(pytest.mark.once)


@pytest.fixture(scope="session")
def project_press(tmp_path_factory: pytest.TempPathFactory) -> Press:
    """The press over the pages of docs/. Every panel is run once, by the worker that comes first.

    It runs elsewhere than in the build; pages and panels come in another order, too.
    """
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    runs = folder / "runs-of-panels"
    press = Press(ROOT, ELSEWHERE, cache=Cache(ROOT, runs))
    with runs.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("coursebuild.press.sketches", shuffling(drawn("panels of pages")))
            press.prepare(shuffled(pages_of(ROOT), "pages"))
    return press
