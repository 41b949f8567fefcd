"""The block stepper against the independent figures of lesson 21, the approved output of panel 21.7, and laws."""

import json
import math
from itertools import product
from typing import Any

import pytest

from coursebuild.instruments import block_stepper as stepper
from coursebuild.instruments.parameters import start_of

from .panels import ROOT, approved

FACTS = json.loads((ROOT / "tests" / "facts" / "lesson-21.json").read_text("utf-8"))["21.3"]
pytestmark = pytest.mark.once

DATA = stepper.data()


def seen(**changes: Any) -> dict[str, Any]:
    return stepper.view(DATA, start_of(stepper.PARAMETERS) | changes)


def near(values: Any) -> Any:
    if isinstance(values, list):
        return [near(value) for value in values]
    return pytest.approx(values, rel=1e-9, abs=1e-12)


def test_it_begins_with_the_block_of_panel_21_3() -> None:
    assert list(stepper.TOKENS) == FACTS["inputs"]["tokens"]
    steps = [step["rows"] for step in seen()["steps"]]
    assert steps[0] == FACTS["inputs"]["X"]
    assert steps[1:] == near([FACTS["expected"]["steps"][str(n)] for n in range(1, 7)])


def test_post_norm_is_that_of_panel_21_3() -> None:
    steps = [step["rows"] for step in seen(order="post")["steps"]]
    assert steps[-1] == near(FACTS["expected"]["post_norm"])


def test_the_notes_are_those_of_the_panels_drawing() -> None:
    notes = [
        [step[1] for sublayer in one["sublayers"] for step in (*sublayer["branch"], *sublayer["after"])]
        for one in approved("21.3")[1]["blocks"]
    ]
    for order, wanted in zip(("pre", "post"), notes, strict=True):
        kinds = [kind for kind, _, _ in stepper.STEPS[order]]
        rms = [f"rms {step['rms']:.2f}" for step in seen(order=order)["steps"][1:]]
        assert [note for note, kind in zip(rms, kinds, strict=True) if kind != "add"] == wanted


def test_sizes_by_depth_are_those_of_panel_21_3() -> None:
    depth = seen()["depth"]
    for one in FACTS["expected"]["stream_size"]:
        assert depth["pre"]["sizes"][one["depth"]] == near(one["pre"])
        assert depth["post"]["sizes"][one["depth"]] == near(one["post"])


def test_sizes_by_depth_are_those_of_panel_21_7() -> None:
    wanted = {one["name"]: dict(one["points"]) for one in approved("21.7")[1]["curves"]["series"]}
    compared = 0
    for weights, (order, name) in product(("reused", "fresh"), (("pre", "pre-norm"), ("none", "no norm"))):
        sizes = seen(weights=weights)["depth"][order]["sizes"]
        for depth, size in wanted[f"{name}, {weights}"].items():
            if depth <= stepper.DEEPEST:
                assert sizes[depth] == near(size)
                compared += 1
    assert compared > 25


def test_shares_that_blocks_add_are_those_of_panel_21_7() -> None:
    shares = [seen(weights="fresh", block=block)["depth"]["pre"]["change"] for block in range(1, 13)]
    assert math.fsum(shares) / len(shares) == near(approved("21.7")[1]["share_first"])


def test_a_stream_that_outgrows_the_scale_is_not_followed() -> None:
    depth = seen(block=50)["depth"]["none"]
    assert [depth["read"], depth["change"]] == [None, None]
    assert max(depth["sizes"]) < stepper.TOP


@pytest.mark.parametrize("order", ["pre", "post"])
@pytest.mark.parametrize("block", [1, 12])
def test_what_is_shown_of_a_number_gives_it(order: str, block: int) -> None:
    for step, token, feature in product(range(1, 7), range(4), range(4)):
        view = seen(order=order, block=block, step=step, token=token, feature=feature)
        kind, _, reads = stepper.STEPS[order][step - 1]
        detail = view["detail"]
        if kind == "norm":
            got = (view["steps"][reads[0]]["rows"][token][feature] - detail["mean"]) / detail["root"]
        elif kind == "attention":
            got = sum(w * v for w, v in zip(detail["weights"], detail["values"], strict=True))
            assert set(detail["weights"][token + 1 :]) <= {0.0}
        elif kind == "feed_forward":
            got = sum(w * v for w, v in zip(detail["wide"], detail["column"], strict=True)) + detail["bias"]
        else:
            got = sum(detail["terms"])
        assert got == pytest.approx(view["steps"][step]["rows"][token][feature], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weights", ["reused", "fresh"])
@pytest.mark.parametrize("order", ["pre", "post"])
def test_a_block_begins_where_the_one_before_it_ended(order: str, weights: str) -> None:
    for block in (1, 2, 40):
        before, after = (seen(order=order, weights=weights, block=n)["steps"] for n in (block, block + 1))
        assert after[0]["rows"] == before[-1]["rows"]
        assert before[-1]["rms"] == seen(weights=weights)["depth"][order]["sizes"][block]


def test_what_a_sublayer_reads_has_size_one_and_a_post_norm_stream_too() -> None:
    for seed, block in product(stepper.SEEDS, (1, 12, 100)):
        depth = seen(seed=seed, block=block)["depth"]
        assert depth["pre"]["read"] == pytest.approx(1, abs=1e-3)
        assert depth["post"]["sizes"][block] == pytest.approx(1, abs=1e-3)


def test_its_seeds_are_those_of_panel_21_7() -> None:
    panel = approved("21.7")[1]
    assert len(stepper.SEEDS) == panel["seeds"]
    assert start_of(stepper.PARAMETERS)["seed"] == str(panel["seed"])


def test_tokens_are_said_to_be_the_same_only_where_their_rows_are_written_the_same() -> None:
    found = set()
    for order, weights, block in product(("pre", "post"), ("reused", "fresh"), (1, 20, 60, 100)):
        view = seen(order=order, weights=weights, block=block)
        columns = list(zip(*view["steps"][-1]["rows"], strict=True))
        spread = max(max(column) - min(column) for column in columns)
        assert view["alike"] is (spread < stepper.ALIKE)
        if view["alike"]:
            found.add((order, weights))
    assert found == {("post", "reused")}


def test_what_changed_by_says_is_what_its_caption_says() -> None:
    for order in ("pre", "post"):
        view = seen(order=order, block=3)
        x, y = view["steps"][0]["rows"], view["steps"][-1]["rows"]
        rms = lambda rows: math.sqrt(sum(n * n for row in rows for n in row) / 16)  # noqa: E731
        change = [[b - a for a, b in zip(one, other, strict=True)] for one, other in zip(x, y, strict=True)]
        assert view["depth"][order]["change"] == near(rms(change) / rms(x))
    html = stepper.picture(DATA, start_of(stepper.PARAMETERS), seen())
    assert "Changed by: the rms of output minus input" in html


@pytest.mark.parametrize("order", ["pre", "post"])
def test_the_picture_has_the_sizes_of_the_panel(order: str) -> None:
    state = start_of(stepper.PARAMETERS) | {"order": order}
    html = stepper.picture(DATA, state, stepper.view(DATA, state))
    assert f"<td>{FACTS['expected']['stream_size'][1]['pre']:.2f}</td>" in html
    first = seen(order=order)["steps"][1]["rows"][0][0]
    assert f">{first:.4f} ".replace("-", "−").strip() in html
