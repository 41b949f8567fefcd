"""Formulas: which are found in a line, what they become, and what of them is shown."""

import re
from pathlib import Path

import pytest

from coursebuild.formulas import RANGES, mathml, problems, spans
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


@pytest.mark.parametrize("number", ["3", "10", "0.5", "12.000", "22"])
def test_any_other_number_is_refused(number: str) -> None:
    [message] = problems(f"x + {number}")
    assert repr(number) in message


def test_the_style_sheet_declares_the_characters_that_the_build_knows() -> None:
    css = (ROOT / "docs/assets/css/course.css").read_text(encoding="utf-8")
    [declared] = re.findall(r"unicode-range:([^;]*);", css)
    assert re.findall(r"U\+[0-9A-F-]+", declared) == RANGES.split(", ")


def test_prose_around_a_formula_is_still_read() -> None:
    said = [fault.message for fault in lint("docs/x.md", read("A $x_1$ and 7 more\n"), set())]
    assert len(said) == 1
    assert "'7'" in said[0]


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
