"""What a stream holds behind a few blocks: pre-norm adds steps of one size, post-norm pins, no norm multiplies.

Pre- and post-norm are taken for each other: github.com/harvardnlp/annotated-transformer/issues/92.
"""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector
from nextword.transformer import layer_norm, post_norm_block, pre_norm_block

BLOCKS = 3
ROW = [8.0, 2.0, 2.0, 8.0]


def attention(x: Matrix) -> Matrix:
    """The only token gets its own row; shape (1, d), as it came."""
    return x


def mlp(row: Vector) -> Vector:
    """Stands for a feed-forward layer: it doubles a row of width d."""
    return [2 * number for number in row]


def norm(row: Vector) -> Vector:
    """Layer norm of a row of width d, without gamma, beta, epsilon."""
    return layer_norm(row, eps=0)


def start() -> dict[str, Vector]:
    """The stream of one token behind a few blocks of each kind."""
    pre = post = bare = [ROW]
    for _ in range(BLOCKS):
        pre = pre_norm_block(pre, attention, mlp, norm, norm)
        post = post_norm_block(post, attention, mlp, norm, norm)
        bare = pre_norm_block(bare, attention, mlp, list, list)
    return {"pre-norm": pre[0], "post-norm": post[0], "no norm": bare[0]}


def solution() -> dict[str, Vector]:
    """In the norm each number is as far from the mean: plus or minus one."""
    mean = sum(ROW) / len(ROW)
    signs = [1.0 if number > mean else -1.0 for number in ROW]
    step = 1 + 2  # attention adds the signs, the doubling adds them twice
    factor = 2 * 3  # x + x, and then h + 2 h
    pairs = zip(ROW, signs, strict=True)
    return {
        "pre-norm": [n + BLOCKS * step * sign for n, sign in pairs],
        "post-norm": signs,
        "no norm": [factor**BLOCKS * n for n in ROW],
    }


def added_to_the_copy() -> dict[str, Vector]:
    """In pre-norm, add to the normalized copy: each block starts anew."""
    signs = [1.0, -1.0, -1.0, 1.0]
    return {
        "pre-norm": [sign + 2 * sign for sign in signs],
        "post-norm": signs,
        "no norm": [(2 * 3) ** BLOCKS * n for n in ROW],
    }


def normed_branch() -> dict[str, Vector]:
    """In post-norm, normalize what is added, not the sum."""
    pairs = list(zip(ROW, [1.0, -1.0, -1.0, 1.0], strict=True))
    return {
        "pre-norm": [n + BLOCKS * (1 + 2) * sign for n, sign in pairs],
        "post-norm": [n + BLOCKS * (1 + 1) * sign for n, sign in pairs],
        "no norm": [(2 * 3) ** BLOCKS * n for n in ROW],
    }


def row_of(answer: Any, kind: str) -> Any:
    """The row that the answer names for a kind of block."""
    if not isinstance(answer, dict) or kind not in answer:
        raise Differs(f"a dict is asked, and its key {kind!r} is missing")
    return answer[kind]


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted streams must be, order by order."""
    right = solution()
    yield Check(
        "It says what the pre-norm stream holds",
        lambda: row_of(answer, "pre-norm"),
        right["pre-norm"],
        "Pre-norm normalizes a copy for the sublayer. To what is the result added?",
    )
    yield Check(
        "It says what the post-norm stream holds",
        lambda: row_of(answer, "post-norm"),
        right["post-norm"],
        "Post-norm normalizes the sum, the stream itself with what was added to it.",
    )
    yield Check(
        "It says what the stream holds without a norm",
        lambda: row_of(answer, "no norm"),
        right["no norm"],
        "Without a norm each sublayer reads the stream as it is, however large by then.",
    )


EXERCISE = Exercise(
    ident="21.2",
    title="What does the stream hold?",
    level="predict",
    name="streams",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            added_to_the_copy,
            "adds to the normalized copy, so that the stream is lost",
            "It says what the pre-norm stream holds",
        ),
        Wrong(
            normed_branch,
            "normalizes what a post-norm sublayer gives, before the sum",
            "It says what the post-norm stream holds",
        ),
    ),
)
