"""What a reader finds in the static picture of an instrument: its tables and its lines, read back from the HTML."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A picture's tables, by their captions, and its lines, by their names, each in order.

    A table is a list of rows, the first the names of its columns. Of a cell with a bar the bar's length in percent
    stands in brackets behind the text.
    """

    tables: dict[str, list[list[str]]]
    lines: dict[str, str]
    order: list[str]
    """The captions and names as they follow each other; "svg" stands for a drawing."""
    drawings: list[ET.Element]


def read_picture(picture: str) -> Shown:
    """Read a picture; every text in it belongs to a table, a line or a drawing."""
    found = Shown({}, {}, [], [])
    root = ET.fromstring(f"<body>{picture}</body>")
    assert not (root.text or "").strip()
    for part in (one for top in root for one in (top if top.get("class") == "drawing" else [top])):
        assert not (part.tail or "").strip()
        if part.tag == "div":
            [table] = part
            caption = table.findtext("caption") or ""
            assert caption not in found.tables
            found.tables[caption] = [[_cell(cell) for cell in row] for row in table.iter("tr")]
            found.order.append(caption)
        elif part.tag == "p":
            [label] = part
            found.lines[label.text or ""] = (label.tail or "").removeprefix(" ")
            found.order.append(label.text or "")
        else:
            found.drawings.append(part)
            found.order.append("svg")
    return found


def _cell(cell: ET.Element) -> str:
    bars = [float(one.get("width", "")) for one in cell.iter() if one.tag.endswith("rect")]
    return "".join([cell.text or "", *(f"[{width:g}]" for width in bars)])


def texts(drawing: ET.Element) -> list[str]:
    """What is written in a drawing, in its order; not its title and description."""
    return [one.text or "" for one in drawing.iter() if one.tag.endswith("}text")]
