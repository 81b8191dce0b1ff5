# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the GStreamer processes share: the job protocol, and errors by kind.

These scripts import the standard library and `gi` only; they run by their path, so that the package is not imported.
"""

import ctypes
import errno
import json
import os
import re
import signal
import sys
import traceback

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstBase", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstApp, GstBase, GstVideo  # noqa: E402, F401

SECOND = 1_000_000_000
CAPS = re.compile(r"\s*[a-z]+/[\w.+-]+")  # a media type, which no element's name has


class Failure(Exception):
    """`kind` is corrupt-input, refused, pipeline, disk-full, read-only, gpu-memory, missing-element, verify or lost."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def say(**message):
    print(json.dumps(message), flush=True)


def run(work):
    """Does the jobs on stdin, one a line, and says what came of each. The first that fails ends the process: whatever it
    left behind, a GPU's context in error above all, is gone before the next."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    code = 1
    try:
        for line in sys.stdin:
            job = json.loads(line)
            Gst.init(None)
            say(done=work(job))
        code = 0
    except Failure as failure:
        say(error=failure.kind, text=str(failure))
    except OSError as failure:
        say(error=os_kind(failure), text=str(failure))
    except Exception as failure:
        traceback.print_exc()
        say(error="lost", text=f"{type(failure).__name__}: {failure}")
    sys.stdout.flush()
    os._exit(code)  # a stuck streaming thread must not keep the process


def os_kind(failure):
    if failure.errno in (errno.ENOSPC, errno.EDQUOT):
        return "disk-full"
    if failure.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "read-only"
    return "lost"


def parse_bin(text, kind="pipeline"):
    """A bin of a description; caps at its ends filter as those between elements do, which GStreamer's syntax lacks."""
    whole = ("identity ! " if CAPS.match(text) else "") + text + (" ! identity" if CAPS.match(text.rpartition("!")[2]) else "")
    said = []  # GObject warns of values out of range, and sets others
    handler = GLib.log_set_handler("GLib-GObject", GLib.LogLevelFlags.LEVEL_WARNING | GLib.LogLevelFlags.LEVEL_CRITICAL,
                                   lambda domain, level, message, *_: said.append(message), None)
    try:
        bin = Gst.parse_bin_from_description_full(whole, True, None, Gst.ParseFlags.FATAL_ERRORS)
        if said:
            raise Failure(kind, f"{said[0]} (in the pipeline \"{text}\")")
        return bin
    except GLib.Error as error:
        if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT):
            raise Failure("missing-element", f"{error.message} (in the pipeline \"{text}\")") from error
        raise Failure(kind, f"{error.message} (in the pipeline \"{text}\")") from error
    finally:
        GLib.log_remove_handler("GLib-GObject", handler)


def is_error(error, enum, *codes):
    return any(error.matches(enum.quark(), code) for code in codes)


def raise_message(message, place, source):
    """Raises the Failure of an ERROR message. `source`: an object all of whose children read and decode the input."""
    error, debug = message.parse_error()
    element = message.src
    name = element.get_name() if element else "?"
    text = f"{name}: {error.message}" + (f" ({debug.splitlines()[-1].strip()})" if debug else "")
    full = f"{error.message} {debug or ''}".lower()
    inside = element is not None and source is not None and (element == source or element.has_as_ancestor(source))
    if is_error(error, Gst.CoreError, Gst.CoreError.MISSING_PLUGIN) or \
            is_error(error, Gst.StreamError, Gst.StreamError.CODEC_NOT_FOUND):
        raise Failure("missing-element", f"{place}: {text}")
    if "out of memory" in full or "cuda_error_out_of_memory" in full:
        raise Failure("gpu-memory", text)
    if is_error(error, Gst.ResourceError, Gst.ResourceError.NO_SPACE_LEFT):
        raise Failure("disk-full", text)
    if "not-negotiated" in full:
        raise Failure("pipeline", f"{place}: the pipeline does not accept these pictures: {text}")
    if inside:
        raise Failure("corrupt-input", f"{place}: {text}")
    raise Failure("pipeline", text)


def raise_errors(pipeline, place, source):
    """Raises the error on the bus, if any."""
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        raise_message(message, place, source)


def with_rate(caps, rate):
    """The caps with this framerate. (Gst.Fraction is in GStreamer's Python overrides, which gi does not need.)"""
    structure = caps.get_structure(0).copy()
    structure.remove_field("framerate")
    return Gst.Caps.from_string(structure.to_string().rstrip(";") + f",framerate=(fraction){rate}")
