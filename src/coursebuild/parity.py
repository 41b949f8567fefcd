"""What the tests of the second lane measured: our code against the real libraries, as the page "How we know" shows it.

Each run of tests/real writes a record. `make real` compares it with the one that was approved: the same comparisons on as
many cases, with the same versions, and no difference above its limit. How large a difference is below its limit depends
on the processor, so it is not compared: the page shows the one of the approved run. `make approve-real` accepts a record.

    python -m coursebuild.parity check RECORD
    python -m coursebuild.parity accept RECORD
"""

import json
import sys
from pathlib import Path
from typing import Any

APPROVED = Path("docs") / "assets" / "data" / "parity.json"
"""The record of the approved run, which the page's panels read."""

Row = dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    """A record: its date, versions, and the rows of what was `equal` and what `differs`.

    Raises:
        FileNotFoundError: there is none.
        ValueError: the file is no record.
    """
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if sorted(record) != ["date", "differs", "equal", "versions"]:
        raise ValueError(f"{path} is no record of comparisons: it has {sorted(record)}")
    for kind in ("equal", "differs"):
        if not record[kind] or len(_rows(record[kind])) < len(record[kind]):
            raise ValueError(f"{path} is no record of comparisons: {kind} is empty, or names one twice")
    return record


def problems(approved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What keeps a run from standing for the approved one, a line each."""
    found = [
        f"{name}: approved with {approved['versions'].get(name)}, here {now['versions'].get(name)}"
        for name in sorted({*approved["versions"], *now["versions"]})
        if _version(approved, name) != _version(now, name)
    ]
    for kind, compared in (
        ("equal", ("about", "cases", "limit")),
        ("differs", ("about", "cases", "different")),
    ):
        before, after = (_rows(record[kind]) for record in (approved, now))
        found += [f"{name}: approved, but not measured now" for name in before if name not in after]
        found += [f"{name}: measured, but not approved" for name in after if name not in before]
        found += [
            f"{name}: {field} was {before[name][field]}, is {after[name][field]}"
            for name in before
            if name in after
            for field in compared
            if before[name][field] != after[name][field]
        ]
    for record in (approved, now):
        found += [
            f"{name}: the largest difference, {row['largest']:.1e}, is not within its limit, {row['limit']:.1e}"
            for name, row in _rows(record["equal"]).items()
            if not 0 <= row["largest"] <= row["limit"]
        ]
    return found


def _version(record: dict[str, Any], name: str) -> str | None:
    """A version; of Python without its last number, for patches of one release are taken for alike."""
    version: str | None = record["versions"].get(name)
    return version.rpartition(".")[0] if version and name == "python" else version


def _rows(rows: list[Row]) -> dict[str, Row]:
    """Each row under what it compares with what."""
    return {" / ".join(filter(None, (row["ours"], row["theirs"], row.get("precision")))): row for row in rows}


def main(arguments: list[str]) -> int:
    """Check or accept a record; the exit status."""
    action, record = arguments[0], Path(arguments[1])
    now = read(record)
    try:
        found = problems(read(APPROVED), now)
    except (OSError, ValueError) as error:
        found = [f"the approved record cannot be read: {error}"]
    if action == "accept":
        above = [line for line in problems(now, now) if line]
        if above:
            print("\n".join(above), file=sys.stderr)
            return 1
        if found:
            APPROVED.write_bytes(record.read_bytes())
        print("\n".join([*found, f"{APPROVED.as_posix()}: {'accepted' if found else 'as before'}"]))
        return 0
    if found:
        hint = "accept what changed with: make approve-real"
        print(
            "\n".join([f"{APPROVED.as_posix()} is not what was measured now:", *found, hint]), file=sys.stderr
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
