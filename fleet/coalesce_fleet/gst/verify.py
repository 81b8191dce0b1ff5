"""Decodes with OpenJPEG what was written, and compares it with the pictures that enter the encoder.

The same source and the same pipeline play once more; the pictures are taken at the sink pad of the encoder.
"""

import hashlib
import math
import os
import queue
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Failure, Gst, parse_bin, raise_errors, run, say  # noqa: E402
from pictures import Pictures  # noqa: E402

# Properties of encoders that limit the size or the quality. Without any, and lossless unless told otherwise, all
# pictures must be equal.
LIMITS = ("bpp", "bitrate", "frame-size", "psnr", "quality")


def encoder_of(bin):
    """The JPEG 2000 encoder in a bin: the last element that makes it."""
    elements = bin.iterate_sorted()  # from the output to the input
    while True:
        result, element = elements.next()
        if result != Gst.IteratorResult.OK:
            raise Failure("pipeline", "no JPEG 2000 encoder in the pipeline")
        factory = element.get_factory()
        if factory and "Encoder" in (factory.get_metadata("klass") or ""):
            return element


def wanted(encoder):
    """None: the pictures must be equal; else the PSNR that was asked, 0 if none was."""
    if encoder.find_property("lossless") is None:  # openjpegenc: lossless if it has one layer that keeps all
        return None
    if encoder.get_property("lossless"):
        return None
    return encoder.get_property("psnr") or 0.0


class Written:
    """The decoded pictures of the output, by OpenJPEG."""

    def __init__(self, job):
        path, container = job["path"], job["container"]
        self.stills = [os.path.join(path, f"{place:06d}.jp2") for place in range(job["count"])]
        if container == "jp2":
            for still in self.stills:
                if not os.path.exists(still):
                    raise Failure("lost", f"{still}: not there")
            extra = set(os.listdir(path)) - {os.path.basename(still) for still in self.stills}
            if extra:
                raise Failure("lost", f"{path}: {len(extra)} files more than pictures, {sorted(extra)[0]}")
            self.pipeline = Gst.parse_launch("multifilesrc name=file index=0 ! image/jp2 ! openjpegdec ! "
                                             "appsink name=sink sync=false max-buffers=4")
            self.pipeline.get_by_name("file").set_property("location", os.path.join(path, "%06d.jp2"))
            self.pipeline.get_by_name("file").set_property("stop-index", job["count"] - 1)
        else:
            self.pipeline = Gst.parse_launch(
                f"filesrc name=file ! {'mxfdemux' if container == 'mxf' else 'qtdemux'} name=demux")
            self.pipeline.get_by_name("file").set_property("location", path)
            self.pipeline.get_by_name("demux").connect("pad-added", self._pad)
            decoder = Gst.parse_launch("jpeg2000parse name=head ! openjpegdec ! "
                                       "appsink name=sink sync=false max-buffers=4")
            self.pipeline.add(decoder)
        self.sink = self.pipeline.get_by_name("sink")
        self.pipeline.set_state(Gst.State.PLAYING)

    def _pad(self, _, pad):
        if pad.get_current_caps().to_string().startswith("image/"):
            pad.link(self.pipeline.get_by_name("head").get_static_pad("sink"))
        else:
            sink = Gst.ElementFactory.make("fakesink")
            sink.set_property("async", False)
            sink.set_property("sync", False)
            self.pipeline.add(sink)
            sink.sync_state_with_parent()
            pad.link(sink.get_static_pad("sink"))

    def next(self):
        while True:
            sample = self.sink.emit("try-pull-sample", 100_000_000)
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                raise Failure("lost", f"the written file cannot be decoded: {message.parse_error()[0].message}")
            if sample or self.sink.get_property("eos"):
                return sample

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)
