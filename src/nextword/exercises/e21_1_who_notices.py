"""Norm and feed-forward layer work on each token alone; attention carries as far as its mask, a stack further (lesson 21).

That layer norm takes its statistics over all tokens is a known belief: github.com/karpathy/minGPT/issues/113.
"""

import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import Mask, causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector, draw_matrix
from nextword.transformer import MatrixFunction, feed_forward, layer_norm, pre_norm_block

TOKENS = 6
CHANGED = 2


def narrow_mask(n: int) -> Mask:
    """Let each token look at itself and at the one just before it."""
    return [[0 <= i - j <= 1 for j in range(n)] for i in range(n)]


def rows_that_notice(part: MatrixFunction, x: Matrix) -> list[int]:
    """Give row CHANGED other numbers: which rows of the result differ?"""
    other = [*x[:CHANGED], [0.9, -0.7, 0.1, 0.5], *x[CHANGED + 1 :]]
    pairs = zip(part(x), part(other), strict=True)
    return [row for row, (one, two) in enumerate(pairs) if one != two]


def start() -> dict[str, list[int]]:
    """Which rows behind each part notice that one token was changed."""
    rng = random.Random(21)
    x, w_1 = draw_matrix(TOKENS, 4, 1.0, rng), draw_matrix(4, 8, 1.0, rng)
    w_2 = draw_matrix(8, 4, 1.0, rng)

    def mlp(row: Vector) -> Vector:
        return feed_forward(row, w_1, [0.1] * 8, w_2, [0.1] * 4)

    def block(x: Matrix, mask: Mask) -> Matrix:
        attend = scaled_dot_product_attention
        return pre_norm_block(x, lambda y: attend(y, y, y, mask)[0], mlp)

    wide, narrow = causal_mask(TOKENS), narrow_mask(TOKENS)
    parts: dict[str, MatrixFunction] = {
        "layer norm": lambda x: [layer_norm(row) for row in x],
        "feed-forward": lambda x: [mlp(row) for row in x],
        "causal block": lambda x: block(x, wide),
        "narrow block": lambda x: block(x, narrow),
        "stacked": lambda x: block(block(x, narrow), narrow),
    }
    return {name: rows_that_notice(parts[name], x) for name in parts}


def reached(rows: list[int], mask: Mask) -> list[int]:
    """The rows that a mask lets look at one of these rows."""
    return [i for i, seen in enumerate(mask) if any(seen[j] for j in rows)]


def solution() -> dict[str, list[int]]:
    """Follow the masks: nothing else carries from row to row."""
    once = reached([CHANGED], narrow_mask(TOKENS))
    return {
        "layer norm": [CHANGED],
        "feed-forward": [CHANGED],
        "causal block": reached([CHANGED], causal_mask(TOKENS)),
        "narrow block": once,
        "stacked": reached(once, narrow_mask(TOKENS)),
    }


def norm_over_all_tokens() -> dict[str, list[int]]:
    """Let the norm, and so each block, bring everyone the news."""
    everyone = list(range(TOKENS))
    parts = ["layer norm", "causal block", "narrow block", "stacked"]
    return {**dict.fromkeys(parts, everyone), "feed-forward": [CHANGED]}


def reach_of_a_block() -> dict[str, list[int]]:
    """Read the narrow mask once, for the whole stack."""
    looking = [CHANGED, CHANGED + 1]
    return {
        "layer norm": [CHANGED],
        "feed-forward": [CHANGED],
        "causal block": list(range(CHANGED, TOKENS)),
        "narrow block": looking,
        "stacked": looking,
    }


def rows_of(answer: Any, part: str) -> Any:
    """The rows that the answer names for a part; a set of them is as good as a list."""
    if not isinstance(answer, dict) or part not in answer:
        raise Differs(f"a dict is asked, and its key {part!r} is missing")
    rows = answer[part]
    return sorted(rows) if isinstance(rows, set) else rows


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted rows must be, part by part."""
    right = solution()
    single, blocks = ("layer norm", "feed-forward"), ("causal block", "narrow block")
    yield Check(
        "It says who notices behind parts that are given a single row",
        lambda: [rows_of(answer, part) for part in single],
        [right[part] for part in single],
        "Norm and feed-forward layer get a single row. What could they know of others?",
    )
    yield Check(
        "It says who notices behind a block, whatever its mask",
        lambda: [rows_of(answer, part) for part in blocks],
        [right[part] for part in blocks],
        "In a block attention alone mixes rows. Row i of a mask says where token i looks.",
    )
    yield Check(
        "It says who notices behind the blocks that are stacked",
        lambda: rows_of(answer, "stacked"),
        right["stacked"],
        "The upper block reads what the lower one gave. Which rows differ there already?",
    )


EXERCISE = Exercise(
    ident="21.1",
    title="Who notices a changed token?",
    level="predict",
    name="who_notices",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            norm_over_all_tokens,
            "takes the norm to look at all tokens, so that every row notices",
            "It says who notices behind parts that are given a single row",
        ),
        Wrong(
            reach_of_a_block,
            "takes the mask for the reach of the whole stack",
            "It says who notices behind the blocks that are stacked",
        ),
    ),
)
