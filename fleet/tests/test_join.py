# SPDX-License-Identifier: LGPL-2.1-or-later
import fractions
import json
import os
import pathlib
import time

import av
import pytest
from media import OPEN, encode, gstreamer, join, make, sha256

from coalesce_fleet.probe import Options

pytestmark = gstreamer
NONE = Options(no_audio=True, no_timecode=True)


def read(path):
    """(codestreams, PCM of each audio stream, timecode) by FFmpeg."""
    with av.open(str(path)) as file:
        streams = [[bytes(packet) for packet in stream] for stream in by_stream(file)]
        codes = [stream.metadata["timecode"] for stream in file.streams if "timecode" in stream.metadata]
        code = codes[0] if codes else file.metadata.get("timecode")
        return (streams[file.streams.video[0].index],
                [b"".join(streams[sound.index]) for sound in file.streams.audio], code)


def by_stream(file):
    """The packets of each stream."""
    found = [[] for _ in file.streams]
    for packet in file.demux():
        if packet.size:
            found[packet.stream.index].append(packet)
    return found


def samples(path):
    """The PCM of the first audio stream of a file, little-endian."""
    with av.open(str(path)) as file:
        sound = file.streams.audio[0]
        return b"".join(bytes(packet) for packet in file.demux(sound) if packet.size)


def codestreams(segments):
    found = []
    for path, index in segments:
        data, at = pathlib.Path(path).read_bytes(), 0
        for _, _, size in json.loads(pathlib.Path(index).read_text())["frames"]:
            found.append(data[at:at + size])
            at += size
    return found


@pytest.mark.parametrize("container, codec", [("mxf", "pcm_s24le"),
                                              pytest.param("mj2", "pcm_s16le", marks=pytest.mark.slow)])
def test_what_goes_in_comes_out(tmp_path, container, codec):
    path = make(tmp_path / "a.mov", options=OPEN, pictures=20, timecode="01:02:03:04", audio=[(codec, 48000, 2, .8)])
    found, segments, _ = encode(path, tmp_path, 12, container=container)
    first = join(found, segments, container, tmp_path / "one")
    assert first["done"]["count"] == 20 and not first["done"]["notes"], first
    assert (first["done"]["sha256"], first["done"]["bytes"]) == (sha256(tmp_path / "one"), os.path.getsize(tmp_path / "one"))
    time.sleep(1)  # the muxers write the time in seconds
    _, again, _ = encode(path, tmp_path, 7, container=container)
    assert "done" in join(found, again, container, tmp_path / "two")
    assert sha256(tmp_path / "one") == sha256(tmp_path / "two")
    pictures, sounds, timecode = read(tmp_path / "one")
    assert pictures == codestreams(segments)
    assert sounds == [samples(path)] and len(sounds[0]) == 38400 * 2 * int(codec[5:7]) // 8
    assert timecode == "01:02:03:04"


@pytest.mark.slow
@pytest.mark.parametrize("container", ["mxf", "mj2"])
def test_the_same_bytes_twenty_times(tmp_path, container):
    path = make(tmp_path / "a.mov", audio=[("pcm_s16le", 48000, 2, .96), ("pcm_s16le", 48000, 1, .5)])
    found, segments, _ = encode(path, tmp_path, 12, container=container)
    sums = set()
    for _ in range(20):
        assert "done" in join(found, segments, container, tmp_path / "out")
        sums.add(sha256(tmp_path / "out"))
    assert len(sums) == 1


@pytest.mark.slow
@pytest.mark.parametrize("container, sound", [
    ("mxf", ("pcm_s16be", 48000, 2)), ("mxf", ("pcm_u8", 48000, 1)), ("mxf", ("pcm_s24le", 48000, 8)),
    ("mxf", ("pcm_s16le", 44100, 6)), ("mj2", ("pcm_s16be", 44100, 2)), ("mj2", ("pcm_u8", 32000, 1)),
    ("mj2", ("pcm_s16le", 48000, 1))])
def test_samples(tmp_path, container, sound):
    codec, rate, channels = sound
    path = make(tmp_path / "a.mov", pictures=25, audio=[(codec, rate, channels, 1)])
    found, segments, _ = encode(path, tmp_path, 100, container=container)
    message = join(found, segments, container, tmp_path / "out")
    expected = samples(path)
    if codec == "pcm_s16be":
        expected = b"".join(expected[at:at + 2][::-1] for at in range(0, len(expected), 2))
    assert read(tmp_path / "out")[1] == [expected], message


@pytest.mark.slow
@pytest.mark.parametrize("container", ["mxf", "mj2"])
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.ts"])
def test_compressed_sound(tmp_path, container, name):
    path = make(tmp_path / name, pictures=25, audio=[("aac", 48000, 2, 1.02)])
    found, segments, _ = encode(path, tmp_path, 100, container=container)
    done = join(found, segments, container, tmp_path / "out")["done"]
    assert any("aac is decoded to" in note for note in done["notes"])
    width = 3 if container == "mxf" else 2
    assert len(read(tmp_path / "out")[1][0]) == done["samples"][0] * 2 * width
    assert abs(done["samples"][0] - 48000) < 2500


def test_compressed_sound_of_six_channels(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=25, audio=[("aac", 48000, 6, 1)])
    found, segments, _ = encode(path, tmp_path, 100)
    done = join(found, segments, "mxf", tmp_path / "out")["done"]
    [sound] = read(tmp_path / "out")[1]
    assert len(sound) == done["samples"][0] * 6 * 3 and any(sound)


@pytest.mark.slow
@pytest.mark.parametrize("container", ["mxf", "mj2"])
def test_drop_frame(tmp_path, container):
    path = make(tmp_path / "a.mov", rate=fractions.Fraction(30000, 1001), timecode="01:02:03;04", pictures=12)
    found, segments, _ = encode(path, tmp_path, 100, container=container)
    assert "done" in join(found, segments, container, tmp_path / "out")
    assert read(tmp_path / "out")[2] == "01:02:03;04"


def test_mxf_sound_has_the_length_of_the_pictures(tmp_path):
    path = make(tmp_path / "a.mov", pictures=25, audio=[("pcm_s16le", 48000, 1, .5), ("pcm_s16le", 48000, 1, 1.03)])
    found, segments, _ = encode(path, tmp_path, 100)
    done = join(found, segments, "mxf", tmp_path / "out")["done"]
    assert done["samples"] == [48000, 48000]
    assert done["notes"] == ["audio 0: 24000 samples of silence at the end",
                             "audio 1: 1440 samples after the last picture are left out"]


@pytest.mark.parametrize("rate, hertz, shares", [
    ("30000/1001", 48000, [1602, 1601, 1602, 1601, 1602]),
    *(pytest.param(*values, marks=pytest.mark.slow) for values in [
        ("60000/1001", 48000, [801, 801, 800, 801, 801]), ("24000/1001", 48000, [2002]),
        ("30000/1001", 44100, [1471, 1472, 1471, 1472, 1471]), ("24/1", 44100, [1838, 1837])])])
def test_each_picture_has_its_samples_beside_it(tmp_path, rate, hertz, shares):
    rate = fractions.Fraction(rate)
    path = make(tmp_path / "a.mov", pictures=60, rate=rate,
                audio=[("pcm_s24le", hertz, 2, float(61 / rate)), ("pcm_s24le", hertz, 1, float(62 / rate))])
    found, segments, _ = encode(path, tmp_path, 100)
    assert "done" in join(found, segments, "mxf", tmp_path / "out")
    with av.open(str(tmp_path / "out")) as file:
        pictures, *sounds = ([packet.size for packet in stream] for stream in by_stream(file) if stream)
        assert len(pictures) == 60
        for sizes, channels in zip(sounds, (2, 1), strict=True):
            assert [size // (3 * channels) for size in sizes][:len(shares)] == shares
            assert sum(sizes) == round(60 * hertz / rate) * 3 * channels
    assert read(tmp_path / "out")[1][0] == samples(path)[:round(60 * hertz / rate) * 6]


@pytest.mark.slow
def test_times_of_their_own(tmp_path):
    path = make(tmp_path / "a.mp4", times=[n + n // 3 for n in range(12)], pictures=12)
    found, segments, _ = encode(path, tmp_path, 100, container="mj2")
    assert "done" in join(found, segments, "mj2", tmp_path / "out")
    with av.open(str(tmp_path / "out")) as file:
        stream = file.streams.video[0]
        times = [float(packet.pts * packet.time_base) for packet in file.demux(stream) if packet.size]
    assert times == pytest.approx([time / 1e9 for time in found.times], abs=1e-3)


def test_segments_that_do_not_fit(tmp_path):
    path = make(tmp_path / "a.mp4", pictures=16)
    found, segments, _ = encode(path, tmp_path, 8)
    message = join(found, segments[1:], "mxf", tmp_path / "out", NONE)
    assert message["error"] == "lost" and "begins at picture 8" in message["text"]
    message = join(found, segments[:1], "mxf", tmp_path / "out", NONE)
    assert message["error"] == "lost" and "8 pictures of 16" in message["text"]
    data = bytearray(pathlib.Path(segments[1][0]).read_bytes())
    data[-1] ^= 1
    pathlib.Path(segments[1][0]).write_bytes(data)
    message = join(found, segments, "mxf", tmp_path / "out", NONE)
    assert message["error"] == "lost" and "other codestreams than were encoded" in message["text"]
    pathlib.Path(segments[1][0]).write_bytes(data[:-1])
    message = join(found, segments, "mxf", tmp_path / "out", NONE)
    assert message["error"] == "lost" and "not what was encoded" in message["text"]
