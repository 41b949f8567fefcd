"""Each cell of a heat map has its shade and its number or mark, and labels that look alike are refused."""

import math
import random
import re
from typing import Any

import pytest

from coursebuild.drawings import heat_maps
from coursebuild.drawings.placing import Box
from coursebuild.drawings.svg import MEDIUM, SMALL, WIDTH

from .pictures import (
    HEAT_MAPS,
    TOKENS,
    as_wide_as,
    boxes_of_texts,
    description,
    parse,
    refused,
    texts,
    within,
)

pytestmark = pytest.mark.once


def heat(*tables: list[list[Any]], **change: Any) -> dict[str, Any]:
    """Heat maps with these values, their labels numbers; with something changed."""
    maps = [
        {
            "title": f"map {i}",
            "rows": [str(n) for n in range(len(table))],
            "columns": [str(n) for n in range(len(table[0]))],
            "values": table,
        }
        for i, table in enumerate(tables)
    ]
    return {"heat_maps": {"rows": "row", "columns": "column", "maps": maps} | change}


def shades(svg: str) -> list[tuple[str, float]]:
    """The colour and the opacity of each shaded rectangle, without those of the legend."""
    groups = [g for g in parse(svg).iter("g") if len(g) and g[0].get("height") != "13"]
    return [(g.get("fill", ""), float(e.get("fill-opacity", "1"))) for g in groups for e in g]


def causal_table(count: int, seed: int) -> list[list[float | None]]:
    rng = random.Random(seed)
    table: list[list[float | None]] = []
    for i in range(count):
        weights = [rng.random() for _ in range(i + 1)]
        table.append([w / sum(weights) for w in weights] + [None] * (count - 1 - i))
    return table


class TestHeatMaps:
    def test_every_cell_has_its_number(self) -> None:
        shown = texts(heat_maps(HEAT_MAPS, "20.1"))
        assert shown == [
            *["Rows: query. Columns: key.", "open", *TOKENS, *TOKENS],
            *["0.64", "0.23", "0.10", "0.03", "≈0", "0.99", "≈0", "0.01"],
            *["0.21", "0.57", "0.13", "0.09", "0.05", "0.05", "0.82", "0.08"],
            *["causal", *TOKENS, *TOKENS, "1.00", "≈0", "≈1", "0.23", "0.63", "0.14"],
            *["0.05", "0.05", "0.82", "0.08", "0", "1", "masked"],
        ]

    def test_the_text_alternative_has_every_value_and_what_is_masked(self) -> None:
        told = description(heat_maps(HEAT_MAPS, "20.1"))
        assert told.startswith(
            "2 heat maps, shaded from 0 to 1. Rows: query. Columns: key. open: the: 0.64 at the, "
        )
        assert "cat: 0.004 at the, 0.986 at cat, 0.003 at sat, 0.007 at down; sat: 0.21 at the, " in told
        assert (
            "causal: the: 1 at the, masked cat, sat, down; cat: 0.004 at the, 0.996 at cat, masked " in told
        )
        assert told.endswith("down: 0.05 at the, 0.05 at cat, 0.82 at sat, 0.08 at down.")
        title = parse(heat_maps(HEAT_MAPS, "20.1")).findtext("title")
        assert title == "Query by key: open, causal"

    @pytest.mark.parametrize(
        ("values", "ends", "bound"),
        [
            ([[0, 0.25], [0.5, 0.1]], ["0", "1"], 1),
            ([[0, 0], [0, 0]], ["0", "1"], 1),
            ([[0, 1 + 1e-12]], ["0", "1"], 1),
            ([[1, 12], [3, 0]], ["0", "12"], 12),
            ([[1.5, 2.34567]], ["0", "2.35"], 2.34567),
            ([[-1.5, 0.5]], ["-1.5", "0", "1.5"], 1.5),
            ([[-0.002, 0.001]], ["-0.002", "0", "0.002"], 0.002),
        ],
    )
    def test_the_scale_goes_from_zero_or_around_it(
        self, values: list[list[float]], ends: list[str], bound: float
    ) -> None:
        svg = heat_maps(heat(values), "1")
        assert sorted(texts(svg)[-len(ends) :]) == sorted(ends)
        expected = [
            (v > 0, abs(v) / bound) for sign in (1, -1) for row in values for v in row if v * sign > 0
        ]
        got = shades(svg)
        assert [fill.startswith("var(--course-drawing-heat,") for fill, _ in got] == [
            up for up, _ in expected
        ]
        assert [share for _, share in got] == pytest.approx([share for _, share in expected], abs=6e-4)
        within(svg)

    def test_all_maps_share_the_scale(self) -> None:
        svg = heat_maps(heat([[0.5, 1]], [[2, 4]]), "1")
        assert [share for _, share in shades(svg)] == [0.125, 0.25, 0.5, 1]

    def test_cells_stand_in_rows_and_columns(self) -> None:
        svg = heat_maps(heat([[1, 2, 3], [4, 5, 6]]), "1")
        cells = [e for g in parse(svg).iter("g") for e in g if e.get("height") != "13"]
        at = [(float(e.get("x", "0")), float(e.get("y", "0"))) for e in cells]
        assert at == sorted(at, key=lambda place: (place[1], place[0]))
        assert len({x for x, _ in at}) == 3
        assert len({y for _, y in at}) == 2
        places = {text: (e.left + e.right) / 2 for text, e in boxes_of_texts(svg)}
        assert places["4"] == pytest.approx(at[3][0] + float(cells[3].get("width", "0")) / 2, abs=0.02)

    def test_two_maps_stand_beside_each_other_if_their_numbers_fit(self) -> None:
        def tops(svg: str) -> list[float]:
            return [box.top for text, box in boxes_of_texts(svg) if text.startswith("map ")]

        small, wide = [[0.5] * 4] * 4, [[0.5] * 7] * 7
        one, two, three = tops(heat_maps(heat(small, small, small), "1"))
        assert one == two < three
        one, two = tops(heat_maps(heat(wide, wide), "1"))
        assert one < two
        titles = heat(small, small)
        titles["heat_maps"]["maps"][0]["title"] = "a title longer than half"
        svg = heat_maps(titles, "1")
        assert "a title longer than half" in texts(svg)
        within(svg)

    def test_masked_cells_are_hatched_and_only_they(self) -> None:
        svg = heat_maps(heat([[0.5, None], [None, 0.25]]), "1")
        hatches = [e.get("d", "") for e in parse(svg).iter("path") if e.get("stroke-width") == "0.8"]
        assert len(hatches) == 2  # the map's and the legend's
        cells = [e for g in parse(svg).iter("g") for e in g if e.get("height") != "13"]
        boxes = [
            Box(x, y, x + w, y + h)
            for e in cells
            for x, y, w, h in [[float(e.get(k, "0")) for k in ("x", "y", "width", "height")]]
        ]
        ends = [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", hatches[0])]
        middles = [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in zip(ends[::2], ends[1::2], strict=True)]
        assert len(middles) > 8
        assert not any(box.has(middle, -0.01) for box in boxes for middle in middles)
        assert "masked" in texts(svg)
        svg = heat_maps(heat([[0.5, 0.25]]), "1")
        assert "masked" not in texts(svg)
        assert not [e for e in parse(svg).iter("path") if e.get("stroke-width") == "0.8"]

    def test_a_row_may_be_masked_whole_but_not_all_rows(self) -> None:
        assert "1: all masked." in description(heat_maps(heat([[0.5, 1], [None, None]]), "1"))
        with refused("heat_maps", "has no value: every cell is masked"):
            heat_maps(heat([[None, None]]), "1")

    def test_large_maps_have_a_dot_at_the_largest_of_each_row(self) -> None:
        table = causal_table(15, 3)
        svg = heat_maps(heat(table, causal_table(15, 4)), "1")
        within(svg)
        assert not any(re.fullmatch(r"0\.\d\d", text) for text in texts(svg))
        dots = list(parse(svg).iter("circle"))
        assert len(dots) == 2 * 14 + 1  # the first row has one cell only; the legend
        tops = [row.index(max(v for v in row if v is not None)) for row in table[1:]]
        xs = sorted({float(e.get("cx", "0")) for e in dots[:14]})
        lefts = [float(e.get("cx", "0")) for e in dots[:14]]
        assert [xs.index(x) for x in lefts] == [sorted(set(tops)).index(top) for top in tops]
        assert "largest of its row" in texts(svg)
        told = description(svg)
        for i, (row, top) in enumerate(zip(table[1:14], tops, strict=False), start=1):
            last = f"masked from {i + 1} on" if i < 12 else "masked"
            assert re.search(rf"; {i}: largest {round(row[top] or 0, 4)}\d* at {top}, {last}", told)

    def test_equal_largest_cells_have_no_dot_and_are_named(self) -> None:
        rows = [[0.1] * 12, [0.5, 0.5] + [0.0] * 10]
        svg = heat_maps(heat(rows), "1")
        assert list(parse(svg).iter("circle")) == []
        assert "largest of its row" not in texts(svg)
        assert "0: largest 0.1 at 0, 1, 2 and 9 more; 1: largest 0.5 at 0 and 1." in description(svg)

    def test_large_maps_with_negative_values_have_a_dash_at_each(self) -> None:
        """As the picture of positions: 24 positions by 16 dimensions."""
        table = [[(math.sin, math.cos)[i % 2](p / 10 ** (i // 2 / 2)) for i in range(16)] for p in range(24)]
        svg = heat_maps(heat(table), "21.4")
        within(svg)
        assert list(parse(svg).iter("circle")) == []
        assert "negative" in texts(svg)
        dashes = [e.get("d", "") for e in parse(svg).iter("path") if e.get("stroke-width") == "1.2"]
        assert dashes[0].count("M") == sum(value < 0 for row in table for value in row)
        assert "3: largest more than 0.9999 at 15, smallest -0.99 at 1;" in description(svg)

    @pytest.mark.parametrize("signed", [False, True])
    @pytest.mark.parametrize("label", ["{}", "{} token", "{}internationalization"])
    @pytest.mark.parametrize(
        ("down", "across"), [(24, 24), (24, 16), (15, 15), (1, 24), (24, 1), (8, 8), (2, 3)]
    )
    @pytest.mark.parametrize("count", [1, 2, 4])
    def test_all_sizes_fit(self, count: int, down: int, across: int, label: str, signed: bool) -> None:
        rng = random.Random(down + across)
        least = -1 if signed else 0
        tables = [[[rng.uniform(least, 1) for _ in range(across)] for _ in range(down)] for _ in range(count)]
        tables[0][-1][-1] = None  # type: ignore[call-overload]
        figure = heat(*tables)
        for one in figure["heat_maps"]["maps"]:
            one["rows"] = [label.format(i) for i in range(down)]
            one["columns"] = [label.format(i) for i in range(across)]
        svg = heat_maps(figure, "1")
        within(svg)
        told = description(svg)
        assert told.count(f"{label.format(down - 1)}: ") >= count
        known = sum(value is not None for table in tables for row in table for value in row)
        assert sum(0 < share <= 1 or share == 0 for _, share in shades(svg)) == known
        if across <= 8:
            assert told.count(" at ") == known

    def test_long_labels_are_shortened_in_the_picture_only(self) -> None:
        figure = heat([[0.5] * 20] * 20)
        figure["heat_maps"]["maps"][0]["rows"][3] = "internationalization"
        figure["heat_maps"]["maps"][0]["columns"][4] = "a very long label indeed"
        svg = heat_maps(figure, "1")
        within(svg)
        shortened = [text for text in texts(svg) if text.endswith("…")]
        assert len(shortened) == 2
        assert all(len(text) > 4 for text in shortened)
        assert "internationalization: largest" in description(svg)

    def test_labels_that_repeat_are_told_by_their_place(self) -> None:
        figure = heat([[0.9, 0.1], [0.2, 0.8]])
        figure["heat_maps"]["maps"][0] |= {"rows": ["the", "the"], "columns": [" the", " the"]}
        svg = heat_maps(figure, "1")
        assert texts(svg).count("·the") == 2
        assert "A raised dot is a space." in texts(svg)
        assert "the (place 2): 0.2 at ·the (place 1), 0.8 at ·the (place 2)." in description(svg)

    @pytest.mark.parametrize(
        ("values", "shown"),
        [
            ([0, 3, 12], ["0", "3", "12"]),
            ([-3, 0, 2], ["-3", "0", "2"]),
            ([0.0, 0.004, 0.996], ["0", "≈0", "≈1"]),
            ([-0.996, -1.0, -0.001, -0.0], ["≈-1", "-1.00", "≈0", "0"]),
            ([123.456, 7.0], ["≈123", "7"]),
            ([12.34, 7.0], ["12.3", "7.0"]),
            ([12.34, 7.04, 0.97, -0.02], ["12.3", "≈7", "≈1", "≈0"]),
            ([1234.5, 0.58, 0.2, 7.0, -3.7], ["≈1234", "≈1", "≈0", "7", "≈-4"]),
            ([1.004, 1.0, 2.996, 2.0], ["≈1", "1.00", "≈3", "2.00"]),
            ([1 + 2**-52, 1 - 2**-53, 0.5], ["1.00", "1.00", "0.50"]),  # rounding errors
            ([1 + 1e-10, 1 - 1e-10, 1e-20], ["≈1", "≈1", "≈0"]),
            ([-0.0123, 0.002], ["-0.012", "0.002"]),
            ([123456, 20], ["123456", "20"]),
        ],
    )
    def test_numbers_in_cells_are_short_and_not_rounded_to_others(
        self, values: list[float], shown: list[str]
    ) -> None:
        got = texts(heat_maps(heat([values]), "1"))
        assert got[-len(shown) - (3 if min(values) < 0 else 2) :][: len(shown)] == shown

    @pytest.mark.parametrize(
        ("values", "ends"),
        [
            ([0, 123.456], ["0", "≈123"]),
            ([-1.0004, 0.5], ["≈-1", "0", "≈1"]),
            ([-1 - 2**-52, 0.5], ["-1", "0", "1"]),
            ([0.5, 12.34567], ["0", "12.3"]),
        ],
    )
    def test_the_ends_of_the_scale_are_not_rounded_to_others(
        self, values: list[float], ends: list[str]
    ) -> None:
        svg = heat_maps(heat([values]), "1")
        assert sorted(texts(svg)[-len(ends) :]) == sorted(ends)
        assert f"shaded from {ends[0]} to {ends[-1]}." in description(svg)

    def test_the_text_alternative_says_of_no_value_wrongly_that_it_is_whole(self) -> None:
        told = description(heat_maps(heat([[1e5 + 0.25, 0.58, 7.0, 0.0, -3.7]]), "1"))
        assert "0: ≈100000 at 0, ≈1 at 1, 7 at 2, 0 at 3, ≈-4 at 4." in told

    def test_a_cosine_that_is_one_but_for_a_rounding_error_is_drawn_as_one(self) -> None:
        svg = heat_maps(heat([[1 + 2**-51, 0.5], [0.5, 1 - 2**-52]]), "1")
        assert texts(svg)[-6:] == ["1.00", "0.50", "0.50", "1.00", "0", "1"]
        assert [share for _, share in shades(svg)] == [1, 0.5, 0.5, 1]
        assert "shaded from 0 to 1." in description(svg)
        assert "0: 1 at 0, 0.5 at 1; 1: 0.5 at 0, 1 at 1." in description(svg)

    def test_a_middle_dot_in_a_label_is_a_dot(self) -> None:
        figure = heat([[0.5, 1], [0.25, 0]])
        figure["heat_maps"]["maps"][0] |= {"rows": ["q·k", "b c"], "columns": ["·a", "a"]}
        svg = heat_maps(figure, "1")
        assert {"q·k", "b c", "·a", "a"} <= set(texts(svg))
        assert "A raised dot is a space." not in texts(svg)
        assert "A raised dot" not in description(svg)

    def test_a_dot_that_would_be_read_as_a_space_is_refused(self) -> None:
        one, two = heat([[0.5, 1]], [[0.5, 1]])["heat_maps"]["maps"]
        for first, second in (
            (one | {"columns": ["q·k", " b"]}, two),
            (one | {"columns": ["q·k", "b"]}, two | {"rows": [" b"]}),
        ):
            with refused("heat_maps", "'q·k', whose dot would be read as a space: so the spaces of ' b' are"):
                heat_maps(heat(maps=[first, second]), "1")
        with refused("heat_maps", "has the label ' ·', whose dot would be read as a space"):
            heat_maps(heat(maps=[one | {"columns": [" ·", "b"]}]), "1")

    def test_labels_that_differ_only_in_spaces_are_drawn_apart(self) -> None:
        labels = ["a b", " a b", "a b ", "a  b", "ab", " ", "  ", "a\tb", "a\nb", "a\u00a0b", "a\u200bb"]
        figure = heat([[0.5]] * len(labels))
        figure["heat_maps"]["maps"][0]["rows"] = labels
        svg = heat_maps(figure, "1")
        drawn = ["a b", "·a·b", "a·b·", "a··b", "ab", "·", "··", "a⇥b", "a↵b", r"a\xa0b", r"a\x200bb"]
        assert [text for text in texts(svg) if text in drawn] == drawn
        assert "A raised dot is a space." in texts(svg)
        told = description(svg)
        assert "Columns: column. A raised dot is a space. map 0: a b: 0.5 at 0; ·a·b: 0.5" in told
        assert all(f"{label}: 0.5 at 0" in told for label in drawn)

    @pytest.mark.parametrize(
        "labels",
        [[" a", "·a"], ["a\n", "a↵"], ["a\tb", "a⇥b"], ["\x00", r"\x00"], ["\u00e9", "e\u0301"]],
    )
    def test_labels_that_look_alike_are_refused(self, labels: list[str]) -> None:
        one, two = heat([[0.5, 1]], [[0.5, 1]])["heat_maps"]["maps"]
        for maps in (
            [one | {"columns": labels}],
            [one | {"rows": labels[:1]}, two | {"columns": [*labels[1:], "b"]}],
        ):
            with refused("heat_maps", "has the labels .* and .*, which look alike: .*"):
                heat_maps(heat(maps=maps), "1")

    @pytest.mark.parametrize("key", ["rows", "columns"])
    def test_labels_of_which_the_same_would_remain_are_refused(self, key: str) -> None:
        figure = heat([[0.5] * 20] * 20)
        one = figure["heat_maps"]["maps"][0]
        one[key] = [f"representation-{i:02}" for i in range(20)]
        said = "'representation-00' and 'representation-01', which both are cut to 'repr.*…'"
        with refused("heat_maps", said):
            heat_maps(figure, "1")
        one[key] = [f"{i:02}-representation" for i in range(20)]
        assert "19-representation: " in description(heat_maps(figure, "1")) or key == "columns"
        one[key] = ["representation"] * 20  # the same label is cut to the same
        within(heat_maps(figure, "1"))

    def test_maps_stand_below_each_other_where_their_labels_would_be_cut_alike_beside(self) -> None:
        tables = heat(*[[[0.5] * 15] * 15] * 4)
        labels = [f"{i} mapping {j}" for i in range(5) for j in "abc"]
        for one in tables["heat_maps"]["maps"]:
            one["rows"] = labels
        svg = heat_maps(tables, "1")
        within(svg)
        assert [text for text in texts(svg) if text in labels] == labels * 4

    def test_a_label_that_is_the_place_of_others_is_refused(self) -> None:
        one = heat([[0.5, 1, 0]])["heat_maps"]["maps"][0] | {"columns": ["a", "a", "a (place 1)"]}
        with refused("heat_maps", "has columns = .* for 'map 0', one named as a place of others"):
            heat_maps(heat(maps=[one]), "1")

    @pytest.mark.parametrize("value", [5e-324, 1e-300, 1e-12, 1e-7, 3e-4, 0.3, 1, 7.5, 1e6, 123456.7, 9.9e14])
    def test_any_size_is_drawn(self, value: float) -> None:
        for values in ([value, 0], [-value, value / 3], [value, -value, None, 0.0]):
            for columns in (1, 5):
                svg = heat_maps(heat([values * columns]), "1")
                within(svg)
                assert not re.search(r"nan|inf", svg)
                assert len(description(svg)) < 900

    def test_markup_in_a_label_is_text(self) -> None:
        figure = heat([[0.5, 1]])
        figure["heat_maps"]["maps"][0] |= {"title": "<b>&", "columns": ["</svg>", '"\x00']}
        svg = heat_maps(figure, "1")
        assert "<b>&" in texts(svg)
        assert "</svg>" in texts(svg)
        assert r'"\x00' in texts(svg)

    def test_tuples_do_as_well_as_lists(self) -> None:
        figure = heat([[0.5, None], [0.25, 1]])
        one = figure["heat_maps"]["maps"][0]
        rows = tuple(map(tuple, one["values"]))
        other = {**one, "values": rows, "rows": tuple(one["rows"])}
        assert heat_maps(heat(maps=(other,)), "1") == heat_maps(figure, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"rows": ""}, "has rows = '', not the name of an axis"),
            ({"columns": 3}, "has columns = 3, not the name of an axis"),
            ({"columns": " key"}, "has columns = ' key'"),
            ({"columns": "k" * 60}, "has the names of axes .* which do not fit in a line"),
            ({"maps": []}, r"has maps = \[\]"),
            ({"maps": "ab"}, "has maps = 'ab'"),
            ({"maps": [3]}, "has the map 3"),
        ],
    )
    def test_a_malformed_figure_is_named(self, change: dict[str, Any], said: str) -> None:
        with refused("heat_maps", said):
            heat_maps(heat([[1]], **change), "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"title": ""}, "has the title ''"),
            ({"title": "t" * 60}, "has the title 'ttt.*not a text that fits in a line"),
            ({"rows": []}, r"has rows = \[\] for 'a'"),
            ({"rows": "ab"}, "has rows = 'ab' for 'a'"),
            ({"columns": ["x", 3]}, r"has columns = \['x', 3\] for 'a'"),
            ({"columns": ["x", ""]}, r"has columns = \['x', ''\] for 'a'"),
            ({"rows": ["x"] * 25}, "has 25 rows for 'a': at most 24 fit"),
            ({"columns": ["x"] * 25}, "has 25 columns for 'a': at most 24 fit"),
            ({"values": 3}, "has values = 3 for 'a'"),
            ({"values": [1, 2]}, r"has values = \[1, 2\] for 'a'"),
            ({"values": [[1, 2]]}, "has 1 row of values, but 2 labels of rows and 2 of columns for 'a'"),
            (
                {"values": [[1, 2], [3]]},
                "has a row of 1 value, but 2 labels of rows and 2 of columns for 'a'",
            ),
            ({"values": [[1, 2], [3, "4"]]}, "has the value '4' for 'a'"),
            ({"values": [[1, 2], [3, True]]}, "has the value True for 'a'"),
            ({"values": [[1, 2], [3, math.nan]]}, "has the value nan for 'a'"),
            ({"values": [[1, 2], [3, -math.inf]]}, "has the value -inf for 'a'"),
            ({"values": [[1, 2], [3, 1e15]]}, r"has the value 1000000000000000\.0 for 'a'"),
        ],
    )
    def test_a_malformed_map_is_named(self, change: dict[str, Any], said: str) -> None:
        one = {"title": "a", "rows": ["r", "s"], "columns": ["x", "y"], "values": [[1, 2], [3, 4]]}
        with refused("heat_maps", said):
            heat_maps(heat(maps=[one | change]), "1")

    def test_a_title_and_the_names_of_axes_fit_up_to_the_edge(self) -> None:
        def drawn(title: str, name: str) -> str:
            figure = heat([[1]], rows=name)
            figure["heat_maps"]["maps"][0]["title"] = title
            return heat_maps(figure, "1")

        after = "Rows: . Columns: column."
        title, name = as_wide_as(358, MEDIUM, bold=True), as_wide_as(358, SMALL, after=after)
        svg = drawn(title, name)
        assert {title, f"Rows: {name}. Columns: column."} <= set(texts(svg))
        assert all(box.left >= 0.99 and box.right <= WIDTH - 0.99 for _, box in boxes_of_texts(svg))
        with refused("heat_maps", "has the title .* not a text that fits in a line"):
            drawn(as_wide_as(358.5, MEDIUM, bold=True), "row")
        with refused("heat_maps", "has the names of axes .* which do not fit in a line"):
            drawn("a", as_wide_as(358.5, SMALL, after=after))

    def test_two_maps_stand_beside_each_other_as_long_as_their_titles_fit(self) -> None:
        for room, beside in ((174, True), (174.5, False)):
            figure = heat([[1]], [[1]])
            title = as_wide_as(room, MEDIUM, bold=True)
            figure["heat_maps"]["maps"][1]["title"] = title
            tops = [
                box.top for text, box in boxes_of_texts(heat_maps(figure, "1")) if text in ("map 0", title)
            ]
            assert (tops[0] == tops[1]) == beside

    def test_too_many_maps_and_titles_alike_are_refused(self) -> None:
        with refused("heat_maps", "has 5 maps: at most 4 fit"):
            heat_maps(heat(*[[[1]]] * 5), "1")
        one = heat([[1]])["heat_maps"]["maps"][0]
        with refused("heat_maps", r"has a title more than once: \['map 0', 'map 0'\]"):
            heat_maps(heat(maps=[one, one]), "1")

    def test_a_missing_key_is_named(self) -> None:
        for key in ("rows", "columns", "maps"):
            figure = {k: v for k, v in HEAT_MAPS["heat_maps"].items() if k != key}
            with refused("heat_maps", rf"has no '{key}'"):
                heat_maps({"heat_maps": figure}, "1")
        for key in ("title", "rows", "columns", "values"):
            one = {k: v for k, v in HEAT_MAPS["heat_maps"]["maps"][0].items() if k != key}
            with refused("heat_maps", rf"without '{key}'"):
                heat_maps(heat(maps=[one]), "1")
