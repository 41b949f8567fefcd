"""What the build asks of a module of an instrument, and what it is told of a state that is refused."""

import io
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from coursebuild.instruments import NAMES, making, sampler_lab
from coursebuild.instruments.making import forget, made, module_of
from coursebuild.instruments.parameters import State, Whole

COUNT = Whole(name="count", label="Count", start=2, least=0, most=9)


def data() -> dict[str, Any]:
    return {"words": "é </script>"}


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    if state["count"] > 5:
        raise ValueError("count is more than there are")
    return {"twice": 2 * state["count"]}


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    return f"<p>{data['words']}: {state['count']}, twice {view['twice']}</p>"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A small instrument, known by the name small-one."""
    module = SimpleNamespace(
        TITLE="Small one",
        SHOWS=("nextword.softmax.softmax",),
        PARAMETERS=(COUNT,),
        data=data,
        view=view,
        picture=picture,
    )
    monkeypatch.setitem(sys.modules, "coursebuild.instruments.small_one", module)  # type: ignore[arg-type]
    return module


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_found_by_the_name_that_pages_use(name: str) -> None:
    found = module_of(name)
    assert vars(found)["__name__"] == f"coursebuild.instruments.{name.replace('-', '_')}"
    assert found.TITLE.lower() == name.replace("-", " ").replace("next word", "next-word")


def test_a_page_shows_the_picture_and_keeps_what_the_script_needs(small: SimpleNamespace) -> None:
    assert made("small-one", "count=3") == {
        "title": "Small one",
        "shows": ("nextword.softmax.softmax",),
        # no white space, letters as they are, and nothing that ends a script element
        "kept": (
            r'{"data":{"words":"é \u003c/script>"},'
            '"parameters":[{"kind":"whole","name":"count","label":"Count","start":2,"least":0,"most":9}],'
            '"state":{"count":3}}'
        ),
        "picture": "<p>é </script>: 3, twice 6</p>",
    }


def test_a_start_that_names_nothing_is_the_instruments_own(small: SimpleNamespace) -> None:
    assert json.loads(made("small-one", "")["kept"])["state"] == {"count": 2}


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ("count=10", "count must be a whole number from 0 to 9, not “10”"),
        ("count=6", "count is more than there are"),
        ("mass=6", "“mass” is no parameter; there are count"),
    ],
)
def test_a_start_that_is_refused_is_told_instead(small: SimpleNamespace, start: str, problem: str) -> None:
    assert made("small-one", start) == {
        "title": "Small one",
        "shows": ("nextword.softmax.softmax",),
        "problem": problem,
    }


def test_what_no_script_can_read_is_not_kept(small: SimpleNamespace) -> None:
    small.data = lambda: {"words": "", "share": float("nan")}
    with pytest.raises(ValueError, match="not JSON compliant"):
        made("small-one", "")


def test_of_a_real_instrument_it_keeps_the_same_as_the_module_says() -> None:
    kept = json.loads(made("sampler-lab", "top_k=3")["kept"])
    assert kept["data"] == json.loads(json.dumps(sampler_lab.data()))
    assert kept["state"]["top_k"] == 3
    assert [one["name"] for one in kept["parameters"]] == list(kept["state"])


class TestForgetting:
    """A module of the project is imported again for each instrument, so that its files are read again."""

    @pytest.fixture
    def known(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        def put(name: str, file: str | None, parent: str = "") -> None:
            module = ModuleType(name)
            if file:  # a module that is built in has none
                module.__file__ = file
            monkeypatch.setitem(sys.modules, name, module)
            if parent:
                setattr(sys.modules[parent], name.rpartition(".")[2], module)

        put("own_old", "/project/src/own_old/__init__.py")
        put("own_old.deep", "/project/src/own_old/deep/__init__.py", "own_old")
        before = set(sys.modules)
        put("own", "/project/src/own/__init__.py")
        put("own.part", "/project/src/own/part.py", "own")
        put("own_old.new", "/project/src/own_old/new.py", "own_old")
        put("own_old.deep.new", "/project/src/own_old/deep/new.py", "own_old.deep")
        put("pressed", "/press/pressed.py")
        put("foreign", "/packages/foreign.py")
        put("foreign.built_in", None)
        put("lost.part", "/project/lost.py")  # its package is not there any more
        return before

    def test_only_new_modules_of_the_folders_are_forgotten(self, known: set[str]) -> None:
        parents = [sys.modules["own_old"], sys.modules["own_old.deep"]]
        forget(known, ("/project", "/press"))
        left = {"own", "own.part", "own_old", "own_old.new", "pressed", "foreign", "foreign.built_in"}
        assert {name for name in left if name in sys.modules} == {"own_old", "foreign", "foreign.built_in"}
        assert "lost.part" not in sys.modules
        assert "own_old.deep.new" not in sys.modules
        for parent in parents:
            assert not hasattr(parent, "new"), "else “from own_old import new” would still find it"

    def test_a_module_that_was_known_stays(self, known: set[str]) -> None:
        forget(known | {"own", "own.part"}, ("/project",))
        assert "own.part" in sys.modules and vars(sys.modules["own"])["part"] is sys.modules["own.part"]
        assert "own_old.new" not in sys.modules


class FakeReads:
    """Notes what is asked of it. Real ones watch this process until it ends."""

    def __init__(self, *given: Any) -> None:
        self.given = given
        self.found: dict[str, str] = {}
        self.is_whole = True
        self.done: list[object] = []
        small = sys.modules["coursebuild.instruments.small_one"]
        small.reads = self  # type: ignore[attr-defined]

    def note(self, file: str | None) -> None:
        if file == making.__file__:
            self.found["making.py"] = "1"

    def watch(self) -> None:
        self.done.append("watch")


class TestAnswers:
    """The program that the build starts: what it is asked comes in as JSON, the answers go out."""

    JOB: dict[str, Any] = {
        "asked": [["small-one", "count=1"], ["small-one", "count=7"]],
        "source": "/project/src",
        "project": "/project",
        "press_source": "/press/src",
        "press": "/press",
        "apart": ["/project/.venv"],
    }

    def answers(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], job: dict[str, Any]
    ) -> tuple[FakeReads, list[dict[str, Any]]]:
        def afresh(folder: str, reads: FakeReads) -> None:
            sys.path_importer_cache["/stale"] = None
            reads.done.append(folder)

        forgotten: list[Any] = []

        def forget(known: set[str], folders: tuple[str, ...]) -> None:
            forgotten.append((known == set(sys.modules), folders))

        monkeypatch.setattr(making, "Reads", FakeReads)
        monkeypatch.setattr(making, "import_afresh", afresh)
        monkeypatch.setattr(making, "forget", forget)
        monkeypatch.setattr(sys, "path_importer_cache", {"/stale": None})
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(job)))
        making.main()
        assert "/stale" not in sys.path_importer_cache, "what was found in folders before is looked up again"
        assert forgotten == [(True, ("/press", "/project"))] * len(job["asked"])
        reads: FakeReads = sys.modules["coursebuild.instruments.small_one"].reads  # type: ignore[attr-defined]
        return reads, json.loads(capsys.readouterr().out)

    def test_each_has_what_it_read_and_what_all_did(
        self, small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = iter(["first", "second"])

        def reading() -> dict[str, Any]:
            small.reads.found[next(files)] = "2"
            return data()

        wanted = json.loads(json.dumps(made("small-one", "count=1")))
        small.data = reading
        reads, answers = self.answers(monkeypatch, capsys, self.JOB)
        assert reads.given == ("/project", ["/project/.venv"], "/press")
        assert reads.done == ["/press/src", "/project/src", "watch"]
        assert answers == [
            wanted | {"read": {"making.py": "1", "first": "2"}},
            {
                "title": "Small one",
                "shows": ["nextword.softmax.softmax"],
                "problem": "count is more than there are",
                "read": {"making.py": "1", "second": "2"},
            },
        ]

    def test_the_presss_own_project_is_taken_afresh_once(
        self, small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        job = self.JOB | {"source": "/press/src"}
        reads, _ = self.answers(monkeypatch, capsys, job)
        assert reads.done == ["/press/src", "watch"]

    def test_where_not_all_was_seen_nothing_is_said_of_what_was_read(
        self, small: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def start_process(self: FakeReads) -> None:
            self.is_whole = False

        monkeypatch.setattr(FakeReads, "watch", start_process)
        _, answers = self.answers(monkeypatch, capsys, self.JOB)
        assert [answer["read"] for answer in answers] == [None, None]
