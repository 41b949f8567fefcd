"""A panel as its author wrote it: its parts, its program, its place in messages."""

import pytest

from coursebuild.faults import Fault
from coursebuild.panels import Claim, Panel, is_python
from coursebuild.source import Fence

pytestmark = pytest.mark.once

CODE = "\nimport a\n\nb = a.b\ncheck(b)\n\ncheck(a)\n"
FIRST = Panel("1.1", "x", "a = 1", "docs/p.md", 10, data=("b.txt", "a.txt"), needs=("torch",))
SECOND = Panel("1.2", "y", "b = 1", "docs/p.md", 20, FIRST.program, data=("a.txt", "c.txt"), needs=("numpy", "torch"))  # fmt: skip


def test_what_is_not_said_is_nothing() -> None:
    panel = Panel("1.1", "x", "a = 1", "docs/p.md", 10)
    assert (panel.before, panel.claims, panel.data, panel.session, panel.needs) == ((), (), (), "", ())


def test_two_that_differ_only_in_what_was_found_in_their_code_are_the_same() -> None:
    assert Panel("1.1", "x", "", "p.md", 1, claims=(Claim(1, "c"),)) == Panel("1.1", "x", "", "p.md", 1)


def test_a_fault_stands_at_a_line_of_the_page() -> None:
    assert FIRST.fault("claim-false", "no", 3, "mend it") == Fault(
        "claim-false", "docs/p.md", 13, "panel 1.1", "no", "mend it", "1.1"
    )
    plain = FIRST.fault("claim-false", "no")
    assert plain == Fault("claim-false", "docs/p.md", 10, "panel 1.1", "no", "", "1.1")
    assert plain.kind == "claim-false"


@pytest.mark.parametrize(
    ("claims", "parts"),
    [
        ((), ("import a\n\nb = a.b\ncheck(b)\n\ncheck(a)", "")),
        ((Claim(7, ""), Claim(5, "")), ("import a\n\nb = a.b", "check(b)\n\ncheck(a)")),
        ((Claim(7, ""),), ("import a\n\nb = a.b\ncheck(b)", "check(a)")),
        ((Claim(1, ""),), ("", "import a\n\nb = a.b\ncheck(b)\n\ncheck(a)")),
    ],
)
def test_the_first_check_parts_what_is_followed_from_what_proves_it(
    claims: tuple[Claim, ...], parts: tuple[str, str]
) -> None:
    assert Panel("1.1", "x", CODE, "p.md", 1, claims=claims).parts == parts


def test_a_panel_needs_what_those_need_that_it_continues() -> None:
    assert SECOND.program == (FIRST, SECOND)
    assert SECOND.files == ["b.txt", "a.txt", "c.txt"]
    assert SECOND.packages == ["torch", "numpy"]


@pytest.mark.parametrize(
    "language", ["python", "Python", "py", "python3", "py3", "pycon", "ipython", "pyodide", "doctest"]
)
def test_a_reader_takes_it_for_python(language: str) -> None:
    assert is_python(Fence(1, language, (), ""))


@pytest.mark.parametrize("language", ["", "text", "bash", "pythons"])
def test_a_reader_takes_it_for_something_else(language: str) -> None:
    assert not is_python(Fence(1, language, (), ""))
