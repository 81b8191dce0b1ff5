# SPDX-License-Identifier: LGPL-2.1-or-later
"""The photograph: as a PPM file of 8 bits, and parts of it as files for commands."""

import re
import shutil
import subprocess

from programs import Failed


class Picture:
    def __init__(self, source, folder):
        self.folder = folder
        if not source.exists():
            raise SystemExit(f'bench: there is no picture {source}')
        self.path = source if source.read_bytes()[:2] == b'P6' else as_ppm(source, folder / 'photograph.ppm')
        self.width = self.height = None

    def rows(self):
        """Of the photograph, as bytes."""
        data = self.path.read_bytes()
        head = re.match(rb'P6\s+(?:#.*\n\s*)*(\d+)\s+(\d+)\s+255\s', data)
        if not head:
            raise Failed(f'{self.path.name} is no PPM file of 8 bits')
        width, height = int(head.group(1)), int(head.group(2))
        return [data[head.end() + 3 * width * y:head.end() + 3 * width * (y + 1)] for y in range(height)]

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
    try:
        from PIL import Image
        Image.open(source).convert('RGB').save(path)
        return path
    except ImportError:
        pass
    for command in (['gst-launch-1.0', '-q', 'filesrc', f'location={source}', '!', 'decodebin', '!', 'videoconvert', '!',
                     'video/x-raw,format=RGB', '!', 'pnmenc', '!', 'filesink', f'location={path}'],
                    ['ffmpeg', '-v', 'error', '-y', '-i', str(source), '-pix_fmt', 'rgb24', str(path)]):
        if shutil.which(command[0]) and subprocess.run(command, check=False, stdin=subprocess.DEVNULL,
                                                       capture_output=True).returncode == 0 and path.exists():
            return path
    raise SystemExit(f'bench: {source.name} is no PPM file; Pillow, GStreamer or FFmpeg would convert it, and none is here')
