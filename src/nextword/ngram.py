"""Next-word models made of counts: how often did each token follow the n - 1 tokens before it?

A sentence is a list of tokens. `START` stands n - 1 times before it and is never predicted; `END` stands once
after it and is predicted like a word. A context is the tuple of the n - 1 tokens before a token; n is the
order of the model.

Sources: Shannon (1948), "A Mathematical Theory of Communication", section 3 (counting); Jelinek and Mercer
(1980), "Interpolated Estimation of Markov Source Parameters from Sparse Data"; Ney, Essen and Kneser (1994),
"On Structuring Probabilistic Dependences in Stochastic Language Modelling" (absolute discounting); Kneser and
Ney (1995), "Improved Backing-off for M-gram Language Modeling"; Chen and Goodman (1999), "An Empirical Study
of Smoothing Techniques for Language Modeling", which compares them.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from math import fsum, inf, log
from typing import TypeVar

from nextword.arguments import require_number, require_several, require_text, require_whole_number
from nextword.sampling import draw

START = "<s>"
"""Stands before a sentence, n - 1 times; never predicted."""

END = "</s>"
"""Stands after a sentence, once; predicted like a word."""

Context = tuple[str, ...]
"""The n - 1 tokens before a token, the oldest first."""

Rows = Mapping[Context, Mapping[str, int]]
"""For each context how often each token followed it."""

Setting = TypeVar("Setting")


class UnseenContext(ValueError):
    """A model that only counts was asked about a context that never came."""


def require_tokens(name: str, tokens: object) -> None:
    """Refuse what is no sequence of tokens, such as a text that was not split.

    Args:
        name: what the caller's argument is called, for the message.
        tokens: the argument.

    Raises:
        ValueError: it is a ``str`` or no sequence, or a token is no ``str``.
    """
    if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Sequence):
        raise ValueError(f"{name} must be a list or tuple of tokens, not {tokens!r}")
    if not {str}.issuperset(map(type, tokens)):  # or at least subclasses of str
        for token in tokens:
            if not isinstance(token, str):
                raise ValueError(f"{name} must hold tokens that are str, not {token!r}")


def require_sentence(sentence: Sequence[str]) -> None:
    """Refuse what is no sentence.

    Args:
        sentence: the tokens, without markers; none is fine.

    Raises:
        ValueError: it is a ``str`` or no sequence, or a token is no ``str`` or a marker.
    """
    require_tokens("sentence", sentence)
    if not {START, END}.isdisjoint(sentence):
        marker = START if START in sentence else END
        raise ValueError(f"sentence must hold no marker, not {marker!r}")


def require_sentences(sentences: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Refuse what is no text, and hold on to one that can be read only once.

    Args:
        sentences: the text.

    Returns:
        The sentences, each checked.

    Raises:
        ValueError: there is no sentence, or one is no sequence of tokens or holds a marker.
    """
    require_several("sentences", sentences)
    kept = list(sentences)
    if not kept:
        raise ValueError(f"sentences must hold at least one sentence, not {sentences!r}")
    for sentence in kept:
        require_sentence(sentence)
    return kept


def padded_ngrams(
    sentence: Sequence[str],
    order: int,
) -> list[tuple[str, ...]]:
    """Pad a sentence with its markers and list all runs of n tokens.

    Args:
        sentence: the tokens, without markers.
        order: n, at least 1.

    Returns:
        One tuple of n tokens for each token of the sentence, which stands last in it, and one for `END`.

    Raises:
        ValueError: the sentence is no sequence of ``str`` or holds a marker; the order is no whole number
            above 0.

    Examples:
        >>> padded_ngrams(["the", "cat"], 2)
        [('<s>', 'the'), ('the', 'cat'), ('cat', '</s>')]
    """
    require_whole_number("order", order, smallest=1)
    require_sentence(sentence)
    return _padded_ngrams(sentence, order)


def _padded_ngrams(sentence: Sequence[str], order: int) -> list[tuple[str, ...]]:
    """Do the work of `padded_ngrams`, for sentences that have been checked.

    Args:
        sentence: the tokens, without markers.
        order: n, at least 1.

    Returns:
        One tuple of n tokens for each token of the sentence, and one for `END`.
    """
    tokens = [START] * (order - 1) + [*sentence, END]
    shifted = [tokens[place:] for place in range(order)]
    return list(zip(*shifted, strict=False))


def transitions(
    sentence: Sequence[str],
    order: int,
) -> list[tuple[Context, str]]:
    """Pair each token, and END, with the order - 1 tokens before it.

    Args:
        sentence: the tokens, without markers.
        order: how many tokens an n-gram has: 1 looks at no context, 2 at one token, 3 at two.

    Returns:
        One pair of context and token for each token of the sentence, and one for `END`.

    Raises:
        ValueError: the sentence is no sequence of ``str`` or holds a marker; the order is no whole number
            above 0.

    Examples:
        >>> transitions(["the", "cat"], 2)
        [(('<s>',), 'the'), (('the',), 'cat'), (('cat',), '</s>')]
        >>> transitions(["the"], 3)
        [(('<s>', '<s>'), 'the'), (('<s>', 'the'), '</s>')]
    """
    ngrams = padded_ngrams(sentence, order)
    return [(ngram[:-1], ngram[-1]) for ngram in ngrams]


def count_ngrams(
    sentences: Iterable[Sequence[str]],
    order: int,
) -> dict[Context, Counter[str]]:
    """Count which token follows which context, in rows by context.

    Source: Shannon (1948), section 3.

    Args:
        sentences: the training text, at least one sentence.
        order: how many tokens an n-gram has, at least 1.

    Returns:
        For each context of order - 1 tokens how often each token followed it, in order of first appearance.

    Raises:
        ValueError: there is no sentence, one is no sequence of ``str`` or holds a marker, or the order is no
            whole number above 0.

    Examples:
        >>> counts = count_ngrams([["the", "cat"], ["the", "dog"]], 2)
        >>> counts[("the",)]
        Counter({'cat': 1, 'dog': 1})
    """
    counts: dict[Context, Counter[str]] = {}
    for sentence in require_sentences(sentences):
        for context, token in transitions(sentence, order):
            counts.setdefault(context, Counter())[token] += 1
    return counts


def vocabulary_of(
    sentences: Iterable[Sequence[str]],
    markers: bool = True,
) -> list[str]:
    """List the distinct tokens of a text and its markers, sorted.

    Args:
        sentences: the text, at least one sentence.
        markers: False leaves out `START`, which can never come next.

    Returns:
        The tokens by code point, `END` among them, and `START` if asked for.

    Raises:
        ValueError: there is no sentence, or one is no sequence of ``str`` or holds a marker; ``markers`` is
            neither True nor False.

    Examples:
        >>> vocabulary_of([["the", "cat"], ["the", "dog"]])
        ['</s>', '<s>', 'cat', 'dog', 'the']
        >>> vocabulary_of([["the", "cat"], ["the", "dog"]], markers=False)
        ['</s>', 'cat', 'dog', 'the']
    """
    if not isinstance(markers, bool):
        raise ValueError(f"markers must be True or False, not {markers!r}")
    found = {END, START} if markers else {END}
    return sorted(found.union(*require_sentences(sentences)))


def require_rows(name: str, rows: Rows) -> int:
    """Refuse what are no counts in rows by context.

    Args:
        name: what the caller's argument is called, for the message.
        rows: the argument.

    Returns:
        The order of the counts: how many tokens a context has, and one more.

    Raises:
        ValueError: the rows are no mapping, there is none, a context is no tuple or longer than another, a
            row is no ``dict`` or empty, or a count is no whole number above 0.
    """
    if not isinstance(rows, Mapping) or not rows:
        raise ValueError(f"{name} must be a mapping of at least one context to its counts, not {rows!r}")
    first = next(iter(rows))
    order = len(first) + 1 if isinstance(first, tuple) else 1
    for context, row in rows.items():
        if not isinstance(context, tuple) or len(context) != order - 1:
            raise ValueError(f"the contexts of {name} must be tuples of one length, not {context!r}")
        whole = isinstance(row, dict) and {int}.issuperset(map(type, row.values()))
        if not whole or not row or min(row.values()) < 1:
            wanted = "must be a dict of whole numbers above 0"
            raise ValueError(f"the row of {context!r} in {name} {wanted}, not {row!r}")
    return order


class CountTable:
    """The counts of one order, checked and added up once for all models that share them.

    Attributes:
        order: n; each context has n - 1 tokens.
        rows: for each context how often each token followed it.
        totals: for each context the sum of its row.
        next_tokens: the tokens that followed some context.
        past_tokens: the tokens of the contexts.

    Examples:
        >>> CountTable({("the",): {"cat": 1, "dog": 2}}).totals
        {('the',): 3}
    """

    def __init__(self, rows: Rows) -> None:
        """Check and add up each row.

        Args:
            rows: for each context how often each token followed it; not to be changed after this.

        Raises:
            ValueError: the rows are no mapping, there is none, a context is no tuple or longer than another,
                a row is no ``dict`` or empty, or a count is no whole number above 0.
        """
        self.order = require_rows("counts", rows)
        self.rows = rows
        self.totals = {context: sum(row.values()) for context, row in rows.items()}
        self.next_tokens = frozenset(chain.from_iterable(rows.values()))
        self.past_tokens = frozenset(chain.from_iterable(rows))


class _Endings:
    """Finds the rows of a context and of its shorter endings, and remembers them for the next token or model.

    Attributes:
        tables: a table for each length of context, from 0.
        found: what was found for each context so far.
    """

    def __init__(self, tables: Sequence[CountTable]) -> None:
        """Start without anything found.

        Args:
            tables: a table for each length of context, from 0; where one has a context, the one before has
                its ending.
        """
        self.tables = tables
        self.found: dict[Context, tuple[tuple[Mapping[str, int], int], ...]] = {}

    def rows(self, context: Context) -> tuple[tuple[Mapping[str, int], int], ...]:
        """List the rows of a context's endings, with the sum of each.

        Args:
            context: no longer than the tables have them.

        Returns:
            A row and its sum for each ending that came, from no token to all of the context.
        """
        if context not in self.found:
            shorter = self.rows(context[1:]) if context else ()
            table = self.tables[len(context)]
            came = context in table.rows
            own = ((table.rows[context], table.totals[context]),) if came else ()
            self.found[context] = shorter + own
        return self.found[context]


def _as_table(counts: Rows | CountTable) -> CountTable:
    """Take a table as it is, and make one of rows.

    Args:
        counts: a table, or for each context how often each token followed it.

    Returns:
        The table.

    Raises:
        ValueError: the rows are none of a table.
    """
    return counts if isinstance(counts, CountTable) else CountTable(counts)


def _rows_of(ngrams: Mapping[tuple[str, ...], int]) -> dict[Context, dict[str, int]]:
    """Sort n-grams into rows by context.

    Args:
        ngrams: the count of each n-gram.

    Returns:
        For each context how often each token followed it, in the same order.

    Examples:
        >>> _rows_of({("the", "cat"): 1, ("the", "dog"): 2})
        {('the',): {'cat': 1, 'dog': 2}}
    """
    rows: dict[Context, dict[str, int]] = {}
    for ngram, count in ngrams.items():
        context = ngram[:-1]
        if context in rows:
            rows[context][ngram[-1]] = count
        else:
            rows[context] = {ngram[-1]: count}
    return rows


def _endings_of(ngrams: Mapping[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    """Count n-grams without their first token; equal ones add up.

    Args:
        ngrams: the count of each n-gram.

    Returns:
        The count of each shorter n-gram, in order of first appearance.

    Examples:
        >>> _endings_of({("the", "cat"): 1, ("a", "cat"): 2})
        {('cat',): 3}
    """
    endings: dict[tuple[str, ...], int] = {}
    for ngram, count in ngrams.items():
        ending = ngram[1:]
        endings[ending] = endings.get(ending, 0) + count
    return endings


class Counts:
    """The counts of all orders up to one, made once for many models.

    A model of order n needs the counts of n-grams and of all shorter ones. Models of several orders and
    settings can share one object of this class; none of them changes it.

    Attributes:
        order: the highest order counted.
        tables: the counts of each order, unigrams first: the place is the length of the contexts.

    Examples:
        >>> counts = Counts([["the", "cat"], ["the", "dog"]], 3)
        >>> counts.table(1).rows
        {(): {'the': 2, 'cat': 1, '</s>': 2, 'dog': 1}}
        >>> counts.table(2).rows == count_ngrams([["the", "cat"], ["the", "dog"]], 2)
        True
    """

    def __init__(self, sentences: Iterable[Sequence[str]], order: int) -> None:
        """Count the longest n-grams; the others are their endings.

        Args:
            sentences: the training text, at least one sentence.
            order: the highest order, at least 1.

        Raises:
            ValueError: there is no sentence, one is no sequence of ``str`` or holds a marker, or the order is
                no whole number above 0.
        """
        require_whole_number("order", order, smallest=1)
        ngrams: Counter[tuple[str, ...]] = Counter()
        for sentence in require_sentences(sentences):
            ngrams.update(_padded_ngrams(sentence, order))
        self.order = order
        self._found: dict[int, _Endings] = {}
        self.tables: list[CountTable] = []
        longest: Mapping[tuple[str, ...], int] = ngrams
        for _ in range(order):
            self.tables.insert(0, CountTable(_rows_of(longest)))
            longest = _endings_of(longest)

    def table(self, order: int) -> CountTable:
        """Give the counts of one order: its rows are those that `count_ngrams` makes.

        Args:
            order: from 1 to the highest order counted.

        Returns:
            The table, which `MaximumLikelihood` and `AddK` take in place of rows.

        Raises:
            ValueError: the order is no whole number of that range.
        """
        require_counted_order(order, self)
        return self.tables[order - 1]

    def continued(self, order: int) -> list[CountTable]:
        """Give the counts for a Kneser-Ney model: plain ones at its order, continuation counts below.

        Args:
            order: from 1 to the highest order counted.

        Returns:
            A table for each order up to this one, that of the unigrams first.

        Raises:
            ValueError: the order is no whole number of that range.
        """
        require_counted_order(order, self)
        return [*self.continuations[: order - 1], self.tables[order - 1]]

    def _endings(self, order: int, continuation: bool) -> _Endings:
        """Share what finds rows among all models that look at the same tables.

        Args:
            order: from 1 to the highest order counted.
            continuation: whether the orders below count contexts. Plain counts of all orders are shared.

        Returns:
            The same object each time.
        """
        shared = order if continuation else 0
        if shared not in self._found:
            tables = self.continued(order) if continuation else self.tables
            self._found[shared] = _Endings(tables)
        return self._found[shared]

    @cached_property
    def continuations(self) -> list[CountTable]:
        """The lower orders as Kneser-Ney counts them, that of the unigrams first."""
        return [CountTable(_continuation_rows(low.rows, high.rows)) for low, high in pairwise(self.tables)]


def continuation_counts(
    shorter: Rows,
    longer: Rows,
) -> dict[Context, dict[str, int]]:
    """Count in how many contexts an n-gram came, not how often.

    The count of an n-gram is the number of distinct tokens that stood before it. Nothing stands before
    `START`, so an n-gram that begins with it keeps its plain count.

    Source: Kneser and Ney (1995); `START` as in Heafield et al. (2013), "Scalable Modified Kneser-Ney
    Language Model Estimation".

    Args:
        shorter: the counts of n-grams.
        longer: the counts of n-grams of one token more, in the same text.

    Returns:
        New rows for the contexts and tokens of ``shorter``.

    Raises:
        ValueError: one of both holds no counts in rows; ``longer`` has not one token more, or was not counted
            in the same text.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"], ["a", "cat"]]
        >>> continuation_counts(count_ngrams(text, 1), count_ngrams(text, 2))[()]
        {'the': 1, 'a': 1, 'cat': 2, 'dog': 1, '</s>': 2}
    """
    require_same_text(shorter, longer)
    return _continuation_rows(shorter, longer)


def _continuation_rows(shorter: Rows, longer: Rows) -> dict[Context, dict[str, int]]:
    """Do the work of `continuation_counts`, without a check.

    Args:
        shorter: the counts of n-grams.
        longer: the counts of n-grams of one token more, in the same text.

    Returns:
        New rows for the contexts and tokens of ``shorter``.
    """
    counts: dict[Context, dict[str, int]] = {}
    for context in shorter:
        counts[context] = {}
    for context, row in longer.items():
        ending = counts[context[1:]]
        for token in row:
            ending[token] = ending.get(token, 0) + 1
    for context in counts:
        if context[:1] == (START,):
            counts[context] = dict(shorter[context])
    return counts


def require_same_text(shorter: Rows, longer: Rows) -> None:
    """Refuse counts of two orders that do not follow each other, or of two texts.

    Args:
        shorter: the counts of n-grams.
        longer: the counts of n-grams of one token more. Without their first token they are n-grams of the
            same text, and add up to the shorter ones.

    Raises:
        ValueError: one of both holds no counts in rows; ``longer`` has not one token more, or was not counted
            in the same text.
    """
    order = require_rows("shorter", shorter)
    longer_order = require_rows("longer", longer)
    if longer_order != order + 1:
        raise ValueError(f"longer must be of order {order + 1}, one more than shorter, not {longer_order}")
    left = {(*context, token): count for context, row in shorter.items() for token, count in row.items()}
    for context, row in longer.items():
        for token, count in row.items():
            ngram = (*context[1:], token)
            left[ngram] = left.get(ngram, 0) - count
    wrong = next((ngram for ngram, count in left.items() if count != 0), None)
    if wrong is not None:
        there = shorter.get(wrong[:-1], {}).get(wrong[-1], 0)
        wanted = f"longer must be counted in the same text as shorter, which has {wrong!r} {there} times"
        raise ValueError(f"{wanted}, not {there - left[wrong]}")


def require_counted_order(order: int, counts: Counts) -> None:
    """Refuse an order that was not counted.

    Args:
        order: the order of a model.
        counts: the counts that it is made from.

    Raises:
        ValueError: ``counts`` is no `Counts`, or the order is no whole number from 1 to that of the counts.
    """
    if not isinstance(counts, Counts):
        raise ValueError(f"counts must be of type Counts, not {counts!r}")
    require_whole_number("order", order, smallest=1)
    if order > counts.order:
        raise ValueError(f"order must be at most {counts.order}, the order of the counts, not {order!r}")


class NgramModel:
    """What all models of this module share: an order, a vocabulary, and what may be asked of them.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
    """

    def __init__(self, order: int, vocabulary: Sequence[str]) -> None:
        """Keep the vocabulary.

        Args:
            order: n, at least 1.
            vocabulary: what can come next: each token once, such as `vocabulary_of` lists them.

        Raises:
            ValueError: the order is no whole number above 0; the vocabulary is no sequence of ``str`` or
                names one twice.
        """
        require_whole_number("order", order, smallest=1)
        require_tokens("vocabulary", vocabulary)
        self.order = order
        self.vocabulary = list(vocabulary)
        self.next_tokens = frozenset(vocabulary)
        self.past_tokens = self.next_tokens | {START}
        if len(self.next_tokens) < len(self.vocabulary):
            twice = next(token for token, count in Counter(self.vocabulary).items() if count > 1)
            raise ValueError(f"vocabulary must name each token once, but {twice!r} comes again")

    def estimate(self, token: str, context: Context) -> float:
        """Compute what `probability` returns, without a check: each model in its own way.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            A number from 0 to 1.

        Raises:
            UnseenContext: the model has no smoothing and the context never came.
            NotImplementedError: the class is this one, which only says what its models share.
        """
        raise NotImplementedError

    def probability(self, token: str, context: Context) -> float:
        """Estimate how likely a token is to follow a context.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            A number from 0 to 1; over the vocabulary they sum to 1.

        Raises:
            ValueError: the token is not in the vocabulary; the context is no tuple of that length, or holds
                another token.
            UnseenContext: the model has no smoothing and the context never came.
        """
        require_text("token", token)
        self.require_predictable([token])
        self.require_context(context)
        return self.estimate(token, context)

    def distribution(self, context: Context) -> dict[str, float]:
        """Estimate how likely each token is to follow a context.

        Args:
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            The probability of each token, in the order of the vocabulary; they sum to 1.

        Raises:
            ValueError: the context is no tuple of that length, or holds another token.
            UnseenContext: the model has no smoothing and the context never came.
        """
        self.require_context(context)
        return {token: self.estimate(token, context) for token in self.vocabulary}

    def require_predictable(self, tokens: Sequence[str]) -> None:
        """Refuse tokens that the model cannot predict.

        Args:
            tokens: what comes next.

        Raises:
            ValueError: one is not in the vocabulary.
        """
        if not self.next_tokens.issuperset(tokens):
            missing = next(token for token in tokens if token not in self.next_tokens)
            raise ValueError(
                f"token must be one of the {len(self.vocabulary)} in the vocabulary, not {missing!r}"
            )

    def require_context(self, context: Context) -> None:
        """Refuse a context that the model cannot have.

        Args:
            context: what came before.

        Raises:
            ValueError: the context is no tuple of n - 1 tokens, or holds one that is neither in the
                vocabulary nor `START`.
        """
        if not isinstance(context, tuple) or len(context) != self.order - 1:
            raise ValueError(f"context must be a tuple of length {self.order - 1}, not {context!r}")
        for token in context:
            if not isinstance(token, str) or token not in self.past_tokens:
                raise ValueError(f"context must hold tokens of the vocabulary or {START!r}, not {token!r}")

    def require_counted(self, table: CountTable) -> None:
        """Refuse counts of a text over another vocabulary.

        Args:
            table: the counts.

        Raises:
            ValueError: a token is not in the vocabulary, or a context holds one that is neither there nor
                `START`.
        """
        missing = (table.next_tokens - self.next_tokens) | (table.past_tokens - self.past_tokens)
        if missing:
            raise ValueError(f"vocabulary must hold every token counted, but lacks {min(missing, key=str)!r}")


class MaximumLikelihood(NgramModel):
    """Count and divide; what never came is impossible.

    Of all models with the same contexts it gives the training text the highest probability.

    Source: Shannon (1948), section 3.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
        rows: for each context how often each token followed it.
        totals: for each context how often it came.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = MaximumLikelihood(count_ngrams(text, 2), vocabulary_of(text))
        >>> model.probability("cat", ("the",))
        0.5
    """

    def __init__(self, counts: Rows | CountTable, vocabulary: Sequence[str]) -> None:
        """Add up the rows.

        Args:
            counts: what `count_ngrams` gives, or a table of `Counts`.
            vocabulary: what can come next: each token once, all that was counted among them.

        Raises:
            ValueError: the counts are none of one order over the vocabulary, or the vocabulary is no sequence
                of ``str`` or names one twice.
        """
        table = _as_table(counts)
        super().__init__(table.order, vocabulary)
        self.require_counted(table)
        self.rows = table.rows
        self.totals = table.totals

    def estimate(self, token: str, context: Context) -> float:
        """Divide: how often did the token come, of all that came here?

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens, the oldest first.

        Returns:
            The share, 0 for a token that never followed the context.

        Raises:
            UnseenContext: the context never came, so there is nothing to divide.
        """
        if context not in self.rows:
            wanted = "context must be one that was counted"
            raise UnseenContext(f"{wanted}, not {context!r}")
        return self.rows[context].get(token, 0) / self.totals[context]


class AddK(NgramModel):
    """Pretend that every token followed every context k times more.

    With k = 1 it is called Laplace or add-one smoothing. Near 0 it tends to counting, far above to 1 / V for
    each.

    Source: Lidstone (1920); as a language model in Chen and Goodman (1999), section 2.1.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
        rows: for each context how often each token followed it.
        totals: for each context how often it came.
        k: how often more, above 0.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = AddK(count_ngrams(text, 2), vocabulary_of(text), k=1)
        >>> model.probability("cat", ("the",)) == (1 + 1) / (2 + 1 * 5)
        True
        >>> model.probability("cat", ("dog",)) == (0 + 1) / (1 + 1 * 5)
        True
    """

    def __init__(self, counts: Rows | CountTable, vocabulary: Sequence[str], k: float) -> None:
        """Add up the rows.

        Args:
            counts: what `count_ngrams` gives, or a table of `Counts`.
            vocabulary: what can come next: each token once, all that was counted among them.
            k: how often more each token is taken to have followed each context.

        Raises:
            ValueError: k is no number above 0, the counts are none of one order over the vocabulary, or the
                vocabulary is no sequence of ``str`` or names one twice.
        """
        table = _as_table(counts)
        super().__init__(table.order, vocabulary)
        require_number("k", k, above=0, at_most=1e300)
        self.require_counted(table)
        self.rows = table.rows
        self.totals = table.totals
        self.k = k

    def estimate(self, token: str, context: Context) -> float:
        """Divide as if each token had followed k times more.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            (count + k) / (total + k V), which is 1 / V after a context that never came.
        """
        count = self.rows.get(context, {}).get(token, 0)
        total = self.totals.get(context, 0)
        return (count + self.k) / (total + self.k * len(self.vocabulary))


class Interpolation(NgramModel):
    """Mix each order with the next lower one, down to 1 / V.

    Source: Jelinek and Mercer (1980); Chen and Goodman (1999), section 2.3, with weights that do not depend
    on the context.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
        weights: of each order the share that its own counts have, that of the unigrams first.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = Interpolation(Counts(text, 2), 2, vocabulary_of(text, markers=False), weight=0.5)
        >>> unigram = 0.5 * 1 / 6 + 0.5 * 1 / 4
        >>> model.probability("cat", ("the",)) == 0.5 * 1 / 2 + 0.5 * unigram
        True
    """

    def __init__(
        self, counts: Counts, order: int, vocabulary: Sequence[str], weight: float | Sequence[float]
    ) -> None:
        """Keep the counts of the orders that the model mixes.

        Args:
            counts: the counts of all orders up to at least that of the model.
            order: n, at least 1.
            vocabulary: what can come next: each token once, all that was counted among them.
            weight: the share of an order's own counts, at least 0 and below 1; or one for each order, that of
                the unigrams first.

        Raises:
            ValueError: a weight is no number of that range, or there are not n of them; ``order`` is above
                that of the counts; the vocabulary is no sequence of ``str``, names one twice or lacks one
                that was counted.
        """
        require_counted_order(order, counts)
        super().__init__(order, vocabulary)
        self.require_counted(counts.table(1))
        self.weights = list(weight) if isinstance(weight, Sequence) else [weight] * order
        if len(self.weights) != order:
            raise ValueError(f"weight must be one number or {order}, one for each order, not {weight!r}")
        for value in self.weights:
            require_number("weight", value, at_least=0, below=1)
        self.endings = counts._endings(order, continuation=False)

    def estimate(self, token: str, context: Context) -> float:
        """Start from 1 / V and mix in each longer context that came.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            Weight times count / total, and the rest of the weight times the next lower order.
        """
        probability = 1 / len(self.vocabulary)
        rows = self.endings.rows(context)
        for weight, (row, total) in zip(self.weights, rows, strict=False):
            counted = row.get(token, 0) / total
            probability = weight * counted + (1 - weight) * probability
        return probability


class AbsoluteDiscounting(NgramModel):
    """Take D from every count, and back off to a lower order with it.

    A token that followed the context has (count - D) / total. What was taken is shared among those that did
    not, in proportion to the next lower order, below the unigrams equally. Where every token has followed the
    context, nobody can take it, and the discounted counts are scaled up to sum to 1.

    Source: Ney, Essen and Kneser (1994); as a backoff (Katz, 1987) in Chen and Goodman (1999), section 2.4
    and 2.6.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
        discount: D, above 0 and below 1.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = AbsoluteDiscounting(Counts(text, 2), 2, vocabulary_of(text, markers=False), discount=0.5)
        >>> model.distribution(("the",)) == {"</s>": 0.25, "cat": 0.25, "dog": 0.25, "the": 0.25}
        True
    """

    def __init__(self, counts: Counts, order: int, vocabulary: Sequence[str], discount: float) -> None:
        """Keep the counts of the orders that the model backs off to.

        Args:
            counts: the counts of all orders up to at least that of the model.
            order: n, at least 1.
            vocabulary: what can come next: each token once, all that was counted among them.
            discount: D, at least 1e-9 and below 1.

        Raises:
            ValueError: the discount is no number of that range; ``order`` is above that of the counts; the
                vocabulary is no sequence of ``str``, names one twice or lacks one that was counted.
        """
        require_counted_order(order, counts)
        super().__init__(order, vocabulary)
        self.require_counted(counts.table(1))
        require_number("discount", discount, at_least=1e-9, below=1)
        self.discount = discount
        self.tables = counts.tables[:order]
        self.unseen_masses: dict[Context, float] = {}

    def estimate(self, token: str, context: Context) -> float:
        """Discount what followed the context, back off for what did not.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first, or fewer.

        Returns:
            The discounted share, or a part of what the discounts set free.
        """
        table = self.tables[len(context)]
        row = table.rows.get(context)
        if row is None:
            return self.lower(token, context)
        total = table.totals[context]
        freed = self.discount * len(row)
        if len(row) == len(self.vocabulary):
            return (row[token] - self.discount) / (total - freed)
        if token in row:
            return (row[token] - self.discount) / total
        share = self.lower(token, context) / self.unseen_mass(context)
        return freed / total * share

    def lower(self, token: str, context: Context) -> float:
        """Ask the next lower order, and below the unigrams 1 / V.

        Args:
            token: one of the vocabulary.
            context: at most n - 1 tokens.

        Returns:
            The probability without the oldest token of the context.
        """
        return self.estimate(token, context[1:]) if context else 1 / len(self.vocabulary)

    def unseen_mass(self, context: Context) -> float:
        """Add up what the lower order gives to all that never followed.

        Args:
            context: at most n - 1 tokens, which came, and which some token did not follow.

        Returns:
            A number above 0 and of at most 1.
        """
        if context not in self.unseen_masses:
            row = self.tables[len(context)].rows[context]
            mass = 1 - fsum(self.lower(token, context) for token in row)
            if mass < 1e-3:  # the subtraction has lost digits
                unseen = [token for token in self.vocabulary if token not in row]
                mass = fsum(self.lower(token, context) for token in unseen)
            self.unseen_masses[context] = mass
        return self.unseen_masses[context]


class KneserNey(NgramModel):
    """Take D from every count, and give it to where tokens are at home.

    Interpolated: every token gets a part of what was taken, in proportion to the next lower order. The lower
    orders do not count how often an n-gram came but in how many contexts, since they are asked where the
    context is new. Below the unigrams stands 1 / V.

    Source: Kneser and Ney (1995); interpolated in Chen and Goodman (1999), section 2.7 and 3.

    Attributes:
        order: n; a context has n - 1 tokens.
        vocabulary: what can come next, in the order given.
        discount: D, above 0 and below 1.
        continuation: whether the lower orders count contexts.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = KneserNey(Counts(text, 2), 2, vocabulary_of(text, markers=False), discount=0.5)
        >>> unigram = (1 - 0.5) / 5 + 0.5 * 4 / 5 * 1 / 4
        >>> model.probability("cat", ("the",)) == (1 - 0.5) / 2 + 0.5 * 2 / 2 * unigram
        True
    """

    def __init__(
        self,
        counts: Counts,
        order: int,
        vocabulary: Sequence[str],
        discount: float,
        continuation: bool = True,
    ) -> None:
        """Keep the counts of the order and the continuation counts of the lower ones.

        Args:
            counts: the counts of all orders up to at least that of the model.
            order: n, at least 1.
            vocabulary: what can come next: each token once, all that was counted among them.
            discount: D, at least 1e-9 and below 1.
            continuation: False lets the lower orders count how often an n-gram came, as the highest does. That
                is interpolated absolute discounting, for comparison.

        Raises:
            ValueError: the discount is no number of that range; ``order`` is above that of the counts; the
                vocabulary is no sequence of ``str``, names one twice or lacks one that was counted;
                ``continuation`` is neither True nor False.
        """
        require_counted_order(order, counts)
        super().__init__(order, vocabulary)
        self.require_counted(counts.table(1))
        require_number("discount", discount, at_least=1e-9, below=1)
        if not isinstance(continuation, bool):
            raise ValueError(f"continuation must be True or False, not {continuation!r}")
        self.discount = discount
        self.continuation = continuation
        self.endings = counts._endings(order, continuation)

    def estimate(self, token: str, context: Context) -> float:
        """Start from 1 / V and go up through the contexts that came.

        Args:
            token: one of the vocabulary.
            context: n - 1 tokens of the vocabulary or `START`, the oldest first.

        Returns:
            The discounted share, and the next lower order times all that was discounted.
        """
        probability = 1 / len(self.vocabulary)
        for row, total in self.endings.rows(context):
            kept = row[token] - self.discount if token in row else 0.0
            freed = self.discount * len(row)
            probability = (kept + freed * probability) / total
        return probability


def require_model(model: object) -> None:
    """Refuse what is no model of this module.

    Args:
        model: the argument.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(model, NgramModel):
        raise ValueError(f"model must be an n-gram model, such as AddK, not {model!r}")


def _ask_once(
    model: NgramModel,
    ngrams: Iterable[tuple[str, ...]],
) -> dict[tuple[str, ...], float]:
    """Ask a model for each distinct n-gram: how likely is its last token?

    Args:
        model: any model.
        ngrams: n-grams of tokens that the model knows.

    Returns:
        The probability of the last token after the others, 0 after a context that the model refuses as
        unseen.
    """
    known = dict.fromkeys(ngrams, 0.0)
    for ngram in known:
        try:
            known[ngram] = model.estimate(ngram[-1], ngram[:-1])
        except UnseenContext:
            continue
    return known


def token_probabilities(
    model: NgramModel,
    sentences: Iterable[Sequence[str]],
) -> list[float]:
    """List the probability of each token that came, and of each END.

    Args:
        model: any model.
        sentences: the text to score, at least one sentence.

    Returns:
        One number for each token in order, with one for `END` after each sentence; 0 after a context that the
        model refuses as unseen.

    Raises:
        ValueError: there is no sentence, one is no sequence of ``str`` or holds a marker, or a token is not
            in the model's vocabulary.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = MaximumLikelihood(count_ngrams(text, 2), vocabulary_of(text))
        >>> token_probabilities(model, [["the", "cat"], ["cat"]])
        [1.0, 0.5, 1.0, 0.0, 1.0]
    """
    require_model(model)
    ngrams: list[tuple[str, ...]] = []
    for sentence in require_sentences(sentences):
        model.require_predictable([*sentence, END])
        ngrams += _padded_ngrams(sentence, model.order)
    known = _ask_once(model, ngrams)
    return [known[ngram] for ngram in ngrams]


def sentence_probability(
    model: NgramModel,
    sentence: Sequence[str],
) -> float:
    """Multiply the probabilities of all tokens and END, from the left.

    Args:
        model: any model.
        sentence: the tokens, without markers.

    Returns:
        A number from 0 to 1; of a long sentence it can be too small for a float, and then it is 0.

    Raises:
        ValueError: the sentence is no sequence of ``str`` or holds a marker, or a token is not in the model's
            vocabulary.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> model = MaximumLikelihood(count_ngrams(text, 2), vocabulary_of(text))
        >>> sentence_probability(model, ["the", "cat"])
        0.5
    """
    product = 1.0
    for probability in token_probabilities(model, [sentence]):
        product *= probability
    return product


def generate_sentence(
    model: NgramModel,
    rng: random.Random,
    limit: int,
) -> list[str]:
    """Draw one token after another, until END or the limit.

    Each takes one uniform number from the generator, laid on the model's tokens in sorted order. A model with
    `START` in its vocabulary may draw it, if it gives it a probability: leave it out of what a smoothed model
    predicts.

    Source: Shannon (1948), section 3.

    Args:
        model: any model.
        rng: the source of randomness, such as ``random.Random(42)``.
        limit: how many tokens to draw at most, at least 1.

    Returns:
        The tokens, without `END`.

    Raises:
        ValueError: the limit is no whole number above 0, or ``rng`` is no ``random.Random``.

    Examples:
        >>> text = [["the", "cat", "sat"], ["the", "dog"]]
        >>> model = MaximumLikelihood(count_ngrams(text, 2), vocabulary_of(text))
        >>> generate_sentence(model, random.Random(42), limit=10)
        ['the', 'cat', 'sat']
    """
    require_model(model)
    require_whole_number("limit", limit, smallest=1)
    context: Context = (START,) * (model.order - 1)
    sentence: list[str] = []
    while len(sentence) < limit:
        chances = model.distribution(context)
        tokens = sorted(chances)
        place = draw([chances[token] for token in tokens], rng)
        if tokens[place] == END:
            break
        sentence.append(tokens[place])
        context = (*context, tokens[place])[1:]
    return sentence


def _text_surprise(
    model: NgramModel,
    sentences: Sequence[Sequence[str]],
    counted: dict[int, Counter[tuple[str, ...]]],
) -> float:
    """Add up the surprise of a model at a text, counting its n-grams once for all models of an order.

    Args:
        model: any model.
        sentences: the text.
        counted: the n-grams of the text by order, as far as known; a new order is added.

    Returns:
        Nats; infinite if a token has probability 0.

    Raises:
        ValueError: the model is none, or a token is not in its vocabulary.
    """
    require_model(model)
    for sentence in sentences:
        model.require_predictable([*sentence, END])
    if model.order not in counted:
        ngrams = (_padded_ngrams(sentence, model.order) for sentence in sentences)
        counted[model.order] = Counter(chain.from_iterable(ngrams))
    known = _ask_once(model, counted[model.order])
    if 0 in known.values():
        return inf
    return -fsum(count * log(known[ngram]) for ngram, count in counted[model.order].items())


def tune(
    models: Mapping[Setting, NgramModel],
    sentences: Iterable[Sequence[str]],
) -> Setting:
    """Find the setting whose model scores best on a development text.

    The text should be neither the training text nor the one on which the result is reported.

    Args:
        models: a model for each setting that is tried.
        sentences: the development text, at least one sentence.

    Returns:
        The setting of the lowest perplexity; among equals the first.

    Raises:
        ValueError: there is no model or no sentence, a sentence is no sequence of ``str`` or holds a marker,
            or a token is not in a model's vocabulary.

    Examples:
        >>> text = [["the", "cat"], ["the", "dog"]]
        >>> models = {k: AddK(count_ngrams(text, 2), vocabulary_of(text), k) for k in (0.1, 1, 10)}
        >>> tune(models, [["the", "dog"]]), tune(models, [["dog", "the", "cat", "the"]])
        (0.1, 10)
    """
    if not isinstance(models, Mapping) or not models:
        wanted = "a mapping of at least one setting to its model"
        raise ValueError(f"models must be {wanted}, not {models!r}")
    kept = require_sentences(sentences)
    counted: dict[int, Counter[tuple[str, ...]]] = {}
    return min(
        models,
        key=lambda setting: _text_surprise(models[setting], kept, counted),
    )
