# SPDX-License-Identifier: LGPL-2.1-or-later
"""From INPUT… to items and the names of their outputs."""

import json

import pytest

from coalesce_fleet.inputs import UsageError, items


def make(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names(tmp_path, *inputs, container="mxf"):
    return {item.name: item.path.removeprefix(f"{tmp_path}/") for item in
            items([str(tmp_path / name) for name in inputs], "25", str(tmp_path / "out"), container)}


def test_directories_keep_their_paths(tmp_path):
    make(tmp_path, "in/a.mov", "in/x/b.MXF", "in/x/notes.txt", "in/.hidden/c.mov", "in/x/.d.mov")
    assert names(tmp_path, "in") == {"a": "in/a.mov", "x/b": "in/x/b.MXF"}


def test_numbered_images_are_sequences(tmp_path):
    make(tmp_path, *(f"in/one/{n:04d}.png" for n in range(12)), *(f"in/two/a_{n}.dpx" for n in (9, 10, 11)),
         *(f"in/two/b_{n}.dpx" for n in range(3)), "in/two/cover.png")
    found = items([str(tmp_path / "in")], "24000/1001", str(tmp_path / "out"), "jp2")
    assert {item.name: item.path.removeprefix(f"{tmp_path}/") for item in found} == {
        "one": "in/one/%04d.png", "two/a": "in/two/a_%01d.dpx", "two/b": "in/two/b_%01d.dpx"}
    assert [path[-8:] for path in found[1].images()] == ["/a_9.dpx", "a_10.dpx", "a_11.dpx"]
    assert {item.framerate for item in found} == {"24000/1001"}


def test_a_pattern_and_a_lone_directory_of_images(tmp_path):
    make(tmp_path, *(f"shot/p_{n:03d}.png" for n in range(3)))
    assert names(tmp_path, "shot/p_%03d.png") == {"p": "shot/p_%03d.png"}
    assert names(tmp_path, "shot") == {"shot": "shot/p_%03d.png"}


def test_a_sequence_with_a_gap_is_refused(tmp_path):
    make(tmp_path, "in/1.png", "in/2.png", "in/4.png")
    [item] = items([str(tmp_path / "in")], "25", "out", "mxf")
    with pytest.raises(ValueError, match="picture 3 is missing, between 2 and 4"):
        item.images()
    make(tmp_path, "in/3.png", "in/03.png")
    with pytest.raises(ValueError, match="picture 3 is there twice"):
        item.images()


def test_manifests(tmp_path):
    make(tmp_path, "in/a.mov", "in/b.mov", "in/s/1.png", "in/s/2.png")
    (tmp_path / "list.csv").write_text("input,name,framerate\nin/a.mov,first,\nin/s,pictures,50\n", encoding="utf-8-sig")
    found = items([str(tmp_path / "list.csv")], "25", "out", "mxf")
    assert [(item.name, item.framerate) for item in found] == [("first", None), ("pictures", "50")]
    (tmp_path / "list.json").write_text(json.dumps({"items": ["in/a.mov", {"input": "in/b.mov", "name": "x/y"}]}))
    assert names(tmp_path, "list.json") == {"a": "in/a.mov", "x/y": "in/b.mov"}


def test_manifests_of_names_that_are_no_text(tmp_path):
    make(tmp_path, "\udcff.mov")
    (tmp_path / "list.csv").write_bytes(b"input\n\xff.mov\n")
    assert names(tmp_path, "list.csv") == {"\udcff": "\udcff.mov"}


@pytest.mark.parametrize("name, text, wanted", [
    ("l.csv", "file\na.mov\n", "no column \"input\""),
    ("l.csv", "input,nmae\na.mov,b\n", "entry 1: unknown nmae"),
    ("l.csv", "input\nmissing.mov\n", "entry 1: .*missing.mov: no such file"),
    ("l.json", "{]", "not readable"),
    ("l.json", "{}", "expected a list"),
    ("l.json", "[3]", "entry 1 has no \"input\""),
    ("l.json", '[{"input": "a.mov", "name": "../b"}]', "no path below the target"),
    ("l.json", '[{"input": "a.mov", "name": "/b"}]', "no path below the target"),
    ("l.json", '[{"input": "a.mov", "name": ".coalesce-fleet/b"}]', "uses itself"),
    ("l.json", '[{"input": ".", "name": "b"}]', "is 2 items, one name"),
    ("l.json", '[{"input": "s", "framerate": "0"}]', "framerate 0"),
    ("l.json", '[{"input": "s", "framerate": 1e9}]', "framerate 1000000000.0"),
    ("l.json", '[{"input": "s", "framerate": [25]}]', "framerate .25"),
    ("l.json", '[{"input": "a.mov", "name": 5}]', "entry 1: the name 5 is no text"),
    ("l.json", '[{"input": "a.mov", "name": "a\\u0000b"}]', "a NUL"),
    ("l.json", '[{"input": "a.mov", "name": "\\ud800"}]', "no name of a file"),
    ("l.json", '[{"input": "a.mov", "name": "%s"}]' % ("n" * 252), "more than 255 bytes"),
    ("l.json", "[]", "no entry"),
    ("l.csv", "input\n", "no entry"),
    ("l.csv", "input\na.mov,b\n", "entry 1 has more fields"),
])
def test_manifests_that_are_refused(tmp_path, name, text, wanted):
    make(tmp_path, "a.mov", "s/1.png")
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=wanted):
        items([str(tmp_path / name)], "25", str(tmp_path / "out"), "mxf")


def test_outputs_that_collide_are_refused(tmp_path):
    make(tmp_path, "in/a.mov", "in/a.mp4", "two/b.mov", "two/b/1.png", "two/b/x/c.mov")
    with pytest.raises(UsageError, match="in/a.mov and .*in/a.mp4 would both be written to a.mxf"):
        names(tmp_path, "in")
    make(tmp_path, "three/b.mov", "three/b/c.mov")
    assert len(names(tmp_path, "three")) == 2
    with pytest.raises(UsageError, match="written to b and .* into it, b/c"):
        names(tmp_path, "three", container="jp2")


def test_what_is_no_input(tmp_path):
    make(tmp_path, "empty/x.txt", "p_0001.png", "a\nb.mov")
    for name, wanted in (("a\nb.mov", "line break"), ("q_%d.png", "no picture has this name"), ("no/q_%d.png", "No such"),
                         ("empty", "no video file"), ("gone.mov", "no such file"), ("p_0001.png", r"p_%04d\.png")):
        with pytest.raises(UsageError, match=wanted):
            names(tmp_path, name)
    with pytest.raises(UsageError, match="an input is empty"):
        items([""], "25", "out", "mxf")


def test_the_target_inside_an_input_is_no_input(tmp_path):
    make(tmp_path, "a.mov", "out/a.mxf")
    assert names(tmp_path, ".") == {"a": "a.mov"}
