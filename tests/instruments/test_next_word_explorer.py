"""The next-word explorer shows what the panels of lesson 18 print, and what the independent figures say."""

import json
import math
import random
from typing import Any

import pytest

from coursebuild.instruments import corpora, next_word_explorer
from coursebuild.instruments.parameters import read, start_of
from nextword.ngram import END, START, MaximumLikelihood, count_ngrams, sentence_probability, vocabulary_of

from .panels import ROOT, approved
from .shown import Shown, read_picture, texts
from .states_next_word_explorer import state as random_state

pytestmark = pytest.mark.once

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-18.json").read_text("utf-8"))
DATA = next_word_explorer.data()
COUNTED = "maximum-likelihood"


def view(**changes: Any) -> dict[str, Any]:
    return next_word_explorer.view(DATA, start_of(next_word_explorer.PARAMETERS) | changes)


def allowed_views(count: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    rng = random.Random(18)
    found = []
    while len(found) < count:
        state = random_state(DATA, rng)
        try:
            found.append((state, next_word_explorer.view(DATA, state)))
        except ValueError:
            continue
    return found


def test_it_begins_with_the_scores_and_curves_of_the_panel() -> None:
    shown, figures = view(), approved("18.4")[1]
    wanted = FACTS["18.4"]["expected"]["bigram k=1"]
    assert shown["perplexity"] == pytest.approx([wanted["corpus"], wanted["held_out"]], rel=1e-12)
    assert shown["perplexity"] == pytest.approx([figures["add_one"], figures["add_one_held"]], rel=1e-9)
    for which, series in zip(("training", "held"), figures["curves"]["series"], strict=True):
        points = zip(DATA["grids"]["k"], shown["curve"][which], strict=True)
        assert [list(point) for point in points] == [
            pytest.approx(point, rel=1e-8) for point in series["points"]
        ]
    best = FACTS["18.4"]["not_in_source"]
    assert DATA["grids"]["k"][shown["curve"]["lowest"]] == pytest.approx(best["best_k_on_held_out_log_grid"])
    assert shown["curve"]["held"][shown["curve"]["lowest"]] == pytest.approx(best["best_held_out_perplexity"])


@pytest.mark.parametrize("row", FACTS["18.3"]["expected"]["table"], ids=lambda row: str(row["k"]))
def test_the_row_after_the_is_that_of_panel_18_3(row: dict[str, Any]) -> None:
    shown = view(k=row["k"])
    after = dict(zip(shown["vocabulary"], shown["next"]["probabilities"], strict=True))
    assert {word: after[word] for word in ("cat", "fish", "sat")} == pytest.approx(
        {word: row[word] for word in ("cat", "fish", "sat")}
    )
    assert shown["next"]["total"] == 12


def test_without_smoothing_it_writes_the_sentences_of_panel_18_1() -> None:
    shown = view(smoother=COUNTED)
    wanted = FACTS["18.1"]["expected"]
    assert [" ".join(sentence) for sentence in shown["drawn"]] == wanted["generated_seed_42"]
    assert shown["recited"] == [False for _ in shown["drawn"]]
    row = zip(shown["vocabulary"], shown["next"]["counts"], shown["next"]["probabilities"], strict=True)
    seen = {word: (count, p) for word, count, p in row if count}
    assert seen == {one["word"]: (one["count"], pytest.approx(one["p"])) for one in wanted["after_the"]}


def test_one_pair_never_counted_makes_the_score_infinite() -> None:
    shown = view(smoother=COUNTED)
    assert shown["perplexity"] == [
        pytest.approx(FACTS["18.4"]["expected"]["bigram unsmoothed"]["corpus"]),
        None,
    ]
    assert shown["impossible"] == [
        [],
        [" ".join(pair) for pair in FACTS["18.4"]["not_in_source"]["held_out_unseen_pairs"]],
    ]
    assert shown["curve"] is None
    told = next_word_explorer.picture(
        DATA, start_of(next_word_explorer.PARAMETERS) | {"smoother": COUNTED}, shown
    )
    assert "held-out text infinite, for the model holds “fish sat” impossible" in told


@pytest.mark.parametrize(("order", "name"), [("2", "bigram"), ("3", "trigram")])
def test_the_unrelated_lines_score_as_in_panel_18_5(order: str, name: str) -> None:
    wanted = FACTS["18.5"]["expected"]["perplexity"]
    smoothed = view(text="unrelated", sentence="", order=order)
    assert smoothed["perplexity"] == pytest.approx(
        [wanted[f"{name} k=1"]["corpus"], wanted[f"{name} k=1"]["held_out"]]
    )
    counted = view(text="unrelated", sentence="", order=order, smoother=COUNTED)
    assert counted["perplexity"] == [pytest.approx(wanted[f"{name} k=0"]["corpus"]), None]
    figures = approved("18.5")[1]
    assert len(counted["impossible"][1]) == len(set(counted["impossible"][1])) <= figures[f"new_{name}s"]


def test_the_unsmoothed_trigram_of_unrelated_lines_recites() -> None:
    for seed in range(20):
        assert all(view(text="unrelated", sentence="", order="3", smoother=COUNTED, seed=seed)["recited"])


def test_interpolation_scores_as_in_panel_18_5() -> None:
    shown = view(text="unrelated", sentence="", order="3", smoother="interpolation", weight=0.7)
    assert shown["perplexity"][1] == pytest.approx(approved("18.5")[1]["mixed"])


@pytest.mark.parametrize("line", FACTS["18.2"]["inputs"]["sentences"])
def test_a_whole_sentence_is_as_probable_as_in_panel_18_2(line: str) -> None:
    shown = view(smoother=COUNTED, sentence=f"{line} {END}")
    assert shown["next"] is None
    assert shown["product"] == pytest.approx(FACTS["18.2"]["expected"]["sentence_probability"][line])
    training = [text.split() for text in corpora.LINES]
    model = MaximumLikelihood(count_ngrams(training, 2), vocabulary_of(training))
    assert shown["product"] == sentence_probability(model, line.split())


def test_a_context_that_never_came_is_told_as_the_library_tells_it() -> None:
    shown = view(smoother=COUNTED, order="3", sentence="on mat the")
    assert shown["next"]["probabilities"] is None and shown["next"]["counted"] is None
    assert shown["next"]["told"] == "context must be one that was counted, not ('mat', 'the')"
    assert shown["next"]["endings"] == [
        {"context": ["mat", "the"], "total": 0, "different": 0},
        {"context": ["the"], "total": 12, "different": 6},
        {"context": [], "total": 39, "different": 11},
    ]
    uniform = view(order="3", sentence="on mat the")["next"]["probabilities"]
    assert uniform == pytest.approx([1 / 12 for _ in range(12)])


@pytest.mark.parametrize(
    "sentence", [START, f"the {START}", f"{END} the", "zebra", "The", "the  cat", " ", "the " * 40 + "the"]
)
def test_what_is_no_beginning_of_a_sentence_is_refused(sentence: str) -> None:
    with pytest.raises(ValueError, match=r"sentence|token"):
        view(sentence=sentence)


def test_probabilities_sum_to_one_and_only_counting_has_none() -> None:
    for state, shown in allowed_views(300):
        following = shown["next"]
        if following is None:
            assert shown["words"][-1] == END
        elif following["probabilities"] is None:
            assert state["smoother"] == COUNTED and following["total"] == 0
        else:
            assert math.fsum(following["probabilities"]) == pytest.approx(1)
        if following and following["counted"]:
            assert [round(following["total"] * p) for p in following["counted"]] == following["counts"]


def test_favourites_are_the_largest_and_equals_stand_together() -> None:
    assert view(smoother="interpolation", weight=0.0)["next"]["favourites"] == [list(range(12))]
    assert view(order="3", sentence="on mat the")["next"]["favourites"] == [list(range(12))]
    first = view()
    assert [first["vocabulary"][place] for place in first["next"]["favourites"][0]] == ["cat", "dog"]
    for _, shown in allowed_views(300):
        if not (shown["next"] and shown["next"]["probabilities"]):
            continue
        chances, groups = shown["next"]["probabilities"], shown["next"]["favourites"]
        told = [place for places in groups for place in places]
        assert len(told) == len(set(told)) and 1 <= len(groups) <= 3
        levels = [chances[places[0]] for places in groups]
        assert levels == sorted(levels, reverse=True) and levels[0] == pytest.approx(max(chances))
        for level, places in zip(levels, groups, strict=True):
            assert level > 0
            assert places == [place for place, p in enumerate(chances) if p == pytest.approx(level, rel=1e-8)]


@pytest.mark.parametrize("text", list(DATA["texts"]))
def test_a_link_can_hold_as_many_words_as_are_allowed(text: str) -> None:
    longest = max(" ".join(DATA["texts"][text]["training"]).split(), key=len)
    sentence = "+".join(longest for _ in range(DATA["longest"]))
    state = read(next_word_explorer.PARAMETERS, f"text={text}&sentence={sentence}")
    assert len(next_word_explorer.view(DATA, state)["words"]) == DATA["longest"]
    with pytest.raises(ValueError, match="40 words"):
        view(text=text, sentence=f"{state['sentence']} a")


def test_the_picture_calls_things_as_the_script_does() -> None:
    state = start_of(next_word_explorer.PARAMETERS) | {"smoother": "interpolation"}
    told = next_word_explorer.picture(DATA, state, next_word_explorer.view(DATA, state))
    for words in (
        "Next word after “the”",
        "a guess among all 12",
        "solid: training text",
        "at weight of each order",
    ):
        assert words in told


def test_the_curve_goes_through_the_present_score() -> None:
    for state, shown in allowed_views(300):
        name = shown["setting"]
        if name and state[name] in DATA["grids"][name]:
            place = DATA["grids"][name].index(state[name])
            assert shown["perplexity"] == pytest.approx(
                [shown["curve"]["training"][place], shown["curve"]["held"][place]]
            )


def test_smoothed_scores_are_finite_and_the_training_text_prefers_little_smoothing() -> None:
    for state, shown in allowed_views(300):
        if state["smoother"] != COUNTED:
            assert None not in shown["perplexity"] and shown["impossible"] == [[], []]
        if state["smoother"] == "add-k":
            assert shown["curve"]["training"] == sorted(shown["curve"]["training"])


def picture(**changes: Any) -> Shown:
    state = start_of(next_word_explorer.PARAMETERS) | changes
    return read_picture(next_word_explorer.picture(DATA, state, next_word_explorer.view(DATA, state)))


def test_the_picture_of_the_start_has_the_row_and_the_scores_of_the_panels() -> None:
    """After “the” came 12 words of a vocabulary of 12, so with k = 1 a count of n has the probability (n + 1) / 24."""
    found = picture()
    caption = "Next word after “the”, counted 12 times"
    counts = FACTS["18.1"]["not_in_source"]["all_counts"]["the"]
    assert found.tables[caption] == [
        ["Word", "Count", "Probability", ""],
        *(
            [
                word,
                str(n),
                f"{(n + 1) / 24:.4f}",
                f"[{100 * (n + 1) / 24 / 0.25:.4g}]",
            ]  # cat was counted 3 / 12
            for word, n in ((word, counts.get(word, 0)) for word in FACTS["18.2"]["expected"]["vocabulary"])
        ),
    ]
    score, best = FACTS["18.4"]["expected"]["bigram k=1"], FACTS["18.4"]["not_in_source"]
    assert found.lines["Perplexity with k = 1:"] == (
        f"training text {score['corpus']:.3f}; held-out text {score['held_out']:.3f}"
    )
    lowest = f"{best['best_held_out_perplexity']:.3f} at k = {best['best_k_on_held_out_log_grid']:.3g}"
    assert found.lines["Curves:"] == f"dashed: held-out text, lowest {lowest} (ringed); solid: training text"
    assert found.order == [
        caption,
        "Perplexity with k = 1:",
        "svg",
        "Curves:",
        "Sentences drawn with seed 42:",
    ]
    [drawing] = found.drawings
    assert texts(drawing) == [
        *("1", "2", "5", "10", "a guess among all 12"),
        *("0.001", "0.01", "0.1", "1", "10", "100", "k"),
    ]
    assert drawing[1].text == f"Lowest on the held-out text: {lowest}"


def test_the_picture_without_smoothing_draws_the_sentences_of_panel_18_1() -> None:
    found = picture(smoother=COUNTED)
    assert found.lines["Sentences drawn with seed 42:"] == " / ".join(
        FACTS["18.1"]["expected"]["generated_seed_42"]
    )
    assert found.order == [
        "Next word after “the”, counted 12 times",
        "Perplexity:",
        "Sentences drawn with seed 42:",
    ]


def test_the_picture_tells_where_the_model_has_no_answer() -> None:
    found = picture(smoother=COUNTED, order="3", sentence="on mat the")
    rows = found.tables["Next word after “mat the”, counted 0 times"]
    assert {tuple(row[1:]) for row in rows[1:]} == {("0", "none", "[0]")}
    assert found.lines["The model has no answer:"] == (
        "context must be one that was counted, not ('mat', 'the')"
    )
    ended = picture(sentence=f"the cat {END}")
    assert ended.tables == {}
