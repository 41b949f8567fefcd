"""Numbers in an instrument's arithmetic are the same in the page and in its static picture."""

import random

import pytest

from coursebuild.instruments import heat

from .node import answers

pytestmark = pytest.mark.once


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


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.03125, "0.0312"),
        (9.96e-6, "10⁻⁵"),
        (-9.96e-6, "−10⁻⁵"),
        (-1.5e-7, "−1.5×10⁻⁷"),
        (-0.0, "0"),
        (6.0, "6"),
        (120.0, "120"),
    ],
)
def test_how_numbers_are_written(value: float, written: str) -> None:
    assert heat.told(value) == written
