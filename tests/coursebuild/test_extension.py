"""A quoted value is shown as it is, whatever it holds and wherever it stands."""

import html
import re
from pathlib import Path
from typing import Any

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


WHOLE = frozenset({"level", "id", "name", "html", "data-toc-label", "children"})
"""What Python-Markdown tells of a heading; Zensical asks for all of it."""
LISTED = """<p>First</p><h2 id="one">A &lt;b&gt; &amp; c</h2><h2 id="two">On <a href="x">a page</a></h2>"""


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("# A title\n\n## Own\n\n[[ledger]]\n", ["Own"]),
        ("[[ledger]]\n", []),
        ("# A\n\n# B\n\n[[ledger]]\n", None),
    ],
)
def test_the_headings_of_a_list_are_in_the_table_of_contents(
    text: str, before: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "active", Fixed(Path()))
    monkeypatch.setitem(extension.LISTS, "ledger", lambda _: LISTED)
    md = Markdown(extensions=["toc", "coursebuild.extension"])
    for _ in range(2):  # another page with the same machine begins anew
        md.reset()
        md.convert(text)
        tokens: list[dict[str, Any]] = getattr(md, "toc_tokens")  # noqa: B009
        shown = tokens[0]["children"] if before else tokens
        assert {frozenset(token) for token in shown} == {WHOLE}
        names = [(token["id"], token["name"]) for token in shown]
        assert names[-2:] == [("one", "A &lt;b&gt; &amp; c"), ("two", "On a page")]
        assert [name for _, name in names[:-2]] == (before if before is not None else ["A", "B"])
    md.reset()
    md.convert("# Another\n")
    assert [token["name"] for token in getattr(md, "toc_tokens")[0]["children"]] == []  # noqa: B009
