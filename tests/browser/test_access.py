"""axe-core finds nothing wrong with any type of page, in both schemes, wide and on a phone."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from .axe import faults
from .conftest import OpenPage, Watch
from .pages import TYPES, name
from .server import serving
from .test_phone import unfold

WIDTHS = pytest.mark.parametrize("on_phone", [False, True], ids=["wide", "phone"])


def in_both_schemes(page: Page) -> list[str]:
    """Every rule in the light scheme; in the dark one those that look at colours, all that it changes."""
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    found = faults(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    return found + faults(page, colours_only=True)


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
    page.get_by_role("textbox", name="Search").fill("merge")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    assert in_both_schemes(page) == []


def test_axe_finds_nothing_in_the_open_drawer(phone: Page) -> None:
    phone.goto("lessons/17-tokenization/")
    phone.get_by_role("button", name="Contents").tap()
    expect(phone.locator(".md-nav--primary")).to_be_visible()
    assert in_both_schemes(phone) == []


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
