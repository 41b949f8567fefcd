"""What the tests of instruments share: the page of all of them, and how one is made ready."""

import re

from playwright.sync_api import Locator, Page, expect

PAGE = "instruments/"


def figure_of(page: Page, name: str) -> Locator:
    """An instrument on the present page, ready to be used."""
    figure = page.locator(f"#try-{name}")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_class(re.compile("instrument--live"))
    return figure


def opened(page: Page, name: str, link: str = "") -> Locator:
    """An instrument on the page of all of them, in the state of a link."""
    page.goto(f"{PAGE}#try-{name}{'?' if link else ''}{link}")
    return figure_of(page, name)
