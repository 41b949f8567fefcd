"""``make review``: what it finds between two trees, how it says it, and that nothing in a change can get out of it."""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from coursebuild.review import compare, course, review, trees
from coursebuild.review.changes import Changes, between, matched
from coursebuild.review.markdown import (
    APART,
    code,
    contrast,
    details,
    diff,
    escape,
    fence,
    spoken,
    table,
    words,
)
from coursebuild.review.rendering import page, parser
from coursebuild.review.summary import LONGEST, MARKER, Sides, headline, write

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
SIDES = Sides("old", "new")

LESSON = """\
---
title: One
---

# One

Some text. The total is [[1.1.total]] here, and [[1.1.share:.1f]] of it.

## Adding

```python listing="nextword.adding.add"
```

```python exec="on" id="1.1" title="Adding"
from nextword.adding import add
from nextword.checks import check, figure

total = add(1, 2)
print("the total is", total)
check("The parts add up", total, 3)
check("Nothing is lost", total > 0, True)
figure("total", total)
figure("share", total / 7)
```

A last sentence.
"""
OUTPUT = """\
the total is 3
ok   The parts add up
ok   Nothing is lost

---- figures ----
share = 0.4285714286
total = 3
"""
ADDING = '''\
"""Adding."""


def add(a: int, b: int) -> int:
    """The sum."""
    return a + b
'''
LAB = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# A lab\n", "\n", "Look at it."]},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": ["from nextword.checks import check\n", 'check("It holds", 1 + 1, 2)'],
        },
    ],
}
FILES = {
    "docs/lessons/one.md": LESSON,
    "docs/labs/lab.ipynb": json.dumps(LAB, indent=1),
    "docs/reference/adding.md": "# adding\n\n::: nextword.adding\n",
    "tests/outputs/1.1.txt": OUTPUT,
    "src/nextword/adding.py": ADDING,
    "mkdocs.yml": "nav: []\n",
}
Tree = dict[str, str]


def put(root: Path, files: Tree) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def differ(tmp_path: Path) -> Callable[[Tree, Tree], Changes]:
    """What changed between two trees."""

    def run(old: Tree, new: Tree) -> Changes:
        before, after = put(tmp_path / "old", old), put(tmp_path / "new", new)
        return between(course.read(before), course.read(after))

    return run


@pytest.fixture
def edited(differ: Callable[[Tree, Tree], Changes]) -> Callable[..., Changes]:
    """What changed where texts of files were replaced: ``edited(("path", "old", "new"), …)``."""

    def run(*edits: tuple[str, str, str]) -> Changes:
        files = dict(FILES)
        for name, old, new in edits:
            assert old in files[name]
            files[name] = files[name].replace(old, new)
        return differ(FILES, files)

    return run


PAGE, APPROVED = "docs/lessons/one.md", "tests/outputs/1.1.txt"


class Balanced(HTMLParser):
    """Refuses elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"code", "pre"} & set(self.open):
            self.outside.append(data)


def rendered(markdown: str) -> Balanced:
    """The summary as HTML; well-formed, of the elements that a summary has, and calling nobody."""
    found = Balanced()
    found.feed(parser().render(markdown))
    found.close()
    assert not found.open
    known = "h3 p code pre table thead tbody tr th td details summary b strong em del ins ul li br sub span a"
    assert {tag for tag, _ in found.seen} <= set(known.split())
    for _, attributes in found.seen:
        assert not any(name.startswith("on") or name in ("src", "style", "id") for name in attributes)
        assert attributes.get("href", "https://github.com/o/r/blob/").startswith(
            "https://github.com/o/r/blob/"
        )
    for text in found.outside:
        assert not re.search(r"@\w|#\d|\w://\w|\bwww\.\w|\bgh-\d", text, re.IGNORECASE), text
    return found


class TestChanges:
    def test_nothing(self, edited: Callable[..., Changes]) -> None:
        changes = edited()
        assert changes == Changes((), (), ())
        assert "No output, figure, claim or page has changed" in write(changes, SIDES)

    def test_an_output(self, edited: Callable[..., Changes]) -> None:
        changes = edited((APPROVED, "the total is 3", "the sum is 3"))
        [panel] = changes.panels
        assert panel.output == ("the total is 3", "the sum is 3")
        assert (panel.claims, panel.figures, panel.sources) == ((), (), {})
        assert [one.path for one in changes.pages] == [PAGE]
        text = write(changes, SIDES)
        assert "What changed in the course: 1 output, 1 page\n" in text
        assert "\n-the total is 3\n+the sum is 3\n" in text

    def test_a_figure_with_the_sentence_that_quotes_it(self, edited: Callable[..., Changes]) -> None:
        changes = edited((APPROVED, "total = 3", "total = 4"))
        [[figure]] = [panel.figures for panel in changes.panels]
        assert (figure.name, figure.old, figure.new) == ("total", "3", "4")
        [quote] = figure.quotes
        assert (quote.page, quote.line, quote.heading) == (PAGE, 7, "One")
        assert quote.old == "The total is 3 here, and 0.4 of it."
        assert quote.new == "The total is 4 here, and 0.4 of it."
        text = write(changes, SIDES)
        assert "| <code>total</code> | <code>3</code> | <code>4</code> |" in text
        assert "The total is <del>3</del><ins>4</ins> here, and 0.4 of it." in text
        assert not any(one.sentences for one in changes.pages), "the page's own text is as before"

    def test_a_figure_that_rounds_to_the_same(self, edited: Callable[..., Changes]) -> None:
        changes = edited((APPROVED, "share = 0.4285714286", "share = 0.43"))
        assert "1 quotation as before, by its rounding" in write(changes, SIDES)

    def test_a_figure_that_is_new_or_gone(self, edited: Callable[..., Changes]) -> None:
        changes = edited((APPROVED, "total = 3\n", "sum = 3\n"))
        found = {one.name: (one.old, one.new) for one in changes.panels[0].figures}
        assert found == {"total": ("3", None), "sum": (None, "3")}
        assert "| *none* | <code>3</code> |" in write(changes, SIDES)

    def test_a_claim_reworded(self, edited: Callable[..., Changes]) -> None:
        changes = edited(
            (PAGE, "The parts add up", "The parts make the whole"),
            (APPROVED, "The parts add up", "The parts make the whole"),
        )
        [claim] = changes.panels[0].claims
        assert claim.old and claim.new
        assert (claim.old.sentence, claim.new.sentence) == ("The parts add up", "The parts make the whole")
        assert "reworded: The parts <del>add up</del><ins>make the whole</ins>" in write(changes, SIDES)

    def test_a_claim_that_expects_something_else(self, edited: Callable[..., Changes]) -> None:
        changes = edited((PAGE, "total, 3)", "total, 4)"))
        [claim] = changes.panels[0].claims
        assert claim.old and claim.new
        assert (claim.old.expected, claim.new.expected) == ("3", "4")
        text = write(changes, SIDES)
        assert "checked otherwise: The parts add up<br>expected <code>3</code> → <code>4</code>" in text

    def test_claims_added_and_removed(self, edited: Callable[..., Changes]) -> None:
        changes = edited(
            (PAGE, 'check("Nothing is lost", total > 0, True)', 'check("Two and one", add(2, 1), total)'),
            (APPROVED, "Nothing is lost", "Two and one"),
        )
        text = write(changes, SIDES)
        assert "removed: <del>Nothing is lost</del>" in text
        assert "added: <ins>Two and one</ins><br><code>add(2, 1)</code> is to be <code>total</code>" in text

    def test_a_claim_of_a_run_that_only_the_run_says(self, edited: Callable[..., Changes]) -> None:
        """An f-string's value, without a change of the page."""
        changes = edited((APPROVED, "ok   Nothing is lost", "ok   Nothing at all is lost"))
        assert "Nothing<ins> at all</ins> is lost" in write(changes, SIDES)
        assert changes.counts["claim"] == 1

    def test_prose(self, edited: Callable[..., Changes]) -> None:
        changes = edited((PAGE, "A last sentence.", "A very last sentence. And one more."))
        [found] = changes.pages
        assert [(one.heading, one.line, one.old, one.new) for one in found.sentences] == [
            ("Adding", 26, "A last sentence.", "A very last sentence."),
            ("Adding", 26, None, "And one more."),
        ]
        assert not changes.panels
        text = write(changes, SIDES)
        assert "A<ins> very</ins> last sentence." in text
        assert "sentences: 1 changed, 1 new" in text

    def test_a_paragraph_that_is_broken_elsewhere_reads_the_same(
        self, edited: Callable[..., Changes]
    ) -> None:
        changes = edited((PAGE, "Some text. The", "Some text.\nThe"))
        [found] = changes.pages
        assert not found.sentences
        assert "layout only" in write(changes, SIDES)

    def test_code_alone(self, edited: Callable[..., Changes]) -> None:
        changes = edited((PAGE, "total = add(1, 2)", "total = add(2, 1)"))
        [panel] = changes.panels
        assert list(panel.sources) == ["code"]
        assert "(code)" in write(changes, SIDES)

    def test_a_listing_names_the_pages_that_show_it(self, edited: Callable[..., Changes]) -> None:
        changes = edited(("src/nextword/adding.py", "return a + b", "return b + a"))
        assert {one.name: one.pages for one in changes.listings} == {
            "nextword.adding.add": (PAGE,),
            "nextword.adding": ("docs/reference/adding.md",),
        }
        assert {one.path for one in changes.pages} == {PAGE, "docs/reference/adding.md"}
        assert "\n-    return a + b\n+    return b + a\n" in write(changes, SIDES)

    def test_what_a_listing_folds_is_no_change_of_it(self, edited: Callable[..., Changes]) -> None:
        changes = edited(("src/nextword/adding.py", '"""The sum."""', '"""The sum.\n\n    Of both.\n    """'))
        assert "nextword.adding.add" not in {one.name for one in changes.listings if "Of both" in one.new}

    def test_other_blocks(self, edited: Callable[..., Changes]) -> None:
        changes = edited((PAGE, 'listing="nextword.adding.add"', 'listing="nextword.adding.more"'))
        assert changes.pages[0].blocks
        assert '+python listing="nextword.adding.more"' in write(changes, SIDES)

    def test_a_lab(self, edited: Callable[..., Changes]) -> None:
        changes = edited(
            ("docs/labs/lab.ipynb", "Look at it.", "Look."), ("docs/labs/lab.ipynb", "1 + 1", "2 + 0")
        )
        [found] = changes.pages
        assert (found.path, found.cells) == ("docs/labs/lab.ipynb", 2)
        assert {(one.old, one.new) for one in found.sentences} == {("Look at it.", None), (None, "Look.")}
        assert [panel.now.ident for panel in changes.panels] == ["lab-lab.1"]
        assert "2 cells" in write(changes, SIDES)

    def test_new_and_removed_pages(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        fewer = {name: text for name, text in FILES.items() if name != "docs/labs/lab.ipynb"}
        assert "**new page**" in write(differ(fewer, FILES), SIDES)
        more = dict(fewer, **{"docs/labs/other.md": "# Quite another\n\nPage, of its own words.\n"})
        changes = differ(more, fewer)
        assert [(one.path, one.new) for one in changes.pages if one.path.startswith("docs/labs/o")] == [
            ("docs/labs/other.md", None)
        ]

    def test_a_renamed_page_is_the_same_page(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        files = {name.replace("lessons/one", "lessons/first"): text for name, text in FILES.items()}
        changes = differ(FILES, files)
        [found] = [one for one in changes.pages if one.path == "docs/lessons/first.md"]
        assert found.old and found.old.path == PAGE
        assert not found.sentences
        assert [panel.is_moved for panel in changes.panels] == [True]
        assert "**renamed** from <code>docs/lessons/one.md</code>" in write(changes, SIDES)

    def test_a_renamed_panel_is_the_same_panel(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        files = {name.replace("/1.1.", "/1.2."): text.replace("1.1", "1.2") for name, text in FILES.items()}
        changes = differ(FILES, files)
        [panel] = changes.panels
        assert panel.old and panel.new
        assert (panel.old.ident, panel.new.ident) == ("1.1", "1.2")
        assert (panel.output, panel.claims, panel.figures) == (None, (), ())

    def test_a_panel_without_an_approved_output_says_so(self, edited: Callable[..., Changes]) -> None:
        fresh = '```python exec="on" id="1.2" title="More"\nprint(7)\ncheck("Seven", 3 + 4, 7)\n```\n\nA last'
        text = write(edited((PAGE, "A last", fresh)), SIDES)
        assert "No output is approved yet" in text
        assert "added: <ins>Seven</ins>" in text

    def test_an_exercise(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        module = "src/nextword/exercises/e17_1_first_merges.py"
        text = (ROOT / module).read_text(encoding="utf-8")
        start = '# E\n\n## Exercise 17.1: It\n\n```exercise id="17.1" show="start"\n```\n'
        files = {**FILES, "docs/exercises/one.md": start, module: text}
        changes = differ(files, {**files, module: text.replace("def solution(", "def solution(*, more=1, ")})
        [panel] = changes.panels
        assert (panel.now.ident, panel.now.kind, list(panel.sources)) == (
            "exercise-17.1",
            "exercise",
            ["solution"],
        )

    def test_what_an_exercise_expects_of_an_answer(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        module = "src/nextword/exercises/e17_1_first_merges.py"
        text = (ROOT / module).read_text(encoding="utf-8")
        start = '# E\n\n## Exercise 17.1: It\n\n```exercise id="17.1" show="start"\n```\n'
        files = {**FILES, "docs/exercises/one.md": start, module: text}
        changes = differ(
            files, {**files, module: text.replace("    expected = solution()", "    expected = start()")}
        )
        [panel] = changes.panels
        assert (panel.now.ident, list(panel.sources)) == ("exercise-17.1", ["checks"])
        assert "+    expected = start()" in write(changes, SIDES)

    @pytest.mark.parametrize(
        "name", ["tests/outputs/1.1.json", "tests/outputs/9.9.txt", "tests/outputs/other/1.1.txt"]
    )
    def test_an_approved_file_of_which_no_more_is_said_is_named(self, tmp_path: Path, name: str) -> None:
        """A record shows on its page what it holds: its output changed by hand is no change that nobody sees."""
        kept = {"packages": {"torch": "2.1"}, "python": "3.11.7", "date": "2026-01-02", "output": "one"}
        files = {**FILES, name: json.dumps(kept)}
        other = {**files, name: json.dumps({**kept, "output": "two"})}
        before, after = put(tmp_path / "old", files), put(tmp_path / "new", other)
        changes = between(course.read(before), course.read(after), [name])
        assert (changes.panels, changes.others) == ((), (name,))
        assert name in write(changes, SIDES)

    def test_a_run_of_record(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        def record(version: str) -> str:
            return json.dumps({"packages": {"torch": version}, "python": "3.11.7", "date": "2026-01-02"})

        name = "tests/outputs/1.1.json"
        text = write(differ({**FILES, name: record("2.1")}, {**FILES, name: record("2.2")}), SIDES)
        assert "torch 2.1, Python 3.11.7, 2026-01-02</code> → <code>torch 2.2" in text

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("docs/labs/lab.ipynb", "{"),
            ("docs/labs/lab.ipynb", "[]"),
            (PAGE, LESSON.replace("total = add(1, 2)", "total = (")),
            (PAGE, LESSON.replace("total = add(1, 2)", "total = " + "(" * 300)),
            (PAGE, LESSON.removesuffix("```\n\nA last sentence.\n")),
            (PAGE, ""),
            (APPROVED, ""),
            (APPROVED, "no figures\n"),
            (APPROVED, OUTPUT.replace("total = 3", "total = " + "[" * 500)),
            (APPROVED, OUTPUT.replace("total = 3", "total = __import__('os')")),
            ("tests/outputs/1.1.json", "[]"),
            ("src/nextword/adding.py", "def ("),
            ("docs/labs/lab.ipynb", "[" * 100_000),
            ("docs/labs/lab.ipynb", json.dumps(LAB).replace("1 + 1", "-" * 9_000 + "1")),
            (PAGE, LESSON.replace("total > 0", "-" * 9_000 + "1")),
            (PAGE, LESSON.replace("total > 0", "total" + ".x" * 2_000)),
            ("src/nextword/adding.py", ADDING.replace("a + b", "-" * 9_000 + "a")),
        ],
        ids=range(17),
    )
    def test_what_cannot_be_read_is_a_change_like_another(
        self, differ: Callable[[Tree, Tree], Changes], name: str, text: str
    ) -> None:
        changes = differ(FILES, {**FILES, name: text})
        assert changes.pages
        rendered(write(changes, SIDES))

    def test_a_page_changes_with_a_figure_of_another(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        quoting = (
            "# Two\n\nIt was [[1.1.total]].\n\nTo [[1.1.share:.1f]].\n\n"
            '```drawing draw="bars" panel="1.1"\nThe parts.\n```\n'
        )
        files = {**FILES, "docs/two.md": quoting}
        changes = differ(files, {**files, APPROVED: OUTPUT.replace("total = 3", "total = 4")})
        [found] = [one for one in changes.pages if one.path == "docs/two.md"]
        assert (found.sentences, found.quotes, found.drawn) == ((), 1, ("drawing bars",))
        text = write(changes, SIDES)
        assert "| <code>docs/two.md</code> | 1 sentence by a figure · <code>drawing bars</code> |" in text
        assert "Made from its figures: <code>drawing bars</code> on <code>docs/two.md</code>." in text

    def test_a_new_figure_is_no_change_of_an_old_sentence(self, edited: Callable[..., Changes]) -> None:
        changes = edited(
            (PAGE, "A last sentence.", "It is [[1.1.more]]."),
            (APPROVED, "total = 3\n", "total = 3\nmore = 8\n"),
        )
        assert [one.quotes for one in changes.pages] == [0]
        assert "<ins>It is 8.</ins>" in write(changes, SIDES)
        assert "1.1.more" not in "".join(re.findall("<del>.*?</del>", write(changes, SIDES)))

    def test_a_sentence_that_quotes_otherwise_and_reads_the_same(
        self, edited: Callable[..., Changes]
    ) -> None:
        [found] = edited((PAGE, "[[1.1.total]]", "[[1.1.total:d]]")).pages
        assert [(one.old, one.new) for one in found.sentences] == [
            (
                "The total is [[1.1.total]] here, and [[1.1.share:.1f]] of it.",
                "The total is [[1.1.total:d]] here, and [[1.1.share:.1f]] of it.",
            )
        ]

    def test_a_claim_that_is_not_approved_yet_says_so(self, edited: Callable[..., Changes]) -> None:
        text = write(edited((PAGE, '"The parts add up"', '"The whole is there"')), SIDES)
        assert "**1 claim of its code in no approved output**" in text
        assert "“The whole is there”" in text

    def test_a_panel_that_moved_with_its_page_is_told_in_one_line(
        self, differ: Callable[[Tree, Tree], Changes]
    ) -> None:
        text = write(differ(FILES, {n.replace("/one", "/first"): text for n, text in FILES.items()}), SIDES)
        assert "<code>1.1</code> (moved)" in text
        assert "<details>" not in text

    def test_a_new_title(self, edited: Callable[..., Changes]) -> None:
        text = write(edited((PAGE, 'title="Adding"', 'title="Sums"')), SIDES)
        assert "</b>: Sums (renamed)" in text
        assert "Before: <code>1.1</code>, Adding, on <code>docs/lessons/one.md</code>." in text

    def test_inline_code_reads_as_code(self) -> None:
        assert words("See `a_b` and c.", "See `a_b` and d.") == (
            "See <code>a&#95;b</code> and <del>c</del><ins>d</ins>."
        )
        assert "<del><code>x y</code></del><ins><code>x z</code></ins>" in words(
            "Take `x y` now", "Take `x z` now"
        )

    def test_names_are_matched_by_likeness(self) -> None:
        old = {"same": "x", "a": "one two three four", "gone": "something else"}
        new = {"same": "y", "b": "one two three five", "fresh": "not alike at all"}
        assert set(matched(old, new)) == {("same", "same"), ("a", "b"), (None, "fresh"), ("gone", None)}


HOSTILE = [
    "</details></summary><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/p.png)",
    "[x](javascript:alert(1)) <https://evil.example> https://evil.example www.evil.example",
    "@everyone and a@b.example, see #1, owner/name#2, GH-3, gh-4",
    "````\n```\n~~~\n</code></pre><b>x",
    "| a | b |\n| --- | --- |\n# x\n- [ ] y\n> z\n1. w\n***\n---",
    "<!-- ","--> <!DOCTYPE x> <?php ?> <![CDATA[ x ]]>",
    "$\\unicode{x}$ $$x$$ `$x$` :tada: &lt;b&gt; &#64;all",
    "left \u202e right \u200b \x00 \x1b[31m \ufeff \u2028",
    "[^1]: x\n[a]: https://evil.example\n*[HTML]: y",
    "1. one", "- two", "+ three", "# four", "> five", "    six", "~~~ seven", "=== eight", "`` ` nine",
    "\\", "`", "_a_ *b* ~~c~~ ==d== ^e^", "", " ", "\n",
]  # fmt: skip


SHOWN: dict[str, Callable[[str], str]] = {
    "escape": escape,
    "spoken": lambda text: f"<p>{spoken(text)}</p>",
    "code": code,
    "removed": lambda text: words(text, None),
    "added": lambda text: words(None, text),
    "around": lambda text: words(f"Before {text} all", f"Before a {text}, all"),
    "moved": lambda text: words(f"{text} x", f"x {text}"),
    "diff": lambda text: diff(text, f"{text}\nx", 100),
    "fence": lambda text: fence(text.split("\n")),
    "details": lambda text: details(spoken(text), [escape(text)]),
    "table": lambda text: table(["a"], [[code(text)], [escape(text)]]),
    "list": lambda text: f"- {escape(text)}\n- {code(text)}",
}


class TestEscapes:
    @pytest.mark.parametrize("shown", SHOWN)
    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_text_stays_text(self, text: str, shown: str) -> None:
        before, after = "**before**", "**after**"
        found = rendered(details("s", [before, SHOWN[shown](text), after]))
        assert "img" not in {tag for tag, _ in found.seen}
        assert [tag for tag, _ in found.seen].count("strong") == 2, "what follows is Markdown again"

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_a_whole_change_of_it(self, differ: Callable[[Tree, Tree], Changes], text: str) -> None:
        line = " ".join(text.split())
        quoted = repr(line)
        new = {
            **FILES,
            PAGE: LESSON.replace("A last sentence.", f"{text}\n\nA last {line} sentence.").replace(
                '"The parts add up"', quoted
            ),
            APPROVED: OUTPUT.replace("the total", text)
            .replace("total = 3", f"total = {quoted}")
            .replace("The parts add up", line),
            "src/nextword/adding.py": ADDING.replace("return", f"{quoted}\n    return"),
        }
        changes = differ(FILES, new)
        for longest in (LONGEST, None):
            rendered(write(changes, SIDES, longest))

    @pytest.mark.skipif(os.name == "nt", reason="needs names and links that Windows has not")
    def test_a_file_s_name_is_text_too(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        name = 'docs/<b onclick=x>@all [x](y) `z` "quoted".md'
        changes = differ(FILES, {**FILES, name: "# Quite new\n\nText.\n"})
        for sides in (SIDES, Sides("<i>@all", "</code>", "https://github.com/o/r/blob/1234567")):
            rendered(write(changes, sides))

    def test_an_address_is_no_link_even_as_code(self) -> None:
        """GitHub makes links of addresses in the source, so also between tags."""
        for text in ("https://evil.example/x", "www.evil.example", "a@evil.example"):
            for shown in (code(text), escape(text), spoken(text)):
                assert not re.search(r"://|www\.\w|@\w", shown.replace(APART, " "))

    def test_what_cannot_be_seen_is_written_out(self) -> None:
        assert "\\u202e" in diff("x", "x\u202ey", 9)
        assert "\\\\u202e" in escape("x\u202ey")
        assert "👩\u200d👧" in escape("👩\u200d👧")

    def test_a_fence_is_longer_than_any_in_it(self) -> None:
        assert fence(["+ `````"]).startswith("``````diff\n")

    def test_of_long_texts_the_place_that_differs_is_shown(self) -> None:
        old, new = contrast("x" * 1000 + "a", "x" * 1000 + "b", 160)
        assert old and new
        assert (old[-1], new[-1]) == ("a", "b")
        assert len(old) < 200
        shown = diff("x" * 1000 + "a", "x" * 1000 + "b", 100)
        assert "-↪" in shown and "a\n" in shown

    def test_the_page_to_read_loads_and_runs_nothing(self) -> None:
        assert "default-src 'none'" in page("x")


class TestLength:
    def many(self, number: int, size: int) -> tuple[Tree, Tree]:
        names = [f"docs/lessons/n{index}.md" for index in range(number)]
        old = {name: f"# Page {name}\n\nBefore {index}.\n" for index, name in enumerate(names)}
        new = {
            name: text
            + "".join(
                f"\nNew sentence {index} {word} of it.\n" for word in range(size if index else 3 * size)
            )
            for index, (name, text) in enumerate(old.items())
        }
        return old, new

    def test_it_fits_into_a_comment_and_says_what_is_left_out(
        self, differ: Callable[[Tree, Tree], Changes]
    ) -> None:
        changes = differ(*self.many(150, 40))
        text = write(changes, SIDES)
        assert len(text) <= LONGEST
        rendered(text)
        said = re.search(r"\*\*(\d+) sections are left out for length:\*\*", text)
        assert said
        assert int(said[1]) + text.count("<summary>Text of") == 150
        more = re.search(r"\*(\d+) more pages changed\.\*", text)
        assert int(more[1] if more else 0) + text.count("\n| <code>docs") == 150
        assert "<summary>Text of <code>docs/lessons/n0.md</code>: 120 sentences" in text, (
            "the biggest is kept"
        )
        assert "more sentences*" in text
        whole = write(changes, SIDES, None)
        assert "left out" not in whole
        assert whole.count("<summary>Text of") == 150

    def test_so_does_what_is_long_in_each_of_its_parts(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        fences = "\n".join(
            f'```python exec="on" id="p{{0}}.{n}" title="{"x" * 300}"\nprint({n})\n```\n' for n in range(13)
        )
        long = "_" * 200
        files = {f"docs/{long}{n}.md": f"# {'*' * 500}\n\n{fences.replace('{0}', str(n))}" for n in range(60)}
        changes = replace(differ({}, files), others=tuple("_" * 4000 for _ in range(500)))
        text = write(changes, Sides("_" * 4000, "_" * 4000, "https://github.com/o/r/blob/1234567"))
        assert len(text) <= LONGEST
        rendered(text)
        assert re.search(r"\*\d+ more pages changed\.\*", text)

    def test_a_huge_output_is_cut_with_a_number(self, edited: Callable[..., Changes]) -> None:
        changes = edited(
            (APPROVED, "the total is 3", "\n".join(f"line {n} " + "x" * 300 for n in range(3000)))
        )
        text = write(changes, SIDES)
        assert len(text) <= LONGEST
        assert re.search(r"\*[\d,]+ more lines of this are left out\.\*", text)

    def test_much_of_the_same_takes_no_long_time(self, differ: Callable[[Tree, Tree], Changes]) -> None:
        """What takes the square of its length would take minutes here."""
        words, rows = "to be or not " * 12_000, "\n\n".join(["The same."] * 9_000)
        started = time.process_time()
        old = {**FILES, PAGE: f"{LESSON}\n{words}\n\n{rows}"}
        new = {**FILES, PAGE: f"{LESSON}\nNot {words}\n\nAnother.\n\n{rows}\n\nThe end."}
        write(differ(old, new), SIDES)
        assert time.process_time() - started < 6

    def test_what_is_short_is_whole(self, edited: Callable[..., Changes]) -> None:
        changes = edited((APPROVED, "the total is 3", "the sum is 3"))
        assert "left out" not in write(changes, SIDES)
        assert write(changes, SIDES) == write(changes, SIDES, None)


def git(folder: Path, *arguments: str) -> str:
    names = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b.c",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.c",
    }
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    run = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **names, **quiet}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def commit(root: Path, files: Tree, message: str = "x") -> None:
    put(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the course on main, and a branch at the same commit."""
    root = tmp_path / "course"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, FILES)
    git(root, "checkout", "-qb", "work")
    return root


class TestRepository:
    def test_the_checkout_as_it_lies_there(
        self, repository: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put(
            repository,
            {APPROVED: OUTPUT.replace("total = 3", "total = 4"), "docs/new.md": "# New\n\nText.\n"},
        )
        assert review(repository, "main") == 0
        assert "What changed in the course: 1 figure, 2 pages" in capsys.readouterr().out
        text = (repository / "review/comment.md").read_text(encoding="utf-8")
        assert text.startswith(MARKER + "\n")
        assert "The total is <del>3</del><ins>4</ins>" in text
        assert "<ins>4</ins>" in (repository / "review/index.html").read_text(encoding="utf-8")

    def test_a_second_review_does_not_review_the_first(self, repository: Path) -> None:
        put(repository, {".gitignore": "/review/\n"})
        assert review(repository, "main") == review(repository, "main") == 0
        assert "comment.md" not in (repository / "review/comment.md").read_text(encoding="utf-8")

    def test_no_change(self, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert review(repository, "main") == 0
        assert capsys.readouterr().out.startswith("No output, figure, claim or page has changed\n")

    def test_two_commits(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GITHUB_REPOSITORY", "o/r")
        commit(repository, {APPROVED: OUTPUT.replace("total = 3", "total = 4"), "Makefile": "x:\n"})
        put(repository, {APPROVED: "what lies in the checkout is not looked at"})
        changes, sides = compare(repository, "main", "work")
        assert headline(changes) == "What changed in the course: 1 figure, 1 page"
        assert changes.others == ("Makefile",)
        assert sides.web == f"https://github.com/o/r/blob/{git(repository, 'rev-parse', 'work')}"
        found = rendered(write(changes, sides))
        assert any(
            (attributes.get("href") or "").endswith("one.md?plain=1#L7") for _, attributes in found.seen
        )

    def test_what_came_to_main_since_is_not_of_this_change(self, repository: Path) -> None:
        commit(repository, {APPROVED: OUTPUT.replace("total = 3", "total = 4")})
        git(repository, "checkout", "-q", "main")
        commit(repository, {"docs/new.md": "# New\n\nText.\n"})
        git(repository, "checkout", "-q", "work")
        changes, _ = compare(repository, "main")
        assert [one.path for one in changes.pages] == [PAGE]

    def test_a_branch_that_is_only_on_origin(self, repository: Path, tmp_path: Path) -> None:
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", str(repository), str(clone))
        assert compare(clone, "main")[0] == Changes((), (), ())

    def test_the_parent_of_a_shallow_merge(self, repository: Path, tmp_path: Path) -> None:
        """What the workflow has: the merge commit and its parents alone."""
        commit(repository, {APPROVED: OUTPUT.replace("total = 3", "total = 4")})
        git(repository, "checkout", "-q", "main")
        commit(repository, {"docs/new.md": "# New\n\nText.\n"})
        git(repository, "checkout", "-qb", "merged")
        git(repository, "merge", "-q", "--no-ff", "-m", "merge", "work")
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--depth=2", "--branch=merged", repository.as_uri(), str(clone))
        changes, _ = compare(clone, "HEAD^1", "HEAD")
        assert [one.path for one in changes.pages] == [PAGE]

    @pytest.mark.parametrize("base", ["nowhere", "--upload-pack=x", "", "main:docs", "HEAD~9"])
    def test_a_base_that_is_none(
        self, repository: Path, base: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert review(repository, base) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"no review: there is no branch, tag or commit {base!r} here")
        assert "Traceback" not in said
        assert not (repository / "review").exists()

    def test_no_common_commit(self, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
        git(repository, "checkout", "-q", "--orphan", "other")
        git(repository, "commit", "-qm", "apart")
        assert review(repository, "main") == 1
        assert "'main' and 'HEAD' have no commit in common here" in capsys.readouterr().err

    def test_no_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
        (tmp_path / "plain").mkdir()
        with pytest.raises(trees.NoBase, match="is no checkout of git"):
            compare(tmp_path / "plain", "main")

    def test_no_git(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "")
        with pytest.raises(trees.NoBase, match="git is not installed"):
            compare(repository, "main")

    def test_a_base_without_a_course(self, repository: Path) -> None:
        git(repository, "checkout", "-q", "--orphan", "empty")
        git(repository, "rm", "-rqf", ".")
        commit(repository, {"README.md": "x"})
        git(repository, "branch", "-q", "start")
        commit(repository, FILES)
        changes, _ = compare(repository, "start")
        assert len(changes.pages) == 3

    @pytest.mark.skipif(os.name == "nt", reason="needs names and links that Windows has not")
    @pytest.mark.parametrize("target", ["/etc/hostname", "../../outside.txt"])
    def test_a_link_out_of_the_tree_brings_nothing_in(self, repository: Path, target: str) -> None:
        put(repository.parent, {"outside.txt": "A secret."})
        (repository / "docs/secret.md").symlink_to(target)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "link")
        for head in ("work", ""):
            changes, sides = compare(repository, "main", head)
            assert not changes.pages
            assert "A secret" not in write(changes, sides)

    def test_this_repository(self) -> None:
        try:
            commits = git(ROOT, "rev-list", "--max-count=30", "HEAD").split()
        except (AssertionError, FileNotFoundError):
            pytest.skip("no repository of git")
        if len(commits) < 30:
            pytest.skip("a shallow clone")
        changes, sides = compare(ROOT, commits[-1], "HEAD")
        files = trees.changed_files(ROOT, commits[-1], "HEAD")
        pages = {one.path for one in changes.pages} | {one.old.path for one in changes.pages if one.old}
        assert {name for name in files if re.fullmatch(r"docs/.*\.(md|ipynb)", name)} <= pages
        panels = {one.ident for change in changes.panels for one in (change.old, change.new) if one}
        assert {Path(name).stem for name in files if name.startswith("tests/outputs/")} <= panels
        text = write(changes, sides)
        assert len(text) <= LONGEST
        rendered(text)
        rendered(write(changes, sides, None))
