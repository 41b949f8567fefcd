"""The live preview: a fault is shown where it is, the terminal says it too, and mending the file brings the page back."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from .conftest import SmallSite

pytestmark = [pytest.mark.slow, pytest.mark.once]

PATIENCE = 60.0
FAULT = 'class="fault"'
CHECK = 'check("The parts add up", total, 6)'


class Preview:
    """A running ``mkdocs serve`` of a small site."""

    def __init__(self, site: SmallSite, *flags: str) -> None:
        self.site = site
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.log = site.root.parent / f"{site.root.name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", self.address, *flags],
                cwd=site.root,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"COURSE_SECONDS": "2", "COURSE_CACHE": "", "CI": ""},  # as an author's
            )

    def get(self, page: str) -> str:
        """A page as it is now, or nothing while the server does not answer with it."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/{page}", timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, ConnectionError):
            return ""

    def wait(self, page: str, pattern: str, without: str = "no such text") -> str:
        """Wait until the text of a page matches, and its HTML lacks another text."""
        end = time.monotonic() + PATIENCE
        html = ""
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the preview died:\n{self.said()}"
            html = self.get(page)
            if re.search(pattern, text_of(html), re.DOTALL) and without not in html:
                return html
            time.sleep(0.1)
        raise AssertionError(
            f"{page} never showed {pattern!r}:\n{text_of(html)[-1500:]}\n{self.said()[-3000:]}"
        )

    def said(self) -> str:
        """What the terminal shows."""
        return self.log.read_text()


def text_of(html: str) -> str:
    """What a reader sees of a page."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", body))


@contextlib.contextmanager
def preview(site: SmallSite, *flags: str) -> Iterator[Preview]:
    running = Preview(site, *flags)
    try:
        yield running
    finally:
        running.process.terminate()
        running.process.wait(timeout=20)


FAULTS = {
    "a false check": (CHECK, CHECK.replace("6)", "7)"), "does not hold: got 6, expected 7"),
    "an exception": ("total = sum([1, 2, 3])", "total = 1 / 0", "ZeroDivisionError"),
    "an exit": ("total = sum([1, 2, 3])", "raise SystemExit(0)", "SystemExit"),
    "an endless loop": ("total = sum([1, 2, 3])", "while True: pass", "still running after"),
    "a misspelt option": ('exec="on"', 'exce="on"', "unknown option 'exce'"),
    "an unquoted option": ('exec="on"', "exec=1", "cannot read the options"),
    "a number in prose": ("Some prose", "Some 40 words", "typed by hand"),
    "a broken link": ("../index.md", "../indx.md", "leads to no page"),
    "a missing figure": ("[[1.1.total]]", "[[1.1.sum]]", "names no figure"),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("flags", [(), ("--strict",)], ids=["plain", "strict"])
def test_a_failing_first_build_shows_the_fault_and_the_mended_page(
    small_site: SmallSite, name: str, flags: tuple[str, ...]
) -> None:
    old, new, message = FAULTS[name]
    small_site.replace(old, new)
    with preview(small_site, *flags) as running:
        html = running.wait("lessons/one/", re.escape(message))
        assert FAULT in html
        place = re.search(r"docs/lessons/one\.md:(\d+)", text_of(html))
        assert place, "the page does not say where"
        assert f"docs/lessons/one.md:{place[1]}" in running.said()
        assert message in running.said()
        assert "The front page" in running.get("")
        small_site.replace(new, old)
        running.wait("lessons/one/", "the total is 6", without=FAULT)


PLANTED = [
    ("total, 6)", "total, 7)", "docs/lessons/one.md", "claim-false"),
    ("Some prose", "Some 40 words", "docs/lessons/one.md", "number-typed"),
    ("../index.md", "../indx.md", "docs/lessons/one.md", "link-broken"),
    ("site_name: A small site", "site_name: A site of 5 lessons", "mkdocs.yml", "menu-number-typed"),
]


def test_each_fault_stands_in_the_page_in_the_terminals_words_and_links_to_the_catalogue(
    small_site: SmallSite,
) -> None:
    small_site.write("# The refusals\n\n[[refusals]]\n", "docs/reference/refusals.md")
    small_site.replace(
        "  - lessons/one.md\n", "  - lessons/one.md\n  - reference/refusals.md\n", "mkdocs.yml"
    )
    lines = {kind: small_site.replace(old, new, name) for old, new, name, kind in PLANTED}
    with preview(small_site) as running:
        html = running.wait("lessons/one/", "does not hold")
        boxes = re.findall(rf"<div {FAULT}.*?</div>", html, re.DOTALL)
        assert len(boxes) == len(PLANTED)
        for _, _, name, kind in PLANTED:
            [box] = [box for box in boxes if f"[{kind}]" in box]
            assert f'href="../../reference/refusals/#{kind}"' in box
            assert f"{name}:{lines[kind]}: " in text_of(box)
            said = re.search(
                rf"^{re.escape(name)}:{lines[kind]}: (.*)\n    (what to do: .*)$",
                running.said(),
                re.MULTILINE,
            )
            assert said, running.said()
            subject, _, message = said[1].partition(": ")
            assert text_of(box) == f"{name}:{lines[kind]}: {subject}{message}{said[2]}"
        first = html.index("<h1")
        assert [html.index(box) > first for box in boxes] == ["[claim-false]" in box for box in boxes]
        assert FAULT in running.wait("reference/refusals/", "A claim that does not hold"), (
            "what is of no page stands on each"
        )
        assert 'id="claim-false"' in running.get("reference/refusals/")


def test_a_fault_that_is_saved_later_shows_and_goes_again(small_site: SmallSite) -> None:
    with preview(small_site) as running:
        running.wait("lessons/one/", "the total is 6", without=FAULT)
        for _ in range(2):
            small_site.replace("total, 6)", "total, 7)")
            running.wait("lessons/one/", "got 6, expected 7")
            small_site.replace("total, 7)", "total, 6)")
            running.wait("lessons/one/", "the total is 6", without=FAULT)


def test_a_panel_that_another_page_quotes_may_fail(small_site: SmallSite) -> None:
    small_site.write("# The front page\n\nIt says [[1.1.total]] and [[1.1.total:.1f]].\n", "docs/index.md")
    small_site.replace("total = sum([1, 2, 3])", "total = 1 / 0")
    with preview(small_site) as running:
        running.wait("lessons/one/", "ZeroDivisionError")
        running.wait("", r"It says ⟦1\.1\.total⟧", without=FAULT)
        small_site.replace("total = 1 / 0", "total = sum([1, 2, 3])")
        running.wait("", r"It says 6 and 6\.0")


def test_a_claim_that_fails_stands_first_and_open(small_site: SmallSite) -> None:
    more = "\n".join(f'check("It is below {n}", total < {n}, {n != 6})' for n in range(7, 13))
    more = more.replace("total < 12, True)", "total < 12, False)")
    small_site.replace(CHECK, f"{CHECK}\n{more}")
    with preview(small_site) as running:
        html = running.wait("lessons/one/", "does not hold: got True, expected False")
        claims = re.findall(r"claim--(held|failed)", html)
        assert claims == ["failed", *["held"] * 6]
        assert html.index("claim--failed") < html.index("claims__more")


def test_an_edit_of_the_library_is_seen_at_once(small_site: SmallSite) -> None:
    module = "src/nextword/adding.py"
    small_site.write("from nextword.subtracting import less\n\n\ndef add(a, b):\n    return a + b\n", module)
    small_site.write("def less(a):\n    return a - 1\n", "src/nextword/subtracting.py")
    small_site.replace("total = sum([1, 2, 3])", "from nextword.adding import add\ntotal = add(2, 4)")
    with preview(small_site) as running:
        running.wait("lessons/one/", "the total is 6")
        for old, new, seen in [
            ("a + b", "a - b", "got -2"),
            ("a - b", "a * b", "got 8"),
            ("a * b", "a + b", "the total is 6"),
        ]:
            small_site.replace(old, new, module)
            running.wait("lessons/one/", re.escape(seen))
        small_site.replace("a + b", "less(a) + b", module)
        running.wait("lessons/one/", "got 5")
        small_site.replace("a - 1", "a - 0", "src/nextword/subtracting.py")
        running.wait("lessons/one/", "the total is 6")
        (small_site.root / module).unlink()
        running.wait("lessons/one/", "there is no module 'nextword.adding'")


BROKEN_FILES: dict[str, tuple[str, bytes, str]] = {
    "half-typed library": ("src/nextword/checks.py", b"def check(claim, got, expec", "SyntaxError"),
    "a library that is no UTF-8": (
        "src/nextword/checks.py",
        b"x = '\xff'",
        "cannot be read|SyntaxError",
    ),
    "a page that is no UTF-8": ("docs/lessons/one.md", b"# A lesson \xff\n", "the file cannot be read"),
    "an empty page": ("docs/lessons/one.md", b"", "leads to a page without an anchor"),
}


@pytest.mark.parametrize("name", BROKEN_FILES)
@pytest.mark.parametrize("when", ["first", "later"])
def test_a_file_that_cannot_be_read_is_shown_and_comes_back(
    small_site: SmallSite, name: str, when: str
) -> None:
    small_site.replace("Back to", '```python listing="nextword.checks.close"\n```\n\nBack to')
    file, content, message = BROKEN_FILES[name]
    path = small_site.root / file
    whole = path.read_bytes()
    page = "" if name == "an empty page" else "lessons/one/"
    if when == "first":
        path.write_bytes(content)
    with preview(small_site) as running:
        if when == "later":
            running.wait("lessons/one/", "the total is 6", without=FAULT)
            path.write_bytes(content)
        assert FAULT in running.wait(page, message)
        path.write_bytes(whole)
        running.wait("lessons/one/", "the total is 6", without=FAULT)


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_the_build_names_a_file_that_cannot_be_read(small_site: SmallSite, name: str) -> None:
    small_site.replace("Back to", '```python listing="nextword.checks.close"\n```\n\nBack to')
    file, content, message = BROKEN_FILES[name]
    (small_site.root / file).write_bytes(content)
    [(status, said)] = small_site.build_with(("-q",))
    assert status != 0
    assert re.search(rf"(docs|src)/[\w/]+\.(md|py):\d+: .*({message})", said), said
    assert "Traceback" not in said


def test_only_what_changed_runs_again(small_site: SmallSite) -> None:
    small_site.replace(
        "total = sum([1, 2, 3])", "import os\ntotal = sum([1, 2, 3])\nprint('process', os.getpid())"
    )
    with preview(small_site) as running:

        def process_shown(pattern: str) -> str:
            [process] = re.findall(r"process (\d+)", text_of(running.wait("lessons/one/", pattern)))
            return str(process)

        first = process_shown("the total is 6")
        small_site.replace("Some prose", "\n\nOther prose")
        assert process_shown("Other prose") == first
        small_site.replace('"the total is"', '"the sum is"')
        assert process_shown("the sum is 6") != first


def test_a_page_outside_the_nav_says_so(small_site: SmallSite) -> None:
    with preview(small_site) as running:
        running.wait("lessons/one/", "the total is 6")
        small_site.write("# Another\n", "docs/lessons/two.md")
        running.wait("lessons/two/", "missing from the nav")


def notebook(*cells: tuple[str, str]) -> str:
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made = [
        {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for number, (kind, text) in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1)


GOOD_NOTEBOOK = notebook(
    ("markdown", "# A lab\n"),
    ("code", "from nextword.checks import check\nproduct = int('6') * int('7')\nprint(product)"),
    ("code", "check('The product', product, 42)"),
)
PRODUCT = "int('6') * int('7')"


def test_a_notebook_that_fails_is_shown_and_comes_back(notebook_site: SmallSite) -> None:
    name = "docs/labs/one.ipynb"
    notebook_site.write(GOOD_NOTEBOOK.replace(PRODUCT, "6 / 0"), name)
    with preview(notebook_site) as running:
        html = running.wait("labs/one/", "ZeroDivisionError")
        assert FAULT in html
        assert "cell 2" in text_of(html)
        assert "docs/labs/one.ipynb:" in running.said()
        notebook_site.write(GOOD_NOTEBOOK, name)
        running.wait("labs/one/", r"\b42\b", without=FAULT)
        running.wait("labs/one/", "ok   The product", without=FAULT)
        notebook_site.replace('"ok  "', '"yes "', "src/nextword/checks.py")
        running.wait("labs/one/", "yes  The product", without=FAULT)


NOTEBOOK_FAULTS = {
    "a failing cell": (GOOD_NOTEBOOK.replace(PRODUCT, "6 / 0"), "cell 2: ZeroDivisionError"),
    "a failing check": (GOOD_NOTEBOOK.replace("42)", "43)"), "cell 3: the claim “The product” does not hold: got 42, expected 43"),
    "a check that cannot fail": (GOOD_NOTEBOOK.replace("product, 42)", "42, 42)"), "cell 3: a check that cannot fail"),
    "a check that is caught": (
        GOOD_NOTEBOOK.replace("check('The product', product, 42)", "try: check('It', product, 1)\\nexcept AssertionError: pass"),
        "cell 3: a check that may never be reached",
    ),
    "no check": (GOOD_NOTEBOOK.replace("check('The product', product, 42)", "product"), "it claims nothing"),
    "a number in a claim": (GOOD_NOTEBOOK.replace("The product", "40 percent saved"), "cell 3: the claim says '40'"),
    "a typed number in what it prints": (GOOD_NOTEBOOK.replace("print(product)", "print('99 of', product)"), "cell 2: the printed text says '99'"),
    "a warning": (GOOD_NOTEBOOK.replace("print(product)", "import warnings; warnings.warn('careful')"), "cell 2: UserWarning: careful"),
    "stderr": (GOOD_NOTEBOOK.replace("print(product)", "import os; os.write(2, b'oh')"), "output on stderr: oh"),
    "an exit": (GOOD_NOTEBOOK.replace("print(product)", "raise SystemExit(0)"), "cell 2: SystemExit"),
    "a dead kernel": (GOOD_NOTEBOOK.replace("print(product)", "import os; os._exit(0)"), "before the panel's last line"),
    "a cell that is magic": (GOOD_NOTEBOOK.replace("print(product)", "%%capture"), "cell 2: '%%capture' is no Python"),
    "a cell for the shell": (GOOD_NOTEBOOK.replace("print(product)", "!false"), "cell 2: '!false' is no Python"),
    "a stored output": (GOOD_NOTEBOOK.replace('"outputs": []', '"outputs": [{"output_type": "stream", "name": "stdout", "text": "99"}]'), "has outputs stored"),
    "a tag that hides an error": (GOOD_NOTEBOOK.replace('"metadata": {}', '"metadata": {"tags": ["raises-exception"]}'), "the tag raises-exception"),
    "a number in its text": (GOOD_NOTEBOOK.replace("# A lab", "# A lab of 3 steps"), "the number '3' is typed by hand"),
    "a comment over two cells": (
        notebook(("markdown", "# A lab\n\n<!-- a"), ("markdown", "It costs 40 tokens."), ("markdown", "b -->")),
        "the number '40' is typed by hand",
    ),
    "a given number in its text": (GOOD_NOTEBOOK.replace("# A lab", "# A lab of [[3|the number of steps]]"), "double brackets are not read"),
    "a block in its text": (notebook(("markdown", '# A lab\n\n```python exec="on"\nprint(1)\n```\n')), "never runs"),
    "no notebook": ("{}", "it is no notebook"),
    "an empty file": ("", "it is no notebook"),
    "no JSON": ("# A lab", "it is no notebook"),
    "an old format": (GOOD_NOTEBOOK.replace('"nbformat": 4', '"nbformat": 3'), "its format is 3; save it in format 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTEBOOK_FAULTS)
def test_the_build_refuses_a_notebook(notebook_site: SmallSite, name: str) -> None:
    text, message = NOTEBOOK_FAULTS[name]
    notebook_site.write(text, "docs/labs/one.ipynb")
    for status, said in notebook_site.build_with(("--strict", "-q")):
        assert status != 0, said
        at_place = said.split("docs/labs/one.ipynb:")[1:]
        assert any(re.match(r"\d+: ", part) and message in part for part in at_place), said


SLOWLY = """\
import sys, time
for word in ('red', 'green', 'blue'):
    print(word)
    sys.stdout.flush()
    time.sleep(0.3)"""


def test_what_a_cell_prints_is_one_output_however_long_it_takes(notebook_site: SmallSite) -> None:
    """A kernel sends what was printed when asked to and after a while, so the parts depend on the machine."""
    cell = json.dumps(SLOWLY)[1:-1]
    notebook_site.write(GOOD_NOTEBOOK.replace("print(product)", cell), "docs/labs/one.ipynb")
    [(status, said)] = notebook_site.build_with(("--strict", "-q"))
    assert status == 0, said
    assert "<pre>red\ngreen\nblue\n</pre>" in notebook_site.page("labs/one")


def test_a_notebook_is_never_stale_and_loads_nothing(notebook_site: SmallSite) -> None:
    notebook_site.write(GOOD_NOTEBOOK, "docs/labs/one.ipynb")
    assert notebook_site.build().returncode == 0
    assert "ok   The product" in text_of(notebook_site.page("labs/one"))
    assert not re.search(
        r"<script[^>]*>[^<]*(import|require)|cdnjs|jsdelivr|unpkg",
        notebook_site.page("labs/one").split("</head>")[1],
    )
    notebook_site.replace('"ok  "', '"yes "', "src/nextword/checks.py")
    assert notebook_site.build().returncode == 0
    assert "yes  The product" in text_of(notebook_site.page("labs/one"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("allow_errors: false", "allow_errors: true", "allow_errors is True, expected False"),
        ("cache: false", "cache: true", "cache is True, expected False"),
        ("execute: true", "execute: false", "execute is False, expected True"),
        ('include: ["*.ipynb"]', 'include: ["*.ipynb", "*.py"]', "include is"),
        ("  - coursebuild.extension\n", "", "coursebuild.extension is missing"),
        (
            "  - markdown-exec: {languages: []}\n",
            "  - markdown-exec: {languages: [python]}\n",
            "not the press's own",
        ),
        ("  - lessons/one.md\n", "", "missing from the nav"),
        ("  - lessons/one.md\n", "  - lessons/one.md\n  - lessons/none.md\n", "lessons/none.md is no page"),
    ],
)
def test_the_build_refuses_a_configuration(
    notebook_site: SmallSite, old: str, new: str, message: str
) -> None:
    notebook_site.write(GOOD_NOTEBOOK, "docs/labs/one.ipynb")
    notebook_site.replace(old, new, "mkdocs.yml")
    for status, said in notebook_site.build_with((), ("-q",)):
        assert status != 0, said
        assert message in said


def test_the_preview_of_the_project_watches_its_source() -> None:
    text = (Path(__file__).resolve().parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.search(r"^watch:.*\bsrc\b", text, re.MULTILINE)
