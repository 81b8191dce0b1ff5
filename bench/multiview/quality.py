#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors of multiview on public pictures with known depths, by bench-multiview-quality.

usage: quality.py PROGRAM [--middlebury FOLDER] [--living-room FOLDER] [--keep FOLDER]

--middlebury: a folder with the scenes of 2001, in folders named venus, sawtooth and tsukuba, as of
vision.middlebury.edu/stereo/data/scenes2001. --living-room: livingroom1_clean_micro of the repository
isl-org/open3d_downloads on GitHub, tests/reconstruction_system. --keep: where views, cameras and depths are left, for
gst-launch-1.0 or others. Needs the wheels numpy and opencv-python-headless; without them it ends with exit status 77.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy
except ImportError:
    print('SKIP: there are no numpy and OpenCV')
    sys.exit(77)

OFF = 2  # candidates, of about half a pixel each


def write(folder, pictures, matrices, depth):
    folder.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(pictures):
        cv2.imwrite(str(folder / f'view{i}.pgm'), picture)
    numpy.savetxt(folder / 'cameras.txt', numpy.vstack(matrices))
    depth.astype('<f4').tofile(folder / 'depths.raw')


def read(path, how=cv2.IMREAD_GRAYSCALE):
    picture = cv2.imread(str(path), how)
    if picture is None:
        sys.exit(f'{path} cannot be read')
    return picture


# Of each scene of Middlebury: names of its pictures, from left to right; those that are views, the reference first;
# its true disparities, with their scale and the places between the two pictures they are of; the largest disparity.
ROW = [f'im{i}.ppm' for i in range(9)]
MIDDLEBURY = {
    'venus': (ROW, (2, 6, 0, 4, 8, 1, 3, 5, 7), 'disp2.pgm', 8, 4, 21),
    'sawtooth': (ROW, (2, 6, 0, 4, 8, 1, 3, 5, 7), 'disp2.pgm', 8, 4, 21),
    'tsukuba': ([f'scene1.row3.col{i}.ppm' for i in range(1, 6)], (2, 3, 1, 4, 0), 'truedisp.row3.col3.pgm', 16, 1, 16)}
UNIT = 1000  # of depths: divided by the disparity


def middlebury(scene, data, folder):
    names, views, truth, scale, places, most = MIDDLEBURY[scene]
    found = next((data / scene).rglob(names[0]), None)
    if found is None:
        sys.exit(f'{data / scene} has no {names[0]}')
    disparity = read(found.parent / truth) / scale
    # A camera further right sees everything further left. Focal lengths are not known, and do not matter.
    matrices = [numpy.array([[1, 0, 0, -UNIT * (i - views[0]) / places], [0, 1, 0, 0], [0, 0, 1, 0]]) for i in views]
    depth = numpy.where(disparity > 0, UNIT / numpy.maximum(disparity, 1e-9), 0)
    write(folder, [read(found.parent / names[i]) for i in views], matrices, depth)
    return UNIT / most, UNIT, 2 * (most - 1) + 1


LIVING_ROOM = (100, 90, 110, 95, 105, 85, 115, 80, 120)  # frames, the reference first
INTRINSICS = numpy.array([[525, 0, 319.5], [0, 525, 239.5], [0, 0, 1]])


def refined(pose, reference, depth, picture):
    """Of a pose that is off by a pixel and two: that by which the reference's points are where the picture has them.

    The poses of the data were estimated, by Open3D. pose: from the reference to the picture; the depth's unit.
    """
    corners = cv2.goodFeaturesToTrack(reference, 2000, 0.003, 5)
    at = corners[:, 0]
    z = depth[tuple(at.round().astype(int).T[::-1])].astype(float)
    points = numpy.column_stack([at, numpy.ones(len(at))]) @ numpy.linalg.inv(INTRINSICS).T * z[:, None]
    turn, shift = cv2.Rodrigues(pose[:, :3])[0], pose[:, 3].copy()
    guess = cv2.projectPoints(points, turn, shift, INTRINSICS, None)[0].astype(numpy.float32)
    found, status, _ = cv2.calcOpticalFlowPyrLK(reference, picture, corners, guess.copy(), winSize=(15, 15), maxLevel=1,
                                                flags=cv2.OPTFLOW_USE_INITIAL_FLOW)
    good = (status[:, 0] > 0) & (z > 0) & (numpy.linalg.norm(found - guess, axis=2)[:, 0] < 6)
    points, found = points[good], found[good].astype(float)
    _, turn, shift, inside = cv2.solvePnPRansac(points, found, INTRINSICS, None, turn, shift, True, 500, 1.0)
    inside = inside[:, 0]
    turn, shift = cv2.solvePnPRefineLM(points[inside], found[inside], INTRINSICS, None, turn, shift)
    return numpy.column_stack([cv2.Rodrigues(turn)[0], shift])


def living_room(data, folder):
    lines = (data / 'test_scene' / 'trajectory.log').read_text(encoding='utf-8').splitlines()
    pictures = [read(data / 'image' / f'{i:05}.jpg') for i in LIVING_ROOM]
    depth = read(data / 'depth' / f'{LIVING_ROOM[0]:05}.png', cv2.IMREAD_UNCHANGED)
    poses = [numpy.loadtxt(lines[5 * i + 1:5 * i + 5]) for i in LIVING_ROOM]
    matrices = [INTRINSICS @ numpy.eye(3, 4)]
    for pose, picture in zip(poses[1:], pictures[1:]):
        to = (numpy.linalg.inv(pose) @ poses[0])[:3]
        to[:, 3] *= 1000  # the depths' millimetres
        matrices.append(INTRINSICS @ refined(to, pictures[0], depth, picture))
    write(folder, pictures, matrices, depth)
    return 1000, 4000, 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--middlebury', type=pathlib.Path)
    parser.add_argument('--living-room', type=pathlib.Path)
    parser.add_argument('--keep', type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        to = arguments.keep or pathlib.Path(temporary)
        ranges = {}
        if arguments.middlebury:
            for scene in MIDDLEBURY:
                ranges[scene] = middlebury(scene, arguments.middlebury, to / scene)
        if arguments.living_room:
            ranges['living-room'] = living_room(arguments.living_room, to / 'living-room')
        for scene, (near, far, depths) in ranges.items():
            print(f'{scene}: near={near:g} far={far:g} num-depths={depths}', flush=True)
            subprocess.run([arguments.program, to / scene, f'{near}', f'{far}', f'{depths}', f'{OFF}'], check=True)


if __name__ == '__main__':
    main()
