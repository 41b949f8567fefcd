"""The sampler lab by mouse, touch and keyboard: the order of its settings, logits, what came, and draws."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import sampler_lab
from coursebuild.instruments.parameters import read

from .conftest import OpenPage
from .instruments import opened
from .waiting import until

NAME = "sampler-lab"
DATA = sampler_lab.data()


def wanted(link: str) -> dict[str, Any]:
    return sampler_lab.view(DATA, read(sampler_lab.PARAMETERS, link))


def order_of(figure: Locator) -> list[str]:
    return figure.locator(".instrument__entry").all_text_contents()


def item(figure: Locator, label: str) -> Locator:
    return figure.locator(".instrument__item").filter(has_text=label)


def shares(figure: Locator) -> list[str]:
    """What stands beside the lower bar of each token."""
    return figure.locator(".sampler__share:last-child").all_text_contents()


def check_numbers(figure: Locator, link: str) -> None:
    """The page shows what the library computes for the state of a link."""
    view = wanted(link)
    expect(figure.locator(".sampler__tokens + p ~ .instrument__row")).to_contain_text(
        f"{view['left']} of {len(view['tokens'])} tokens"
    )
    told = [
        f"{after:.4f}" if logit is not None else "removed"
        for after, logit in zip(view["after"], view["final"], strict=True)
    ]
    assert shares(figure) == told
    left = [f"{step['left']} left {step['entropy']:.2f} nats" for step in view["steps"]]
    assert figure.locator(".sampler__item--on .sampler__figures").all_text_contents() == left
    counts = [
        f"{view['tokens'][token]} {count}, expected {view['expected'][token]:.1f}"
        for token, count in enumerate(view["counts"])
        if view["final"][token] is not None
    ]
    assert figure.locator(".sampler__counts > li").all_text_contents() == counts


def address_is(page: Page, link: str) -> None:
    until(page, "decodeURIComponent(location.hash).includes(argument)", link)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "top_k=3&top_p=0.6",
        "temperature=0.7&top_k=5&top_p=0.9&seed=1",
        "from=the&history=4,4,11&repetition_penalty=1.5&frequency_penalty=0.5&draws=1000",
        "logits=1,1,1,1,0,0,0,-10&min_p=0.5&temperature=0.5",
    ],
)
def test_the_numbers_are_those_of_the_library(page: Page, link: str) -> None:
    figure = opened(page, NAME, link)
    check_numbers(figure, link)


def test_the_mouse_drags_a_setting_before_another(page: Page) -> None:
    figure = opened(page, NAME, "top_k=3&top_p=0.6")
    expect(item(figure, "Top-p")).to_contain_text("2 left")
    grip = item(figure, "Top-p").locator(".instrument__grip")
    grip.hover()
    page.mouse.down()
    above = item(figure, "Top-k").bounding_box()
    assert above
    page.mouse.move(above["x"] + 30, above["y"] + above["height"] / 2 + 3, steps=4)
    page.mouse.move(above["x"] + 30, above["y"] + 3, steps=4)
    expect(item(figure, "Top-p")).to_have_class(re.compile("instrument__item--held"))
    page.mouse.up()
    expect(item(figure, "Top-p")).not_to_have_class(re.compile("instrument__item--held"))
    assert order_of(figure).index("Top-p (1: off)") < order_of(figure).index("Top-k (0: off)")
    expect(item(figure, "Top-k")).to_contain_text("3 left")
    order = "repetition_penalty,frequency_penalty,presence_penalty,temperature,top_p,top_k,min_p"
    check_numbers(figure, f"top_k=3&top_p=0.6&order={order}")
    address_is(page, f"order={order}")


def test_a_finger_drags_a_setting_and_the_page_stays(phone: Page) -> None:
    figure = opened(phone, NAME, "top_k=3&top_p=0.6")
    grip = item(figure, "Top-p").locator(".instrument__grip")
    grip.evaluate("(element) => element.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = phone.evaluate("scrollY")
    box, above = grip.bounding_box(), item(figure, "Top-k").bounding_box()
    assert box and above
    client = phone.context.new_cdp_session(phone)
    x, start, end = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, above["y"] + 4
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": start}]})
    for step in range(1, 9):
        y = start + (end - start) * step / 8
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(item(figure, "Top-k")).to_contain_text("3 left")
    assert order_of(figure).index("Top-p (1: off)") < order_of(figure).index("Top-k (0: off)")
    assert phone.evaluate("scrollY") == before
    expect(item(figure, "Top-p")).not_to_have_class(re.compile("instrument__item--held"))


def test_the_keyboard_moves_a_setting_and_keeps_the_focus(page: Page) -> None:
    figure = opened(page, NAME, "top_k=3&top_p=0.6")
    earlier = figure.get_by_role("button", name="Top-p (1: off): earlier")
    earlier.focus()
    page.keyboard.press("Enter")
    expect(item(figure, "Top-k")).to_contain_text("3 left")
    expect(earlier).to_be_focused()
    for _ in range(9):
        page.keyboard.press("Enter")
    assert order_of(figure)[0] == "Top-p (1: off)"
    expect(earlier).to_be_focused()
    expect(earlier).to_have_attribute("aria-disabled", "true")


def test_a_setting_that_is_off_says_so_until_its_slider_moves(page: Page) -> None:
    figure = opened(page, NAME)
    entry = item(figure, "Top-k")
    expect(entry).to_contain_text("off")
    expect(entry).not_to_have_class(re.compile("sampler__item--on"))
    slider = entry.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(entry).to_have_class(re.compile("sampler__item--on"))
    expect(entry).to_contain_text("3 left")
    check_numbers(figure, "top_k=3")
    address_is(page, "top_k=3")
    expect(figure.locator("[role=status]")).to_contain_text("3 of 8 tokens left")
    entry.get_by_role("textbox").fill("9")
    entry.get_by_role("textbox").press("Enter")
    expect(figure.get_by_role("alert")).to_contain_text("Top-k must be from 1 to 8")
    check_numbers(figure, "top_k=3")


def test_logits_are_set_by_slider_and_by_number(page: Page) -> None:
    figure = opened(page, NAME)
    kelp = figure.locator(".sampler__row").filter(has_text="kelp")
    slider = kelp.get_by_role("slider", name="Logit of kelp")
    slider.focus()
    page.keyboard.press("ArrowRight")
    check_numbers(figure, "logits=3,2.6,2.2,1.8,1.4,1,0.6,0.3")
    exact = kelp.get_by_role("textbox", name="Logit of kelp, exact")
    expect(exact).to_have_value("0.3")
    exact.fill("4.25")
    exact.press("Enter")
    check_numbers(figure, "logits=3,2.6,2.2,1.8,1.4,1,0.6,4.25")
    expect(slider).to_have_attribute("aria-valuetext", "4.25")
    for wrong in ("11", "1,2", "", "x"):
        exact.fill(wrong)
        exact.press("Enter")
        expect(exact).to_have_attribute("aria-invalid", "true")
        told = figure.get_by_role("alert")
        expect(told).to_have_text(f"Logit of kelp must be a number from -10 to 10, not “{wrong}”")
        assert exact.get_attribute("aria-describedby") == told.get_attribute("id")
        check_numbers(figure, "logits=3,2.6,2.2,1.8,1.4,1,0.6,4.25")


def test_a_refused_logit_stays_until_it_is_mended(page: Page) -> None:
    figure = opened(page, NAME)
    exact = figure.get_by_role("textbox", name="Logit of kelp, exact")
    exact.fill("1,5")
    figure.get_by_role("button", name="Next seed").click()
    figure.get_by_role("slider", name="Logit of cat").press("ArrowRight")
    expect(exact).to_have_value("1,5")
    expect(figure.get_by_role("alert")).to_contain_text("not “1,5”")
    exact.fill("1.5")
    exact.press("Enter")
    expect(figure.get_by_role("alert")).to_have_count(0)
    expect(exact).not_to_have_attribute("aria-invalid", "true")
    for button in ("Reset", None):
        exact.fill("abc")
        exact.press("Enter")
        if button:
            figure.get_by_role("button", name=button).click()
        else:
            figure.get_by_role("slider", name="Logit of kelp").press("ArrowRight")
        expect(exact).to_have_value("0.2" if button else "0.3")
        expect(figure.get_by_role("alert")).to_have_count(0)


def test_no_more_tokens_come_than_a_link_can_say(page: Page) -> None:
    most = next(one.longest for one in sampler_lab.PARAMETERS if one.name == "history")  # type: ignore[attr-defined]
    figure = opened(page, NAME, f"history={','.join('0' for _ in range(most - 1))}")
    dog = figure.locator(".sampler__row").filter(has_text="dog")
    more, less = dog.get_by_role("button", name="once more"), dog.get_by_role("button", name="once less")
    expect(less).to_have_attribute("aria-disabled", "true")
    more.press("Enter")
    expect(more).to_have_attribute("aria-disabled", "true")
    expect(figure.locator("#sampler-full")).to_contain_text(f"{most} tokens came")
    more.press("Enter")
    expect(more).to_be_focused()
    expect(more).to_have_text("1×")
    less.press("Enter")
    expect(more).to_have_text("0×")
    expect(more).to_have_attribute("aria-disabled", "false")
    expect(less).to_be_focused()
    expect(figure.locator("#sampler-full")).to_be_empty()
    expect(figure.get_by_role("alert")).to_have_count(0)


def test_each_change_is_announced_in_other_words(page: Page) -> None:
    figure = opened(page, NAME)
    status = figure.locator("[role=status]")
    slider = lambda name: figure.get_by_role("slider", name=name)  # noqa: E731
    button = lambda name: figure.get_by_role("button", name=name)  # noqa: E731
    said = ""
    for act in (
        lambda: button("Next seed").click(),
        lambda: figure.get_by_label("Draws", exact=True).select_option("1000"),
        lambda: button("cat came 0×: once more").click(),
        lambda: button("dog came 0×: once more").click(),
        lambda: button("dog came 1×: once less").click(),
        lambda: slider("Presence penalty").press("ArrowRight"),
        lambda: slider("Temperature").press("ArrowRight"),
        lambda: button("Temperature (0: greedy): earlier").click(),
        lambda: slider("Top-k").press("End"),
        lambda: slider("Logit of cat").press("ArrowRight"),
        lambda: button("Clear counts").click(),
        lambda: figure.get_by_label("Logits", exact=True).select_option("the"),
    ):
        act()
        expect(status).not_to_have_text(said)
        said = status.text_content() or ""
        assert said
    view = wanted("from=the&draws=1000&seed=43&presence_penalty=0.01&temperature=1.01&top_k=8")
    most = max(view["counts"])
    assert f"{view['tokens'][view['counts'].index(most)]} came most: {most}×" in said


def test_top_k_ends_at_the_number_of_tokens(page: Page) -> None:
    figure = opened(page, NAME, "from=the&top_k=12")
    slider = figure.get_by_role("slider", name="Top-k")
    expect(slider).to_have_value("12")
    figure.get_by_label("Logits", exact=True).select_option("panel")
    expect(slider).to_have_attribute("max", "8")
    expect(slider).to_have_value("8")
    check_numbers(figure, "top_k=8")


def test_only_the_grip_is_kept_from_scrolling(phone: Page) -> None:
    figure = opened(phone, NAME)
    grip = item(figure, "Top-p").locator(".instrument__grip")
    expect(grip).to_have_css("touch-action", "none")
    expect(item(figure, "Top-p").locator(".instrument__entry")).to_have_css("touch-action", "auto")
    box = grip.bounding_box()
    assert box and 44 <= round(box["width"]) <= 48 and round(box["height"]) >= 44


def test_a_tap_says_that_a_token_came(phone: Page) -> None:
    figure = opened(phone, NAME, "presence_penalty=2&temperature=0")
    assert shares(figure)[:3] == ["1.0000", "removed", "removed"]
    figure.get_by_role("button", name="cat came 0×: once more").tap()
    figure.get_by_role("button", name="dog came 0×: once more").tap()
    figure.get_by_role("button", name="dog came 1×: once more").tap()
    assert shares(figure)[:3] == ["removed", "removed", "1.0000"]
    address_is(phone, "history=0,1,1")
    figure.get_by_role("button", name="Clear counts").tap()
    assert shares(figure)[:3] == ["1.0000", "removed", "removed"]


def test_other_logits_bring_other_tokens(page: Page) -> None:
    figure = opened(page, NAME, "history=0,1&logits=1,2,3,4,5,6,7,8")
    figure.get_by_label("Logits", exact=True).select_option("the")
    check_numbers(figure, "from=the")
    expect(figure.locator(".sampler__row")).to_have_count(len(DATA["presets"]["the"]["tokens"]))


def test_the_next_seed_draws_again(page: Page) -> None:
    figure = opened(page, NAME, "seed=4294967295")
    figure.get_by_role("button", name="Next seed").click()
    expect(figure.get_by_label("Seed")).to_have_value("0")
    check_numbers(figure, "seed=0")
    figure.get_by_label("Draws", exact=True).select_option("1000")
    check_numbers(figure, "seed=0&draws=1000")


@pytest.mark.parametrize(
    "link", ["from=the&top_k=3", "repetition_penalty=1.25&frequency_penalty=0.75&history=0,0,0"]
)
def test_all_of_it_fits_a_phone(open_page: OpenPage, link: str) -> None:
    figure = opened(open_page(phone=True), NAME, link)
    outside = figure.evaluate(
        """(figure) => [...figure.querySelectorAll(".instrument__picture *")].filter((element) => {
          const { left, right, width } = element.getBoundingClientRect();
          const hidden = element.closest(".visually-hidden, [hidden]");
          return !hidden && width && (right > innerWidth - 16 || left < 16 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible");
        }).map((element) => element.className?.baseVal ?? element.className)"""
    )
    assert [name for name in outside if name] == []
