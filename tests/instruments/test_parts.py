"""Numbers are written in the page as the build writes them."""

import random

import pytest

from coursebuild.instruments import heat

from .node import answers

pytestmark = pytest.mark.once


@pytest.mark.parametrize("places", [0, 1, 2, 3, 4, 6])
def test_rounding_is_that_of_python(places: int) -> None:
    rng = random.Random(places)
    values = [rng.uniform(-3, 3) for _ in range(300)] + [rng.uniform(-(10**6), 10**6) for _ in range(100)]
    values += [rng.randrange(-4000, 4000) / 2 ** rng.randrange(0, 11) for _ in range(600)]  # many are ties
    values += [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, 0.125, 0.375, -1e-9, 1e-300, 5e-324, 2.675, 1e15 + 0.5]
    calls = [[value, places] for value in values]
    [told] = answers([{"do": "call", "module": "parts.js", "name": "fixed", "calls": calls}])
    for value, one in zip(values, told, strict=True):
        wanted = f"{value:.{places}f}"
        assert one["value"] == (wanted.replace("-", "") if float(wanted) == 0 else wanted), value


def numbers() -> list[float]:
    """Of all sizes up to 10 to the power of 9; many are ties of four decimals."""
    rng = random.Random(11)
    found = [rng.choice([-1, 1]) * rng.uniform(1, 10) * 10.0 ** rng.randint(-20, 8) for _ in range(3000)]
    found += [rng.uniform(-3, 3) for _ in range(2000)]
    found += [rng.randrange(-4000, 4000) / 2 ** rng.randrange(0, 12) for _ in range(3000)]
    found += [rng.randrange(-1000, 1000) * 10.0 ** rng.randint(-9, 3) for _ in range(2000)]
    return [*found, 0.0, -0.0, 0.03125, -0.03125, 9.96e-6, -9.96e-6, 5e-5, 4.9999e-5, 1e-300, 5e-324, 1e9]


@pytest.mark.parametrize("name", ["told", "factor"])
def test_the_page_writes_numbers_as_the_picture_does(name: str) -> None:
    values = numbers()
    calls = [[value] for value in values]
    [written] = answers([{"do": "call", "module": "heat_grid.js", "name": name, "calls": calls}])
    for value, one in zip(values, written, strict=True):
        assert one["value"] == getattr(heat, name)(value), value
