#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo on input and folders that it cannot use, and on pictures with odd names and sizes."""

import os
import re
import unittest

import demo_case  # first: it says where the demo's modules are
import demo
import demo_pictures


class Refused(demo_case.DemoCase):
    """An error of one line, exit status 1, and no result of this run or an earlier one."""

    def refused(self, file, words, outdir="out"):
        result = self.run_demo(file, outdir)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"\Ademo: [^\n]+\n\Z")
        self.assertIn(words, result.stderr)
        self.assertNotIn("Traceback", result.stdout)

    def file(self, name, data=b""):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def test_missing_file(self):
        self.refused("missing.png", "no such file: missing.png")
        self.assertFalse((self.folder / "out").exists())

    def test_directory(self):
        self.refused(".", "cannot be read as a file")

    def test_device(self):
        self.refused("/dev/zero", "cannot be read as a file")

    def test_empty_file(self):
        self.refused(self.file("empty.png"), "the file is empty")

    def test_text(self):
        self.refused(self.file("text.jpg", b"no picture\n" * 9), "a text file")
        self.assertFalse((self.folder / "out").exists())

    def test_no_picture(self):
        self.refused(self.file("noise.jpg", b"\0\xff" * 99), "no picture came out of")
        self.assertFalse((self.folder / "out").exists())

    def test_truncated_picture(self):
        path = self.folder / "whole.png"
        demo_pictures.write_png(path, os.urandom(3 * 64 * 64), 64, 64)
        self.refused(self.file("half.png", path.read_bytes()[:3000]), "no picture came out of")

    def test_unknown_protocol(self):
        self.refused("nonsense://here", "no picture came out of")

    def test_raw_video_without_a_size(self):
        self.refused(self.file("camera.uyvy", b"x"), "needs its size in its name")

    def test_raw_video_of_another_size(self):
        self.refused(self.file("camera_16x16.uyvy", b"x" * 511), "have 512 each")

    def test_outdir_is_a_file(self):
        self.refused("", "cannot make", self.file("taken"))

    def test_outdir_below_a_file(self):
        self.refused("", "cannot make", self.file("taken") / "out")

    def test_outdir_without_permission(self):
        # /proc refuses the superuser, too.
        self.refused("", "cannot make", "/proc/coalesce-demo")

    def test_input_that_would_be_overwritten(self):
        outdir = self.folder / "own"
        outdir.mkdir()
        demo_pictures.write_png(outdir / "input.png", b"abc", 1, 1)
        before = (outdir / "input.png").read_bytes()
        self.refused(outdir / "input.png", "would overwrite its input", outdir)
        self.assertEqual((outdir / "input.png").read_bytes(), before)

    def test_results_of_an_earlier_run_are_removed(self):
        outdir = self.folder / "earlier"
        outdir.mkdir()
        for name in ("index.html", "blur.png", "rate-1bpp.png", "video.mj2", "notes.txt"):
            (outdir / name).write_text("earlier")
        self.refused(self.file("noise.png", b"\0" * 9), "no picture came out of", outdir)
        self.assertEqual([path.name for path in outdir.iterdir()], ["notes.txt"])


class OddPictures(demo_case.DemoCase):
    """A page comes out, which says what it leaves out."""

    def shown(self, size, name, outdir="out", pixels=None):
        path = self.folder / name
        demo_pictures.write_png(path, pixels or os.urandom(3 * size[0] * size[1]), *size)
        outdir = self.folder / outdir
        result = self.run_demo(path, outdir)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertEqual(result.stdout.rstrip().split("\n")[-1].strip(), str(outdir / "index.html"))
        page = (outdir / "index.html").read_text(encoding="utf-8")
        self.assertEqual(demo_pictures.png_size(outdir / "luma.png"), size)
        for made in outdir.iterdir():
            self.assertIn(f'"{made.name}"' if made.suffix == ".png" else made.suffix,
                          page + ".html.jp2.mj2")
        contents = [path.read_bytes() for path in outdir.glob("*.png")]
        self.assertEqual(len(set(contents)), len(contents), "two pictures are equal")
        self.stdout = result.stdout
        return page

    def test_one_pixel(self):
        page = self.shown((1, 1), "one.png")
        self.assertIn("the picture is too small or has no detail", page)
        self.assertIn("Rates are left out", page)
        self.assertIn("mj2mux requires at least 16×16 pixels", page)

    def test_column(self):
        self.shown((1, 700), "column.png")

    def test_one_colour(self):
        page = self.shown((160, 120), "flat.png", pixels=b"\x20\x60\xa0" * (160 * 120))
        self.assertIn(f"Rates above it are left out: {', '.join(demo.RATES)}.", page)
        self.assertNotIn("rate-original.png", page)
        self.assertIn("U and V are left out", page)
        self.assertIn("the picture is too small or has no detail", page)

    def test_rates_above_lossless_are_left_out(self):
        # Bars with two lines of noise: between 1 and 2 bits per pixel.
        row = b"".join(bytes(color) * 40 for color in ((255, 255, 255), (255, 255, 0), (0, 255, 0),
                                                       (255, 0, 0)))
        noise = b"".join(os.urandom(3 * 160) for _ in range(2))
        page = self.shown((160, 120), "bars.png", pixels=row * 118 + noise)
        bits = float(re.search(r"Lossless is ([\d.]+) bits per pixel. Rates above it are left out:"
                               r" 2\.", page)[1])
        self.assertTrue(1 < bits < 2, bits)
        self.assertNotIn(">2 bpp<", page)
        self.assertIn("bpp=1: ", page)

    def test_part_with_the_most_detail(self):
        rows = [bytearray(b"\x80" * (3 * 320)) for y in range(240)]
        for y in range(40, 90):
            rows[y][3 * 230 : 3 * 290] = os.urandom(3 * 60)
        self.shown((320, 240), "detail.png", pixels=b"".join(rows))
        x, y = map(int, re.search(r"around x=(\d+), y=(\d+)", self.stdout).groups())
        self.assertTrue(230 < x < 290 and 40 < y < 90, (x, y))

    def test_odd_names_and_an_odd_size(self):
        name = "a 'quote\", a back\\slash, 100 %41 ! é.png"
        self.shown((33, 17), name, "out of 'it\" \\ !")

    def test_small_and_a_name_that_is_not_utf8(self):
        name = os.fsdecode(b"latin1 \xe9.png")
        try:
            self.shown((16, 8), name)
        except OSError as error:
            self.skipTest(f"the file system refuses such a name: {error}")


class Default(demo_case.DemoCase):
    def test_media_exist(self):
        media = demo_case.ROOT / "examples" / "media"
        total = sum(path.stat().st_size for path in media.iterdir())
        self.assertLess(total, 2_000_000)
        result = self.run_demo("--check", "", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    demo_case.main()
