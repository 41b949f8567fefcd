"""The next-word explorer by mouse, touch and keyboard: a sentence written word by word, smoothing, the curve, sentences."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from coursebuild.instruments import next_word_explorer
from coursebuild.instruments.parameters import read

from .instruments import opened
from .waiting import until

NAME = "next-word-explorer"
DATA = next_word_explorer.data()


def wanted(link: str) -> dict[str, Any]:
    return next_word_explorer.view(DATA, read(next_word_explorer.PARAMETERS, link))


def chance(value: float | None) -> str:
    if value is None:
        return "none"
    if value in (0, 1):
        return f"{value:g}"
    if value > 0.99995:
        return "> 0.9999"
    return "< 0.0001" if value < 0.00005 else f"{value:.4f}"


def score(value: float | None) -> str:
    return "infinite" if value is None else f"{value:.3f}"


def word(figure: Locator, name: str) -> Locator:
    return figure.locator(".next-word__words").get_by_role("button", name=name, exact=True)


def sentence(figure: Locator) -> list[str]:
    return figure.locator(".next-word__word > span:first-child").all_text_contents()


def check_numbers(figure: Locator, link: str) -> None:
    """The page shows what the library computes for the state of a link."""
    view = wanted(link)
    following = view["next"]
    expected = (following or {}).get("probabilities") or [None for _ in view["vocabulary"]]
    counts = following["counts"] if following else []
    rows = [
        f"{token} {chance(p)} {count}×"
        for token, p, count in zip(view["vocabulary"], expected, counts, strict=bool(following))
    ]
    assert figure.locator(".next-word__row").all_text_contents() == rows
    for place, name in enumerate(("training text", "held-out text")):
        told = figure.locator(".next-word__score").nth(place)
        expect(told).to_contain_text(f"{name}: {score(view['perplexity'][place])}")
    drawn = figure.locator(".next-word__drawn > li").all_text_contents()
    assert [re.sub(r" …| \(in the training text\)", "", line) for line in drawn] == [
        " ".join(line) or "(no word)" for line in view["drawn"]
    ]
    assert ["(in the training text)" in line for line in drawn] == view["recited"]


def address_is(page: Page, link: str) -> None:
    until(page, "decodeURIComponent(location.hash).includes(argument)", link)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "smoother=maximum-likelihood",
        "smoother=maximum-likelihood&order=3&sentence=on+mat+the",
        "smoother=kneser-ney&order=3&text=unrelated&sentence=the+cat",
        "smoother=absolute-discounting&order=1&start_marker=off&discount=0.99&sentence=",
        "smoother=interpolation&order=3&text=unrelated&weight=0.3&sentence=the+cat+sat+%3C/s%3E",
    ],
)
def test_the_numbers_are_those_of_the_library(page: Page, link: str) -> None:
    check_numbers(opened(page, NAME, link), link)


def test_taps_write_a_sentence(phone: Page) -> None:
    figure = opened(phone, NAME)
    for name in ("cat", "sat", "on"):
        word(figure, name).tap()
    assert sentence(figure) == ["the", "cat", "sat", "on"]
    check_numbers(figure, "sentence=the+cat+sat+on")
    address_is(phone, "sentence=the+cat+sat+on")
    figure.get_by_role("button", name="Take back a word").tap()
    assert sentence(figure) == ["the", "cat", "sat"]
    word(figure, "</s>").tap()
    expect(figure).to_contain_text("The sentence is complete")
    expect(figure.locator(".next-word__words")).to_be_hidden()
    assert sentence(figure) == ["the", "cat", "sat", "</s>"]
    figure.get_by_role("button", name="Start over").tap()
    assert sentence(figure) == ["<s>"]
    expect(figure).to_contain_text("Next word after “<s>”")
    check_numbers(figure, "sentence=")


def test_the_keyboard_writes_a_sentence_and_keeps_its_place(page: Page) -> None:
    figure = opened(page, NAME, "smoother=maximum-likelihood")
    word(figure, "the").focus()
    page.keyboard.press("Enter")
    expect(word(figure, "the")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert sentence(figure) == ["the", "the", "sat"]
    expect(figure.locator("[role=status]")).to_contain_text("After “sat” “on” is likeliest")
    word(figure, "<s>").focus()
    page.keyboard.press("Enter")
    assert sentence(figure) == ["the", "the", "sat"]
    expect(word(figure, "<s>")).to_have_accessible_description(re.compile("<s> cannot be written"))
    word(figure, "</s>").focus()
    page.keyboard.press("Enter")
    expect(figure.get_by_role("button", name="Take back a word")).to_be_focused()


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("smoother=interpolation&weight=0", "After “the” all 12 words are alike, 0.08 each"),
        ("", "After “the” “cat” and “dog” are likeliest, 0.17 each"),
        ("sentence=the+cat", "After “cat” “sat” is likeliest"),
        ("sentence=the+mat+on", "After “on” “the” is likeliest"),
    ],
)
def test_equals_are_told_as_equals(page: Page, link: str, said: str) -> None:
    figure = opened(page, NAME, link)
    figure.get_by_role("button", name="Next seed").click()
    status = figure.locator("[role=status]")
    expect(status).to_contain_text(said)
    expect(status).to_contain_text("seed 43 writes")


def test_a_long_list_names_equals_together(page: Page) -> None:
    figure = opened(page, NAME, "text=unrelated&sentence=the+moon+moon")
    view = wanted("text=unrelated&sentence=the+moon+moon")
    size, chances = len(view["vocabulary"]), view["next"]["probabilities"]
    row = figure.locator(".instrument__row").filter(has_text="Likeliest:")
    expect(row).to_have_text(
        f"Likeliest: “</s>” {max(chances):.4f}, “<s>”, “a” and {size - 3} more {min(chances):.4f} each"
    )
    figure.get_by_label("Order", exact=True).select_option("3")
    expect(row).to_have_text(f"Likeliest: all {size} words alike, {1 / size:.4f} each")


def test_a_legend_tells_what_only_smoothing_gives(page: Page) -> None:
    figure = opened(page, NAME)
    legend = figure.locator(".next-word__keys")
    expect(legend.get_by_text("counted here")).to_be_visible()
    expect(legend.get_by_text("only from smoothing")).to_be_visible()
    colour = lambda selector: figure.locator(selector).first.evaluate(  # noqa: E731
        "(element) => getComputedStyle(element).backgroundColor"
    )
    assert colour(".next-word__key-unseen") == colour(".next-word__row--unseen .instrument__fill")
    assert colour(".next-word__key-seen") == colour(
        ".next-word__row:not(.next-word__row--unseen) .instrument__fill"
    )
    figure.get_by_label("Smoothing", exact=True).select_option("maximum-likelihood")
    expect(legend.get_by_text("only from smoothing")).to_be_hidden()


def test_what_was_never_counted_is_told(page: Page) -> None:
    figure = opened(page, NAME, "smoother=maximum-likelihood")
    expect(figure.locator(".next-word__score").nth(1)).to_have_text(
        "held-out text: infinite: “fish sat” had probability 0"
    )
    figure.get_by_label("Order", exact=True).select_option("3")
    for name in ("mat", "the"):
        word(figure, name).click()
    expect(figure).to_contain_text("UnseenContext: context must be one that was counted, not ('mat', 'the')")
    expect(figure.locator(".next-word__curve")).to_be_hidden()
    figure.get_by_label("Smoothing", exact=True).select_option("kneser-ney")
    expect(figure.locator(".next-word__curve")).to_be_visible()
    check_numbers(figure, "smoother=kneser-ney&order=3&sentence=the+mat+the")


def test_only_the_present_smoother_has_its_slider(page: Page) -> None:
    figure = opened(page, NAME)
    for smoother, label in (
        ("interpolation", "Weight of each order"),
        ("kneser-ney", "Discount"),
        ("add-k", "k"),
        ("maximum-likelihood", None),
    ):
        figure.get_by_label("Smoothing", exact=True).select_option(smoother)
        visible = figure.get_by_role("slider").all()
        assert [one.get_attribute("aria-label") for one in visible] == ([label] if label else [])


def test_k_moves_by_slider_and_by_number(page: Page) -> None:
    figure = opened(page, NAME)
    slider = figure.get_by_role("slider", name="k")
    slider.focus()
    page.keyboard.press("Home")
    check_numbers(figure, "k=0.001")
    exact = figure.get_by_role("textbox", name="k", exact=True)
    exact.fill("0.01")
    exact.press("Enter")
    check_numbers(figure, "k=0.01")
    expect(figure.locator("[role=status]")).to_contain_text(
        "1.92 on the training text, 2.65 on the held-out text"
    )
    address_is(page, "k=0.01")


def place_of_k(figure: Locator, k: float) -> dict[str, float]:
    """Where on the picture of the curve a press means k."""
    figure.locator(".next-word__curve").evaluate(
        "(svg) => svg.scrollIntoView({ block: 'center', behavior: 'instant' })"
    )
    box = figure.locator(".next-word__curve").bounding_box()
    assert box
    grid = DATA["grids"]["k"]
    share = 40 + 266 * (grid.index(k) / (len(grid) - 1))
    return {"x": share / 320 * box["width"], "y": box["height"] / 2}


def test_a_press_on_the_curve_sets_k(page: Page) -> None:
    figure = opened(page, NAME)
    curve = figure.locator(".next-word__curve")
    curve.click(position=place_of_k(figure, 0.01))
    value = float(figure.get_by_role("textbox", name="k", exact=True).input_value())
    assert 0.009 < value < 0.011
    check_numbers(figure, f"k={value}")
    curve.hover(position=place_of_k(figure, 0.01))
    page.mouse.down()
    curve.hover(position=place_of_k(figure, 10))
    page.mouse.up()
    curve.hover(position=place_of_k(figure, 0.1))
    assert 9 < float(figure.get_by_role("textbox", name="k", exact=True).input_value()) < 11


def test_a_tap_on_the_curve_sets_k(phone: Page) -> None:
    figure = opened(phone, NAME)
    figure.locator(".next-word__curve").tap(position=place_of_k(figure, 0.1))
    assert 0.09 < float(figure.get_by_role("textbox", name="k", exact=True).input_value()) < 0.11


def test_another_text_begins_without_a_sentence(page: Page) -> None:
    figure = opened(page, NAME, "sentence=the+cat+sat")
    figure.get_by_label("Training text", exact=True).select_option("unrelated")
    check_numbers(figure, "text=unrelated&sentence=")


def test_a_sentence_is_not_written_beyond_its_end(page: Page) -> None:
    figure = opened(page, NAME, f"sentence={'+'.join('the' for _ in range(DATA['longest']))}")
    word(figure, "cat").click()
    expect(figure.get_by_role("alert")).to_contain_text(f"at most {DATA['longest']} words")
    assert len(sentence(figure)) == DATA["longest"]


def test_a_link_with_an_unknown_word_is_told(page: Page) -> None:
    figure = opened(page, NAME, "sentence=the+zebra")
    expect(figure.get_by_role("alert")).to_contain_text("not “zebra”")
    check_numbers(figure, "")


def test_the_next_seed_draws_other_sentences(page: Page) -> None:
    figure = opened(page, NAME, "smoother=maximum-likelihood")
    figure.get_by_role("button", name="Next seed").click()
    expect(figure.get_by_label("Seed")).to_have_value("43")
    check_numbers(figure, "smoother=maximum-likelihood&seed=43")
