"""Runs modules of instruments, for the press: names and states come in as JSON, what pages show goes out as JSON.

A module of an instrument has ``TITLE``, ``SHOWS``, ``PARAMETERS`` and three functions:

- ``data()`` computes what its script needs and no state changes, as JSON has it;
- ``view(data, state)`` computes what it shows in a state, by the library; the script's port computes the same.
  It raises ValueError where the library refuses the state;
- ``picture(data, state, view)`` writes the same as HTML.
"""

import importlib
import json
import sys
from typing import Any, Protocol

from coursebuild.harness import Reads, import_afresh
from coursebuild.instruments import parameters
from coursebuild.instruments.parameters import Parameter, State


class Instrument(Protocol):
    """What a module of an instrument has."""

    TITLE: str
    SHOWS: tuple[str, ...]
    PARAMETERS: tuple[Parameter, ...]

    def data(self) -> dict[str, Any]: ...

    def view(self, data: dict[str, Any], state: State) -> dict[str, Any]: ...

    def picture(self, data: dict[str, Any], state: State, view: dict[str, Any]) -> str: ...


def module_of(name: str) -> Instrument:
    """The module of an instrument, by the name that pages use."""
    module: Any = importlib.import_module(f"coursebuild.instruments.{name.replace('-', '_')}")
    found: Instrument = module
    return found


def made(name: str, start: str) -> dict[str, Any]:
    """What a page shows of an instrument, by the names of ``coursebuild.instruments.Made``."""
    instrument = module_of(name)
    told = {"title": instrument.TITLE, "shows": instrument.SHOWS}
    data = instrument.data()
    try:
        state = parameters.read(instrument.PARAMETERS, start)
        seen = instrument.view(data, state)
    except ValueError as error:
        return told | {"problem": str(error)}
    kept = {
        "data": data,
        "parameters": [parameter.described() for parameter in instrument.PARAMETERS],
        "state": state,
    }
    text = json.dumps(kept, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return told | {
        "kept": text.replace("<", "\\u003c"),  # ends no script element
        "picture": instrument.picture(data, state, seen),
    }


def forget(known: set[str], folders: tuple[str, ...]) -> None:
    """Forget the modules that were imported from the folders beside the known ones, so that they are imported again."""
    for name in set(sys.modules) - known:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(folders):
            del sys.modules[name]
            parent, _, own = name.rpartition(".")
            vars(sys.modules.get(parent, sys)).pop(own, None)


def main() -> None:
    """Answer for what is asked on standard input, each with the files that it read."""
    job = json.load(sys.stdin)
    reads = Reads(job["project"], job["apart"], job["press"])
    for module in list(sys.modules.values()):
        reads.note(getattr(module, "__file__", None))
    for folder in dict.fromkeys((job["press_source"], job["source"])):
        import_afresh(folder, reads)
    sys.path_importer_cache.clear()
    reads.watch()
    known, first, answers = set(sys.modules), reads.found, []
    for name, start in job["asked"]:
        reads.found = dict(first)
        answers.append(made(name, start) | {"read": reads.found if reads.is_whole else None})
        forget(known, (job["press"], job["project"]))
    json.dump(answers, sys.stdout)
