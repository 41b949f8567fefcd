"""The pages for readers who have no scripts, or who want no motion."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import OpenPage
from .pages import LESSONS, TYPES, name

MOVING = (
    """() => document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime > 1).length"""
)


@pytest.fixture
def plain(open_page: OpenPage) -> Page:
    return open_page(java_script_enabled=False)


@pytest.mark.parametrize("path", TYPES, ids=name)
def test_a_page_is_read_without_scripts(plain: Page, path: str) -> None:
    plain.goto(path)
    expect(plain.get_by_role("heading", level=1).first).to_be_visible()
    assert len(plain.locator("article").inner_text()) > 500
    dead = [button.inner_text() for button in plain.locator("button").all() if button.is_visible()]
    assert dead == [], "a button is in sight that does nothing without scripts"
    for hidden in ("[data-md-component=palette]", ".md-search", ".header-button--search"):
        expect(plain.locator(hidden)).not_to_be_visible()


def test_code_outputs_and_claims_are_there_without_scripts(plain: Page) -> None:
    plain.goto(LESSONS[0])
    panel = plain.locator(".panel").first
    for part in (".panel__code", ".panel__output", ".claim"):
        expect(panel.locator(part).first).to_be_visible()
    folded = plain.locator("details.question").first
    folded.locator("summary").click()
    expect(folded.locator("p").first).to_be_visible()
    program = plain.locator("details[data-program]").first
    program.locator("summary").click()
    expect(program.get_by_role("link")).to_be_visible()


def test_the_contents_of_a_phone_open_without_scripts(open_page: OpenPage) -> None:
    phone = open_page(phone=True, java_script_enabled=False)
    phone.goto(LESSONS[0])
    phone.locator(".header-button--drawer").tap()
    link = phone.get_by_role("navigation", name="Lessons").get_by_role("link", name="18 Next-word prediction")
    expect(link).to_be_in_viewport()


def test_nothing_moves_for_a_reader_who_wants_no_motion(open_page: OpenPage) -> None:
    phone = open_page(phone=True, reduced_motion="reduce")
    phone.goto(LESSONS[0])
    phone.locator(".header-button--drawer").tap()
    assert phone.evaluate(MOVING) == 0
    assert (
        phone.evaluate(
            """() => [...document.querySelectorAll("*")].filter((element) => {
          const { animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(element);
          const long = (times) => times.split(",").some((time) => parseFloat(time) > 0.001);
          return long(animationDuration) || long(transitionDuration) || scrollBehavior === "smooth";
        }).length"""
        )
        == 0
    )
