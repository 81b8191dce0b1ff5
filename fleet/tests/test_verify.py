# SPDX-License-Identifier: LGPL-2.1-or-later
import pathlib

import pytest
from media import encode, gstreamer, join, make, need, verify

from coalesce_fleet.probe import Options

pytestmark = gstreamer
NONE = Options(no_audio=True, no_timecode=True)


def written(tmp_path, pipeline, container, **more):
    path = make(tmp_path / "a.mp4", pictures=more.pop("pictures", 4), **more)
    found, segments, _ = encode(path, tmp_path, 2, pipeline, container)
    assert "done" in join(found, segments, container, tmp_path / "out", NONE)
    return found


SLOW = pytest.mark.slow


@pytest.mark.parametrize("container", ["mxf", pytest.param("mj2", marks=SLOW), pytest.param("jp2", marks=SLOW)])
def test_lossless(tmp_path, container):
    found = written(tmp_path, "openjpegenc", container)
    assert verify(found, "openjpegenc", container, tmp_path / "out")["done"] == {
        "count": 4, "lossless": True, "psnr": None, "asked": None}


@SLOW
@pytest.mark.parametrize("format", ["I420", "Y42B", "Y444", "I420_10LE", "I422_10LE", "Y444_12LE", "RGB", "NV12"])
def test_lossless_formats(tmp_path, format):
    need("j2kenc")
    pipeline = f"videoconvert ! video/x-raw,format={format} ! j2kenc"
    found = written(tmp_path, pipeline, "mj2", size=(66, 50), format="yuv420p")
    assert verify(found, pipeline, "mj2", tmp_path / "out")["done"]["lossless"]


def test_another_picture_is_seen(tmp_path):
    found = written(tmp_path, "openjpegenc", "jp2")
    first, second = (tmp_path / "out" / f"{number:06d}.jp2" for number in (0, 1))
    second.write_bytes(first.read_bytes())
    message = verify(found, "openjpegenc", "jp2", tmp_path / "out")
    assert message["error"] == "verify" and "picture 1 is not equal" in message["text"]
    second.unlink()
    message = verify(found, "openjpegenc", "jp2", tmp_path / "out")
    assert message["error"] == "verify" and "000001.jp2" in message["text"]


def test_grey_that_a_container_makes_yuv(tmp_path):
    need("j2kenc")
    path = make(tmp_path / "a.mkv", "ffv1", 4, format="gray")
    found, segments, _ = encode(path, tmp_path, 2, "videoconvert ! j2kenc")
    assert "done" in join(found, segments, "mxf", tmp_path / "out", NONE)
    assert verify(found, "videoconvert ! j2kenc", "mxf", tmp_path / "out")["done"]["lossless"]


def test_lossy(tmp_path):
    need("j2kenc")
    found = written(tmp_path, "j2kenc psnr=35", "mxf")
    done = verify(found, "j2kenc psnr=35", "mxf", tmp_path / "out")["done"]
    assert done["asked"] == 34 and 34 <= done["psnr"] < 60 and not done["lossless"]
    message = verify(found, "j2kenc psnr=35", "mxf", tmp_path / "out", 70)
    assert message["error"] == "verify" and "less than the 70 dB" in message["text"]
    message = verify(found, "j2kenc bpp=1", "mxf", tmp_path / "out")
    assert message["error"] == "pipeline" and "--min-psnr" in message["text"]


def test_a_damaged_file_is_seen(tmp_path):
    found = written(tmp_path, "openjpegenc", "mxf", pictures=8)
    path = pathlib.Path(tmp_path / "out")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle:middle + 300] = bytes(300)
    path.write_bytes(data)
    message = verify(found, "openjpegenc", "mxf", path)
    assert message["error"] == "verify" and "picture" in message["text"] or "decoded" in message["text"]
