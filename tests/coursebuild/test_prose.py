"""What an author may type: no number that a run could contradict, wherever it hides, and no reference that lies."""

import markdown
import pytest

from coursebuild import numbers, prose
from coursebuild.faults import Fault, Unfit
from coursebuild.prose import Given, Reference, references, without_comments
from coursebuild.source import Line, read

pytestmark = pytest.mark.once


def refused(text: str, *inputs: str) -> list[tuple[int, str]]:
    """Line and number of each number that is refused."""
    faults = prose.lint("page.md", read(text), set(inputs))
    return [(fault.line, fault.message.split("'")[1]) for fault in faults if "typed by hand" in fault.message]


@pytest.mark.parametrize(
    "text",
    [
        "**3** things", "a*3*b", "<b>3</b>", "t**w**o", "fi*ve*", "<b>th</b>ree", "~~th~~ree", "&#51; things", "&#x33;", "&frac12;",
        "th\u200bree", "th&#8203;ree", "th&shy;ree", "&nbsp;3", "_3_", "__3__", "3 < 4", "<td>3</td>",
        "![9 cats](a.png)", '![x](y "9 cats")', "[x](y '3 things')", "[3 things](y)", "[x][3]", "[note](40 tokens)", '[x]: y "3 things"',
        '<abbr title="9 cats">x</abbr>', "<img alt='9 cats' src=x>", "<i TITLE=9>x</i>", '<p\ntitle="3 cats">x</p>', '<i aria-description="3">x</i>',
        "x[^1]\n\n[^1]: 3 things", "x[^1]\n\n[^1]:\n    3 things", "Term\n:   3 things", "*[BPE]: a 3 letter name", "# A heading of 3",
        '# Heading { #x title="9 cats" }', '{: .x title="9 cats" }', "para {.x costs 40}", "{#3 tokens}",
        "`3`", "`40 tokens`", "``4``", "`cost = 40`", "`learn(rounds=40)`", "`a[40]`", "`gives (about) 40`", "`twice`", "`6.67`",
        "1. first 3", "- 3. x", "10) x", "It costs\n40. Then more", "X\n40. Then more", "a\n\nIt costs\n40. Then more", "> It costs\n> 40. Then more",
        "- a\n\n    It costs\n    40. Then",
        "!!! note \"3 things\"", '??? question "Why 3?"', '=== "3 tabs"', "::: 3 things", "| a | 3 |\n|---|---|\n| b | c |",
        "---\ntitle: 3 things\n---\nx", "---\ndescription: x # 3\n---\nx", "---\nno end 3", "\n---\ntitle: 3\n---",
        "a\r\n3\r\nb", "a\x0b3", "a\u20283", "    3 indented", "\t3",
        '```text title="3 things"\nx\n```', '```drawing draw="x" panel="1.1"\nA caption of 3.\n```', '```instrument kind="x"\nA caption of 3.\n```',
        "```text\nthe output is 3\n```", "```console\n$ make\n3\n```", "```\nthree tokens\n```", "> ```console\n> a\nmeasured: 3\n> ```",
        "[x]: 40 tokens", "    [x]: y 40", "`tokens/40`", "`cost/2`", "`ratio.40`", "`x.y/2`", "`x[0]`", "`k = 3`",
        "[[17.1.x]] and 3", "[[two|why]] and 3", "[[3]]", "[[17.1]] 3", "https://example.org/3",
    ],
)  # fmt: skip
def test_a_typed_number_is_refused_wherever_it_hides(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- 3 -->", "a <!-- 3 --> b", "<!-- 3\n4 -->", "<!-- a\n\n3\n\n-->", "1. first\n2. second", "- a\n40. b", "# H\n1. a", "!!! note\n    1. a",
        "> 1. a\n> 2. b", "> a\n>\n> 1. b", "[x](y/3)", "![x](a3.png)", "[x]: y3", "<https://example.org/3>", "{ #part-3 .x2 data-n=3 }", "x[^3]", "[^3]: y",
        "[[17.1.total:.3f]]", "[[17.1.x3]]", "[[two|a definition of 2]]", "::: nextword.bpe", '<i data-n="3" class="c3">x</i>', "`cl100k_base`, `x_3`", "`src/nextword/bpe.py:12`, `docs/17-tokens.ipynb`, `../x/lib3.rs`",
        "```console\n$ make serve PORT=8000\n```", "```console\n> say 3\n```", "```markdown\n3 things\n```", "<!-- 3 --> `a`", "_lesson 17_ and __GPT-2__", "`README.md:12`", "one thing", "Panel 17.1 of lesson 17", "",
    ],
)  # fmt: skip
def test_what_is_no_claim_passes(text: str) -> None:
    assert refused(text) == []


def test_the_line_of_a_refused_number_is_its_own() -> None:
    text = "---\ntitle: 2\n---\n\n# 3\n\n```text\n4\n```\n\n<!-- 9\n9 -->\n5\n"
    assert refused(text) == [(5, "3"), (13, "5"), (2, "2"), (8, "4")]
    assert refused("a\n\n1. It costs 40") == [(3, "40")]


@pytest.mark.parametrize(
    "text",
    [
        "`<!--` costs 40 tokens `-->`", "text <!-- a\n\nIt costs 40\n\n-->", "    <!-- a\n\n    40\n\n    -->", "!!! note\n\n    <!-- a\n\n    40\n\n    -->",
        "- x <!-- a\n- 40 tokens\n- -->", "<!-- never closed\n\n40", "<!--> 40 -->", "<!-- a\n--> 40 -->", "<!-- a --> 40\n-->", "x `<!-- 40 -->`", "text <!-- a\nIt costs 40\n-->",
    ],
)  # fmt: skip
def test_only_what_markdown_takes_for_a_comment_is_one(text: str) -> None:
    assert refused(text) == [(text[: text.index("40")].count("\n") + 1, "40")]


@pytest.mark.parametrize("text", ["<!-- a\n\n40\n\n-->", "a <!-- 40 --> b", "<!-- 40\n-->\n\nx"])
def test_markdown_hides_a_comment_that_we_hide(text: str) -> None:
    shown = prose.COMMENT.sub("", markdown.markdown(text).replace("\n", " "))
    assert "40" not in shown
    assert refused(text) == []


def test_comments_keep_columns_and_line_numbers() -> None:
    lines = [Line(4, "a <!-- 3 --> b"), Line(5, "<!--"), Line(7, "3"), Line(8, "--> c")]
    shown = without_comments(lines)
    assert [line.number for line in shown] == [4, 5, 7, 8]
    assert [line.text for line in shown] == ["a " + " " * 10 + " b", "    ", " ", "    c"]


def test_inline_code_may_quote_an_input_of_a_panel_and_nothing_near_it() -> None:
    assert refused("`2020` and `100`", "2020", "100") == []
    assert refused("`2020 tokens`", "2020") == []
    assert refused("2020", "2020") == [(1, "2020")]
    assert refused("`202`", "2020") == [(1, "202")]
    assert refused("`6.67`", "6", "67") == [(1, "6.67")]
    assert refused("`two cats`", "cats") == [(1, "two")]
    assert refused("`two cats`", "two") == []


@pytest.mark.parametrize(
    ("spec", "value", "shown"),
    [
        ("", 6, "6"), ("", "a b", "a b"), (".2f", 6.6667, "6.67"), (",", 12345, "12,345"), (".1%", 0.5, "50.0%"), ("words", 2, "two"), ("+d", 3, "+3"),
        ("02x", 10, "0a"), ("words", 20, "20"), ("", True, "True"),
    ],
)  # fmt: skip
def test_a_figure_is_written_as_its_format_says(spec: str, value: object, shown: str) -> None:
    assert Reference(1, 0, 0, "1.1", "x", spec).written(value) == shown


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("9>4", 6),
        ("4<2", 6),
        ("*^9", "a"),
        (".1s", "64"),
        (".1", "64"),
        ("c", 54),
        (".2f", "x"),
        (".2q", 1.5),
        ("", [1]),
        ("", {}),
        ("words ", 2),
        ("n", 1),
    ],
)
def test_a_format_cannot_add_or_cut_digits(spec: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"cannot be written as|no one form"):
        Reference(1, 0, 0, "1.1", "x", spec).written(value)


@pytest.mark.parametrize(
    ("spec", "value"),
    [(".0f", 0.4), (".2f", -0.001), (".0%", 0.004), (".1f", 0.04), ("", "a\nb"), ("", "a\u2028b")],
)
def test_a_value_is_not_written_as_zero_or_on_lines(spec: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"which it is not|more than one line"):
        Reference(1, 0, 0, "1.1", "x", spec).written(value)


def test_zero_is_written_as_zero() -> None:
    assert Reference(1, 0, 0, "1.1", "x", ".2f").written(0.0) == "0.00"
    assert Reference(1, 0, 0, "1.1", "x", "x").written(10) == "a"
    assert Reference(1, 0, 0, "1.1", "x", "X").written(10) == "A"


def test_inline_code_quotes_no_backtick() -> None:
    plain, code = references(Line(1, "[[1.1.x]] and `y [[1.1.x]]`"))
    assert isinstance(plain, Reference)
    assert isinstance(code, Reference)
    assert plain.written("a`b") == "a`b"
    with pytest.raises(ValueError, match="backtick"):
        code.written("a`b")


@pytest.mark.parametrize(
    "text",
    [
        "[[1.1.x]]%", "[[1.1.x]]k", "-[[1.1.x]]", "\u2212[[1.1.x]]", ".[[1.1.x]]", "3.[[1.1.x]]", "[[1.1.x]]e[[1.1.y]]", "[[1.1.x]][[1.1.y]]", "[[1.1.x]].[[1.1.y]]",
        "[[1.1.x]],[[1.1.y]]", "[[1.1.x]]-[[1.1.y]]", "[[1.1.x]]-3", "[[1.1.x]].5", "1[[1.1.x]]", "**[[1.1.x]]**%", "[[1.1.x]]<b>k</b>", "[[1.1.x]]&#37;", "[[1.1.x]]\\%",
        "`[[1.1.x]]`k", "`[[1.1.x]]k`", "[[two|a definition]]k", "[[1.1.x]]²", "[[1.1.x:.0f]]{.y}k", "[[1.1.x]]\u200bk", "-**[[1.1.x]]**", "[[1.1.x]]th", "~~[[1.1.x]]~~GB",
    ],
)  # fmt: skip
def test_a_figure_touches_no_other_number(text: str) -> None:
    assert any(
        "touches its neighbour" in fault.message
        for fault in prose.malformed("p.md", Line(1, f"It is {text} here"))
    )


@pytest.mark.parametrize(
    "text",
    [
        "[[1.1.x]].", "[[1.1.x]], then", "a [[1.1.x]]-token prompt", "[[1.1.x]] %", "[[1.1.x]] + [[1.1.y]] = [[1.1.z]]", "[[1.1.x]]\u2013[[1.1.y]]", "[[1.1.x]]/[[1.1.y]]", "([[1.1.x]])",
        "**[[1.1.x]]** times", "_[[1.1.x]]_", "$[[1.1.x]]", "[[1.1.x]]×", "| [[1.1.x]] | [[1.1.y]] |", "|[[1.1.x]]|[[1.1.y]]|", '"[[1.1.x]]"', "[[1.1.x]]:", "[[1.1.x]][^1]", "[[1.1.x:.0f]]{.y} then", "[[1.1.x]]\\) then", "of the formulas $b[[1.1.x]]c$ $d[[1.1.y]]e$", "[[[1.1.x]][^1] b](c)", "`k=[[1.1.x]]`",
    ],
)  # fmt: skip
def test_a_figure_stands_in_ordinary_punctuation(text: str) -> None:
    assert prose.malformed("p.md", Line(1, text)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[we beat everyone|a definition]]", "is no number"),
        ("[[tokens|a definition]]", "is no number"),
        ("[[two or three words|a definition]]", "is no number"),
        ("[[two|why]]", "is no reason"),
        ("[[two| x ]]", "is no reason"),
    ],
)
def test_a_given_number_is_one_and_has_a_reason(text: str, message: str) -> None:
    assert [message in fault.message for fault in prose.malformed("p.md", Line(1, text))] == [True]
    assert (
        prose.malformed("p.md", Line(1, "[[two|a definition]] and [[a half dozen|as the word says]]")) == []
    )


def test_references_are_found_with_their_columns() -> None:
    line = Line(3, "a [[17.1.total:.1f]] b [[two|a definition]] c [[softmax.1.x]]")
    found = list(references(line))
    assert found == [
        Reference(3, 2, 20, "17.1", "total", ".1f"),
        Reference(3, 46, 61, "softmax.1", "x", ""),
        Given(3, 23, 43, "two", "a definition"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[[total]]",
        "[[17.1.total-sum]]",
        "[[17.1.x",
        "[[3|]]",
        "[[|3]]",
        "[[a|b|c]]",
        "[[ 17.1.x ]]",
        "[[17.1.x:[a]]]",
    ],
)
def test_double_brackets_that_mean_nothing_are_refused(text: str) -> None:
    assert prose.malformed("page.md", Line(7, text))[0].place == "page.md:7"


def test_double_brackets_in_inline_code_are_code() -> None:
    assert prose.malformed("page.md", Line(1, "`[[17.1.name]` and [[17.1.name]]")) == []


@pytest.mark.parametrize(
    "text", ["---\ntitle: x [[1.1.total]]\n---\n", '```python exec="on" id="1.1" title="[[40|why]]"\n```']
)
def test_titles_and_front_matter_quote_nothing(text: str) -> None:
    assert [fault.message for fault in prose.lint("page.md", read(text), set())] == [
        "front matter and titles cannot quote a figure"
    ]


def test_the_hint_names_the_number() -> None:
    fault = prose.lint("page.md", read("It costs 40."), set())[0]
    assert "[[40|" in fault.hint
    assert "'40'" in fault.message


def test_every_word_is_refused_in_a_sentence() -> None:
    for word in numbers.WORDS:
        assert refused(f"It is {word} as large.") == [(1, word)]


def said(text: str) -> list[tuple[int, str]]:
    """Line and message of each fault that is no typed number."""
    return [
        (fault.line, fault.message)
        for fault in prose.lint("page.md", read(text), set())
        if "typed by hand" not in fault.message
    ]


@pytest.mark.parametrize(
    "body",
    [
        ">>> total\n",
        "x\n  >>> total",
        "import os",
        "x = f(y)\nprint(x)",
        "def f():\n    pass",
        "class A: ...",
        "  from a import b\n  b",
        "x += len(y)",
        "for a in b:\n    c = f(a)",
    ],
)
@pytest.mark.parametrize("language", ["", "text"])
def test_python_that_is_not_run_is_refused(body: str, language: str) -> None:
    assert said(f"Prose\n\n```{language}\n{body}\n```\n") == [(3, "Python that is not run")]


@pytest.mark.parametrize(
    "body",
    [
        "low + er",
        "low lower",
        "a = b",
        "loss = -log p",
        "f(x)",
        "total",
        "x -> y = f(x)",
        "",
        "{ a: [b] }",
    ],
)
def test_text_is_no_python(body: str) -> None:
    assert said(f"```text\n{body}\n```\n") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<pre>x</pre>", 1), ("a\n\n<script>x</script>", 3), ("<STYLE>", 1), ("<iframe src=x>", 1), ("<template>", 1), ("<p hidden>x</p>", 1), ("<p\nhidden>x</p>", 1), ("<p class=x hidden=''>", 1),
        ('<iframe srcdoc="x">', 1), ('<p onclick="x()">', 1), ("<img onerror=x src=y>", 1), ("# H {: hidden=1 }", 1), ('x { onclick="y" }', 1), ("\n<pre>", 2), ("> <pre>", 1), ("text <b>x</b> <pre>", 1),
        ('<li class="claim">x</li>', 1), ("<span class='x claim__mark'>x</span>", 1), ("<p class=panel>x</p>", 1), ('<li class="cl&#97;im">x</li>', 1), ('<p id="a" CLASS="Ledger__count">x', 1), ("a\n{: .claim--held }", 2), ("x{ #y .z .bound }", 1), ('x{: class="z menu" }', 1),
    ],
)  # fmt: skip
def test_html_that_hides_or_imitates_is_refused(text: str, line: int) -> None:
    assert [(number, "HTML that hides" in message) for number, message in said(text)] == [(line, True)]


@pytest.mark.parametrize(
    "text",
    [
        "`<pre>`",
        "<!-- <pre> -->",
        "<p>hidden</p>",
        '<div class="claimant panel-like my-panel">panel</div>',
        '<div title="claim" class="x">claim</div>',
        '<div class="x" title="a &amp; b">x</div>',
        "x{ .md-button } and a claim.",
        "<abbr title='hidden on purpose'>x</abbr>",
        "one = two",
        "a < b hidden > c",
        "<div markdown class=x>",
        "```markdown\n<pre>\n```",
        "{ .hidden-x data-on=y }",
        "<presto>",
        "<a href=x>once = twice",
    ],
)
def test_other_html_passes(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("Prose\n\n    total = f()", 3), ("\tx", 1), ("# H\n\n    a\n    b", 3), ("- a\n\nb\n\n    c", 5), ("```text\na\n```\n    x", 4), ("> a\n\n    b", 3), ("!!! note\n\n    a\n\nb\n\n     c", 7)],
)  # fmt: skip
def test_code_by_indentation_is_refused(text: str, line: int) -> None:
    assert said(text) == [(line, "a block of code by indentation alone")]


@pytest.mark.parametrize(
    "text",
    [
        "- a\n\n    b", "1. a\n\n    b\n\n    c", "- a\nlazy\n\n    b", "!!! note\n\n    a\n\n    b", '??? question "Q"\n\n    a', "[^1]:\n    a\n\n    b", "Term\n:   a\n\n    b",
        "a\n    b", '=== "Tab"\n\n    a', "::: nextword.bpe\n    options:\n      a: b", "- a\n\n    - b\n\n        c", "<!--\n\n    x\n\n-->", "- a\n\n    ```text\n    x\n    ```\n\n    b",
    ],
)  # fmt: skip
def test_an_indented_block_belongs_to_what_stands_above_it(text: str) -> None:
    assert said(text) == []


def told(faults: list[Fault]) -> list[str]:
    """What an author is told of each fault: kind, place, subject, message and what to do."""
    return [
        f"{fault.kind} {fault.place} {fault.subject}: {fault.message} -> {fault.hint}" for fault in faults
    ]


QUOTE = "quote a figure of a panel, [[17.1.name]], or say why none is needed: "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It costs 40.",
            "number-typed page.md:4 prose: the number '40' is typed by hand, so a run could contradict it -> "
            + QUOTE + "[[40|the reason]]",
        ),
        (
            "```text\nshown\n40\n```",
            "number-typed page.md:6 prose: the number '40' is typed by hand, so a run could contradict it -> "
            "show it as the output of a panel",
        ),
        (
            "```\nimport os\n```",
            "python-unlabelled page.md:4 code block: Python that is not run -> "
            "make it a panel, or show it as a command of a block of console",
        ),
        (
            "```text\nimport os\n```",
            "python-unlabelled page.md:4 text block: Python that is not run -> "
            "make it a panel, or show it as a command of a block of console",
        ),
        (
            "x\n<pre>",
            "html-hides page.md:5 prose: HTML that hides or imitates what was run: pre -> "
            "write Markdown; what a program prints is the output of a panel",
        ),
        (
            '```drawing draw="x"\n<pre>\n```',
            "html-hides page.md:5 prose: HTML that hides or imitates what was run: pre -> "
            "write Markdown; what a program prints is the output of a panel",
        ),
        (
            "    indented",
            "code-by-indentation page.md:4 prose: a block of code by indentation alone -> "
            "write a panel, or a block of text",
        ),
        (
            "## Of $x$",
            "formula-misplaced page.md:4 formula: a formula in a heading, a title, an address or a tag: "
            "it would not be shown as one -> say it in words there",
        ),
        (
            "Of $x = 40$",
            "formula-number-typed page.md:4 formula: the number '40' is typed by hand into a formula, "
            "so a run could contradict it; a formula may have 0, 1, 2 -> ",
        ),
        (
            "| a | $|x|$ |",
            "formula-bar page.md:4 formula: a bar in a formula ends the cell of a table -> "
            r"write \mid or \lvert … \rvert",
        ),
        (
            "a $|x|$ b\n\n> | a | $x$ | $|x|$ |",
            "formula-bar page.md:6 formula: a bar in a formula ends the cell of a table -> "
            r"write \mid or \lvert … \rvert",
        ),
        (
            "It is $ alone",
            "dollar-alone page.md:4 formula: '$' begins no formula that Markdown reads, so it would be shown as it is -> "
            r"write $p(w)$ on one line, apart from words and figures; \$ is a dollar",
        ),
        (
            '```drawing title="[[1.1.x]]"\nx\n```',
            "title-with-figure page.md:4 prose: front matter and titles cannot quote a figure -> "
            "say it without the number",
        ),
        (
            '```drawing title="Of $x$"\nx\n```',
            "title-with-formula page.md:4 prose: front matter and titles cannot have a formula -> say it in words",
        ),
    ],
)  # fmt: skip
def test_a_refusal_of_prose_says_where_what_and_what_to_do(text: str, expected: str) -> None:
    assert told(prose.lint("page.md", read(f"# A page\n\n\n{text}\n"), set())) == [expected]


@pytest.mark.parametrize(
    ("text", "misplaced"),
    [
        ("# Of $x$", True), ("!!! note \"$x$\"", True), ("*[x]: $x$", True), ("[x]: $x$", True), ("![$x$](y.png)", True), ("[x]($x$)", True), ('<b title="$x$">', True), ('<B title="$x$">', True), ("{: title=\"$x$\" }", True),
        ("![a $x] b$ c", True), ("$x ![y$ z]", True),
        ("$x$", False), ("[$x$](y)", False), ("![a](b) and $x$", False), ("$x$![a](b)", False), ("<b>$x$</b>", False), ("$p <q>$", False), ("[^1]: $x$", False), ("> - $x$", False),
    ],
)  # fmt: skip
def test_a_formula_stands_where_markup_may_stand(text: str, misplaced: bool) -> None:
    faults = prose.lint("page.md", read(text), set())
    assert ("formula-misplaced" in [fault.kind for fault in faults]) == misplaced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a [[1.1.x]]% b",
            "figure-touches page.md:7 prose: a figure touches its neighbour, '[[…]]%', which makes another number of it -> "
            "put a space between, or use a format: [[17.1.name:.0%]]",
        ),
        (
            "[[ tokens |a definition]]",
            "given-no-number page.md:7 prose: 'tokens' is given with a reason, but is no number -> "
            "it takes at most three words, one of them a number",
        ),
        (
            "[[two| why ]]",
            "given-no-reason page.md:7 prose: 'why' is no reason for which 'two' needs no panel -> "
            "the ledger prints it: say it in a few words",
        ),
        (
            "see `[[a]]`, [[1.1.x]], [[two|a definition]] and [[total]], [[other]]",
            "brackets-unreadable page.md:7 prose: cannot read [[total]] -> "
            "write [[17.1.name]] or [[17.1.name:.2f]] for a figure, [[number|reason]] for a given number",
        ),
        (
            "[[1.1.x]] and [[a `b` [[1.1.x]]",
            "brackets-unreadable page.md:7 prose: cannot read [[a `b` [[1.1.x]] -> "
            "write [[17.1.name]] or [[17.1.name:.2f]] for a figure, [[number|reason]] for a given number",
        ),
        (
            "[panel 17.1](x.md#panel-17.2)",
            "link-misleads page.md:7 link: the link says panel 17.1 and leads to panel 17.2 -> ",
        ),
    ],
)  # fmt: skip
def test_what_double_brackets_and_links_get_wrong_is_told(text: str, expected: str) -> None:
    assert told(prose.malformed("page.md", Line(7, text))) == [expected]


@pytest.mark.parametrize(
    ("spec", "value", "kind", "message"),
    [
        (
            "9>4", 6, "figure-format",
            "6 cannot be written as '9>4': a format of Python without fill, such as .2f",
        ),
        (".1", "64", "figure-format", "'64' cannot be written as '.1', which would cut it"),
        (
            "", [1], "figure-format-missing",
            "a list or dict has no one form in prose; name a figure for the value that you quote",
        ),
        ("", 1.5, "figure-format-missing", "a float needs a format: [[1.1.x:.2f]]"),
        (
            ".2f", "x", "figure-format",
            "'x' cannot be written as '.2f', which would cut it",
        ),
        ("d", "x", "figure-format", "'x' cannot be written as 'd': Unknown format code 'd' for object of type 'str'"),
        (".2f", 0.001, "figure-format", "0.001 written as '.2f' would be 0.00, which it is not"),
        ("", "a\nb", "figure-unquotable", r"'a\nb' is more than one line, which prose cannot quote"),
        ("", "a`b", "figure-unquotable", "'a`b' has a backtick, which inline code cannot show"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_written_says_why(spec: str, value: object, kind: str, message: str) -> None:
    with pytest.raises(Unfit) as caught:
        Reference(1, 0, 0, "1.1", "x", spec, is_code=True).written(value)
    assert (caught.value.kind, str(caught.value)) == (kind, message)


@pytest.mark.parametrize(
    "language", ["", "text", "console", "bash", "sh", "yaml", "toml", "json", "html", "css", "make", "diff"]
)
def test_a_block_that_shows_something_shows_no_typed_number(language: str) -> None:
    assert refused(f"```{language}\nx: 40\n```") == [(2, "40")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/reference/terminal.md", ["two", "three"]),
        ("docs/lessons/one.md", ["two", "three", "four", "five"]),
    ],
)
def test_pages_of_the_reference_may_show_terminals_and_files(path: str, expected: list[str]) -> None:
    languages = (("", "two"), ("text", "three"), ("console", "four"), ("json", "five"), ("markdown", "six"))
    text = "\n\n".join(f"```{language}\n{word}\n```" for language, word in languages)
    assert [
        fault.message.split("'")[1] for fault in prose.lint(path, read(text), set())
    ] == expected  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See panel 17.1 and panels rotary.2 and 3.4.", [(1, "17.1"), (1, "rotary.2"), (1, "3.4")]),
        ("a\n\nand **panel** 17.1, exercise 17.3", [(3, "17.1"), (3, "exercise-17.3")]),
        ("---\ntitle: Of panel 17.1\n---\nx", [(2, "17.1")]),
        ('```python exec="on" id="9.1" title="As panel 9.2"\npanel = 17.1\n```', [(1, "9.2")]),
        ('```drawing draw="x"\nWhat panel 9.3 says.\n```', [(2, "9.3")]),
        ("<!-- panel 17.1 -->", []),
        ("[x](panel 17.1)\n[y](panel-17.1)", [(1, "17.1")]),
        ("[[two|as panel 17.1 says]] and [[17.1.x]]", []),
        ("panel 17[[two|a definition]].1", []),
        ("panel[^1] 17.1", [(1, "17.1")]),
        ("panel&nbsp;17.1", [(1, "17.1")]),
        ("`panel` 17.1 {: .x }", [(1, "17.1")]),
    ],
)
def test_the_panels_that_a_page_names_are_found_with_their_lines(
    text: str, expected: list[tuple[int, str]]
) -> None:
    assert list(prose.panels_named(read(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[panel 17.1](x.md#panel-17.1)", []),
        ("[here](x.md#panel-17.2)", []),
        ("[panels 17.1 and 17.2](x.md#panel-17.2)", []),
        ("[panel 17.1](x.md#top)", []),
        ("[panel 17.1](a.md#panel-17.2) or [panel rotary.2](#panel-rotary.3 \"x\")", ["17.1", "rotary.2"]),
    ],
)  # fmt: skip
def test_a_link_leads_to_a_panel_that_it_names(text: str, expected: list[str]) -> None:
    found = [fault.message for fault in prose.misled("page.md", Line(1, text))]
    assert [message.split()[4] for message in found] == expected


def test_lines_that_list_what_the_press_knows_quote_nothing() -> None:
    text = "[[ledger]]\na [[1.1.x]]\n\n<!-- [[1.1.y]] -->\n```exercise\nRight: [[1.1.z]]\n```\n"
    assert [(line.number, line.text.strip()) for line in prose.quoting_lines(read(text)) if line.text.strip()] == [
        (2, "a [[1.1.x]]"),
        (6, "Right: [[1.1.z]]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "joined", "expected"),
    [
        ("a `x3` b", False, "a `x3` b"),
        ("a `in 3` b", False, "a b"),
        ("t**w**o", False, "t**w**o"),
        ("t**w**o", True, "two"),
        ("a $x^3$ b", False, "a b"),
        ("a[[1.1.x]]b[[two|a definition]]c", False, "a b c"),
        ("t<b>wo</b>", False, "t wo"),
        ("<B>c</B>", False, "c"),
        ("::: Nextword.bpe", False, ""),
        ("<img alt=''>b", False, "b"),
        ('<i title="x y" alt=z>b</i>', False, "b x y z"),
        ("<i title='x'>b</i>", False, "b x"),
        ('b { #c title="d e" }', False, "b d e"),
        ("[b](c.md 'd')", False, "[b] 'd')"),
        ('[b]: c.md "d"', False, '"d"'),
        ("b [^1] <https://c.d>", False, "b"),
        ("::: nextword.bpe", False, ""),
        ("t&shy;wo", False, "two"),
    ],
)
def test_what_a_reader_sees_of_a_line(text: str, joined: bool, expected: str) -> None:
    shown = prose.visible(Line(1, text), {"3"}.__contains__, joined)
    assert shown.split() == expected.split()
