"""The attention viewer in a browser: its grid by keyboard, mouse and finger, and numbers that are the library's."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import attention_viewer
from coursebuild.instruments.parameters import start_of

from .conftest import OpenPage
from .instruments import PAGE, figure_of
from .waiting import until

NAME = "attention-viewer"
DATA = attention_viewer.data()
START = start_of(attention_viewer.PARAMETERS)


def view(**changes: Any) -> dict[str, Any]:
    return attention_viewer.view(DATA, START | changes)


def cell(figure: Locator, row: int, column: int) -> Locator:
    return figure.locator(f"tbody tr:nth-child({row + 1}) .heat__cell:nth-child({column + 2})")


def rows_of(figure: Locator, caption: str) -> list[list[str]]:
    """The texts of a table's cells."""
    found: list[list[str]] = (
        figure.locator("table")
        .filter(has_text=re.compile(f"^{caption}"))
        .locator("tbody tr")
        .evaluate_all("(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))")
    )
    return found


def shows(figure: Locator, wanted: dict[str, Any]) -> None:
    """The grid and the arithmetic are what the library computes."""
    tokens, query, key = wanted["tokens"], wanted["query"], wanted["key"]
    places = 2 if len(tokens) > 4 else 4
    grid = figure.locator(".heat .heat__cell")
    texts = ["" if w is None else f"{w:.{places}f}" for row in wanted["weights"] for w in row]
    assert [text.strip() for text in grid.all_text_contents()] == texts
    chosen = figure.locator(".heat__cell[aria-selected=true]")
    expect(chosen).to_have_count(1)
    weight = wanted["weights"][query][key]
    expect(chosen).to_have_attribute(
        "aria-label",
        f"{tokens[query]} looks at {tokens[key]}: {'masked' if weight is None else f'{weight:.{places}f}'}",
    )
    expect(figure).to_contain_text(f"How {tokens[query]} weighs {tokens[key]}")
    steps = dict(rows_of(figure, "How "))
    assert steps["Weight"].endswith(f"= {attention_viewer.told(weight or 0)}")
    of_row = rows_of(figure, "The row of")
    assert [line[0] for line in of_row] == tokens
    assert [line[4] for line in of_row] == [
        attention_viewer.told(one / wanted["sum"]) for one in wanted["exponentials"]
    ]


def test_arrow_keys_choose_a_cell_and_the_focus_stays_on_it(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    shows(figure, view())
    assert figure.locator(".heat__cell[tabindex='0']").count() == 1, "one stop of the Tab key"
    cell(figure, 2, 1).focus()
    for key, place in [
        ("ArrowRight", (2, 2)),
        ("ArrowDown", (3, 2)),
        ("Home", (3, 0)),
        ("ArrowLeft", (3, 0)),
        ("Control+End", (3, 3)),
        ("ArrowDown", (3, 3)),
        ("Control+Home", (0, 0)),
        ("End", (0, 3)),
    ]:
        page.keyboard.press(key)
        expect(cell(figure, *place)).to_be_focused()
        shows(figure, view(query=place[0], key=place[1]))
    assert dict(rows_of(figure, "How "))["Mask"].startswith("masked: milk, which comes after the")
    until(page, "location.hash === argument", f"#try-{NAME}?query=0&key=3")
    expect(figure.get_by_role("status")).to_have_text("the looks at milk: masked")


def test_a_finger_chooses_a_cell(phone: Page) -> None:
    phone.goto(PAGE)
    figure = figure_of(phone, NAME)
    cell(figure, 3, 2).tap()
    shows(figure, view(query=3, key=2))


def test_the_mouse_looks_at_a_cell_and_takes_it_by_a_click(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    cell(figure, 3, 2).hover()
    expect(figure).to_contain_text("How milk weighs drank")
    expect(cell(figure, 2, 1)).to_have_attribute("aria-selected", "true")
    figure.locator(".instrument__head").hover()
    shows(figure, view())
    cell(figure, 3, 2).click()
    figure.locator(".instrument__head").hover()
    shows(figure, view(query=3, key=2))


def test_mask_and_scaling_are_switched(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_label("Causal mask").uncheck()
    shows(figure, view(mask=False))
    assert dict(rows_of(figure, "How "))["Mask"] == "switched off: every key is seen"
    figure.get_by_label("Scaling").press("Space")
    shows(figure, view(mask=False, scaled=False))


def test_a_query_is_changed_by_its_sliders(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    slider = figure.get_by_role("slider", name="food")
    for _ in range(4):
        slider.press("ArrowRight")
    queries = [x for row in DATA["sentence"]["queries"] for x in row]
    queries[10] += 2
    shows(figure, view(queries=queries))
    expect(slider).to_be_focused()
    for _ in range(4):
        slider.press("ArrowLeft")
    until(page, "location.hash === argument", f"#try-{NAME}")
    cell(figure, 0, 0).click()
    expect(figure.get_by_role("slider", name="filler")).to_have_value("6")


def test_the_heads_side_by_side(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_label("Tokens and numbers").select_option("heads")
    figure.get_by_label("Head", exact=True).select_option(label="head 1")
    wanted = view(source="heads", head="1", mask=False, query=-1, key=-1)
    shows(figure, wanted)
    projected = ", ".join(map(attention_viewer.told, wanted["more"]["projected"]))
    expect(figure).to_contain_text(f"→ ({projected})")


@pytest.mark.parametrize("shape", ["page", "phone"])
def test_the_machine_completes_a_text_of_the_readers_own(shape: str, request: pytest.FixtureRequest) -> None:
    page: Page = request.getfixturevalue(shape)
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_label("Tokens and numbers").select_option("machine")
    figure.get_by_label("Head", exact=True).select_option(label="induction head")
    shows(figure, view(source="machine", head="1", query=-1, key=-1))
    prompt = figure.get_by_label("Prompt")
    prompt.fill("red fox saw red")
    shows(figure, view(source="machine", head="1", prompt="red fox saw red", query=-1, key=-1))
    expect(figure).to_contain_text("What the machine says after red: fox")
    append = figure.get_by_role("button", name="Append fox")
    append.press("Enter")
    expect(prompt).to_have_value("red fox saw red fox")
    figure.get_by_role("button", name="Append saw").press("Enter")
    wanted = view(source="machine", head="1", prompt="red fox saw red fox saw", query=-1, key=-1)
    shows(figure, wanted)
    expect(figure.get_by_role("status")).to_have_text("saw looks at red: weight 0.9999; next token: red")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_a_head_the_machine_fails(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?source=machine&head=1&query=-1&key=-1")
    figure = figure_of(page, NAME)
    figure.get_by_label("What writes into the stream").select_option("first")
    expect(figure).to_contain_text("What the machine says after on_: on_")
    figure.get_by_label("What writes into the stream").select_option("second")
    expect(figure).to_contain_text("What the machine says after on_: all alike")
    expect(figure.get_by_role("button", name="Append")).to_have_attribute("aria-disabled", "true")
    expect(figure.locator(".attention__note")).to_have_text("All tokens are alike: there is none to append.")


def test_too_many_tokens_are_told_and_what_is_shown_stays(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?source=machine&query=-1&key=-1")
    figure = figure_of(page, NAME)
    prompt = figure.get_by_label("Prompt")
    many = " ".join("a" * 16)
    prompt.fill(many)
    expect(figure.get_by_role("alert").filter(has_text="tokens")).to_have_text(
        "Prompt (tokens parted by spaces) must have at most 15 tokens, not 16"
    )
    expect(prompt).to_have_attribute("aria-invalid", "true")
    expect(prompt).to_have_value(many)
    assert figure.locator(".heat__cell").count() == 49
    prompt.fill("a b")
    expect(prompt).not_to_have_attribute("aria-invalid", "true")
    shows(figure, view(source="machine", prompt="a b", query=-1, key=-1))


@pytest.mark.parametrize(
    ("prompt", "why"),
    [(" ".join("abcabcabcabcabc"), "15 tokens are the most"), (" ".join(["x" * 95, "y", "x" * 95]), "")],
)
def test_append_says_why_there_is_no_room(page: Page, prompt: str, why: str) -> None:
    page.goto(f"{PAGE}#try-{NAME}?source=machine&query=-1&key=-1")
    figure = figure_of(page, NAME)
    figure.get_by_label("Prompt").fill(prompt)
    append = figure.get_by_role("button", name="Append")
    longest = next(one.longest for one in attention_viewer.PARAMETERS if one.name == "prompt")  # type: ignore[attr-defined]
    if not why:
        append.press("Enter")  # y still fits, the next x does not
        prompt += " y"
        why = f"{longest} characters are the most"
    expect(append).to_have_attribute("aria-disabled", "true")
    expect(append).to_have_accessible_description(f"The prompt is full: {why}.")
    append.press("Enter")
    expect(figure.get_by_label("Prompt")).to_have_value(prompt)
    until(page, "decodeURIComponent(location.hash).includes('prompt=')")
    page.reload()
    expect(figure_of(page, NAME).get_by_label("Prompt")).to_have_value(prompt)


def test_a_tie_has_one_order_and_says_what_append_takes(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?source=machine&query=-1&key=-1&prompt=the+cat")
    figure = figure_of(page, NAME)
    expect(figure).to_contain_text("What the machine says after cat: the or cat or <s>")
    assert [row[0] for row in rows_of(figure, "What the machine says")][:3] == ["the", "cat", "<s>"]
    expect(figure.locator(".attention__note")).to_have_text("A tie; Append takes the.")
    figure.get_by_label("Prompt").fill(" ".join("abcdefghijk"))
    expect(figure).to_contain_text("What the machine says after k: 12 tokens tie")
    total = 0.0
    for label, probability, _ in rows_of(figure, "What the machine says"):
        counted = re.fullmatch(r"each of (\d+) (?:more|others)", label)
        total += (int(counted[1]) if counted else 1) * float(probability)
    assert total == pytest.approx(1, abs=DATA["machine"]["size"] * 5e-5), "the table is complete"
    figure.get_by_role("button", name="Append a").press("Enter")
    expect(figure.get_by_label("Prompt")).to_have_value("a b c d e f g h i j k a")


def test_a_map_that_is_cut_says_so(open_page: OpenPage) -> None:
    for phone, count, is_cut in [(True, 15, True), (True, 4, False), (False, 15, False)]:
        page = open_page(phone=phone)
        page.goto(
            f"{PAGE}#try-{NAME}?source=machine&query=-1&key=-1&prompt={'+'.join('abcdefghijklmno'[:count])}"
        )
        figure = figure_of(page, NAME)
        expect(figure.locator(".heat__cell").first).to_be_visible()
        assert figure.locator(".heat__hint").is_visible() is is_cut, (phone, count)
        assert figure.locator(".heat__number").first.is_visible() is not is_cut
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_another_source_has_one_chosen_cell_and_says_that_its_panel_has_no_mask(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    cell(figure, 3, 2).click()
    figure.get_by_label("Tokens and numbers").select_option("heads")
    assert dict(rows_of(figure, "How "))["Mask"] == "panel 20.4 has no mask: every key is seen"
    expect(figure.locator(".heat__cell--chosen")).to_have_count(1)
    expect(figure.locator(".heat__label--chosen")).to_have_count(2)
    figure.locator(".heat__cell[aria-selected=true]").focus()
    page.goto(f"{PAGE}#try-{NAME}?query=0&key=0")
    expect(figure.locator(".heat__cell:focus")).to_have_attribute("aria-selected", "true")
