"""What the press reads of a notebook without running it, and what it says when a run fails."""

import json

import pytest

from coursebuild import notebooks
from coursebuild.faults import Fault


def cell(kind: str, source: str | list[str], **more: object) -> dict[str, object]:
    plain: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source}
    return plain | ({"outputs": [], "execution_count": None} if kind == "code" else {}) | more


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def faults(text: str) -> list[Fault]:
    return notebooks.parse("docs/labs/n.ipynb", text)[2]


def typed(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.message.split("'")[1]) for fault in faults(text) if "by hand" in fault.message]


GOOD = "from nextword.checks import check\ntotal = sum([1, 2])\ncheck('It adds up', total, 3)"


def test_text_cells_are_prose_with_the_lines_of_the_file() -> None:
    source = ["# A lab\n", "e\n", "\n", "It costs 40\n", "\n", "It costs 40\n", "```pyhton\n", "```"]
    text = notebook(cell("markdown", source), cell("code", GOOD), cell("markdown", "and\ntwice"))
    lines = text.split("\n")
    found = typed(text)
    assert [number for _, number in found] == ["40", "40", "twice"]
    assert [json.loads(lines[line - 1].strip().rstrip(",")) for line, _ in found[:2]] == ["It costs 40\n"] * 2
    assert found[0][0] + 2 == found[1][0]
    assert "twice" in lines[found[2][0] - 1]
    [fence] = notebooks.parse("docs/labs/n.ipynb", text)[0].fences
    assert "pyhton" in lines[fence.line - 1]


def test_lines_that_are_alike_or_short_have_each_its_own_place() -> None:
    source = ["c\n", ")\n", ")\n", "\n", "\n", ")\n", "e"]
    text = notebook(cell("code", source))
    [found] = notebooks.cells(text)
    first = text.split("\n").index('    "c\\n",') + 1
    assert [*notebooks.rows_of(found, text.split("\n"))] == [first + at for at in range(len(source))]


def test_raw_cells_are_prose_as_well() -> None:
    assert [number for _, number in typed(notebook(cell("raw", "It costs 40")))] == ["40"]


def test_each_text_cell_is_read_by_itself() -> None:
    text = notebook(cell("markdown", "<!-- a"), cell("markdown", "It costs 40"), cell("markdown", "b -->"))
    assert "40" in [number for _, number in typed(text)]


def test_a_cell_that_quotes_the_format_does_not_shift_lines() -> None:
    text = notebook(cell("code", 'x = {"cell_type": "code"}'), cell("markdown", "It costs 40"))
    [line] = {line for line, _ in typed(text)}
    assert "It costs 40" in text.split("\n")[line - 1]


def test_the_code_cells_are_one_program_with_the_lines_of_the_file() -> None:
    source = GOOD.splitlines(keepends=True)
    text = notebook(cell("code", source[:1]), cell("markdown", "é"), cell("code", source[1:]))
    parsed, [lab], found = notebooks.parse("docs/labs/My lab.ipynb", text)
    assert found == []
    assert parsed.prose[0].text == "é"
    assert lab.ident == "lab-my-lab.1"
    assert [claim.literal for claim in lab.claims] == ["It adds up"]
    lines = text.split("\n")
    for number, line in enumerate(lab.code.split("\n"), 1):
        fault = lab.fault("panel-raises", "x", number)
        assert json.dumps(line)[1:-1] in lines[fault.line - 1]
        assert fault.subject == ("cell 1" if number <= 3 else "cell 3")


@pytest.mark.parametrize(
    ("source", "more", "message"),
    [
        (GOOD, {"outputs": [{"output_type": "stream", "name": "stdout", "text": "a lie"}]}, "outputs stored"),
        (GOOD, {"metadata": {"tags": ["skip-execution"]}}, "skip-execution"),
        (GOOD, {"metadata": {"tags": ["raises-exception"]}}, "raises-exception"),
        (GOOD, {"metadata": {"tags": ["remove_output"]}}, "remove_output"),
        ("%%capture\n" + GOOD, {}, "is no Python"),
        (GOOD + "\n!false", {}, "is no Python"),
        (GOOD + "\n    %timeit total", {}, "is no Python"),
        (GOOD.replace("total, 3", "3, 3"), {}, "cannot fail"),
        ("total = 3", {}, "claims nothing"),
        (
            "try:\n    " + GOOD.replace("\n", "\n    ") + "\nexcept Exception:\n    pass",
            {},
            "never be reached",
        ),
    ],
)
def test_a_cell_that_need_not_run_or_prove_anything_is_refused(
    source: str, more: dict[str, object], message: str
) -> None:
    assert any(message in fault.message for fault in faults(notebook(cell("code", source, **more))))


def test_a_good_notebook_has_no_fault() -> None:
    assert faults(notebook(cell("code", GOOD, metadata={"tags": ["x"]}))) == []
    assert faults(notebook(cell("markdown", "# A lab", metadata={"tags": None}), cell("code", GOOD))) == []


def test_blocks_in_text_cells_are_read() -> None:
    text = notebook(cell("markdown", '```python exec="on"\nx\n```'), cell("markdown", "```text\nx"))
    fences = notebooks.parse("n.ipynb", text)[0].fences
    assert [fence.language for fence in fences] == ["python", "text"]
    assert [bool(fence.problem) for fence in fences] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"cells": 3}',
        "{",
        '{"nbformat": 3, "worksheets": []}',
        '{"nbformat": 4, "cells": [{}]}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}',
    ],
)
def test_what_is_no_notebook_is_a_clear_fault(text: str) -> None:
    source, labs, [fault] = notebooks.parse("n.ipynb", text)
    assert (source.prose, labs) == ((), [])
    assert str(fault).startswith("n.ipynb:1: notebook: it")
    assert notebooks.explain("n.ipynb", text, ValueError("bad")).message == fault.message


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


def code_cell(*outputs: str, kind: str = "text/plain") -> str:
    areas = "".join(
        f'<div class="jp-OutputArea-output" data-mime-type="{kind}"><pre>{output}</pre></div>'
        for output in outputs
    )
    opening = '<div class="jp-Cell jp-CodeCell jp-Notebook-cell">'
    return f"{opening}{opening}{areas}</div></div>"


LAB = notebook(
    cell("markdown", "# A lab"), cell("code", "print(1)"), cell("code", ""), cell("code", "print(2)")
)


@pytest.mark.parametrize(
    ("shown", "printed", "number", "message"),
    [
        (["1", "", "2"], "1\n2\n", 0, ""),
        (["1\n", "", "2 \n\n"], "1\n\n2\n", 0, ""),
        (["a &lt; b", "", "2"], "a < b\n2\n", 0, ""),
        (["1", "", "3"], "1\n2\n", 4, "the page shows '3', its run as a program printed '2'"),
        (["0", "", "2"], "1\n2\n", 2, "the page shows '0', its run as a program printed '1'"),
        (["1", "9", "2"], "1\n2\n", 3, "the page shows '9', its run as a program printed '2'"),
        (["1", "", "2\n3"], "1\n2\n", 4, "the page shows '3', its run as a program printed nothing more"),
        (["1", "", ""], "1\n2\n", 4, "the page shows nothing more, its run as a program printed '2'"),
    ],
)
def test_a_page_shows_what_the_notebook_printed_as_a_program(
    shown: list[str], printed: str, number: int, message: str
) -> None:
    text_cell = '<div class="jp-Cell jp-MarkdownCell"><div data-mime-type="text/markdown">prose</div></div>'
    html = text_cell + "".join(code_cell(*([output] if output else [])) for output in shown)
    faults = notebooks.unapproved_in("n.ipynb", LAB, html, printed)
    assert [(fault.kind, fault.subject, fault.message) for fault in faults] == (
        [("cell-differs", f"cell {number}", message)] if message else []
    )
    for fault in faults:
        assert fault.line == notebooks.cells(LAB)[number - 1].line


def test_what_streams_and_results_show_is_compared_and_what_errors_say_is_not() -> None:
    html = code_cell("1", kind="application/vnd.jupyter.stdout") + code_cell("careful", kind=notebooks.STDERR)
    assert notebooks.unapproved_in("n.ipynb", LAB, html, "1\n") == []
    assert notebooks.unapproved_in("n.ipynb", LAB, html, "")
