"""What the press refuses, and how it says so."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Fault:
    """Something that keeps a page from being published.

    Attributes:
        path: the file, relative to the project, so that editors can open it.
        line: the line in that file, from one.
        subject: what is at fault, for example ``panel 17.2``.
        message: what is wrong: what came and what was expected.
        hint: what to do about it, or nothing.
        anchor: the panel's id where the preview can show the fault in place of the output.
    """

    path: str
    line: int
    subject: str
    message: str
    hint: str = ""
    anchor: str = ""

    @property
    def place(self) -> str:
        """The file and line, as editors and terminals understand them."""
        return f"{self.path}:{self.line}"

    def __str__(self) -> str:
        text = f"{self.place}: {self.subject}: {self.message}"
        return f"{text}\n    {self.hint}" if self.hint else text


def report(faults: list[Fault]) -> str:
    """All faults as one message, in the order of files and lines."""
    count = f"{len(faults)} fault{'s' if len(faults) != 1 else ''}"
    return "\n".join([f"the site is not published: {count}", *map(str, sorted(set(faults)))])
