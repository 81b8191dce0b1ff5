#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Renders what two cameras side by side see: three balls on tiles, before a wall of bricks.

usage: make_pair.py FOLDER    writes left.ppm and right.ppm; requires numpy
"""
import pathlib
import sys

import numpy as np

WIDTH, HEIGHT, SAMPLES = 480, 320, 4  # rays across and down a pixel
FOCAL, BASELINE = 480, 120  # pixels, and millimetres
WALL, FLOOR = 6000, 900  # millimetres ahead, and down
BALLS = (((-750, 350, 2700), 550, (214, 92, 58)), ((420, 560, 1900), 340, (66, 133, 190)),
         ((1250, 150, 4100), 750, (226, 178, 60)))
LIGHT = np.array((-0.5, -0.75, -0.45)) / np.linalg.norm((-0.5, -0.75, -0.45))


def noise(points, cell):
    """From -1 to 1, smooth, with detail of the size of a cell."""
    whole = np.floor(points / cell).astype(np.int64)
    part = points / cell - whole
    part = part * part * (3 - 2 * part)
    total = np.zeros(points.shape[:-1])
    for corner in np.ndindex(2, 2, 2):
        at = whole + corner
        mixed = (at[..., 0] * 73856093 ^ at[..., 1] * 19349663 ^ at[..., 2] * 83492791) & 0xffffff
        mixed = (mixed * (mixed * mixed * 15731 + 789221) + 1376312589) & 0xffff
        total += np.prod(np.where(corner, part, 1 - part), axis=-1) * (mixed / 32768 - 1)
    return total


def grain(points):
    return sum(noise(points + cell, cell) * weight
               for cell, weight in ((160, 0.16), (50, 0.14), (16, 0.12)))


def bricks(points):
    row = np.floor(points[..., 1] / 150)
    x = (points[..., 0] + 170 * (row % 2)) % 340
    mortar = (x < 18) | (points[..., 1] % 150 < 18)
    return np.where(mortar[..., None], (176, 170, 160), (156, 96, 78))


def tiles(points):
    dark = (np.floor(points[..., 0] / 400) + np.floor(points[..., 2] / 400)) % 2 > 0
    return np.where(dark[..., None], (86, 94, 104), (190, 186, 176))


def ball_at(origin, rays, centre, radius):
    """Distances along the rays, or infinity."""
    to = origin - np.array(centre, float)
    b, c = np.sum(rays * to, axis=-1), np.sum(to * to, axis=-1) - radius * radius
    root = b * b - c
    near = -b - np.sqrt(np.maximum(root, 0))
    return np.where((root > 0) & (near > 1), near, np.inf)


def render(eye):
    step = (np.arange(WIDTH * SAMPLES) + 0.5) / SAMPLES - 0.5
    x, y = np.meshgrid(step - (WIDTH - 1) / 2, step[:HEIGHT * SAMPLES] - (HEIGHT - 1) / 2)
    rays = np.stack((x, y, np.full_like(x, FOCAL)), axis=-1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    origin = np.array((eye, 0, 0), float)
    down = np.where(rays[..., 1] > 0, FLOOR / np.maximum(rays[..., 1], 1e-9), np.inf)
    hits = [WALL / rays[..., 2], down, *(ball_at(origin, rays, at, radius) for at, radius, _ in BALLS)]
    which = np.argmin(hits, axis=0)
    points = origin + rays * np.min(hits, axis=0)[..., None]
    colour, normal = bricks(points).astype(float), np.broadcast_to((0., 0., -1.), points.shape).copy()
    colour[which == 1], normal[which == 1] = tiles(points[which == 1]), (0, -1, 0)
    for i, (centre, radius, paint) in enumerate(BALLS):
        of_ball = which == 2 + i
        normal[of_ball] = (points[of_ball] - centre) / radius
        stripes = np.floor((points[of_ball] - centre)[..., 1] / radius * 4) % 2 > 0
        colour[of_ball] = np.where(stripes[..., None], paint, np.array(paint) * 0.6 + 80)
    lit = np.maximum(np.sum(normal * LIGHT, axis=-1), 0)
    for centre, radius, _ in BALLS:
        shadow = ball_at(points + 2 * normal, np.broadcast_to(LIGHT, points.shape), centre, radius)
        lit = np.where(np.isfinite(shadow), 0, lit)
    shaded = colour * (1 + grain(points))[..., None] * (0.45 + 0.75 * lit)[..., None]
    shaded = shaded.reshape(HEIGHT, SAMPLES, WIDTH, SAMPLES, 3).mean(axis=(1, 3))
    return np.clip(np.rint(shaded), 0, 255).astype(np.uint8)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    for name, eye in (("left", 0), ("right", BASELINE)):
        with open(pathlib.Path(sys.argv[1]) / f"{name}.ppm", "wb") as file:
            file.write(b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + render(eye).tobytes())


if __name__ == "__main__":
    main()
