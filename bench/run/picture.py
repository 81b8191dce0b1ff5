# SPDX-License-Identifier: LGPL-2.1-or-later
"""The photograph: as a PPM file of 8 bits, and parts of it as files for commands."""

import re
import shutil
import subprocess

MOST_SECONDS = 30  # of a conversion
HEAD = re.compile(rb'P6\s+(\d+)\s+(\d+)\s+255\s')


class NoReader(SystemExit):
    """Nothing here converts pictures. The installation that precedes a build brings GStreamer."""


class Picture:
    def __init__(self, source, folder):
        self.folder = folder
        if not source.is_file():
            raise SystemExit(f'bench: there is no picture {source}')
        # As the programs read it: 8 bits, no comments.
        self.path = source if HEAD.match(source.read_bytes()) else as_ppm(source, folder / 'photograph.ppm')
        self.parts()

    def parts(self):
        """The samples, width and height."""
        data = self.path.read_bytes()
        head = HEAD.match(data)
        width, height = (int(head.group(1)), int(head.group(2))) if head else (0, 0)
        if width * height == 0 or len(data) - head.end() < 3 * width * height:
            raise SystemExit(f'bench: {self.path.name} is no whole PPM file of 8 bits')
        return data[head.end():], width, height

    def rows(self):
        """Of the photograph, as bytes."""
        samples, width, height = self.parts()
        return [samples[3 * width * y:3 * width * (y + 1)] for y in range(height)]

    def crop(self, size, raw=False):
        """The file of its top left corner, which is mirrored where the photograph is smaller."""
        path = self.folder / f"{size[0]}x{size[1]}.{'rgb' if raw else 'ppm'}"
        if not path.exists():
            lines = [wide(row, size[0]) for row in tall(self.rows(), size[1])]
            path.write_bytes((b'' if raw else b'P6\n%d %d\n255\n' % size) + b''.join(lines))
        return path

    def interlaced_frame(self, size):
        """I420, luma of the photograph's green."""
        path = self.folder / f'{size[0]}x{size[1]}.i420'
        if not path.exists():
            path.write_bytes(self.crop(size, raw=True).read_bytes()[1::3] + b'\x80' * (size[0] * size[1] // 2))
        return path


def tall(rows, height):
    mirrored = [*rows, *reversed(rows)]
    return [mirrored[y % len(mirrored)] for y in range(height)]


def wide(row, width):
    if len(row) < 3 * width:
        back = b''.join(row[x:x + 3] for x in range(len(row) - 3, -1, -3))
        row = (row + back) * (3 * width // (2 * len(row)) + 1)
    return row[:3 * width]


def as_ppm(source, path):
    """By the first of Pillow, GStreamer and FFmpeg that can read the file."""
    here = []
    for name, convert in (('Pillow', by_pillow), ('GStreamer', by_gstreamer), ('FFmpeg', by_ffmpeg)):
        done = convert(source, path)
        if done:
            return path
        if done is not None:
            here.append(name)
    if not here:
        raise NoReader(f'bench: {source.name} is no plain PPM file of 8 bits; Pillow, GStreamer or FFmpeg would convert it, and none is here')
    raise SystemExit(f"bench: {source.name} is no picture that {' or '.join(here)} can read")


def by_pillow(source, path):
    """Whether it is done; None: Pillow is not here."""
    try:
        from PIL import Image
    except ImportError:
        return None
    try:
        Image.open(source).convert('RGB').save(path)
    except (OSError, ValueError):
        return False
    return True


def by_gstreamer(source, path):
    return by_command(path, ['gst-launch-1.0', '-q', 'filesrc', f'location={source}', '!', 'decodebin', '!', 'videoconvert', '!',
                             'video/x-raw,format=RGB', '!', 'pnmenc', '!', 'filesink', f'location={path}'])


def by_ffmpeg(source, path):
    return by_command(path, ['ffmpeg', '-v', 'error', '-y', '-i', str(source), '-frames:v', '1', '-pix_fmt', 'rgb24', str(path)])


def by_command(path, command):
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:  # gst-launch-1.0 can wait for ever after an error
        return False
    return done.returncode == 0 and path.exists() and path.read_bytes()[:2] == b'P6'
