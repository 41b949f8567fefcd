"""Word vectors made of counts: words are alike if they keep the same company.

A sentence is a list of words. The neighbours of a word are the words at most a window of places away from it in the
same sentence, on both sides. A word's vector has a number for each of a list of context words: how often that one
stood near, or how much more often than chance would have it.

Sources: Harris (1954), "Distributional Structure" (the idea); Church and Hanks (1990), "Word Association Norms,
Mutual Information, and Lexicography" (pointwise mutual information); Bullinaria and Levy (2007), "Extracting
Semantic Representations from Word Co-occurrence Statistics" (only its positive part, compared by cosine); Turney and
Pantel (2010), "From Frequency to Meaning: Vector Space Models of Semantics", a survey.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import mul

from nextword.arguments import require_number, require_several, require_text, require_whole_number
from nextword.matrices import Matrix, Vector, require_matrix, require_vector

SHORTEST_LENGTH = 1e-300
"""The shortest vector that has a direction here: far below it floats lose their digits."""

EXTREME_COUNTS = (1e-100, 1e100)
"""The smallest and the largest count, 0 aside, whose products and quotients are far from the ends of all floats."""


def require_words(name: str, words: object) -> None:
    """Refuse what is no sequence of words, such as a text that was not split.

    Args:
        name: what the caller's argument is called, for the message.
        words: the argument.

    Raises:
        ValueError: it is a ``str`` or no sequence, or a word is no ``str``.
    """
    if isinstance(words, (str, bytes)) or not isinstance(words, Sequence):
        raise ValueError(f"{name} must be a list or tuple of words, not {words!r}")
    if not {str}.issuperset(map(type, words)):  # one look for most sentences
        for word in words:
            require_text(f"a word of {name}", word)


def cooccurrence_counts(
    sentences: Iterable[Sequence[str]],
    window: int,
) -> dict[str, Counter[str]]:
    """Count for each word how often each other word stood near it.

    Both words of a pair count it, so the table is symmetric. A pair of equal words is counted at both of its places.

    Source: Turney and Pantel (2010), section 2.3.

    Args:
        sentences: each a list of words; pairs never reach over its end.
        window: how many places away a neighbour may be, at least 1.

    Returns:
        A row for each word of the text; rows and their entries in the order of first sight. A word that never had
        a neighbour has an empty row.

    Raises:
        ValueError: ``sentences`` is a ``str`` or cannot be iterated over; a sentence is no list or tuple of words;
            ``window`` is no whole number of at least 1.

    Examples:
        >>> cooccurrence_counts([["the", "cat", "sat"]], window=1)["cat"]
        Counter({'the': 1, 'sat': 1})
    """
    require_several("sentences", sentences)
    require_whole_number("window", window, smallest=1)
    counts: dict[str, Counter[str]] = {}
    for sentence in sentences:
        require_words("sentence", sentence)
        for place, word in enumerate(sentence):
            row = counts.setdefault(word, Counter())
            for near in sentence[max(0, place - window) : place]:
                row[near] += 1
                counts[near][word] += 1
    return counts


def require_table(name: str, table: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse what is no table of numbers by word and context.

    Args:
        name: what the caller's argument is called, for the message.
        table: the argument.

    Raises:
        ValueError: the table or a row is no mapping, a key is no ``str``, or a number is not finite or below 0.
    """
    if not isinstance(table, Mapping):
        raise ValueError(f"{name} must map words to rows, not be {table!r}")
    for word, row in table.items():
        require_text(f"a word of {name}", word)
        if not isinstance(row, Mapping):
            raise ValueError(f"row {word!r} of {name} must map words to numbers, not be {row!r}")
        for context, number in row.items():
            require_text(f"a word in row {word!r} of {name}", context)
            if not (type(number) is int and number >= 0):  # most are counts
                require_number(f"{context!r} in row {word!r} of {name}", number, at_least=0)


def require_counts(counts: Mapping[str, Mapping[str, float]]) -> None:
    """Refuse what is no table of counts that can be multiplied and divided.

    Args:
        counts: the argument of that name.

    Raises:
        ValueError: a row is no mapping of words to finite numbers of at least 0, or a number is neither 0 nor within
            ``EXTREME_COUNTS``.
    """
    require_table("counts", counts)
    smallest, largest = EXTREME_COUNTS
    for word, row in counts.items():
        for number in row.values():
            if number and not smallest <= number <= largest:
                allowed = f"0 or numbers from {smallest} to {largest}"
                raise ValueError(f"row {word!r} of counts must hold {allowed}, not {number!r}")


def positive_pmi(
    counts: Mapping[str, Mapping[str, float]],
) -> dict[str, dict[str, float]]:
    """Weigh counts by surprise: the logarithm of how many times more often a pair came than by chance.

    That is the *pointwise mutual information* of word and context, ln of p(a, b) / (p(a) p(b)), where it is above
    zero, and zero elsewhere. So a neighbour of everybody, such as “the”, says little.

    Source: Church and Hanks (1990), section 3; Bullinaria and Levy (2007) keep the positive part.

    Args:
        counts: a row of counts for each word, such as `cooccurrence_counts` gives.

    Returns:
        A row for each word with the contexts whose weight is above 0, in nats.

    Raises:
        ValueError: a row is no mapping of words to numbers that are 0 or from 1e-100 to 1e100.

    Examples:
        >>> positive_pmi({"cat": {"purrs": 2, "the": 1}, "dog": {"barks": 2, "the": 1}})["cat"]
        {'purrs': 0.6931471805599453}
    """
    require_counts(counts)
    of_word = {word: math.fsum(row.values()) for word, row in counts.items()}
    of_context: Counter[str] = Counter()
    for row in counts.values():
        of_context.update(row)
    total = math.fsum(of_word.values())
    weights: dict[str, dict[str, float]] = {}
    for word, row in counts.items():
        chance = {c: of_word[word] * of_context[c] / total for c in row if row[c]}
        ratios = {context: row[context] / chance[context] for context in chance}
        weights[word] = {c: math.log(r) for c, r in ratios.items() if r > 1}
    return weights


def word_vectors(table: Mapping[str, Mapping[str, float]], contexts: Sequence[str]) -> dict[str, Vector]:
    """Write the rows of a table as vectors, one number for each context.

    Args:
        table: a row of numbers for each word, such as `cooccurrence_counts` or `positive_pmi` gives.
        contexts: d words, the axes; a context that a row lacks is 0 there.

    Returns:
        For each word of the table a vector of width d.

    Raises:
        ValueError: a row is no mapping of words to finite numbers of at least 0; ``contexts`` is no list or tuple
            of words, is empty, or has a word more than once.

    Examples:
        >>> word_vectors({"cat": {"the": 2, "sat": 1}}, ["sat", "on", "the"])
        {'cat': [1.0, 0.0, 2.0]}
    """
    require_table("table", table)
    require_words("contexts", contexts)
    if not contexts or len(set(contexts)) < len(contexts):
        raise ValueError(f"contexts must hold at least one word, and each once, not {contexts!r}")
    return {word: [float(row.get(c, 0)) for c in contexts] for word, row in table.items()}


def unit_vector(name: str, vector: Vector) -> Vector:
    """Divide a vector by its Euclidean length, so that only its direction is left.

    Args:
        name: what the caller's argument is called, for the message.
        vector: width d.

    Returns:
        Width d, of length 1.

    Raises:
        ValueError: the argument is no vector; its length is 0, which has no direction, below 1e-300, where digits
            are lost, or too large for a float.

    Examples:
        >>> unit_vector("a", [3.0, 4.0])
        [0.6, 0.8]
    """
    require_vector(name, vector)
    length = math.hypot(*vector)
    require_number(f"length of {name}", length, at_least=SHORTEST_LENGTH)
    return [number / length for number in vector]


def cosine_similarity(a: Vector, b: Vector) -> float:
    """Compare the directions of two vectors: the cosine of the angle between them.

    Lengths do not matter, so a frequent word and a rare one can be alike.

    Source: Turney and Pantel (2010), section 4.4.

    Args:
        a: width d.
        b: width d.

    Returns:
        1 for the same direction, 0 at right angles, -1 for opposite ones, each within rounding.

    Raises:
        ValueError: an argument is no vector, the widths differ, or a length is below 1e-300 or too large for a float.

    Examples:
        >>> cosine_similarity([3.0, 4.0], [30.0, 40.0])
        1.0
        >>> cosine_similarity([1.0, 0.0], [0.0, 5.0])
        0.0
    """
    along, other = unit_vector("a", a), unit_vector("b", b)
    if len(a) != len(b):
        raise ValueError(f"a and b must have one width, not {len(a)} and {len(b)}")
    return math.fsum(map(mul, along, other))


def nearest(word: str, vectors: Mapping[str, Vector], k: int) -> list[tuple[str, float]]:
    """List the words whose vectors point most nearly in the direction of a word's own.

    Of equal cosines the word that comes first in the alphabet stands first.

    Args:
        word: one of the words of ``vectors``.
        vectors: for each word a vector, all of one width.
        k: how many, from 1 to the number of other words.

    Returns:
        k pairs of word and cosine, the nearest first, without ``word`` itself.

    Raises:
        ValueError: ``vectors`` is no mapping, lacks ``word`` or has no other; ``k`` is out of its range; two vectors
            cannot be compared by `cosine_similarity`.

    Examples:
        >>> nearest("cat", {"cat": [1.0, 0.0], "dog": [3.0, 0.0], "mat": [0.0, 2.0]}, k=1)
        [('dog', 1.0)]
    """
    if not isinstance(vectors, Mapping) or not isinstance(word, str) or word not in vectors:
        raise ValueError(f"word must be one of the words of vectors, not {word!r}")
    if len(vectors) < 2:
        raise ValueError(f"vectors must hold another word than {word!r}")
    require_whole_number("k", k, smallest=1, largest=len(vectors) - 1)
    others = (other for other in vectors if other != word)
    own = unit_vector(f"the vector of {word!r}", vectors[word])
    found = []
    for other in others:
        along = unit_vector(f"the vector of {other!r}", vectors[other])
        if len(own) != len(along):
            widths = f"{len(own)} and {len(along)}"
            raise ValueError(f"the vectors of {word!r} and {other!r} must have one width, not {widths}")
        found.append((other, math.fsum(map(mul, own, along))))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def mean_vector(matrix: Matrix) -> Vector:
    """Average the rows of a matrix, such as the vectors of a sentence's words.

    Args:
        matrix: shape (n, d).

    Returns:
        Width d. It does not depend on the order of the rows.

    Raises:
        ValueError: the argument is no matrix.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> mean_vector([[1.0, 0.0], [3.0, 4.0]])
        [2.0, 2.0]
    """
    require_matrix("matrix", matrix)
    return [math.fsum(column) / len(matrix) for column in zip(*matrix, strict=True)]


def one_hot(place: int, width: int) -> Vector:
    """Write a place as a vector: one at the place, zero elsewhere.

    Args:
        place: from 0 to ``width`` less one.
        width: d, at least 1.

    Returns:
        Width d.

    Raises:
        ValueError: ``width`` is no whole number of at least 1, or ``place`` none of its range.

    Examples:
        >>> one_hot(1, 3)
        [0.0, 1.0, 0.0]
    """
    require_whole_number("width", width, smallest=1)
    require_whole_number("place", place, smallest=0, largest=width - 1)
    return [float(i == place) for i in range(width)]
