"""The glossary: exact in form, in step with the italics of the pages, and linked at the first use of a term.

The rule for pages (lessons, foundations, further, exercises):

- ``*term*`` in running text defines a term, so the glossary has it; stress and titles are written ``_so_``.
- The first use of a term in running text is part of a link, to the glossary or to a page that says more. None is
  needed where the page defines the term itself or the glossary sends its reader there.
- A link to the glossary stands at the first use only, and a term has one at most.

Running text is what a reader reads from top to bottom: no headings, tables, boxes, captions, code or formulas, and
nothing from the closing sections on. It is left free of links to the glossary everywhere else.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from coursebuild import formulas
from coursebuild.prose import GIVEN, REFERENCE, without_comments
from coursebuild.source import code_spans, read

from .conftest import ROOT

pytestmark = pytest.mark.once

DOCS = ROOT / "docs"
GLOSSARY = DOCS / "reference" / "glossary.md"
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for folder in ("lessons", "foundations", "further", "exercises")
    for path in (DOCS / folder).glob("*.md")
)
CLOSING = {"What to carry away", "Exercises", "Sources", "Interview questions"}
EVERYDAY = {
    *("bit", "context", "encoding-of-text", "head", "key", "loss", "merge", "norm-of-a-layer", "order"),
    *("query", "transformer-block", "value"),
}
"""Terms that are everyday words too: a link at their first use as a term is left to the author."""

PROPER = {"Transformers"}
"""Names that only their capitals tell from a term: the library of Hugging Face."""

OTHER = {"Annotated Transformer", "negative sampling", "normal distribution"}
"""Names of other things that have a term within them."""

ENTRY = re.compile(
    r"^(?P<term>\S.*?) \{ #(?P<anchor>[\w-]+) \}\n:   (?P<text>.+(?:\n    .+)*)\n", re.MULTILINE
)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<address>[^()\s]+)(?:\s+\"[^\"]*\")?\)")
ITALIC = re.compile(r"(?<![*\w\\])\*(?![*\s])(?P<text>(?:[^*\n]|\n(?!\n))+?)(?<![\s*])\*(?![*\w])")
POINTER = re.compile(r"See \[(?P<label>[^\]]+)\]\(#(?P<goal>[\w-]+)\)\.")
BOX = re.compile(r"^(?:!!!|\?\?\?)")


@dataclass(frozen=True)
class Entry:
    """A term of the glossary. ``target`` is the anchor of the entry that a mere pointer names, or empty."""

    term: str
    anchor: str
    text: str

    @property
    def target(self) -> str:
        found = POINTER.fullmatch(self.text)
        return found["goal"] if found else ""

    @property
    def home(self) -> str:
        """The page that explains the term, from docs/."""
        links = [link["address"] for link in LINK.finditer(self.text) if not link["address"].startswith("#")]
        return links[-1].partition("#")[0].removeprefix("../") if links else ""

    @property
    def names(self) -> list[str]:
        """What the term is called: its own name, without what stands in brackets, then those in italics."""
        return [re.sub(r" \(.*\)$", "", self.term), *(match["text"] for match in ITALIC.finditer(self.text))]


def parsed(text: str) -> list[Entry]:
    return [
        Entry(match["term"], match["anchor"], " ".join(match["text"].split()))
        for match in ENTRY.finditer(text)
    ]


@functools.cache
def entries() -> tuple[Entry, ...]:
    return tuple(parsed(GLOSSARY.read_text(encoding="utf-8")))


def terms() -> list[Entry]:
    return [entry for entry in entries() if not entry.target]


def plain(name: str) -> str:
    """A name as it is compared: one spelling for hyphens, breaks and capitals."""
    return re.sub(r"[\s-]+", " ", name.replace("’", "'")).strip().casefold()


@functools.cache
def by_name() -> dict[str, list[Entry]]:
    """The terms that a name may mean: more than one for the chain rule."""
    found: dict[str, list[Entry]] = {}
    for entry in terms():
        for name in entry.names:
            found.setdefault(plain(name), []).append(entry)
    return found


def meant(name: str) -> list[Entry]:
    """The terms that a name means, also in the plural; none if it is no name."""
    words = plain(name)
    singular = [words, words.removesuffix("s"), words.removesuffix("es"), re.sub("ies$", "y", words)]
    return next((by_name()[form] for form in singular if form in by_name()), [])


def form(name: str) -> str:
    """How text may write a name."""
    stem = r"(?:-|\s+)".join(re.escape(word) for word in re.split(r"[\s-]", name)).replace("'", "['’]")
    if stem.endswith("y"):
        return stem[:-1] + r"(?:y|ies)"
    return stem + (r"(?:es)?" if stem.endswith(("s", "x", "ch", "sh")) else r"s?")


def whole(*names: str) -> re.Pattern[str]:
    """Any of the names as whole words, not parts of hyphenated ones; longer ones first."""
    forms = map(form, sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])", re.IGNORECASE)


@functools.cache
def any_name() -> re.Pattern[str]:
    return whole(*{name for entry in terms() for name in entry.names}, *OTHER)


def blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"\S", " ", text[start:end]) + text[end:]


def cleaned(text: str) -> str:
    """A line without code, formulas and quoted figures, its columns kept."""
    for start, end, _ in [*formulas.spans(text), *code_spans(text)]:
        text = blank(text, start, end)
    for pattern in (REFERENCE, GIVEN):
        for match in list(pattern.finditer(text)):
            text = blank(text, *match.span())
    return text


def running(page: str) -> str:
    """The running text of a page's Markdown, line by line, with a blank line for what is none."""
    shown: list[str] = []
    inside = False
    for line in without_comments(read(page).prose):
        text = line.text
        if text.startswith("## ") and text[3:].strip() in CLOSING:
            break
        if BOX.match(text):
            inside = True
        elif text.strip() and not text.startswith("    "):
            inside = False
        aside = inside or text.startswith(("#", "|", "<", "!["))
        shown.append("" if aside else cleaned(text))
    return "\n".join(shown)


@dataclass(frozen=True)
class Use:
    """A name of a term in running text, and the address of the link that it is part of, or nothing."""

    name: str
    entries: tuple[Entry, ...]
    address: str


def uses(text: str) -> Iterator[Use]:
    links = list(LINK.finditer(text))
    hidden = text
    for link in links:
        hidden = blank(hidden, link.end("text"), link.end())
    for match in any_name().finditer(hidden):
        if match[0] in PROPER or not meant(match[0]):
            continue
        around = [link["address"] for link in links if link.start() <= match.start() < link.end("text")]
        yield Use(match[0], tuple(meant(match[0])), around[0] if around else "")


def defined(text: str) -> list[str]:
    """What the italics of a running text say: its definitions."""
    return [" ".join(match["text"].split()) for match in ITALIC.finditer(text)]


def leads_to_glossary(address: str) -> bool:
    return address.partition("#")[0].endswith("reference/glossary.md")


def faults(path: str, page: str) -> list[str]:
    """What is against the rule on a page (its path from docs/, its Markdown)."""
    text = running(page)
    own = {entry.anchor for name in defined(text) for entry in meant(name)}
    own |= {entry.anchor for entry in terms() if entry.home == path}
    said = [
        f"*{name}* is no term of the glossary: add it there, or write _{name}_ if it is stress or a title"
        for name in defined(text)
        if not meant(name)
    ]
    met: dict[str, Use] = {}
    linked: set[str] = set()
    for use in uses(text):
        anchors = {entry.anchor for entry in use.entries}
        key = min(anchors)
        if leads_to_glossary(use.address):
            goal = use.address.partition("#")[2]
            if goal not in anchors:
                said.append(f"{use.name!r} links to #{goal}, which is another term")
            elif anchors & own:
                said.append(f"{use.name!r} links to the glossary, but the page explains it itself")
            elif goal in linked:
                said.append(f"{use.name!r} links to the glossary once more")
            elif key in met and not anchors & EVERYDAY:
                said.append(f"{use.name!r} links to the glossary, but not at its first use")
            linked.add(goal)
        elif key not in met and not use.address and not anchors & (own | EVERYDAY):
            said.append(f"the first {use.name!r} is no link: [{use.name}](../reference/glossary.md#{key})")
        met.setdefault(key, use)
    inside = [link["address"] for link in LINK.finditer(text) if leads_to_glossary(link["address"])]
    missed = [address.partition("#")[2] for address in inside]
    said += [
        f"a link to #{goal} has no name of that term in its text" for goal in missed if goal not in linked
    ]
    everywhere = len(re.findall(r"\]\([^()\s]*reference/glossary\.md#", page))
    if everywhere > len(inside):
        said.append("a link to a term of the glossary outside the running text, or within other markup")
    return said


def test_the_terms_are_in_order_and_their_anchors_are_stable_and_their_own() -> None:
    found = [entry.term for entry in entries()]
    assert 90 <= len(terms()) <= 150
    assert found == sorted(found, key=str.casefold)
    assert len({entry.anchor for entry in entries()}) == len(found)
    for entry in entries():
        letters = entry.term.casefold().replace("'", "")
        assert entry.anchor == re.sub(r"[^a-z0-9]+", "-", letters).strip("-")


def test_every_line_of_the_glossary_is_part_of_an_entry_or_of_its_frame() -> None:
    rest = ENTRY.sub("", GLOSSARY.read_text(encoding="utf-8")).split("# Glossary\n", 1)[1]
    lines = [line for line in rest.split("\n") if line]
    letters = sorted({entry.term[0].upper() for entry in entries()})
    index = " · ".join(f"[{letter}](#letter-{letter.lower()})" for letter in letters)
    assert [line for line in lines if line.startswith("[A]")] == [index]
    assert [line for line in lines if line.startswith("#")] == [
        f"## {letter} {{ #letter-{letter.lower()} }}" for letter in letters
    ]
    assert len(lines) == 2 + 1 + 1 + len(letters)


def test_each_term_stands_under_its_letter() -> None:
    parts = re.split(r"^## (\w) .*$", GLOSSARY.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for letter, part in zip(parts[::2], parts[1::2], strict=True):
        assert {entry.term[0].upper() for entry in parsed(part.lstrip("\n"))} == {letter}


@pytest.mark.parametrize("entry", [entry for entry in entries() if not entry.target], ids=lambda e: e.anchor)
def test_a_definition_is_one_sentence_that_ends_with_the_page_that_explains_the_term(entry: Entry) -> None:
    assert re.search(r" \(\[[^\]]+\]\(\.\./[\w/-]+\.md(?:#[\w.-]+)?\)\)\.$", entry.text), entry.text
    read_aloud = cleaned(LINK.sub(lambda link: link["text"], entry.text))
    assert re.findall(r"[.!?]", read_aloud) == ["."], "one sentence"
    assert read_aloud[0].isupper()
    home = DOCS / entry.home
    assert home.is_file(), f"{entry.home} does not exist"
    text = "\n".join(line.text for line in read(home.read_text(encoding="utf-8")).prose)
    assert whole(*entry.names).search(text), f"{entry.home} never says {entry.term!r}"


def test_a_name_means_one_term_unless_both_entries_say_which() -> None:
    for name, found in by_name().items():
        if len(found) > 1:
            assert all(" (" in entry.term for entry in found), name


def test_a_pointer_leads_to_the_entry_that_has_its_name() -> None:
    known = {entry.anchor: entry for entry in terms()}
    for entry in entries():
        if entry.target:
            assert plain(entry.term) in map(plain, known[entry.target].names), entry.term
            assert entry.anchor not in known


def test_a_pointer_writes_the_term_as_running_text_does() -> None:
    """Lower case within a sentence, unless the term has capitals of its own, such as SiLU."""
    known = {entry.anchor: entry.term for entry in terms()}
    names = {"kullback-leibler-divergence"}
    for entry in entries():
        found = POINTER.fullmatch(entry.text)
        if found:
            term = known[found["goal"]]
            own = found["goal"] in names or re.search(r"[A-Z]", term[1:])
            assert found["label"] == (term if own else term[0].lower() + term[1:])


def test_everyday_words_are_terms() -> None:
    assert {entry.anchor for entry in terms()} >= EVERYDAY


@pytest.mark.parametrize("path", PAGES)
def test_terms_are_defined_in_the_glossary_and_linked_at_first_use_only(path: str) -> None:
    assert faults(path, Path(DOCS / path).read_text(encoding="utf-8")) == []


TO = "../reference/glossary.md"
SAMPLE = f"""---
title: "Token"
description: "Logits."
---

# A token

A [token]({TO}#token) and `logits` of $z$, with [[19.1.logit]] beside it, give *perplexity*.
The [logit of
a token](19-decoding.md) matters, and _so_ does order.

| logits | softmax |
| --- | --- |
| entropy | entropy |

!!! note "Softmax"

    A bigram.

## Sources

The entropy of *a title*.
"""


def test_a_page_by_the_rule_is_taken() -> None:
    assert faults("further/sample.md", SAMPLE) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (f"A [token]({TO}#token)", "A token", "the first 'token' is no link"),
        (f"A [token]({TO}#token)", f"A token, a [token]({TO}#token)", "not at its first use"),
        ("matters", f"matters to a [token]({TO}#token)", "once more"),
        ("matters", f"matters to [perplexity]({TO}#perplexity)", "the page explains it itself"),
        (f"A [token]({TO}#token)", f"A [token]({TO}#logit)", "another term"),
        (f"A [token]({TO}#token)", f"A token, [this]({TO}#token)", "no name of that term"),
        ("matters", "matters, and entropies", "the first 'entropies' is no link"),
        ("matters", "matters for a repetition\npenalty", "the first 'repetition\\npenalty' is no link"),
        ("matters", "*matters*", "*matters* is no term of the glossary"),
        ("# A token", f"# A [token]({TO}#token)", "outside the running text"),
        ("| entropy |", f"| [entropy]({TO}#entropy) |", "outside the running text"),
        ("    A bigram", f"    A [bigram]({TO}#bigram)", "outside the running text"),
        ("The entropy", f"The [entropy]({TO}#entropy)", "outside the running text"),
    ],
)
def test_a_page_against_the_rule_is_refused(before: str, after: str, said: str) -> None:
    assert before in SAMPLE
    found = faults("further/sample.md", SAMPLE.replace(before, after, 1))
    assert any(said in fault for fault in found), found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A log-softmax and an n-gram model", ["log-softmax", "n-gram model"]),
        ("vocabularies, byte pair\nencoding, top-ps", ["vocabularies", "byte pair\nencoding", "top-ps"]),
        ("a 16-token prompt, token-wise, detokenizer, bites", []),
        ("In Transformers a transformer", ["transformer"]),
        ("a normal distribution, a distribution", ["distribution"]),
    ],
)
def test_whole_names_are_found_the_longest_first(text: str, names: list[str]) -> None:
    assert [use.name for use in uses(text)] == names


@pytest.mark.parametrize("path", ["foundations/derivatives.md"])
def test_a_page_that_explains_a_term_needs_no_link_to_it(path: str) -> None:
    own = [entry for entry in terms() if entry.home == path]
    assert own
    text = "# Page\n\n" + "\n\n".join(entry.names[0] for entry in own)
    assert not [fault for fault in faults(path, text) if "is no link" in fault]
