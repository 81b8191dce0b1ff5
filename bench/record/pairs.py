# SPDX-License-Identifier: LGPL-2.1-or-later
"""A chart of two columns of bars, each with a scale of its own: what was published, and what was measured here."""

import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from chart import BAR, COLUMN, GROUP, MARGIN, Drawing, column_x  # noqa: E402

NUMBERS = 90  # beside the longest bar
STYLES = ('peer', 'ours')
CHARACTER = 6.2  # pixels of a small letter, about


def wrapped(text, width):
    """Lines of whole words."""
    lines = ['']
    for word in text.split():
        if lines[-1] and CHARACTER * len(f'{lines[-1]} {word}') > width:
            lines.append('')
        lines[-1] = f'{lines[-1]} {word}'.strip()
    return lines


def chart(title, heads, entries, how, note, full=None):
    """entries: (label, (value, text), (value, text)). A value of None has no bar, and its text alone. full: what the longest bar
    is of both columns, in place of the largest value of each."""
    drawing = Drawing()
    drawing.y += 10
    drawing.text(MARGIN, drawing.y, title, 'title')
    drawing.text(column_x(2), drawing.y, how, 'small', 'end')
    drawing.y += 20
    tops = [wrapped(head, COLUMN - 70) for head in heads]  # the first line is bold
    for column, lines in enumerate(tops):
        for i, line in enumerate(lines):
            drawing.text(column_x(column), drawing.y + 15 * i, line, '' if i else 'head')
    drawing.y += 15 * (max(map(len, tops)) - 1) + 4
    rooms = []
    for column in range(2):
        most = full or max((entry[1 + column][0] or 0 for entry in entries), default=0)
        rooms.append((COLUMN - NUMBERS) / most if most else 0)
    for label, *values in entries:
        drawing.y += GROUP - 4
        drawing.text(MARGIN, drawing.y + BAR - 2, label, 'small')
        for column, (value, text) in enumerate(values):
            x, length = column_x(column), 0
            if value is not None:
                length = value * rooms[column]
                drawing.bar(x, drawing.y, length, STYLES[column], f'{label}: {text}')
            drawing.text(x + max(length, 1) + 5 if value is not None else x, drawing.y + BAR - 2, text, 'small')
        drawing.y += BAR
    drawing.y += 12
    for line in wrapped(note, column_x(2) - MARGIN):
        drawing.y += 15
        drawing.text(MARGIN, drawing.y, line, 'small')
    return drawing.svg(title, f'{heads[0]}, and {heads[1]}; the numbers are in docs/record.md.')
