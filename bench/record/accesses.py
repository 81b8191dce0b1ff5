# SPDX-License-Identifier: LGPL-2.1-or-later
"""Luma of UYVY, 24-bit RGB, the 3-tap filter, and deinterlacing: how a GPU's memory is read.

Of each experiment a function gives lines of Markdown, and another one title, heads, entries and direction of a chart.
"""

import plan
from here import NONE, PUBLISHED, credit, decimals, exact, head, of_size, percent, ratio, small_ms, table

WIDTH_NAMES = ('8 bits, a pixel', '8 bits, 4 pixels', '32 and 8 bits, 4 pixels', '32 bits, 4 pixels', '64 bits, 4 pixels',
               '128 bits, 8 pixels', '2 × 128 bits, 16 pixels', 'the element')
PLAIN = {'Y444': '8-bit loads and stores', 'AYUV': '8-bit loads, 32-bit stores', 'GRAY8': '8-bit loads and stores'}


def widths(here):
    facts, rows = PUBLISHED['uyvy'], []
    for variant, name in zip(plan.WIDTHS, WIDTH_NAMES):
        profile = here.profile('widths', 'UYVY->GRAY8', variant)
        times = [here.row('widths', 'UYVY->GRAY8', variant, size) for size in (plan.HD, plan.LARGE)]
        rows.append([name, f"{facts['efficiency'][variant]['value']:g} %" if variant in facts['efficiency'] else NONE,
                     here.text(profile.get('load_efficiency'), lambda v: f'{v:.1f} %'), here.text(times[0].get('us')),
                     *(here.text(ratio(time), decimals(2)) for time in times)])
    return [*table(['loads of a thread', 'load efficiency, published', 'here', 'µs, 1920×1080', 'ratio', 'ratio, 16384×16384'], rows),
            '', f'{credit(facts)} {here.source(True)}']


def widths_chart(here):
    facts, entries = PUBLISHED['uyvy'], []
    for variant, name in zip(plan.WIDTHS, WIDTH_NAMES):
        published = facts['efficiency'].get(variant, {}).get('value')
        efficiency = here.profile('widths', 'UYVY->GRAY8', variant).get('load_efficiency')
        entries.append((name, (published, NONE if published is None else f'{published:g} %'), here.bar(efficiency, '%')))
    return 'UYVY to luma: load efficiency by access width', (head(facts), here.head()), entries, 'longer is better'


def rgb_ways(form):
    return (PLAIN[form], 'bytes'), (plan.RGB[2], "the post's"), (plan.RGB[3], "its reader's"), ('library', 'the element')


def rgb(here):
    facts, rows = PUBLISHED['rgb'], []
    for form in PLAIN:
        for variant, name in rgb_ways(form):
            operation = f'RGB->{form}'
            times = [here.row('rgb', operation, variant, size) for size in (plan.HD, plan.UHD)]
            efficiency = here.profile('rgb', operation, variant).get('load_efficiency')
            rows.append([form, name, 'no figure', here.text(efficiency, percent),
                         *(text for time in times for text in (here.text(time.get('us')), here.text(ratio(time), decimals(2))))])
    return [*table(['to', 'way', 'published', 'load efficiency', 'µs, 1920×1080', 'ratio', 'µs, 3840×2160', 'ratio'], rows),
            '', f'{credit(facts)} {here.source(True)}']


def rgb_chart(here):
    entries = [(f'{form}, {name}', (None, 'no figure'), here.bar(here.row('rgb', f'RGB->{form}', variant, plan.UHD).get('us'), 'µs'))
               for form in PLAIN for variant, name in rgb_ways(form)]
    return '24-bit RGB to YUV, 3840×2160', ('published: no figures', here.head()), entries, 'shorter is better'


def step(pair, form=small_ms):
    """A time of the GPU, and of the calls."""
    return f'{form(pair[0])} ({form(pair[1])})'


def bus(here, facts):
    """Gigabytes a second of a picture's way over the bus."""
    rows = []
    for name, published in facts['bus_gb_s'].items():
        line = [name, exact(published)]
        for transfers in 'synchronous', 'asynchronous':
            row = here.row('three-tap', '3-tap filter, frames', 'naive', '1024x1024', transfers=transfers)
            line.append(here.text(4 * 1024 * 1024 / row[f'{name}_us'] / 1e3 if row else None))
        rows.append(line)
    return table(['GB/s', 'published', 'here, pageable memory', 'here, page-locked memory'], rows)


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
                line += [step(published, exact) if published else only, here.text(pair, step)]
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
    return [*steps, '', f'1024×1024 samples of 32 bits, ms of the GPU, and in brackets of the calls. {credit(facts)} {here.source()}', '',
            *bus(here, facts), '',
            *table(['kernel alone', 'µs, 1024×1024', 'ratio', 'µs, 4096×4096', 'ratio', 'load efficiency', 'occupancy'], kernels), '',
            *table(['µs a frame, both ways', *(f'{size}, {count} stream{"s" * (count > 1)}' for size in ('1024×1024', '4096×4096')
                                               for count in (1, 2, 4))], streams)]


def three_tap_chart(here):
    facts, entries = PUBLISHED['three_tap'], []
    for name in 'upload', 'readback':
        row = here.row('three-tap', '3-tap filter, frames', 'naive', '1024x1024', transfers='asynchronous')
        published = facts['steps']['asynchronous'][name][0]
        entries.append((name, (published, f'{exact(published)} ms'), here.bar(row.get(f'{name}_us'), 'µs')))
    for variant in plan.TAPS:
        published = facts['process_ms'].get(variant)
        row = here.row('three-tap', '3-tap filter, frames', variant, '1024x1024', transfers='asynchronous')
        entries.append((f'process, {variant}'.replace(' a thread', ''), (published, NONE if published is None else f'{published} ms'),
                        here.bar(row.get('process_us'), 'µs')))
    return '3-tap filter, 1024×1024 samples of 32 bits', (head(facts), here.head()), entries, 'shorter is better'


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
            f'Time of one picture. {credit(facts)} {here.source()}']


def deinterlacing_chart(here):
    facts = PUBLISHED['deinterlacing']
    names = ('ELA, first attempt', 'ELA, in the end', 'Yadif, 720×480', 'Yadif, 720×576')
    entries = [(name, (max(row['ms']), ' to '.join(map(str, row['ms'])) + ' ms'), here.bar(deinterlaced(here, row['operation'], row['size']), 'µs'))
               for name, row in zip(names, facts['rows'])]
    return 'Deinterlacing: time of a picture', (head(facts), here.head()), entries, 'shorter is better'
