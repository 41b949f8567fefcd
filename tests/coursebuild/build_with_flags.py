"""Builds the site in the current folder once for each set of flags, each time in a process of its own.

The processes are forked from one that has imported MkDocs already: a build then takes a fraction of a second.
Prints a JSON list of [status, output], one for each set of flags of the JSON list in the first argument.
"""

import contextlib
import json
import os
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


def build(flags: list[str]) -> tuple[int, str]:
    """Fork, build, and return the status with all that was written to both streams."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
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
    print(json.dumps([build(flags) for flags in json.loads(sys.argv[1])]))
