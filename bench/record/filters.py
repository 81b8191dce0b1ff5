# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generic and separable filters, and the mask from which on separable ones are faster."""

from here import NONE, PUBLISHED, credit, exact, of_size, small_ms, table


def filter_us(here, variant, size, side):
    what = 'two passes' if variant == 'book: separable' else 'filter'
    return here.row('filters', f'{what} {side}x{side}', variant, size).get('us')


def in_ms(here, us):
    return here.text(us, lambda v: small_ms(v / 1e3))


def times_of(here, facts):
    """Rows of published and own times: kernels, then pictures; and of the elements."""
    rows, masks = [], facts['masks']
    for name, kernel in facts['kernels'].items():
        for size, times in zip(facts['sizes'], kernel['ms']):
            published = [exact(value) for value in times] + [NONE] * (len(masks) - len(times))
            rows.append([f"{name}, {kernel['hardware']}", of_size(size),
                         *(f"{text}; {in_ms(here, filter_us(here, kernel['variant'], size, side))}" for text, side in zip(published, masks))])
    vendor = facts['vendor']
    rows.append([vendor['what'], of_size(vendor['size']),
                 *(f"{exact(vendor['ms']) if side == vendor['mask'] else NONE}; {NONE}" for side in masks)])
    return rows + [[variant.replace('library', 'the elements'), of_size(size),
                    *(f'{NONE}; {in_ms(here, filter_us(here, variant, size, side))}' for side in masks)]
                   for variant in ('library, generic', 'library, separable') for size in facts['sizes']]


def both_ways(here, size):
    return here.row('filters', 'picture to the GPU and back', None, size).get('us')


def throughputs(here, facts):
    """Of the largest picture, with its transfers."""
    size, rows = facts['sizes'][-1], []
    way, pixels = both_ways(here, size), int(size.split('x')[0]) ** 2
    for name, kernel in facts['kernels'].items():
        cells = []
        for i, side in enumerate(facts['masks']):
            us = filter_us(here, kernel['variant'], size, side)
            own = here.text(pixels / (us + way) if us and way else None, lambda v: f'{v:,.0f}')
            published = kernel['mpixel_s'][i] if i < len(kernel['mpixel_s']) else NONE
            cells.append(f'{published}; {own}')
        rows.append([f"{name}, {kernel['hardware']}", *cells])
    return table([f'Mpixel/s, {of_size(size)}', *(f'{side}×{side}' for side in facts['masks'])], rows)


def copies(here, facts):
    """Over the bus and back, and between two passes."""
    def copied(size):
        row = here.row('filters', 'filter 3x3', 'library', size)
        return min(row['copy_us'], row['copy_kernel_us']) if row else None

    return table(['picture', *(f'both ways, {card}, ms' for card in facts['transfers_ms']), 'here', 'between passes, C2070, ms', 'a copy here'],
                 [[of_size(size), *(exact(times[i]) for times in facts['transfers_ms'].values()), in_ms(here, both_ways(here, size)),
                   exact(facts['copy_between_ms'][i]), in_ms(here, copied(size))] for i, size in enumerate(facts['sizes'])])


def filters(here):
    facts = PUBLISHED['filters']
    return [*table(['kernel, card', 'picture', *(f'{side}×{side}' for side in facts['masks'])], times_of(here, facts)), '',
            f'ms, published; here. {credit(facts)} {here.source()}', '',
            *throughputs(here, facts), '', 'Published; here. Both include the way to the GPU and back.', '', *copies(here, facts)]


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
