"""The attention viewer against the independent figures of lesson 20, the approved output of panel 21.6, and laws."""

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from coursebuild.instruments import attention_viewer as viewer
from coursebuild.instruments.corpora import LINES
from coursebuild.instruments.parameters import read, start_of
from nextword.bpe import WordBPE
from nextword.induction import (
    StreamLayout,
    embed_tokens,
    induction_head,
    previous_token_head,
    run_layers,
    unembed,
)
from nextword.softmax import softmax

from .panels import ROOT, approved

FACTS = json.loads(
    (ROOT / "tests" / "facts" / "lesson-20.json").read_text("utf-8"),
)
pytestmark = pytest.mark.once

DATA = viewer.data()


def seen(**changes: Any) -> dict[str, Any]:
    return viewer.view(DATA, start_of(viewer.PARAMETERS) | changes)


def chances(more: dict[str, Any]) -> list[float]:
    """The probability of each symbol of the machine's tokens."""
    found = {at: one["each"] for one in more["candidates"] for at in one["places"]}
    return [found[at] for at in range(len(more["symbols"]))]


def near(values: Any) -> Any:
    """The same up to rounding; None, as a masked weight, only itself."""
    if isinstance(values, list):
        return [near(value) for value in values]
    return values if values is None else pytest.approx(values, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("mask", "name"), [(True, "causal"), (False, "open")])
def test_the_sentence_is_that_of_panel_20_3(mask: bool, name: str) -> None:
    expected = FACTS["20.3"]["expected"]
    for query in range(4):
        view = seen(mask=mask, query=query, key=0)
        weights = expected[f"{name}_weights"]
        wanted = [
            [w if j <= i or not mask else None for j, w in enumerate(row)] for i, row in enumerate(weights)
        ]
        assert view["weights"] == near(wanted)
        assert view["output"] == near(expected[f"{name}_output"][query])


def test_it_begins_with_what_drank_gives_to_cat() -> None:
    view = seen()
    assert [view["tokens"][view["query"]], view["tokens"][view["key"]]] == ["drank", "cat"]
    assert view["terms"] == [6, 0, 0, 0]
    assert view["products"] == FACTS["20.1"]["expected"]["raw"][2]
    assert view["scores"] == FACTS["20.1"]["expected"]["scaled"][2]
    assert f"{view['weights'][2][1]:.4f}" == FACTS["20.3"]["expected"]["causal_weights_printed"][2][1]


def test_the_heads_are_those_of_panel_20_4() -> None:
    expected = FACTS["20.4"]["expected"]
    for head in (0, 1):
        for query in range(4):
            view = seen(source="heads", head=str(head), mask=False, query=query, key=0)
            assert view["weights"] == near(expected["weights"][head])
            assert view["output"] == near(expected["head_outputs"][head][query])
            assert view["more"]["merged"] == near(expected["concatenated"][query])
            assert view["more"]["projected"] == near(expected["output"][query])


def test_the_machine_is_that_of_panel_21_6() -> None:
    panel = approved("21.6")[1]
    for head, drawn in zip("01", panel["heat_maps"]["maps"], strict=True):
        view = seen(source="machine", head=head, query=-1, key=-1)
        assert view["tokens"] == drawn["rows"]
        assert view["weights"] == near(drawn["values"])
    more = view["more"]
    assert [more["symbols"][at] for at in more["favourites"]] == ["c"]
    assert more["candidates"][0]["each"] == near(panel["p"])
    assert view["tokens"][view["key"]] == "c", "the place that has most weight"


def test_its_tokens_are_the_pieces_of_the_panels_prompt() -> None:
    tokenizer = WordBPE.train(" ".join(LINES), rounds=40)
    assert " ".join(tokenizer.pieces("on catfish sat on")) == start_of(viewer.PARAMETERS)["prompt"]


@pytest.mark.parametrize("without", ["none", "first", "second"])
def test_the_machine_is_that_of_the_library_on_any_tokens(without: str) -> None:
    rng = random.Random(without)
    layout = StreamLayout(size=DATA["machine"]["size"])
    heads = {"first": previous_token_head(layout), "second": induction_head(layout)}
    layers = [head for name, head in heads.items() if name != without]
    for _ in range(20):
        words = rng.choices("abcde", k=rng.randint(1, 15))
        view = seen(source="machine", head="1", without=without, prompt=" ".join(words), query=-1, key=-1)
        symbols = view["more"]["symbols"]
        ids = [symbols.index(token) for token in view["tokens"]]
        stream, patterns = run_layers(embed_tokens(ids, layout), layers)
        probabilities = softmax(unembed(stream, layout)[-1])
        # equal ones share a row, and are equal but for rounding
        assert chances(view["more"]) == pytest.approx(probabilities[: len(symbols)], abs=viewer.LEVEL)
        assert view["more"]["other"] == near(probabilities[-1])
        if without != "second":
            row = [weight or 0 for weight in view["weights"][-1]]
            assert row == near(patterns[-1][-1])


def test_it_completes_tokens_of_the_readers_own() -> None:
    view = seen(source="machine", head="1", prompt="Harry Potter met Ron . Then Harry", query=-1, key=-1)
    more = view["more"]
    assert [more["symbols"][at] for at in more["favourites"]] == ["Potter"]
    assert more["candidates"][0]["each"] > 0.99


def test_without_the_second_head_all_tokens_are_alike() -> None:
    more = seen(source="machine", head="1", without="second")["more"]
    assert more["favourites"] == []
    assert chances(more) == near([1 / DATA["machine"]["size"]] * len(more["symbols"]))


def machines() -> list[dict[str, Any]]:
    """What the machine says after many prompts, with ties and without."""
    rng = random.Random(5)
    found = []
    for _ in range(60):
        prompt = " ".join(rng.choices("abcdefghijklm"[: rng.randint(2, 13)], k=rng.randint(0, 15)))
        settings = {"mask": rng.random() < 0.7, "scaled": rng.random() < 0.7}
        without = rng.choice(["none", "first", "second"])
        view = seen(source="machine", prompt=prompt, without=without, query=-1, key=-1, **settings)
        found.append(view["more"])
    return found


def test_the_rows_of_the_next_token_are_complete() -> None:
    for more in machines():
        rows = [(len(one["places"]), one["each"]) for one in more["candidates"]]
        rows.append((more["others"], more["other"]))
        assert sum(count * each for count, each in rows) == pytest.approx(1, abs=1e-12)
        assert sum(count for count, _ in rows) == DATA["machine"]["size"]
        assert sorted(at for one in more["candidates"] for at in one["places"]) == [
            *range(len(more["symbols"]))
        ]
        values = [each for _, each in rows]
        assert all(one > other - viewer.LEVEL for one, other in pairwise(values))


def test_a_tie_has_one_order_and_real_tokens_come_before_the_start() -> None:
    ties = 0
    for more in machines():
        order = [at for one in more["candidates"] for at in one["places"]]
        favourites = more["favourites"]
        assert order[: len(favourites)] == favourites
        if len(favourites) > 1:
            ties += 1
            assert 0 not in favourites[:-1]
    assert ties > 5


def test_the_picture_says_ties_as_the_table_has_them() -> None:
    def picture(prompt: str) -> str:
        state = start_of(viewer.PARAMETERS) | {"source": "machine", "query": -1, "key": -1, "prompt": prompt}
        return viewer.picture(DATA, state, viewer.view(DATA, state))

    assert "What the machine says after cat: the or cat or &lt;s&gt;" in picture("the cat")
    many = picture("a b c d e f g h i j k")
    assert "What the machine says after k: 12 tokens tie" in many
    assert "each of 8 more" in many


def test_any_source_can_be_chosen_next() -> None:
    """What one source refuses the others refuse too; every allowed state's link opens."""
    for state, _ in allowed():
        for source in ("sentence", "heads", "machine"):
            viewer.view(DATA, state | {"source": source, "query": -1, "key": -1})


def test_panel_20_4_has_no_mask() -> None:
    def mask(**changes: Any) -> str:
        state = start_of(viewer.PARAMETERS) | changes
        return dict(viewer._steps(viewer.view(DATA, state), state, 0.0))["Mask"]

    assert mask(source="heads", mask=False) == "panel 20.4 has no mask: every key is seen"
    assert mask(mask=False) == "switched off: every key is seen"
    assert mask(source="heads").startswith("seen: ")


def states() -> list[dict[str, Any]]:
    from . import states_attention_viewer

    rng = random.Random(3)
    return [states_attention_viewer.state(DATA, rng) for _ in range(150)]


def allowed() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    found = []
    for state in states():
        try:
            found.append((state, viewer.view(DATA, state)))
        except ValueError:
            continue
    assert len(found) > 75
    return found


def test_the_arithmetic_that_is_shown_gives_what_the_library_gives() -> None:
    for state, view in allowed():
        query, key = view["query"], view["key"]
        assert sum(view["terms"]) == pytest.approx(view["products"][key], rel=1e-9, abs=1e-9)
        assert view["products"][key] / view["root"] == near(view["scores"][key])
        shares = [exponential / view["sum"] for exponential in view["exponentials"]]
        assert shares == near([weight or 0 for weight in view["weights"][query]])
        assert sum(shares) == pytest.approx(1)
        sums = [
            sum(share * value[at] for share, value in zip(shares, view["values"], strict=True))
            for at in range(len(view["columns"]))
        ]
        assert sums == near(view["output"]), state


def test_under_the_mask_nothing_comes_from_later_tokens() -> None:
    for state, view in allowed():
        if state["mask"]:
            assert [[weight is None for weight in row] for row in view["weights"]] == [
                [key > query for key in range(len(view["tokens"]))] for query in range(len(view["tokens"]))
            ]


def test_what_is_left_out_of_the_machines_vectors_is_zero() -> None:
    state = start_of(viewer.PARAMETERS) | {"source": "machine", "head": "1"}
    one = viewer._machine(DATA, state)
    for rows, names in ((one.queries, one.axes), (one.keys, one.axes), (one.values, one.columns)):
        assert {x for row in rows for x in row[len(names) :]} == {0.0}


@pytest.mark.parametrize(
    "link",
    [
        "query=4",
        "key=15",
        "queries=1,2,3",
        "source=machine&prompt=" + "+".join("a" * 16),
        "source=sentence&prompt=" + "+".join("a" * 16),
        "source=heads&queries=1",
        "source=machine&prompt=a&query=2",
    ],
)
def test_refusals(link: str) -> None:
    with pytest.raises(ValueError, match=r"must"):
        viewer.view(DATA, read(viewer.PARAMETERS, link))


def test_the_picture_has_the_numbers_of_the_panel() -> None:
    state = start_of(viewer.PARAMETERS)
    html = viewer.picture(DATA, state, viewer.view(DATA, state))
    assert "0.9094" in html
    assert "<td>6 / 2 = 3</td>" in html
    masked = viewer.picture(DATA, state | {"key": 3}, viewer.view(DATA, state | {"key": 3}))
    assert "<td>exp(−∞) = 0</td>" in masked
