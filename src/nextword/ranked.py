"""Byte pair encoding with a real table: bytes and their ranks, a rule that cuts text first, special tokens.

The published tables list no pairs. They give each symbol a rank, which is also its id, and two neighbours may
be fused when what they spell together is in the table; the lowest rank comes first, and of equal ones the
leftmost.

Sources: Radford et al. (2019), section 2.2; the package ``tiktoken``, whose file format and whose encoding
this is, id for id (tests/real/test_tokenizers.py).
"""

import base64
import binascii
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral
from os import PathLike
from pathlib import Path

from nextword.arguments import require_function, require_several, require_text, require_whole_number
from nextword.bpe import ChunkMemory, fuse_by_rank, spell_bytes


def parse_ranks(text: str) -> dict[bytes, int]:
    """Read a table of ranks: on each line a symbol in base64, a space and its rank.

    Source: the format of the ``.tiktoken`` files.

    Args:
        text: the text of the file; empty lines are passed over.

    Returns:
        The rank of each symbol, in the order of the file.

    Raises:
        ValueError: the text is no ``str``, a line has another form, or a symbol comes twice.

    Examples:
        >>> parse_ranks(chr(10).join(["YQ== 0", "Yg== 1", "YWI= 2"]))
        {b'a': 0, b'b': 1, b'ab': 2}
    """
    require_text("text", text)
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            encoded, rank = line.split()
            symbol = base64.b64decode(encoded, validate=True)
            if not (rank.isascii() and rank.isdigit()):
                raise ValueError
        except (ValueError, binascii.Error):
            raise ValueError(
                f"line {number} must be a base64 symbol, a space and a rank, not {line!r}"
            ) from None
        if symbol in ranks:
            raise ValueError(f"text must name each symbol once, but line {number} has {symbol!r} again")
        ranks[symbol] = int(rank)
    return ranks


def load_ranks(path: str | PathLike[str]) -> dict[bytes, int]:
    """Read a file of ranks.

    Args:
        path: a ``.tiktoken`` file.

    Returns:
        The rank of each symbol, in the order of the file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has another form.
    """
    return parse_ranks(Path(path).read_text(encoding="ascii"))


class RankedBPE:
    """A tokenizer made of a table of ranks, a rule that cuts text into chunks, and special tokens.

    Special tokens are read as such only where the caller allows it. Otherwise their text is text like any
    other, so that nobody who writes it can end a document or speak for someone else.

    Attributes:
        ranks: the rank of each symbol, which is its id.
        split: the function that cuts a text into chunks.
        special: the id of each special token.

    Examples:
        >>> from nextword.bpe import space_chunks
        >>> ranks = {b"a": 0, b"b": 1, b" ": 2, b"ab": 3, b" ab": 4}
        >>> tokenizer = RankedBPE(ranks, space_chunks, {"<end>": 5})
        >>> tokenizer.encode("ab abb")
        [3, 4, 1]
        >>> tokenizer.encode("ab<end>", allowed=["<end>"])
        [3, 5]
        >>> tokenizer.decode([4, 1, 5])
        ' abb<end>'
    """

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        split: Callable[[str], Iterable[str]],
        special: Mapping[str, int] | None = None,
    ) -> None:
        """Make a tokenizer from a table.

        Args:
            ranks: the rank of each symbol; of the single bytes, those of the texts to come.
            split: cuts a text into chunks that joined are the text. No symbol crosses a chunk's edge. Real
                rules are patterns with the class of all letters, which Python's ``re`` lacks; the ``findall``
                of a pattern of the package ``regex`` will do.
            special: the id of each special token; none without this argument.

        Raises:
            ValueError: a symbol is no ``bytes`` or empty, a special token no ``str`` or empty, an id no whole
                number or below 0, or two have the same id; ``split`` cannot be called.
        """
        self.ranks = dict(ranks)
        self.special = dict(special or {})
        require_function("split", split)
        self.split = split
        self._symbols: dict[int, bytes] = {}
        for symbol, number in self.ranks.items():
            if not isinstance(symbol, bytes) or not symbol:
                raise ValueError(f"ranks must have bytes of at least one value as keys, not {symbol!r}")
            self._give(number, symbol)
        for token, number in self.special.items():
            require_text("each key of special", token)
            if not token:
                raise ValueError("special must have texts of at least one character as keys, not ''")
            self._give(number, b"".join(spell_bytes(token)))
        self._known: ChunkMemory[bytes] = ChunkMemory(self._cut)

    def _give(self, number: int, symbol: bytes) -> None:
        require_whole_number(f"the id of {symbol!r}", number, smallest=0)
        if number in self._symbols:
            raise ValueError(f"ids must differ, but {number} is {self._symbols[number]!r} and {symbol!r}")
        self._symbols[number] = symbol

    def _rank_of(self, left: bytes, right: bytes) -> int | None:
        return self.ranks.get(left + right)

    def _cut(self, chunk: str) -> tuple[bytes, ...]:
        symbols = spell_bytes(chunk)
        whole = b"".join(symbols)
        if whole in self.ranks:  # a chunk that the table has is one symbol, however its parts rank
            return (whole,)
        pieces = fuse_by_rank(symbols, self._rank_of)
        for piece in pieces:
            if piece not in self.ranks:
                raise ValueError(f"text must hold bytes that ranks has, not {piece!r} as in {chunk!r}")
        return pieces

    def pieces(self, text: str) -> list[bytes]:
        """Cut a text into symbols; special tokens are text like any other.

        Args:
            text: any text that UTF-8 can write.

        Returns:
            The symbols of all chunks in order; joined they are the text's UTF-8 bytes.

        Raises:
            ValueError: the text is no ``str``, holds a lone surrogate or a byte that has no rank; ``split``
                gave chunks that joined are not the text.
        """
        require_text("text", text)
        chunks = list(self.split(text))
        if "".join(chunks) != text:
            raise ValueError(f"split must give chunks that joined are the text, not {chunks[:8]!r}")
        known = self._known
        return [piece for chunk in chunks for piece in known[chunk]]

    def encode(self, text: str, allowed: Collection[str] = ()) -> list[int]:
        """Turn a text into ids.

        What stands between two special tokens is cut as a text of its own. Of special tokens that begin at the
        same place the longest is taken.

        Args:
            text: any text that UTF-8 can write.
            allowed: the special tokens to be read as such; none without this argument.

        Returns:
            One id for each piece and each allowed special token.

        Raises:
            ValueError: a special token is unknown; as for ``pieces``.
        """
        require_text("text", text)
        require_several("allowed", allowed)
        for token in allowed:
            if token not in self.special:
                raise ValueError(f"allowed must hold special tokens, not {token!r}")
        ranks = self.ranks
        if not allowed:
            return [ranks[piece] for piece in self.pieces(text)]
        pattern = "|".join(re.escape(token) for token in sorted(allowed, key=len, reverse=True))
        ids: list[int] = []
        for number, part in enumerate(re.split(f"({pattern})", text)):
            if number % 2:
                ids.append(self.special[part])
            else:
                ids += [ranks[piece] for piece in self.pieces(part)]
        return ids

    def decode(self, ids: Iterable[int], errors: str = "strict") -> str:
        """Turn ids into text.

        Args:
            ids: ids of symbols and special tokens.
            errors: "strict" refuses bytes that are not UTF-8; "replace" puts U+FFFD in their place.

        Returns:
            The text, special tokens spelled out.

        Raises:
            ValueError: an id does not exist; ``errors`` is unknown; it is "strict" and the bytes are not
                UTF-8.
        """
        require_several("ids", ids)
        if errors not in ("strict", "replace"):
            raise ValueError(f"errors must be 'strict' or 'replace', not {errors!r}")
        found: list[bytes] = []
        for number in ids:
            whole = isinstance(number, Integral) and not isinstance(number, bool)
            if not whole or number not in self._symbols:
                raise ValueError(f"ids must be ids of the table or of special tokens, not {number!r}")
            found.append(self._symbols[number])
        joined = b"".join(found)
        try:
            return joined.decode("utf-8", errors)
        except UnicodeDecodeError:
            raise ValueError(f"ids must spell UTF-8 unless errors is 'replace', not {joined!r}") from None
