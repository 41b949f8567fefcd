"""Pictures drawn from the figures of a panel: each returns one inline SVG, in the colours of the page.

A drawing takes the figures of one panel and an identifier that is unique on the page ("17.1"). It states
nothing of its own: every word and number in the picture and in its text alternative comes from the figures.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from coursebuild.drawings.blocks import blocks
from coursebuild.drawings.curves import curves
from coursebuild.drawings.cuts import cuts
from coursebuild.drawings.distributions import next_words
from coursebuild.drawings.heat_maps import heat_maps
from coursebuild.drawings.languages import tokens_by_language
from coursebuild.drawings.merges import merge_tree

Drawing: TypeAlias = Callable[[Mapping[str, Any], str], str]

DRAWINGS: dict[str, Drawing] = {
    "blocks": blocks,
    "curves": curves,
    "cuts": cuts,
    "heat_maps": heat_maps,
    "merge_tree": merge_tree,
    "next_words": next_words,
    "tokens_by_language": tokens_by_language,
}

__all__ = [
    "DRAWINGS",
    "Drawing",
    "blocks",
    "curves",
    "cuts",
    "heat_maps",
    "merge_tree",
    "next_words",
    "tokens_by_language",
]
