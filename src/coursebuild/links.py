"""Checks every link, anchor and picture of the rendered pages against the site itself."""

import functools
import posixpath
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from coursebuild.faults import Problem

ADDRESSES = dict.fromkeys(("img", "source", "video", "audio", "iframe", "embed", "track", "script"), "src")
FIGURES = {"formula", "listing", "drawing", "instrument"}
ADDRESSES |= dict.fromkeys(("a", "area", "link"), "href") | {"object": "data"}


def without_plain_code(html: str) -> str:
    """The page without the blocks of code that hold no link: most of its tags, and nothing to check among them."""
    parts = html.split("<pre")
    kept = [parts[0]]
    for part in parts[1:]:
        block, _, rest = part.partition("</pre>")
        kept += ["<pre", block, "</pre>"] if "<a " in block or " id=" in block else []
        kept.append(rest)
    return "".join(kept)


@dataclass
class Content(HTMLParser):
    """The addresses that a rendered page names, its anchors, its pictures without a text alternative, and how many figures of the press it shows."""

    html: str
    addresses: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    unspoken: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    figures: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(without_plain_code(self.html))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        for name in {found.get("id", ""), found.get("name", "") if tag == "a" else ""} - {""}:
            if name in self.anchors:
                self.twice.append(name)
            self.anchors.add(name)
        if tag in ADDRESSES and ADDRESSES[tag] in found:
            self.addresses.append(found[ADDRESSES[tag]])
        if tag == "figure" and found.get("class", "") in FIGURES:
            self.figures += 1
        is_said_to_say_nothing = "alt" in found and found.get("role") in ("presentation", "none")
        if tag == "img" and not found.get("alt", "").strip() and not is_said_to_say_nothing:
            self.unspoken.append(found.get("src", ""))

    handle_startendtag = handle_starttag


def target(url: str, address: str) -> tuple[str, str] | None:
    """The place on the site that an address on the page ``url`` leads to: file and anchor. None for another host."""
    parts = urlsplit(address)
    if (parts.netloc and parts.scheme in ("http", "https", "")) or parts.scheme in ("mailto", "tel"):
        return None
    if parts.scheme:
        return address, ""
    if not parts.path:
        return url, unquote(parts.fragment)
    path = unquote(parts.path)
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(url), path)
    clean = posixpath.normpath(joined)
    clean = "" if clean == "." else clean
    return clean + ("/" if path.endswith(("/", "..")) and clean else ""), unquote(parts.fragment)


def broken(
    contents: dict[str, Content], files: set[str], unsure: Collection[str] = ()
) -> Iterator[tuple[str, str, Problem]]:
    """What leads nowhere: the page's url, the address as the page has it, and why.

    Args:
        contents: the rendered pages by their url.
        files: the addresses of all other files of the site.
        unsure: pages that failed, so that anchors may be missing which the mended page has.
    """
    for url, content in contents.items():
        for address in content.addresses:
            place = target(url, address)
            if place is None or address == "":
                if address == "":
                    yield url, address, Problem("address-empty", "an empty address")
                continue
            if address.startswith("/"):
                message = f"{address} begins at the host's root, where the site need not be"
                yield url, address, Problem("address-absolute", message)
                continue
            path, anchor = place
            forms = (path, path + "/", path.removesuffix("index.html"))
            found = next((form for form in forms if form in contents), None)
            if path.startswith("..") or (found is None and path not in files):
                yield url, address, Problem("link-broken", f"{address} leads to no page or file of the site")
            elif found is None or found in unsure or anchor in ("", "__top"):
                continue
            elif anchor not in contents[found].anchors:
                message = f"{address} leads to a page without an anchor {anchor!r}"
                yield url, address, Problem("anchor-missing", message)
        for address in content.unspoken:
            yield url, address, Problem("picture-unspoken", f"the picture {address} has no text alternative")
        for anchor in content.twice:
            message = f"the anchor {anchor!r} is given to more than one thing"
            yield url, f"#{anchor}", Problem("anchor-twice", message)


@functools.lru_cache(maxsize=512)
def content(html: str) -> Content:
    """What a rendered page names. The preview renders all pages after each save, and most come out as before."""
    return Content(html)
