"""Interpolation of all orders: markers, contexts that never came, and rows that sum to one all the same (lesson 18)."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from nextword.exercises.asking import Differs, differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import cut_to_line, same
from nextword.ngram import Counts, Interpolation, vocabulary_of

Model = Callable[[str, tuple[str, ...]], float]


def start(sentences: list[list[str]], weights: list[float]) -> Model:
    """Make a model of order n that mixes all orders up to n.

    n - 1 times <s> stands before a sentence, and one </s> after it. The
    vocabulary is the words and </s>, each as likely as another before
    anything is counted. Then each order in turn, the unigrams first, has
    its weight, and what was found so far has the rest. Where a context
    never came, what was found so far stays as it is.

    Args:
        sentences: the training text, at least one; each a list of words.
        weights: n numbers, at least 0 and below 1: of each order the
            share of its own counts, that of the unigrams first.

    Returns:
        A function of a token and the tuple of the n - 1 tokens before it,
        the oldest first, which returns the token's probability.
    """
    raise NotImplementedError("count after each ending of a context")


def solution(sentences: list[list[str]], weights: list[float]) -> Model:
    """Count each token after every ending of its context, then mix."""
    before = len(weights) - 1
    rows: dict[Any, Counter[str]] = defaultdict(Counter)
    words = {"</s>"}.union(*sentences)
    for sentence in sentences:
        tokens = ["<s>"] * before + sentence + ["</s>"]
        for at in range(before, len(tokens)):
            for length in range(before + 1):
                ending = tuple(tokens[at - length : at])
                rows[ending][tokens[at]] += 1

    def probability(token: str, context: tuple[str, ...]) -> float:
        p = 1 / len(words)
        for length, weight in enumerate(weights):
            row = rows.get(context[before - length :])
            if row:
                p = weight * row[token] / row.total() + (1 - weight) * p
        return p

    return probability


def counts_the_start(sentences: list[list[str]], weights: list[float]) -> Model:
    """Count <s> among the unigrams and the words."""
    before = len(weights) - 1
    rows: dict[Any, Counter[str]] = defaultdict(Counter)
    words = {"<s>", "</s>"}.union(*sentences)
    for sentence in sentences:
        tokens = ["<s>"] * before + sentence + ["</s>"]
        for at in range(len(tokens)):
            for length in range(min(at, before) + 1):
                ending = tuple(tokens[at - length : at])
                rows[ending][tokens[at]] += 1

    def probability(token: str, context: tuple[str, ...]) -> float:
        p = 1 / len(words)
        for length, weight in enumerate(weights):
            row = rows.get(context[before - length :])
            if row:
                p = weight * row[token] / row.total() + (1 - weight) * p
        return p

    return probability


def mixes_in_zeros(sentences: list[list[str]], weights: list[float]) -> Model:
    """Take a context that never came for one after which nothing comes."""
    before = len(weights) - 1
    rows: dict[Any, Counter[str]] = defaultdict(Counter)
    words = {"</s>"}.union(*sentences)
    for sentence in sentences:
        tokens = ["<s>"] * before + sentence + ["</s>"]
        for at in range(before, len(tokens)):
            for length in range(before + 1):
                ending = tuple(tokens[at - length : at])
                rows[ending][tokens[at]] += 1

    def probability(token: str, context: tuple[str, ...]) -> float:
        p = 1 / len(words)
        for length, weight in enumerate(weights):
            row = rows[context[before - length :]]
            p = weight * row[token] / max(row.total(), 1) + (1 - weight) * p
        return p

    return probability


def compared(answer: Any, rng: random.Random) -> bool:
    """Whether an answer gives what the library's model gives; raises where it does not."""
    words = ["wind", "rain", "sun", "fog"][: rng.randint(1, 4)]
    text = [[*words], *([rng.choice(words) for _ in range(rng.randint(0, 5))] for _ in "abc")]
    weights = [round(rng.random() * 0.99, 2) for _ in range(rng.randint(1, 4))]
    contexts = [tuple(rng.choice(["<s>", *words]) for _ in weights[1:]) for _ in "abcdef"]
    vocabulary, order = vocabulary_of(text, markers=False), len(weights)
    ours = Interpolation(Counts(text, order), order, vocabulary, [*weights])
    model = answer([[*sentence] for sentence in text], [*weights])
    for context in contexts:
        for token, p in ours.distribution(context).items():
            got = model(token, context)
            if not same(got, p):
                calls = [f"model = interpolate({text},", f"    {weights})", f"model({token!r}, {context}):"]
                raise Differs("\n".join([*map(cut_to_line, calls), differs(got, p)]))
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What the model must give."""
    text = [["the", "wind", "rose"], ["the", "wind", "fell"], ["the", "rain", "fell"]]
    words = vocabulary_of(text, markers=False)

    def model(weights: list[float]) -> Any:
        return answer([[*sentence] for sentence in text], weights)

    def sums(weights: list[float], contexts: list[tuple[str, ...]]) -> list[float]:
        made = model(weights)
        return [math.fsum(made(word, context) for word in words) for context in contexts]

    yield Check(
        "After contexts that came the rows sum to one over words and </s>",
        lambda: sums([0.5, 0.5, 0.5], [("<s>", "<s>"), ("<s>", "the"), ("the", "wind")]),
        [1.0, 1.0, 1.0],
        "<s> is given, never predicted: neither a word nor counted as a unigram.",
    )
    yield Check(
        "After contexts that never came they sum to one as well",
        lambda: sums([0.5, 0.5, 0.5], [("rose", "the"), ("fell", "rose"), ("rose", "rose")]),
        [1.0, 1.0, 1.0],
        "A context that never came says nothing: zeros for it lose probability.",
    )
    yield Check(
        "With no weight for the bigrams the unigrams decide",
        lambda: model([0.4, 0.0])("wind", ("the",)),
        0.4 * 2 / 12 + 0.6 / 6,
        "The empty ending is (), its row counts every token. `context[-0:]` is all of it.",
    )
    yield Check(
        "A bigram model by hand: wind after the, with its unigrams and the even share",
        lambda: model([0.4, 0.7])("wind", ("the",)),
        0.7 * 2 / 3 + 0.3 * (0.4 * 2 / 12 + 0.6 / 6),
        "Begin with the even share, then the unigrams, then the counts after it.",
    )
    yield Check(
        "On random texts, orders and contexts it agrees with the library",
        lambda: all(compared(answer, random.Random(seed)) for seed in range(30)),
        True,
    )


EXERCISE = Exercise(
    ident="18.7",
    title="A model that mixes all orders",
    level="implement",
    name="interpolate",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            counts_the_start,
            "counts the marker before a sentence as a token that comes",
            "After contexts that came the rows sum to one over words and </s>",
        ),
        Wrong(
            mixes_in_zeros,
            "mixes in zeros where a context never came",
            "After contexts that never came they sum to one as well",
        ),
    ),
)
