#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Maps and remapped pictures are those of OpenCV, where its Python module is installed.

usage: opencv_test.py LIBRARY
"""
import ctypes
import os
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError as e:
    print(f"SKIP: {e}")
    sys.exit(77)

LIBRARY = ctypes.CDLL(sys.argv[1])
DISTORTIONS = [
    [-0.31, 0.12, 0.0011, -0.0007],
    [-0.28, 0.09, 0.0004, 0.0013, -0.021],
    [0.41, -0.52, -0.0006, 0.0002, 0.11, 0.7, -0.61, 0.19],
    [-0.2, 0.05, 0.001, 0.002, 0.01, 0.02, 0.01, -0.03, 0.001, -0.0002, 0.0007, 0.0003],
    [-0.2, 0.05, 0.001, 0.002, 0.01, 0.02, 0.01, -0.03, 0.001, -0.0002, 0.0007, 0.0003, 0.03, -0.02],
    [0, 0, 0, 0, 0],
]
SIZES = [(640, 480), (321, 203)]


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def calibration(distortion, size, seed):
    """A pair as stereo_calib has it: dict of matrices."""
    rng = np.random.default_rng(seed)
    width, height = size
    pair = {}
    for i in (1, 2):
        focal = width * rng.uniform(0.7, 1.1)
        pair[f"M{i}"] = np.array([[focal, 0, width / 2 + rng.uniform(-9, 9)],
                                  [0, focal * rng.uniform(0.99, 1.01), height / 2 + rng.uniform(-9, 9)],
                                  [0, 0, 1]])
        pair[f"D{i}"] = np.array([distortion]) * rng.uniform(0.8, 1.2)
    pair["R"] = cv2.Rodrigues(rng.uniform(-0.04, 0.04, 3))[0]
    pair["T"] = np.array([[-120.0], [rng.uniform(-3, 3)], [rng.uniform(-3, 3)]])
    # (stereoRectify() undistorts points with all of these; what it makes is as good without.)
    pair["R1"], pair["R2"], pair["P1"], pair["P2"], pair["Q"] = cv2.stereoRectify(
        pair["M1"], pair["D1"], pair["M2"], pair["D2"], size, pair["R"], pair["T"],
        flags=cv2.CALIB_ZERO_DISPARITY, alpha=rng.uniform(0, 1))[:5]
    return pair


def text_of(pair, flat):
    """The file that FileStorage makes of it. flat: D as an array of one dimension."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pair.yml")
        storage = cv2.FileStorage(path, cv2.FILE_STORAGE_WRITE)
        for name, matrix in pair.items():
            storage.write(name, matrix.ravel() if flat and name.startswith("D") else matrix)
        storage.release()
        with open(path, "rb") as file:
            return file.read()


def our_map(text, camera, size):
    width, height = size
    points, fractions = np.zeros((height, width, 2), np.int16), np.zeros((height, width), np.uint16)
    error = ctypes.create_string_buffer(256)
    if not LIBRARY.coalesce_make_map(text, camera, width, height, pointer(points), pointer(fractions), error):
        sys.exit(f"refused: {error.value.decode()}\n{text.decode()}")
    return points, fractions


def our_remap(picture, points, fractions):
    out = np.zeros(points.shape[:2], picture.dtype)
    good = LIBRARY.coalesce_remap(picture.itemsize, pointer(points), pointer(fractions), out.shape[1], out.shape[0],
                                  pointer(picture), picture.shape[1], picture.shape[0], pointer(out))
    assert good
    return out


def places(points, fractions):
    """In 32nds of a pixel, of all."""
    return np.stack([32 * points[..., 0].astype(int) + (fractions & 31),
                     32 * points[..., 1].astype(int) + (fractions >> 5)])


def main():
    rng = np.random.default_rng(5)
    compared = other = 0
    for n, distortion in enumerate(DISTORTIONS):
        for size in SIZES:
            pair = calibration(distortion, size, n)
            text = text_of(pair, n % 2 == 1)
            for camera in (0, 1):
                i = camera + 1
                points, fractions = our_map(text, camera, size)
                theirs = cv2.initUndistortRectifyMap(pair[f"M{i}"], pair[f"D{i}"], pair[f"R{i}"], pair[f"P{i}"], size,
                                                     cv2.CV_16SC2)
                difference = np.abs(places(points, fractions) - places(*theirs))
                assert difference.max() <= 1, (distortion, size, difference.max())
                compared += difference.size
                other += np.count_nonzero(difference)
                for dtype in (np.uint8, np.uint16):
                    picture = rng.integers(0, np.iinfo(dtype).max + 1, size[::-1], dtype=dtype)
                    expected = cv2.remap(picture, points, fractions, cv2.INTER_LINEAR,
                                         borderMode=cv2.BORDER_CONSTANT)
                    assert np.array_equal(our_remap(picture, points, fractions), expected), (distortion, size, dtype)
    print(f"{other} of {compared} coordinates differ from OpenCV {cv2.__version__}, by one 32nd of a pixel")
    # The order of operations differs; what is rounded differently is at the middle between two.
    assert other * 1e5 < compared, "too many"


main()
