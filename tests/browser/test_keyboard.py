"""A reader with a keyboard alone gets through a whole lesson: in order, seeing where, and out of everything again."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import OpenPage

LESSON = "lessons/17-tokenization/"
SLOWEST_RUN = 150_000  # ms, the start of Python included

# What has the focus, and whether it can be seen: in the window, on top of all else, with a ring (of its label, if the eye sees
# that alone), and after what had the focus before. What opens at its focus, such as the search of a phone, has some time to do so.
FOCUSED = """async (forward) => {
  const has = document.activeElement;
  if (has === document.body || globalThis.reached?.has(has)) return null; // once around: this window has no frame to go to
  const seen = has.matches(".md-option") ? has.nextElementSibling : has;
  const look = () => {
    const [box] = seen.getClientRects();
    const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
    const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
    const points = [0.5, 0.1, 0.9].map((part) => document.elementFromPoint((left + right) / 2, top + (bottom - top) * part));
    const { outlineStyle, outlineWidth, opacity } = getComputedStyle(seen);
    return {
      visible: right - left > 1 && bottom - top > 1 && opacity !== "0",
      on_top: points.some((found) => found && (seen.contains(found) || found.contains(seen))),
      ringed: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
    };
  };
  const ends = performance.now() + 5000;
  let looks = look();
  while (!Object.values(looks).every(Boolean) && performance.now() < ends) {
    await new Promise((done) => setTimeout(done, 50));
    looks = look();
  }
  const order = globalThis.before?.compareDocumentPosition(has) ?? 0;
  const asked = forward ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
  const again = globalThis.before === has;
  globalThis.before = has;
  globalThis.reached = (globalThis.reached ?? new Set()).add(has);
  return {
    what: `${has.localName}.${has.className} “${has.textContent.trim().slice(0, 30)}”`,
    ...looks,
    in_order: !again && !(order & asked),
  };
}"""

# What a Tab should have reached: of the radio buttons of one group it reaches the chosen one.
LEFT_OUT = """() =>
  [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((element) => element.tabIndex >= 0 && !(element.type === "radio" && !element.checked))
    .filter((element) => !globalThis.reached.has(element))
    .map((element) => `${element.localName}.${element.className} “${element.textContent.trim().slice(0, 30)}”`)"""


def make_instruments(page: Page) -> None:
    """Let each instrument be what it is once a reader is near: a walk faster than that would count parts that go."""
    for figure in page.locator(".instrument").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_class(re.compile("instrument--live"))
    page.evaluate("scrollTo(0, 0)")


def walk(page: Page, key: str) -> list[dict[str, Any]]:
    """Press a key until the focus has been everywhere that it gets to; each place where it was."""
    page.evaluate("delete globalThis.before; delete globalThis.reached")
    places: list[dict[str, Any]] = []
    while True:
        page.keyboard.press(key)
        place = page.evaluate(FOCUSED, key == "Tab")
        if place is None:
            return places
        places.append(place)
        assert len(places) < 1000, f"the focus does not leave the page: {places[-3:]}"


def wrong(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [place for place in places if not all(place.values())]


@pytest.mark.parametrize("width", [1280, 360])
def test_a_lesson_is_walked_through_in_order_and_back(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page.goto(LESSON)
    make_instruments(page)
    forth = walk(page, "Tab")
    assert page.evaluate(LEFT_OUT) == []
    assert wrong(forth) == []
    back = walk(page, "Shift+Tab")
    assert wrong(back) == []
    assert [place["what"] for place in reversed(back)] == [place["what"] for place in forth]


def test_the_first_key_leads_past_the_frame(page: Page) -> None:
    page.goto(LESSON)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('article') !== null")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_folded_parts_open_and_close_by_keys(page: Page, key: str) -> None:
    page.goto(LESSON)
    for folded in ("details.question", "details.claims__more", "details[data-program]"):
        part = page.locator(folded).first
        part.locator("> summary").focus()
        page.keyboard.press(key)
        expect(part).to_have_attribute("open", "")
        page.keyboard.press(key)
        expect(part).not_to_have_attribute("open", re.compile(""))


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_contents_and_the_search_of_a_narrow_window_open_by_keys(open_page: OpenPage, key: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    page.goto(LESSON)
    contents = page.get_by_role("button", name="Contents")
    link = page.get_by_role("navigation", name="Lessons").get_by_role("link", name="18 Next-word prediction")
    expect(link).not_to_be_visible()
    contents.focus()
    page.keyboard.press(key)
    expect(link).to_be_visible()
    contents.focus()
    page.keyboard.press(key)
    expect(link).not_to_be_visible()

    page.get_by_role("button", name="Search", exact=True).focus()
    page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.type("merge")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".md-search-result__item").first).not_to_be_in_viewport()


def test_colours_change_by_keys(page: Page) -> None:
    page.goto("")
    of_system, light, dark = page.locator(".md-option").all()
    of_system.focus()
    page.keyboard.press("Enter")
    expect(light).to_be_focused()
    page.keyboard.press("Enter")
    expect(dark).to_be_focused()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_a_panel_is_run_edited_and_put_back_by_keys_alone(page: Page) -> None:
    page.goto(LESSON)
    panel = page.locator('[id="panel-17.1"]')
    run, status = panel.get_by_role("button", name="Run"), panel.locator(".live__status")
    field = panel.get_by_role("textbox")
    ended = re.compile("Ran in")

    run.focus()
    page.keyboard.press("Enter")
    expect(status).to_have_text(ended, timeout=SLOWEST_RUN)
    expect(run).to_be_focused()

    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Edit")).to_be_focused()
    page.keyboard.press("Space")
    expect(field).to_be_focused()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.type("print('typed by keys')\n")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(panel.locator(".panel__output")).to_contain_text("typed by keys", timeout=SLOWEST_RUN)
    expect(status).to_have_text(ended)
    expect(field).to_be_focused()

    page.keyboard.press("Tab")  # one who types code indents
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    for _ in range(5):
        if page.evaluate("document.activeElement.matches('.live__reset')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(field).to_have_count(0)
    expect(run).to_be_focused()
    expect(panel.locator(".panel__output")).not_to_contain_text("typed by keys")


def test_the_editor_is_no_trap_for_one_who_only_passes(page: Page) -> None:
    page.goto(LESSON)
    panel = page.locator('[id="panel-17.1"]')
    panel.get_by_role("button", name="Edit").click()
    field = panel.get_by_role("textbox")
    expect(field).to_be_focused()
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    assert not page.evaluate(FOCUSED, True)["what"].startswith("textarea")
    page.keyboard.press("Shift+Tab")
    expect(field).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(field).not_to_be_focused()
