"""The next-word explorer: a sentence written word by word, and what a model made of counts expects next.

Beside it the perplexity of the training text and of held-out text over the smoother's parameter, and sentences drawn.
"""

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from coursebuild.drawings.svg import GRID, INK, INK_2, LINE, SERIES, Canvas
from coursebuild.instruments import corpora
from coursebuild.instruments.parameters import Choice, Flag, Number, Parameter, State, Text, Whole
from coursebuild.instruments.pictures import bar, row, table, text
from nextword.entropy import perplexity
from nextword.ngram import (
    END,
    START,
    AbsoluteDiscounting,
    AddK,
    Counts,
    Interpolation,
    KneserNey,
    MaximumLikelihood,
    NgramModel,
    UnseenContext,
    generate_sentence,
    token_probabilities,
    transitions,
    vocabulary_of,
)

TITLE = "Next-word explorer"
SHOWS = (
    "nextword.ngram.MaximumLikelihood",
    "nextword.ngram.AddK",
    "nextword.ngram.Interpolation",
    "nextword.ngram.AbsoluteDiscounting",
    "nextword.ngram.KneserNey",
    "nextword.ngram.token_probabilities",
    "nextword.ngram.generate_sentence",
    "nextword.entropy.perplexity",
)
Sentences = tuple[tuple[str, ...], ...]
HIGHEST = 3
LONGEST = 40
SENTENCES = 6
LIMIT = 12
FAVOURITES = 3
"""So many probabilities, from the largest down, are told with the words that share them."""

NOISE = 1e-9
"""By such a share scores and probabilities may differ that are the same but for rounding."""

WIDTH, HEIGHT = 320, 190
FIELD = {"left": 34, "right": 312, "top": 8, "bottom": 162}
"""The curve's picture, in its own units, and the field in which its lines run."""

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

TEXTS = {
    "lesson": (corpora.LINES, corpora.HELD_OUT),
    "unrelated": (corpora.UNRELATED_LINES, corpora.UNRELATED_HELD_OUT),
}
LONGEST_TEXT = LONGEST * max(
    len(f"{word} ") for lines, _ in TEXTS.values() for line in lines for word in [*line.split(), END]
)
"""So many characters has no sentence of as many words as are allowed."""

GRIDS = {
    "k": [10 ** (n / 4) for n in range(-12, 9)],
    "weight": [n / 20 for n in range(20)] + [0.99],
    "discount": [0.01] + [n / 20 for n in range(1, 20)] + [0.99],
}
"""Where the curve over each parameter has its points; those of k are panel 18.4's."""

SETTINGS = {
    "add-k": "k",
    "interpolation": "weight",
    "absolute-discounting": "discount",
    "kneser-ney": "discount",
}
"""The parameter of each smoother; maximum likelihood has none."""

PARAMETERS: tuple[Parameter, ...] = (
    Text(name="sentence", label="Sentence so far", start="the", longest=LONGEST_TEXT),
    Choice(
        name="text",
        label="Training text",
        start="lesson",
        choices=(("lesson", "Lines on a cat and a dog"), ("unrelated", "Unrelated lines")),
    ),
    Choice(
        name="order",
        label="Order",
        start="2",
        choices=(("1", "1: unigram"), ("2", "2: bigram"), ("3", "3: trigram")),
    ),
    Choice(
        name="smoother",
        label="Smoothing",
        start="add-k",
        choices=(
            ("maximum-likelihood", "None: maximum likelihood"),
            ("add-k", "Add-k"),
            ("interpolation", "Interpolation"),
            ("absolute-discounting", "Absolute discounting"),
            ("kneser-ney", "Kneser-Ney"),
        ),
    ),
    Number(name="k", label="k", start=1, least=0.001, most=100, scale="log"),
    Number(name="weight", label="Weight of each order", start=0.5, least=0, most=0.99),
    Number(name="discount", label="Discount", start=0.75, least=0.01, most=0.99),
    Flag(
        name="start_marker",
        label=f"Give {START} a share, though it never follows a word in the training text",
        start=True,
    ),
    Whole(name="seed", label="Seed", start=42, least=0, most=4294967295),
)


def data() -> dict[str, Any]:
    """The texts, and where the curves have their points."""
    return {
        "texts": {name: {"training": lines, "held": held} for name, (lines, held) in TEXTS.items()},
        "grids": GRIDS,
        "settings": SETTINGS,
        "longest": LONGEST,
        "sentences": SENTENCES,
        "limit": LIMIT,
    }


@cache
def _sentences(lines: tuple[str, ...]) -> Sentences:
    return tuple(tuple(line.split()) for line in lines)


@cache
def _counts(training: Sentences) -> Counts:
    return Counts(training, HIGHEST)


def _model(training: Sentences, state: State, setting: float) -> NgramModel:
    """The model of a state, with the parameter of its smoother set so."""
    counts, order = _counts(training), int(state["order"])
    vocabulary = vocabulary_of(training, markers=state["start_marker"])
    make: dict[str, Callable[[], NgramModel]] = {
        "maximum-likelihood": lambda: MaximumLikelihood(counts.table(order), vocabulary),
        "add-k": lambda: AddK(counts.table(order), vocabulary, setting),
        "interpolation": lambda: Interpolation(counts, order, vocabulary, setting),
        "absolute-discounting": lambda: AbsoluteDiscounting(counts, order, vocabulary, setting),
        "kneser-ney": lambda: KneserNey(counts, order, vocabulary, setting),
    }
    return make[state["smoother"]]()


def _setting(state: State) -> str | None:
    return SETTINGS.get(state["smoother"])


def _score(model: NgramModel, sentences: Sentences) -> float | None:
    """The perplexity of a text, None where it is infinite."""
    found = perplexity(token_probabilities(model, sentences))
    return found if math.isfinite(found) else None


def _impossible(model: NgramModel, sentences: Sentences) -> list[str]:
    """The n-grams of a text whose last token the model gives no probability, each once."""
    steps = [step for sentence in sentences for step in transitions(sentence, model.order)]
    chances = token_probabilities(model, sentences)
    found = [
        " ".join((*context, token)) for (context, token), p in zip(steps, chances, strict=True) if p == 0
    ]
    return list(dict.fromkeys(found))


@cache  # over all states that differ in nothing else
def _curve(training: Sentences, held: Sentences, kept: tuple[tuple[str, Any], ...]) -> dict[str, Any] | None:
    state = dict(kept)
    name = _setting(state)
    if name is None:
        return None
    models = [_model(training, state, x) for x in GRIDS[name]]
    on_training, on_held = (
        [perplexity(token_probabilities(model, sentences)) for model in models]
        for sentences in (training, held)
    )
    least = min(on_held) * (1 + NOISE)
    lowest = next(place for place, score in enumerate(on_held) if score <= least)
    return {"training": on_training, "held": on_held, "lowest": lowest}


def _next(model: NgramModel, counts: Counts, context: tuple[str, ...]) -> dict[str, Any]:
    """What the model expects after a context, beside what was counted there."""
    table = counts.table(model.order)
    row_of = table.rows.get(context, {})
    try:
        expected: list[float] | None = list(model.distribution(context).values())
        told = ""
    except UnseenContext as error:
        expected, told = None, str(error)
    shares: list[float] | None = None
    if context in table.rows:
        counted = MaximumLikelihood(table, model.vocabulary)
        shares = list(counted.distribution(context).values())
    endings = [context[start:] for start in range(len(context) + 1)]
    return {
        "counts": [row_of.get(token, 0) for token in model.vocabulary],
        "total": table.totals.get(context, 0),
        "counted": shares,
        "probabilities": expected,
        "favourites": _favourites(expected or []),
        "told": told,
        "endings": [
            {
                "context": list(ending),
                "total": counts.table(len(ending) + 1).totals.get(ending, 0),
                "different": len(counts.table(len(ending) + 1).rows.get(ending, {})),
            }
            for ending in endings
        ],
    }


def _favourites(probabilities: Sequence[float]) -> list[list[int]]:
    """The places of the largest probabilities, those of equal ones together; none of what is impossible."""
    found: list[list[int]] = []
    for place in sorted(range(len(probabilities)), key=lambda place: -probabilities[place]):
        if found and probabilities[place] >= probabilities[found[-1][0]] * (1 - NOISE):
            found[-1].append(place)
        elif probabilities[place] > 0 and len(found) < FAVOURITES:
            found.append([place])
        else:
            break
    return [sorted(places) for places in found]


def _written(state: State) -> tuple[list[str], bool]:
    """The words of the sentence so far, and whether its end is written too.

    Raises:
        ValueError: it is too long.
    """
    words = state["sentence"].split(" ") if state["sentence"] else []
    if len(words) > LONGEST:
        raise ValueError(f"sentence must have at most {LONGEST} words, not {len(words)}")
    ended = words[-1:] == [END]
    return (words[:-1] if ended else words), ended


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """What the model expects after the sentence so far, how it scores, and what it writes.

    Raises:
        ValueError: the sentence is too long, has a word that was not counted, or a marker before its end.
    """
    lines = data["texts"][state["text"]]
    training, held = _sentences(tuple(lines["training"])), _sentences(tuple(lines["held"]))
    counts, setting = _counts(training), _setting(state)
    model = _model(training, state, state[setting] if setting else 0)
    words, ended = _written(state)
    chances = token_probabilities(model, [words])[: len(words) + ended]
    context = tuple([START] * (model.order - 1) + words)[len(words) :]
    rng = random.Random(state["seed"])
    drawn = [generate_sentence(model, rng, LIMIT) for _ in range(SENTENCES)]
    kept = tuple((name, state[name]) for name in ("order", "smoother", "start_marker"))
    return {
        "vocabulary": model.vocabulary,
        "words": words + [END] * ended,
        "chances": chances,
        "product": math.prod(chances),
        "context": list(context),
        "next": None if ended else _next(model, counts, context),
        "perplexity": [_score(model, training), _score(model, held)],
        "impossible": [_impossible(model, training), _impossible(model, held)],
        "setting": setting,
        "curve": _curve(training, held, kept),
        "drawn": drawn,
        "recited": [tuple(sentence) in training for sentence in drawn],
    }


def after(view: dict[str, Any]) -> str:
    """The context as a reader sees it, such as “the cat”."""
    return f"“{' '.join(view['context'])}”" if view["context"] else "any context"


def _scores(view: dict[str, Any]) -> list[str]:
    """The perplexity of each text, and why where it is infinite."""
    told = []
    for name, score, impossible in zip(
        ("training text", "held-out text"), view["perplexity"], view["impossible"], strict=True
    ):
        if score is not None:
            told.append(f"{name} {score:.3f}")
        else:
            told.append(
                f"{name} infinite, for the model holds {', '.join(f'“{one}”' for one in impossible)} impossible"
            )
    return [f"{told[0]};", told[1]]


def _rows(view: dict[str, Any]) -> Sequence[tuple[str, ...]]:
    following = view["next"]
    expected = following["probabilities"] or [None for _ in view["vocabulary"]]
    largest = max([*(following["counted"] or []), *(p or 0 for p in expected)], default=0) or 1
    return [
        (text(token), str(count), "none" if p is None else f"{p:.4f}", bar((p or 0) / largest))
        for token, count, p in zip(view["vocabulary"], following["counts"], expected, strict=True)
    ]


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The table of next words, the perplexities and their curve, and sentences drawn."""
    parts = []
    if view["next"]:
        caption = f"Next word after {after(view)}, counted {view['next']['total']} times"
        parts.append(table(caption, ("Word", "Count", "Probability", ""), _rows(view)))
        if view["next"]["told"]:
            parts.append(row("The model has no answer:", [view["next"]["told"]]))
    setting = view["setting"]
    if setting:
        name = next(parameter.label for parameter in PARAMETERS if parameter.name == setting)
        name = name[0].lower() + name[1:]  # it stands within sentences
        parts.append(row(f"Perplexity with {name} = {state[setting]:g}:", _scores(view)))
        parts.append(_drawing(view, name, data["grids"][setting]))
    else:
        parts.append(row("Perplexity:", _scores(view)))
    drawn = [" ".join(sentence) or "(none)" for sentence in view["drawn"]]
    parts.append(row(f"Sentences drawn with seed {state['seed']}:", [" / ".join(drawn)]))
    return "".join(parts)


def _drawing(view: dict[str, Any], label: str, grid: Sequence[float]) -> str:
    """The curves, on the axes that the script draws."""
    curve, size = view["curve"], len(view["vocabulary"])
    logarithmic = view["setting"] == "k"
    lowest = f"{curve['held'][curve['lowest']]:.3f} at {label} = {grid[curve['lowest']]:.3g}"
    title = f"Perplexity of the training text and of held-out text by {label}"
    canvas = Canvas("curves", "try-next-word-explorer", title, f"Lowest on the held-out text: {lowest}")
    x = _axis(grid[0], grid[-1], FIELD["left"] + 6, FIELD["right"] - 6, logarithmic)
    top = max(size, *curve["training"], *curve["held"])
    y = _axis(1, top, FIELD["bottom"], FIELD["top"] + 4, True)
    for tick in [tick for tick in TICKS if tick <= top]:
        canvas.line([(FIELD["left"], y(tick)), (FIELD["right"], y(tick))], GRID)
        canvas.text(FIELD["left"] - 4, y(tick) + 4, str(tick), INK_2, anchor="end")
    canvas.line([(FIELD["left"], y(size)), (FIELD["right"], y(size))], LINE, dash="4 3")
    end = view["setting"] == "weight"  # there the curves begin at this line, elsewhere they end near it
    canvas.text(
        FIELD["right"] if end else FIELD["left"] + 3,
        y(size) + 12,
        f"a guess among all {size}",
        INK_2,
        anchor="end" if end else "start",
    )
    for value in grid[::4] if logarithmic else (grid[0], grid[-1]):
        canvas.text(x(value), FIELD["bottom"] + 15, f"{value:g}", INK_2, anchor="middle")
    for which, dash, stroke in (("training", "", SERIES[0]), ("held", "7 4", SERIES[1])):
        canvas.line(
            [(x(at), y(score)) for at, score in zip(grid, curve[which], strict=True)], stroke, 2, dash
        )
    canvas.circle(x(grid[curve["lowest"]]), y(curve["held"][curve["lowest"]]), 7, "none", INK, 1.5)
    canvas.text((FIELD["left"] + FIELD["right"]) / 2, HEIGHT - 2, label, INK_2, anchor="middle")
    for element in canvas.root:
        element.tail = "\n"  # else numbers run into each other where the picture is read as text
    key = [f"dashed: held-out text, lowest {lowest} (ringed);", "solid: training text"]
    return canvas.finish(HEIGHT, WIDTH) + row("Curves:", key)


def _axis(least: float, most: float, start: float, end: float, logarithmic: bool) -> Callable[[float], float]:
    way = math.log if logarithmic else float
    return lambda value: start + (way(value) - way(least)) / (way(most) - way(least)) * (end - start)
