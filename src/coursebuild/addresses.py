"""The address of each panel and of each claim: made from what it is, not from where it stands, and never lost.

A claim's address is its panel's id and the first words of its sentence, so a claim that comes or goes moves no other.
``tests/addresses.txt`` records every address that was ever approved. One whose claim was reworded, or whose panel moved,
stands there with its successor, ``old => new``: the page keeps an anchor for it.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coursebuild.faults import Fault
from coursebuild.panels import Panel

if TYPE_CHECKING:
    from coursebuild.press import Page, Press
    from coursebuild.runner import Checked

RECORD = Path("tests") / "addresses.txt"
"""The file of all addresses that were approved."""
LEDGER = "docs/reference/ledger.md"
"""The page on which the claims of notebooks stand, whose own pages are what their converter makes of them."""
LONGEST = 48
LINE = re.compile(r"^(?P<old>[^\s#]*#[\w.-]+)(?: => (?P<new>[^\s#]*#[\w.-]+))?$")
OF_PANEL = re.compile(r"^(?P<page>[^#]*)#(?:claim|panel)-(?P<ident>(?:\d+|[a-z][a-z0-9-]*)\.\d+)")
HEADER = """\
# Every address of a panel or a claim that was ever published; `make approve` adds those that are new. None may go: the
# address of a claim that was reworded, or of a panel that moved, keeps its line and names its successor, old => new.
"""


def panel_anchor(ident: str) -> str:
    """The anchor of a panel on its page."""
    return f"panel-{ident}"


def claim_anchor(ident: str, claim: str) -> str:
    """The anchor of a claim: the id of its panel, and the first words of its sentence."""
    words = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-")[:LONGEST].rstrip("-")
    return f"claim-{ident}-{words or hashlib.sha256(claim.encode()).hexdigest()[:8]}"


def claim_anchors(panel: Panel, checks: Iterable["Checked"]) -> list[str]:
    """The anchor of each claim; of one that is made again, which is a fault, with the number of the time."""
    times: dict[str, int] = {}
    anchors = []
    for check in checks:
        anchor = claim_anchor(panel.ident, check.claim)
        times[anchor] = times.get(anchor, 0) + 1
        anchors.append(anchor if times[anchor] == 1 else f"{anchor}-{times[anchor]}")
    return anchors


def twins(panel: Panel, checks: Iterable["Checked"]) -> Iterator[Fault]:
    """Different claims of one panel that would have one address: which of them has it would depend on their order."""
    first: dict[str, str] = {}
    for check in checks:
        anchor = claim_anchor(panel.ident, check.claim)
        if first.setdefault(anchor, check.claim) != check.claim:
            message = f"the claim “{check.claim}” has the address #{anchor} of the claim “{first[anchor]}”"
            hint = f"an address is made of the first {LONGEST} letters of a claim: let one begin otherwise"
            yield panel.fault("claim-address-twice", message, check.line, hint)


@dataclass(frozen=True)
class Record:
    """What ``tests/addresses.txt`` says.

    Attributes:
        lines: the line of each address.
        aliases: the successor of each address whose claim or panel has another one now.
        faults: what is wrong with the file as it is written.
    """

    lines: dict[str, int] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def successor(self, address: str) -> str:
        """The address that stands for this one in the end; of a ring, which is a fault, any."""
        seen = {address}
        while (after := self.aliases.get(address)) and after not in seen:
            seen.add(address := after)
        return address


def read(root: Path) -> Record:
    """The record of a project; an empty one where it keeps none."""
    path = root / RECORD
    lines: dict[str, int] = {}
    aliases: dict[str, str] = {}
    faults: list[Fault] = []
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("# "):
            continue
        match = LINE.match(line)
        if not match or "\ufffd" in line:
            faults.append(
                _fault(
                    "address-malformed",
                    number,
                    f"{line!r} is no address",
                    'write "page/#anchor", or "old => new"',
                )
            )
        elif match["old"] in lines:
            first = lines[match["old"]]
            faults.append(
                _fault(
                    "address-recorded-twice",
                    number,
                    f"{match['old']} stands here twice, first at line {first}",
                )
            )
        else:
            lines[match["old"]] = number
            if match["new"]:
                aliases[match["old"]] = match["new"]
    return Record(lines, aliases, tuple(faults))


def _fault(kind: str, line: int, message: str, hint: str = "") -> Fault:
    return Fault(kind, RECORD.as_posix(), line, "address", message, hint)


def page_of_claims(press: "Press", page: "Page") -> "Page | None":
    """The page that shows the claims of a page's panels: of a notebook the ledger, if the site has one."""
    return press.pages.get(LEDGER) if page.is_notebook else page


def of_site(press: "Press") -> dict[str, str]:
    """Every address of a panel or a claim: ``page/#anchor``, and the claim's sentence, or nothing for a panel."""
    found: dict[str, str] = {}
    for page in press.pages.values():
        claims_on = page_of_claims(press, page)
        for panel in page.panels:
            if not page.is_notebook:  # its page is its address
                found[f"{page.url}#{panel_anchor(panel.ident)}"] = ""
            result = press.results.get(panel.ident)
            if claims_on and result:
                anchors = claim_anchors(panel, result.checks)
                for anchor, check in zip(anchors, result.checks, strict=True):
                    found[f"{claims_on.url}#{anchor}"] = check.claim
    return found


def faults(press: "Press") -> Iterator[Fault]:
    """What would keep an old address from leading where its claim stands now."""
    record, known = press.record, of_site(press)
    yield from record.faults
    urls = {page.url for page in press.pages.values()}
    for old in record.aliases:
        line, end = record.lines[old], record.successor(old)
        if old in known:
            yield _fault(
                "address-alive",
                line,
                f"{old} is an address of the site, so it has no successor",
                "remove ' => …'",
            )
        elif end not in known:
            yield _fault("address-lost", line, f"{old} leads to {end}, which is no address of the site")
        elif old.partition("#")[0] not in urls:
            hint = "keep a page there, which says what became of it"
            yield _fault(
                "address-without-page",
                line,
                f"the site has no page {old.partition('#')[0]!r}, where {old} would stand",
                hint,
            )


def former(press: "Press", address: str) -> list[str]:
    """The anchors on the same page that stood for a claim or panel before."""
    page = address.partition("#")[0]
    return [
        anchor
        for old in press.record.aliases
        for url, _, anchor in [old.partition("#")]
        if url == page and press.record.successor(old) == address
    ]


def moved(press: "Press", page: "Page") -> dict[str, str]:
    """The anchors of a page whose claim or panel is on another page now, with its address there."""
    pairs = ((old, press.record.successor(old)) for old in press.record.aliases)
    return {
        old.partition("#")[2]: new
        for old, new in pairs
        if old.partition("#")[0] == page.url != new.partition("#")[0]
    }


def differences(press: "Press") -> list[Fault]:
    """The addresses that the record lacks, and those of the record that lead nowhere."""
    record, known = press.record, of_site(press)
    gone = [
        _fault(
            "address-lost",
            line,
            f"{address} leads nowhere any more",
            f"write '{address} => ' and where it leads now",
        )
        for address, line in record.lines.items()
        if address not in known and address not in record.aliases
    ]
    new = [
        _fault("address-new", 1, f"{address} is not recorded", "make approve adds it")
        for address in known
        if address not in record.lines
    ]
    return gone + new


def approve(press: "Press") -> list[Fault]:
    """Record the addresses that are new. Where one claim of a panel went and one came, it was reworded: the old one leads to the new.

    Returns:
        The addresses that lead nowhere, which the author must give a successor; the file is written nevertheless.
    """
    record, known = press.record, of_site(press)
    gone, new = (
        _by_panel(set(record.lines) - set(known) - set(record.aliases)),
        _by_panel(set(known) - set(record.lines)),
    )
    aliases = {
        one[0]: new[panel][0] for panel, one in gone.items() if len(one) == len(new.get(panel, ())) == 1
    }
    for old, to in aliases.items():
        print(f"{old} leads to {to} from now on")
    aliases |= record.aliases
    lines = [
        f"{address} => {aliases[address]}" if address in aliases else address
        for address in sorted({*record.lines, *known})
    ]
    path = press.root / RECORD
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    press.record = read(press.root)
    return differences(press)


def _by_panel(addresses: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Addresses by page and panel."""
    found: dict[tuple[str, str], list[str]] = {}
    for address in sorted(addresses):
        if match := OF_PANEL.match(address):
            found.setdefault((match["page"], match["ident"]), []).append(address)
    return found
