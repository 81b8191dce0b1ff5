#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's page, made of the clip: its pictures exist, are what it says, and differ."""

import hashlib
import html.parser
import re
import types
import unittest

import demo_case  # first: it says where the demo's modules are
import demo
import demo_pictures

CLIP = demo_case.ROOT / "examples" / "media" / "park-joy_480x270.webm"


class Page(html.parser.HTMLParser):
    """Collects pictures with their sizes and texts, what else is referred to, and the tables."""

    def __init__(self, text):
        super().__init__()
        self.pictures, self.references, self.tables = {}, set(), []
        self.texts, self.captions = {}, []  # what pictures show, and what is below them
        self.magnified = set()  # pictures whose pixels stay sharp when they are scaled
        self.replaceable = []  # each two pictures of which a tap shows the second
        self.caption = False
        self.cell = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.references |= {attributes[key] for key in ("href", "src") if key in attributes}
        if "picture" in attributes.get("class", "").split():
            self.sharp = "magnified" in attributes["class"].split()
            self.boxes, self.images = [], []
            self.replaceable.append((tag, self.boxes, self.images))
        elif tag == "input":
            self.boxes.append((attributes["type"], attributes["aria-label"]))
        if tag == "img":
            self.images.append((attributes["src"], attributes["alt"]))
            if self.sharp:
                self.magnified.add(attributes["src"])
            size = (int(attributes["width"]), int(attributes["height"]))
            self.pictures.setdefault(attributes["src"], size)
            self.texts.setdefault(attributes["src"], set()).add(attributes["alt"])
        elif tag == "video":
            self.texts[attributes["src"]] = {attributes["aria-label"]}
        elif tag == "figcaption":
            self.captions.append("")
            self.caption = True
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        self.cell = self.cell and tag not in ("td", "th")
        self.caption = self.caption and tag != "figcaption"

    def handle_data(self, data):
        if self.cell:
            self.tables[-1][-1][-1] += data
        if self.caption:
            self.captions[-1] += data


class PageOfTheClip(demo_case.DemoCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.outdir = cls.folder / "out"
        result = cls.run_demo(CLIP, cls.outdir)
        if result.returncode:
            raise AssertionError(result.stdout + result.stderr)
        cls.stdout = result.stdout
        if "openjpegdec is not installed" in result.stdout:
            raise unittest.SkipTest("GStreamer's openjpegdec is not installed")
        cls.text = (cls.outdir / "index.html").read_text(encoding="utf-8")
        cls.page = Page(cls.text)

    def table(self, head):
        return next(table for table in self.page.tables if head in table[0])

    def test_references(self):
        self.assertGreater(len(self.page.references), 30)
        for name in self.page.references:
            self.assertRegex(name, r"\A[\w.-]+\Z")  # beside the page
            self.assertGreater((self.outdir / name).stat().st_size, 0, name)
        self.assertNotRegex(self.text, r"url\(|@import|<script|<link")

    def test_nothing_else_is_left(self):
        names = {path.name for path in self.outdir.iterdir()}
        unseen = names - self.page.references - {"index.html", "picture.jp2", "video.mj2"}
        coded = {f"picture-{rate}bpp.jp2" for rate in demo.RATES}
        coded |= {f"picture-{i}.jpg" for i in range(len(demo.QUALITIES) + 2)}
        coded |= {f"picture-q{quality}.jpg" for quality in demo.DECODED}
        coded |= {"specks.rgb", "noise.rgb"}
        self.assertEqual(unseen, coded)
        self.assertLessEqual(names, set(demo.RESULTS))

    def test_lines_read_files_that_are_there(self):
        names = set(re.findall(r"filesrc location=(\S+)", self.text))
        self.assertIn("specks.rgb", names)
        for name in names:
            self.assertTrue((self.outdir / name).exists(), name)

    def test_sizes(self):
        for name, size in self.page.pictures.items():
            self.assertEqual(demo_pictures.png_size(self.outdir / name), size, name)
        for name in ("input.png", "luma.png", "y.png", "blur.png", "edges.png"):
            self.assertEqual(self.page.pictures[name], (480, 270))
        for rate in demo.RATES:  # four times as large
            self.assertEqual(self.page.pictures[f"rate-{rate}bpp.png"], (640, 480))

    def test_only_magnified_pictures_are_not_smoothed(self):
        # The others would lose rows and columns where the page is narrower than they are.
        self.assertEqual({name for name in self.page.magnified if name[:4] not in ("rate", "chro", "fiel")},
                         {"luma-error-rgb2yuv.png", "luma-error-videoconvert.png"})
        for rate in demo.RATES:
            self.assertIn(f"rate-{rate}bpp.png", self.page.magnified)
        sharp = [line for line in self.text.split("\n") if "pixelated" in line]
        self.assertEqual(sharp, [".magnified img { image-rendering: pixelated; }"])

    def test_a_tap_shows_the_other_picture(self):
        pairs = [entry for entry in self.page.replaceable if len(entry[2]) > 1]
        self.assertGreater(len(pairs), 20)
        for tag, boxes, images in self.page.replaceable:
            self.assertLessEqual(len(images), 2)
            # A label passes clicks and taps on to its box; its text is what the box shows.
            expected = ("label", [("checkbox", images[1][1])]) if len(images) > 1 else ("div", [])
            self.assertEqual((tag, boxes), expected)
        self.assertIn("input:checked ~ img + img { opacity: 1; }", self.text)
        self.assertIn("@media (hover: hover) { .picture:hover img + img", self.text)
        for name in self.page.pictures:  # and a caption opens it
            self.assertEqual(f'<a href="{name}">' in self.text, name != "chroma-original.png")

    def test_error_maps_have_a_scale(self):
        # The numbers of demo_pictures.error_map(), whose last colour is 255.
        scales = re.findall(r'<div class="scale"><i></i><span>(.*?)</span></div>', self.text)
        found = [re.findall(r"<b>([\d.]+)(?: and more)?</b>", scale) for scale in scales]
        self.assertEqual(found, [["0", "11", "21", "32"], ["0", "0.5", "1", "1.5"],
                                 ["0", "3", "5", "8"]])
        for numbers, gain in zip(found, (8, 170, 32)):
            for i, value in enumerate(numbers):
                self.assertLessEqual(abs(float(value) - 255 * i / 3 / gain), 0.5)
        palette = demo_pictures.heat_palette()
        self.assertEqual([palette[i * 85] for i in range(4)],
                         [(0, 0, 0), (255, 0, 0), (255, 255, 0), (255, 255, 255)])
        self.assertIn("linear-gradient(to right, #000, #f00, #ff0, #fff)", self.text)

    def test_texts_say_what_is_shown(self):
        # Not what the caption says already, and of each picture something else, the same everywhere.
        self.assertIn("edges.webm", self.page.texts)
        seen = {}
        for name, texts in self.page.texts.items():
            self.assertEqual(len(texts), 1, texts)
            text = min(texts)
            self.assertGreater(len(text), 10, name)
            self.assertNotIn(text, self.page.captions)
            self.assertNotIn(text, seen, f"{name} and {seen.get(text)}")
            seen[text] = name
        self.assertIn("park-joy", min(self.page.texts["input.png"]))

    def test_no_two_pictures_are_equal(self):
        seen = {}
        for name in sorted(self.page.pictures):
            digest = hashlib.sha256((self.outdir / name).read_bytes()).hexdigest()
            self.assertNotIn(digest, seen, f"{name} equals {seen.get(digest)}")
            seen[digest] = name

    def test_rates(self):
        rows = self.table("compression")[1:]
        self.assertEqual([row[0] for row in rows], ["lossless"] + [f"{r} bpp" for r in demo.RATES])
        self.assertEqual(rows[0][4], "identical")
        quality = [float(row[4].removesuffix(" dB")) for row in rows[1:]]
        self.assertEqual(quality, sorted(quality, reverse=True))
        self.assertGreater(quality[0], quality[-1] + 3)
        for rate, row in zip(demo.RATES, rows[1:]):
            length = (self.outdir / f"picture-{rate}bpp.jp2").stat().st_size
            self.assertEqual(int(row[1].replace(",", "")), length)
            limit = float(rate) * 480 * 270 / 8
            self.assertLessEqual(length, limit)
            self.assertGreater(length, 0.95 * limit)

    def test_jpeg(self):
        rows = self.table("setting")[1:]
        lengths = [int(row[1].replace(",", "")) for row in rows]
        self.assertEqual(lengths, [(self.outdir / f"picture-{i}.jpg").stat().st_size for i in range(len(rows))])
        qualities = len(demo.QUALITIES)
        psnr = [float(row[3].removesuffix(" dB")) for row in rows]
        for falling in (lengths[:qualities], psnr[:qualities]):
            self.assertEqual(falling, sorted(falling, reverse=True))
        optimized, plain = qualities, demo.QUALITIES.index("85")
        self.assertEqual(psnr[optimized], psnr[plain])
        self.assertLess(lengths[optimized], lengths[plain])
        self.assertLessEqual(lengths[-1], 480 * 270 // 8)

    def test_rate_crops_have_detail(self):
        # A flat part would be a PNG of some 2,000 bytes.
        length = (self.outdir / "rate-original.png").stat().st_size
        self.assertGreater(length, 20000)

    def test_rgb2yuv_is_exact(self):
        errors = dict(re.findall(r"(rgb2yuv|videoconvert): error of Y at most ([\d.]+)", self.text))
        self.assertLessEqual(float(errors["rgb2yuv"]), 0.51)
        self.assertEqual(set(errors), {"rgb2yuv", "videoconvert"})
        rows = self.table("videoconvert")[1:]
        self.assertEqual([row[0] for row in rows], ["4:4:4", "4:2:2", "4:2:0"])
        ours = [float(row[1].removesuffix(" dB")) for row in rows]
        self.assertEqual(ours, sorted(ours, reverse=True))
        self.assertGreater(ours[0], 50)

    def test_depths(self):
        found = re.search(r"the wall is ([\d.]+) m away; it was drawn at ([\d.]+) m", self.text)
        self.assertAlmostEqual(float(found[1]), float(found[2]), delta=0.1)
        self.assertEqual(self.page.pictures["depth-0.png"], self.page.pictures["pair-left.png"])

    def test_decoded_jpeg(self):
        rows = self.table("quality, decoded")[1:]
        self.assertEqual([row[0] for row in rows], [str(quality) for quality in demo.DECODED])
        ratios = [float(row[3].removesuffix(" dB")) for row in rows]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        self.assertGreater(ratios[0], 33)

    def test_there_and_back(self):
        rows = self.table("PSNR there and back")[1:]
        self.assertEqual([row[0].split(",")[0] for row in rows], ["Y444", "v210", "NV12"])
        ours, peers = ([float(row[i].removesuffix(" dB")) for row in rows] for i in (1, 2))
        self.assertGreater(ours[0], 50)
        self.assertEqual(ours[2], min(ours))
        for mine, theirs in zip(ours, peers):
            self.assertGreater(mine, theirs)

    def test_clip(self):
        found = re.search(r"10 frames of 480×270, bpp=2: video.mj2, ([\d,]+) bytes, ([\d.]+) bits",
                          self.text)
        length = (self.outdir / "video.mj2").stat().st_size
        self.assertEqual(int(found[1].replace(",", "")), length)
        self.assertEqual(found[2], f"{8 * length / (10 * 480 * 270):.2f}")
        self.assertIn("identity counts the frames", self.text)
        found = re.search(r"PSNR of all its frames: ([\d.]+) dB", self.text)
        self.assertGreater(float(found[1]), 35)
        self.assertLess((self.outdir / "video.mj2").stat().st_size, 10 * 2 * 480 * 270 / 8 * 1.01)
        self.assertIn("edges.webm", self.page.references)

    def test_speeds(self):
        rows = self.table("formats")[1:]
        self.assertEqual({row[0].split()[0] for row in rows}, set(demo.ELEMENTS))
        for row in rows:
            for cell in row[2:]:
                self.assertGreater(float(cell.replace(",", "")), 0)

    def test_short_runs_are_timed_again(self):
        for per_second, counts in ((100, [5, 61]), (8, [5]), (1e9, [5, demo.MOST_REPEATS + 1])):
            ran = []
            section = types.SimpleNamespace(commands=[])

            def launch(count):
                ran.append(count)
                section.commands.append(count)

            timer = types.SimpleNamespace(sections=[section], speed=lambda *_: per_second)
            self.assertEqual(demo.Demo.time_frames(timer, launch, 4), per_second)
            self.assertEqual((ran, section.commands), (counts, counts[-1:]))

    def test_pipelines(self):
        lines = re.findall(r"^(?:gst-launch-1.0|\S*/psnr) .*$", self.text, re.M)
        self.assertGreater(len(lines), 30)
        self.assertIn("imagefreeze num-buffers=N repeats it", self.text)

    def test_time_of_the_demo_is_without_the_build(self):
        self.assertRegex(self.stdout, r"\nThe demo ran for \d+ s, without the build\. To look at:\n")


if __name__ == "__main__":
    demo_case.main()
