# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layers of elements and pipelines, by bench-pipeline: the time of a frame, the latency of one at a time, and between
CUDA memory the time of a push."""

import re

from figures import figure, percentile, rounded
from programs import Failed
from rows import CUDA, SIZES, formats_of, name_of
from steps import Step, beside

START = 0.7  # seconds of a process, without its measurements
CODED = {'JPEG': 'image/jpeg', 'JPEG 2000': 'image/x-jpc'}
SMALL = (640, 480)
SLOW_ON_CPU = ('stereodisparity', 'multiview')


def caps_of(form, memory, size=None, interlaced=False):
    if form in CODED:
        return CODED[form]
    text = f"{CUDA if memory == 'CUDA' else 'video/x-raw'},format={form}"
    if size:
        text += f',width={size[0]},height={size[1]},framerate=25/1'
    return text + (',interlace-mode=interleaved,field-order=top-field-first' if interlaced else '')


def cameras_file(folder, count):
    """Cameras side by side, for frames of any size."""
    path = folder / 'cameras.txt'
    lines = []
    for i in range(count):
        lines += ['1000 0 960 0' if i == 0 else f'1000 0 960 {-100000 * i}', '0 1000 540 0', '0 0 1 0']
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    return path


class Elements:
    def __init__(self, run):
        self.run = run
        self.rows = {'element': [], 'pipeline': []}

    def steps(self, rows):
        for row in rows:
            memory = self.memory_of(row)
            if memory is None:
                continue
            ways = self.ways(row, memory)
            if not ways:
                continue
            for size in self.sizes_of(row):
                yield Step(row.layer, f'{row.layer}: {name_of(row)} {size[0]}x{size[1]}',
                           START + 1.9 * self.run.seconds * len(ways),
                           lambda row=row, size=size, memory=memory, ways=ways: self.measure(row, size, memory, ways))

    def sizes_of(self, row):
        sizes = [size for size in self.run.sizes if size in row.sizes or size not in SIZES]
        if not self.run.gpu and row.operation in SLOW_ON_CPU:
            sizes = dict.fromkeys(min(size, SMALL) for size in sizes)
        return sizes

    def memory_of(self, row):
        """Of what goes in and what comes out; None: the row needs a GPU."""
        if row.memory:
            return row.memory if self.run.gpu else None
        return ('CUDA', 'CUDA') if self.run.gpu and row.layer == 'element' else ('system', 'system')

    def ways(self, row, memory):
        """Names and elements: ours first, then peers. Peers on the CPU are measured where all memory is the system's."""
        def text(line, backend):
            cuda = f' ! {CUDA}' if backend == 'cuda' else ''
            return line.replace('{b}', f'backend={backend}').replace('{cuda}', cuda).replace(
                '{cameras}', str(self.run.cameras)).replace('{threads}', str(self.run.threads))

        system, ways = memory == ('system', 'system'), {}
        if row.element:
            line = row.element if self.run.gpu else row.element.replace(f' ! {CUDA}', '')
            ways['coalesce'] = text(line, 'cuda' if self.run.gpu else 'cpu')
        if self.run.gpu:
            ways |= {name: text(line, 'cuda') for name, line in row.gpu_peers.items()}
            if system and row.cpu_peers and row.element and row.layer == 'pipeline':
                ways['coalesce, CPU'] = text(row.element.replace(f' ! {CUDA}', ''), 'cpu')
        if system:
            ways |= {name: text(line, 'cpu') for name, line in row.cpu_peers.items()}
        return ways

    def measure(self, row, size, memory, ways):
        before, after = formats_of(row)
        if before == 'JPEG':  # a decoder's output ends in the memory
            arguments = ['--in', caps_of('I420', 'system', size), '--prepare', f'{row.prepare} backend=cpu']
        else:
            interlaced = 'mode=interlaced' in row.element
            arguments = ['--in', caps_of(before, memory[0], size, interlaced)]
        arguments += ['--out', row.out or caps_of(after, memory[1]), '--inputs', str(row.inputs), '--seconds', f'{self.run.seconds:.2f}',
                      '--picture', str(self.run.picture)]
        if row.own_memory:
            arguments.append('--own-memory')
        if memory == ('system', 'CUDA'):
            arguments.append('--look')
        for name, line in ways.items():
            arguments += [name, line]
        found = self.run.programs.run('bench-pipeline', arguments)
        self.run.libraries['GStreamer'] = found['GStreamer'].removeprefix('GStreamer ')
        base = {'operation': row.operation, 'format': row.format, 'setting': row.setting, 'width': size[0], 'height': size[1],
                'memory': ' to '.join(dict.fromkeys(memory))}
        ours, peers = {}, {}
        for way in found['rows']:
            if 'error' in way:
                self.refused(way, row)
            elif way['way'] == 'coalesce':
                ours = fields_of(way, 'ours')
            else:
                peers[way['way']] = fields_of(way, 'peer')
        if ours or peers:
            self.rows[row.layer] += beside(base, ours, peers)

    def refused(self, way, row):
        missing = re.match(r'no element "(.*)"', way['error'])
        if missing and way['way'] == 'coalesce':
            raise Failed(f'the plugin is not found: {way["error"]}')
        if missing:
            self.run.missing.add(missing.group(1))
        else:
            self.run.leave_out(f"{way['way']}, {name_of(row)}: {way['error']}")


def fields_of(way, who):
    fields = {}
    for name in 'us', 'latency_us', 'push_us':
        fields |= figure(f'{who}_{name}', way.get(f'{name}_samples'))
    fields[f'{who}_latency_us_p99'] = percentile(way['latency_us_samples'], 0.99)
    fields[f'{who}_bytes'] = rounded(way['bytes'])
    for name in ('outputs_of_push', 'delay'):
        fields[f'{who}_{name}'] = way[name]
    if 'backend' in way:
        fields |= {f'{who}_{name}': way[name] for name in ('backend', 'uploads', 'downloads', 'synchronizations')}
    return fields
