"""A hook for MkDocs: pages are read, run and rendered in another order, panels run in another order, and the clock is moved.

COURSE_SEED and COURSE_DAYS say how. The pages are written in MkDocs's own order, which is that of the search index.
"""

import os
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import time_machine
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files

from coursebuild import press
from coursebuild.panels import Panel

ORDER: list[str] = []


def shuffling(draw: random.Random) -> Callable[[str, str], list[Panel]]:
    """``press.sketches``, which says what panels of a page to run, in another order."""
    plain = press.sketches

    def sketches(name: str, text: str) -> list[Panel]:
        found = plain(name, text)
        draw.shuffle(found)
        return found

    return sketches


def on_startup(**_: Any) -> None:
    time_machine.travel(timedelta(days=int(os.environ["COURSE_DAYS"]))).start()
    press.sketches = shuffling(_draw())


def _draw() -> random.Random:
    return random.Random(os.environ["COURSE_SEED"])


@event_priority(100)
def on_files(files: Files, **_: Any) -> Files:
    ORDER[:] = [file.src_uri for file in files]
    found = list(files)
    _draw().shuffle(found)
    return Files(found)


@event_priority(100)
def on_env(env: Any, files: Files, **_: Any) -> None:
    place = {uri: number for number, uri in enumerate(ORDER)}
    for file in sorted(files, key=lambda file: place.get(file.src_uri, len(place))):
        files.remove(file)
        files.append(file)
