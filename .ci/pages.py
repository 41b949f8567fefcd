"""Assert that a built site has every page that mkdocs.yml's nav promises. Usage: pages.py [SITE]"""

import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from mkdocs.utils.yaml import yaml_load


def sources(nav: object) -> Iterator[str]:
    """The Markdown files and notebooks of a nav, in order. Links to other sites are left out."""
    if isinstance(nav, str) and "://" not in nav:
        yield nav
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from sources(value)
    elif isinstance(nav, list):
        for value in nav:
            yield from sources(value)


def page_of(source: str) -> str:
    """Where MkDocs puts a source file: lessons/17-tokenization.md becomes lessons/17-tokenization/index.html."""
    path = PurePosixPath(source)
    folder = path.parent if path.stem in ("index", "README") else path.with_suffix("")
    return str(folder / "index.html")


def expected_pages(config: Path) -> list[str]:
    with config.open(encoding="utf-8") as file:
        return [page_of(source) for source in sources(yaml_load(file).get("nav"))]


def is_whole(page: Path) -> bool:
    """A page is there, has its end and a heading, and shows no fault."""
    if not page.is_file():
        return False
    text = page.read_text(encoding="utf-8")
    return "</html>" in text and "<h1" in text and 'class="fault"' not in text


def main(config: Path, site: Path) -> None:
    expected = expected_pages(config)
    if not expected:
        sys.exit(f"pages: {config} has no nav, so no page is expected; that cannot be right")
    absent = [page for page in expected if not is_whole(site / page)]
    if absent:
        sys.exit(f"pages: in {site}, missing or not whole: {', '.join(absent)}")
    print(f"pages: {site} has all {len(expected)} pages of the nav")


if __name__ == "__main__":
    main(Path("mkdocs.yml"), Path(sys.argv[1] if len(sys.argv) > 1 else "site"))
