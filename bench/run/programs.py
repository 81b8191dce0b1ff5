# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the programs of a build and shows how far the whole is."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """A program or a module that is not here."""

    def __init__(self, what, text):
        super().__init__(f'{what} {text}')
        self.what = what


class Failed(Exception):
    """A program that gave no figures."""


class Progress:
    """Steps with estimates in seconds. What is left is scaled by how long the steps of a kind have really taken."""

    def __init__(self, stream=sys.stderr):
        self.stream = stream
        self.terminal = stream.isatty()
        self.left = collections.Counter()
        self.spent = collections.defaultdict(lambda: [0, 0])  # of a kind: estimates, seconds
        self.count = self.all = 0
        self.width = 0

    def plan(self, steps):
        self.all = len(steps)
        for step in steps:
            self.left[step.kind] += step.estimate

    def seconds_left(self):
        estimates, seconds = (sum(part) for part in zip((0, 0), *self.spent.values()))
        general = seconds / estimates if estimates else 1
        def rate(kind):
            return self.spent[kind][1] / self.spent[kind][0] if self.spent[kind][0] else general
        return sum(rate(kind) * seconds for kind, seconds in self.left.items())

    def begin(self, step):
        self.count += 1
        left = self.seconds_left()
        left = f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'
        line = f'[{self.count} of {self.all}, {left} left] {step.title}'
        if self.terminal:
            columns = shutil.get_terminal_size().columns - 1
            self.stream.write('\r' + line[:columns].ljust(min(self.width, columns)))
            self.width = len(line)
        else:
            self.stream.write(line + '\n')
        self.stream.flush()

    def end(self, step, seconds):
        self.left[step.kind] -= step.estimate
        self.spent[step.kind][0] += step.estimate
        self.spent[step.kind][1] += seconds

    def say(self, text):
        """A line that stays."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self):
        if self.terminal and self.width:
            self.stream.write('\r' + ' ' * min(self.width, shutil.get_terminal_size().columns - 1) + '\r')
        self.width = 0


class Programs:
    """Of one build folder, or two: kernels on the machine's own, and elements that were built elsewhere."""

    def __init__(self, build, elements_build, log):
        self.folders = [folder for folder in (build, elements_build) if folder]
        self.log = log
        self.environment = dict(os.environ)
        for folder in reversed(self.folders):
            if (folder / 'gst' / 'libgstcoalesce.so').exists():
                paths = [str(folder / 'gst'), os.environ.get('GST_PLUGIN_PATH', '')]
                self.environment['GST_PLUGIN_PATH'] = ':'.join(path for path in paths if path)

    def find(self, name):
        for folder in self.folders:
            for path in (folder / 'bench' / name, folder / name):
                if path.exists():
                    return path
        return None

    def run(self, name, arguments, limit=600):
        """The program's JSON, with its exit status."""
        program = self.find(name)
        if program is None:
            raise Missing(name, 'was not built')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'figures.json'
            python = [python_with('cv2')] if name.endswith('.py') else []
            status, text = self.execute([*python, str(program), *arguments, '--json', str(path)], limit)
            if not path.exists():
                last = text.strip().split('\n')[-1]
                raise Failed(f'{name} ended with status {status}: {last}')
            return json.loads(path.read_text(encoding='utf-8')) | {'status': status}

    def execute(self, command, limit=600):
        """Status and output; the log has both."""
        try:
            done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors='replace', timeout=limit, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as error:
            raise Failed(f'{pathlib.Path(command[0]).name} did not end in {limit} s') from error
        self.log.write(f"$ {' '.join(command)}\n{done.stdout}\n-- status {done.returncode}\n")
        return done.returncode, done.stdout


def python_with(module):
    """A Python that has a module: this one or the system's."""
    for python in dict.fromkeys((sys.executable, '/usr/bin/python3')):
        command = [python, '-c', f'import {module}']
        if shutil.which(python) and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return python
    raise Missing(module, 'is a module that no Python here has')


def timed(work):
    start = time.monotonic()
    result = work()
    return time.monotonic() - start, result
