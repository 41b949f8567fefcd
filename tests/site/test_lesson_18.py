"""Lesson 18 shows, in each panel's own output, every value of the independent figures, and makes the checks they name."""

import itertools
import json
import math
import re
from typing import Any

import pytest

from coursebuild.press import Press
from coursebuild.runner import Checked

from .conftest import ROOT
from .reading import lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-18.json").read_text(encoding="utf-8"))
LESSON = "docs/lessons/18-next-word.md"
PANELS = ["18.1", "18.2", "18.3", "18.4", "18.5", "18.7"]


def expected(ident: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[ident]["expected"]
    return found


def more(ident: str) -> dict[str, Any]:
    """What the figures have beyond the listed output."""
    found: dict[str, Any] = FACTS[ident]["not_in_source"]
    return found


def test_the_panels_stand_on_the_lesson_in_order(project_press: Press) -> None:
    page = project_press.pages[LESSON]
    assert [panel.ident for panel in page.panels if panel.ident in PANELS] == PANELS
    assert not [fault for ident in PANELS for fault in project_press.results[ident].faults]


def test_panel_1_shows_the_rows_and_the_sentences(project_press: Press) -> None:
    shown, facts = lines(project_press, "18.1"), expected("18.1")
    total = sum(row["count"] for row in facts["after_the"])
    first = shown.index(f"after “the” probability count (total {total})") + 1
    printed = FACTS["18.1"]["printed"]["p"]
    for row, p, line in zip(facts["after_the"], printed, shown[first:], strict=False):
        assert line == f"{row['word']} {p} {row['count']}"
    rows = {
        word: dict(re.findall(r"'([^']+)': (\d+)", row))
        for word, row in (line.split(" -> ") for line in shown if " -> " in line)
    }
    counted = {
        word: {after: str(count) for after, count in row.items()}
        for word, row in more("18.1")["all_counts"].items()
    }
    assert rows == {word: row for word, row in counted.items() if word != "the"}
    assert rows["sat"] == {w: str(n) for w, n in facts["after_sat"].items()}
    assert rows["ate"] == {w: str(n) for w, n in facts["after_ate"].items()}
    drawn = shown.index("sentences drawn:") + 1
    assert shown[drawn:] == facts["generated_seed_42"]


def test_panel_2_shows_the_zeros(project_press: Press) -> None:
    shown, facts = lines(project_press, "18.2"), expected("18.2")
    assert f"{len(facts['vocabulary'])} words: {' '.join(facts['vocabulary'])}" in shown
    share = f"{FACTS['18.2']['printed']['zero_percent']}% zeros"
    reachable = (len(facts["vocabulary"]) - 1) ** 2
    of_reachable = (
        f"({more('18.2')['zero_fraction_of_reachable_cells']:.1%} of the {reachable} that can occur)"
    )
    assert (
        f"{facts['possible_pairs']} possible pairs, {facts['seen_pairs']} seen, {share} {of_reachable}"
        in shown
    )
    causes = more("18.2")["zero_causes"]
    asked = zip(FACTS["18.2"]["inputs"]["sentences"], FACTS["18.2"]["printed"]["probabilities"], strict=True)
    for sentence, p in asked:
        unseen = ", ".join(" ".join(pair) for pair in causes.get(sentence, [])) or "none"
        assert f"{sentence} {p} {unseen}" in shown
        assert float(p) == facts["sentence_probability"][sentence]
    assert f"the logarithm of the last: {facts['log_of_zero']}" in shown
    size = more("18.2")["ten_thousand_words"]
    assert f"10,000 words: {size['pairs']:,} bigrams, {size['triples']:,} trigrams" in shown
    assert (
        "domain" not in project_press.results["18.2"].output
    )  # the exception's message differs between versions


def test_panel_3_shows_the_smoothing(project_press: Press) -> None:
    shown, facts = lines(project_press, "18.3"), expected("18.3")
    assert f"words in the vocabulary: {facts['V']}" in shown
    for row, printed in zip(facts["table"], FACTS["18.3"]["printed"]["rows"], strict=True):
        assert f"k = {row['k']:g} {' '.join(printed)}" in shown
        assert [f"{row[word]:.4f}" for word in ("cat", "fish", "sat")] == printed[:3]
    assert f"k = 0 is refused: {facts['k_zero'].split()[0]}" in shown
    gap = more("18.3")["max_gap_from_uniform_at_k_100"]
    assert f"with the largest k no word is further than {gap:.5f} from uniform" in shown
    spent = more("18.3")["mass_on_never_seen_followers_k_1"]
    assert f"never after “the”: 6 words (</s> <s> ate on sat the); add-one gives them {spent:.2f}" in shown


def test_panel_4_shows_the_perplexities(project_press: Press) -> None:
    shown = lines(project_press, "18.4")
    printed = FACTS["18.4"]["printed"]
    for name, fact in {
        "uniform": "uniform",
        "add-one bigram": "bigram k=1",
        "sure of each word": "oracle",
        "raw bigram": "bigram unsmoothed",
    }.items():
        assert f"{name} {' '.join(printed[fact])}" in shown
    facts = more("18.4")
    assert f"tokens {facts['N_corpus']} {facts['N_held_out']}" in shown
    pairs = " ".join(" ".join(pair) for pair in facts["held_out_unseen_pairs"])
    assert f"held-out pairs that were never counted: {pairs}" in shown
    for k, held in facts["held_out_by_k"].items():
        assert f"add k = {float(k):g} {facts['corpus_by_k'][k]:.3f} {held:.3f}" in shown


def test_panel_5_shows_the_recital(project_press: Press) -> None:
    shown, facts, extra = lines(project_press, "18.5"), expected("18.5"), more("18.5")
    assert f"words in the vocabulary: {facts['V']}" in shown
    percent = f"({FACTS['18.5']['printed']['percent']}%);"
    contexts = f"{facts['trigram_contexts']} contexts, {facts['single_option_contexts']}"
    assert f"trigram: {contexts} with one continuation {percent}" in shown
    bigrams = f"{extra['bigram_contexts']} contexts, {extra['bigram_single_option_contexts']}"
    assert any(line.startswith(f"bigram: {bigrams} with one continuation") for line in shown)
    steps = sum(len(line.split()) + 1 for line in FACTS["18.5"]["inputs"]["held_out"])
    forced = f"{extra['positions_forced']} of {extra['positions_total']} corpus steps forced"
    new = len(extra["held_out_unseen_trigram_steps"])
    assert f"{forced}; held-out: {new} of {steps} steps never counted" in shown
    new = len(extra["held_out_unseen_bigram_steps"])
    assert any(line.endswith(f"held-out: {new} of {steps} steps never counted") for line in shown)
    distinct = facts["distinct_sentences"]
    at = shown.index(
        f"{len(facts['twenty_in_draw_order'])} trigram draws, {len(distinct)} different sentences:"
    )
    assert shown[at + 1 : at + 1 + len(distinct)] == distinct
    for sentence in facts["bigram_samples"].values():
        label = "(verbatim)" if sentence in FACTS["18.5"]["inputs"]["corpus"] else "(new)"
        assert f"{sentence} {label}" in shown
    for name, scores in FACTS["18.5"]["printed"]["perplexity"].items():
        assert f"{name.replace('k=0', 'raw')} {' '.join(scores)}" in shown
    assert f"the trigram can choose after: {', '.join(extra['ambiguous_contexts'])}" in shown
    [by_k] = [table for name, table in extra.items() if name.startswith("perplexity_by_k")]
    bigram, trigram = (min(scores[at] for scores in by_k.values()) for at in (1, 3))  # held out
    assert f"held out, the best of {len(by_k)} k: bigram {bigram:.3f}, trigram {trigram:.3f}" in shown
    assert project_press.results["18.5"].figures["best_k"] == pytest.approx(trigram)


# The checks that the figures name, by panel and letter: words of the claim, and the values that it compares.
NAMED: list[tuple[str, str, object, object]] = [
    ("18.1 a", "Each row sums to one", True, True),
    ("18.1 b", "words that follow “the” are the nouns", FACTS["18.1"]["checks"][1]["value"], None),
    ("18.1 c", "After “on” comes “the” for certain", 1.0, 1.0),
    ("18.1 d", "same seed", ["the", "bone"], ["the", "bone"]),
    ("18.1 e", "only words|has only words of the corpus", [["the", "bone"], True], None),
    ("18.1 f", "39 transitions", [39, 39], [39, 39]),
    ("18.2 a", "sentence of the corpus is possible", True, True),
    ("18.2 b", "whole sentence has probability 0", 0.0, 0.0),
    ("18.2 c", "as probable as “on the mat”", True, True),
    ("18.2 d", "“Bone” after “the” is possible", True, True),
    ("18.2 e", r"0\.875 are zeros", 0.875, 0.875),
    ("18.2 f", "logarithm of a zero", False, False),
    ("18.3 a", "add-one row still sums to one", True, True),
    ("18.3 b", "gives “sat”, never seen after “the”, some", True, True),
    ("18.3 c", "“sat” one part in 24", [True, 24], [True, 24]),
    ("18.3 d", "“cat” gets less than its share", True, True),
    ("18.3 e", "Without smoothing “sat” has probability 0", 0.0, 0.0),
    ("18.3 f", r"all words within 0\.005 of uniform", [], []),
    ("18.3 g", "k = 0 .* refused", {0.0: "ValueError", -1.0: "ValueError"}, None),
    ("18.4 a", "scores the size of its vocabulary, 12", [12.0, 12.0], [12.0, 12.0]),
    ("18.4 b", "sure of each word that comes scores 1", [1.0, 1.0], [1.0, 1.0]),
    ("18.4 c", "Add-one beats the uniform model on the corpus", True, True),
    ("18.4 d", "Add-one is surprised more by held-out text", True, True),
    ("18.4 e", "Smoothed, the held-out score is not infinite", False, False),
    ("18.4 f", "raw score infinite", [1, math.inf], None),
    ("18.4 g", "Add-one scores both texts above that", True, True),
    ("18.5 a", r"More than 0\.9 of the trigram's contexts", True, True),
    ("18.5 b", "Each of 20 draws is a line of the corpus", [20, []], [20, []]),
    ("18.5 c", r"on its corpus is below 1\.4", True, True),
    ("18.5 d", "longer context scores better on the corpus", True, True),
    ("18.5 e", "Smoothed by add-one, it scores worse", True, True),
    ("18.5 f", "Unsmoothed, it is infinite", True, True),
]

# The corrections that the lesson teaches, each by a check of its own.
TAUGHT: list[tuple[str, str]] = [
    ("18.4", "small moves tried raises the corpus's loss"),
    ("entropy.2", "Each of the other beliefs costs more, and so do random ones"),
    ("entropy.2", "The reason: ln x is below x - 1"),
    ("18.4", "raw score on the corpus is the entropy of the rows"),
    ("18.5", "forced in 32 of 40 steps"),
    ("18.2", "leaves the row of “dog” alone: a table shares nothing"),
    ("18.2", "Vectors that are alike share"),
    ("18.3", "mean of the counted and the uniform row"),
    ("18.3", "After a context never counted the table has no answer"),
    ("18.7", "split into a pair: less perplexity, the same bits per byte"),
    ("18.7", "Only the characters can write a word that was not counted"),
    ("18.7", "By perplexity the characters look better"),
    ("18.2", "a trillion trigrams"),
    ("18.5", "No k tried helps: .* fall back on shorter contexts helps"),
    ("18.3", "A model scored so looks better than with rows that sum to one"),
    ("18.2", "A table of logits shares nothing either: a gradient step"),
    ("18.4", "always asks for the smallest k"),
    ("18.6", "trained long enough, come within 0.01 of the counted perplexity, and not below"),
    ("18.6", "stay uniform in the table; in a network they all move"),
    ("18.6", "Weight decay makes every network beat uniform guessing .*; without it none does"),
    ("18.6", "cross_entropy wants logits: probabilities raise nothing"),
]


def evaluated(text: str) -> object:
    """The value that a check compared, from how it is written."""
    return eval(text, {"__builtins__": {}}, {"inf": math.inf})


def test_a_floor_flatters(project_press: Press) -> None:
    """Seven steps, from <s> to </s>: shares of the counts, `sat` after `fish` the floor; then divided by their rows' sums."""
    counted = more("18.1")["all_counts"]
    floor, size, given, fair = 0.001, expected("18.3")["V"], 0.0, 0.0
    words = ["<s>", "the", "fish", "sat", "on", "the", "log", "</s>"]
    for a, b in itertools.pairwise(words):
        row = counted[a]
        p = max(row.get(b, 0) / sum(row.values()), floor)
        given -= math.log(p)
        fair -= math.log(p / (1 + floor * (size - len(row))))
    steps = len(words) - 1
    shown = f"so: {math.exp(given / steps):.3f}; with rows that sum to one: {math.exp(fair / steps):.3f}"
    assert f"perplexity of “the fish sat on the log” {shown}" in lines(project_press, "18.3")


def test_interpolation_falls_back(project_press: Press) -> None:
    """The mixture from the shares of the counts, by hand; an unseen context leaves it to the shorter one."""
    inputs = FACTS["18.5"]["inputs"]
    rows: dict[tuple[str, ...], list[str]] = {}
    corpus = [["<s>", "<s>", *line.split(), "</s>"] for line in inputs["corpus"]]
    for line in corpus:
        for at in range(2, len(line)):
            for back in range(3):
                rows.setdefault(tuple(line[at - back : at]), []).append(line[at])

    def mixed(word: str, context: tuple[str, ...], weight: float) -> float:
        lower = mixed(word, context[1:], weight) if context else 1 / expected("18.5")["V"]
        if context not in rows:
            return lower
        return weight * rows[context].count(word) / len(rows[context]) + (1 - weight) * lower

    scores = []
    for weight in (0.3, 0.5, 0.7):
        surprises = [
            -math.log(mixed(line[at], tuple(line[at - 2 : at]), weight))
            for line in (["<s>", "<s>", *text.split(), "</s>"] for text in inputs["held_out"])
            for at in range(2, len(line))
        ]
        scores.append(math.exp(sum(surprises) / len(surprises)))
    shown = " ".join(f"{score:.3f}" for score in scores)
    assert f"held out, trigram mixed with shorter contexts: {shown}" in lines(project_press, "18.5")


def the_check(press: Press, ident: str, claim: str) -> Checked:
    checks: tuple[Checked, ...] = press.results[ident].checks
    found = [check for check in checks if re.search(claim, check.claim)]
    assert len(found) == 1, f"{ident}: {[check.claim for check in checks]}"
    return found[0]


def test_thirty_two_checks_are_named() -> None:
    assert len(NAMED) == sum(len(FACTS[ident]["checks"]) for ident in FACTS) == 32


@pytest.mark.parametrize(("name", "claim", "got", "wanted"), NAMED, ids=[name for name, *_ in NAMED])
def test_a_named_check_is_among_the_panels_checks(
    project_press: Press, name: str, claim: str, got: object, wanted: object
) -> None:
    ident, letter = name.split()
    found = the_check(project_press, ident, claim)
    assert found.held
    assert evaluated(found.got) == got
    assert evaluated(found.expected) == (got if wanted is None else wanted)
    fact = FACTS[ident]["checks"]["abcdefg".index(letter)]["value"]
    compared = {"18.1 d", "18.1 e", "18.1 f", "18.3 c", "18.3 f", "18.3 g", "18.4 a", "18.4 b", "18.4 f"}
    compared |= {"18.5 b"}  # the figures say True; the lesson compares the values behind it
    assert name in compared or got == fact, fact


@pytest.mark.parametrize(("ident", "claim"), TAUGHT)
def test_what_the_lesson_corrects_has_a_check_of_its_own(
    project_press: Press, ident: str, claim: str
) -> None:
    assert the_check(project_press, ident, claim).held


def test_a_step_of_training_moves_what_is_alike(project_press: Press) -> None:
    """From scores of 0 one step subtracts guess minus target times how alike the vectors are: 3/4, 0 and -5/4."""
    shown, size = lines(project_press, "18.2"), expected("18.3")["V"]
    gradient = [1 / size - 1] + [1 / size] * (size - 1)
    for likeness, word in {
        0.75: "“dog” (alike)",
        0.0: "“ate” (at right angles)",
        -1.25: "“on” (opposite)",
    }.items():
        terms = [math.exp(-likeness * slope) for slope in gradient]
        assert f"{terms[0] / sum(terms):.3f} after {word}" in shown
    assert f"vectors, a step on “cat”: p(</s>) goes from {1 / size:.3f} to" in shown


def test_the_figures_are_those_of_the_independent_computation(project_press: Press) -> None:
    figures: dict[str, Any] = {ident: project_press.results[ident].figures for ident in PANELS}
    rows = figures["18.1"]["next_words"][0]
    assert rows["context"] == "after “the”"
    assert rows["rows"] == [
        [row["word"], pytest.approx(row["p"]), row["count"]] for row in expected("18.1")["after_the"]
    ]
    two, many = figures["18.2"], more("18.2")
    assert (two["possible"], two["seen"], two["zeros"]) == (144, 18, expected("18.2")["zero_fraction"])
    assert two["reachable_zeros"] == pytest.approx(many["zero_fraction_of_reachable_cells"])
    assert many["exact_probability"] == f"1/{two['one_in']}"
    assert (two["pairs"], two["trigrams"]) == (
        many["ten_thousand_words"]["pairs"],
        many["ten_thousand_words"]["triples"],
    )
    assert figures["18.3"]["spent"] == pytest.approx(more("18.3")["mass_on_never_seen_followers_k_1"])
    table = {row["k"]: row for row in expected("18.3")["table"]}
    assert figures["18.3"]["add_one_cat"] == pytest.approx(table[1.0]["cat"])
    four, scores = figures["18.4"], expected("18.4")
    assert four["add_one"] == pytest.approx(scores["bigram k=1"]["corpus"])
    assert four["add_one_held"] == pytest.approx(scores["bigram k=1"]["held_out"])
    assert four["raw"] == pytest.approx(scores["bigram unsmoothed"]["corpus"])
    on_corpus, on_held = (dict(series["points"]) for series in four["curves"]["series"])
    for k, score in more("18.4")["corpus_by_k"].items():
        assert near(on_corpus, float(k)) == pytest.approx(score)
    for k, score in more("18.4")["held_out_by_k"].items():
        assert near(on_held, float(k)) == pytest.approx(score)
    best = min(on_held, key=lambda k: on_held[k])
    assert best == pytest.approx(more("18.4")["best_k_on_held_out_log_grid"])
    assert on_held[best] == pytest.approx(more("18.4")["best_held_out_perplexity"])
    five, perplexity = figures["18.5"], expected("18.5")["perplexity"]
    assert (five["forced"], five["steps"]) == (more("18.5")["positions_forced"], 40)
    assert five["raw"] == pytest.approx(perplexity["trigram k=0"]["corpus"])
    assert five["trigram_held"] == pytest.approx(perplexity["trigram k=1"]["held_out"])
    assert five["bigram_held"] == pytest.approx(perplexity["bigram k=1"]["held_out"])


def test_the_real_table_learns_what_a_plain_one_does(project_press: Press) -> None:
    """Panel 18.6: three pairs share the mean loss, so a row moves by a third of the rate times guess minus target."""
    size, steps, rate = expected("18.3")["V"], 200, 0.1
    target = other = loss = first = 0.0
    for step in range(steps):
        total = math.exp(target) + (size - 1) * math.exp(other)
        loss = math.log(total) - target
        first = first if step else loss
        target -= rate / 3 * (math.exp(target) / total - 1)
        other -= rate / 3 * math.exp(other) / total
    sure = math.exp(target) / (math.exp(target) + (size - 1) * math.exp(other))
    shown = lines(project_press, "18.6")
    assert f"3 pairs of {size} words, {steps} steps at rate {rate}:" in shown
    assert f"loss {first:.4f} to {loss:.4f}, perplexity {math.exp(loss):.4f}, targets {sure:.4f}" in shown
    scores = expected("18.4")
    both = " and ".join(f"{scores['bigram k=1'][text]:.6f}" for text in ("corpus", "held_out"))
    assert f"add-one: ours {both}, exp(cross_entropy) {both}" in shown


def near(points: dict[float, float], x: float) -> float:
    """The value of the one point that is at x but for rounding."""
    [found] = [y for at, y in points.items() if math.isclose(at, x)]
    return found


def test_bits_per_byte_are_those_of_the_perplexity(project_press: Press) -> None:
    """The words of panel 18.7 are the held-out text of panel 18.4: 20 tokens, and 68 bytes with the ends of lines."""
    held = FACTS["18.4"]["inputs"]["held_out"]
    size = len("".join(f"{line}\n" for line in held).encode())
    bits = more("18.4")["N_held_out"] * math.log2(expected("18.4")["bigram k=1"]["held_out"]) / size
    assert project_press.results["18.7"].figures["words_bits"] == pytest.approx(bits)
    assert f"bytes held out: {size}" in lines(project_press, "18.7")
