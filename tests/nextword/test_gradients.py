"""nextword.gradients against derivatives in closed form, exact arithmetic, NumPy and the laws of differences."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.gradients import (
    central_difference,
    forward_difference,
    gradient_descent,
    numerical_gradient,
    relative_error,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

numbers = st.just(0.0) | st.floats(1e-100, 1e3) | st.floats(-1e3, -1e-100)
eighths = st.integers(-80, 80).map(lambda n: n / 8)  # sums and products of a few are exact
vectors = st.lists(numbers, min_size=1, max_size=6)


# Values.


@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        (math.sin, math.cos),
        (math.exp, math.exp),
        (math.tanh, lambda x: 1 / math.cosh(x) ** 2),
        (lambda x: x**5, lambda x: 5 * x**4),
        (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    ],
    ids=["sin", "exp", "tanh", "power", "bell"],
)
@pytest.mark.parametrize("x", [-1.75, -0.3, 0.0, 0.4, 1.0])
def test_differences_are_near_the_derivative(f, derivative, x):
    assert central_difference(f, x, 1e-5) == pytest.approx(derivative(x), abs=1e-8)
    assert forward_difference(f, x, 1e-7) == pytest.approx(derivative(x), abs=1e-5)


@steady
@given(eighths, eighths, eighths, eighths, st.sampled_from([0.5, 0.25, 0.125]))
def test_the_errors_of_a_cubic_are_exact(a, b, c, x, step):
    """Taylor: of a x³ + b x² + c x the central form is off by a h², the one-sided form by (3 a x + b) h + a h²."""

    def f(value: float) -> float:
        return ((a * value + b) * value + c) * value

    slope = (3 * Fraction(a) * Fraction(x) + 2 * Fraction(b)) * Fraction(x) + Fraction(c)
    h = Fraction(step)
    assert central_difference(f, x, step) == slope + Fraction(a) * h * h
    bend = 3 * Fraction(a) * Fraction(x) + Fraction(b)
    assert forward_difference(f, x, step) == slope + bend * h + Fraction(a) * h * h


@steady
@given(eighths, eighths, eighths, st.sampled_from([0.5, 0.25, 0.125]))
def test_the_central_form_is_the_mean_of_both_one_sided_ones(a, b, x, step):
    def f(value: float) -> float:
        return (a * value + b) * value

    backward = -forward_difference(lambda value: f(-value), -x, step)
    assert central_difference(f, x, step) == (forward_difference(f, x, step) + backward) / 2


@steady
@given(st.integers(1, 5), st.integers(0, 10**6))
def test_the_gradient_of_a_quadratic_form(width, seed):
    """Of p·A p + b·p it is (A + Aᵀ) p + b."""
    rng = np.random.default_rng(seed)
    a, b, p = rng.normal(size=(width, width)), rng.normal(size=width), rng.normal(size=width)
    found = numerical_gradient(
        lambda q: float(np.array(q) @ a @ np.array(q) + b @ np.array(q)), p.tolist(), 1e-4
    )
    assert np.allclose(found, (a + a.T) @ p + b, atol=1e-8)


def test_the_gradient_nudges_one_number_at_a_time():
    seen = []

    def f(point):
        seen.append(list(point))
        return 0.0

    assert numerical_gradient(f, [1.0, 10.0], 0.5) == [0.0, 0.0]
    assert seen == [[1.5, 10.0], [0.5, 10.0], [1.0, 10.5], [1.0, 9.5]]


def test_the_gradient_leaves_its_point_alone():
    point = [1.0, 2.0]

    def f(p):
        p[0] = 99.0
        return 0.0

    numerical_gradient(f, point, 0.5)
    assert point == [1.0, 2.0]


# Relative error.


@steady
@given(st.integers(1, 6).flatmap(lambda d: st.tuples(*[st.lists(numbers, min_size=d, max_size=d)] * 2)))
def test_relative_error_agrees_with_numpy_and_is_symmetric(pair):
    a, b = pair
    longer = max(np.linalg.norm(a), np.linalg.norm(b))
    wanted = np.linalg.norm(np.subtract(a, b)) / longer if longer else 0.0
    assert relative_error(a, b) == pytest.approx(wanted, rel=1e-9)
    assert relative_error(a, b) == relative_error(b, a)
    assert 0 <= relative_error(a, b) <= 2 + 1e-12


@steady
@given(vectors.filter(any), st.sampled_from([2.0**-40, 2.0**-3, 2.0**30]))
def test_relative_error_knows_no_unit(a, unit):
    b = [1.5 * x for x in a]
    scaled = relative_error([unit * x for x in a], [unit * x for x in b])
    assert scaled == pytest.approx(relative_error(a, b), rel=1e-12)
    assert relative_error(a, b) == pytest.approx(1 / 3)


@steady
@given(vectors)
def test_relative_error_of_a_vector_with_itself_and_its_opposite(a):
    assert relative_error(a, a) == 0.0
    assert relative_error(a, [-x for x in a]) == pytest.approx(2.0 if any(a) else 0.0)
    assert relative_error(a, [0.0] * len(a)) == (1.0 if any(a) else 0.0)


def test_relative_error_of_the_smallest_and_the_largest():
    assert relative_error([1e-300], [2e-300]) == 0.5
    assert relative_error([1e300], [2e300]) == 0.5
    with pytest.raises(ValueError, match=r"^the gap between one and other must be a finite number, not inf$"):
        relative_error([1.5e308], [-1.5e308])


# Gradient descent.


@steady
@given(
    st.fractions(0, 3, max_denominator=8).filter(bool),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 6),
    st.integers(-8, 8),
)
def test_a_parabola_shrinks_by_one_less_rate_times_curvature(share, curvature, steps, start):
    rate = float(share) / curvature
    path = gradient_descent(lambda point: [curvature * w for w in point], [float(start)], rate, steps)
    assert len(path) == steps + 1
    for n, [w] in enumerate(path):
        assert w == pytest.approx(float(start * (1 - Fraction(rate) * curvature) ** n), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("curvature", [0.5, 1.0, 4.0])
def test_the_threshold_is_two_over_the_curvature(curvature):
    def end(rate: float) -> float:
        return abs(gradient_descent(lambda p: [curvature * p[0]], [1.0], rate, 50)[-1][0])

    assert end(1.9 / curvature) < 0.01 and end(2 / curvature) == 1.0 and end(2.1 / curvature) > 100
    assert end(1 / curvature) == 0.0


def test_the_largest_of_two_curvatures_sets_the_limit():
    def gradient(point):
        return [8.0 * point[0], 0.5 * point[1]]

    steep, flat = zip(*gradient_descent(gradient, [1.0, 1.0], 0.24, 40), strict=True)
    assert abs(steep[-1]) < 0.05 < flat[-1] / 0.1
    steep, flat = zip(*gradient_descent(gradient, [1.0, 1.0], 0.26, 40), strict=True)
    assert abs(steep[-1]) > 20 and 0 < flat[-1] < 0.01


def test_each_step_goes_against_the_gradient_at_its_point():
    def gradient(point):
        return [math.sin(point[0] * point[1]), point[0] - 2 * point[1]]

    path = gradient_descent(gradient, [0.5, -1.0], 0.125, 9)
    for before, after in pairwise(path):
        assert after == pytest.approx(np.subtract(before, np.multiply(0.125, gradient(before))).tolist())


def test_no_step_and_a_start_that_stays_as_it_is():
    start = [1.0, 2.0]

    def gradient(point):
        point[0] = 99.0
        return [1.0, 1.0]

    assert gradient_descent(gradient, start, 0.5, 0) == [[1.0, 2.0]]
    assert gradient_descent(gradient, start, 0.5, 1) == [[1.0, 2.0], [0.5, 1.5]]
    assert start == [1.0, 2.0]


# Bad input.


@pytest.mark.parametrize("difference", [forward_difference, central_difference])
@pytest.mark.parametrize(
    ("f", "x", "step", "message"),
    [
        (3.0, 1.0, 0.5, "f must be a function, not 3.0"),
        (math.sin, math.nan, 0.5, "x must be a finite number, not nan"),
        (math.sin, "1", 0.5, "x must be a finite number, not '1'"),
        (math.sin, 1.0, 0.0, "step must be a finite number above 0, not 0.0"),
        (math.sin, 1.0, -0.5, "step must be a finite number above 0, not -0.5"),
        (math.sin, 1.0, math.inf, "step must be a finite number above 0, not inf"),
        (math.sin, 1.0, 1e-20, "step must be large enough to change x, 1.0, not 1e-20"),
        (math.sin, 1e17, 1.0, "step must be large enough to change x, 1e+17, not 1.0"),
        (math.sin, 1.7e308, 1.7e308, "x plus or minus step must be a finite number, not inf"),
        (lambda x: math.inf * x, 1.0, 0.5, r"f at x \+ step must be a finite number, not inf"),
        (lambda x: [x], 1.0, 0.5, r"f at x \+ step must be a finite number, not \[1.5\]"),
    ],
)
def test_what_differences_refuse(difference, f, x, step, message):
    if difference is forward_difference:
        message = message.replace(r"x \+ step", r"x").replace(r"\[1.5\]", r"\[1.0\]")
    with pytest.raises(ValueError, match=f"^{message.replace('1e+17', '1e[+]17')}$"):
        difference(f, x, step)


@pytest.mark.parametrize(
    ("f", "x", "step"),
    [
        (lambda x: math.copysign(1.7e308, x), -0.25, 0.5),
        (lambda x: math.copysign(1e200, x - 1e-200), 0.0, 1e-150),
    ],
)
def test_slopes_beyond_all_floats(f, x, step):
    for difference in (forward_difference, central_difference):
        with pytest.raises(ValueError, match=r"^step must give a slope within floats, not .* over "):
            difference(f, x, step)
    with pytest.raises(ValueError, match=r"^step must give a slope within floats, not .* over "):
        numerical_gradient(lambda p: f(p[0]), [x], step)


def test_a_step_too_large_to_double():
    with pytest.raises(ValueError, match=r"^step must give a slope within floats, not .* over inf$"):
        central_difference(lambda x: x / 4, 1.0, 1e308)
    with pytest.raises(ValueError, match=r"^step must give a slope within floats, not .* over inf$"):
        numerical_gradient(lambda p: p[0] / 4, [1.0], 1e308)


@pytest.mark.parametrize(
    ("f", "point", "step", "message"),
    [
        (None, [1.0], 0.5, "f must be a function, not None"),
        (sum, [], 0.5, r"point must hold at least one number, not \[\]"),
        (sum, 1.0, 0.5, "point must be a list or tuple of numbers, not 1.0"),
        (sum, [1.0, math.inf], 0.5, "point must hold finite numbers, not inf"),
        (sum, [1.0, 1e17], 0.5, r"step must be large enough to change x, 1e\+17, not 0.5"),
        (sum, [1.0], 0, "step must be a finite number above 0, not 0"),
    ],
)
def test_what_numerical_gradient_refuses(f, point, step, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        numerical_gradient(f, point, step)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ([1.0], [1.0, 2.0], "one and other must have one width, not 1 and 2"),
        ([], [1.0], r"one must hold at least one number, not \[\]"),
        ([1.0], [math.nan], "other must hold numbers only, not nan"),
        (
            [5e-324, 5e-324],
            [-5e-324, 0.0],
            "the longer of one and other must be 0 or at least 1e-300, not .*",
        ),
        ([1.0], "1", "other must be a list or tuple of numbers, not '1'"),
    ],
)
def test_what_relative_error_refuses(one, other, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        relative_error(one, other)


@pytest.mark.parametrize(
    ("gradient", "start", "rate", "steps", "message"),
    [
        ([1.0], [1.0], 0.5, 1, r"gradient must be a function, not \[1.0\]"),
        (list, [], 0.5, 1, r"start must hold at least one number, not \[\]"),
        (list, [1.0], 0, 1, "rate must be a finite number above 0, not 0"),
        (list, [1.0], 0.5, -1, "steps must be a whole number of at least 0, not -1"),
        (list, [1.0], 0.5, 1.0, "steps must be a whole number of at least 0, not 1.0"),
        (lambda p: p[0], [1.0], 0.5, 1, "the gradient at step 1 must be a list or tuple of numbers, not 1.0"),
        (lambda p: [*p, 0.0], [1.0], 0.5, 1, "the gradient at step 1 must be as wide as the point, 1, not 2"),
        (lambda p: [math.nan], [1.0], 0.5, 1, "the gradient at step 1 must hold numbers only, not nan"),
        (
            lambda p: [-1e308 * p[0]],
            [1.0],
            10.0,
            2,
            r"the point after step 1 must hold finite numbers, not inf",
        ),
    ],
)
def test_what_gradient_descent_refuses(gradient, start, rate, steps, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        gradient_descent(gradient, start, rate, steps)


@pytest.mark.parametrize(("x", "step"), [(1.0, 2**-53), (-1.0, 2**-53)])
def test_a_step_that_is_lost_on_one_side_only(x, step):
    """Floats below a power of 2 are twice as dense as those above it, and halves are rounded to even."""
    assert (x + step == x) != (x - step == x)
    for difference in (forward_difference, central_difference):
        with pytest.raises(ValueError, match=f"^step must be large enough to change x, {x}, not {step}$"):
            difference(math.sin, x, step)


def test_it_is_said_where_a_function_gives_no_number():
    def bad_at(place):
        return lambda x: math.nan if x == place else x

    for difference, place, name in [
        (forward_difference, 1.0, "x"),
        (forward_difference, 1.5, r"x \+ step"),
        (central_difference, 1.5, r"x \+ step"),
        (central_difference, 0.5, "x - step"),
    ]:
        with pytest.raises(ValueError, match=f"^f at {name} must be a finite number, not nan$"):
            difference(bad_at(place), 1.0, 0.5)


def test_a_slope_just_beyond_all_floats():
    with pytest.raises(ValueError, match=r"^step must give a slope within floats, not 1\.7e\+308 over 0\.8$"):
        central_difference(lambda x: math.copysign(0.85e308, x), 0.0, 0.4)
    assert central_difference(lambda x: math.copysign(0.85e308, x), 0.0, 0.5) == 1.7e308


def test_relative_error_at_its_edges():
    assert relative_error([1e-300], [5e-301]) == 0.5
    with pytest.raises(ValueError, match=r"^the longer of one and other must be a finite number, not inf$"):
        relative_error([1.7e308, 1.7e308], [1.7e308, 1.7e308])


def test_the_step_after_which_a_point_is_too_large_is_named():
    with pytest.raises(ValueError, match=r"^the point after step 2 must hold finite numbers, not -?inf$"):
        gradient_descent(lambda w: [1e150 * x for x in w], [1.0], 1e5, 3)
