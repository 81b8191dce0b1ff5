#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/ from the newest figures of a GPU in docs/benchmarks, which ./run bench measures,
and of deinterlace/quality.py in docs/benchmarks/deinterlacing.

usage: tables.py [--check]

A table NAME replaces the lines between <!-- bench/tables.py NAME --> and <!-- end of NAME --> in a
page. --check writes nothing and fails unless the pages have the tables that the figures give. Both fail if the text of
README.md or of a page in docs/ has a figure with a unit that is neither in docs/benchmarks nor in docs/lab.
"""

import json
import re
import sys

from chart import HERE, RESULTS, SIZES, encoders_of, newest, newest_rows, number, read, source, sources, with_peers

DOCS = HERE.parent / 'docs'
OPERATIONS = set(json.loads((DOCS / 'interface.json').read_text(encoding='utf-8'))['elements'])
PAGES = [DOCS / name for name in
         ('benchmarks.md', 'coalescedeinterlace.md', 'jpeg2000-performance.md')]


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head), *('| ' + ' | '.join(row) + ' |' for row in rows)]


def frame_times(names, *operations):
    """Of each operation and size: our time, its ratio to a copy, NPP's time. Nothing without figures."""
    head = [*names]
    for width, height in SIZES:
        head += [f'{width}×{height}', 'ratio', 'NPP']
    found = sorted(newest_rows('rows', lambda row: row['operation'] in operations), key=lambda pair: operations.index(pair[0]['operation']))
    lines = by_size(found, lambda row: [f"`{row['operation']}`", row['format'], row['setting'].replace('x', '×')][:len(names)],
                    lambda row: [number(row['ours_us']), f"{row['copy_us'] / row['ours_us']:.2f}", value(row, 'peer_us')] if row else ['–'] * 3)
    return [*table(head, lines), '', 'Times in µs. ' + ' '.join(sources(found, 'NPP'))] if lines else []


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


def by_size(found, first, cells, sizes=SIZES):
    """Lines of a table: what a row is, and for each size its cells."""
    lines = {}
    for row, _ in found:
        lines.setdefault(tuple(first(row)), {})[row['width'], row['height']] = row
    return [[*names, *(text for size in sizes for text in (cells(found[size]) if size in found else ['–'] * len(cells({}))))]
            for names, found in lines.items()]


def heads(first, cells, sizes=SIZES):
    return [*first, *(text for width, height in sizes for text in (f'{width}×{height}: {cells[0]}', *cells[1:]))]


def names_of(row):
    return [f"`{row['operation']}`", row['format'].replace(' to ', ' → '), re.sub(r'(\d)x(\d)', r'\1×\2', row['setting'])]


def value(row, name, scale=1):
    return number(scale * row[name]) if name in row else '–'


def with_spread(row, name, scale=1):
    """The median, and half of what lies between the quartiles as a part of it."""
    if name not in row or f'{name}_quartiles' not in row:
        return value(row, name, scale)
    low, high = row[f'{name}_quartiles']
    return f'{number(scale * row[name])} ±{50 * (high - low) / row[name]:.0f} %'


def rate(row, name):
    return number(1e6 / row[name]) if name in row else '–'


def cudaconvert(_):
    """Elements between CUDA memory beside GStreamer's."""
    found = newest_rows('elements', lambda row: row.get('peer', 'identity') != 'identity')
    lines = by_size(found, lambda row: [*names_of(row), *peer_of(row)], lambda row: [with_spread(row, 'ours_us'), with_spread(row, 'peer_us')])
    return [*table(heads(('element', 'formats', 'setting', 'peer'), ('ours', 'peer')), lines), '',
            'Times of a frame in µs. ' + ' '.join(sources(found, 'GStreamer'))] if found else []


def elements(_):
    """Every element between CUDA memory: how many frames, and how late one is."""
    found = newest_rows('elements', lambda row: 'ours_latency_us' in row and 'frames-in-flight' not in row['setting'])
    lines = by_size(found, names_of, lambda row: [rate(row, 'ours_us'), with_spread(row, 'ours_us'), value(row, 'ours_latency_us'),
                                                 value(row, 'ours_latency_us_p99')])
    return [*table(heads(('element', 'formats', 'setting'), ('frames/s', 'µs', 'latency', 'p99')), lines), '',
            'Times in µs. ' + ' '.join(sources(found, 'GStreamer'))] if found else []


def pushes(_):
    """What a frame costs the streaming thread."""
    found = newest_rows('elements', lambda row: 'ours_push_us' in row)
    sizes = [size for size in SIZES if any((row['width'], row['height']) == size for row, _ in found)]
    lines = by_size(found, names_of, lambda row: [with_spread(row, 'ours_push_us')], sizes)
    peers = [pair for pair in found if pair[0].get('peer') == 'identity']
    lines[:0] = by_size(peers, lambda row: ['`identity`', row['format'], ''], lambda row: [with_spread(row, 'peer_push_us')], sizes)
    return [*table(heads(('element', 'formats', 'setting'), ('µs',), sizes), lines), '', ' '.join(sources(found, 'GStreamer'))] if found else []


def peer_of(row):
    return [f"`{row['peer']}`" if 'peer' in row else '–']


def transfers(_):
    """Frames over the bus."""
    found = newest_rows('pipelines', lambda row: row['operation'] in ('upload', 'download', 'both ways'))
    lines = by_size(found, lambda row: [row['operation'], row['format'].replace(' to ', ' → '), row['setting'], *peer_of(row)],
                    lambda row: [with_spread(row, 'ours_us'), with_spread(row, 'peer_us')])
    return [*table(heads(('frames', 'formats', 'setting', 'peer'), ('ours', 'peer')), lines), '',
            'Times of a frame in µs. ' + ' '.join(sources(found, 'GStreamer'))] if found else []


def pipelines(_):
    """From system memory to system memory, on the GPU and on the CPU."""
    found = newest_rows('pipelines', lambda row: row['operation'] not in ('upload', 'download', 'both ways'))
    lines = by_size(found, lambda row: [*(names_of(row) if row['operation'] in OPERATIONS else [row['operation'], *names_of(row)[1:]]),
                                       *peer_of(row)],
                    lambda row: [rate(row, 'ours_us'), value(row, 'ours_latency_us', 1e-3), rate(row, 'peer_us'),
                                 value(row, 'peer_latency_us', 1e-3)], (SIZES[0],))
    return [*table(heads(('element or pipeline', 'formats', 'setting', 'peer'), ('frames/s', 'latency', 'peer: frames/s', 'latency'),
                         (SIZES[0],)), lines), '',
            'Latencies in ms. ' + ' '.join(sources(found, 'GStreamer'))] if found else []


def commands(_):
    """Whole programs: a table of a machine with a GPU, and one of a machine without."""
    lines = []
    for has_gpu in True, False:
        if found := newest_rows('commands', lambda row: True, has_gpu):
            rows = by_size(found, lambda row: [row['operation'], row['format'].replace(' to ', ' → '), row['setting'], *peer_of(row)],
                           lambda row: [with_spread(row, 'ours_us', 1e-3), with_spread(row, 'peer_us', 1e-3)])
            host = f", of a host with {found[0][1]['processors']} processors" if has_gpu else ''
            lines += [*table(heads(('what', 'formats', 'setting', 'peer'), ('ours', 'peer')), rows), '',
                      f'Times in ms{host}. ' + ' '.join(sources(found, 'FFmpeg', 'opj_compress', 'Grok')), '']
    return lines[:-1]


def element_j2kenc(_):
    """j2kenc through the element, by frames in flight."""
    found = newest_rows('elements', lambda row: 'frames-in-flight=' in row['setting'])
    lines = {}
    for row, _ in found:
        setting, count = row['setting'].split(', frames-in-flight=')
        lines.setdefault((f"{row['width']}×{row['height']}, {setting}",), {})[count] = f"{value(row, 'ours_us', 1e-3)} ({rate(row, 'ours_us')})"
    counts = sorted({count for cells in lines.values() for count in cells}, key=int)
    return [*table(['frames in flight', *counts], [[*names, *(cells.get(count, '–') for count in counts)] for names, cells in lines.items()]),
            '', 'Milliseconds a frame (frames/s). ' + ' '.join(sources(found))] if found else []


def beside_peers(name, *libraries):
    """Of the CPU: our times and a peer's, of the smaller size."""
    found = newest_rows(name, lambda row: row.get('peer', 'identity') != 'identity' and (row['width'], row['height']) == SIZES[1] and
                        'ours_us' in row, has_gpu=False)
    lines = [[*names_of(row), with_spread(row, 'ours_us', 1e-3), f"`{row['peer']}`", with_spread(row, 'peer_us', 1e-3),
              f"{row['peer_us'] / row['ours_us']:.2f}"] for row, _ in found]
    return [*table(['element', 'formats', 'setting', 'ours', 'peer', 'its time', 'ratio'], lines), '',
            'Times in ms, 1920×1080. ' + ' '.join(sources(found, *libraries))] if found else []


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
    'conversion': lambda _: frame_times(('element', 'formats'), 'rgb2yuv', 'yuv2rgb', 'yuv2yuv', 'uyvy2y'),
    'deinterlace': lambda _: frame_times(('element', 'format', 'method'), 'coalescedeinterlace'),
    'filters': lambda figures: filters(figures, 'convolve', 'sepconvolve'),
    'blurs': lambda figures: filters(figures, 'sepconvolve preset=blur'),
    'medians': lambda figures: filters(figures, 'median'),
    'edges': lambda _: frame_times(('element', 'format', 'setting'), 'canny', 'bilateral', 'linedetect', 'cartoon', 'oilpaint'),
    'cameras': cameras,
    'cudaconvert': cudaconvert,
    'elements': elements,
    'pushes': pushes,
    'transfers': transfers,
    'pipelines': pipelines,
    'commands': commands,
    'element_j2kenc': element_j2kenc,
    'on_cpu': lambda _: beside_peers('rows', 'OpenCV', 'OpenJPEG', 'GStreamer'),
    'elements_on_cpu': lambda _: beside_peers('elements', 'GStreamer'),
    'jpeg': jpeg,
    'jpeg2000': jpeg2000,
}


FIGURE = re.compile(r'(\d[\d,.]*\d|\d)(?: to (\d[\d,.]*\d|\d))?\s*(µs|ms|frames/s|GB/s|times as fast)\b')
# In the text of pages, and neither in docs/benchmarks nor in the lab as they are here.
ELSEWHERE = {
    ('architecture.md', '32 ms'): 'a period in the code',
    ('convolve.md', '6.416 ms'): 'of the lecture, which the page names',
    ('jpeg2000-performance.md', '46 µs'): 'bytes of the page at the speed of a copy',
    ('jpeg2000-performance.md', '0.49 ms'): 'of a table of the lab that has the unit in its head',
}


def parts(match):
    """Number and unit of a figure, or of both ends of a range."""
    return [(one, match.group(3)) for one in match.groups()[:2] if one]


def measured():
    """All numbers of docs/benchmarks and of the lab, and those of the lab with their units."""
    lab = '\n'.join(path.read_text(encoding='utf-8') for path in (DOCS / 'lab').glob('*.md'))
    numbers = set(re.findall(r'\d[\d,.]*\d|\d', lab))
    for path in RESULTS.glob('*.json'):
        values = [value for rows in read(path).values() if isinstance(rows, list) for row in rows if isinstance(row, dict)
                  for value in row.values() if isinstance(value, float)]
        numbers |= {number(scale * value) for value in values for scale in (1, 1e-3)}
    return numbers, {part for match in FIGURE.finditer(lab) for part in parts(match)}


def unknown_figures():
    """Figures with a unit in the text of pages, and in tables that no script writes, that were never measured."""
    numbers, with_units = measured()
    left, unknown = dict(ELSEWHERE), []
    for page in (HERE.parent / 'README.md', *sorted(DOCS.glob('*.md'))):
        text = re.sub(r'<!-- (?:fleet/)?bench/\S+ (\w+) -->\n.*?<!-- end of \1 -->', '', page.read_text(encoding='utf-8'), flags=re.DOTALL)
        for match in FIGURE.finditer(re.sub(r'(?ms)^(```+).*?^\1', '', text)):
            # Few digits are in any text.
            known = [one in numbers if len(re.sub(r'\D', '', one).lstrip('0')) > 2 else (one, unit) in with_units
                     for one, unit in parts(match)]
            if left.pop((page.name, match.group()), None) is None and (page.name, match.group()) not in ELSEWHERE and not all(known):
                unknown.append(f'{page.name}: {match.group()}')
    return unknown + [f'{page}: {figure} is not there, so ELSEWHERE need not have it' for page, figure in left]


def main():
    if sys.argv[1:] not in ([], ['--check']):
        sys.exit(__doc__)
    results = newest()
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
    unknown = unknown_figures()
    if unknown:
        sys.exit('tables.py: neither in docs/benchmarks nor in docs/lab: ' + '; '.join(unknown))
    if missing:
        sys.exit(f"tables.py: no page has a place for {', '.join(sorted(missing))}")


if __name__ == '__main__':
    main()
