"""Causal attention with several heads on arrays: the arithmetic of ``nextword.attention`` at a realistic size.

What the plain version does in loops over heads, queries and keys is here a handful of products of arrays. An axis of the
array stands where the loop stood. All functions take leading axes, written ``...``: none for one sequence, one for a
batch of sequences of the same length. The arrays hold floats, and the result has the widest of their types.

This module needs NumPy 2.2 or later.

Sources: Vaswani et al. (2017), "Attention Is All You Need", section 3.2; Harris et al. (2020), "Array programming with
NumPy" (axes, strides, broadcasting).
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from nextword.arguments import require_whole_number

Floats = npt.NDArray[np.floating[Any]]
"""An array of floats: float64, float32 or float16."""

BLOCK = 64
"""How many queries ``causal_softmax_in_place`` takes at a time."""


def require_floats(name: str, value: Floats, axes: int, at_least: bool = False) -> None:
    """Refuse what is no array of floats with so many axes.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.
        axes: how many axes it has.
        at_least: True allows further, leading axes.

    Raises:
        ValueError: the value is no NumPy array, or of a subclass, such as a masked array, whose mask would be lost;
            it holds no floats, or has another number of axes or one of length 0.
    """
    if type(value) is not np.ndarray:
        raise ValueError(f"{name} must be a NumPy array, of no subclass, not {value!r}")
    if not np.issubdtype(value.dtype, np.floating):
        raise ValueError(f"{name} must hold floats, not {value.dtype}")
    if value.ndim < axes or (value.ndim > axes and not at_least) or 0 in value.shape:
        allowed = f"{'at least ' if at_least else ''}{axes} axes, none of length 0"
        raise ValueError(f"{name} must have {allowed}, not the shape {value.shape}")


@np.errstate(all="ignore")
def all_finite(array: Floats) -> bool:
    """Tell whether an array is free of nan and the infinities.

    One of them makes the sum of the squares nan or infinite, and that sum takes less time than a look at each number.
    It can also outgrow its floats without them; then each number is looked at.

    Args:
        array: an array of floats.

    Returns:
        True if every number is finite.

    Examples:
        >>> all_finite(np.array([1e308, -1e308])), all_finite(np.array([1.0, -np.inf]))
        (True, False)
    """
    return bool(np.isfinite(np.vdot(array, array)) or np.isfinite(array).all())


def require_finite(name: str, value: Floats) -> None:
    """Refuse nan and the infinities.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument, an array of floats.

    Raises:
        ValueError: a number in it is not finite.
    """
    if not all_finite(value):
        raise ValueError(f"{name} must hold finite numbers, not {float(value[~np.isfinite(value)][0])}")


def require_dividing_heads(name: str, array: Floats, heads: int) -> None:
    """Refuse a number of heads that does not divide the last axis of an array.

    Args:
        name: what the caller's array is called, for the message.
        array: shape (..., d).
        heads: the number.

    Raises:
        ValueError: the number is no whole number of at least 1, or does not divide d.
    """
    require_whole_number("heads", heads, smallest=1)
    if array.shape[-1] % heads:
        raise ValueError(f"heads must divide the width of {name}, {array.shape[-1]}, not be {heads}")


def require_array_projections(
    x: Floats, w_q: Floats, w_k: Floats, w_v: Floats, w_o: Floats, heads: int
) -> None:
    """Refuse weights that do not fit the tokens, one another, or the number of heads.

    Args:
        x: shape (..., n, d).
        w_q: shape (d, heads x d_k).
        w_k: shape (d, heads x d_k).
        w_v: shape (d, heads x d_v).
        w_o: shape (heads x d_v, e).
        heads: how many heads.

    Raises:
        ValueError: an argument is no array of finite floats, or no number of heads; two shapes do not fit, and the
            message says both; or the number of heads does not divide what it must.
    """
    require_floats("x", x, axes=2, at_least=True)
    require_finite("x", x)
    for name, weights in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        require_floats(name, weights, axes=2)
        require_finite(name, weights)
        if x.shape[-1] != weights.shape[0]:
            shapes = f"{x.shape} and {weights.shape}"
            raise ValueError(f"x must be as wide as {name} has rows, not of the shapes {shapes}")
    require_floats("w_o", w_o, axes=2)
    require_finite("w_o", w_o)
    for name, weights in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        require_dividing_heads(name, weights, heads)
    if w_q.shape != w_k.shape:
        shapes = f"{w_q.shape} and {w_k.shape}"
        raise ValueError(f"w_q and w_k must give heads of one width, not have the shapes {shapes}")
    if w_v.shape[1] != w_o.shape[0]:
        shapes = f"{w_v.shape} and {w_o.shape}"
        raise ValueError(f"w_o must have a row for each number of the merged heads, not the shapes {shapes}")


def refuse_overflow(name: str, array: Floats) -> None:
    """Say that a result was too large for its floats, before it spreads as infinity or nan.

    Args:
        name: what the result is called, for the message.
        array: the result.

    Raises:
        OverflowError: a number in it is not finite.
    """
    if not all_finite(array):
        raise OverflowError(f"{name} are too large for {array.dtype}")


def split_into_heads(projected: Floats, heads: int) -> Floats:
    """Cut the last axis into heads, and move heads before tokens.

    The same numbers as ``nextword.attention.split_heads`` gives, as one array. Reshaping straight to
    (..., heads, n, d) would give the same shape and other numbers.

    Args:
        projected: shape (..., n, heads x d).
        heads: how many parts, at least 1.

    Returns:
        Shape (..., heads, n, d): head 0 has the first d columns, and so on. A view where NumPy can give one.

    Raises:
        ValueError: the argument is no array of floats, or ``heads`` no whole number of at least 1 that divides its
            width.

    Examples:
        >>> split_into_heads(np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2).tolist()
        [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    require_floats("projected", projected, axes=2, at_least=True)
    require_dividing_heads("projected", projected, heads)
    *batch, n, width = projected.shape
    cut = projected.reshape(*batch, n, heads, width // heads)
    return cut.swapaxes(-3, -2)  # (..., heads, n, d)


def merge_from_heads(parts: Floats) -> Floats:
    """Put heads side by side: undo ``split_into_heads``.

    Args:
        parts: shape (..., heads, n, d).

    Returns:
        Shape (..., n, heads x d).

    Raises:
        ValueError: the argument is no array of floats, or has fewer than three axes.

    Examples:
        >>> merge_from_heads(np.array([[[1.0, 2.0]], [[3.0, 4.0]]])).tolist()
        [[1.0, 2.0, 3.0, 4.0]]
    """
    require_floats("parts", parts, axes=3, at_least=True)
    *batch, heads, n, width = parts.shape
    rows = parts.swapaxes(-3, -2)  # (..., n, heads, d)
    return rows.reshape(*batch, n, heads * width)


@np.errstate(over="ignore")  # a gap beyond all floats: its power is 0
def causal_softmax_in_place(scores: Floats) -> Floats:
    """Do ``causal_softmax`` in the memory of the scores, which are lost.

    It goes by blocks of queries, and each step writes over the one before it. So the block stays in the processor's
    cache from step to step, and no power is taken of what only a later block may see.

    Args:
        scores: shape (..., n, n), finite. The caller has made sure.

    Returns:
        The same array, which now holds the weights.

    Examples:
        >>> scores = np.array([[1.0, 9.0], [2.0, 2.0]])
        >>> causal_softmax_in_place(scores) is scores, scores.tolist()
        (True, [[1.0, 0.0], [0.5, 0.5]])
    """
    n = scores.shape[-1]
    size = min(n, BLOCK)
    future = np.triu(np.full((size, size), -math.inf, scores.dtype), k=1)  # where j > i; 0 elsewhere
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        scores[..., start:stop, start:stop] += future[: stop - start, : stop - start]
        scores[..., start:stop, stop:] = 0
        seen = scores[..., start:stop, :stop]  # a view: what is done to it is done to the scores
        seen -= seen.max(axis=-1, keepdims=True)
        np.exp(seen, out=seen)
        seen /= seen.sum(axis=-1, keepdims=True)
    return scores


def causal_softmax(scores: Floats) -> Floats:
    """Turn rows of scores into weights, none on a later token.

    Args:
        scores: shape (..., n, n): key j for query i in row i, column j.

    Returns:
        The same shape: each row sums to 1 but for rounding, and is exactly 0 where j > i.

    Raises:
        ValueError: the argument is no array of finite floats, or its last two axes differ in length.

    Examples:
        >>> causal_softmax(np.array([[1.0, 9.0], [2.0, 2.0]])).tolist()
        [[1.0, 0.0], [0.5, 0.5]]
    """
    require_floats("scores", scores, axes=2, at_least=True)
    require_finite("scores", scores)
    if scores.shape[-2] != scores.shape[-1]:
        raise ValueError(f"scores must be square, not of shape {scores.shape}")
    return causal_softmax_in_place(scores.copy())


@np.errstate(over="ignore", invalid="ignore")  # refuse_overflow says it
def causal_multi_head_attention(
    x: Floats,
    w_q: Floats,
    w_k: Floats,
    w_v: Floats,
    w_o: Floats,
    heads: int,
) -> tuple[Floats, Floats]:
    """Do ``multi_head_attention`` under a causal mask, on arrays.

    The masked scores are computed and thrown away, as in most code without a fused kernel, and all the weights are
    held in memory at once: heads x n x n numbers for each sequence.

    Source: Vaswani et al. (2017), sections 3.2.2 and 3.2.3.

    Args:
        x: shape (..., n, d), a row for each token.
        w_q: shape (d, heads x d_k).
        w_k: shape (d, heads x d_k).
        w_v: shape (d, heads x d_v).
        w_o: shape (heads x d_v, e).
        heads: how many heads, at least 1.

    Returns:
        The output, shape (..., n, e), and the weights, shape (..., heads, n, n).

    Raises:
        ValueError: an argument is no array of finite floats; two shapes do not fit, and the message says both; or
            ``heads`` is no whole number of at least 1, or does not divide a width.
        OverflowError: a number is too large for the type of the floats.

    Examples:
        >>> one = np.eye(2)
        >>> output, weights = causal_multi_head_attention(np.array([[2.0, 3.0]]), one, one, one, one, heads=2)
        >>> output.tolist(), weights.shape
        ([[2.0, 3.0]], (2, 1, 1))
    """
    require_array_projections(x, w_q, w_k, w_v, w_o, heads)
    queries = split_into_heads(x @ w_q, heads)  # (..., heads, n, d_k)
    keys = split_into_heads(x @ w_k, heads)
    values = split_into_heads(x @ w_v, heads)  # (..., heads, n, d_v)
    scores = (queries / math.sqrt(keys.shape[-1])) @ keys.swapaxes(-1, -2)
    refuse_overflow("scores", scores)
    weights = causal_softmax_in_place(scores)  # (..., heads, n, n)
    output = merge_from_heads(weights @ values) @ w_o  # (..., n, e)
    refuse_overflow("outputs", output)
    return output, weights
