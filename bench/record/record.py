#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record's figures on this machine: the experiments of docs/record.md, and the profiler's figures of every element.

usage: record.py --build BUILD --picture FILE --json FILE

BUILD has -Dbench=true. The photograph is a PPM file, or what Pillow reads. Without ncu, or where it may not read the counters,
its figures are left out, and the last lines say so. page.py makes the page from the newest file of docs/benchmarks/record.
"""

import argparse
import glob
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / 'run')]
import machine  # noqa: E402
import plan  # noqa: E402
from picture import Picture  # noqa: E402
from profiler import MARK, Profiler, longest, output_of, runs_of, together  # noqa: E402

MOST_SECONDS = 120  # of a step
CHAIN = re.compile(r'^(j2k-mq .*), (\d+)x(\d+): (\d+) blocks, (\d+) symbols, (\d+) in the longest$', re.M)


def say(text):
    print(f'-- {text}', flush=True)


class Record:
    """Runs programs until the time is over. What failed has a line in `failed`."""

    def __init__(self, build, files, folder, seconds):
        self.programs, self.files, self.folder = build / 'bench', files, folder
        self.started, self.end = time.monotonic(), time.monotonic() + seconds
        self.failed = {}
        self.result = {'runs': {}, 'profiles': {}, 'chains': []}

    def left(self):
        return self.end - time.monotonic()

    def command(self, arguments):
        """None without a file that it wants."""
        if any(argument == f'{{{name}}}' for name, path in self.files.items() if path is None for argument in arguments):
            return None
        program, *rest = (argument.format(**self.files) for argument in arguments)
        return [str(self.programs / program), *rest, '--json', str(self.folder / 'rows.json')]

    def fail(self, name, why):
        self.failed[name] = why
        say(f'{name}: {why}')

    def rows(self):
        path = self.folder / 'rows.json'
        return json.loads(path.read_text(encoding='utf-8'))['rows'] if path.exists() else []

    def start(self, name, arguments):
        """The command, or None."""
        (self.folder / 'rows.json').unlink(missing_ok=True)
        command = self.command(arguments)
        if command is None:
            return self.fail(name, 'there is no such file, or Pillow, which would make it, is missing')
        if not pathlib.Path(command[0]).exists():
            return self.fail(name, f'{arguments[0]} was not built')
        if self.left() < 5:
            return self.fail(name, 'no time was left')
        say(f'{time.monotonic() - self.started:.0f} s: {name}')
        return command

    def run(self, name, arguments):
        command = self.start(name, arguments)
        if command is None:
            return
        try:
            status, said = output_of(command, min(self.left(), MOST_SECONDS))
        except Exception as error:  # what it had measured until then is not written
            return self.fail(name, str(error))
        if status != 0:
            self.fail(name, f'status {status}: {said.strip()[-300:]}')
        rows = self.rows()
        if rows:
            self.result['runs'][name] = rows
        for operation, *numbers in CHAIN.findall(said):
            chain = dict(zip(('width', 'height', 'blocks', 'symbols', 'longest'), map(int, numbers)))
            if {'operation': operation, **chain} not in self.result['chains']:
                self.result['chains'].append({'operation': operation, **chain})

    def profile(self, name, arguments, profiler):
        command = self.start(f'{name}, profile', arguments)
        if command is None:
            return
        kernels, wrong = profiler.run(command, min(self.left(), MOST_SECONDS))
        rows, runs = self.rows(), runs_of(kernels)
        if not kernels:
            self.fail(f'{name}, profile', wrong)
        elif len(rows) != len(runs):
            self.fail(f'{name}, profile', f'{len(rows)} rows, and {len(runs)} kernels {MARK}; {wrong}')
        else:
            self.result['profiles'][name] = [row | together(run) | {'kernels': longest(run)} for row, run in zip(rows, runs)]


def as_jpeg(picture, folder):
    """A file of quality 90, 4:2:0, of 1920x1088 pixels; or the photograph itself; or None."""
    try:
        from PIL import Image
    except ImportError:
        return picture if picture.suffix.lower() in ('.jpg', '.jpeg') else None
    path = folder / 'part.jpg'
    Image.open(picture).convert('RGB').crop((0, 0, 1920, 1088)).save(path, quality=90, subsampling='4:2:0')
    return path


def installed_profiler():
    """The newest, where none is on the path."""
    places = [path for folder in ('/usr/local/cuda/bin', '/opt/nvidia/nsight-compute/*') for path in sorted(glob.glob(f'{folder}/ncu'))]
    return shutil.which('ncu') or (places[-1] if places else 'ncu')


def measure(arguments, folder):
    files = {'picture': Picture(arguments.picture, pathlib.Path(folder)).path, 'jpeg': as_jpeg(arguments.picture, folder)}
    record = Record(arguments.build, files, folder, 60 * arguments.minutes)
    result = machine.describe(arguments.build, arguments.commit) | {'picture': arguments.picture.name}
    wanted = re.compile(arguments.only)
    profiler = Profiler(arguments.ncu, folder)
    version = profiler.version()
    if not version:
        record.fail('profiles', f'{arguments.ncu} does not start')
    for name, run, profiled in plan.steps():
        if wanted.search(name) and not profiled:
            record.run(name, run)
        elif wanted.search(name) and version and not profiler.is_useless():
            record.profile(name, run, profiler)
    if profiler.is_useless():
        record.fail('profiles', 'the profiler does not run here')
    result |= {'profiler': f'Nsight Compute {version}' if version else '', 'missing_metrics': profiler.missing,
               'seconds': round(time.monotonic() - record.started), 'failed': record.failed, **record.result}
    return result


def added(result, path):
    """To what a file has of the same machine and commit. Elements may be of another commit, which the file names then."""
    old = json.loads(path.read_text(encoding='utf-8'))
    names = {*result['runs'], *result['profiles']}
    commits = {name: result['commit'] for name in names if name.startswith('element ')}
    for key in ('gpu', 'driver') if len(commits) == len(names) else ('gpu', 'driver', 'commit'):
        if old[key] != result[key]:
            sys.exit(f'record.py: {path} is of another {key}: {old[key]}')
    result['commits'] = {name: commit for name, commit in (old.get('commits', {}) | commits).items() if commit != old['commit']}
    result |= {key: old[key] for key in ('date', 'commit', 'seconds')}
    for key in 'runs', 'profiles':
        result[key] = old[key] | result[key]
    result['chains'] = old['chains'] + [chain for chain in result['chains'] if chain not in old['chains']]
    return result


def text_of(result):
    """JSON with a row on a line."""
    text = json.dumps(result, indent=1, ensure_ascii=False)
    return re.sub(r'\{[^{}]*\}', lambda m: re.sub(r'\n\s+', ' ', m.group()), text) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True, type=pathlib.Path)
    parser.add_argument('--picture', required=True, type=pathlib.Path, help='a photograph, of 1920x1088 pixels or more')
    parser.add_argument('--json', required=True, type=pathlib.Path, help='the file to write')
    parser.add_argument('--minutes', type=float, default=7, help='what is not done by then is left out (%(default)g)')
    parser.add_argument('--only', default='', metavar='PATTERN', help='experiments whose name has this regular expression')
    parser.add_argument('--ncu', default=installed_profiler(), help='the profiler (%(default)s)')
    parser.add_argument('--add', action='store_true', help='keep what the file has of other experiments; of another commit, too, where all are of elements')
    parser.add_argument('--commit', help='the commit that was built, where there is no git checkout')
    arguments = parser.parse_args()
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(arguments, pathlib.Path(folder))
    if arguments.add and arguments.json.exists():
        result = added(result, arguments.json)
    arguments.json.write_text(text_of(result), encoding='utf-8')
    for name, why in result['failed'].items():
        say(f'left out: {name}: {why}')
    say(f"{arguments.json}: {sum(map(len, result['runs'].values()))} rows, {sum(map(len, result['profiles'].values()))} profiles, "
        f"{result['seconds']} s")


if __name__ == '__main__':
    main()
