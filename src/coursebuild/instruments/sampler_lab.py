"""The sampler lab: logits as bars, what each setting does to them in a chosen order, and draws from what is left."""

import math
import random
from collections.abc import Sequence
from typing import Any

from coursebuild.instruments.corpora import SENTENCES
from coursebuild.instruments.parameters import Choice, Number, Numbers, Order, Parameter, State, Whole
from coursebuild.instruments.pictures import bar, row, table, text
from nextword.decoding import ORDER, STEPS, decode_distribution
from nextword.entropy import entropy
from nextword.ngram import AddK, count_ngrams, vocabulary_of
from nextword.sampling import draw
from nextword.softmax import softmax

TITLE = "Sampler lab"
SHOWS = (
    "nextword.decoding.decode_distribution",
    "nextword.decoding.keep_top_k",
    "nextword.decoding.keep_top_p",
    "nextword.decoding.keep_min_p",
    "nextword.decoding.penalize_repetition",
    "nextword.decoding.penalize_frequency",
    "nextword.decoding.penalize_presence",
    "nextword.sampling.draw",
    "nextword.entropy.entropy",
)
OFF = {
    "repetition_penalty": 1,
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "temperature": 1,
    "top_k": 0,
    "top_p": 1,
    "min_p": 0,
}
"""The value of each setting that changes nothing; of that of ``top_k`` the library has none."""

LABELS = {
    "repetition_penalty": "Repetition penalty (1: off)",
    "frequency_penalty": "Frequency penalty (0: off)",
    "presence_penalty": "Presence penalty (0: off)",
    "temperature": "Temperature (0: greedy)",
    "top_k": "Top-k (0: off)",
    "top_p": "Top-p (1: off)",
    "min_p": "Min-p (0: off)",
}
MOST_TOKENS = 12
FIRST = 12
"""So many draws are shown one by one."""

PRESETS = (
    ("panel", "The tokens of panel 19.5"),
    ("the", "After “the”, by the add-one bigram of lesson 18"),
    ("cat", "After “cat”, by the add-one bigram of lesson 18"),
    ("sat", "After “sat”, by the add-one bigram of lesson 18"),
)
PARAMETERS: tuple[Parameter, ...] = (
    Choice(name="from", label="Logits", start="panel", choices=PRESETS),
    Numbers(name="logits", label="Logits of your own", start=[], least=-10, most=10, longest=MOST_TOKENS),
    Numbers(
        name="history",
        label="Tokens that came",
        start=[],
        least=0,
        most=MOST_TOKENS - 1,
        longest=20,
        whole=True,
    ),
    Number(name="temperature", label=LABELS["temperature"], start=1, least=0, most=5),
    Whole(name="top_k", label=LABELS["top_k"], start=0, least=0, most=MOST_TOKENS),
    Number(name="top_p", label=LABELS["top_p"], start=1, least=0.01, most=1),
    Number(name="min_p", label=LABELS["min_p"], start=0, least=0, most=1),
    Number(name="repetition_penalty", label=LABELS["repetition_penalty"], start=1, least=1, most=5),
    Number(name="frequency_penalty", label=LABELS["frequency_penalty"], start=0, least=0, most=5),
    Number(name="presence_penalty", label=LABELS["presence_penalty"], start=0, least=0, most=5),
    Order(
        name="order",
        label="Settings, in the order in which they act",
        start=[name for name in ORDER if name in LABELS],
        choices=tuple(LABELS.items()),
    ),
    Choice(
        name="draws", label="Draws", start="100", choices=tuple((str(n), f"{n:,}") for n in (10, 100, 1000))
    ),
    Whole(name="seed", label="Seed", start=42, least=0, most=4294967295),
)


def data() -> dict[str, Any]:
    """The tokens and logits of each preset, and when a setting is off."""
    model = AddK(count_ngrams(SENTENCES, 2), vocabulary_of(SENTENCES), k=1)
    presets = {
        "panel": {
            "tokens": ["cat", "dog", "bird", "fish", "quark", "ledger", "sonata", "kelp"],
            "logits": [3.0, 2.6, 2.2, 1.8, 1.4, 1.0, 0.6, 0.2],
        }
    }
    for context in ("the", "cat", "sat"):
        likely = {token: model.probability(token, (context,)) for token in model.vocabulary}
        presets[context] = {
            "tokens": list(likely),
            "logits": [round(math.log(p), 4) for p in likely.values()],
        }
    return {"presets": presets, "first": FIRST, "off": OFF}


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """What each setting leaves, in order, and what is drawn at the end.

    Raises:
        ValueError: as for ``decode_distribution``; there is another number of logits than of tokens.
    """
    preset = data["presets"][state["from"]]
    logits = state["logits"] or preset["logits"]
    tokens = preset["tokens"]
    if len(logits) != len(tokens):
        raise ValueError(f"logits must be {len(tokens)}, one for each token, not {len(logits)}")
    history = state["history"]
    active = {name: state[name] for name in LABELS if state[name] != OFF[name]}
    order = [name for name in state["order"] if name in active]
    before = softmax(logits)
    after = decode_distribution(logits, history, order=order, **active)
    steps = []
    present = list(logits)
    for name in order:
        present = STEPS[name](present, history, active[name])
        shares = softmax(present)
        steps.append({"name": name, "left": _left(present), "entropy": entropy(shares), "after": shares})
    rng = random.Random(state["seed"])
    drawn = [draw(after, rng) for _ in range(int(state["draws"]))]
    return {
        "tokens": tokens,
        "logits": logits,
        "before": before,
        "after": after,
        "final": [None if z == -math.inf else z for z in present],
        "left": _left(present),
        "kept": math.fsum(p for p, z in zip(before, present, strict=True) if z > -math.inf),
        "entropy": [entropy(before), entropy(after)],
        "steps": steps,
        "drawn": drawn[: data["first"]],
        "counts": [drawn.count(token) for token in range(len(tokens))],
        "expected": [len(drawn) * p for p in after],
    }


def _left(logits: Sequence[float]) -> int:
    return sum(logit > -math.inf for logit in logits)


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The table of tokens, what each setting leaves, and the draws."""
    left = [logit is not None for logit in view["final"]]
    rows = [
        (text(token), f"{logit:g}", f"{before:.4f}", f"{after:.4f}" if is_left else "removed", bar(after))
        for token, logit, before, after, is_left in zip(
            view["tokens"], view["logits"], view["before"], view["after"], left, strict=True
        )
    ]
    head = ("Token", "Logit", "Softmax", "After", "")
    parts = [table("Each token, and its probability before and after the settings", head, rows)]
    if view["steps"]:
        steps = [
            (
                text(LABELS[step["name"]]),
                f"{state[step['name']]:g}",
                str(step["left"]),
                f"{step['entropy']:.2f}",
            )
            for step in view["steps"]
        ]
        parts.append(table("Settings that are on, in order", ("Setting", "Value", "Left", "Entropy"), steps))
    facts = [
        f"{view['left']} of {len(view['tokens'])} tokens, {view['kept']:.4f} of the mass;",
        f"entropy {view['entropy'][1]:.4f} nats (before: {view['entropy'][0]:.4f})",
    ]
    drawn = [view["tokens"][index] for index in view["drawn"]]
    return "".join(
        [
            *parts,
            row("Left:", facts),
            row(f"First draws with seed {state['seed']}:", drawn),
        ]
    )
