# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decoded pictures of an input, those of a segment only: found by presentation time, counted, none lost unseen."""

import bisect
import os
import re
import threading

from common import SECOND, Failure, Gst, GstBase, raise_errors, with_rate

# What FFmpeg's decoders say of a damaged picture that they show all the same. Pictures that only lack their references,
# as after a seek to an open group, are not among them.
DAMAGE = re.compile(r"error while decoding|concealing \d+|damaged|CRC mismatch|Invalid NAL|end mismatch|overread|"
                    r"invalid (?:mb|cbp|level|prefix)|slice too small", re.I)


class Damage:
    """FFmpeg's first complaint while `listens`, through GStreamer's log."""

    def __init__(self):
        self.first, self.listens = None, True
        Gst.debug_remove_log_function(None)
        Gst.debug_add_log_function(self.log)
        Gst.debug_set_active(True)
        Gst.debug_set_threshold_for_name("libav", Gst.DebugLevel.ERROR)

    def log(self, category, level, file, function, line, source, message, *rest):
        text = message.get() or ""
        if self.listens and self.first is None and category.get_name() == "libav" and DAMAGE.search(text):
            self.first = text.strip()


def brief(caps):
    """The format and the size of pictures."""
    one = caps.get_structure(0)
    return f"{one.get_string('format')} {one.get_int('width').value}x{one.get_int('height').value}"


def is_cut_short(data):
    """Whether a JPEG file has no end of image after its scan: decoders fill the rest with grey."""
    at = 2
    while data.startswith(b"\xff\xd8\xff") and at + 4 <= len(data) and data[at] == 0xFF:
        if data[at + 1] == 0xDA:
            return data.find(b"\xff\xd9", at) < 0
        at += 1 if data[at + 1] == 0xFF else 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return False


class Pictures:
    """`mode`: seek (to the keyframe before), start (of the file), count (from the start, without times), images."""

    damage = None
    contexts = []  # of the pipelines before, as a GPU's: making one takes long

    def __init__(self, job, mode):
        self.job, self.mode = job, mode
        self.source, self.times = job["input"], job["times"]
        self.first, self.count = job.get("first", 0), job["count"]
        self.place = self.source.get("path") or " … ".join(dict.fromkeys(
            (self.source["images"][0], os.path.basename(self.source["images"][-1]))))
        self.shown = set()  # the times of images that came
        self.pipeline = Gst.Pipeline.new(None)
        for context in Pictures.contexts:
            self.pipeline.set_context(context)
        self.bin = self.target = self.pad = None
        self.pads, self.failure, self.caps, self.brief = [], None, None, "what it has"
        self.number, self.counted, self.zero, self.came, self.ended = 0, 0, None, [False] * self.count, False
        self.waiting, self.raw_times = mode == "seek", False
        self.known, self.linked = threading.Event(), threading.Event()
        gap = min(b - a for a, b in zip(self.times, self.times[1:]))
        self.tolerance = min(2_000_000, gap * 2 // 5)
        if Pictures.damage is None:
            Pictures.damage = Damage()
        Pictures.damage.first, Pictures.damage.listens = None, True

    # Building

    def start(self, target):
        """Plays into `target`, a sink pad."""
        self.target = target
        if self.mode == "images":
            self.bin, images = self._images()
        else:
            self.bin = Gst.ElementFactory.make("uridecodebin")
            self.bin.set_property("uri", Gst.filename_to_uri(self.source["path"]))
            # No more streams than the pictures: what is not decoded costs nothing.
            self.bin.set_property("caps", Gst.Caps.from_string("video/x-raw(ANY)"))
            self.bin.set_property("expose-all-streams", False)
        self.bin.connect("deep-element-added", self._added)
        self.bin.connect("pad-added", lambda _, pad: self.pads.append(pad))
        self.bin.connect("no-more-pads", self._link)
        self.pipeline.add(self.bin)
        if self.mode == "images":
            images.link(self.bin)
        if self.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE:
            self.check()
            raise Failure("lost", f"{self.place}: the pipeline did not start")
        if self.mode == "seek":
            self._seek()
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            self.check()
            raise Failure("lost", f"{self.place}: the pipeline did not start")

    def _images(self):
        decoder = Gst.ElementFactory.make("decodebin")
        decoder.set_property("caps", Gst.Caps.from_string("video/x-raw(ANY)"))
        source = Gst.ElementFactory.make("appsrc")
        with open(self.source["images"][0], "rb") as file:
            caps, _ = GstBase.type_find_helper_for_data(None, file.read(1 << 16))
        if caps is None:
            raise Failure("refused", f"{self.source['images'][0]}: not a picture of a type that GStreamer finds, as PNG, "
                                     "TIFF or JPEG")
        if caps.get_structure(0).get_name() == "image/x-exr" and self.count > 1:
            raise Failure("refused", f"{self.place}: GStreamer's decoder takes one OpenEXR picture: --segment-frames 1, "
                                     "and no --verify")
        source.set_property("caps", with_rate(caps, self.source["framerate"]))
        source.set_property("format", Gst.Format.TIME)
        source.set_property("block", True)
        source.connect("need-data", self._image)
        self.pipeline.add(source)
        return decoder, source

    def _image(self, source, _):
        if self.number == self.count:
            source.emit("end-of-stream")
            return
        place, self.number = self.number, self.number + 1
        path = self.source["images"][place]
        try:
            with open(path, "rb") as file:
                data = file.read()
            buffer = Gst.Buffer.new_wrapped(data)
            if is_cut_short(data):
                self._fail(f"{path}: the file is cut short: its end is missing")
        except OSError as error:
            self._fail(f"{path}: {error.strerror}")
            source.emit("end-of-stream")
            return
        buffer.pts = self.times[place]
        buffer.duration = self.times[place + 1] - self.times[place]
        source.emit("push-buffer", buffer)

    def _added(self, _, __, element):
        # Its first segment starts at the first picture, the next at 0: stream times jump, its time stamps do not.
        factory = element.get_factory()
        if factory and factory.get_name() == "matroskademux":
            self.raw_times = True

    def _link(self, _):
        self.linked.set()
        pads = sorted((pad for pad in self.pads), key=lambda pad: pad.get_stream_id() or "")
        wanted = self.source.get("stream", 0)
        for place, pad in enumerate(pads):
            if place == wanted:
                pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM
                              | Gst.PadProbeType.EVENT_FLUSH, self._probe)
                self.pad = pad
                if pad.link(self.target) != Gst.PadLinkReturn.OK:
                    self._fail(f"{self.place}: the pipeline does not accept "
                               f"{(pad.get_current_caps() or pad.query_caps()).to_string()}", "refused")
            else:
                sink = Gst.ElementFactory.make("fakesink")
                sink.set_property("async", False)
                self.pipeline.add(sink)
                sink.sync_state_with_parent()
                pad.link(sink.get_static_pad("sink"))
        if len(pads) <= wanted:
            self._fail(f"{self.place}: video stream {wanted} cannot be decoded")

    def _fail(self, text, kind="corrupt-input"):
        if self.failure is None:
            self.failure = Failure(kind, text)
        self.known.set()

    # Running

    def _seek(self):
        while not self.known.wait(0.02):
            self.check()
        self.check()
        if self.zero is None:
            self.check_all_came()
        # Half a picture later, so that rounding does not choose the keyframe before.
        at = max(0, self.zero + self.job["seek"] + self.tolerance)
        seek = Gst.Event.new_seek(1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT
                                  | Gst.SeekFlags.SNAP_BEFORE, Gst.SeekType.SET, at, Gst.SeekType.NONE, 0)
        if not self.pad.send_event(seek):
            raise Failure("corrupt-input", f"{self.place}: the file cannot be read from {at / SECOND:.3f} s")

    def _probe(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            return self._buffer(pad, info.get_buffer())
        event = info.get_event()
        if event.type == Gst.EventType.FLUSH_STOP:
            self.waiting = False
        elif event.type == Gst.EventType.CAPS:
            caps, now = event.parse_caps().to_string(), brief(event.parse_caps())
            if self.caps is None:
                self.caps, self.brief = caps, now
            elif self.caps != caps and not self.ended:
                before, now = (self.caps, caps) if self.brief == now else (self.brief, now)
                at = self.source["images"][min(self.counted, self.count - 1)] if self.mode == "images" else self.place
                self._fail(f"{at}: the pictures change from {before} to {now} near picture "
                           f"{self.first + sum(self.came)}")
        elif event.type in (Gst.EventType.EOS, Gst.EventType.GAP):
            if event.type == Gst.EventType.EOS:
                self.known.set()
            if self.waiting or self.ended or event.type == Gst.EventType.GAP:
                return Gst.PadProbeReturn.DROP
        return Gst.PadProbeReturn.OK

    def _buffer(self, pad, buffer):
        if self.ended or self.failure:
            return Gst.PadProbeReturn.DROP
        if self.mode in ("count", "images"):
            place, self.counted = self.counted, self.counted + 1
            self.shown.add(buffer.pts)
        else:
            now = buffer.pts
            if not self.raw_times:
                segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
                sign, now = segment.to_stream_time_full(Gst.Format.TIME, buffer.pts)
                now = now if sign >= 0 else -now
            if self.zero is None:
                self.zero = now
            if self.waiting:
                self.known.set()
                return Gst.PadProbeReturn.DROP
            place = self._find(now - self.zero)
        if not 0 <= place < self.count:
            if place >= self.count and self.mode == "count":
                self._fail(f"{self.place}: the decoder shows more pictures than the {self.count} of the file")
            elif place >= self.count:
                self._end(pad)
            return Gst.PadProbeReturn.DROP
        if self.came[place]:
            self._fail(f"{self.place}: picture {self.first + place} came twice")
            return Gst.PadProbeReturn.DROP
        self.came[place] = True
        return Gst.PadProbeReturn.OK

    def _find(self, at):
        """The place of the picture shown at `at` in the segment; < 0 before it, ≥ count after it."""
        if at < self.times[0] - self.tolerance:
            return -1
        if at >= self.times[self.count] - self.tolerance:
            return self.count
        after = bisect.bisect_left(self.times, at)
        for place in (after - 1, after):
            if 0 <= place < self.count and abs(self.times[place] - at) <= self.tolerance:
                return place
        self._fail(f"{self.place}: the decoder shows a picture at {at / SECOND:.6f} s where the file has none")
        return -1

    def _end(self, pad):
        self.ended = True
        Pictures.damage.listens = False  # decoders are interrupted in the midst of what follows
        pad.get_peer().send_event(Gst.Event.new_eos())

    def check(self):
        """Raises what went wrong so far."""
        if self.failure:
            raise self.failure
        try:
            raise_errors(self.pipeline, self.place, self.bin)
        except Failure as failure:
            if failure.kind not in ("pipeline", "missing-element"):
                raise
            # The pipeline was made: it is these pictures that it does not do, others it may.
            raise Failure("refused", f"{self.place}: {self.brief} does not become {self.job['caps']}: "
                                     f"{str(failure).removeprefix(self.place + ': ')}") from failure

    def check_all_came(self):
        missing = [place for place, came in enumerate(self.came) if not came]
        if missing:
            by_time = [place for place in range(self.count) if self.times[place] not in self.shown]
            if self.mode == "images" and len(by_time) == len(missing):
                raise Failure("corrupt-input", f"{self.source['images'][by_time[0]]}: this picture, or the one before, could "
                                               f"not be decoded, {len(missing)} of {self.count} of this segment")
            at = self.times[missing[0]] / SECOND
            why = f" ({Pictures.damage.first})" if Pictures.damage.first else ""
            raise Failure("corrupt-input", f"{self.place}: picture {self.first + missing[0]} at {at:.3f} s could not be "
                                           f"decoded, {len(missing)} of {self.count} of this segment{why}")
        if Pictures.damage.first:
            raise Failure("corrupt-input", f"{self.place}: a picture at or before {self.first + self.count - 1} "
                                           f"({self.times[self.count - 1] / SECOND:.3f} s) is damaged: "
                                           f"{Pictures.damage.first}")

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)
        Pictures.contexts = [context for context in self.pipeline.get_contexts() if context.is_persistent()]
        # The elements hold this object, whose methods they call: they are freed once it holds none of them.
        self.pipeline = self.bin = self.target = self.pad = None
        self.pads = []
