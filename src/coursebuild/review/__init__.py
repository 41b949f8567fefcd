"""``make review``: what a change does to outputs, figures, claims and pages, old against new, as one comment."""

import os
import re
import sys
import tempfile
from pathlib import Path

from coursebuild.review import course, trees
from coursebuild.review.changes import Changes, between
from coursebuild.review.rendering import page
from coursebuild.review.summary import UNCHANGED, Sides, headline, write

FOLDER = "review"
"""Where the summary is written."""


def compare(root: Path, base: str, head: str = "") -> tuple[Changes, Sides]:
    """What changed since the work on ``head`` left ``base``; without a ``head``, the files as they lie in the checkout.

    Raises:
        trees.NoBase: there is nothing to compare with.
    """
    start = trees.fork(root, base, head or "HEAD")
    new = trees.commit_of(root, head) if head else ""
    files = trees.changed_files(root, start, new)
    with tempfile.TemporaryDirectory() as folder:
        old_tree, new_tree = Path(folder, "old"), Path(folder, "new")
        old = course.read(trees.extract(root, start, old_tree))
        now = course.read(trees.extract(root, new, new_tree) if new else root)
    named = f"{base} ({start[:10]})" if base != start else start[:10]
    shown = f"{head} ({new[:10]})" if new else "the checkout"
    return between(old, now, files), Sides(named, shown, _web(root, new))


def _web(root: Path, commit: str) -> str:
    """Where the files of a commit are on the web, as far as the repository's name is known."""
    name = os.environ.get("GITHUB_REPOSITORY", "")
    if not commit or not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        return ""
    return f"https://github.com/{name}/blob/{commit}"


def review(root: Path, base: str, head: str = "") -> int:
    """Write the summary as a comment and as a page to read, and say where."""
    try:
        changes, sides = compare(root, base, head)
    except trees.NoBase as error:
        print(f"no review: {error}", file=sys.stderr)
        return 1
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    comment, whole = folder / "comment.md", folder / "index.html"
    comment.write_text(write(changes, sides), encoding="utf-8", newline="\n")
    whole.write_text(page(write(changes, sides, None)), encoding="utf-8", newline="\n")
    print(headline(changes) if changes.pages else UNCHANGED)
    print(f"to read: {whole}\nas a comment: {comment}")
    return 0
