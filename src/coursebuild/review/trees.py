"""The two trees that a review compares: a commit, and another one or the files as they lie in the checkout."""

import io
import subprocess
import tarfile
from pathlib import Path

READ = ("docs", "src/nextword", "tests/outputs", "mkdocs.yml")
"""What a review reads of a tree."""


class NoBase(ValueError):
    """There is nothing to compare with; the message says why, and what to do."""


def git(root: Path, *arguments: str) -> bytes:
    """What git prints.

    Raises:
        NoBase: git is missing, or fails.
    """
    try:
        run = subprocess.run(["git", "-C", root, *arguments], capture_output=True)
    except FileNotFoundError as error:
        raise NoBase("git is not installed, and a review compares commits") from error
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip() or f"git {arguments[0]} ends with {run.returncode}"
        raise NoBase(said)
    return run.stdout


def commit_of(root: Path, name: str) -> str:
    """The commit that a branch, tag or commit names; of a branch that is not here, the one on ``origin``.

    Raises:
        NoBase: nothing is called so.
    """
    try:
        git(root, "rev-parse", "--git-dir")
    except NoBase as error:
        raise NoBase(f"{root} is no checkout of git, so there is nothing to compare with: {error}") from error
    for candidate in (name, f"origin/{name}"):
        try:
            asked = ("--verify", "--quiet", "--end-of-options", f"{candidate}^{{commit}}")
            return git(root, "rev-parse", *asked).decode().split()[-1]
        except (NoBase, IndexError):
            continue
    message = f"there is no branch, tag or commit {name!r} here: fetch it, or name another"
    raise NoBase(f"{message}, make review BASE=…")


def fork(root: Path, base: str, head: str) -> str:
    """The commit at which the work on ``head`` left ``base``: what a pull request is compared with.

    Raises:
        NoBase: there is none.
    """
    first, second = commit_of(root, base), commit_of(root, head)
    try:
        return git(root, "merge-base", first, second).decode().split()[0]
    except NoBase as error:
        message = f"{base!r} and {head!r} have no commit in common here"
        shallow = git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
        hint = "; this clone is shallow: git fetch --unshallow" if shallow else ""
        raise NoBase(message + hint) from error


def extract(root: Path, commit: str, folder: Path) -> Path:
    """Write what a review reads of a commit into a folder; links are left out, which could lead anywhere."""
    there = git(root, "ls-tree", "--name-only", "-z", commit, "--", *READ).decode().split("\0")
    names = [name for name in there if name]
    if names:
        packed = io.BytesIO(git(root, "archive", "--format=tar", commit, "--", *names))
        with tarfile.open(fileobj=packed) as archive:
            files = [member for member in archive if member.isreg() or member.isdir()]
            archive.extractall(folder, files, filter="data")
    return folder


def changed_files(root: Path, base: str, head: str = "") -> list[str]:
    """The files that differ between two commits, or between a commit and the checkout, new files included."""
    names = git(root, "diff", "--name-only", "--no-renames", "-z", base, *filter(None, [head]), "--")
    if not head:
        names += git(root, "ls-files", "--others", "--exclude-standard", "-z")
    return sorted({name for name in names.decode(errors="replace").split("\0") if name})
