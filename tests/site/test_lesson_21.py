"""Lesson 21 shows, in each panel's own output, every value of the independent figures, and makes the checks they name."""

import ast
import json
import math
import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coursebuild.inspection import inspect_code
from coursebuild.press import Press
from coursebuild.runner import run

from .conftest import ROOT, without_links
from .reading import held, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-21.json").read_text(encoding="utf-8"))
LESSON = "docs/lessons/21-transformer-block.md"
PANELS = ["21.1", "21.2", "21.3", "21.4"]


def expected(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["expected"]
    return found


def inputs(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["inputs"]
    return found


def extra(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["extra_not_in_source"]
    return found


def row(values: list[float], digits: int = 4) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


def test_the_panels_stand_on_the_lesson_in_order(project_press: Press) -> None:
    page = project_press.pages[LESSON]
    assert [panel.ident for panel in page.panels if panel.ident in PANELS] == PANELS
    assert not [fault for panel in page.panels for fault in project_press.results[panel.ident].faults]


def test_panel_1_shows_what_layer_norm_keeps(project_press: Press) -> None:
    shown, printed, given = lines(project_press, "21.1"), expected("21.1")["printed"], inputs("21.1")
    normed = " ".join(printed["normed"])
    assert shown[:4] == [
        f"x {row(given['x'])}",
        f"mean {printed['mean']}, spread {printed['sd']}",
        f"layer norm of x {normed}",
        f"mean 0.0000000000, spread {printed['normed_sd']}",
    ]
    assert f"layer norm of x + {given['shift']} {normed}" in shown
    assert f"layer norm of {given['stretch']} x {normed}" in shown
    affine = shown.index(f"gamma {given['gamma']}, beta {given['beta']} {' '.join(printed['affine'])}")
    assert shown[affine + 1] == f"mean {printed['affine_mean']}, spread {printed['affine_sd']}"
    assert f"layer norm of flat {' '.join(printed['flat'])}" in shown
    assert f"layer norm of flat, eps 0: {expected('21.1')['eps_0_flat']}" in shown
    more = extra("21.1")
    tiny = shown.index(f"layer norm of 0.001 x {row(more['x_times_0.001_normed'])}")
    assert shown[tiny + 1] == f"mean 0.0000, spread {more['x_times_0.001_sd']:.4f}"
    assert f"RMS norm of x {row(more['rmsnorm_x'])}" in shown
    assert f"RMS norm of x + {given['shift']} {row(more['rmsnorm_x_plus_100'])}" in shown


def test_panel_2_shows_both_chains(project_press: Press) -> None:
    shown, facts, given = lines(project_press, "21.2"), expected("21.2"), inputs("21.2")
    assert [entry["depth"] for entry in facts["table"]] == given["depths"]
    assert shown[0] == "depth plain out plain slope residual out residual slope"
    assert shown[1 : 1 + len(facts["table"])] == [
        f"{entry['depth']} {' '.join(entry['printed'])}" for entry in facts["table"]
    ]
    saturated = facts["saturated"]
    assert (
        f"from x = {given['saturate_x0']}, depth {given['saturate_depth']}: plain slope {saturated['plain']}, "
        f"residual slope {saturated['residual']}" in shown
    )
    for kind, printed in zip(("plain", "residual"), facts["nudge"]["printed"], strict=True):
        assert f"depth {given['nudge_depth']}, {kind}: chain rule {printed}, nudge {printed}" in shown


def test_panel_3_shows_every_step_of_the_block(project_press: Press) -> None:
    shown, facts, given = lines(project_press, "21.3"), expected("21.3"), inputs("21.3")
    steps = facts["steps_printed"]
    tables = [
        [[f"{value:.4f}" for value in token] for token in given["X"]],
        *(steps[str(step)] for step in range(1, 7)),
        facts["post_norm_printed"],
    ]
    titles = [
        "input 1. layer norm",
        "2. causal attention 3. input + attention",
        "4. layer norm again 5. feed-forward",
        "6. block output post-norm output",
    ]
    for at, title in enumerate(titles):
        first = shown.index(title) + 1
        left, right = tables[2 * at : 2 * at + 2]
        assert shown[first : first + 4] == [
            f"{token} {' '.join(a)} {' '.join(b)}"
            for token, a, b in zip(given["tokens"], left, right, strict=True)
        ]
    sizes = facts["stream_size"]
    first = shown.index(f"depth {' '.join(str(entry['depth']) for entry in sizes)}")
    assert shown[first + 1] == f"pre-norm rms {' '.join(entry['printed'][0] for entry in sizes)}"
    assert shown[first + 2] == f"post-norm rms {' '.join(entry['printed'][1] for entry in sizes)}"
    assert (
        f"parameters: attention 64, feed_forward {facts['ff_params']}, norms 16, total {facts['params']}"
        in shown
    )


def test_panel_4_shows_the_encoding_and_both_orders(project_press: Press) -> None:
    shown, facts, given = lines(project_press, "21.4"), expected("21.4"), inputs("21.4")
    assert shown[1] == "pos sin cos sin cos sin cos sin cos"
    assert shown[2:8] == [f"{at} {' '.join(values)}" for at, values in enumerate(facts["pe_printed"])]
    assert f"lengths {' '.join(facts['norms_printed'])}" in shown
    assert f"dot with 0 {' '.join(facts['dots_printed'])}" in shown
    plain = {word: f"{word} {' '.join(values)}" for word, values in facts["plain_printed_first4"].items()}
    first = shown.index("no positions, in each order") + 1
    assert shown[first : first + 4] == [
        f"{plain[word]} {plain[other]}" for word, other in zip(given["order"], given["reversed"], strict=True)
    ]
    without = " ".join(facts["summary_plain_printed"])
    assert shown[first + 4 : first + 8] == [
        f"no positions {without}",
        f"reversed {without}",
        f"positions {' '.join(facts['summary_with_pos_printed'])}",
        f"reversed {' '.join(facts['summary_with_pos_reversed_printed'])}",
    ]
    masked = extra("21.4")["causal_no_positions_summary_gap"]
    assert shown[first + 8] == (
        f"biggest difference: positions {facts['gap_printed']}, no positions but a causal mask {masked:.3f}"
    )
    assert shown[0] == f"rates {' '.join(f'{rate:g}' for rate in extra('21.4')['d8_rates'])}"


def test_panel_7_shows_the_sizes_with_depth(project_press: Press) -> None:
    shown, facts = lines(project_press, "21.7"), extra("21.3")
    cases = [
        facts["pre_size_reused_weights"],
        facts["pre_size_independent_weights"],
        facts["no_norm_size_reused_weights"],
    ]
    first = shown.index("depth pre-norm, reused pre-norm, fresh no norm, reused no norm, fresh") + 1
    for at, depth in enumerate((0, 1, 2, 4, 8, 12, 24, 48, 100, 200)):
        known = [case[str(depth)] for case in cases if str(depth) in case]
        cells = [f"{value:.2f}" if value < 10_000 else f"{value:.1e}" for value in known]
        got = shown[first + at].split(" ")
        assert got[: 1 + len(cells)] == [str(depth), *cells]
        assert len(got) == (5 if depth <= 48 else 3)
    assert "growth to depth 12: reused 6.8 times, fresh 1.8 times" in shown


# The checks that the figures name, by panel and place: words of the claim, and the values that it compares.
NAMED: list[tuple[str, str, object, object]] = [
    ("21.1 1", "^The mean is zero", True, True),
    ("21.1 2", "spread is one, but for eps", True, True),
    ("21.1 3", "shift of the whole vector vanishes", True, True),
    ("21.1 4", "stretch vanishes too", [True, True], [True, True]),
    ("21.1 5", "beta is the new mean", [True, True], [True, True]),
    ("21.1 6", "flat vector gives zeros", [0.0] * 4, [0.0] * 4),
    ("21.1 7", "Without eps a flat vector divides by zero", "ZeroDivisionError", None),
    ("21.2 1", "plain slope falls from depth to depth", [True] * 5, [True] * 5),  # each step, not each second
    ("21.2 2", "Through 32 plain layers", [32, True], [32, True]),
    ("21.2 3", "as many residual layers it is still above one", True, True),
    ("21.2 4", "One saturated layer cuts", [0.0, 1.0], [0.0, 1.0]),
    ("21.2 5", "nudge agrees", [True, True], [True, True]),
    ("21.2 6", "larger at the end than after one layer", True, True),
    ("21.3 1", "returns the shape that it got: 4 x 4", (4, 4), (4, 4)),
    ("21.3 2", "^Silenced, a pre-norm block returns its input", FACTS["21.3"]["inputs"]["X"], None),
    ("21.3 3", "Post-norm pins the stream: every row", [True] * 4, [True] * 4),
    ("21.3 4", "^Pre-norm does not", False, False),
    ("21.3 5", "grows to more than 3 times", [3, True], [3, True]),
    ("21.3 6", "post-norm stream stays as it is", True, True),
    ("21.3 7", "Of 228 parameters the feed-forward layer has 148", [228, 148], [228, 148]),
    ("21.4 1", "All rows are equally long", True, True),
    ("21.4 2", "computed anew", FACTS["21.4"]["expected"]["pe"][3], None),
    ("21.4 3", "Position 0 is most similar to itself", [0, 0, True], [0, 0, True]),
    ("21.4 4", "Without positions the same rows come", True, True),
    ("21.4 5", "readout that ignores order cannot tell", True, True),
    ("21.4 6", "^With positions it can", True, True),
]


def test_twenty_six_checks_are_named() -> None:
    named = [(ident, number + 1) for ident in PANELS for number in range(len(FACTS[ident]["checks"]))]
    assert [(name.split()[0], int(name.split()[1])) for name, *_ in NAMED] == named
    assert len(named) == sum(expected(ident)["n_checks"] for ident in PANELS) == 26


@pytest.mark.parametrize(("name", "claim", "got", "wanted"), NAMED, ids=[name for name, *_ in NAMED])
def test_a_named_check_is_among_the_panels_checks(
    project_press: Press, name: str, claim: str, got: object, wanted: object
) -> None:
    ident, number = name.split()
    found = held(project_press, ident, claim)
    values = ast.literal_eval(found.got), ast.literal_eval(found.expected)
    if name == "21.4 2":
        assert isinstance(got, list)
        assert values[0] == values[1] == [pytest.approx(value, abs=1e-12) for value in [*got, 3]]
    else:
        assert values == (got, got if wanted is None else wanted)
    assert FACTS[ident]["checks"][int(number) - 1]["holds"]


def test_what_a_comparison_compares_is_what_the_figures_say(project_press: Press) -> None:
    figures = {ident: project_press.results[ident].figures for ident in [*PANELS, "21.7"]}
    assert figures["21.1"]["stretch_gap"] == pytest.approx(extra("21.1")["max_diff_x10"], rel=1e-6)
    assert figures["21.1"]["tiny_spread"] == pytest.approx(extra("21.1")["x_times_0.001_sd"])
    table = {entry["depth"]: entry for entry in expected("21.2")["table"]}
    curves = series(figures["21.2"]["curves"])
    for kind, key in (("plain", "plain_slope"), ("residual", "res_slope")):
        assert curves[kind] == {depth: pytest.approx(entry[key]) for depth, entry in table.items()}
    assert figures["21.2"]["more"] == pytest.approx(extra("21.2")["res_slope_32_over_8"] - 1, rel=1e-6)
    assert figures["21.2"]["residual"] == pytest.approx(extra("21.2")["limit_slope"])
    assert figures["21.3"]["share"] == pytest.approx(extra("21.3")["ff_share"])
    assert figures["21.3"]["bug"] == pytest.approx(extra("21.3")["wrong_residual_ln(x)+f(x)_size"]["12"])
    assert figures["21.4"]["gap"] == pytest.approx(expected("21.4")["gap"])
    assert figures["21.4"]["masked"] == pytest.approx(extra("21.4")["causal_no_positions_summary_gap"])
    sizes = series(figures["21.7"]["curves"])
    for name, key in (
        ("pre-norm, reused", "pre_size_reused_weights"),
        ("pre-norm, fresh", "pre_size_independent_weights"),
        ("no norm, reused", "no_norm_size_reused_weights"),
    ):
        for depth, size in sizes[name].items():
            assert size == pytest.approx(extra("21.3")[key][str(int(depth))]), (name, depth)
    assert set(sizes["no norm, reused"]) == {1, 2, 4, 8, 12}
    reused, fresh = (
        extra("21.3")[f"pre_size_{kind}_weights"]["12"] / extra("21.3")[f"pre_size_{kind}_weights"]["0"]
        for kind in ("reused", "independent")
    )
    assert (f"{reused:.1f}", f"{fresh:.1f}") == ("6.8", "1.8")
    assert figures["21.7"]["times_reused"] == pytest.approx(reused)
    assert figures["21.7"]["times_fresh"] == pytest.approx(fresh)


def series(figure: Any) -> dict[str, dict[float, float]]:
    return {one["name"]: dict(one["points"]) for one in figure["series"]}


def test_the_picture_of_positions_is_the_encoding(project_press: Press) -> None:
    picture: Any = project_press.results["21.4"].figures["heat_maps"]
    (only,) = picture["maps"]
    rows = only["values"]
    assert (len(rows), len(rows[0])) == (24, 16)
    assert rows[3][0] == pytest.approx(expected("21.4")["pe"][3][0])
    assert all(sum(value * value for value in values) == pytest.approx(8) for values in rows)


def test_the_blocks_are_drawn_with_the_sizes_of_their_steps(project_press: Press) -> None:
    picture: Any = project_press.results["21.3"].figures["blocks"]
    pre, post = picture
    steps = expected("21.3")["steps"]

    def size(rows: list[list[float]]) -> str:
        squares = [value * value for values in rows for value in values]
        return f"rms {(sum(squares) / len(squares)) ** 0.5:.2f}"

    noted = [step for sublayer in pre["sublayers"] for step in sublayer["branch"]]
    assert noted == [
        ["layer norm", size(steps["1"])],
        ["causal attention", size(steps["2"])],
        ["layer norm", size(steps["4"])],
        ["feed-forward", size(steps["5"])],
    ]
    assert post["sublayers"][1]["after"] == [["layer norm", size(expected("21.3")["post_norm"])]]


@pytest.mark.parametrize(
    ("ident", "claim"),
    [
        ("21.1", "RMS norm keeps a shift, for it subtracts no mean"),
        ("21.1", "Where the spread is small, eps is not"),
        ("21.1", "gamma and beta can undo it"),
        ("21.1", "Batch norm of a token depends on its batch mates, layer norm does not"),
        ("21.2", "But it levels off: the later layers multiply by hardly more than one"),
        ("21.2", "the one is no guarantee"),
        ("21.3", "The silent bug ln(x) + f(x) is caught by that test"),
        ("21.7", "At depth 24 the stream is larger without a norm than with one, under each seed"),
        ("21.7", "With pre-norm it grows too, under each seed"),
        (
            "21.7",
            "Reused weights exaggerate: at depth 24 the stream is larger than with fresh ones, under each seed",
        ),
        ("21.7", "Late blocks add about as much as early ones; to a larger stream that is a smaller share"),
        ("21.7", "What a sublayer reads has size one, however large the stream"),
        ("21.4", "A causal mask breaks the symmetry too: order leaks without positions"),
        ("21.4", "the similarity falls at first, then rises again"),
    ],
)
def test_what_readers_get_wrong_is_checked(project_press: Press, ident: str, claim: str) -> None:
    assert held(project_press, ident, re.escape(claim)).held


def failed_after(press: Press, ident: str, old: str, new: str) -> list[str]:
    """The claims of a panel that fail after one edit, as a reader makes it."""
    panel = press.panels[ident]
    assert panel.code.count(old) == 1, old
    edited = replace(panel, code=panel.code.replace(old, new), claims=())
    claims, _ = inspect_code(edited)
    result = run(replace(edited, claims=tuple(claims)))
    return [check.claim for check in result.checks if not check.held]


@pytest.mark.parametrize(
    ("ident", "old", "new", "claim"),
    [
        (
            "21.3",
            'steps["input + attention"] = h = add(x, steps["causal attention"])',
            'steps["input + attention"] = h = add(norm(x), steps["causal attention"])',
            "The steps shown and drawn are those of the blocks",
        ),
        (
            "21.3",
            "pre_norm_block(x, silent, silent_row)",
            "wrong_block(x, silent, silent_row)",
            "Silenced, a pre-norm block returns its input: the stream is a sum",
        ),
        (
            "21.7",
            '"pre-norm, fresh": (layer_norm, True, end)',
            '"pre-norm, fresh": (list, True, middle)',
            "What a sublayer reads has size one, however large the stream",
        ),
        (
            "21.4",
            "if positions:",
            "if not positions:",
            "So a readout that ignores order cannot tell the sentences apart",
        ),
    ],
)
def test_the_wrong_way_breaks_a_named_check(
    project_press: Press, ident: str, old: str, new: str, claim: str
) -> None:
    assert claim in failed_after(project_press, ident, old, new)


@pytest.mark.parametrize(
    ("ident", "claim", "got"),
    [
        ("21.1", "Batch norm of a token depends on its batch mates, layer norm does not", [True, False]),
        ("21.1", "gamma and beta can undo it for one vector", [True, False]),
        ("21.2", "a residual chain of nothing but such layers passes one", [0.0, 1.0]),
        ("21.3", "more than 3 times its size in 12 blocks of the same weights", [3, True]),
        ("21.3", "In size a post-norm stream stays as it is", True),
        ("21.7", "At depth 24 the stream is larger without a norm", [[True] * 5] * 2),
        ("21.7", "Reused weights exaggerate", [[True] * 5] * 2),
    ],
)
def test_a_claim_says_no_more_than_it_compares(
    project_press: Press, ident: str, claim: str, got: object
) -> None:
    assert ast.literal_eval(held(project_press, ident, claim).got) == got


@pytest.mark.parametrize("seed", [0, 9])
def test_what_panel_7_claims_holds_under_other_seeds_as_its_exercise_needs(
    project_press: Press, seed: int
) -> None:
    """A claim that broke would stop the program before a reader saw the others."""
    assert (
        failed_after(
            project_press, "21.7", "limit, seed = 4, 16, 0.5, 42", f"limit, seed = 4, 16, 0.5, {seed}"
        )
        == []
    )


def size_without_norm(seed: int, depth: int) -> float:
    """The size of the stream behind blocks of one set of weights, as NumPy computes it."""
    x = np.array(inputs("21.3")["X"])
    d, wide, rng = 4, 16, random.Random(seed)
    shapes = [(d, d)] * 4 + [(d, wide), (1, wide), (wide, d), (1, d)]
    w_q, w_k, w_v, w_o, w_1, b_1, w_2, b_2 = (
        np.array([[rng.uniform(-0.5, 0.5) for _ in range(columns)] for _ in range(rows)])
        for rows, columns in shapes
    )
    hidden = np.triu(np.full((d, d), -np.inf), k=1)
    for _ in range(depth):
        scores = (x @ w_q) @ (x @ w_k).T / math.sqrt(d) + hidden
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        x = x + weights / weights.sum(axis=1, keepdims=True) @ (x @ w_v) @ w_o
        x = x + np.maximum(0, x @ w_1 + b_1) @ w_2 + b_2
    return float(np.sqrt((x * x).mean()))


def test_the_sizes_over_several_seeds_are_those_of_numpy(project_press: Press) -> None:
    shown, named = lines(project_press, "21.7"), project_press.results["21.7"].figures
    sizes = sorted(size_without_norm(seed, depth=12) for seed in range(42, 47))
    assert "seeds 42 43 44 45 46" in shown
    assert named["seeds"] == len(sizes)
    assert named["bare"] == pytest.approx(sizes[-1])
    assert named["bare_median"] == pytest.approx(sizes[2])
    for title, size in (("least", sizes[0]), ("median", sizes[2]), ("most", sizes[-1])):
        [line] = [line for line in shown if line.startswith(f"12 {title} ")]
        assert line.split()[4] == f"{size:.2f}"


def test_growth_is_drawn_on_scales_that_tell_a_sum_from_a_product(project_press: Press) -> None:
    """With depth spaced unevenly under a logarithm a straight line of growth would look like a power."""
    drawn: Any = project_press.results["21.7"].figures["curves"]
    assert (drawn["x"]["scale"], drawn["y"]["scale"]) == ("log", "log")


def test_a_layer_norm_that_sees_its_batch_mates_is_caught(project_press: Press) -> None:
    """However little they move it."""
    claim = "Batch norm of a token depends on its batch mates, layer norm does not"
    old = "lambda rows: [layer_norm(r) for r in rows]"
    new = "lambda rows: [layer_norm([n + 1e-6 * rows[-1][0] * n * n for n in r]) for r in rows]"
    assert failed_after(project_press, "21.1", old, new) == [claim]


def test_the_base_of_the_rates_is_the_one_in_use(project_press: Press) -> None:
    base, d = project_press.results["21.4"].figures["base"], 8
    assert isinstance(base, float)
    assert [base ** (-2 * i / d) for i in range(d // 2)] == pytest.approx(extra("21.4")["d8_rates"])


@pytest.mark.parametrize(
    ("term", "defined"),
    [
        ("unembedding", "*unembedding*, the matrix that turns the stream into logits"),
        ("warm-up", "*warm-up*, a learning rate that starts small"),
        ("skip path", "skip path, around the sublayer"),
        ("skip-trigram", "skip-trigrams (an earlier token, this one, the next)"),
    ],
)
def test_a_term_is_explained_where_running_text_first_has_it(term: str, defined: str) -> None:
    text = (ROOT / LESSON).read_text(encoding="utf-8").partition("\n# ")[2]
    prose = " ".join(re.sub(r"^```.*?^```$", "", without_links(text), flags=re.MULTILINE | re.DOTALL).split())
    assert defined in prose
    assert prose.index(term) == prose.index(defined) + defined.index(term)


def test_a_letter_of_a_displayed_formula_means_one_thing() -> None:
    """Beta shifts in a layer norm, so no other displayed formula has it."""
    text = (ROOT / LESSON).read_text(encoding="utf-8")
    formulas = re.findall(r"^```math[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [formula.startswith("\\mathrm{LN}") for formula in formulas if r"\beta" in formula] == [True]


def test_layer_and_batch_norm_are_those_of_numpy(project_press: Press) -> None:
    shown, given = lines(project_press, "21.1"), inputs("21.1")
    for name, mate in (("flat", given["flat"]), ("wide", [9.0, 0.0, -9.0, 5.0])):
        batch = np.array([given["x"], [1.0] * 4, mate])
        normed = (batch - batch.mean(axis=0)) / np.sqrt(batch.var(axis=0) + given["eps"])
        assert f"batch norm of x, mate {name} {row(list(normed[0]))}" in shown


def test_the_smallest_gpt_2_has_the_parameters_of_its_weights(project_press: Press) -> None:
    """Tensor by tensor: embeddings, twelve blocks with biases, the last norm."""
    d, named = 768, project_press.results["21.3"].figures
    shapes = [
        (d,),
        (d,),
        (d, 3 * d),
        (3 * d,),
        (d, d),
        (d,),
        (d,),
        (d,),
        (d, 4 * d),
        (4 * d,),
        (4 * d, d),
        (d,),
    ]
    block = sum(math.prod(shape) for shape in shapes)
    model = 50_257 * d + 1024 * d + 12 * block + 2 * d
    feed_forward = sum(math.prod(shape) for shape in shapes[8:])
    assert model == 124_439_808
    assert named["share_gpt2"] == pytest.approx(feed_forward / block)
    assert named["share_model"] == pytest.approx(12 * feed_forward / model)


def test_every_correction_to_note_stands_in_the_closing_box_or_where_it_is_needed() -> None:
    text = " ".join((ROOT / LESSON).read_text(encoding="utf-8").split())
    for said in (
        "$\\varepsilon$ does not stretch along",
        "normalizes a sublayer's output before the sum",
        "applies a last norm only if given as `norm=`",
        "its layers all start with the same weights",
        "is post-norm unless `norm_first=True`",
        "forget it, and nothing raises",
        "can be computed, but quality usually drops",
        "longer contexts need rescaling",
        "Sizes hang on the seed",
        "“A transformer without positions is a bag of words” holds only without a mask",
        "../further/norms-and-gates.md",
        "it cannot undo the norm",
    ):
        assert said in text, said


def test_the_lesson_says_where_to_go_next() -> None:
    text = (ROOT / LESSON).read_text(encoding="utf-8")
    ending = text.partition("## What to carry away")[2].partition("\n## ")[0]
    pages = ["norms-and-gates", "rotary", "grouped-query", "arrays"]
    for page in [
        *(f"../further/{name}.md" for name in pages),
        "../reference/symptoms.md",
        "../reference/conventions.md",
    ]:
        assert f"]({page})" in ending, page


@pytest.mark.parametrize("ident", [*PANELS, "21.6", "21.7"])
def test_a_line_of_output_has_at_most_80_columns(project_press: Press, ident: str) -> None:
    assert max(map(len, project_press.results[ident].output.split("\n"))) <= 80
