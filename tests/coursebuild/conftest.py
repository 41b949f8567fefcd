"""A small site of one panel, in which each test plants a fault."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

CONFIGURATION = f"""\
site_name: A small site
theme: {{name: null, custom_dir: "{Path(__file__).with_name("theme")}", static_templates: [404.html, sitemap.xml]}}
hooks: ["{ROOT / "src" / "coursebuild" / "site.py"}"]
watch: [src]
plugins:
  - markdown-exec: {{languages: []}}
NOTEBOOKS
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - tables
  - toc: {{permalink: true}}
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences:
      custom_fences:
        - name: python
          class: python
          validator: !!python/name:coursebuild.extension.validator
          format: !!python/name:coursebuild.extension.formatter
        - name: drawing
          class: drawing
          validator: !!python/name:coursebuild.extension.validator
          format: !!python/name:coursebuild.extension.formatter
        - name: math
          class: math
          validator: !!python/name:coursebuild.extension.validator
          format: !!python/name:coursebuild.extension.formatter
        - name: exercise
          class: exercise
          validator: !!python/name:coursebuild.extension.validator
          format: !!python/name:coursebuild.extension.formatter
        - name: instrument
          class: instrument
          validator: !!python/name:coursebuild.extension.validator
          format: !!python/name:coursebuild.extension.formatter
  - coursebuild.extension
validation:
  nav: {{omitted_files: warn, not_found: warn}}
  links: {{not_found: warn, anchors: ignore, absolute_links: warn, unrecognized_links: warn}}
nav:
  - index.md
  - lessons/one.md
"""

NOTEBOOK_PLUGIN = """\
  - mkdocs-jupyter: {include: ["*.ipynb"], execute: true, allow_errors: false, cache: false}
"""

PANEL = """\
```python exec="on" id="1.1" title="Adding"
from nextword.checks import check, figure

total = sum([1, 2, 3])
print("the total is", total)
check("The parts add up", total, 6)
figure("total", total)
```
"""

LESSON = f"""\
# A lesson

Some prose, which quotes [[1.1.total]] and [[1.1.total:.1f]].

{PANEL}
Back to [the front page](../index.md).
"""


class Builder:
    """A process that builds sites: it has imported MkDocs and the press once, for all tests of a worker."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("build_with_flags.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        atexit.register(self.end)

    def ask(self, asked: dict[str, object]) -> list[list[Any]]:
        """What it answers to a request."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer: list[list[Any]] = json.loads(self.process.stdout.readline())
        return answer

    def end(self) -> None:
        self.process.communicate()


@functools.cache
def builder() -> Builder:
    return Builder()


@dataclass
class SmallSite:
    """A project with one lesson; ``build`` builds it as a user would."""

    root: Path
    lesson: Path

    def write(self, text: str, name: str = "docs/lessons/one.md") -> None:
        """Write a file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def replace(self, old: str, new: str, name: str = "docs/lessons/one.md") -> int:
        """Replace text that occurs once in a file, and say at which line it was."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    def build(self, *flags: str) -> subprocess.CompletedProcess[str]:
        """Run ``mkdocs build`` with some flags in a process of its own."""
        command = [sys.executable, "-m", "mkdocs", "build", *flags]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, timeout=120)

    def build_with(self, *flags: tuple[str, ...], **environment: str) -> list[tuple[int, str]]:
        """Build once for each set of flags; the status and what was said."""
        asked = {"folder": str(self.root), "environment": os.environ | environment, "flags": flags}
        return [(status, said) for status, said in builder().ask(asked)]

    def page(self, name: str = "lessons/one") -> str:
        """The HTML of a built page."""
        return (self.root / "site" / name / "index.html").read_text(encoding="utf-8")


def make_site(root: Path) -> SmallSite:
    """Write a site that builds: a front page and a lesson with one panel."""
    site = SmallSite(root, root / "docs/lessons/one.md")
    site.write(CONFIGURATION.replace("NOTEBOOKS\n", ""), "mkdocs.yml")
    site.write(
        "# The front page\n\nTo [the lesson](lessons/one.md) and [its panel](lessons/one.md#panel-1.1).\n",
        "docs/index.md",
    )
    site.write(LESSON)
    site.write("Words that nobody says the source of.\n", "docs/assets/data/extra.txt")
    shutil.copytree(
        ROOT / "src" / "nextword",
        root / "src" / "nextword",
        ignore=shutil.ignore_patterns("__pycache__", "e[0-9]*_*.py"),
    )
    return site


@pytest.fixture
def small_site(tmp_path: Path) -> SmallSite:
    """A site that builds: a front page and a lesson with one panel."""
    return make_site(tmp_path)


@pytest.fixture
def notebook_site(small_site: SmallSite) -> SmallSite:
    """The same with a notebook."""
    small_site.write(
        CONFIGURATION.replace("NOTEBOOKS\n", NOTEBOOK_PLUGIN) + "  - labs/one.ipynb\n", "mkdocs.yml"
    )
    return small_site
