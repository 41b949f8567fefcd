"""The rendered page, read for numbers: also where a figure that it quotes is missing."""

from dataclasses import replace

import pytest

from coursebuild.approval import pages_of
from coursebuild.press import Press
from coursebuild.rendered import unseen

from .conftest import SmallSite

FRONT = "docs/index.md"
LESSON = "docs/lessons/one.md"
TOTAL = "total = sum([1, 2, 3])"
CHECK = 'check("The parts add up", total, 6)'
FIGURE = 'figure("total", total)'

MISSING = {
    "a panel that raises": (TOTAL, "total = 1 / 0", "ZeroDivisionError"),
    "a panel that was never run": ('title="Adding"', 'title="Adding" needs="numpy"', "it was never run"),
    "a panel that is not read": ('exec="on"', 'exce="on"', "unknown option 'exce'"),
    "a panel with a false claim, whose figure is text": (
        f"{CHECK}\n{FIGURE}",
        f"{CHECK.replace('6', '7')}\n{FIGURE.replace('total)', 'str(total))')}",
        "does not hold: got 6, expected 7",
    ),
}
"""What keeps a figure from the page that quotes it: what is replaced in the lesson, by what, and the fault."""


@pytest.fixture
def quoting_site(small_site: SmallSite) -> SmallSite:
    """The front page quotes the lesson's panel."""
    small_site.write("# The front page\n\nIt says [[1.1.total]] and [[1.1.total:.1f]].\n", FRONT)
    return small_site


def pressed(site: SmallSite) -> Press:
    press = Press(site.root)
    press.prepare(pages_of(site.root))
    return press


def test_a_number_of_no_panel_is_seen(quoting_site: SmallSite) -> None:
    press = pressed(quoting_site)
    front = press.pages[FRONT]
    assert unseen(press, front, "<p>It says 6 and 6.0, see panel 1.1.</p>") == []
    [fault] = unseen(press, front, "<p>It says 6 and 7.</p>")
    assert (fault.path, fault.message.split(" is ")[0]) == (FRONT, "the number '7'")


@pytest.mark.parametrize("name", MISSING)
def test_a_figure_of_a_faulty_panel_on_another_page_is_that_panels_fault_alone(
    quoting_site: SmallSite, name: str
) -> None:
    old, new, message = MISSING[name]
    quoting_site.replace(old, new)
    press = pressed(quoting_site)
    assert any(fault.path == LESSON and message in fault.message for fault in press.faults)
    assert unseen(press, press.pages[FRONT], "<p>It says ⟦1.1.total⟧.</p>") == []


def test_a_missing_figure_that_nothing_explains_is_a_fault_of_the_line_that_quotes_it(
    quoting_site: SmallSite,
) -> None:
    press = pressed(quoting_site)
    press.results["1.1"] = replace(press.results["1.1"], figures={})
    [fault] = unseen(press, press.pages[FRONT], "<p>It says ⟦1.1.total⟧.</p>")
    assert fault.place == f"{FRONT}:3"
    assert fault.message == "panel 1.1 names no figure 'total'; it has: none"


@pytest.mark.slow
@pytest.mark.parametrize("name", MISSING)
def test_a_build_names_the_place_of_the_fault(quoting_site: SmallSite, name: str) -> None:
    old, new, message = MISSING[name]
    line = quoting_site.replace(old, new)
    [(status, said)] = quoting_site.build_with(("-q",))
    assert status != 0
    assert f"{LESSON}:{line}: " in said
    assert message in said
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize("page", [FRONT, LESSON])
def test_a_figure_that_the_panel_does_not_name_is_a_fault_of_the_line_that_quotes_it(
    quoting_site: SmallSite, page: str
) -> None:
    line = quoting_site.replace("[[1.1.total]]", "[[1.1.nosuchname]]", page)
    [(status, said)] = quoting_site.build_with(("-q",))
    assert status != 0
    assert f"{page}:{line}: prose: panel 1.1 names no figure 'nosuchname'; it has: total" in said
    assert "Traceback" not in said
