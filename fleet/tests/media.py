# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clips of many kinds, made by PyAV, and the GStreamer jobs that the tests run."""

import fractions
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import av
import pytest

from coalesce_fleet.plan import encode_job, join_job, plan, verify_job
from coalesce_fleet.probe import Options, probe

SCRIPTS = pathlib.Path(__file__).parents[1] / "coalesce_fleet" / "gst"
X264 = {"crf": "30", "preset": "veryfast", "threads": "1"}
CLOSED = {**X264, "g": "8", "bf": "2", "x264-params": "open-gop=0:scenecut=0"}
OPEN = {**X264, "g": "8", "bf": "2", "x264-params": "open-gop=1:scenecut=0"}


def python():
    for path in (os.environ.get("COALESCE_FLEET_PYTHON"), sys.executable, "/usr/bin/python3"):
        if path and subprocess.run([path, "-c", "import gi; gi.require_version('Gst', '1.0')"],
                                   capture_output=True).returncode == 0:
            return path
    return None


def need(*elements):
    """Skips the test if GStreamer has no such element."""
    for element in elements:
        if subprocess.run(["gst-inspect-1.0", element], stdout=subprocess.DEVNULL).returncode:
            pytest.skip(f"no {element} here")


PYTHON = python()
gstreamer = pytest.mark.skipif(PYTHON is None, reason="no Python with gi and GStreamer here")


def picture(number, width, height, format):
    """A pattern that moves: a smooth ramp, and a box."""
    ramp = bytes((x * 2 + number * 3) & 255 for x in range(width * 3))
    rows = []
    for y in range(height):
        row = bytearray(bytes((value + y) & 255 for value in ramp))
        if number * 2 % height <= y < number * 2 % height + 8:
            row[12:60] = bytes(48)
        rows.append(bytes(row))
    frame = av.VideoFrame(width, height, "rgb24")
    plane = frame.planes[0]
    plane.update(b"".join(row + bytes(plane.line_size - width * 3) for row in rows))
    return frame.reformat(format=format)


def make(path, codec="libx264", pictures=24, rate=fractions.Fraction(25), options=None, format="yuv420p",
         size=(64, 48), times=None, audio=(), timecode=None, videos=1, interlaced=False):
    """`audio`: (codec, rate, channels, seconds) of each stream; `times`: places of the pictures in 1/rate s."""
    path = str(path)
    rate = fractions.Fraction(rate)
    with av.open(path, "w", options={"movflags": "+faststart"} if path.endswith((".mp4", ".mov")) else {}) as file:
        streams = []
        for _ in range(videos):
            video = file.add_stream(codec, rate=rate, options=dict(options if options is not None else
                                                                   CLOSED if codec == "libx264" else {}))
            video.width, video.height, video.pix_fmt = *size, format
            video.codec_context.time_base = 1 / rate
            if interlaced:
                video.codec_context.flags |= 1 << 18 | 1 << 29
            if timecode:
                video.metadata["timecode"] = timecode
            streams.append(video)
        sounds = []
        for name, hertz, channels, seconds in audio:
            sound = file.add_stream(name, rate=hertz, layout={1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}[channels])
            sounds.append((sound, hertz, channels, seconds))
        for video in streams:
            for number in range(pictures):
                frame = picture(number, *size, format)
                frame.pts = times[number] if times else number
                frame.time_base = 1 / rate
                file.mux(video.encode(frame))
            file.mux(video.encode(None))
        for place, (sound, hertz, channels, seconds) in enumerate(sounds):
            total, at = round(hertz * seconds), 0
            while at < total:
                step = min(1024, total - at)
                samples = b"".join(((((at + i) * (37 + place) + c * 999) % 4001 - 2000) * 8).to_bytes(
                    2, "little", signed=True) for i in range(step) for c in range(channels))
                frame = av.AudioFrame("s16", sound.codec_context.layout.name, step)
                frame.planes[0].update(samples + bytes(frame.planes[0].buffer_size - len(samples)))
                frame.rate, frame.pts, frame.time_base = hertz, at, fractions.Fraction(1, hertz)
                resampler = av.AudioResampler(sound.codec_context.format, sound.codec_context.layout, hertz)
                for one in resampler.resample(frame):
                    file.mux(sound.encode(one))
                at += step
            file.mux(sound.encode(None))
    return path


def run(script, job):
    """The last message of a job, and its "error" or "done"."""
    done = subprocess.run([PYTHON, str(SCRIPTS / script)], input=json.dumps(job), capture_output=True, text=True,
                          timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr
    return lines[-1]


@functools.cache
def about(pipeline):
    return run("about.py", {"pipeline": pipeline})


def encode(path, folder, length, pipeline="openjpegenc", container="mxf", stream=0):
    """The segments of a file: [(codestreams, index)] and all their bytes."""
    found = probe(str(path), stream) if isinstance(path, (str, pathlib.Path)) else path
    segments, data, made_by = [], b"", about(pipeline)["done"]["made_by"]
    for segment in plan(found, length):
        out, index = str(folder / f"s{length}-{segment.number}"), str(folder / f"s{length}-{segment.number}.json")
        message = run("encode.py", encode_job(found, segment, pipeline, container, made_by, out, index))
        assert "done" in message, message
        done = message["done"]
        assert done["count"] == segment.count
        assert done["decoded_from"] != "start" or segment.seek is None  # it was not decoded in vain
        if container != "jp2":
            part = pathlib.Path(out).read_bytes()
            assert hashlib.sha256(part).hexdigest() == done["sha256"] and len(part) == done["bytes"]
            data += part
        segments.append((out, index))
    return found, segments, data


def error_of(path, folder, pipeline="openjpegenc", container="mxf"):
    message = about(pipeline)
    if "error" in message:
        return message
    made_by, found = message["done"]["made_by"], probe(str(path))
    for segment in plan(found, 8):
        message = run("encode.py", encode_job(found, segment, pipeline, container, made_by, str(folder / "e"),
                                              str(folder / "e.json")))
        if "error" in message:
            return message
    return None


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def join(found, segments, container, out, options=Options(), name="item"):
    if container == "jp2":  # without a process
        pathlib.Path(out).mkdir()
        for folder, _ in segments:
            for still in pathlib.Path(folder).iterdir():
                still.rename(out / still.name)
        return {"done": {}}
    return run("join.py", join_job(found, container, segments, str(out), options, name))


def verify(found, pipeline, container, out, min_psnr=None):
    return run("verify.py", verify_job(found, pipeline, container, str(out), min_psnr))


def uncut(path, pipeline="openjpegenc"):
    """The codestreams of one gst-launch run."""
    out = f"{path}.j2c"
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin",
                    "caps=video/x-raw(ANY)", "expose-all-streams=false", "!", *pipeline.split(), "!", "image/x-jpc",
                    "!", "filesink", f"location={out}"], check=True, timeout=600, stdout=subprocess.DEVNULL)
    return pathlib.Path(out).read_bytes()
