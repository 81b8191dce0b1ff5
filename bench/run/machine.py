# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the figures are measured with: GPU, driver, clocks, processor, versions, commit and build options.

It only reads: no clock and no governor is set.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output_of(*command, check=True):
    """What a command prints, or nothing where it is not here, or fails (unless that does not matter)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=check, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return ''
    return done.stdout.strip() or done.stderr.strip()


def first_match(pattern, text):
    found = re.search(pattern, text)
    return found.group(1).strip() if found else None


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding='utf-8').strip()
    except OSError:
        return ''


# Of describe(); not of a machine whose GPU cannot be used.
GPU_NAMES = ('gpu', 'driver', 'gpu_details', 'cuda', 'nvcc', 'clocks_under_load')
GPU_FIELDS = ('name', 'driver_version', 'memory.total', 'clocks.max.sm', 'clocks.max.mem', 'power.limit', 'ecc.mode.current',
              'mig.mode.current')


class Others:
    """What other processes, and other guests of the host, use of the processors from now on."""

    def __init__(self):
        self.busy, self.all = self.ticks()
        self.own = self.own_seconds()

    @staticmethod
    def ticks():
        user, nice, system, idle, wait, *rest = (int(part) for part in read('/proc/stat').split('\n')[0].split()[1:9])
        busy = user + nice + system + sum(rest)
        return busy, busy + idle + wait

    @staticmethod
    def own_seconds():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    def share(self):
        """A part of all processors."""
        busy, all_ = self.ticks()
        own = (self.own_seconds() - self.own) * os.sysconf('SC_CLK_TCK')
        return round(max(busy - self.busy - own, 0) / max(all_ - self.all, 1), 3)


def query(fields):
    line = output_of('nvidia-smi', f"--query-gpu={','.join(fields)}", '--format=csv,noheader').split('\n')[0]
    return dict(zip(fields, (part.strip() for part in line.split(',')))) if line else {}


def clocks():
    """As they are at this moment."""
    return query(('clocks.sm', 'clocks.mem', 'temperature.gpu', 'power.draw', 'clocks_throttle_reasons.active'))


def gpu():
    """Nothing where there is none."""
    fields = query(GPU_FIELDS)
    if not fields:
        return {}
    nvcc = output_of('nvcc', '--version')
    return {'gpu': fields.pop('name'), 'driver': fields.pop('driver_version'), 'gpu_details': fields,
            'cuda': first_match(r'release ([\d.]+)', nvcc) or 'unknown', 'nvcc': first_match(r'V([\d.]+)', nvcc) or 'unknown'}


def processor():
    text = read('/proc/cpuinfo')
    memory = first_match(r'MemTotal:\s*(\d+)', read('/proc/meminfo'))
    return {'cpu': first_match(r'model name\s*:\s*(.*)', text) or platform.machine(), 'processors': len(os.sched_getaffinity(0)),
            'governor': read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor') or None,
            'cpu_mhz': first_match(r'cpu MHz\s*:\s*(.*)', text), 'memory_gib': round(int(memory) / 2**20, 1) if memory else None,
            'load': round(os.getloadavg()[0], 2), 'kernel': platform.release()}


def build_options(build):
    """Of Meson's own files, which need no Meson."""
    wanted = ('buildtype', 'optimization', 'b_ndebug', 'b_sanitize', 'cuda', 'cuda-archs')
    options = json.loads(read(build / 'meson-info' / 'intro-buildoptions.json') or '[]')
    return {o['name']: o['value'] for o in options if o['name'] in wanted}


def compilers(build):
    found = json.loads(read(build / 'meson-info' / 'intro-compilers.json') or '{}').get('host', {})
    return {language: f"{c['id']} {c['version']}" for language, c in found.items()}


def commit(given):
    """And whether files differ from it."""
    found = given or output_of('git', '-C', str(ROOT), 'rev-parse', 'HEAD') or 'unknown'
    changed = '' if given else output_of('git', '-C', str(ROOT), 'status', '--porcelain', '--untracked-files=no')
    return {'commit': found, 'uncommitted_changes': bool(changed)}


# Peers in programs of their own, and how they say their version.
VERSIONS = {
    'FFmpeg': (('ffmpeg', '-version'), r'version (\S+)'),
    'opj_compress': (('opj_compress', '-h'), r'openjp2 library v([\d.]*\d)'),
    'Grok': (('grk_compress', '-h'), r'libgrokj2k v([\d.]*\d)'),
}


def versions():
    found = {name: first_match(pattern, output_of(*command, check=False)) for name, (command, pattern) in VERSIONS.items()}
    return {name: version for name, version in found.items() if version}


def describe(build, given_commit):
    return {'date': datetime.date.today().isoformat(), **commit(given_commit), **gpu(), **processor(),
            'build': build_options(build), 'compilers': compilers(build), 'versions': versions()}


def named(pairs):
    return ', '.join(f'{name} {value}' for name, value in pairs.items() if value not in (None, ''))


def text_of(machine):
    """Lines for the terminal."""
    lines = []
    if machine.get('gpu'):
        lines += [f"GPU       {machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']}",
                  f"          {named(machine['gpu_details'])}"]
    else:
        lines.append(f"GPU       none: {machine['no_gpu']}. The CPU back ends are measured")
    lines.append(f"CPU       {machine['cpu']}, {machine['processors']} processors, "
                 + named({'governor': machine['governor'], 'MHz': machine['cpu_mhz'], 'GiB': machine['memory_gib'],
                          'load': machine['load']}))
    lines.append(f"versions  {named(machine['versions'])}")
    changed = ' with uncommitted changes' if machine['uncommitted_changes'] else ''
    lines.append(f"build     commit {machine['commit'][:10]}{changed}, {named({**machine['build'], **machine['compilers']})}")
    lines += [f"copy      {row['operation']}: {row['gb_per_s']:,.1f} GB/s" for row in machine.get('copies', ())]
    return '\n'.join(lines)
