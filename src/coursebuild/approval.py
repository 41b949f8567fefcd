"""Approved outputs: the text of every panel as reviewed, and what a run says differently now."""

import difflib
import sys
from pathlib import Path

from coursebuild import addresses, lanes
from coursebuild.faults import Fault, report
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import FIGURES, OK, Result, Surroundings

FOLDER = Path("tests") / "outputs"


def pages_of(root: Path) -> list[tuple[Path, str]]:
    """The pages of the site with their addresses, notebooks included, in the order of their names."""
    docs = root / "docs"
    found = sorted(path for suffix in ("*.md", "*.ipynb") for path in docs.rglob(suffix))
    folders = [path.parent if path.stem == "index" else path.with_suffix("") for path in found]
    return [
        (path, "" if folder == docs else folder.relative_to(docs).as_posix() + "/")
        for path, folder in zip(found, folders, strict=True)
        if ".ipynb_checkpoints" not in path.parts
    ]


def approved_path(root: Path, ident: str) -> Path:
    """Where the approved output of a panel lies."""
    return root / FOLDER / f"{ident}.txt"


def differences(root: Path, press: Press) -> list[str]:
    """For each panel whose run differs from its approved output, the difference; and approved outputs without a panel."""
    found = []
    for ident, result in press.results.items():
        path = approved_path(root, ident)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before != result.approved_form:
            lines = difflib.unified_diff(
                before.splitlines(),
                result.approved_form.splitlines(),
                f"approved {ident}",
                f"this run of {ident}",
                lineterm="",
            )
            found.append("\n".join(lines) or f"{ident} differs in its last line's end")
    known = {approved_path(root, ident) for ident in press.results}
    gone = [*orphans(root, known), *lanes.orphans(root, press.panels)]
    found += [f"{path.name} is approved, but no page has that panel" for path in gone]
    return found


def unapproved(press: Press) -> list[Fault]:
    """What the panels of the first lane print, claim or name otherwise than was approved. In the preview an author is about to change it."""
    found: list[Fault] = []
    failed = {fault.anchor for fault in press.faults}
    for panel in press.panels.values():
        path = approved_path(press.root, panel.ident)
        if panel.packages or panel.ident in failed or not path.exists():
            continue
        before = path.read_text(encoding="utf-8")
        if before != press.results[panel.ident].approved_form:
            found += _differences_of(panel, press.results[panel.ident], before)
    return found


def _differences_of(panel: Panel, result: Result, before: str) -> list[Fault]:
    """The approved claims that a run no longer makes, else what it prints or names otherwise; at the next claim that it makes."""
    made = {check.claim: check.line for check in result.checks}
    last = max(made.values(), default=0)
    lines = before.partition(FIGURES)[0].splitlines()
    claims = [line.removeprefix(OK) for line in lines if line.startswith(OK)]
    if dropped := [number for number, claim in enumerate(claims) if claim not in made]:
        return [
            panel.fault(
                "claim-dropped",
                f"the claim “{claims[number]}” was approved, and no check makes it now",
                next((made[claim] for claim in claims[number:] if claim in made), last),
            )
            for number in dropped
        ]
    approved, now = before.partition(FIGURES)[0].encode(), result.printed
    same = next((at for at, (a, b) in enumerate(zip(approved, now, strict=False)) if a != b), len(approved))
    line = next((check.line for check in result.checks if check.end > same), last)
    said = difflib.unified_diff(
        before.splitlines(), result.approved_form.splitlines(), "approved", "this run", lineterm="", n=0
    )
    message = "\n    ".join(["it prints or names something else than was approved:", *said])
    return [panel.fault("output-not-approved", message, line, "make approve accepts it")]


def drift(press: Press) -> list[Fault]:
    """In the second lane, what its panels print otherwise than was approved, or were approved with other packages.

    In the first lane their pages show what was approved in place of a run.
    """
    found: list[Fault] = []
    if not lanes.is_real():
        return found
    for panel in press.panels.values():
        if panel.ident not in press.origins:
            continue  # not of this lane, or without its packages, which is a fault already
        kept, origin, faults = lanes.recall(press.root, panel, press.identity(panel))
        found += faults
        here, done = lanes.origin_here(panel.packages), press.executions[panel.ident]
        after, hint = press.results[panel.ident].approved_form, "make approve-real accepts it"
        path = approved_path(press.root, panel.ident)
        before = path.read_text(encoding="utf-8") if path.exists() else after
        if origin and (here.packages, here.release) != (origin.packages, origin.release):
            means = f"{origin.versions} on Python {origin.python}, here are {here.versions} on {here.python}"
            found.append(panel.fault("record-of-other-packages", f"it was approved with {means}", 0, hint))
        if before != after:
            lines = difflib.unified_diff(
                before.splitlines(), after.splitlines(), "approved", "this run", lineterm="", n=0
            )
            message = "\n    ".join(["it prints or names something else than was approved:", *lines])
            found.append(panel.fault("output-not-approved", message, 0, hint))
        elif kept and lanes.shown(kept) != lanes.shown(done):
            found.append(
                panel.fault("record-claims", "the record of its run says other claims than this run", 0, hint)
            )
    for path in lanes.orphans(press.root, press.panels):
        name, hint = path.relative_to(press.root).as_posix(), "make approve-real removes it"
        found.append(Fault("record-orphan", name, 1, "record", "it is of no panel", hint))
    return found


def orphans(root: Path, known: set[Path]) -> list[Path]:
    """Approved outputs whose panel is gone."""
    return sorted(path for path in (root / FOLDER).glob("*.txt") if path not in known)


def unsteady(root: Path, press: Press) -> list[Fault]:
    """The panels that print something else in a second run, with another hash seed and time zone."""
    again = Press(root, Surroundings(hash_seed="20611", timezone="Asia/Kathmandu", source=root / "src"))
    again.prepare(pages_of(root))
    hint = "seed what is random; print no time, no path, no set"
    return [
        panel.fault("output-unsteady", "it prints or names something else in each run", 0, hint)
        for ident, panel in press.panels.items()
        if press.results[ident].approved_form != again.results[ident].approved_form
    ]


def approve(root: Path) -> int:
    """Accept what the panels print now: write the files, say what changed.

    A panel with a fault, or one whose output depends on the run, is never approved.
    """
    press = Press(root)
    press.prepare(pages_of(root))
    faults = [fault for fault in press.faults if fault.anchor] or unsteady(root, press)
    if faults:
        print(report(faults), file=sys.stderr)
        return 1
    changes = differences(root, press)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    paths = {ident: approved_path(root, ident) for ident in press.results}
    gone = orphans(root, set(paths.values()))
    new = [ident for ident, path in paths.items() if not path.exists()]
    for ident, path in paths.items():
        form, panel = press.results[ident].approved_form, press.panels[ident]
        is_kept = ident not in new and path.read_text(encoding="utf-8") == form
        path.write_text(form, encoding="utf-8", newline="\n")
        run = press.identity(panel) if panel.packages and lanes.is_real() else ""
        if run and not (is_kept and lanes.is_current(root, panel, press.executions[ident], run)):
            lanes.keep(root, panel, press.executions[ident], run)
    for path in [*gone, *lanes.orphans(root, press.panels)]:
        path.unlink()
    if changes:
        print("\n\n".join(changes))
    changed = len(changes) - len(new) - len(gone)
    counts = (
        f"{len(new)} new, {changed} changed, {len(gone)} gone, {len(paths) - len(new) - changed} as before"
    )
    print(f"approved in {FOLDER.as_posix()}: {counts}")
    for lost in addresses.approve(press):
        print(lost, file=sys.stderr)
    return 0
