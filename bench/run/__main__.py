#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures this machine: what it is, every element's kernels, elements, pipelines and whole commands, each beside the peers
that are here, as medians with quartiles.

usage: ./run bench [OPTION ...], or python3 bench/run --build FOLDER [OPTION ...]
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import time

import compare
import machine
import report
import rows as table
from coding import Coding
from commands import Commands
from figures import figure
from elements import Elements, cameras_file
from kernels import Kernels
from picture import NoReader, Picture
from programs import Failed, Missing, Programs, Progress

ROOT = machine.ROOT
PHOTOGRAPH = ROOT / 'examples' / 'media' / 'bus_1920x1080.jpg'
QUICK_MINUTES, GPU_MINUTES = 1.7, 8
INTERRUPTED = 130
BUILD_REQUIRED = 100  # the status that says that all arguments are right, and that nothing is left to do without a build
SECONDS_UNTIL_LOAD = 8  # when the GPU's clocks are read
LEAST_SECONDS, MOST_SECONDS = 0.1, 3.0

INSTALL = {
    'cudaconvert': "GStreamer's plugin nvcodec (gstreamer1.0-plugins-bad) and NVRTC of CUDA 11 or 12",
    'cudaupload': "GStreamer's plugin nvcodec (gstreamer1.0-plugins-bad)",
    'cudadownload': "GStreamer's plugin nvcodec (gstreamer1.0-plugins-bad)",
    'nvjpegenc': "GStreamer's plugin nvcodec of 1.24 or later, and nvJPEG",
    'nvjpegdec': "GStreamer's plugin nvcodec, and nvJPEG",
    'openjpegenc': 'gstreamer1.0-plugins-bad', 'gaussianblur': 'gstreamer1.0-plugins-bad',
    'videoconvert': 'gstreamer1.0-plugins-base', 'deinterlace': 'gstreamer1.0-plugins-good', 'jpegenc': 'gstreamer1.0-plugins-good',
    'jpegdec': 'gstreamer1.0-plugins-good', 'opj_compress': 'libopenjp2-tools', 'grk_compress': 'grokj2k-tools',
    'ojph_compress': 'openjph-tools', 'ffmpeg': 'ffmpeg', 'gst-launch-1.0': 'gstreamer1.0-tools',
    'bench-openjpeg': 'libopenjp2-7-dev, and build again', 'bench-libsgm': 'libSGM, and build again (docs/benchmarks.md)',
    'cv2': 'python3-opencv', 'Pillow': 'python3-pil',
    **{name: 'NPP of the CUDA toolkit, and build again' for name in
       ('bench-npp', 'bench-npp-filter', 'bench-npp-median', 'bench-npp-canny', 'bench-npp-bilateral')},
}

NOTES = [
    'Times are medians; *_quartiles are the first and the third one of *_samples repetitions.',
    'rows: kernels. On a GPU from device memory to device memory, over more buffers than its L2 cache holds; on the CPU one thread.',
    'copy_us is the faster of cudaMemcpyAsync and a plain copy kernel that read and write as many bytes; on the CPU memcpy.',
    'Of several NPP functions that do an operation the fastest is taken.',
    'NPP has no function that gives luma alone.',
    "NPP's functions to RGB repeat chroma; yuv2rgb's interpolates. Both read and write as many bytes.",
    'coalescedeinterlace: two pictures of one frame and its neighbours; NPP has no deinterlacer.',
    "uyvy2y's NV12 has neutral chroma; NPP's has the picture's. Both read and write as many bytes.",
    "NPP's medians refuse to be captured in a graph, and wait for the GPU: theirs are times of calls in a row, waits included.",
    "NPP's only filter of two channels, for NV12's chroma, is the mask of floats: no rows and columns.",
    "NPP's Canny does not follow weak edges; frames are noise, thresholds are of sums of absolute gradients.",
    "NPP's bilateral filter has a square window and cuts results off; ours is round and rounds.",
    'stereodisparity: noise, with its defaults; libSGM has the same settings and checks, and removes no speckles.',
    'multiview: a drawn scene; its bytes are those of five pictures and the depths.',
    'JPEG: quality 90; on a GPU files of the encoder in page-locked host memory, of the decoder from host memory to device memory; '
    'sustained, with the best number of frames in flight or streams.',
    'JPEG 2000: 8 bits, 4:4:4, 64x64 blocks, 24 frames cut out of one photograph; on a GPU from device memory to host memory; '
    'sustained, with the best number of frames in flight or streams.',
    'nvJPEG2000 has no target in bytes: one quantiser step for all frames gives the same bytes on average.',
    'OpenJPEG: on the CPU, a frame for each thread at a time.',
    'elements, pipelines: *_us is of a frame that is pushed while others are in flight, from the first push until the last has '
    'come out; *_latency_us is of one frame at a time, from its push until all that it brings out has come out. A frame has come '
    'out when the sink has mapped it for reading and the GPU has finished it. *_delay is the number of pushes before the first.',
    '*_push_us: of the streaming thread for one push, the GPU being idle at the first of two.',
    'elements on a GPU: CUDA memory on both sides, beyond the L2 cache. pipelines: with the copies over the bus, if there are any.',
    'commands: the wall clock of whole programs; of many frames the difference of two runs, which has no start.',
]


class Run:
    """What the layers share."""

    def __init__(self, arguments, picture, programs, has_gpu, say):
        self.folder, self.programs, self.gpu, self.say = picture.folder, programs, has_gpu, say
        self.threads = len(os.sched_getaffinity(0))
        self.sizes = sizes_of(arguments, has_gpu)
        self.seconds, self.interrupted = 1.0, False
        self.libraries, self.missing, self.left_out = {}, set(), []
        self.picture, self.crop, self.interlaced_frame = picture.path, picture.crop, picture.interlaced_frame
        self.cameras = cameras_file(self.folder, 16)

    def leave_out(self, text):
        if text not in self.left_out:
            self.left_out.append(text)


def fail(text):
    sys.exit(f'bench: {text}')


def sizes_of(arguments, has_gpu):
    if arguments.size:
        return tuple(tuple(int(part) for part in size.split('x')) for size in arguments.size)
    if arguments.quick:
        return (table.UHD,) if has_gpu else (table.HD,)
    return table.SIZES


def chosen(rows, arguments, layer):
    """Those of --quick and --only. A pattern is compared with 'layer operation format setting'."""
    return [row for row in rows if (row.quick or not arguments.quick) and matches(arguments, f'{layer} {table.name_of(row)}')]


def matches(arguments, name):
    return not arguments.only or any(has_pattern(name, pattern) for pattern in arguments.only)


def has_pattern(name, pattern):
    return fnmatch.fnmatch(name.lower(), f'*{pattern.lower()}*')


class Layers:
    """All that is measured, in order."""

    def __init__(self, run, arguments):
        self.run, self.arguments = run, arguments
        self.kernels, self.coding = Kernels(run), Coding(run)
        self.elements, self.commands = Elements(run), Commands(run)
        self.kernel_rows = chosen(table.KERNELS, arguments, 'kernel')
        self.element_rows = chosen(table.ELEMENTS, arguments, 'element')
        pipelines = [*table.TRANSFERS, *table.CHAINS, *(table.through_the_bus() if run.gpu else ())]
        self.pipeline_rows = chosen(pipelines, arguments, 'pipeline')
        self.command_rows = chosen(table.COMMANDS, arguments, 'command')

    def steps(self):
        coded = {row.operation for row in table.CODING if matches(self.arguments, f'kernel {table.name_of(row)}')}

        def wanted(operation, size):
            return operation in coded and any(width == size[0] for width, _ in self.run.sizes)

        return [*self.kernels.steps(self.kernel_rows), *self.coding.steps(wanted), *self.elements.steps(self.element_rows),
                *self.elements.steps(self.pipeline_rows), *self.commands.steps(self.command_rows)]

    def choose_seconds(self, minutes):
        """The longest repetitions with which the estimates end in time."""
        low, high = LEAST_SECONDS, MOST_SECONDS
        for _ in range(12):
            self.run.seconds = (low + high) / 2
            if sum(step.estimate for step in self.steps()) > 60 * minutes:
                high = self.run.seconds
            else:
                low = self.run.seconds
        self.run.seconds = low

    def result(self):
        return {'rows': self.kernels.result(self.kernel_rows) + self.coding.rows, 'elements': self.elements.rows['element'],
                'pipelines': self.elements.rows['pipeline'], 'commands': self.commands.rows}


def copy_rates(programs, found):
    """Of bench-machine. Whether it could use a GPU."""
    try:
        rates = programs.run('bench-machine', [])
    except (Missing, Failed) as error:
        fail(str(error))
    found['copies'] = [{'operation': row['operation'], **figure('gb_per_s', row['gb_per_s_samples'])} for row in rates['rows']]
    if any('GPU' in row['operation'] for row in rates['rows']):
        return True
    found['no_gpu'] = rates['machine']
    for name in machine.GPU_NAMES:
        found.pop(name, None)
    return False


def measure(steps, run, progress, minutes):
    """Runs all steps. False: Ctrl-C, or the time was over; what was measured is kept."""
    progress.plan(steps)
    deadline = time.monotonic() + 60 * minutes if minutes else None
    done = 0
    try:
        for step in steps:
            if deadline and time.monotonic() > deadline:
                run.leave_out(f'the time was over: {len(steps) - done} of {len(steps)} steps')
                return False
            one_step(step, run, progress)
            done += 1
    except KeyboardInterrupt:
        run.interrupted = True
        run.leave_out(f'interrupted: {len(steps) - done} of {len(steps)} steps')
        return False
    return True


def one_step(step, run, progress):
    progress.begin(step)
    start = time.monotonic()
    try:
        step.run()
    except Missing as error:
        run.missing.add(error.what)
    except Failed as error:
        run.leave_out(str(error))
        progress.say(f'bench: {error}')
    progress.end(step, time.monotonic() - start)


def text_of(document):
    """JSON with a row on a line."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    def joined(match):
        return re.sub(r'\s*\n\s*', ' ', match.group()).replace('{ ', '{').replace('[ ', '[').replace(' }', '}').replace(' ]', ']')
    return re.sub(r'\{\s*"operation"[^{}]*\}', joined, text) + '\n'


def parse():
    parser = argparse.ArgumentParser(prog='bench', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build', help='a build folder with -Dbench=true')
    parser.add_argument('--elements-build', type=pathlib.Path, metavar='FOLDER',
                        help='another one, or a folder of bench-pipeline alone, if the first has no plugin')
    parser.add_argument('--picture', type=pathlib.Path, metavar='FILE', help='a photograph, 3840x2160 or more: PPM, or what Pillow, '
                        'GStreamer or FFmpeg reads; without it a smaller one of the examples, mirrored')
    parser.add_argument('--quick', action='store_true', help='within two minutes: fewer rows, one size')
    parser.add_argument('--minutes', type=float, metavar='M', help='shorter or longer repetitions, and no step begins after M minutes')
    parser.add_argument('--seconds', type=float, metavar='S', help='of the repetitions of one figure, about; then no limit ends the whole')
    parser.add_argument('--only', action='append', metavar='PATTERN',
                        help="only rows whose 'layer operation format setting' has it; may be repeated")
    parser.add_argument('--size', action='append', metavar='WxH', help='only this size; may be repeated')
    parser.add_argument('--json', type=pathlib.Path, metavar='FILE', help='write the figures')
    parser.add_argument('--compare', nargs='+', type=pathlib.Path, metavar=('OLD.json', 'NEW.json'),
                        help='what has changed since OLD, and what is noise; with NEW nothing is measured')
    parser.add_argument('--cpu', action='store_true', help='the CPU back ends, on a machine with a GPU, too')
    parser.add_argument('--all', action='store_true', help='of --compare: also what is noise')
    parser.add_argument('--anyway', action='store_true', help='of --compare: also of different machines')
    parser.add_argument('--log', type=pathlib.Path, metavar='FILE', help='all output of the programs')
    parser.add_argument('--before-build', action='store_true', help=argparse.SUPPRESS)  # of ./run: see BUILD_REQUIRED
    parser.add_argument('--commit', help='what was built, where there is no git checkout')
    arguments = parser.parse_args()
    if arguments.compare and len(arguments.compare) > 2:
        parser.error('--compare has two files at most')
    try:  # before a long measurement
        arguments.compare = [compare.read(path) for path in arguments.compare or ()]
    except OSError as error:
        parser.error(f'--compare: {error.filename}: {error.strerror}')
    except ValueError as error:
        parser.error(f'--compare: {error}')
    for path in filter(None, (arguments.json, arguments.log)):
        if not path.absolute().parent.is_dir():
            parser.error(f'there is no folder {path.parent}')
        if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            parser.error(f'{path} cannot be written')
    if arguments.minutes is not None and not arguments.minutes > 0:
        parser.error('--minutes is a number above 0')
    for size in arguments.size or ():
        if not re.fullmatch(r'[1-9]\d*x[1-9]\d*', size):
            parser.error(f'{size} is no size such as 1920x1080')
    names = [f'{layer} {table.name_of(row)}' for layer, rows in table.LAYERS.items() for row in rows]
    for pattern in arguments.only or ():
        if not any(has_pattern(name, pattern) for name in names):
            parser.error(f"no row's 'layer operation format setting' has '{pattern}'; * stands for anything, as in "
                         f"'kernel j2kenc*lossless'. Layers and their operations:\n{operations()}")
    return arguments


def operations():
    """What --only may name, a line for each layer."""
    return '\n'.join(f"  {layer}: {'; '.join(dict.fromkeys(row.operation for row in rows))}" for layer, rows in table.LAYERS.items())


def bench(arguments, folder, log):
    programs = Programs(arguments.build, arguments.elements_build, log)
    if arguments.cpu:
        programs.environment['CUDA_VISIBLE_DEVICES'] = ''
    if programs.find('bench-machine') is None:
        fail(f'{arguments.build} has no bench-machine: configure it with -Dbench=true, and build the target benchmarks')
    picture = Picture(arguments.picture or PHOTOGRAPH, folder)
    progress = Progress()
    found = machine.describe(arguments.build, arguments.commit)
    run = Run(arguments, picture, programs, copy_rates(programs, found), progress.say)
    layers = Layers(run, arguments)
    if not layers.steps():
        fail(f"nothing is measured of these rows{' with --quick' if arguments.quick else ''}{'' if run.gpu else ' without a GPU'}"
             f"{' at this size' if arguments.size else ''}")
    minutes = arguments.minutes or (QUICK_MINUTES if arguments.quick else GPU_MINUTES if run.gpu else None)
    if arguments.seconds:
        run.seconds, minutes = arguments.seconds, None
    elif minutes:
        layers.choose_seconds(minutes)
    print(machine.text_of(found), flush=True)
    if arguments.compare and not arguments.anyway and compare.machines_differ(arguments.compare[0], found):
        print('bench: the old figures are of another machine, and will not be compared', file=sys.stderr)
    others = machine.Others()
    clocks = threading.Timer(SECONDS_UNTIL_LOAD, lambda: found.update(clocks_under_load=machine.clocks()))
    if run.gpu:
        clocks.start()
    complete = measure(layers.steps(), run, progress, minutes)
    clocks.cancel()
    found['others_cpu'] = others.share()
    progress.clear()
    document = found | {'picture': (arguments.picture or PHOTOGRAPH).name, 'quick': arguments.quick, 'complete': complete,
                        'interrupted': run.interrupted,
                        'seconds': round(run.seconds, 3), 'notes': NOTES, 'libraries': run.libraries,
                        'missing': sorted(run.missing), 'left_out': run.left_out} | layers.result()
    return document


def before_build(arguments, folder):
    """What would otherwise fail after a long build."""
    try:
        if arguments.picture:
            Picture(arguments.picture, folder)
    except NoReader:
        pass  # the build installs one
    return BUILD_REQUIRED


def write(path, text):
    """Whether the file is there, in the end."""
    try:
        path.write_text(text, encoding='utf-8')
    except OSError as error:
        print(f'bench: {path} is not written: {error.strerror}', file=sys.stderr)
        return False
    return True


def main():
    arguments = parse()
    if len(arguments.compare) == 2:
        return compare.report(*arguments.compare, arguments, print)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.before_build:
            return before_build(arguments, pathlib.Path(folder))
        with open(arguments.log or os.devnull, 'w', encoding='utf-8') as log:
            document = bench(arguments, pathlib.Path(folder), log)
    measured = any(document[name] for name in compare.LISTS)  # else an older file stays
    written = not arguments.json or not measured or write(arguments.json, text_of(document))
    print(report.tables(document))
    print()
    if document.get('clocks_under_load'):
        print(f"clocks some seconds after the start: {machine.named(document['clocks_under_load'])}")
    if document['others_cpu'] > compare.DISTURBED:
        print(f"Other processes used {document['others_cpu']:.0%} of the processors: figures of the CPU are too slow, and differ from run to run.")
    for name in document['missing']:
        print(f"not here: {name}{f' ({INSTALL[name]})' if name in INSTALL else ''}")
    for text in document['left_out']:
        print(f'left out: {text}')
    if not measured:
        fail('nothing was measured')
    status = compare.report(arguments.compare[0], document, arguments, print) if arguments.compare else 0
    return status or (0 if written else 1) or (INTERRUPTED if document['interrupted'] else 0)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print('bench: interrupted, and nothing is kept', file=sys.stderr)
        sys.exit(INTERRUPTED)
