"""A panel as its author wrote it."""

from dataclasses import dataclass, field

from coursebuild.faults import Fault
from coursebuild.source import Fence


@dataclass(frozen=True)
class Claim:
    """A call of ``check`` in a panel's code: its line there, and the literal part of its sentence."""

    line: int
    literal: str


@dataclass(frozen=True)
class Panel:
    """A panel: its code, and where it stands.

    Attributes:
        ident: unique on the whole site, for example ``17.1``.
        path: the page's file, relative to the project.
        line: the line of the opening fence, so that line 1 of the code is line ``line + 1`` of the page.
        before: the code of the earlier panels that this one continues.
        session: the id of the panel that opens the session to which it belongs, its own included; or nothing.
        data: the files of docs/assets/data that it reads, by name; a run finds copies in its folder.
        needs: the packages of the second lane that it imports; see ``coursebuild.lanes``.
    """

    ident: str
    title: str
    code: str
    path: str
    line: int
    before: tuple["Panel", ...] = ()
    claims: tuple[Claim, ...] = field(default=(), compare=False)
    data: tuple[str, ...] = ()
    session: str = ""
    needs: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """How messages name the panel."""
        return f"panel {self.ident}"

    def line_at(self, line: int) -> int:
        """The line of the page at which a line of the code stands (0: the opening fence)."""
        return self.line + line

    def fault(self, kind: str, message: str, line: int = 0, hint: str = "") -> Fault:
        """A fault of this panel, at a line of its code (0: the opening fence)."""
        return Fault(kind, self.path, self.line_at(line), self.subject, message, hint, self.ident)

    @property
    def parts(self) -> tuple[str, str]:
        """The code up to the first check, and the rest: what the reader follows, and what proves it."""
        first = min((claim.line for claim in self.claims), default=0)
        lines = self.code.split("\n")
        cut = first - 1 if first else len(lines)
        return "\n".join(lines[:cut]).strip("\n"), "\n".join(lines[cut:]).strip("\n")

    @property
    def files(self) -> list[str]:
        """The data files that a run of it needs, those of the panels that it continues included."""
        return list(dict.fromkeys(name for part in self.program for name in part.data))

    @property
    def packages(self) -> list[str]:
        """The packages of the second lane that a run of it needs; none for a panel of the first lane."""
        return list(dict.fromkeys(name for part in self.program for name in part.needs))

    @property
    def program(self) -> tuple["Panel", ...]:
        """The panels to run, in order, to run this one."""
        return (*self.before, self)


def is_python(fence: Fence) -> bool:
    """Whether a reader would take the block for Python."""
    return fence.language.lower() in {
        "python",
        "py",
        "python3",
        "py3",
        "pycon",
        "ipython",
        "pyodide",
        "doctest",
    }
