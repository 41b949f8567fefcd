"""Show that a false page cannot be built: plant a false check in a copy of the checkout and build it; the build must refuse.

Usage: canary.py [CHECKOUT]. Exits 0 if `mkdocs build --strict` failed, named the page and a line of the planted panel, and wrote no page.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLANTED = 'check("planted", len("canary"), 7)'
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", "site", "build", "dist", "node_modules", "__pycache__", ".*_cache", ".hypothesis"
)
PANEL = re.compile(
    r'^(?P<fence>`{3,})python [^\n]*exec="on"[^\n]*\n(?P<code>.*?)^(?P=fence)[ \t]*$',
    re.MULTILINE | re.DOTALL,
)


def plant(docs: Path) -> tuple[Path, range]:
    """Add a false check to the end of the first panel of the first lesson that has one; say where the panel's lines are."""
    for page in sorted(docs.glob("lessons/*.md")):
        text = page.read_text(encoding="utf-8")
        panel = next((found for found in PANEL.finditer(text) if "import check" in found["code"]), None)
        if panel:
            end = panel.end("code")
            page.write_text(f"{text[:end]}{PLANTED}\n{text[end:]}", encoding="utf-8")
            first = text.count("\n", 0, panel.start()) + 1
            return page, range(first, first + panel.group().count("\n") + 2)
    sys.exit(f"canary: no page in {docs / 'lessons'} has a panel to plant a false check in")


def complaint(status: int, output: str, page: str, lines: range, site: Path) -> str | None:
    """What is wrong with the build's refusal, if anything."""
    if status == 0:
        return "the build of a false page SUCCEEDED"
    named = [int(line) for line in re.findall(re.escape(page) + r":(\d+)", output)]
    if not any(line in lines for line in named):
        return f"the build failed, but did not name {page} and a line from {lines.start} to {lines.stop - 1}"
    if "planted" not in output:
        return "the build failed, but did not name the false claim"
    if any(site.rglob("*.html")):
        return "the build failed, but wrote pages all the same"
    return None


def main(checkout: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        copy = Path(folder) / "checkout"
        site = Path(folder) / "site"
        shutil.copytree(checkout, copy, ignore=LEFT_OUT)
        page, lines = plant(copy / "docs")
        name = page.relative_to(copy).as_posix()
        build = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy / "src")},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        output = build.stdout + build.stderr
        problem = complaint(build.returncode, output, name, lines, site)
    if problem:
        sys.exit(f"{output}\ncanary: {problem}")
    print(f"canary: a false check planted in {name} was refused, with page and line")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
