"""What the press reads of a notebook without running it, and what it says when a run fails."""

import json

import pytest

from coursebuild import notebooks, prose


def cell(kind: str, source: str | list[str], **more: object) -> dict[str, object]:
    plain: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source}
    return plain | ({"outputs": [], "execution_count": None} if kind == "code" else {}) | more


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def typed(text: str) -> list[tuple[int, str]]:
    return [
        (fault.line, fault.message.split("'")[1])
        for fault in prose.lint("n.ipynb", notebooks.read(text), set())
    ]


def problems(text: str) -> list[str]:
    return [fence.problem for fence in notebooks.read(text).fences if fence.problem]


def test_text_cells_are_prose_with_the_line_of_their_cell() -> None:
    text = notebook(
        cell("markdown", ["# A lab\n", "It costs 40"]), cell("code", "x = 3"), cell("markdown", "and twice")
    )
    lines = text.split("\n")
    found = typed(text)
    assert [number for _, number in found] == ["40", "twice"]
    assert [lines[line - 1].strip() for line, _ in found] == ['"cell_type": "markdown",'] * 2


def test_raw_cells_are_prose_as_well() -> None:
    assert [number for _, number in typed(notebook(cell("raw", "It costs 40")))] == ["40"]


def test_a_cell_that_quotes_the_format_does_not_shift_lines() -> None:
    text = notebook(cell("code", 'x = {"cell_type": "code"}'), cell("markdown", "It costs 40"))
    assert text.split("\n")[typed(text)[0][0] - 1].strip() == '"cell_type": "markdown",'


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"outputs": [{"output_type": "stream", "name": "stdout", "text": "a lie"}]}, "outputs stored"),
        ({"metadata": {"tags": ["skip-execution"]}}, "skip-execution"),
        ({"metadata": {"tags": ["raises-exception"]}}, "raises-exception"),
    ],
)
def test_a_cell_that_need_not_run_is_refused(more: dict[str, object], message: str) -> None:
    assert message in problems(notebook(cell("code", "print(1)", **more)))[0]
    assert message in problems(notebook(cell("code", "", **more)))[0]


def test_a_good_cell_has_no_problem() -> None:
    assert problems(notebook(cell("code", "print(1)", metadata={"tags": ["x"]}))) == []


def test_blocks_in_text_cells_are_read() -> None:
    text = notebook(cell("markdown", '```python exec="on"\nx\n```'), cell("markdown", "```text\nx"))
    assert [fence.language for fence in notebooks.read(text).fences] == ["python", "text"]
    assert len(problems(text)) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', "{"])
def test_what_is_no_notebook_has_no_parts_and_a_clear_fault(text: str) -> None:
    assert notebooks.read(text).prose == ()
    assert str(notebooks.explain("n.ipynb", text, ValueError("bad"))).startswith(
        "n.ipynb:1: notebook: the file is no notebook"
    )


class CellError(Exception):
    ename, evalue = "ZeroDivisionError", "division by zero"


def test_a_cell_that_fails_is_named_with_its_line() -> None:
    text = notebook(cell("markdown", "# A lab"), cell("code", "x = 1"), cell("code", ["y = 2\n", "1 / 0"]))
    fault = notebooks.explain(
        "n.ipynb", text, CellError("An error occurred while executing\n-----\ny = 2\n1 / 0\n-----")
    )
    assert (fault.subject, fault.message) == ("cell 3", "ZeroDivisionError: division by zero")
    assert text.split("\n")[fault.line - 1].strip() == '"cell_type": "code",'


def test_what_a_run_wrote_to_stderr_is_a_fault() -> None:
    html = (
        '<div data-mime-type="application/vnd.jupyter.stderr"><div><pre>careful</pre></div> and more</div>'
        '<div data-mime-type="application/vnd.jupyter.stdout"><pre>fine</pre></div>'
    )
    assert [fault.message for fault in notebooks.stderr_of("n.ipynb", html)] == [
        "output on stderr: careful and more"
    ]
    assert notebooks.stderr_of("n.ipynb", "<div><pre>fine</pre></div>") == []
