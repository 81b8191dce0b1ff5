# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of Nsight Compute (ncu) for programs that launch once: see ../support/profile.h."""

import csv
import os
import re
import signal
import subprocess

MARK = 'profile_mark'
# Our names, the profiler's, and how figures of several kernels become one: added up, or a mean with another one's weight.
TIME, SECTORS = 'time_ns', 'load_sectors'
METRICS = {
    TIME: ('gpu__time_duration.sum', None),
    'instructions': ('smsp__inst_executed.sum', None),
    'thread_instructions': ('smsp__thread_inst_executed.sum', None),
    'float_operations': ('smsp__sass_thread_inst_executed_op_fp32_pred_on.sum', None),
    'integer_operations': ('smsp__sass_thread_inst_executed_op_integer_pred_on.sum', None),
    'memory_operations': ('smsp__sass_thread_inst_executed_op_memory_pred_on.sum', None),
    'dram_read': ('dram__bytes_read.sum', None),
    'dram_written': ('dram__bytes_write.sum', None),
    SECTORS: ('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', None),
    'load_efficiency': ('smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct', SECTORS),
    'store_efficiency': ('smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct', TIME),
    'occupancy': ('sm__warps_active.avg.pct_of_peak_sustained_active', TIME),
    'dram_share': ('dram__throughput.avg.pct_of_peak_sustained_elapsed', TIME),
    'sm_share': ('sm__throughput.avg.pct_of_peak_sustained_elapsed', TIME),
    'registers': ('launch__registers_per_thread', TIME),
}


# What every version knows, should one refuse others without a name.
PLAIN = ('gpu__time_duration.sum', 'smsp__inst_executed.sum', 'dram__bytes_read.sum', 'dram__bytes_write.sum',
         'sm__warps_active.avg.pct_of_peak_sustained_active')


def number(text):
    try:
        return float(text.replace(',', ''))
    except ValueError:
        return None  # n/a


def read_kernels(log):
    """Of the profiler's CSV: a dict for each kernel, its name among it."""
    lines = log.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    head, _, *rows = csv.reader(lines[start:])
    at = {name: head.index(metric) for name, (metric, _) in METRICS.items() if metric in head}
    name = head.index('Kernel Name')
    return [{'kernel': row[name]} | {key: number(row[column]) for key, column in at.items()} for row in rows if len(row) == len(head)]


def runs_of(kernels):
    """The kernels of each run: what follows a mark."""
    runs = []
    for kernel in kernels:
        if MARK in kernel['kernel']:
            runs.append([])
        elif runs:
            runs[-1].append(kernel)
    return runs


def together(kernels):
    """One figure of each metric."""
    result = {'launches': len(kernels)}
    for name, (_, weight) in METRICS.items():
        known = [kernel for kernel in kernels if kernel.get(name) is not None and (weight is None or kernel.get(weight))]
        if not known:
            continue
        if weight is None:
            result[name] = sum(kernel[name] for kernel in known)
        else:
            result[name] = sum(kernel[name] * kernel[weight] for kernel in known) / sum(kernel[weight] for kernel in known)
    return result


def longest(kernels, most=8):
    """Names and times of the kernels that need most."""
    times = {}
    for kernel in kernels:
        name = re.sub(r'\(anonymous namespace\)::|<unnamed>::|coalesce::(\w+::)*', '', kernel['kernel'])
        times[name[:100]] = times.get(name[:100], 0) + (kernel.get(TIME) or 0)
    return [{'kernel': name, TIME: times[name]} for name in sorted(times, key=times.get, reverse=True)[:most]]


def output_of(command, seconds):
    """Status and what it says. Too late: it is ended, and the program that it runs."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                               env=os.environ | {'LC_ALL': 'C'})
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise subprocess.TimeoutExpired(command[-1], seconds) from error
    return process.returncode, said


class Profiler:
    """ncu, with the metrics that it knows."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.metrics, self.missing = [metric for metric, _ in METRICS.values()], []
        self.ran, self.failures = False, 0

    def is_useless(self):
        """It has failed again and again, and never run: it may not read the counters, say."""
        return not self.ran and self.failures > 1

    def version(self):
        try:
            text = subprocess.run([self.program, '--version'], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return ''
        found = re.search(r'Version ([\d.]+)', text)
        return found.group(1) if found else 'unknown'

    def command(self, log):
        return [self.program, '--csv', '--page', 'raw', '--print-units', 'base', '--log-file', str(log), '--clock-control', 'none',
                '--profile-from-start', 'off', '--metrics', ','.join(self.metrics)]

    def run(self, command, seconds):
        """Kernels, and what was wrong. Metrics that the profiler refuses are left out from then on."""
        log = self.folder / 'ncu.csv'
        while self.metrics:
            log.unlink(missing_ok=True)
            try:
                status, said = output_of(self.command(log) + command, seconds)
            except (OSError, subprocess.TimeoutExpired) as error:
                return [], str(error)
            text = log.read_text(encoding='utf-8', errors='replace') if log.exists() else ''
            found = read_kernels(text)
            if found:
                self.ran = True
                self.missing += [metric for name, (metric, _) in METRICS.items()
                                 if name not in found[0] and metric not in self.missing]
                return found, f'status {status}' if status else ''
            lines = [line for line in (text + said).splitlines() if '==ERROR==' in line or '==WARNING==' in line]
            refused = [metric for metric in self.metrics if any(metric.split('.')[0] in line for line in lines)]
            if not refused and not self.ran:
                refused = [metric for metric in self.metrics if metric not in PLAIN]
            if not refused:
                self.failures += 1
                return [], ' '.join(lines[:3]) or said.strip()[-300:] or f'status {status}'
            self.missing += refused
            self.metrics = [metric for metric in self.metrics if metric not in refused]
        return [], 'the profiler knows none of the metrics'
