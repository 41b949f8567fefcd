"""The token inspector in a browser: tokens are looked at by mouse, touch and keyboard, and are those of the library."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import corpora, token_inspector

from .axe import faults
from .conftest import OpenPage
from .instruments import PAGE, figure_of
from .waiting import until

NAME = "token-inspector"
DATA = json.loads(json.dumps(token_inspector.data()))
ODD = "the cat, é e\u0301 γάτα 猫 👩\u200d💻 \u202eabc\n\ttab"


def view(text: str, token: int = 0) -> dict[str, Any]:
    return token_inspector.view(DATA, {"text": text, "token": token})


def ids_of(figure: Locator) -> list[int]:
    """The ids of the tokens, as their names say them."""
    names = figure.get_by_role("option").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert [int(re.findall(r"token (\d+),", name)[-1]) for name in names] == [*range(1, len(names) + 1)]
    return [int(name.rpartition(" ")[2]) for name in names]


def about(figure: Locator) -> str:
    return figure.locator(".instrument__about").inner_text()


def looks_at(figure: Locator, text: str, token: int) -> None:
    """A token is the chosen one, and what is told of it is what the library says."""
    known = view(text, token)["token"]
    chosen = figure.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(chosen).to_have_attribute("tabindex", "0")
    expect(figure.locator("[role=option][tabindex='0']")).to_have_count(1)
    told = about(figure)
    assert f"Token {token} of" in told
    assert f"id {known['id']}" in told
    assert bytes.fromhex(known["bytes"]).hex(" ").upper() in told
    assert re.findall(r"merge (\d+):", told) == [str(made[0]) for made in known["made"]]


def test_the_tokens_are_those_of_the_library(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    for text in (corpora.RARE, *corpora.SAMPLES.values(), ODD, "  two  spaces ", "😀" * 20):
        figure.get_by_label("Text", exact=True).fill(text)
        wanted = view(text)
        assert ids_of(figure) == [number for chunk in wanted["chunks"] for _, ids in chunk for number in ids]
        size = wanted["cost"]
        told = f"{size['tokens']} tokens: {size['characters']} characters, {size['bytes']} bytes, {size['per_character']:.2f}"
        expect(figure).to_contain_text(told)
    assert figure.locator(".instrument__of").all_text_contents() == ["😀"] * 20


def test_arrows_go_from_token_to_token(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    looks_at(figure, corpora.RARE, 2)
    options = figure.get_by_role("option")
    figure.get_by_role("button", name="Japanese").focus()
    page.keyboard.press("Tab")
    expect(options.nth(1)).to_be_focused()
    for key, token in (
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("ArrowLeft", 1),
        ("ArrowLeft", 1),
        ("End", 16),
        ("ArrowRight", 16),
        ("Home", 1),
    ):
        page.keyboard.press(key)
        expect(options.nth(token - 1)).to_be_focused()
        looks_at(figure, corpora.RARE, token)
    page.keyboard.press("Shift+Tab")
    expect(figure.get_by_role("button", name="Japanese")).to_be_focused()
    page.keyboard.press("Tab")
    expect(options.nth(0)).to_be_focused()


def test_arrows_go_from_line_to_line(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_role("button", name="Greek").click()
    tops = figure.get_by_role("option").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert len({round(top) for top in tops}) == 2 or len({round(top) for top in tops}) == 3
    figure.get_by_role("option").first.focus()
    before = page.evaluate("document.activeElement.getBoundingClientRect().top")
    page.keyboard.press("ArrowDown")
    after = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert after > before + 20
    page.keyboard.press("ArrowUp")
    expect(figure.get_by_role("option").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(figure.get_by_role("option").first).to_be_focused()


def test_a_mouse_looks_and_chooses(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    options = figure.get_by_role("option")
    options.nth(4).hover()
    assert "Token 5 of" in about(figure) and "merge 4:" in about(figure)
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    figure.locator(".instrument__mark").hover()
    looks_at(figure, corpora.RARE, 2)
    options.nth(6).click()
    figure.locator(".instrument__mark").hover()
    looks_at(figure, corpora.RARE, 7)
    assert "no merge" in about(figure)
    until(page, "location.hash === argument", f"#try-{NAME}?token=7")


def test_a_finger_chooses(phone: Page) -> None:
    phone.goto(PAGE)
    figure = figure_of(phone, NAME)
    figure.get_by_role("button", name="Greek").tap()
    text = corpora.SAMPLES["Greek"]
    for token in (5, 40, 1):
        figure.get_by_role("option").nth(token - 1).tap()
        looks_at(figure, text, token)
    assert "byte 1 of 2 of η (U+03B7)" in about(figure)


def test_a_shorter_text_has_another_token_to_look_at(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?token=16")
    figure = figure_of(page, NAME)
    looks_at(figure, corpora.RARE, 16)
    figure.get_by_role("button", name="English").click()
    looks_at(figure, corpora.SAMPLES["English"], 6)
    figure.get_by_label("Text", exact=True).fill("")
    expect(figure.get_by_role("listbox")).to_be_hidden()
    expect(figure.locator(".instrument__about")).to_be_hidden()
    expect(figure).to_contain_text("0 tokens: 0 characters, 0 bytes")
    figure.get_by_label("Text", exact=True).fill("a")
    expect(figure).to_contain_text("1 token: 1 character, 1 byte, 1.00")
    expect(figure.get_by_role("status")).to_have_text("1 token for 1 character, 1 byte")
    figure.get_by_label("Text", exact=True).fill("")
    expect(figure.locator(".instrument__about")).to_be_hidden()
    assert faults(page) == []
    figure.get_by_label("Text", exact=True).fill("the")
    looks_at(figure, "the", 1)


def test_a_link_to_a_token(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?text=%F0%9F%98%80&token=3")
    figure = figure_of(page, NAME)
    expect(figure.get_by_label("Text", exact=True)).to_have_value("😀")
    looks_at(figure, "😀", 3)
    assert "byte 3 of 4" in about(figure)


def test_a_link_to_a_token_that_is_not_there_is_told(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?token=17")
    figure = figure_of(page, NAME)
    expect(figure.get_by_role("alert")).to_contain_text("token must be at most 16")
    looks_at(figure, corpora.RARE, 2)


def test_half_a_character_is_told(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    field = figure.get_by_label("Text", exact=True)
    field.evaluate(
        "(field) => { field.value = 'a\\ud83d'; field.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    expect(field).to_have_accessible_description(re.compile(r"U\+D83D"))
    expect(figure).to_contain_text("What is shown is still of the text before.")
    looks_at(figure, corpora.RARE, 2)


@pytest.mark.parametrize("options", [{}, {"phone": True}], ids=["wide", "phone"])
def test_the_longest_text_is_shown_in_its_place(open_page: OpenPage, options: dict[str, Any]) -> None:
    page = open_page(**options)
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_label("Text", exact=True).fill("😀" * 1000)
    expect(figure.get_by_role("option")).to_have_count(4000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert figure.get_by_role("listbox").evaluate(
        "(box) => box.clientHeight < innerHeight && box.scrollHeight > box.clientHeight"
    )


def test_its_tables_fit_a_phone_without_scripts(open_page: OpenPage) -> None:
    page = open_page(phone=True, java_script_enabled=False)
    page.goto(PAGE)
    tables = page.locator(f"#try-{NAME} .instrument__scroll")
    sizes = tables.evaluate_all("(all) => all.map((one) => [one.scrollWidth, one.clientWidth])")
    assert len(sizes) == 4
    for width, room in sizes:
        assert width <= room, sizes
