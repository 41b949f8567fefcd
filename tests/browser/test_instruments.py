"""Every instrument in a browser: what it must do whatever it shows. What is special to one is in a file of its own."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import NAMES, Asked, make
from coursebuild.runner import Surroundings

from .axe import faults
from .conftest import OpenPage, Watch
from .instruments import PAGE, figure_of
from .pages import ROOT
from .waiting import until

USED = re.compile(r'^```instrument use="([a-z-]+)"', re.MULTILINE)
PLACES = [
    (f"lessons/{path.stem}/", name)
    for path in sorted((ROOT / "docs" / "lessons").glob("*.md"))
    for name in USED.findall(path.read_text(encoding="utf-8"))
]
BUTTONS = 25
NUMBER = re.compile(r"\d+(?:\.\d+)?")

SHAPES = [
    pytest.param({}, id="wide"),
    pytest.param({"phone": True}, id="phone"),
    pytest.param({"scheme": "dark"}, id="dark"),
    pytest.param({"phone": True, "scheme": "dark"}, id="dark-phone"),
]


def shown(figure: Locator) -> str:
    """What an instrument shows, the values of its fields included, and without what folds."""
    found: str = figure.evaluate(
        """(figure) => {
          const place = figure.querySelector(".instrument__picture");
          const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
          const found = [];
          while (texts.nextNode()) {
            const { data, parentElement } = texts.currentNode;
            if (!parentElement.closest("[role=status], [role=alert], .instrument__bar-of-buttons")) found.push(data);
          }
          for (const { value } of place.querySelectorAll("input, textarea, select")) found.push(value);
          return found.join(" ");
        }"""
    )
    return found


def use_everything(figure: Locator) -> None:
    """Work each control of an instrument, one after the other; of many buttons the first ones."""
    controls = figure.locator(":is(.instrument__controls, .instrument__stage)")
    for index in range(controls.locator("input[type=range]").count()):
        controls.locator("input[type=range]").nth(index).press("ArrowRight")
    for index in range(controls.locator("input[type=checkbox]").count()):
        controls.locator("input[type=checkbox]").nth(index).press("Space")
    for index in range(controls.locator("select").count()):
        options = controls.locator("select").nth(index).locator("option").count()
        controls.locator("select").nth(index).select_option(index=options - 1)
    for index in range(min(controls.locator("button").count(), BUTTONS)):
        button = controls.locator("button").nth(index)
        if button.is_visible():
            button.press("Enter")


def test_each_is_on_the_index_page_and_on_its_lesson() -> None:
    assert {name for _, name in PLACES} == set(NAMES)
    for page in {page for page, _ in PLACES}:
        assert 1 <= sum(other == page for other, _ in PLACES) <= 2, page
    index = (ROOT / "docs" / "instruments.md").read_text(encoding="utf-8")
    assert USED.findall(index) == list(NAMES)


@pytest.mark.parametrize(("path", "name"), [*PLACES, *((PAGE, name) for name in NAMES)])
def test_without_scripts_there_is_a_picture_of_the_same_values(
    open_page: OpenPage, path: str, name: str
) -> None:
    still = open_page(java_script_enabled=False)
    still.goto(path)
    picture = still.locator(f"#try-{name} .instrument__picture")
    expect(picture).to_be_visible()
    text = shown(still.locator(f"#try-{name}"))
    numbers = set(NUMBER.findall(text))
    assert len(numbers) > 3, "a picture of values has values"
    page = open_page()
    page.goto(path)
    live = shown(figure_of(page, name))
    missing = numbers - set(NUMBER.findall(live))
    assert not missing, f"the picture shows {missing}, and the instrument does not"


@pytest.mark.parametrize("shape", SHAPES)
def test_axe_finds_nothing_before_and_after_use(open_page: OpenPage, shape: dict[str, object]) -> None:
    page = open_page(**shape)
    page.goto(PAGE)
    figures = [figure_of(page, name) for name in NAMES]
    assert faults(page) == []
    for figure in figures:
        use_everything(figure)
    assert faults(page) == []


@pytest.mark.parametrize("name", NAMES)
def test_use_changes_what_is_shown_the_address_and_what_is_announced(page: Page, name: str) -> None:
    page.goto(PAGE)
    figure = figure_of(page, name)
    before = shown(figure)
    use_everything(figure)
    expect(figure.locator("[role=status]")).not_to_be_empty()
    assert shown(figure) != before
    until(page, "location.hash.startsWith(argument)", f"#try-{name}?")


@pytest.mark.parametrize("name", NAMES)
def test_a_link_opens_the_state_that_it_was_copied_from(open_page: OpenPage, name: str) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(PAGE)
    figure = figure_of(page, name)
    use_everything(figure)
    wanted = shown(figure)
    figure.get_by_role("button", name="Copy link").click()
    expect(figure.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = open_page()
    other.goto(link)
    again = figure_of(other, name)
    until(other, "document.querySelector(argument).getBoundingClientRect().top < innerHeight", f"#try-{name}")
    assert shown(again) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_reset_brings_back_the_start(page: Page, name: str) -> None:
    page.goto(PAGE)
    figure = figure_of(page, name)
    before = shown(figure)
    use_everything(figure)
    figure.get_by_role("button", name="Reset").click()
    assert shown(figure) == before


def _bad_links() -> Iterator[tuple[str, str, str]]:
    for name in NAMES:
        yield name, "nothing=1", "is no parameter"
        yield name, "<img src=x onerror=alert(1)>=1", "is no parameter"


@pytest.mark.parametrize(("name", "link", "told"), list(_bad_links()))
def test_a_bad_link_is_told_and_changes_nothing(page: Page, name: str, link: str, told: str) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script of the link ran: {dialog.message}"))
    page.goto(PAGE)
    before = shown(figure_of(page, name))
    page.goto("about:blank")
    page.goto(f"{PAGE}#try-{name}?{link}")
    figure = figure_of(page, name)
    expect(figure.get_by_role("alert")).to_contain_text(told)
    assert figure.locator("img").count() == 0
    assert shown(figure) == before


@pytest.mark.parametrize("name", NAMES)
def test_the_keyboard_reaches_everything(page: Page, name: str) -> None:
    page.goto(PAGE)
    figure = figure_of(page, name)
    figure.locator(".instrument__mark").focus()
    wanted = figure.evaluate(
        """(figure) => [...figure.querySelectorAll(".instrument__picture :is(input, select, textarea, button, [tabindex='0'])")]
          .filter((element) => element.checkVisibility() && element.tabIndex >= 0).length"""
    )
    reached = 0
    for _ in range(400):
        page.keyboard.press("Tab")
        place = page.evaluate(
            """(name) => {
              const element = document.activeElement;
              const box = element.getBoundingClientRect();
              const within = element.closest(`#try-${name} .instrument__picture`) !== null;
              return [within, box.bottom > 0 && box.top < innerHeight];
            }""",
            name,
        )
        if not place[0] and reached:
            break
        if not place[0]:
            continue  # a link of the caption
        assert place[1], "what has the focus is in sight"
        reached += 1
    assert reached >= wanted > 3, (reached, wanted)


@pytest.mark.parametrize("shape", [pytest.param({}, id="wide"), pytest.param({"phone": True}, id="phone")])
def test_the_page_never_scrolls_sideways(open_page: OpenPage, shape: dict[str, object]) -> None:
    page = open_page(**shape)
    page.goto(PAGE)
    for name in NAMES:
        use_everything(figure_of(page, name))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


@pytest.mark.parametrize("name", NAMES)
def test_every_state_that_can_be_reached_has_a_link_that_opens(open_page: OpenPage, name: str) -> None:
    """A button pressed again and again must not lead to what a link may not ask for."""
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(PAGE)
    figure = figure_of(page, name)
    figure.evaluate(
        """(figure) => {
          const buttons = () => [...figure.querySelectorAll(":is(.instrument__controls, .instrument__stage) button")];
          for (let index = 0; index < Math.min(buttons().length, 30); index++) for (let time = 0; time < 25; time++) buttons()[index]?.click();
        }"""
    )
    wanted = shown(figure)
    figure.get_by_role("button", name="Copy link").click()
    expect(figure.get_by_role("button", name="Copied")).to_be_visible()
    other = open_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    again = figure_of(other, name)
    expect(again.locator(".instrument__picture > [role=alert]")).to_be_empty()
    assert shown(again) == wanted


def test_the_address_is_the_readers_who_goes_elsewhere(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, "sampler-lab")
    figure.locator("input[type=range]").first.press("ArrowRight")
    page.evaluate("location.hash = '#try-bpe-stepper'")
    page.wait_for_timeout(1000)
    assert page.evaluate("location.hash") == "#try-bpe-stepper"


def test_back_brings_back_the_state_before(page: Page) -> None:
    page.goto(f"{PAGE}#try-sampler-lab")
    figure = figure_of(page, "sampler-lab")
    before = shown(figure)
    page.evaluate("location.hash = '#try-sampler-lab?temperature=2'")
    until(page, "document.querySelector(argument).textContent.includes('entropy 1.9808')", "#try-sampler-lab")
    page.evaluate("location.hash = '#try-sampler-lab?temperature=3'")
    page.wait_for_timeout(1000)
    page.go_back()
    until(page, "document.querySelector(argument).textContent.includes('entropy 1.9808')", "#try-sampler-lab")
    page.go_back()
    page.wait_for_timeout(1000)
    assert shown(figure) == before


@pytest.mark.parametrize("what", ["instruments/mount.js", "sampler_lab.js", "instruments.css"])
def test_who_gets_no_script_is_told(open_page: OpenPage, watch: Watch, what: str) -> None:
    watch.expect("ERR_FAILED")
    page = open_page(service_workers="block")
    page.route(
        re.compile(rf"/{what}$" if "/" in what else rf"/instruments/{what}$"), lambda route: route.abort()
    )
    page.goto(f"{PAGE}#try-sampler-lab?temperature=2")
    figure = page.locator("#try-sampler-lab")
    expect(figure.locator("[role=status]")).to_contain_text("could not be loaded")
    expect(figure.locator(".instrument__picture")).to_contain_text("0.3437")


def test_what_is_refused_stays_to_be_mended(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, "sampler-lab")
    seed = figure.get_by_label("Seed")
    seed.fill("4x")
    seed.press("Tab")
    expect(seed).to_have_attribute("aria-invalid", "true")
    figure.locator("input[type=range]").first.press("ArrowRight")
    expect(seed).to_have_value("4x")
    figure.get_by_role("button", name="Reset").click()
    expect(seed).to_have_value("42")
    expect(seed).not_to_have_attribute("aria-invalid", "true")


def test_a_long_link_is_told_in_short(page: Page) -> None:
    page.goto(f"{PAGE}#try-sampler-lab?{'x' * 100_000}")
    expect(figure_of(page, "sampler-lab").get_by_role("alert").first).to_contain_text("x…” is no parameter")
    assert (
        len(page.locator("#try-sampler-lab .instrument__picture > [role=alert]").text_content() or "") < 400
    )


def test_what_a_finger_presses_is_large_enough(phone: Page) -> None:
    """44 pixels for controls, as on the whole site; cells of a picture need 24 (WCAG 2.2, 2.5.8)."""
    phone.goto(PAGE)
    small = []
    for name in NAMES:
        figure = figure_of(phone, name)
        small += figure.evaluate(
            """(figure) => [...figure.querySelectorAll(".instrument__picture :is(button, select, input, textarea, [role=gridcell])")]
              .filter((element) => element.checkVisibility())
              .map((element) => {
                const target = element.type === "checkbox" ? element.closest("label") : element;
                const { width, height } = target.getBoundingClientRect();
                const least = element.closest("[role=grid], .instrument__tokens") ? 24 : 44;
                return [figure.id, element.className, element.textContent.slice(0, 20), Math.min(width, height), least];
              })
              .filter(([, , , size, least]) => size < least - 0.5)"""
        )
    assert small == []


def test_motion_is_reduced_where_asked(open_page: OpenPage) -> None:
    moving = """() => [...document.querySelectorAll(".instrument, .instrument *")].filter((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      const seconds = `${transitionDuration}, ${animationDuration}`.split(", ").map(parseFloat);
      return Math.max(...seconds) > 0.001; // the site's style sheet leaves a hundredth of a millisecond, so that ends are told
    }).map(({ className }) => String(className))"""
    page = open_page(reduced_motion="reduce")
    page.goto(PAGE)
    for name in NAMES:
        use_everything(figure_of(page, name))
    found = [name for name in page.evaluate(moving) if "md-" not in name and "panel__" not in name]
    assert found == []


def test_nothing_is_loaded_before_a_reader_comes_near(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("lessons/19-decoding/")
    page.wait_for_load_state("networkidle")
    assert not [address for address in asked if "/instruments/" in address]
    figure_of(page, "sampler-lab")
    assert [address for address in asked if address.endswith("/instruments/sampler_lab.js")]


def test_it_works_again_without_a_network(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("lessons/19-decoding/")
    until(page, "navigator.serviceWorker.controller !== null")
    figure = figure_of(page, "sampler-lab")
    until(
        page,
        """Promise.all((await caches.keys()).map((name) => caches.open(name).then((cache) => cache.keys())))
           .then((all) => all.flat().some(({ url }) => url.endsWith("ports/sampler_lab.js")))""",
    )
    page.context.set_offline(True)
    page.reload()
    figure = figure_of(page, "sampler-lab")
    use_everything(figure)
    expect(figure.locator("[role=status]")).not_to_be_empty()


def test_the_page_has_what_the_library_computes(page: Page) -> None:
    page.goto(PAGE)
    for asked, made in make([Asked(name) for name in NAMES], Surroundings()).items():
        kept = page.locator(f"#try-{asked.name} .instrument__kept").text_content() or ""
        assert json.loads(kept) == json.loads(made.kept), asked.name
