# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs for record.py where there is no GPU: they write rows as the real ones do, and the profiler's marks.

The benchmark's programs and ncu are this file under other names. A row's time depends on its name alone. COALESCE_FAKE_SLOW makes
the named variant so many times as slow: NAME=FACTOR.
"""
import json
import os
import pathlib
import subprocess
import sys
import zlib

STATES = {'book-filters': [f'filter {n}x{n}' for n in range(3, 14, 2)] + [f'two passes {n}x{n}' for n in range(3, 14, 2)],
          'three-tap': ['3-tap filter']}
VARIANTS = {'filter': ['library, generic', 'library, separable', 'library', 'book: a pixel a thread', 'book: any mask',
                       'book: 8 pixels a thread', 'book: shared memory'],
            'two passes': ['book: separable'], '3-tap filter': ['naive', 'shared memory', 'four samples a thread']}
SIZES = {'book-filters': ['512x512', '1024x1024', '2048x2048', '4096x4096'], 'three-tap': ['1024x1024', '4096x4096']}
REFUSED = 'launch__registers_per_thread'  # by this profiler


def time_of(*names):
    slow, _, factor = os.environ.get('COALESCE_FAKE_SLOW', '=1').partition('=')
    return (10 + zlib.crc32(' '.join(names).encode()) % 1000 / 10) * (float(factor) if slow in names else 1)


def values(arguments, name):
    return [value for option, value in zip(arguments, arguments[1:]) if option == name]


def row_of(operation, variant, size, once):
    width, height = map(int, size.split('x'))
    row = {'backend': 'cuda', 'operation': operation, 'variant': variant, 'width': width, 'height': height}
    return row if once else row | {'us': time_of(operation, variant, size), 'copy_us': 9.5, 'copy_kernel_us': 9}


def bench_kernels(arguments):
    case, once = values(arguments, '--case')[0], '--once' in arguments
    operations = [name.removeprefix('=') for name in values(arguments, '--operation')] or STATES[case]
    sizes = values(arguments, '--size') or SIZES[case]
    rows = []
    for operation in operations:
        named = next((known for start, known in VARIANTS.items() if operation.startswith(start)), ['library'])
        for size in sizes:
            rows += [row_of(operation, variant, size, once) for variant in values(arguments, '--variant') or named]
            if case == 'j2k-mq':
                print(f'{operation}, {size}: 1234 blocks, 5678901 symbols, 34567 in the longest')
            if case == 'three-tap' and not once:
                rows += frames(size)
            if operation == 'filter 3x3':
                rows.append(row_of('picture to the GPU and back', 'page-locked', size, once))
    return rows


def frames(size):
    width, height = map(int, size.split('x'))
    rows = []
    for variant in VARIANTS['3-tap filter']:
        base = {'operation': '3-tap filter, frames', 'variant': variant, 'width': width, 'height': height}
        for transfers in 'synchronous', 'asynchronous':
            rows.append(base | {'transfers': transfers} | {f'{step}{cpu}_us': time_of(variant, transfers, step + cpu)
                                                           for step in ('upload', 'process', 'readback') for cpu in ('', '_cpu')})
        rows += [base | {'transfers': f'{count} streams', 'frame_us': time_of(variant, str(count))} for count in (1, 2, 4)]
    return rows


def bench_jpeg(arguments):
    width, height = map(int, values(arguments, '--size')[0].split('x'))
    names = [('coalesce CUDA', 'once')] if '--once' in arguments else \
        [('libjpeg-turbo', '1 thread'), ('coalesce', '1 thread'), ('coalesce CUDA', 'alone'), ('coalesce CUDA', '2 in flight'),
         ('coalesce CUDA', '3 in flight'), ('coalesce CUDA', '4 in flight')]
    return [{'operation': f'JPEG {form}', 'encoder': name, 'how': how, 'width': width, 'height': height, 'bytes': 700000,
             'ms': time_of(form, name, how) / 1e3} for form in (['4:2:0'] if '--once' in arguments else ['4:2:0', '4:4:4', 'RGB as 4:2:0'])
            for name, how in names]


def coder(arguments):
    return [{'operation': 'once', 'width': 1920, 'height': 1080, 'bytes': 2000000}]


def ncu(arguments):
    """Runs the program, and says that each of its rows was a mark and two kernels."""
    if arguments == ['--version']:
        return print('NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 1)')
    log, metrics = values(arguments, '--log-file')[0], values(arguments, '--metrics')[0].split(',')
    command = arguments[arguments.index('--metrics') + 2:]
    if REFUSED in metrics:
        pathlib.Path(log).write_text(f'==ERROR== Failed to find metric {REFUSED}\n')
        sys.exit(1)
    subprocess.run(command, check=True)
    rows = json.loads(pathlib.Path(command[command.index('--json') + 1]).read_text())['rows']
    kernels = [name for row in rows for name in ('profile_mark()', f"first<{row['width']}>()", 'second(int, float)')]
    lines = ['==PROF== Connected to process 1', ','.join(['"ID"', '"Kernel Name"'] + [f'"{metric}"' for metric in metrics]),
             ','.join(['""'] * (2 + len(metrics)))]
    lines += [','.join([f'"{i}"', f'"{name}"'] + [f'"{figure(metric, name)}"' for metric in metrics]) for i, name in enumerate(kernels)]
    pathlib.Path(log).write_text('\n'.join(lines) + '\n')


def figure(metric, kernel):
    """Of the first kernel ten times those of the second one."""
    size = 10 if kernel.startswith('first') else 1
    if metric.endswith('.sum'):
        return f'{1000 * size * (32 if "thread_inst" in metric else 1):,}'
    return 'n/a' if 'mem_global_op_st' in metric else 50 + size


def main():
    name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
    if name == 'ncu':
        return ncu(arguments)
    if name == 'nvidia-smi':
        return print('Fake GPU, 580.1')
    program = {'bench-kernels': bench_kernels, 'bench-jpeg': bench_jpeg}.get(name, coder)
    rows = program(arguments)
    path = pathlib.Path(values(arguments, '--json')[0])
    path.write_text(json.dumps({'program': name, 'rows': rows}))


if __name__ == '__main__':
    main()
