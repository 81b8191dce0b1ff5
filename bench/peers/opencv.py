#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convolution, medians, bilateral filters and Canny by OpenCV and the CPU back end, by turns, on one thread.

usage: opencv.py build/bench/libbench-opencv.so [--json FILE]

Times are CPU time of the thread, so other work on the machine counts little; the lowest of many. The last
columns are the back end on two threads, in elapsed time. Needs python3-opencv, or the wheel
opencv-python-headless. Edges of random pictures are compared, too, without IPP (docs/numerics.md).
"""

import argparse
import ctypes
import json
import sys
import time
import typing

import cv2
import numpy

WIDTH, HEIGHT = 1920, 1080
ROUNDS, LEAST_ROUNDS = 30, 5
ROWS = []
OPTIONS = argparse.Namespace(seconds=60, only=None)


class Bilateral(typing.NamedTuple):
    radius: int
    sigma_space: float
    sigma_range: float
    channels: int


class Canny(typing.NamedTuple):
    low: float
    high: float
    aperture: int
    l2: bool
    channels: int


class Coalesce:
    """A filter of the CPU back end. A number in place of values: the size of a median."""

    def __init__(self, library, values, vertical, threads):
        self.shared_object = library
        self.bench = self.open(library, values, vertical, threads)
        if not self.bench:
            sys.exit('no such filter')

    @staticmethod
    def open(library, values, vertical, threads):
        for function in (library.bench_open, library.bench_open_median, library.bench_open_bilateral,
                         library.bench_open_canny):
            function.restype = ctypes.c_void_p
        if isinstance(values, int):
            return ctypes.c_void_p(library.bench_open_median(values, threads))
        if isinstance(values, Bilateral):
            return ctypes.c_void_p(library.bench_open_bilateral(
                values.radius, ctypes.c_double(values.sigma_space), ctypes.c_double(values.sigma_range),
                values.channels, threads))
        if isinstance(values, Canny):
            return ctypes.c_void_p(library.bench_open_canny(
                ctypes.c_double(values.low), ctypes.c_double(values.high), values.aperture, values.l2,
                values.channels, threads))
        values = numpy.ascontiguousarray(values, numpy.float64)
        height, width = values.shape if vertical is None else (len(vertical), len(values))
        pointer = ctypes.POINTER(ctypes.c_double)
        down = None
        if vertical is not None:
            down = numpy.ascontiguousarray(vertical, numpy.float64).ctypes.data_as(pointer)
        return ctypes.c_void_p(
            library.bench_open(values.ctypes.data_as(pointer), width, down, height, threads))

    def __call__(self, source, result):
        height, width = result.shape[:2]
        if self.shared_object.bench_run(self.bench, source.ctypes.data_as(ctypes.c_void_p),
                                        result.ctypes.data_as(ctypes.c_void_p), width, height):
            sys.exit('a filter failed')

    def close(self):
        self.shared_object.bench_close(self.bench)


def by_turns(first, second, clock):
    """The times of two functions, in ms."""
    times, start = {first: [], second: []}, time.monotonic()
    for i in range(ROUNDS):
        if i >= LEAST_ROUNDS and time.monotonic() - start > OPTIONS.seconds:
            break
        for work in (first, second) if i % 2 else (second, first):
            begin = clock()
            work()
            times[work].append(1e3 * (clock() - begin))
    return times[first], times[second]


def compare(library, name, values, vertical, opencv, source=None):
    """Measures one filter and returns the largest difference of samples."""
    if OPTIONS.only and name not in OPTIONS.only:
        return 0
    if source is None:
        source = numpy.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), numpy.uint8)
    shape = source.shape[:2] if isinstance(values, Canny) else source.shape
    theirs, ours = numpy.empty(shape, numpy.uint8), numpy.empty(shape, numpy.uint8)
    one = Coalesce(library, values, vertical, 1)
    two = Coalesce(library, values, vertical, 2)
    their_times, our_times = by_turns(lambda: opencv(source, theirs), lambda: one(source, ours), time.thread_time)
    one_ms, two_ms = map(min, by_turns(lambda: one(source, ours), lambda: two(source, ours), time.perf_counter))
    their_ms, our_ms = min(their_times), min(our_times)
    one.close()
    two.close()
    difference = numpy.abs(theirs.astype(int) - ours)
    equal = 100 * numpy.mean(difference == 0)
    print(f'{name:28} OpenCV {their_ms:6.2f} ms, coalesce {our_ms:6.2f} ms, '
          f'ratio {their_ms / our_ms:5.2f}; equal {equal:6.2f} %, at most {difference.max()} off; '
          f'two threads {one_ms / two_ms:4.2f} times as fast')
    ROWS.append({'operation': name, 'width': WIDTH, 'height': HEIGHT, 'ms': our_ms, 'opencv_ms': their_ms,
                 'ms_samples': our_times, 'opencv_ms_samples': their_times, 'largest_difference': int(difference.max())})
    return difference.max()


def bilateral_source(kind, channels):
    """Noise, or a blurred picture of noise with as much contrast, as photographs have."""
    picture = numpy.random.default_rng(4).integers(0, 256, (HEIGHT, WIDTH, channels), numpy.uint8)
    if kind == 'smooth':
        picture = cv2.normalize(cv2.GaussianBlur(picture, (0, 0), 3), None, 0, 255, cv2.NORM_MINMAX)
    return numpy.ascontiguousarray(picture.reshape((HEIGHT, WIDTH) + ((3,) if channels == 3 else ())))


def canny(source, result, values):
    """The same by OpenCV."""
    low, high, aperture, l2, _ = values
    return cv2.Canny(source, low, high, result, apertureSize=aperture, L2gradient=l2)


UNITS = {3: 1, 5: 12, 7: 160}  # of thresholds, by aperture


def random_canny_picture(random, channels):
    height, width = (int(random.integers(1, random.choice(most))) for most in ((4, 40, 300), (4, 70, 1300)))
    picture = random.integers(0, 256, (height, width, channels), numpy.uint8)
    kind = random.integers(4)
    if kind == 1:  # smooth, as photographs are
        picture = cv2.GaussianBlur(picture, (0, 0), float(random.choice([0.7, 1.5, 4])))
        picture = cv2.normalize(picture, None, 0, 255, cv2.NORM_MINMAX)
    if kind == 2:  # two levels
        picture = (picture > 127) * numpy.uint8(255)
    if kind == 3:  # gradients that are often equal
        picture = picture // 64 * 20
    return numpy.ascontiguousarray(picture.reshape((height, width) + (() if channels == 1 else (3,))))


def judge_canny(library, pictures):
    """Byte equality over random pictures. Returns how many differ."""
    random = numpy.random.default_rng(3)
    cv2.ipp.setUseIPP(False)
    differ = 0
    for _ in range(pictures):
        aperture, channels = int(random.choice([3, 5, 7])), int(random.choice([1, 1, 3]))
        picture = random_canny_picture(random, channels)
        low, high = random.random(2) * 600 * UNITS[aperture] * random.choice([0.1, 0.5, 1])
        if random.random() < 0.3:
            low, high = float(int(low)), float(int(high))
        values = Canny(low, high, aperture, bool(random.random() < 0.5), channels)
        theirs, ours = (numpy.zeros(picture.shape[:2], numpy.uint8) for _ in range(2))
        work = Coalesce(library, values, None, 1)
        work(picture, ours)
        work.close()
        canny(picture, theirs, values)
        if not numpy.array_equal(theirs, ours):
            differ += 1
            print(f'Canny {values} of {picture.shape}: {numpy.count_nonzero(theirs != ours)} samples differ')
    cv2.ipp.setUseIPP(True)
    print(f'Canny of {pictures} random pictures, OpenCV without IPP: {differ} differ')
    return differ


def compare_canny(library):
    """Measures edges of noise, of what is smooth, and of colours."""
    noise = numpy.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), numpy.uint8)
    smooth = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 5), None, 0, 255, cv2.NORM_MINMAX)
    worst = 0
    for name, picture in (('noise', noise[:, :, 0]), ('smooth', smooth[:, :, 0]), ('smooth RGB', smooth)):
        picture = numpy.ascontiguousarray(picture)
        for aperture in 3, 5, 7:
            for l2 in False, True:
                values = Canny(50 * UNITS[aperture], 150 * UNITS[aperture], aperture, l2,
                               1 if picture.ndim == 2 else 3)
                off = compare(library, f'Canny {aperture}{" l2" if l2 else ""}, {name}', values, None,
                              lambda source, result, values=values: canny(source, result, values), picture)
                # (With IPP single pixels may differ.)
                worst = max(worst, 3 if off and aperture != 5 else 0)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('shared_library', help='build/bench/libbench-opencv.so')
    parser.add_argument('--pictures', type=int, default=1000, metavar='N',
                        help='compare the edges of so many random pictures (default: %(default)s)')
    parser.add_argument('--canny', action='store_true', help='nothing but Canny')
    parser.add_argument('--only', action='append', metavar='NAME', help='only the row of this name; may be repeated')
    parser.add_argument('--seconds', type=float, default=60, metavar='S', help='of a row and clock, at most (default: %(default)s)')
    parser.add_argument('--json', metavar='FILE', help='write the figures as JSON, too')
    arguments = parser.parse_args(namespace=OPTIONS)
    library = ctypes.CDLL(arguments.shared_library)
    cv2.setNumThreads(1)
    random = numpy.random.default_rng(2)
    print(f'OpenCV {cv2.__version__}, {WIDTH}x{HEIGHT} grey, 8 bits, replicated border')
    worst = 0

    def filter2d(name, mask):
        mask = mask.astype(numpy.float32)
        return compare(library, name, mask, None,
                       lambda source, result: cv2.filter2D(source, -1, mask, result,
                                                           borderType=cv2.BORDER_REPLICATE))

    def sepfilter2d(name, row):
        return compare(library, name, row, row,
                       lambda source, result: cv2.sepFilter2D(source, -1, row, row, result,
                                                              borderType=cv2.BORDER_REPLICATE))

    for n in () if arguments.canny else (3, 5, 7, 15):
        worst = max(worst, filter2d(f'filter2D {n}x{n}, integers',
                                    random.integers(-8, 9, (n, n))))
        positive = random.random((n, n))
        worst = max(worst, filter2d(f'filter2D {n}x{n}, real', positive / positive.sum()))
        signed = random.random((n, n)) - 0.4
        worst = max(worst, filter2d(f'filter2D {n}x{n}, real, signed', signed / signed.sum()))
    for n in () if arguments.canny else (3, 5, 15, 31):
        gaussian = cv2.getGaussianKernel(n, 0).ravel()
        worst = max(worst, sepfilter2d(f'sepFilter2D {n}, Gaussian', gaussian))
        row = random.random(n)
        worst = max(worst, sepfilter2d(f'sepFilter2D {n}, asymmetric', row / row.sum()))
    for n in () if arguments.canny else (3, 5, 7, 15, 31):
        off = compare(library, f'medianBlur {n}x{n}', n, None,
                      lambda source, result, n=n: cv2.medianBlur(source, n, result))
        worst = max(worst, 3 if off else 0)
    for channels in () if arguments.canny else (1, 3):
        for kind in 'noise', 'smooth':
            for radius, space, colour in (1, 1, 25), (2, 2, 25), (5, 3, 25), (5, 5, 75), (9, 6, 150):
                off = compare(library, f'bilateral {channels} {kind} {radius} {space} {colour}',
                              Bilateral(radius, space, colour, channels), None,
                              lambda source, result, r=radius, s=space, c=colour: cv2.bilateralFilter(
                                  source, 2 * r + 1, c, s, result, borderType=cv2.BORDER_REPLICATE),
                              bilateral_source(kind, channels))
                worst = max(worst, 3 if off > 1 else 0)
    if judge_canny(library, arguments.pictures):
        worst = 3
    worst = max(worst, compare_canny(library))
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump({'program': 'opencv.py', 'OpenCV': cv2.__version__, 'rows': ROWS}, file, indent=1)
            file.write('\n')
    return 0 if worst <= 2 else 1


if __name__ == '__main__':
    sys.exit(main())
