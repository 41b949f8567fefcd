"""Instruments as pages ask for them: what is wrong with a block, what is computed, and what is told where it fails."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from coursebuild import instruments
from coursebuild.cache import Cache
from coursebuild.faults import Problem
from coursebuild.instruments import (
    NAMES,
    Asked,
    Made,
    NotComputed,
    asked,
    computed,
    is_instrument,
    make,
    problems,
    script_of,
)
from coursebuild.runner import SOURCE, Surroundings, environment
from coursebuild.source import Fence

WHOLE = (("use", "sampler-lab"), ("panel", "1.1"))


def fence(
    options: tuple[tuple[str, str], ...] = WHOLE, body: str = "How warm?\n", language: str = "instrument"
) -> Fence:
    return Fence(7, language, options, body)


class TestBlocks:
    @pytest.mark.parametrize("name", NAMES)
    def test_a_block_with_a_name_a_panel_and_a_caption_is_an_instrument(self, name: str) -> None:
        written = fence((("use", name), ("panel", "1.1")))
        assert list(problems(written)) == []
        assert is_instrument(written)
        assert asked(written) == Asked(name, "")

    def test_it_may_begin_otherwise(self) -> None:
        written = fence((*WHOLE, ("start", "top_k=3")))
        assert is_instrument(written)
        assert asked(written) == Asked("sampler-lab", "top_k=3")

    def test_a_block_of_another_language_is_none(self) -> None:
        assert not is_instrument(fence(language="python"))

    @pytest.mark.parametrize(
        ("options", "body", "kind", "message"),
        [
            *(
                (
                    options,
                    "How warm?",
                    "instrument-malformed",
                    'an instrument is ```instrument use="name" panel="17.1", and start="name=value" where it begins '
                    "otherwise",
                )
                for options in (
                    (),
                    WHOLE[:1],
                    WHOLE[1:],
                    (*WHOLE, ("colour", "red")),
                    (("start", "top_k=3"), WHOLE[0]),
                )
            ),
            (
                (("use", "theremin"), WHOLE[1]),
                "How warm?",
                "instrument-unknown",
                "there is no instrument 'theremin'; there are bpe-stepper, token-inspector, next-word-explorer, "
                "sampler-lab, attention-viewer, block-stepper",
            ),
            *(
                (
                    WHOLE,
                    body,
                    "instrument-caption-missing",
                    "an instrument needs a caption: the text of its block",
                )
                for body in ("", " \n")
            ),
        ],
    )
    def test_what_is_wrong_is_told_with_its_kind(
        self, options: tuple[tuple[str, str], ...], body: str, kind: str, message: str
    ) -> None:
        written = fence(options, body)
        [problem] = problems(written)
        assert (problem.kind, str(problem)) == (kind, message)
        assert not is_instrument(written)

    def test_what_markdown_would_not_take_is_told_first(self) -> None:
        wrong = Problem("fence-malformed", "its options are not closed")
        written = Fence(7, "instrument", (), "", wrong)
        assert list(problems(written)) == [wrong]
        assert not is_instrument(written)


ONE, OTHER = Asked("sampler-lab"), Asked("sampler-lab", "top_k=3")


class TestMaking:
    """What was computed before is kept, as long as the files that it read are the same."""

    @pytest.fixture
    def runs(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[Asked], Surroundings]]:
        found: list[tuple[list[Asked], Surroundings]] = []

        def compute(asked: list[Asked], around: Surroundings) -> list[dict[str, Any]]:
            found.append((asked, around))
            return [
                {
                    "title": f"Lab of {one.start}",
                    "shows": ["softmax"],
                    "kept": "{}",
                    "picture": "<p>",
                    "read": {"read.txt": "?"} if one == OTHER else {},
                }
                for one in asked
            ]

        monkeypatch.setattr(instruments, "computed", compute)
        return found

    def test_each_is_computed_once_by_what_pages_ask(
        self, runs: list[tuple[list[Asked], Surroundings]]
    ) -> None:
        around = Surroundings(days=3)
        assert make([OTHER, ONE, OTHER], around) == {
            OTHER: Made("Lab of top_k=3", ("softmax",), "{}", "<p>"),
            ONE: Made("Lab of ", ("softmax",), "{}", "<p>"),
        }
        assert runs == [([OTHER, ONE], around)]

    def test_without_a_cache_all_is_computed_again(
        self, runs: list[tuple[list[Asked], Surroundings]]
    ) -> None:
        assert make([ONE], Surroundings()) == make([ONE], Surroundings())
        assert len(runs) == 2

    def test_only_what_is_not_kept_is_computed(
        self, runs: list[tuple[list[Asked], Surroundings]], tmp_path: Path
    ) -> None:
        cache, around = Cache(tmp_path, None), Surroundings()
        first = make([ONE], around, cache)
        # OTHER is not kept: a file that it read is not as it was
        assert make([OTHER, ONE], around, cache) == make([OTHER, ONE], around, cache)
        assert make([ONE], around, cache) == first
        assert [given for given, _ in runs] == [[ONE], [OTHER], [OTHER], []]
        assert (cache.served, cache.missed) == (3, 3)

    @pytest.mark.parametrize(
        ("around", "wanted"),
        [
            (Surroundings(days=1), ONE),
            (Surroundings(), Asked("block-stepper")),
            (Surroundings(), Asked(ONE.name, "seed=1")),
        ],
    )
    def test_what_is_kept_is_kept_for_one_start_in_one_surrounding(
        self,
        runs: list[tuple[list[Asked], Surroundings]],
        tmp_path: Path,
        around: Surroundings,
        wanted: Asked,
    ) -> None:
        cache = Cache(tmp_path, None)
        make([ONE], Surroundings(), cache)
        make([wanted], around, cache)
        assert [given for given, _ in runs] == [[ONE], [wanted]]

    def test_no_panels_run_is_taken_for_an_instruments(
        self, runs: list[tuple[list[Asked], Surroundings]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        kinds = []
        monkeypatch.setattr(instruments, "key", lambda *given: kinds.append(given) or str(given))
        make([ONE], Surroundings(), Cache(tmp_path, None))
        assert [kind for kind, *_ in kinds] == ["instrument"]

    def test_an_answer_for_each_is_needed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(instruments, "computed", lambda *_: [])
        with pytest.raises(ValueError, match="zip"):
            make([ONE], Surroundings())


def test_what_is_not_told_of_an_instrument_is_empty() -> None:
    assert Made() == Made(title="", shows=(), kept="", picture="", problem="")
    with pytest.raises(AttributeError):
        Made().title = "Lab"  # type: ignore[misc]


class TestComputing:
    """An interpreter of its own, which takes nothing from the caller's surroundings."""

    @pytest.fixture
    def started(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        noted: dict[str, Any] = {"ends": subprocess.CompletedProcess([], 0, '[{"title": "Lab"}]', "")}

        def run(arguments: Sequence[str], **options: Any) -> Any:
            noted.update(options, arguments=list(arguments))
            if isinstance(noted["ends"], Exception):
                raise noted["ends"]
            return noted["ends"]

        monkeypatch.setattr(subprocess, "run", run)
        return noted

    def test_its_interpreter_is_isolated_and_runs_the_presss_own_making(
        self, started: dict[str, Any]
    ) -> None:
        around = Surroundings(seconds=9, timezone="Asia/Tokyo")
        assert computed([ONE, OTHER], around) == [{"title": "Lab"}]
        interpreter, *options, program = started["arguments"]
        assert (interpreter, options) == (sys.executable, ["-I", "-B", "-X", "utf8", "-c"])
        assert program == (
            f"import sys\nsys.path.insert(0, {str(SOURCE)!r})\n"
            "from coursebuild.instruments.making import main\nmain()"
        )
        assert started["env"] == environment(around)
        assert [started[name] for name in ("timeout", "encoding", "capture_output", "check")] == [
            9,
            "utf-8",
            True,
            False,
        ]

    def test_it_is_told_what_is_asked_and_which_files_count(
        self, started: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "prefix", "/course/.venv")
        monkeypatch.setattr(sys, "path", ["/course/src", "/venv/site-packages", "/python/lib"])
        (tmp_path / "src").mkdir()
        computed([ONE, OTHER], Surroundings(source=tmp_path / "docs" / ".." / "src"))
        assert json.loads(started["input"]) == {
            "asked": [["sampler-lab", ""], ["sampler-lab", "top_k=3"]],
            "source": str(tmp_path / "src"),
            "project": str(tmp_path),
            "press_source": str(SOURCE),
            "press": str(SOURCE.parent),
            "apart": ["/course/.venv", "/venv/site-packages"],
        }

    def test_nothing_is_started_for_a_site_without_instruments(self, started: dict[str, Any]) -> None:
        assert computed([], Surroundings()) == []
        assert "arguments" not in started

    @pytest.mark.parametrize(
        ("status", "printed", "told"),
        [
            (1, "Traceback\nNameError: draw\n", "Traceback\nNameError: draw"),
            (0, "a warning", "a warning"),
            (-9, "", "it ended with status -9"),
            (1, "x" * 10 + "y" * 2000, "y" * 2000),  # the end says what happened
        ],
    )
    def test_a_failure_is_told_by_what_it_wrote(
        self, started: dict[str, Any], status: int, printed: str, told: str
    ) -> None:
        started["ends"] = subprocess.CompletedProcess([], status, "[]", printed)
        with pytest.raises(NotComputed) as caught:
            computed([ONE], Surroundings())
        assert str(caught.value) == told

    def test_a_run_that_takes_too_long_is_told(self, started: dict[str, Any]) -> None:
        started["ends"] = subprocess.TimeoutExpired("python", 2.5)
        with pytest.raises(NotComputed, match=r"^the instruments were still computed after 2\.5 s$"):
            computed([ONE], Surroundings(seconds=2.5))


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_script_where_a_page_looks_for_it(name: str) -> None:
    script = script_of(name)
    assert script.is_file()
    assert (
        script.relative_to(SOURCE)
        == Path("coursebuild") / "live" / "instruments" / f"{name.replace('-', '_')}.js"
    )
