# SPDX-License-Identifier: LGPL-2.1-or-later
import fractions
import hashlib
import json
import os
import pathlib
import subprocess

import pytest
from media import CLOSED, OPEN, PYTHON, SCRIPTS, about, encode, error_of, gstreamer, make, need, picture, run, uncut

from coalesce_fleet.plan import encode_job, plan
from coalesce_fleet.probe import probe, probe_images
from coalesce_fleet.process import Process

pytestmark = gstreamer

CLIPS = {
    "closed.mp4": dict(options=CLOSED), "open.mp4": dict(options=OPEN), "open.mkv": dict(options=OPEN),
    "open.ts": dict(options=OPEN), "open.avi": dict(options=OPEN), "hevc.mp4": dict(
        codec="libx265", options={"x265-params": "open-gop=1:keyint=8:bframes=2:log-level=none"}),
    "vfr.mp4": dict(options=OPEN, times=[n + n // 3 for n in range(24)]),
    "vfr.mkv": dict(options=OPEN, times=[n + n // 3 for n in range(24)]),
    "odd.mp4": dict(size=(67, 51), format="yuv444p"), "ten.mp4": dict(format="yuv420p10le", options=OPEN),
    "drop.mov": dict(rate=fractions.Fraction(30000, 1001), options=OPEN),
    "m2.ts": dict(codec="mpeg2video", options={"g": "8", "bf": "2"}),
    "m2.mpg": dict(codec="mpeg2video", options={"g": "8", "bf": "2"}),
    "interlaced.mxf": dict(codec="mpeg2video", options={"g": "8", "bf": "2"}, interlaced=True),
    "prores.mov": dict(codec="prores_ks", format="yuv422p10le"), "ffv1.mkv": dict(codec="ffv1", format="yuv422p10le"),
    "sound.mkv": dict(options=OPEN, audio=[("aac", 48000, 2, 1)]),
    "sound.ts": dict(options=OPEN, audio=[("aac", 48000, 2, 1)]),
}


@pytest.mark.parametrize("name", ["open.mp4"])
def test_segments_are_the_uncut_codestreams(tmp_path, name):
    path = make(tmp_path / name, **CLIPS[name])
    assert encode(path, tmp_path, 12)[2] == uncut(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIPS)
def test_any_cuts(tmp_path, name):
    path = make(tmp_path / name, **CLIPS[name])
    expected = uncut(path)
    assert len(expected) > 1000
    for length in (1, 2, 7, 1000):
        assert encode(path, tmp_path, length)[2] == expected, length


def test_a_process_of_many_segments_gives_the_same_bytes_and_keeps_nothing(tmp_path):
    found = probe(make(tmp_path / "a.mp4", options=OPEN))
    made_by = about("openjpegenc")["done"]["made_by"]
    jobs = [encode_job(found, segment, "openjpegenc", "mxf", made_by, str(tmp_path / "o"), str(tmp_path / "i")) for segment in plan(found, 7)]
    alone = [run("encode.py", job)["done"]["sha256"] for job in jobs]
    process, files = Process([PYTHON, str(SCRIPTS / "encode.py")], None), set()
    try:
        for _ in range(3):
            assert [process.do(job, 600)["sha256"] for job in jobs] == alone
            files.add(len(os.listdir(f"/proc/{process.child.pid}/fd")))  # each pipeline has two
    finally:
        process.end()
    assert len(alone) > 2 and len(files) == 1 and process.jobs == 3 * len(alone)


def test_a_context_goes_from_a_pipeline_to_the_next(tmp_path):
    found = probe(make(tmp_path / "a.mp4", pictures=4))
    job = encode_job(found, plan(found, 9)[0], "openjpegenc", "mxf", "")
    done = subprocess.run([PYTHON, "-c", CONTEXTS, str(SCRIPTS), json.dumps(job)], capture_output=True, text=True)
    assert done.stdout.split() == ["kept", "other"], done.stderr


CONTEXTS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from common import Gst
from pictures import Pictures
Gst.init(None)
for name, persistent in ("kept", True), ("lost", False), ("other", True):
    pictures = Pictures(json.loads(sys.argv[2]), "start")
    element = Gst.ElementFactory.make("identity")
    pictures.pipeline.add(element)
    pictures.pipeline.set_state(Gst.State.PAUSED)
    element.post_message(Gst.Message.new_have_context(element, Gst.Context.new(name, persistent)))
    pictures.stop()
pictures = Pictures(json.loads(sys.argv[2]), "start")
element = Gst.ElementFactory.make("identity")
pictures.pipeline.add(element)
print(*sorted(context.get_context_type() for context in element.get_contexts()))
"""


def test_result(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=6)
    found, [(out, index)], data = encode(path, tmp_path, 100)
    value = json.loads(pathlib.Path(index).read_text())
    assert [frame[0] for frame in value["frames"]] == found.times
    assert sum(frame[2] for frame in value["frames"]) == value["bytes"] == len(data)
    assert value["sha256"] == hashlib.sha256(data).hexdigest() and value["caps"].startswith("image/x-jpc")


def test_the_second_video(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=4, videos=2)
    found = probe(path, 1)
    assert found.stream == 1 and len(encode(found, tmp_path, 100)[2]) > 100


PIPELINE = "videoconvert ! openjpegenc"


def test_images(tmp_path):
    names = []
    for number in range(5):
        names.append(still(tmp_path / f"{number}.png", number))
    found = probe_images(names, "24/1")
    whole = encode(found, tmp_path, 100, PIPELINE)[2]
    assert encode(found, tmp_path, 2, PIPELINE)[2] == whole
    pathlib.Path(names[3]).write_bytes(pathlib.Path(names[3]).read_bytes()[:60])
    message = error_of_images(found, tmp_path)
    assert message["error"] == "corrupt-input" and f"{names[3]}: this picture" in message["text"]
    still(names[3], 3, (128, 96))
    message = error_of_images(found, tmp_path)
    assert f"{names[3]}: the pictures change from RGB 64x48 to RGB 128x96 near picture 3" in message["text"]


def test_jpegs_that_are_cut_short(tmp_path):
    names = [still(tmp_path / f"{number}.jpg", number) for number in range(3)]
    data = pathlib.Path(names[1]).read_bytes()
    pathlib.Path(names[1]).write_bytes(data + b"what a camera adds")
    assert error_of_images(probe_images(names), tmp_path) is None
    pathlib.Path(names[1]).write_bytes(data[:len(data) * 3 // 4])
    message = error_of_images(probe_images(names), tmp_path)
    assert message["error"] == "corrupt-input" and f"{names[1]}: the file is cut short" in message["text"]


def error_of_images(found, folder):
    message = run("encode.py", encode_job(found, plan(found, 100)[0], PIPELINE, "mxf", about(PIPELINE)["done"]["made_by"],
                                          str(folder / "o"), str(folder / "i")))
    return message if "error" in message else None


def still(path, number, size=(64, 48)):
    import av

    with av.open(str(path), "w", format="image2", options={"update": "1"}) as file:
        codec, format = ("mjpeg", "yuvj420p") if str(path).endswith(".jpg") else ("png", "rgb24")
        stream = file.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = *size, format
        file.mux(stream.encode(picture(number, *size, format)))
        file.mux(stream.encode(None))
    return str(path)


@pytest.mark.slow
def test_stills(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=4)
    _, segments, _ = encode(path, tmp_path, 2, container="jp2")
    names = sorted(file.name for folder, _ in segments for file in pathlib.Path(folder).iterdir())
    assert names == [f"{number:06d}.jp2" for number in range(4)]


@pytest.mark.parametrize("pipeline, kind, text", [
    ("openjpegenk", "missing-element", "openjpegenk"), ("openjpegenc num-layers=99x", "pipeline", "num-layers"),
    ("openjpegenc num-layers=-1", "pipeline", "out of range for property 'num-layers'"),
    ("openjpegenc openjpegenc", "pipeline", "not linked"), ("pngenc", "pipeline", "image/x-jpc"), ("openjpegenc ! fakesink", "pipeline", "one output"),
    ("videorate ! video/x-raw,framerate=50/1 ! openjpegenc", "pipeline", "keep their number"),
    ("identity eos-after=2 ! openjpegenc", "pipeline", "made 1 pictures of 2: it must keep"),
    ("video/x-raw,format=RGB ! openjpegenc", "pipeline", "RGB"),
    ("videoconvert ! video/x-raw,format=RGB ! identity ! openjpegenc", "pipeline", "RGB")])
def test_pipelines_that_do_not_do(tmp_path, pipeline, kind, text):
    message = error_of(make(tmp_path / "a.mp4", pictures=4), tmp_path, pipeline)
    assert message["error"] == kind and text in message["text"], message


def test_caps_at_the_ends_of_a_pipeline(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=4)
    assert encode(path, tmp_path, 9, "video/x-raw,format=I420 ! openjpegenc ! image/x-jpc")[2] == encode(path, tmp_path, 9, "openjpegenc")[2]


def test_grey_is_not_for_mxf(tmp_path):
    need("j2kenc")
    path = make(tmp_path / "a.mp4", pictures=4)
    message = error_of(path, tmp_path, "videoconvert ! video/x-raw,format=GRAY8 ! j2kenc")
    assert message["error"] == "pipeline" and "sYUV" in message["text"], message


def test_pictures_that_the_encoder_does_not_take(tmp_path):
    path = make(tmp_path / "a.mkv", "ffv1", 4, format="gray")
    message = error_of(path, tmp_path, "capsfilter caps=video/x-raw,format=RGB ! videoconvert ! openjpegenc")
    assert message["error"] == "refused" and path in message["text"], message


def test_no_space(tmp_path):
    found = probe(make(tmp_path / "a.mp4", pictures=4))
    made_by = about("openjpegenc")["done"]["made_by"]
    job = encode_job(found, plan(found, 9)[0], "openjpegenc", "mxf", made_by, "/dev/full", str(tmp_path / "i"))
    assert run("encode.py", job)["error"] == "disk-full"
    message = run("encode.py", {**job, "made_by": "GStreamer 1.0"})
    assert message["error"] == "lost" and f"has {made_by}; the item was begun with GStreamer 1.0" in message["text"]


@pytest.mark.parametrize("name", ["closed.mp4", *(pytest.param(name, marks=pytest.mark.slow) for name in ("open.ts", "prores.mov"))])
def test_damage(tmp_path, name):
    path = pathlib.Path(make(tmp_path / name, **CLIPS[name]))
    data = bytearray(path.read_bytes())
    if name.endswith(".ts"):  # the payload of packets, so that only the decoder sees it
        for packet in range(len(data) // 376 * 188 // 188 * 188, len(data) // 188 * 188, 188 * 2):
            data[packet + 60:packet + 150] = bytes(value ^ 0x55 for value in data[packet + 60:packet + 150])
    else:
        middle = len(data) * 6 // 10
        data[middle:middle + 400] = bytes(value * 7 + 13 & 255 for value in data[middle:middle + 400])
    path.write_bytes(data)
    message = error_of(path, tmp_path)
    assert message["error"] == "corrupt-input", message
    assert message["text"].startswith(str(path)) and " s" in message["text"]
