"""One choice from many: the largest value, or an index drawn as often as its probability says.

Drawing is inverse transform sampling: one uniform number is laid on a line on which every index has a stretch as
long as its probability. Source: Devroye (1986), "Non-Uniform Random Variate Generation", section III.2.
"""

import random
from collections.abc import Sequence

from nextword.arguments import require_distribution, require_numbers


def argmax(values: Sequence[float]) -> int:
    """Find the index of the largest value; among equals the first.

    Args:
        values: n numbers, at least one; infinities are allowed, nan is not.

    Returns:
        An index from 0 to n - 1.

    Raises:
        ValueError: there is no value, or one is no number.

    Examples:
        >>> argmax([1.5, 3.0, 3.0])
        1
    """
    require_numbers("values", values)
    return max(range(len(values)), key=lambda index: values[index])


def draw(probabilities: Sequence[float], rng: random.Random) -> int:
    """Draw an index, each as often as its probability says.

    Takes one uniform number from the generator: the first index at which the running sum exceeds it is
    drawn. Rounding can leave the whole sum below the number; then it is the last index that is not
    impossible. So an index of probability 0 is never drawn.

    Source: Devroye (1986), section III.2.

    Args:
        probabilities: n numbers of at least 0 that sum to 1, within 1e-9.
        rng: the source of randomness, such as ``random.Random(42)``.

    Returns:
        An index from 0 to n - 1.

    Raises:
        ValueError: a probability is negative or no number, their sum is not 1, or ``rng`` is no
            ``random.Random``.

    Examples:
        >>> rng = random.Random(42)
        >>> [draw([0.5, 0.25, 0.25], rng) for _ in range(8)]
        [1, 0, 0, 0, 1, 1, 2, 0]
    """
    require_distribution("probabilities", probabilities)
    if not isinstance(rng, random.Random):
        raise ValueError(f"rng must be a random.Random, not {rng!r}")
    uniform = rng.random()
    running = 0.0
    for index, probability in enumerate(probabilities):
        running += probability
        if uniform < running:
            return index
    return max(i for i, p in enumerate(probabilities) if p > 0)
