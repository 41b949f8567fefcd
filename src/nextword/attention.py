"""Attention: each token scores all tokens, turns the scores into weights, and averages the values with them.

A query says what a token looks for, a key what a token offers, a value what it hands over. Queries have shape (n, d),
keys (m, d), values (m, e): one row for each token, the queries as wide as the keys, and a value for each key. In
self-attention all three come from the same n tokens, and m is n. A mask has a row for each query and a column for
each key, with True where the query may look.

Sources: Bahdanau, Cho and Bengio (2015), "Neural Machine Translation by Jointly Learning to Align and Translate"
(attention); Vaswani et al. (2017), "Attention Is All You Need", section 3.2 (scaled dot products, the causal mask,
several heads); Shazeer (2019), "Fast Transformer Decoding: One Write-Head is All You Need" (one key head, and keys
and values kept while decoding); Ainslie et al. (2023), "GQA: Training Generalized Multi-Query Transformer Models from
Multi-Head Checkpoints" (key heads for groups of heads).
"""

import math
from collections.abc import Sequence

from nextword.arguments import require_flag, require_several, require_whole_number
from nextword.matrices import (
    Matrix,
    Vector,
    matmul,
    require_factors,
    require_matrix,
    require_same_shape,
    require_same_width,
    require_vector,
    shape_of,
    transpose,
    vector_matrix,
)
from nextword.softmax import softmax

Mask = list[list[bool]]
"""Shape (n, m): True where query i may look at key j."""


def require_flags(name: str, value: Sequence[bool]) -> None:
    """Refuse what is no sequence of at least one True or False.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no list or tuple, is empty, or holds what is no ``bool``.
    """
    require_several(name, value)
    if not isinstance(value, Sequence) or not value:
        raise ValueError(f"{name} must be a list or tuple of at least one True or False, not {value!r}")
    for flag in value:
        if not isinstance(flag, bool):
            raise ValueError(f"{name} must hold True and False only, not {flag!r}")


def require_mask(name: str, value: Sequence[Sequence[bool]]) -> None:
    """Refuse what is no mask: rows of True and False, all of one width.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no list or tuple of rows, has no row, a row holds what is no ``bool``, or two
            rows differ in width.
    """
    require_several(name, value)
    if not isinstance(value, Sequence) or not value:
        raise ValueError(f"{name} must be a list or tuple of at least one row, not {value!r}")
    for place, row in enumerate(value):
        require_flags(f"row {place} of {name}", row)
        if len(row) != len(value[0]):
            widths = f"row 0 has {len(value[0])} entries and row {place} {len(row)}"
            raise ValueError(f"{name} must have rows of one width, but {widths}")


def require_values(keys: Matrix, values: Matrix) -> None:
    """Refuse values that are no matrix, or not one for each key.

    Args:
        keys: shape (m, d), a matrix.
        values: the argument of that name.

    Raises:
        ValueError: the values are no matrix, or do not have as many rows as the keys; the message says both
            shapes.
    """
    require_matrix("values", values)
    if len(keys) != len(values):
        shapes = f"{shape_of(keys)} and {shape_of(values)}"
        raise ValueError(f"keys and values must have as many rows, not the shapes {shapes}")


def require_projections(
    x: Matrix,
    w_q: Matrix,
    w_k: Matrix,
    w_v: Matrix,
    w_o: Matrix,
    heads: int,
    key_heads: int,
    answering: str = "key_heads",
) -> None:
    """Refuse weights that do not fit the tokens, one another, or the numbers of heads.

    Args:
        x: shape (n, d).
        w_q: shape (d, heads x d_k).
        w_k: shape (d, key_heads x d_k).
        w_v: shape (d, key_heads x d_v).
        w_o: shape (heads x d_v, e).
        heads: how many heads ask.
        key_heads: how many heads answer; divides ``heads``.
        answering: what the caller's ``key_heads`` is called, for the message.

    Raises:
        ValueError: an argument is no matrix, or no number of heads; two shapes do not fit, and the message
            says both; or a number of heads does not divide what it must.
    """
    require_matrix("x", x)
    for name, weights in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        require_matrix(name, weights)
        require_factors("x", x, name, weights)
    require_matrix("w_o", w_o)
    require_heads("w_q", w_q, "heads", heads)
    require_heads("w_k", w_k, answering, key_heads)
    require_heads("w_v", w_v, answering, key_heads)
    shared_heads(heads, key_heads)  # refuses what does not divide
    if len(w_q[0]) // heads != len(w_k[0]) // key_heads:
        shapes = f"{shape_of(w_q)} and {shape_of(w_k)}"
        raise ValueError(f"w_q and w_k must give heads of one width, not have the shapes {shapes}")
    if len(w_v[0]) // key_heads * heads != len(w_o):
        shapes = f"{shape_of(w_v)} and {shape_of(w_o)}"
        raise ValueError(f"w_o must have a row for each number of the merged heads, not the shapes {shapes}")


def require_heads(name: str, matrix: Matrix, heads_name: str, heads: int) -> None:
    """Refuse a number of heads that does not divide the width of a matrix.

    Args:
        name: what the caller's matrix is called, for the message.
        matrix: shape (n, d).
        heads_name: what the caller's number is called.
        heads: the number.

    Raises:
        ValueError: the number is no whole number of at least 1, or does not divide d.
    """
    require_whole_number(heads_name, heads, smallest=1)
    if len(matrix[0]) % heads:
        raise ValueError(f"{heads_name} must divide the width of {name}, {len(matrix[0])}, not be {heads}")


def require_parts(name: str, value: Sequence[Matrix]) -> None:
    """Refuse what is no sequence of matrices of one shape.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no list or tuple, is empty, holds what is no matrix, or two differ in shape.
    """
    require_several(name, value)
    if not isinstance(value, Sequence) or not value:
        raise ValueError(f"{name} must be a list or tuple of at least one matrix, not {value!r}")
    for place, part in enumerate(value):
        require_matrix(f"part {place} of {name}", part)
        require_same_shape(f"part 0 of {name}", value[0], f"part {place} of {name}", part)


def attention_scores(
    queries: Matrix,
    keys: Matrix,
    scaled: bool = True,
) -> Matrix:
    """Score each key for each query: dot product, over root d.

    If the numbers of a query and a key are independent with mean 0 and variance 1, their dot product has
    variance d. Divided by the square root of d it has variance 1 at every width.

    Source: Vaswani et al. (2017), section 3.2.1.

    Args:
        queries: shape (n, d).
        keys: shape (m, d).
        scaled: False leaves the dot products as they are.

    Returns:
        Shape (n, m): the score of key j for query i in row i, column j.

    Raises:
        ValueError: an argument is no matrix, the widths differ, or ``scaled`` is no ``bool``.
        OverflowError: a sum of products is too large for a float.

    Examples:
        >>> attention_scores([[6.0, 0.0, 6.0, 0.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
        [[3.0, 0.0]]
    """
    require_flag("scaled", scaled)
    require_matrix("queries", queries)
    require_matrix("keys", keys)
    require_same_width("queries", queries, "keys", keys)
    root = math.sqrt(len(keys[0])) if scaled else 1.0
    products = matmul(queries, transpose(keys))
    return [[product / root for product in row] for row in products]


def causal_mask(n: int) -> Mask:
    """Let each token look at itself and at what came before.

    Source: Vaswani et al. (2017), section 3.2.3.

    Args:
        n: how many tokens, at least 1.

    Returns:
        Shape (n, n): True on the diagonal and below it.

    Raises:
        ValueError: ``n`` is no whole number of at least 1.

    Examples:
        >>> causal_mask(2)
        [[True, False], [True, True]]
    """
    require_whole_number("n", n, smallest=1)
    return [[key <= query for key in range(n)] for query in range(n)]


def padding_mask(real: Sequence[bool]) -> Mask:
    """Let every token look at the real tokens alone, not at the padding.

    A batch holds sequences of one length; shorter ones are filled up with tokens that mean nothing. The rows
    of the padding are True for the real tokens too: what they give is thrown away.

    Args:
        real: n values, True for a real token, False for padding; at least one is True.

    Returns:
        Shape (n, n): n rows alike.

    Raises:
        ValueError: the argument is no list or tuple of True and False, or no token is real.

    Examples:
        >>> padding_mask([True, True, False])
        [[True, True, False], [True, True, False], [True, True, False]]
    """
    require_flags("real", real)
    if not any(real):
        raise ValueError(f"real must be True at least once, not {real!r}")
    return [list(real) for _ in real]


def combine_masks(a: Mask, b: Mask) -> Mask:
    """Let a token look where both masks let it.

    Args:
        a: shape (n, m).
        b: shape (n, m).

    Returns:
        Shape (n, m): True where both are. A row can be left with nothing to look at, as the first row is when
        the padding comes first and the mask is causal; ``masked_softmax`` refuses it.

    Raises:
        ValueError: an argument is no mask, or the shapes differ.

    Examples:
        >>> combine_masks(causal_mask(3), padding_mask([True, True, False]))
        [[True, False, False], [True, True, False], [True, True, False]]
    """
    require_mask("a", a)
    require_mask("b", b)
    require_same_shape("a", a, "b", b)
    rows = zip(a, b, strict=True)
    return [[x and y for x, y in zip(*pair, strict=True)] for pair in rows]


def masked_softmax(
    scores: Matrix,
    mask: Mask | None = None,
) -> Matrix:
    """Turn each row of scores into weights, 0 where it may not look.

    A masked score counts as minus infinity, and its exponential is exactly 0: the weights of the other keys
    are those of a softmax over these keys alone.

    Args:
        scores: shape (n, m).
        mask: shape (n, m), True where a query may look; None for everywhere.

    Returns:
        Shape (n, m): each row sums to 1 but for rounding.

    Raises:
        ValueError: the scores are no matrix, or the mask no mask; the shapes differ; or a row of the mask is
            False throughout, so that there is nothing to share the weight among.

    Examples:
        >>> masked_softmax([[1.0, 1.0, 9.0]], [[True, True, False]])
        [[0.5, 0.5, 0.0]]
    """
    require_matrix("scores", scores)
    if mask is None:
        return [softmax(row) for row in scores]
    require_mask("mask", mask)
    require_same_shape("scores", scores, "mask", mask)
    weights: Matrix = []
    for place, (row, seen) in enumerate(zip(scores, mask, strict=True)):
        if not any(seen):
            raise ValueError(f"row {place} of mask must be True somewhere")
        pairs = zip(row, seen, strict=True)
        weights.append(softmax([x if ok else -math.inf for x, ok in pairs]))
    return weights


def scaled_dot_product_attention(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    mask: Mask | None = None,
    scaled: bool = True,
) -> tuple[Matrix, Matrix]:
    """Average the values, each query with weights of its own.

    Source: Vaswani et al. (2017), section 3.2.1.

    Args:
        queries: shape (n, d).
        keys: shape (m, d).
        values: shape (m, e).
        mask: shape (n, m), True where a query may look; None for everywhere.
        scaled: False leaves out the division by the square root of d.

    Returns:
        Two matrices: the outputs, shape (n, e), and the weights, shape (n, m).

    Raises:
        ValueError: an argument is no matrix, the mask no mask, or ``scaled`` no ``bool``; two shapes do not
            fit; or a row of the mask is False throughout.
        OverflowError: a sum of products is too large for a float.

    Examples:
        >>> keys = [[1.0, 0.0], [0.0, 1.0]]
        >>> scaled_dot_product_attention([[0.0, 0.0]], keys, [[2.0], [4.0]])
        ([[3.0]], [[0.5, 0.5]])
    """
    scores = attention_scores(queries, keys, scaled)
    require_values(keys, values)
    weights = masked_softmax(scores, mask)
    return matmul(weights, values), weights


def split_heads(matrix: Matrix, heads: int) -> list[Matrix]:
    """Cut each row into equal parts, one for each head.

    Args:
        matrix: shape (n, heads x d).
        heads: how many parts, at least 1.

    Returns:
        ``heads`` matrices of shape (n, d): the first has the first d columns, and so on.

    Raises:
        ValueError: the argument is no matrix, or ``heads`` no whole number of at least 1 that divides its
            width.

    Examples:
        >>> split_heads([[1.0, 2.0, 3.0, 4.0]], 2)
        [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    require_matrix("matrix", matrix)
    require_heads("matrix", matrix, "heads", heads)
    width = len(matrix[0]) // heads
    starts = range(0, width * heads, width)
    return [[row[i : i + width] for row in matrix] for i in starts]


def merge_heads(parts: Sequence[Matrix]) -> Matrix:
    """Put matrices side by side: undo ``split_heads``.

    Args:
        parts: at least one matrix, all of shape (n, d).

    Returns:
        Shape (n, heads x d), for as many heads as there are parts.

    Raises:
        ValueError: there is no part, one is no matrix, or two differ in shape.

    Examples:
        >>> merge_heads([[[1.0, 2.0]], [[3.0, 4.0]]])
        [[1.0, 2.0, 3.0, 4.0]]
    """
    require_parts("parts", parts)
    tokens = zip(*parts, strict=True)
    return [[x for part in token for x in part] for token in tokens]


def multi_head_attention(
    x: Matrix,
    w_q: Matrix,
    w_k: Matrix,
    w_v: Matrix,
    w_o: Matrix,
    heads: int,
    mask: Mask | None = None,
) -> tuple[Matrix, list[Matrix]]:
    """Run several attentions on narrow slices, merge, project.

    Head h uses the h-th part of the columns of ``w_q``, ``w_k`` and ``w_v``. With one matrix for each head
    instead, ``merge_heads`` puts them side by side into one.

    Source: Vaswani et al. (2017), section 3.2.2.

    Args:
        x: shape (n, d), a row for each token.
        w_q: shape (d, heads x d_k).
        w_k: shape (d, heads x d_k).
        w_v: shape (d, heads x d_v).
        w_o: shape (heads x d_v, e).
        heads: how many heads, at least 1.
        mask: shape (n, n), True where a token may look; None for everywhere.

    Returns:
        The output, shape (n, e), and the weights of each head, shape (n, n).

    Raises:
        ValueError: an argument is no matrix, or the mask no mask; two shapes do not fit; ``heads`` is no whole
            number of at least 1, or does not divide a width; or a row of the mask is False throughout.
        OverflowError: a sum of products is too large for a float.

    Examples:
        >>> one = [[1.0, 0.0], [0.0, 1.0]]
        >>> multi_head_attention([[2.0, 3.0]], one, one, one, one, heads=2)
        ([[2.0, 3.0]], [[[1.0]], [[1.0]]])
    """
    require_projections(x, w_q, w_k, w_v, w_o, heads, heads, "heads")
    queries = split_heads(matmul(x, w_q), heads)
    keys = split_heads(matmul(x, w_k), heads)
    values = split_heads(matmul(x, w_v), heads)
    attended = [
        scaled_dot_product_attention(query, key, value, mask)
        for query, key, value in zip(queries, keys, values, strict=True)
    ]
    merged = merge_heads([output for output, _ in attended])
    return matmul(merged, w_o), [weights for _, weights in attended]


def shared_heads(heads: int, key_heads: int) -> list[int]:
    """Say which key head each head uses: neighbours share one.

    Args:
        heads: how many heads ask, at least 1.
        key_heads: how many heads answer; divides ``heads``.

    Returns:
        The number of a key head, from 0, for each head.

    Raises:
        ValueError: a number is no whole number of at least 1, or ``key_heads`` does not divide ``heads``.

    Examples:
        >>> shared_heads(heads=6, key_heads=2)
        [0, 0, 0, 1, 1, 1]
    """
    require_whole_number("heads", heads, smallest=1)
    require_whole_number("key_heads", key_heads, smallest=1)
    if heads % key_heads:
        raise ValueError(f"key_heads must divide {heads}, not be {key_heads}")
    return [head * key_heads // heads for head in range(heads)]


def grouped_query_attention(
    x: Matrix,
    w_q: Matrix,
    w_k: Matrix,
    w_v: Matrix,
    w_o: Matrix,
    heads: int,
    key_heads: int,
    mask: Mask | None = None,
) -> tuple[Matrix, list[Matrix]]:
    """Let neighbouring heads share their keys and values.

    Each head uses the key head that ``shared_heads`` gives it. With as many key heads as heads this is
    ``multi_head_attention``; with one it is multi-query attention. A cache stores ``key_heads`` keys and values
    for each token, not ``heads``.

    Source: Ainslie et al. (2023), section 2.2.

    Args:
        x: shape (n, d), a row for each token.
        w_q: shape (d, heads x d_k).
        w_k: shape (d, key_heads x d_k).
        w_v: shape (d, key_heads x d_v).
        w_o: shape (heads x d_v, e).
        heads: how many heads ask, at least 1.
        key_heads: how many heads answer; divides ``heads``.
        mask: shape (n, n), True where a token may look; None for everywhere.

    Returns:
        The output, shape (n, e), and the weights of each of the ``heads`` heads, shape (n, n).

    Raises:
        ValueError: an argument is no matrix, or the mask no mask; two shapes do not fit; a number of heads is
            no whole number of at least 1, or does not divide what it must; or a row of the mask is False
            throughout.
        OverflowError: a sum of products is too large for a float.

    Examples:
        >>> one = [[1.0, 0.0], [0.0, 1.0]]
        >>> grouped_query_attention([[2.0, 3.0]], one, [[1.0], [0.0]], [[0.0], [1.0]], one, 2, 1)
        ([[3.0, 3.0]], [[[1.0]], [[1.0]]])
    """
    require_projections(x, w_q, w_k, w_v, w_o, heads, key_heads)
    queries = split_heads(matmul(x, w_q), heads)
    keys, values = (split_heads(matmul(x, w), key_heads) for w in (w_k, w_v))
    attended = [
        scaled_dot_product_attention(queries[i], keys[j], values[j], mask)
        for i, j in enumerate(shared_heads(heads, key_heads))
    ]
    merged = merge_heads([output for output, _ in attended])
    return matmul(merged, w_o), [weights for _, weights in attended]


def count_attention(
    queries: int,
    keys: int,
    key_width: int,
    value_width: int,
) -> int:
    """Count the multiplications of one head: its scores, and its averages.

    The projections that make the queries, keys and values come on top: n x d x e each.

    Args:
        queries: n, at least 1.
        keys: m, at least 1.
        key_width: d, at least 1.
        value_width: e, at least 1.

    Returns:
        n x m x d for the scores, and n x m x e for the averages; masked pairs count, as they are computed.

    Raises:
        ValueError: an argument is no whole number of at least 1.

    Examples:
        >>> count_attention(queries=4, keys=4, key_width=2, value_width=2), count_attention(1, 4, 2, 2)
        (64, 16)
    """
    require_whole_number("queries", queries, smallest=1)
    require_whole_number("keys", keys, smallest=1)
    require_whole_number("key_width", key_width, smallest=1)
    require_whole_number("value_width", value_width, smallest=1)
    return queries * keys * (key_width + value_width)


def require_next(name: str, rows: Matrix, vector: Vector) -> None:
    """Refuse what is no next row of a cache.

    Args:
        name: "key" or "value", for the message.
        rows: what is stored so far, shape (n, d); nothing at first.
        vector: what is to come.

    Raises:
        ValueError: the argument is no vector, or not as wide as the rows.
    """
    require_vector(name, vector)
    if rows:
        require_same_width(f"the {name}s of the cache", rows, name, [vector])


class KVCache:
    """The keys and values of the tokens so far, kept for later tokens.

    Under a causal mask no later token changes the key or value of an earlier one, so neither has to be
    computed again. One cache serves one head of one layer.

    Source: Shazeer (2019), section 2.4.

    Attributes:
        keys: shape (n, d), a row for each token so far; empty at first.
        values: shape (n, e) likewise.
        multiplications: how many ``attend_next`` has spent on scores and averages with this cache.

    Examples:
        >>> cache = KVCache()
        >>> attend_next(cache, query=[0.0], key=[1.0], value=[2.0, 0.0])
        ([2.0, 0.0], [1.0])
        >>> attend_next(cache, query=[0.0], key=[3.0], value=[4.0, 1.0])
        ([3.0, 0.5], [0.5, 0.5])
        >>> cache.stored, cache.multiplications
        (6, 9)
    """

    def __init__(self) -> None:
        self.keys: Matrix = []
        self.values: Matrix = []
        self.multiplications = 0

    @property
    def stored(self) -> int:
        """How many numbers the cache holds: n x (d + e)."""
        return sum(len(row) for row in self.keys + self.values)

    def followed_by(self, key: Vector, value: Vector) -> tuple[Matrix, Matrix]:
        """Put one more token behind those that are stored, without storing it.

        Args:
            key: width d.
            value: width e.

        Returns:
            Two matrices: the keys, shape (n + 1, d), and the values, shape (n + 1, e).

        Raises:
            ValueError: an argument is no vector, or not as wide as those that are stored.
        """
        require_next("key", self.keys, key)
        require_next("value", self.values, value)
        return [*self.keys, list(key)], [*self.values, list(value)]

    def append(self, key: Vector, value: Vector) -> None:
        """Store the key and the value of one more token.

        Args:
            key: width d.
            value: width e.

        Raises:
            ValueError: an argument is no vector, or not as wide as those that are stored; nothing is stored
                then.
        """
        require_next("key", self.keys, key)
        require_next("value", self.values, value)
        self.keys.append(list(key))
        self.values.append(list(value))


def attend_next(
    cache: KVCache,
    query: Vector,
    key: Vector,
    value: Vector,
    scaled: bool = True,
) -> tuple[Vector, Vector]:
    """Store the next token's key and value; attend with its query.

    The result is the last row of causal attention over all tokens so far, without its other rows.

    Args:
        cache: the keys and values of the n - 1 tokens before; it grows by one row of each.
        query: width d.
        key: width d.
        value: width e.
        scaled: False leaves out the division by the square root of d.

    Returns:
        Two vectors: the output, width e, and the weights, width n.

    Raises:
        ValueError: an argument is no vector, two widths differ, ``cache`` is no ``KVCache``, or ``scaled`` no
            ``bool``.
        OverflowError: a sum of products is too large for a float. Either way the cache stays as it was.

    Examples:
        >>> attend_next(KVCache(), query=[1.0, 0.0], key=[0.0, 1.0], value=[5.0])
        ([5.0], [1.0])
    """
    require_cache(cache)
    require_vector("query", query)
    require_vector("key", key)
    require_same_width("query", [query], "key", [key])
    keys, values = cache.followed_by(key, value)
    scores = attention_scores([query], keys, scaled)
    weights = masked_softmax(scores)[0]
    output = vector_matrix(weights, values)
    cache.append(key, value)
    n, d, e = len(keys), len(key), len(value)
    cache.multiplications += count_attention(1, n, d, e)
    return output, weights


def require_cache(value: KVCache) -> None:
    """Refuse what is no cache.

    Args:
        value: the argument ``cache``.

    Raises:
        ValueError: the value is no ``KVCache``.
    """
    if not isinstance(value, KVCache):
        raise ValueError(f"cache must be a KVCache, not {value!r}")
