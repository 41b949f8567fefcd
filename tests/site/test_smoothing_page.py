"""The page on smoothing: its panels' values against ones counted and worked out here, without nextword.ngram."""

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction

import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import checked, figures, lines
from .test_budgets import main_text, words

pytestmark = pytest.mark.once

PAGE = "docs/further/smoothing.md"
IDENTS = [f"smoothing.{number}" for number in range(1, 6)]
MOST_WORDS = 1_250
BEFORE, AFTER = "\x02", "\x03"  # the markers, as characters that no play has
ORDERS = range(1, 7)
NAMES = ("add-k", "interpolation", "discounting", "Kneser-Ney")
TENTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
GRIDS = {
    "add-k": (0.001, 0.01, 0.1, 1.0),
    "interpolation": TENTHS,
    "discounting": TENTHS,
    "Kneser-Ney": TENTHS,
}


@functools.cache
def plays() -> dict[str, list[str]]:
    """The speeches of each play, in the order of the file."""
    text = (ROOT / "docs" / "assets" / "data" / "shakespeare.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (.*)\n", text, flags=re.MULTILINE)
    return {title: body.strip().split("\n\n") for title, body in zip(parts[::2], parts[1::2], strict=True)}


def develop() -> list[str]:
    return plays()["Julius Caesar"][::18]


def final() -> list[str]:
    return plays()["Antony and Cleopatra"][::5]


def training() -> list[str]:
    aside = ("Julius Caesar", "Antony and Cleopatra")
    return [speech for title, play in plays().items() if title not in aside for speech in play]


def test_the_panels_stand_on_the_page_in_order_and_hold(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == IDENTS
    assert not [fault for ident in IDENTS for fault in project_press.results[ident].faults]
    assert not [fault for fault in project_press.faults if fault.path == PAGE]


def test_the_text_is_short(project_press: Press) -> None:
    assert words(main_text(project_press.pages[PAGE])) <= MOST_WORDS


def test_the_page_names_what_it_builds_on_and_what_a_project_uses() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    for needed in ("lessons/18-next-word.md", "KenLM", "Chen and Goodman (1999)", "Church and Gale (1991)"):
        assert needed in text
    for source in ("Brants", "Heafield (2011)", "Jelinek and Mercer (1980)", "Kneser and Ney (1995)"):
        assert re.search(rf"^- {re.escape(source)}", text.split("## Sources")[1], re.MULTILINE), source


# The small corpus, by hand -------------------------------------------------------------------------------

HALF = Fraction(1, 2)
UNIGRAM = HALF * Fraction(1, 12)  # the part of 1 / V in an interpolated unigram
FRANCISCO, GLASS, END = (UNIGRAM + HALF * Fraction(count, 22) for count in (3, 2, 6))
SMALL = {
    "add-k": (Fraction(1, 14), Fraction(1, 14), Fraction(11, 18), Fraction(11, 14)),
    "interpolation": (HALF * FRANCISCO, HALF * GLASS, HALF * (1 - FRANCISCO), HALF * (1 - END)),
    # all 12 words came, so the unigrams are (c - D) / (22 - 6); </s>, the only one after reading, has 11 / 32
    "discounting": (Fraction(5, 42), Fraction(1, 14), Fraction(1, 6), HALF),
    # 17 different pairs; francisco 1, glass 2 and </s> 3 of them; each word gets D * 12 / 17 / 12 on top
    "Kneser-Ney": (
        Fraction(1, 34),
        Fraction(2, 34),
        Fraction(1, 6) * (1 - Fraction(1, 17)),
        HALF * Fraction(14, 17),
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_of_the_small_corpus_are_those_worked_out_by_hand(project_press: Press, name: str) -> None:
    ident = "smoothing.1" if name in NAMES[:2] else "smoothing.3"
    row = " ".join(f"{float(share):.4f}" for share in SMALL[name])
    assert f"{name} {row}" in lines(project_press, ident)


def test_stupid_backoff_sums_to_more_than_one(project_press: Press) -> None:
    shown = lines(project_press, "smoothing.5")
    for word, left in {"san": Fraction(19, 22), "reading": Fraction(16, 22)}.items():
        assert f"{word} {float(1 + Fraction(2, 5) * left):.3f} 1.000" in shown
    assert checked(project_press, "smoothing.5", "Kneser-Ney sums to one") == [1.0, 1.0]


# The experiments on the plays -----------------------------------------------------------------------------


def test_held_out_counts_are_those_counted_here(project_press: Press) -> None:
    parts, sizes = (Counter[str](), Counter[str]()), [0, 0]
    for speech in training():
        behind = 0 if sizes[0] <= sizes[1] else 1
        marked = BEFORE * 5 + speech + AFTER
        parts[behind].update(marked[at : at + 6] for at in range(len(speech) + 1))
        sizes[behind] += len(speech) + 1
    seen, held_out = parts
    shown, named = lines(project_press, "smoothing.2"), figures(project_press, "smoothing.2")
    assert f"characters in each part: {sizes[0]} {sizes[1]}" in shown
    gaps = {}
    for r in range(1, 10):
        came = [held_out[ngram] for ngram, count in seen.items() if count == r]
        gaps[r] = r - sum(came) / len(came)
        assert f"{r} {len(came)} {r - gaps[r]:.2f} {gaps[r]:.2f}" in shown
    assert named["least"] == pytest.approx(min(gaps.values()))
    assert named["largest"] == pytest.approx(max(gaps.values()))
    once, twice = (sum(count == r for count in seen.values()) for r in (1, 2))
    assert named["estimate"] == pytest.approx(once / (once + 2 * twice))
    known = sum(count for ngram, count in held_out.items() if ngram in seen)
    assert named["new"] == pytest.approx(1 - known / held_out.total())
    assert f"of the held-out part's runs of 6, {named['new']:.1%} were never seen" in shown


def test_a_word_that_came_after_one_word_only_is_in_the_plays(project_press: Press) -> None:
    before: dict[str, list[str]] = defaultdict(list)
    for speech in training():
        tokens = speech.split()
        for left, word in zip(["", *tokens], tokens, strict=False):
            before[word].append(left)
    assert set(before["CLAUDIUS"]) == {"KING"}
    single = {word: len(lefts) for word, lefts in before.items() if len(set(lefts)) == 1 and "" not in lefts}
    assert max(single, key=lambda word: single[word]) == "CLAUDIUS"
    assert {word for word, lefts in before.items() if len(lefts) == single["CLAUDIUS"]} == {"CLAUDIUS", "any"}
    shown = lines(project_press, "smoothing.3")
    for word in ("CLAUDIUS", "any"):
        assert any(line.startswith(f"{word} {len(before[word])} {len(set(before[word]))} ") for line in shown)
    named = figures(project_press, "smoothing.3")
    places = len(set(before["any"]))
    assert (named["seen"], named["claudius"], named["any"]) == (single["CLAUDIUS"], 1, places)


# The large table ------------------------------------------------------------------------------------------


class Plain:
    """The four smoothers straight from their formulas, on contexts and characters that are strings."""

    def __init__(self, speeches: list[str]) -> None:
        self.rows: list[dict[str, Counter[str]]] = []
        for order in ORDERS:
            rows: dict[str, Counter[str]] = defaultdict(Counter)
            ngrams = Counter[str]()
            for speech in speeches:
                marked = BEFORE * (order - 1) + speech + AFTER
                ngrams.update(marked[at : at + order] for at in range(len(speech) + 1))
            for ngram, count in ngrams.items():
                rows[ngram[:-1]][ngram[-1]] = count
            self.rows.append(dict(rows))
        self.places: list[dict[str, Counter[str]]] = []
        for shorter, longer in zip(self.rows, self.rows[1:], strict=False):
            rows = defaultdict(Counter)
            for context, row in longer.items():
                rows[context[1:]].update(row.keys())
            self.places.append({c: shorter[c] if c.startswith(BEFORE) else rows[c] for c in shorter})
        self.letters = set(self.rows[0][""])

    def model(self, name: str, order: int, setting: float) -> Callable[[str, str], float]:
        size = len(self.letters)
        tables = self.rows[:order]
        if name == "Kneser-Ney":
            tables = [*self.places[: order - 1], self.rows[order - 1]]

        @functools.cache
        def total(context: str) -> int:
            return tables[len(context)][context].total()

        @functools.cache
        def unseen(context: str, row: frozenset[str]) -> float:
            return math.fsum(shorter(w, context) for w in self.letters - row)

        def shorter(w: str, context: str) -> float:
            return p(w, context[1:]) if context else 1 / size

        @functools.cache
        def p(w: str, context: str) -> float:
            row = tables[len(context)].get(context)
            if name == "add-k":
                return ((row or {}).get(w, 0) + setting) / ((total(context) if row else 0) + setting * size)
            if not row:
                return shorter(w, context)
            count, all_of = row.get(w, 0), total(context)
            if name == "interpolation":
                return setting * count / all_of + (1 - setting) * shorter(w, context)
            if name == "Kneser-Ney":
                freed = setting * len(row) / all_of
                return max(count - setting, 0) / all_of + freed * shorter(w, context)
            if len(row) == size:
                return (count - setting) / (all_of - setting * size)
            if count:
                return (count - setting) / all_of
            return setting * len(row) / all_of * shorter(w, context) / unseen(context, frozenset(row))

        return p


@pytest.fixture(scope="module")
def plain() -> Plain:
    return Plain(training())


def bits(p: Callable[[str, str], float], order: int, speeches: list[str]) -> float:
    steps = Counter[tuple[str, str]]()
    for speech in speeches:
        marked = BEFORE * (order - 1) + speech + AFTER
        steps.update((marked[at + order - 1], marked[at : at + order - 1]) for at in range(len(speech) + 1))
    surprise = math.fsum(-n * math.log2(p(*step)) for step, n in steps.items())
    return surprise / sum(len(speech) + 2 for speech in speeches)


def table(press: Press) -> dict[tuple[str, int], tuple[float, float]]:
    """What the panel prints: the bits and, in brackets, the setting."""
    found = {}
    for line in lines(press, "smoothing.4"):
        if re.match(r"[1-6] (\d\.\d+|inf) ", line):
            order, _, *pairs = line.split(" ")
            for name, score, setting in zip(NAMES, pairs[::2], pairs[1::2], strict=True):
                found[name, int(order)] = (float(score), float(setting.strip("()")))
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_the_scores_are_those_of_the_formulas(project_press: Press, plain: Plain, order: int) -> None:
    for name in NAMES:
        score, setting = table(project_press)[name, order]
        assert score == pytest.approx(bits(plain.model(name, order, setting), order, final()), abs=6e-4), name


@pytest.mark.parametrize("name", NAMES)
def test_the_settings_are_the_best_on_the_development_text(
    project_press: Press, plain: Plain, name: str
) -> None:
    for order in (3, 6):  # at order 1 all settings are alike
        found = {
            setting: bits(plain.model(name, order, setting), order, develop()) for setting in GRIDS[name]
        }
        assert table(project_press)[name, order][1] == min(found, key=lambda setting: found[setting])


def test_the_order_of_the_smoothers(project_press: Press) -> None:
    shown = {key: score for key, (score, _) in table(project_press).items()}
    winners = {order: min(NAMES, key=lambda name: shown[name, order]) for order in ORDERS[1:]}
    assert winners == checked(project_press, "smoothing.4", "Kneser-Ney wins from order 4 on")
    assert min(ORDERS, key=lambda order: shown["add-k", order]) == 4
    raw = [
        line.split(" ")[1] for line in lines(project_press, "smoothing.4") if re.match(r"[1-6] \S+ \d", line)
    ]
    assert raw == [f"{shown['Kneser-Ney', 1]:.3f}", *["inf"] * 5]
    curves = figures(project_press, "smoothing.4")["curves"]["series"]
    assert {(one["name"], x): y for one in curves for x, y in one["points"]} == shown


def test_the_orders_that_the_development_text_likes_best(project_press: Press, plain: Plain) -> None:
    shown = table(project_press)
    best: dict[int, list[float]] = defaultdict(list)  # of each order, in the order of NAMES
    row = next(line for line in lines(project_press, "smoothing.4") if line.startswith("best order "))
    for name, tested, developed in zip(
        NAMES, *zip(*re.findall(r"(\d) \(develop (\d)\)", row), strict=True), strict=True
    ):
        assert int(tested) == min(ORDERS, key=lambda order: shown[name, order][0]), name
        found = {
            order: bits(plain.model(name, order, shown[name, order][1]), order, develop()) for order in ORDERS
        }
        assert int(developed) == min(ORDERS, key=lambda order: found[order]), name
        for order in ORDERS:
            best[order].append(found[order])
    for order in ORDERS[1:]:
        winner = NAMES[best[order].index(min(best[order]))]
        assert winner == min(NAMES, key=lambda name: shown[name, order][0])
        scores = dict(zip(NAMES, best[order], strict=True))
        assert (scores["discounting"] > scores["interpolation"]) == (order >= 3)
    assert figures(project_press, "smoothing.4")["developing"] == pytest.approx(best[6][3])


def test_continuation_counts_are_what_makes_kneser_ney_good(project_press: Press, plain: Plain) -> None:
    named = figures(project_press, "smoothing.4")
    plain_below = Plain.__new__(Plain)
    plain_below.rows, plain_below.places, plain_below.letters = plain.rows, plain.rows, plain.letters
    models = {discount: plain_below.model("Kneser-Ney", 6, discount) for discount in TENTHS}
    found = {discount: bits(model, 6, develop()) for discount, model in models.items()}
    assert named["discount"] == min(found, key=lambda discount: found[discount])
    assert named["without"] == pytest.approx(bits(models[named["discount"]], 6, final()))
    around = []  # what stood before and after each th, markers too
    for speech in training():
        marked = f"{BEFORE}{speech}{AFTER}"
        around += [
            (marked[at - 1], marked[at + 2]) for at in range(len(marked)) if marked[at : at + 2] == "th"
        ]
    assert (named["th"], named["th_places"]) == (len(around), len(set(around)))
    after = len({right for _, right in around})
    assert named["th_freed"] == pytest.approx(named["discount"] * after / len(around))
    assert named["th_freed_places"] == pytest.approx(named["discount"] * after / len(set(around)))


def test_how_far_apart_they_are_and_how_many_settings_stand_at_an_end(project_press: Press) -> None:
    named, shown = figures(project_press, "smoothing.4"), table(project_press)
    for order, spread in {2: named["low_spread"], 6: named["top_spread"]}.items():
        scores = [shown[name, order][0] for name in NAMES]
        assert spread == pytest.approx(max(scores) - min(scores), abs=1.1e-3)
    settings = [(name, shown[name, order][1]) for name in NAMES for order in ORDERS[1:]]
    assert named["settings"] == len(settings)
    assert named["ends"] == sum(setting in (GRIDS[name][0], GRIDS[name][-1]) for name, setting in settings)


def test_add_one_and_a_character_that_no_training_play_has(project_press: Press, plain: Plain) -> None:
    add_one = bits(plain.model("add-k", 6, 1.0), 6, final())
    assert figures(project_press, "smoothing.4")["add_one"] == pytest.approx(add_one)
    used = {letter for part in (develop(), final()) for speech in part for letter in speech}
    assert used <= plain.letters
    assert checked(project_press, "smoothing.4", "outside them is refused") == "ValueError"
