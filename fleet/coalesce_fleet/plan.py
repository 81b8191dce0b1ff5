# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cuts an item into segments that are encoded by themselves, and writes the jobs of the GStreamer processes."""

from __future__ import annotations

import bisect
import dataclasses

from .probe import Options, Probe

# What the encoder's output is for a container: what the muxer takes. mxfmux takes no grey pictures. mj2mux of GStreamer
# 1.22 wants the header of a jp2c box, and 16 pixels at least.
CAPS = {"mxf": "image/x-jpc,colorspace=(string){sRGB,sYUV}",
        "mj2": "image/x-j2c,width=[16,2147483647],height=[16,2147483647]", "jp2": "image/jp2"}


@dataclasses.dataclass
class Segment:
    """Pictures [first, first + count) of the item. `seek` is the time of the keyframe to decode from; None: the start
    of the file."""

    number: int
    first: int
    count: int
    seek: int | None


def plan(found: Probe, segment_frames: int) -> list[Segment]:
    """Segments of about `segment_frames` pictures: they begin at keyframes where there are any near, and depend on
    nothing but the arguments."""
    if segment_frames < 1:
        raise ValueError("a segment has at least 1 picture")
    if not found.timed:
        return [Segment(0, 0, found.count, None)]
    cuts, place, keys = [0], 0, found.keyframes
    while True:
        wanted = place + segment_frames
        if wanted >= found.count:
            break
        near = keys[bisect.bisect_left(keys, place + (segment_frames + 1) // 2):
                    bisect.bisect_left(keys, place + 2 * segment_frames)]
        place = min(near, key=lambda key: (abs(key - wanted), key), default=wanted)
        cuts.append(place)
    cuts.append(found.count)
    segments = []
    for number, (first, end) in enumerate(zip(cuts, cuts[1:])):
        before = bisect.bisect_right(keys, first) - 1
        key = keys[before] if before >= 0 else 0
        segments.append(Segment(number, first, end - first, found.times[key] if key > 0 else None))
    return segments


def source(found: Probe, segment: Segment | None = None) -> dict:
    """The "input" of a job."""
    if not found.images:
        return {"path": found.path, "stream": found.stream}
    images = found.images[segment.first:segment.first + segment.count] if segment else found.images
    return {"images": images, "framerate": found.rate}


def encode_job(found: Probe, segment: Segment, pipeline: str, container: str, made_by: str, out: str = "",
               index: str = "") -> dict:
    """Encodes a segment into the file `out` (jp2: the folder) and its index JSON `index`; both are temporary names.
    `made_by`: the versions that the item was begun with."""
    times = found.times[segment.first:segment.first + segment.count + 1]
    if len(times) == segment.count:
        times.append(found.duration)
    return {"input": source(found, segment), "pipeline": pipeline, "caps": CAPS[container], "first": segment.first,
            "count": segment.count, "times": times, "timed": found.timed, "seek": segment.seek, "made_by": made_by,
            "out": out, "index": index}


def join_job(found: Probe, container: str, segments: list[tuple[str, str]], out: str, options: Options,
             name: str) -> dict:
    """Joins segments, pairs of codestreams and index in order, into the file `out`. `name` seeds the file's own
    identifiers, so that the same item is the same bytes."""
    return {"input": source(found), "container": container, "segments": segments, "out": out, "name": name,
            "rate": found.rate, "duration": found.duration, "count": found.count,
            "audio": [] if options.no_audio else [dataclasses.asdict(audio) for audio in found.audio],
            "timecode": None if options.no_timecode else found.timecode}


def verify_job(found: Probe, pipeline: str, container: str, path: str, min_psnr: float | None) -> dict:
    """Decodes what was written at `path` with OpenJPEG and compares it with what enters the encoder."""
    return {"input": source(found), "pipeline": pipeline, "container": container, "caps": CAPS[container], "path": path,
            "times": [*found.times, found.duration], "timed": found.timed, "count": found.count,
            "min_psnr": min_psnr}
