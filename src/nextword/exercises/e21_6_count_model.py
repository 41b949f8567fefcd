"""The parameters of GPT-2, Llama and Mistral: what ties, gates, biases and fewer heads of keys and values cost or save.

Counted with the table in it twice: github.com/KellerJordan/modded-nanogpt/issues/26,
github.com/huggingface/transformers/issues/14960; with square projections in spite of fewer heads of keys and values:
github.com/meta-llama/llama/issues/1111. The sizes: github.com/keras-team/keras-hub, the presets of gpt2, llama and mistral.
"""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same, short
from nextword.transformer import count_attention_parameters, count_feed_forward_parameters

Shape = dict[str, int]

GPT_2: Shape = {"vocabulary": 50_257, "positions": 1024, "biases": True, "gated": False, "tied": True}
LLAMA: Shape = {"vocabulary": 32_000, "positions": 0, "biases": False, "gated": True, "tied": False}
SEVEN_B: Shape = {**LLAMA, "d": 4096, "heads": 32, "layers": 32}


def gpt2(d: int, heads: int, layers: int) -> Shape:
    """The shape of a model of the family."""
    return {**GPT_2, "d": d, "d_ff": 4 * d, "heads": heads, "key_value_heads": heads, "layers": layers}


SIZES = {
    "GPT-2": (gpt2(768, 12, 12), 124_439_808),
    "GPT-2 medium": (gpt2(1024, 16, 24), 354_823_168),
    "GPT-2 large": (gpt2(1280, 20, 36), 774_030_080),
    "GPT-2 XL": (gpt2(1600, 25, 48), 1_557_611_200),
    "Llama-2 7B": ({**SEVEN_B, "d_ff": 11_008, "key_value_heads": 32}, 6_738_415_616),
    "Mistral 7B": ({**SEVEN_B, "d_ff": 14_336, "key_value_heads": 8}, 7_241_732_096),
}
"""The shapes of published models, and their parameters."""


def start(shape: Shape) -> int:
    """The number of parameters of a decoder of this shape."""
    # The keys of shape:
    # vocabulary, positions: rows of the tables of words and of positions
    #   (0 where positions are rotary and have no table)
    # d, d_ff: widths of the stream and inside the feed-forward layer
    # heads, key_value_heads: of queries; of keys and of values
    # layers: how many blocks; each has two norms, and one norm follows
    # biases: whether each linear layer has a bias, each norm a beta;
    #   the unembedding has no bias, and every norm has a gamma
    # gated: whether the feed-forward layer has a gate
    # tied: whether the unembedding is the embedding
    raise NotImplementedError("count the parts of a block first")


def solution(shape: Shape) -> int:
    """Count a block, then the tables and the last norm."""
    d, inner = shape["d"], shape["d_ff"]
    narrow = d // shape["heads"] * shape["key_value_heads"]
    widening = 2 if shape["gated"] else 1
    attention = 2 * d * d + 2 * d * narrow
    feed_forward = (widening + 1) * d * inner
    norm = d
    if shape["biases"]:
        attention += 2 * d + 2 * narrow
        feed_forward += widening * inner + d
        norm += d
    words = shape["vocabulary"] * (1 if shape["tied"] else 2)
    block = attention + feed_forward + 2 * norm
    tables = (words + shape["positions"]) * d
    return tables + shape["layers"] * block + norm


def always_untied(shape: Shape) -> int:
    """Give the unembedding a table of its own in every model."""
    d, inner = shape["d"], shape["d_ff"]
    narrow = d // shape["heads"] * shape["key_value_heads"]
    widening = 2 if shape["gated"] else 1
    attention = 2 * d * d + 2 * d * narrow
    feed_forward = (widening + 1) * d * inner
    norm = d
    if shape["biases"]:
        attention += 2 * d + 2 * narrow
        feed_forward += widening * inner + d
        norm += d
    words = 2 * shape["vocabulary"]
    block = attention + feed_forward + 2 * norm
    tables = (words + shape["positions"]) * d
    return tables + shape["layers"] * block + norm


def always_square(shape: Shape) -> int:
    """Take all projections of attention to be square."""
    d, inner = shape["d"], shape["d_ff"]
    widening = 2 if shape["gated"] else 1
    attention = 4 * d * d
    feed_forward = (widening + 1) * d * inner
    norm = d
    if shape["biases"]:
        attention += 4 * d
        feed_forward += widening * inner + d
        norm += d
    words = shape["vocabulary"] * (1 if shape["tied"] else 2)
    block = attention + feed_forward + 2 * norm
    tables = (words + shape["positions"]) * d
    return tables + shape["layers"] * block + norm


SMALL: Shape = {
    "vocabulary": 100,
    "positions": 50,
    "d": 24,
    "d_ff": 40,
    "heads": 4,
    "key_value_heads": 4,
    "layers": 3,
    "biases": True,
    "gated": False,
    "tied": True,
}


def layer_costs(answer: Any) -> bool:
    """Whether one more layer costs what the library counts for its parts; the first kind that differs is told."""
    for biases in (True, False):
        for gated in (False, True):
            kind = {**SMALL, "key_value_heads": 2, "biases": biases, "gated": gated}
            got = answer({**kind, "layers": 4}) - answer(dict(kind))
            norms = 2 * SMALL["d"] * (2 if biases else 1)
            expected = (
                count_attention_parameters(SMALL["d"], SMALL["heads"], 2, biases)
                + count_feed_forward_parameters(SMALL["d"], SMALL["d_ff"], gated, biases)
                + norms
            )
            if not same(got, expected):
                raise Differs(f"gated {gated}, biases {biases}: got {short(got)}, expected {expected}")
    return True


def published(answer: Any) -> bool:
    """Whether the published sizes come out; the first that does not is told."""
    for name, (shape, size) in SIZES.items():
        got = answer(dict(shape))
        if not same(got, size, tolerance=0):
            raise Differs(f"{name}: got {short(got)}, published {size}")
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What a right count obeys, and what it gives for published models."""
    d, width = SMALL["d"], SMALL["d"] // SMALL["heads"]

    def growth(shape: Shape, **more: int) -> Any:
        return answer({**shape, "layers": 1, **more}) - answer({**shape, "layers": 1})

    bare: Shape = {**SMALL, "biases": False}
    yield Check(
        "More heads, as many of keys and values, cost nothing",
        lambda: growth(SMALL, heads=8, key_value_heads=8),
        0,
        "A head is a slice of the projections: more heads are narrower heads.",
    )
    yield Check(
        "A head of keys and values less saves its columns of both",
        lambda: [growth(shape, key_value_heads=3) for shape in (SMALL, bare)],
        [-2 * width * (d + 1), -2 * width * d],
        "Keys and values are as wide as their heads together; queries and output stay as wide as d.",
    )
    yield Check(
        "One more word costs a row of one table, and of another if untied",
        lambda: [growth({**SMALL, "tied": tied}, vocabulary=101) for tied in (True, False)],
        [d, 2 * d],
        "Tied means that the unembedding is the embedding: the same numbers, counted once.",
    )
    yield Check(
        "One more layer costs what the library counts for its parts",
        lambda: layer_costs(answer),
        True,
        "A gate is a matrix more. A bias is as wide as what its layer gives.",
    )
    yield Check(
        "Without layers and words, positions and a last norm are left",
        lambda: [answer({**shape, "layers": 0, "vocabulary": 0}) for shape in (SMALL, bare)],
        [(SMALL["positions"] + 2) * d, (SMALL["positions"] + 1) * d],
        "Behind the last block of a pre-norm model stands one norm more.",
    )
    yield Check(
        "GPT-2, Llama and Mistral have the sizes that were published",
        lambda: published(answer),
        True,
    )


EXERCISE = Exercise(
    ident="21.6",
    title="Count a model to the last parameter",
    level="implement",
    name="count_model",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            always_untied,
            "counts the embedding table again as an unembedding, tied or not",
            "One more word costs a row of one table, and of another if untied",
        ),
        Wrong(
            always_square,
            "takes all projections of attention to be square, however few the heads of keys and values",
            "A head of keys and values less saves its columns of both",
        ),
    ),
)
