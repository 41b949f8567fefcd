"""Formulas: which are found in a line, what they become, and what of them is shown."""

import re
from pathlib import Path

import pytest

from coursebuild import formulas
from coursebuild.formulas import CLASSES, COMMANDS, RANGES, mathml, problems, spans
from coursebuild.library import Library, UnknownName
from coursebuild.prose import lint
from coursebuild.source import read

from .conftest import ROOT, SmallSite

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the logit $z_i$ here", ["z_i"]),
        ("$a$, $b$", ["a", "b"]),
        (r"$p(w \mid h)$", [r"p(w \mid h)"]),
        ("costs $5 or $6", []),
        ("a $ b $ c", []),
        ("`$x$` is code", []),
        ("`code` is $x$", ["x"]),
        ("$x$ is `$y$`", ["x"]),
        (r"\$x$ is escaped", []),
        ("$x", []),
        ("[[1.1.x]]$n$", []),
        ("$n$[[1.1.x]]", []),
        ("$$x$$", []),
    ],
)
def test_the_formulas_of_a_line(text: str, found: list[str]) -> None:
    assert [latex for _, _, latex in spans(text)] == found


def test_a_formula_is_mathml_without_a_script() -> None:
    shown = mathml(r"\frac{a}{b}")
    assert re.sub(r"\s", "", shown) == "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"
    assert mathml("x", display=True).startswith('<math display="block">')


@pytest.mark.parametrize("number", ["0", "1", "2"])
def test_a_formula_may_have_the_numbers_of_definitions(number: str) -> None:
    assert list(problems(f"x + {number}")) == []


@pytest.mark.parametrize(
    ("latex", "seen"),
    [
        ("x + 3", ["3"]),
        ("x + 22 + 10 + 22", ["22", "10"]),
        ("x = 0.5", ["0.5"]),
        ("x = .5", [".5", "5"]),
        ("x = 3.", ["3"]),
        ("x = 12.000", ["12.000"]),
        ("1 2 x", ["12"]),
        (r"x = 1\,0", ["10"]),
        (r"x = 1\ 0", ["10"]),
        (r"x = 1.\,2", ["1.2"]),
        ("x = 1{}0", ["10"]),
        ("x = {1}{{0}}", ["10"]),
        (r"x = 1\text{0}", ["10"]),
        (r"x = \text{1}0", ["10"]),
        (r"x = 1\mathrm{0a}", ["10"]),
        (r"x_{10}", ["10"]),
        (r"\sqrt{x} = \frac{3}{2}", ["3"]),
        (r"\begin{cases}x & 1\,0 \\ y & 2\end{cases}", ["10"]),
        (r"x_{\text{top 5}}", ["5"]),
        (r"x = \text{the 1,000 words}", ["1,000"]),
        (r"x = \text{one third of}\ y", ["one third"]),
        (r"x = \text{twelve}", ["twelve"]),
        (r"x = \mathrm{forty}\ y", ["forty"]),
        (r"x = \text{twe}\mathrm{lve}", ["twelve"]),
        (r"x^{\operatorname{seven}}", ["seven"]),
        ("x = t w e l v e", ["twelve"]),
        (r"x = t\,w\,e\,l\,v\,e", ["twelve"]),
        (r"\operatorname{seven} x", ["seven"]),
    ],
)
def test_any_other_number_that_a_reader_sees_is_refused(latex: str, seen: list[str]) -> None:
    found = list(problems(latex))
    assert [problem.kind for problem in found] == ["formula-number-typed"] * len(seen)
    assert found == [
        f"the number {number!r} is typed by hand into a formula, so a run could contradict it; a formula may have 0, 1, 2"
        for number in seen
    ]


@pytest.mark.parametrize(
    "latex",
    [
        "f(1, 2)", "1 + 0 x", "1 < 2 x", "x_1 2", "1 X 0", r"1 \frac{x}{y} 0", r"\frac{1}{2}x", r"1 \cdot 0 x", r"x = 1\ \text{or}\ 0", "t w e - l v e", r"tw_1 elve", r"x \text{ of } y",
        r"\begin{matrix}1 & 0 \\ x & 2\end{matrix}",
    ],
)  # fmt: skip
def test_what_stands_apart_is_no_number(latex: str) -> None:
    assert list(problems(latex, display=True)) == []


@pytest.mark.parametrize("latex", ["1 + 1", "", "{}", r"\quad", r"1\,\text{of}\ 2", r"\mathrm{} = 1"])
def test_a_formula_without_a_letter_is_refused(latex: str) -> None:
    [problem] = problems(latex)
    assert problem.kind == "formula-without-letter"
    assert (
        problem
        == "a formula without a letter defines nothing; write a number as prose does, or quote a figure"
    )


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        ("x" * 601, "a formula of 601 characters; at most 600 are read"),
        ("[[1.1.x]]", "a formula cannot quote a figure; quote it in the text around the formula"),
        ("aéb", "a formula cannot have 'é'"),
        (r"\alpha\#", "a formula cannot have '#'"),
        ("a<b", "'<b' in a formula reads as HTML; put a space behind the sign"),
        ("a<B", "'<B' in a formula reads as HTML; put a space behind the sign"),
        ("a</b", "'</' in a formula reads as HTML; put a space behind the sign"),
        (r"\begin{matrix}a&b;\end{matrix}", "'&b;' in a formula reads as HTML; put a space behind the sign"),
        (r"\href{x}{y}", r"the command '\\href' is not used here; src/coursebuild/formulas.py lists those that are"),
        (r"\Alpha", r"the command '\\Alpha' is not used here; src/coursebuild/formulas.py lists those that are"),
        (r"\operatorname*{x}", r"the command '\\operatorname*' is not used here; src/coursebuild/formulas.py lists those that are"),
        ("x\\\ny", r"the command '\\\n' is not used here; src/coursebuild/formulas.py lists those that are"),
        (r"\begin {array}x\end {array}", "the environment 'array' is not used here; there are aligned, bmatrix, cases, matrix, pmatrix, vmatrix"),
        (r"\begin{aligned}x\\ [2em]y\end{aligned}", "a line of a formula takes no distance in brackets"),
        (r"x\\y", r"\\ ends a line outside an environment; write \begin{aligned} … \end{aligned}"),
        (r"\frac{a", 'no formula: Expected closing token "}", but reached end of input.'),
        ("a^b^c", "no formula: Duplicate subscript or superscript."),
        (r"\mathbb{Z}", "the font for formulas lacks 'ℤ', U+2124"),
    ],
)  # fmt: skip
def test_what_is_no_formula_here_is_refused_with_the_reason(latex: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        mathml(latex)
    [problem] = problems(latex)
    assert (problem.kind, problem) == ("formula-unreadable", message)


@pytest.mark.parametrize("latex", ["a<b", r"\begin{matrix}a&b;\end{matrix}", "x" * 600])
def test_a_block_has_no_html_and_600_characters_are_read(latex: str) -> None:
    assert list(problems(latex, display=True)) == []


FORMS = {
    **{rf"\{name}": rf"\{name}{{x}}{{y}}" for name in ("frac", "dfrac", "tfrac")},
    **{rf"\{name}": rf"\{name}{{R}}" for name in ("sqrt", "text", "mathrm", "operatorname", "mathbb")},
    **{rf"\{name}": rf"\{name}(x" for name in ("big", "Big", "bigl", "bigr", "Bigl", "Bigr")},
    **dict.fromkeys((r"\left", r"\right"), r"\left(x\right)"),
    **dict.fromkeys((r"\begin", r"\end", r"\\"), r"\begin{aligned}x\\y\end{aligned}"),
    r"\limits": r"\sum\limits_x y",
}
"""How a command stands in a formula that does not stand before a letter alone."""


def test_each_command_that_is_taken_can_be_shown() -> None:
    for command in sorted(COMMANDS):
        assert mathml(FORMS.get(command, f"{command} x")).startswith("<math>"), command


@pytest.mark.parametrize(
    "latex",
    [r"\Gamma + \Delta + \Omega", r"\Bigl(x\Bigr)", r"\Big|", r"\lVert x \rVert", r"\Vert", r"\varepsilon", r"a \leq b", r"x\ y\,z"],
)  # fmt: skip
def test_commands_of_formulas_are_taken(latex: str) -> None:
    assert mathml(latex).startswith("<math>")


@pytest.mark.parametrize(
    ("latex", "classes"),
    [
        (r"\begin{cases}a & b \\ c & d\end{cases}", ["formula__case", "formula__condition"] * 2),
        (r"\begin{aligned}a &= b \\ c &= d\end{aligned}", ["formula__right", "formula__left"] * 2),
        *((rf"\begin{{{kind}matrix}}a & b \\ c & d\end{{{kind}matrix}}", []) for kind in ("", "p", "b", "v")),
        (r"a\!b", ["formula__back"]),
    ],
)
def test_the_style_of_a_formula_is_a_class_of_the_style_sheet(latex: str, classes: list[str]) -> None:
    shown = mathml(latex)
    assert " style=" not in shown
    assert re.findall(r'class="([^"]*)"', shown) == classes


def test_a_style_without_a_class_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    css = (ROOT / "docs/assets/css/course.css").read_text(encoding="utf-8")
    assert [name for name in CLASSES.values() if f".{name}" not in css] == []
    monkeypatch.setattr(formulas, "CLASSES", {})
    message = (
        "the style 'margin-left:-0.16666667em;' of a formula has no class in src/coursebuild/formulas.py"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        mathml(r"u\!v")


def test_the_style_sheet_declares_the_characters_that_the_build_knows() -> None:
    css = (ROOT / "docs/assets/css/course.css").read_text(encoding="utf-8")
    [declared] = re.findall(r"unicode-range:([^;]*);", css)
    assert re.findall(r"U\+[0-9A-F-]+", declared) == RANGES.split(", ")


def test_prose_around_a_formula_is_still_read() -> None:
    said = [fault.message for fault in lint("docs/x.md", read("A $x_1$ and 7 more\n"), set())]
    assert len(said) == 1
    assert "'7'" in said[0]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("It costs $x here.", "$"),
        (r"Where \(x\) is", r"\("),
        (r"Where \[x\] is", r"\["),
        (r"It costs \$x.", ""),
    ],
)
def test_a_mark_of_latex_that_would_show_as_it_is_is_refused(text: str, mark: str) -> None:
    said = [fault.message for fault in lint("docs/x.md", read(f"{text}\n"), set())]
    assert len(said) == bool(mark)
    assert all(mark in message for message in said)


def test_a_smaller_sign_in_a_formula_is_no_tag() -> None:
    assert lint("docs/x.md", read("Where $a < b$ and $c > d$.\n"), set()) == []


MODULE = """\
def total(values):
    \"\"\"Add.

    More.
    \"\"\"
    result = 0
    for value in values:
        if value is None:
            break
        result += value
    result = (
        result
    )
    return result
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "nextword").mkdir()
    (tmp_path / "nextword/sums.py").write_text(MODULE, encoding="utf-8")
    return Library(tmp_path)


def test_the_line_that_computes_a_formula(library: Library) -> None:
    found = library.statement("nextword.sums.total", "return")
    assert (found.text, found.first, found.last) == ("return result", 14, 14)
    found = library.statement("nextword.sums.total", "for value")
    assert (found.text, found.first) == ("for value in values:", 7)
    found = library.statement("nextword.sums.total", "result = (")
    assert (found.text, found.first, found.last) == ("result = (\n    result\n)", 11, 13)
    found = library.statement("nextword.sums.total", "if value")
    assert (found.text, found.first, found.last) == ("if value is None:\n    break", 8, 9)


@pytest.mark.parametrize("beginning", ["result =", "nothing", "result)"])
def test_not_one_line_is_no_line(library: Library, beginning: str) -> None:
    with pytest.raises(UnknownName, match=r"statements of nextword\.sums\.total that compute begin"):
        library.statement("nextword.sums.total", beginning)


@pytest.mark.slow
def test_a_page_shows_formulas_beside_their_code(small_site: SmallSite) -> None:
    block = '```math listing="nextword.checks.close" line="return"\n|a - b| \\le t\n```\n\nBack to'
    small_site.replace("Some prose", "Some $x_i*y*z$ prose")
    small_site.replace("Back to", block)
    done = small_site.build("--strict")
    assert done.returncode == 0, done.stderr
    page = small_site.page()
    assert "<msub><mi>x</mi><mi>i</mi></msub>" in page
    assert "<em>" not in page
    figure = page[page.index('<figure class="formula">') : page.index("</figure>")]
    assert "<mo>≤</mo><mi>t</mi>" in figure
    assert "return abs(a - b) <= tolerance" in re.sub(r"<[^>]+>", "", figure).replace("&lt;", "<")
    assert "src/nextword/checks.py, line" in figure


READING = """\
from pathlib import Path
total = len(Path("small.txt").read_text(encoding="utf-8"))"""


@pytest.mark.slow
def test_a_panel_reads_the_data_that_it_names(small_site: SmallSite) -> None:
    small_site.write("to be\n", "docs/assets/data/small.txt")
    small_site.write("small.txt: from nowhere, free to all\n", "docs/assets/data/README.txt")
    small_site.replace('title="Adding"', 'title="Adding" data="small.txt"')
    small_site.replace("total = sum([1, 2, 3])", READING)
    done = small_site.build("--strict")
    assert done.returncode == 0, done.stderr
    assert "assets/data/small.txt" in small_site.page()
    program = (small_site.root / "site/programs/1.1.py").read_text(encoding="utf-8")
    assert program.startswith(
        "# The whole of panel 1.1 in one file: it needs small.txt beside it, and Python alone."
    )
