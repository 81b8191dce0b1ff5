# SPDX-License-Identifier: LGPL-2.1-or-later
"""Joins the segments of an item to one file, with the sound and the timecode of the original: the same bytes always.

What was written is read back before it is said to be done: codestreams, samples and timecode must be those put in.
"""

import fractions
import hashlib
import itertools
import json
import math
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import SECOND, Failure, GLib, Gst, GstVideo, parse_bin, raise_errors, raise_message, run, say, with_rate  # noqa: E402
from fixed import fix, read_timecode  # noqa: E402

DROP = GstVideo.VideoTimeCodeFlags.DROP_FRAME
# Codestreams and sound that wait for the muxer.
WAITING = 64 << 20


class Shares:
    """The sound of each picture, in buffers of which mxfmux makes just that.

    At 48 kHz, five pictures of 30000/1001 have 1602, 1601, 1602, 1601, 1602 samples. mxfmux of GStreamer 1.22 adds up
    fractions of a sample to one sample more, then begins at 0 instead of what is over, and is short of samples in time.
    But it adds up for each buffer, also for one of a single sample, which it keeps for the next."""

    def __init__(self, rate, fps):
        self.rate, self.fps, self.pictures, self.rest = rate, fps, 0, 0
        self.samples, self.more = divmod(rate * fps.denominator, fps.numerator)

    def next(self):
        """The sizes of the buffers for one more picture, in samples."""
        before, self.pictures = self.until(), self.pictures + 1
        left, sizes = self.until() - before, []
        while True:
            self.rest += self.more
            full = self.rest >= self.fps.numerator
            if full:
                self.rest = 0
            if self.samples + full == left + sum(sizes):
                return [*sizes, left]
            sizes.append(1)
            left -= 1

    def until(self):
        """The samples of the pictures so far."""
        return round(self.pictures * self.rate / self.fps)


class Segments:
    """The codestreams of all segments in order. What was written is compared with their digests."""

    def __init__(self, job):
        self.caps, self.zero, self.number = None, 0, 0
        self.indexes = []
        for path, index in job["segments"]:
            with open(index) as file:
                value = json.load(file)
            for name in ("caps", "input_caps"):
                if self.indexes and value[name] != self.indexes[0][name]:
                    raise Failure("corrupt-input", f"the pictures change at picture {value['first']} from "
                                                   f"{self.indexes[0][name]} to {value[name]}")
            if value["first"] != sum(one["count"] for one in self.indexes):
                raise Failure("lost", f"{path}: the segment begins at picture {value['first']}, the one before ends at "
                                      f"{sum(one['count'] for one in self.indexes)}")
            self.indexes.append(value)
        if sum(one["count"] for one in self.indexes) != job["count"]:
            raise Failure("lost", f"the segments have {sum(one['count'] for one in self.indexes)} pictures of "
                                  f"{job['count']}")
        self.caps, self.zero = self.indexes[0]["caps"], self.indexes[0].get("zero") or 0
        self.raw_times = self.indexes[0].get("raw_times", False)
        self.paths = [path for path, _ in job["segments"]]

    def __iter__(self):
        for path, index in zip(self.paths, self.indexes):
            with open(path, "rb") as file:
                for pts, duration, size in index["frames"]:
                    data = file.read(size)
                    if len(data) != size:
                        raise Failure("lost", f"{path}: the segment is not what was encoded")
                    yield pts, duration, data


class Sound:
    """The samples of all audio streams, from the time of the first picture on."""

    def __init__(self, job, segments):
        self.job, self.place = job, job["input"].get("path", "")
        self.segments, self.pads, self.failure, self.linked = segments, [], None, False
        self.pipeline = Gst.Pipeline.new(None)
        self.bin = Gst.ElementFactory.make("uridecodebin")
        self.bin.set_property("uri", Gst.filename_to_uri(self.place))
        self.bin.set_property("caps", Gst.Caps.from_string("audio/x-raw(ANY)"))
        self.bin.set_property("expose-all-streams", False)
        self.bin.connect("pad-added", lambda _, pad: self.pads.append(pad))
        self.bin.connect("no-more-pads", self._link)
        self.pipeline.add(self.bin)
        self.tracks = [Track(self, audio, job["container"]) for audio in job["audio"]]
        self.pipeline.set_state(Gst.State.PLAYING)

    def _link(self, _):
        pads = sorted(self.pads, key=lambda pad: pad.get_stream_id() or "")
        if len(pads) != len(self.tracks):
            self.failure = Failure("missing-element", f"{self.place}: {len(pads)} of {len(self.tracks)} audio streams "
                                                      "can be decoded")
            return
        for pad, track in zip(pads, self.tracks):
            pad.link(track.head.get_static_pad("sink"))

    def check(self):
        if self.failure:
            raise self.failure
        raise_errors(self.pipeline, self.place, self.bin)

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


class Track:
    def __init__(self, sound, audio, container):
        self.sound, self.audio = sound, audio
        self.rate, self.channels = audio["rate"], audio["channels"]
        self.format = sample_format(audio["codec"], audio["format"], container)
        self.width = {"U8": 1, "S8": 1, "S16LE": 2, "S24LE": 3, "S32LE": 4}[self.format]
        self.frame = self.width * self.channels
        self.zero = (b"\x80" if self.format == "U8" else b"\0") * self.frame
        self.caps = f"audio/x-raw,format={self.format},rate={self.rate},channels={self.channels},layout=interleaved"
        if self.channels > 2:
            self.caps += ",channel-mask=(bitmask)0x0"
        convert = "audioconvert dithering=none noise-shaping=none"
        if self.channels > 2:  # as they are: without positions, nothing is mixed
            convert = f"capssetter caps=audio/x-raw,channel-mask=(bitmask)0x0 ! {convert}"
        self.head = parse_bin(convert)
        self.sink = Gst.ElementFactory.make("appsink")
        self.sink.set_property("sync", False)
        self.sink.set_property("max-buffers", 4096)
        self.sink.set_property("caps", Gst.Caps.from_string(self.caps))
        sound.pipeline.add(self.head)
        sound.pipeline.add(self.sink)
        self.head.link(self.sink)
        self.kept, self.done, self.samples, self.silence, self.ended = bytearray(), 0, 0, 0, False
        self.digest = hashlib.sha256()
        self.notes = []
        if not audio["codec"].startswith("pcm_"):
            self.notes.append(f"audio {audio['number']}: {audio['codec']} is decoded to {self.format}")

    def _more(self):
        """One more buffer of the decoder at its place in time; False at the end."""
        while True:
            sample = self.sink.emit("try-pull-sample", 100_000_000)
            self.sound.check()
            if sample:
                break
            if self.sink.get_property("eos"):
                self.ended = True
                return False
        buffer = sample.get_buffer()
        data = buffer.extract_dup(0, buffer.get_size())
        now = buffer.pts
        if now == Gst.CLOCK_TIME_NONE:
            at = self.samples
        else:
            if not self.sound.segments.raw_times:
                sign, now = sample.get_segment().to_stream_time_full(Gst.Format.TIME, buffer.pts)
                now = now if sign >= 0 else -now
            at = round((now - self.sound.segments.zero) * self.rate / SECOND)
        off = at - self.samples
        # Containers round times to a millisecond; the first buffer is placed to the sample.
        if off and (self.samples == 0 or abs(off) > self.rate // 25):
            if off > 0:
                self.notes.append(f"audio {self.audio['number']}: {off} samples of silence at sample {self.samples}")
                self._add(self.zero * off)
            else:
                cut = min(-off, len(data) // self.frame)
                self.notes.append(f"audio {self.audio['number']}: {cut} samples before the first picture are left out"
                                  if self.samples == 0 else
                                  f"audio {self.audio['number']}: {cut} samples shown twice at sample {self.samples} "
                                  "are left out")
                data = data[cut * self.frame:]
        self._add(data)
        return True

    def _add(self, data):
        self.kept += data
        self.samples += len(data) // self.frame

    def take(self, count):
        """The next `count` samples, with silence where the stream has ended."""
        end = self.done + count
        while self.samples < end and not self.ended:
            self._more()
        if self.samples < end:
            self.silence += end - self.samples
            self._add(self.zero * (end - self.samples))
        return self._give(count * self.frame)

    def finish(self):
        """Leaves out what was not taken."""
        if self.silence:
            self.notes.append(f"audio {self.audio['number']}: {self.silence} samples of silence at the end")
        while not self.ended:
            self._more()
        if self.kept:
            self.notes.append(f"audio {self.audio['number']}: {self.samples - self.done} samples after the last picture "
                              "are left out")

    def until(self, end):
        """The samples before sample `end` that were not given yet (None: all)."""
        while not self.ended and (end is None or self.samples < end):
            self._more()
        return self._give(len(self.kept) if end is None else max(0, min(len(self.kept), (end - self.done) * self.frame)))

    def _give(self, size):
        data = bytes(self.kept[:size])
        del self.kept[:size]
        self.done += size // self.frame
        self.digest.update(data)
        return data


def sample_format(codec, format, container):
    """The format of the samples in the container: PCM as it is, else what the decoder's precision needs."""
    if codec.startswith("pcm_") and codec not in ("pcm_mulaw", "pcm_alaw"):
        width = codec.removeprefix("pcm_").rstrip("lbe").split("_")[0]
        return {"u8": "U8", "s8": "S8" if container == "mj2" else "U8", "s16": "S16LE", "s24": "S24LE", "s32": "S32LE"}[width]
    return "S16LE" if container == "mj2" or format.rstrip("p") in ("s16", "u8") else "S24LE"


def timecode_of(text, rate):
    flags = DROP if ";" in text else GstVideo.VideoTimeCodeFlags.NONE
    hours, minutes, seconds, frames = map(int, text.replace(";", ":").replace(".", ":").split(":"))
    day = GLib.DateTime.new_utc(1970, 1, 1, 0, 0, 0)
    code = GstVideo.VideoTimeCode.new(rate.numerator, rate.denominator, day, flags, hours, minutes, seconds, frames, 0)
    if not code.is_valid():
        raise Failure("corrupt-input", f"timecode {text} does not exist at {rate} pictures a second")
    return code


class Feed:
    """appsrcs into a muxer, in the order of time, so that the muxer never waits for what is not there."""

    def __init__(self, job, segments, tracks):
        self.pipeline = Gst.Pipeline.new(None)
        self.muxer = Gst.ElementFactory.make({"mxf": "mxfmux", "mj2": "mj2mux"}[job["container"]])
        if self.muxer is None:
            raise Failure("missing-element", f"there is no {job['container']}mux: it is in GStreamer's plugins-bad "
                                             "(mxf) and plugins-good (isomp4)")
        sink = Gst.ElementFactory.make("filesink")
        sink.set_property("location", job["out"])
        for element in (self.muxer, sink):
            self.pipeline.add(element)
        self.muxer.link(sink)
        self.rate = fractions.Fraction(job["rate"])
        caps = with_rate(Gst.Caps.from_string(segments.caps), job["rate"])
        self.video = self._source(caps, {"mxf": "jpeg2000_video_sink_%u", "mj2": "video_%u"}[job["container"]])
        self.audio = [self._source(Gst.Caps.from_string(track.caps),
                                   {"mxf": "bwf_audio_sink_%u", "mj2": "audio_%u"}[job["container"]])
                      for track in tracks]
        if job["container"] == "mj2":
            self.muxer.set_property("force-create-timecode-trak", bool(job["timecode"]))
            # Edit lists are in this scale: a coarser one cuts off the last samples.
            scale = math.lcm(*(track.rate for track in tracks))
            if scale > 1 and scale * (job["duration"] // SECOND + 60) < 1 << 32:
                self.muxer.set_property("movie-timescale", scale)

    def _source(self, caps, template):
        source = Gst.ElementFactory.make("appsrc")
        source.set_property("caps", caps)
        source.set_property("format", Gst.Format.TIME)
        source.set_property("max-bytes", 0)
        source.set_locked_state(True)
        self.pipeline.add(source)
        pad = self.muxer.request_pad(self.muxer.get_pad_template(template), None, None)
        if pad is None or source.get_static_pad("src").link(pad) != Gst.PadLinkReturn.OK:
            raise Failure("pipeline", f"{self.muxer.get_name()} does not take {caps.to_string()}")
        return source

    def start(self):
        """Starts the streams one after another: mxfmux describes them in the order in which their caps come."""
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            self.check()
            raise Failure("lost", "the muxer did not start")
        for source in (self.video, *self.audio):
            wanted = threading.Event()
            source.connect("need-data", lambda *_: wanted.set())
            source.set_locked_state(False)
            source.sync_state_with_parent()
            while not wanted.wait(0.02):
                self.check()

    def push(self, source, buffer):
        if source.emit("push-buffer", buffer) not in (Gst.FlowReturn.OK, Gst.FlowReturn.EOS):
            self.check()
        while self.video.get_property("current-level-bytes") > WAITING:
            self.check()
            time.sleep(0.01)

    def check(self):
        raise_errors(self.pipeline, "the container", None)

    def finish(self):
        for source in (self.video, *self.audio):
            source.emit("end-of-stream")
        bus = self.pipeline.get_bus()
        while True:
            message = bus.timed_pop_filtered(SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            if message and message.type == Gst.MessageType.EOS:
                return
            if message:
                raise_message(message, "the container", None)


def mux(job):
    segments = Segments(job)
    sound = Sound(job, segments) if job["audio"] else None
    tracks = sound.tracks if sound else []
    feed = Feed(job, segments, tracks)
    sounds = [(source, track, Shares(track.rate, feed.rate)) for source, track in zip(feed.audio, tracks)]
    count = 0
    code = timecode_of(job["timecode"], feed.rate) if job["timecode"] else None
    start = (code.frames_since_daily_jam(), round(feed.rate), code.config.flags & DROP != 0) if code else None
    try:
        feed.start()
        for pts, duration, data in segments:
            buffer = Gst.Buffer.new_wrapped(data)
            buffer.pts = buffer.dts = pts
            buffer.duration = duration
            if code:
                GstVideo.buffer_add_video_time_code_meta(buffer, code)
                code.increment_frame()
            feed.push(feed.video, buffer)
            for source, track, shares in sounds:
                if job["container"] == "mxf":
                    for samples in shares.next():
                        push_sound(feed, source, track, track.take(samples))
                else:
                    push_sound(feed, source, track, track.until(round((pts + duration) * track.rate / SECOND)))
            count += 1
            if count % 64 == 0:
                say(progress=count)
        for source, track, _ in sounds:
            if job["container"] == "mxf":  # tracks of MXF are all of one length
                track.finish()
            else:
                push_sound(feed, source, track, track.until(None))
        feed.finish()
    finally:
        feed.pipeline.set_state(Gst.State.NULL)
        if sound:
            sound.stop()
    fix(job["out"], job["container"], job["name"], start)
    whole = Whole(job["out"])
    whole.start()
    check(job, segments, tracks)
    return {"count": count, "samples": [track.done for track in tracks], **whole.result(),
            "notes": [note for track in tracks for note in track.notes]}


def push_sound(feed, source, track, data):
    """`data`: the samples that the track gave last."""
    if data:
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = (track.done - len(data) // track.frame) * SECOND // track.rate
        buffer.duration = track.done * SECOND // track.rate - buffer.pts
        feed.push(source, buffer)


class Whole(threading.Thread):
    """The digest of a file and its bytes, which are on disk then."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.digest, self.bytes, self.failure = path, hashlib.sha256(), 0, None

    def run(self):
        try:
            with open(self.path, "rb") as file:
                os.fsync(file.fileno())
                while block := file.read(1 << 20):
                    self.digest.update(block)
                    self.bytes += len(block)
        except OSError as failure:
            self.failure = failure

    def result(self):
        self.join()
        if self.failure:
            raise self.failure
        return {"bytes": self.bytes, "sha256": self.digest.hexdigest()}


class Read:
    """Pads of a demuxer: what comes of each is hashed, of the video a segment at a time."""

    def __init__(self, path, container, counts):
        self.ends = set(itertools.accumulate(counts))
        self.pipeline = Gst.parse_launch(f"filesrc name=file ! {'mxfdemux' if container == 'mxf' else 'qtdemux'} "
                                         "name=demux")
        self.pipeline.get_by_name("file").set_property("location", path)
        self.streams = []
        self.pipeline.get_by_name("demux").connect("pad-added", self._pad)

    def _pad(self, _, pad):
        stream = {"id": pad.get_stream_id() or "", "count": 0, "sizes": [], "hash": hashlib.sha256(), "hashes": [],
                  "caps": pad.get_current_caps().to_string()}
        self.streams.append(stream)
        queue, sink = Gst.ElementFactory.make("queue"), Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        for element in (queue, sink):
            self.pipeline.add(element)
        queue.link(sink)
        pad.link(queue.get_static_pad("sink"))
        queue.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self._buffer, stream)
        for element in (queue, sink):
            element.sync_state_with_parent()

    def _buffer(self, _, info, stream):
        data = info.get_buffer().extract_dup(0, info.get_buffer().get_size())
        stream["count"] += 1
        stream["hash"].update(data)
        if stream["caps"].startswith("audio/"):
            stream["sizes"].append(len(data))
        elif stream["count"] in self.ends:
            stream["hashes"].append(stream["hash"].hexdigest())
            stream["hash"] = hashlib.sha256()
        return Gst.PadProbeReturn.OK

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        message = self.pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE,
                                                             Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        if message.type == Gst.MessageType.ERROR:
            error, _ = message.parse_error()
            raise Failure("lost", f"the written file cannot be read: {error.message}")
        return sorted(self.streams, key=lambda stream: stream["id"])


def check(job, segments, tracks):
    count = job["count"]
    streams = Read(job["out"], job["container"], [index["count"] for index in segments.indexes]).run()
    videos = [one for one in streams if not one["caps"].startswith("audio/")]
    sounds = [one for one in streams if one["caps"].startswith("audio/")]
    if len(videos) != 1 or videos[0]["count"] != count or videos[0]["hashes"] != [index["sha256"] for index in segments.indexes]:
        raise Failure("lost", f"the written file has {videos[0]['count'] if videos else 0} pictures of {count}, or "
                              "other codestreams than were encoded")
    if len(sounds) != len(tracks):
        raise Failure("lost", f"the written file has {len(sounds)} audio streams of {len(tracks)}")
    for one, track in zip(sounds, tracks):
        size = sum(one["sizes"])
        if size != track.done * track.frame or one["hash"].hexdigest() != track.digest.hexdigest():
            raise Failure("lost", f"the written file has {size // track.frame} samples of {track.done} of audio "
                                  f"{track.audio['number']}, or other samples")
        shares = Shares(track.rate, fractions.Fraction(job["rate"]))
        if job["container"] == "mxf" and one["sizes"] != [sum(shares.next()) * track.frame for _ in range(count)]:
            raise Failure("lost", f"mxfmux of {Gst.version_string()} puts samples of audio {track.audio['number']} beside "
                                  "other pictures than theirs: --no-audio leaves them out")
    if job["timecode"]:
        written = read_timecode(job["out"], job["container"], fractions.Fraction(job["rate"]))
        if written.replace(";", ":") != job["timecode"].replace(";", ":").replace(".", ":"):
            raise Failure("lost", f"the written file has timecode {written}, not {job['timecode']}")


if __name__ == "__main__":
    run(mux)
