"""Lesson 20 shows, in each panel's own output, every value of the independent figures, and makes the checks they name."""

import ast
import itertools
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from coursebuild.press import Press
from nextword.attention import (
    attention_scores,
    masked_softmax,
    multi_head_attention,
    scaled_dot_product_attention,
)
from nextword.matrices import draw_matrix, matmul

from .conftest import ROOT
from .reading import figures, held, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-20.json").read_text(encoding="utf-8"))
LESSON = "docs/lessons/20-attention.md"
PANELS = ["20.1", "20.2", "20.3", "20.4"]
TOKENS: list[str] = FACTS["20.1"]["inputs"]["tokens"]
AXES: list[str] = FACTS["20.1"]["inputs"]["axes"]


def expected(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["expected"]
    return found


def printed(rows: list[list[float]]) -> list[list[str]]:
    return [[f"{value:.4f}" for value in row] for row in rows]


def beside(one: list[list[str]], other: list[list[str]]) -> list[str]:
    """Two tables side by side, as lines: the token, its row of the one, its row of the other."""
    return [" ".join([token, *a, *b]) for token, a, b in zip(TOKENS, one, other, strict=True)]


def shows_tables(shown: list[str], titles: str, names: list[str], rows: list[str]) -> None:
    at = shown.index(titles)
    assert shown[at + 1 : at + 2 + len(rows)] == [" ".join(map(str, names)), *rows]


def test_the_panels_stand_on_the_lesson_in_order(project_press: Press) -> None:
    page = project_press.pages[LESSON]
    order = [panel.ident for panel in page.panels]
    assert [panel.ident for panel in page.panels if panel.packages] == ["20.8", "20.5"], "the real libraries"
    assert [ident for ident in order if ident in PANELS] == PANELS
    assert order.index("20.6") == order.index("20.3") + 1, "the cache follows from the tamper test"
    assert not [fault for panel in page.panels for fault in project_press.results[panel.ident].faults]


def test_panel_1_shows_scores_weights_and_outputs(project_press: Press) -> None:
    shown, facts = lines(project_press, "20.1"), expected("20.1")
    assert any(line.endswith(": " + " ".join(AXES)) for line in shown)
    scores = beside(printed(facts["raw"]), printed(facts["scaled"]))
    shows_tables(shown, "scores scores / sqrt(4)", [*TOKENS, *TOKENS], scores)
    weights = beside(facts["weights_printed"], facts["output_printed"])
    shows_tables(shown, "weights outputs", [*TOKENS, *AXES], weights)
    assert f"row sums: {' '.join(facts['row_sums_printed'])}" in shown


def test_panel_2_shows_both_tables_and_the_slopes(project_press: Press) -> None:
    shown, facts, given = lines(project_press, "20.2"), expected("20.2"), FACTS["20.2"]["inputs"]
    by_width = facts["by_d_k"]
    assert f"{given['trials']} trials with {given['keys']} keys for each d_k" in shown
    first = shown.index("d_k sd of q.k sqrt(d_k) sd after dividing") + 1
    assert shown[first : first + len(by_width)] == [
        f"{d} {row['sd']:.4f} {math.sqrt(int(d)):.4f} {row['sd_over_root']:.4f}"
        for d, row in by_width.items()
    ]
    second = shown.index("d_k top weight entropy collapsed top weight entropy collapsed") + 1
    assert shown[second : second + len(by_width)] == [
        f"{d} {row['raw_max']:.6f} {row['raw_entropy']:.4f} {row['collapsed']:.0%} ( {row['collapsed_count']}) "
        f"{row['scaled_max']:.6f} {row['scaled_entropy']:.4f} 0% ( 0)"
        for d, row in by_width.items()
    ]
    uniform = f"entropy in nats, if uniform: ln 12 = {facts['printed']['uniform_entropy']};"
    assert any(line.startswith(uniform) for line in shown)
    assert by_width["4"]["collapsed_count"] == 0, "narrow keys never collapse, as the claim says"
    wide = by_width["256"]
    assert (
        f"d_k=256: {wide['collapsed']:.0%} collapsed, scaled favourite averages {wide['scaled_max']:.4f}"
        in shown
    )
    raw, scaled = facts["printed"]["raw_slope"], facts["printed"]["scaled_slope"]
    assert f"mean {raw} {scaled} {facts['ratio_slopes_256']:.3f}" in shown
    extra = wide["extra_not_in_source"]
    middle = extra["raw_slope_median"], extra["scaled_slope_median"]
    assert f"median {middle[0]:.3e} {middle[1]:.3e} {middle[1] / middle[0]:.3f}" in shown
    for name, plain in [("mean", wide["raw_slope"]), ("median", extra["raw_slope_median"])]:
        by_product = extra[f"scaled_slope_wrt_unscaled_score_{name}"]
        assert f"{name}, by q.k {plain:.3e} {by_product:.3e} {by_product / plain:.3f}" in shown
    assert "below 0.001: not scaled 48, scaled 0, of 120" in shown
    assert extra["raw_slope_below_1e-3_share"] == 48 / 120


def test_no_scaled_trial_is_saturated() -> None:
    """The zero among the scaled trials, and the 48 among the others, from a count written for this test alone."""
    rng, below = random.Random(42), [0, 0]
    for _ in range(120):
        query = [rng.gauss(0, 1) for _ in range(256)]
        scores = [sum(q * rng.gauss(0, 1) for q in query) for _ in range(12)]
        for at, root in enumerate((1, 16)):
            largest = 1 / sum(math.exp((score - max(scores)) / root) for score in scores)
            below[at] += largest * (1 - largest) < 1e-3
    assert below == [48, 0]


def test_panel_3_shows_open_beside_causal_and_the_tampered_row(project_press: Press) -> None:
    shown, facts = lines(project_press, "20.3"), expected("20.3")
    rows = beside(printed(facts["open_weights"]), facts["causal_weights_printed"])
    shows_tables(shown, "open causal", [*TOKENS, *TOKENS], rows)
    at = shown.index("output of cat")
    assert shown[at + 1 : at + 4] == [
        f"before, causal {' '.join(facts['cat_before_printed'])}",
        f"after, causal {' '.join(facts['cat_after_causal_printed'])}",
        f"after, open {' '.join(facts['cat_after_open_printed'])}",
    ]
    changed = FACTS["20.3"]["extra_not_in_source"]["open_rows_changed"]
    assert f"changed by a new last token, open: {' '.join(itertools.compress(TOKENS, changed))}" in shown
    assert "changed by a new last token, causal: milk" in shown


def test_panel_3_shows_both_variants_of_the_bug_and_what_catches_them(project_press: Press) -> None:
    shown, extra = lines(project_press, "20.3"), FACTS["20.3"]["extra_not_in_source"]
    at = shown.index("masked, and filled with > -inf > -1e9 >= -inf >= -1e9")
    first = extra["fill_-1e9_inclusive_mask_weights"][0]
    assert first == [0.25] * 4 and sum(first) == 1, "the bug sees the future, and its row sums to one"
    assert extra["fill_-inf_inclusive_mask_weights(None=0/0)"][0] is None
    assert shown[at + 1] == f"first weight 1.00 1.00 nan {first[0]:.2f}"
    assert shown[at + 2 : at + 7] == [
        "tamper test passes passes FAILS FAILS",
        "rows sum to one passes passes FAILS passes",
        "zero above diagonal passes passes FAILS FAILS",
        "diagonal not zero passes passes FAILS FAILS",
        "1, 2, 3, 4 non-zero passes passes FAILS FAILS",
    ]
    assert extra["fill_-1e9_strict_mask_weights"] == expected("20.3")["causal_weights"]
    assert held(project_press, "20.3", "With the right mask -1e9 gives the same weights").held


def test_panel_4_shows_each_head_and_what_comes_out(project_press: Press) -> None:
    shown, facts = lines(project_press, "20.4"), expected("20.4")
    heads = beside(*facts["weights_printed"])
    shows_tables(shown, "head 0, weights head 1, weights", [*TOKENS, *TOKENS], heads)
    columns = [str(column) for column in range(4)]
    out = beside(facts["concatenated_printed"], facts["output_printed"])
    shows_tables(shown, "concatenated after W_O", [*columns, *columns], out)
    for head, names in enumerate(facts["favourites"]):
        assert f"head {head}: favourites {' '.join(names)}" in shown
    assert f"largest weight gap {facts['max_gap_printed']}" in shown
    one, several = facts["params"]
    assert f"one head {one} 16 16" in shown and f"2 heads {several} 16 32" in shown


# The checks that the figures name, by panel and place: words of the claim, and the values that it compares.
NAMED: list[tuple[str, str, object]] = [
    ("20.1 1", "Each row of weights sums to one", True),
    ("20.1 2", "No weight is zero and none is one", True),
    ("20.1 3", "“cat” gives most to “drank”", 2),
    ("20.1 4", "splits evenly between them", [True, True]),
    ("20.1 5", "does not look for gets next to nothing", [True, True]),
    ("20.1 6", "carries the action, more than its own animal", [True, True]),
    ("20.1 7", "stays inside the range of what it averages", True),
    ("20.2 1", "spreads like the root of the width", True),
    ("20.2 2", "widest spread is that of the narrowest", True),
    ("20.2 3", "takes more and more as keys get wider", [True, True]),
    ("20.2 4", "Narrow keys never collapse", [True, True]),
    ("20.2 5", "Scaled, it does not", True),
    ("20.2 6", "own input is larger with scaling, in the mean", [True, True]),
    ("20.2 7", "winner is the same in every trial", True),
    ("20.3 1", "above the diagonal are exactly zero", [0.0]),
    ("20.3 2", "masked rows sum to one", True),
    ("20.3 3", "first token can look at itself alone", [1.0, 0.0, 0.0, 0.0]),
    ("20.3 4", "one more weight than the row before", [1, 2, 3, 4]),
    ("20.3 5", "leaves each earlier row of causal attention alone", [False] * 3),
    ("20.3 6", "changes in every row, also in that of “cat”", [True] * 4),
    ("20.4 1", "Each row of each head sums to one", True),
    ("20.4 2", "output is 2 wide", [2, 2]),
    ("20.4 3", "4 wide, and so is the result", [4, 4]),
    ("20.4 4", "In some place their weights differ widely", True),
    ("20.4 5", "other favourites, but for “milk”", [False, False, False, True]),
    ("20.4 6", "as many parameters as a full one", [48, 48, 16]),
]


def test_twenty_six_checks_are_named() -> None:
    named = [(ident, number + 1) for ident in PANELS for number in range(len(FACTS[ident]["checks"]))]
    assert [(name.split()[0], int(name.split()[1])) for name, *_ in NAMED] == named
    assert len(named) == sum(expected(ident)["n_checks"] for ident in PANELS) == 26


@pytest.mark.parametrize(("name", "claim", "values"), NAMED, ids=[name for name, *_ in NAMED])
def test_a_named_check_is_among_the_panels_checks(
    project_press: Press, name: str, claim: str, values: object
) -> None:
    ident, number = name.split()
    found = held(project_press, ident, claim)
    got = ast.literal_eval(found.got)
    assert got == ast.literal_eval(found.expected) == values
    fact = FACTS[ident]["checks"][int(number) - 1]
    assert fact["holds"]
    told: dict[str, Callable[[Any], object]] = {
        "20.3 5": lambda rows: not any(rows),  # unchanged
        "20.3 6": lambda rows: rows[TOKENS.index("cat")],  # moves
        "20.4 5": lambda equal: not all(equal),  # the lists differ
        "20.4 6": lambda counts: counts[:2],  # W_O comes on top
    }
    reading = told.get(name)
    assert (reading(got) if reading else got) == fact["expected"], fact


def test_what_a_comparison_compares_is_what_the_figures_say(project_press: Press) -> None:
    one, three, four = (expected(ident) for ident in ("20.1", "20.3", "20.4"))
    wide = expected("20.2")["by_d_k"]["256"]
    extra = wide["extra_not_in_source"]
    named = figures(project_press, "20.1")
    assert named["cat_drank"] == pytest.approx(one["weights"][1][2]) == math.exp(3) / (math.exp(3) + 3)
    assert named["drank_cat"] == pytest.approx(one["weights"][2][1])
    assert (named["scores"], named["long_scores"]) == (len(TOKENS) ** 2, 1_000_000)
    named = figures(project_press, "20.2")
    for name, value in {
        "collapsed": wide["collapsed"],
        "ratio_mean": expected("20.2")["ratio_slopes_256"],
        "plain_mean": wide["raw_slope"],
        "plain_median": extra["raw_slope_median"],
        "by_product_mean": extra["scaled_slope_wrt_unscaled_score_mean"],
        "by_product_median": extra["scaled_slope_wrt_unscaled_score_median"],
        "plain_largest": wide["raw_max"],
        "scaled_largest": wide["scaled_max"],
    }.items():
        assert named[name] == pytest.approx(value), name
    assert (named["few"], named["trials"]) == (48, 120)
    named = figures(project_press, "20.3")
    assert named["causal"] == pytest.approx(three["causal_weights"][2][1])
    assert named["open"] == pytest.approx(three["open_weights"][2][1])
    named = figures(project_press, "20.4")
    assert named["gap"] == pytest.approx(four["max_gap"])
    assert [named["one"], named["several"]] == four["params"]


def test_the_pictures_show_the_figures(project_press: Press) -> None:
    three, four = expected("20.3"), expected("20.4")
    open_map, causal_map = figures(project_press, "20.3")["heat_maps"]["maps"]
    assert open_map["values"] == [pytest.approx(row) for row in three["open_weights"]]
    for query, row in enumerate(causal_map["values"]):
        seen = query + 1
        assert row[:seen] == pytest.approx(three["causal_weights"][query][:seen])
        assert row[seen:] == [None] * (len(TOKENS) - seen)
    heads = figures(project_press, "20.4")["heat_maps"]["maps"]
    assert [one["values"] for one in heads] == [
        [pytest.approx(row) for row in head] for head in four["weights"]
    ]
    fewer = [row.count(None) > 0 for row in causal_map["values"]]
    assert fewer == [True] * (len(TOKENS) - 1) + [False]
    assert "every row but the last shares its weight among fewer keys" in (ROOT / LESSON).read_text("utf-8")
    for drawn in (open_map, causal_map, *heads):
        assert drawn["rows"] == drawn["columns"] == TOKENS
    for series, key in zip(
        figures(project_press, "20.2")["curves"]["series"], ("raw_max", "scaled_max"), strict=True
    ):
        by_width = expected("20.2")["by_d_k"]
        assert series["points"] == [[int(d), pytest.approx(row[key])] for d, row in by_width.items()]


def multiplications(layers: int, width: int, asking: int, tokens: int) -> int:
    """Each multiplication of a step counted, one by one."""
    count = 0
    for _layer, _row in itertools.product(range(layers), range(asking)):
        for _matrix, _in, _out in itertools.product("qkv", range(width), range(width)):
            count += 1
        for _key, _number in itertools.product(range(tokens), range(width)):
            count += 1  # a score
        for _value, _number in itertools.product(range(tokens), range(width)):
            count += 1  # an average
    return count


def test_the_cache_is_counted_step_by_step(project_press: Press) -> None:
    shown, layers, width = lines(project_press, "20.6"), 2, 8
    plain = [multiplications(layers, width, n, n) for n in range(1, 33)]
    cached = [multiplications(layers, width, 1, n) for n in range(1, 33)]
    first = shown.index("tokens no cache cache no cache cache stored") + 1
    assert shown[first : first + 6] == [
        f"{n} {plain[n - 1]:,} {cached[n - 1]:,} {sum(plain[:n]):,} {sum(cached[:n]):,} {2 * layers * n * width:,}"
        for n in (1, 2, 4, 8, 16, 32)
    ]
    named = figures(project_press, "20.6")
    drawn = [[y for _, y in series["points"]] for series in named["curves"]["series"]]
    assert drawn == [plain, cached, [2 * layers * n * width for n in range(1, 33)]]
    assert (named["step_plain"], named["step_cached"]) == (plain[-1], cached[-1])
    assert (named["total_plain"], named["total_cached"]) == (sum(plain), sum(cached))


@pytest.mark.parametrize(
    ("ident", "claim"),
    [
        ("20.1", "It is no similarity: “cat” gives “drank” more than it gets back"),
        ("20.1", "Each score is the dot product of its query and its key"),
        ("20.1", "Each output averages the rows of values with its row of weights"),
        ("20.2", "At d_k=256 the slope is below 0.001 in 48 of 120 unscaled trials and in 0 scaled ones"),
        (
            "20.2",
            "Scaling gives no larger gradient in general: by q.k the mean slope falls, the median rises",
        ),
        ("20.3", "Row sums miss the bug >= where a large negative number stands for minus infinity"),
        ("20.3", "The tamper test catches both variants of >="),
        ("20.3", "The mask itself tells order: swap tokens, and open outputs swap along, causal ones do not"),
        ("20.3", "A leak into the first row alone escapes a new last token"),
        ("20.3", "A mask that hides too much passes that too; a new first token"),
        ("20.3", "The library refuses a row without anything to look at"),
        ("20.6", "With and without the cache: the same output at every step"),
        ("20.6", "Under the causal mask no cached key or value ever changes"),
        ("20.6", "Without the mask those above the first layer change at every step"),
        ("20.6", "with twice the tokens 4 times as many without the cache, 2 times with it"),
        ("20.6", "Projections cost more than scores and averages up to 11 tokens"),
        ("20.6", "A new first token changes 1 key of the first layer, and all 32 above"),
        ("20.5", "PyTorch computes what our code does: fused, with our mask too, written out"),
        ("20.5", "Given our mask, nn.MultiheadAttention fails in the last row"),
        ("20.5", "With is_causal=True a single query sees the first key alone"),
        ("20.5", "The slip >= in a mask gives a row of nan with minus infinity, and with the lowest float16"),
        ("20.5", "only need_weights=False lets it call the fused kernel"),
        ("20.5", "The fused kernel asks for no block as large as the weights"),
        ("20.5", "A negative number out of the range of float16 is refused as a fill"),
        ("20.8", "With random weights no head gives most to the previous token; trained, a few do"),
        ("20.8", "Most trained heads give most to the first token, whichever it is"),
        ("20.4", "But 2 heads compute 2 matrices of weights, 32 numbers instead of 16"),
        ("20.4", "One wide projection, cut into heads, is the same as separate ones"),
    ],
)
def test_what_readers_get_wrong_is_checked(project_press: Press, ident: str, claim: str) -> None:
    assert held(project_press, ident, re.escape(claim)).held


def test_the_text_corrects_what_is_often_said() -> None:
    text = " ".join((ROOT / LESSON).read_text(encoding="utf-8").split())
    for said in (
        "It is not that scaling enlarges the gradient",
        "checking row sums is not enough",
        "The causal mask itself leaks it",
        "never change**, in any layer",
        "masked pairs included",
        "A query scores a key by their *dot product*: multiply entry by entry and add up.",
        "Change each in turn; the last alone misses a leak",
        "the causal mask leaks some. [Lesson 21](21-transformer-block.md) adds positions",
        "For `nn.MultiheadAttention` `True` means hidden, for ours and the [fused kernel]",
        "One small model's rates neither establish a cause nor remove an explanation.",
        "`masked_fill` raises an error, a cast gives minus infinity",
        "_averaged over the heads_",
        "*self-attention*",
        "*cross-attention*",
        "also those that it must not see",
    ):
        assert said in text, said
    assert not re.search(
        r"no notion of order|same cost|found nothing|optimizer absorbs|leaks a little|shows none", text
    )


def test_the_slip_of_the_mask_is_told_as_the_code_has_it(project_press: Press) -> None:
    """True means “may look” in the listing, so the slip reads ``<`` there, and hides ``key >= query`` in the panel."""
    text = " ".join((ROOT / LESSON).read_text(encoding="utf-8").split())
    slip = "hides `key >= query` instead of `key > query` (in the listing: `key < query` for `key <= query`)"
    assert f"The classic slip {slip}." in text
    assert "key <= query" in project_press.library.listing("nextword.attention.causal_mask").text
    code = next(panel.code for panel in project_press.pages[LESSON].panels if panel.ident == "20.3")
    assert "not key >= query" in code
    slipped = [[key < query for key in range(4)] for query in range(4)]
    assert slipped == [[not key >= query for key in range(4)] for query in range(4)]
    with pytest.raises(ValueError, match="row 0 of mask must be True somewhere"):
        masked_softmax([[0.0] * 4] * 4, slipped)


def test_the_dot_product_comes_before_the_first_formula() -> None:
    text = (ROOT / LESSON).read_text(encoding="utf-8")
    assert text.index("*dot product*") < text.index("```math") < text.index('id="20.1"')


def test_the_caption_of_the_heads_says_what_is_seen() -> None:
    favourites = expected("20.4")["favourites"]
    same = [token for token, *names in zip(TOKENS, *favourites, strict=True) if len(set(names)) == 1]
    assert same == ["milk"]
    assert "only `milk` has the same favourite in both" in (ROOT / LESSON).read_text(encoding="utf-8")


def test_the_memory_of_a_cache_is_what_the_card_says(project_press: Press) -> None:
    card = (
        (ROOT / LESSON).read_text(encoding="utf-8").split('"What does the KV cache keep')[1].split("???")[0]
    )
    assert "$2 L h d b$ bytes" in card and "#panel-grouped-query.2" in card
    named = figures(project_press, "grouped-query.2")
    each = 2 * 32 * 8 * 128 * 2  # layers, key heads, width of a head, bytes of a number
    assert named["token_kib"] == each / 2**10 == 128
    assert named["grouped"] == each * named["context"] / 2**30 == 16


def test_projections_dominate_below_the_width(project_press: Press) -> None:
    """Each of the projections takes n d d multiplications, scores and averages 2 n n d: level where n is 1.5 d."""
    named = figures(project_press, "20.6")
    d = named["width"]
    assert named["heavier"] == max(n for n in range(1, 99) if 3 * n * d * d > 2 * n * n * d) == 11


def rerun(press: Press, ident: str, before: str, after: str) -> tuple[str, str]:
    """What the whole program of a panel prints, and what it says at its end, with one place of it edited."""
    panel = next(panel for panel in press.pages[LESSON].panels if panel.ident == ident)
    program = press.library.unfold(panel)
    assert program.count(before) == 1
    done = subprocess.run(
        [sys.executable, "-c", program.replace(before, after)], capture_output=True, text=True, check=False
    )
    return done.stdout, done.stdout.rstrip().split("\n")[-1] + done.stderr


def test_the_exercise_on_the_root_breaks_the_claim_on_the_softmax_input(project_press: Press) -> None:
    root = "root = math.sqrt(len(keys[0])) if scaled else 1.0"
    shown, said = rerun(project_press, "20.2", root, "root = len(keys[0]) if scaled else 1.0")
    rows = re.findall(r"^ *(?:4|16|64|256) +0\.\d{6} .* +([\d.]+) +\d+% \( +\d+\)$", shown, re.MULTILINE)
    assert len(rows) == 4 and rows == sorted(rows)
    assert float(rows[-1]) == pytest.approx(math.log(12), abs=0.01)
    assert "The slope by the softmax's own input is larger with scaling" in said, said


def test_the_exercise_on_the_cache_is_answered_by_the_printed_line(project_press: Press) -> None:
    append = "    cache.append(key, value)\n"
    cut = append + "    del cache.keys[:-4], cache.values[:-4]\n"
    shown, said = rerun(project_press, "20.6", append, cut)
    assert f"equal outputs, step by step: {'=' * 5}{'x' * 27}\n" in shown
    assert "the same output at every step" in said, said
    assert f"equal outputs, step by step: {'=' * 32}" in project_press.results["20.6"].output


def test_no_term_of_attention_comes_before_it_is_explained() -> None:
    """A head is met as a link to the section on heads, a projection where the text says what one is."""
    text = (ROOT / LESSON).read_text(encoding="utf-8").split("\n# ", 1)[1]
    for word, first in (("head", "[heads](#several-heads)"), ("projection", "*projections*")):
        assert text.index(word) - 1 == text.index(first), word


def test_what_is_said_of_pytorch_stands_below_the_panel_that_ran_it() -> None:
    text = (ROOT / LESSON).read_text(encoding="utf-8")
    section = text[text.index("## What a real project uses") : text.index('!!! note "Where the toy')]
    traps = section[section.index("PyTorch [[20.5.torch]] computes what our code does.") :]
    for name in ("masked_fill", "MultiheadAttention", "average_attn_weights=False", "need_weights=False"):
        assert name in traps
        assert name not in text.split("## Interview questions")[0].replace(section, ""), name


def test_what_the_exercises_ask_has_an_answer() -> None:
    """A query for an animal as well splits evenly; dividing by the width itself flattens wide keys to even weights."""
    keys: list[list[float]] = FACTS["20.1"]["inputs"]["K"]
    query = [6.0, 6.0, 0.0, 0.0]
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) / 2 for key in keys]
    weights = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
    assert weights == pytest.approx([0.0237, 0.4763, 0.4763, 0.0237], abs=1e-4)
    rng, nats = random.Random(42), {}
    for width in (4, 16, 64, 256):
        found = []
        for _ in range(120):
            query = [rng.gauss(0, 1) for _ in range(width)]
            scores = [sum(q * rng.gauss(0, 1) for q in query) / width for _ in range(12)]
            total = sum(map(math.exp, scores))
            found.append(-sum(math.exp(s) / total * (s - math.log(total)) for s in scores))
        nats[width] = sum(found) / len(found)
    assert sorted(nats.values()) == list(nats.values())
    assert nats[256] == pytest.approx(math.log(12), abs=0.01)


def test_a_mask_that_looks_one_key_too_far_passes_the_row_sums_and_the_diagonal() -> None:
    """What the exercise on panel 20.3 finds: the other tests catch it."""
    n, given = len(TOKENS), FACTS["20.1"]["inputs"]
    mask = [[key <= query + 1 for key in range(n)] for query in range(n)]
    outputs, weights = scaled_dot_product_attention(given["Q"], given["K"], given["V"], mask)
    values = [*given["V"][:-1], [9.0] * n]
    tampered = scaled_dot_product_attention(given["Q"], given["K"], values, mask)[0]
    assert [math.fsum(row) for row in weights] == pytest.approx([1.0] * n)
    assert all(weights[i][i] > 0 for i in range(n))
    assert all(weights[i][i + 1] > 0 for i in range(n - 1))
    assert outputs[:-1] != tampered[:-1]
    assert [sum(w != 0 for w in row) for row in weights] != list(range(1, n + 1))


def test_the_follow_ups_that_no_panel_shows_are_true() -> None:
    """Equal queries and keys give symmetric scores, not weights; with a single head W_O can be folded into W_V."""
    rng = random.Random(42)
    x, w_q, w_k, w_v, w_o = (draw_matrix(4, 4, 1.5, rng) for _ in range(5))
    scores = attention_scores(x, x)
    weights = masked_softmax(scores)
    pairs = list(itertools.combinations(range(4), 2))
    assert all(scores[i][j] == pytest.approx(scores[j][i]) for i, j in pairs)
    assert all(weights[i][j] != pytest.approx(weights[j][i]) for i, j in pairs)
    eye = [[float(i == j) for j in range(4)] for i in range(4)]
    mixed, _ = multi_head_attention(x, w_q, w_k, w_v, w_o, 1)
    folded, _ = multi_head_attention(x, w_q, w_k, matmul(w_v, w_o), eye, 1)
    assert mixed == [pytest.approx(row) for row in folded]
