"""The pages of the site: each one of the navigation, and one of each type."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


class Loose(yaml.SafeLoader):
    """Reads mkdocs.yml without what its tags stand for."""


Loose.add_multi_constructor("!", lambda loader, suffix, node: None)  # type: ignore[no-untyped-call]
Loose.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)  # type: ignore[no-untyped-call]


def _sources(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from _sources(value)


def _address(source: str) -> str:
    name = source.rpartition(".")[0]
    return "" if name == "index" else f"{name}/"


ALL = [
    _address(source)
    for source in _sources(yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loose)["nav"])
]
LESSONS = [path for path in ALL if path.startswith("lessons/")]
# One page of each type, and all of those that are alone in theirs.
TYPES = [
    "",
    "how-to-use/",
    "instruments/",
    *LESSONS,
    "foundations/softmax/",
    "further/rotary/",
    "exercises/17-tokenization/",
    "labs/18-next-word/",
    "reference/symptoms/",
    "reference/conventions/",
    "reference/glossary/",
    "reference/ledger/",
    "reference/how-we-know/",
    "reference/corrections/",
    "reference/bpe/",
    "reference/authoring/",
]
assert set(TYPES) <= set(ALL)


def name(path: str) -> str:
    """What a test of a page is called."""
    return path.strip("/") or "front page"
