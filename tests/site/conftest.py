"""The project's own pages, pressed once."""

import re
from pathlib import Path

import pytest

from coursebuild.approval import pages_of
from coursebuild.press import Press

ROOT = Path(__file__).resolve().parents[2]

LINK = re.compile(r"(?<!\[)\[([^\[\]]*)\]\([^()]*\)")


def without_links(text: str) -> str:
    """A page's source with the text of each link in the link's place."""
    return LINK.sub(r"\1", text)


@pytest.fixture(scope="session")
def project_press() -> Press:
    """The press over the pages of docs/, every panel run once."""
    press = Press(ROOT)
    press.prepare(pages_of(ROOT))
    return press
