#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the two figures of docs/architecture.md, layers.svg and frame.svg, beside this file.

usage: architecture.py [--check]

--check writes nothing, and fails if the files are others. The figures have a background of their own, so they are
readable on light and dark pages.
"""
import pathlib
import sys
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
INK, QUIET, PAPER, LINE = "#1f2933", "#52606d", "#ffffff", "#9aa5b1"
GREEN, BLUE, GREY, ORANGE = "#d5efe4", "#d9e6fb", "#eceff3", "#fde6cf"


class Figure:
    def __init__(self, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="DejaVu Sans, Verdana, sans-serif" font-size="13">',
            f'<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{QUIET}"/></marker></defs>',
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" fill="{PAPER}" stroke="{LINE}"/>']

    def text(self, x, y, text, anchor="middle", color=INK, weight="normal", size=13):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}" font-weight="{weight}" '
                          f'font-size="{size}">{escape(text)}</text>')

    def box(self, x, y, width, height, color, title, below=""):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{color}" stroke="{LINE}"/>')
        middle = y + height / 2 + 5
        self.text(x + width / 2, middle - (8 if below else 0), title, weight="bold")
        if below:
            self.text(x + width / 2, middle + 9, below, color=QUIET, size=11)

    def arrow(self, x1, y1, x2, y2, dashed=False):
        dashes = 'stroke-dasharray="4 3" ' if dashed else ""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{QUIET}" stroke-width="1.5" '
                          f'{dashes}marker-end="url(#end)"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


def layers():
    f = Figure(760, 430)
    f.text(20, 30, "Layers: each uses those below it", "start", weight="bold", size=15)
    f.box(20, 48, 720, 44, GREY, "pipeline of the application", "GStreamer's elements, appsrc and appsink")
    f.text(20, 116, "gst/: the plugin", "start", color=QUIET)
    f.box(20, 124, 720, 44, BLUE, "elements", "pads, properties, caps, run()")
    f.box(20, 176, 470, 44, BLUE, "base classes", "back end, jobs, negotiation, frames in flight")
    f.box(500, 176, 240, 44, BLUE, "coding", "frames and caps of encoders")
    f.box(20, 228, 350, 44, BLUE, "memory", "fences, pools, staging, retire list")
    f.box(380, 228, 360, 44, BLUE, "video", "buffers as pictures, copies, colours")
    f.text(20, 296, "kernels/: a library of its own", "start", color=QUIET)
    f.box(20, 304, 350, 44, GREEN, "operations on the CPU", "threads, the same arithmetic")
    f.box(380, 304, 360, 44, GREEN, "operations on CUDA", "kernels in a stream, the same bytes")
    f.box(20, 368, 350, 44, GREY, "standard library")
    f.box(380, 368, 360, 44, GREY, "CUDA runtime and driver", "loaded when an element needs it")
    f.arrow(320, 272, 320, 302)
    f.arrow(560, 272, 560, 302)
    f.arrow(195, 348, 195, 366)
    f.arrow(560, 348, 560, 366)
    return f.svg()


def frame():
    f = Figure(760, 330)
    f.text(20, 30, "Two filters on the GPU: no thread waits", "start", weight="bold", size=15)
    for y, name in (60, "streaming thread"), (160, "stream of the GPU"), (255, "memory of frame 1"):
        f.text(20, y + 28, name, "start", color=QUIET)
    x = 165
    for title, below, color in (("filter A", "enqueue", BLUE), ("push", "", GREY), ("filter B", "enqueue", BLUE), ("push", "", GREY),
                                ("filter A", "frame 2", ORANGE), ("filter B", "frame 2", ORANGE)):
        width = 100 if below else 60
        f.box(x, 60, width, 44, color, title, below)
        x += width + 8
    f.box(225, 160, 170, 44, GREEN, "kernels of A", "frame 1")
    f.box(403, 160, 170, 44, GREEN, "kernels of B", "frame 1")
    f.box(581, 160, 150, 44, ORANGE, "kernels of A", "frame 2")
    f.arrow(215, 104, 250, 158)
    f.arrow(395, 104, 430, 158)
    f.arrow(560, 104, 610, 158)
    f.box(165, 255, 222, 44, GREY, "fence: A writes", "others order themselves after it")
    f.box(395, 255, 178, 44, GREY, "retired", "kept until B has read it")
    f.box(581, 255, 150, 44, GREY, "free", "back in the pool")
    f.arrow(395, 206, 395, 253, dashed=True)
    f.arrow(573, 206, 573, 253, dashed=True)
    return f.svg()


def main():
    wrong = []
    for name, text in {"layers.svg": layers(), "frame.svg": frame()}.items():
        if sys.argv[1:] == ["--check"]:
            if not (HERE / name).exists() or (HERE / name).read_text(encoding="utf-8") != text:
                wrong.append(name)
        else:
            (HERE / name).write_text(text, encoding="utf-8")
    if wrong:
        sys.exit(f"{', '.join(wrong)}: made by another script; run docs/images/architecture.py")


if __name__ == "__main__":
    main()
