# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes with OpenJPEG what was written, and compares it with the pictures that enter the encoder.

The same source and the same pipeline play once more; the pictures are taken at the sink pad of the encoder, which
encodes nothing this time. Planes are compared as they are: no colour is converted.
"""

import collections
import math
import operator
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Failure, Gst, GstVideo, parse_bin, raise_errors, run, say  # noqa: E402
from pictures import Pictures  # noqa: E402

# To planes of the same samples; nothing but the layout changes.
PLANES = ("videoconvert matrix-mode=none gamma-mode=none primaries-mode=none chroma-mode=none dither=none ! "
          "capsfilter name=planes ! appsink name=sink sync=false max-buffers=4")


def encoder_of(bin):
    """The JPEG 2000 encoder of a pipeline: its last encoder."""
    found = bin.iterate_sorted()  # from the output to the input
    while True:
        result, element = found.next()
        if result != Gst.IteratorResult.OK:
            raise Failure("pipeline", "there is no JPEG 2000 encoder in the pipeline")
        if element.get_factory() and "Encoder" in (element.get_factory().get_metadata("klass") or ""):
            return element


def asked(encoder, least):
    """The PSNR that the pictures must have; None: they must be equal."""
    if encoder.find_property("lossless") is None or encoder.get_property("lossless"):
        return None
    if least is None and not encoder.get_property("psnr"):
        raise Failure("pipeline", "the encoder is lossy and has no psnr=: --min-psnr says what the pictures must have")
    # psnr= of j2kenc is estimated without decoding, and reached within a decibel but on smooth gradients.
    return encoder.get_property("psnr") - 1 if least is None else least


def info_of(caps):
    return GstVideo.VideoInfo.new_from_caps(caps)


def kind_of(info):
    """What must agree for planes to be compared: the family, the depth and the size of chroma."""
    form = info.finfo
    family = ("GRAY" if form.flags & GstVideo.VideoFormatFlags.GRAY else
              "RGB" if form.flags & GstVideo.VideoFormatFlags.RGB else "YUV")
    chroma = (form.w_sub[1], form.h_sub[1]) if form.n_components > 1 else (0, 0)
    return family, chroma, bool(form.flags & GstVideo.VideoFormatFlags.ALPHA), max(form.depth[:form.n_components])


def planes_of(info):
    """A format of planes for the samples of this one."""
    family, chroma, alpha, depth = kind_of(info)
    if family == "GRAY":
        return "GRAY8" if depth == 8 else "GRAY16_LE"
    if family == "YUV":
        name = {(1, 1): "I420", (1, 0): "Y42B", (0, 0): "Y444", (2, 0): "Y41B", (2, 2): "YUV9"}[chroma]
        name = {"Y42B": "I422"}.get(name, name) if depth > 8 else name
        if alpha:
            return "AYUV" if depth == 8 else "AYUV64"
        return name if depth == 8 else f"{name}_{depth}LE" if depth in (10, 12) else "AYUV64"
    if depth > 12:
        return "ARGB64"
    return ("GBRA" if alpha else "GBR") + ("" if depth == 8 else f"_{depth}LE")


class Written:
    """The decoded pictures of the output."""

    def __init__(self, job, planes, info):
        path, container, count = job["path"], job["container"], job["count"]
        if container == "jp2":
            names = [f"{place:06d}.jp2" for place in range(count)]
            there = set(os.listdir(path)) - {"SHA256SUMS"}  # the list of a folder that is published
            if there != set(names):
                wrong = sorted(there ^ set(names))[0]
                raise Failure("verify", f"{path}: {len(there)} files of {count} stills; the first that should "
                                      f"{'not ' if wrong in there else ''}be there is {wrong}")
            head = f"multifilesrc name=file start-index=0 stop-index={count - 1} "
            # openjpegdec needs the size; jpeg2000parse would tell it, but calls all stills sRGB.
            head += f"caps=image/jp2,framerate=1/1,width={info.width},height={info.height} ! "
            path = os.path.join(path.replace("%", "%%"), "%06d.jp2")
        else:
            head = f"filesrc name=file ! {'mxfdemux' if container == 'mxf' else 'qtdemux'} name=demux demux. ! "
            head += "jpeg2000parse ! "
        self.pipeline = Gst.parse_launch(head + "openjpegdec name=decoder ! " + PLANES)
        self.pipeline.get_by_name("file").set_property("location", path)
        self.pipeline.get_by_name("planes").set_property("caps", planes)
        self.sink = self.pipeline.get_by_name("sink")
        self.pipeline.set_state(Gst.State.PLAYING)

    def next(self):
        while True:
            sample = self.sink.emit("try-pull-sample", 100_000_000)
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                error, debug = message.parse_error()
                raise Failure("verify", f"the output cannot be decoded: {error.message} ({debug})")
            if sample or self.sink.get_property("eos"):
                return sample

    def kind(self):
        return kind_of(info_of(self.pipeline.get_by_name("decoder").get_static_pad("src").get_current_caps()))

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


class Original:
    """The pictures that enter the encoder."""

    def __init__(self, job, mode):
        self.pictures = Pictures({**job, "first": 0}, mode)
        bin = parse_bin(job["pipeline"])
        self.encoder = encoder_of(bin)
        wanted = Gst.ElementFactory.make("capsfilter")  # so that the encoder is given what it was
        wanted.set_property("caps", Gst.Caps.from_string(job["caps"]))
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        self.pictures.pipeline.add(bin)
        self.pictures.pipeline.add(wanted)
        self.pictures.pipeline.add(sink)
        bin.link(wanted)
        wanted.link(sink)
        self.layout = Gst.parse_launch("appsrc name=source format=time block=true max-bytes=1 ! " + PLANES)
        self.source, self.sink = self.layout.get_by_name("source"), self.layout.get_by_name("sink")
        self.planes = self.info = None
        pad = self.encoder.get_static_pad("sink")
        pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, self._probe)
        self.pictures.start(bin.get_static_pad("sink"))

    def _probe(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            if self.planes is None:
                caps = Gst.Caps.from_string(pad.get_current_caps().get_structure(0).to_string())
                self.info = info_of(caps)
                self.planes = Gst.Caps.from_string(f"video/x-raw,format={planes_of(self.info)}")
                self.layout.get_by_name("planes").set_property("caps", self.planes)
                self.source.set_property("caps", caps)
                self.layout.set_state(Gst.State.PLAYING)
            self.source.emit("push-buffer", info.get_buffer())
            return Gst.PadProbeReturn.DROP
        if info.get_event().type == Gst.EventType.EOS:
            self.source.emit("end-of-stream")
            if self.planes is None:
                self.layout.set_state(Gst.State.PLAYING)
        return Gst.PadProbeReturn.OK

    def next(self):
        while True:
            sample = self.sink.emit("try-pull-sample", 100_000_000)
            self.pictures.check()
            raise_errors(self.layout, "verify", None)
            if sample or (self.layout.get_state(0)[1] == Gst.State.PLAYING and self.sink.get_property("eos")):
                return sample

    def stop(self):
        self.layout.set_state(Gst.State.NULL)
        self.pictures.stop()


def rows(sample):
    """The rows of each plane: (bytes, width in bytes, bytes of a sample)."""
    buffer, info = sample.get_buffer(), info_of(sample.get_caps())
    data = buffer.extract_dup(0, buffer.get_size())
    meta = GstVideo.buffer_get_video_meta(buffer)
    form, planes = info.finfo, []
    for component in range(form.n_components):
        plane = form.plane[component]
        if plane != component and plane in form.plane[:component]:
            continue  # packed: all of them are in the first
        offset, stride = (meta.offset[plane], meta.stride[plane]) if meta else (info.offset[plane], info.stride[plane])
        width = (info.width + (1 << form.w_sub[component]) - 1) >> form.w_sub[component]
        height = (info.height + (1 << form.h_sub[component]) - 1) >> form.h_sub[component]
        width *= form.pixel_stride[component]
        planes.append(b"".join(data[offset + row * stride:offset + row * stride + width] for row in range(height)))
    return planes, max(form.depth[:form.n_components])


def psnr(one, other, depth):
    """Over all samples. numpy does it 100 times as fast."""
    a, b = b"".join(one), b"".join(other)
    if numpy:
        kind = numpy.dtype("u1" if depth <= 8 else "<u2")
        difference = numpy.frombuffer(a, kind).astype(numpy.float64) - numpy.frombuffer(b, kind)
        error = float((difference ** 2).mean())
    else:
        if depth > 8:
            a, b = memoryview(a).cast("H"), memoryview(b).cast("H")
        error = sum(n * d * d for d, n in collections.Counter(map(operator.sub, a, b)).items()) / len(a)
    return math.inf if error == 0 else 10 * math.log10((2 ** depth - 1) ** 2 / error)


def work(job):
    mode = "images" if "images" in job["input"] else "start" if job.get("timed", True) else "count"
    original, written, count, worst = Original(job, mode), None, 0, math.inf
    try:
        limit = asked(original.encoder, job["min_psnr"])
        while True:
            one = original.next()
            if one and written is None:
                written = Written(job, original.planes, original.info)
            other = written.next() if written else None
            if one is None or other is None:
                break
            if count == 0 and written.kind()[:2] != kind_of(original.info)[:2]:
                raise Failure("pipeline", f"OpenJPEG's element shows {written.kind()} where the encoder was given "
                                          f"{kind_of(original.info)}: this cannot be compared")
            (a, depth), (b, _) = rows(one), rows(other)
            if original.info.interlace_mode != GstVideo.VideoInterlaceMode.PROGRESSIVE and len(a[0]) != len(b[0]):
                raise Failure("pipeline", f"{job['path']}: OpenJPEG's element shows one field of interlaced pictures: "
                                          "they cannot be compared")
            if [len(plane) for plane in a] != [len(plane) for plane in b]:
                raise Failure("verify", f"{job['path']}: picture {count} has another size than the original")
            if a != b:
                if limit is None:
                    raise Failure("verify", f"{job['path']}: picture {count} is not equal to the original, although the "
                                          "encoder is lossless")
                value = psnr(a, b, depth)
                worst = min(worst, value)
                if value < limit:
                    raise Failure("verify", f"{job['path']}: picture {count} has {value:.2f} dB, less than the "
                                          f"{limit:g} dB that were asked")
            count += 1
            if count % 8 == 0:
                say(progress=count)
        original.pictures.check_all_came()
        if one or other or count != job["count"]:
            raise Failure("verify", f"{job['path']}: pictures end at {count}, {job['count']} were expected")
    finally:
        original.stop()
        if written:
            written.stop()
    return {"count": count, "lossless": limit is None, "psnr": None if worst == math.inf else worst, "asked": limit}


if __name__ == "__main__":
    run(work)
