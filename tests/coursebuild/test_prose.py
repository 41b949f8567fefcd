"""What an author may type: no number that a run could contradict, wherever it hides, and no reference that lies."""

import markdown
import pytest

from coursebuild import numbers, prose
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
        "1. first 3", "- 3. x", "10) x", "It costs\n40. Then more", "a\n\nIt costs\n40. Then more", "> It costs\n> 40. Then more",
        "- a\n\n    It costs\n    40. Then",
        "!!! note \"3 things\"", '??? question "Why 3?"', '=== "3 tabs"', "::: 3 things", "| a | 3 |\n|---|---|\n| b | c |",
        "---\ntitle: 3 things\n---\nx", "---\ndescription: x # 3\n---\nx", "---\nno end 3", "\n---\ntitle: 3\n---",
        "a\r\n3\r\nb", "a\x0b3", "a\u20283", "    3 indented", "\t3",
        '```text title="3 things"\nx\n```', '```drawing draw="x" panel="1.1"\nA caption of 3.\n```',
        "```text\nthe output is 3\n```", "```\nthree tokens\n```", "> ```console\n> a\nmeasured: 3\n> ```",
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
        "> 1. a\n> 2. b", "[x](y/3)", "![x](a3.png)", "[x]: y3", "<https://example.org/3>", "{ #part-3 .x2 data-n=3 }", "x[^3]", "[^3]: y",
        "[[17.1.total:.3f]]", "[[17.1.x3]]", "[[two|a definition of 2]]", "::: nextword.bpe", '<i data-n="3" class="c3">x</i>', "`cl100k_base`, `x_3`", "`src/nextword/bpe.py:12`, `docs/17-tokens.ipynb`, `../x/lib3.rs`",
        "```console\n$ make serve PORT=8000\n```", "```markdown\n3 things\n```", "one thing", "Panel 17.1 of lesson 17", "",
    ],
)  # fmt: skip
def test_what_is_no_claim_passes(text: str) -> None:
    assert refused(text) == []


def test_the_line_of_a_refused_number_is_its_own() -> None:
    text = "---\ntitle: 2\n---\n\n# 3\n\n```text\n4\n```\n\n<!-- 9\n9 -->\n5\n"
    assert refused(text) == [(5, "3"), (13, "5"), (2, "2"), (8, "4")]


@pytest.mark.parametrize(
    "text",
    [
        "`<!--` costs 40 tokens `-->`", "text <!-- a\n\nIt costs 40\n\n-->", "    <!-- a\n\n    40\n\n    -->", "!!! note\n\n    <!-- a\n\n    40\n\n    -->",
        "- x <!-- a\n- 40 tokens\n- -->", "<!-- never closed\n\n40", "<!--> 40 -->", "text <!-- a\nIt costs 40\n-->",
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
        "**[[1.1.x]]** times", "_[[1.1.x]]_", "$[[1.1.x]]", "[[1.1.x]]×", "| [[1.1.x]] | [[1.1.y]] |", "|[[1.1.x]]|[[1.1.y]]|", '"[[1.1.x]]"', "[[1.1.x]]:", "[[1.1.x]][^1]", "`k=[[1.1.x]]`",
    ],
)  # fmt: skip
def test_a_figure_stands_in_ordinary_punctuation(text: str) -> None:
    assert prose.malformed("p.md", Line(1, text)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[we beat everyone|a definition]]", "is no number"),
        ("[[tokens|a definition]]", "is no number"),
        ("[[two or three more words|a definition]]", "is no number"),
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
        ('<iframe srcdoc="x">', 1), ('<p onclick="x()">', 1), ("<img onerror=x src=y>", 1), ("# H {: hidden=1 }", 1), ('x { onclick="y" }', 1), ("> <pre>", 1), ("text <b>x</b> <pre>", 1),
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
