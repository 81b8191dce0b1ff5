# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements that remember pictures, and the versions that made an item."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from media import about, gstreamer, make, need, run, uncut
from test_join import read

pytestmark = gstreamer


@pytest.mark.parametrize("pipeline, element", [
    ("openjpegenc", None), ("videoconvert ! ( queue ! videoscale ) ! video/x-raw,width=64 ! openjpegenc", None),
    ("deinterlace ! openjpegenc", "deinterlace"), ("( videoconvert ! videorate ) ! openjpegenc", "videorate")])
def test_elements_that_remember(pipeline, element):
    assert about(pipeline)["done"]["remembers"] == element


def test_elements_of_this_project_that_remember():
    need("j2kenc", "oilpaint")
    for pipeline, element in (("oilpaint ! median ! j2kenc", None), ("oilpaint temporal=true ! j2kenc", "oilpaint"),
                              ("coalescedeinterlace ! j2kenc", "coalescedeinterlace")):
        assert about(pipeline)["done"]["remembers"] == element


def test_an_item_is_not_cut_where_an_element_remembers(tmp_path):
    need("coalescedeinterlace", "j2kenc")
    pipeline = "coalescedeinterlace method=yadif ! j2kenc"
    path = make(tmp_path / "a.mxf", "mpeg2video", 12, options={"g": "4", "bf": "0"}, interlaced=True)
    done = subprocess.run([sys.executable, "-m", "coalesce_fleet", "encode", path, "--to", str(tmp_path / "out"),
                           "--pipeline", pipeline, "--segment-frames", "4", "--engine", "processes", "--json"],
                          stdout=subprocess.PIPE, text=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, events
    [planned] = [event for event in events if event["event"] == "planned"]
    [note] = [event for event in events if event["event"] == "note"]
    assert planned["segments"] == 1 and note["about"] == "whole" and "coalescedeinterlace" in note["text"]
    pictures = read(tmp_path / "out" / "a.mxf")[0]
    assert len(pictures) == 12 and b"".join(pictures) == uncut(path, pipeline)


@pytest.mark.slow
def test_builds_are_told_apart(tmp_path, monkeypatch):
    need("j2kenc")
    found = subprocess.run(["gst-inspect-1.0", "j2kenc"], capture_output=True, text=True).stdout
    plugin = pathlib.Path(next(line.split()[1] for line in found.splitlines() if line.strip().startswith("Filename")))
    made_by = about("j2kenc")["done"]["made_by"]
    assert "coalesce 0" in made_by and "GStreamer 1" in made_by
    copy = shutil.copy(plugin, tmp_path)
    monkeypatch.setenv("GST_PLUGIN_PATH", str(tmp_path))
    monkeypatch.setenv("GST_REGISTRY", str(tmp_path / "registry"))
    assert run("about.py", {"pipeline": "j2kenc"})["done"]["made_by"] == made_by
    with open(copy, "ab") as file:
        file.write(b"another build")
    os.utime(copy, (1, 1))
    other = run("about.py", {"pipeline": "j2kenc"})["done"]["made_by"]
    assert other != made_by and other.partition("(build")[0] == made_by.partition("(build")[0]
