"""Positions: what tells attention the order of its tokens.

Both schemes turn pairs of numbers, like hands of clocks: the first pair fast, each further one slower. Sinusoidal
positions are the hands themselves, added to the embeddings. Rotary positions turn the queries and the keys.

Sources: Vaswani et al. (2017), "Attention Is All You Need", section 3.5 (sinusoidal); Su et al. (2021), "RoFormer:
Enhanced Transformer with Rotary Position Embedding", section 3.2 (rotary). The code that comes with GPT-J and the
first release of Llama rotates the interleaved pairs of that paper; GPT-NeoX and Hugging Face Transformers rotate
pairs of which one half lies in each half of the vector.
"""

import math

from nextword.arguments import require_number, require_whole_number
from nextword.matrices import Matrix, Vector, refuse_infinities, require_matrix, require_vector

BASE = 10_000.0
"""The base of the rates in both papers."""

SMALLEST_BASE = 1e-100
"""The smallest base taken: a smaller one could give rates too large for a float."""

LARGEST_POSITION = 2**53
"""The largest position taken, of either sign: further out, floats skip whole numbers."""

PAIRINGS = ("interleaved", "halved")
"""Which numbers of a vector make a pair: neighbours, or those of the same place in the two halves."""


def require_even(name: str, width: int) -> None:
    """Refuse a width that does not fall into pairs.

    Args:
        name: what the width belongs to, for the message.
        width: the width.

    Raises:
        ValueError: the width is no even whole number of at least 2.
    """
    require_whole_number(name, width, smallest=2)
    if width % 2:
        raise ValueError(f"{name} must be an even number, not {width}")


def require_pairing(value: str) -> None:
    """Refuse what is no pairing.

    Args:
        value: the argument ``pairing``.

    Raises:
        ValueError: the value is neither of the two.
    """
    if not isinstance(value, str) or value not in PAIRINGS:
        raise ValueError(f"pairing must be {' or '.join(map(repr, PAIRINGS))}, not {value!r}")


def require_base(value: float) -> None:
    """Refuse what is no base of the rates.

    Args:
        value: the argument ``base``.

    Raises:
        ValueError: the value is no finite number of at least ``SMALLEST_BASE``.
    """
    require_number("base", value, at_least=SMALLEST_BASE)


def position_rates(width: int, base: float = BASE) -> Vector:
    """Give the rate at which each pair turns.

    Source: Vaswani et al. (2017), section 3.5.

    Args:
        width: d, an even number of at least 2.
        base: a finite number of at least 1e-100.

    Returns:
        Width d / 2: pair i turns by ``base`` to the power -2i / d, in radians for each position. The first
        rate is 1.

    Raises:
        ValueError: ``width`` is no even number of at least 2, or ``base`` no finite number of at least
            1e-100.

    Examples:
        >>> [round(rate, 12) for rate in position_rates(8)]
        [1.0, 0.1, 0.01, 0.001]
    """
    require_even("width", width)
    require_base(base)
    return [base ** (-2 * i / width) for i in range(width // 2)]


def sinusoidal_position(
    position: int,
    width: int,
    base: float = BASE,
) -> Vector:
    """Encode one position: a sine and a cosine at each rate.

    Source: Vaswani et al. (2017), section 3.5.

    Args:
        position: counted from 0, up to 2**53.
        width: d, an even number of at least 2.
        base: a finite number of at least 1e-100.

    Returns:
        Width d: entries 2i and 2i + 1 are the sine and the cosine of ``position`` times rate i. The length of
        the vector is the square root of d / 2 at every position.

    Raises:
        ValueError: ``position`` is no whole number from 0 to 2**53, ``width`` no even number of at least 2, or
            ``base`` no finite number of at least 1e-100.

    Examples:
        >>> sinusoidal_position(0, 4)
        [0.0, 1.0, 0.0, 1.0]
    """
    require_whole_number("position", position, 0, LARGEST_POSITION)
    encoding: Vector = []
    for rate in position_rates(width, base):
        angle = position * rate
        encoding += [math.sin(angle), math.cos(angle)]
    return encoding


def sinusoidal_positions(n: int, width: int, base: float = BASE) -> Matrix:
    """Encode the first positions, a row for each.

    Args:
        n: how many positions, at least 1.
        width: d, an even number of at least 2.
        base: a finite number of at least 1e-100.

    Returns:
        Shape (n, d): row p is ``sinusoidal_position(p, width, base)``.

    Raises:
        ValueError: ``n`` is no whole number of at least 1, ``width`` no even number of at least 2, or ``base``
            no finite number of at least 1e-100.

    Examples:
        >>> [[round(x, 4) for x in row] for row in sinusoidal_positions(2, 4)]
        [[0.0, 1.0, 0.0, 1.0], [0.8415, 0.5403, 0.01, 1.0]]
    """
    require_whole_number("n", n, smallest=1)
    return [sinusoidal_position(p, width, base) for p in range(n)]


def pairs_of(
    width: int,
    pairing: str = "interleaved",
) -> list[tuple[int, int]]:
    """Say which numbers of a vector turn together.

    Args:
        width: d, an even number of at least 2.
        pairing: "interleaved" for the places 2i and 2i + 1, "halved" for i and i + d / 2.

    Returns:
        d / 2 pairs of places, pair i with rate i.

    Raises:
        ValueError: ``width`` is no even number of at least 2, or the pairing is neither of the two.

    Examples:
        >>> pairs_of(6), pairs_of(6, "halved")
        ([(0, 1), (2, 3), (4, 5)], [(0, 3), (1, 4), (2, 5)])
    """
    require_even("width", width)
    require_pairing(pairing)
    half = width // 2
    if pairing == "interleaved":
        return [(2 * i, 2 * i + 1) for i in range(half)]
    return [(i, i + half) for i in range(half)]


def require_position(value: float) -> None:
    """Refuse what is no position to turn to.

    Args:
        value: the argument ``position``.

    Raises:
        ValueError: the value is no number of size up to ``LARGEST_POSITION``.
    """
    require_number("position", value, at_least=-LARGEST_POSITION, at_most=LARGEST_POSITION)


def rotate(
    vector: Vector,
    position: float,
    pairing: str = "interleaved",
    base: float = BASE,
) -> Vector:
    """Turn each pair of a vector by the position times its rate.

    The dot product of a query turned by its position and a key turned by its own depends on the two vectors
    and on the offset between the positions, not on where they are.

    Source: Su et al. (2021), section 3.2.2.

    Args:
        vector: width d, an even number: a query or a key of one head.
        position: from -2**53 to 2**53; a negative one turns back, a fraction lies between two tokens.
        pairing: "interleaved" or "halved", as in ``pairs_of``; the same for queries and keys.
        base: a finite number of at least 1e-100.

    Returns:
        Width d, as long as the vector was.

    Raises:
        ValueError: the vector is no vector of an even width, ``position`` no number of its range, ``base`` no
            finite number of at least 1e-100, or the pairing is neither of the two.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> [round(x, 4) for x in rotate([1.0, 0.0, 1.0, 0.0], position=2)]
        [-0.4161, 0.9093, 0.9998, 0.02]
        >>> [round(x, 4) for x in rotate([1.0, 1.0, 0.0, 0.0], position=2, pairing="halved")]
        [-0.4161, 0.9998, 0.9093, 0.02]
    """
    require_vector("vector", vector)
    require_even("the width of vector", len(vector))
    require_position(position)
    rates = position_rates(len(vector), base)
    pairs = pairs_of(len(vector), pairing)
    turned = list(vector)
    for (i, j), rate in zip(pairs, rates, strict=True):
        sin, cos = math.sin(position * rate), math.cos(position * rate)
        turned[i] = vector[i] * cos - vector[j] * sin
        turned[j] = vector[i] * sin + vector[j] * cos
    refuse_infinities("a turned number", [turned])
    return turned


def rotate_rows(
    matrix: Matrix,
    pairing: str = "interleaved",
    base: float = BASE,
    start: int = 0,
) -> Matrix:
    """Turn each row of a matrix by its position, counted from ``start``.

    Args:
        matrix: shape (n, d), the queries or the keys of one head; d is even.
        pairing: "interleaved" or "halved", as in ``pairs_of``.
        base: a finite number of at least 1e-100.
        start: the position of the first row, a whole number of at least 0; that of the last is at most 2**53.

    Returns:
        Shape (n, d): row p is turned by position ``start`` + p.

    Raises:
        ValueError: the argument is no matrix of an even width, ``start`` no whole number of its range, or
            ``rotate`` would refuse the pairing or the base.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> [[round(x, 4) for x in row] for row in rotate_rows([[1.0, 0.0], [1.0, 0.0]])]
        [[1.0, 0.0], [0.5403, 0.8415]]
    """
    require_matrix("matrix", matrix)
    require_whole_number("start", start, 0, LARGEST_POSITION - len(matrix) + 1)
    rows = enumerate(matrix, start)
    return [rotate(row, position, pairing, base) for position, row in rows]
