"""What is prose and what is a block: as Markdown sees it, with each line where the author wrote it."""

import re
from dataclasses import FrozenInstanceError

import markdown
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coursebuild import source
from coursebuild.prose import visible
from coursebuild.source import (
    LISTED,
    REFERENCE,
    Fence,
    Line,
    Source,
    code_spans,
    lines_of,
    read,
    split_front_matter,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

PANEL = '```python exec="on" id="1.1" title="x"'


def ran_by_superfences(text: str) -> list[str]:
    """The code of the Python blocks that SuperFences itself finds."""
    found: list[str] = []

    def keep(source: str, *_: object, **__: object) -> str:
        found.append(source)
        return ""

    def take(
        language: str, inputs: dict[str, str], options: dict[str, str], attrs: object, md: object
    ) -> bool:
        options.update(inputs)
        return True

    fence = {"name": "python", "class": "python", "format": keep, "validator": take}
    extensions = [
        "admonition",
        "def_list",
        "footnotes",
        "md_in_html",
        "pymdownx.details",
        "pymdownx.superfences",
        "pymdownx.tabbed",
    ]
    configuration = {"pymdownx.superfences": {"custom_fences": [fence]}}
    markdown.markdown(text, extensions=extensions, extension_configs=configuration)
    return found


@pytest.mark.parametrize(
    "text",
    [
        f"{PANEL}\na = 1\n```",
        f"  {PANEL}\n  a = 1\n  ```",
        f"text\n{PANEL}\na = 1\n```\ntext",
        f"!!! note\n\n    {PANEL}\n    a = 1\n\n    b = 2\n    ```",
        f"!!! note\n\n\t{PANEL}\n\ta = 1\n\t```",
        f"??? question\n\n    - x\n\n        {PANEL}\n        a = 1\n            b = 2\n        ```",
        f'=== "Tab"\n\n    {PANEL}\n    a = 1\n    ```',
        f"Term\n:   x\n\n    {PANEL}\n    a = 1\n    ```",
        f"x[^1]\n\n[^1]: y\n\n    {PANEL}\n    a = 1\n    ```",
        f"1. x\n\n    {PANEL}\n    a = 1\n    ```",
        f"> {PANEL}\n> a = 1\n>\n> b = 2\n> ```",
        f">{PANEL}\n>a = 1\n>```",
        f"~~~{PANEL[3:]}\na = '```'\n~~~",
        f"`{PANEL}\na = 1\n```\nb = 2\n````",
        f"{PANEL}\na = 1\n  ```\nb = 2\n```",
        f"{PANEL}\na = 1\n~~~\n```",
        f"{PANEL}  \na = 1\n```  ",
        f"> {PANEL}\n  a = 1\n> ```",
        f"> {PANEL}\n> a = 1\n  b = 2\n> ```",
        f"!!! note\n\n\t>{PANEL}\n\t>\n\t>a = 1\n\t>```",
        f"````markdown\n{PANEL}\na = 1\n```\n````",
        f"~~~text\n{PANEL}\na = 1\n```\n~~~",
        f"{PANEL}\r\na = 1\r\n```\r\n",
        f"{PANEL}\na = '\x0b\x0c\x1c\x85\u2028'\n```",
        f"<div markdown>\n{PANEL}\na = 1\n```\n</div>",
    ],
)
def test_a_block_is_read_as_superfences_reads_it(text: str) -> None:
    ours = [fence for fence in read(text).fences if fence.language == "python"]
    assert [fence.body for fence in ours] == ran_by_superfences(text)
    assert not any(fence.problem for fence in read(text).fences)


@pytest.mark.parametrize(
    "text",
    [
        f"- {PANEL}\n  a = 1\n  ```",
        f"x {PANEL}\na = 1\n```",
        f"{PANEL}\na = 1",
        f"{PANEL}\na = 1\n````",
        f"!!! note\n\n    {PANEL}\n    a = 1\n\nprose\n\n```text\nb\n```",
        f"!!! note\n\n    {PANEL}\n    a = 1\n  b = 2\n    ```",
        f"!!! note\n\n    {PANEL}\n    a = 1\n```\n    ```",
        f"> {PANEL}\n> a = 1\nprose\n> ```",
        f"> {PANEL}\n> a = 1\n```",
        f"> {PANEL}\n>\n  a = 1\n> ```",
        f"!!! note\n\n    !!! note\n\n        {PANEL}\n\ta\n        ```",
    ],
)
def test_what_superfences_takes_apart_has_a_problem(text: str) -> None:
    assert ran_by_superfences(text) == []
    assert any(fence.problem for fence in read(text).fences)


def test_prose_beside_a_block_that_is_taken_apart_stays_prose() -> None:
    found = read("> ```text\n> a\nmeasured: 40\n> ```\n")
    assert "measured: 40" in [line.text for line in found.prose]


LINES = st.lists(
    st.sampled_from(
        [
            "", " ", "prose", "    prose", "> prose", "- prose", "---", "...", "title: x", "<!-- x", "-->", "\tprose",
            PANEL, "```", "````", "~~~", "~~~text", "    ```", f"    {PANEL}", "> ```", f"> {PANEL}", ">> ```", "```text", "`a`",
        ]
    ),
    max_size=14,
)  # fmt: skip


@steady
@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
@example(["---", "title: x", "---", PANEL, "a", "```"], "\n")
@example(["---", "no end"], "\n")
@example(["", "---", "title: x", "---"], "\n")
def test_every_line_is_exactly_once_in_front_matter_prose_or_a_block(lines: list[str], end: str) -> None:
    text = end.join(lines)
    found = read(text)
    every = lines_of(text)
    _, front = split_front_matter(text)
    places = list(range(1, front + 1)) + [line.number for line in found.prose]
    for fence in found.fences:
        body = fence.body.count("\n") + 1 if fence.body else 0
        closed = getattr(fence.problem, "kind", "") not in ("block-open", "block-broken")
        places += range(fence.line, fence.line + 1 + body + closed)
        assert re.search("`{3}|~{3}", every[fence.line - 1])
    empty = [fence for fence in found.fences if not fence.body]  # an empty body is no line, or one empty line
    missing = set(range(1, len(every) + 1)) - set(places)
    assert len(places) == len(set(places))
    assert set(places) <= set(range(1, len(every) + 1))
    assert len(missing) <= len(empty)
    for line in found.prose:
        assert line.text == every[line.number - 1]


@steady
@given(LINES, st.integers(0, 20))
def test_the_line_of_a_block_is_the_line_of_its_fence(lines: list[str], above: int) -> None:
    text = "\n".join(["prose", *[""] * above, PANEL, "a = 1", "```", *lines])
    first = read(text).fences[0]
    assert (first.line, first.body, first.option["id"]) == (above + 2, "a = 1", "1.1")


@steady
@given(st.text(st.sampled_from("ab3`*_[]()<>&;:{}|.# "), max_size=40))
def test_masked_text_keeps_its_columns(text: str) -> None:
    shown = visible(Line(1, text), lambda word: True)
    for column, character in enumerate(text):
        if shown[column : column + 1] not in (character, " "):
            assert "&" in text  # a character reference is shown as one character
            break


def test_front_matter_needs_its_first_line_and_an_end() -> None:
    assert [line.text for line in read("---\ntitle: x\n---\ny").meta] == ["title: x"]
    assert [line.text for line in read("\ufeff---\ntitle: x\n...\ny").meta] == ["title: x"]
    assert read("---\ntitle: x\n\ny").meta == ()
    assert read("\n---\ntitle: x\n---\n").meta == ()
    assert read("---\n---\nx").meta == ()
    assert read("").prose == read("").meta == ()


def test_other_line_ends_do_not_shift_lines() -> None:
    text = "a\u2028b\x0bc\nd\x85e\n" + f"{PANEL}\nx = '\x0c'\n```\n"
    assert read(text).fences[0].line == 3


@pytest.mark.parametrize(
    "info",
    [
        "python exec=on", "python exec='on'", "python exec", '{.python exec="on"}', 'python {exec="on"}', 'python  exec = "on"',
        'python exec="on"id="1.1"', 'python exec="on" exec="on"', 'python exec="on" "x"', 'python exec=“on”', 'py thon exec="on"',
    ],
)  # fmt: skip
def test_options_that_cannot_be_read_are_a_problem(info: str) -> None:
    fence = read(f"```{info}\na\n```").fences[0]
    assert fence.problem


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python exec=on", "python"), ("python{x", "python"), ("{.python}", ""), ("py=3 x", "py"), ("c++ x", "c++"),
        ('python Exec="on"x', "python"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_read_are_quoted(info: str, language: str) -> None:
    [fence] = read(f"```{info}\na\n```").fences
    assert (fence.language, fence.options, fence.problem) == (
        language,
        (),
        f'cannot read the options {info!r}; write each as name="value"',
    )
    assert fence.problem and fence.problem.kind == "options-unreadable"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ('```py a="1" c="2" b="3" c="4" b="5"\n```', "option-twice", "option b is given twice"),
        ("```py\na", "block-open", "the block is never closed: no later line is ```"),
        ("text\n\t~~~~ py\n\ta\n", "block-open", "the block is never closed: no later line is     ~~~~"),
        (
            "> ```py\n> a\nb\n> ```",
            "block-broken",
            "line 3 has less indentation than the block's first, so Markdown takes the block apart",
        ),
    ],
)
def test_a_problem_says_what_markdown_takes_otherwise(text: str, kind: str, message: str) -> None:
    problem = read(text).fences[0].problem
    assert (problem, problem and problem.kind) == (message, kind)


PAGE = """\
---
title: x
draft: no
---
One.

```.python exec="on" Id2="a b"  x=""
a = 1

```
Two.
```a`b
~~~ a`b
c
~~~
    ```
    d
    ```
"""


def test_a_page_is_read_into_its_parts() -> None:
    assert read(PAGE) == Source(
        fences=(
            Fence(7, "python", (("exec", "on"), ("Id2", "a b"), ("x", "")), "a = 1\n"),
            Fence(13, "a`b", (), "c", read(PAGE).fences[1].problem),
            Fence(16, "", (), "d"),
        ),
        prose=(Line(5, "One."), Line(6, ""), Line(11, "Two."), Line(12, "```a`b")),
        meta=(Line(2, "title: x"), Line(3, "draft: no")),
    )
    assert read(PAGE).fences[0].problem is None
    assert read(PAGE).fences[0].option == {"exec": "on", "Id2": "a b", "x": ""}
    assert Source((), ()).meta == ()
    assert Fence(1, "", (("a", "1"), ("a", "2")), "").option == {"a": "2"}
    for part, name in ((read(PAGE), "meta"), (read(PAGE).prose[0], "text"), (read(PAGE).fences[0], "body")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, None)


@pytest.mark.parametrize(
    ("text", "lines", "front"),
    [
        ("", [], 0),
        ("a", ["a"], 0),
        ("a\n", ["a"], 0),
        ("a\n\n", ["a", ""], 0),
        ("\ufeffa\r\nb\rc\n", ["a", "b", "c"], 0),
        ("---  \nt: x\n---  \ny", ["---  ", "t: x", "---  ", "y"], 3),
        ("---\nt: x\n...\ny\n---", ["---", "t: x", "...", "y", "---"], 3),
        ("---\nt: x", ["---", "t: x"], 0),
        ("a\n---\nt: x\n---", ["a", "---", "t: x", "---"], 0),
    ],
)
def test_the_lines_of_a_file_and_its_front_matter(text: str, lines: list[str], front: int) -> None:
    assert lines_of(text) == lines
    assert split_front_matter(text) == (lines, front)


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("REFERENCE", "[[17.1.Ratio_2]]", {"panel": "17.1", "name": "Ratio_2", "spec": None}),
        ("REFERENCE", "[[norms-And.2.x:.2f]]", {"panel": "norms-And.2", "name": "x", "spec": ".2f"}),
        ("REFERENCE", "[[a_b.x:]]", {"panel": "a_b", "name": "x", "spec": ""}),
        ("REFERENCE", "[[17.1._x:a b]]", {"panel": "17.1", "name": "_x", "spec": "a b"}),
        ("GIVEN", "[[15 k|because: Ä]]", {"text": "15 k", "reason": "because: Ä"}),
        ("LISTED", "[[ledger]]  ", {"what": "ledger"}),
        ("LISTED", "[[corrections]]", {"what": "corrections"}),
        ("LISTED", "[[refusals]]", {"what": "refusals"}),
    ],
)
def test_what_stands_in_double_brackets(name: str, text: str, parts: dict[str, str | None]) -> None:
    pattern: re.Pattern[str] = getattr(source, name)
    match = pattern.fullmatch(text)
    assert match
    assert match.groupdict() == parts
    assert pattern.search(f"{text[:-2]}|") is None


@pytest.mark.parametrize(
    "text", ["[[17.1]]", "[[17.1.2x]]", "[[x]]", "[[17.1.x:[a]]]", "[[.x]]", "[[17..x]]"]
)
def test_what_quotes_no_figure(text: str) -> None:
    assert REFERENCE.search(text) is None


@pytest.mark.parametrize("text", ["x [[ledger]]", "[[ledger]] x", "[[Ledger]]", "[[ledgers]]"])
def test_what_lists_nothing(text: str) -> None:
    assert LISTED.match(text) is None


def test_code_spans_are_found_with_their_marks() -> None:
    assert list(code_spans("`a` ``b ` c`` x ` D `.` d")) == [
        (0, 3, "a"),
        (4, 13, "b ` c"),
        (16, 21, "D"),
    ]
    assert list(code_spans("``a` `` b")) == [(0, 7, "a`")]
    assert list(code_spans("```a`` `")) == []
