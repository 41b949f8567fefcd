"""How much a distribution, or a text under a model, surprises: entropy, cross-entropy, perplexity, bits.

The surprise at something of probability p is -ln p nats, or -log2 p bits; one bit is ln 2 nats.

Sources: Shannon (1948), "A Mathematical Theory of Communication", section 6 (entropy); Kullback and Leibler
(1951), "On Information and Sufficiency" (divergence); Jelinek, Mercer, Bahl and Baker (1977), "Perplexity: a
measure of the difficulty of speech recognition tasks".
"""

import math
from collections.abc import Sequence

from nextword.arguments import SUM_TOLERANCE, require_distribution, require_numbers, require_text


def require_pair(p: Sequence[float], q: Sequence[float]) -> None:
    """Refuse two distributions that are not over the same things.

    Args:
        p: a distribution.
        q: another.

    Raises:
        ValueError: one is no distribution, or their lengths differ.
    """
    require_distribution("p", p)
    require_distribution("q", q)
    if len(q) != len(p):
        raise ValueError(f"q must have as many probabilities as p, {len(p)}, not {len(q)}")


def entropy(probabilities: Sequence[float]) -> float:
    """Average the surprise that a distribution expects of itself.

    What has probability 0 adds nothing.

    Source: Shannon (1948), section 6.

    Args:
        probabilities: n numbers of at least 0 that sum to 1, within 1e-9.

    Returns:
        Nats, from 0 (one thing is certain) to ln n (all are equally likely).

    Raises:
        ValueError: the probabilities are negative, no numbers or do not sum to 1.

    Examples:
        >>> round(entropy([0.5, 0.25, 0.25]) / math.log(2), 9)
        1.5
        >>> entropy([1.0, 0.0])
        0.0
    """
    require_distribution("probabilities", probabilities)
    return 0.0 - math.fsum(p * math.log(p) for p in probabilities if p > 0)


def cross_entropy(p: Sequence[float], q: Sequence[float]) -> float:
    """Average the surprise of one who believes q where p is true.

    It is smallest, and then the entropy of p, where q equals p. This is the loss that models are trained on.

    Source: Shannon (1948), section 6; Kullback and Leibler (1951).

    Args:
        p: the true probabilities, which sum to 1, within 1e-9.
        q: as many believed ones, which sum to 1, within 1e-9.

    Returns:
        Nats; infinite where q gives 0 to something possible.

    Raises:
        ValueError: p or q is no distribution, or their lengths differ.

    Examples:
        >>> round(cross_entropy([0.5, 0.5], [0.25, 0.75]) / math.log(2), 4)
        1.2075
        >>> cross_entropy([0.5, 0.5], [1.0, 0.0])
        inf
    """
    require_pair(p, q)
    possible = [(a, b) for a, b in zip(p, q, strict=True) if a > 0]
    if any(b == 0 for _, b in possible):
        return math.inf
    return 0.0 - math.fsum(a * math.log(b) for a, b in possible)


def kl_divergence(p: Sequence[float], q: Sequence[float]) -> float:
    """Say how much more q surprises than p itself, where p is true.

    It is the cross-entropy less the entropy, and not the same when p and q change places.

    Source: Kullback and Leibler (1951).

    Args:
        p: the true probabilities, which sum to 1, within 1e-9.
        q: as many believed ones, which sum to 1, within 1e-9.

    Returns:
        Nats, at least 0 up to rounding; infinite where q gives 0 to something possible.

    Raises:
        ValueError: p or q is no distribution, or their lengths differ.

    Examples:
        >>> round(kl_divergence([0.5, 0.5], [0.25, 0.75]) / math.log(2), 4)
        0.2075
    """
    require_pair(p, q)
    possible = [(a, b) for a, b in zip(p, q, strict=True) if a > 0]
    if any(b == 0 for _, b in possible):
        return math.inf
    return math.fsum(a * (math.log(a) - math.log(b)) for a, b in possible)


def total_surprise(probabilities: Sequence[float]) -> float:
    """Add up the surprise at all that came.

    Args:
        probabilities: what a model gave to each thing that came, from 0 to 1; they need not sum to 1.

    Returns:
        Nats; infinite if one of the probabilities is 0.

    Raises:
        ValueError: there is no probability, or one is no number from 0 to 1.

    Examples:
        >>> round(total_surprise([0.5, 0.25]) / math.log(2), 9)
        3.0
    """
    require_numbers("probabilities", probabilities)
    smallest, largest = min(probabilities), max(probabilities)
    if not 0 <= smallest <= largest <= 1 + SUM_TOLERANCE:
        wrong = smallest if smallest < 0 else largest
        allowed = "probabilities must hold numbers from 0 to 1"
        raise ValueError(f"{allowed}, not {wrong!r}")
    if smallest == 0:
        return math.inf
    return 0.0 - math.fsum(math.log(p) for p in probabilities)


def perplexity(probabilities: Sequence[float]) -> float:
    """Exponentiate the mean surprise: how many equal choices is it like?

    A model that gives each of V tokens 1 / V scores V; one that gives 1 to what comes scores 1.

    Source: Jelinek, Mercer, Bahl and Baker (1977).

    Args:
        probabilities: what a model gave to each token that came, from 0 to 1; they need not sum to 1.

    Returns:
        A number of at least 1, up to rounding; infinite if one of the probabilities is 0, or if the result is
        beyond all floats.

    Raises:
        ValueError: there is no probability, or one is no number from 0 to 1.

    Examples:
        >>> round(perplexity([0.5, 0.125]), 9)
        4.0
        >>> perplexity([0.5, 0.0])
        inf
    """
    mean = total_surprise(probabilities) / len(probabilities)
    try:
        return math.exp(mean)
    except OverflowError:
        return math.inf


def bits_per_byte(
    probabilities: Sequence[float],
    text: str,
) -> float:
    """Spread the surprise, in bits, over the bytes of the text.

    Unlike perplexity it does not depend on how the text was cut into tokens, so models with different
    tokenizers can be compared on one text.

    Args:
        probabilities: what a model gave to each token of the text, from 0 to 1.
        text: the text that these tokens spell.

    Returns:
        Bits for each byte of the text in UTF-8; infinite if one of the probabilities is 0.

    Raises:
        ValueError: there is no probability, one is no number from 0 to 1, or the text is no ``str``, is empty
            or holds a lone surrogate.

    Examples:
        >>> round(bits_per_byte([0.25, 0.25], "γάτα"), 9)
        0.5
    """
    require_text("text", text)
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        wanted = "text must hold no lone surrogate"
        raise ValueError(f"{wanted}, not {found}") from None
    if not text:
        raise ValueError("text must have at least one byte, not ''")
    return total_surprise(probabilities) / math.log(2) / size


def bits_per_character(
    probabilities: Sequence[float],
    text: str,
) -> float:
    """Spread the surprise, in bits, over the characters of the text.

    Args:
        probabilities: what a model gave to each token of the text, from 0 to 1.
        text: the text that these tokens spell.

    Returns:
        Bits for each character of the text, a code point; infinite if one of the probabilities is 0.

    Raises:
        ValueError: there is no probability, one is no number from 0 to 1, or the text is no ``str`` or is
            empty.

    Examples:
        >>> round(bits_per_character([0.25, 0.25], "γάτα"), 9)
        1.0
    """
    require_text("text", text)
    if not text:
        raise ValueError("text must have at least one character, not ''")
    return total_surprise(probabilities) / math.log(2) / len(text)
