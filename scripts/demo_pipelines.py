# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines of ./run demo: what they read, and running them."""

import contextlib
import math
import os
import pathlib
import re
import subprocess
import urllib.parse

import demo_page


class Failure(Exception):
    """An error that ends the demo or, where it is caught, leaves out a part."""


def shell_quote(word):
    if word == "!" or re.fullmatch(r"[A-Za-z0-9_./:=,%@+-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def reason(output):
    """GStreamer's message and the element's own words, of a pipeline that failed."""
    found = re.search(r"^(?:ERROR: from element [^ ]*|WARNING: erroneous pipeline): (.*)",
                      output, re.M)
    lines = output.strip().splitlines()
    text = found[1] if found else lines[-1] if lines else "no reason given"
    details = re.search(r"^Additional debug info:\n.*\n(?!ERROR:|Execution )(.+)", output, re.M)
    return f"{text} ({details[1]})" if details else text


# ---- the input ----------------------------------------------------------------------------------


def is_text(path):
    with open(path, "rb") as file:
        start = file.read(4096)
    if start.startswith((b"YUV4MPEG2", b"<svg", b"<?xml")) or re.match(rb"P[1-6]\s", start):
        return False
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(start) - 4 and b"\0" not in start  # cut inside of a character
    return b"\0" not in start


class Input:
    """A file or URI; `source` are the words of a pipeline that produces its frames.

    `about` says what they show, as far as that is known.
    """

    def __init__(self, name):
        self.name, self.path, self.about = name, None, name
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name):
            uri = re.sub(r"[\s\"'\\]", lambda found: urllib.parse.quote(found[0]), name)
            self.source = ["uridecodebin", f"uri={uri}", "!", "videoconvert"]
            return
        self.path = pathlib.Path(name).resolve()
        if not self.path.exists():
            raise Failure(f"no such file: {name}")
        if not self.path.is_file() or not os.access(self.path, os.R_OK):
            raise Failure(f"cannot be read as a file: {name}")
        if self.path.stat().st_size == 0:
            raise Failure(f"the file is empty: {name}")
        # A URI has odd characters escaped, so that any name passes gst-launch-1.0 unharmed.
        uri = self.path.as_uri()
        if name.endswith(".uyvy"):
            self.source = ["giosrc", f"location={uri}", "!", *self.raw_video(), "!", "videoconvert"]
        elif is_text(self.path):
            raise Failure(f"a text file, and neither a picture nor a video: {name}")
        else:
            self.source = ["uridecodebin", f"uri={uri}", "!", "videoconvert"]

    def raw_video(self):
        name = self.path.name
        size = re.search(r"([1-9]\d{0,4})x([1-9]\d{0,4})\D*$", name, re.A)
        if not size:
            raise Failure("raw video needs its size in its name, "
                          f"as in camera_1920x1080.uyvy; not so: {name}")
        width, height = int(size[1]), int(size[2])
        frame = (width + 1) // 2 * 4 * height  # a macropixel of 4 bytes is two pixels
        length = self.path.stat().st_size
        if length % frame:
            raise Failure(f"{name} has {length} bytes; "
                          f"whole UYVY frames of {width}x{height} have {frame} each")
        return f"rawvideoparse format=uyvy width={width} height={height}".split()


# ---- running ------------------------------------------------------------------------------------


class Pipelines:
    """Runs pipelines in OUTDIR, and puts them on the terminal and on the page."""

    def __init__(self, build, outdir):
        self.outdir, self.sections = outdir, []
        self.psnr_program = build / "tests" / "support" / "psnr"
        self.plugin_path = build / "gst"
        # The C locale keeps gst-launch-1.0's output as it is parsed here.
        self.environment = dict(os.environ, GST_PLUGIN_PATH=str(self.plugin_path), LC_ALL="C")
        self.environment.pop("GST_PLUGIN_PATH_1_0", None)  # it would go before

    @contextlib.contextmanager
    def section(self, title):
        """A section of the page and a step on the terminal."""
        print(f"\n{title}", flush=True)
        self.sections.append(demo_page.Section(title))
        try:
            yield self.sections[-1]
        except Failure as error:
            # The first section's errors are about the input and say so themselves.
            raise error if len(self.sections) == 1 else Failure(f"{title}: {error}") from None

    def say(self, text):
        """A sentence of the terminal and of the page."""
        print(f"  {text}", flush=True)
        self.sections[-1].text(text)

    def words(self, parts):
        """Parts are strings of words, or lists of words that may contain spaces."""
        lists = [part.split() if isinstance(part, str) else part for part in parts]
        return [word for words in lists for word in words]

    def run(self, program, parts, makes=()):
        """Prints a line that can be copied into a shell, runs it, and returns its output."""
        words = [*program, *self.words(parts)]
        line = " ".join(map(shell_quote, words))
        print(f"  {line}", flush=True)
        if self.sections:
            self.sections[-1].commands.append(line)
        process = subprocess.run(words, cwd=self.outdir, env=self.environment, text=True,
                                 errors="replace", stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        empty = [name for name in makes
                 if not (self.outdir / name).exists() or not (self.outdir / name).stat().st_size]
        if process.returncode or empty:
            for name in makes:
                (self.outdir / name).unlink(missing_ok=True)
            raise Failure(reason(process.stdout))
        return process.stdout

    def launch(self, *parts, makes=()):
        return self.run(["gst-launch-1.0", "-q"], parts, makes)

    def launch_verbosely(self, *parts, makes=()):
        return self.run(["gst-launch-1.0", "-v"], parts, makes)

    def psnr(self, *parts):
        """Compares what arrives at `appsink name=before` with `appsink name=after`."""
        output = self.run([str(self.psnr_program)], parts)
        found = re.search(r"^frames \d+, (?:PSNR (.*) dB|identical)$", output, re.M)
        if not found:
            raise Failure(f"psnr reports: {output.strip()}")
        return float(found[1]) if found[1] else math.inf

    def speed(self, output, frames):
        """Frames per second, and the back end.

        gst-launch-1.0 starts its clock when the first frame has arrived at the sink, so that frame
        and starting up are not in the time.
        """
        backend = re.findall(r": active-backend = (c[a-z]*)$", output, re.M)
        ended = re.search(r"^Execution ended after (\d+):(\d+):([\d.]+)", output, re.M)
        if not ended:
            raise Failure("gst-launch-1.0 reports no duration")
        seconds = int(ended[1]) * 3600 + int(ended[2]) * 60 + float(ended[3])
        per_second = (frames - 1) / max(seconds, 1e-9)
        backend = backend[-1] if backend else "unknown"
        print(f"  back end {backend}: {frames - 1} frames in {seconds:.3f} s, "
              f"{demo_page.number(per_second)} frames/s", flush=True)
        return per_second

    def inspect(self, *words):
        return subprocess.run(["gst-inspect-1.0", *words], env=self.environment, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
