"""What a stream holds behind a few blocks: pre-norm adds steps of one size, post-norm pins, no norm multiplies (lesson 21).

Pre- and post-norm are taken for each other: github.com/harvardnlp/annotated-transformer/issues/92.
"""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector
from nextword.transformer import layer_norm, post_norm_block, pre_norm_block

BLOCKS = 3
ROW = [8.0, 2.0, 2.0, 8.0]


def attention(x: Matrix) -> Matrix:
    """A single token gives itself all the weight, and gets its own row."""
    return x


def mlp(row: Vector) -> Vector:
    """Stands for a feed-forward layer: it doubles what it reads."""
    return [2 * number for number in row]


def norm(row: Vector) -> Vector:
    """Layer norm, without gamma, beta and epsilon."""
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


def normed_stream() -> dict[str, Vector]:
    """Add to the normalized copy in place of the stream."""
    signs = [1.0, -1.0, -1.0, 1.0]
    return {**solution(), "pre-norm": [3 * sign for sign in signs]}


def normed_branch() -> dict[str, Vector]:
    """Normalize what is added, not the sum."""
    signs, step = [1.0, -1.0, -1.0, 1.0], 1 + 1
    pairs = zip(ROW, signs, strict=True)
    stream = [n + BLOCKS * step * sign for n, sign in pairs]
    return {**solution(), "post-norm": stream}


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted streams must be, order by order."""
    right = solution()
    yield Check(
        "It says what the pre-norm stream holds",
        lambda: answer["pre-norm"],
        right["pre-norm"],
        "Pre-norm normalizes a copy for the sublayer. To what is the result added?",
    )
    yield Check(
        "It says what the post-norm stream holds",
        lambda: answer["post-norm"],
        right["post-norm"],
        "Post-norm normalizes the sum, the stream itself with what was added to it.",
    )
    yield Check(
        "It says what the stream holds without a norm",
        lambda: answer["no norm"],
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
            normed_stream,
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
