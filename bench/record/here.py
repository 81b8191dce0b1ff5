# SPDX-License-Identifier: LGPL-2.1-or-later
"""What record.py measured, or that it has not been measured yet."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from chart import number  # noqa: E402

PUBLISHED = json.loads((HERE / 'published.json').read_text(encoding='utf-8'))
NOT = 'not measured yet'
NONE = '–'


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head), *('| ' + ' | '.join(map(str, row)) + ' |' for row in rows)]


def head(facts):
    """Of a chart's column."""
    hardware = facts['hardware']
    return f"published: {'hardware ' if hardware.startswith('not') else ''}{hardware}"


def credit(facts):
    """Where the published figures are from."""
    return f"Published: {facts['document']}, {facts['where']}; hardware: {facts['hardware']}."


def exact(value):
    """As it was published."""
    return f'{value:g}'


def of_size(size):
    return size.replace('x', '×')


class Here:
    """The newest record, if there is one."""

    def __init__(self, folder):
        paths = sorted(folder.glob('*.json'))
        self.figures = json.loads(paths[-1].read_text(encoding='utf-8')) if paths else None

    def row(self, run, operation, variant=None, size=None, **more):
        """Of the times of a run; nothing without it. The variant None is the only one."""
        rows = self.figures['runs'].get(run, []) if self.figures else []
        return self.only(rows, operation, variant, size, more)

    def profile(self, name, operation=None, variant=None, size=None):
        rows = self.figures['profiles'].get(name, []) if self.figures else []
        return self.only(rows, operation, variant, size, {})

    @staticmethod
    def only(rows, operation, variant, size, more):
        wanted = {key: value for key, value in {'operation': operation, 'variant': variant, **more}.items() if value is not None}
        if size:
            wanted['width'], wanted['height'] = map(int, size.split('x'))
        found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
        if len(found) > 1:
            sys.exit(f'page.py: {len(found)} rows are of {wanted}')
        return found[0] if found else {}

    def text(self, value, form=number):
        """Of a cell."""
        if self.figures is None:
            return NOT
        return NONE if value is None else form(value)

    def bar(self, value, unit='', form=number):
        """Of a chart."""
        return value, self.text(value, lambda v: f'{form(v)} {unit}'.strip())

    def source(self, profiled=False):
        """On what and when."""
        if self.figures is None:
            return 'Here: not measured yet.'
        f = self.figures
        profiler = f", {f['profiler']}" if profiled and f['profiler'] else ''
        return f"Here: {f['gpu']}, driver {f['driver']}, CUDA {f['cuda']}{profiler}; {f['date']}, commit {f['commit'][:10]}."

    def other_commits(self):
        """Of elements that were measured later."""
        commits = self.figures.get('commits', {}) if self.figures else {}
        return ''.join(f" `{name.removeprefix('element ')}`: commit {commit[:10]}." for name, commit in sorted(commits.items()))

    def head(self):
        return 'here' if self.figures is None else f"here: {self.figures['gpu']}"


def ratio(row):
    """The time of the faster copy of as many bytes, divided by the row's; nothing without both."""
    copies = [row[key] for key in ('copy_us', 'copy_kernel_us') if key in row]
    return min(copies) / row['us'] if copies and 'us' in row else None


def ms(row):
    return row['us'] / 1e3 if 'us' in row else None


def small_ms(value):
    """Of milliseconds that may be thousandths."""
    return number(value) if value >= 1 else f'{value:.3f}' if value >= 0.01 else f'{value:.4f}'


def decimals(digits):
    return lambda value: f'{value:.{digits}f}'


def percent(value):
    return f'{value:.0f} %'
