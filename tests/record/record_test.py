#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of bench/record: record.py from end to end with programs that need no GPU, and the page that page.py makes of it."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOM = ROOT / 'bench' / 'record'
sys.path.insert(0, str(ROOM))
import filters  # noqa: E402
import plan  # noqa: E402
from here import Here, number  # noqa: E402
from profiler import read_kernels, runs_of, together  # noqa: E402

FAKE = pathlib.Path(__file__).resolve().parent / 'fake_programs.py'
NOT = 'not measured yet'


class Place:
    """A folder with fake programs, a picture, and a copy of the page."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.bin, self.build, self.docs = (self.folder / name for name in ('bin', 'build/bench', 'docs'))
        for place in self.bin, self.build, self.docs / 'benchmarks' / 'record':
            place.mkdir(parents=True)
        for name in 'ncu', 'nvidia-smi':
            self.program(self.bin / name)
        for name in 'bench-kernels', 'bench-jpeg', 'bench-jpeg-decode', 'bench-j2k-cuda':
            self.program(self.build / name)
        self.picture = self.folder / 'picture.jpg.ppm'
        self.picture.write_bytes(b'P6\n1 1\n255\n000')
        shutil.copy(ROOT / 'docs' / 'record.md', self.docs)

    @staticmethod
    def program(path):
        path.write_text(f'#!{sys.executable}\n' + FAKE.read_text(encoding='utf-8').split('\n', 1)[1], encoding='utf-8')
        path.chmod(0o755)

    def run(self, script, *arguments, **environment):
        return subprocess.run([sys.executable, ROOM / script, *map(str, arguments)], capture_output=True, text=True,
                              env=os.environ | environment | {'PATH': f"{self.bin}:{os.environ['PATH']}"})

    def record(self, *more, path=None, **environment):
        """The record, made by record.py."""
        path = path or self.docs / 'benchmarks' / 'record' / '2026-01-01-fake.json'
        done = self.run('record.py', '--build', self.build.parent, '--picture', self.picture, '--json', path, '--commit', 'c0ffee' * 7,
                        *more, **environment)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return json.loads(path.read_text(encoding='utf-8')), done.stdout

    def page(self, *arguments):
        return self.run('page.py', *arguments, self.folder)

    def text(self):
        return (self.docs / 'record.md').read_text(encoding='utf-8')


class InPlace(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.place = Place(temporary.name)


@functools.cache
def whole_record():
    """The record of every step, and what record.py said: made once."""
    with tempfile.TemporaryDirectory() as folder:
        return Place(folder).record()


class RecordTest(InPlace):
    def test_every_step_is_run_and_profiled(self):
        record, said = whole_record()
        self.assertEqual(set(record['runs']), set(plan.RUNS) | set(plan.ELEMENT_RUNS), said)
        without = {'element coalescejpegdec'} if 'coalescejpegdec, profile' in ' '.join(record['failed']) else set()
        self.assertEqual(set(record['profiles']), set(plan.PROFILES) - without, said)
        self.assertEqual(record['missing_metrics'], ['launch__registers_per_thread'])
        self.assertEqual(record['gpu'], 'Fake GPU')
        self.assertIn({'operation': 'j2k-mq 64x64', 'width': 1920, 'height': 1080, 'blocks': 1234, 'symbols': 5678901, 'longest': 34567},
                      record['chains'])

    def test_without_a_profiler_it_goes_on_and_says_so(self):
        record, said = self.place.record('--ncu', '/none/ncu', '--only', '^widths$')
        self.assertEqual((list(record['runs']), record['profiles']), (['widths'], {}))
        self.assertIn('left out: profiles: /none/ncu does not start', said)

    def test_a_profiler_that_may_not_read_counters_is_given_up(self):
        broken = self.place.folder / 'broken'
        broken.write_text('#!/bin/sh\necho "Version 1.2"\n[ "$1" = --version ] && exit 0\necho "==ERROR== ERR_NVGPUCTRPERM"\nexit 1\n')
        broken.chmod(0o755)
        record, said = self.place.record('--ncu', broken, '--only', '^(rgb|element .*)$')
        self.assertEqual(record['profiles'], {})
        self.assertEqual(record['failed']['profiles'], 'the profiler does not run here')
        self.assertEqual(said.count('==ERROR== ERR_NVGPUCTRPERM'), 4)  # two attempts, each said twice
        self.assertIn('element uyvy2y', record['runs'])

    def test_a_program_that_was_not_built_is_named(self):
        (self.place.build / 'bench-jpeg').unlink()
        record, _ = self.place.record('--only', 'jpeg, HD|^rgb$')
        self.assertEqual(record['failed'], {'jpeg, HD': 'bench-jpeg was not built'})
        self.assertIn('rgb', record['profiles'])

    def test_no_time_is_left(self):
        record, _ = self.place.record('--minutes', '0', '--only', '^rgb$')
        self.assertEqual(record['runs'], {})
        self.assertEqual(record['failed']['rgb'], 'no time was left')

    def test_add_keeps_other_experiments(self):
        path = self.place.folder / 'a.json'
        self.place.record('--only', '^rgb$', path=path)
        record, _ = self.place.record('--only', '^widths$', '--add', path=path)
        self.assertEqual(set(record['runs']), {'rgb', 'widths'})
        self.assertEqual(set(record['profiles']), {'rgb', 'widths'})

    def test_add_takes_elements_of_another_commit_and_names_it(self):
        path = self.place.docs / 'benchmarks' / 'record' / '2026-01-01-fake.json'
        self.place.record('--only', '^(rgb|element (uyvy2y|median))$')
        later = ('--add', '--commit', 'beef' * 10)
        record, _ = self.place.record('--only', '^element median$', *later)
        self.assertEqual((record['commit'][:6], record['commits']), ('c0ffee', {'element median': 'beef' * 10}))
        self.assertEqual(self.place.page().returncode, 0)
        self.assertIn('commit c0ffeec0ff. `median`: commit beefbeefbe.', self.place.text())
        before = path.read_text(encoding='utf-8')
        with self.assertRaisesRegex(AssertionError, 'is of another commit: c0ffee'):
            self.place.record('--only', '^(rgb|element median)$', *later)
        self.assertEqual(path.read_text(encoding='utf-8'), before)


class ProfilerTest(unittest.TestCase):
    def kernels(self):
        head = '"ID","Kernel Name","gpu__time_duration.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed"\n"","","ns","%"\n'
        rows = [('lost()', '5', '9'), ('x::profile_mark()', '1', '1'), ('a()', '3,000', '80'), ('b()', '1,000', '40'),
                ('x::profile_mark()', '1', '1'), ('c()', '7', 'n/a')]
        return read_kernels('==PROF== x\n' + head + ''.join(f'"{i}","{name}","{ns}","{share}"\n' for i, (name, ns, share) in enumerate(rows)))

    def test_runs_are_between_marks(self):
        self.assertEqual([[kernel['kernel'] for kernel in run] for run in runs_of(self.kernels())], [['a()', 'b()'], ['c()']])

    def test_sums_and_weighted_means(self):
        first, second = map(together, runs_of(self.kernels()))
        self.assertEqual(first, {'launches': 2, 'time_ns': 4000, 'dram_share': 70})
        self.assertEqual(second, {'launches': 1, 'time_ns': 7})


class PageTest(InPlace):
    def with_record(self):
        record, _ = whole_record()
        path = self.place.docs / 'benchmarks' / 'record' / '2026-01-01-fake.json'
        path.write_text(json.dumps(record), encoding='utf-8')
        done = self.place.page()
        self.assertEqual(done.returncode, 0, done.stderr)
        return record

    def test_without_a_record_only_our_cells_are_empty(self):
        self.assertEqual(self.place.page().returncode, 0)
        text = self.place.text()
        self.assertIn(f'| 8 bits, 4 pixels | 12.5 % | {NOT} |', text)
        self.assertIn('| naive | 1.62035 (1.61613) |', text.replace('| synchronous | naive', '| naive'))
        self.assertNotIn('Fake GPU', text)

    def test_with_a_record_no_cell_waits(self):
        self.with_record()
        self.assertEqual(text_without_decoder(self.place.text()).count(NOT), 0)
        for path in sorted((self.place.docs / 'images' / 'record').glob('*.svg')):
            drawing = xml.dom.minidom.parse(str(path))
            self.assertGreater(len(drawing.getElementsByTagName('text')), 5, path)
            self.assertNotIn(NOT, path.read_text(encoding='utf-8'))

    def test_figures_come_from_the_record(self):
        record = self.with_record()
        row = next(row for row in record['runs']['widths'] if row['variant'] == 'library' and row['width'] == 1920)
        line = next(line for line in self.place.text().splitlines() if line.startswith('| the element | – |'))
        # 10,000 sectors of the first kernel at 60 %, 1,000 of the second one at 51 %.
        cells = [cell.strip() for cell in line.split('|')]
        self.assertEqual(cells[3], '59.2 %')
        self.assertEqual(cells[4], number(row['us']))
        self.assertEqual(cells[5], f"{9 / row['us']:.2f}")

    def test_of_a_pixel(self):
        self.with_record()
        line = next(line for line in self.place.text().splitlines() if line.startswith('| `uyvy2y` |'))
        cells = [cell.strip() for cell in line.split('|')]
        self.assertEqual(cells[3:5], ['2 + 1', f'{2 * 11000 / 1920 / 1080:.2f}'])
        self.assertEqual(cells[9:11], ['32.0', '2'])

    def test_bytes_are_those_that_the_program_counts(self):
        record, _ = whole_record()
        record = json.loads(json.dumps(record))
        record['profiles']['element uyvy2y'][0]['bytes'] = 4 * 1920 * 1080
        (self.place.docs / 'benchmarks' / 'record' / 'a.json').write_text(json.dumps(record), encoding='utf-8')
        self.assertIn('uyvy2y: plan.py has 3 bytes of a pixel, and the program 4', self.place.page().stderr)

    def test_check_finds_a_figure_that_is_not_in_the_record(self):
        self.with_record()
        self.assertEqual(self.place.page('--check').returncode, 0)
        page = self.place.docs / 'record.md'
        page.write_text(page.read_text(encoding='utf-8').replace('59.2 %', '99.2 %'), encoding='utf-8')
        done = self.place.page('--check')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('record.md is not what the figures give', done.stderr)

    def test_check_finds_an_old_chart(self):
        self.with_record()
        chart = self.place.docs / 'images' / 'record' / 'tier1.svg'
        chart.write_text(re.sub(r'width="\d+\.\d"', 'width="7.0"', chart.read_text(encoding='utf-8'), count=1), encoding='utf-8')
        self.assertIn('tier1.svg', self.place.page('--check').stderr)

    def test_slower_filters_move_the_crossing(self):
        self.place.record('--only', '^filters$', COALESCE_FAKE_SLOW='book: separable=1000')
        here = Here(self.place.docs / 'benchmarks' / 'record')
        rows = [line for line in filters.crossing(here) if line.startswith('| 4096×4096')]
        self.assertEqual([cell.strip() for cell in rows[0].split('|')][4], 'beyond 13×13')


class CrossingTest(unittest.TestCase):
    def test_from_the_smallest_mask_on(self):
        self.assertEqual(filters.first_faster([3, 5, 7], [1, 3, 5], [2, 2, 2]), 5)
        self.assertEqual(filters.first_faster([3, 5, 7], [3, 1, 5], [2, 2, 2]), 7)
        self.assertEqual(filters.first_faster([3, 5, 7], [1, 1, 1], [2, 2, 2]), None)
        self.assertEqual(filters.first_faster([3, 5, 7], [3, 3, 3], [2, 2, 2]), 3)


def text_without_decoder(text):
    """Where Pillow is missing, and the picture is no JPEG file, there is no file to decode."""
    return '\n'.join(line for line in text.splitlines() if not line.startswith('| `coalescejpegdec` |'))


if __name__ == '__main__':
    unittest.main()
