"""The build of a site knows no MkDocs, so that another builder can drive it."""

import subprocess
import sys

import pytest

WITHOUT_MKDOCS = """
import importlib.abc, sys

class Refused(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("mkdocs", "material", "mkdocs_jupyter"):
            raise ImportError(f"{name} is not to be imported")

sys.meta_path.insert(0, Refused())
"""


@pytest.mark.once
def test_the_builder_and_the_markdown_extension_need_no_mkdocs() -> None:
    program = WITHOUT_MKDOCS + "import coursebuild.builder, coursebuild.extension"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
