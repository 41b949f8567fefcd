"""The menu of a claim: by keys, without scripts, and where its link leads."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import OpenPage

LESSON = "lessons/17-tokenization/"


def first_claim(page: Page) -> Locator:
    return page.locator('[id="panel-17.1"] .claim').first


def test_a_claim_is_linked_and_reported_by_keys_alone(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(LESSON)
    claim = first_claim(page)
    anchor = claim.get_attribute("id")
    sentence = claim.locator(".claim__text").inner_text().removeprefix("holds:").strip()
    menu = claim.locator(".menu")
    expect(menu.locator("a").first).not_to_be_visible()

    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    link = menu.get_by_role("link", name="Link to this claim")
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith(f"{LESSON}#{anchor}")

    report = menu.get_by_role("link", name="Report an error")
    expect(report).to_have_count(page.get_by_role("link", name="Source of the course").count())
    if report.count():  # the site was built where the repository is known
        for reached in (
            menu.locator("summary"),
            link,
            report,
        ):  # a link within the page leads to the claim, and on from there
            page.keyboard.press("Tab")
            expect(reached).to_be_focused()
        said = parse_qs(urlsplit(report.get_attribute("href") or "").query)
        assert said["page"] == [f"{LESSON}#{anchor}"]
        assert said["panel"] == ["17.1"]
        assert said["claim"][0].replace("`", "") == sentence
        assert said["version"]


def test_each_menu_has_a_name_of_its_own(page: Page) -> None:
    page.goto(LESSON)
    names = [summary.get_attribute("aria-label") for summary in page.locator(".menu > summary").all()]
    assert len(names) > 20
    assert len(set(names)) == len(names)


def test_a_menu_that_is_closed_takes_no_room(page: Page) -> None:
    page.goto(LESSON)
    claim = first_claim(page)
    menu = claim.locator(".menu")
    before = claim.bounding_box()
    assert menu.evaluate("menu => menu.offsetHeight") == 0
    menu.locator("summary").click()
    after = claim.bounding_box()
    assert before and after
    assert after["height"] > before["height"]
    text, mark = claim.locator(".claim__text").bounding_box(), menu.locator("summary").bounding_box()
    assert text and mark
    assert text["x"] + text["width"] <= mark["x"], "the mark covers no text"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_address_of_a_folded_claim_opens_what_folds_it(open_page: OpenPage, scripts: bool) -> None:
    page = open_page(java_script_enabled=scripts)
    page.goto(LESSON)
    folded = page.locator(".claims__more .claim").first
    expect(folded).not_to_be_visible()
    page.goto(f"{LESSON}#{folded.get_attribute('id')}")
    expect(folded).to_be_in_viewport()
    folded.locator(".menu > summary").click()
    expect(folded.locator(".menu > a").first).to_be_visible()
    folded.locator(".menu > a").first.click()
    expect(page).to_have_url(re.compile(f"#{folded.get_attribute('id')}$"))
