"""A test of the second lane that is named in the first says what it needs, and imports no library that is not there."""

import os
import subprocess
import sys

import pytest

from coursebuild.lanes import REAL

from .conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.once]


@pytest.mark.parametrize("named", ["tests/real/test_decoding.py", "tests/real/test_decoding.py::test_any"])
def test_a_file_of_the_second_lane_is_skipped_with_its_reason(named: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", named],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != REAL},
        capture_output=True,
        text=True,
    )
    assert "1 skipped" in done.stdout
    assert "it needs the real libraries: make real runs it, with COURSE_REAL=1" in done.stdout
    assert "Error" not in done.stdout
    assert done.returncode != 0  # nothing was tested
