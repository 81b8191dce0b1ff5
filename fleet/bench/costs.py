#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU time of a frame of 3840x2160 in JPEG 2000 encoders of the CPU, for the cost table of docs/fleet.md.

usage: costs.py --out FILE.json [--size 3840x2160] [--picture FILE] [--frames 3]

Encoders, as far as they are installed: j2kenc backend=cpu, Grok (grk_compress), OpenJPEG (opj_compress, a process a
frame, whose start and reading of the picture are in its figures). All have the same picture in RGB, blocks of 64x64,
six resolutions, one layer. A figure is the difference between runs of 1 + N frames and of one, so that starts of the
others are not in it. CPU time (user and system) hardly depends on what else the machine does, as the time by the clock
does; with all cores it is that of all threads.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'examples' / 'media' / 'bus_1920x1080.jpg'


def timed(command):
    """Seconds of the CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=400)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Bench:
    def __init__(self, work, picture, size):
        self.work, self.size = work, size
        self.ppm, self.out = work / 'in' / '0.ppm', work / 'out'
        self.ppm.parent.mkdir()
        self.out.mkdir()
        raw = work / 'raw'
        width, height = size
        subprocess.run(['gst-launch-1.0', '-q', *(
            f'filesrc location={picture} ! jpegdec ! videoconvertscale add-borders=false ! video/x-raw,format=RGB,width={width},'
            f'height={height},pixel-aspect-ratio=1/1 ! filesink location={raw}').split()], check=True, timeout=120)
        self.ppm.write_bytes(b'P6\n%d %d\n255\n' % size + raw.read_bytes())
        self.raw = f'filesrc location={raw} blocksize={width * height * 3} ! rawvideoparse format=rgb width={width} height={height}'

    def gst(self, encoder):
        def run(frames):
            return timed(['gst-launch-1.0', '-q', *(f'{self.raw} ! imagefreeze num-buffers={frames} ! {encoder} ! '
                                                    f'filesink location={self.out}/frame').split()])
        return run

    def grok(self, *options):
        def run(frames):
            folder = self.work / 'batch'
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for number in range(frames):
                os.link(self.ppm, folder / f'{number}.ppm')
            return timed(['grk_compress', '-y', str(folder), '-a', str(self.out), '-O', 'JP2', '-n', '6',
                          *options])
        return run

    def opj(self, *options):
        def run(frames):
            return sum(timed(['opj_compress', '-i', str(self.ppm), '-o', str(self.out / 'f.jp2'), *options]) for _ in range(frames))
        return run


def encoders(bench, cores):
    """Name, setting, threads, what runs N frames."""
    ratio = 12  # 24 bits a pixel to 2
    for setting, ours, grok, opj in (('lossless', '', [], []), ('2 bits per pixel', ' bpp=2', ['-r', str(ratio), '-I'],
                                                                ['-r', str(ratio), '-I'])):
        for threads in sorted({1, cores}):
            yield 'j2kenc, CPU', setting, threads, bench.gst(f'j2kenc backend=cpu n-threads={threads}{ours} ! image/x-jpc')
            if shutil.which('grk_compress'):
                yield 'Grok', setting, threads, bench.grok('-H', str(threads), *grok)
            if shutil.which('opj_compress'):
                yield 'OpenJPEG', setting, threads, bench.opj('-threads', str(threads), '-n', '6', *opj)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--size', default='3840x2160')
    parser.add_argument('--picture', type=pathlib.Path, default=PICTURE)
    parser.add_argument('--frames', type=int, default=3)
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    model = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text())
    size = tuple(map(int, arguments.size.split('x')))
    versions = {name: subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()
                for name, command in (('Grok', ['grk_compress', '-version']), ('OpenJPEG', ['pkg-config', '--modversion', 'libopenjp2']))
                if shutil.which(command[0])}
    result = {'date': datetime.date.today().isoformat(), 'cpu': model.group(1) if model else '', 'cores': cores,
              'size': arguments.size, 'picture': arguments.picture.name, 'frames': arguments.frames,
              'versions': {name: lines[0] for name, lines in versions.items() if lines}, 'rows': []}
    with tempfile.TemporaryDirectory(prefix='costs-') as folder:
        bench = Bench(pathlib.Path(folder), arguments.picture, size)
        for name, setting, threads, run in encoders(bench, cores):
            try:
                alone, more = run(1), run(1 + arguments.frames)
            except subprocess.CalledProcessError as error:
                print(f'{name}, {setting}: {error.stderr.decode()[-300:]}', file=sys.stderr)
                continue
            written = max(bench.out.iterdir(), key=lambda path: path.stat().st_mtime)
            row = {'encoder': name, 'setting': setting, 'threads': threads, 'cpu_s': round((more - alone) / arguments.frames, 3),
                   'bytes': round(written.stat().st_size / (1 + arguments.frames if written.name == 'frame' else 1))}
            result['rows'].append(row)
            print(json.dumps(row), flush=True)
            arguments.out.write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
    return 0 if result['rows'] else 1


if __name__ == '__main__':
    sys.exit(main())
