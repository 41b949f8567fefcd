"""``python -m coursebuild.successor SITE``: build the course with Zensical, and compare it with MkDocs's build in SITE.

The status says whether Zensical's site shows what it must: 1 if the gate refuses it, or a page lacks panels, outputs or claims.
"""

import argparse
import os
import sys
from pathlib import Path

from coursebuild.successor import gate
from coursebuild.successor.comparison import differences, shown
from coursebuild.successor.gate import Built, article, file_of
from coursebuild.successor.report import Compared, is_refused, written


def compare(built: Built, site: Path) -> list[Compared]:
    """Each page of the course by both builders."""
    compared = []
    for page in built.pages:
        files = file_of(site, page), file_of(built.site, page)
        articles = (article(file.read_text(encoding="utf-8")) if file.is_file() else "" for file in files)
        first, second = (shown(text, page.url) if text else None for text in articles)
        found = tuple(differences(first, second)) if first and second else ()
        compared.append(Compared(page.path, first, second, found, page in built.lacking))
    return compared


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m coursebuild.successor", description=__doc__)
    parser.add_argument("site", type=Path, help="the site as MkDocs built it")
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    arguments = parser.parse_args()
    if not (arguments.site / "index.html").is_file():
        parser.error(f"there is no site in {arguments.site}: make build SITE={arguments.site} builds it")
    built = gate.build(arguments.root.resolve())
    compared = compare(built, arguments.site)
    text = written(compared, list(built.faults), gate.lacking_of_all(built, arguments.site))
    print(text)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    return 1 if is_refused(compared, built.faults) else 0


if __name__ == "__main__":
    sys.exit(main())
