"""The parameters of GPT-2: heads cost nothing, and the unembedding is the embedding again.

Counted with the table in it twice: github.com/KellerJordan/modded-nanogpt/issues/26,
github.com/huggingface/transformers/issues/14960; the sizes: github.com/openai/gpt-2/issues/209.
"""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.transformer import count_attention_parameters, count_feed_forward_parameters

SIZES = {
    (50_257, 1024, 768, 12, 12): 124_439_808,
    (50_257, 1024, 1024, 16, 24): 354_823_168,
    (50_257, 1024, 1280, 20, 36): 774_030_080,
    (50_257, 1024, 1600, 25, 48): 1_557_611_200,
}
"""The four models as they were published: vocabulary, positions, width, heads, layers; and their parameters."""


def start(
    vocabulary: int,
    positions: int,
    d: int,
    heads: int,
    layers: int,
) -> int:
    """Count the parameters of a model built like GPT-2, of width d."""
    # Attention: queries, keys, values and output, each a linear layer.
    # Feed-forward: a linear layer from d to 4 d, and one back.
    # Every linear layer has a bias, every norm a gamma and a beta.
    # Positions are a learned table. The unembedding is the embedding.
    raise NotImplementedError("count the parts of a block first")


def solution(
    vocabulary: int,
    positions: int,
    d: int,
    heads: int,
    layers: int,
) -> int:
    """Count a block, then the tables and the last norm."""
    attention = 4 * (d * d + d)  # the heads share the width d
    feed_forward = (d * 4 * d + 4 * d) + (4 * d * d + d)
    norm = d + d
    block = attention + feed_forward + 2 * norm
    return (vocabulary + positions) * d + layers * block + norm


def untied(
    vocabulary: int,
    positions: int,
    d: int,
    heads: int,
    layers: int,
) -> int:
    """Give the unembedding a table of its own."""
    attention = 4 * (d * d + d)
    feed_forward = (d * 4 * d + 4 * d) + (4 * d * d + d)
    norm = d + d
    block = attention + feed_forward + 2 * norm
    tables = (2 * vocabulary + positions) * d
    return tables + layers * block + norm


def each_head(
    vocabulary: int,
    positions: int,
    d: int,
    heads: int,
    layers: int,
) -> int:
    """Give each head projections of the full width."""
    attention = heads * 3 * (d * d + d) + (d * d + d)
    feed_forward = (d * 4 * d + 4 * d) + (4 * d * d + d)
    norm = d + d
    block = attention + feed_forward + 2 * norm
    return (vocabulary + positions) * d + layers * block + norm


def checks(answer: Any) -> Iterator[Check]:
    """What a right count obeys, and what it gives for the published models."""
    d = 24

    def growth(more: tuple[int, ...], less: tuple[int, ...]) -> Any:
        return answer(*more) - answer(*less)

    yield Check(
        "With more heads the count stays the same, for they share the width",
        lambda: growth((100, 50, d, 8, 3), (100, 50, d, 4, 3)),
        0,
        "A head is a slice of the projections: more heads are narrower heads.",
    )
    yield Check(
        "One more word costs one row of one table",
        lambda: growth((101, 50, d, 4, 3), (100, 50, d, 4, 3)),
        d,
        "Tied means that the unembedding is the embedding: the same numbers, counted once.",
    )
    yield Check(
        "One more layer costs its attention, its feed-forward layer and its norms",
        lambda: growth((100, 50, d, 4, 4), (100, 50, d, 4, 3)),
        count_attention_parameters(d, biases=True) + count_feed_forward_parameters(d, 4 * d) + 4 * d,
        "Are there biases in each linear layer, and a gamma and a beta in each norm?",
    )
    yield Check(
        "Without layers there are the tables and the last norm",
        fresh(answer, 100, 50, d, 4, 0),
        100 * d + 50 * d + 2 * d,
        "Behind the last block of a pre-norm model stands one norm more.",
    )
    yield Check(
        "From the sizes of the published models it differs by nothing",
        lambda: [answer(*shape) - size for shape, size in SIZES.items()],
        [0] * len(SIZES),
    )


EXERCISE = Exercise(
    ident="21.6",
    title="Count GPT-2 to the last parameter",
    level="implement",
    name="count_gpt2",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            untied,
            "counts the embedding table again as an unembedding",
            "One more word costs one row of one table",
        ),
        Wrong(
            each_head,
            "gives each head projections as wide as the model",
            "With more heads the count stays the same, for they share the width",
        ),
    ),
)
