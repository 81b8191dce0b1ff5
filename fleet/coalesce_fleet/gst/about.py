# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a pipeline is made of: whether it treats each picture by itself, and the versions that its bytes depend on."""

import functools
import hashlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Failure, Gst, parse_bin, run  # noqa: E402

# Elements whose output for a picture depends on that picture only. An item is cut if its pipeline has no others.
BY_ITSELF = frozenset("""
    bilateral canny cartoon convolve j2kenc linedetect median oilpaint rgb2yuv sepconvolve uyvy2y yuv2rgb yuv2yuv
    aspectratiocrop bin capsfilter cudaconvert cudaconvertscale cudadownload cudascale cudaupload gamma glcolorconvert
    glcolorscale gldownload glupload identity jpeg2000parse openjpegenc queue videobalance videobox videoconvert
    videoconvertscale videocrop videoflip videoscale""".split())


def elements(bin):
    """The elements of a bin and of the bins in it."""
    found = bin.iterate_recurse()
    while True:
        result, element = found.next()
        if result != Gst.IteratorResult.OK:
            return
        yield element


def remembers(bin):
    """The factory of an element that may remember other pictures; None if each picture is treated by itself."""
    for element in elements(bin):
        name = element.get_factory().get_name()
        if name not in BY_ITSELF or (element.find_property("temporal") and element.get_property("temporal")):
            return name
    return None


@functools.lru_cache(None)  # what the process has loaded stays loaded
def build(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def made_by(bin):
    """GStreamer and the plugins of a pipeline with their versions; builds of this project's plugin by their digest."""
    plugins = {}
    for element in elements(bin):
        plugin = element.get_factory().get_plugin()
        plugins[plugin.get_name()] = plugin.get_version()
        if plugin.get_source() == "gst-coalesce":
            plugins[plugin.get_name()] += f" (build {build(plugin.get_filename())})"
    return ", ".join([Gst.version_string(), *(f"{name} {plugins[name]}" for name in sorted(plugins))])


def work(job):
    bin = parse_bin(job["pipeline"])
    for element in elements(bin):
        for pad in element.pads:
            if not pad.is_linked():
                raise Failure("pipeline", f"{element.get_name()} has a pad that is not linked, {pad.get_name()} (in the "
                                          f"pipeline \"{job['pipeline']}\")")
    return {"remembers": remembers(bin), "made_by": made_by(bin)}


if __name__ == "__main__":
    run(work)
