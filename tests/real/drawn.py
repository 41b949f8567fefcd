"""What the comparisons with torch share: random matrices of a seed, the difference of two results, and our weights in their layers."""

import math
import random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

torch.set_num_threads(1)

CASES = 200

Lists = list[list[float]]

FLOATS = [
    pytest.param(torch.float32, 1e-6, id="float32"),
    pytest.param(torch.float64, 1e-12, id="float64"),
]
both = pytest.mark.parametrize(("dtype", "limit"), FLOATS)
"""Each comparison in both precisions, with the largest difference that is allowed."""


class Draws:
    """Random sizes, matrices and masks of one seed; every number fits into float32."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)

    def size(self, largest: int) -> int:
        return self.rng.randint(1, largest)

    def vector(self, width: int, spread: float = 1.0) -> list[float]:
        return [float(np.float32(self.rng.gauss(0, spread))) for _ in range(width)]

    def matrix(self, rows: int, columns: int, spread: float = 1.0) -> Lists:
        return [self.vector(columns, spread) for _ in range(rows)]

    def weights(self, rows: int, columns: int) -> Lists:
        """Weights that keep the size of what they are multiplied by."""
        return self.matrix(rows, columns, 1 / math.sqrt(rows))

    def mask(self, n: int, m: int) -> list[list[bool]]:
        """At random, but no query is left with nothing to look at."""
        rows = [[self.rng.random() < 0.6 for _ in range(m)] for _ in range(n)]
        for row in rows:
            row[self.rng.randrange(m)] = True
        return rows


def gap(ours: Any, theirs: Tensor) -> float:
    """The largest difference between two results of one shape; where a number is above 1, in proportion to it."""
    plain = torch.as_tensor(np.asarray(ours), dtype=torch.float64)
    assert plain.shape == theirs.shape
    difference = (plain - theirs.double()).abs() / plain.abs().clamp(min=1)
    return float(difference.max())


def set_to(parameter: Tensor, values: Any) -> None:
    parameter.copy_(torch.tensor(values, dtype=parameter.dtype))


def their_attention(
    width: int, heads: int, dtype: torch.dtype, projections: list[Lists]
) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with our weights: it multiplies by the transpose, and stacks three of them."""
    layer = nn.MultiheadAttention(width, heads, bias=False, batch_first=True, dtype=dtype).eval()
    load_attention(layer, projections, dtype)
    return layer


def load_attention(layer: nn.MultiheadAttention, projections: list[Lists], dtype: torch.dtype) -> None:
    w_q, w_k, w_v, w_o = (torch.tensor(w, dtype=dtype).T for w in projections)
    layer.in_proj_weight.copy_(torch.cat([w_q, w_k, w_v]))
    layer.out_proj.weight.copy_(w_o)
