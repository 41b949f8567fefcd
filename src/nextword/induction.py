"""Induction: two layers of attention, wired by hand, that complete a repeated pattern.

After A B … A the machine says B. Each token has a row, its stream, cut into four slots: the token (one-hot), its
position (sinusoidal), the previous token, the prediction. The embedding fills the first two. A *previous-token head*
fills the third with the token one step back. An *induction head* looks for earlier rows whose previous token is the
present token, and puts what stands there into the fourth, which the unembedding reads. Each layer is one head, with
neither a norm nor a feed-forward layer: the machine is attention-only.

V is the size of the vocabulary, d the width of the stream, n the number of tokens.

Sources: Elhage et al. (2021), "A Mathematical Framework for Transformer Circuits" (the stream and what heads read
and write in it; induction heads in trained attention-only models of two layers); Olsson et al. (2022), "In-context
Learning and Induction Heads". The weights are ours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nextword.arguments import require_ids, require_number, require_several, require_whole_number
from nextword.attention import causal_mask, multi_head_attention
from nextword.matrices import Matrix, add, matmul, require_matrix, scale, shape_of, transpose
from nextword.positions import position_rates, require_even, rotate, sinusoidal_positions

SLOTS = ("token", "position", "previous", "prediction")
"""The slots of the stream, from left to right."""


@dataclass(frozen=True)
class StreamLayout:
    """Where each slot lies in the stream, and what the weights must hold for.

    Attributes:
        size: V, the size of the vocabulary with the start token, at least 2.
        length: the largest number of tokens, at least 2.
        position_width: the width of the position slot, an even number of at least 2.
        weight: what the right token gets at least, of the attention of either layer and of the probability;
            above 0.5 and below 1.

    Raises:
        ValueError: an attribute is not as said.

    Examples:
        >>> layout = StreamLayout(size=5)
        >>> layout.width, layout.slot("previous")
        (23, range(13, 18))
    """

    size: int
    length: int = 64
    position_width: int = 8
    weight: float = 0.999

    def __post_init__(self) -> None:
        """Refuse what no machine can be wired for."""
        require_whole_number("size", self.size, smallest=2)
        require_whole_number("length", self.length, smallest=2)
        require_even("position_width", self.position_width)
        require_number("weight", self.weight, above=0.5, below=1)

    @property
    def width(self) -> int:
        """The width d of the stream: three slots as wide as the vocabulary, and the position."""
        return 3 * self.size + self.position_width

    def slot(self, name: str) -> range:
        """Say which columns of the stream a slot has.

        Args:
            name: one of ``SLOTS``.

        Returns:
            The columns, counted from 0.

        Raises:
            ValueError: there is no such slot.
        """
        if not isinstance(name, str) or name not in SLOTS:
            raise ValueError(f"name must be one of {', '.join(map(repr, SLOTS))}, not {name!r}")
        widths = [self.position_width if slot == "position" else self.size for slot in SLOTS]
        place = SLOTS.index(name)
        start = sum(widths[:place])
        return range(start, start + widths[place])


class Head(NamedTuple):
    """The four matrices of a layer that is one attention head.

    Attributes:
        w_q: shape (d, d_k): what a row asks for.
        w_k: shape (d, d_k): what a row answers to.
        w_v: shape (d, d_v): what a row hands over.
        w_o: shape (d_v, d): where in the stream it is added.
    """

    w_q: Matrix
    w_k: Matrix
    w_v: Matrix
    w_o: Matrix


def require_layout(layout: StreamLayout) -> None:
    """Refuse what is no layout.

    Args:
        layout: the argument of that name.

    Raises:
        ValueError: the argument is no ``StreamLayout``.
    """
    if not isinstance(layout, StreamLayout):
        raise ValueError(f"layout must be a StreamLayout, not {layout!r}")


def sharpness(gap: float, choices: int, weight: float) -> float:
    """Say how much to stretch scores for one to win the softmax.

    The best of n scores leads each other one by the gap g or more. Stretched by a factor f, it leads by f g,
    and softmax gives it at least 1 / (1 + (n - 1) exp(-f g)). The factor returned makes that the weight asked
    for.

    Args:
        gap: g, at least 1e-300.
        choices: n, from 2 to 2**53.
        weight: from 0 to 1, both excluded, and at least 1 / n: what equal scores give already.

    Returns:
        The factor, at least 0.

    Raises:
        ValueError: an argument is out of its range.

    Examples:
        >>> round(sharpness(gap=0.5, choices=64, weight=0.99), 4)
        17.4765
    """
    require_number("gap", gap, at_least=1e-300)
    require_whole_number("choices", choices, 2, 2**53)
    require_number("weight", weight, at_least=1 / choices, below=1)
    return math.log((choices - 1) * weight / (1 - weight)) / gap


def position_gap(length: int, width: int) -> float:
    """Say by how much a position is more like itself than like others.

    The dot product of two sinusoidal positions k steps apart is the sum of cos(k r) over the rates r; that of
    a position with itself is the number of rates.

    Args:
        length: n, at least 2; the steps are 1 to n - 1.
        width: an even number of at least 2.

    Returns:
        The smallest difference between the two, above 0.

    Raises:
        ValueError: ``length`` is no whole number of at least 2, or ``width`` no even number of at least 2.

    Examples:
        >>> round(position_gap(6, width=8), 4), round(position_gap(64, width=8), 4)
        (0.4647, 0.2082)
    """
    require_whole_number("length", length, smallest=2)
    rates = position_rates(width)
    return min(math.fsum(1 - math.cos(k * rate) for rate in rates) for k in range(1, length))


def step_back(width: int) -> Matrix:
    """Make the matrix that turns each position into the one before.

    A position is a hand of a clock for each rate r. One position back, each hand stands r further back,
    whatever the position was, and a turn is a matrix: its rows are what becomes of the unit vectors. A position
    has its sine before its cosine, and in that order it is ``rotate`` by +1 that turns back.

    Args:
        width: an even number of at least 2.

    Returns:
        Shape (width, width): the row of position p, times this, is the row of p - 1.

    Raises:
        ValueError: ``width`` is no even number of at least 2.

    Examples:
        >>> third, fourth = sinusoidal_positions(4, 8)[2:]
        >>> [back] = matmul([fourth], step_back(8))
        >>> [round(x, 12) for x in back] == [round(x, 12) for x in third]
        True
    """
    require_even("width", width)
    unit = [[float(i == j) for j in range(width)] for i in range(width)]
    return [rotate(row, 1) for row in unit]


def read_slot(layout: StreamLayout, name: str) -> Matrix:
    """Make the matrix that copies one slot out of the stream.

    Args:
        layout: where the slots lie.
        name: one of ``SLOTS``.

    Returns:
        Shape (d, e) for a slot of width e: 1 where row and column are the same place of the slot, else 0. Its
        transpose writes into the slot.

    Raises:
        ValueError: ``layout`` is no ``StreamLayout``, or there is no such slot.

    Examples:
        >>> transpose(read_slot(StreamLayout(size=2, position_width=2), "position"))
        [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
    """
    require_layout(layout)
    columns = layout.slot(name)
    return [[float(row == column) for column in columns] for row in range(layout.width)]


def previous_token_head(layout: StreamLayout) -> Head:
    """Wire the head that copies the token one step back.

    Row 0 has nothing before it, and copies its own token: let that be a start token.

    Source: the head is described in Elhage et al. (2021); its weights are ours.

    Args:
        layout: where the slots lie.

    Returns:
        A head whose row p gives ``layout.weight`` or more to row p - 1, for up to ``layout.length`` tokens.

    Raises:
        ValueError: ``layout`` is no ``StreamLayout``.

    Examples:
        >>> layout = StreamLayout(size=3)
        >>> _, [weights] = run_layers(embed_tokens([2, 0, 1], layout), [previous_token_head(layout)])
        >>> [[round(w, 2) for w in row] for row in weights]
        [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    position = read_slot(layout, "position")
    width = layout.position_width
    gap = position_gap(layout.length, width)
    factor = sharpness(gap, layout.length, layout.weight)
    before = matmul(position, step_back(width))
    return Head(
        w_q=scale(before, factor * math.sqrt(width)),  # attention divides
        w_k=position,
        w_v=read_slot(layout, "token"),
        w_o=transpose(read_slot(layout, "previous")),
    )


def induction_head(layout: StreamLayout) -> Head:
    """Wire the head that looks for what followed the present token.

    It attends to rows whose previous token is the present one. Where there are several, it gives them equal
    weights; where there is none, all that it sees: in both cases but for what the layer below leaves over.

    Source: the head is described in Elhage et al. (2021) and Olsson et al. (2022); its weights are ours.

    Args:
        layout: where the slots lie.

    Returns:
        A head whose last row, after A B … A, gives ``layout.weight`` or more to the row of B.

    Raises:
        ValueError: ``layout`` is no ``StreamLayout``.

    Examples:
        >>> layout = StreamLayout(size=3)
        >>> x = embed_tokens([2, 0, 1, 0], layout)
        >>> _, [_, weights] = run_layers(x, [previous_token_head(layout), induction_head(layout)])
        >>> [round(w, 2) for w in weights[-1]]
        [0.0, 0.0, 1.0, 0.0]
    """
    token = read_slot(layout, "token")
    gap = 2 * layout.weight - 1  # a match has the weight, others the rest
    factor = sharpness(gap, layout.length, layout.weight)
    return Head(
        w_q=scale(token, factor * math.sqrt(layout.size)),
        w_k=read_slot(layout, "previous"),
        w_v=token,
        w_o=transpose(read_slot(layout, "prediction")),
    )


def embed_tokens(ids: Sequence[int], layout: StreamLayout) -> Matrix:
    """Give each token its row: the token, its position, two empty slots.

    Args:
        ids: n token ids, at least one and at most ``layout.length``.
        layout: where the slots lie.

    Returns:
        Shape (n, d).

    Raises:
        ValueError: ``layout`` is no ``StreamLayout``, an id is not from 0 to V - 1, there is none, or there
            are more than the layout holds for.

    Examples:
        >>> embed_tokens([1], StreamLayout(size=2, position_width=2))
        [[0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
    """
    require_layout(layout)
    require_ids("ids", ids, layout.size)
    if not 1 <= len(ids) <= layout.length:
        raise ValueError(f"ids must hold from 1 to {layout.length} token ids, not {len(ids)}")
    positions = sinusoidal_positions(len(ids), layout.position_width)
    empty = [0.0] * layout.size
    tokens = [[float(i == token) for i in range(layout.size)] for token in ids]
    return [[*row, *place, *empty, *empty] for row, place in zip(tokens, positions, strict=True)]


def run_layers(
    x: Matrix,
    layers: Sequence[Head],
) -> tuple[Matrix, list[Matrix]]:
    """Let each layer in turn read the stream and add to it.

    Args:
        x: shape (n, d), the stream as the embedding made it.
        layers: the heads, one for each layer; one that is left out is a layer removed, and there may be none.

    Returns:
        The stream behind the last layer, shape (n, d), and the attention weights of each layer, shape (n, n).

    Raises:
        ValueError: ``x`` is no matrix, ``layers`` no list or tuple of ``Head``, or two shapes do not fit.
        OverflowError: a sum, of products or not, is too large for a float.

    Examples:
        >>> run_layers([[1.0, 2.0]], [])
        ([[1.0, 2.0]], [])
    """
    require_matrix("x", x)
    require_layers(layers)
    mask, patterns = causal_mask(len(x)), []
    for head in layers:
        output, (weights,) = multi_head_attention(x, *head, heads=1, mask=mask)
        x = add(x, output)
        patterns.append(weights)
    return x, patterns


def require_layers(layers: Sequence[Head]) -> None:
    """Refuse what is no sequence of heads.

    Args:
        layers: the argument of that name.

    Raises:
        ValueError: the argument is no list or tuple, or holds what is no ``Head``.
    """
    require_several("layers", layers)
    if not isinstance(layers, Sequence) or isinstance(layers, Head):
        raise ValueError(f"layers must be a list or tuple of Head, not {type(layers).__name__}")
    for place, head in enumerate(layers):
        if not isinstance(head, Head):
            raise ValueError(f"layer {place} of layers must be a Head, not {type(head).__name__}")


def unembed(stream: Matrix, layout: StreamLayout) -> Matrix:
    """Turn the prediction slot into logits, stretched by one factor.

    Args:
        stream: shape (n, d), as ``run_layers`` returns it.
        layout: where the slots lie.

    Returns:
        Shape (n, V), the logits of the token after each row: where ``layout.weight`` or more of the slot is one
        token, softmax gives it as much. An empty slot gives zeros, all tokens alike.

    Raises:
        ValueError: ``layout`` is no ``StreamLayout``, or the stream no matrix of its width.

    Examples:
        >>> layout = StreamLayout(size=2, position_width=2, weight=0.75)
        >>> [[round(z, 4) for z in row] for row in unembed([[0.0] * 6 + [0.25, 0.75]], layout)]
        [[0.5493, 1.6479]]
    """
    require_layout(layout)
    require_matrix("stream", stream)
    if len(stream[0]) != layout.width:
        shapes = f"{shape_of(stream)} and {(len(stream), layout.width)}"
        raise ValueError(f"stream must be as wide as layout says, not the shapes {shapes}")
    factor = sharpness(2 * layout.weight - 1, layout.size, layout.weight)
    return matmul(stream, scale(read_slot(layout, "prediction"), factor))
