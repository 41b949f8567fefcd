"""What every module asks of its arguments, with one wording of the error: the argument, the value, what is allowed."""

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real

SUM_TOLERANCE = 1e-9
"""How far the sum of probabilities may be from 1: far above rounding, far below what could be seen."""


def require_text(name: str, value: object) -> None:
    """Refuse a value that is no string.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no ``str``.
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a str, not {value!r}")


def require_whole_number(name: str, value: object, smallest: int, largest: float = math.inf) -> None:
    """Refuse a value that is no whole number, is too small or too large.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.
        smallest: the smallest number allowed.
        largest: the largest number allowed.

    Raises:
        ValueError: the value is no ``int``, is a ``bool``, is below ``smallest`` or above ``largest``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not smallest <= value <= largest:
        allowed = f"of at least {smallest}" if largest == math.inf else f"from {smallest} to {largest}"
        raise ValueError(f"{name} must be a whole number {allowed}, not {value!r}")


def require_flag(name: str, value: object) -> None:
    """Refuse what is neither True nor False.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no ``bool``.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {value!r}")


def require_several(name: str, value: object) -> None:
    """Refuse a single value or string where several values are meant.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is a ``str`` or a ``bytes``, or cannot be iterated over.
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ValueError(f"{name} must hold several values, as a list does, not {value!r}")


def require_function(name: str, value: object) -> None:
    """Refuse what cannot be called.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is no function and cannot be called like one.
    """
    if not callable(value):
        raise ValueError(f"{name} must be a function, not {value!r}")


def as_float(value: object) -> float:
    """Read a value as a float, or as nan where it is no number.

    Args:
        value: anything.

    Returns:
        The number; nan for a ``bool``, for what is no real number, and for an ``int`` beyond all floats.

    Examples:
        >>> [as_float(value) for value in (2, "2", True)]
        [2.0, nan, nan]
    """
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def require_number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
    because: str = "",
) -> None:
    """Refuse a value that is no finite number, or lies outside a range.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.
        above: the number must be larger than this.
        at_least: the smallest number allowed.
        below: the number must be smaller than this.
        at_most: the largest number allowed.
        because: why the range ends there, for the message.

    Raises:
        ValueError: the value is no real number, is a ``bool``, nan or infinite, or lies outside the range.

    Examples:
        >>> require_number("p", 1.5, above=0, at_most=1)
        Traceback (most recent call last):
        ValueError: p must be a finite number above 0 and of at most 1, not 1.5
    """
    number = as_float(value)
    if math.isfinite(number) and above < number < below and at_least <= number <= at_most:
        return
    bounds = {"above": above, "of at least": at_least, "below": below, "of at most": at_most}
    stated = " and ".join(f"{word} {bound}" for word, bound in bounds.items() if math.isfinite(bound))
    allowed = f"a finite number {stated}".rstrip() + (f" ({because})" if because else "")
    raise ValueError(f"{name} must be {allowed}, not {value!r}")


def require_numbers(name: str, values: Sequence[float]) -> None:
    """Refuse what is no sequence of at least one number; infinities are numbers, nan is not.

    Args:
        name: what the caller's argument is called, for the message.
        values: the argument.

    Raises:
        ValueError: the values are no list or tuple, there is none, or one is no real number, a ``bool`` or
            nan.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise ValueError(f"{name} must be a list or tuple of numbers, not {values!r}")
    if not values:
        raise ValueError(f"{name} must hold at least one number, not {values!r}")
    for value in values:
        if not (type(value) is float and value == value) and math.isnan(
            as_float(value)
        ):  # most are floats: fast
            raise ValueError(f"{name} must hold numbers only, not {value!r}")


def require_logits(name: str, values: Sequence[float]) -> None:
    """Refuse what softmax cannot read: a logit is finite, or minus infinity for what is impossible.

    Args:
        name: what the caller's argument is called, for the message.
        values: the argument.

    Raises:
        ValueError: the values are no list or tuple, one is no number or plus infinity, or none is finite.
    """
    require_numbers(name, values)
    largest = max(values)
    if math.isinf(largest):
        wanted = "finite numbers or -inf" if largest > 0 else "at least one finite number"
        raise ValueError(f"{name} must hold {wanted}, not {largest if largest > 0 else values!r}")


def require_distribution(name: str, values: Sequence[float]) -> None:
    """Refuse what is no probability distribution.

    Args:
        name: what the caller's argument is called, for the message.
        values: the argument.

    Raises:
        ValueError: the values are no list or tuple, one is no number or not between 0 and 1, or their sum is
            not 1 within ``SUM_TOLERANCE``.
    """
    require_numbers(name, values)
    for value in values:
        if not 0 <= value <= 1 + SUM_TOLERANCE:
            raise ValueError(f"{name} must hold numbers from 0 to 1, not {value!r}")
    if abs(math.fsum(values) - 1) > SUM_TOLERANCE:
        raise ValueError(f"{name} must sum to 1, not to {math.fsum(values)!r}")


def require_ids(name: str, values: Sequence[int], size: int) -> None:
    """Refuse what is no sequence of token ids.

    Args:
        name: what the caller's argument is called, for the message.
        values: the argument; a sequence without any id is fine.
        size: the size of the vocabulary; the ids run from 0 to ``size`` less one.

    Raises:
        ValueError: the values are no list or tuple, or one is no whole number of that range.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise ValueError(f"{name} must be a list or tuple of token ids, not {values!r}")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < size:
            raise ValueError(f"{name} must hold token ids from 0 to {size - 1}, not {value!r}")
