"""``python -m coursebuild approve``: accept what the panels print now; ``lab``: put the notebooks where a reader works on them."""

import argparse
import sys
from pathlib import Path

from coursebuild.approval import approve
from coursebuild.handouts import lab


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m coursebuild", description=__doc__)
    parser.add_argument("command", choices=["approve", "lab"])
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    arguments = parser.parse_args()
    command = {"approve": approve, "lab": lab}[arguments.command]
    return command(arguments.root.resolve())


if __name__ == "__main__":
    sys.exit(main())
