"""The pages on a phone, 360 pixels wide: nothing scrolls sideways, and a finger finds every control."""

import pytest
from playwright.sync_api import Page, expect

from .pages import ALL, name

WIDTH, LEAST = 360, 44

# The elements that reach past the right edge of the screen and that nothing around them cuts off or scrolls. One without
# content, a shade behind something else, loses nothing there.
TOO_WIDE = """() => {
  const held = (element) => {
    for (let box = element.parentElement; box && box !== document.documentElement; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible" && box !== document.body) return true;
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.textContent.trim() || element.matches("img, svg, input, select, textarea, button"))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !held(element))
    .map((element) => `${element.tagName} .${element.className} ${element.textContent.trim().slice(0, 40)}`);
}"""

# The controls in sight that are smaller than a finger needs. A link in a line of text is none of them: its height is the
# line's (WCAG 2.2, 2.5.8, exception "Inline"), and so it is in a cell of a table. What stands alone in its block is a control. A label
# beside a control that is large enough is none, nor a control inside of a label that is: the finger has the other (exception "Equivalent").
TOO_SMALL = """([scope, least]) => {
  const block = (element) => {
    while (getComputedStyle(element).display.startsWith("inline")) element = element.parentElement;
    return element;
  };
  const inText = (link) => {
    if (link.localName !== "a" || !getComputedStyle(link).display.startsWith("inline")) return false;
    if (link.closest("td, th")) return true;
    const line = block(link).cloneNode(true);
    for (const other of line.querySelectorAll("a, button, label, svg")) other.remove();
    return /[\\p{L}\\p{N}]/u.test(line.textContent);
  };
  const described = (element) =>
    `${element.localName}.${element.className?.baseVal ?? element.className} “${element.textContent.trim().slice(0, 30)}”`;
  const small = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width < least - 0.5 || height < least - 0.5;
  };
  const found = [];
  const controls = "a[href], button, summary, select, textarea, input, label[for], [role=button], [role=tab], [role=link]";
  for (const root of document.querySelectorAll(scope))
    for (const control of root.querySelectorAll(controls)) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const { width, height } = control.getBoundingClientRect();
      if (width <= 1 || height <= 1 || inText(control)) continue; // hidden from the eye: screen readers have it
      const others = control.localName === "label" ? [control.control] : [control.closest("label")];
      if (small(control) && others.every((other) => !other || small(other)))
        found.push(`${described(control)} is ${width.toFixed(1)} x ${height.toFixed(1)}`);
    }
  return found;
}"""


def too_wide(page: Page) -> list[str]:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    found: list[str] = page.evaluate(TOO_WIDE)
    return found or ([f"the page is {width} wide"] if width > WIDTH else [])


def too_small(page: Page, scope: str) -> list[str]:
    found: list[str] = page.evaluate(TOO_SMALL, [scope, LEAST])
    return found


def unfold(page: Page) -> None:
    """Open every folded part of a page, and wait for the programs that some of them fetch."""
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    for index in range(page.locator("details[data-program]").count()):
        expect(page.locator("details[data-program]").nth(index).locator("pre code")).not_to_be_empty()


@pytest.mark.parametrize("path", ALL, ids=name)
def test_a_page_fits_the_screen_and_the_finger(phone: Page, path: str) -> None:
    phone.goto(path)
    assert too_wide(phone) == []
    unfold(phone)
    assert too_wide(phone) == []
    assert too_small(phone, ".md-header, .md-content, .md-footer") == []


def test_the_instruments_at_work_fit_the_screen_and_the_finger(phone: Page) -> None:
    phone.goto("instruments/")
    figures = phone.locator("figure.instrument")
    assert figures.count() == 6
    for index in range(figures.count()):
        figures.nth(index).scroll_into_view_if_needed()
        expect(figures.nth(index).locator(".instrument__controls")).to_be_visible()
    assert too_wide(phone) == []
    assert too_small(phone, ".md-content") == []


def test_the_contents_fit_the_finger(phone: Page) -> None:
    """Each level of the drawer, with the links to the parts of the page."""
    phone.goto("lessons/17-tokenization/")
    phone.get_by_role("button", name="Contents").tap()
    lessons = phone.get_by_role("navigation", name="Lessons")
    expect(lessons.get_by_role("link", name="18 Next-word prediction")).to_be_in_viewport()
    assert too_small(phone, ".md-sidebar--primary") == []
    assert too_wide(phone) == []


def test_the_search_fits_the_finger(phone: Page) -> None:
    phone.goto("lessons/17-tokenization/")
    phone.get_by_role("button", name="Search", exact=True).tap()
    phone.get_by_role("textbox", name="Search").press_sequentially("merge")  # the theme hears keys
    expect(phone.locator(".md-search-result__item").first).to_be_in_viewport()
    assert too_small(phone, ".md-search") == []
    assert too_wide(phone) == []
