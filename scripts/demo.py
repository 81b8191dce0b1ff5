#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""./run demo: runs the elements on a picture and a clip, and writes a page of the results."""

import argparse
import contextlib
import math
import os
import pathlib
import re
import signal
import sys
import time

import demo_page
import demo_pictures as pictures
from demo_pipelines import Failure, Input, Pipelines, shell_quote

MEDIA = pathlib.Path(__file__).resolve().parent.parent / "examples" / "media"
ELEMENTS = ("coalescedeinterlace", "uyvy2y", "rgb2yuv", "yuv2rgb", "yuv2yuv", "convolve",
            "sepconvolve", "median", "canny", "linedetect", "bilateral", "cartoon", "oilpaint", "j2kenc", "coalescejpegenc")
DECODER = "coalescejpegdec"
STEREO = "stereodisparity"
DECODED = (95, 75, 30)  # qualities of JPEG
RATES = ("2", "1", "0.5", "0.25")
CODED = {"j2kenc": "JPEG 2000", "coalescejpegenc": "JPEG"}
QUALITIES = ("95", "85", "60", "30")
METHODS = ("weave", "line", "linear", "ela", "yadif", "bwdif", "w3fdif", "best")
FIELD_FRAMES, SHOWN_FIELD = 12, 6  # of the clip
MOST_FRAMES = 300
MOST_REPEATS = 100000
# An element is timed again with more frames where the first run was shorter, in seconds.
LEAST_TIME = 0.5
POINT = "Point at a picture, or tap it,"
# A codestream of fewer pixels is little but headers at 0.25 bits each.
LEAST_PIXELS_FOR_RATES = 16384

BLUR = "sepconvolve preset=gaussian sigma=4"
SHARPEN = "convolve preset=unsharp sigma=4"
EDGES = (
    "sepconvolve preset=gaussian sigma=1",
    "convolve preset=laplacian absolute=true divisor=0.25",
)
CANNY = ("canny", "canny sigma=1.4", "canny sigma=1.4 output=overlay")
STRAIGHT = "linedetect draw=true line-color=0xffff00ff thickness=3"
SMOOTH = "bilateral radius=5 sigma-space=3 sigma-range=60"
PAINTED = f"{SMOOTH} iterations=4"
CARTOONS = ("cartoon", "cartoon edges=canny")
PAINT = ("oilpaint", "oilpaint brush-thinnest=4 threshold=20", "oilpaint method=kuwahara",
         "oilpaint method=mode")
DEPTHS = ("output=turbo", "output=turbo method=census", "output=viridis method=sad")
CAMERAS = "focal-length=480 baseline=120"  # of the pair: pixels, and millimetres
WALL = 6.0  # metres from the cameras
NOISE = 20  # its standard deviation, of samples of 8 bits
NOISY = ("bilateral radius=3 sigma-range=60", "sepconvolve preset=gaussian sigma=0.6", "median")
SPECKS = 0.1  # of the pixels
SPECKLED = ("median", "median size=5", "sepconvolve preset=gaussian sigma=1")
# Elements as words, because a mask of one's own contains spaces.
FILTERS = [words.split() for words in (
    "convolve preset=box size=9",
    "convolve preset=gaussian sigma=1.5",
    "sepconvolve preset=gaussian sigma=6",
    "convolve preset=sharpen",
    "convolve preset=unsharp sigma=2",
    "convolve preset=emboss",
    "convolve preset=laplacian divisor=2",
    "convolve preset=laplacian-of-gaussian absolute=true divisor=0.25",
    "convolve preset=sobel-x divisor=4",
    "convolve preset=sobel-y absolute=true divisor=2",
)] + [["convolve", "mask=" + "; ".join(" ".join("1" if x == y else "0" for x in range(9))
                                       for y in range(9))]]
# There and back: the caps in between.
TRIPS = (("4:4:4, 8 bits", "Y444", ""), ("4:2:2, 10 bits", "v210", ",chroma-site=mpeg2"),
         ("4:2:0, 8 bits", "NV12", ",chroma-site=mpeg2"))
LAYOUTS = (("4:4:4", "Y444", (1, 1)), ("4:2:2", "Y42B", (2, 1)), ("4:2:0", "I420", (2, 2)))

# Everything that the demo writes into OUTDIR; an earlier run's are removed at the start. Scratch is
# removed at the end: no line of the page reads it, unless an earlier line makes it.
SCRATCH = ("grid.yuv", "planes.yuv", "part.rgb", "trip.rgb", "cleaned.rgb", "depth.raw") + tuple(
    f"{element}-{name}.yuv" for element in ("rgb2yuv", "videoconvert") for _, name, _ in LAYOUTS
) + tuple(f"{name}-{backend}.raw" for backend in ("cpu", "cuda")
          for name in ("luma", "yuv", "rgb", "v210", "fields", "blur", "sharpen", "edges",
                      "specks", "canny", "overlay", "straight", "cartoon", "paint", "disparity", "smooth", "lossless", "2bpp", "jpeg", "jpeg-decoded"))
RESULTS = (
    "input.png", "luma.png", "y.png", "u.png", "v.png", "chroma-original.png",
    *(f"chroma-{name}.png" for _, name, _ in LAYOUTS),
    *(f"chroma-{name}-error.png" for _, name, _ in LAYOUTS),
    "luma-error-rgb2yuv.png", "luma-error-videoconvert.png",
    *(f"chroma-trip-{name}.png" for _, name, _ in TRIPS),
    "blur.png", "sharpen.png", "edges.png",
    *(f"filter-{i}.png" for i in range(len(FILTERS) + 1)),
    "specks.png", "specks.rgb", *(f"specks-{i}.png" for i in range(len(SPECKLED))),
    *(f"canny-{i}.png" for i in range(len(CANNY))),
    *(f"cartoon-{i}.png" for i in range(len(CARTOONS))),
    *(f"paint-{i}.png" for i in range(len(PAINT))),
    "pair-left.png", "pair-right.png", *(f"depth-{i}.png" for i in range(len(DEPTHS))),
    "straight.png", "smooth.png", "painted.png", "noise.png", "noise.rgb", *(f"noise-{i}.png" for i in range(len(NOISY))),
    *(f"picture-q{quality}.jpg" for quality in DECODED), "picture-jpeg.png",
    "picture.jp2", "rate-original.png",
    *(f"picture-{rate}bpp.jp2" for rate in RATES), *(f"rate-{rate}bpp.png" for rate in RATES),
    *(f"picture-{i}.jpg" for i in range(len(QUALITIES) + 2)),
    *(f"field-{method}.png" for method in ("original", *METHODS)),
    "video.mj2", "video-before.png", "video-after.png", "edges.webm", "index.html",
)


def clamp(value, low, high):
    return min(max(value, low), high)


class Demo(Pipelines):
    def __init__(self, build, outdir, still, clip):
        super().__init__(build, outdir)
        self.still, self.clip = still, clip
        self.jpeg_measured = False  # can files be decoded and compared here?
        self.setting = []  # what a shell needs before it can run the lines
        self.undecodable = None  # or why JPEG 2000 cannot be decoded here
        self.rgb, self.size, self.width, self.height = "", (0, 0), 0, 0
        self.centre, self.flat, self.gpu = (0, 0), False, False
        self.clip_size = None  # of a progressive clip
        self.whole = {}  # whole pictures that are shown: bytes to file and caption

    # ---- preparation ----

    def prepare(self):
        for name in RESULTS + SCRATCH:
            try:
                (self.outdir / name).unlink(missing_ok=True)
            except OSError as error:
                raise Failure(f"cannot remove {self.outdir / name}: {error.strerror}") from None
        self.setting = [f"cd {shell_quote(str(self.outdir))}",
                        f"export GST_PLUGIN_PATH={shell_quote(str(self.plugin_path))}"]
        if "GST_PLUGIN_PATH_1_0" in os.environ:
            self.setting.append("unset GST_PLUGIN_PATH_1_0")
        print("The plugin is used from the build folder. The lines below require:\n")
        for line in self.setting:
            print(f"  {line}")
        # Not --exists, which also requires the plugin's version to be at least GStreamer's.
        for element in (*ELEMENTS, DECODER, STEREO):
            if self.inspect(element):
                raise Failure(f"GStreamer does not find {element} in {self.plugin_path}")
        if self.inspect("--exists", "openjpegdec"):
            self.undecodable = "GStreamer's openjpegdec is not installed"
        elif not self.psnr_program.exists():
            self.undecodable = "the build lacks the program psnr"
        self.jpeg_measured = self.psnr_program.exists() and not self.inspect("--exists", "jpegdec")

    def clean_up(self):
        for name in SCRATCH:
            (self.outdir / name).unlink(missing_ok=True)

    # ---- the picture ----

    def picture(self):
        with self.section("Luma: uyvy2y") as section:
            try:
                try:
                    self.first_frame("imagefreeze num-buffers=1")
                except Failure as error:
                    # openjpegdec reports an error where the stream ends after it; like this it
                    # goes on until the picture is written.
                    if "OpenJPEG" not in str(error):
                        raise
                    section.commands.clear()
                    self.first_frame("imagefreeze num-buffers=1 allow-replace=true")
            except Failure as error:
                raise Failure(f"no picture came out of {self.still.name}: {error}") from None
            self.width, self.height = pictures.png_size(self.outdir / "input.png")
            self.size = (self.width, self.height)
            section.text("The luma of video usually has limited range: black is 16, white is 235.")
            section.group("two")
            self.show(section, self.whole, "input.png", self.size, "The picture", self.still.about)
            section.figure("luma.png", self.size, "Its luma", f"In grey: {self.still.about}")
        # Everything below is about this picture as RGB of 8 bits.
        self.rgb = "filesrc location=input.png ! pngdec ! video/x-raw,format=RGB"

    def first_frame(self, freeze):
        self.launch(
            self.still.source, "!", freeze, "! tee name=frame",
            "frame. ! queue ! videoconvert ! video/x-raw,format=RGB ! pngenc !"
            " filesink location=input.png",
            "frame. ! queue ! videoconvert ! video/x-raw,format=UYVY ! uyvy2y ! pngenc !"
            " filesink location=luma.png", makes=("input.png", "luma.png"))

    def find_detail(self):
        """Sets `centre` to where the picture has most detail of brightness and colour."""
        self.centre = (self.width // 2, self.height // 2)
        self.flat = False
        columns, rows = (self.width + 15) // 16, (self.height + 15) // 16
        with self.section("The part with the most detail") as section:
            self.launch(
                self.rgb, "! rgb2yuv ! video/x-raw,format=Y444",
                "! convolve preset=laplacian absolute=true divisor=0.5",
                "! sepconvolve preset=box size=63",
                "! videoscale method=nearest-neighbour add-borders=false",
                f"! video/x-raw,width={columns},height={rows},pixel-aspect-ratio=1/1",
                "! filesink location=grid.yuv", makes=("grid.yuv",))
            planes = pictures.read_planes(self.outdir / "grid.yuv", [(columns, rows)] * 3)
            best = pictures.busiest(*planes)
            self.flat = best is None
            if best is not None:
                self.centre = (int((best % columns + 0.5) * self.width / columns),
                               int((best // columns + 0.5) * self.height / rows))
            print(f"  around x={self.centre[0]}, y={self.centre[1]}")
        self.sections.remove(section)

    def part(self, width, height):
        """Where to look closely: x, y, width, height."""
        width, height = min(width, self.width), min(height, self.height)
        x = clamp(self.centre[0] - width // 2, 0, self.width - width) & ~1
        y = clamp(self.centre[1] - height // 2, 0, self.height - height) & ~1
        return x, y, width, height

    def crop(self, part):
        x, y, width, height = part
        return (f"videocrop left={x} right={self.width - x - width}"
                f" top={y} bottom={self.height - y - height}")

    def magnify(self, part, scale):
        return ("videoscale method=nearest-neighbour add-borders=false !"
                f" video/x-raw,format=RGB,width={part[2] * scale},height={part[3] * scale},"
                "pixel-aspect-ratio=1/1")

    # ---- colour ----

    def colour(self):
        with self.section("Y, U and V: rgb2yuv") as section:
            self.launch(self.rgb, "! rgb2yuv ! video/x-raw,format=Y444,colorimetry=bt709",
                        "! filesink location=planes.yuv", makes=("planes.yuv",))
            planes = pictures.read_planes(self.outdir / "planes.yuv", [self.size] * 3)
            coloured = any(len(set(plane)) > 1 for plane in planes[1:])
            section.group("three")
            captions = ("Y, brightness", "U, from yellow to blue", "V, from green to red")
            shades = ("Brightness in grey", "U in yellow and blue", "V in green and red")
            for i, name in enumerate("yuv" if coloured else "y"):
                palette = pictures.chroma_palette(i) if i else None
                pictures.write_png(self.outdir / f"{name}.png", planes[i], *self.size, palette)
                section.figure(f"{name}.png", self.size, captions[i],
                               f"{shades[i]}: {self.still.about}")
            if not coloured:
                self.say("U and V are left out: each has the same value everywhere.")
        with self.section("Chroma subsampling, and how exact rgb2yuv is") as section:
            if self.flat or self.width < 16 or self.height < 16:
                self.say("Left out: the picture is too small or has no detail.")
            else:
                self.subsampling(section, coloured)

    def subsampling(self, section, coloured):
        x, y, width, height = self.part(160, 120)
        width, height = width & ~15, height & ~3
        size, scaled = (width // 2, height // 2), (width * 4, height * 4)
        # Most pictures come with subsampled chroma; at half the size they have it for each pixel.
        source = (f"{self.rgb} ! {self.crop((x, y, width, height))} ! videoscale !"
                  f" video/x-raw,width={size[0]},height={size[1]},pixel-aspect-ratio=1/1")
        self.launch(source, "! filesink location=part.rgb", makes=("part.rgb",))
        rgb = pictures.read_rgb(self.outdir / "part.rgb", *size)
        planes = {(element, name): self.convert(source, element, name, size, step)
                  for _, name, step in LAYOUTS for element in ("rgb2yuv", "videoconvert")}
        after = {key: pictures.rgb_of_yuv(planes[key], *size, step)
                 for _, name, step in LAYOUTS
                 for key in (("rgb2yuv", name), ("videoconvert", name))}
        section.text(f"A part of the picture, at half its size: {size[0]}×{size[1]} pixels, each"
                     f" eight times as large. {POINT} to see the part.")
        if coloured:
            self.chroma(section, rgb, planes, after, size, scaled)
        rows = []
        for label, name, _ in LAYOUTS:
            rows.append([label] + [demo_page.decibel(pictures.psnr(rgb, after[element, name]))
                                   for element in ("rgb2yuv", "videoconvert")])
            print("  {}: rgb2yuv {}, videoconvert {}".format(*rows[-1]))
        section.table(("PSNR of the part, there and back", "rgb2yuv", "videoconvert"), rows)
        section.text("The luma of both elements against the exact formula, in steps of 8 bits."
                     " Rounding alone makes errors of up to 0.5.")
        section.scale(("0", "0.5", "1", "1.5 and more"))
        section.group("two")
        exact, shown = pictures.exact_luma(rgb), {}
        for element in ("rgb2yuv", "videoconvert"):
            errors = [abs(a - b) for a, b in zip(exact, planes[element, "Y444"][0])]
            file = f"luma-error-{element}.png"
            pictures.write_png(self.outdir / file, pictures.error_map(errors, 170), *size,
                               pictures.heat_palette(), (8, 8))
            share = sum(error > 0.5 for error in errors) / len(errors)
            self.show(section, shown, file, scaled, f"{element}: error of Y at most"
                      f" {max(errors):.2f}, on average {sum(errors) / len(errors):.2f}",
                      f"Error map of the luma of {element}: errors above 0.5 in {share:.0%} of"
                      " the pixels", magnified=True)

        self.trips(section, source, rgb, size, scaled)

    def trips(self, section, source, rgb, size, scaled):
        """Shows what is lost from RGB to YUV and back."""
        section.text("There and back: rgb2yuv and yuv2rgb. The error maps have the largest error"
                     " of R, G and B, of 255.")
        section.scale(("0", "3", "5", "8 and more"))
        section.group("three")
        rows, shown = [], {}
        for label, name, site in TRIPS:
            caps = f"! video/x-raw,format={name},colorimetry=bt709{site} !"
            after = {}
            for there, back in (("rgb2yuv", "yuv2rgb"), ("videoconvert", "videoconvert")):
                self.launch(source, "!", there, caps, back, "! video/x-raw,format=RGB",
                            "! filesink location=trip.rgb", makes=("trip.rgb",))
                after[there] = pictures.read_rgb(self.outdir / "trip.rgb", *size)
            ours = after["rgb2yuv"]
            worst = [max(abs(rgb[i + c] - ours[i + c]) for c in range(3))
                     for i in range(0, len(rgb), 3)]
            file = f"chroma-trip-{name}.png"
            pictures.write_png(self.outdir / file, pictures.error_map(worst, 32), *size,
                               pictures.heat_palette(), (8, 8))
            self.show(section, shown, file, scaled, f"{name}, {label}",
                      f"Error map of RGB by {name}: at most {max(worst)} of 255, on average"
                      f" {sum(worst) / len(worst):.2f}", magnified=True)
            rows.append([f"{name}, {label}"] + [demo_page.decibel(pictures.psnr(rgb, made))
                                                for made in after.values()])
            print("  {}: rgb2yuv and yuv2rgb {}, videoconvert twice {}".format(*rows[-1]))
        section.table(("PSNR there and back", "rgb2yuv, yuv2rgb", "videoconvert, twice"), rows)

    def convert(self, source, element, name, size, step):
        """Returns the planes that the element makes of the source."""
        file = f"{element}-{name}.yuv"
        self.launch(source, "!", element,
                    f"! video/x-raw,format={name},colorimetry=bt709,chroma-site=jpeg",
                    f"! filesink location={file}", makes=(file,))
        chroma = (size[0] // step[0], size[1] // step[1])
        return pictures.read_planes(self.outdir / file, [size, chroma, chroma])

    def chroma(self, section, rgb, planes, after, size, scaled):
        """Shows the chroma plane with more contrast, and what subsampling loses."""
        full = planes["rgb2yuv", "Y444"]
        plane = max((1, 2), key=lambda i: max(full[i]) - min(full[i]))
        palette, shown = pictures.chroma_palette(plane), {}
        pictures.write_png(self.outdir / "chroma-original.png", rgb, *size, scale=(8, 8))
        original = ("chroma-original.png", f"The part in colour, of: {self.still.about}")
        section.group("three")
        for label, name, step in LAYOUTS:
            file = f"chroma-{name}.png"
            pictures.write_png(self.outdir / file, planes["rgb2yuv", name][plane],
                               size[0] // step[0], size[1] // step[1], palette,
                               (8 * step[0], 8 * step[1]))
            self.show(section, shown, file, scaled, f"{'YUV'[plane]} of {label}",
                      f"{'YUV'[plane]} of the part, one value for {step[0]}×{step[1]} pixels",
                      original, magnified=True)
        section.text("The error maps compare the part with the RGB of its YUV, by the exact"
                     " formula: the largest error of R, G and B, of 255.")
        section.scale(("0", "11", "21", "32 and more"))
        section.group("three")
        for label, name, _ in LAYOUTS:
            file, made = f"chroma-{name}-error.png", after["rgb2yuv", name]
            worst = [max(abs(rgb[i + c] - made[i + c]) for c in range(3))
                     for i in range(0, len(rgb), 3)]
            pictures.write_png(self.outdir / file, pictures.error_map(worst, 8), *size,
                               pictures.heat_palette(), (8, 8))
            self.show(section, shown, file, scaled, f"Error of {label}",
                      f"Error map of {label}: at most {max(worst)} of 255, on average"
                      f" {sum(worst) / len(worst):.1f}", original, magnified=True)

    # ---- filters ----

    def filters(self):
        with self.section("Filters, the whole picture: sepconvolve and convolve") as section:
            edges = " ! ".join(EDGES)
            self.altered(section, [(BLUR, "blur.png", f"Blur: {BLUR}", "Blurred"),
                                   (SHARPEN, "sharpen.png", f"Sharpening: {SHARPEN}", "Sharpened"),
                                   (edges, "edges.png", f"Edges: {edges}", "Edges on black")])
        with self.section("Masks and presets") as section:
            self.masks(section)
        with self.section("Specks removed: median") as section:
            self.repaired(section, "specks", f"{SPECKS:.0%} of the pixels black or white",
                          lambda rgb: pictures.with_specks(rgb, SPECKS), SPECKLED)
        with self.section("Lines: canny") as section:
            self.altered(section, [(words, f"canny-{i}.png", words, f"Edges as {words} has them")
                                   for i, words in enumerate(CANNY)])
        with self.section("Straight lines: linedetect") as section:
            self.altered(section, [(STRAIGHT, "straight.png", STRAIGHT, "With its straight lines")])
        with self.section("Smooth areas, sharp edges: bilateral") as section:
            self.altered(section, [(SMOOTH, "smooth.png", SMOOTH, "Smoothed"),
                                   (PAINTED, "painted.png", f"As if painted: {PAINTED}",
                                    "Smoothed four times")])
        with self.section("Drawn: cartoon") as section:
            self.altered(section, [(words, f"cartoon-{i}.png", words, f"Drawn by {words}")
                                   for i, words in enumerate(CARTOONS)])
        with self.section("Painted in oil: oilpaint") as section:
            self.altered(section, [(words, f"paint-{i}.png", words, f"Painted by {words}")
                                   for i, words in enumerate(PAINT)])
        with self.section("Noise removed: bilateral") as section:
            self.repaired(section, "noise", f"noise of sigma {NOISE}",
                          lambda rgb: pictures.with_noise(rgb, NOISE), NOISY)

    def altered(self, section, pictures_of):
        """The whole picture as lines of elements make it: words, file, caption and what it is."""
        self.launch(self.rgb, "! tee name=frame",
                    *(f"frame. ! queue ! {words} ! pngenc ! filesink location={file}"
                      for words, file, _, _ in pictures_of),
                    makes=tuple(file for _, file, _, _ in pictures_of))
        section.text(f"{POINT} to see the original.")
        section.group("two")
        about = self.still.about
        for _, file, caption, what in pictures_of:
            self.show(section, self.whole, file, self.size, caption, f"{what}: {about}",
                      ("input.png", about))

    def masks(self, section):
        if self.flat or self.width < 16 or self.height < 16:
            self.say("Left out: the picture is too small or has no detail.")
            return
        part = self.part(240, 180)
        size = (part[2] * 2, part[3] * 2)
        section.text(f"A part of {part[2]}×{part[3]} pixels, twice as large. {POINT} to see it"
                     " unfiltered.")
        section.group("three")
        shown, before = {}, ("filter-0.png", f"A part, unfiltered, of: {self.still.about}")
        for i, words in enumerate([[]] + FILTERS):
            file = f"filter-{i}.png"
            self.launch(self.rgb, words and ["!", *words], "!", self.crop(part), "!",
                        self.magnify(part, 2), f"! pngenc ! filesink location={file}",
                        makes=(file,))
            caption = " ".join(words) if i else "The original"
            if "mask=" in caption:
                caption = "convolve with a mask of one's own, 9×9: ones on its diagonal"
            alt = f"After {caption}: a part of {self.still.about}" if i else before[1]
            self.show(section, shown, file, size, caption, alt, before)

    def repaired(self, section, name, damage, damaged, filters):
        """A damaged part of the picture, and what filters leave of that."""
        if self.flat or self.width < 16 or self.height < 16:
            self.say("Left out: the picture is too small or has no detail.")
            return
        part = self.part(240, 180)
        size, scaled = part[2:], (part[2] * 2, part[3] * 2)
        self.launch(self.rgb, "!", self.crop(part), "! filesink location=part.rgb", makes=("part.rgb",))
        rgb = pictures.read_rgb(self.outdir / "part.rgb", *size)
        broken = damaged(rgb)
        (self.outdir / f"{name}.rgb").write_bytes(pictures.padded_rgb(broken, size[0]))
        pictures.write_png(self.outdir / f"{name}.png", broken, *size, scale=(2, 2))
        section.text(f"The part, with {damage}. {POINT} to see it so.")
        section.group("two")
        shown, before = {}, (f"{name}.png", f"With {damage}: a part of {self.still.about}")
        self.show(section, shown, f"{name}.png", scaled, f"With {damage}", before[1])
        rows = [(f"with {damage}", demo_page.decibel(pictures.psnr(rgb, broken)))]
        for i, words in enumerate(filters):
            self.launch(f"filesrc location={name}.rgb blocksize={(size[0] * 3 + 3) // 4 * 4 * size[1]} !",
                        f"video/x-raw,format=RGB,width={size[0]},height={size[1]},framerate=1/1 !",
                        words, "! filesink location=cleaned.rgb", makes=("cleaned.rgb",))
            cleaned = pictures.read_rgb(self.outdir / "cleaned.rgb", *size)
            file = f"{name}-{i}.png"
            pictures.write_png(self.outdir / file, cleaned, *size, scale=(2, 2))
            self.show(section, shown, file, scaled, words, f"After {words}: {before[1]}", before)
            rows.append((words, demo_page.decibel(pictures.psnr(rgb, cleaned))))
            print("  {}: {}".format(*rows[-1]))
        section.table((f"against the part without {name}", "PSNR"), rows)

    def show(self, section, shown, file, size, caption, alt, other=None, magnified=False):
        """Shows a picture, unless another file with equal bytes is shown: then it says so."""
        first, name = shown.setdefault((self.outdir / file).read_bytes(), (file, caption))
        if first != file:
            section.text(f"{caption}: not shown, because it equals “{name}” on this input.")
            (self.outdir / file).unlink()
            return
        section.figure(file, size, caption, alt, other if other and other[0] != file else None,
                       magnified)

    # ---- two cameras ----

    def depth(self):
        with self.section(f"Depth from two cameras: {STEREO}") as section:
            pair = [Input(str(MEDIA / f"pair-{eye}_480x320.jpg")) for eye in ("left", "right")]
            for eye, source in zip(("left", "right"), pair):
                self.launch(source.source, f"! pngenc ! filesink location=pair-{eye}.png",
                            makes=(f"pair-{eye}.png",))
            size = pictures.png_size(self.outdir / "pair-left.png")
            left, right = (f"What the {eye} camera sees: three balls on tiles before a wall"
                           for eye in ("left", "right"))
            section.text(f"A pair that is part of this demo. Near things are red or yellow, those far"
                         f" away blue or violet, and black is unknown. {POINT} to see what is there.")
            section.group("two")
            section.figure("pair-left.png", size, "The left camera", left)
            section.figure("pair-right.png", size, "The right camera", right, ("pair-left.png", left))

            def launch(words, *rest, makes):
                inputs = [[*source.source, *f"! queue ! d.{eye}".split()]
                          for eye, source in zip(("left", "right"), pair)]
                self.launch(*inputs, f"{STEREO} name=d num-disparities=64", words, *rest, makes=makes)
            for i, words in enumerate(DEPTHS):
                file = f"depth-{i}.png"
                launch(words, f"! pngenc ! filesink location={file}", makes=(file,))
                section.figure(file, size, f"{STEREO} num-disparities=64 {words}",
                               f"Colours of the distances, by {words}", ("pair-left.png", left))
            launch(f"output=depth {CAMERAS}", "! filesink location=depth.raw", makes=("depth.raw",))
            depths = memoryview((self.outdir / "depth.raw").read_bytes()).cast("H")
            wall = sorted(depths[:size[0] * (size[1] // 4)])[size[0] * (size[1] // 8)]
            self.say(f"With output=depth {CAMERAS} the wall is {wall / 1000:.2f} m away;"
                     f" it was drawn at {WALL:.2f} m.")

    # ---- JPEG ----

    def decoded_jpeg(self):
        with self.section("JPEG: coalescejpegdec") as section:
            section.text("Files of GStreamer's jpegenc, decoded to RGB with interpolated chroma.")
            rows = []
            for quality in DECODED:
                file = f"picture-q{quality}.jpg"
                self.launch(self.rgb, f"! jpegenc quality={quality} ! filesink location={file}",
                            makes=(file,))
                decoded = f"filesrc location={file} ! {DECODER} ! video/x-raw,format=RGB"
                length = (self.outdir / file).stat().st_size
                ratio = ""
                if self.psnr_program.exists():
                    ratio = demo_page.decibel(self.psnr(self.rgb, "! appsink name=before", decoded,
                                                        "! appsink name=after"))
                print(f"  {file}: {length} bytes {ratio}")
                bits = 8 * length / (self.width * self.height)
                rows.append((str(quality), f"{length:,}", f"{bits:.2f}", ratio))
            self.launch(decoded, "! pngenc ! filesink location=picture-jpeg.png",
                        makes=("picture-jpeg.png",))
            section.group("two")
            section.figure("picture-jpeg.png", self.size, f"Quality {DECODED[-1]}, decoded",
                           f"After JPEG: {self.still.about}")
            section.table(("quality, decoded", "bytes", "bits per pixel", "PSNR"), rows)

    # ---- JPEG 2000 ----

    def encode(self, file, rate=""):
        """Returns the bytes of the JP2 file, and its PSNR where it can be decoded."""
        self.launch(self.rgb, f"! j2kenc {rate} ! image/jp2 ! filesink location={file}",
                    makes=(file,))
        length = (self.outdir / file).stat().st_size
        ratio = None
        if not self.undecodable:
            ratio = self.psnr(self.rgb, "! appsink name=before", self.decode(file),
                              "! appsink name=after")
        bits = 8 * length / (self.width * self.height)
        quality = f", {demo_page.decibel(ratio)}" if ratio is not None else ""
        print(f"  {file}: {length} bytes, {bits:.2f} bits per pixel{quality}")
        return length, bits, ratio

    def decode(self, file):
        length = (self.outdir / file).stat().st_size
        return (f"filesrc location={file} blocksize={length} !"
                f" image/jp2,width={self.width},height={self.height},framerate=0/1,"
                "pixel-aspect-ratio=1/1 ! openjpegdec")

    def jpeg2000(self):
        with self.section("JPEG 2000: j2kenc") as section:
            if self.undecodable:
                self.say(f"No PSNR and no decoded pictures: {self.undecodable}.")
            coded = {"lossless": self.encode("picture.jp2")}
            if coded["lossless"][2] not in (None, math.inf):
                raise Failure("picture.jp2 is not lossless")
            part = self.part(160, 120)
            shown = {}
            if self.width * self.height < LEAST_PIXELS_FOR_RATES:
                self.say("Rates are left out: a picture of so few pixels is mostly headers.")
            else:
                self.rates(section, part, coded, shown)
            raw = 3 * self.width * self.height
            section.table(
                ("", "bytes", "bits per pixel", "compression", "PSNR"),
                [(label, f"{length:,}", f"{bits:.2f}", f"{raw / length:.1f} : 1",
                  "" if ratio is None else demo_page.decibel(ratio))
                 for label, (length, bits, ratio) in coded.items()])

    def rates(self, section, part, coded, shown):
        size = (part[2] * 4, part[3] * 4)
        lossless = coded["lossless"][1]
        rates = [rate for rate in RATES if float(rate) < lossless]
        if len(rates) < len(RATES):
            self.say(f"Lossless is {lossless:.2f} bits per pixel. Rates above it are left out:"
                     f" {', '.join(rate for rate in RATES if rate not in rates)}.")
        for rate in rates:
            coded[f"{rate} bpp"] = self.encode(f"picture-{rate}bpp.jp2", f"bpp={rate}")
        if self.undecodable or not rates:
            return
        section.text(f"A part of {part[2]}×{part[3]} pixels, four times as large."
                     f" {POINT} to see the original. Lossless is identical to it."
                     " (bpp: bits per pixel)")
        section.group("two")
        closer = [self.crop(part), "!", self.magnify(part, 4), "! pngenc"]
        self.launch(self.rgb, "!", *closer, "! filesink location=rate-original.png",
                    makes=("rate-original.png",))
        original = ("rate-original.png", f"A part, before compression, of: {self.still.about}")
        self.show(section, shown, original[0], size, "The original", original[1], magnified=True)
        for rate in rates:
            file = f"rate-{rate}bpp.png"
            self.launch(self.decode(f"picture-{rate}bpp.jp2"), "! videoconvert !", *closer,
                        f"! filesink location={file}", makes=(file,))
            length, bits, ratio = coded[f"{rate} bpp"]
            self.show(section, shown, file, size, f"bpp={rate}: {length:,} bytes,"
                      f" {bits:.2f} bits per pixel, {demo_page.decibel(ratio)}",
                      f"The part, decoded from at most {rate} bits per pixel", original, True)

    # ---- JPEG ----

    def jpeg(self):
        with self.section("JPEG: coalescejpegenc") as section:
            settings = [f"quality={quality}" for quality in QUALITIES] + ["quality=85 optimize=true"]
            if self.width * self.height >= LEAST_PIXELS_FOR_RATES:
                settings.append(f"quality=95 max-frame-size={self.width * self.height // 8}")
            rows = []
            for i, setting in enumerate(settings):
                file = f"picture-{i}.jpg"
                self.launch(self.rgb, f"! coalescejpegenc {setting} ! filesink location={file}",
                            makes=(file,))
                length = (self.outdir / file).stat().st_size
                ratio = None
                if self.jpeg_measured:
                    ratio = self.psnr(self.rgb, "! appsink name=before",
                                      f"filesrc location={file} blocksize={length} !"
                                      f" image/jpeg,width={self.width},height={self.height},framerate=0/1,"
                                      "pixel-aspect-ratio=1/1 ! jpegdec ! videoconvert ! video/x-raw,format=RGB",
                                      "! appsink name=after")
                bits = f"{8 * length / (self.width * self.height):.2f}"
                quality = "" if ratio is None else demo_page.decibel(ratio)
                rows.append((setting, f"{length:,}", bits, quality))
                print(f"  {file}: {length} bytes, {bits} bits per pixel {quality}")
            section.text("RGB becomes YCbCr 4:2:0. optimize=true has the same pixels.")
            section.table(("setting", "bytes", "bits per pixel", "PSNR"), rows)

    # ---- the clip ----

    def video(self):
        with self.section("A clip") as section:
            try:
                self.code_clip(section)
            except Failure as error:
                # A clip of one's own may be damaged, or decoded only in parts by GStreamer.
                if self.clip is not self.still:
                    raise
                self.say(f"What follows is left out: {error}.")

    def code_clip(self, section):
        if min(self.width, self.height) < 16:
            self.say("Left out: mj2mux requires at least 16×16 pixels.")
            return
        clip = [*self.clip.source, *f"! video/x-raw,format=I420 ! identity silent=false"
                f" eos-after={MOST_FRAMES + 1}".split()]
        rated = self.width * self.height >= LEAST_PIXELS_FOR_RATES
        output = self.launch_verbosely(clip, f"! j2kenc {'bpp=2' if rated else ''} ! mj2mux !",
                                       "filesink location=video.mj2", makes=("video.mj2",))
        frames = min(len(re.findall("last-message = chain", output)), MOST_FRAMES)
        if frames < 2:
            (self.outdir / "video.mj2").unlink()
            section.commands.clear()
            self.say("Left out: the input is a single picture.")
            return
        caps = re.search(r"/GstJ2kEnc:\S+\.GstPad:sink: caps = (.*)", output)[1]
        size = tuple(int(re.search(rf"\b{name}=\(int\)(\d+)", caps)[1])
                     for name in ("width", "height"))
        progressive = "interlace-mode" not in caps or "(string)progressive" in caps
        length = (self.outdir / "video.mj2").stat().st_size
        per_second = self.speed(output, frames)
        bits = 8 * length / (frames * size[0] * size[1])
        self.say(f"{frames} frames of {size[0]}×{size[1]}, {'bpp=2' if rated else 'lossless'}:"
                 f" video.mj2, {length:,} bytes, {bits:.2f} bits per pixel,"
                 f" {demo_page.number(per_second)} frames/s with reading and writing.")
        section.text(f"In the pipelines, identity counts the frames and ends a clip after"
                     f" {MOST_FRAMES}.")
        if progressive:
            self.clip_size = size
        if not progressive:
            self.say("No PSNR and no pictures: openjpegdec returns the fields of interlaced"
                     " video one by one.")
            return
        if not self.undecodable:
            ratio = self.psnr(clip, "! appsink name=before",
                              "filesrc location=video.mj2 ! qtdemux ! jpeg2000parse",
                              "! openjpegdec ! appsink name=after")
            self.say(f"PSNR of all its frames: {demo_page.decibel(ratio)}.")
        self.clip_pictures(section, clip, size)

    def clip_pictures(self, section, clip, size):
        section.group("three")
        still = "! videoconvert ! video/x-raw,format=RGB ! pngenc"
        before = "input.png" if self.clip is self.still else "video-before.png"
        if before != "input.png":
            self.launch(clip, "! imagefreeze num-buffers=1", still,
                        f"! filesink location={before}", makes=(before,))
        section.figure(before, size, "The first frame", self.clip.about)
        if not self.undecodable:
            # openjpegdec reports an error where the stream ends after it, so it ends before it.
            self.launch("filesrc location=video.mj2 ! qtdemux ! jpeg2000parse",
                        "! identity eos-after=2 ! openjpegdec", still,
                        "! filesink location=video-after.png", makes=("video-after.png",))
            section.figure("video-after.png", size, "The first frame, decoded from video.mj2",
                           f"Decoded: {self.clip.about}", (before, self.clip.about))
        if self.inspect("--exists", "vp8enc") or self.inspect("--exists", "webmmux"):
            return
        scale = min(640 / size[0], 1)
        width, height = (max(2, round(length * scale)) & ~1 for length in size)
        self.launch(clip, "! videoconvert ! video/x-raw,format=GRAY8 !", " ! ".join(EDGES),
                    f"! videoscale ! video/x-raw,width={width},height={height}",
                    "! videoconvert ! vp8enc deadline=1 cpu-used=4 target-bitrate=4000000",
                    "! webmmux ! filesink location=edges.webm", makes=("edges.webm",))
        section.figure("edges.webm", (width, height),
                       "The edges of its luma, as VP8 for the browser",
                       f"Moving edges on black: {self.clip.about}")

    # ---- fields ----

    def deinterlacing(self):
        with self.section("From fields to pictures: coalescedeinterlace") as section:
            if self.clip_size is None:
                self.say("Left out: the clip is not progressive video.")
                return
            if self.inspect("--exists", "interlace"):
                self.say("Left out: GStreamer's interlace is not installed.")
                return
            try:
                self.methods(section)
            except Failure as error:
                # As above: a clip of one's own may have few frames, or formats of its own.
                if self.clip is not self.still:
                    raise
                self.say(f"Left out: {error}.")

    def moving_part(self, clip):
        """Where two frames differ most, in steps of a quarter: x, y, width, height."""
        self.launch(clip, "! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=part.rgb",
                    makes=("part.rgb",))
        self.sections[-1].commands.pop()
        data, (across, down) = (self.outdir / "part.rgb").read_bytes(), self.clip_size
        width, height = min(across, 120) & ~3, min(down, 80) & ~3
        stride = across + 3 & ~3
        frames = [data[stride * down * n:stride * down * (n + 1)]
                  for n in (SHOWN_FIELD, SHOWN_FIELD + 1)]
        if len(frames[1]) < stride * down:
            raise Failure("the clip has too few frames")

        def motion(x, y):
            rows = range(y * stride + x, (y + height) * stride + x, 4 * stride)
            return sum(abs(a - b) for row in rows
                       for a, b in zip(*(frame[row:row + width:2] for frame in frames)))
        places = [(x & ~1, y & ~1) for x in range(0, across - width + 1, max(1, width // 4))
                  for y in range(0, down - height + 1, max(1, height // 4))]
        return *max(places, key=lambda place: motion(*place)), width, height

    def methods(self, section):
        clip = [*self.clip.source, *"! video/x-raw,format=I420 ! identity".split(),
                f"eos-after={FIELD_FRAMES + 1}"]
        left, top, width, height = self.moving_part(clip)
        crop = (f"! videocrop left={left} right={self.clip_size[0] - left - width} top={top}"
                f" bottom={self.clip_size[1] - top - height}")
        section.text("Two frames of the clip become the fields of one, as in broadcasts. A part"
                     f" of {width}×{height} pixels, four times as large. {POINT} to see the frame"
                     " itself.")
        section.group("two")
        shown = {}
        original = ("field-original.png", f"A part of a frame of: {self.clip.about}")
        for method in (None, *METHODS):
            file = f"field-{method}.png" if method else original[0]
            fields = ["! interlace field-pattern=1:1 top-field-first=true !",
                      f"coalescedeinterlace fields=all method={method}"] if method else []
            self.launch(clip, *fields, crop, "! videoconvert ! video/x-raw,format=RGB",
                        "! filesink location=part.rgb", makes=("part.rgb",))
            data = (self.outdir / "part.rgb").read_bytes()
            length = 3 * width * height
            picture = data[SHOWN_FIELD * length:(SHOWN_FIELD + 1) * length]
            if len(picture) < length:
                raise Failure("the clip has too few frames")
            pictures.write_png(self.outdir / file, picture, width, height, scale=(4, 4))
            caption = f"method={method}" if method else "The frame itself"
            alt = f"The part, from one field by {method}" if method else original[1]
            self.show(section, shown, file, (4 * width, 4 * height), caption, alt, original, True)

    # ---- speed, and the GPU ----

    def rows_of_speeds(self):
        """What to time: element, formats, source, pixels per second of an ordinary CPU."""
        def converted(name):
            return f"{self.rgb} ! videoconvert ! video/x-raw,format={name}"
        rows = [
            ("uyvy2y", "UYVY", "GRAY8", converted("UYVY"), 4e9),
            ("rgb2yuv", "RGB", "NV12", self.rgb, 1.3e9),
            ("yuv2rgb", "NV12", "RGBA", converted("NV12"), 5e8),
            ("yuv2yuv", "v210", "P010_10LE", converted("v210"), 5e8),
            ("coalescedeinterlace mode=interlaced", "NV12", "NV12", converted("NV12"), 5e8),
            ("convolve preset=sharpen", "NV12", "NV12", converted("NV12"), 1.6e9),
            ("convolve preset=sharpen", "RGB", "RGB", self.rgb, 1.2e9),
            ("sepconvolve preset=gaussian sigma=4", "RGB", "RGB", self.rgb, 6e7),
            ("median", "RGB", "RGB", self.rgb, 5e8),
            ("median size=31", "RGB", "RGB", self.rgb, 1.5e7),
            ("canny", "NV12", "GRAY8", converted("NV12"), 3e8),
            ("canny sigma=1.4 output=overlay", "NV12", "NV12", converted("NV12"), 1.5e8),
            (STRAIGHT, "NV12", "NV12", converted("NV12"), 8e7),
            (SMOOTH, "RGB", "RGB", self.rgb, 7e6),
            ("cartoon", "RGB", "RGB", self.rgb, 2e6),
            *((words, "RGB", "RGB", self.rgb, 3e6) for words in PAINT if words != PAINT[1]),
            ("j2kenc", "RGB", None, self.rgb, 8e6),
            ("coalescejpegenc", "RGB", None, self.rgb, 1e8),
        ]
        if self.width * self.height >= LEAST_PIXELS_FOR_RATES:
            rows.append(("j2kenc bpp=2", "RGB", None, self.rgb, 1.2e7))
        return rows

    def time_frames(self, launch, frames):
        """Frames per second; launch(frames) runs the pipeline."""
        per_second = self.speed(launch(frames + 1), frames + 1)
        if frames >= LEAST_TIME * per_second:
            return per_second
        self.sections[-1].commands.pop()
        frames = min(math.ceil(1.2 * LEAST_TIME * per_second), MOST_REPEATS)
        return self.speed(launch(frames + 1), frames + 1)

    def time_backend(self, row, backend):
        element, _, after, source, pixels_per_second = row
        gpu = 1 if backend == "cpu" else 20
        frames = clamp(int(gpu * pixels_per_second / (self.width * self.height)), 4, 2000)
        return self.time_frames(lambda count: self.launch_verbosely(
            source, f"! imagefreeze num-buffers={count} ! {element} backend={backend} !",
            f"video/x-raw,format={after} ! fakesink" if after else "fakesink"), frames)

    def time_cuda_memory(self, row):
        element, before, after, source, pixels_per_second = row
        frames = clamp(int(100 * pixels_per_second / (self.width * self.height)), 20, 10000)
        caps = "video/x-raw(memory:CUDAMemory),format="
        return self.time_frames(lambda count: self.launch_verbosely(
            source, f"! imagefreeze num-buffers=1 ! cudaupload ! {caps}{before} !",
            f"imagefreeze num-buffers={count} ! {element} !",
            f"{caps}{after} ! fakesink" if after else "fakesink"), frames)

    def speed_table(self):
        with self.section("Speed") as section:
            section.text(f"Frames per second at {self.width}×{self.height}: one element, the same"
                         " frame again and again. In the pipelines, imagefreeze num-buffers=N"
                         " repeats it N times, for about half a second or more.")
            rows = self.rows_of_speeds()
            table = [[row[0], f"{row[1]} → {row[2] or CODED[row[0].split()[0]]}"] for row in rows]
            head = ["element", "formats", "CPU"]
            for row, cells in zip(rows, table):
                cells.append(demo_page.number(self.time_backend(row, "cpu")))
            try:
                first = self.time_backend(rows[0], "cuda")
            except Failure as error:
                section.commands.pop()
                self.say(str(error).split(". ")[0].rstrip(".") + ".")
                self.say("Everything on this page ran on the CPU; a GPU produces the same bytes.")
                self.gpu = False
            else:
                self.gpu = True
                head.append("GPU, with copies from and to system memory")
                for row, cells in zip(rows, table):
                    speed = first if row is rows[0] else self.time_backend(row, "cuda")
                    cells.append(demo_page.number(speed))
                self.add_cuda_memory(head, rows, table)
            section.table(head, table)

    def add_cuda_memory(self, head, rows, table):
        if self.inspect("--exists", "cudaupload"):
            self.say("CUDA memory to CUDA memory is left out: GStreamer's cudaupload is not there.")
            return
        head.append("GPU, from CUDA memory (encoders return system memory)")
        for row, cells in zip(rows, table):
            cells.append(demo_page.number(self.time_cuda_memory(row)))

    def compare_backends(self):
        if not self.gpu:
            return
        cuda_memory = "! video/x-raw(memory:CUDAMemory) !"
        with self.section("CPU and GPU produce the same bytes") as section:
            chains = {
                "luma": "videoconvert ! video/x-raw,format=UYVY ! uyvy2y {}",
                "yuv": "rgb2yuv {} ! video/x-raw,format=NV12",
                "rgb": "videoconvert ! video/x-raw,format=NV12 ! yuv2rgb {} ! video/x-raw,format=RGB",
                "v210": "videoconvert ! video/x-raw,format=UYVY ! yuv2yuv {} ! video/x-raw,format=v210",
                "fields": "videoconvert ! video/x-raw,format=NV12 !"
                          " coalescedeinterlace mode=interlaced {}",
                "blur": BLUR + " {}",
                "sharpen": SHARPEN + " {}",
                "edges": EDGES[0] + " {} {between} " + EDGES[1] + " {}",
                "specks": "median {} {between} median size=15 {}",
                "canny": "canny sigma=1.4 {} ! video/x-raw,format=GRAY8",
                "overlay": "canny output=overlay {}",
                "cartoon": "cartoon {} {between} cartoon edges=canny iterations=1 {}",
                "straight": STRAIGHT + " {}",
                "smooth": SMOOTH + " {} {between} bilateral iterations=2 {}",
                "paint": " {between} ".join(f"{words} {{}}" for words in PAINT),
                "lossless": "j2kenc {} ! image/jp2",
                "jpeg": "coalescejpegenc {}",
                "jpeg-decoded": "jpegenc ! coalescejpegdec {} ! video/x-raw,format=RGB",
            }
            if self.width * self.height >= LEAST_PIXELS_FOR_RATES:
                chains["2bpp"] = "j2kenc bpp=2 {} ! image/jp2"
            if self.width >= 16:
                chains["disparity"] = (
                    "videoconvert ! video/x-raw,format=GRAY8 ! tee name=both"
                    " both. ! queue ! videocrop right=8 ! d.left"
                    f" both. ! queue ! videocrop left=8 ! d.right {STEREO} name=d num-disparities=64 {{}}")
            rows = []
            for name, chain in chains.items():
                data = []
                for backend in ("cpu", "cuda"):
                    file = f"{name}-{backend}.raw"
                    between = cuda_memory if backend == "cuda" else "!"
                    words = chain.replace("{between}", between).replace("{}", f"backend={backend}")
                    self.launch(self.rgb, "!", words, f"! filesink location={file}", makes=(file,))
                    data.append((self.outdir / file).read_bytes())
                if data[0] != data[1]:
                    raise Failure(f"the back ends differ: {name}-cpu.raw and {name}-cuda.raw")
                print(f"  identical: {name}, {len(data[0])} bytes")
                rows.append((name, f"{len(data[0]):,}", "identical"))
            section.table(("result", "bytes", ""), rows)

    # ---- all of it ----

    def everything(self):
        self.prepare()
        self.picture()
        self.find_detail()
        self.colour()
        self.filters()
        self.depth()
        self.jpeg2000()
        self.jpeg()
        self.decoded_jpeg()
        self.video()
        self.deinterlacing()
        self.speed_table()
        self.compare_backends()
        self.clean_up()
        clip = "" if self.clip is self.still else f", and the clip {self.clip.name}"
        setting = "\n".join(self.setting)
        page = demo_page.render(f"{self.still.name}, {self.width}×{self.height} pixels{clip}",
                                setting, self.sections)
        (self.outdir / "index.html").write_text(page, encoding="utf-8", errors="replace")


def check_output(outdir, inputs):
    """Makes the folder; it must not hold the input under a name that the demo writes."""
    for source in inputs:
        if source.path and source.path.parent == outdir.resolve() \
                and source.path.name in RESULTS + SCRATCH:
            raise Failure(f"the demo would overwrite its input: {source.name}")
    try:
        outdir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"cannot make {outdir}: {error.strerror}") from None
    if not os.access(outdir, os.W_OK | os.X_OK):
        raise Failure(f"cannot write into {outdir}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, help="Meson's build folder")
    parser.add_argument("--check", action="store_true", help="check FILE and OUTDIR, run nothing")
    parser.add_argument("file", nargs="?", default="", metavar="FILE-or-URI")
    parser.add_argument("outdir", nargs="?", default="out", type=pathlib.Path, metavar="OUTDIR")
    options = parser.parse_args()
    if not options.build and not options.check:
        parser.error("--build is required")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        if options.file:
            still = clip = Input(options.file)
        else:
            still = Input(str(MEDIA / "bus_1920x1080.jpg"))
            clip = Input(str(MEDIA / "park-joy_480x270.webm"))
            still.name, clip.name = still.path.name, clip.path.name
            still.about = "a red bus beside a green bank, an orange wall and clouds"
            clip.about = "two runners across a pond, seen between dark trunks"
        existed = options.outdir.exists()
        check_output(options.outdir, (still, clip))
        if options.check:
            return 0
        start = time.monotonic()
        demo = Demo(options.build.resolve(), options.outdir.resolve(), still, clip)
        try:
            demo.everything()
        except Failure:
            if not existed:
                with contextlib.suppress(OSError):
                    options.outdir.rmdir()  # where it is empty
            raise
    except Failure as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    print(f"\nThe demo ran for {time.monotonic() - start:.0f} s, without the build."
          " To look at:\n\n"
          f"  {demo.outdir / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
