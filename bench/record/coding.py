# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wavelet, context modelling, the MQ coder and its occupancy, and JPEG."""

import re

import plan
from here import NONE, PUBLISHED, credit, decimals, exact, head, ms, number, of_size, percent, ratio, small_ms, table

WAVELETS = {'5/3, grey': '5/3, grey', '9/7, grey': '9/7, grey', '5/3, 8-bit 4:4:4, 5 levels': '5/3, 4:4:4',
            '9/7, 8-bit 4:4:4, 5 levels': '9/7, 4:4:4'}


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
            rows.append([of_size(size), name, exact(facts['cpu_ms'][i]) if grey else NONE, exact(facts['gpu_ms'][i]) if grey else NONE,
                         here.text(ms(cpu), small_ms), here.text(ms(gpu), small_ms), here.text(faster), here.text(ratio(gpu), decimals(2))])
    return [*table(['picture', 'wavelet', f"{facts['cpu']}, published, ms", 'GPU, published, ms', 'CPU here, 1 thread, ms', 'GPU here, ms',
                    'times as fast', 'ratio'], rows), '',
            f'{credit(facts)} It names neither components nor levels. {here.source()}']


def wavelet_chart(here):
    facts, entries = PUBLISHED['wavelet'], []
    for i, size in enumerate(facts['sizes']):
        for kind, name in WAVELETS.items():
            if size == facts['sizes'][0] and 'grey' not in kind:
                continue
            published = facts['gpu_ms'][i] if kind == '5/3, grey' else None
            entries.append((f'{of_size(size)}, {name}', (published, NONE if published is None else f'{exact(published)} ms'),
                            here.bar(here.row('wavelet', f'j2k-transform {kind}', None, size).get('us'), 'µs')))
    return 'Wavelet transform', (head(facts), here.head()), entries, 'shorter is better'


def context(here):
    facts = PUBLISHED['context']
    gpu, cpu = (here.row(run, 'j2k-model 5/3, 64x64', None, plan.HD) for run in ('context', 'context, CPU'))
    rows = [[name, exact(value), NONE] for name, value in facts['ms'].items()]
    rows += [['`j2kenc`, CPU, 1 thread', NONE, here.text(ms(cpu), small_ms)], ['`j2kenc`, GPU', NONE, here.text(ms(gpu), small_ms)]]
    return [*table(['coder', 'published, ms', 'here, ms'], rows), '',
            f'Context modelling of a colour picture, 1920×1080. {credit(facts)} {here.source()}']


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
            line += [f"{exact(fact['ms'][i])} ({facts['variants']['lecture: basic']['ms'][i] / fact['ms'][i]:.1f})",
                     here.text(us, lambda v: number(v / 1e3)) + (f' ({faster:.1f})' if faster else '')]
        rows.append(line)
    rows.append(['the element: three warps a block', *(cell for size in facts['sizes'] for cell in
                                                        (NONE, here.text(mq(here, 'library', size).get('us'), lambda v: number(v / 1e3))))])
    rows += [[name, *(cell for value in values for cell in (exact(value), NONE))] for name, values in facts['others'].items()]
    columns = [text for size in facts['sizes'] for text in (f'{of_size(size)}, published', 'here')]
    chains = {(chain['width'], chain['height']): chain for chain in here.figures['chains'] if chain['operation'] == 'j2k-mq 64x64'} \
        if here.figures else {}
    said = ' '.join(f"{width}×{height}: {chain['blocks']:,} blocks, {chain['symbols']:,} symbols, {chain['longest']:,} in the longest."
                    for (width, height), chain in sorted(chains.items()))
    return [*table(['coder', *columns], rows), '', 'ms of a picture, and in brackets how many times as fast as the basic one. '
            f'{credit(facts)} {here.source()} {said}'.rstrip()]


def tier1_chart(here):
    facts, entries = PUBLISHED['tier1'], []
    for i, size in enumerate(facts['sizes']):
        for variant, fact in facts['variants'].items():
            entries.append((f"{size.split('x')[1]}: {variant.removeprefix('lecture: ')}", (fact['ms'][i], f"{exact(fact['ms'][i])} ms"),
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
        rows.append([blocks or 'as many as fit', f'{100 * blocks * 4 / 64:.0f} %' if blocks else NONE, here.text(profile.get('occupancy'), percent),
                     here.text(time and time / 1e3), here.text(best / time if best and time else None, decimals(2))])
    return [*table(['blocks on a multiprocessor', 'occupancy, at most', 'measured', 'ms', 'relative speed'], rows), '',
            f"Published: the best occupancy was {facts['best_occupancy']} % ({facts['hardware']}); the curve's numbers are not in the text. Here: "
            '7680×4320, blocks of 32×32, one thread a codeword, 128 threads a block. ' + here.source(True)]


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
                    'GPU, frames in flight'], rows), '', f"Encoding, ms of a picture, quality 90. {credit(PUBLISHED['jpeg'])} {here.source()}"]


def jpeg_chart(here):
    entries = [(f"{size}, {operation.removeprefix('JPEG ')}", (None, 'no figure'), here.bar(jpeg_times(here, run, operation)[2], 'ms', small_ms))
               for run, size in JPEG_RUNS for operation in JPEG_INPUTS]
    return 'JPEG encoding, quality 90, a frame alone', ('published: no figures', here.head()), entries, 'shorter is better'
