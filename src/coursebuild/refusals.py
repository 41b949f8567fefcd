"""The catalogue of what the press refuses: each kind with its meaning and its remedy, from ``refusals.toml``."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

CATALOGUE = "src/coursebuild/refusals.toml"
PAGE = "reference/refusals/"
"""The address of the page that lists all kinds, relative to the site's root."""


@dataclass(frozen=True)
class Kind:
    """A kind of refusal.

    Attributes:
        slug: its name in messages, and its anchor on the catalogue's page: it never changes.
        group: the heading under which the page lists it.
        title: what is refused, in a few words.
        means: what it means, and why it is refused.
        remedy: what to do about it.
    """

    slug: str
    group: str
    title: str
    means: str
    remedy: str


def _read() -> dict[str, Kind]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {
        slug: Kind(slug, group, **entry)
        for group, entries in tomllib.loads(text).items()
        for slug, entry in entries.items()
    }


KINDS = _read()
"""All kinds by their slugs, in the order of the catalogue."""
