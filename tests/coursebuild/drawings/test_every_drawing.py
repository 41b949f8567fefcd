"""Every drawing shows the figures that it is given, can be read on a phone, and names what it cannot draw."""

import copy
import re
from typing import Any

import pytest

from coursebuild.drawings import (
    DRAWINGS,
    blocks,
    curves,
    cuts,
    heat_maps,
    merge_tree,
    next_words,
    tokens_by_language,
)
from coursebuild.drawings.svg import WIDTH

from .pictures import (
    FIGURES,
    LOOKED_AT,
    SMALL,
    boxes_of_texts,
    changed,
    overlapping_texts,
    parse,
    small_picture,
)

pytestmark = pytest.mark.once


def test_every_drawing_is_registered_and_tried_here() -> None:
    assert DRAWINGS.keys() == FIGURES.keys()
    assert DRAWINGS["merge_tree"] is merge_tree
    assert DRAWINGS["tokens_by_language"] is tokens_by_language
    assert DRAWINGS["next_words"] is next_words
    assert DRAWINGS["curves"] is curves
    assert DRAWINGS["cuts"] is cuts
    assert DRAWINGS["heat_maps"] is heat_maps
    assert DRAWINGS["blocks"] is blocks


def test_every_drawing_was_looked_at() -> None:
    assert {name.partition("-")[0] for name in SMALL} == DRAWINGS.keys()
    assert {file.stem for file in LOOKED_AT.iterdir()} == SMALL.keys()


@pytest.mark.parametrize("name", SMALL)
def test_a_small_picture_is_the_one_that_was_looked_at(name: str) -> None:
    """Each shape at its place, in its colour: a drawing of a lesson changes only with one of these."""
    looked_at = (LOOKED_AT / f"{name}.svg").read_text(encoding="utf-8")
    assert small_picture(name) == looked_at, "it changed: see pictures.py for what to do"


@pytest.mark.parametrize(
    ("name", "key", "needed"),
    [
        (
            "blocks",
            "blocks",
            "a list of 1 to 4 {name, input, output, sublayers}: name, input and output text, each name once, "
            "sublayers a list of 1 to 6 {branch, after}, branch and after lists of up to 6 steps, not both empty, "
            "a step text or [text, note]",
        ),
        (
            "curves",
            "curves",
            "a dict {x, y, series}: x {label, scale} with scale 'log', 'linear' or 'points', y {label, scale} with "
            "scale 'log' or 'linear', series a list of {name, points} with each name once and points a list of "
            "[x, y], x rising, all finite, below 10¹⁵ and on a log scale from 10⁻³⁰⁰; and if the lowest points are "
            "marked, lowest, a list of names of series",
        ),
        (
            "cuts",
            "cuts",
            "a list of {step, probabilities, cuts}: step text, probabilities a list from the largest to the smallest "
            "that adds up to at most 1, cuts a list of {name, kept} with each name once and kept from 1 to the "
            "number of probabilities",
        ),
        (
            "heat_maps",
            "heat_maps",
            "a dict {rows, columns, maps}: rows and columns the names of the axes, maps a list of 1 to 4 "
            "{title, rows, columns, values} with each title once, rows and columns lists of 1 to 24 labels, values a "
            "list with a list for each row, in it for each column a finite number below 10¹⁵ or None if masked",
        ),
        (
            "merge_tree",
            "merge_list",
            "a list of [left, right, count] in the order learned, with left and right text, count from 1",
        ),
        (
            "merge_tree",
            "final_spellings",
            "a list of [count, [symbol, ...]], count from 1, symbols text, as merge_list leaves them",
        ),
        (
            "next_words",
            "next_words",
            "a list of {context, rows}: context text, rows a list of [word, probability, count] with each word once, "
            "probabilities from 0 to 1 that add up to at most 1, count from 0 or None",
        ),
        (
            "tokens_by_language",
            "languages",
            "a list of {language, characters, bytes, tokens, pieces}: language text, the three counts from 1, pieces "
            "a list of text with one entry for each token",
        ),
    ],
)
def test_a_refusal_says_all_that_is_needed(name: str, key: str, needed: str) -> None:
    for figure, said in ((None, "is None"), ([3], "has 3"), ([{"a": 1}], "has {'a': 1} without '")):
        with pytest.raises(ValueError, match=f"^drawing {name}: figure '{key}' ") as caught:
            DRAWINGS[name](changed(FIGURES[name], key, figure), "1")
        assert str(caught.value).endswith(f"; needed: {needed}")
        if "dict" not in needed and name != "merge_tree":
            assert f"figure '{key}' {said}" in str(caught.value)


@pytest.mark.parametrize("name", DRAWINGS)
class TestEveryDrawing:
    def test_is_an_image_named_by_its_title_and_description(self, name: str) -> None:
        root = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        assert root.tag == "svg"
        assert root.get("role") == "img"
        title, desc = root.find("title"), root.find("desc")
        assert title is not None
        assert desc is not None
        assert title.text
        assert desc.text
        assert root.get("aria-labelledby") == title.get("id")
        assert root.get("aria-describedby") == desc.get("id")

    def test_ids_are_unique_on_a_page_through_the_identifier(self, name: str) -> None:
        one = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        two = parse(DRAWINGS[name](FIGURES[name], "17.2"))
        ids = [e.get("id") for root in (one, two) for e in root.iter() if e.get("id")]
        assert len(ids) == len(set(ids)) == 4
        with pytest.raises(ValueError, match="ident"):
            DRAWINGS[name](FIGURES[name], "")

    def test_is_the_same_text_each_time_and_leaves_the_figures_alone(self, name: str) -> None:
        figures = copy.deepcopy(FIGURES[name])
        assert DRAWINGS[name](figures, "17.1") == DRAWINGS[name](FIGURES[name], "17.1")
        assert figures == FIGURES[name]

    def test_colours_are_variables_of_the_page(self, name: str) -> None:
        svg = DRAWINGS[name](FIGURES[name], "17.1")
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl", svg)
        for element in parse(svg).iter():
            for attribute in ("fill", "stroke"):
                value = element.get(attribute, "none")
                assert value == "none" or re.fullmatch(
                    r"var\(--course-[\w-]+, (currentColor|transparent)\)", value
                )

    def test_is_readable_on_a_phone(self, name: str) -> None:
        """At 360 px a drawing is 328 px wide; its text stays above 11 px and within the picture."""
        root = parse(DRAWINGS[name](FIGURES[name], "17.1"))
        width, height = [float(value) for value in root.get("viewBox", "").split()[2:]]
        assert width <= WIDTH
        default = float(root.get("font-size", "0"))
        for element in root.iter("text"):
            assert float(element.get("font-size", default)) * 328 / width >= 11
        for text, box in boxes_of_texts(DRAWINGS[name](FIGURES[name], "17.1")):
            assert box.left >= -1, text
            assert box.right <= width + 1, text
            assert box.top >= 0, text
            assert box.bottom <= height, text

    def test_no_text_stands_on_another(self, name: str) -> None:
        assert overlapping_texts(DRAWINGS[name](FIGURES[name], "17.1")) == []

    def test_a_missing_figure_is_named(self, name: str) -> None:
        for key in FIGURES[name]:
            figures = {k: v for k, v in FIGURES[name].items() if k != key}
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' is missing; needed: a (list|dict)"):
                DRAWINGS[name](figures, "17.1")

    @pytest.mark.parametrize("value", [None, 3, "text", [], {}, [None], [3], ["text"], [[]]])
    def test_a_malformed_figure_is_named(self, name: str, value: object) -> None:
        for key in FIGURES[name]:
            with pytest.raises(ValueError, match=rf"{name}.*'{key}' .*needed: a (list|dict)"):
                DRAWINGS[name](changed(FIGURES[name], key, value), "17.1")

    @pytest.mark.parametrize(
        "number", [10**15, -(10**20), 10**400, -(10**400), 10**5000], ids=["15", "-20", "400", "-400", "5000"]
    )
    def test_a_number_anywhere_that_is_too_large_is_named(self, name: str, number: int) -> None:
        """Python cannot compare 10**400 with floats, nor write 10**5000."""

        def planted(value: Any) -> list[Any]:
            """The value with each of its numbers replaced, one at a time."""
            if isinstance(value, dict):
                return [{**value, key: other} for key in value for other in planted(value[key])]
            if isinstance(value, list):
                return [
                    [*value[:i], other, *value[i + 1 :]]
                    for i, item in enumerate(value)
                    for other in planted(item)
                ]
            return [number] if isinstance(value, (int, float)) else []

        every = planted(FIGURES[name])
        assert len(every) > 8 or (name == "blocks" and not every)  # whose figure is all text
        for figures in every:
            with pytest.raises(
                ValueError, match=rf"drawing {name}: figure '.*(too large to draw|has ).*; needed"
            ):
                DRAWINGS[name](figures, "1")
