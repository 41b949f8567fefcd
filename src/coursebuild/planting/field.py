"""Plants faults in several processes at once, each with a copy of the site of its own."""

import logging
import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from coursebuild.planting.ground import Ground, missed
from coursebuild.planting.kinds import plant
from coursebuild.planting.record import Outcome

Job = tuple[str, str]
"""The id of what a fault is planted in, and the fault's kind."""


_ground: list[Ground] = []


def _begin(root: Path, folder: Path) -> None:
    """Prepare a process: a copy of the site of its own. What is logged is said of faults that are meant to be there."""
    for name in ("coursebuild", "mkdocs"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    _ground[:] = [Ground(root, Path(tempfile.mkdtemp(dir=folder)))]


def _try(job: Job) -> Outcome:
    ident, kind = job
    ground = _ground[0]
    target = next(target for target in ground.targets if target.ident == ident)
    planted = plant(kind, target, ground.read)
    said = ground.refusal(planted)
    return Outcome(kind, target.group, ident, tuple(missed(planted, said)), said)


def outcomes(root: Path, jobs: Sequence[Job], processes: int) -> Iterator[Outcome]:
    """What became of each planted fault, as it comes.

    Raises:
        BrokenProcessPool: the site is refused as it is; what is wrong with it was logged.
    """
    with tempfile.TemporaryDirectory() as name:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, context, _begin, (root, Path(name))) as pool:
            for done in as_completed([pool.submit(_try, job) for job in jobs]):
                yield done.result()
