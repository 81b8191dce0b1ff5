# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the lecture counts of an algorithm, for every element."""

import sys

import plan
from here import PUBLISHED, credit, decimals, percent, ratio, table


class Metrics:
    """Of an element: what the lecture counts."""

    def __init__(self, here, name):
        self.what, program, operation, read, written, pictures = plan.ELEMENTS[name]
        self.profile = here.profile(f'element {name}', operation)
        self.time = here.row(f'element {name}', operation) if operation else {}
        self.pixels = pictures * self.profile['width'] * self.profile['height'] if self.profile else None
        self.formats = [self.sum_of(formats, pictures) for formats in (read, written)]
        if operation and 'bytes' in self.profile:
            self.compare(name, self.profile['bytes'] / self.pixels)

    def compare(self, name, counted):
        """The program counts the bytes of its pictures, too."""
        if abs(sum(self.formats) - counted) > 0.01:
            sys.exit(f'page.py: {name}: plan.py has {sum(self.formats):g} bytes of a pixel, and the program {counted:g}')

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
            '', f"Bytes and instructions are of a pixel that is made. {credit(PUBLISHED['metrics'])} {here.source(True)}{here.other_commits()}"]


def metrics_chart(here):
    entries = []
    for name in plan.ELEMENTS:
        p = Metrics(here, name).profile
        entries.append((name, *(here.bar(p.get(share), '%', decimals(0)) for share in ('dram_share', 'sm_share'))))
    return 'Share of the roofline', ('DRAM: % of its peak', 'multiprocessors: % of their peak'), entries, 'longer is better'
