"""The examples of the catalogue: for each kind of refusal what an author may write, and the message of the build.

An example is a file of tests/refusals/, in the form of Go's txtar: a remark, then files, each behind a line ``-- name --``,
the last of them the message as it was approved. A remark's line that begins with ``$`` is the command, where it is another
than ``mkdocs build``. A file mkdocs.yml holds settings that replace those of the small site.

``python -m tests.coursebuild.examples`` accepts the messages of today.
"""

import importlib.metadata as metadata
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from coursebuild.refusals import EXAMPLES, KINDS, Example

from .conftest import CONFIGURATION, NOTEBOOK_PLUGIN, ROOT, make_site
from .planted import PLANTED
from .test_exercises import MODULE

FOLDER = ROOT / EXAMPLES
PYTHON = "3.11.0"
"""What stands in a message for the version of Python that runs."""
EXERCISE = "src/nextword/exercises/e1_1_double.py"
PAGE = re.compile(r"\bexample\.(?=\d)")
BEGINS = re.compile(r"^[\w./-]+:(?:\d+:)? \S")


def settings(own: str, pages: list[str]) -> str:
    """The small site's mkdocs.yml with settings of an example's own, which stand first."""
    text = CONFIGURATION
    notebooks = any(page.endswith(".ipynb") for page in pages)
    text = text.replace("NOTEBOOKS\n", NOTEBOOK_PLUGIN if notebooks else "")
    text = re.sub(r"^nav:\n(?:  - .*\n)*", "", text, flags=re.MULTILINE)
    for key in re.findall(r"^(\w+):", own, re.MULTILINE):
        text = re.sub(rf"^{key}:.*\n(?:[ -].*\n)*", "", text, flags=re.MULTILINE)
    menu = "" if "nav:" in own else "nav:\n" + "".join(f"  - {page}\n" for page in pages)
    return own + text + menu


def command_of(example: Example) -> tuple[dict[str, str], list[str]]:
    """The environment and the words of the command that is to refuse an example."""
    words = shlex.split(example.command or "mkdocs build")
    given = [word for word in words if re.match(r"[A-Z_]+=", word)]
    return dict(word.split("=", 1) for word in given), words[len(given) :]


def said_of(text: str) -> list[str]:
    """The messages that a build printed, each with the lines that belong to it."""
    found: list[str] = []
    for line in text.partition("the site is not published:")[2].split("\n")[1:]:
        if BEGINS.match(line):
            found.append(line)
        elif found and (line.startswith(" ") or not found[-1].endswith("]")):
            found[-1] += f"\n{line}"
    return [message.rstrip("\n") for message in found]


def alone(root: Path, example: Example) -> str:
    """What the build says of an example that is a site by itself."""
    site = make_site(root)
    site.lesson.unlink()
    site.write("# The front page\n", "docs/index.md")
    for name, text in example.files.items():
        site.write(text, name)
    pages = sorted({"index.md", *(name.removeprefix("docs/") for name in example.files if is_page(name))})
    site.write(settings(example.files.get("mkdocs.yml", ""), pages), "mkdocs.yml")
    if "```exercise" in "".join(example.files.values()) and EXERCISE not in example.files:
        site.write(MODULE, EXERCISE)
    environment, words = command_of(example)
    if words[:2] == ["mkdocs", "build"]:
        [(_, said)] = site.build_with(tuple(words[2:]), **environment)
    else:
        done = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=root,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
    return "\n".join(said_of(said))


def is_page(name: str) -> bool:
    return name.startswith("docs/") and name.endswith((".md", ".ipynb"))


def together(root: Path, examples: dict[str, Example]) -> dict[str, str]:
    """What one build says of examples that are pages alone: each in a folder of its own, its panels under its own name."""
    site = make_site(root)
    site.lesson.unlink()
    site.write("# The front page\n", "docs/index.md")
    pages = ["index.md"]
    for slug, example in examples.items():
        for name, text in example.files.items():
            page = f"{slug}/{name.removeprefix('docs/')}"
            site.write(PAGE.sub(f"{slug}.", text), f"docs/{page}")
            pages.append(page)
    site.write(settings("", pages), "mkdocs.yml")
    [(_, said)] = site.build_with(())
    found: dict[str, list[str]] = {slug: [] for slug in examples}
    for message in said_of(said):
        slug = message.removeprefix("docs/").split("/")[0]
        own = message.replace(f"docs/{slug}/", "docs/")
        found.setdefault(slug, []).append(re.sub(rf"\b{slug}\.(?=\d)", "example.", own))
    return {slug: "\n".join(messages) for slug, messages in found.items()}


def messages(root: Path, examples: dict[str, Example]) -> dict[str, str]:
    """What is said of each example today."""
    pages = {
        slug: example
        for slug, example in examples.items()
        if not example.command
        and example.files
        and all(is_page(name) and name.endswith(".md") for name in example.files)
        and "```exercise" not in "".join(example.files.values())
    }
    found = together(root / "together", pages)
    for slug in examples:
        if slug in PLANTED:
            (root / slug).mkdir()
            found[slug] = "\n".join(map(str, PLANTED[slug](root / slug)))
        elif slug not in pages:
            found[slug] = alone(root / slug, examples[slug])
    versions = {platform.python_version(): PYTHON, f"numpy {metadata.version('numpy')}": "numpy 2.0.0"}
    for here, shown in versions.items():
        found = {slug: text.replace(here, shown) for slug, text in found.items()}
    return found


def main() -> None:
    examples = {
        slug: Example.read(FOLDER / f"{slug}.txtar") for slug in KINDS if (FOLDER / f"{slug}.txtar").exists()
    }
    with tempfile.TemporaryDirectory() as folder:
        found = messages(Path(folder), examples)
    changed = 0
    for slug, example in examples.items():
        if example.message != found[slug]:
            changed += 1
            text = example.written(found[slug])
            (FOLDER / f"{slug}.txtar").write_text(text, encoding="utf-8", newline="\n")
    print(f"approved in {EXAMPLES}: {changed} changed, {len(examples) - changed} as before")


if __name__ == "__main__":
    main()
