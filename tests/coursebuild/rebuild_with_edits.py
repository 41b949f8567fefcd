"""Builds a site as a preview does, once after each edit in one process, and once more from nothing in another.

The first argument is the project's folder, the second a JSON list of edits: each maps files to their new text, or to null where
the file is removed. The answer is a JSON list: for each edit, the names of the files that the two builds wrote differently.
"""

import filecmp
import json
import logging
import multiprocessing
import os
import sys
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import markdown_exec  # noqa: F401
    import material  # noqa: F401
    import mkdocs_jupyter.plugin  # noqa: F401
    import mkdocstrings  # noqa: F401
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    import coursebuild.site  # noqa: F401


FORK = multiprocessing.get_context("fork")


def preview(site: str, is_first: bool) -> None:
    """Build once, as ``mkdocs serve`` does after a save."""
    config = load_config(config_file="mkdocs.yml", site_dir=site)
    if is_first:
        config.plugins.on_startup(command="serve", dirty=False)
    build(config, serve_url="http://127.0.0.1:8000/")


def afresh(site: str) -> None:
    """Build in a process that has built nothing before."""
    process = FORK.Process(target=preview, args=(site, True))
    process.start()
    process.join()
    assert process.exitcode == 0, "a fresh build failed"


def go_on(site: str, line: Connection) -> None:
    """Build once more each time that it is asked to, and say what went wrong."""
    is_first = True
    while line.recv():
        try:
            preview(site, is_first)
            line.send("")
        except BaseException:
            line.send(traceback.format_exc())
        is_first = False


def different(one: Path, other: Path) -> list[str]:
    """The files of two folders that are not the same."""
    names = {path.relative_to(site) for site in (one, other) for path in site.rglob("*") if path.is_file()}
    _, unlike, missing = filecmp.cmpfiles(one, other, sorted(map(str, names)), shallow=False)
    return [*unlike, *missing]


def main() -> None:
    """Apply each edit and build both."""
    root, edits = Path(sys.argv[1]), json.loads(sys.argv[2])
    os.chdir(root)
    logging.disable(logging.WARNING)
    answers = []
    line, end = FORK.Pipe()
    FORK.Process(target=go_on, args=("again", end), daemon=True).start()
    for edit in edits:
        for name, text in edit.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
        afresh("afresh")
        line.send(True)
        problem = line.recv()
        assert not problem, problem
        answers.append(different(root / "afresh", root / "again"))
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
