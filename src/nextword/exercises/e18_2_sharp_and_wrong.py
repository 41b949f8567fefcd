"""Better at most steps, worse by perplexity: it weighs how much, not how often (lesson 18, panel 18.4)."""

from collections.abc import Iterator
from typing import Any

from nextword.entropy import perplexity
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short
from nextword.ngram import AddK, count_ngrams, token_probabilities, vocabulary_of

LINES = [
    "the wind blew and the door fell shut",
    "the rain fell and the river rose",
    "the door blew shut and the lamp fell",
    "the river fell and the wind rose",
]
SHARE = 0.8


def start(line: str) -> tuple[float, float, float]:
    """At what share of its steps is sharp better, and how do both score?"""
    corpus = [known.split() for known in LINES]
    counts, vocabulary = count_ngrams(corpus, 2), vocabulary_of(corpus)
    sharp = AddK(counts, vocabulary, k=0.001)
    smooth = AddK(counts, vocabulary, k=1)
    one = token_probabilities(sharp, [line.split()])
    other = token_probabilities(smooth, [line.split()])
    better = [a > b for a, b in zip(one, other, strict=True)]
    return sum(better) / len(better), perplexity(one), perplexity(other)


def solution() -> str:
    """A line that breaks off: all pairs were counted but the last."""
    return "the wind blew and the"


def all_counted() -> str:
    """A new line of pairs that were all counted."""
    return "the door fell and the river rose"


def scrambled() -> str:
    """The words of a line in an order of which nearly nothing was counted."""
    return "shut fell door the and blew wind the"


def checks(answer: Any) -> Iterator[Check]:
    """What must be so for the line that was found."""
    words = {word for line in LINES for word in line.split()}

    def strangers() -> list[str]:
        if not (isinstance(answer, str) and answer.split()):
            raise Differs(f"got {short(answer)}, expected a text of some words")
        return sorted(set(answer.split()) - words)

    def share() -> bool:
        found, _, _ = start(answer)
        if found <= SHARE:
            raise Differs(f"sharp is better at {found:.1%} of the steps, expected over {SHARE:.0%}")
        return True

    def scores() -> bool:
        _, sharp, smooth = start(answer)
        if sharp <= smooth or not answer.split():
            raise Differs(f"sharp {sharp:.2f}, smooth {smooth:.2f}: sharp must be the higher")
        return True

    yield Check(
        "It is a line, and the corpus has each of its words",
        strangers,
        [],
        "The model refuses a word that it does not know. It is an unseen pair that you need.",
    )
    yield Check(
        "At enough of its steps the sharp model gives more",
        share,
        True,
        "Where a pair was never counted the sharp model gives less: use few of them.",
    )
    yield Check(
        "Yet the sharp model has the higher perplexity",
        scores,
        True,
        "One step must cost it more than the others gain. Wins are not counted.",
    )


EXERCISE = Exercise(
    ident="18.2",
    title="Better at most steps, and worse",
    level="find an example",
    name="compare_sharp_and_smooth",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            all_counted,
            "is a new line, but each of its pairs was counted",
            "Yet the sharp model has the higher perplexity",
        ),
        Wrong(
            scrambled,
            "has the words of a line in an order that was never counted",
            "At enough of its steps the sharp model gives more",
        ),
    ),
)
