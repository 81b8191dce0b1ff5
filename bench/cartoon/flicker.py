#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Flicker of cartoons: how much frames of a still picture with noise differ from one to the next.

usage: flicker.py PICTURE... [--frames N]

A picture becomes frames with Gaussian noise, of a fixed seed, independent in every sample. The element
cartoon, on the CPU, and OpenCV's stylization() make cartoons of each frame by itself. Printed is the mean
absolute difference of a sample between successive frames, in steps of 8 bits, with its ratio to the one of
the noise, and the share of samples that differ by more than 32. Of pictures of more than 1024 columns a
picture of half the size, or a quarter, is used. Needs gst-launch-1.0, GST_PLUGIN_PATH set to build/gst, and
the wheels numpy and opencv-python-headless."""

import argparse
import pathlib
import subprocess
import tempfile

import cv2
import numpy

SIGMAS = (5, 10)
SEED = 1
FAR = 32
CARTOONS = ("cartoon", "cartoon edges=canny", "cartoon edges=none", "cartoon softness=0")


def by_element(words, frames):
    """Frames of BGR after an element."""
    count, height, width, _ = frames.shape
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder, "in"), pathlib.Path(folder, "out")
        source.write_bytes(frames.tobytes())
        pipeline = (f"filesrc location={source} blocksize={width * height * 3} !"
                    f" rawvideoparse format=bgr width={width} height={height}"
                    f" plane-strides=<{width * 3}> frame-size={width * height * 3} !"
                    f" videoconvert ! video/x-raw,format=BGRx ! {words} backend=cpu !"
                    f" filesink location={result}")
        subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], check=True)
        return numpy.frombuffer(result.read_bytes(),
                                numpy.uint8).reshape(count, height, width, 4)[..., :3]


def by_stylization(frames):
    return numpy.stack([cv2.stylization(frame) for frame in frames])


def flicker(frames):
    differences = [cv2.absdiff(a, b) for a, b in zip(frames, frames[1:])]
    return numpy.mean(differences), numpy.mean([d > FAR for d in differences])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("picture", nargs="+")
    parser.add_argument("--frames", type=int, default=10)
    args = parser.parse_args()
    print(f"{args.frames} frames, seed {SEED}, OpenCV {cv2.__version__}")
    print("| picture | sigma of noise | | mean difference | ratio | more than 32 |")
    print("|---|---|---|---|---|---|")
    for name in args.picture:
        picture = cv2.imread(name)
        while picture.shape[1] > 1024:
            picture = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        for sigma in SIGMAS:
            random = numpy.random.default_rng(SEED)
            noise = random.normal(0, sigma, (args.frames, *picture.shape))
            frames = numpy.clip(numpy.rint(picture + noise), 0, 255).astype(numpy.uint8)
            rows = [("the noise itself", frames), ("OpenCV stylization()", by_stylization(frames))]
            rows += [(f"`{words}`", by_element(words, frames)) for words in CARTOONS]
            whole = flicker(frames)[0]
            for label, made in rows:
                mean, far = flicker(made)
                print(f"| {pathlib.Path(name).stem}, {picture.shape[1]}×{picture.shape[0]} |"
                      f" {sigma} | {label} | {mean:.2f} | {mean / whole:.2f} | {far:.2%} |")


if __name__ == "__main__":
    main()
