"""Waits for a condition in a page: Playwright's own wait makes a function from text there, which the pages' policy forbids."""

from typing import Any

from playwright.sync_api import Page

from .conftest import PATIENCE


def until(page: Page, condition: str, argument: Any = None) -> None:
    """Return as soon as an expression holds, or a promise of it.

    Args:
        page: the page.
        condition: the expression; ``argument`` in it is the next argument.
        argument: what the condition needs.
    """
    page.evaluate(
        f"""([argument, patience]) => new Promise((done, failed) => {{
          const end = performance.now() + patience;
          const look = async () => {{
            if (await ({condition})) done();
            else if (performance.now() > end) failed(new Error("it never held: " + {condition!r}));
            else setTimeout(look, 20);
          }};
          look().catch(failed);
        }})""",
        [argument, PATIENCE],
    )
