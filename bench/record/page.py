#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables of docs/record.md and draws docs/images/record/*.svg: what was published (published.json) beside what
record.py measured (the newest file of docs/benchmarks/record).

usage: page.py [--check] [ROOT]

ROOT has docs/ and is the repository's root by default. A table NAME replaces the lines between <!-- bench/record/page.py NAME -->
and <!-- end of NAME -->. --check writes nothing, and fails unless page and charts are what the figures give.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import accesses  # noqa: E402
import coding  # noqa: E402
import elements  # noqa: E402
import filters  # noqa: E402
import pairs  # noqa: E402
from here import HERE, Here  # noqa: E402

TABLES = {'widths': accesses.widths, 'rgb': accesses.rgb, 'three-tap': accesses.three_tap, 'filters': filters.filters,
          'crossing': filters.crossing, 'wavelet': coding.wavelet, 'context': coding.context, 'tier1': coding.tier1,
          'occupancy': coding.occupancy, 'jpeg': coding.jpeg, 'deinterlacing': accesses.deinterlacing, 'metrics': elements.metrics}
CHARTS = {'widths': accesses.widths_chart, 'rgb': accesses.rgb_chart, 'three-tap': accesses.three_tap_chart,
          'filters': filters.filters_chart, 'wavelet': coding.wavelet_chart, 'context': coding.context_chart,
          'tier1': coding.tier1_chart, 'occupancy': coding.occupancy_chart, 'jpeg': coding.jpeg_chart,
          'deinterlacing': accesses.deinterlacing_chart, 'metrics': elements.metrics_chart}


def draw(here, name):
    title, heads, entries, how = CHARTS[name](here)
    percents = name in ('widths', 'metrics')  # by the profiler
    scale = '' if percents else 'Each column has a scale of its own. '
    return pairs.chart(title, heads, entries, how, scale + here.source(percents), 100 if percents else None)


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
