"""A quoted value is shown as it is, whatever it holds and wherever it stands."""

import html
import re
from pathlib import Path

import pytest
from markdown import Markdown

from coursebuild import extension
from coursebuild.press import Press
from coursebuild.prose import Reference

pytestmark = pytest.mark.once

VALUES = [
    "<s>",
    "<div>",
    "</p>",
    "2*3*4",
    "a_b_c",
    "\\\\*",
    "a\\b",
    "&lt;",
    "&amp;lt;",
    "[a](b)",
    "![a](b)",
    "{#x}",
    "\"q\" 'p'",
    "**b**",
    "~~a~~",
    "-3",
    "6.67",
    "1,000",
    "50%",
    "<!-- x -->",
    "a|b",
    "#",
    "https://x.org",
]
PLACES = [
    "# The {} here",
    "## {}",
    '!!! note "The {} here"\n\n    Text',
    "Go [to {} now](x.md)",
    "Code `a {} b` here",
    "`{}`",
    "Some {} here",
    "- {}",
    "| a | b |\n|---|---|\n| {} | c |",
    "| a | b |\n|---|---|\n| [{}](x.md) | c |",
    "# Code `{}`",
]


class Fixed(Press):
    """A press whose figures all have one value."""

    value = ""

    def figure(self, reference: Reference) -> str:
        return self.value


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_a_quoted_value_is_shown_as_it_is(value: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Fixed(Path())
    machine.value = value
    monkeypatch.setattr(extension, "active", machine)
    names = [
        "admonition",
        "attr_list",
        "tables",
        "toc",
        "pymdownx.details",
        "pymdownx.superfences",
        "coursebuild.extension",
    ]
    shown = Markdown(extensions=names).convert(place.format("[[1.1.x]]"))
    assert value in html.unescape(re.sub(r"<[^>]*>", "", shown)), shown


def test_a_quoted_value_is_shown_in_a_text_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Fixed(Path())
    monkeypatch.setattr(extension, "active", machine)
    for machine.value in VALUES:
        shown = Markdown(extensions=["attr_list", "coursebuild.extension"]).convert(
            "![The [[1.1.x]] here](a.png)"
        )
        found = re.search(r'alt="([^"]*)"', shown)
        assert found, shown
        assert html.unescape(found[1]) == f"The {machine.value} here"
