"""The catalogue of what the press refuses: each kind with its meaning and its remedy, from ``refusals.toml``."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

CATALOGUE = "src/coursebuild/refusals.toml"
SOURCE = "docs/reference/refusals.md"
"""The page that lists all kinds."""


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

EXAMPLES = "tests/refusals"
"""The folder of the examples, relative to the project."""
_HEADER = re.compile(r"^-- (\S+) --\n", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """What an author may write that is refused, and what the build says then.

    Attributes:
        remark: what a reader must know beside the files.
        command: the command that refuses it, if it is not ``mkdocs build``.
        files: the text of each file, by its name relative to the project.
        message: the message, as it was approved.
    """

    remark: str
    command: str
    files: dict[str, str]
    message: str

    @classmethod
    def read(cls, path: Path) -> "Example":
        """An example from its file, which has the form of Go's txtar: a remark, and parts behind lines ``-- name --``."""
        head, *parts = _HEADER.split(path.read_text(encoding="utf-8"))
        files = dict(zip(parts[::2], parts[1::2], strict=True))
        message = files.pop("message", "").rstrip("\n")
        lines = head.strip().split("\n")
        commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        remark = " ".join(line for line in lines if not line.startswith("$ "))
        return cls(remark, commands[0] if commands else "", files, message)

    def written(self, message: str) -> str:
        """The example's file with another message."""
        head = "".join(
            f"{line}\n" for line in (self.remark, f"$ {self.command}" if self.command else "") if line
        )
        parts = {**self.files, "message": f"{message}\n"}
        return head + "".join(f"-- {name} --\n{text}" for name, text in parts.items())


def examples(root: Path) -> dict[str, Example]:
    """The example of each kind that has one."""
    folder = root / EXAMPLES
    return {
        slug: Example.read(folder / f"{slug}.txtar") for slug in KINDS if (folder / f"{slug}.txtar").exists()
    }


def groups() -> list[str]:
    """The headings of the catalogue, in its order."""
    return list(dict.fromkeys(kind.group for kind in KINDS.values()))
