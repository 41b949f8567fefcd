"""The block stepper in a browser: steps by keyboard, mouse and finger, and numbers that are the library's."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import block_stepper
from coursebuild.instruments.parameters import start_of

from .instruments import PAGE, figure_of
from .waiting import until

NAME = "block-stepper"
DATA = block_stepper.data()
START = start_of(block_stepper.PARAMETERS)


def view(**changes: Any) -> dict[str, Any]:
    return block_stepper.view(DATA, START | changes)


def shows(figure: Locator, **changes: Any) -> None:
    """Everything that is shown is what the library computes."""
    state = START | changes
    wanted, step = view(**changes), state["step"]
    assert figure.locator(".block__rms").all_text_contents() == [
        f"{one['rms']:.2f}" for one in wanted["steps"]
    ]
    expect(figure.locator(".instrument__place")).to_have_text(f"{step} of 6")
    reads = block_stepper.STEPS[state["order"]][step - 1][2] if step else ()
    grids = [one for one in figure.locator(".heat").all() if one.is_visible()]
    assert len(grids) == len(reads) + 1
    for grid, place in zip(grids, [*reads, step], strict=True):
        got = [float(text.replace("−", "-")) for text in grid.locator(".heat__cell").all_text_contents()]
        rows = wanted["steps"][place]["rows"]
        assert got == [pytest.approx(number, abs=0.051) for row in rows for number in row]
    sizes = figure.locator(".instrument__table tbody tr td:nth-child(2)").all_text_contents()
    assert sizes == [
        "above 10,000" if one["read"] is None else f"{one['sizes'][state['block']]:.2f}"
        for one in wanted["depth"].values()
    ]


def test_it_begins_with_the_panels_numbers(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    shows(figure)
    texts = [
        text.strip() for text in figure.locator(".heat").nth(1).locator(".heat__cell").all_text_contents()
    ]
    rows = view()["steps"][1]["rows"]
    assert texts == [f"{number:.4f}".replace("-", "−") for row in rows for number in row]


def test_each_step_by_keyboard_in_both_orders(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    figure.get_by_role("button", name="First").press("Enter")
    following = figure.get_by_role("button", name="Next")
    for step in range(7):
        shows(figure, step=step)
        following.press("Enter")
    expect(following).to_be_focused()
    figure.get_by_label("Where the norm is").select_option("post")
    for step in range(6, -1, -1):
        shows(figure, order="post", step=step)
        figure.get_by_role("button", name="Back").press("Space")
    until(page, "location.hash === argument", f"#try-{NAME}?order=post&step=0")


def test_a_finger_chooses_a_step_and_a_number(phone: Page) -> None:
    phone.goto(PAGE)
    figure = figure_of(phone, NAME)
    figure.get_by_role("button", name="Step 5: FF (feed-forward)").tap()
    shows(figure, step=5)
    expect(figure.get_by_role("button", name="Step 5")).to_have_attribute("aria-current", "step")
    figure.locator(".heat").nth(1).locator(".heat__cell").nth(6).tap()
    number = view(step=5)["steps"][5]["rows"][1][2]
    expect(figure.locator(".instrument__row")).to_contain_text("cat, number 2:")
    expect(figure.locator(".instrument__row")).to_contain_text(f"= {number:.4f}".replace("-", "−"))


def test_arrow_keys_move_in_every_grid(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?step=3")
    figure = figure_of(page, NAME)
    shows(figure, step=3)
    first = figure.locator(".heat").nth(0).locator(".heat__cell")
    first.nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(first.nth(5)).to_be_focused()
    terms = view(step=3, token=1, feature=1)["detail"]["terms"]
    expect(figure.locator(".instrument__row")).to_contain_text(f"{terms[0]:g} + {terms[1]:.4f} = ")
    assert figure.locator(".heat__cell[aria-selected=true]").count() == 3


def test_the_slider_goes_down_the_stack(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    slider = figure.get_by_role("slider", name="Block of the stack")
    for _ in range(11):
        slider.press("ArrowRight")
    shows(figure, block=12)
    expect(slider).to_be_focused()
    slider.press("End")
    shows(figure, block=100)
    figure.get_by_label("Weights of further blocks").select_option("fresh")
    shows(figure, block=100, weights="fresh")
    figure.get_by_label("Seed").select_option("43")
    shows(figure, block=100, weights="fresh", seed="43")


def test_the_block_is_named_and_its_slider_is_above_what_it_changes(phone: Page) -> None:
    phone.goto(f"{PAGE}#try-{NAME}?block=12&step=3")
    figure = figure_of(phone, NAME)
    expect(figure.locator(".block__said").first).to_contain_text("Block 12 · step 3:")
    expect(figure.locator(".heat__title").first).to_contain_text("Reads x, the input of block 12 · rms")
    tops = [
        figure.locator(place).first.evaluate("(element) => element.getBoundingClientRect().top")
        for place in (
            ".instrument__range",
            ".instrument__stepper",
            ".block__flow",
            ".block__grids",
            ".block__curve",
        )
    ]
    assert tops == sorted(tops)


def test_that_tokens_have_become_the_same_is_said_where_they_have(page: Page) -> None:
    page.goto(f"{PAGE}#try-{NAME}?order=post&block=100&step=6")
    figure = figure_of(page, NAME)
    said = figure.get_by_text("The tokens have become the same")
    expect(said).to_be_visible()
    rows = figure.locator(".heat").nth(1).locator("tbody tr").all()
    assert len({tuple(row.locator(".heat__cell").all_text_contents()) for row in rows}) == 1
    expect(figure).to_contain_text(
        "Changed by: the rms of output minus input, as a share of the input’s rms."
    )
    figure.get_by_label("Weights of further blocks").select_option("fresh")
    expect(said).to_be_hidden()


def test_the_curve_is_dragged(page: Page) -> None:
    page.goto(PAGE)
    figure = figure_of(page, NAME)
    curve = figure.locator(".block__curve")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    assert box is not None
    at = lambda x: (box["x"] + x / 360 * box["width"], box["y"] + box["height"] / 2)  # noqa: E731
    page.mouse.move(*at(54))
    page.mouse.down()
    page.mouse.move(*at(163))
    page.mouse.move(*at(272 + 40))
    page.mouse.up()
    shows(figure, block=100)
    page.mouse.click(*at(163))
    shows(figure, block=10)
    page.mouse.move(*at(200))
    shows(figure, block=10)
    expect(curve).to_have_attribute("aria-label", re.compile("Behind block 10: pre-norm"))
