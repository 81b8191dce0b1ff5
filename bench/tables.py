#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/ from the newest figures of a GPU in docs/benchmarks, which ./run bench measures,
and of deinterlace/quality.py in docs/benchmarks/deinterlacing.

usage: tables.py [--check]

A table NAME replaces the lines between <!-- bench/tables.py NAME --> and <!-- end of NAME --> in a
page. --check writes nothing and fails unless the pages have the tables that the figures give.
"""

import re
import sys

from chart import HERE, RESULTS, SIZES, encoders_of, files, number, read, source, with_peers

PAGES = [HERE.parent / 'docs' / name for name in
         ('benchmarks.md', 'coalescedeinterlace.md', 'jpeg2000-performance.md')]


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head), *('| ' + ' | '.join(row) + ' |' for row in rows)]


def frame_times(figures, names, *operations):
    """Of each operation and size: our time, its ratio to a copy, NPP's time. Nothing without figures."""
    head = [*names]
    for width, height in SIZES:
        head += [f'{width}×{height}', 'ratio', 'NPP']
    rows = {}
    for row in figures['rows']:
        if row['operation'] in operations:
            rows.setdefault((row['operation'], row['format'], row['setting']), {})[row['width'], row['height']] = row
    lines = []
    for (operation, form, setting), sizes in rows.items():
        line = [f'`{operation}`', form, setting.replace('x', '×')][:len(names)]
        for size in SIZES:
            row = sizes[size]
            line += [number(row['ours_us']), f"{row['copy_us'] / row['ours_us']:.2f}",
                     number(row['peer_us']) if 'peer_us' in row else '–']
        lines.append(line)
    if not lines:
        return []
    return [*table(head, lines), '', 'Times in µs. ' + source(figures, 'NPP')]


def filters(figures, *operations):
    """Of each size a table: formats down, masks across, our time as a multiple of a copy's, and NPP's."""
    rows = [row for row in figures['rows'] if row['operation'] in operations]
    if not rows:
        return []
    masks = sorted(dict.fromkeys(row['setting'] for row in rows),
                   key=lambda mask: ('Gaussian' in mask, [int(size) for size in re.findall(r'\d+', mask)]))
    formats = list(dict.fromkeys(row['format'] for row in rows))
    lines = []
    for width, height in SIZES:
        cells = {(row['format'], row['setting']): row for row in rows if (row['width'], row['height']) == (width, height)}

        def cell(form, mask):
            row = cells.get((form, mask))
            if row is None:
                return ''
            peer = f"; {number(row['peer_us'])}" if 'peer_us' in row else ''
            return f"{number(row['ours_us'])} ({row['ours_us'] / row['copy_us']:.1f}{peer})"

        copies = {form: number(next(row['copy_us'] for (f, _), row in cells.items() if f == form)) for form in formats}
        head = [f'{width}×{height}', 'copy', *(mask.replace('x', '×').replace('Gaussian, ', '') for mask in masks)]
        lines += [*table(head, [[form, copies[form], *(cell(form, mask) for mask in masks)] for form in formats]), '']
    peers = any('peer_us' in row for row in rows)
    note = ', and the time of the fastest function of NPP. ' if peers else '. '
    return [*lines, 'Times in µs; in brackets the multiple of the copy' + note +
            source(figures, *(['NPP'] if peers else []))]


def jpeg2000(figures):
    """Of each size, rate and encoder: bytes and times."""
    figures = with_peers(figures, 'nvJPEG2000', 'OpenJPEG')
    units = {'ours': 'slots', 'cpu': 'threads'}
    lines = [[f'{width}×{height}, {setting}', e['name'], f"{number(e['megabytes'])} MB", f"{number(e['alone_ms'])} ms",
              f"{number(e['rate'])} frames/s ({e['in_flight']} {units.get(e['style'], 'streams')})"]
             for width, height in SIZES for setting in ('lossless', '2 bits per pixel')
             for e in encoders_of(figures['rows'], setting, width, height)]
    return [*table(['frames', 'encoder', 'mean bytes of a frame', 'alone', 'sustained'], lines), '',
            source(figures, 'nvJPEG2000', 'OpenJPEG')]


def jpeg(figures):
    """Of each size and input: our times and each peer's."""
    lines = [[f"`{row['operation']}`", f"{row['width']}×{row['height']}", row['format'],
              *(f"{number(row[who + '_alone_us'] / 1e3)}; {number(row[who + '_us'] / 1e3)} ({row[who + '_in_flight']})"
                if who + '_us' in row else '–' for who in ('ours', 'peer')), row.get('peer', '–')]
             for row in figures['rows'] if row['operation'].startswith('coalescejpeg')]
    if not lines:
        return []
    return [*table(['element', 'frames', 'file', 'ours', 'peer', 'which'], lines), '',
            'Milliseconds of a frame, alone; sustained (frames in flight, streams). ' + source(figures)]


def cameras(figures):
    """Of each method and size: our time, frames a second, libSGM's time."""
    rows = {}
    for row in figures['rows']:
        if row['operation'] in ('stereodisparity', 'multiview'):
            rows.setdefault((row['operation'], row['setting']), {})[row['width'], row['height']] = row
    head = ['element', 'setting']
    for width, height in SIZES:
        head += [f'{width}×{height}, ms', 'frames/s', 'libSGM, ms']
    lines = [[f'`{operation}`', setting.replace('x', '×'),
              *(text for size in SIZES for text in (number(sizes[size]['ours_us'] / 1e3), number(1e6 / sizes[size]['ours_us']),
                                                    number(sizes[size]['peer_us'] / 1e3) if 'peer_us' in sizes[size] else '–'))]
             for (operation, setting), sizes in rows.items()]
    return [*table(head, lines), '', source(figures, 'libSGM')] if lines else []


def deinterlacing(_):
    """Of each method the mean PSNR and SSIM of the clips that were filmed, and of those of a photograph."""
    results = max((RESULTS / 'deinterlacing').glob('*.json'))
    figures = read(results)
    groups = [[clip['scores'] for clip in figures['clips'] if clip['filmed'] == filmed] for filmed in (True, False)]

    def mean(group, method, score):
        return sum(scores[method][score] for scores in group) / len(group)

    methods = sorted(groups[0][0], key=lambda method: -mean(groups[0], method, 'psnr'))
    lines = [[f'`{method.split()[1]}`', method.split()[0],
              *(text for group in groups for text in (f"{mean(group, method, 'psnr'):.2f}",
                                                      f"{mean(group, method, 'ssim'):.4f}"))] for method in methods]
    head = ['method', 'of', 'filmed: PSNR, dB', 'SSIM', 'photograph: PSNR, dB', 'SSIM']
    versions = ' and '.join(f'{name} {version}' for name, version in figures['versions'].items())
    return [*table(head, lines), '', f'{len(groups[0])} filmed clips, {len(groups[1])} of a photograph; {versions}; '
            f'{results.stem}.']


TABLES = {
    'deinterlacing': deinterlacing,
    'conversion': lambda figures: frame_times(figures, ('element', 'formats'), 'rgb2yuv', 'yuv2rgb', 'yuv2yuv', 'uyvy2y'),
    'deinterlace': lambda figures: frame_times(figures, ('element', 'format', 'method'), 'coalescedeinterlace'),
    'filters': lambda figures: filters(figures, 'convolve', 'sepconvolve'),
    'blurs': lambda figures: filters(figures, 'sepconvolve preset=blur'),
    'medians': lambda figures: filters(figures, 'median'),
    'edges': lambda figures: frame_times(figures, ('element', 'format', 'setting'), 'canny', 'bilateral',
                                         'linedetect', 'cartoon', 'oilpaint'),
    'cameras': cameras,
    'jpeg': jpeg,
    'jpeg2000': jpeg2000,
}


def main():
    if sys.argv[1:] not in ([], ['--check']):
        sys.exit(__doc__)
    results = files()[0]
    figures = read(results)
    missing = set(TABLES)

    def replaced(match):
        name = match.group(1)
        missing.discard(name)
        lines = TABLES[name](figures)
        return '\n'.join([f'<!-- bench/tables.py {name} -->', *(['', *lines, ''] if lines else []),
                          f'<!-- end of {name} -->'])

    for page in PAGES:
        text = page.read_text(encoding='utf-8')
        new = re.sub(r'<!-- bench/tables\.py (\w+) -->\n.*?<!-- end of \1 -->', replaced, text, flags=re.DOTALL)
        if not sys.argv[1:]:
            page.write_text(new, encoding='utf-8')
        elif new != text:
            sys.exit(f'tables.py: {page} has other tables than {results} gives: run bench/tables.py')
    if missing:
        sys.exit(f"tables.py: no page has a place for {', '.join(sorted(missing))}")


if __name__ == '__main__':
    main()
