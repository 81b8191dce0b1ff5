# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables on the terminal."""

from figures import spread_of


def number(value):
    """Three digits, and not fewer than there are before the point."""
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def spread(row, name):
    """Half of what lies between the quartiles, as a part of the median."""
    low, high = spread_of(row, name)
    return f'±{50 * (high - low) / row[name]:.0f} %'


def time_of(row, name):
    return [number(row[name]), spread(row, name)] if name in row else ['', '']


def ratio(row, one, other):
    return f'{row[other] / row[one]:.2f}' if one in row and other in row else ''


def what(row):
    parts = (row['operation'], row['format'], row['setting'], f"{row['width']}x{row['height']}", row.get('memory', ''))
    return ' '.join(part for part in parts if part)


def table(head, rows):
    """Lines, the first column to the left and the others to the right; without columns that are empty."""
    used = [i for i in range(len(head)) if any(line[i] for line in rows)]
    head, rows = [head[i] for i in used], [[line[i] for i in used] for line in rows]
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    return [' '.join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths)))
            for line in [head, ['-' * width for width in widths], *rows]]


def kernels(rows):
    return table(['kernels, us', 'coalesce', '', 'copy', '', 'peer', '', 'peer / ours', 'which'],
                 [[what(row), *time_of(row, 'ours_us'), *time_of(row, 'copy_us'), *time_of(row, 'peer_us'),
                   ratio(row, 'ours_us', 'peer_us'), row.get('peer', '')] for row in rows])


def frames(title, rows):
    """A line for each way of a row."""
    lines, last = [], None
    for row in rows:
        if what(row) != last:
            last = what(row)
            lines.append([last, *[''] * 6])
            if 'ours_us' in row:
                lines.append(way(row, 'ours', 'coalesce', ''))
        if 'peer' in row:
            lines.append(way(row, 'peer', row['peer'], ratio(row, 'ours_us', 'peer_us')))
    return table([title, 'frames/s', '', 'latency, us', 'p99', 'push, us', 'time / ours'], lines)


def way(row, who, name, times):
    latency, push = ([number(row[field]) if field in row else '' for field in fields] for fields in
                     ((f'{who}_latency_us', f'{who}_latency_us_p99'), (f'{who}_push_us',)))
    return [f'  {name}', number(1e6 / row[f'{who}_us']), spread(row, f'{who}_us'), *latency, *push, times]


def tables(document):
    lines = []
    for name, draw in (('rows', kernels), ('elements', lambda rows: frames('elements', rows)),
                       ('pipelines', lambda rows: frames('pipelines', rows)), ('commands', lambda rows: frames('commands', rows))):
        if document.get(name):
            lines += ['', *draw(document[name])]
    return '\n'.join(lines)
