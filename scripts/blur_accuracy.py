#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures blur against the Gaussian in double precision, and prints the table of docs/numerics.md.

usage: blur_accuracy.py PICTURE...

It does by numpy what docs/numerics.md defines, in 8 bits, with a replicated border, on the luma of each
picture, and on noise, a rectangle and a sweep of sinusoids. It requires numpy, scipy and Pillow.
"""
import pathlib
import sys

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter1d

SIGMAS = (8, 10, 15.9, 16, 31, 50, 100)


def ideal(picture, sigma):
    for axis in (0, 1):
        picture = gaussian_filter1d(picture.astype(float), sigma, axis=axis, mode="nearest", truncate=6)
    return picture


def rounded(array):
    return np.floor(array + 0.5)


def along_rows(function, array):
    """function works across: across, then down."""
    return function(function(array).T).T


def blurred(picture, sigma):
    f = 4
    while 4 * f <= sigma:
        f *= 2
    variance = (sigma**2 - (f * f - 1) / 6) / f**2 - 1 / 4
    m = int(np.ceil(3.5 * np.sqrt(variance)))
    taps = np.exp(-(np.arange(-m, m) + 0.5) ** 2 / (2 * variance))
    taps = rounded(taps / taps.sum() * 2**15)
    taps[[m - 1, m]] += (2**15 - taps.sum()) / 2
    taps /= 2**15
    triangle = f - np.abs(np.arange(1 - f, f))

    def down(array):
        cells = (array.shape[1] - 1) // f + 1
        columns = np.arange(-m * f + 1 - f, (cells + m) * f + f)
        array = array[:, np.clip(columns, 0, array.shape[1] - 1)]
        count = cells + 2 * m + 1
        return sum(t * array[:, k:k + f * (count - 1) + 1:f] for k, t in enumerate(triangle)) / f**2

    def gaussian(array):
        count = array.shape[1] - 2 * m + 1
        return sum(t * array[:, k:k + count] for k, t in enumerate(taps))

    low = rounded(along_rows(down, picture.astype(float) * 256))
    smooth = rounded(gaussian(rounded(gaussian(low.T)).T))

    def up(array, size):
        cell, at = np.arange(size) // f, np.arange(size) % f
        before, behind = (f - at) ** 2, at**2
        here = 2 * f * f - before - behind
        return (before * array[:, cell] + here * array[:, cell + 1]
                + behind * array[:, cell + 2]) / (2 * f * f)

    return up(up(smooth, picture.shape[1]).T, picture.shape[0]).T / 256


def pictures(paths):
    for path in paths:
        yield pathlib.Path(path).stem, np.array(Image.open(path).convert("L"))
    random = np.random.default_rng(1)
    yield "noise", random.integers(0, 256, (768, 1024))
    rectangle = np.zeros((513, 513), int)
    rectangle[100:140, 200:300] = 255
    yield "rectangle", rectangle
    frequency = np.arange(8192) * 0.5 / 8192
    yield "sinusoids", np.tile(rounded(127.5 + 127.5 * np.sin(2 * np.pi * np.cumsum(frequency))), (64, 1))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    rows = [["| picture |"] + [f" σ = {sigma} |" for sigma in SIGMAS], ["|---|"] + ["---|"] * len(SIGMAS)]
    for name, picture in pictures(sys.argv[1:]):
        row = [f"| {name} |"]
        for sigma in SIGMAS:
            exact, found = ideal(picture, sigma), blurred(picture, sigma)
            off = np.abs(rounded(found) - rounded(exact)).max()
            row.append(f" {np.abs(found - exact).max():.2f}{'' if off <= 1 else ' (%d off)' % off} |")
        rows.append(row)
    print("\n".join("".join(row) for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
