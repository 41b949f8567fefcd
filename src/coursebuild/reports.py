"""The menu of a panel or a claim: a link to it, and the repository's form for an error in it, filled in."""

import os
from html import escape
from importlib.metadata import version
from urllib.parse import urlencode

LONGEST = 500
"""So many characters of a claim at most are filled in: GitHub answers none whose address has more than some 8,000."""
FORM = "error.yml"
"""The form, a file of .github/ISSUE_TEMPLATE; what a link fills in are its fields, by their ids."""

UNSEARCHED = "data-search-exclude"
"""Leaves an element out of search. It does not stand at the menu as a whole: of two ``<details>``, one in the other, the theme's
search takes the end of the inner for that of the outer."""


def repository() -> str:
    """The address of the project's repository, or nothing where the environment does not tell."""
    name = os.environ.get("GITHUB_REPOSITORY", "")
    return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}" if name else ""


def site_version() -> str:
    """What the site was built from: the commit where the environment tells it, else the package's version."""
    return os.environ.get("GITHUB_SHA", "")[:12] or version("nextword")


def report(address: str, panel: str, claim: str = "") -> str:
    """The address of the form, filled in; or nothing where the repository's address is unknown.

    Args:
        address: that of the panel or claim, relative to the site's root.
        panel: the panel's id.
        claim: the sentence of the claim, or nothing if the report is of the whole panel.
    """
    if not repository():
        return ""
    short = claim if len(claim) <= LONGEST else f"{claim[:LONGEST]}…"
    fields = {"template": FORM, "page": address, "panel": panel, "claim": short, "version": site_version()}
    return f"{repository()}/issues/new?{urlencode({name: value for name, value in fields.items() if value})}"


def menu(address: str, panel: str, claim: str = "") -> str:
    """The menu. It opens without scripts; docs/assets/js/course.js copies the link when it is followed."""
    what = "claim" if claim else "panel"
    name = f"Menu: {claim.replace('`', '')}" if claim else f"Menu: panel {panel}"
    links = {
        f"#{address.partition('#')[2]}": f"Link to this {what}",
        report(address, panel, claim): "Report an error",
    }
    shown = "".join(f'<a {UNSEARCHED} href="{escape(to)}">{text}</a>' for to, text in links.items() if to)
    return f'<details class="menu"><summary {UNSEARCHED} aria-label="{escape(name)}">⋯</summary>{shown}</details>'
