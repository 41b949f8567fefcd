"""The BPE stepper in a browser: what it shows at each step is what the library computes."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import bpe_stepper
from coursebuild.instruments.parameters import start_of

from .conftest import OpenPage
from .instruments import PAGE, figure_of
from .waiting import until

NAME = "bpe-stepper"
START = start_of(bpe_stepper.PARAMETERS)


def view(**changes: Any) -> dict[str, Any]:
    return bpe_stepper.view(bpe_stepper.data(), START | changes)


def boxes(rows: Locator, column: int) -> list[list[str]]:
    """The boxes in a column of a table."""
    found: list[list[str]] = rows.evaluate_all(
        """(rows, column) => rows.map((row) =>
             [...row.cells[column].querySelectorAll(".instrument__symbol")].map((box) => box.textContent))""",
        column,
    )
    return found


def rows_of(figure: Locator, caption: str) -> Locator:
    return figure.locator("table").filter(has_text=re.compile(f"^{caption}")).locator("tbody tr")


def shows(figure: Locator, wanted: dict[str, Any], done: int) -> None:
    """Everything that is shown is what the library computes."""
    total = len(wanted["merges"])
    expect(figure.locator(".instrument__place")).to_have_text(f"{done} of {total}")
    assert boxes(rows_of(figure, "The words"), 2) == wanted["spellings"]
    pairs = rows_of(figure, "(All pairs|The most frequent)")
    assert boxes(pairs, 0) == [pair[:2] for pair in wanted["pairs"]]
    assert pairs.locator("td:nth-child(2)").all_text_contents() == [str(pair[2]) for pair in wanted["pairs"]]
    orders = pairs.locator("td:nth-child(3)").all_text_contents()
    tied = max(wanted["tied"] - 1, 0)
    assert orders[: tied + 1] == ["next", *["tied"] * tied][: len(wanted["pairs"])]
    replay = rows_of(figure, "Each merge")
    assert boxes(replay, 1)[1:] == [merge[:2] for merge in wanted["merges"][:done]]
    after = dict(wanted["replayed"])
    assert boxes(replay, 3) == [wanted["spelled"], *(after.get(number, []) for number in range(1, done + 1))]
    assert replay.filter(has_text="does not apply").count() == done - len(after)


def test_each_step_by_keyboard_forth_and_back(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    shows(figure, view(), 10)
    figure.get_by_role("button", name="First").press("Enter")
    shows(figure, view(merges=0), 0)
    button = figure.get_by_role("button", name="Next")
    for done in range(1, 17):
        button.press("Enter")
        shows(figure, view(merges=done), done)
    expect(figure).to_contain_text("no pair is left, so training ends")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_be_focused()
    button.press("Enter")
    figure.get_by_role("button", name="Back").press("Space")
    shows(figure, view(merges=15), 15)
    expect(figure.get_by_role("status")).to_have_text(
        "Merge 15 of 16: low + est_, seen 2 times; lower takes 2 tokens"
    )
    until(page, "location.hash === argument", f"#try-{NAME}?merges=15")


def test_the_next_pair_and_the_newest_symbol_are_marked_in_the_words(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?merges=1")
    figure = figure_of(page, NAME)
    expect(figure.locator(".instrument__place")).to_have_text("1 of 16")
    words = rows_of(figure, "The words")
    assert words.locator(".instrument__symbol--next").all_text_contents() == ["er", "_"] * 2
    assert words.locator(".instrument__symbol--new").all_text_contents() == ["er"] * 2
    figure.get_by_role("button", name="Next").click()
    assert words.locator(".instrument__symbol--new").all_text_contents() == ["er_"] * 2


def test_the_tie_rule_is_told_and_can_be_turned(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?merges=0&word=wider")
    figure = figure_of(page, NAME)
    expect(figure).to_contain_text("e + r, seen 9 times, as is r + _; of these it sorts first.")
    figure.get_by_role("combobox").select_option("largest")
    expect(figure).to_contain_text("r + _, seen 9 times, as is e + r; of these it sorts last.")
    for _ in range(10):
        figure.get_by_role("button", name="Next").click()
    shows(figure, view(ties="largest", word="wider", merges=10), 10)
    assert boxes(rows_of(figure, "Each merge"), 3)[-1] == ["wid", "er_"]


def test_a_text_and_a_word_of_the_reader(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    text = "banana bandana 猫猫猫 😀😀 banana"
    figure.get_by_label("Training text").fill(text)
    wanted = view(text=text, merges=10)
    shows(figure, wanted, 10)
    figure.get_by_label("Training text").fill("aaa ab")  # training on it ends sooner
    wanted = view(text="aaa ab", merges=len(view(text="aaa ab", merges=0)["merges"]))
    shows(figure, wanted, len(wanted["merges"]))
    figure.get_by_label("Word to encode").fill("bag")
    expect(figure).to_contain_text("g no id")
    expect(figure).to_contain_text("never seen in the text")
    figure.get_by_label("Word to encode").fill("")
    expect(figure).to_contain_text("Type a word")
    expect(figure).not_to_contain_text("does not apply")
    expect(figure).not_to_contain_text("Pieces of")


@pytest.mark.parametrize(
    ("field", "wrong", "told"),
    [
        ("Training text", "a_b", "cannot stand in “a"),
        ("Training text", " ", "at least one word"),
        ("Training text", "a" * 2001, "at most 2,000"),
        ("Word to encode", "two words", "Encode one word at a time"),
        ("Word to encode", "a_", "cannot stand in “a"),
    ],
)
def test_what_is_refused_is_told_beside_its_field(page: Page, field: str, wrong: str, told: str) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_label(field).fill(wrong)
    expect(figure.get_by_label(field)).to_have_attribute("aria-invalid", "true")
    expect(figure.get_by_label(field)).to_have_accessible_description(re.compile(told))
    expect(figure.get_by_label(field)).to_have_value(wrong)  # and can be put right
    shows(figure, view(), 10)
    old = figure.get_by_text("What is shown is still of")
    expect(old).to_have_count(1)
    figure.get_by_label(field).fill("low")
    expect(old).to_have_count(0)
    figure.get_by_label(field).fill(wrong)
    expect(old).to_have_count(1)
    figure.get_by_role("button", name="Reset").click()
    expect(old).to_have_count(0)
    expect(figure.get_by_label(field)).to_have_value(START["text" if field == "Training text" else "word"])


def test_a_text_typed_key_by_key_keeps_the_merges_that_were_chosen(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    field = figure.get_by_label("Training text")
    text = "banana bandana cabana"
    field.fill("b")
    expect(figure.locator(".instrument__place")).to_have_text("1 of 1")
    expect(figure).to_contain_text("3 symbols: 1 character, the end marker and 1 merged")
    field.press_sequentially(text[1:])
    shows(figure, view(text=text, merges=10), 10)
    figure.get_by_role("button", name="Back").click()
    field.fill("b")
    figure.get_by_role("combobox").select_option("largest")
    field.fill(text)
    shows(figure, view(text=text, merges=9, ties="largest"), 9)


def test_sentences_of_few_are_true(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?merges=0&text=a&word=a")
    figure = figure_of(page, NAME)
    expect(figure).to_contain_text("a + _, seen 1 time, the only pair that is left.")
    expect(figure).to_contain_text(
        "2 symbols: 1 character, the end marker and 0 merged; 2 of them still spell the text"
    )
    figure.get_by_role("button", name="Next").click()
    expect(figure).to_contain_text(
        "3 symbols: 1 character, the end marker and 1 merged; 1 of them still spells the text"
    )


@pytest.mark.parametrize("options", [{}, {"phone": True}], ids=["wide", "phone"])
def test_a_text_without_spaces_is_shown_in_part(open_page: OpenPage, options: dict[str, Any]) -> None:
    page = open_page(**options)
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    text = "".join(chr(0x4E00 + number * 7 % 601) for number in range(2000))
    word = text[:39]
    figure.get_by_label("Training text").fill(text)
    figure.get_by_label("Word to encode").fill(word)
    size = "(figure) => [figure.querySelectorAll('*').length, figure.textContent.length]"
    for step in ("First", "Last", "Back"):
        figure.get_by_role("button", name=step).click()
        nodes, letters = figure.evaluate(size)
        assert nodes < 3000 and letters < 20_000, step
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    figure.get_by_role("button", name="First").click()
    expect(figure).to_contain_text("and 1701 more symbols")
    figure.get_by_role("button", name="Last").click()
    wanted = view(text=text, word=word, merges=0)
    total = len(wanted["merges"])
    expect(figure.locator(".instrument__place")).to_have_text(f"{total} of {total}")
    expect(figure).to_contain_text("(2001 characters)")
    expect(figure).to_contain_text(
        re.compile(r"\d+ earlier merges are left out: none of them applies to the word")
    )


def test_by_touch(phone: Page) -> None:
    phone.goto(PAGE)
    figure = figure_of(phone, NAME)
    figure.get_by_role("button", name="Back").tap()
    shows(figure, view(merges=9), 9)
    figure.get_by_role("button", name="Last").tap()
    shows(figure, view(merges=16), 16)


@pytest.mark.parametrize("options", [{}, {"phone": True}], ids=["wide", "phone"])
def test_a_long_text_scrolls_in_its_place(open_page: OpenPage, options: dict[str, Any]) -> None:
    page = open_page(**options)
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    text = " ".join(f"w{number}x{number * 7919 % 1000}" for number in range(220))[:2000]
    figure.get_by_label("Training text").fill(text)
    figure.get_by_role("button", name="Last").click()
    total = len(view(text=text, merges=0)["merges"])
    expect(figure.locator(".instrument__place")).to_have_text(f"{total} of {total}")
    replay = rows_of(figure, "Each merge")
    scrolled = replay.last.evaluate("(row) => row.closest('.instrument__scroll').scrollTop > 0")
    assert scrolled, "the newest merge is in sight"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
