#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hashes the outputs of a corpus of pipelines: a change that keeps all bytes keeps all lines.

usage: corpus.py [--simulated] [--keep FOLDER] [--jobs N] BUILD [PATTERN...]

BUILD is a build folder with the plugin. --simulated uses the plugin in BUILD/tests/simulated with the
simulated driver, and adds pipelines in CUDA memory; without it a usable GPU adds them. Elements, formats and
the values of enumerations are read from gst-inspect-1.0. A line has the pipeline's name, the SHA-256 of the
output bytes, and a hash of caps, tags, timestamps, flags and metadata of the output buffers. Rows that have
padding are hashed as lossless codestreams. A PATTERN selects names. --keep stores outputs and descriptions.
The script exits with 1 if a pipeline fails, or if the bytes depend on the back end or on the memory. A
profile may refuse its input; its line says so.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zlib

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
CUDA = "video/x-raw(memory:CUDAMemory)"
SYSTEM = "video/x-raw"
LOADABLE = "gstreamer:gst-plugins-base:gst-plugins-good:gst-coalesce"  # nvcodec hangs on the simulated driver
PATTERNS = ["smpte", "snow", "ball", "zone-plate kx2=20 ky2=20 kt=1"]
SIZES = [(72, 48), (33, 17)]
MORE_SIZES = [(1, 1), (1, 9), (2, 2), (9, 1), (640, 363)]
MODES = ["interleaved,field-order=top-field-first", "interleaved,field-order=bottom-field-first", "mixed"]
PROFILE_INPUTS = [("UYVY", (152, 92), "25/1"), ("I422_10LE", (400, 300), "25/1"),
                  ("GBR_12LE", (1998, 1080), "24/1")]
COPY_OF = {"BGRP": "RGBP"}  # of formats that j2kenc lacks: one of the same samples
TAG_MEMORY = 1 << 14  # a flag that depends on which buffer a pool gives
SHOW = "identity name=out silent=false"

COPIES = ("convolve", "sepconvolve")  # what these do by themselves

# Of an element: a filter that changes pictures, in all formats, where the element by itself copies or makes
# another format; settings, and the formats they are tried in (the first one where none are named).
PLAIN = {"convolve": "mask='1 2 1; 2 5 2; 1 3 1'",
         "sepconvolve": "horizontal='1 4 7 4 2' vertical='1 0 -1'",
         "canny": "output=overlay",
         "linedetect": "draw=true"}
FORMATS = {"convolve": ["GRAY8", "NV12", "RGB", "RGBA", "I420_10LE", "GRAY16_LE"],
           "sepconvolve": ["GRAY8", "NV12", "RGB", "RGBA", "I420_10LE", "GRAY16_LE"],
           "bilateral": ["GRAY8", "NV12", "RGB", "RGBA", "I420_10LE", "GRAY16_LE"],
           "cartoon": ["GRAY8", "NV12", "RGB", "RGBA", "UYVY"],
           "median": ["GRAY8", "NV12", "RGB", "RGBA", "I420_10LE", "GRAY16_LE"],
           "canny": ["GRAY8", "NV12", "RGB", "RGBA", "UYVY"],
           "linedetect": ["NV12", "RGB"],
           "oilpaint": ["GRAY8", "NV12", "RGB", "RGBA", "UYVY"],
           "rgb2yuv": ["RGB", "ARGB"],
           "j2kenc": ["UYVY", "RGB", "I420", "GRAY16_LE"],
           "coalescejpegenc": ["RGB", "NV12", "UYVY", "GRAY8"]}
SETTINGS = {
    "convolve": [
        "mask=1", "mask=3", "mask='1 2 3 4; 0 -1 2 9' anchor-x=0 anchor-y=1", "mask='0.25 0.5 0.25'",
        "mask='-1 -1 -1; -1 8 -1; -1 -1 -1'", "mask='1 2 1' divisor=3 bias=7", "mask='0 0 0; 0 0 0; 0 0 1'",
        "mask='1 0 -1' absolute=true", "preset=box size=2", "preset=box size=5", "preset=box size=31",
        "preset=gaussian sigma=0.7", "preset=gaussian sigma=3", "preset=gaussian size=15",
        "preset=binomial size=7", "preset=unsharp sigma=2", "preset=sobel-x size=5 absolute=true",
        "preset=laplacian-of-gaussian sigma=1.4", "preset=sharpen border=constant border-value=90",
        "preset=gaussian sigma=2 filter-alpha=true", "preset=emboss n-threads=3",
    ],
    "sepconvolve": [
        "horizontal=1", "horizontal='1 2 3' vertical='1 -1'",
        "horizontal='0.5 0.5' vertical='0.25 0.5 0.25'", "preset=gaussian sigma=0.7",
        "preset=gaussian sigma=6", "preset=gaussian size=63", "preset=blur sigma=9 border=wrap",
        "preset=blur sigma=50 n-threads=3", "preset=box size=9",
        "horizontal='1 0 0 1' anchor-x=0 divisor=2 bias=3", "horizontal='1 0 -1' absolute=true n-threads=3",
    ],
    "bilateral": [
        "radius=1 sigma-range=60", "radius=5 sigma-space=3", "radius=9 sigma-space=6 sigma-range=150",
        "radius=3 sigma-range=0.1", "radius=4 sigma-range=1000 sigma-space=1000", "iterations=2 radius=4",
        "radius=3 border=constant border-value=90", "radius=7 border=wrap filter-alpha=true",
        "radius=3 iterations=3 n-threads=3",
    ],
    "median": [
        "size=5", "size=7", "size=15", "size=75", "width=9 height=1", "percentile=0", "size=5 percentile=100",
        "size=9 percentile=30 border=constant border-value=90", "size=7 border=wrap filter-alpha=true",
        "size=11 n-threads=3",
    ],
    "canny": [
        "output=overlay " + more for more in (
            "low-threshold=20 high-threshold=60", "low-threshold=300 high-threshold=100 l2-gradient=true",
            "aperture=5 low-threshold=600 high-threshold=1800", "aperture=7 high-threshold=30000",
            "sigma=0.8 edge-color=0xffff0000", "sigma=3 edge-color=0x80ffffff high-threshold=60",
            "sigma=20 low-threshold=1 high-threshold=4", "n-threads=3")
    ],
    "cartoon": [
        "levels=2 softness=0", "levels=64 softness=1", "edges=canny", "edges=none iterations=2",
        "edges=canny low-threshold=10 high-threshold=40 edge-color=0x80ff0000", "dog-sigma=0.3 dog-threshold=0.1",
        "dog-sigma=5 dog-threshold=1 edge-color=0xff204060", "radius=1 iterations=1 n-threads=3",
    ],
    "linedetect": [
        "draw=true " + more for more in (
            "min-length=5 tolerance=1 line-color=0x80ff0000", "sigma=0 low-threshold=20 high-threshold=60 max-lines=9",
            "sigma=9 low-threshold=1 high-threshold=3 thickness=7", "aperture=5 n-threads=3")
    ] + ["draw=false min-length=8"],
    "oilpaint": [
        "temporal=true", "brush-thickest=4 threshold=40", "brush-thinnest=16 least-length=9",
        "brush-thickest=32 temporal=true n-threads=3", "method=kuwahara", "method=kuwahara radius=2",
        "method=kuwahara radius=10 n-threads=3", "method=mode", "method=mode radius=15 ratio=127",
        "method=mode radius=1 ratio=1", "method=mode radius=8 ratio=9 n-threads=3",
    ],
    "coalescejpegenc": [
        "quality=1", "quality=100", "optimize=true", "restart-interval=3 quality=50", "max-frame-size=3000",
        "bitrate=1000 optimize=true", "frames-in-flight=1", "frames-in-flight=7",
    ],
    "j2kenc": [
        "bpp=0.3", "bpp=6", "bitrate=2000", "frame-size=3000", "psnr=32", "psnr=45 wavelet=5/3",
        "quality=20", "quality=90", "bpp=1 num-layers=5", "bpp=2 num-layers=3 layer-rates='0.25 0.5'",
        "num-layers=3", "tile-width=64 tile-height=50",
        "bpp=1 tile-width=100 num-layers=2 progression-order=rpcl", "num-resolutions=1",
        "num-resolutions=3 bpp=2", "num-resolutions=11", "code-block-width=32 code-block-height=32",
        "code-block-width=4 code-block-height=1024 bpp=2",
        "precincts='256x256 128x128' progression-order=pcrl sop=true eph=true", "guard-bits=5 bpp=1",
        "roi='20,10,60,40' bpp=1", "comment='of the corpus'", "n-threads=3 bpp=1",
        "tlm=true plt=true tile-width=50 tile-height=30", "frames-in-flight=1 bpp=1",
        "frames-in-flight=7 bpp=1", "code-block-style=bypass+termall+causal bpp=2",
        "code-block-style=reset+segmentation-symbols", "visual-weighting=true bpp=0.8",
    ],
}
EVERY_FORMAT = {"j2kenc": ["", "bpp=3"]}
BASE_OF_VALUES = {"j2kenc": "bpp=2 num-layers=2 tile-width=64 tile-height=40"}
PHOTOGRAPHS = {"convolve": ["preset=sharpen", "preset=gaussian sigma=2"],
               "bilateral": ["radius=3", "radius=5 sigma-range=60 iterations=2"],
               "cartoon": ["radius=3", "edges=canny iterations=1"],
               "median": ["", "size=15"],
               "canny": ["output=overlay sigma=1.4"],
               "linedetect": ["draw=true"],
               "oilpaint": ["temporal=true", "method=kuwahara", "method=mode"],
               "sepconvolve": ["preset=gaussian sigma=4"],
               "j2kenc": ["", "bpp=1", "psnr=38", "bpp=2 num-layers=4"]}


class Element:
    """What gst-inspect-1.0 prints of an element."""

    def __init__(self, name, text):
        self.name = name
        sink, src = re.search(r"SINK template(.*?)SRC template(.*?)Element has", text, re.S).groups()
        self.inputs, self.outputs = self.formats(sink), self.formats(src)
        self.media_types = re.findall(r"^ +(image/\S+)$", src, re.M)
        self.same_format = self.inputs == self.outputs
        self.tried = FORMATS.get(name, self.inputs[:1])
        self.values = {}  # of properties: other values than the default
        properties = re.findall(r"^  ([a-z][a-z0-9-]+) +: .*\n +flags: (.*)\n((?: {10}.*\n)*)",
                                text.partition("Element Properties:")[2], re.M)
        for key, flags, rest in properties:
            if "writable" not in flags or key in ("backend", "qos"):
                continue
            default = re.search(r'Default: (?:\w+, )?"?([^"\n]*?)"?$', rest, re.M)
            nicks = re.findall(r"^ +\((?:0x)?[0-9a-f]+\): (\S+) +- ", rest, re.M)
            if "Boolean" in rest:
                nicks = ["false", "true"]
            self.values[key] = [nick for nick in nicks if nick != default.group(1)]

    def outputs_of(self, form):
        return [form] if self.same_format else self.outputs or self.media_types[:1]

    @staticmethod
    def formats(template):
        lists = re.findall(r"format: \{? ?(\(string\)[^}\n]*)", template)
        return list(dict.fromkeys(re.findall(r"\(string\)(\w+)", " ".join(lists))))


class Corpus:
    def __init__(self, elements, cuda):
        self.elements, self.cuda = elements, cuda
        self.filters = [element for element in elements if not element.media_types]
        self.copies = [element for element in elements if element.name in COPIES]
        self.coder = next(element for element in elements if element.name == "j2kenc")
        self.pipelines = {}  # name: (description, may it refuse)

    def add(self, name, *parts, may_refuse=False):
        name = "/".join(part.replace(" ", "_") for part in name)
        assert name not in self.pipelines, name
        self.pipelines[name] = (" ! ".join(parts), may_refuse)

    def source(self, name, form, size, more=""):
        patterns = PATTERNS if min(size) > 1 else PATTERNS[:-1]  # zone-plate divides by half the width
        pattern = patterns[zlib.crc32("/".join(name).encode()) % len(patterns)]
        return (f"videotestsrc num-buffers=3 pattern={pattern} ! videoconvert ! "
                f"{SYSTEM},format={form},width={size[0]},height={size[1]}{more}")

    def upload(self, form):
        """A name for the input, and elements from system to CUDA memory; None if no element can."""
        for element in self.copies:
            if form in element.inputs:
                return "cuda", [f"{element.name} backend=cuda", f"'{CUDA},format={form}'"]
        for element in self.filters:
            if form in element.outputs and "RGB" in element.inputs and not element.same_format:
                return "converted", [f"videoconvert ! {SYSTEM},format=RGB ! {element.name} backend=cuda",
                                     f"'{CUDA},format={form}'"]
        return None

    @staticmethod
    def has_padding(form, size):
        return size[0] % {"Y41B": 16, "v210": 48}.get(form, 8) != 0 or size[1] % 4 != 0

    def can_hash(self, form, size):
        return not self.has_padding(form, size) or form in self.coder.inputs or form in COPY_OF

    def download(self, element, form, size):
        """Elements from a filter to the bytes that are hashed, for CUDA and for system memory.

        Rows of some sizes end in padding, and some formats no filter downloads: then it is a codestream.
        A format that no element copies is downloaded by the element itself, which both ways have twice.
        """
        copy = next((each for each in self.copies if form in each.inputs), None)
        download = [f"{copy.name} backend=cuda", SYSTEM] if copy else []
        if not self.has_padding(form, size):
            if copy:
                return download, []
            if element.same_format:
                return [f"{element.name} backend=cuda", SYSTEM], [f"{element.name} backend=cpu"]
        if form not in self.coder.inputs:
            code = ["videoconvert", f"{SYSTEM},format={COPY_OF[form]}", f"{self.coder.name} backend=cpu"]
            return download + code, code
        return [f"{self.coder.name} backend=cuda"], [f"{self.coder.name} backend=cpu"]

    def ways(self, element, form, out, size):
        """Names of memory at input and output, what precedes the element, its back end, what follows."""
        caps = f",format={out}" if out else ""
        into = SYSTEM + caps if out else None
        from_cuda, from_system = self.download(element, out, size) if out else ([], [])
        for backend in ["cpu", "cuda"] if self.cuda else ["cpu"]:
            yield f"system-{backend}-system", [], backend, into, from_system
        if not self.cuda:
            return
        if out:
            yield "system-cuda", [], "auto", f"'{CUDA}{caps}'", from_cuda
        if upload := self.upload(form):
            name, up = upload
            yield f"{name}-system", up, "auto", into, from_system
            if out:
                yield f"{name}-cuda", up, "auto", f"'{CUDA}{caps}'", from_cuda

    def through(self, element, form, out, size, setting="", *, more="", middle=(), kind=(), caps="",
                source=None, may_refuse=False):
        """Adds an element's pipelines, from and to all memory."""
        base = (element.name, *kind, form if out == form else f"{form}-{out}", f"{size[0]}x{size[1]}")
        raw_out = None if element.media_types else out
        for way, before, backend, target, after in self.ways(element, form, raw_out, size):
            if caps:
                target = f"{target[:-1]},{caps}'" if target[0] == "'" else f"{target},{caps}"
            name = (*base, *([setting] if setting else []), way)
            self.add(name, source or self.source(base, form, size, more), *middle, *before,
                     f"{element.name} backend={backend} {setting}", target or out, SHOW, *after,
                     may_refuse=may_refuse)

    # ---- the corpus ----------------------------------------------------------------------------------

    def every_format(self):
        for element in self.elements:
            settings = EVERY_FORMAT.get(element.name, [PLAIN.get(element.name, "")])
            for form, size, setting in itertools.product(element.inputs, SIZES, settings):
                for out in element.outputs_of(form):
                    if element.media_types or self.can_hash(out, size):
                        self.through(element, form, out, size, setting)

    def every_value(self):
        for element in self.elements:
            forms = element.tried
            for key, values in element.values.items():
                if key == "profile":
                    continue
                plain = PLAIN.get(element.name, BASE_OF_VALUES.get(element.name, ""))
                base = "" if key in ("preset", "lossless") else plain
                for value, form in itertools.product(values, forms if element.same_format else forms[:1]):
                    if value != "luma" or "RGB" not in form:  # RGB has no luma
                        self.through(element, form, element.outputs_of(form)[0], (152, 92),
                                     f"{base} {key}={value}".strip(), more=",framerate=25/1")

    def every_setting(self):
        for element in self.elements:
            forms = element.tried
            for setting, form in itertools.product(SETTINGS.get(element.name, []), forms):
                self.through(element, form, element.outputs_of(form)[0], (152, 92), setting,
                             kind=("settings",), more=",framerate=25/1")
            for size in MORE_SIZES:
                out = element.outputs_of(forms[0])[0]
                self.through(element, forms[0], out, size, PLAIN.get(element.name, ""))

    def codestreams(self):
        for out, form in itertools.product(self.coder.media_types[1:], self.coder.tried):
            self.through(self.coder, form, out, (72, 48))
        self.through(self.coder, "UYVY", self.coder.media_types[0], (152, 92), "roi='20,10,60,40'")
        for profile, (form, size, rate) in itertools.product(self.coder.values["profile"], PROFILE_INPUTS):
            self.through(self.coder, form, self.coder.media_types[0], size, f"profile={profile}",
                         more=f",framerate={rate}", may_refuse=True)

    def interlaced(self):
        for element, mode in itertools.product(self.elements, MODES):
            for form in element.tried:
                for out in element.outputs_of(form):
                    self.through(element, form, out, (72, 48), PLAIN.get(element.name, ""),
                                 kind=(mode.replace(",field-order=", "-"),),
                                 middle=[f"capssetter caps={SYSTEM},interlace-mode={mode}"])

    def colours(self):
        element = next(element for element in self.elements if element.name == "rgb2yuv")
        fields = [(f"colorimetry={name}", ("Y444", "NV12", "GRAY8"))
                  for name in ("bt601", "bt709", "smpte240m", "bt2020", "1:4:0:0", "1:3:5:1")]
        fields += [(f"chroma-site={name}", ("I420", "NV12", "Y42B", "UYVY"))
                   for name in ("mpeg2", "jpeg", "dv", "cosited", "alt-line")]
        for field, outs in fields:
            for out in outs:
                self.through(element, "BGRx", out, (72, 48), kind=(field,), caps=field)

    def photographs(self, folder):
        for path in sorted(DATA.iterdir()):
            picture = read_picture(path)
            if not picture:
                continue
            form, width, height, frames = picture
            raw = folder / (path.name + ".raw")
            raw.write_bytes(frames)
            source = (f"filesrc location={raw} ! rawvideoparse format={form.lower()} width={width} "
                      f"height={height} framerate=25/1")
            for element in self.elements:
                known = form in element.inputs
                used = form if known else element.inputs[0]
                convert = "" if known else f" ! videoconvert ! {SYSTEM},format={used}"
                for setting in PHOTOGRAPHS.get(element.name, [""]):
                    self.through(element, used, element.outputs_of(used)[0], (width, height), setting,
                                 kind=(path.stem,), source=source + convert)

    def chains(self):
        source = self.source(("chain",), "RGB", (160, 90), ",framerate=25/1")
        for memory in [SYSTEM] + ([f"'{CUDA}'"] if self.cuda else []):
            for join, way in ((memory, "direct"), (f"{memory} ! queue", "queue")):
                where = "cuda" if "CUDA" in memory else "system"
                self.add(("chain", "filters", way, where), source, "rgb2yuv", join,
                         "convolve preset=unsharp sigma=1.5", join, "sepconvolve preset=gaussian sigma=2",
                         memory, SHOW, "convolve", SYSTEM)
                self.add(("chain", "j2kenc", way, where), source, "rgb2yuv", join, "convolve preset=sharpen",
                         join, "j2kenc bpp=2", SHOW)


def read_picture(path):
    data = path.read_bytes()
    if path.suffix == ".uyvy":
        width, height = map(int, re.search(r"_(\d+)x(\d+)$", path.stem).groups())
        return "UYVY", width, height, data
    if path.suffix == ".pgm":
        width, height, body = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s(.*)", data, re.S).groups()
        return "GRAY8", int(width), int(height), body
    if path.suffix == ".y4m":
        head, _, body = data.partition(b"\n")
        width, height = (int(re.search(rb" " + key + rb"(\d+)", head).group(1)) for key in (b"W", b"H"))
        size = width * height * 3 // 2
        step = len(b"FRAME\n") + size
        frames = [body[at + step - size:at + step] for at in range(0, len(body), step)]
        return "I420", width, height, b"".join(frames)
    return None


def describe(log):
    """Caps, tags and buffers that passed the element named out."""
    passed = re.compile(r"out: last-message = (?:chain|event) .*?\(out:sink\) (?:E )?\((.*)\) 0x")
    events = re.compile(r"type: (caps|segment|tag|gap|eos) ")
    lines = []
    for line in passed.findall(log):
        if events.match(line):
            lines.append(line)
        elif "pts: " in line:
            lines.append(re.sub(r"flags: ([0-9a-f]+) [^,]*,",
                                lambda m: f"flags: {int(m.group(1), 16) & ~TAG_MEMORY:08x},", line))
    if not any("pts: " in line for line in lines):
        sys.exit("gst-launch-1.0 -v prints no buffers of identity: " + log)
    return "\n".join(lines) + "\n"


def run(description, environment, output):
    command = ["gst-launch-1.0", "-v"] + shlex.split(f"{description} ! filesink location={output}")
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "no end after 300 s"
    if done.returncode != 0:
        errors = re.findall(r"^(?:ERROR|WARNING).*", done.stderr, re.M)
        return None, errors[0] if errors else f"exit {done.returncode}"
    return output.read_bytes(), describe(done.stdout)


def environment_of(build, simulated, folder):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("GST_", "COALESCE_"))}
    environment.update(LC_ALL="C", GST_PLUGIN_LOADING_WHITELIST=LOADABLE,
                       GST_PLUGIN_PATH_1_0=str(build / ("tests/simulated" if simulated else "gst")),
                       GST_REGISTRY_1_0=str(folder / "registry.bin"))
    if simulated:
        path = [str(build / "tests" / "fakecuda"), environment.get("LD_LIBRARY_PATH", "")]
        environment.update(LD_LIBRARY_PATH=":".join(filter(None, path)), COALESCE_FAKECUDA_PROTECT="1")
    return environment


def inspect(name, environment):
    done = subprocess.run(["gst-inspect-1.0", name], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the build folder has no plugin with {name}: {done.stderr.strip()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulated", action="store_true", help="use the simulated driver")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="store outputs and descriptions")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="pipelines at once")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = environment_of(arguments.build.resolve(), arguments.simulated, folder)
        names = re.findall(r"^  (\w+): ", inspect("coalesce", environment), re.M)
        environment["GST_REGISTRY_UPDATE"] = "no"
        elements = [Element(name, inspect(name, environment)) for name in names]
        elements = [element for element in elements if element.inputs]  # of raw video
        probe = (f"videotestsrc num-buffers=1 ! {SYSTEM},format=RGB ! convolve backend=cuda ! '{CUDA}' ! {SHOW}"
                 " ! convolve")
        cuda = run(probe, environment, folder / "probe")[0] is not None
        if arguments.simulated and not cuda:
            sys.exit("the simulated driver does not work")
        corpus = Corpus(elements, cuda)
        corpus.every_format()
        corpus.every_value()
        corpus.every_setting()
        corpus.codestreams()
        corpus.interlaced()
        corpus.colours()
        corpus.photographs(folder)
        corpus.chains()
        return run_all(corpus, environment, folder, arguments)


def run_all(corpus, environment, folder, arguments):
    chosen = [name for name in corpus.pipelines
              if not arguments.patterns or any(fnmatch.fnmatch(name, p) for p in arguments.patterns)]
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)

    def one(number_and_name):
        number, name = number_and_name
        output = folder / f"{number}.out"
        data, description = run(corpus.pipelines[name][0], environment, output)
        output.unlink(missing_ok=True)
        if arguments.keep:
            path = arguments.keep / re.sub(r"[/']", "~", name)
            path.with_name(path.name + ".txt").write_text(corpus.pipelines[name][0] + "\n" + description)
            if data is not None:
                path.with_name(path.name + ".bytes").write_bytes(data)
        return name, data, description

    failed = refused = 0
    first = {}  # of a name without its memory: the hash of its bytes
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, data, description in pool.map(one, enumerate(chosen)):
            if data:
                digest = hashlib.sha256(data).hexdigest()
                print(name, digest, hashlib.sha256(description.encode()).hexdigest()[:16])
                base, _, way = name.rpartition("/")
                other, expected = first.setdefault((base, "converted" in way), (name, digest))
                if digest != expected:
                    failed += 1
                    print(f"failed: {name} has other bytes than {other}", file=sys.stderr)
                continue
            print(name, "refused" if data is None else "empty")
            if corpus.pipelines[name][1] and data is None:
                refused += 1
            else:
                failed += 1
                print(f"failed: {name}: {description}: {corpus.pipelines[name][0]}", file=sys.stderr)
    print(f"{len(chosen)} pipelines{'' if corpus.cuda else ', none in CUDA memory'}: {failed} failed, "
          f"{refused} inputs refused", file=sys.stderr)
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
