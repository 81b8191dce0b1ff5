#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/fleet.md and docs/lab/fleet.md, and draws docs/images/fleet.svg, from results/ and docs/benchmarks.

usage: page.py [--check]

A table NAME replaces the lines between <!-- fleet/bench/page.py NAME --> and <!-- end of NAME -->. --check writes
nothing, and fails unless page and chart are what the figures give.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / 'bench'))
import chart  # noqa: E402
from chart import BAR, GAP, MARGIN, WIDTH, Drawing, number  # noqa: E402

PAGES, IMAGE = [ROOT / 'docs' / name for name in ('fleet.md', 'lab/fleet.md')], ROOT / 'docs' / 'images' / 'fleet.svg'
# Assumptions of the cost table: the processor's 280 W of 64 cores; an H100's or H200's limit.
CORE_WATTS, GPU_WATTS = 280 / 64, 700
LABELS = 150


def read(name):
    path = HERE / 'results' / f'{name}.json'
    return json.loads(path.read_text(encoding='utf-8')) if path.exists() else None


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head), *('| ' + ' | '.join(map(str, row)) + ' |' for row in rows)]


def size(value):
    for unit, factor in ('TB', 1e12), ('GB', 1e9), ('MB', 1e6), ('kB', 1e3):
        if value >= factor:
            return f'{number(value / factor)} {unit}'
    return f'{value:.0f} B'


UNITS = {'_bytes_s': lambda value: f'{size(value)}/s', '_bytes_frame': lambda value: f'{size(value)} a frame', '_bytes': size,
         '_frames_s': lambda value: f'{number(value)} frames/s', '_frames': lambda value: f'{value:,} frames',
         '_operations_s': lambda value: f'{value:,.0f}/s', '_seconds': lambda value: f'{value:.2f} s', '_s': lambda value: f'{value:.2f} s'}


def quantity(name, value):
    """What it is and its value with the unit, both by the end of its name in the results."""
    for end, show in UNITS.items():
        if name.endswith(end):
            return name.removesuffix(end).replace('_', ' '), show(value)
    return name.replace('_', ' '), f'{value:g}'


def simulation():
    figures = read('simulation')
    rows = []
    for row in figures['rows']:
        rows.append([row['nodes'], row['slots'], 'yes' if row['faults'] else 'no', row['segments'], number(row['tasks_s']),
                     f"{row['efficiency']:.2f}", number(row['lost_s']) + ' s', row['retries'],
                     f"{number(row['driver_cpu_ms_a_segment'])} ms", f"{row['driver_memory_mb']} MB",
                     '–' if row['object_store_mb'] is None else f"{row['object_store_mb']} MB"])
    return [*table(['nodes', 'slots', 'faults', 'segments', 'tasks/s', 'efficiency', 'lost', 'retries',
                    'driver, CPU a segment', 'driver, memory', 'object stores'], rows), '',
            f"Ray {figures['ray']} on {figures['cores']} cores ({figures['cpu']}), {figures['date']}."]


def scale():
    lines = []
    for name in 'scale-4', 'scale', 'scale-2':
        figures = read(name)
        rows = [[row['source'], f"`{row['setting']}`", row['devices'], row['per_device'], number(row['frames_s']),
                 '–' if row['efficiency'] is None else f"{row['efficiency']:.2f}", size(row['frame_bytes']), f"{row['start_s']:.1f} s",
                 number(row['cpu_cores_busy'])] for row in figures['rows']]
        machine = figures['machine']
        lines += [*table(['source', 'setting', 'devices', 'processes on each', 'frames/s', 'efficiency', 'a frame', 'start', 'cores busy'],
                         rows), '', f"{figures['size']}, {figures['format']}; {machine['devices']} × {machine['device']}, {machine['cores']} "
                  f"cores ({machine['cpu']}), GStreamer {machine['gstreamer']}, {figures['date']}.", '']
    return lines[:-1]


def whole():
    lines = []
    for name in 'scale', 'scale-4':
        figures = read(name)
        rows = [[row['devices'], row['per_device'], row['segment_frames'], row['segments'], number(row['frames_s']), rate(row),
                 f"{row['seconds']:.1f} s", f"{row['start_s']:.1f} s", seconds(row['cut_s']), f"{row['segment_s']:.1f} s",
                 f"{row['last_segment_s']:.1f} s", f"{row['finish_s']:.1f} s", number(row['cpu_cores_busy'])] for row in figures['fleet']]
        one = figures['fleet'][0]
        lines += [*table(['devices', 'processes on each', 'frames of a segment', 'segments', 'frames/s', 'rate', 'time', 'start', 'cut',
                          'a segment', 'last segment', 'finishing', 'cores busy'], rows), '',
                  f"{one['items']} items of {one['frames'] // one['items']:,} frames for each device, {figures['size']}, H.264 to 2 bits per "
                  f"pixel in MXF. Files on {figures['machine']['work']}; {figures['machine']['devices']} × "
                  f"{figures['machine']['device']}, {figures['machine']['cores']} cores, {figures['date']}.", '']
    return [*lines, "Start and cut: seconds until the first frame, of a process's first segment and of the others. Rate: of encoding, once "
            'all processes run; where a process has fewer than three segments it is left out. The last segment ends so long after the '
            'command began. Finishing: from the last segment of an item to its output.']


def rate(row):
    """Frames/s, of at least three segments in a process."""
    return number(row['rate_frames_s']) if row['rate_frames_s'] and row['segments'] >= 3 * row['processes'] else '–'


def seconds(value):
    return '–' if value is None else f'{value:.2f} s'


def stay():
    """The lab's: processes that end with their segment, and that stay."""
    rows = []
    for name, way in ('scale-2', 'ends with its segment'), ('scale', 'stays'):
        figures = read(name)
        for row in figures['fleet']:
            rows.append([way, row['devices'], row['per_device'], row['segment_frames'], f"{row['frames']:,}", number(row['frames_s']),
                         f"{row['seconds']:.1f} s", f"{row['start_s']:.1f} s", seconds(row.get('cut_s')), f"{row['segment_s']:.1f} s",
                         f"{row['finish_s']:.1f} s"])
    return table(['a process', 'devices', 'processes on each', 'frames of a segment', 'frames', 'frames/s', 'time', 'start', 'cut',
                  'a segment', 'finishing'], rows)


def limits():
    return table(['limit', 'value'], [quantity(*limit) for limit in read('scale')['limits'].items()])


def segments():
    model = read('model')
    rows = [[row['setting'], f"{row['frames']:,}", f"{row['gpu_s']:.2f} s", size(row['bytes']),
             *(f'{value:.2f}' for value in row['share'])] for row in model['segments']]
    rows += [[setting, 'uncut', '–', '–', *(f'{value:.2f}' for value in shares)] for setting, shares in model['uncut'].items()]
    rows.sort(key=lambda row: row[0])
    least = ', '.join(f'{frames:,} ({setting})' for setting, frames in model['least_frames'].items())
    checked = '; '.join(f"{row['per_device']} processes, {row['segment_frames']} frames: {row['modelled_frames_s']} frames/s by the model, "
                        f"{number(row['rate_frames_s'])} measured" for row in model['checked'])
    return [*table(['setting', 'frames of a segment', 'of the GPU', 'bytes', *counted(model)], rows), '',
            f"{model['gpu']}; H.264, which takes {model['own_ms']} ms of a frame outside the encoder; {model['cut_s']} s of a segment beside "
            f"its frames. {checked}. {model['processes']} processes reach 0.95 of the rate without cuts from this number of frames: {least}."]


def counted(model):
    return [f"{count} process{'es' if count > 1 else ''}" for count in model['shown']]


def model():
    figures = read('model')
    rows = [[row['setting'], f"{row['gpus']:,}", f"{row['frames_s']:,}", f"{row['segment_frames']:,}", number(row['segments_s']),
             f"{row['driver_cores']:.2f}", size(row['journal_bytes_s']), f"{row['operations_s']:,}", size(row['output_bytes_s']),
             size(row['storage_bytes_s']), f"{row['first_limit'][0]}: {row['first_limit'][1]:.2f}"] for row in figures['rows']]
    return table(['setting', 'GPUs', 'frames/s', 'frames of a segment', 'segments/s', "driver's cores", 'journal /s',
                  'metadata operations /s', 'output /s', 'storage traffic /s', 'used most, of what there is'], rows)


def holds():
    figures, driver = read('model'), read('driver')
    last = [row for row in figures['rows'] if row['gpus'] == 1000][0]
    many = driver['rows'][-1]
    rows = [
        ["driver, an item that is done or waits", size(driver['item_bytes'])],
        ['driver, 100,000 hours in items of an hour', size(last['driver_item_bytes_100000_h'])],
        [f"driver, loop with {many['slots']:,} slots", f"{many['cpu_ms']:.2f} ms of CPU a segment"],
        ['driver, what Ray adds', f"{figures['ray_ms']:.2f} ms of CPU a segment"],
        ['journal, a segment', size(driver['rows'][0]['journal_bytes_segment'])],
        ['journal, 100,000 hours', size(last['journal_bytes_100000_h'])],
        [f"messages under way, {1000 * figures['processes']:,} slots", size(last['ray_bytes'])],
        ['object store', 'nothing: paths and results travel in the messages'],
        ['finishing an output', f"{size(figures['finish_bytes_s'])}/s"],
        *([f"joins at once, for a GPU, {row['setting']}", number(row['joins_at_once_a_gpu'])]
          for row in figures['rows'] if row['gpus'] == 1),
        *([f"joining of an hour, {row['setting']}", f"{row['join_s_of_an_item']:,} s"] for row in figures['rows'] if row['gpus'] == 1),
    ]
    return table(['what', 'size or time'], rows)


def assumptions():
    figures = read('model')
    return table(['assumption', 'value'], [[entry['what'], quantity(name, entry['value'])[1]] for name, entry in figures['assumed'].items()])


def costs():
    figures = read('costs')
    gpus = {}
    for path in sorted((ROOT / 'docs' / 'benchmarks').glob('*.json')):
        gpu = json.loads(path.read_text(encoding='utf-8'))
        for row in gpu['rows'] if gpu.get('gpu') else ():
            if row['operation'] == 'j2kenc' and f"{row['width']}x{row['height']}" == figures['size']:
                gpus[gpu['gpu'], row['setting']] = row, gpu['date']
    rows = []
    for setting in 'lossless', '2 bits per pixel':
        best = max(1e6 / row['ours_us'] for (_, one), (row, _) in gpus.items() if one == setting)
        for (name, one), (row, date) in sorted(gpus.items()):
            if one == setting:
                rate = 1e6 / row['ours_us']
                rows.append([setting, f'j2kenc, {name}', size(row['bytes']), f'{1e3 / rate:.2f} ms', f'{3600 * rate:,.0f}',
                             f'{3.6e6 * rate / GPU_WATTS:,.0f}', '–'])
        for row in figures['rows']:
            if row['setting'] == setting and row['threads'] == 1:
                rows.append([setting, row['encoder'], size(row['bytes']), f"{1e3 * row['cpu_s']:,.0f} ms", f"{3600 / row['cpu_s']:,.0f}",
                             f"{3.6e6 / (row['cpu_s'] * CORE_WATTS):,.0f}", f"{best * row['cpu_s']:,.0f}"])
    versions = ', '.join(f"{name} {re.sub(r'[^0-9.]', '', text)}" for name, text in figures['versions'].items())
    return [*table(['setting', 'encoder', 'a frame', 'time of a GPU or core', 'frames an hour', 'frames a kWh', 'cores that equal the fastest GPU'],
                   rows), '',
            f"{figures['size']}, RGB. GPUs: [the benchmarks](jpeg2000-performance.md), at an assumed {GPU_WATTS} W, their limit, host not "
            f"counted. CPU: one core, {figures['cpu']}, {figures['date']}, {versions}; an assumed {CORE_WATTS:.1f} W a core (280 W of 64 "
            'cores).']


TABLES = {function.__name__: function for function in (simulation, scale, whole, limits, segments, model, holds, assumptions, costs, stay)}


def page(text):
    for name, make in TABLES.items():
        begin, end = f'<!-- fleet/bench/page.py {name} -->', f'<!-- end of {name} -->'
        if begin in text:
            before, rest = text.split(begin)
            text = before + '\n'.join([begin, '', *make(), '', end]) + rest.split(end)[1]
    return text


def bars(drawing, x, width, title, labels, groups):
    """groups: style, name, values from 0 to 1, or None."""
    top = drawing.y
    drawing.text(x, top + 14, title, 'head')
    y = top + 26
    key = x
    for style, name, _ in groups:
        drawing.key(key, y + 10, style, name)
        key += 28 + 6.1 * len(name)
    y += 22
    for place, label in enumerate(labels):
        drawing.text(x + LABELS - 10, y + (BAR + GAP) * len(groups) / 2 + 4, label, 'small', 'end')
        for style, name, values in groups:
            if values[place] is not None:
                drawing.bar(x + LABELS, y, values[place] * (width - LABELS - 50), style, f'{label}, {name}: {values[place]:.2f}')
                drawing.text(x + LABELS + values[place] * (width - LABELS - 50) + 5, y + BAR - 2, f'{values[place]:.2f}', 'small')
            y += BAR + GAP
        y += 6
    return y


def draw():
    figures, shares = read('simulation'), read('model')
    drawing, half = Drawing(), (WIDTH - 3 * MARGIN) // 2
    nodes = sorted({row['nodes'] for row in figures['rows']})
    by = {(row['nodes'], row['faults']): row['efficiency'] for row in figures['rows']}
    left = bars(drawing, MARGIN, half, 'Simulated cluster: useful share of the slots', [f"{count} node{'s' if count > 1 else ''}" for count in nodes],
                [('ours', 'without faults', [by.get((count, False)) for count in nodes]),
                 ('peer', 'a node killed, slow nodes', [by.get((count, True)) for count in nodes])])
    rows = [row for row in shares['segments'] if row['setting'] == '2 bits per pixel']
    right = bars(drawing, 2 * MARGIN + half, half, "Model: share of the time a GPU's encoder works",
                 [f"{row['frames']:,} frames" for row in rows],
                 [(style, name, [row['share'][place] for row in rows]) for place, (style, name) in
                  enumerate(zip(('cpu', 'other', 'ours'), counted(shares)))])
    drawing.y = max(left, right) + 14
    for line in (f"Left: Ray {figures['ray']}, all nodes on {figures['cores']} cores, {figures['date']}; GPUs are waited for.",
                 f"Right: segments of 3840×2160 at 2 bits per pixel; {shares['gpu']}; H.264; {shares['cut_s']} s a cut."):
        drawing.text(MARGIN, drawing.y, line, 'small')
        drawing.y += 15
    return drawing.svg('Efficiency of coalesce-fleet', 'By the number of nodes, and by the length of segments.')


def main():
    check = sys.argv[1:] == ['--check']
    failed = 0
    for path, text in *((path, page(path.read_text(encoding='utf-8'))) for path in PAGES), (IMAGE, draw()):
        if not check:
            path.write_text(text, encoding='utf-8')
        elif not path.exists() or path.read_text(encoding='utf-8') != text:
            print(f'page.py: {path} is not what the figures give: run fleet/bench/page.py', file=sys.stderr)
            failed = 1
    return failed


if __name__ == '__main__':
    chart.fail = lambda text: sys.exit(f'page.py: {text}')
    sys.exit(main())
