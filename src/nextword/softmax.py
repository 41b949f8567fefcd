"""Logits turned into probabilities, without overflow.

A logit is a score: any finite number, or minus infinity for what is impossible. The natural logarithm of a
probability is a logit too, so softmax gives the probabilities back.

Sources: Bridle (1990), "Probabilistic Interpretation of Feedforward Classification Network Outputs" (softmax);
Goodfellow, Bengio and Courville (2016), "Deep Learning", section 4.1 (the largest logit is subtracted); Ackley,
Hinton and Sejnowski (1985), "A Learning Algorithm for Boltzmann Machines" (temperature).
"""

import math
from collections.abc import Sequence

from nextword.arguments import require_logits, require_number


def require_temperature(temperature: float) -> None:
    """Refuse a temperature that logits cannot be divided by.

    Args:
        temperature: the argument of that name.

    Raises:
        ValueError: the temperature is no finite number above 0.
    """
    require_number("temperature", temperature, above=0, because="0 means argmax")


def softmax(
    logits: Sequence[float],
    temperature: float = 1.0,
) -> list[float]:
    """Turn logits into probabilities: exponentials, divided by their sum.

    The largest logit is subtracted first. That leaves the result the same and keeps every exponential between
    0 and 1, so none overflows. The logits are divided by the temperature: below 1 the probabilities are
    sharper, above 1 flatter. Their order stays the same.

    Source: Goodfellow, Bengio and Courville (2016), section 4.1.

    Args:
        logits: n finite numbers; minus infinity stands for what is impossible.
        temperature: any finite number above 0.

    Returns:
        n numbers of at least 0 that sum to 1 but for rounding. One that is too small for a float is 0.

    Raises:
        ValueError: there is no logit, one is no number, nan or plus infinity, all are minus infinity, or the
            temperature is not finite and above 0.

    Examples:
        >>> softmax([1000.0, 1000.0, -math.inf])
        [0.5, 0.5, 0.0]
    """
    require_logits("logits", logits)
    require_temperature(temperature)
    largest = max(logits)
    exponentials = [math.exp((z - largest) / temperature) for z in logits]
    total = math.fsum(exponentials)
    return [exponential / total for exponential in exponentials]


def log_softmax(
    logits: Sequence[float],
    temperature: float = 1.0,
) -> list[float]:
    """Turn logits into the natural logarithms of their probabilities.

    A probability that is too small for a float still has its logarithm here.

    Source: Goodfellow, Bengio and Courville (2016), section 4.1.

    Args:
        logits: n finite numbers; minus infinity stands for what is impossible.
        temperature: any finite number above 0.

    Returns:
        n numbers of at most 0, in nats; minus infinity where the logit is, or is too far below the largest
        for a float.

    Raises:
        ValueError: there is no logit, one is no number, nan or plus infinity, all are minus infinity, or the
            temperature is not finite and above 0.

    Examples:
        >>> log_softmax([0.0, -1000.0])
        [0.0, -1000.0]
    """
    require_logits("logits", logits)
    require_temperature(temperature)
    largest = max(logits)
    shifted = [(z - largest) / temperature for z in logits]
    log_total = math.log(math.fsum(math.exp(z) for z in shifted))
    return [z - log_total for z in shifted]
