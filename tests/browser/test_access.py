"""axe-core finds nothing wrong with any type of page, in both schemes, wide and on a phone."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Locator, Page, expect

from .axe import faults
from .conftest import OpenPage, Watch
from .pages import TYPES, name
from .server import serving
from .test_phone import too_small, too_wide, unfold

SLOWEST_RUN = 150_000  # ms, the start of Python included
ENDED = re.compile(r"Ran in|It broke")
WIDTHS = pytest.mark.parametrize("on_phone", [False, True], ids=["wide", "phone"])


def in_both_schemes(page: Page) -> list[str]:
    """Every rule in the light scheme; in the dark one those that look at colours, all that it changes."""
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    found = faults(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    return found + faults(page, colours_only=True)


def edit(panel: Locator, added: str) -> None:
    """Open the editor of a panel and write something at the end of its program."""
    panel.get_by_role("button", name="Edit").click()
    field = panel.get_by_role("textbox")
    field.fill(field.input_value() + added)


def run_to_its_end(panel: Locator) -> None:
    panel.locator(".live__run").click()
    expect(panel.locator(".live__status")).to_have_text(ENDED, timeout=SLOWEST_RUN)


@WIDTHS
@pytest.mark.parametrize("path", TYPES, ids=name)
def test_axe_finds_nothing(open_page: OpenPage, path: str, on_phone: bool) -> None:
    page = open_page(phone=on_phone)
    page.goto(path)
    unfold(page)
    assert in_both_schemes(page) == []


@WIDTHS
def test_axe_finds_nothing_on_the_page_for_a_missing_one(
    open_page: OpenPage, built_site: Path, watch: Watch, on_phone: bool
) -> None:
    with serving(built_site, "/") as server:  # it names its styles from the root of a host
        watch.home = server.url
        watch.expect(r"404 \(Not Found\)")
        page = open_page(phone=on_phone)
        page.goto(server.url + "no-such-page")
        assert in_both_schemes(page) == []
        page.goto("about:blank")


@WIDTHS
def test_axe_finds_nothing_while_searching(open_page: OpenPage, on_phone: bool) -> None:
    page = open_page(phone=on_phone)
    page.goto("lessons/17-tokenization/")
    if on_phone:
        page.get_by_role("button", name="Search", exact=True).tap()
    page.get_by_role("textbox", name="Search").press_sequentially("merge")  # the theme hears keys
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    assert in_both_schemes(page) == []


def test_axe_finds_nothing_in_the_open_drawer(phone: Page) -> None:
    phone.goto("lessons/17-tokenization/")
    phone.get_by_role("button", name="Contents").tap()
    expect(phone.locator(".md-nav--primary")).to_be_visible()
    assert in_both_schemes(phone) == []


@WIDTHS
def test_axe_finds_nothing_on_a_page_whose_panels_were_run_and_edited(
    open_page: OpenPage, on_phone: bool
) -> None:
    """One panel that ran, one whose claim fails, one that broke, and an exercise's editor, all on their pages at once."""
    page = open_page(phone=on_phone)
    page.goto("lessons/17-tokenization/")
    as_it_is, failing, broken = (page.locator(f'[id="panel-{ident}"]') for ident in ("17.1", "17.2", "17.3"))
    run_to_its_end(as_it_is)
    edit(failing, "\ncheck('Two is three', 2, 3)\nprint('long ' * 60)\n")
    run_to_its_end(failing)
    expect(failing.locator(".claim--failed")).to_have_count(1)
    edit(broken, "\n1 / 0\n")
    run_to_its_end(broken)
    expect(broken.locator(".live__error")).to_be_visible()
    assert in_both_schemes(page) == []
    if on_phone:
        assert too_wide(page) == []
        assert too_small(page, ".md-content") == []


@WIDTHS
def test_axe_finds_nothing_on_an_exercise_that_was_answered(open_page: OpenPage, on_phone: bool) -> None:
    page = open_page(phone=on_phone)
    page.goto("exercises/17-tokenization/")
    exercise = page.locator('[id="panel-exercise-17.3"]')  # its starting point is an answer, a wrong one
    exercise.get_by_role("button", name="Edit").click()
    expect(exercise.get_by_role("textbox")).to_be_visible()
    run_to_its_end(exercise)
    assert in_both_schemes(page) == []
    if on_phone:
        assert too_wide(page) == []
        assert too_small(page, ".md-content") == []


def test_every_picture_has_a_text_in_its_place(built_site: Path) -> None:
    """A drawing has a title and a description, or its figure a table of what it shows; what only adorns is hidden."""
    for page in sorted(built_site.rglob("*.html")):
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        for picture in soup.select("svg, img"):
            where = f"{page.relative_to(built_site)}: {str(picture)[:120]}"
            if picture.find_parent("article") is None or picture.find_parent(attrs={"aria-hidden": "true"}):
                continue  # an icon of the frame: its button or link has the name, which axe asks for
            if picture.get("aria-hidden") == "true":
                continue
            if picture.name == "img":
                assert str(picture.get("alt", "")).strip(), where
                continue
            assert picture.get("role") == "img", where
            title, description = picture.find("title"), picture.find("desc")
            assert title is not None and title.get_text(strip=True), where
            assert description is not None and description.get_text(strip=True), where
            named = f"{picture.get('aria-labelledby', '')} {picture.get('aria-describedby', '')}".split()
            assert {title.get("id"), description.get("id")} <= set(named), where
