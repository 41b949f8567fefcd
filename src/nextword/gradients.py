"""Slopes measured by nudging, and steps taken downhill.

A function of several numbers takes a point, a vector of width d; its gradient there is the vector of its d slopes.
Nudging measures a slope from values of the function alone, so it can test a gradient that was written by hand.

Sources: Nocedal and Wright (2006), "Numerical Optimization", section 8.1 (differences and their best steps);
Goodfellow, Bengio and Courville (2016), "Deep Learning", section 11.5 (testing a gradient), section 4.3 (gradient
descent).
"""

import math
from collections.abc import Callable, Sequence

from nextword.arguments import require_function, require_number, require_whole_number
from nextword.matrices import Vector, require_vector

SHORTEST = 1e-300
"""The shortest gradient that is compared: far below it floats lose their digits."""


def require_nudge(name: str, x: float, step: float) -> None:
    """Refuse a nudge that moves nothing, because the step is lost when it is added.

    Args:
        name: what is nudged, for the message.
        x: the number to be nudged.
        step: how far.

    Raises:
        ValueError: ``x`` is no finite number, ``step`` no finite number above 0, or ``x`` plus or minus ``step``
            is ``x`` again or too large for a float.
    """
    require_number(name, x)
    require_number("step", step, above=0)
    if x + step == x or x - step == x:
        raise ValueError(f"step must be large enough to change {name}, {x!r}, not {step!r}")
    require_number(f"{name} plus or minus step", abs(x) + step)


def require_slope(change: float, step: float) -> None:
    """Refuse a step over which the slope cannot be written as a float.

    Args:
        change: of the function.
        step: from the one place to the other.

    Raises:
        ValueError: the step, the change, or their quotient is too large for a float.
    """
    if not math.isfinite(step) or not math.isfinite(change / step):
        raise ValueError(f"step must give a slope within floats, not {change!r} over {step!r}")


def forward_difference(f: Callable[[float], float], x: float, step: float) -> float:
    """Measure a slope on one side: the change of the function per unit, from ``x`` to a step further.

    The error is about ``step`` times half the second derivative, until rounding takes over.

    Source: Nocedal and Wright (2006), section 8.1.

    Args:
        f: from a number to a number.
        x: where, any finite number.
        step: how far, a finite number above 0.

    Returns:
        About the derivative of ``f`` at ``x``.

    Raises:
        ValueError: ``f`` cannot be called, or what it gives is no finite number; ``x`` or ``step`` is out of
            its range; ``step`` is too small to change ``x``; the slope is too large for a float.

    Examples:
        >>> forward_difference(lambda x: x * x, 3.0, 0.5)
        6.5
    """
    require_function("f", f)
    require_nudge("x", x, step)
    here, up = f(x), f(x + step)
    require_number("f at x", here)
    require_number("f at x + step", up)
    require_slope(up - here, step)
    return (up - here) / step


def central_difference(
    f: Callable[[float], float],
    x: float,
    step: float,
) -> float:
    """Measure a slope on both sides: the change of the function per unit, from a step before to a step after.

    The error is about the square of ``step`` times a sixth of the third derivative, until rounding takes over.

    Source: Nocedal and Wright (2006), section 8.1.

    Args:
        f: from a number to a number.
        x: where, any finite number.
        step: how far on each side, a finite number above 0.

    Returns:
        About the derivative of ``f`` at ``x``.

    Raises:
        ValueError: ``f`` cannot be called, or what it gives is no finite number; ``x`` or ``step`` is out of
            its range; ``step`` is too small to change ``x``; the slope is too large for a float.

    Examples:
        >>> central_difference(lambda x: x * x, 3.0, 0.5)
        6.0
    """
    require_function("f", f)
    require_nudge("x", x, step)
    up, down = f(x + step), f(x - step)
    require_number("f at x + step", up)
    require_number("f at x - step", down)
    require_slope(up - down, 2 * step)
    return (up - down) / (2 * step)


def numerical_gradient(
    f: Callable[[Vector], float],
    point: Vector,
    step: float,
) -> Vector:
    """Measure a gradient: nudge one number at a time, on both sides.

    That takes 2d calls of the function, far too many for training, few enough for a test.

    Source: Goodfellow, Bengio and Courville (2016), section 11.5.

    Args:
        f: from a vector of width d to a number.
        point: width d, where.
        step: how far on each side, a finite number above 0.

    Returns:
        Width d: about the derivative of ``f`` with respect to each number of the point.

    Raises:
        ValueError: ``f`` cannot be called, or what it gives is no finite number; ``point`` is no vector;
            ``step`` is out of its range, or too small to change a number of the point; a slope is too large for a
            float.

    Examples:
        >>> numerical_gradient(lambda p: p[0] * p[1], [3.0, 5.0], 0.5)
        [5.0, 3.0]
    """
    require_function("f", f)
    require_vector("point", point)
    gradient = []
    for place, x in enumerate(point):

        def along(value: float, place: int = place) -> float:
            return f([*point[:place], value, *point[place + 1 :]])

        gradient.append(central_difference(along, x, step))
    return gradient


def relative_error(one: Vector, other: Vector) -> float:
    """Say how far two gradients are apart, measured by the longer one.

    Lengths are Euclidean. The result does not depend on the unit of the function, so one tolerance does for
    all: a gap that is small only because the gradients are small is no small error.

    Args:
        one: width d.
        other: width d.

    Returns:
        0 if they are equal, up to 2 if they point in opposite directions.

    Raises:
        ValueError: an argument is no vector, the widths differ, a length is too large for a float, or the longer
            one is so short, below 1e-300 and not 0, that its digits are lost.

    Examples:
        >>> relative_error([3.0, 4.0], [3.0, 4.0])
        0.0
        >>> relative_error([3.0, 4.0], [6.0, 8.0])
        0.5
    """
    require_vector("one", one)
    require_vector("other", other)
    if len(one) != len(other):
        raise ValueError(f"one and other must have one width, not {len(one)} and {len(other)}")
    gap = math.hypot(*(x - y for x, y in zip(one, other, strict=True)))
    longer = max(math.hypot(*one), math.hypot(*other))
    require_number("the gap between one and other", gap)
    require_number("the longer of one and other", longer)
    if 0 < longer < SHORTEST:
        raise ValueError(f"the longer of one and other must be 0 or at least {SHORTEST}, not {longer!r}")
    return gap / longer if longer > 0 else 0.0


def gradient_descent(
    gradient: Callable[[Vector], Sequence[float]],
    start: Vector,
    rate: float,
    steps: int,
) -> list[Vector]:
    """Walk downhill: each step goes against the gradient, as far as the learning rate times its length.

    Source: Goodfellow, Bengio and Courville (2016), section 4.3.

    Args:
        gradient: from a vector of width d to a vector of width d.
        start: width d, the first point.
        rate: the learning rate, a finite number above 0.
        steps: how many steps, at least 0.

    Returns:
        ``steps`` + 1 points, the start first.

    Raises:
        ValueError: ``gradient`` cannot be called, or what it gives is no vector of width d; ``start`` is no
            vector; ``rate`` or ``steps`` is out of its range; a point becomes too large for a float.

    Examples:
        >>> gradient_descent(lambda w: [2 * x for x in w], [4.0], rate=0.25, steps=3)
        [[4.0], [2.0], [1.0], [0.5]]
    """
    require_function("gradient", gradient)
    require_vector("start", start)
    require_number("rate", rate, above=0)
    require_whole_number("steps", steps, smallest=0)
    path = [list(start)]
    for step in range(1, steps + 1):
        slopes = gradient(list(path[-1]))
        require_slopes(f"the gradient at step {step}", slopes, len(start))
        walk = zip(path[-1], slopes, strict=True)
        path.append([w - rate * slope for w, slope in walk])
        require_vector(f"the point after step {step}", path[-1])
    return path


def require_slopes(name: str, slopes: Sequence[float], width: int) -> None:
    """Refuse what is no gradient of a point.

    Args:
        name: whose it is, for the message.
        slopes: the gradient.
        width: of the point.

    Raises:
        ValueError: the gradient is no vector, or not as wide as the point.
    """
    require_vector(name, slopes)
    if len(slopes) != width:
        raise ValueError(f"{name} must be as wide as the point, {width}, not {len(slopes)}")
