"""What the tests of pages ask of a pressed panel: its lines, its figures, and the one claim that they mean."""

import ast
import re
from typing import Any

from coursebuild.press import Press
from coursebuild.runner import Checked


def lines(press: Press, ident: str) -> list[str]:
    """The lines of a panel's own output, each run of spaces as one."""
    return [re.sub(r" +", " ", line).strip() for line in press.results[ident].output.split("\n")]


def figures(press: Press, ident: str) -> dict[str, Any]:
    found: dict[str, Any] = dict(press.results[ident].figures)
    return found


def held(press: Press, ident: str, claim: str) -> Checked:
    """The one check of a panel whose claim matches; it held."""
    found = [check for check in press.results[ident].checks if re.search(claim, check.claim)]
    assert len(found) == 1, f"{ident}: {[check.claim for check in press.results[ident].checks]}"
    assert found[0].held
    return found[0]


def checked(press: Press, ident: str, claim: str) -> object:
    """What the one claim that reads so got, a claim that held."""
    return ast.literal_eval(held(press, ident, claim).got)
