"""Comparing what an answer gave with what is right, and writing values as a reader can take them in."""

import math
import re
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from numbers import Real
from types import FunctionType, MethodType
from typing import Any

LONGEST_TEXT = 70
NUMBER_TYPES = (Real, Decimal)
PLACE_IN_MEMORY = re.compile(r" at 0x[0-9A-Fa-f]+>")
"""Where an object lies in memory says nothing to a reader, and is another place in each run."""


def same(got: Any, expected: Any, tolerance: float = 1e-9) -> bool:
    """Whether two values are the same to a reader: lists and tuples and arrays alike, floats to a tolerance.

    A truth value equals only a truth value, and text only text.
    """
    got, expected = without_array(got), without_array(expected)
    if isinstance(expected, bool) or isinstance(got, bool):
        return isinstance(got, bool) and isinstance(expected, bool) and got == expected
    if isinstance(expected, NUMBER_TYPES):
        return isinstance(got, NUMBER_TYPES) and _near(got, expected, tolerance)
    if isinstance(expected, (str, bytes)) or expected is None:
        return type(got) is type(expected) and bool(got == expected)
    if isinstance(expected, Mapping):
        return (
            isinstance(got, Mapping)
            and got.keys() == expected.keys()
            and all(same(got[key], expected[key], tolerance) for key in expected)
        )
    if isinstance(expected, Set):
        return isinstance(got, Set) and got == expected
    if isinstance(expected, Sequence):
        return (
            isinstance(got, Sequence)
            and not isinstance(got, (str, bytes))
            and len(got) == len(expected)
            and all(same(a, b, tolerance) for a, b in zip(got, expected, strict=True))
        )
    return bool(got == expected)


def without_array(value: Any) -> Any:
    """Arrays, and numbers of array libraries, as lists and numbers of Python; anything else as it is."""
    is_array = hasattr(value, "tolist") and not isinstance(value, (list, tuple, type))
    return value.tolist() if is_array else value


def _near(got: Any, expected: Any, tolerance: float) -> bool:
    try:
        one, other = float(got), float(expected)
    except OverflowError:  # a whole number that no float holds
        return bool(got == expected)
    if math.isnan(other) or math.isinf(other):
        return (math.isnan(one) and math.isnan(other)) or one == other
    return abs(one - other) <= tolerance * max(1.0, abs(other))


def short(value: object) -> str:
    """A value as a reader can take it in: floats to six digits, long ones cut, with their length or shape."""
    try:
        text = _rounded(value)
    except BaseException:  # __repr__ of a reader's class may fail in any way
        return f"a {type(value).__name__} that cannot be printed"
    if len(text) <= LONGEST_TEXT:
        return text
    shape = _shape(value)
    return f"{cut_to_line(text)}{f' (shape {shape})' if shape else ''}"


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_rounded, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_rounded, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_rounded(key)}: {_rounded(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (type, FunctionType, MethodType)):
        return value.__name__
    return PLACE_IN_MEMORY.sub(">", repr(value))


def cut_to_line(text: str) -> str:
    """The text, cut to what a line holds."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _shape(value: Any) -> str:
    """The lengths of nested lists, such as "3 x 4"."""
    sizes = []
    while isinstance(value, (list, tuple)) and value:
        sizes.append(str(len(value)))
        value = value[0]
    return " x ".join(sizes)


def kind_of(value: object) -> str:
    """What a value is, in a reader's words; arrays count as lists."""
    names = {bool: "a truth value", str: "a text", dict: "a dict", set: "a set", type(None): "nothing"}
    if type(value) in names:
        return names[type(value)]
    if isinstance(value, (int, float)):
        return "a number"
    return (
        "a list" if isinstance(value, Sequence) or hasattr(value, "tolist") else f"a {type(value).__name__}"
    )
