"""What is prose and what is a block: as Markdown sees it, with each line where the author wrote it."""

import re

import markdown
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coursebuild.prose import visible
from coursebuild.source import Line, code_spans, lines_of, read, split_front_matter

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


def test_code_spans_are_found_with_their_marks() -> None:
    assert [code for _, _, code in code_spans("`a` ``b ` c`` ` d")] == ["a", "b ` c"]
