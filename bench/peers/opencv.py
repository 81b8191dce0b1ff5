#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convolution, medians and bilateral filters by OpenCV and the CPU back end, by turns in one process, one thread.

usage: opencv.py build/bench/libbench-opencv.so [--json FILE]

Times are CPU time of the thread, so other work on the machine counts little; the lowest of many. The last
columns are the back end on two threads, in elapsed time. Needs python3-opencv.
"""

import argparse
import ctypes
import json
import sys
import time

import cv2
import numpy

WIDTH, HEIGHT = 1920, 1080
ROUNDS = 30
ROWS = []


class Coalesce:
    """One filter of the CPU back end. A number in place of values: the size of a median; a tuple: radius, sigmas
    and channels of a bilateral filter."""

    def __init__(self, library, values, vertical, threads):
        self.shared_object = library
        if isinstance(values, int):
            library.bench_open_median.restype = ctypes.c_void_p
            self.bench = ctypes.c_void_p(library.bench_open_median(values, threads))
            return
        if isinstance(values, tuple):
            radius, space, colour, channels = values
            library.bench_open_bilateral.restype = ctypes.c_void_p
            self.bench = ctypes.c_void_p(library.bench_open_bilateral(
                radius, ctypes.c_double(space), ctypes.c_double(colour), channels, threads))
            return
        values = numpy.ascontiguousarray(values, numpy.float64)
        height, width = values.shape if vertical is None else (len(vertical), len(values))
        pointer = ctypes.POINTER(ctypes.c_double)
        down = None
        if vertical is not None:
            down = numpy.ascontiguousarray(vertical, numpy.float64).ctypes.data_as(pointer)
        library.bench_open.restype = ctypes.c_void_p
        self.bench = ctypes.c_void_p(
            library.bench_open(values.ctypes.data_as(pointer), width, down, height, threads))
        if not self.bench:
            sys.exit('no such filter')

    def __call__(self, source, result):
        if self.shared_object.bench_run(self.bench, source.ctypes.data_as(ctypes.c_void_p),
                                  result.ctypes.data_as(ctypes.c_void_p), WIDTH, HEIGHT):
            sys.exit('a filter failed')

    def close(self):
        self.shared_object.bench_close(self.bench)


def by_turns(first, second, clock):
    """The lowest times of two functions, in ms."""
    best = {first: float('inf'), second: float('inf')}
    for i in range(ROUNDS):
        for work in (first, second) if i % 2 else (second, first):
            begin = clock()
            work()
            best[work] = min(best[work], 1e3 * (clock() - begin))
    return best[first], best[second]


def compare(library, name, values, vertical, opencv, source=None):
    """Measures one filter and returns the largest difference of samples."""
    if source is None:
        source = numpy.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), numpy.uint8)
    theirs, ours = numpy.empty_like(source), numpy.empty_like(source)
    one = Coalesce(library, values, vertical, 1)
    two = Coalesce(library, values, vertical, 2)
    their_ms, our_ms = by_turns(lambda: opencv(source, theirs), lambda: one(source, ours),
                                time.thread_time)
    one_ms, two_ms = by_turns(lambda: one(source, ours), lambda: two(source, ours),
                              time.perf_counter)
    one.close()
    two.close()
    difference = numpy.abs(theirs.astype(int) - ours)
    equal = 100 * numpy.mean(difference == 0)
    print(f'{name:28} OpenCV {their_ms:6.2f} ms, coalesce {our_ms:6.2f} ms, '
          f'ratio {their_ms / our_ms:5.2f}; equal {equal:6.2f} %, at most {difference.max()} off; '
          f'two threads {one_ms / two_ms:4.2f} times as fast')
    ROWS.append({'operation': name, 'width': WIDTH, 'height': HEIGHT, 'ms': our_ms, 'opencv_ms': their_ms,
                 'largest_difference': int(difference.max())})
    return difference.max()


def bilateral_source(kind, channels):
    """Noise, or a blurred picture of noise with as much contrast, as photographs have."""
    picture = numpy.random.default_rng(4).integers(0, 256, (HEIGHT, WIDTH, channels), numpy.uint8)
    if kind == 'smooth':
        picture = cv2.normalize(cv2.GaussianBlur(picture, (0, 0), 3), None, 0, 255, cv2.NORM_MINMAX)
    return numpy.ascontiguousarray(picture.reshape((HEIGHT, WIDTH) + ((3,) if channels == 3 else ())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('shared_library', help='build/bench/libbench-opencv.so')
    parser.add_argument('--json', metavar='FILE', help='write the figures as JSON, too')
    arguments = parser.parse_args()
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

    for n in 3, 5, 7, 15:
        worst = max(worst, filter2d(f'filter2D {n}x{n}, integers',
                                    random.integers(-8, 9, (n, n))))
        positive = random.random((n, n))
        worst = max(worst, filter2d(f'filter2D {n}x{n}, real', positive / positive.sum()))
        signed = random.random((n, n)) - 0.4
        worst = max(worst, filter2d(f'filter2D {n}x{n}, real, signed', signed / signed.sum()))
    for n in 3, 5, 15, 31:
        gaussian = cv2.getGaussianKernel(n, 0).ravel()
        worst = max(worst, sepfilter2d(f'sepFilter2D {n}, Gaussian', gaussian))
        row = random.random(n)
        worst = max(worst, sepfilter2d(f'sepFilter2D {n}, asymmetric', row / row.sum()))
    for n in 3, 5, 7, 15, 31:
        off = compare(library, f'medianBlur {n}x{n}', n, None,
                      lambda source, result, n=n: cv2.medianBlur(source, n, result))
        worst = max(worst, 3 if off else 0)
    for channels in 1, 3:
        for kind in 'noise', 'smooth':
            for radius, space, colour in (1, 1, 25), (2, 2, 25), (5, 3, 25), (5, 5, 75), (9, 6, 150):
                off = compare(library, f'bilateral {channels} {kind} {radius} {space} {colour}',
                              (radius, space, colour, channels), None,
                              lambda source, result, r=radius, s=space, c=colour: cv2.bilateralFilter(
                                  source, 2 * r + 1, c, s, result, borderType=cv2.BORDER_REPLICATE),
                              bilateral_source(kind, channels))
                worst = max(worst, 3 if off > 1 else 0)
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump({'program': 'opencv.py', 'OpenCV': cv2.__version__, 'rows': ROWS}, file, indent=1)
            file.write('\n')
    return 0 if worst <= 2 else 1


if __name__ == '__main__':
    sys.exit(main())
