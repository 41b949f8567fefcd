"""Each way in which a false page could pass: the build ends with a status that is not zero and names the place.

A case plants one fault in the small site. What it expects is the line of the page, and words of the message.
"""

import re
from dataclasses import dataclass

import pytest

from .conftest import PANEL, SmallSite

pytestmark = pytest.mark.slow

FLAGS = [(), ("--strict",), ("-q",), ("--strict", "-q")]


@dataclass(frozen=True)
class Case:
    """A fault: what it replaces in the lesson, by what, the line it is at (relative to that place), and the message."""

    name: str
    old: str
    new: str
    line: int
    message: str


CHECK = 'check("The parts add up", total, 6)'
FENCE = '```python exec="on" id="1.1" title="Adding"'
PRINT = 'print("the total is", total)'
PROSE = "Some prose, which quotes [[1.1.total]] and [[1.1.total:.1f]]."

CASES = [
    # what a run does
    Case("a false check", "total, 6)", "total, 7)", 0, "panel 1.1: the claim “The parts add up” does not hold: got 6, expected 7"),
    Case("a false check of constants", CHECK, 'check("planted", 1, 2)', 0, "panel 1.1: the claim “planted” does not hold: got 1, expected 2"),
    Case("true is not one", "total, 6)", "total > 5, 1)", 0, "does not hold: got True, expected 1"),
    Case("an exception", PRINT, "print(1 / 0)", 0, "panel 1.1: ZeroDivisionError: division by zero"),
    Case("an exception in the library", PRINT, "from nextword.bpe import learn_merges\nlearn_merges({}, -1)", 1, "ValueError"),
    Case("SystemExit of zero", PRINT, "raise SystemExit(0)", 0, "SystemExit would end the build in silence"),
    Case("sys.exit", PRINT, "import sys\nsys.exit()", 1, "SystemExit would end the build in silence"),
    Case("KeyboardInterrupt", PRINT, "raise KeyboardInterrupt", 0, "KeyboardInterrupt would end the build in silence"),
    Case("os._exit", PRINT, "import os\nos._exit(0)", -4, "ended with status 0 before the panel's last line"),
    Case("an endless loop", PRINT, "while True: pass", 0, "still running after"),
    Case("a memory blow-up", PRINT, "hoard = [0] * 10**10", 0, "MemoryError"),
    Case("a flood of output", PRINT, 'print("x" * 300_000)', -4, "it printed 300,"),
    Case("an endless flood of output", PRINT, 'while True: print("x" * 9999)', 0, "OSError"),
    Case("a syntax error", PRINT, "print(", 0, "SyntaxError"),
    Case("a warning", PRINT, "import warnings\nwarnings.warn('careful')", 1, "UserWarning: careful"),
    Case("NumPy's warning", PRINT, "import numpy as np\nprint(np.array([1.0]) / 0)", 1, "RuntimeWarning"),
    Case("a deprecation of our own", PRINT, "import warnings\nwarnings.warn('old', DeprecationWarning)", 1, "DeprecationWarning: old"),
    Case("stderr", PRINT, "import sys\nprint('oh', file=sys.stderr)", 1, "output on stderr: oh"),
    Case("stderr of another process", PRINT, "import os\nos.system('echo oh >&2')", -4, "output on stderr: oh"),
    Case("an error at exit", PRINT, "import atexit\natexit.register(lambda: 1 / 0)", -4, "output on stderr"),
    Case("no UTF-8", PRINT, "import sys\nsys.stdout.buffer.write(bytes([255]))", -4, "the output is not UTF-8"),
    # what an author writes
    Case("a misspelt option", FENCE, FENCE.replace("exec=", "exce="), 0, "unknown option 'exce'"),
    Case("a misspelt title", FENCE, FENCE.replace("title=", "titel="), 0, "unknown option 'titel'"),
    Case("an option of markdown-exec that hides", FENCE, FENCE + ' width="abc"', 0, "unknown option 'width'"),
    Case("an unquoted value", FENCE, FENCE.replace('"on"', "1"), 0, "cannot read the options"),
    Case("a single-quoted value", FENCE, FENCE.replace('"on"', "'on'"), 0, "cannot read the options"),
    Case("braces", FENCE, '```{.python exec="on" id="1.1" title="Adding"}', 0, "cannot read the options"),
    Case("exec off", FENCE, FENCE.replace('"on"', '"off"'), 0, "this block never runs"),
    Case("a bad value of exec", FENCE, FENCE.replace('"on"', '"yes please"'), 0, "this block never runs"),
    Case("no exec", FENCE, FENCE.replace('exec="on" ', ""), 0, "this block never runs: no exec"),
    Case("another language", FENCE, FENCE.replace("python", "py"), 0, "a block in 'py' never runs"),
    Case("bash", FENCE, FENCE.replace("python", "bash"), 0, "only Python is run"),
    Case("a missing id", FENCE, FENCE.replace('id="1.1" ', ""), 0, "id '' is no panel's id"),
    Case("a bad id", FENCE, FENCE.replace('"1.1"', '"Panel One"'), 0, "id 'Panel One' is no panel's id"),
    Case("an option twice", FENCE, FENCE + ' title="Again"', 0, "option title is given twice"),
    Case("no title", FENCE, FENCE.replace(' title="Adding"', ""), 0, "a panel needs a title"),
    Case("an unknown session", FENCE, FENCE + ' session="1.0"', 0, "session '1.0' is no earlier panel of this page"),
    Case("a session that its first panel does not open", "Back to", '```python exec="on" id="1.2" title="More" session="1.1"\nfrom nextword.checks import check\ncheck("It is positive", total > 0, True)\n```\n\nBack to', 0, "panel 1.1 opens no session that this one could continue"),
    Case("a block that is never closed", "```\n\nBack", "\nBack", -7, "the block is never closed"),
    Case("a duplicate id", PANEL, PANEL + "\n" + PANEL, 9, "the id is used twice on this page, first at line 5"),
    Case("a block in a comment", PANEL, f"<!--\n{PANEL}-->\n", 1, "panel 1.1: it is not on the rendered page"),
    Case("an unknown language", "Back to", "```pyhton\nprint(1)\n```\n\nBack to", 0, "unknown language 'pyhton'"),
    # checks that check nothing
    Case("no check", CHECK, "", -5, "a panel with no check"),
    Case("a check behind a branch", CHECK, f"if total > 9:\n    {CHECK}", 1, "a check that may never be reached"),
    Case("a check in a function", CHECK, f"def prove():\n    {CHECK}", 1, "a check that may never be reached"),
    Case("a check in a try", CHECK, f"try:\n    {CHECK}\nexcept AssertionError:\n    pass", 1, "a check that may never be reached"),
    Case("a check after an early end", PRINT, "import threading\nraise Exception('early')", 1, "Exception: early"),
    Case("a check that is rebound", CHECK, f"check = print\n{CHECK}", 0, "check is bound anew"),
    Case("a check of one's own", CHECK, f"def check(*values):\n    pass\n{CHECK}", 0, "check is bound anew"),
    Case("another check", "from nextword.checks import check, figure", "from nextword.checks import figure\nfrom shutil import copy as check", 1, "check is bound anew"),
    Case("an alias", "import check, figure", "import check as prove, figure", 0, "imported under another name"),
    Case("a check called by a helper", CHECK, CHECK + '\nlist(map(lambda n: check("again", total, 6), [1]))', 1, "may never be reached"),
    Case("a hidden check", CHECK, CHECK + "\nhidden = [check][0]\nhidden('Hidden', total, 6)", 2, "was not called by name"),
    Case("a constant", "total, 6)", "6, 6)", 0, "cannot fail: 6 is computed from literals alone"),
    Case("a constant by name", "total, 6)", "six, 6)\nsix = 6", 0, "cannot fail: six is computed from literals alone"),
    Case("a constant bound last", CHECK, f"total = 6\n{CHECK}", 1, "cannot fail: total is computed from literals alone"),
    Case("a constant from a loop", CHECK, f"for total in [6]:\n    pass\n{CHECK}", 2, "cannot fail: total is computed from literals alone"),
    Case("a copy of itself", CHECK, "expected = int(total)\ncheck('Six', total, expected)", 1, "are one value, converted or copied"),
    Case("a type that equals what it likes", CHECK, "class T:\n    def __eq__(self, other):\n        return other == 6\ncheck('Same', T(), total)", 3, "in its own way: T"),
    Case("a constant sum", "total, 6)", "2 + 4, 6)", 0, "cannot fail: 2 + 4 is computed from literals alone"),
    Case("a constant call", "total, 6)", 'len("abcdef"), 6)', 0, "is computed from literals alone"),
    Case("the same expression", "total, 6)", "total * 2, total * 2)", 0, "are the same expression"),
    Case("the same by another name", CHECK, "same = total\ncheck('Same', total, same)", 1, "are the same expression"),
    Case("the same object", CHECK, "a = list(range(total))\nb = [a][0]\ncheck('Same', a, b)", 2, "one and the same object"),
    Case("a comparison with itself", "total, 6)", "total == total, True)", 0, "compares a thing with itself"),
    Case("close to itself", "total, 6)", "close(total, total), True)\nfrom nextword.checks import close", 0, "compares a thing with itself"),
    Case("or true", "total, 6)", "total == 7 or True, True)", 0, "has a constant side"),
    Case("the same claim twice", CHECK, f"{CHECK}\n{CHECK}", 1, "is made twice"),
    Case("a number in a claim", '"The parts add up"', '"The parts add up to 7"', 0, "the claim says '7'"),
    Case("a number word in a claim", '"The parts add up"', '"The parts add up to nine"', 0, "the claim says 'nine'"),
    Case("a number in the printed text", PRINT, 'print("all 40 parts add up to", total)', 0, "the printed text says '40'"),
    Case("a number word in the printed text", PRINT, 'print(f"{total} is the total of twelve parts")', 0, "the printed text says 'twelve'"),
    Case("a unit in a claim", '"The parts add up"', '"The parts add up to 6%"', 0, "the claim says '6%'"),
    Case("a claim of two lines", '"The parts add up"', '"The parts\\nadd up"', 0, "a claim is one line"),
    Case("a number that is printed", PRINT, 'print("the total is", 40)', 0, "the printed text says '40'"),
    Case("a number that is written", PRINT, 'import sys\nsys.stdout.write("a total of 40")', 1, "the printed text says '40'"),
    Case("a printed name of a number", PRINT, 'label = "40 parts"\nprint(label)', 1, "the printed text says '40'"),
    Case("the line of a check that is none", PRINT, 'print("ok   All is well")', -4, "begins with 'ok   ', as if it were a check's"),
    Case("a figure that is typed", 'figure("total", total)', 'figure("total", 6)', 0, "the figure 6 is typed by hand"),
    Case("a warning that is hidden", PRINT, "import warnings\nwarnings.simplefilter('ignore')", 1, "a panel may not hide warnings or output: simplefilter"),
    Case("an invisible character in the output", PRINT, 'print("4\\u200b0")', -4, "an invisible character in the output: ZERO WIDTH SPACE"),
    # numbers in prose
    Case("a number in prose", "Some prose", "Some 40 words", 0, "the number '40' is typed by hand"),
    Case("a number named a panel", "Some prose", "The panel 0.87 is the weight, prose", 0, "there is no panel '0.87'"),
    Case("a number behind a panel", "Some prose", "Panels 1.1 to 97.5 fell, prose", 0, "there is no panel '97.5'"),
    Case("a panel of no page", "Some prose", "As panel rotary.99 shows, prose", 0, "there is no panel 'rotary.99'"),
    Case("a number named a panel in a title", 'title="Adding"', 'title="Adding, panel 0.87"', 0, "there is no panel '0.87'"),
    Case("a number named a panel in a claim", '"The parts add up"', 'f"The parts of panel {0.5} add up"', 0, "there is no panel '0.5'"),
    Case("a link to another panel than it names", "Some prose", "As [panel 1.1](one.md#panel-1.2) shows, prose", 0, "the link says panel 1.1 and leads to panel 1.2"),
    Case("a number word in prose", "Some prose", "Some prose twice", 0, "the number 'twice' is typed by hand"),
    Case("a capital number word", "Some prose", "Half the prose", 0, "the number 'Half' is typed by hand"),
    Case("a ratio in prose", "Some prose", "Some 6.67× prose", 0, "the number '6.67"),
    Case("a number in inline code", "Some prose", "Some `40` words", 0, "the number '40' is typed by hand"),
    Case("a number as a character reference", "Some prose", "Some &#52;0 words", 0, "the number '40' is typed by hand"),
    Case("a number in emphasis", "Some prose", "Some _seven_ **words**", 0, "the number 'seven' is typed by hand"),
    Case("a pasted terminal", "Some prose", "```console\n$ python train.py\naccuracy 99.9\n```\n\nSome prose", 2, "the number '99.9' is typed by hand"),
    Case("a number in a block of data", "Some prose", '```json\n{"accuracy": 99.9}\n```\n\nSome prose', 1, "the number '99.9' is typed by hand"),
    Case("a number in a title", "# A lesson", "# A lesson in 5 parts", 0, "the number '5' is typed by hand"),
    Case("a number in a panel's title", 'title="Adding"', 'title="Adding 3 numbers"', 0, "the number '3' is typed by hand"),
    Case("a number in an admonition", "Some prose", '!!! note "Only 3 things"\n\n    Some prose', 0, "the number '3' is typed by hand"),
    Case("a number in a table", "Some prose", "| a | b |\n|---|---|\n| x | 12 |\n\nSome prose", 2, "the number '12' is typed by hand"),
    Case("a number in a text alternative", "Some prose", '<span aria-label="9 things">x</span> Some prose', 0, "the number '9' is typed by hand"),
    Case("a stale figure", "[[1.1.total]]", "[[1.1.sum]]", 0, "panel 1.1 names no figure 'sum'; it has: total"),
    Case("a figure of no panel", "[[1.1.total]]", "[[9.9.total]]", 0, "there is no panel '9.9'"),
    Case("a bad format", "[[1.1.total]]", "[[1.1.total:.2q]]", 0, "cannot be written as '.2q'"),
    Case("a float without a format", 'figure("total", total)', 'figure("total", total / 7)', -8, "a float needs a format: [[1.1.total:.2f]]"),
    Case("a misspelt reference", "[[1.1.total]]", "[[1.1.total-sum]]", 0, "cannot read [[1.1.total-sum]]"),
    Case("a figure with a percent sign", "[[1.1.total]]", "[[1.1.total]]%", 0, "a figure touches its neighbour"),
    Case("a figure that is written as zero", 'figure("total", total)', 'figure("total", total / 1000)', -8, "written as '.1f' would be 0.0, which it is not"),
    Case("a given text that is no number", "[[1.1.total]]", "[[the best|a definition]]", 0, "is given with a reason, but is no number"),
    Case("a given number without a reason", "[[1.1.total]]", "[[two|why]]", 0, "is no reason for which 'two' needs no panel"),
    Case("a number in a computation", "Some prose", "Some `prose/2`", 0, "the number 'prose/2' is typed by hand"),
    Case("a year to come", "Some prose", "Some et al. (2096)", 0, "the number '2096' is typed by hand"),
    # what looks as if it had been run
    Case("Python in a block without a language", "Back to", "```\n>>> total\n```\n\nBack to", 0, "Python that is not run"),
    Case("Python in a block of text", "Back to", "```text\nimport os\n```\n\nBack to", 0, "Python that is not run"),
    Case("an indented block", "Back to", "    total == six\n\nBack to", 0, "a block of code by indentation alone"),
    Case("raw HTML", "Back to", "<pre>the total</pre>\n\nBack to", 0, "HTML that hides or imitates what was run: pre"),
    Case("a hidden paragraph", "Back to", "<p hidden>the total</p>\n\nBack to", 0, "HTML that hides or imitates what was run: hidden"),
    # links, pictures, listings, drawings
    Case("a broken link", "(../index.md)", "(../indx.md)", 0, "leads to no page or file"),
    Case("a broken anchor", "(../index.md)", "(../index.md#nowhere)", 0, "leads to a page without an anchor 'nowhere'"),
    Case("a broken anchor on the page", "(../index.md)", "(#nowhere)", 0, "leads to a page without an anchor 'nowhere'"),
    Case("a broken link in HTML", "[the front page](../index.md)", '<a href="nowhere/">x</a>', 0, "leads to no page or file"),
    Case("a broken picture", "Back to", "![A picture](none.png)\n\nBack to", 0, "none.png leads to no page or file"),
    Case("a picture without a text", "Back to", '<img src="../../index.html">\n\nBack to', 0, "has no text alternative"),
    Case("an unknown listing", "Back to", '```python listing="nextword.checks.chek"\n```\n\nBack to', 0, "the library defines no 'nextword.checks.chek'"),
    Case("an unknown drawing", "Back to", '```drawing draw="cat" panel="1.1"\nA cat.\n```\n\nBack to', 0, "there is no drawing 'cat'"),
    Case("a drawing of no panel", "Back to", '```drawing draw="merge_tree" panel="9.9"\nA tree.\n```\n\nBack to', 0, "there is no panel '9.9'"),
    Case("a drawing without its figures", "Back to", '```drawing draw="merge_tree" panel="1.1"\nA tree.\n```\n\nBack to', 0, "merge_list"),
    Case("a formula that is none", "Some prose", "Some $\\frac{1}{$ prose", 0, "formula: no formula: Expected closing token"),
    Case("a formula with an unknown command", "Some prose", "Some $\\foo x$ prose", 0, "is not used here"),
    Case("a number in a formula", "Some prose", "Some $x = 40$ prose", 0, "the number '40' is typed by hand into a formula"),
    Case("a number word in a formula", "Some prose", "Some $x = \\text{forty}$ prose", 0, "the number 'forty' is typed by hand into a formula"),
    Case("a figure in a formula", "Some prose", "Some $x = [[1.1.total]]$ prose", 0, "a formula cannot quote a figure"),
    Case("a character that the font lacks", "Some prose", "Some $\\mathbb{E}$ prose", 0, "the font for formulas lacks"),
    Case("a displayed formula that is none", "Back to", '```math listing="nextword.checks.close" line="return"\n\\foo\n```\n\nBack to', 0, "is not used here"),
    Case("a number in a displayed formula", "Back to", '```math listing="nextword.checks.close" line="return"\nx = 3\n```\n\nBack to', 0, "the number '3' is typed by hand into a formula"),
    Case("a displayed formula without its code", "Back to", "```math\nx\n```\n\nBack to", 0, "a formula has the code that computes it beside it"),
    Case("a formula of an unknown function", "Back to", '```math listing="nextword.checks.cloze" line="return"\nx\n```\n\nBack to', 0, "the library defines no 'nextword.checks.cloze'"),
    Case("a formula of no line", "Back to", '```math listing="nextword.checks.close" line="total ="\nx\n```\n\nBack to', 0, "no statements of nextword.checks.close that compute begin with 'total ='"),
    Case("a formula of several lines", "Back to", '```math listing="nextword.checks.check" line="i"\nx\n```\n\nBack to', 0, "2 statements of nextword.checks.check that compute begin with 'i'"),
    Case("data that is not there", FENCE, FENCE + ' data="none.txt"', 0, "panel 1.1: there is no file docs/assets/data/none.txt"),
    Case("data of another folder", FENCE, FENCE + ' data="../mkdocs.yml"', 0, "data '../mkdocs.yml' names no files"),
    Case("data that is not named", PRINT, "open('shakespeare.txt')", 0, "FileNotFoundError"),
    Case("a number in a comment in a formula", "Some prose", "Some $x = <!-- 42 --> y$ prose", 0, "reads as HTML"),
    Case("HTML in a formula", "Some prose", "Some $<script>x$ prose", 0, "reads as HTML"),
    Case("HTML between a given number and a dollar", "Some prose", "Some [[2|a definition of it]]$<script>x</script>$ prose", 0, "HTML that hides or imitates what was run: script"),
    Case("a formula that touches a figure", "[[1.1.total]]", "[[1.1.total]]$n$", 0, "begins no formula that Markdown reads"),
    Case("a formula before a figure", "[[1.1.total]]", "$n$[[1.1.total]]", 0, "begins no formula that Markdown reads"),
    Case("a formula that is a number", "Some prose", "Some $2$ words of prose", 0, "a formula without a letter defines nothing"),
    Case("a number of spaced digits in a formula", "Some prose", "Some $x = 1 0 0$ prose", 0, "the number '100' is typed by hand into a formula"),
    Case("a point in a formula", "Some prose", "Some $x = .2$ prose", 0, "the number '.2' is typed by hand into a formula"),
    Case("a number word of letters in a formula", "Some prose", "Some $twelve$ prose", 0, "the number 'twelve' is typed by hand into a formula"),
    Case("a part in the text of a formula", "Some prose", "Some $x = \\text{at least a third of}$ prose", 0, "the number 'a third' is typed by hand into a formula"),
    Case("an environment that numbers its lines", "Some prose", "Some $\\begin{align} a \\end{align}$ prose", 0, "the environment 'align' is not used here"),
    Case("an invisible part of a formula", "Some prose", "Some $\\phantom{x} y$ prose", 0, "the command '\\\\phantom' is not used here"),
    Case("a TeX comment", "Some prose", "Some $x % y$ prose", 0, "a formula cannot have '%'"),
    Case("a formula in a heading", "# A lesson", "# A lesson of $x_i$", 0, "a formula in a heading, a title, an address or a tag"),
    Case("a formula in a panel's title", 'title="Adding"', 'title="Adding $x$"', 0, "front matter and titles cannot have a formula"),
    Case("a formula in a text alternative", "Some prose", "![the $x$](a.png) prose", 0, "a formula in a heading, a title, an address or a tag"),
    Case("a formula in an abbreviation", "Some prose", "*[prose]: $x$\n\nSome prose", 0, "a formula in a heading, a title, an address or a tag"),
    Case("a bar in a formula in a table", "Some prose", "| $|x|$ | b |\n|---|---|\n| x | y |\n\nSome prose", 0, "a bar in a formula ends the cell of a table"),
    Case("a lone dollar", "Some prose", "Some $x prose", 0, "begins no formula that Markdown reads"),
    Case("LaTeX's other marks", "Some prose", "Some \\(x\\) prose", 0, "begins no formula that Markdown reads"),
    Case("a displayed formula of two lines", "Back to", '```math listing="nextword.checks.close" line="return"\na = b \\\\\nc = d\n```\n\nBack to', 0, "ends a line outside an environment"),
    Case("an empty formula", "Back to", '```math listing="nextword.checks.close" line="return"\n```\n\nBack to', 0, "math block: a formula without a letter"),
    Case("a formula beside a line that computes nothing", "Back to", '```math listing="nextword.checks.close" line="raise"\nx\n```\n\nBack to', 0, "no statements of nextword.checks.close that compute begin with 'raise'"),
    Case("a formula in a comment", "Back to", '<!--\n```math listing="nextword.checks.close" line="return"\nx\n```\n-->\n\nBack to', -9, "2 panels, listings, drawings, formulas, exercises and instruments are written, 1 were rendered"),
    Case("a number in the text of a figure", 'figure("total", total)', 'figure("total", total)\nfigure("rows", [{"name": "40 words", "count": total}])', 1, "the figure says '40', typed by hand"),
    Case("a number among the values of a figure", 'figure("total", total)', 'figure("total", total)\nfigure("rows", [[0.5, total]])', 1, "the figure says '0.5', typed by hand"),
    Case("a panel that reads what it does not name", PRINT, 'open("/etc/hostname", encoding="utf-8").close()', 0, "it opens 'hostname', which its option data does not name"),
    Case("data whose source nobody says", FENCE, FENCE + ' data="extra.txt"', 0, "does not say where extra.txt is from"),
    Case("an unknown library name", "import check, figure", "import check, figure, chek", 0, "nextword.checks defines no 'chek'"),
    Case("the press in a panel", PRINT, "import coursebuild", 0, "a panel knows nothing of coursebuild"),
    Case("a library name bound anew", PRINT, "from nextword.bpe import learn_merges\nMerge = 1", 1, "'Merge' is also a name of the library"),
]  # fmt: skip

SPREAD = [
    pytest.param(case, marks=[] if index % 8 == 0 else pytest.mark.once) for index, case in enumerate(CASES)
]
"""All kinds on the first Python, a sample of them on the others: what finds a fault has tests that run on each."""


def assert_refused(small_site: SmallSite, case: Case, *flags: tuple[str, ...]) -> None:
    line = small_site.replace(case.old, case.new) + case.line
    for used, (status, said) in zip(flags, small_site.build_with(*flags, COURSE_SECONDS="1"), strict=True):
        assert status != 0, f"{used}: {said}"
        at_place = [text for text in said.split("docs/lessons/one.md:") if text.startswith(f"{line}: ")]
        assert any(case.message in text for text in at_place), f"{used}, expected at line {line}: {said}"
        assert not (small_site.root / "site" / "index.html").exists(), "a page was written"


@pytest.mark.parametrize("case", SPREAD, ids=lambda case: case.name)
def test_the_build_refuses(small_site: SmallSite, case: Case) -> None:
    assert_refused(small_site, case, ())


@pytest.mark.once
@pytest.mark.parametrize("case", CASES[::8], ids=lambda case: case.name)
def test_no_flag_lets_a_fault_pass(small_site: SmallSite, case: Case) -> None:
    """Flags act after the faults are found, the same for all kinds: each has its turn, over the kinds of fault."""
    assert_refused(small_site, case, *FLAGS[1:])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total, 6)", "total, 7)"),
        ("total, 6)", "6, 7)"),
        (PRINT, "raise ValueError(total)"),
        (CHECK, f"for _ in range(3):\n    {CHECK}"),
        (FENCE, FENCE.replace("exec=", "exce=")),
        (FENCE, FENCE.replace('"on"', "on")),
        ("[[1.1.total]]", "[[9.9.total]]"),
        ("(../index.md)", "(../indx.md)"),
        ("Back to", '```python listing="nextword.checks.chek"\n```\n\nBack to'),
    ],
)
def test_one_mistake_is_one_message(small_site: SmallSite, old: str, new: str) -> None:
    small_site.write("# The front page\n\nTo [the lesson](lessons/one.md).\n", "docs/index.md")
    small_site.replace(old, new)
    [(status, said)] = small_site.build_with(("-q",))
    assert status != 0
    assert "1 fault\n" in said, said


def test_a_dirty_build_is_refused(small_site: SmallSite) -> None:
    for status, said in small_site.build_with(("--dirty",), ("--dirty", "-q")):
        assert status != 0
        assert "mkdocs.yml:1: configuration: a --dirty build" in said


def test_two_pages_of_one_address_are_refused(small_site: SmallSite) -> None:
    small_site.write("# Another\n", "docs/lessons/one/index.md")
    small_site.replace("  - lessons/one.md\n", "  - lessons/one.md\n  - lessons/one/index.md\n", "mkdocs.yml")
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert re.search(
        r"docs/lessons/one(/index)?\.md:1: page: it has the address of docs/lessons/one", said
    ), said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - lessons/one.md\n", "  - Save 40% with tricks: lessons/one.md\n", "the number '40"),
        ("  - lessons/one.md\n", "  - Twelve lessons:\n      - lessons/one.md\n", "the number 'Twelve'"),
        ("site_name: A small site", "site_name: A site of 5 lessons", "the number '5'"),
        ("  - lessons/one.md\n", "  - lessons/one.md\n  - Dead: /nowhere/\n", "/nowhere/ is no page"),
    ],
)
def test_the_menu_is_checked_like_prose(small_site: SmallSite, old: str, new: str, message: str) -> None:
    small_site.replace(old, new, "mkdocs.yml")
    [(status, said)] = small_site.build_with(("-q",))
    assert status != 0
    assert re.search(rf"mkdocs\.yml:\d+: nav: .*{re.escape(message)}", said), said


def test_what_markdown_alone_takes_for_prose_is_seen_on_the_rendered_page(small_site: SmallSite) -> None:
    small_site.replace("Some prose", "<div>\n<!-- a\n</div>\n\nIt costs 40.\n\n-->\n\nSome prose")
    [(status, said)] = small_site.build_with(("-q",))
    assert status != 0
    assert "the number '40'" in said


@pytest.mark.parametrize("address", ["lesson:one", "htp://foo", "http:lessons/two", "javascript:alert"])
def test_an_address_of_no_place_is_refused(small_site: SmallSite, address: str) -> None:
    small_site.replace("(../index.md)", f"({address})")
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert address in said


def test_the_small_site_builds_as_it_is(small_site: SmallSite) -> None:
    for flags in FLAGS:
        outcome = small_site.build(*flags)
        assert outcome.returncode == 0, outcome.stderr
    page = small_site.page()
    assert "the total is 6" in re.sub(r"<[^>]+>", "", page)
    assert ">6</a>" in page
    assert ">6.0</a>" in page
    assert "claim--held" in page
