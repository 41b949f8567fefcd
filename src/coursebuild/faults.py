"""What the press refuses, and how it says so."""

from dataclasses import dataclass, field

from coursebuild.refusals import CATALOGUE, KINDS


@dataclass(frozen=True, order=True)
class Fault:
    """Something that keeps a page from being published.

    Attributes:
        kind: what kind of refusal it is: an entry of the catalogue, ``coursebuild.refusals``.
        path: the file, relative to the project, so that editors can open it.
        line: the line in that file, from one.
        subject: what is at fault, for example ``panel 17.2``.
        message: what is wrong: what came and what was expected.
        hint: what to do about it, where more can be said than the catalogue says of its kind.
        anchor: the panel's id where the preview can show the fault in place of the output.

    Raises:
        ValueError: the catalogue has no such kind.
    """

    kind: str = field(compare=False)
    path: str
    line: int
    subject: str
    message: str
    hint: str = ""
    anchor: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of refusal: {CATALOGUE} lists them")

    @property
    def place(self) -> str:
        """The file and line, as editors and terminals understand them."""
        return f"{self.path}:{self.line}"

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return self.hint or KINDS[self.kind].remedy

    def __str__(self) -> str:
        text = f"{self.place}: {self.subject}: {self.message}"
        return f"{text}\n    what to do: {self.remedy} [{self.kind}]"


class Problem(str):
    """What is wrong with a part of a page, which does not know its place: a message that knows its kind."""

    kind: str

    def __new__(cls, kind: str, message: str) -> "Problem":
        problem = super().__new__(cls, message)
        problem.kind = kind
        return problem


class Unfit(ValueError):
    """A value or a text that a page cannot show, with the kind of refusal."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def report(faults: list[Fault]) -> str:
    """All faults as one message, in the order of files and lines."""
    count = f"{len(faults)} fault{'s' if len(faults) != 1 else ''}"
    return "\n".join([f"the site is not published: {count}", *map(str, sorted(set(faults)))])
