# SPDX-License-Identifier: LGPL-2.1-or-later
"""A few kills at random, with the encoder that users have: nothing is lost, and the bytes are the same."""

import os
import pathlib
import random
import subprocess
import sys

import pytest

from conftest import make_video

pytest.importorskip("ray")
pytestmark = pytest.mark.slow


def test_kills(tmp_path):
    if subprocess.run(["gst-inspect-1.0", "j2kenc"], capture_output=True).returncode:
        pytest.skip("no j2kenc in GST_PLUGIN_PATH")
    archive = tmp_path / "archive"
    archive.mkdir()
    for number in range(4):
        make_video(archive / f"{number}.mkv", frames=30 + number, group=6, size=(96, 64))
    seed = os.environ.get("COALESCE_TEST_SEED") or str(random.randrange(1 << 31))
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("kills.py")), str(archive), "--kills",
                           "5", "--seed", seed], capture_output=True, text=True)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr}"
    assert "5 kills" in done.stdout and "all outputs the same" in done.stdout
