#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/images/performance.svg, filters.svg and medians.svg from the figures of ./run bench.

usage: chart.py [--check] [RESULTS.json [FOLDER]]

Without RESULTS.json the newest file of a GPU in docs/benchmarks is drawn, and without FOLDER into docs/images. --check writes
nothing and fails unless the charts are what the figures give.
"""

import argparse
import json
import pathlib
import sys
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = HERE.parent / 'docs' / 'images'
RESULTS = HERE.parent / 'docs' / 'benchmarks'

SIZES = ((3840, 2160), (1920, 1080))
ENCODERS = (  # of the JSON, in the chart, colour
    ('j2kenc', 'j2kenc', 'ours'),
    ('nvJPEG2000, Part 1', 'nvJPEG2000', 'peer'),
    ('nvJPEG2000, HT', 'nvJPEG2000 HT', 'other'),
    ('OpenJPEG', 'OpenJPEG, CPU', 'cpu'),
)
FILTERS = [('yuv2rgb', 'NV12 to RGB', ''), ('yuv2rgb', 'I420 to RGB', ''), ('rgb2yuv', 'RGB to NV12', ''),
           ('yuv2yuv', 'UYVY to NV12', ''), ('uyvy2y', 'UYVY to GRAY8', '')]
FILTERS += [(operation, layout, setting)
            for operation, setting in (('convolve', '3x3'), ('convolve', '5x5'), ('convolve', '7x7'),
                                       ('sepconvolve', 'Gaussian, sigma 2'))
            for layout in ('NV12', 'RGB')]
# Of each mask the formats that people have.
MASKS = [(operation, layout, setting)
         for operation, setting in (('convolve', '3x3'), ('convolve', '5x5'), ('convolve', '7x7'),
                                    ('convolve', '15x15'), ('convolve', '15x15 real'),
                                    *(('sepconvolve', f'Gaussian, sigma {sigma}') for sigma in (1, 2, 4, 7, 10)))
         for layout in ('NV12', 'RGB', 'RGBA', 'P010_10LE', 'GRAY16_LE')]
MEDIANS = [('median', layout, f'{window}x{window}') for window in (3, 5, 7, 9, 15, 31, 75)
           for layout in ('NV12', 'RGB', 'RGBA', 'P010_10LE', 'GRAY16_LE', 'GRAY8')]

WIDTH = 880
MARGIN = 18
LABELS = 168         # width of the column of names
COLUMN = (WIDTH - 2 * MARGIN - LABELS) // 2
NUMBERS = 82         # beside the longest bar
BAR, GAP, GROUP = 13, 3, 11

STYLE = '''
  text { font: 12px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .head { font-weight: 600; }
  .small { font-size: 11px; font-weight: 400; fill: #59636e; }
  .panel { fill: #ffffff; stroke: #d1d9e0; }
  .ours { fill: #1a7f37; } .peer { fill: #d1762b; } .other { fill: #b08800; } .cpu { fill: #6e7781; }
  .copy { stroke: #0969da; stroke-width: 2; }
  .cut { stroke: #ffffff; stroke-width: 3; }
  .axis { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; }
    .panel { fill: #0d1117; stroke: #3d444d; }
    .ours { fill: #3fb950; } .peer { fill: #f0883e; } .other { fill: #d4a72c; } .cpu { fill: #8b949e; }
    .copy { stroke: #58a6ff; } .cut { stroke: #0d1117; } .axis { stroke: #3d444d; }
  }
'''


def fail(text):
    sys.exit(f'chart.py: {text}')


def number(value):
    """Three digits, and not fewer than there are before the point."""
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


class Drawing:
    """Lines of SVG, from top to bottom."""

    def __init__(self):
        self.lines = []
        self.y = MARGIN

    def text(self, x, y, text, style='', anchor='', more=''):
        """more: after it, in small letters."""
        attributes = (f' class="{style}"' if style else '') + (f' text-anchor="{anchor}"' if anchor else '')
        more = f'<tspan class="small" dx="6">\u00b7 {escape(more)}</tspan>' if more else ''
        self.lines.append(f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(text)}{more}</text>')

    def bar(self, x, y, length, style, title):
        self.lines.append(f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{max(length, 1):.1f}" '
                          f'height="{BAR}"><title>{escape(title)}</title></rect>')

    def line(self, x1, y1, x2, y2, style):
        self.lines.append(f'<line class="{style}" x1="{x1:.1f}" y1="{y1:g}" x2="{x2:.1f}" y2="{y2:g}"/>')

    def key(self, x, y, style, text):
        if style == 'copy':
            self.line(x + 5, y - 10, x + 5, y + 1, 'copy')
        else:
            self.lines.append(f'<rect class="{style}" x="{x:g}" y="{y - 9:g}" width="10" height="10"/>')
        self.text(x + 15, y, text, 'small')

    def heading(self, title, keys, how):
        self.y += 18
        self.text(MARGIN, self.y, title, 'title')
        self.y += 18
        x = MARGIN
        for style, text in keys:
            self.key(x, self.y, style, text)
            x += 28 + 6.1 * len(text)
        self.text(WIDTH - MARGIN, self.y, how, 'small', 'end')
        self.y += 19
        for column, (width, height) in enumerate(SIZES):
            self.text(column_x(column), self.y, f'{width}×{height}', 'head')
        self.y += 8

    def svg(self, title, description):
        height = self.y + MARGIN
        return '\n'.join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
            f'viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="title description">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
            f'<style>{STYLE}</style>',
            f'<rect class="panel" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="6"/>',
            *self.lines, '</svg>', ''])


def column_x(column):
    return MARGIN + LABELS + column * COLUMN


def find(rows, **wanted):
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    if len(found) > 1:
        fail(f'{len(found)} rows have {wanted}')
    return found[0] if found else None


def encoders_of(rows, setting, width, height):
    """Of each encoder that has figures: names, style, frames a second, megabytes a frame, and how."""
    result = []
    for name, text, style in ENCODERS:
        found = [row for row in rows if (row['operation'], row['setting'], row['width'], row['height']) ==
                 ('j2kenc', setting, width, height) and (style == 'ours' or row.get('peer') == name)]
        if found:  # Our figures are in the row of each peer.
            who, size = ('ours', 'bytes') if style == 'ours' else ('peer', 'peer_bytes')
            row = found[0]
            result.append({'name': name, 'text': text, 'style': style, 'rate': 1e6 / row[f'{who}_us'],
                           'megabytes': row[size] / 1e6, 'alone_ms': row[f'{who}_alone_us'] / 1e3,
                           'in_flight': row[f'{who}_in_flight']})
    if not result:
        fail(f'there are no figures of JPEG 2000, {setting}, {width}x{height}')
    return result


def draw_jpeg2000(drawing, rows):
    settings = ('lossless', '2 bits per pixel')
    drawing.heading('JPEG 2000: frames per second',
                    [('ours', 'j2kenc'), ('peer', 'nvJPEG2000, Part 1'), ('other', 'nvJPEG2000, HT (Part 15)'),
                     ('cpu', 'OpenJPEG on the CPU')],
                    'longer is better')
    tables = [[encoders_of(rows, setting, *size) for size in SIZES] for setting in settings]
    for setting, table in zip(settings, tables):
        top = drawing.y + GROUP
        for i, entry in enumerate(table[0]):
            y = top + i * (BAR + GAP)
            drawing.text(MARGIN + LABELS - 10, y + BAR - 2, entry['text'], 'small', 'end')
        drawing.text(MARGIN, top + BAR - 2, setting, 'head')
        for column, entries in enumerate(table):
            # A scale for each size.
            room = (COLUMN - NUMBERS - 30) / max(entry['rate'] for t in tables for entry in t[column])
            for i, entry in enumerate(entries):
                y, rate = top + i * (BAR + GAP), entry['rate']
                drawing.bar(column_x(column), y, rate * room, entry['style'], f"{entry['text']}: {rate:.1f} frames/s")
                drawing.text(column_x(column) + max(rate * room, 1) + 5, y + BAR - 2,
                             number(rate), more=f"{number(entry['megabytes'])} MB")
        drawing.y = top + max(len(entries) for entries in table) * (BAR + GAP)


def draw_filters(drawing, rows, title, filters):
    drawing.heading(f'{title}: microseconds per frame',
                    [('ours', 'coalesce'), ('peer', 'NPP, its fastest function'),
                     ('copy', 'copy of as many bytes')], 'shorter is better')
    entries = []
    for operation, form, setting in filters:
        found = [find(rows, operation=operation, format=form, setting=setting, width=width, height=height)
                 for width, height in SIZES]
        if None in found:
            fail(f'there are no figures of {operation}, {form}, {setting}')
        entries.append((operation, form, setting, found))
    limits = [1.25 * max(max(found[column]['ours_us'], found[column]['copy_us']) for *_, found in entries)
              for column in range(2)]
    for operation, form, setting, found in entries:
        top = drawing.y + GROUP
        drawing.text(MARGIN, top + BAR - 2, f'{form}, {setting}'.rstrip(', ').replace('x', '×'))
        drawing.text(MARGIN, top + 2 * BAR + GAP - 2, operation, 'small')
        for column, row in enumerate(found):
            x, room = column_x(column), (COLUMN - NUMBERS) / limits[column]
            times = [('ours', 'coalesce', row['ours_us'])]
            if 'peer_us' in row:
                times.append(('peer', row['peer_function'], row['peer_us']))
            for i, (style, name, time) in enumerate(times):
                y = top + i * (BAR + GAP)
                cut = time > limits[column]
                length = min(time, limits[column]) * room
                drawing.bar(x, y, length, style, f'{name}: {time:.1f} µs')
                if cut:  # The bar goes on beyond the chart.
                    for back in 16, 10:
                        drawing.line(x + length - back - 4, y + BAR + 1, x + length - back + 4, y - 1, 'cut')
                drawing.text(x + length + 5, y + BAR - 2, number(time) + ' µs',
                             more='' if i else f"copy {number(row['copy_us'])}")
            at = x + row['copy_us'] * room
            drawing.line(at, top - 2, at, top + len(times) * (BAR + GAP), 'copy')
            if 'peer_us' not in row:
                none = form == 'UYVY to GRAY8'
                drawing.text(x, top + 2 * BAR + GAP - 1,
                             'NPP has no such function' if none else 'NPP was not measured', 'small')
        drawing.y = top + 2 * BAR + GAP


def equal_peers(rows):
    """A line about NPP's times that are no shorter for the smaller picture, which readers would ask about."""
    names = []
    for operation, form, setting in FILTERS:
        times = [find(rows, operation=operation, format=form, setting=setting, width=width, height=height).get('peer_us')
                 for width, height in SIZES]
        if None not in times and times[1] >= times[0]:
            names.append(f'{form} {setting}'.strip().replace('x', '×'))
    if not names:
        return []
    return [f"NPP's time for {', '.join(names)} is no shorter at 1920×1080, though a CUDA graph launches all runs. The cause "
            'was not measured.']


def named(figures, names):
    """Versions of these, as far as the figures have them."""
    versions = figures['libraries'] | figures.get('versions', {})
    return [f'{name} {versions[name]}' for name in names if name in versions]


def source(figures, *names):
    """On what, with which versions, and when."""
    versions = [f"driver {figures['driver']}", f"CUDA {figures['cuda']}", *named(figures, names)]
    return f"{figures['gpu']}, {', '.join(versions)}; {figures['date']}, commit {figures['commit'][:10]}."


def about(figures, *names):
    """The same, also of a machine without a GPU."""
    if figures.get('gpu'):
        return source(figures, *names)
    versions = [*figures['compilers'].values(), *named(figures, names)]
    return f"{figures['cpu']}, {figures['processors']} processors, {', '.join(versions)}; {figures['date']}, commit {figures['commit'][:10]}."


def sources(found, *names):
    """Of rows with their figures: what most are of, and what the others are."""
    by_commit = {}
    for row, figures in found:
        by_commit.setdefault(figures['commit'], []).append((row, figures))
    most, *others = sorted(by_commit.values(), key=len, reverse=True)
    texts = [about(most[0][1], *names)]
    for each in others:
        operations = {row['operation'] for row, _ in most}
        what = dict.fromkeys(row['format'] if row['operation'] in operations else f"`{row['operation']}`" for row, _ in each)
        texts.append(f"{', '.join(what)}: {about(each[0][1], *names)}")
    return texts


def footer(drawing, figures, rows, found, jpeg2000):
    lines = [
        f"JPEG 2000: {source(jpeg2000, 'nvJPEG2000', 'OpenJPEG')}",
        f"OpenJPEG on {jpeg2000['processors']} processors ({jpeg2000['cpu']}).",
        *(f'Conversion and filtering: {text}' if i == 0 else text.replace('`', '') for i, text in enumerate(sources(found, 'NPP'))),
        'JPEG 2000: 24 pieces of one photograph, RGB 4:4:4, 8 bits, 64×64 blocks; with the best number of frames at a '
        'time.',
        'MB: mean size of a frame. nvJPEG2000 has no target in bytes: one quantiser step gave its frames the same mean '
        'size.',
        'On the GPU: JPEG 2000 from device to host memory, filters within device memory, over more frames than the L2 '
        'cache holds.',
        "NPP's conversions to RGB repeat chroma; yuv2rgb interpolates it.",
        "NPP's only filter of two channels, for NV12's chroma, is the mask of floats: 13×13 for the Gaussian. "
        'A cut bar goes on.',
    ]
    lines += equal_peers(rows)
    lines += [note for note in figures['notes'] if note.startswith('Caution')]
    drawing.y += 12
    for line in lines:
        drawing.y += 15
        drawing.text(MARGIN, drawing.y, line, 'small')


def chart(figures, found):
    if 'NPP' not in figures['libraries']:
        fail('there are no figures of NPP')
    found = [pair for pair in found if any(pair[0]['operation'] == operation and pair[0]['format'] == form for operation, form, _ in FILTERS)]
    rows = [row for row, _ in found]
    jpeg2000 = with_peers(figures, 'nvJPEG2000', 'OpenJPEG')
    drawing = Drawing()
    drawing.y -= 8
    draw_jpeg2000(drawing, jpeg2000['rows'])
    drawing.y += 14
    draw_filters(drawing, rows, 'Conversion and filtering', FILTERS)
    footer(drawing, figures, rows, found, jpeg2000)
    return drawing.svg('Performance of gst-coalesce beside other libraries',
                       f"JPEG 2000 on {jpeg2000['gpu']}, conversion and filtering on {figures['gpu']}; "
                       'the numbers are in docs/benchmarks.')


def chart_of(figures, kind, names, filters):
    """A chart of what was measured of the filters. kind: of filters; names: of the elements."""
    measured = {(row['operation'], row['format'], row['setting']) for row in figures['rows']}
    drawing = Drawing()
    drawing.y -= 8
    draw_filters(drawing, figures['rows'], kind, [entry for entry in filters if entry in measured])
    drawing.y += 27
    drawing.text(MARGIN, drawing.y, source(figures, 'NPP') + ' A cut bar goes on.', 'small')
    return drawing.svg(f'Times of {names} beside NPP and a copy',
                       f"{kind} on several formats on {figures['gpu']}, {figures['date']}; "
                       'the numbers are in docs/benchmarks.')


CHARTS = {
    'performance.svg': chart,
    'filters.svg': lambda figures, _: chart_of(figures, 'Filters', 'convolve and sepconvolve', MASKS),
    'medians.svg': lambda figures, _: chart_of(figures, 'Medians', 'median', MEDIANS),
}


def read(results):
    return json.loads(results.read_text(encoding='utf-8'))


def files(has_gpu=True):
    """Those of figures of GPUs, or of CPUs; the newest one first. Those of --quick are of no page."""
    found = [(path, read(path)) for path in sorted(RESULTS.glob('*.json'), reverse=True)]
    return [path for path, figures in found if bool(figures.get('gpu')) == has_gpu and not figures.get('quick')]


def newest():
    """The file of GPUs whose kernels the pages have."""
    return next((path for path in files() if read(path)['rows']), None) or fail('docs/benchmarks has no figures of a GPU')


def newest_rows(name, wanted, has_gpu=True):
    """Rows of a list, and the figures each is of, of the newest day that has some. (What has changed since a run of all is measured again
    by itself, and taken out of the first file.)"""
    found = [(row, figures) for figures in map(read, files(has_gpu)) for row in figures.get(name, ()) if wanted(row)]
    newest_day = max((figures['date'] for _, figures in found), default=None)
    found = [(row, figures) for row, figures in found if figures['date'] == newest_day]
    of = {}
    for row, figures in found:
        what = tuple(row.get(key) for key in ('operation', 'format', 'setting', 'peer', 'width', 'height'))
        if of.setdefault(what, figures) is not figures:
            fail(f"two files of {newest_day} have {name} of {', '.join(str(each) for each in what)}: take it out of the older one")
    return found


def with_peers(figures, *libraries):
    """These figures, or if they lack one of these peers, the newest ones that have all."""
    for each in figures, *map(read, files()):
        if all(name in each['libraries'] for name in libraries):
            return each
    return fail(f"there are no figures of {', '.join(libraries)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('results', nargs='?', type=pathlib.Path)
    parser.add_argument('folder', nargs='?', type=pathlib.Path, default=IMAGES)
    arguments = parser.parse_args()
    results = arguments.results or newest()
    figures = read(results)
    found = [(row, figures) for row in figures['rows']] if arguments.results else newest_rows('rows', lambda row: True)
    for name, draw in CHARTS.items():
        text, path = draw(figures, found), arguments.folder / name
        if not arguments.check:
            path.write_text(text, encoding='utf-8')
        elif not path.exists() or path.read_text(encoding='utf-8') != text:
            fail(f'{path} is not what {results} gives: run bench/chart.py')


if __name__ == '__main__':
    main()
