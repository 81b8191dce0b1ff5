# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generic and separable filters, and the mask from which on separable ones are faster."""

from here import NONE, PUBLISHED, exact, of_size, small_ms, table


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
                published = exact(times[i]) if i < len(times) else NONE
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
                   [[of_size(size), *(exact(times[i]) for times in facts['transfers_ms'].values()),
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
            entries.append((f'{side}×{side}, {short}', (published, NONE if published is None else f'{exact(published)} ms'),
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
