"""What the press reads of a notebook without running it, and what it says when a run fails."""

import json

import pytest

from coursebuild import notebooks
from coursebuild.faults import Fault
from coursebuild.source import Source


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
    assert (source, labs) == (Source((), ()), [])
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
        (["a b", "", "2"], "a  b\n2\n", 2, "the page shows 'a b', its run as a program printed 'a  b'"),
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
        assert fault.place == f"n.ipynb:{notebooks.cells(LAB)[number - 1].line}"


def test_what_streams_and_results_show_is_compared_and_what_errors_say_is_not() -> None:
    html = code_cell("1", kind="application/vnd.jupyter.stdout") + code_cell("careful", kind=notebooks.STDERR)
    assert notebooks.unapproved_in("n.ipynb", LAB, html, "1\n") == []
    assert notebooks.unapproved_in("n.ipynb", LAB, html, "")


def told(found: list[Fault]) -> list[str]:
    """What an author is told of each fault: kind, place, subject and message."""
    return [f"{fault.kind} {fault.place} {fault.subject}: {fault.message}" for fault in found]


def test_a_cell_has_its_kind_text_line_and_what_is_said_of_it() -> None:
    text = (
        '{"nbformat": 4, "cells": [\n'
        ' {"cell_type": "markdown", "source": ["a\\n", "b"]},\n'
        '\n {\n  "source": "c", "cell_type" : "code", "metadata": {"tags": ["x", 3]}, "outputs": [{}]},\n'
        ' {"cell_type": "code", "source": [], "metadata": {"tags": null}, "outputs": []}\n]}'
    )
    assert [found.line for found in notebooks.cells("\n" + text)] == [3, 6, 7]
    assert notebooks.cells(text) == [
        notebooks.Cell("markdown", "a\nb", 2, frozenset(), False),
        notebooks.Cell("code", "c", 5, frozenset({"x", "3"}), True),
        notebooks.Cell("code", "", 6, frozenset(), False),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"nbformat": 3, "worksheets": []}', "its format is 3; save it in format 4"),
        ('{"nbformat": "4", "cells": []}', "its format is '4'; save it in format 4"),
        ("{}", "it is no notebook: KeyError: 'nbformat'"),
        ('{"nbformat": 4, "cells": [{}]}', "it is no notebook: KeyError: 'cell_type'"),
        ('{"nbformat": 4, "cells": ["x"]}', "it is no notebook: TypeError: string indices must be integers, not 'str'"),
        ('{"nbformat": 4, "cells": [{"cell_\\u0074ype": "code", "source": ""}]}', "it is no notebook: IndexError: list index out of range"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "metadata": []}]}', "it is no notebook: AttributeError: 'list' object has no attribute 'get'"),
    ],
)  # fmt: skip
def test_why_a_file_is_no_notebook(text: str, message: str) -> None:
    expected = [f"notebook-unreadable n.ipynb:1 notebook: {message}"]
    assert told(notebooks.parse("n.ipynb", text)[2]) == expected
    assert told([notebooks.explain("n.ipynb", text, ValueError("bad"))]) == expected


def test_what_a_code_cell_may_not_be_is_refused_at_its_line() -> None:
    refused = cell(
        "code",
        ["%time x\n", GOOD + "\n", "  !ls"],
        outputs=[{"output_type": "stream", "text": "x"}],
        metadata={"tags": ["x", "skip-execution", "hide_cell"]},
    )
    text = notebook(cell("markdown", "# A lab"), refused)
    lines = text.split("\n")
    start = lines.index('   "cell_type": "code",') + 1
    first, last = (next(n for n, line in enumerate(lines, 1) if part in line) for part in ("%time", "!ls"))
    [lab] = notebooks.parse("n.ipynb", text)[1]
    assert lab.code == f"\n{GOOD}\n\n", "what is no Python is left out, and lines keep their places"
    assert told(faults(text)) == [
        f"cell-with-outputs docs/labs/n.ipynb:{start} cell 2: it has outputs stored in the file; clear them, the build runs the cell",
        f"cell-tag docs/labs/n.ipynb:{start} cell 2: the tag hide_cell would let it pass without a run, or hide what it showed",
        f"cell-tag docs/labs/n.ipynb:{start} cell 2: the tag skip-execution would let it pass without a run, or hide what it showed",
        f"cell-not-python docs/labs/n.ipynb:{first} cell 2: '%time x' is no Python: a cell is what a script could be",
        f"cell-not-python docs/labs/n.ipynb:{last} cell 2: '!ls' is no Python: a cell is what a script could be",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "tag",
    [
        "skip-execution",
        "raises-exception",
        "hide-output",
        "hide_output",
        "remove_output",
        "remove_cell",
        "hide_cell",
    ],
)
def test_no_tag_may_hide_a_cell(tag: str) -> None:
    [fault] = faults(notebook(cell("code", GOOD, metadata={"tags": [tag]})))
    assert fault.message.startswith(f"the tag {tag} ")


def test_a_lab_is_named_by_its_file_and_has_its_cells_lines() -> None:
    text = notebook(
        cell("markdown", "# A lab"), cell("code", ["import os\n", "os"]), cell("code", GOOD.split("\n")[0])
    )
    _, [lab], _ = notebooks.parse("docs/labs/My 2nd Lab!.ipynb", text)
    assert isinstance(lab, notebooks.Lab)
    assert (lab.ident, lab.title, lab.path, lab.line, lab.subject) == (
        "lab-my-2nd-lab-.1",
        "my 2nd lab!",
        "docs/labs/My 2nd Lab!.ipynb",
        1,
        "notebook",
    )
    rows = text.split("\n")
    at = [next(n for n, row in enumerate(rows, 1) if part in row) for part in ("import os", '"os"', "from n")]
    assert lab.code == "import os\nos\n\nfrom nextword.checks import check\n"
    assert lab.lines == ((2, at[0]), (2, at[1]), (2, at[1]), (3, at[2]), (3, at[2]))
    assert [lab.line_at(line) for line in (0, 1, 2, 5, 6)] == [1, at[0], at[1], at[2], 1]
    path, ident = lab.path, lab.ident
    assert [lab.fault("panel-raises", "x", line, "y") for line in (0, 1, 5, 6)] == [
        Fault("panel-raises", path, 1, "notebook", "x", "y", ident),
        Fault("panel-raises", path, at[0], "cell 2", "x", "y", ident),
        Fault("panel-raises", path, at[2], "cell 3", "x", "y", ident),
        Fault("panel-raises", path, 1, "notebook", "x", "y", ident),
    ]
    assert notebooks.Lab("lab-n.1", "n", "", "n.ipynb", 1).line_at(1) == 1
    assert lab.fault("panel-raises", "x") == Fault("panel-raises", path, 1, "notebook", "x", "", ident)


def test_a_notebook_without_code_is_a_page_without_a_panel() -> None:
    text = notebook(cell("markdown", "a"), cell("code", " \n"), cell("markdown", "b\rc"))
    source, panels, found = notebooks.parse("n.ipynb", text)
    assert ([line.text for line in source.prose], panels, found) == (["a", "b", "c"], [], [])
    assert source.prose[1].number == source.prose[2].number, "the file has both in one line"


def test_text_cells_may_quote_the_inputs_of_the_code_and_have_front_matter() -> None:
    code = "text = 'in 2020'\n" + GOOD
    assert typed(notebook(cell("markdown", "`2020`"), cell("code", code))) == []
    [(_, number)] = typed(notebook(cell("markdown", "`2021`"), cell("code", code)))
    assert number == "2021"
    text = notebook(cell("markdown", ["---\n", "title: 40\n", "---\n", "x"]), cell("code", GOOD))
    [(line, number)] = typed(text)
    assert (number, text.split("\n")[line - 1].strip()) == ("40", '"title: 40\\n",')


@pytest.mark.parametrize("escaped", [True, False])
def test_lines_are_found_however_the_file_writes_them(escaped: bool) -> None:
    cells = [cell("code", ["é = 1\n", 'x = "é"\n', "é"]), cell("markdown", 'é\n"b"')]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=escaped)
    rows, [code, prose] = text.split("\n"), notebooks.cells(text)
    first = next(n for n, row in enumerate(rows, 1) if " = 1" in row)
    assert [*notebooks.rows_of(code, rows)] == [first, first + 1, first + 2]
    whole = next(n for n, row in enumerate(rows, 1) if "b" in row and "\\n" in row and n > first + 2)
    assert [*notebooks.rows_of(prose, rows)] == [whole, whole]


def test_a_line_that_the_file_writes_in_another_way_is_placed_at_the_one_before() -> None:
    text = '{"nbformat": 4, "cells": [{"cell_type": "code",\n"source": ["a = 1\\n",\n"\\u0062"]}]}'
    [code] = notebooks.cells(text)
    assert [*notebooks.rows_of(code, text.split("\n"))] == [2, 2]


@pytest.mark.parametrize(
    ("error", "subject", "message"),
    [
        (CellError("while executing\n1 / 0\n"), "cell 3", "ZeroDivisionError: division by zero"),
        (ValueError("1 / 0"), "cell 3", "ValueError: 1 / 0"),
        (ValueError("# A lab"), "notebook", "ValueError: # A lab"),
        (TimeoutError("too long"), "notebook", "TimeoutError: too long"),
    ],
)
def test_an_error_of_a_run_is_told_at_the_cell_that_it_quotes(
    error: Exception, subject: str, message: str
) -> None:
    text = notebook(cell("markdown", "# A lab"), cell("code", "\n"), cell("code", "1 / 0\n"))
    place = notebooks.cells(text)[2].line if subject == "cell 3" else 1
    assert told([notebooks.explain("n.ipynb", text, error)]) == [
        f"cell-raises n.ipynb:{place} {subject}: {message}"
    ]


def test_the_outputs_of_a_page_are_told_apart() -> None:
    shown = (
        '<div><div class="jp-MarkdownCell"><div data-mime-type="text/plain">no code</div></div></div>'
        + code_cell("a &amp; b", "c<span>d</span><div>e</div>f")
        + code_cell("g", kind="image/png")
        + code_cell("h", kind="application/vnd.jupyter.stdout")
        + '<div class="x"><div data-mime-type>i</div></div><p data-mime-type="text/plain">j</p>'
        + code_cell("k", kind=notebooks.STDERR)
        + f'<div class="jp-CodeCell"><div>In</div>{code_cell("l")}</div>'
        + code_cell("m")
    )
    assert notebooks.outputs_of(shown) == [
        (0, "text/plain", "no code"),
        (1, "text/plain", "a & b"),
        (1, "text/plain", "cdef"),
        (3, "application/vnd.jupyter.stdout", "h"),
        (4, "application/vnd.jupyter.stderr", "k"),
        (5, "text/plain", "l"),
        (6, "text/plain", "m"),
    ]


def test_what_stderr_got_is_cut_to_what_a_message_can_hold() -> None:
    html = code_cell("\n" + "x" * 600 + "\n", kind=notebooks.STDERR)
    assert told(notebooks.stderr_of("n.ipynb", html)) == [
        f"output-on-stderr n.ipynb:1 notebook: output on stderr: {'x' * 500}"
    ]


def test_the_scripts_styles_and_copy_buttons_of_the_converter_go() -> None:
    html = (
        "a<script src='x'>\ny\n</script>b<STYLE>z</STYLE >c"
        '<div class="zeroclipboard-container">\n<clipboard-copy>x</clipboard-copy>\n</div>d'
        '<div class="clipboard-copy-txt" id="x">\ny</div>e'
        '<div class="highlight-ipynb hl-python"><pre><span></span>x = 1\ny\n</pre></div>'
        '<div class="highlight-ipynb"><pre><span></span>z</pre></div><scripted>f</scripted>'
    )
    assert notebooks.without_additions(html) == (
        "abcde"
        '<div class="highlight-ipynb hl-python"><pre><span></span><code>x = 1\ny\n</code></pre></div>'
        '<div class="highlight-ipynb"><pre><span></span><code>z\n</code></pre></div><scripted>f</scripted>'
    )
