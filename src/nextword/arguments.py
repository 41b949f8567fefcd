"""What every module asks of its arguments, with one wording of the error: the argument, the value, what is allowed."""

from collections.abc import Iterable


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


def require_whole_number(name: str, value: object, smallest: int) -> None:
    """Refuse a value that is no whole number, or is too small.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.
        smallest: the smallest number allowed.

    Raises:
        ValueError: the value is no ``int``, is a ``bool``, or is below ``smallest``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < smallest:
        raise ValueError(f"{name} must be a whole number of at least {smallest}, not {value!r}")


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
