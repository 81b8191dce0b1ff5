#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The figures of chart.py and tables.py: each operation at 3840x2160 and 1920x1080, its peer, and a copy.

Runs the programs of a build with -Dbench=true on a machine with a GPU and joins their figures:
bench-kernels, bench-j2k-cuda, bench-jpeg and bench-jpeg-decode, and, where they were built, those of
NPP, and bench-libsgm and bench-openjpeg. Without one of these its peers are missing in the result, and a line says so.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = ((1920, 1080), (3840, 2160))

# What filters are measured on: pictures people have, and what flatters last.
FILTERED = ('NV12', 'RGB', 'I420', 'RGBA', 'AYUV', 'GBR', 'P010_10LE', 'I422_10LE', 'GRAY16_LE', 'AYUV64', 'GRAY8')
SIGMAS = (1, 2, 3, 4, 5, 7, 10)

# operation, format, setting: case and label in bench-kernels; what NPP's label begins with, one of
# several, or None.
ROWS = [
    ('rgb2yuv', 'RGB to NV12', '', 'rgb2yuv', 'RGB->NV12', 'RGB->NV12, '),
    ('rgb2yuv', 'RGB to I420', '', 'rgb2yuv', 'RGB->I420', 'RGB->I420, '),
    ('rgb2yuv', 'RGB to Y444', '', 'rgb2yuv', 'RGB->Y444', 'RGB->Y444, '),
    ('rgb2yuv', 'RGB to v210', '', 'convert', 'RGB->v210', None),
    ('yuv2rgb', 'NV12 to RGB', '', 'convert', 'NV12->RGB', 'NV12->RGB, '),
    ('yuv2rgb', 'NV12 to RGBA', '', 'convert', 'NV12->RGBA', None),
    ('yuv2rgb', 'I420 to RGB', '', 'convert', 'I420->RGB', 'I420->RGB, '),
    ('yuv2rgb', 'P010_10LE to RGBA', '', 'convert', 'P010_10LE->RGBA', None),
    ('yuv2rgb', 'v210 to RGB', '', 'convert', 'v210->RGB', None),
    ('yuv2yuv', 'UYVY to NV12', '', 'convert', 'UYVY->NV12', 'UYVY->NV12, '),
    ('yuv2yuv', 'v210 to P010_10LE', '', 'convert', 'v210->P010_10LE', None),
    ('yuv2yuv', 'v210 to I422_10LE', '', 'convert', 'v210->I422_10LE', None),
    ('uyvy2y', 'UYVY to GRAY8', '', 'uyvy2y', 'UYVY->GRAY8', None),
    ('uyvy2y', 'UYVY to NV12', '', 'uyvy2y', 'UYVY->NV12', 'UYVY->NV12, '),
]
for layout, methods in (('NV12', ('linear', 'yadif', 'bwdif', 'best')), ('P010_10LE', ('yadif', 'bwdif')),
                        ('UYVY', ('yadif', 'bwdif')), ('v210', ('yadif', 'bwdif', 'best'))):
    for method in methods:
        ROWS.append(('coalescedeinterlace', layout, method, 'deinterlace', f'deinterlace {method} {layout}', None))
for layout in FILTERED:
    for mask in '3x3', '5x5', '7x7', '15x15', '15x15 real':
        size, real = mask.split()[0], ' real' in mask
        ROWS.append(('convolve', layout, mask, 'convolve', f"{layout} {mask}{'' if real else ' integer'}",
                     f"{layout} {size}, {'nppiFilterBorder32f' if real else ''}"))
    for sigma in SIGMAS:
        taps = f'{layout} separable {6 * sigma + 1}, nppiFilter'
        ROWS.append(('sepconvolve', layout, f'Gaussian, sigma {sigma}', 'convolve',
                     f'{layout} separable Gaussian of sigma {sigma}',
                     (f'{taps}Row/ColumnBorder32f', f'{taps}GaussAdvanced')))
    if layout in ('NV12', 'RGB', 'RGBA', 'P010_10LE', 'GRAY16_LE', 'GRAY8'):
        for sigma in 8, 10, 16, 50, 100:
            ROWS.append(('sepconvolve preset=blur', layout, f'sigma {sigma}', 'blur', f'{layout} blur of sigma {sigma}', None))
for layout, windows in (('NV12', (3, 5, 7, 15)), ('RGB', (3, 5, 7, 15, 31)), ('RGBA', (3, 5)), ('P010_10LE', (3, 5, 15)),
                        ('GRAY16_LE', (3, 5, 7, 9, 15, 31)), ('GRAY8', (3, 5, 7, 9, 15, 31, 75))):
    for window in windows:
        ROWS.append(('median', layout, f'{window}x{window}', 'median', f'median {window}x{window} {layout}',
                     f'{layout} median {window}x{window}, '))

for layout, thresholds in (('GRAY8', '50 and 150'), ('GRAY8', '700 and 900'), ('NV12', '700 and 900'), ('RGB', '700 and 900')):
    ROWS.append(('canny', layout, thresholds, 'canny', f'canny {layout}, aperture 3, {thresholds}',
                 f'canny {layout}, aperture 3, {thresholds}, '))
for layout, radii in (('NV12', (2, 5)), ('RGB', (1, 2, 5, 9)), ('P010_10LE', (2,)), ('GRAY16_LE', (2, 5)), ('GRAY8', (2, 5))):
    for radius in radii:
        ROWS.append(('bilateral', layout, f'radius {radius}', 'bilateral', f'bilateral radius {radius} {layout}',
                     f'{layout} bilateral radius {radius}, '))

ROWS += [('linedetect', 'GRAY8', edges, 'linedetect', f'linedetect {edges}', None) for edges in ('squares', 'noise', 'spiral')]
for layout in 'NV12', 'RGB':
    ROWS += [('cartoon', layout, f'lines={lines}', 'cartoon', f'cartoon, lines {lines} {layout}', None) for lines in ('canny', 'dog')]
    ROWS += [('oilpaint', layout, method, 'oilpaint', f'oilpaint {method} {layout}', None)
             for method in ('strokes', 'strokes kept', 'kuwahara radius 6', 'mode radius 5')]
ROWS += [('stereodisparity', 'GRAY8', f'sgm, 128 disparities, {paths} paths', 'stereo', f'stereo sgm, 128 disparities, {paths} paths',
          f'stereo sgm, 128 disparities, {paths} paths, ') for paths in (4, 8)]
ROWS += [('stereodisparity', 'GRAY8', f'{method}, 128 disparities, 9x9', 'stereo', f'stereo {method}, 128 disparities, 9x9', None)
         for method in ('sad', 'ncc', 'census')]
ROWS += [('multiview', 'GRAY8', f'{method}, 5 views, 128 depths, 9x9', 'multiview', f'multiview {method}, 5 views, 128 depths, 9x9', None)
         for method in ('sad', 'ncc')]

NOTES = [
    'Times are of the GPU, from device memory to device memory, over more buffers than its L2 cache holds.',
    'copy_us is the faster of cudaMemcpyAsync and a plain copy kernel that read and write as many bytes.',
    'Of several NPP functions that do an operation the fastest is taken.',
    'NPP has no function that gives luma alone.',
    "NPP's functions to RGB repeat chroma; yuv2rgb's interpolates. Both read and write as many bytes.",
    'coalescedeinterlace: two pictures of one frame and its neighbours; NPP has no deinterlacer.',
    "uyvy2y's NV12 has neutral chroma; NPP's has the picture's. Both read and write as many bytes.",
    "NPP's medians refuse to be captured in a graph, and wait for the GPU: theirs are times of calls in a row, waits included.",
    "NPP's only filter of two channels, for NV12's chroma, is the mask of floats: no rows and columns.",
    "NPP's Canny does not follow weak edges; frames are noise, thresholds are of sums of absolute gradients.",
    "NPP's bilateral filter has a square window and cuts results off; ours is round and rounds.",
    "stereodisparity: noise, with its defaults; libSGM has the same settings and checks, and removes no speckles.",
    "multiview: a drawn scene; its bytes are those of five pictures and the depths.",
    'JPEG: quality 90; files of the encoder in page-locked host memory, of the decoder from host memory to device memory; '
    'sustained, with the best number of frames in flight or streams.',
    'JPEG 2000: frames in device memory to codestreams in host memory, 8 bits, 4:4:4, 64x64 blocks, 24 frames '
    'cut out of one photograph; sustained, with the best number of frames in flight or streams.',
    'nvJPEG2000 has no target in bytes: one quantiser step for all frames gives the same bytes on average.',
    'OpenJPEG: on the CPU, a frame for each thread at a time.',
]


def fail(text):
    sys.exit(f'headline.py: {text}')


def run(program, arguments, environment=None):
    """The JSON of a program of the build; None where it was not built."""
    if not program.exists():
        print(f'-- {program.name} was not built: its figures are left out', flush=True)
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'figures.json'
        command = [str(program), *arguments, '--json', str(path)]
        print('--', program.name, ' '.join(arguments), flush=True)
        status = subprocess.run(command, env=environment, check=False).returncode
        if status == 77:
            fail(f'{program.name}: there is no GPU to measure')
        if not path.exists():
            fail(f'{program.name} ended with status {status} and gave no figures')
        figures = json.loads(path.read_text(encoding='utf-8'))
        figures['status'] = status
        if status != 0:
            print(f'-- {program.name} ended with status {status}: what it says is not timed is left out')
        return figures


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ''


def machine(build, commit):
    """What the figures were measured with."""
    here = pathlib.Path(__file__).resolve().parent
    commit = commit or output_of('git', '-C', str(here), 'rev-parse', 'HEAD')
    if not commit:
        fail('this is no git checkout: name its commit with --commit')
    gpu = output_of('nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader').split('\n')[0]
    if not gpu:
        fail('nvidia-smi names no GPU')
    name, driver = (part.strip() for part in gpu.split(','))
    release = re.search(r'release ([\d.]+), V([\d.]+)', output_of('nvcc', '--version'))
    cpu = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text(encoding='utf-8'))
    return {'date': datetime.date.today().isoformat(), 'commit': commit, 'gpu': name, 'driver': driver,
            'cuda': release.group(1) if release else 'unknown', 'nvcc': release.group(2) if release else 'unknown',
            'cpu': cpu.group(1).strip() if cpu else 'unknown', 'processors': os.cpu_count(),
            'build': build_options(build)}


def build_options(build):
    """Of Meson, where it is."""
    options = json.loads(output_of('meson', 'introspect', '--buildoptions', str(build)) or '[]')
    return {o['name']: o['value'] for o in options if o['name'] in ('buildtype', 'cuda-archs')}


def as_ppm(picture, folder):
    """The photograph as a PPM file of 8 bits."""
    with open(picture, 'rb') as file:
        if file.read(2) == b'P6':
            return picture
    path = pathlib.Path(folder) / 'photograph.ppm'
    try:
        from PIL import Image
    except ImportError:
        fail(f'{picture} is no PPM file, and Pillow, which would convert it, is missing')
    Image.open(picture).convert('RGB').save(path)
    return path


def library_row(figures, label, width, height):
    """The library's own row; others are of variants."""
    found = [row for row in figures['rows'] if
             (row['operation'], row['width'], row['height']) == (label, width, height)]
    if len(found) != 1:
        fail(f'bench-kernels gave {len(found)} rows for {label} at {width}x{height}')
    return found[0]


def fastest(figures, start, width, height):
    found = [row for row in figures['rows'] if row['operation'].startswith(start) and
             (row['width'], row['height']) == (width, height)] if start else []
    return min(found, key=lambda row: row['us'], default=None)


def kernels(build, libraries):
    """Conversions, filters and disparities beside NPP's and libSGM's."""
    def options(name, values):
        return [argument for value in values
                for one in (value if isinstance(value, tuple) else (value,)) for argument in (name, one)]

    sizes = options('--size', [f'{width}x{height}' for width, height in SIZES])
    ours = {}
    for case in dict.fromkeys(row[3] for row in ROWS):  # cases have labels in common
        ours[case] = run(build / 'bench-kernels',
                         ['--backend', 'cuda', '--no-variants', *sizes, '--case', case,
                          *options('--operation', [row[4] for row in ROWS if row[3] == case])])
        if ours[case] is None or ours[case]['status'] != 0:
            fail('bench-kernels failed, or was not built')
    peers = {'rows': []}
    programs = dict.fromkeys(('bench-npp', 'bench-npp-filter', 'bench-npp-median', 'bench-npp-canny', 'bench-npp-bilateral'), 'NPP')
    for program, library in (programs | {'bench-libsgm': 'libSGM'}).items():
        figures = run(build / program, [*sizes, *options('--operation', [row[5] for row in ROWS if row[5]])])
        if figures is not None:
            libraries[library] = figures[library]
            peers['rows'] += [row | {'library': library} for row in figures['rows']]
    rows = []
    for operation, form, setting, case, label, start in ROWS:
        for width, height in SIZES:
            our = library_row(ours[case], label, width, height)
            row = {'operation': operation, 'format': form, 'setting': setting, 'width': width, 'height': height,
                   'bytes': our['bytes'], 'ours_us': our['us'],
                   'copy_us': min(our['copy_us'], our['copy_kernel_us']),
                   'memcpy_us': our['copy_us'], 'copy_kernel_us': our['copy_kernel_us']}
            peer = fastest(peers, start, width, height)
            if peer is not None:
                name = peer['operation']
                function = name[len(label) + 2:] if name.startswith(f'{label}, ') else name.split(', ', 1)[1]
                row |= {'peer': peer['library'], 'peer_function': function, 'peer_us': peer['us']}
            rows.append(row)
    return rows


def jpeg2000(build, picture, libraries):
    """Frames, ours and of each peer."""
    rows = []
    for width, height in SIZES:
        size = [str(picture), str(width), str(height)]
        gpu = run(build / 'bench-j2k-cuda', size)
        if gpu is None or gpu['status'] != 0:
            fail('bench-j2k-cuda failed, or was not built')
        cpu = run(build / 'bench-openjpeg', size) or {'rows': []}
        libraries |= {name: figures[name] for figures in (gpu, cpu) for name in ('nvJPEG2000', 'OpenJPEG')
                      if name in figures}
        for setting in 'lossless', '2 bits per pixel':
            ours = [row for row in gpu['rows'] if (row['operation'], row['encoder']) == (setting, 'j2kenc')]
            best = min(ours, key=lambda row: row['ms'])
            alone = next(row for row in ours if row['slots'] == 1)
            base = {'operation': 'j2kenc', 'format': 'RGB 4:4:4, 8 bits', 'setting': setting, 'width': width,
                    'height': height, 'bytes': best['bytes'], 'ours_us': 1e3 * best['ms'],
                    'ours_alone_us': 1e3 * alone['ms'], 'ours_in_flight': best['slots']}
            peers = [row for row in gpu['rows'] + cpu['rows'] if
                     row['operation'] == setting and row['encoder'] != 'j2kenc']
            for peer in peers:
                rows.append(base | {'peer': peer['encoder'], 'peer_us': 1e3 * peer['ms'],
                                    'peer_alone_us': 1e3 * peer['alone_ms'], 'peer_bytes': peer['bytes'],
                                    'peer_in_flight': peer.get('streams', peer.get('threads'))})
            if not peers:
                rows.append(base)
    return rows


def jpeg_row(operation, setting, size, times, name):
    """Ours beside each peer, of rows with a name, how and milliseconds; nothing without the GPU's."""
    def best(who):
        rows = [row for row in times if row[name] == who]
        alone = next((row for row in rows if row['how'] == 'alone'), None)
        return alone and (min(rows, key=lambda row: row['ms']), alone)

    ours, peers = best('coalesce CUDA'), [who for who in dict.fromkeys(row[name] for row in times)
                                         if who.startswith(('nvJPEG', 'GPUJPEG'))]
    if ours is None:
        return []
    row = {'operation': operation, 'format': setting, 'setting': 'quality 90', 'width': size[0], 'height': size[1],
           'bytes': ours[0]['bytes'], 'ours_us': 1e3 * ours[0]['ms'], 'ours_alone_us': 1e3 * ours[1]['ms'],
           'ours_in_flight': ours[0]['how'].split()[0]}
    return [row | {'setting': f'quality 90, beside {who}', 'peer': who,
                   'peer_us': 1e3 * best(who)[0]['ms'], 'peer_alone_us': 1e3 * best(who)[1]['ms'],
                   'peer_in_flight': best(who)[0]['how'].split()[0]} for who in peers] or [row]


def jpeg(build, picture, folder):
    """Encoding, and decoding of files with and without restart markers, beside nvJPEG's back ends and GPUJPEG.
    At 3840x2160 GPUJPEG itself writes intervals of five units of 16 x 16 pixels."""
    rows = []
    for width, height in ((1920, 1088), (3840, 2160)):  # multiples of 16
        coded = run(build / 'bench-jpeg', [str(picture), '--quality', '90', '--size', f'{width}x{height}']) or {'rows': []}
        for operation in dict.fromkeys(row['operation'] for row in coded['rows']):
            rows += jpeg_row('coalescejpegenc', operation.removeprefix('JPEG '), (width, height),
                             [row for row in coded['rows'] if row['operation'] == operation], 'encoder')
        try:
            from PIL import Image
        except ImportError:
            print('-- Pillow is missing: decoding is left out')
            continue
        part = Image.open(picture).crop((0, 0, width, height))
        for setting, markers in (('4:2:0', {}), ('4:2:0, marked rows', {'restart_marker_rows': 1}),
                                 ('4:2:0, intervals of 5', {'restart_marker_blocks': 5})):
            path = pathlib.Path(folder) / 'part.jpg'
            part.save(path, quality=90, subsampling='4:2:0', **markers)
            decoded = run(build / 'bench-jpeg-decode', [str(path)]) or {'rows': []}
            rows += jpeg_row('coalescejpegdec', setting, (width, height), decoded['rows'], 'decoder')
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True, type=pathlib.Path, help='a build folder with -Dbench=true')
    parser.add_argument('--picture', required=True, type=pathlib.Path,
                        help='a photograph of 3840x2160 or more: PPM, or what Pillow reads')
    parser.add_argument('--out', required=True, type=pathlib.Path, help='the JSON file')
    parser.add_argument('--commit', help='the commit that was built, where there is no git checkout')
    arguments = parser.parse_args()

    programs = arguments.build / 'bench'
    result = machine(arguments.build, arguments.commit) | {'picture': arguments.picture.name, 'notes': NOTES}
    libraries = {}
    rows = kernels(programs, libraries)
    with tempfile.TemporaryDirectory() as folder:
        picture = as_ppm(arguments.picture, folder)
        rows += jpeg(programs, picture, folder) + jpeg2000(programs, picture, libraries)
    result |= {'libraries': libraries, 'rows': rows}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    # A row on a line.
    text = re.sub(r'\{\n\s+"operation"[^}]*\}', lambda m: re.sub(r'\n\s+', ' ', m.group()), text)
    arguments.out.write_text(text + '\n', encoding='utf-8')
    print(f'-- {arguments.out}: {len(rows)} rows')


if __name__ == '__main__':
    main()
