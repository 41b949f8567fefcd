"""Vectors and matrices as lists: just enough arithmetic to write attention and a transformer block down.

A vector of width d is a list of d numbers. A matrix of shape (n, d) is a list of n rows of width d. Rows are tokens,
and a weight matrix of shape (d, e) is multiplied from the right: (n, d) times (d, e) gives (n, e). Every number is
finite, every function makes new lists, and every sum of products is ``math.fsum``: rounded once, so its last digit
depends neither on the order of the terms nor on the version of Python. Where a result is too large for a float, that is
an OverflowError, never an infinity.
"""

import math
import random
from collections.abc import Sequence
from operator import mul

from nextword.arguments import require_number, require_numbers, require_several, require_whole_number

Vector = list[float]
"""A vector of width d: d finite numbers."""

Matrix = list[Vector]
"""A matrix of shape (n, d): n rows, each a vector of width d."""


def require_vector(name: str, value: Sequence[float]) -> None:
    """Refuse what is no vector: at least one number, all of them finite.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no list or tuple, is empty, or holds what is no finite number.
    """
    require_numbers(name, value)
    for number in value:
        if not math.isfinite(number):
            raise ValueError(f"{name} must hold finite numbers, not {number!r}")


def require_matrix(name: str, value: Sequence[Sequence[float]]) -> None:
    """Refuse what is no matrix: at least one row, all rows vectors of one width.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no list or tuple of rows, has no row, a row is no vector, or two rows differ in
            width.
    """
    require_several(name, value)
    if not isinstance(value, Sequence) or not value:
        raise ValueError(f"{name} must be a list or tuple of at least one row, not {value!r}")
    for place, row in enumerate(value):
        require_vector(f"row {place} of {name}", row)
        if len(row) != len(value[0]):
            widths = f"row 0 has {len(value[0])} numbers and row {place} {len(row)}"
            raise ValueError(f"{name} must have rows of one width, but {widths}")


def shape_of(matrix: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Read off how many rows a matrix has, and how wide they are.

    Args:
        matrix: shape (n, d); a mask of True and False has a shape too.

    Returns:
        The pair (n, d).

    Examples:
        >>> shape_of([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        (2, 3)
    """
    return len(matrix), len(matrix[0])


def require_same_width(
    name: str, one: Sequence[Sequence[float]], other_name: str, other: Sequence[Sequence[float]]
) -> None:
    """Refuse two matrices whose rows differ in width.

    Args:
        name: what the caller's first argument is called, for the message.
        one: shape (n, d).
        other_name: what the second argument is called.
        other: shape (m, d).

    Raises:
        ValueError: the widths differ; the message says both shapes.
    """
    if len(one[0]) != len(other[0]):
        shapes = f"{shape_of(one)} and {shape_of(other)}"
        raise ValueError(f"{name} and {other_name} must have rows of one width, not the shapes {shapes}")


def require_same_shape(
    name: str, one: Sequence[Sequence[float]], other_name: str, other: Sequence[Sequence[float]]
) -> None:
    """Refuse two matrices of different shapes.

    Args:
        name: what the caller's first argument is called, for the message.
        one: shape (n, d).
        other_name: what the second argument is called.
        other: shape (n, d).

    Raises:
        ValueError: the shapes differ; the message says both.
    """
    if shape_of(one) != shape_of(other):
        shapes = f"{shape_of(one)} and {shape_of(other)}"
        raise ValueError(f"{name} and {other_name} must have one shape, not the shapes {shapes}")


def require_factors(name: str, one: Matrix, other_name: str, other: Matrix) -> None:
    """Refuse two matrices that cannot be multiplied.

    Args:
        name: what the caller's first argument is called, for the message.
        one: shape (n, d).
        other_name: what the second argument is called.
        other: shape (d, e).

    Raises:
        ValueError: the first is not as wide as the second has rows; the message says both shapes.
    """
    if len(one[0]) != len(other):
        shapes = f"{shape_of(one)} and {shape_of(other)}"
        raise ValueError(f"{name} must be as wide as {other_name} has rows, not of the shapes {shapes}")


def refuse_infinities(name: str, rows: Matrix) -> None:
    """Say that a result was too large for a float, before it spreads as infinity or nan.

    Args:
        name: what the numbers of the result are called, for the message.
        rows: the result.

    Raises:
        OverflowError: a number in it is not finite.
    """
    for row in rows:
        if not all(map(math.isfinite, row)):
            raise OverflowError(f"{name} is too large for a float")


def dot(a: Vector, b: Vector) -> float:
    """Multiply two vectors number by number and sum the products.

    Args:
        a: width d.
        b: width d.

    Returns:
        The sum of d products.

    Raises:
        ValueError: an argument is no vector, or the widths differ.
        OverflowError: the sum is too large for a float.

    Examples:
        >>> dot([1.0, 2.0], [3.0, 4.0])
        11.0
    """
    require_vector("a", a)
    require_vector("b", b)
    if len(a) != len(b):
        widths = f"{len(a)} and {len(b)}"
        raise ValueError(f"a and b must have one width, not {widths}")
    try:
        total = math.fsum(map(mul, a, b))
    except (OverflowError, ValueError):  # fsum, of infinities of both signs
        total = math.inf
    refuse_infinities("a sum of products", [[total]])
    return total


def matmul(a: Matrix, b: Matrix) -> Matrix:
    """Multiply two matrices: each row of one by each column of the other.

    Args:
        a: shape (n, d).
        b: shape (d, e).

    Returns:
        Shape (n, e): the number in row i and column j is the dot product of row i of ``a`` and column j of
        ``b``. That takes n x d x e multiplications.

    Raises:
        ValueError: an argument is no matrix, or ``a`` is not as wide as ``b`` has rows.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> matmul([[1.0, 2.0]], [[1.0, 0.0, 3.0], [0.0, 1.0, 4.0]])
        [[1.0, 2.0, 11.0]]
    """
    require_matrix("a", a)
    require_matrix("b", b)
    require_factors("a", a, "b", b)
    columns = transpose(b)
    try:
        product = [[math.fsum(map(mul, row, col)) for col in columns] for row in a]
    except (OverflowError, ValueError):  # fsum, of infinities of both signs
        raise OverflowError("a sum of products is too large for a float") from None
    refuse_infinities("a sum of products", product)
    return product


def vector_matrix(vector: Vector, matrix: Matrix) -> Vector:
    """Multiply a vector, as one row, by a matrix.

    Args:
        vector: width d.
        matrix: shape (d, e).

    Returns:
        Width e.

    Raises:
        ValueError: an argument is no vector or no matrix, or the vector is not as wide as the matrix has rows.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> vector_matrix([1.0, 2.0], [[1.0, 0.0, 3.0], [0.0, 1.0, 4.0]])
        [1.0, 2.0, 11.0]
    """
    require_vector("vector", vector)
    require_matrix("matrix", matrix)
    require_factors("vector", [vector], "matrix", matrix)
    return matmul([vector], matrix)[0]


def transpose(matrix: Matrix) -> Matrix:
    """Turn rows into columns.

    Args:
        matrix: shape (n, d).

    Returns:
        Shape (d, n).

    Raises:
        ValueError: the argument is no matrix.

    Examples:
        >>> transpose([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    require_matrix("matrix", matrix)
    return [list(column) for column in zip(*matrix, strict=True)]


def add(a: Matrix, b: Matrix) -> Matrix:
    """Add two matrices number by number.

    Args:
        a: shape (n, d).
        b: shape (n, d).

    Returns:
        Shape (n, d).

    Raises:
        ValueError: an argument is no matrix, or the shapes differ.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> add([[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0], [30.0, 40.0]])
        [[11.0, 22.0], [33.0, 44.0]]
    """
    require_matrix("a", a)
    require_matrix("b", b)
    require_same_shape("a", a, "b", b)
    rows = zip(a, b, strict=True)
    total = [[x + y for x, y in zip(*pair, strict=True)] for pair in rows]
    refuse_infinities("a sum", total)
    return total


def add_to_rows(matrix: Matrix, vector: Vector) -> Matrix:
    """Add one vector to every row of a matrix, as a bias is added.

    Args:
        matrix: shape (n, d).
        vector: width d.

    Returns:
        Shape (n, d).

    Raises:
        ValueError: an argument is no matrix or no vector, or the widths differ.
        OverflowError: a sum is too large for a float.

    Examples:
        >>> add_to_rows([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0])
        [[11.0, 22.0], [13.0, 24.0]]
    """
    require_matrix("matrix", matrix)
    require_vector("vector", vector)
    require_same_width("matrix", matrix, "vector", [vector])
    return [add([row], [vector])[0] for row in matrix]


def scale(matrix: Matrix, factor: float) -> Matrix:
    """Multiply every number of a matrix by one factor.

    Args:
        matrix: shape (n, d).
        factor: a finite number.

    Returns:
        Shape (n, d).

    Raises:
        ValueError: the argument is no matrix, or the factor no finite number.
        OverflowError: a product is too large for a float.

    Examples:
        >>> scale([[1.0, 2.0]], 0.5)
        [[0.5, 1.0]]
    """
    require_matrix("matrix", matrix)
    require_number("factor", factor)
    product = [[number * factor for number in row] for row in matrix]
    refuse_infinities("a product", product)
    return product


def draw_matrix(
    rows: int,
    columns: int,
    limit: float,
    rng: random.Random,
) -> Matrix:
    """Draw a matrix row by row, uniformly up to a limit of both signs.

    Args:
        rows: n, at least 1.
        columns: d, at least 1.
        limit: above 0, and at most 1e300.
        rng: the source of randomness, such as ``random.Random(42)``; it is asked n x d times.

    Returns:
        Shape (n, d), each number from ``-limit`` to ``limit``.

    Raises:
        ValueError: ``rows`` or ``columns`` is no whole number of at least 1, ``limit`` no finite number of
            its range, or ``rng`` no ``random.Random``.

    Examples:
        >>> draw_matrix(1, 2, 0.5, random.Random(42))
        [[0.13942679845788375, -0.47498924477733306]]
    """
    require_whole_number("rows", rows, smallest=1)
    require_whole_number("columns", columns, smallest=1)
    require_number("limit", limit, above=0, at_most=1e300)
    if not isinstance(rng, random.Random):
        raise ValueError(f"rng must be a random.Random, not {rng!r}")
    matrix: Matrix = []
    for _ in range(rows):
        matrix.append([rng.uniform(-limit, limit) for _ in range(columns)])
    return matrix
