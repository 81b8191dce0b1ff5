# SPDX-License-Identifier: LGPL-2.1-or-later
import fractions
import pathlib
import re

import av
import pytest
from media import OPEN, make

from coalesce_fleet.probe import SECOND, InputError, Options, Probe, probe, probe_images, refusals


def test_times_and_keyframes(tmp_path):
    for name in ("a.mp4", "a.mkv", "a.ts"):
        found = probe(make(tmp_path / name, options=OPEN))
        assert found.count == 24 and found.rate == "25/1" and found.constant_rate and found.timed
        assert found.keyframes == [0, 8, 16]
        assert [round(time / SECOND * 25, 1) for time in found.times] == list(range(24))
        assert abs(found.duration - 24 * SECOND // 25) < 2_000_000
        assert Probe.from_json(found.to_json()) == found


def test_times_of_their_own(tmp_path):
    found = probe(make(tmp_path / "vfr.mp4", times=[n + n // 3 for n in range(24)]))
    assert not found.constant_rate
    assert found.times[:5] == [0, 40_000_000, 80_000_000, 160_000_000, 200_000_000]
    assert "one rate only" in refusals(found, "mxf", Options())[0]
    assert not refusals(found, "mj2", Options())


def test_audio_timecode_and_others(tmp_path):
    found = probe(make(tmp_path / "a.mov", "prores_ks", 6, 25, format="yuv422p10le", timecode="01:02:03:04", videos=2,
                       audio=[("pcm_s24le", 48000, 2, .24)]))
    sound = found.audio[0]
    assert (sound.codec, sound.rate, sound.channels, sound.start, sound.pcm) == ("pcm_s24le", 48000, 2, 0, True)
    assert abs(sound.end - found.duration) < 1_000_000
    assert found.timecode == "01:02:03:04" and found.keyframes == list(range(6))
    assert found.others == ["video stream 1"]


def test_avi_has_no_times_of_pictures_in_another_order(tmp_path):
    assert not probe(make(tmp_path / "a.avi", options=OPEN)).timed
    assert probe(make(tmp_path / "b.avi", options={**OPEN, "bf": "0"})).timed


def test_program_streams_have_no_times(tmp_path):
    found = probe(make(tmp_path / "a.mpg", "mpeg2video", 12))
    assert not found.timed and found.count == 12 and found.times[1] == SECOND // 25


@pytest.mark.parametrize("content, text", [
    (None, "no such file"), (b"", "is empty"), (b"this is no video" * 99, "not readable as video")])
def test_not_a_video(tmp_path, content, text):
    path = tmp_path / "x.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=text) as error:
        probe(str(path))
    assert str(path) in str(error.value)


def test_no_video_or_no_pictures(tmp_path):
    sound = make(tmp_path / "a.mp4", videos=0, audio=[("aac", 48000, 1, .1)])
    with pytest.raises(InputError, match="the file has no video"):
        probe(sound)
    with pytest.raises(InputError, match="no video stream 1: the file has 1"):
        probe(make(tmp_path / "b.mp4", pictures=2), 1)
    path = str(tmp_path / "c.avi")
    with av.open(path, "w") as file:
        stream = file.add_stream("mjpeg", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        file.start_encoding()
    with pytest.raises(InputError, match="no pictures|no size|not readable"):
        probe(path)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_cut_short(tmp_path, name):
    path = pathlib.Path(make(tmp_path / name))
    data = path.read_bytes()
    path.write_bytes(data[:len(data) * 6 // 10])
    with pytest.raises(InputError, match="cut short or damaged.*picture"):
        probe(str(path))


def test_images(tmp_path):
    (tmp_path / "empty.png").touch()
    with pytest.raises(InputError, match="empty.png: the file is empty"):
        probe_images([str(tmp_path / "empty.png")])
    with pytest.raises(InputError, match="gone.png: no such file"):
        probe_images([str(tmp_path / "gone.png")])
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(InputError, match="text.png: not readable"):
        probe_images([str(tmp_path / "text.png")])
    with pytest.raises(InputError, match="no images"):
        probe_images([])


def with_sound(tmp_path, codec, rate=48000, channels=2, seconds=.24, fps=25, name="a.mov", **more):
    return probe(make(tmp_path / name, "mjpeg", 6, fps, {}, "yuvj420p",
                      audio=[(codec, rate, channels, seconds)], **more))


@pytest.mark.parametrize("sound, container, text", [
    (dict(codec="pcm_s24le"), "mj2", "its samples are s24.*--no-audio leaves it out; --container mxf carries it"),
    (dict(codec="pcm_f32le"), "mxf", "its samples are f32"),
    (dict(codec="pcm_s16le", channels=6), "mj2", "2 channels at most.*--container mxf carries it"),
    (dict(codec="pcm_s32le"), "mxf", "big-endian"), (dict(codec="pcm_s24le", rate=96000), "mxf", "65,535"),
    (dict(codec="pcm_s16le", rate=96000), "mj2", "up to 65,535 Hz"),
    (dict(codec="pcm_s16le", seconds=2), "mxf", "it ends 1.760 s after the last picture.*--container mj2 carries it"),
    (dict(codec="pcm_s16le"), "jp2", "stills .jp2. carry no audio"),
    (dict(codec="pcm_s16le", timecode="10:00:00:00"), "jp2", "carry no timecode .10:00:00:00.")])
def test_refusals(tmp_path, sound, container, text):
    found = with_sound(tmp_path, **sound)
    lines = refusals(found, container, Options())
    assert len([line for line in lines if re.search(text, line)]) == 1, lines
    assert all(line.startswith(found.path) for line in lines)
    assert not refusals(found, container, Options(no_audio=True, no_timecode=True))


@pytest.mark.parametrize("sound, container", [
    (dict(codec="pcm_s24le", channels=8), "mxf"), (dict(codec="pcm_s16be"), "mj2"), (dict(codec="pcm_u8"), "mxf"),
    (dict(codec="aac", seconds=.25), "mxf"),
    (dict(codec="pcm_s16le", fps=fractions.Fraction(30000, 1001), seconds=.2), "mxf")])
def test_carried(tmp_path, sound, container):
    assert not refusals(with_sound(tmp_path, **sound), container, Options())


@pytest.mark.parametrize("timecode, rate, text", [
    ("10:00:00;00", "25/1", "no frames are dropped"), ("10:00:00:25", "25/1", "no such time"),
    ("10:01:00;01", "30000/1001", "one of those dropped"), ("25:00:00:00", "25/1", "no such time"),
    ("noon", "25/1", "HH:MM:SS:FF"), ("10:10:00;00", "30000/1001", None), ("23:59:59:24", "25/1", None)])
def test_timecodes(tmp_path, timecode, rate, text):
    found = probe(make(tmp_path / "a.mov", "mjpeg", 3, fractions.Fraction(rate), {}, "yuvj420p"))
    found.timecode = timecode
    lines = refusals(found, "mxf", Options())
    assert bool(lines) == bool(text) and (not text or text in lines[0])
