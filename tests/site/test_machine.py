"""The whole machine, panel 21.6: what it claims holds, and with either layer taken out of its code it does not."""

import ast
import math
import re
from dataclasses import replace

import pytest

from coursebuild.inspection import inspect_code
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import Checked, Result, run

PANEL = "21.6"
LAYERS = "layers = [looks_back, completes]"
LINES = [
    "the cat sat on the mat",
    "the cat ate the fish",
    "the dog sat on the log",
    "the dog ate the bone",
    "the cat sat on the log",
    "the dog ate the fish",
]
COMPLETES = "The machine completes the pair from the prompt"


def held(result: Result, claim: str) -> bool:
    """Whether the one check whose claim begins so held."""
    found: list[Checked] = [check for check in result.checks if check.claim.startswith(claim)]
    assert len(found) == 1, [check.claim for check in result.checks]
    return found[0].held


def changed(panel: Panel, old: str, new: str) -> Result:
    """The panel's run after one edit, as a reader makes it."""
    assert panel.code.count(old) == 1, old
    edited = replace(panel, code=panel.code.replace(old, new), claims=())
    claims, _ = inspect_code(edited)
    return run(replace(edited, claims=tuple(claims)))


def failed(result: Result) -> list[str]:
    return [check.claim for check in result.checks if not check.held]


@pytest.fixture(scope="module")
def panel(project_press: Press) -> Panel:
    found: Panel = project_press.panels[PANEL]
    return found


def test_the_machine_runs_without_a_fault(project_press: Press) -> None:
    result = project_press.results[PANEL]
    assert not result.faults
    assert held(result, COMPLETES) and not failed(result)


@pytest.mark.parametrize(
    ("left", "broken"),
    [
        (
            "completes",
            [
                COMPLETES,
                "Both layers complete every random pattern",
                "Each row of the first layer looks one step back",
                "The last row of the second layer looks at what followed",
            ],
        ),
        (
            "looks_back",
            [
                COMPLETES,
                "Both layers complete every random pattern",
                "The last row of the second layer looks at what followed",
                "A token without an earlier match looks evenly",
            ],
        ),
        ("completes, looks_back", [COMPLETES, "Both layers complete every random pattern"]),
    ],
    ids=["without the first layer", "without the second layer", "in the other order"],
)
def test_taking_out_a_layer_breaks_named_checks(panel: Panel, left: str, broken: list[str]) -> None:
    result = changed(panel, LAYERS, f"layers = [{left}]")
    for claim in broken:
        assert not held(result, claim), failed(result)
    assert result.faults


@pytest.mark.parametrize("left", ["completes", "looks_back"])
def test_without_a_layer_no_token_is_listed_again(panel: Panel, left: str) -> None:
    """What the machine says may then be what the bigram says, or the last token."""
    shown = [line.split() for line in changed(panel, LAYERS, f"layers = [{left}]").output.split("\n")]
    first = next(place for place, words in enumerate(shown) if words[-2:] == ["machine", "bigram"]) + 1
    tokens = [words[0] for words in shown[first:] if len(words) == 3 and words[0].endswith("_")]
    assert tokens and len(set(tokens)) == len(tokens)


def test_the_machine_is_shown_whole(project_press: Press) -> None:
    """Both heads and what runs them are listed; what fills and reads the stream is one link away."""
    page = project_press.pages["docs/lessons/21-transformer-block.md"]
    listed = {fence.option["listing"] for fence in page.source.fences if "listing" in fence.option}
    assert {
        f"nextword.induction.{name}" for name in ("previous_token_head", "induction_head", "run_layers")
    } <= listed
    text = "\n".join(line.text for line in page.source.prose)
    for name in ("embed_tokens", "unembed", "step_back"):
        assert f"[`{name}`](../reference/induction.md#nextword.induction.{name})" in text


def test_a_prompt_without_the_pattern_breaks_the_claim(panel: Panel) -> None:
    result = changed(panel, 'prompt = "on catfish sat on"', 'prompt = "on catfish sat the"')
    assert not held(result, COMPLETES)


def test_the_prompt_has_pairs_that_the_text_has_nowhere(project_press: Press) -> None:
    """Words of the prompt, as no line of the text has them side by side; one is no word of the text at all."""
    named = project_press.results[PANEL].figures
    words = ["on", "catfish", "sat", "on"]
    pairs = {(a, b) for line in LINES for a, b in zip(line.split(), line.split()[1:], strict=False)}
    assert not {("on", "catfish"), ("catfish", "sat")} & pairs
    assert "catfish" not in {word for line in LINES for word in line.split()}
    assert str(named["text"]).split() == (words[1:] + words[1:])[:4]


def test_the_machine_gets_all_and_the_bigram_few(project_press: Press) -> None:
    result = project_press.results[PANEL]
    shown = [re.sub(r" +", " ", line).strip() for line in result.output.split("\n")]
    named = result.figures
    assert named["right"] == named["asked"] == 80
    assert f"both layers {named['asked']}" in shown
    for name in ("without the first", "without the second", "bigram"):
        [number] = [int(line.split()[-1]) for line in shown if re.fullmatch(rf"{name} \d+", line)]
        assert number <= 80 // 4


def test_the_drawing_shows_both_layers_and_hides_the_future(project_press: Press) -> None:
    drawn = project_press.results[PANEL].figures["heat_maps"]
    first, second = drawn["maps"]  # type: ignore[index]
    tokens = ["<s>", "on_", "c", "at", "fish_", "sat_", "on_"]
    for picture in (first, second):
        assert picture["rows"] == picture["columns"] == tokens
        for query, row in enumerate(picture["values"]):
            assert [weight is None for weight in row] == [key > query for key in range(len(tokens))]
            assert sum(weight for weight in row if weight is not None) == pytest.approx(1)
    for place in range(1, len(tokens)):
        assert first["values"][place][place - 1] > 0.99
    assert second["values"][-1][tokens.index("c")] > 0.99
    for place in range(len(tokens) - 1):
        assert second["values"][place][: place + 1] == pytest.approx(
            [1 / (place + 1)] * (place + 1), abs=0.002
        )


def test_what_the_checks_compare_is_what_they_say(project_press: Press) -> None:
    checks = {check.claim: check for check in project_press.results[PANEL].checks}
    [bigram] = [check for claim, check in checks.items() if claim.startswith("The bigram cannot")]
    assert ast.literal_eval(bigram.got) == ["the_", 1.0, 0.0]
    [alone] = [check for claim, check in checks.items() if claim.startswith("Without the first layer")]
    assert ast.literal_eval(alone.got) == ["on_", 1]
    [machine] = [check for claim, check in checks.items() if claim.startswith(COMPLETES)]
    assert ast.literal_eval(machine.got) == ["c", True]
    [new] = [check for claim, check in checks.items() if claim.endswith("a word that no training text had")]
    assert ast.literal_eval(new.got) == ["catfish sat on catfish", False]
    [wavers] = [check for claim, check in checks.items() if claim.startswith("Without <s>")]
    assert ast.literal_eval(wavers.got) == [True, True]
    [counted] = [
        check for claim, check in checks.items() if claim.startswith("Counting the pairs of the prompt")
    ]
    assert ast.literal_eval(counted.got) == ["c"]


def test_a_word_of_the_text_is_no_new_word(panel: Panel) -> None:
    result = changed(panel, 'prompt = "on catfish sat on"', 'prompt = "on bone sat on"')
    assert not held(result, "It continues with a word that no training text had")


def test_a_machine_that_says_neither_does_not_waver(panel: Panel) -> None:
    """Without the second layer all tokens are alike, A and B as well."""
    result = changed(panel, LAYERS, "layers = [looks_back]")
    assert not held(result, "Without <s> the first token takes itself")


def test_the_gap_between_positions_is_that_of_their_dot_products(project_press: Press) -> None:
    named, rates = project_press.results[PANEL].figures, [1, 0.1, 0.01, 0.001]
    length = named["length"]
    assert isinstance(length, int)
    positions = [[turn(p * rate) for rate in rates for turn in (math.sin, math.cos)] for p in range(length)]
    dots = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in positions] for one in positions]
    gaps = [dots[i][i] - dots[i][j] for i in range(length) for j in range(length) if i != j]
    assert min(gaps) == pytest.approx(named["gap"])
