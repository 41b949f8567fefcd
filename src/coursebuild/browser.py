"""``python src/coursebuild/browser.py`` prints where a Chromium is, as the tests and the bench find one; the status is 1 without one."""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ASKED = "Install Chromium (Debian: apt-get install chromium), or name one: CHROMIUM=/path/to/chromium"
FLAGS = (  # no sandbox: it runs as root in containers; nothing of the browser's own asks a host, and no page can
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_chromium() -> str | None:
    """The Chromium that CHROMIUM names, and no other if it does; else the first on the PATH."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None)


if __name__ == "__main__":
    found = find_chromium()
    print(found or ASKED, file=sys.stdout if found else sys.stderr)
    sys.exit(found is None)
