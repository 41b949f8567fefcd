"""axe-core on a page: WCAG 2.2 at level AA, and its best practices."""

import json
from pathlib import Path

from playwright.sync_api import Page

SOURCE = Path(__file__).resolve().parents[2] / ".ci" / "node" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
# The shade that says "this line goes on" lies under code, and axe judges no text over a gradient: it goes for the while.
PLAIN = "*, ::before, ::after { background-image: none !important; transition: none !important; }"


def faults(page: Page, *, colours_only: bool = False) -> list[str]:
    """What axe finds wrong with a page as it stands: the rule, what it asks, and the elements.

    Args:
        page: The page.
        colours_only: Only the rules that look at colours: those that a second scheme can break.
    """
    if not SOURCE.is_file():
        raise FileNotFoundError("axe-core is missing: `sh .ci/setup node` installs it")
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(SOURCE.read_text(encoding="utf-8"))
    options = {
        "runOnly": {"type": "rule", "values": COLOURS} if colours_only else {"type": "tag", "values": TAGS},
        "resultTypes": ["violations"],
    }
    found = page.evaluate(
        """async ([options, plain]) => {
          scrollTo(0, 0); // the header stays in sight and may cover a part of a link anywhere else
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(plain);
          document.adoptedStyleSheets = [sheet];
          try {
            return (await axe.run(document, options)).violations;
          } finally {
            document.adoptedStyleSheets = [];
          }
        }""",
        [options, PLAIN],
    )
    return [
        f"{rule['id']}: {rule['help']}: {json.dumps([node['html'][:200] for node in rule['nodes'][:5]])} "
        f"({len(rule['nodes'])} in all; {rule['nodes'][0]['failureSummary']})"
        for rule in found
    ]
