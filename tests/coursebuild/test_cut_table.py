"""The script that cuts a small token table: what it writes and what it refuses. tests/real cuts real ones."""

import base64
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from nextword.ranked import load_ranks, parse_ranks

from .conftest import ROOT

LICENCE = "MIT License\n\nCopyright (c) Somebody\n"
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
BYTES = [bytes([value]) for value in range(256)]
SYMBOLS = [*BYTES[33:], *BYTES[:33], b"th", b"the", b" the"]


def written(symbols: list[bytes], first: int = 0) -> str:
    return "".join(
        f"{base64.b64encode(symbol).decode()} {rank}\n" for rank, symbol in enumerate(symbols, first)
    )


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "LICENSE-gpt-tokenizer.txt").write_text(LICENCE)
    put(folder, written(SYMBOLS))
    return folder


def put(folder: Path, table: str) -> None:
    (folder / hashlib.sha1(ADDRESS.encode()).hexdigest()).write_text(table)


def run(tables: Path, *options: str) -> tuple[int, str, dict[str, str]]:
    """The exit status, what was said, and the files written."""
    to = tables.parent / "made" / "here"
    command = [sys.executable, str(ROOT / ".ci" / "cut_table.py"), "--tables", str(tables), *options, str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, {path.name: path.read_text() for path in to.rglob("*")}


def test_the_first_ranks_and_the_licence(tables: Path) -> None:
    status, said, files = run(tables, "--ranks", "258")
    assert (status, said) == (0, "")
    assert sorted(files) == ["o200k_base-258.LICENSE.txt", "o200k_base-258.tiktoken"]
    assert files["o200k_base-258.tiktoken"] == written(SYMBOLS[:258])
    assert parse_ranks(files["o200k_base-258.tiktoken"])[b"the"] == 257
    origin, _, licence = files["o200k_base-258.LICENSE.txt"].partition("\n\n")
    assert licence == LICENCE
    assert origin.startswith("o200k_base-258.tiktoken: the first 258 ranks of o200k_base,")


def test_the_version_of_the_package_is_that_of_the_lock(tables: Path) -> None:
    files = run(tables, "--ranks", "256")[2]
    lock = (ROOT / ".ci/vocabularies/package-lock.json").read_text()
    version = lock.partition('"node_modules/gpt-tokenizer": {')[2].partition('"version": "')[2].split('"')[0]
    assert f"gpt-tokenizer {version} (" in files["o200k_base-256.LICENSE.txt"]


def test_the_bytes_alone_and_the_whole_table(tables: Path, tmp_path: Path) -> None:
    for ranks in (256, len(SYMBOLS)):
        assert run(tables, "--ranks", str(ranks))[0] == 0
        file = tmp_path / "made" / "here" / f"o200k_base-{ranks}.tiktoken"
        assert list(load_ranks(file)) == SYMBOLS[:ranks]


@pytest.mark.parametrize("ranks", ["255", "0", "-1", "260"])
def test_too_few_or_too_many(ranks: str, tables: Path) -> None:
    status, said, files = run(tables, f"--ranks={ranks}")
    assert (status, files) == (1, {})
    assert said == f"o200k_base: the number of ranks must be from 256 to 259, not {ranks}\n"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (written(SYMBOLS, first=1), "the ranks of the table must count up from 0, a line each"),
        (written(SYMBOLS[:-1]) + "YWI= 300\n", "the ranks of the table must count up from 0, a line each"),
        (written([b"th", *SYMBOLS[:256]]), "the first 256 ranks of the table must be the single bytes"),
        (written(SYMBOLS[:256]) + "YWI=\n", "line 257 must be a base64 symbol, a space and a rank"),
    ],
)
def test_a_table_that_cannot_be_cut(table: str, message: str, tables: Path) -> None:
    put(tables, table)
    status, said, files = run(tables, f"--ranks={len(table.splitlines())}")
    assert (status, files) == (1, {})
    assert message in said
    assert len(said.splitlines()) == 1


def test_what_is_missing_is_named(tables: Path) -> None:
    (tables / "LICENSE-gpt-tokenizer.txt").unlink()
    status, said, files = run(tables, "--ranks=256")
    assert (status, files) == (1, {})
    assert said.endswith("LICENSE-gpt-tokenizer.txt is missing; make real puts it there\n")
    assert run(tables, "--ranks=256", "--table", "r50k_base")[0] == 1
    assert run(tables, "--table", "p50k_base")[0] == 2
