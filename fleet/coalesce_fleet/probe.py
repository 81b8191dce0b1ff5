# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an input holds, read from its packets: no picture is decoded.

Times are nanoseconds from the first picture, which is what GStreamer's decoders show too once their own first picture
is taken as zero.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import re
from fractions import Fraction

import av
import av.logging

SECOND = 1_000_000_000


class InputError(Exception):
    """An input that cannot be encoded. The text names the file and the place."""


@dataclasses.dataclass
class Audio:
    """One audio stream. `start` and `end` count from the first picture."""

    number: int
    codec: str
    format: str
    rate: int
    channels: int
    start: int
    end: int

    @property
    def pcm(self) -> bool:
        return self.codec.startswith("pcm_") and self.codec not in ("pcm_mulaw", "pcm_alaw")


@dataclasses.dataclass
class Probe:
    """`times` has the presentation time of every picture in order; `keyframes` the places among them where decoding can
    start. Without `timed`, the file has no presentation times: pictures are counted, and the file is decoded from its
    start. `others` are the streams that no output carries."""

    path: str
    images: list[str]
    container: str
    stream: int
    rate: str
    times: list[int]
    keyframes: list[int]
    duration: int
    timed: bool
    audio: list[Audio]
    timecode: str | None
    others: list[str]

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def constant_rate(self) -> bool:
        return _fits(Fraction(self.rate), self.times)

    def to_json(self) -> dict:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict) -> Probe:
        return cls(**{**value, "audio": [Audio(**audio) for audio in value["audio"]]})


@dataclasses.dataclass
class Options:
    """What the user agreed to leave out."""

    no_audio: bool = False
    no_timecode: bool = False


def _nanoseconds(value: int, base: Fraction) -> int:
    return round(value * base * SECOND)


def probe(path: str, stream: int = 0) -> Probe:
    """Reads the packets of video stream `stream` (of the video streams) of the file."""
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file")
    if os.path.getsize(path) == 0:
        raise InputError(f"{path}: the file is empty")
    level = av.logging.get_level()
    av.logging.set_level(av.logging.ERROR)
    try:
        with av.logging.Capture() as said, av.open(path) as container:
            found = _probe(path, container, stream)
            complaints = [text.strip() for _, name, text in said if name == container.format.name]
    except av.FFmpegError as error:
        raise InputError(f"{path}: not readable as video: {error.strerror}") from error
    finally:
        av.logging.set_level(level)
    if complaints:
        raise InputError(f"{path}: the file is cut short or damaged: {found.count} pictures, {found.duration / SECOND:.3f} s "
                         f"can be read: {complaints[0]}")
    return found


def _probe(path: str, container, number: int) -> Probe:
    videos = [stream for stream in container.streams.video
              if not (stream.disposition & av.stream.Disposition.attached_pic)]
    if not videos:
        raise InputError(f"{path}: the file has no video")
    if number >= len(videos):
        raise InputError(f"{path}: there is no video stream {number}: the file has {len(videos)}")
    video = videos[number]
    context = video.codec_context
    packets, heard = [], {}
    size = os.path.getsize(path)
    wanted = {video.index, *(audio.index for audio in container.streams.audio)}
    try:
        for packet in container.demux([s for s in container.streams if s.index in wanted]):
            if packet.size == 0:
                continue
            if packet.stream.index != video.index:
                if packet.pts is not None and not packet.is_discard:
                    at = _nanoseconds(packet.pts, packet.time_base)
                    heard.setdefault(packet.stream.index, [at, at])[1] = at + _nanoseconds(packet.duration or 0,
                                                                                          packet.time_base)
                continue
            if packet.is_corrupt:
                raise InputError(f"{path}: the file is cut short or damaged at picture {len(packets)} "
                                 f"(byte {packet.pos} of {size})")
            packets.append((packet.pts, packet.dts, packet.duration, packet.is_keyframe, packet.is_discard))
    except av.FFmpegError as error:
        raise InputError(f"{path}: reading stopped at picture {len(packets)}: {error.strerror}") from error
    if not packets:
        raise InputError(f"{path}: video stream {number} has no pictures")
    base = video.time_base
    # Program streams have times for few pictures, and AVI has none for pictures that are shown in another order than that
    # of the file; readers make up the others, each in its way.
    timed = all(packet[0] is not None for packet in packets) and not (
        container.format.name == "mpeg" or container.format.name == "avi" and context.has_b_frames)
    if timed:
        # An edit may begin within a picture, which is shown for the rest of its time.
        shown = [(max(packet[0], 0) if packet[4] else packet[0], *packet[1:]) for packet in packets
                 if not packet[4] or packet[0] < 0 < packet[0] + packet[2]]
        keys = [packet[0] for packet in packets if packet[3]]
        if not keys:
            raise InputError(f"{path}: video stream {number} has no keyframe: nothing can be decoded")
        # Pictures shown before the first keyframe refer to one that the file does not have.
        shown = sorted(packet for packet in shown if packet[0] >= keys[0])
        if not shown:
            raise InputError(f"{path}: video stream {number} has no pictures")
        start = shown[0][0]
        raw = [packet[0] for packet in shown]
        for a, b in zip(raw, raw[1:]):
            if a == b:
                raise InputError(f"{path}: two pictures have the presentation time "
                                 f"{float((a - start) * base):.3f} s")
        times = [_nanoseconds(value - start, base) for value in raw]
        keyframes = [place for place, packet in enumerate(shown) if packet[3]]
        last = shown[-1][2] or 0
        zero = _nanoseconds(start, base)
        rate = _rate(video, times)
    else:
        rate = video.guessed_rate or video.average_rate or Fraction(25)
        times = [round(place * SECOND / rate) for place in range(len(packets))]
        keyframes, last, zero = [0], 0, 0
    end = times[-1] + (_nanoseconds(last, base) if last else round(SECOND / rate))
    sounds = []
    for place, audio in enumerate(container.streams.audio):
        c = audio.codec_context
        sounds.append(Audio(place, c.name, c.format.name if c.format else "", c.sample_rate or 0, _channels(c),
                            *(at - zero for at in heard.get(audio.index, [zero, zero]))))
    if context.width <= 0 or context.height <= 0:
        raise InputError(f"{path}: video stream {number} has no size: its first pictures are missing or damaged")
    return Probe(path=path, images=[], container=container.format.name, stream=number,
                 rate=f"{rate.numerator}/{rate.denominator}", times=times, keyframes=keyframes, duration=end, timed=timed, audio=sounds,
                 timecode=_timecode(container, video),
                 others=[f"{stream.type} stream {stream.index}" for stream in container.streams
                         if stream.index not in wanted and stream.metadata.get("handler_name") != "TimeCodeHandler"])


def _channels(context) -> int:
    # PyAV 18 frees a layout that names its channels one by one twice, with the context too: this one is never freed.
    layout = context.layout
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(layout))
    return layout.nb_channels


def _fits(rate: Fraction, times: list[int]) -> bool:
    """Whether every picture stands where the rate puts it, within the rounding of containers (1 ms)."""
    return all(abs(time - number * SECOND / rate) <= 1_500_000 for number, time in enumerate(times))


def _rate(video, times: list[int]) -> Fraction:
    """The rate that the file names if its pictures keep it; else their average."""
    for rate in (video.guessed_rate, video.average_rate):
        if rate and _fits(rate, times):
            return rate
    if len(times) < 2:
        return video.guessed_rate or video.average_rate or Fraction(25)
    return Fraction((len(times) - 1) * SECOND, times[-1]).limit_denominator(1001)


def _timecode(container, video) -> str | None:
    for holder in (video, *container.streams, container):
        code = holder.metadata.get("timecode")
        if code:
            return code
    return None


def probe_images(images: list[str], framerate: str = "25/1") -> Probe:
    """An image sequence: the pictures in the order given, one after another at `framerate`."""
    if not images:
        raise InputError("an image sequence has no images")
    rate = Fraction(framerate)
    if rate <= 0:
        raise InputError(f"framerate {framerate}: a sequence needs more than 0")
    first = images[0]
    for image in images:
        if not os.path.isfile(image):
            raise InputError(f"{image}: no such file")
        if os.path.getsize(image) == 0:
            raise InputError(f"{image}: the file is empty")
    try:
        with av.open(first) as container:
            context = container.streams.video[0].codec_context
            width, height = context.width, context.height
    except (av.FFmpegError, IndexError) as error:
        raise InputError(f"{first}: not readable as a picture: {error}") from error
    if width <= 0 or height <= 0:
        raise InputError(f"{first}: not readable as a picture: it has no size")
    times = [round(number * SECOND / rate) for number in range(len(images) + 1)]
    return Probe(path=os.path.dirname(first), images=list(images), container="images", stream=0,
                 rate=f"{rate.numerator}/{rate.denominator}", times=times[:-1], keyframes=list(range(len(images))), duration=times[-1], timed=True, audio=[], timecode=None, others=[])


# PCM that a container's muxer in GStreamer takes, and what would do instead.
SAMPLES = {"mxf": {"u8", "s8", "s16", "s24", "s32"}, "mj2": {"u8", "s8", "s16"}}
# Sound after the last picture that MXF leaves out, said in the log: the last frame of a compressed stream reaches there.
TAIL = SECOND // 10


def refusals(found: Probe, container: str, options: Options) -> list[str]:
    """What `container` (mxf, mj2, jp2) cannot carry of this input, a line each; empty if all of it can be carried."""
    lines = []
    audio = [] if options.no_audio else found.audio
    timecode = None if options.no_timecode else found.timecode
    if container == "jp2":
        if audio:
            lines.append("stills (jp2) carry no audio: --no-audio leaves it out; --container mxf carries it")
        if timecode:
            lines.append(f"stills (jp2) carry no timecode ({timecode}): --no-timecode leaves it out; "
                         "--container mxf carries it")
        return [f"{found.path}: {line}" for line in lines]
    if container == "mxf" and not found.constant_rate:
        lines.append(f"mxf carries pictures at one rate only, and these have times of their own (on average "
                     f"{float(Fraction(found.rate)):.3f} a second): --container mj2 carries them")
    for one in audio:
        what = f"audio {one.number} ({one.codec}, {one.channels} channels, {one.rate} Hz)"
        instead = f"; --container {'mj2' if container == 'mxf' else 'mxf'} carries it" if all(
            not problem for problem in _sound(one, found, "mj2" if container == "mxf" else "mxf")) else ""
        lines += [f"{container} does not carry {what}: {problem}: --no-audio leaves it out{instead}"
                  for problem in _sound(one, found, container)]
    if timecode:
        problem = _timecode_problem(timecode, found)
        if problem:
            lines.append(f"{container} does not carry timecode {timecode}: {problem}: --no-timecode leaves it out")
    return [f"{found.path}: {line}" for line in lines]


def _sound(one: Audio, found: Probe, container: str) -> list[str]:
    problems = []
    if one.pcm:
        width = one.codec.removeprefix("pcm_").split("_")[0].removesuffix("le").removesuffix("be")
        if width not in SAMPLES[container]:
            problems.append(f"its samples are {width}, the muxer takes {', '.join(sorted(SAMPLES[container]))}")
    if container == "mj2" and one.channels > 2:
        problems.append("the muxer takes 2 channels at most")
    if found.container.startswith("mov") and one.codec == "pcm_s32le":
        problems.append("qtdemux of GStreamer 1.22 takes its samples for big-endian")
    if found.container.startswith("mov") and container == "mxf" and one.pcm and one.rate > 65535:
        problems.append("its samples did not come out equal above 65,535 Hz")
    if container == "mj2" and one.rate > 65535:
        problems.append("the muxer takes up to 65,535 Hz")
    if container == "mxf" and one.end > found.duration + TAIL:
        problems.append(f"it ends {(one.end - found.duration) / SECOND:.3f} s after the last picture")
    return problems


def _timecode_problem(timecode: str, found: Probe) -> str | None:
    rate = Fraction(found.rate)
    base = round(rate)
    parts = re.fullmatch(r"(\d\d):(\d\d):(\d\d)([:;.])(\d\d)", timecode)
    if not parts:
        return "it is not HH:MM:SS:FF"
    hours, minutes, seconds, frames = (int(parts[place]) for place in (1, 2, 3, 5))
    drop = parts[4] != ":"
    if not found.constant_rate:
        return "the pictures have no constant rate"
    if hours > 23 or minutes > 59 or seconds > 59 or frames >= base:
        return f"there is no such time at {found.rate} pictures a second"
    if drop and rate not in (Fraction(30000, 1001), Fraction(60000, 1001)):
        return f"no frames are dropped at {found.rate} pictures a second"
    if drop and seconds == 0 and minutes % 10 and frames < base // 15:
        return "this number is one of those dropped"
    return None


if __name__ == "__main__":
    import sys

    print(json.dumps(probe(sys.argv[1]).to_json()))
