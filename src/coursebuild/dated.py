"""The date of a build is that of its commit, so that whoever builds a commit, whenever, gets the same bytes.

MkDocs reads ``SOURCE_DATE_EPOCH`` (https://reproducible-builds.org/specs/source-date-epoch/) for the dates in the sitemap and
for the time inside of what it packs.
"""

import os
import re
import subprocess
from pathlib import Path

VARIABLE = "SOURCE_DATE_EPOCH"

UNKNOWN = 1577836800
"""The date where no git tells one, as in a downloaded archive: 1 January 2020."""


def commit_date(root: Path) -> int:
    """When the project's last commit was made, in seconds since 1970."""
    if not (root / ".git").exists():
        return UNKNOWN  # a repository around the project is not the project's
    command = ["git", "-C", str(root), "log", "-1", "--no-show-signature", "--format=%ct"]
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL
        ).stdout.strip()
    except OSError:
        return UNKNOWN
    return int(said) if said.isdigit() else UNKNOWN


def settle(root: Path) -> None:
    """Let this process build with the date that the environment names, or else with that of the commit.

    Raises:
        ValueError: the environment names no date.
    """
    named = os.environ.get(VARIABLE)
    if named is None:
        os.environ[VARIABLE] = str(commit_date(root))
    elif not re.fullmatch("[0-9]{1,11}", named):
        raise ValueError(f"{VARIABLE} is {named!r}; it is a number of seconds since 1970, or not set")
