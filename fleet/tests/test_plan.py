# SPDX-License-Identifier: LGPL-2.1-or-later
import pytest

from coalesce_fleet.plan import Segment, plan, source
from coalesce_fleet.probe import Probe


def clip(count, keyframes, timed=True, images=()):
    return Probe(path="a", images=list(images), container="", stream=0, rate="25/1", times=[n * 40 for n in range(count)],
                 keyframes=keyframes, duration=count * 40, timed=timed, audio=[], timecode=None, others=[])


@pytest.mark.parametrize("length", [1, 2, 3, 7, 12, 13, 24, 1000])
@pytest.mark.parametrize("keyframes", [[0], [0, 8, 16], list(range(50)), [0, 3, 31], [5, 20]])
def test_every_picture_once(length, keyframes):
    found = clip(50, keyframes)
    segments = plan(found, length)
    assert [segment.number for segment in segments] == list(range(len(segments)))
    place = 0
    for segment in segments:
        assert segment.first == place and 1 <= segment.count <= 2 * length
        place += segment.count
        before = [key for key in keyframes if key <= segment.first]
        assert segment.seek == (found.times[before[-1]] if before and before[-1] else None)
    assert place == 50
    assert segments == plan(found, length)


def test_segments_begin_at_keyframes():
    assert [segment.first for segment in plan(clip(100, [0, 20, 40, 60, 80]), 25)] == [0, 20, 40, 60, 80]
    assert [segment.first for segment in plan(clip(100, [0, 48, 95]), 50)] == [0, 48, 95]
    assert [segment.first for segment in plan(clip(100, [0]), 30)] == [0, 30, 60, 90]


def test_files_without_times_are_not_cut():
    assert plan(clip(50, [0, 10], timed=False), 7) == [Segment(0, 0, 50, None)]


def test_no_segments_of_nothing():
    with pytest.raises(ValueError, match="at least 1"):
        plan(clip(5, [0]), 0)


def test_images_of_a_segment():
    found = clip(5, [0, 1, 2, 3, 4], images=["a", "b", "c", "d", "e"])
    assert source(found, Segment(1, 2, 2, 80)) == {"images": ["c", "d"], "framerate": "25/1"}
