"""``python -m coursebuild approve``: accept what the panels print now; ``lab``: put the notebooks where a reader works on them.

``review``: which outputs, figures, claims and pages changed, old against new.
"""

import argparse
import sys
from pathlib import Path

from coursebuild.approval import approve
from coursebuild.handouts import lab
from coursebuild.review import review


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m coursebuild", description=__doc__)
    parser.add_argument("command", choices=["approve", "lab", "review"])
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    parser.add_argument("--base", default="main", help="review: the branch or commit to compare with")
    parser.add_argument("--head", default="", help="review: the commit that is reviewed; none: the checkout")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if arguments.command == "review":
        return review(root, arguments.base, arguments.head)
    return {"approve": approve, "lab": lab}[arguments.command](root)


if __name__ == "__main__":
    sys.exit(main())
