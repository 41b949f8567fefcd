"""``python -m coursebuild.planting``: plants each kind of fault in each panel, exercise and lab; ends with 1 if one is missed.

All of them, or those of some pages and panels, kinds, or a sample that a seed draws. A run of all writes the record that the
ledger's page reads.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from coursebuild.approval import pages_of
from coursebuild.planting.field import Job, outcomes
from coursebuild.planting.ground import is_of, targets_of
from coursebuild.planting.kinds import KINDS, Target
from coursebuild.planting.record import Outcome, table, write
from coursebuild.press import Press

EACH = 100
"""After so many faults it is said how far the run is, which takes a while."""


def known_targets(root: Path) -> Iterator[Target]:
    """All panels, exercises and labs of the project as its pages tell, without running one."""
    press = Press(root)
    press.read(pages_of(root))
    return targets_of(press)


def jobs_of(targets: Sequence[Target], arguments: argparse.Namespace) -> list[Job]:
    """What is asked for."""
    jobs = [
        (target.ident, kind)
        for target in targets
        if is_of(target, arguments.only)
        for kind in KINDS
        if not arguments.kind or kind in arguments.kind
    ]
    return random.Random(arguments.seed).sample(jobs, arguments.sample) if arguments.sample else jobs


def complaint(outcome: Outcome) -> str:
    """What is to be said of a fault that was missed."""
    wanted = "\n".join(f"  expected {line}" for line in outcome.missed)
    came = outcome.said or "nothing: the site was built"
    return f"MISSED {outcome.kind} in {outcome.ident}\n{wanted}\n  came {came}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m coursebuild.planting", description=__doc__)
    parser.add_argument("only", nargs="*", help="pages, or ids of panels: docs/index.md, 17.2")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="of this kind alone")
    parser.add_argument("--sample", type=int, default=0, help="so many, drawn")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample")
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args(words)
    root = arguments.root.resolve()
    start = time.perf_counter()
    jobs = jobs_of(list(known_targets(root)), arguments)
    done = []
    for outcome in outcomes(root, jobs, max(1, min(arguments.processes, len(jobs)))):
        done.append(outcome)
        if outcome.missed:
            print(complaint(outcome), file=sys.stderr, flush=True)
        if len(done) % EACH == 0:
            print(f"{len(done):,} of {len(jobs):,} planted", file=sys.stderr, flush=True)
    caught = sum(not outcome.missed for outcome in done)
    print(table(done))
    print(f"{len(done)} planted, {caught} refused at their place, in {time.perf_counter() - start:.0f} s")
    if not (arguments.only or arguments.kind or arguments.sample):
        write(root, done)
    return 0 if caught == len(done) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
