"""The static picture of a heat map, and how an instrument's arithmetic writes numbers."""

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from coursebuild.drawings.svg import GRID, HEAT, HEAT_2, INK, INK_2, LINE
from coursebuild.instruments import heat
from coursebuild.instruments.heat import factor, fixed, heat_map, summed

pytestmark = pytest.mark.once

SVG = "{http://www.w3.org/2000/svg}"
# In bold an a is 9.36 units wide, an ellipsis 14.92.


def drawn(
    rows: list[str],
    columns: list[str],
    values: list[list[float | None]],
    written: Callable[[float], str] = str,
) -> ET.Element:
    return ET.fromstring(heat_map("try", "Weights", rows, columns, values, 2, written, (0, 1)))


def shapes(svg: ET.Element) -> list[tuple[str, dict[str, str], str]]:
    """What is drawn, in order, each with its attributes and its text; without the picture's title and description."""
    return [
        (element.tag.removeprefix(SVG), dict(element.attrib), element.text or "")
        for element in svg.iter()
        if element.tag.removeprefix(SVG) not in ("svg", "title", "desc", "g")
    ]


def texts(svg: ET.Element) -> dict[str, dict[str, str]]:
    """The attributes of each text that is written."""
    return {element.text or "": dict(element.attrib) for element in svg.iter(f"{SVG}text")}


class TestHeatMap:
    def test_all_that_is_drawn(self) -> None:
        """Labels take 9.36 + 7 units, the two columns share the rest of 358; a row is 28 high, below 18 + 20."""
        bold = {"font-weight": "700"}

        def cell(x: str, y: str) -> dict[str, str]:
            return {"x": x, "y": y, "width": "170.82", "height": "28"}

        def outline(x: str, y: str) -> tuple[str, dict[str, str], str]:
            return ("rect", cell(x, y) | {"rx": "0", "fill": "none", "stroke": GRID}, "")

        middle = {"text-anchor": "middle"}
        assert shapes(drawn(["a", "b"], ["x", "y"], [[1, -0.5], [None, 4]])) == [
            ("text", {"x": "1", "y": "13", "fill": INK_2} | bold, "Weights"),
            ("text", {"x": "101.77", "y": "32"} | middle | bold, "x"),
            ("text", {"x": "272.59", "y": "32"} | middle | bold, "y"),
            ("text", {"x": "10.36", "y": "56.5", "text-anchor": "end"} | bold, "a"),
            ("rect", cell("16.36", "38") | {"fill-opacity": "0.5"}, ""),
            ("text", {"x": "101.77", "y": "56.5"} | middle, "1"),
            outline("16.36", "38"),
            ("rect", cell("187.18", "38") | {"fill-opacity": "0.25"}, ""),
            ("text", {"x": "272.59", "y": "56.5"} | middle, "-0.5"),
            outline("187.18", "38"),
            ("text", {"x": "10.36", "y": "84.5", "text-anchor": "end"} | bold, "b"),
            (
                "path",
                {
                    "d": "M20.36 90L183.18 70",
                    "fill": "none",
                    "stroke": LINE,
                    "stroke-linejoin": "round",
                },
                "",
            ),
            outline("16.36", "66"),
            ("rect", cell("187.18", "66") | {"fill-opacity": "1"}, ""),  # no darker than all
            ("text", {"x": "272.59", "y": "84.5"} | middle, "4"),
            outline("187.18", "66"),
            (
                "rect",
                {
                    "x": "188.18",
                    "y": "39",
                    "width": "168.82",
                    "height": "26",
                    "rx": "0",
                    "fill": "none",
                    "stroke": INK,
                },
                "",
            ),
        ]

    def test_a_negative_value_has_the_other_colour(self) -> None:
        svg = drawn(["a"], ["x", "y", "z"], [[1, -0.5, 0]])
        assert [group.get("fill") for group in svg.iter(f"{SVG}g")] == [HEAT, HEAT_2, HEAT]

    def test_the_frame_is_around_the_chosen_cell(self) -> None:
        written = heat_map("try", "Weights", ["a", "b"], ["x", "y"], [[1, 1], [1, 1]], 1, str, (1, 0))
        *_, frame = ET.fromstring(written)
        assert [frame.get(name) for name in ("x", "y", "width", "stroke")] == ["17.36", "67", "168.82", INK]

    def test_it_is_told_cell_by_cell(self) -> None:
        svg = drawn(["a", "b"], ["x", "y"], [[1, -0.5], [None, 4]])
        title, description = svg[0], svg[1]
        assert (title.tag, title.text, title.get("id")) == (f"{SVG}title", "Weights", "heat-try-title")
        assert description.text == "a, x: 1. a, y: -0.5. b, x: masked. b, y: 4."
        assert svg.get("viewBox") == "0 0 360 102"  # 38 and two rows of 28, and 8 below

    def test_numbers_stay_apart_where_the_picture_is_read_as_text(self) -> None:
        assert [element.tail for element in drawn(["a"], ["x", "y"], [[1, 2]]).iter(f"{SVG}text")] == [
            " "
        ] * 6

    def test_labels_that_are_wider_than_a_column_are_turned(self) -> None:
        """Their room is the longest label and 8 units, at most 64 and 8."""
        svg = drawn(["a"], ["aaaaaa", *"bcdefgh"], [[1.0] * 8])  # 56.16, and a column has 42.705
        assert texts(svg)["aaaaaa"] == {
            "x": "42.21",  # 16.36 + 21.3525 + 4.5
            "y": "76.16",  # 18 + 56.16 + 8 - 6
            "transform": "rotate(-90 42.21 76.16)",
            "font-weight": "700",
        }
        assert texts(svg)["a"]["y"] == "100.66"
        assert svg.get("viewBox") == "0 0 360 118.16"

    def test_turned_labels_are_cut_where_they_would_be_too_long(self) -> None:
        svg = drawn(["a"], ["a" * 10, *"bcdefgh"], [[1.0] * 8])
        assert texts(svg)["aaaaa…"]["y"] == "84"  # 18 + 64 + 8 - 6
        assert svg.get("viewBox") == "0 0 360 126"

    def test_a_label_that_has_room_is_whole(self) -> None:
        label = "a" * 17  # 159.12 in a column of 170.82
        assert texts(drawn(["a"], [label, "b"], [[1, 1]]))[label]["text-anchor"] == "middle"

    def test_rows_have_at_most_62_units_for_their_label(self) -> None:
        svg = drawn(["a", "b" * 9], ["x", "y"], [[1, 1], [1, 1]])
        assert texts(svg)["bbbbb…"] == {
            "x": "63",  # 62 + 7 - 6
            "y": "84.5",
            "text-anchor": "end",
            "font-weight": "700",
        }
        assert texts(drawn(["a", "bbbbbb"], ["x", "y"], [[1, 1], [1, 1]]))["bbbbbb"]["x"] == "57.16"

    def test_a_first_letter_is_always_left(self) -> None:
        assert heat._cut("W", 1) == "W"
        assert heat._cut("WWW", 1) == "W…"

    def test_a_number_that_is_wider_than_its_cell_is_left_out(self) -> None:
        """A digit is 8 units wide, a cell here 42.705, and a number may reach 4 beyond it."""
        svg = drawn(["a"], list("bcdefghi"), [[12345, 123456, 1, 1, 1, 1, 1, 1]])
        assert "12345" in texts(svg)
        assert "123456" not in texts(svg)
        assert "a, c: 123456." in (svg[1].text or "")

    @pytest.mark.parametrize(("widest", "is_shown"), [("1" * 18, True), ("1" * 18 + ".", False)])
    def test_a_number_reaches_at_most_4_units_beyond_its_cell(self, widest: str, is_shown: bool) -> None:
        """Two columns behind a label of 200 units, which is cut at 62, have 144.5 each; 18 digits have 144, a point 5.25."""
        svg = drawn(["a" * 30], ["x", "y"], [[1, 2]], written=lambda value: widest)
        assert (widest in texts(svg)) is is_shown

    @pytest.mark.parametrize("values", [[[1, 2, 3]], [[1]], [[1, 2], [1, 2]]])
    def test_each_row_has_a_label_and_each_value_a_column(self, values: list[list[float | None]]) -> None:
        with pytest.raises(ValueError, match="zip"):
            drawn(["a"], ["x", "y"], values)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.03125, "0.0312"),
        (9.96e-6, "10⁻⁵"),
        (-9.96e-6, "−10⁻⁵"),
        (-1.5e-7, "−1.5×10⁻⁷"),
        (-0.0, "0"),
        (6.0, "6"),
        (120.0, "120"),
    ],
)
def test_how_numbers_are_written(value: float, written: str) -> None:
    assert heat.told(value) == written


def test_at_most_four_decimals_are_written() -> None:
    assert [heat.told(value) for value in (12.34567, -2.5, 0.00006)] == ["12.3457", "−2.5", "0.0001"]


@pytest.mark.parametrize(
    ("value", "written"), [(2, "2"), (-2, "(−2)"), (1.5e-7, "(1.5×10⁻⁷)"), (-1.5e-7, "(−1.5×10⁻⁷)")]
)
def test_a_factor_with_a_sign_or_a_product_is_in_brackets(value: float, written: str) -> None:
    assert factor(value) == written


def test_a_sum_is_written_with_its_total() -> None:
    assert summed(["1", "2 × 3"], "7") == "1 + 2 × 3 = 7"
    assert summed(["6 / 2"], "3") == "6 / 2 = 3"


@pytest.mark.parametrize(
    ("value", "places", "written"),
    [
        (1.23456, 4, "1.2346"),
        (-1.5, 2, "-1.50"),
        (-0.004, 2, "0.00"),
        (-0.006, 2, "-0.01"),
        (0.0, 1, "0.0"),
    ],
)
def test_zero_has_no_sign(value: float, places: int, written: str) -> None:
    assert fixed(value, places) == written


def test_a_number_has_four_decimals_unless_said() -> None:
    assert fixed(0.5) == "0.5000"
