#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of drawn scenes by linedetect and by OpenCV's LSD: precision, recall, repeatability, CPU time.

usage: quality.py build/bench/linedetect/libbench-linedetect.so [--scenes N] [--photograph FILE] [--json FILE]

Scenes have known lines: the sides of polygons, or both sides of bars, drawn with 64 samples a pixel, at contrasts of
40 to 100 levels; then noise. A point of a line is right if a line of the other set is at most 1 px away and at most
10 degrees turned. Precision: of the found lines' length; recall: of the true lines'. Repeatability: of the length
found in one picture, the share that is found in another one: the scene drawn again at a shift of (7.5, 3.25) px with
other noise, or the photograph cut out at a shift of (7, 3). Both ways, the mean. Lines from 20 px on count.
Needs the wheel opencv-python-headless.
"""

import argparse
import ctypes
import json
import math
import sys
import time

import cv2
import numpy

WIDTH, HEIGHT, CELL, SAMPLES = 1280, 720, 160, 8
LEAST = 20  # pixels
NOISES = (0, 2, 5, 10, 15, 20)
SHIFT = numpy.array([7.5, 3.25])
SMOOTH = 0.8  # sigma, before Canny
LOW, HIGH = 70, 140
MOST = 16384


class Finder:
    """Canny and linedetect of the CPU back end, on one thread."""

    def __init__(self, functions, tolerance=2.5):
        functions.finder_open.restype = ctypes.c_void_p
        self.functions = functions
        self.finder = ctypes.c_void_p(functions.finder_open(
            ctypes.c_double(LOW), ctypes.c_double(HIGH), 0, ctypes.c_double(tolerance), LEAST, MOST, 1))
        self.records = numpy.zeros((MOST, 6), numpy.int32)

    def edges(self, picture):
        height, width = picture.shape
        if self.functions.finder_edges(self.finder, picture.ctypes.data_as(ctypes.c_void_p), width, height):
            sys.exit('canny failed')

    def lines(self, picture):
        height, width = picture.shape
        count = self.functions.finder_lines(self.finder, picture.ctypes.data_as(ctypes.c_void_p), width, height,
                                          self.records.ctypes.data_as(ctypes.c_void_p))
        if count < 0:
            sys.exit('linedetect failed')
        return self.records[:count, :4] / 256

    def __call__(self, picture):
        smooth = cv2.GaussianBlur(picture, (0, 0), SMOOTH)
        self.edges(smooth)
        return self.lines(smooth)


def lsd(picture):
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD).detect(picture)[0]
    lines = numpy.zeros((0, 4)) if found is None else found.reshape(-1, 4).astype(float)
    return lines[numpy.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) >= LEAST]


# ---- Scenes ----

def polygon(random):
    corners = int(random.integers(3, 6))
    angles = random.uniform(0, 2 * math.pi) + numpy.arange(corners) * 2 * math.pi / corners
    angles += random.uniform(-0.25, 0.25, corners)
    return random.uniform(45, 70) * numpy.stack([numpy.cos(angles), numpy.sin(angles)], 1)


def bar(random):
    angle, half = random.uniform(0, math.pi), random.uniform(1.5, 4)
    along = random.uniform(40, 68) * numpy.array([math.cos(angle), math.sin(angle)])
    across = half * numpy.array([-math.sin(angle), math.cos(angle)])
    return numpy.array([-along - across, along - across, along + across, -along + across])


def scene(kind, seed, shift=(0, 0)):
    """A picture in floating point and its lines, from ends of 20 px on."""
    random = numpy.random.default_rng(seed)
    ground = float(random.integers(60, 196))
    picture = numpy.full((HEIGHT, WIDTH), ground, numpy.float32)
    truth = []
    for top in range(0, HEIGHT - CELL + 1, CELL):
        for left in range(0, WIDTH - CELL + 1, CELL):
            corners = kind(random) + random.uniform(-5, 5, 2) + [left + CELL / 2, top + CELL / 2]
            step = random.uniform(40, 100) * random.choice([-1, 1])
            level = ground + (step if 0 <= ground + step <= 255 else -step)
            level = min(max(level, 0), 255)
            corners = corners + shift
            x, y = max(left - 8, 0), max(top - 8, 0)
            cell = picture[y:y + CELL + 24, x:x + CELL + 24]
            mask = numpy.zeros((cell.shape[0] * SAMPLES, cell.shape[1] * SAMPLES), numpy.uint8)
            fine = (corners - [x, y] + 0.5) * SAMPLES - 0.5
            cv2.fillPoly(mask, [numpy.round(fine * 256).astype(numpy.int32)], 255, shift=8)
            part = mask.reshape(cell.shape[0], SAMPLES, cell.shape[1], SAMPLES).mean((1, 3)) / 255
            cell[:] = cell * (1 - part) + level * part
            for a, b in zip(corners, numpy.roll(corners, -1, 0)):
                if numpy.hypot(*(b - a)) >= LEAST:
                    truth.append([*a, *b])
    return picture, numpy.array(truth)


def with_noise(picture, sigma, seed):
    noise = numpy.random.default_rng(seed).normal(0, sigma, picture.shape) if sigma else 0
    return numpy.clip(numpy.floor(picture + noise + 0.5), 0, 255).astype(numpy.uint8)


# ---- Measures ----

def points_of(lines):
    points, owners = [], []
    for number, line in enumerate(lines):
        count = max(1, round(math.hypot(line[2] - line[0], line[3] - line[1])))
        at = ((numpy.arange(count) + 0.5) / count)[:, None]
        points.append(line[:2] + at * (line[2:] - line[:2]))
        owners.append(numpy.full(count, number))
    return numpy.concatenate(points), numpy.concatenate(owners)


def near(lines, others, distance=1.0, degrees=10):
    """The share of the lines' length that is near one of the others."""
    if len(lines) == 0 or len(others) == 0:
        return 1.0 if len(lines) == 0 else 0.0
    points, owners = points_of(lines)
    angles = numpy.arctan2(lines[:, 3] - lines[:, 1], lines[:, 2] - lines[:, 0])[owners]
    right = numpy.zeros(len(points), bool)
    for other in others:
        way = other[2:] - other[:2]
        length = numpy.hypot(*way)
        low, high = numpy.minimum(other[:2], other[2:]) - 2, numpy.maximum(other[:2], other[2:]) + 2
        some = numpy.nonzero(~right & (points >= low).all(1) & (points <= high).all(1))[0]
        if len(some) == 0:
            continue
        unit = way / length
        offset = points[some] - other[:2]
        offset -= numpy.clip(offset @ unit, 0, length)[:, None] * unit
        turn = (angles[some] - math.atan2(way[1], way[0]) + math.pi / 2) % math.pi - math.pi / 2
        right[some] |= (numpy.hypot(*offset.T) <= distance) & (numpy.abs(turn) <= math.radians(degrees))
    return float(right.mean())


def both_ways(first, second):
    return (near(first, second) + near(second, first)) / 2


def shifted(lines, shift):
    return lines - [*shift, *shift]


def measure_scenes(detectors, scenes):
    rows = []
    for name, kind in ('polygons', polygon), ('bars', bar):
        drawn = [(scene(kind, seed), scene(kind, seed, SHIFT)) for seed in range(scenes)]
        for sigma in NOISES:
            for detector, find in detectors.items():
                results = []
                for seed, ((picture, truth), (moved, _)) in enumerate(drawn):
                    found = find(with_noise(picture, sigma, 1000 + seed))
                    again = shifted(find(with_noise(moved, sigma, 2000 + seed)), SHIFT)
                    results.append((near(found, truth), near(truth, found), both_ways(found, again),
                                    len(found) / len(truth)))
                means = [round(float(v), 3) for v in numpy.mean(results, 0)]
                rows.append({'scene': name, 'noise': sigma, 'detector': detector,
                             **dict(zip(('precision', 'recall', 'repeatability', 'lines'), means))})
                print(rows[-1], flush=True)
    return rows


def measure_photograph(detectors, path):
    rows = []
    picture = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    for sigma in (0, 2, 5):
        for detector, find in detectors.items():
            first = with_noise(picture[:-3, :-7].astype(numpy.float32), sigma, 1)
            second = with_noise(picture[3:, 7:].astype(numpy.float32), sigma, 2)
            found, again = find(first), shifted(find(second), (-7, -3))
            rows.append({'scene': 'photograph', 'noise': sigma, 'detector': detector,
                         'repeatability': round(both_ways(found, again), 3), 'lines': len(found)})
            print(rows[-1], flush=True)
    return rows


def best_ms(work, rounds=12):
    best = float('inf')
    for _ in range(rounds):
        begin = time.thread_time()
        work()
        best = min(best, 1e3 * (time.thread_time() - begin))
    return round(best, 2)


def measure_time(finder, photograph):
    rows = []
    picture = with_noise(scene(polygon, 1)[0], 5, 1)
    sources = {'polygons, noise 5': picture}
    if photograph:
        sources['photograph'] = cv2.imread(photograph, cv2.IMREAD_GRAYSCALE)
    for name, source in sources.items():
        for width, height in (1920, 1080), (3840, 2160):
            across, down = -(-width // source.shape[1]), -(-height // source.shape[0])
            large = numpy.ascontiguousarray(numpy.tile(source, (down, across))[:height, :width])
            smooth = cv2.GaussianBlur(large, (0, 0), SMOOTH)
            row = {'scene': name, 'width': width, 'height': height,
                   'blur_ms': best_ms(lambda: cv2.GaussianBlur(large, (0, 0), SMOOTH)),
                   'canny_ms': best_ms(lambda: finder.edges(smooth)),
                   'linedetect_ms': best_ms(lambda: finder.lines(smooth)), 'lines': len(finder.lines(smooth)),
                   'lsd_ms': best_ms(lambda: lsd(large), 3), 'lsd_lines': len(lsd(large))}
            rows.append(row)
            print(row, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('finder')
    parser.add_argument('--scenes', type=int, default=5)
    parser.add_argument('--photograph')
    parser.add_argument('--tolerance', type=float, default=2.5)
    parser.add_argument('--no-times', action='store_true')
    parser.add_argument('--json')
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    finder = Finder(ctypes.CDLL(arguments.finder), arguments.tolerance)
    detectors = {'linedetect': finder, 'LSD': lsd}
    rows = measure_scenes(detectors, arguments.scenes)
    if arguments.photograph:
        rows += measure_photograph(detectors, arguments.photograph)
    if not arguments.no_times:
        rows += measure_time(finder, arguments.photograph)
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump({'opencv': cv2.__version__, 'rows': rows}, file, indent=1)


if __name__ == '__main__':
    main()
