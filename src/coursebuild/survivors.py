"""The mutants that no test notices, each with the reason: the lists in tests/mutants/survivors/, and the figures of the last run.

A list has an entry for each reason, and entries are apart by an empty line:

    # The reason, on lines of its own.
    @ softmax
    -    total = math.fsum(exponentials)
    +    total = None
"""

import datetime
import platform
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LISTS = Path("tests") / "mutants"

FIGURES_HEAD = """\
# Mutants: the last run of each module

`make mutants` writes this table. A mutant that ran out of time counts as killed in the score; those that survived are in [survivors](survivors).

| module | mutants | killed | timed out | survived | score | run |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
"""


@dataclass(frozen=True)
class Mutation:
    """A change of a module: the function or method, and the lines before and after."""

    function: str
    removed: tuple[str, ...]
    added: tuple[str, ...]

    def __str__(self) -> str:
        lines = [*(f"-{line}" for line in self.removed), *(f"+{line}" for line in self.added)]
        return "\n".join([f"@ {self.function or 'module'}", *lines])


@dataclass(frozen=True)
class Figures:
    """What became of a module's mutants on some day."""

    made: int
    killed: int
    timed_out: int
    survived: int
    run: str

    @property
    def score(self) -> float:
        """The share that was noticed."""
        return 1 - self.survived / self.made if self.made else 1.0


def read_modules(root: Path) -> dict[str, list[str]]:
    """The modules that have mutants, and the test files of each, below tests/.

    Raises:
        ValueError: a file that is named does not exist.
    """
    table: dict[str, list[str]] = tomllib.loads((root / LISTS / "modules.toml").read_text(encoding="utf-8"))
    for module, tests in table.items():
        for file in (source_of(module), *(f"tests/{test}" for test in tests)):
            if not (root / file).is_file():
                raise ValueError(f"{LISTS / 'modules.toml'}: {module}: there is no {file}")
    return table


def source_of(module: str) -> str:
    """A module's file in the checkout."""
    return f"src/{module.replace('.', '/')}.py"


def read(file: Path) -> dict[Mutation, str]:
    """A list's mutations, each with its reason. A file that does not exist is an empty list.

    Raises:
        ValueError: an entry has no reason or no mutation, a line is none of a list, or a mutation is listed twice.
    """
    found: dict[Mutation, str] = {}
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    for entry in re.split(r"\n{2,}", text.strip("\n")) if text.strip() else []:
        reason, *mutations = re.split(r"^@ ", entry, flags=re.MULTILINE)
        words = " ".join(
            line.removeprefix("#").strip() for line in reason.splitlines() if line[:1] == "#"
        ).strip()
        if not words or not mutations or any(line[:1] != "#" for line in reason.splitlines()):
            raise ValueError(
                f"{file.name}: an entry has lines of a reason (# …), then mutations (@ …), not:\n{entry}"
            )
        for part in mutations:
            mutation = _mutation(file.name, part)
            if mutation in found or not mutation.removed + mutation.added:
                raise ValueError(f"{file.name}: is listed twice or changes nothing:\n{mutation}")
            found[mutation] = words
    return found


def _mutation(name: str, text: str) -> Mutation:
    function, *lines = text.rstrip("\n").split("\n")
    if wrong := [line for line in lines if line[:1] not in ("-", "+")]:
        raise ValueError(f"{name}: a line of a mutation begins with - or +, not: {wrong[0]}")
    return Mutation(
        "" if function == "module" else function,
        tuple(line[1:] for line in lines if line[0] == "-"),
        tuple(line[1:] for line in lines if line[0] == "+"),
    )


def read_figures(file: Path) -> dict[str, Figures]:
    """The table of the last runs, by module."""
    found = re.findall(r"^\| `(\S+)` \|((?: \d+ \|){4}) \S+ \| (.+) \|$", _text(file), re.MULTILINE)
    rows = {}
    for module, numbers, run in found:
        made, killed, timed_out, survived = (int(number) for number in numbers.split("|")[:-1])
        rows[module] = Figures(made, killed, timed_out, survived, run)
    return rows


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def write_figures(file: Path, figures: Mapping[str, Figures]) -> None:
    """Write the table, with the sums of all modules."""
    rows = [
        f"| `{module}` | {row.made} | {row.killed} | {row.timed_out} | {row.survived} | {row.score:.1%} | {row.run} |"
        for module, row in figures.items()
    ]
    made, killed, timed_out, survived = (
        sum(getattr(row, name) for row in figures.values())
        for name in ("made", "killed", "timed_out", "survived")
    )
    score = Figures(made, killed, timed_out, survived, "").score
    rows.append(f"| all | {made} | {killed} | {timed_out} | {survived} | {score:.1%} | |")
    file.write_text(FIGURES_HEAD + "\n".join(rows) + "\n", encoding="utf-8")


def today() -> str:
    """The day and the Python of a run, as the table tells them."""
    return f"{datetime.datetime.now(datetime.UTC).date()}, Python {platform.python_version()}"
