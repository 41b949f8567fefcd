"""Writes the site's service worker, which keeps the pages that a reader has seen for when there is no network.

A page must never be shown with the style or script of another version of the site, wherever the browser had kept them:
their addresses therefore change with their bytes.
"""

import hashlib
import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

NAME = "service-worker.js"

SOURCE = Path(__file__).parent / "live" / NAME

LASTING = ("assets/live/*/", "assets/pyodide/*/")
"""Folders that are named by the version of what is in them, so that a file there never changes."""

DATED = {"sitemap.xml", "sitemap.xml.gz"}
"""What differs between two commits of the same site."""


def name_by_content(config: MkDocsConfig) -> None:
    """Let the addresses of the site's own styles and scripts say what is in them, as those of the theme do."""
    config.extra_css = [_named(config, address) for address in config.extra_css]
    for script in config.extra_javascript:
        if not isinstance(script, str):
            script.path = _named(config, script.path)


def _named(config: MkDocsConfig, address: str) -> str:
    path = Path(config.docs_dir, address)
    return f"{address}?{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}" if path.is_file() else address


def write(site: Path) -> None:
    """Write the service worker of a built site into its root.

    A browser takes a new one only where its bytes differ, so it holds a hash of the whole site.
    """
    script = SOURCE.read_text(encoding="utf-8")
    folders = sorted(f"{path.relative_to(site).as_posix()}/" for glob in LASTING for path in site.glob(glob))
    for name, value in {"BUILD": _hash(site), "LASTING": folders}.items():
        before, placeholder, after = script.partition(f"const {name} = ")
        assert placeholder, f"{SOURCE} has no constant {name}"
        script = f"{before}{placeholder}{json.dumps(value)};{after[after.index(';') + 1 :]}"
    (site / NAME).write_text(script, encoding="utf-8")


def _hash(site: Path) -> str:
    """A hash of the names and bytes of a site's files."""
    whole = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.is_file() and name not in DATED | {NAME}:
            whole.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]
