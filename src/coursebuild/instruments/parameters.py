"""The state of an instrument: named parameters, each with the values that it may have, and how a link writes them.

A link is ``name=value&name=value`` in the encoding of forms; what it does not name is as the instrument begins.
``coursebuild/live/instruments/state.js`` reads and writes the same.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import parse_qsl

State: TypeAlias = dict[str, Any]

LONGEST_QUOTED = 40
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")


class Refused(ValueError):
    """A value that a parameter cannot have."""


def _cut(text: str) -> str:
    """A text from a link in a message about it, which stays short."""
    return text if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]}…"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One thing that a reader sets.

    Attributes:
        name: what a link calls it.
        label: what the reader sees beside its control.
        start: its value at first.
    """

    name: str
    label: str
    start: Any

    def read(self, text: str) -> Any:
        """The value that a link writes so.

        Raises:
            Refused: the parameter cannot have it.
        """
        raise NotImplementedError

    def refused(self, text: str, allowed: str) -> Refused:
        return Refused(f"{self.name} must be {allowed}, not “{_cut(text)}”")

    def described(self) -> dict[str, Any]:
        """What the script needs to know."""
        return {"kind": type(self).__name__.lower()} | vars(self)


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    """A number from ``least`` to ``most``; ``step`` is that of its slider, ``scale`` "log" where that is logarithmic."""

    least: float
    most: float
    step: float = 0.01
    scale: str = "linear"

    def read(self, text: str) -> float:
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not self.least <= value <= self.most:
            raise self.refused(text, f"a number from {self.least:g} to {self.most:g}")
        return value


@dataclass(frozen=True, kw_only=True)
class Whole(Parameter):
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int

    def read(self, text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,15}", text) or not self.least <= int(text) <= self.most:
            raise self.refused(text, f"a whole number from {self.least} to {self.most}")
        return int(text)


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of several; ``choices`` are pairs of what a link says and what the reader sees."""

    choices: tuple[tuple[str, str], ...]

    def read(self, text: str) -> str:
        names = [name for name, _ in self.choices]
        if text not in names:
            raise self.refused(text, f"one of {', '.join(names)}")
        return text


@dataclass(frozen=True, kw_only=True)
class Flag(Parameter):
    """On or off."""

    def read(self, text: str) -> bool:
        if text not in ("on", "off"):
            raise self.refused(text, "on or off")
        return text == "on"


@dataclass(frozen=True, kw_only=True)
class Text(Parameter):
    """A text of at most ``longest`` characters."""

    longest: int

    def read(self, text: str) -> str:
        if len(text) > self.longest:
            raise Refused(f"{self.name} must have at most {self.longest:,} characters, not {len(text):,}")
        return text


@dataclass(frozen=True, kw_only=True)
class Numbers(Parameter):
    """Up to ``longest`` numbers, each from ``least`` to ``most``, parted by commas; none is an empty text."""

    least: float
    most: float
    longest: int
    whole: bool = False

    def read(self, text: str) -> list[float]:
        pieces = text.split(",") if text else []
        if len(pieces) > self.longest:
            raise Refused(f"{self.name} must have at most {self.longest} numbers, not {len(pieces)}")
        kind = "whole numbers" if self.whole else "numbers"
        for piece in pieces:
            form = re.fullmatch("-?[0-9]{1,15}", piece) if self.whole else NUMBER.fullmatch(piece)
            if not form or not self.least <= float(piece) <= self.most:
                raise self.refused(piece, f"{kind} from {self.least:g} to {self.most:g}")
        return [int(piece) if self.whole else float(piece) for piece in pieces]


@dataclass(frozen=True, kw_only=True)
class Order(Parameter):
    """All of ``choices``, each once, in an order, parted by commas."""

    choices: tuple[tuple[str, str], ...]

    def read(self, text: str) -> list[str]:
        names = [name for name, _ in self.choices]
        if sorted(text.split(",")) != sorted(names):
            raise self.refused(text, f"an order of {','.join(names)}")
        return text.split(",")


def start_of(parameters: tuple[Parameter, ...]) -> State:
    """The state in which an instrument begins."""
    return {parameter.name: parameter.start for parameter in parameters}


def read(parameters: tuple[Parameter, ...], link: str) -> State:
    """The state of a link.

    Raises:
        Refused: it names no parameter, one twice, or a value that is not allowed.
    """
    known = {parameter.name: parameter for parameter in parameters}
    found: State = {}
    for name, value in parse_qsl(link, keep_blank_values=True, strict_parsing=bool(link)):
        if name not in known:
            raise Refused(f"“{_cut(name)}” is no parameter; there are {', '.join(known)}")
        if name in found:
            raise Refused(f"{name} is given twice")
        found[name] = known[name].read(value)
    return start_of(parameters) | found
