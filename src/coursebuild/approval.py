"""Approved outputs: the text of every panel as reviewed, and what a run says differently now."""

import difflib
import sys
from pathlib import Path

from coursebuild.faults import report
from coursebuild.press import Press

FOLDER = Path("tests") / "outputs"


def pages_of(root: Path) -> list[tuple[Path, str]]:
    """The pages of the site, in the order of their names."""
    docs = root / "docs"
    return [
        (path, path.relative_to(docs).with_suffix("").as_posix() + "/") for path in sorted(docs.rglob("*.md"))
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
    found += [f"{path.name} is approved, but no page has that panel" for path in orphans(root, known)]
    return found


def orphans(root: Path, known: set[Path]) -> list[Path]:
    """Approved outputs whose panel is gone."""
    return sorted(path for path in (root / FOLDER).glob("*.txt") if path not in known)


def approve(root: Path) -> int:
    """Accept what the panels print now: write the files, say what changed. A panel with a fault is never approved."""
    press = Press(root)
    press.prepare(pages_of(root))
    if faults := [fault for fault in press.faults if fault.anchor]:
        print(report(faults), file=sys.stderr)
        return 1
    changes = differences(root, press)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    known = {approved_path(root, ident) for ident in press.results}
    for ident, result in press.results.items():
        approved_path(root, ident).write_text(result.approved_form, encoding="utf-8", newline="\n")
    for path in orphans(root, known):
        path.unlink()
    print("\n\n".join(changes) if changes else "nothing changed")
    print(f"{len(press.results)} outputs approved in {FOLDER.as_posix()}")
    return 0
