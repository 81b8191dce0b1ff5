# SPDX-License-Identifier: LGPL-2.1-or-later
"""The layer of commands: whole programs, from file to file, by the wall clock. Their start is part of it where one
picture is coded; of many frames the difference of two runs is taken, which has none."""

import shutil
import time

from figures import figure, rounded
from programs import Failed
from rows import HD, name_of
from steps import Step, beside

LEAST, MOST = 3, 15
FEW, MANY, MANY_OF_A_GPU = 8, 40, 400  # frames; a GPU's start varies by more than 32 of its frames take


class Commands:
    def __init__(self, run):
        self.run = run
        self.rows = []

    def steps(self, rows):
        for row in rows:
            for size in self.run.sizes if row.format != 'I420' else (HD,):
                yield Step('command', f'command: {name_of(row)} {size[0]}x{size[1]}', 4 * self.run.seconds * (1 + self.run.gpu + len(row.cpu_peers)),
                           lambda row=row, size=size: self.measure(row, size))

    def measure(self, row, size):
        ours, peers = {}, {}
        backends = {'coalesce': 'cuda', 'coalesce, CPU': 'cpu'} if self.run.gpu else {'coalesce': 'cpu'}
        lines = {name: row.element.replace('{b}', f'backend={backend}') for name, backend in backends.items()}
        for name, line in (lines | row.cpu_peers).items():
            if shutil.which(line.split()[0]) is None:
                self.run.missing.add(line.split()[0])
                continue
            try:
                samples, written = self.frames(line, size) if '{frame}' in line else self.picture(line, size)
            except Failed as error:
                self.run.leave_out(str(error))
                continue
            who = 'ours' if name == 'coalesce' else 'peer'
            fields = figure(f'{who}_us', samples, 1e6) | ({f'{who}_bytes': written} if written else {})
            if who == 'ours':
                ours = fields
            else:
                peers[name] = fields
        if ours or peers:
            self.rows += beside({'operation': row.operation, 'format': row.format, 'setting': row.setting, 'width': size[0],
                                 'height': size[1]}, ours, peers)

    def picture(self, line, size):
        """Seconds of whole runs, and the bytes that the last has written."""
        out = self.run.folder / ('out.j2c' if line.startswith('ojph') else 'out.j2k')
        files = {'in': self.run.crop(size), 'raw': self.run.crop(size, raw=True), 'out': out, 'width': size[0], 'height': size[1],
                 'bytes': 3 * size[0] * size[1], 'threads': self.run.threads}
        out.unlink(missing_ok=True)
        samples = self.repeat(lambda: self.once(line.format(**files)))
        if not out.exists() or out.stat().st_size == 0:
            raise Failed(f'{line.split()[0]} wrote no file')
        return samples, rounded(out.stat().st_size)

    def frames(self, line, size):
        """Seconds of a frame."""
        def run(count):
            return self.once(line.format(frame=self.run.interlaced_frame(size), width=size[0], height=size[1], count=count,
                                         outputs=2 * count))
        many = MANY_OF_A_GPU if self.run.gpu else MANY
        return self.repeat(lambda: (run(many) - run(FEW)) / (many - FEW)), None

    def once(self, line):
        start = time.monotonic()
        status, output = self.run.programs.execute(line.split(), 120)
        spent = time.monotonic() - start
        if status != 0:
            raise Failed(f"{line.split()[0]} ended with status {status}: {output.strip()[-200:]}")
        return spent

    def repeat(self, once):
        once()  # what it loads is in the cache of files then
        samples, start = [], time.monotonic()
        while len(samples) < LEAST or (len(samples) < MOST and time.monotonic() - start < 3 * self.run.seconds):
            samples.append(once())
        return samples
