# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layer of kernels: bench-kernels beside a copy, NPP and libSGM on a GPU, and OpenCV and videoconvert on the CPU.
JPEG and JPEG 2000 are programs of their own, whose settings are theirs."""

import pathlib

from figures import figure
from programs import Failed, Missing
import rows as table
from steps import Step, beside

ROWS_OF_PROCESS = 12  # so that progress shows
NPP = ('bench-npp', 'bench-npp-filter', 'bench-npp-median', 'bench-npp-canny', 'bench-npp-bilateral')


def options(name, values):
    return [argument for value in values for argument in (name, value)]


class Kernels:
    """Collects rows of the programs, which are joined at the end."""

    def __init__(self, run):
        self.run = run
        self.ours, self.peers, self.on_cpu = {}, [], []
        self.passed = set()  # cases whose trials have passed

    def steps(self, rows):
        by_case = {}
        for row in rows:
            by_case.setdefault(row.kernel[0], []).append(row)
        for size in self.run.sizes:
            for case, of_case in by_case.items():
                for i in range(0, len(of_case), ROWS_OF_PROCESS):
                    yield self.case_step(case, of_case[i:i + ROWS_OF_PROCESS], size)
        if self.run.gpu:
            yield from self.gpu_peer_steps(rows)
        else:
            yield from self.cpu_peer_steps(rows)

    def case_step(self, case, rows, size):
        labels = list(dict.fromkeys(row.kernel[1] for row in rows))
        of_one = 0.3 if self.run.gpu else 0.5 + self.run.seconds
        return Step('kernel', f"kernels: {case} {labels[0]}{' ...' if labels[1:] else ''} {text_of(size)}",
                    1 + of_one * len(labels), lambda: self.case(case, labels, size))

    def case(self, case, labels, size):
        backend = 'cuda' if self.run.gpu else 'cpu-1'
        known = ['--trials', '0'] if case in self.passed else []
        found = self.run.programs.run('bench-kernels', [
            '--backend', backend, '--no-variants', '--case', case, '--size', text_of(size), '--seconds', f'{self.run.seconds:.2f}',
            *known, *options('--operation', labels)])
        if found['status'] != 0:
            raise Failed(f'bench-kernels, {case}: its trials did not pass')
        self.passed.add(case)
        for row in found['rows']:
            self.ours.setdefault((case, row['operation'], *size), row)
        without = sum((case, label, *size) not in self.ours for label in labels)
        if without:
            self.run.leave_out(f'kernels, {case} {text_of(size)}: {without} of {len(labels)} rows, which bench-kernels does not have here')

    def gpu_peer_steps(self, rows):
        labels = [start for row in rows for start in row.npp]
        if not labels:
            return
        sizes = options('--size', [text_of(size) for size in self.run.sizes])
        for program, library in (*((name, 'NPP') for name in NPP), ('bench-libsgm', 'libSGM')):
            def run(program=program, library=library):
                found = self.run.programs.run(program, [*sizes, *options('--operation', labels)])
                self.run.libraries[library] = found[library]
                self.peers += [row | {'library': library} for row in found['rows']]
            yield Step('peer', f'kernels: {program}', 2 + 0.03 * len(labels), run)

    def cpu_peer_steps(self, rows):
        opencv = [row for row in rows if row.cpu_peer[:1] == ('OpenCV',)]
        if opencv and table.HD in self.run.sizes:
            yield Step('peer', 'kernels: beside OpenCV', 2 + 4 * self.run.seconds * len(opencv), lambda: self.opencv(opencv))
        for row in rows:
            if row.cpu_peer[:1] == ('videoconvert',):
                yield Step('peer', f'kernels: {row.cpu_peer[1]} beside videoconvert', 8 * self.run.seconds,
                           lambda row=row: self.videoconvert(row))

    def opencv(self, rows):
        library = self.run.programs.find('libbench-opencv.so')
        if library is None:
            raise Missing('libbench-opencv.so', 'was not built')
        script = pathlib.Path(__file__).resolve().parents[1] / 'peers' / 'opencv.py'
        found = self.run.programs.run(str(script), [str(library), '--pictures', '0', '--seconds', f'{self.run.seconds:.2f}',
                                                    *options('--only', [row.cpu_peer[1] for row in rows])])
        self.run.libraries['OpenCV'] = found['OpenCV']
        for row in rows:
            for one in found['rows']:
                if one['operation'] == row.cpu_peer[1]:
                    self.on_cpu.append(beside_peer(row, 'OpenCV', (one['width'], one['height']), one['ms_samples'],
                                                   one['opencv_ms_samples'], 1e3))

    def videoconvert(self, row):
        found = self.run.programs.run('bench-videoconvert', [
            row.cpu_peer[1], '--seconds', f'{self.run.seconds:.2f}', *options('--size', [text_of(size) for size in self.run.sizes])])
        done = set()
        for one in found['rows']:
            size = one['width'], one['height']
            if one['buffers'] > 1 and size not in done:  # beyond the caches; a second row is another of our functions
                done.add(size)
                self.on_cpu.append(beside_peer(row, 'videoconvert', size, one['us_samples'], one['videoconvert_us_samples'], 1))

    def result(self, rows):
        """What has been measured, in the order of the list."""
        joined = [one for row in rows for size in self.run.sizes for one in self.joined(row, size)]
        return joined + self.on_cpu

    def joined(self, row, size):
        our = self.ours.get((*row.kernel, *size))
        if our is None:
            return
        one = base_of(row, size) | {'bytes': our['bytes']} | figure('ours_us', our['us_samples'])
        copies = [(our['copy_us'], our['copy_us_samples']), (our.get('copy_kernel_us', 0), our.get('copy_kernel_us_samples'))]
        one |= figure('copy_us', min((c for c in copies if c[1]), key=lambda copy: copy[0])[1])
        one['memcpy_us'] = our['copy_us']
        if 'copy_kernel_us' in our:
            one['copy_kernel_us'] = our['copy_kernel_us']
        peers = [peer for peer in self.peers if peer['operation'].startswith(row.npp) and
                 (peer['width'], peer['height']) == size] if row.npp else []
        if peers:
            peer = min(peers, key=lambda peer: peer['us'])
            name, label = peer['operation'], row.kernel[1]
            function = name[len(label) + 2:] if name.startswith(f'{label}, ') else name.split(', ', 1)[1]
            one |= {'peer': peer['library'], 'peer_function': function} | figure('peer_us', peer['us_samples'])
        yield one


def text_of(size):
    return f'{size[0]}x{size[1]}'


def base_of(row, size):
    return {'operation': row.operation, 'format': row.format, 'setting': row.setting, 'width': size[0], 'height': size[1]}


def beside_peer(row, peer, size, ours, theirs, scale):
    return base_of(row, size) | figure('ours_us', ours, scale) | {'peer': peer} | figure('peer_us', theirs, scale)
