"""The attention viewer: the weights of a head as a heat map, and all the arithmetic of the cell that is chosen."""

import functools
import math
import random
from dataclasses import dataclass, field
from typing import Any

from coursebuild.instruments.corpora import LINES
from coursebuild.instruments.heat import factor, fixed, heat_map, summed, told
from coursebuild.instruments.parameters import Choice, Flag, Numbers, Parameter, State, Text, Whole
from coursebuild.instruments.pictures import row, table, text
from nextword.attention import attention_scores, causal_mask, merge_heads, scaled_dot_product_attention
from nextword.bpe import WordBPE
from nextword.induction import (
    Head,
    StreamLayout,
    embed_tokens,
    induction_head,
    previous_token_head,
    read_slot,
    unembed,
)
from nextword.matrices import Matrix, add, draw_matrix, matmul
from nextword.positions import position_rates, sinusoidal_positions
from nextword.softmax import softmax

TITLE = "Attention viewer"
SHOWS = (
    "nextword.attention.attention_scores",
    "nextword.attention.causal_mask",
    "nextword.attention.masked_softmax",
    "nextword.attention.scaled_dot_product_attention",
    "nextword.attention.multi_head_attention",
    "nextword.softmax.softmax",
    "nextword.induction.embed_tokens",
    "nextword.induction.previous_token_head",
    "nextword.induction.induction_head",
    "nextword.induction.run_layers",
    "nextword.induction.unembed",
)
START = "<s>"
MOST_TOKENS = 16
FEW = 4
"""Tokens up to which weights have four decimals in the heat map."""
SHOWN_TERMS, SHOWN_SUM = 8, 8
"""Terms and exponentials that are written one by one; of more terms those that are not zero are."""
SHOWN_NEXT = 4
"""Candidates for the next token that have a row each; those behind them share one where they are equal."""
LEAST_SHARE = 5e-5
LEVEL = 1e-6
"""By which two weights or probabilities may differ and still count as equal."""

PARAMETERS: tuple[Parameter, ...] = (
    Choice(
        name="source",
        label="Tokens and numbers",
        start="sentence",
        choices=(
            ("sentence", "The sentence of panel 20.3"),
            ("heads", "The heads of panel 20.4"),
            ("machine", "The machine of panel 21.6"),
        ),
    ),
    Choice(name="head", label="Head", start="0", choices=(("0", "head 0"), ("1", "head 1"))),
    Choice(
        name="without",
        label="What writes into the stream",
        start="none",
        choices=(
            ("none", "both heads"),
            ("first", "all but the previous-token head"),
            ("second", "all but the induction head"),
        ),
    ),
    Text(
        name="prompt",
        label="Prompt (tokens parted by spaces)",
        start="on_ c at fish_ sat_ on_",
        longest=200,
    ),
    Flag(name="mask", label="Causal mask", start=True),
    Flag(name="scaled", label="Scaling: ÷ √d_k", start=True),
    Numbers(name="queries", label="Queries of your own", start=[], least=-10, most=10, longest=16),
    Whole(name="query", label="Query (-1: the last token)", start=2, least=-1, most=MOST_TOKENS - 1),
    Whole(name="key", label="Key (-1: the one with most weight)", start=1, least=-1, most=MOST_TOKENS - 1),
)


@dataclass
class Attention:
    """The numbers of one head, a row for each token.

    Attributes:
        axes: the names of what the keys hold; what is behind the named ones is zero.
        columns: the same of the values.
        width: d_k.
    """

    tokens: list[str]
    axes: list[str]
    columns: list[str]
    width: int
    queries: Matrix
    keys: Matrix
    values: Matrix
    more: dict[str, Any] = field(default_factory=dict)


def data() -> dict[str, Any]:
    """The numbers of the panels, and of the machine what its wiring is made of."""
    tokens = ["the", "cat", "drank", "milk"]
    keys = [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    queries = [[0, 0, 0, 6], [0, 6, 0, 0], [6, 0, 6, 0], [0, 6, 0, 0]]
    rng = random.Random(42)
    projections = [[draw_matrix(4, 2, 1.5, rng) for _ in "qkv"] for _ in range(2)]
    size = len(WordBPE.train(" ".join(LINES), rounds=40).vocabulary) + 1
    layout, (back, match) = _wired(size)
    place = layout.slot("position")
    rates = [f"{rate:g}" for rate in position_rates(layout.position_width)]
    factor = matmul([_unit(layout.slot("token")[0], layout.width)], match.w_q)[0][0]
    [logits] = unembed([_unit(layout.slot("prediction")[0], layout.width)], layout)
    return {
        "sentence": {
            "tokens": tokens,
            "axes": ["animal", "action", "food", "filler"],
            "queries": queries,
            "keys": keys,
            "heads": ["the sentence"],
        },
        "heads": {
            "tokens": tokens,
            "x": keys,
            "projections": projections,
            "w_o": draw_matrix(4, 4, 1.5, rng),
            "heads": ["head 0", "head 1"],
        },
        "machine": {
            "start": START,
            "size": size,
            "most": MOST_TOKENS,
            "shown": SHOWN_NEXT,
            "axes": [f"{wave} {rate}" for rate in rates for wave in ("sin", "cos")],
            "positions": sinusoidal_positions(MOST_TOKENS, layout.position_width),
            "back": [back.w_q[at] for at in place],
            "match": factor,
            "unembed": logits[0],
            "heads": ["previous-token head", "induction head"],
        },
    }


def _unit(at: int, width: int) -> list[float]:
    return [float(place == at) for place in range(width)]


@functools.cache
def _wired(size: int) -> tuple[StreamLayout, tuple[Head, Head]]:
    """The machine of panel 21.6."""
    layout = StreamLayout(size=size)
    return layout, (previous_token_head(layout), induction_head(layout))


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """The weights of the head, and how the chosen one and its row's output come about.

    Raises:
        ValueError: there is no such query or key, there are too many tokens, or too few queries of one's own.
    """
    _check(data, state)
    one = {"sentence": _sentence, "heads": _heads, "machine": _machine}[state["source"]](data, state)
    n = len(one.tokens)
    mask = _mask(n, state)
    products = attention_scores(one.queries, one.keys, scaled=False)
    scores = attention_scores(one.queries, one.keys, state["scaled"])
    outputs, weights = scaled_dot_product_attention(one.queries, one.keys, one.values, mask, state["scaled"])
    for name in ("query", "key"):
        if state[name] >= n:
            raise ValueError(f"{name} must be from -1 to {n - 1}, the last of the tokens, not {state[name]}")
    query = state["query"] if state["query"] >= 0 else n - 1
    key = state["key"] if state["key"] >= 0 else _level(weights[query])[0]
    seen = [mask is None or mask[query][place] for place in range(n)]
    largest = max(score for score, is_seen in zip(scores[query], seen, strict=True) if is_seen)
    asks, offers = one.queries[query][: len(one.axes)], one.keys[key][: len(one.axes)]
    exponentials = [
        math.exp(score - largest) if is_seen else 0.0
        for score, is_seen in zip(scores[query], seen, strict=True)
    ]
    return {
        "tokens": one.tokens,
        "axes": one.axes,
        "columns": one.columns,
        "width": one.width,
        "weights": [
            [weight if mask is None or mask[i][j] else None for j, weight in enumerate(weights[i])]
            for i in range(n)
        ],
        "query": query,
        "key": key,
        "asks": asks,
        "offers": offers,
        "terms": [a * b for a, b in zip(asks, offers, strict=True)],
        "root": math.sqrt(one.width) if state["scaled"] else 1,
        "seen": seen,
        "products": products[query],
        "scores": scores[query],
        "largest": largest,
        "exponentials": exponentials,
        "sum": math.fsum(exponentials),
        "values": [value[: len(one.columns)] for value in one.values],
        "output": outputs[query][: len(one.columns)],
        "more": one.more | _merged(data, state, query, mask),
    }


def _check(data: dict[str, Any], state: State) -> None:
    """Refuses what one of the sources cannot take, whichever is chosen: each can be chosen next."""
    count = sum(map(len, data["sentence"]["queries"]))
    if state["queries"] and len(state["queries"]) != count:
        raise ValueError(f"queries must be {count} numbers, not {len(state['queries'])}")
    most, words = data["machine"]["most"] - 1, len(_words(state))
    if words > most:
        raise ValueError(f"prompt must have at most {most} tokens, not {words}")


def _words(state: State) -> list[str]:
    return [word for word in state["prompt"].split(" ") if word]


def _mask(n: int, state: State) -> list[list[bool]] | None:
    return causal_mask(n) if state["mask"] else None


def _level(values: list[float]) -> list[int]:
    """The places of the largest value, and of those that are as large but for rounding."""
    top = max(values)
    return [place for place, value in enumerate(values) if value > top - LEVEL]


def _sentence(data: dict[str, Any], state: State) -> Attention:
    numbers = data["sentence"]
    queries, axes = numbers["queries"], numbers["axes"]
    if state["queries"]:
        queries = [state["queries"][at : at + len(axes)] for at in range(0, len(state["queries"]), len(axes))]
    return Attention(numbers["tokens"], axes, axes, len(axes), queries, numbers["keys"], numbers["keys"])


def _heads(data: dict[str, Any], state: State) -> Attention:
    numbers = data["heads"]
    of_head = numbers["projections"][int(state["head"])]
    queries, keys, values = (matmul(numbers["x"], w) for w in of_head)
    axes = [f"axis {axis}" for axis in range(len(keys[0]))]
    return Attention(numbers["tokens"], axes, axes, len(axes), queries, keys, values)


def _merged(data: dict[str, Any], state: State, query: int, mask: list[list[bool]] | None) -> dict[str, Any]:
    """Of the heads of panel 20.4 what becomes of their outputs."""
    if state["source"] != "heads":
        return {}
    numbers = data["heads"]
    outputs = []
    for of_head in numbers["projections"]:
        queries, keys, values = (matmul(numbers["x"], w) for w in of_head)
        outputs.append(scaled_dot_product_attention(queries, keys, values, mask, state["scaled"])[0])
    merged = merge_heads(outputs)
    return {"merged": merged[query], "projected": matmul(merged, numbers["w_o"])[query]}


def _machine(data: dict[str, Any], state: State) -> Attention:
    numbers = data["machine"]
    tokens = [numbers["start"], *_words(state)]
    symbols = list(dict.fromkeys(tokens))
    layout, heads = _wired(numbers["size"])
    mask = _mask(len(tokens), state)
    stream = embed_tokens([symbols.index(token) for token in tokens], layout)
    found = []
    for name, head in zip(("first", "second"), heads, strict=True):
        queries, keys, values = (matmul(stream, w) for w in (head.w_q, head.w_k, head.w_v))
        found.append((queries, keys, values))
        if state["without"] != name:
            outputs, _ = scaled_dot_product_attention(queries, keys, values, mask, state["scaled"])
            stream = add(stream, matmul(outputs, head.w_o))
    m = len(symbols)  # the other symbols of the vocabulary have zeros everywhere
    first = state["head"] == "0"
    probabilities = softmax(unembed(stream, layout)[-1])
    ranked = _ranked(probabilities[:m])
    top = ranked[0]
    return Attention(
        tokens,
        numbers["axes"] if first else symbols,
        symbols,
        layout.position_width if first else layout.size,
        *found[int(state["head"])],
        {
            "symbols": symbols,
            "candidates": _candidates(ranked, probabilities, numbers["shown"]),
            "others": layout.size - m,
            "other": probabilities[m],
            "favourites": top if probabilities[m] <= probabilities[top[0]] - LEVEL else [],
            "slot": matmul(stream[-1:], read_slot(layout, "prediction"))[0][:m],
        },
    )


def _ranked(probabilities: list[float]) -> list[list[int]]:
    """The places of the symbols, the likeliest first, equal ones together; of these the start comes last."""
    runs: list[list[int]] = []
    for at in sorted(range(len(probabilities)), key=lambda at: -probabilities[at]):
        if runs and probabilities[at] > probabilities[runs[-1][0]] - LEVEL:
            runs[-1].append(at)
        else:
            runs.append([at])
    return [sorted(run, key=lambda at: (at == 0, at)) for run in runs]


def _candidates(ranked: list[list[int]], probabilities: list[float], shown: int) -> list[dict[str, Any]]:
    """The rows of the symbols: the first ones each alone, what is behind them in groups of equal probability."""
    first = [at for run in ranked for at in run][:shown]
    groups = [[at] for at in first]
    groups += [left for run in ranked if (left := [at for at in run if at not in first])]
    return [
        {"places": places, "each": math.fsum(probabilities[at] for at in places) / len(places)}
        for places in groups
    ]


# Without scripts -------------------------------------------------------------------------------------------


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The heat map, the arithmetic of the chosen cell and of its row, and the row's output."""
    tokens, query, key = view["tokens"], view["query"], view["key"]
    names = data[state["source"]]["heads"]
    drawn = heat_map(
        "try-attention-viewer",
        f"Weights of {names[min(int(state['head']), len(names) - 1)]}",
        tokens,
        tokens,
        view["weights"],
        1,
        lambda weight: fixed(weight, 2 if len(tokens) > FEW else 4),
        (query, key),
    )
    weights = [exponential / view["sum"] for exponential in view["exponentials"]]
    scores = [told(score) if seen else "−∞" for score, seen in zip(view["scores"], view["seen"], strict=True)]
    columns = (
        tokens,
        map(told, view["products"]),
        scores,
        map(told, view["exponentials"]),
        map(told, weights),
    )
    return (
        f'<div class="drawing">{drawn}</div>'
        + _prediction(view)
        + table(
            f"How {tokens[query]} weighs {tokens[key]}",
            ("Step", "Arithmetic"),
            ([text(cell) for cell in line] for line in _steps(view, state, weights[key])),
        )
        + table(
            f"The row of {tokens[query]}: what it gives to each key",
            ("Key", "q\u00a0·\u00a0k", "Score", "exp", "Weight"),
            ([text(cell) for cell in line] for line in zip(*columns, strict=True)),
        )
        + _output(view, state, weights)
    )


def _steps(view: dict[str, Any], state: State, weight: float) -> list[tuple[str, str]]:
    """From the dot product to the weight, a row for each step."""
    tokens, query, key, width = view["tokens"], view["query"], view["key"], view["width"]
    product, score, exponential = (view[name][key] for name in ("products", "scores", "exponentials"))
    seen = view["seen"][key]
    kept = [at for at, term in enumerate(view["terms"]) if width <= SHOWN_TERMS or term]
    terms = [f"{factor(view['asks'][at])} × {factor(view['offers'][at])} ({view['axes'][at]})" for at in kept]
    if len(kept) < width:
        terms.append(f"{width - len(kept)} terms of zero")
    divided = summed([f"{told(product)} / {told(view['root'])}"], told(score))
    order = (
        "the query itself"
        if key == query
        else f"{tokens[key]}, which comes {'before' if key < query else 'after'} {tokens[query]}"
    )
    masked = f"seen: {order}" if seen else f"masked: {order}; the score counts as −∞"
    sums = [told(one) for one, is_seen in zip(view["exponentials"], view["seen"], strict=True) if is_seen]
    of_row = (
        f"{len(sums)} exponentials: {told(view['sum'])}"
        if len(sums) > SHOWN_SUM
        else summed(sums, told(view["sum"]))
    )
    less = f"{told(score)} − {factor(view['largest'])}" if seen else "−∞"
    return [
        ("Dot product q · k", summed(terms, told(product))),
        (f"÷ √{width}", divided if state["scaled"] else f"switched off: {told(score)}"),
        ("Mask", masked if state["mask"] else f"{_off(state)}: every key is seen"),
        ("Exponential", summed([f"exp({less})"], told(exponential))),
        ("Sum of the row", of_row),
        ("Weight", summed([f"{told(exponential)} / {told(view['sum'])}"], told(weight))),
    ]


def _off(state: State) -> str:
    return "panel 20.4 has no mask" if state["source"] == "heads" else "switched off"


def _output(view: dict[str, Any], state: State, weights: list[float]) -> str:
    """What the query gets; the machine's heads copy tokens, whose shares say it shorter."""
    token, output, more = view["tokens"][view["query"]], view["output"], view["more"]
    if state["source"] == "machine":
        slot = "previous token" if state["head"] == "0" else "prediction"
        shares = sorted(zip(output, view["columns"], strict=True), key=lambda pair: -pair[0])
        copies = [f"{told(share)} × {name}" for share, name in shares if share >= LEAST_SHARE]
        return row(f"What {token} gets into its slot “{slot}”:", [" + ".join(copies)])
    values = [
        [text(name), told(weight), *map(told, value)]
        for name, weight, value in zip(view["tokens"], weights, view["values"], strict=True)
    ]
    shown = table(
        f"What {token} gets: values times weights",
        ("Value of", "Weight", *view["columns"]),
        [*values, ["output", "", *map(told, output)]],
    )
    if more:
        merged, projected = (", ".join(map(told, more[name])) for name in ("merged", "projected"))
        shown += row("Both heads side by side, and times W_O:", [f"({merged})", f"→ ({projected})"])
    return shown


def _chance(probability: float) -> str:
    """Four decimals, and not zero where there are many that share it."""
    return fixed(probability) if probability >= LEAST_SHARE else told(probability)


def _prediction(view: dict[str, Any]) -> str:
    more = view["more"]
    if "favourites" not in more:
        return ""
    symbols, favourites = more["symbols"], more["favourites"]
    said = " or ".join(symbols[at] for at in favourites) or "all alike"
    if len(favourites) > SHOWN_NEXT:
        said = f"{len(favourites)} tokens tie"
    rows = [
        (
            text(
                symbols[one["places"][0]] if len(one["places"]) == 1 else f"each of {len(one['places'])} more"
            ),
            _chance(one["each"]),
        )
        for one in more["candidates"]
    ]
    return table(
        f"What the machine says after {view['tokens'][-1]}: {said}",
        ("Token", "Probability"),
        [*rows, (f"each of {more['others']} others", _chance(more["other"]))],
    )
