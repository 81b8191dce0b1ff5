#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/record.md and draws docs/images/record/*.svg: what was published (published.json) beside what
record.py measured (the newest file of docs/benchmarks/record).

usage: page.py [--check] [ROOT]

ROOT has docs/ and is the repository's root by default. A table NAME replaces the lines between <!-- bench/record/page.py NAME -->
and <!-- end of NAME -->. --check writes nothing, and fails unless page and charts are what the figures give.
"""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import pairs  # noqa: E402
import plan  # noqa: E402
from here import HERE, NONE, Here, decimals, ms, number, of_size, percent, ratio, small_ms, table  # noqa: E402

PUBLISHED = json.loads((HERE / 'published.json').read_text(encoding='utf-8'))
WIDTH_NAMES = ('8 bits, a pixel', '8 bits, 4 pixels', '32 and 8 bits, 4 pixels', '32 bits, 4 pixels', '64 bits, 4 pixels',
               '128 bits, 8 pixels', '2 × 128 bits, 16 pixels', 'the element')
RGB_NAMES = {'Y444': ('8-bit loads and stores', 'bytes'), 'AYUV': ('8-bit loads, 32-bit stores', 'bytes'),
             'GRAY8': ('8-bit loads and stores', 'bytes')}
WAVELETS = {'5/3, grey': '5/3, grey', '9/7, grey': '9/7, grey', '5/3, 8-bit 4:4:4, 5 levels': '5/3, 4:4:4',
            '9/7, 8-bit 4:4:4, 5 levels': '9/7, 4:4:4'}


def head(facts):
    return f"published: {facts['hardware']}"


# A function of each experiment gives lines of Markdown, and one the arguments of its chart.

def widths(here):
    facts, rows = PUBLISHED['uyvy'], []
    for variant, name in zip(plan.WIDTHS, WIDTH_NAMES):
        profile = here.profile('widths', 'UYVY->GRAY8', variant)
        times = [here.row('widths', 'UYVY->GRAY8', variant, size) for size in (plan.HD, plan.LARGE)]
        rows.append([name, f"{facts['efficiency'][variant]['value']:g} %" if variant in facts['efficiency'] else NONE,
                     here.text(profile.get('load_efficiency'), lambda v: f'{v:.1f} %'), here.text(times[0].get('us')),
                     *(here.text(ratio(time), decimals(2)) for time in times)])
    return [*table(['loads of a thread', 'load efficiency, published', 'here', 'µs, 1920×1080', 'ratio', 'ratio, 16384×16384'], rows),
            '', f"Published: {facts['document']}; hardware: {facts['hardware']}. {here.source(True)}"]


def widths_chart(here):
    facts, entries = PUBLISHED['uyvy'], []
    for variant, name in zip(plan.WIDTHS, WIDTH_NAMES):
        published = facts['efficiency'].get(variant, {}).get('value')
        efficiency = here.profile('widths', 'UYVY->GRAY8', variant).get('load_efficiency')
        entries.append((name, (published, NONE if published is None else f'{published:g} %'), here.bar(efficiency, '%')))
    return 'UYVY to luma: load efficiency by access width', (head(facts), here.head()), entries, 'longer is better'


def rgb_ways(form):
    plain, name = RGB_NAMES[form]
    return (plain, name), (plan.RGB[2], "the post's"), (plan.RGB[3], "its reader's"), ('library', 'the element')


def rgb(here):
    facts, rows = PUBLISHED['rgb'], []
    for form in RGB_NAMES:
        for variant, name in rgb_ways(form):
            operation = f'RGB->{form}'
            times = [here.row('rgb', operation, variant, size) for size in (plan.HD, plan.UHD, plan.LARGE)]
            efficiency = here.profile('rgb', operation, variant).get('load_efficiency')
            rows.append([form, name, 'no figure', here.text(efficiency, lambda v: f'{v:.0f} %'), here.text(times[0].get('us')),
                         here.text(times[1].get('us')), *(here.text(ratio(time), decimals(2)) for time in times[1:])])
    return [*table(['to', 'way', 'published', 'load efficiency', 'µs, 1920×1080', 'µs, 3840×2160', 'ratio', 'ratio, 16384×16384'], rows),
            '', f"Published: {facts['document']}, without figures and hardware. {here.source(True)}"]


def rgb_chart(here):
    entries = [(f'{form}, {name}', (None, 'no figure'), here.bar(here.row('rgb', f'RGB->{form}', variant, plan.UHD).get('us'), 'µs'))
               for form in RGB_NAMES for variant, name in rgb_ways(form)]
    return '24-bit RGB to YUV, 3840×2160', ('published: no figures', here.head()), entries, 'shorter is better'


def step(pair):
    return NONE if pair is None else f'{small_ms(pair[0])} ({small_ms(pair[1])})'


def three_tap(here):
    facts, rows = PUBLISHED['three_tap'], []
    for transfers in 'synchronous', 'asynchronous':
        for variant in plan.TAPS:
            row = here.row('three-tap', '3-tap filter, frames', variant, '1024x1024', transfers=transfers)
            line = [transfers, variant]
            for name in 'upload', 'process', 'readback':
                published = facts['steps'][transfers][name] if variant == 'naive' else None
                pair = (row[f'{name}_us'] / 1e3, row[f'{name}_cpu_us'] / 1e3) if row else None
                only = f"{facts['process_ms'][variant]} (–)" if (name, transfers) == ('process', 'asynchronous') and \
                    variant == 'shared memory' else NONE
                line += [step(published) if published else only, here.text(pair, step)]
            rows.append(line)
    steps = table(['transfers', 'kernel', 'upload, published', 'here', 'process, published', 'here', 'readback, published', 'here'], rows)
    kernels, streams = [], []
    for variant in plan.TAPS:
        cells = [variant]
        for size in '1024x1024', '4096x4096':
            row = here.row('three-tap', '3-tap filter', variant, size)
            cells += [here.text(row.get('us')), here.text(ratio(row), decimals(2))]
        profile = here.profile('three-tap', '3-tap filter', variant)
        kernels.append([*cells, here.text(profile.get('load_efficiency'), percent), here.text(profile.get('occupancy'), percent)])
        streams.append([variant, *(here.text(here.row('three-tap', '3-tap filter, frames', variant, size,
                                                      transfers=f'{count} streams').get('frame_us'))
                                   for size in ('1024x1024', '4096x4096') for count in (1, 2, 4))])
    return [*steps, '', f"1024×1024 samples of 32 bits, ms of the GPU, and in brackets of the calls. Published: {facts['document']}; "
            f"hardware: {facts['hardware']}. {here.source()}", '',
            *table(['kernel alone', 'µs, 1024×1024', 'ratio', 'µs, 4096×4096', 'ratio', 'load efficiency', 'occupancy'], kernels), '',
            *table(['µs a frame, both ways', *(f'{size}, {count} stream{"s" * (count > 1)}' for size in ('1024×1024', '4096×4096')
                                               for count in (1, 2, 4))], streams)]


def three_tap_chart(here):
    facts, entries = PUBLISHED['three_tap'], []
    for name in 'upload', 'readback':
        row = here.row('three-tap', '3-tap filter, frames', 'naive', '1024x1024', transfers='asynchronous')
        published = facts['steps']['asynchronous'][name][0]
        entries.append((name, (published, f'{number(published)} ms'), here.bar(row.get(f'{name}_us'), 'µs')))
    for variant in plan.TAPS:
        published = facts['process_ms'].get(variant)
        row = here.row('three-tap', '3-tap filter, frames', variant, '1024x1024', transfers='asynchronous')
        entries.append((f'process, {variant}'.replace(' a thread', ''), (published, NONE if published is None else f'{published} ms'),
                        here.bar(row.get('process_us'), 'µs')))
    return '3-tap filter, 1024×1024 samples of 32 bits', (head(facts), here.head()), entries, 'shorter is better'


def filter_us(here, variant, size, side):
    what = 'two passes' if variant == 'book: separable' else 'filter'
    return here.row('filters', f'{what} {side}x{side}', variant, size).get('us')


def filters(here):
    facts, rows = PUBLISHED['filters'], []
    masks = facts['masks']
    for name, kernel in facts['kernels'].items():
        for size, times in zip(facts['sizes'], kernel['ms']):
            cells = []
            for i, side in enumerate(masks):
                published = small_ms(times[i]) if i < len(times) else NONE
                us = filter_us(here, kernel['variant'], size, side)
                cells.append(f"{published}; {here.text(us, lambda v: small_ms(v / 1e3))}")
            rows.append([f"{name}, {kernel['hardware']}", of_size(size), *cells])
    for variant in 'library, generic', 'library, separable':
        for size in facts['sizes']:
            cells = [here.text(filter_us(here, variant, size, side), lambda v: small_ms(v / 1e3)) for side in masks]
            rows.append([variant.replace('library', 'the elements'), of_size(size), *(f'{NONE}; {cell}' for cell in cells)])
    return [*table(['kernel, card', 'picture', *(f'{side}×{side}' for side in masks)], rows), '',
            f"ms, published; here. Published: {facts['document']}. {here.source()}", '',
            *table(['picture', *(f'{card}, ms both ways' for card in facts['transfers_ms']), 'here'],
                   [[of_size(size), *(small_ms(times[i]) for times in facts['transfers_ms'].values()),
                     here.text(here.row('filters', 'picture to the GPU and back', None, size).get('us'), lambda v: small_ms(v / 1e3))]
                    for i, size in enumerate(facts['sizes'])])]


def filters_chart(here):
    facts, entries = PUBLISHED['filters'], []
    last = {name: kernel['ms'][-1] for name, kernel in facts['kernels'].items()}
    for i, side in enumerate(facts['masks']):
        for name, variant, short in (('8 pixels a thread', 'book: 8 pixels a thread', '8 pixels'),
                                     ('shared memory', 'book: shared memory', 'shared memory'),
                                     ('separable', 'book: separable', 'separable')):
            published = last[name][i] if i < len(last[name]) else None
            entries.append((f'{side}×{side}, {short}', (published, NONE if published is None else f'{published} ms'),
                            here.bar(filter_us(here, variant, '4096x4096', side), 'µs')))
        for variant in 'library, generic', 'library, separable':
            entries.append((f'{side}×{side}, {variant}'.replace('library', 'ours'), (None, ''),
                            here.bar(filter_us(here, variant, '4096x4096', side), 'µs')))
    return 'Generic and separable filters, 4096×4096, grey', ('published: Tesla C2070', here.head()), entries, 'shorter is better'


def first_faster(masks, generic, separable):
    """The smallest mask from which on the separable one is faster; None if there is none."""
    for i, side in enumerate(masks):
        if all(s is not None and g is not None and s < g for g, s in zip(generic[i:], separable[i:])):
            return side
    return None


def crossing(here):
    facts, rows = PUBLISHED['filters'], []
    masks, kernels = facts['masks'], facts['kernels']

    def text(side):
        return 'beyond 13×13' if side is None else f'{side}×{side}'

    def measured(size, generic, separable):
        times = [[filter_us(here, variant, size, side) for side in masks] for variant in (generic, separable)]
        known = None if None in times[0] + times[1] else text(first_faster(masks, *times))
        return here.text(known, str)

    for i, size in enumerate(facts['sizes']):
        eight = kernels['8 pixels a thread']['ms'][i]
        generic = [min(times) for times in zip(kernels['shared memory']['ms'][i], eight + [1e9] * 3)]
        rows.append([of_size(size), text(facts['stated_crossing'][size]), text(first_faster(masks, generic, kernels['separable']['ms'][i])),
                     measured(size, 'book: shared memory', 'book: separable'),
                     measured(size, 'book: 8 pixels a thread', 'book: separable'),
                     measured(size, 'library, generic', 'library, separable')])
    slopes = []
    for variant, published in facts['slopes'].items():
        times = [filter_us(here, f'book: {variant}', size, side) for size in facts['sizes'] for side in (3, 5, 7)]
        terms = [side * side * int(size.split('x')[0]) ** 2 for size in facts['sizes'] for side in (3, 5, 7)]
        known = None if None in times else sum(us / 1e3 / term for us, term in zip(times, terms)) / len(terms)
        slopes.append([variant, f'{published:.3g}', here.text(known, lambda v: f'{v:.3g}')])
    return [*table(['picture', 'published, as stated', "by the chapter's tables", "its kernels here, from shared memory", '8 pixels a thread',
                    'the elements'], rows), '', 'The smallest mask from which on two passes are faster.', '',
            *table(['mask', 'ms a pixel and coefficient, C2070', 'here'], slopes)]


def wavelet(here):
    facts, rows = PUBLISHED['wavelet'], []
    for i, size in enumerate(facts['sizes']):
        for kind, name in WAVELETS.items():
            gpu = here.row('wavelet', f'j2k-transform {kind}', None, size)
            cpu = here.row('wavelet, CPU', f'j2k-transform {kind}', None, size)
            if size == facts['sizes'][0] and 'grey' not in kind:
                continue
            grey = kind == '5/3, grey'
            faster = cpu['us'] / gpu['us'] if gpu and cpu else None
            rows.append([of_size(size), name, small_ms(facts['cpu_ms'][i]) if grey else NONE, small_ms(facts['gpu_ms'][i]) if grey else NONE,
                         here.text(ms(cpu), small_ms), here.text(ms(gpu), small_ms), here.text(faster), here.text(ratio(gpu), decimals(2))])
    return [*table(['picture', 'wavelet', f"{facts['cpu']}, published, ms", 'GPU, published, ms', 'CPU here, 1 thread, ms', 'GPU here, ms',
                    'times as fast', 'ratio'], rows), '',
            f"Published: {facts['document']}; hardware: {facts['hardware']}; components and levels not named. {here.source()}"]


def wavelet_chart(here):
    facts, entries = PUBLISHED['wavelet'], []
    for i, size in enumerate(facts['sizes']):
        for kind, name in WAVELETS.items():
            if size == facts['sizes'][0] and 'grey' not in kind:
                continue
            published = facts['gpu_ms'][i] if kind == '5/3, grey' else None
            entries.append((f'{of_size(size)}, {name}', (published, NONE if published is None else f'{published} ms'),
                            here.bar(here.row('wavelet', f'j2k-transform {kind}', None, size).get('us'), 'µs')))
    return 'Wavelet transform', (head(facts), here.head()), entries, 'shorter is better'


def context(here):
    facts = PUBLISHED['context']
    gpu, cpu = (here.row(run, 'j2k-model 5/3, 64x64', None, plan.HD) for run in ('context', 'context, CPU'))
    rows = [[name, number(value), NONE] for name, value in facts['ms'].items()]
    rows += [['`j2kenc`, CPU, 1 thread', NONE, here.text(ms(cpu), small_ms)], ['`j2kenc`, GPU', NONE, here.text(ms(gpu), small_ms)]]
    return [*table(['coder', 'published, ms', 'here, ms'], rows), '',
            f"Context modelling of a colour picture, 1920×1080. Published: {facts['document']}; hardware: {facts['hardware']}. {here.source()}"]


def context_chart(here):
    facts = PUBLISHED['context']
    entries = [(name, (value, f'{value} ms'), (None, NONE)) for name, value in facts['ms'].items()]
    for run, name in ('context, CPU', 'j2kenc, CPU, 1 thread'), ('context', 'j2kenc, GPU'):
        entries.append((name, (None, NONE), here.bar(ms(here.row(run, 'j2k-model 5/3, 64x64', None, plan.HD)), 'ms', small_ms)))
    return 'JPEG 2000: context modelling, 1920×1080', (head(facts), here.head()), entries, 'shorter is better'


def mq(here, variant, size):
    return here.row('mq', 'j2k-mq 64x64', variant, size)


def tier1(here):
    facts, rows = PUBLISHED['tier1'], []
    basic = [mq(here, 'lecture: basic', size).get('us') for size in facts['sizes']]
    for variant, fact in facts['variants'].items():
        line = [fact['what']]
        for i, size in enumerate(facts['sizes']):
            us = mq(here, variant, size).get('us')
            faster = basic[i] / us if us and basic[i] else None
            line += [f"{number(fact['ms'][i])} ({facts['variants']['lecture: basic']['ms'][i] / fact['ms'][i]:.1f})",
                     here.text(us, lambda v: number(v / 1e3)) + (f' ({faster:.1f})' if faster else '')]
        rows.append(line)
    rows.append(['the element: three warps a block', *(cell for size in facts['sizes'] for cell in
                                                        (NONE, here.text(mq(here, 'library', size).get('us'), lambda v: number(v / 1e3))))])
    rows += [[name, *(cell for value in values for cell in (number(value), NONE))] for name, values in facts['others'].items()]
    columns = [text for size in facts['sizes'] for text in (f'{of_size(size)}, published', 'here')]
    chains = {(chain['width'], chain['height']): chain for chain in here.figures['chains'] if chain['operation'] == 'j2k-mq 64x64'} \
        if here.figures else {}
    said = ' '.join(f"{width}×{height}: {chain['blocks']:,} blocks, {chain['symbols']:,} symbols, {chain['longest']:,} in the longest."
                    for (width, height), chain in sorted(chains.items()))
    return [*table(['coder', *columns], rows), '', 'ms of a picture, and in brackets how many times as fast as the basic one. '
            f"Published: {facts['document']}; {facts['hardware']}. {here.source()} {said}".rstrip()]


def tier1_chart(here):
    facts, entries = PUBLISHED['tier1'], []
    for i, size in enumerate(facts['sizes']):
        for variant, fact in facts['variants'].items():
            entries.append((f"{size.split('x')[1]}: {variant.removeprefix('lecture: ')}", (fact['ms'][i], f"{number(fact['ms'][i])} ms"),
                            here.bar(ms(mq(here, variant, size)), 'ms')))
        entries.append((f"{size.split('x')[1]}: the element", (None, NONE), here.bar(ms(mq(here, 'library', size)), 'ms')))
    return 'JPEG 2000: MQ coder of a picture', (head(facts), here.head()), entries, 'shorter is better'


def resident(variant):
    """Blocks of threads on a multiprocessor; None: as many as fit."""
    found = re.search(r'(\d+) blocks? at a time', variant)
    return int(found.group(1)) if found else None


def occupancy(here):
    facts, rows = PUBLISHED['tier1'], []
    times = [here.row('occupancy', 'j2k-mq 32x32', variant, '7680x4320').get('us') for variant in plan.RESIDENT]
    best = min((time for time in times if time), default=None)
    for variant, time in zip(plan.RESIDENT, times):
        blocks = resident(variant)
        profile = here.profile('occupancy', 'j2k-mq 32x32', variant)
        coder = lane_occupancy(profile)
        rows.append([blocks or 'as many as fit', f'{100 * blocks * 4 / 64:.0f} %' if blocks else NONE, here.text(coder, percent),
                     here.text(time and time / 1e3), here.text(best / time if best and time else None, decimals(2))])
    return [*table(['blocks on a multiprocessor', 'occupancy, at most', 'measured', 'ms', 'relative speed'], rows), '',
            f"Published: the best occupancy was {facts['best_occupancy']} % ({facts['hardware']}); the curve's numbers are not in the text. Here: "
            '7680×4320, blocks of 32×32, one thread a codeword, 128 threads a block. ' + here.source(True)]


def lane_occupancy(profile):
    return profile.get('occupancy')


def occupancy_chart(here):
    entries = []
    for variant in plan.RESIDENT:
        blocks = resident(variant)
        row = here.row('occupancy', 'j2k-mq 32x32', variant, '7680x4320')
        entries.append((f'{blocks} block{"s" * (blocks > 1)}' if blocks else 'as many as fit', (None, NONE), here.bar(ms(row), 'ms')))
    entries.insert(0, ('best', (PUBLISHED['tier1']['best_occupancy'], '33 % occupancy'), (None, NONE)))
    return 'MQ coder: blocks of 128 threads on a multiprocessor', (head(PUBLISHED['tier1']), here.head()), entries, 'shorter is better'


JPEG_RUNS = (('jpeg, HD', '1920×1088'), ('jpeg, UHD', '3840×2160'))
JPEG_INPUTS = ('JPEG 4:2:0', 'JPEG 4:4:4', 'JPEG RGB as 4:2:0')


def jpeg_times(here, run, operation):
    """libjpeg-turbo and ours on one thread, ours alone and with the best number of frames in flight, in ms."""
    def one(encoder, how):
        return here.row(run, operation, encoder=encoder, how=how).get('ms')
    flight = [time for time in (one('coalesce CUDA', f'{count} in flight') for count in (2, 3, 4)) if time]
    return one('libjpeg-turbo', '1 thread'), one('coalesce', '1 thread'), one('coalesce CUDA', 'alone'), min(flight, default=None)


def jpeg(here):
    rows = [[size, operation.removeprefix('JPEG '), 'no figure', *(here.text(time, small_ms) for time in jpeg_times(here, run, operation))]
            for run, size in JPEG_RUNS for operation in JPEG_INPUTS]
    return [*table(['picture', 'input', 'published', 'libjpeg-turbo, 1 thread', 'the element, CPU, 1 thread', 'GPU, alone',
                    'GPU, frames in flight'], rows), '', f'Encoding, ms of a picture, quality 90. {here.source()}']


def jpeg_chart(here):
    entries = [(f"{size}, {operation.removeprefix('JPEG ')}", (None, 'no figure'), here.bar(jpeg_times(here, run, operation)[2], 'ms', small_ms))
               for run, size in JPEG_RUNS for operation in JPEG_INPUTS]
    return 'JPEG encoding, quality 90, a frame alone', ('published: no figures', here.head()), entries, 'shorter is better'


def deinterlaced(here, operation, size):
    """Microseconds of one picture: a run makes two."""
    us = here.row('deinterlacing', operation, None, size).get('us')
    return us and us / 2


def deinterlacing(here):
    facts = PUBLISHED['deinterlacing']
    rows = [[row['what'], ' to '.join(map(str, row['ms'])), here.text(deinterlaced(here, row['operation'], row['size']))]
            for row in facts['rows']]
    rows += [[f'{operation.split()[1]}, {of_size(size)}, 4:2:2', NONE, here.text(deinterlaced(here, operation, size))]
             for operation, size in plan.DEINTERLACED if size == plan.HD]
    return [*table(['what', 'published, ms', 'here, µs'], rows), '',
            f"Time of one picture. Published: {facts['document']}; hardware: {facts['hardware']}. {here.source()}"]


def deinterlacing_chart(here):
    facts = PUBLISHED['deinterlacing']
    names = ('ELA, first attempt', 'ELA, in the end', 'Yadif, 720×480', 'Yadif, 720×576')
    entries = [(name, (max(row['ms']), ' to '.join(map(str, row['ms'])) + ' ms'), here.bar(deinterlaced(here, row['operation'], row['size']), 'µs'))
               for name, row in zip(names, facts['rows'])]
    return 'Deinterlacing: time of a picture', (head(facts), here.head()), entries, 'shorter is better'


class Metrics:
    """Of an element: what the lecture counts."""

    def __init__(self, here, name):
        self.what, program, operation, read, written, pictures = plan.ELEMENTS[name]
        self.profile = here.profile(f'element {name}', operation)
        self.time = here.row(f'element {name}', operation) if operation else {}
        self.pixels = pictures * self.profile['width'] * self.profile['height'] if self.profile else None
        self.formats = [self.sum_of(formats, pictures) for formats in (read, written)]

    def sum_of(self, formats, pictures):
        """Bytes of a pixel that is made. A file's are those of the run."""
        if plan.FILE in formats:
            return self.profile['bytes'] / self.pixels if 'bytes' in self.profile else None
        return sum(plan.FORMATS[form] for form in formats) / pictures

    def a_pixel(self, *names):
        known = [self.profile[name] for name in names if name in self.profile]
        return sum(known) / self.pixels if known and len(known) == len(names) else None

    def lanes(self):
        p = self.profile
        return p['thread_instructions'] / p['instructions'] if 'instructions' in p and 'thread_instructions' in p else None

    def roofline(self):
        shares = [self.profile[name] for name in ('dram_share', 'sm_share') if name in self.profile]
        return max(shares) if len(shares) == 2 else None


def metrics(here):
    rows = []
    for name in plan.ELEMENTS:
        m = Metrics(here, name)
        formats = ' + '.join(here.text(value, lambda v: f'{v:.2g}') if value is None else f'{value:.2g}' for value in m.formats)
        rows.append([f'`{name}`', m.what, formats, here.text(m.a_pixel('dram_read', 'dram_written'), decimals(2)),
                     here.text(m.a_pixel('thread_instructions')), here.text(m.a_pixel('float_operations')),
                     here.text(m.a_pixel('integer_operations')), here.text(m.a_pixel('memory_operations')), here.text(m.lanes(), decimals(1)),
                     here.text(m.profile.get('launches'), str), here.text(m.profile.get('occupancy'), percent),
                     here.text(m.profile.get('dram_share'), percent), here.text(m.profile.get('sm_share'), percent),
                     here.text(m.roofline(), percent), here.text(ratio(m.time), decimals(2))])
    return [*table(['element', 'setting, 1920×1080', 'bytes, by formats: read + written', 'bytes of DRAM', 'thread instructions', 'of these float',
                    'integer', 'memory', 'active lanes of 32', 'launches', 'occupancy', 'DRAM', 'multiprocessors', 'roofline', 'ratio'], rows),
            '', f'Bytes and instructions are of a pixel that is made. {here.source(True)}']


def metrics_chart(here):
    entries = []
    for name in plan.ELEMENTS:
        p = Metrics(here, name).profile
        entries.append((name, *(here.bar(p.get(share), '%', decimals(0)) for share in ('dram_share', 'sm_share'))))
    return 'Share of the roofline', ('DRAM: % of its peak', 'multiprocessors: % of their peak'), entries, 'longer is better'


TABLES = {'widths': widths, 'rgb': rgb, 'three-tap': three_tap, 'filters': filters, 'crossing': crossing, 'wavelet': wavelet,
          'context': context, 'tier1': tier1, 'occupancy': occupancy, 'jpeg': jpeg, 'deinterlacing': deinterlacing, 'metrics': metrics}
CHARTS = {'widths': widths_chart, 'rgb': rgb_chart, 'three-tap': three_tap_chart, 'filters': filters_chart, 'wavelet': wavelet_chart,
          'context': context_chart, 'tier1': tier1_chart, 'occupancy': occupancy_chart, 'jpeg': jpeg_chart,
          'deinterlacing': deinterlacing_chart, 'metrics': metrics_chart}


def draw(here, name):
    title, heads, entries, how = CHARTS[name](here)
    return pairs.chart(title, heads, entries, how, f"Each column has a scale of its own. {here.source(name in ('widths', 'metrics'))}")


def page(here, text):
    """The page with its tables; ends the program if one has no place."""
    missing = set(TABLES)

    def replaced(match):
        name = match.group(1)
        missing.discard(name)
        return '\n'.join([f'<!-- bench/record/page.py {name} -->', '', *TABLES[name](here), '', f'<!-- end of {name} -->'])

    new = re.sub(r'<!-- bench/record/page\.py ([\w-]+) -->\n.*?<!-- end of \1 -->', replaced, text, flags=re.DOTALL)
    if missing:
        sys.exit(f"page.py: the page has no place for {', '.join(sorted(missing))}")
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('root', nargs='?', type=pathlib.Path, default=HERE.parents[1])
    arguments = parser.parse_args()
    docs = arguments.root / 'docs'
    here = Here(docs / 'benchmarks' / 'record')
    files = {docs / 'record.md': page(here, (docs / 'record.md').read_text(encoding='utf-8'))}
    files |= {docs / 'images' / 'record' / f'{name}.svg': draw(here, name) for name in CHARTS}
    for path, text in files.items():
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='utf-8')
        elif not path.exists() or path.read_text(encoding='utf-8') != text:
            sys.exit(f'page.py: {path} is not what the figures give: run bench/record/page.py')


if __name__ == '__main__':
    main()
