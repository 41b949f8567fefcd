"""``python -m coursebuild approve``: accept what the panels print now."""

import argparse
import sys
from pathlib import Path

from coursebuild.approval import approve


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m coursebuild", description=__doc__)
    parser.add_argument("command", choices=["approve"])
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    arguments = parser.parse_args()
    return approve(arguments.root.resolve())


if __name__ == "__main__":
    sys.exit(main())
