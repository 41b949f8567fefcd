"""The sampler lab: logits as bars, what each setting does to them in a chosen order, and draws from what is left."""

import math
import random
from typing import Any

from nextword.decoding import ORDER, STEPS, decode_distribution
from nextword.entropy import entropy
from nextword.ngram import END, AddK, count_ngrams, vocabulary_of
from nextword.sampling import draw
from nextword.softmax import softmax

from coursebuild.instruments.corpora import SENTENCES
from coursebuild.instruments.parameters import Choice, Number, Numbers, Order, Parameter, State, Whole
from coursebuild.instruments.pictures import bar, row, table, text

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
LABELS = {
    "repetition_penalty": "Repetition penalty",
    "frequency_penalty": "Frequency penalty",
    "presence_penalty": "Presence penalty",
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "min_p": "Min-p",
}
MOST_TOKENS = 12
DRAWS = 12
K = 0.5
PRESETS = (
    ("panel", "The eight tokens of panel 19.5"),
    ("the", "After “the”, by the model of lesson 18"),
    ("cat", "After “cat”, by the model of lesson 18"),
    ("sat", "After “sat”, by the model of lesson 18"),
)
PARAMETERS: tuple[Parameter, ...] = (
    Choice(name="from", label="Logits", start="panel", choices=PRESETS),
    Numbers(name="logits", label="Logits of your own", start=[], least=-10, most=10, longest=MOST_TOKENS),
    Numbers(name="history", label="Tokens that came", start=[], least=0, most=MOST_TOKENS - 1, longest=20, whole=True),
    Number(name="temperature", label="Temperature (0: greedy)", start=1, least=0, most=5),
    Whole(name="top_k", label="Top-k (0: off)", start=0, least=0, most=MOST_TOKENS),
    Number(name="top_p", label="Top-p (1: off)", start=1, least=0.01, most=1),
    Number(name="min_p", label="Min-p (0: off)", start=0, least=0, most=1),
    Number(name="repetition_penalty", label="Repetition penalty (1: off)", start=1, least=1, most=5),
    Number(name="frequency_penalty", label="Frequency penalty (0: off)", start=0, least=0, most=5),
    Number(name="presence_penalty", label="Presence penalty (0: off)", start=0, least=0, most=5),
    Order(
        name="order",
        label="Order in which they act",
        start=[name for name in ORDER if name in LABELS],
        choices=tuple(LABELS.items()),
    ),
    Whole(name="seed", label="Seed of the draws", start=42, least=0, most=4294967295),
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


def data() -> dict[str, Any]:
    """The tokens and logits of each preset."""
    model = AddK(count_ngrams(SENTENCES, 2), vocabulary_of(SENTENCES), K)
    presets = {
        "panel": {
            "tokens": ["cat", "dog", "bird", "fish", "quark", "ledger", "sonata", "kelp"],
            "logits": [3.0, 2.6, 2.2, 1.8, 1.4, 1.0, 0.6, 0.2],
        }
    }
    for context in ("the", "cat", "sat"):
        likely = {token: model.probability(token, (context,)) for token in model.vocabulary}
        presets[context] = {
            "tokens": ["(end)" if token == END else token for token in likely],
            "logits": [round(math.log(p), 6) for p in likely.values()],
        }
    return {"presets": presets, "draws": DRAWS}


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
        steps.append({"name": name, "left": sum(z > -math.inf for z in present), "entropy": entropy(shares)})
    rng = random.Random(state["seed"])
    return {
        "tokens": tokens,
        "logits": logits,
        "before": before,
        "after": after,
        "final": [None if z == -math.inf else z for z in present],
        "left": sum(z > -math.inf for z in present),
        "kept": math.fsum(p for p, z in zip(before, present, strict=True) if z > -math.inf),
        "entropy": [entropy(before), entropy(after)],
        "steps": steps,
        "draws": [draw(after, rng) for _ in range(data["draws"])],
    }


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The table of tokens, and the draws."""
    rows = [
        (text(token), f"{logit:.2f}", f"{before:.4f}", f"{after:.4f}", bar(after))
        for token, logit, before, after in zip(
            view["tokens"], view["logits"], view["before"], view["after"], strict=True
        )
    ]
    head = ("Token", "Logit", "Softmax", "After the settings", "")
    facts = [
        f"{view['left']} of {len(view['tokens'])} tokens left, {view['kept']:.4f} of the mass,",
        f"entropy {view['entropy'][1]:.4f} nats (before: {view['entropy'][0]:.4f})",
    ]
    draws = [view["tokens"][index] for index in view["draws"]]
    return (
        table("Each token, and its probability before and after the settings", head, rows)
        + row("Left:", facts)
        + row(f"Draws with seed {state['seed']}:", draws)
    )
