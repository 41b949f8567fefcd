"""Builds sites, as asked on standard input: each build is a process of its own.

The processes are forked from one that has imported MkDocs and the press already: a build then takes a fraction of a second.
A line is a JSON object: the site's `folder`, the `environment`, and `flags`, a list of lists. The answer is a line of JSON:
a list of [status, output], one for each list of flags.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
import traceback
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import markdown_exec  # noqa: F401
    import mkdocs.commands.build  # noqa: F401
    import numpy  # noqa: F401
    import pygments.lexers  # noqa: F401
    import pymdownx.superfences  # noqa: F401
    from mkdocs.__main__ import cli

import coursebuild.extension
import coursebuild.site  # noqa: F401

LONGEST = 120
"""The seconds after which a build is ended."""


def build(folder: str, environment: dict[str, str], flags: list[str]) -> tuple[int, str]:
    """Fork, build, and return the status with all that was written to both streams."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # it must not read what is asked next
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            status = 1
            try:
                cli.main(["build", *flags], prog_name="mkdocs")
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:
                traceback.print_exc()
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
        _, code = os.waitpid(child, 0)
        out.seek(0)
        return os.waitstatus_to_exitcode(code), out.read().decode("utf-8", errors="replace")


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        done = [build(asked["folder"], asked["environment"], flags) for flags in asked["flags"]]
        print(json.dumps(done), flush=True)
