"""Byte pair encoding: a table of symbols learned by counting pairs, and text cut into those symbols.

A symbol is a ``str`` (words spelled in characters) or a ``bytes`` (chunks spelled in UTF-8 bytes). A spelling
is a tuple of symbols. Training starts from the shortest symbols and fuses, round after round, the two
neighbours that stand side by side most often. The list of fused pairs, in the order learned, is the
tokenizer.

Sources: Gage (1994), "A New Algorithm for Data Compression"; Sennrich, Haddow and Birch (2016), "Neural
Machine Translation of Rare Words with Subword Units", section 3.2 (words with an end marker); Radford et al.
(2019), "Language Models are Unsupervised Multitask Learners", section 2.2 (bytes).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from numbers import Integral
from typing import Any, Generic, NamedTuple, Self, TypeVar

from nextword.arguments import require_several, require_text, require_whole_number

S = TypeVar("S", str, bytes)

TIES = ("smallest", "largest")
"""The rules among pairs of equal count that ``learn_merges`` knows."""

CACHED_CHUNKS = 100_000
"""How many chunks a tokenizer remembers; a full memory is emptied, so that it cannot grow for ever."""


class Merge(NamedTuple, Generic[S]):
    """Two neighbouring symbols to be fused, and how often they were seen.

    Attributes:
        left: the first symbol of the pair.
        right: the second symbol of the pair.
        count: how often the pair stood in the training text when it was chosen.

    Examples:
        >>> Merge("lo", "w", 7).symbol
        'low'
    """

    left: S
    right: S
    count: int  # type: ignore[assignment]  # on purpose in place of tuple.count

    @property
    def symbol(self) -> S:
        """The new symbol is the left one followed by the right one."""
        return self.left + self.right


def require_counts(counts: Mapping[S, int] | Mapping[tuple[S, ...], int]) -> None:
    """Refuse counts below one: what never occurred cannot teach a merge.

    Args:
        counts: the count of each word or spelling.

    Raises:
        ValueError: a count is no whole number above 0.
    """
    for counted, count in counts.items():
        require_whole_number(f"the count of {counted!r}", count, smallest=1)


def require_symbols(name: str, value: object) -> None:
    """Refuse a bare string where a sequence of symbols is meant.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.

    Raises:
        ValueError: the value is a ``str`` or a ``bytes``, or is no sequence.
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise ValueError(f"{name} must be a tuple or list of symbols, not {value!r}")


def require_marker(marker: object, words: Iterable[str]) -> None:
    """Refuse an end marker that a word could spell by itself.

    Args:
        marker: one character, or "" for no marker.
        words: the words that the marker is to end.

    Raises:
        ValueError: the marker is no ``str``, is longer than one character, or occurs in a word.
    """
    if not isinstance(marker, str) or len(marker) > 1:
        raise ValueError(f"marker must be one character, not {marker!r}")
    for word in words:
        if marker and marker in word:
            raise ValueError(f"marker must be a character that no word holds, not {marker!r} as in {word!r}")


def word_counts(text: str) -> dict[str, int]:
    """Count how often each word occurs; words end at white space.

    Args:
        text: any text; without a word the result is empty.

    Returns:
        The count of each distinct word, in order of first appearance.

    Raises:
        ValueError: the text is no ``str``.

    Examples:
        >>> word_counts("new low new")
        {'new': 2, 'low': 1}
    """
    require_text("text", text)
    return dict(Counter(text.split()))


def spell_words(
    counts: Mapping[str, int],
    marker: str = "_",
) -> dict[tuple[str, ...], int]:
    """Spell each word as its characters and an end marker.

    The marker tells a whole word from the start of a longer one.

    Source: Sennrich, Haddow and Birch (2016), section 3.2.

    Args:
        counts: the count of each distinct word.
        marker: one character that no word holds, or "" for no marker.

    Returns:
        The same counts by spelling: a word of n characters has n + 1 symbols (n without a marker).

    Raises:
        ValueError: the marker is longer than one character or occurs in a word; a count is no whole number
            above 0.

    Examples:
        >>> spell_words({"new": 2, "low": 1})
        {('n', 'e', 'w', '_'): 2, ('l', 'o', 'w', '_'): 1}
        >>> spell_words({"12": 3}, marker="")
        {('1', '2'): 3}
    """
    require_marker(marker, counts)
    require_counts(counts)
    return {tuple(word + marker): count for word, count in counts.items()}


def count_pairs(
    spellings: Mapping[tuple[S, ...], int],
) -> Counter[tuple[S, S]]:
    """Count the neighbouring pairs, weighted by each spelling's count.

    Every position counts, so ("a", "a") stands twice in ("a", "a", "a") although only one of the two can be
    fused.

    Source: Gage (1994); weighted by word in Sennrich, Haddow and Birch (2016), section 3.2.

    Args:
        spellings: the count of each spelling.

    Returns:
        The count of each pair; empty when no spelling has two symbols.

    Examples:
        >>> count_pairs({("n", "e", "w"): 2, ("e", "w", "e"): 1})
        Counter({('e', 'w'): 3, ('n', 'e'): 2, ('w', 'e'): 1})
    """
    pairs: Counter[tuple[S, S]] = Counter()
    for symbols, count in spellings.items():
        for pair in pairwise(symbols):
            pairs[pair] += count
    return pairs


def merge_pair(symbols: Sequence[S], left: S, right: S) -> tuple[S, ...]:
    """Fuse each occurrence of one pair, from left to right.

    Source: Gage (1994).

    Args:
        symbols: a spelling of n symbols.
        left: the first symbol of the pair.
        right: the second symbol of the pair.

    Returns:
        The new spelling, of n symbols less one for each occurrence fused; what it spells is unchanged.

    Examples:
        >>> merge_pair(("n", "e", "w", "e", "r"), "e", "r")
        ('n', 'e', 'w', 'er')
        >>> merge_pair(("a", "a", "a"), "a", "a")
        ('aa', 'a')
    """
    merged: list[S] = []
    position = 0
    while position < len(symbols):
        if tuple(symbols[position : position + 2]) == (left, right):
            merged.append(left + right)
            position += 2
        else:
            merged.append(symbols[position])
            position += 1
    return tuple(merged)


def apply_merges(
    symbols: Sequence[S],
    merges: Iterable[Merge[S]],
) -> tuple[S, ...]:
    """Replay the merges on one spelling, once each, in order.

    Source: Sennrich, Haddow and Birch (2016), section 3.2.

    Args:
        symbols: the spelling to shorten.
        merges: the merges in the order learned.

    Returns:
        The spelling after all merges.

    Raises:
        ValueError: ``symbols`` is a bare string or bytes object.

    Examples:
        >>> apply_merges(("l", "o", "w"), [Merge("l", "o", 7), Merge("lo", "w", 7)])
        ('low',)
        >>> apply_merges(("l", "o", "w"), [Merge("lo", "w", 7), Merge("l", "o", 7)])
        ('lo', 'w')
    """
    require_symbols("symbols", symbols)
    for left, right, _ in merges:
        symbols = merge_pair(symbols, left, right)
    return tuple(symbols)


def apply_by_rank(symbols: Sequence[S], merges: Sequence[Merge[S]]) -> tuple[S, ...]:
    """Fuse the present pair of the lowest rank until none is left.

    Real encoders work this way. On a list that training learned from characters or bytes the result is that
    of ``apply_merges``; on a list written by hand it may differ.

    Source: Radford et al. (2019), section 2.2, and the encoder published with it.

    Args:
        symbols: the spelling to shorten.
        merges: the merges in the order learned; the place in the list is the rank.

    Returns:
        The spelling when no pair in it is a merge.

    Raises:
        ValueError: ``symbols`` is a bare string or bytes object; a pair has two ranks.

    Examples:
        >>> apply_by_rank(("l", "o", "w"), [Merge("lo", "w", 7), Merge("l", "o", 7)])
        ('low',)
    """
    require_symbols("symbols", symbols)
    ranks: dict[tuple[S, S], int] = {}
    for rank, (left, right, _) in enumerate(merges):
        if ranks.setdefault((left, right), rank) != rank:
            raise ValueError(f"merges must hold each pair once, but {left!r} + {right!r} comes again")
    while present := [pair for pair in pairwise(symbols) if pair in ranks]:
        left, right = min(present, key=lambda pair: ranks[pair])
        symbols = merge_pair(symbols, left, right)
    return tuple(symbols)


def respell(spellings: Mapping[tuple[S, ...], int], merges: Sequence[Merge[S]]) -> dict[tuple[S, ...], int]:
    """Replay the merges on every spelling; equal results add up.

    Args:
        spellings: the count of each spelling.
        merges: the merges in the order learned.

    Returns:
        The count of each new spelling, in the order of the old ones.

    Examples:
        >>> respell({("l", "o", "w"): 5, ("o", "w", "l"): 2}, [Merge("o", "w", 7)])
        {('l', 'ow'): 5, ('ow', 'l'): 2}
    """
    respelled: Counter[tuple[S, ...]] = Counter()
    for symbols, count in spellings.items():
        respelled[apply_merges(symbols, merges)] += count
    return dict(respelled)


def require_training_input(
    spellings: Mapping[tuple[S, ...], int], rounds: int, ties: str, rules: Sequence[str] = TIES
) -> None:
    """Refuse what no training can start from.

    Args:
        spellings: the count of each spelling.
        rounds: how many merges are asked for.
        ties: the rule among pairs of equal count.
        rules: the rules that the trainer knows.

    Raises:
        ValueError: there is no spelling, a spelling is no tuple, a count is no whole number above 0,
            ``rounds`` is no whole number or negative, or ``ties`` is unknown.
    """
    require_whole_number("rounds", rounds, smallest=0)
    if ties not in rules:
        raise ValueError(f"ties must be {' or '.join(map(repr, rules))}, not {ties!r}")
    if not spellings:
        raise ValueError(f"spellings must hold at least one spelling, not {spellings!r}")
    for symbols in spellings:
        require_symbols("each key of spellings", symbols)
    require_counts(spellings)


def learn_merges(
    spellings: Mapping[tuple[S, ...], int],
    rounds: int,
    ties: str = "smallest",
) -> list[Merge[S]]:
    """Fuse the most frequent pair, count afresh, and repeat.

    Training stops early when no pair is left, that is when every spelling is one symbol. Pairs of equal count
    are compared as tuples: strings by code point, bytes by value. So the order of the spellings plays no
    part.

    Source: Gage (1994); Sennrich, Haddow and Birch (2016), section 3.2.

    Args:
        spellings: the count of each spelling.
        rounds: how many merges to learn at most; 0 learns none.
        ties: which pair wins among those of equal count, "smallest" or "largest".

    Returns:
        The merges in the order learned, at most ``rounds`` of them; their counts never increase.

    Raises:
        ValueError: there is no spelling, a count is no whole number above 0, ``rounds`` is negative or no
            whole number, or ``ties`` is unknown.

    Examples:
        >>> learn_merges({("n", "e", "w"): 2, ("e", "w", "e"): 1}, rounds=1)
        [Merge(left='e', right='w', count=3)]
    """
    require_training_input(spellings, rounds, ties)
    merges: list[Merge[S]] = []
    while len(merges) < rounds and (pairs := count_pairs(spellings)):
        most = max(pairs.values())
        tied = [pair for pair, count in pairs.items() if count == most]
        left, right = min(tied) if ties == "smallest" else max(tied)
        merges.append(Merge(left, right, most))
        spellings = respell(spellings, merges[-1:])  # the newest merge alone
    return merges


def descending(symbol: str | bytes) -> tuple[int, ...]:
    """Make a key that sorts symbols from the largest to the smallest.

    Args:
        symbol: a string, compared by code point, or bytes, compared by value.

    Returns:
        The negated values and a last number above all of them, so that a symbol comes before its own beginning.

    Examples:
        >>> sorted(["a", "b", "ab"], key=descending)
        ['b', 'ab', 'a']
    """
    values = symbol if isinstance(symbol, bytes) else map(ord, symbol)
    return (*(-value for value in values), 1)


def learn_merges_by_heap(
    spellings: Mapping[tuple[S, ...], int],
    rounds: int,
    ties: str = "smallest",
) -> list[Merge[S]]:
    """Learn the merges of ``learn_merges`` without counting afresh.

    It keeps the count of each pair and the spellings where the pair stands, and after a merge changes only
    what stood beside the fused symbols. A heap brings the most frequent pair to the top. A count that falls
    leaves its old entry in the heap, which is put right when it comes to the top; a count that grows gets a
    new entry. So no entry is ever below its pair's count, and the top one, once right, is the largest.

    Source: Sennrich, Haddow and Birch (2016), the program published with it (counts kept, an index of the
    words of each pair); the rule "oldest" is that of the trainer in Hugging Face ``tokenizers``.

    Args:
        spellings: the count of each spelling.
        rounds: how many merges to learn at most; 0 learns none.
        ties: which pair wins among those of equal count: "smallest" or "largest" as in ``learn_merges``, or
            "oldest", which compares when the symbols came to be: first the base in sorted order, then the
            merged ones as they were made.

    Returns:
        The merges in the order learned, at most ``rounds`` of them.

    Raises:
        ValueError: as for ``learn_merges``.

    Examples:
        >>> learn_merges_by_heap({("n", "e", "w"): 2, ("e", "w", "e"): 1}, rounds=1)
        [Merge(left='e', right='w', count=3)]
    """
    require_training_input(spellings, rounds, ties, (*TIES, "oldest"))
    words = [list(symbols) for symbols in spellings]
    weights = list(spellings.values())
    counts = count_pairs(spellings)
    homes: defaultdict[tuple[S, S], set[int]] = defaultdict(
        set
    )  # the words where a pair stands, or has stood
    for number, word in enumerate(words):
        for pair in pairwise(word):
            homes[pair].add(number)
    age = {symbol: number for number, symbol in enumerate(base_symbols(spellings))}
    sign: dict[S, tuple[int, ...]] = {}

    def entry(pair: tuple[S, S]) -> tuple[int, Any, tuple[S, S]]:
        """What the heap sorts by: the count, largest first, and the rule among equals."""
        if ties == "smallest":
            return -counts[pair], pair, pair
        if ties == "oldest":
            return -counts[pair], (age[pair[0]], age[pair[1]]), pair
        for symbol in pair:
            if symbol not in sign:
                sign[symbol] = descending(symbol)
        return -counts[pair], (sign[pair[0]], sign[pair[1]]), pair

    heap = [entry(pair) for pair in counts]
    heapify(heap)
    merges: list[Merge[S]] = []
    while len(merges) < rounds and heap:
        noted, _, (left, right) = heap[0]
        count = counts[left, right]
        if count != -noted:  # the count has fallen since
            if count:
                heapreplace(heap, entry((left, right)))
            else:
                heappop(heap)
            continue
        merges.append(Merge(left, right, count))
        fused = left + right
        age.setdefault(fused, len(age))
        changes: defaultdict[tuple[S, S], int] = defaultdict(int)
        for number in homes.pop((left, right)):
            word, weight = words[number], weights[number]
            position, last = 0, len(word) - 1
            while position < last:
                if word[position] == left and word[position + 1] == right:
                    if position:
                        before = word[position - 1]
                        changes[before, left] -= weight
                        changes[before, fused] += weight
                        homes[before, fused].add(number)
                    if position + 1 < last:
                        after = word[position + 2]
                        changes[right, after] -= weight
                        changes[fused, after] += weight
                        homes[fused, after].add(number)
                    changes[left, right] -= weight
                    word[position : position + 2] = [fused]
                    last -= 1
                position += 1
        for pair, change in changes.items():
            counts[pair] += change
            if change > 0:
                heappush(heap, entry(pair))
    return merges


def base_symbols(spellings: Iterable[tuple[S, ...]]) -> list[S]:
    """List the distinct symbols that the spellings use, sorted.

    Args:
        spellings: the spellings before training; a mapping from spelling to count will do.

    Returns:
        The base alphabet.

    Examples:
        >>> base_symbols({("n", "e", "w", "_"): 2})
        ['_', 'e', 'n', 'w']
    """
    return sorted({symbol for symbols in spellings for symbol in symbols})


def vocabulary(base: Sequence[S], merges: Iterable[Merge[S]]) -> dict[S, int]:
    """Number all symbols: the base first, then the merged, in order.

    A symbol that is made a second time, from another pair, keeps its first id.

    Args:
        base: the base alphabet.
        merges: the merges in the order learned.

    Returns:
        The id of each symbol; the ids run from 0 without a gap.

    Raises:
        ValueError: the base names a symbol twice; a merge uses a symbol that neither the base nor an earlier
            merge has; a merge comes twice.

    Examples:
        >>> vocabulary(["l", "o", "w"], [Merge("l", "o", 7), Merge("lo", "w", 7)])
        {'l': 0, 'o': 1, 'w': 2, 'lo': 3, 'low': 4}
    """
    require_symbols("base", base)
    ids = {symbol: number for number, symbol in enumerate(base)}
    if len(ids) < len(base):
        raise ValueError(f"base must name each symbol once, not {base!r}")
    pairs: set[tuple[S, S]] = set()
    for left, right, _ in merges:
        if left not in ids or right not in ids:
            raise ValueError(f"merges must join symbols known by then, not {left!r} + {right!r}")
        if (left, right) in pairs:
            raise ValueError(f"merges must hold each pair once, but {left!r} + {right!r} comes again")
        pairs.add((left, right))
        ids.setdefault(left + right, len(ids))
    return ids


def greedy_longest_match(
    text: str,
    vocabulary: Collection[str],
    longest: int = 8,
) -> list[str]:
    """Take, from the left, the longest piece that the table has.

    WordPiece tokenizers cut this way. It is not byte pair encoding, which goes by the order of the merges.

    Source: Schuster and Nakajima (2012), "Japanese and Korean Voice Search"; Wu et al. (2016), "Google's
    Neural Machine Translation System", section 4.1.

    Args:
        text: the text to cut.
        vocabulary: the pieces allowed; a mapping from piece to id will do.
        longest: the length in characters that no piece may exceed.

    Returns:
        The pieces; joined they are the text.

    Raises:
        ValueError: no piece fits at some character; ``longest`` is no whole number above 0; an argument is of the
            wrong type.

    Examples:
        >>> greedy_longest_match("lower", {"l", "low", "lo", "e", "er"})
        ['low', 'er']
    """
    require_text("text", text)
    require_several("vocabulary", vocabulary)
    require_whole_number("longest", longest, smallest=1)
    pieces: list[str] = []
    position = 0
    while position < len(text):
        end = min(position + longest, len(text))
        while text[position:end] not in vocabulary:
            end -= 1
            if end == position:
                raise ValueError(f"vocabulary has no piece for {text[position]!r} in text")
        pieces.append(text[position:end])
        position = end
    return pieces


def space_chunks(text: str) -> list[str]:
    """Cut a text before each space, which stays with what follows.

    Merges never cross a chunk's edge. The tokenizers in use cut by a longer rule, which also parts
    punctuation and digits.

    Source: the space kept with the word that follows is that of Radford et al. (2019), section 2.2.

    Args:
        text: any text.

    Returns:
        The chunks; joined they are the text.

    Raises:
        ValueError: the text is no ``str``.

    Examples:
        >>> space_chunks("the cat  sat")
        ['the', ' cat', ' ', ' sat']
    """
    require_text("text", text)
    first, *others = text.split(" ")
    chunks = [first] if first else []  # a text may open with a space
    return chunks + [" " + word for word in others]


def spell_bytes(chunk: str) -> tuple[bytes, ...]:
    """Spell a chunk of text as its UTF-8 bytes, each a symbol of its own.

    Source: Radford et al. (2019), section 2.2.

    Args:
        chunk: any text that UTF-8 can write.

    Returns:
        As many ``bytes`` objects of length one as the chunk has bytes: one to four for each character.

    Raises:
        ValueError: the chunk is no ``str`` or holds a lone surrogate.

    Examples:
        >>> spell_bytes("on")
        (b'o', b'n')
        >>> len(spell_bytes("猫"))
        3
    """
    require_text("chunk", chunk)
    try:
        encoded = chunk.encode("utf-8")
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(chunk[error.start]):04X}"
        raise ValueError(f"chunk must hold no lone surrogate, not {surrogate}") from None
    return tuple(bytes([value]) for value in encoded)


def fuse_by_rank(
    symbols: Sequence[S], rank_of: Callable[[S, S], int | None], in_order: bool = False
) -> tuple[S, ...]:
    """Fuse, one at a time, the pair of the lowest rank, the leftmost first.

    A heap holds the pairs and each symbol knows its neighbours, so a long chunk costs little more than its
    length. Entries whose pair has gone are passed over.

    Source: the encoder of ``tiktoken``, for long pieces.

    Args:
        symbols: the spelling to shorten.
        rank_of: the rank of a pair, or None for a pair that may not be fused.
        in_order: whether a pair that comes to be after its rank has passed stays apart, as in
            ``apply_merges``.

    Returns:
        The spelling when nothing is left to fuse.

    Examples:
        >>> ranks = {"lo": 1, "ow": 0, "low": 2}
        >>> fuse_by_rank(("l", "o", "w"), lambda left, right: ranks.get(left + right))
        ('low',)
    """
    parts: list[S | None] = list(symbols)
    size = len(parts)
    before, after = (
        list(range(-1, size - 1)),
        list(range(1, size + 1)),
    )  # the places of each symbol's neighbours
    heap: list[tuple[int, int]] = []
    for place, (left, right) in enumerate(pairwise(symbols)):
        rank = rank_of(left, right)
        if rank is not None:
            heap.append((rank, place))
    heapify(heap)
    while heap:
        passed, place = heappop(heap)
        beside = after[place]
        one, two = parts[place], parts[beside] if beside < size else None
        if one is None or two is None or rank_of(one, two) != passed:
            continue  # what stood here was fused by then
        parts[place] = one + two
        parts[beside] = None
        after[place] = beyond = after[beside]
        if beyond < size:
            before[beyond] = place
        for start, end in ((before[place], place), (place, beyond)):
            if start < 0 or end == size:
                continue
            first, second = parts[start], parts[end]
            if first is not None and second is not None:
                rank = rank_of(first, second)
                if rank is not None and (rank > passed or not in_order):
                    heappush(heap, (rank, start))
    return tuple(part for part in parts if part is not None)


class ChunkMemory(dict[str, tuple[S, ...]]):
    """A dictionary that cuts a chunk when it is first asked for, and remembers the pieces.

    Examples:
        >>> memory = ChunkMemory(tuple)
        >>> memory["low"], len(memory)
        (('l', 'o', 'w'), 1)
    """

    def __init__(self, cut: Callable[[str], tuple[S, ...]]) -> None:
        """Make an empty memory.

        Args:
            cut: the function that cuts one chunk.
        """
        self.cut: Callable[[str], tuple[S, ...]] = cut

    def __missing__(self, chunk: str) -> tuple[S, ...]:
        pieces = self.cut(chunk)
        if len(self) >= CACHED_CHUNKS:
            self.clear()
        self[chunk] = pieces
        return pieces


class Replay(Generic[S]):
    """Merges made ready to be replayed on many spellings: the result of ``apply_merges``, sooner.

    Attributes:
        ranks: the place of each pair in the list of merges.

    Examples:
        >>> Replay([Merge("lo", "w", 7), Merge("l", "o", 7)])(("l", "o", "w"))
        ('lo', 'w')
    """

    def __init__(self, merges: Iterable[Merge[S]]) -> None:
        """Note the rank of each pair.

        Args:
            merges: the merges in the order learned, each pair once.
        """
        self.ranks: dict[tuple[S, S], int] = {
            (left, right): rank for rank, (left, right, _) in enumerate(merges)
        }

    def rank_of(self, left: S, right: S) -> int | None:
        """Look up the rank of a pair.

        Args:
            left: the first symbol.
            right: the second symbol.

        Returns:
            The rank, or None for a pair that is no merge.
        """
        return self.ranks.get((left, right))

    def __call__(self, symbols: Sequence[S]) -> tuple[S, ...]:
        """Fuse what the merges fuse, in their order."""
        return fuse_by_rank(symbols, self.rank_of, in_order=True)


def symbols_of_ids(ids: Iterable[int], symbols: Sequence[S]) -> list[S]:
    """Look up the symbol of each id.

    Args:
        ids: numbers from 0 to the number of symbols less one.
        symbols: all symbols in the order of their ids.

    Returns:
        One symbol for each id.

    Raises:
        ValueError: an id does not exist, or ``ids`` is a single number.

    Examples:
        >>> symbols_of_ids([1, 0], ["low", "er"])
        ['er', 'low']
    """
    require_several("ids", ids)
    found: list[S] = []
    for number in ids:
        whole = isinstance(number, Integral) and not isinstance(number, bool)
        if not whole or not 0 <= number < len(symbols):
            raise ValueError(f"ids must be whole numbers from 0 to {len(symbols) - 1}, not {number!r}")
        found.append(symbols[number])
    return found


class WordBPE:
    """A tokenizer of words: characters, and a marker at each end.

    White space only parts words: decoding gives the words joined by single spaces. A character that the
    training text did not have can be cut into pieces but has no id.

    Source: Sennrich, Haddow and Birch (2016), section 3.2.

    Attributes:
        merges: the merges in the order learned.
        base: the characters of the training text and the marker, sorted when trained.
        marker: the one character that ends a word.
        vocabulary: the id of each symbol.

    Examples:
        >>> tokenizer = WordBPE.train("low low lower", rounds=3)
        >>> tokenizer.pieces("lower low")
        ['low', 'e', 'r', '_', 'low_']
        >>> tokenizer.decode(tokenizer.encode("lower low"))
        'lower low'
    """

    def __init__(self, merges: Iterable[Merge[str]], base: Iterable[str], marker: str = "_") -> None:
        """Make a tokenizer from merges that are already known.

        Args:
            merges: the merges in the order learned.
            base: the base alphabet: single characters, the marker among them.
            marker: one character that ends each word and that no text may hold.

        Raises:
            ValueError: the marker is not one character or not in the base; a symbol of the base is not one
                character or comes twice; a merge comes twice or uses a symbol that does not exist by then.
        """
        self.merges = list(merges)
        self.base = list(base)
        self.marker = marker
        for symbol in self.base:
            require_text("each symbol of base", symbol)
            if len(symbol) != 1:
                raise ValueError(f"base must hold single characters, not {symbol!r}")
        if marker not in self.base:
            raise ValueError(f"marker must be a character of base, not {marker!r}")
        self.vocabulary = vocabulary(self.base, self.merges)
        self._replay = Replay(self.merges)
        self._known = ChunkMemory(self._cut)

    @classmethod
    def train(cls, text: str, rounds: int, marker: str = "_", ties: str = "smallest") -> Self:
        """Learn a tokenizer from a text.

        Args:
            text: the training text, with at least one word.
            rounds: how many merges to learn at most.
            marker: one character that the text does not hold.
            ties: which pair wins among those of equal count: "smallest", "largest" or "oldest", as for
                ``learn_merges_by_heap``.

        Returns:
            The trained tokenizer.

        Raises:
            ValueError: the text has no word; the marker is not one character or occurs in the text;
                ``rounds`` is negative or no whole number; ``ties`` is unknown.
        """
        counts = word_counts(text)
        if not counts:
            raise ValueError(f"text must have at least one word, not {text!r}")
        if marker == "":
            raise ValueError("marker must be one character, not ''")
        spellings = spell_words(counts, marker)
        return cls(learn_merges_by_heap(spellings, rounds, ties), base_symbols(spellings), marker)

    def _cut(self, word: str) -> tuple[str, ...]:
        return self._replay(tuple(word + self.marker))

    def pieces(self, text: str) -> list[str]:
        """Cut a text into symbols; an unknown character stays alone.

        Args:
            text: any text without the marker.

        Returns:
            The symbols of all words in order.

        Raises:
            ValueError: the text is no ``str`` or a word holds the marker.
        """
        require_text("text", text)
        words = text.split()
        if self.marker in text:  # white space, as a marker, ends a word and stands in none
            require_marker(self.marker, words)
        known = self._known
        return [piece for word in words for piece in known[word]]

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids.

        Args:
            text: words spelled in characters of the base.

        Returns:
            One id for each piece; none for a text without words.

        Raises:
            ValueError: the text is no ``str``, holds the marker, or holds a character outside the base.
        """
        numbers = self.vocabulary
        try:
            return [numbers[piece] for piece in self.pieces(text)]
        except KeyError as error:
            unknown = error.args[0]
        raise ValueError(f"text must hold characters of the base alphabet only, not {unknown!r}")

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids into words joined by single spaces, without the marker.

        Args:
            ids: numbers from 0 to the size of the vocabulary less one; the last word may lack its marker.

        Returns:
            The text; a marker that ends no word gives nothing.

        Raises:
            ValueError: an id does not exist.
        """
        spelled = "".join(symbols_of_ids(ids, list(self.vocabulary)))
        return " ".join(word for word in spelled.split(self.marker) if word)


class ByteBPE:
    """Tokenize text spelled in UTF-8 bytes, so that every text has ids.

    The base is all 256 bytes, so decoding gives back exactly the text that was encoded, white space included.

    Source: Radford et al. (2019), section 2.2.

    Attributes:
        merges: the merges in the order learned.
        base: the 256 bytes objects of length one, in order of value.
        vocabulary: the id of each symbol; that of a single byte is its value.

    Examples:
        >>> tokenizer = ByteBPE.train("the cat on the mat", rounds=4)
        >>> tokenizer.pieces("the hat")
        [b'the', b' ', b'h', b'at']
        >>> tokenizer.decode(tokenizer.encode("η γάτα"))
        'η γάτα'
    """

    def __init__(self, merges: Iterable[Merge[bytes]]) -> None:
        """Make a tokenizer from merges that are already known.

        Args:
            merges: the merges in the order learned.

        Raises:
            ValueError: a merge comes twice or uses a symbol that does not exist by then.
        """
        self.merges = list(merges)
        self.base = [bytes([value]) for value in range(256)]
        self.vocabulary = vocabulary(self.base, self.merges)
        self._replay = Replay(self.merges)
        self._known = ChunkMemory(self._cut)

    @classmethod
    def train(cls, text: str, rounds: int, ties: str = "smallest") -> Self:
        """Learn a tokenizer from a text, cut by ``space_chunks``.

        Args:
            text: the training text, of at least one character.
            rounds: how many merges to learn at most.
            ties: which pair wins among those of equal count: "smallest", "largest" or "oldest", as for
                ``learn_merges_by_heap``.

        Returns:
            The trained tokenizer.

        Raises:
            ValueError: the text is empty or holds a lone surrogate; ``rounds`` is negative or no whole
                number; ``ties`` is unknown.
        """
        chunks = Counter(space_chunks(text))
        if not chunks:
            raise ValueError(f"text must have at least one character, not {text!r}")
        spellings = {spell_bytes(chunk): count for chunk, count in chunks.items()}
        return cls(learn_merges_by_heap(spellings, rounds, ties))

    def _cut(self, chunk: str) -> tuple[bytes, ...]:
        return self._replay(spell_bytes(chunk))

    def pieces(self, text: str) -> list[bytes]:
        """Cut a text into symbols.

        Args:
            text: any text that UTF-8 can write.

        Returns:
            The symbols of all chunks in order; joined they are the text's UTF-8 bytes.

        Raises:
            ValueError: the text is no ``str`` or holds a lone surrogate.
        """
        known = self._known
        return [piece for chunk in space_chunks(text) for piece in known[chunk]]

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids.

        Args:
            text: any text that UTF-8 can write.

        Returns:
            One id for each piece; none for the empty text.

        Raises:
            ValueError: the text is no ``str`` or holds a lone surrogate.
        """
        numbers = self.vocabulary
        return [numbers[piece] for piece in self.pieces(text)]

    def decode(self, ids: Iterable[int], errors: str = "strict") -> str:
        """Turn ids into text.

        Args:
            ids: numbers from 0 to the size of the vocabulary less one.
            errors: "strict" refuses bytes that are not UTF-8; "replace" puts U+FFFD in their place.

        Returns:
            The text.

        Raises:
            ValueError: an id does not exist; ``errors`` is unknown; it is "strict" and the bytes are not
                UTF-8.
        """
        if errors not in ("strict", "replace"):
            raise ValueError(f"errors must be 'strict' or 'replace', not {errors!r}")
        joined = b"".join(symbols_of_ids(ids, list(self.vocabulary)))
        try:
            return joined.decode("utf-8", errors)
        except UnicodeDecodeError:
            raise ValueError(f"ids must spell UTF-8 unless errors is 'replace', not {joined!r}") from None
