"""Named checks: a claim in the reader's words beside the values that prove it.

A panel is a plain script. In a terminal a claim that holds prints one ``ok`` line and a claim that does not hold
ends the script with `CheckFailed`, so the exit status is not zero.
"""

import json
import math


class CheckFailed(AssertionError):
    """A named claim did not hold."""


def check(claim: str, got: object, expected: object) -> None:
    """State a claim and prove it: ``got`` must equal ``expected``.

    Prints ``ok`` and the claim. A truth value equals only a truth value, so ``1`` does not pass for ``True``.

    Raises:
        CheckFailed: the values differ; the message has the claim and both values.
        ValueError: the claim is empty or is no string.
    """
    if not isinstance(claim, str) or not claim.strip():
        raise ValueError(f"claim must be a sentence, not {claim!r}")
    if isinstance(got, bool) != isinstance(expected, bool) or not got == expected:
        raise CheckFailed(f"{claim}: got {got!r}, expected {expected!r}")
    print("ok  ", claim)


def close(a: float, b: float, tolerance: float = 1e-9) -> bool:
    """Say whether two floats differ by at most ``tolerance``. A nan is close to nothing.

    Raises:
        ValueError: the tolerance is negative or not finite.
    """
    if not math.isfinite(tolerance) or tolerance < 0:
        raise ValueError(f"tolerance must be finite and not negative, not {tolerance!r}")
    return abs(a - b) <= tolerance


def figure(name: str, value: object) -> None:
    """Name a value, so that the text around the panel can quote it. Prints nothing.

    Raises:
        ValueError: the name is no identifier, or JSON cannot hold the value.
    """
    if not name.isidentifier():
        raise ValueError(f"name must be an identifier, not {name!r}")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"value of {name} must be numbers, text, lists or dicts, not {value!r}") from error
