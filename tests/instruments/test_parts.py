"""Numbers are written in the page as the build writes them."""

import random

import pytest

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
