#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disparities by stereo and by OpenCV's StereoSGBM and StereoBM: errors beside ground truth, and CPU time.

usage: quality.py build/bench/stereo/libbench-stereo.so [--motorcycle WHEEL] [--scenes N] [--json FILE]

--motorcycle: a wheel of scikit-image up to 0.17, in which the Middlebury pair of that name is. Scenes are drawn here:
slanted and curved surfaces with textures, some of them weak, before each other; the right picture has noise of its own
and other brightness. bad-2.0: the share of pixels that are unknown or off by more than 2 px; error: the mean of those
that are known, in px; both of all pixels, of those that both pictures show (seen), and of these without the leftmost
columns, as many as there are disparities, which OpenCV leaves out (inner). Needs the wheels numpy and
opencv-python-headless; without them it ends with exit status 77.
"""

import argparse
import ctypes
import io
import json
import sys
import time
import zipfile

try:
    import cv2
    import numpy
    cv2.StereoSGBM_create
except (ImportError, AttributeError):
    print('SKIP: there are no numpy and OpenCV with StereoSGBM')
    sys.exit(77)

WIDTH, HEIGHT = 960, 540
METHODS = {'sad': 0, 'ncc': 1, 'census': 2, 'sgm': 3}
ROUNDS = 5


class Matcher:
    """The CPU back end."""

    def __init__(self, functions, method, disparities, window=9, paths=8, p1=10, p2=96, adaptive=1, checks=1, threads=1):
        functions.matcher_open.restype = ctypes.c_void_p
        self.functions = functions
        self.matcher = ctypes.c_void_p(functions.matcher_open(
            METHODS[method], disparities, window, paths, p1, p2, adaptive, checks, threads))

    def __call__(self, left, right):
        height, width = left.shape
        out = numpy.zeros((height, width), numpy.uint16)
        left, right = (numpy.ascontiguousarray(picture) for picture in (left, right))
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (left, right, out)]
        if self.functions.matcher_run(self.matcher, *pointers, width, height):
            sys.exit('stereo failed')
        return numpy.where(out > 0, out / 16, numpy.nan)

    def __del__(self):
        self.functions.matcher_close(self.matcher)


class OpenCv:
    def __init__(self, matcher):
        self.matcher = matcher

    def __call__(self, left, right):
        out = self.matcher.compute(left, right)
        return numpy.where(out >= 0, out / 16, numpy.nan)


def sgbm(disparities, block, mode, checks):
    more = {'uniquenessRatio': 5, 'disp12MaxDiff': 1, 'speckleWindowSize': 100, 'speckleRange': 2} if checks else {}
    return OpenCv(cv2.StereoSGBM_create(minDisparity=0, numDisparities=disparities, blockSize=block, P1=8 * block ** 2,
                                        P2=32 * block ** 2, mode=mode, **more))


def block_matcher(disparities, block):
    matcher = cv2.StereoBM_create(disparities, block)
    matcher.setDisp12MaxDiff(1)
    matcher.setSpeckleWindowSize(100)
    matcher.setSpeckleRange(2)
    return OpenCv(matcher)


class Pair:
    """truth: disparities of the left picture, NaN where unknown; seen: pixels that the right one shows, too."""

    def __init__(self, name, left, right, truth, seen, disparities):
        self.name, self.left, self.right, self.truth, self.seen = name, left, right, truth, seen
        self.disparities = disparities

    def judge(self, found):
        known = numpy.isfinite(self.truth)
        result = []
        inner = numpy.arange(known.shape[1]) >= self.disparities
        for where in (known, known & self.seen, known & self.seen & inner):
            off = numpy.abs(found - self.truth)[where]
            has = numpy.isfinite(off)
            result += [100 * float(numpy.mean(~has | (numpy.nan_to_num(off, nan=99) > 2))), float(off[has].mean()),
                       100 * float(has.mean())]
        return result


def texture(random, strength):
    """Noise of several sizes, twice as wide as the pictures."""
    total = numpy.zeros((HEIGHT, 2 * WIDTH), numpy.float32)
    for size in (1, 2, 4, 16, 64):
        coarse = random.standard_normal((HEIGHT // size + 2, 2 * WIDTH // size + 2)).astype(numpy.float32)
        total += cv2.resize(coarse, (2 * WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC) * (0.6 + 0.4 * (size > 2))
    return 128 + strength * total


def drawn_pair(number):
    """Surfaces z = 0, 1, ... before each other; each has a mask, a texture and disparities in left coordinates."""
    random = numpy.random.default_rng(number)
    x, y = numpy.meshgrid(numpy.arange(WIDTH, dtype=numpy.float32), numpy.arange(HEIGHT, dtype=numpy.float32))
    surfaces = [(numpy.ones((HEIGHT, WIDTH), bool), 8 + 6 * x / WIDTH + 8 * y / HEIGHT, texture(random, 14))]
    for nearness in sorted(random.uniform(20, 90, 9)):
        centre, radius = (random.uniform(0, WIDTH), random.uniform(0, HEIGHT)), random.uniform(40, 130)
        across, down = (x - centre[0]) / radius, (y - centre[1]) / (radius * random.uniform(0.5, 1.5))
        kind = random.integers(3)
        mask = across ** 2 + down ** 2 < 1 if kind else numpy.maximum(abs(across), abs(down)) < 1
        slope = random.uniform(-0.06, 0.06, 2)
        disparity = nearness + slope[0] * (x - centre[0]) + slope[1] * (y - centre[1])
        if kind == 2:
            disparity = disparity + 6 * numpy.maximum(1 - across ** 2 - down ** 2, 0)
        surfaces.append((mask, numpy.clip(disparity, 1, 110), texture(random, random.choice([3, 10, 20]))))
    left, truth, right = (numpy.zeros((HEIGHT, WIDTH), numpy.float32) for _ in range(3))
    owner_left, owner_right = numpy.zeros((HEIGHT, WIDTH), int), numpy.full((HEIGHT, WIDTH), -1)
    for i, (mask, disparity, pattern) in enumerate(surfaces):
        disparity = disparity.astype(numpy.float32)
        left[mask], truth[mask], owner_left[mask] = pattern[:, :WIDTH][mask], disparity[mask], i
        # Where in the left picture is what the right one shows at x? Disparities change by less than a pixel a pixel.
        source = x + disparity
        for _ in range(12):
            source = x + cv2.remap(disparity, source, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        shown = cv2.remap(mask.astype(numpy.float32), source, y, cv2.INTER_LINEAR) > 0.5
        if i == 0:
            shown[:] = True  # and it goes on beside the left picture
        found = cv2.remap(pattern, source, y, cv2.INTER_LINEAR)
        right[shown], owner_right[shown] = found[shown], i
    to = numpy.round(x - truth).astype(int)
    seen = (to >= 0) & (numpy.take_along_axis(owner_right, numpy.clip(to, 0, WIDTH - 1), 1) == owner_left)
    finish = [numpy.clip(gain * picture + 2 * random.standard_normal(picture.shape), 0, 255).round().astype(numpy.uint8)
              for picture, gain in ((left, 1.0), (right, 0.94))]
    return Pair(f'drawn {number}', *finish, truth, seen, 128)


def motorcycle(wheel):
    with zipfile.ZipFile(wheel) as files:
        def read(name):
            return files.read('skimage/data/motorcycle_' + name)
        left, right = (cv2.imdecode(numpy.frombuffer(read(name), numpy.uint8), cv2.IMREAD_GRAYSCALE)
                       for name in ('left.png', 'right.png'))
        truth = numpy.load(io.BytesIO(read('disp.npz')))
        truth = truth[truth.files[0]]
    truth = numpy.where(numpy.isfinite(truth) & (truth > 0), truth, numpy.nan)
    # Seen is what nothing nearer covers in the right picture.
    height, width = truth.shape
    x = numpy.broadcast_to(numpy.arange(width), truth.shape)
    known = numpy.isfinite(truth)
    to = numpy.round(x - numpy.nan_to_num(truth)).astype(int)
    inside = known & (to >= 0)
    nearest = numpy.zeros(truth.shape)
    rows = numpy.broadcast_to(numpy.arange(height)[:, None], truth.shape)
    numpy.maximum.at(nearest, (rows[inside], to[inside]), truth[inside])
    seen = inside.copy()
    seen[inside] = nearest[rows[inside], to[inside]] <= truth[inside] + 1
    return Pair('motorcycle', left, right, truth, seen, 80)


def compare(functions, pairs):
    rows = []
    hh = cv2.STEREO_SGBM_MODE_HH
    print(' ' * 46 + ''.join(f'{name + ": bad-2.0":>15} {"error":>6} {"known":>6}' for name in ('all', 'seen', 'inner')))
    for pair in pairs:
        n = pair.disparities
        ways = {'SGBM HH, 3x3': sgbm(n, 3, hh, True), 'SGBM HH, 5x5': sgbm(n, 5, hh, True),
                'SGBM HH, 3x3, no checks': sgbm(n, 3, hh, False), 'SGBM HH, 5x5, no checks': sgbm(n, 5, hh, False),
                'BM, 9x9': block_matcher(n, 9), 'BM, 15x15': block_matcher(n, 15)}
        for paths in (8, 4):
            for checks in (1, 0):
                ways[f'sgm, {paths} paths' + ('' if checks else ', no checks')] = Matcher(
                    functions, 'sgm', n, paths=paths, checks=checks)
        for method in ('sad', 'ncc', 'census'):
            for window in (9, 15):
                ways[f'{method}, {window}x{window}'] = Matcher(functions, method, n, window)
        for name, way in ways.items():
            figures = pair.judge(way(pair.left, pair.right))
            rows.append({'pair': pair.name, 'way': name, 'figures': figures})
            print(f'{pair.name + ": " + name:46}' + ''.join(
                f'{bad:15.2f} {error:6.3f} {share:6.1f}' for bad, error, share in zip(*[iter(figures)] * 3)), flush=True)
    return rows


def measure(functions):
    """The lowest CPU time of several, in ms, by turns on one thread; 1920x1080, 128 disparities."""
    cv2.setNumThreads(1)
    pair = drawn_pair(1)
    left, right = (numpy.tile(picture, (2, 2)) for picture in (pair.left, pair.right))
    ways = {'SGBM HH': sgbm(128, 5, cv2.STEREO_SGBM_MODE_HH, True), 'sgm, 8 paths': Matcher(functions, 'sgm', 128),
            'SGBM HH4': sgbm(128, 5, cv2.STEREO_SGBM_MODE_HH4, True),
            'sgm, 4 paths': Matcher(functions, 'sgm', 128, paths=4),
            'BM, 9x9': block_matcher(128, 9)}
    for method in ('sad', 'ncc', 'census'):
        ways[method + ', 9x9'] = Matcher(functions, method, 128, 9)
    ways['sad, 21x21'] = Matcher(functions, 'sad', 128, 21)
    ways['sad, 9x9, 256 disparities'] = Matcher(functions, 'sad', 256, 9)
    ways['sgm, 8 paths, 64 disparities'] = Matcher(functions, 'sgm', 64)
    ways['sgm, 8 paths, 256 disparities'] = Matcher(functions, 'sgm', 256)
    best = dict.fromkeys(ways, float('inf'))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begin = time.process_time()
            way(left, right)
            best[name] = min(best[name], 1e3 * (time.process_time() - begin))
    for name, milliseconds in best.items():
        print(f'{name:40} {milliseconds:8.0f} ms')
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('shared_library')
    parser.add_argument('--motorcycle')
    parser.add_argument('--scenes', type=int, default=3)
    parser.add_argument('--json')
    arguments = parser.parse_args()
    functions = ctypes.CDLL(arguments.shared_library)
    functions.matcher_close.argtypes = [ctypes.c_void_p]
    pairs = [motorcycle(arguments.motorcycle)] if arguments.motorcycle else []
    pairs += [drawn_pair(number) for number in range(1, arguments.scenes + 1)]
    print('OpenCV', cv2.__version__)
    result = {'opencv': cv2.__version__, 'errors': compare(functions, pairs), 'milliseconds': measure(functions)}
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump(result, file, indent=1)


if __name__ == '__main__':
    main()
