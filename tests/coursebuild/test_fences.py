"""The header of a fence: the panel that it holds, or what is refused about it, in full."""

import pytest

from coursebuild.faults import Fault, Problem
from coursebuild.fences import from_fence, sketch
from coursebuild.panels import Claim, Panel
from coursebuild.source import Fence, read

pytestmark = pytest.mark.once

WELL = 'exec="on" id="1.1" title="x"'
OPENED = Panel("1.1", "x", "a = 1", "docs/p.md", 1, session="1.1")
CONTINUED = Panel("1.2", "x", "b = a", "docs/p.md", 5, (OPENED,), session="1.1")
ALONE = Panel("1.3", "x", "c = 1", "docs/p.md", 9)
EARLIER = {panel.ident: panel for panel in (OPENED, CONTINUED, ALONE)}


def held(header: str, body: str = "a = 1", end: str = "```") -> tuple[Panel | None, list[Fault]]:
    """What is made of a fence in the third line of a page."""
    return sketch("docs/p.md", read(f"# P\n\n```{header}\n{body}\n{end}\n").fences[0], EARLIER)


def parts(fault: Fault) -> tuple[object, ...]:
    return fault.kind, fault.path, fault.line, fault.subject, fault.message, fault.hint, fault.anchor


TAKES = "write one that a panel takes: data, exec, id, needs, session, title"
CALLED = 'write id="17.1", or id="softmax.1" on other pages'
FILES = 'write data="name.txt", a file of docs/assets/data'
PACKAGES = 'write needs="torch", as pip names it'
UNTITLED = ("panel-title-missing", "a panel needs a title that says what it shows", "")
NEVER = ("python-not-run", 'this block never runs: no exec, expected exec="on"', "")


@pytest.mark.parametrize(
    ("header", "refused"),
    [
        (f'python {WELL} b="1" a="2"', [("option-unknown", "unknown option 'a'", TAKES)]),
        ('python exce="on" id="1.1"', [("option-unknown", "unknown option 'exce'", TAKES)]),
        (
            'python exec="On" id="1.1" a="1"',
            [
                ("option-unknown", "unknown option 'a'", TAKES),
                ("python-not-run", "this block never runs: exec='On', expected exec=\"on\"", ""),
            ],
        ),
        (f"py3 {WELL}", [("python-misnamed", "a block in 'py3' never runs", "")]),
        ('python id="1.1" title="x"', [NEVER]),
        ('python exec="on" id="1.1"', [UNTITLED]),
        ('python exec="on" id="1.1" title=" "', [UNTITLED]),
        ('python id="1.1"', [NEVER, UNTITLED]),
        *[
            (f'python exec="on" id="{name}" title="x"', [("panel-id-malformed", f"id '{name}' is no panel's id", CALLED)])
            for name in ("1", "A.1", "1.1.1", "../1.1", "a_b.1", ".1", "1a.1", "1.a", "-a.1")
        ],
        (f'python {WELL} session="1.0"', [("session-unknown", "session '1.0' is no earlier panel of this page", "")]),
        *[
            (
                f'python {WELL.replace("1.1", "1.9")} session="{name}"',
                [("session-not-opened", f"panel {name} opens no session that this one could continue", f'add session="{first}" to it as well')],
            )
            for name, first in (("1.3", "1.3"), ("1.2", "1.2"))
        ],
        *[
            (f'python {WELL} data="{names}"', [("data-malformed", f"data '{names}' names no files", FILES)])
            for names in ("", " ", "a", "a.txt b", "b a.txt", "a/b.txt", ".txt", "a.b/c")
        ],
        *[
            (f'python {WELL} needs="{names}"', [("needs-malformed", f"needs '{names}' names no packages", PACKAGES)])
            for names in ("", " ", "Torch", "torch 1", "1 torch", "a_b", "a/b", "aX")
        ],
        (
            f'python {WELL} needs="A" data="b"',
            [("data-malformed", "data 'b' names no files", FILES), ("needs-malformed", "needs 'A' names no packages", PACKAGES)],
        ),
    ],
)  # fmt: skip
def test_a_header_that_no_panel_has_is_refused(header: str, refused: list[tuple[str, str, str]]) -> None:
    panel, faults = held(header)
    ident = dict(read(f"```{header}\n```").fences[0].options)["id"]
    assert panel is None
    assert [parts(fault) for fault in faults] == [
        (kind, "docs/p.md", 3, f"panel {ident}", message, hint, ident) for kind, message, hint in refused
    ]


def test_a_panel_without_an_id_is_called_by_its_language() -> None:
    panel, faults = held('python exec="on" title="x"')
    assert panel is None
    assert [parts(fault) for fault in faults] == [
        ("panel-id-malformed", "docs/p.md", 3, "python block", "id '' is no panel's id", CALLED, "")
    ]


@pytest.mark.parametrize(
    ("header", "end", "kind", "subject", "anchor"),
    [
        ("python exec='on' id='1.1'", "```", "options-unreadable", "python block", "1.1"),
        ("python exec='on' id=rotary.2", "```", "options-unreadable", "python block", "rotary.2"),
        ('python exec=on id="a-b.1"', "```", "options-unreadable", "python block", "a-b.1"),
        ("python exec=on", "```", "options-unreadable", "python block", ""),
        ("python exec=on grid=1", "```", "options-unreadable", "python block", ""),
        (f'python {WELL} title="y"', "```", "option-twice", "panel 1.1", "1.1"),
        (f"python {WELL}", "", "block-open", "panel 1.1", "1.1"),
    ],
)
def test_a_block_that_markdown_takes_otherwise_is_refused(
    header: str, end: str, kind: str, subject: str, anchor: str
) -> None:
    problem = read(f"# P\n\n```{header}\na = 1\n{end}\n").fences[0].problem
    panel, faults = held(header, end=end)
    assert panel is None
    assert [parts(fault) for fault in faults] == [(kind, "docs/p.md", 3, subject, problem, "", anchor)]


@pytest.mark.parametrize("option", ["exec", "id", "session"])
@pytest.mark.parametrize("language", ["text", ""])
def test_a_panels_option_on_another_block_is_refused(option: str, language: str) -> None:
    panel, faults = sketch("docs/p.md", Fence(3, language, ((option, "1.1"), ("title", "x")), ""), {})
    ident = "1.1" if option == "id" else ""
    subject = "panel 1.1" if ident else f"{language or 'code'} block"
    message = "only Python is run, so exec, id and session belong to a python block"
    assert panel is None
    assert [parts(fault) for fault in faults] == [
        ("exec-not-python", "docs/p.md", 3, subject, message, "", ident)
    ]


def test_another_block_is_none_of_ours() -> None:
    assert held('text title="x" data="y"') == (None, [])
    assert held("") == (None, [])
    broken = Fence(3, "text", (("exec", "on"),), "", Problem("option-twice", "twice"))
    assert sketch("docs/p.md", broken, {}) == (None, [])


@pytest.mark.parametrize(
    ("options", "panel"),
    [
        ("", Panel("1.1", "x", "a = 1", "docs/p.md", 3)),
        (' session="1.1"', Panel("1.1", "x", "a = 1", "docs/p.md", 3, session="1.1")),
        (' data="a.txt b-c.d_e.f"', Panel("1.1", "x", "a = 1", "docs/p.md", 3, data=("a.txt", "b-c.d_e.f"))),
        (
            ' needs="torch scikit-learn2"',
            Panel("1.1", "x", "a = 1", "docs/p.md", 3, needs=("torch", "scikit-learn2")),
        ),
    ],
)
def test_a_good_header_is_a_panel(options: str, panel: Panel) -> None:
    assert held(f"python {WELL}{options}") == (panel, [])


@pytest.mark.parametrize("ident", ["17.12", "rotary.2", "norms-and-gates.1", "a2.1"])
def test_a_panel_is_called_by_its_lesson_or_its_page(ident: str) -> None:
    panel, faults = held(f'python exec="on" id="{ident}" title="x"')
    assert (panel and panel.ident, faults) == (ident, [])


def test_a_panel_continues_the_one_that_opened_the_session() -> None:
    panel, faults = held('python exec="on" id="1.4" title="x" session="1.1"')
    assert (panel, faults) == (
        Panel("1.4", "x", "a = 1", "docs/p.md", 3, (OPENED,), session="1.1"),
        [],
    )


CHECKED = 'from nextword.checks import check\n\ncheck("It adds up", sum([1]), 1)\ncheck("It is", 1, 2)'


def test_a_panel_knows_its_claims_and_what_is_wrong_with_them() -> None:
    panel, faults = from_fence("docs/p.md", read(f"```python {WELL}\n{CHECKED}\n```").fences[0], {})
    assert panel
    assert panel.claims == (Claim(3, "It adds up"), Claim(4, "It is"))
    assert {(fault.kind, fault.place) for fault in faults} == {
        ("check-cannot-fail", "docs/p.md:4"),
        ("check-cannot-fail", "docs/p.md:5"),
    }
    assert panel.code == CHECKED


def test_the_claims_of_what_is_no_panel_are_not_looked_for() -> None:
    fence = read(f'```python exec="on" id="1.1"\n{CHECKED}\n```').fences[0]
    panel, faults = from_fence("docs/p.md", fence, {})
    assert (panel, [fault.kind for fault in faults]) == (None, ["panel-title-missing"])


def test_a_panel_continues_one_of_those_before_it() -> None:
    fence = read(f'```python {WELL.replace("1.1", "1.4")} session="1.1"\n{CHECKED}\n```').fences[0]
    panel, _ = from_fence("docs/p.md", fence, EARLIER)
    assert panel
    assert panel.program[:-1] == (OPENED,)
