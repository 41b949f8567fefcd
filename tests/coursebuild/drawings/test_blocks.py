"""Diagrams of blocks and their text alternative have the same steps in the same order."""

import re
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebuild.drawings import blocks
from coursebuild.drawings.placing import Box
from coursebuild.drawings.svg import MEDIUM, SMALL

from .pictures import BLOCKS, as_wide_as, boxes_of_texts, description, parse, refused, texts, within

pytestmark = pytest.mark.once


def block(*sublayers: tuple[list[Any], list[Any]], **change: Any) -> dict[str, Any]:
    """A block with these (branch, after), with something changed."""
    listed = [{"branch": branch, "after": after} for branch, after in sublayers]
    return {"name": "a", "input": "x", "output": "y", "sublayers": listed} | change


STEPS = st.one_of(
    st.sampled_from(["layer norm", "feed-forward", "q·k", "<g>&"]),
    st.sampled_from([["layer norm", "rms 1.00"], ["add", "x"]]),
)


class TestBlocks:
    def test_every_step_stands_once_with_its_note_in_order(self) -> None:
        shown = texts(blocks(BLOCKS, "21.2"))
        assert shown == [
            *["pre-norm", "x", "layer norm", "rms 1.00", "causal attention", "rms 0.45"],
            *["layer norm", "feed-forward", "y"],
            *[
                "post-norm",
                "x",
                "causal attention",
                "layer norm",
                "feed-forward",
                "layer norm",
                "rms 1.00",
                "y",
            ],
        ]
        within(blocks(BLOCKS, "21.2"))

    def test_the_text_alternative_has_the_flow(self) -> None:
        assert description(blocks(BLOCKS, "21.2")) == (
            "2 diagrams of a stream. pre-norm: x comes in; a branch goes through layer norm (rms 1.00), then "
            "causal attention (rms 0.45), and is added back to the stream; a branch goes through layer norm, then "
            "feed-forward, and is added back to the stream; y comes out. post-norm: x comes in; a branch goes "
            "through causal attention, and is added back to the stream; the stream goes through layer norm; a "
            "branch goes through feed-forward, and is added back to the stream; the stream goes through layer "
            "norm (rms 1.00); y comes out."
        )
        assert parse(blocks(BLOCKS, "21.2")).findtext("title") == "The stream through pre-norm, post-norm"

    @given(
        shape=st.lists(
            st.tuples(st.lists(STEPS, max_size=3), st.lists(STEPS, max_size=2)).filter(any),
            min_size=1,
            max_size=4,
        )
    )
    @settings(derandomize=True, deadline=None, max_examples=60, database=None)
    def test_text_alternative_and_picture_agree(self, shape: list[tuple[list[Any], list[Any]]]) -> None:
        svg = blocks({"blocks": [block(*shape)]}, "1")
        within(svg)
        root = parse(svg)
        stream = 12 + min(float(e.get("x", "0")) for e in root.iter("text"))
        found: list[tuple[float, str]] = []  # how far down, and what is there
        for e in root.iter("rect"):
            x, y, w, h = (float(e.get(key, "0")) for key in ("x", "y", "width", "height"))
            lines = [t for t, b in boxes_of_texts(svg) if Box(x, y, x + w, y + h).has((b.left + 0.1, b.top))]
            text = f"{lines[0]} ({lines[1]})" if len(lines) == 2 else lines[0]
            found.append((y, f"on {text}" if x < stream else f"beside {text}"))
        found += [(float(e.get("cy", "0")), "add") for e in root.iter("circle") if e.get("r") == "8"]
        told = description(svg).partition("x comes in; ")[2].removesuffix("; y comes out.")
        said = []
        for part in told.split("; "):
            aside = part.startswith("a branch goes through ")
            steps = part.partition(" through ")[2].removesuffix(", and is added back to the stream")
            said += [f"{'beside' if aside else 'on'} {step}" for step in steps.split(", then ")]
            said += ["add"] * aside
        assert [what for _, what in sorted(found)] == said

    def test_boxes_of_a_branch_stand_beside_the_stream_and_the_others_on_it(self) -> None:
        root = parse(blocks({"blocks": [BLOCKS["blocks"][1]]}, "1"))
        pluses = [e for e in root.iter("circle") if e.get("r") == "8"]
        dots = [e for e in root.iter("circle") if e.get("r") == "3"]
        assert len(pluses) == len(dots) == 2
        streams = {float(e.get("cx", "0")) for e in (*pluses, *dots)}
        assert len(streams) == 1
        stream = streams.pop()
        boxes = list(root.iter("rect"))
        spans = [(float(e.get("x", "0")), float(e.get("x", "0")) + float(e.get("width", "0"))) for e in boxes]
        assert [left < stream < right for left, right in spans] == [False, True, False, True]
        tops = [float(e.get("y", "0")) for e in boxes]
        forks, joins = ([float(e.get("cy", "0")) for e in group] for group in (dots, pluses))
        assert forks[0] < tops[0] < joins[0] < tops[1] < forks[1] < tops[2] < joins[1] < tops[3]

    def test_boxes_and_signs_do_not_overlap(self) -> None:
        root = parse(blocks(BLOCKS, "1"))
        found = [
            Box(x, y, x + w, y + h)
            for e in root.iter("rect")
            for x, y, w, h in [[float(e.get(k, "0")) for k in ("x", "y", "width", "height")]]
        ]
        found += [
            Box(x - r, y - r, x + r, y + r)
            for e in root.iter("circle")
            for x, y, r in [[float(e.get(k, "0")) for k in ("cx", "cy", "r")]]
        ]
        assert len(found) == 8 + 8
        assert not any(one.meets(two) for one, two in combinations(found, 2))

    def test_arrows_go_along_or_down(self) -> None:
        for path in parse(blocks(BLOCKS, "1")).iter("path"):
            data = path.get("d", "")
            if not data.endswith("Z"):
                corners = [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", data)]
                assert all((x == u) != (y == v) and v >= y for (x, y), (u, v) in pairwise(corners))

    def test_two_stand_beside_each_other_if_their_texts_fit(self) -> None:
        def tops(*every: dict[str, Any]) -> list[float]:
            svg = blocks({"blocks": list(every)}, "1")
            within(svg)
            names = {one["name"] for one in every}
            return [box.top for text, box in boxes_of_texts(svg) if text in names]

        short = block((["layer norm", "feed-forward"], []))
        two = block((["causal self-attention"], []), name="b")  # in two lines
        long = block((["grouped-query attention with rotary positions"], []), name="c")
        one, other = tops(short, two)
        assert one == other
        one, other, third = tops(short, two, short | {"name": "d"})
        assert one == other < third
        one, other = tops(short, long)
        assert one < other

    @pytest.mark.parametrize(
        ("room", "size", "bold", "placed"),
        [
            (300, MEDIUM, True, lambda text: block((["b"], []), name=text)),
            (300, SMALL, False, lambda text: block((["b"], []), input=text)),
            (300, SMALL, False, lambda text: block((["b"], []), output=text)),
            (252, SMALL, False, lambda text: block(([text], []))),
            (252, SMALL, False, lambda text: block(([["b", text]], []))),
            (288, SMALL, False, lambda text: block((["b"], [text]))),
            (288, SMALL, False, lambda text: block((["b"], [["b", text]]))),
        ],
        ids=["name", "input", "output", "branch", "its note", "stream", "its note on the stream"],
    )
    def test_a_text_fits_up_to_the_edge_of_its_box(
        self, room: float, size: float, bold: bool, placed: Callable[[str], dict[str, Any]]
    ) -> None:
        widest = as_wide_as(room, size, bold=bold)
        svg = blocks({"blocks": [placed(widest)]}, "1")
        assert widest in texts(svg)
        within(svg)
        with refused("blocks", "has texts in '.*' that do not fit: "):
            blocks({"blocks": [placed(as_wide_as(room + 0.5, size, bold=bold))]}, "1")

    @pytest.mark.parametrize(("room", "branch"), [(252, True), (288, False)])
    def test_a_label_has_two_lines_only_where_one_is_too_short(self, room: float, branch: bool) -> None:
        for wide, lines in ((room, 1), (room + 0.5, 2)):
            label = f"{as_wide_as(wide, SMALL, after=' b')} b"
            svg = blocks({"blocks": [block(([label], []) if branch else ([], [label]))]}, "1")
            assert [text for text in texts(svg) if "aaa" in text or text == "b"] == (
                [label] if lines == 1 else label.split()
            )

    @pytest.mark.parametrize(("text", "anchor"), [("abc", "middle"), ("abcd", None)])
    def test_what_comes_in_is_centred_on_the_stream_if_it_is_short(
        self, text: str, anchor: str | None
    ) -> None:
        svg = blocks({"blocks": [block((["b"], []), input=text)]}, "1")
        assert [e.get("text-anchor") for e in parse(svg).iter("text") if e.text == text] == [anchor]

    def test_one_alone_is_wider_than_one_of_two(self) -> None:
        def wide(*names: str) -> set[str]:
            svg = blocks({"blocks": [block((["b"], []), name=name) for name in names]}, "1")
            return {e.get("width", "") for e in parse(svg).iter("rect")}

        assert wide("a") == {"264"}
        assert wide("a", "b") == {"131"}

    def test_a_long_label_has_two_lines(self) -> None:
        svg = blocks({"blocks": [block((["grouped-query attention with rotary positions"], []))]}, "1")
        assert texts(svg)[2:4] == ["grouped-query attention", "with rotary positions"]
        assert "through grouped-query attention with rotary positions," in description(svg)

    def test_a_sublayer_may_have_no_branch(self) -> None:
        svg = blocks({"blocks": [block(([], ["attention", "feed-forward"]))]}, "1")
        assert list(parse(svg).iter("circle")) == []
        assert description(svg).endswith(
            "x comes in; the stream goes through attention, then feed-forward; y comes out."
        )
        within(svg)

    def test_the_most_that_fits(self) -> None:
        step = ["w" * 10 + " " + "w" * 10, "n" * 18]
        one = block(*[([step] * 6, [step] * 6)] * 6)
        names = ["a", "b", "c", "d"]
        within(blocks({"blocks": [one | {"name": name} for name in names]}, "1"))

    def test_markup_in_a_label_is_text(self) -> None:
        svg = blocks({"blocks": [block((["<g>&", ["</svg>", "<"]], []))]}, "1")
        assert "<g>&" in texts(svg)
        assert "</svg>" in texts(svg)

    def test_tuples_do_as_well_as_lists(self) -> None:
        one = {**block(), "sublayers": ({"branch": (("a", "b"), "c"), "after": ()},)}
        assert blocks({"blocks": (one,)}, "1") == blocks({"blocks": [block(([["a", "b"], "c"], []))]}, "1")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"name": ""}, "has name = ''"),
            ({"input": 3}, "has input = 3"),
            ({"output": "y "}, "has output = 'y ', not a text without spare spaces"),
            ({"name": "n" * 60}, r"has texts in 'n*' that do not fit: \['n*'\]"),
            ({"sublayers": []}, r"has sublayers = \[\] for 'a'"),
            ({"sublayers": "ab"}, "has sublayers = 'ab' for 'a'"),
            ({"sublayers": [3]}, "has the sublayer 3 for 'a'"),
            ({"sublayers": [{"branch": ["b"]}]}, "has the sublayer {'branch': .* for 'a'"),
            ({"sublayers": [{"branch": "b", "after": []}]}, "has branch = 'b' for 'a'"),
            ({"sublayers": [{"branch": [], "after": None}]}, "has after = None for 'a'"),
            ({"sublayers": [{"branch": [], "after": []}]}, "has a sublayer without any step for 'a'"),
            ({"sublayers": [{"branch": ["b"] * 7, "after": []}]}, "has 7 steps in branch for 'a': at most 6"),
            ({"sublayers": [{"branch": ["b"], "after": []}] * 7}, "has 7 sublayers for 'a': at most 6"),
            (
                {"sublayers": [{"branch": ["b" * 40], "after": []}]},
                r"has texts in 'a' that do not fit: \['b*'\]",
            ),
            (
                {"sublayers": [{"branch": [["b", "n" * 40]], "after": []}]},
                r"has texts in 'a' that do not fit: \['b \(n*\)'\]",
            ),
            *(
                ({"sublayers": [{"branch": [step], "after": []}]}, "has the step .* for 'a'")
                for step in (3, None, "", " b", [], ["b"], ["b", 3], ["b", " n"], ["b", "n", "m"], ["", "n"])
            ),
        ],
    )
    def test_a_malformed_block_is_named(self, change: dict[str, Any], said: str) -> None:
        with refused("blocks", said):
            blocks({"blocks": [block((["b"], [])) | change]}, "1")

    def test_too_many_and_names_alike_are_refused(self) -> None:
        one = block((["b"], []))
        with refused("blocks", "has 5 diagrams: at most 4 fit"):
            blocks({"blocks": [one] * 5}, "1")
        with refused("blocks", r"has a name more than once: \['a', 'a'\]"):
            blocks({"blocks": [one] * 2}, "1")

    @pytest.mark.parametrize("key", ["name", "input", "output", "sublayers"])
    def test_a_missing_key_is_named(self, key: str) -> None:
        one = {k: v for k, v in BLOCKS["blocks"][0].items() if k != key}
        with refused("blocks", rf"without '{key}'"):
            blocks({"blocks": [one]}, "1")
