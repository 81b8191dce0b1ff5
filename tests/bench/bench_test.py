#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""./run bench on the CPU, from a build folder: real figures, comparisons, an interruption.

usage: bench_test.py BUILD CLASS...
"""

import copy
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / 'bench' / 'run'
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))

import rows  # noqa: E402  of bench/run

ENVIRONMENT = os.environ | {'GST_REGISTRY_1_0': str(BUILD / 'bench' / 'bench-test.registry'), 'CUDA_VISIBLE_DEVICES': ''}


def bench(*arguments):
    command = [sys.executable, str(BENCH), '--build', str(BUILD), *map(str, arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=250, check=False)


def read(path):
    return json.loads(path.read_text(encoding='utf-8'))


class Measured(unittest.TestCase):
    """One measurement, which the tests share."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.file = cls.path / 'figures.json'
        cls.done = bench('--quick', '--size', '320x240', '--seconds', '0.05', '--json', cls.file,
                         '--only', 'element uyvy2y', '--only', 'element coalescedeinterlace', '--only', 'element multiview')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def written(self, document, name):
        path = self.path / name
        path.write_text(json.dumps(document), encoding='utf-8')
        return path

    def test_figures_are_sane(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        document = read(self.file)
        self.assertTrue(document['complete'])
        self.assertIsNone(document.get('gpu'))
        self.assertGreater(document['processors'], 0)
        self.assertTrue(0 <= document['others_cpu'] <= 1)
        self.assertTrue(document['cpu'] and document['commit'] and document['date'])
        for copied in document['copies']:
            self.assertTrue(0.1 < copied['gb_per_s'] < 100_000, copied)
        self.assertEqual({row['operation'] for row in document['elements']}, {'uyvy2y', 'coalescedeinterlace', 'multiview'})
        for row in document['elements']:
            for name in 'ours_us', 'ours_latency_us':
                low, high = row[f'{name}_quartiles']
                self.assertTrue(0 < low <= row[name] <= high, row)
                self.assertGreaterEqual(row[f'{name}_samples'], 3)
            self.assertEqual(row['ours_backend'], 'cpu')
            self.assertGreaterEqual(row['ours_latency_us_p99'], row['ours_latency_us'])

    def test_bytes_and_delays_are_those_of_the_elements(self):
        found = {row['operation']: row for row in read(self.file)['elements']}
        self.assertEqual(found['uyvy2y']['ours_bytes'], 320 * 240)
        self.assertEqual(found['multiview']['ours_bytes'], 2 * 320 * 240)
        # Each frame gives two pictures, the first of them when the next frame has come.
        self.assertEqual((found['coalescedeinterlace']['ours_outputs_of_push'], found['coalescedeinterlace']['ours_delay']), (2, 1))

    def test_peers_are_measured_or_named(self):
        document = read(self.file)
        peers = {row.get('peer') for row in document['elements']}
        for peer in 'videoconvert', 'deinterlace':
            self.assertTrue(peer in peers or peer in document['missing'], document['missing'])
            self.assertIn(peer, self.done.stdout)

    def test_nothing_has_changed_beside_itself(self):
        done = bench('--compare', self.file, self.file)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'ours: 0 slower, 0 faster, [1-9]\d* within noise')

    def doctored(self, times, spread, others=0):
        """The file with a spread of its own, and a copy in which uyvy2y takes so many times as long."""
        old = read(self.file) | {'others_cpu': others}
        for row in old['elements']:
            row['ours_us_quartiles'] = [row['ours_us'] * (1 - spread), row['ours_us'] * (1 + spread)]
        new = copy.deepcopy(old)
        for row in new['elements']:
            if row['operation'] == 'uyvy2y':
                row['ours_us'] *= times
                row['ours_us_quartiles'] = [times * value for value in row['ours_us_quartiles']]
        return bench('--compare', self.written(old, 'old.json'), self.written(new, 'new.json'))

    def test_a_third_slower_is_a_change(self):
        done = self.doctored(1.3, 0.05)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r'slower +element uyvy2y UYVY to GRAY8 320x240 +coalesce')
        self.assertIn('ours: 1 slower, 0 faster', done.stdout)

    def test_a_third_faster_is_no_fault(self):
        done = self.doctored(0.7, 0.05)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('ours: 0 slower, 1 faster', done.stdout)

    def test_a_third_slower_within_a_wide_spread_is_noise(self):
        done = self.doctored(1.3, 0.4)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('ours: 0 slower, 0 faster', done.stdout)

    def test_little_is_noise_however_narrow(self):
        done = self.doctored(1.02, 0.001)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_third_slower_beside_other_work_is_noise(self):
        done = self.doctored(1.3, 0.05, others=0.4)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('Other processes used 40% of the processors', done.stdout)

    def test_another_machine_is_not_compared(self):
        other = read(self.file) | {'cpu': 'another one'}
        done = bench('--compare', self.written(other, 'other.json'), self.file)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn('different machines', done.stdout)
        self.assertNotIn('slower', done.stdout)

    def test_figures_of_before_are_compared(self):
        """Their schema has no spread."""
        path = ROOT / 'docs' / 'benchmarks' / '2026-11-28-h200.json'
        done = bench('--compare', path, path)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r'ours: 0 slower, 0 faster, \d{3,} within noise')


class Rows(unittest.TestCase):
    def test_each_row_works_on_the_cpu(self):
        wanted = [row for row in (*rows.ELEMENTS, *rows.CHAINS) if row.element and not row.memory]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'figures.json'
            done = bench('--only', 'element *', '--only', 'pipeline *', '--size', '128x96', '--seconds', '0.01', '--cpu', '--json', path)
            self.assertEqual(done.returncode, 0, done.stderr)
            document = read(path)
        measured = {(row['operation'], row['format'], row['setting'])
                    for row in document['elements'] + document['pipelines'] if 'ours_us' in row}
        self.assertEqual({(row.operation, row.format, row.setting) for row in wanted} - measured, set(), document['left_out'])
        self.assertEqual([text for text in document['left_out'] if 'coalesce' in text], [])


class Other(unittest.TestCase):
    def test_each_element_has_a_row(self):
        elements = json.loads((ROOT / 'docs' / 'interface.json').read_text(encoding='utf-8'))['elements']
        self.assertEqual(set(elements) - {row.operation for row in rows.ELEMENTS}, set())
        self.assertEqual(set(elements) - {row.operation for row in rows.ELEMENTS if row.quick}, set())

    def refused(self, text, *arguments):
        """An error of one line or more, before the build, and so before any measurement."""
        done = bench('--before-build', *arguments)
        self.assertNotIn(done.returncode, (0, 100), arguments)
        self.assertIn(text, done.stderr)
        self.assertNotIn('Traceback', done.stderr)

    def test_wrong_options_are_errors_before_the_build(self):
        for text, *arguments in (
                ('above 0', '--minutes', '0'), ('above 0', '--minutes', '-1'), ('above 0', '--minutes', 'nan'),
                ('no size', '--size', '0x240'), ('no size', '--size', '320'), ('no folder', '--json', 'no/such/folder.json'),
                ('cannot be written', '--json', ROOT), ('cannot be written', '--log', ROOT),
                ('no picture', '--picture', 'nosuch.png'), ('no picture', '--picture', ROOT)):
            self.refused(text, *arguments)

    def test_a_pattern_without_rows_says_what_has_some(self):
        for arguments in ('--only', 'no such row'), ('--only', 'median', '--only', 'medain'):
            self.refused(f"'{arguments[-1]}'", *arguments)
            self.refused('element: uyvy2y; ', *arguments)

    def test_a_pattern_reaches_what_coding_programs_measure(self):
        self.assertEqual(bench('--before-build', '--only', 'kernel j2kenc*lossless').returncode, 100)

    def test_rows_that_need_a_gpu_are_named_as_such(self):
        done = bench('--only', 'pipeline upload', '--size', '320x240')
        self.assertEqual(done.returncode, 1)
        self.assertIn('without a GPU', done.stderr)

    def test_foreign_files_are_not_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'foreign.json'
            for text in ('', '5', '[]', '{}', '{"rows": [], "date": "today", "commit": "0"}', '{"rows": [1], "date": "", "commit": ""}',
                         '{"rows": [{"ours_us": 5}], "date": "today", "commit": "0"}'):
                path.write_text(text, encoding='utf-8')
                self.refused('foreign.json', '--compare', path)
            path.write_bytes(bytes(range(256)))
            self.refused('foreign.json', '--compare', path)
            self.refused('No such file', '--compare', f'{path}.not')

    def test_files_that_are_no_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'picture.ppm'
            for data in b'some text\n', b'', b'P6\n2 2\n255\nnot all':
                path.write_bytes(data)
                self.refused('picture.ppm is no', '--picture', path)

    def test_figures_are_shown_that_cannot_be_written(self):
        done = bench('--only', 'element uyvy2y*GRAY8', '--size', '320x240', '--minutes', '0.01', '--json', '/dev/full')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('/dev/full is not written', done.stderr)
        self.assertIn('uyvy2y', done.stdout)

    def test_another_machine_is_named_before_the_measurement(self):
        path = ROOT / 'docs' / 'benchmarks' / '2026-11-28-h200.json'
        done = bench('--only', 'element uyvy2y*GRAY8', '--size', '320x240', '--minutes', '0.01', '--compare', path)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertLess(done.stderr.index('another machine'), done.stderr.index('[1 of'))

    def test_an_interruption_keeps_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'figures.json'
            command = [sys.executable, str(BENCH), '--build', str(BUILD), '--only', 'element *', '--size', '320x240', '--seconds', '0.1',
                       '--json', str(path)]
            with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  start_new_session=True) as running:
                for line in running.stderr:
                    if line.startswith('[3 of'):
                        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
                        break
                _, errors = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, errors)
            document = read(path)
            self.assertFalse(document['complete'])
            self.assertTrue(document['elements'])
            self.assertTrue(any('interrupted' in text for text in document['left_out']), document['left_out'])

    def test_wrong_elements_are_named_and_the_others_measured(self):
        program = BUILD / 'bench' / 'bench-pipeline'
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'figures.json'
            subprocess.run([str(program), '--in', 'video/x-raw,format=GRAY8,width=64,height=48', '--out', 'video/x-raw,format=GRAY8',
                            '--seconds', '0.05', '--json', str(path), 'missing', 'nosuchelement', 'refusing',
                            'capsfilter caps=video/x-raw,format=RGB', 'good', 'identity'],
                           check=True, env=ENVIRONMENT, capture_output=True)
            ways = {row['way']: row for row in read(path)['rows']}
        self.assertIn('no element "nosuchelement"', ways['missing']['error'])
        self.assertIn('error', ways['refusing'])
        self.assertGreater(ways['good']['us'], 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
