#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fleet on a Ray cluster of up to 16 nodes that are all on this machine, with GPUs that are only waited for.

usage: simulate.py --out FILE.json [--nodes 1,2,4,8,16] [--seconds 60] [--seed 1] [--no-faults]

The command, engine, journal, workers and Ray are the real ones, and so is the probing of inputs. Only encode.py and
join.py are replaced: they wait as long as a GPU would, and write a small file. A wait is cut + pictures / rate, and the
start in a process's first, times a factor of a seeded lognormal distribution. Faults, in their order: every eighth node is slow, by half; of fifty
segments one fails at its first attempt; at a third of the segments a node is killed (its tasks with it), and at a
half another one comes. `ray start` and the driver need a core or two; waits need none, so two cores carry 16 nodes.

Time of the slots that encode (nodes x processes on each, from the first segment's begin to the last one's end) is divided into
  useful    waits whose segment counted
  started   starts of encoder processes
  lost      waits of attempts that failed, or died with their node
  idle      between tasks: messages, submission, renames, fsync and the journal, starts of actors, and the last
            segments' end, when there are no others left to fill a slot
Efficiency is useful / all. Without faults it is what scheduling costs. It needs the fleet's packages, Ray, and grpcio
to read how full the object stores are.
"""

import sys
import time


def process(kind):
    """Takes the place of gst/KIND.py: a job a line on stdin, JSON lines on stdout."""
    import ctypes
    import json
    import os
    import signal
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # as gst/common.py: it dies with its worker
    settings = json.loads(os.environ['SIMULATION'])
    start = settings['start'] if kind == 'encode' else 0
    for line in sys.stdin:
        message = job(kind, json.loads(line), start, settings)
        print(json.dumps(message), flush=True)
        if 'error' in message:
            return 1
        start = 0
    return 0


def job(kind, asked, start, settings):
    begin = time.time()
    import hashlib
    import json
    import os
    import random
    if kind == 'about':
        return {'done': {'remembers': None, 'made_by': 'simulation'}}
    slow = float(os.environ.get('SIMULATION_SLOW', '1'))
    place = f"{asked.get('input', asked.get('segments', ''))} {asked.get('first')}"
    draw = random.Random(f"{settings['seed']} {kind} {place}")
    log = os.open(os.path.join(settings['folder'], 'waits'), os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(what):
        os.write(log, f'{what} {kind} {begin:.3f} {time.time():.3f} {start:.3f}\n'.encode())

    pictures = asked['count'] if kind == 'encode' else 0
    factor = draw.lognormvariate(0, settings['sigma']) * slow
    start *= factor
    wait = start + (settings['cut'] + pictures / settings['rate']) * factor
    note('begin')
    if settings['faults'] and kind == 'encode' and draw.random() < 0.02:
        mark = os.path.join(settings['folder'], 'failed-' + hashlib.sha256(place.encode()).hexdigest())
        if not os.path.exists(mark):
            time.sleep(wait / 2)
            open(mark, 'w').close()
            note('failed')
            return {'error': 'lost', 'text': 'a fault of the simulation'}
    time.sleep(wait)
    data = place.encode()
    with open(asked['out'], 'wb') as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    done = {'bytes': len(data), 'sha256': hashlib.sha256(data).hexdigest()}
    if kind == 'encode':
        done.update(count=pictures, first=asked['first'], caps=asked['caps'])
        with open(asked['index'], 'w', encoding='utf-8') as file:
            json.dump({**done, 'frames': []}, file)
    else:
        done['notes'] = []
    note('useful')
    os.close(log)
    return {'done': done}


if __name__ == '__main__' and sys.argv[1:2] == ['--job']:
    sys.exit(process(sys.argv[2]))

import argparse  # noqa: E402
import datetime  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402

import av  # noqa: E402
import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STORE = 80 << 20  # bytes of each node's object store, near the least that Ray takes
# A process of six that share an H200, for 3840x2160: pictures a second, the start of the process, the cost of a segment.
RATE, START, CUT, SIGMA = 145.0, 6.0, 0.35, 0.2
SEGMENT, ITEM = 480, 9600  # pictures
PER_GPU = 2


def clip(path):
    """A video with many pictures in few bytes, a keyframe every 24."""
    with av.open(str(path), 'w') as file:
        stream = file.add_stream('mpeg4', rate=25)
        stream.width = stream.height = 16
        stream.pix_fmt, stream.gop_size = 'yuv420p', 24
        picture = av.VideoFrame(16, 16, 'yuv420p')
        for plane in picture.planes:
            plane.update(bytes(plane.buffer_size))
        for number in range(ITEM):
            picture.pts = number
            file.mux(stream.encode(picture))
        file.mux(stream.encode(None))


def usage(process):
    """CPU seconds and the most memory of a process so far."""
    fields = pathlib.Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()
    peak = re.search(r'VmHWM:\s*(\d+)', pathlib.Path(f'/proc/{process}/status').read_text())
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), int(peak.group(1)) / 1e3


def object_store(address):
    """Megabytes in the object stores of all nodes."""
    from ray._private.internal_api import memory_summary
    text = memory_summary(address, stats_only=True)
    found = re.search(r'Plasma memory usage (\d+) MiB', text)
    return int(found.group(1)) if found else None


class Nodes:
    def __init__(self, faults):
        self.cluster = Cluster(initialize_head=True, head_node_args={
            'num_cpus': 1, 'num_gpus': 0, 'object_store_memory': STORE, 'include_dashboard': False})
        self.faults, self.nodes, self.count, self.killed = faults, [], 0, 0.0

    def add(self):
        slow = self.faults and self.count % 8 == 7
        self.count += 1
        os.environ['SIMULATION_SLOW'] = '1.5' if slow else '1'
        self.nodes.append(self.cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=STORE))

    def kill_one(self):
        self.killed = time.time()
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)


def waits(folder, killed):
    """Seconds by what came of them, and the time of the last end. Those without an end died with their node."""
    seconds, without_end = {'useful': 0.0, 'started': 0.0, 'failed': 0.0, 'died': 0.0}, {}
    last = 0.0
    for line in (folder / 'waits').read_text().splitlines():
        what, kind, begin, now, start = line.split()
        if kind != 'encode':
            continue
        last = max(last, float(now))
        if what != 'begin':
            seconds[what] += float(now) - float(begin) - float(start)
            seconds['started'] += float(start)
        without_end[kind, begin] = without_end.get((kind, begin), 0) + (1 if what == 'begin' else -1)
    for (_, begin), count in without_end.items():
        seconds['died'] += count * max(0.0, killed - float(begin))
    return seconds, last


def simulate(count, seconds, seed, faults):
    mean = CUT + SEGMENT / RATE
    items = max(1, round(count * PER_GPU * seconds / mean / (ITEM / SEGMENT)))
    segments = items * ITEM // SEGMENT
    with tempfile.TemporaryDirectory(prefix='simulate-') as name:
        folder = pathlib.Path(name)
        (folder / 'in').mkdir()
        clip(folder / 'clip.mp4')
        for number in range(items):
            os.link(folder / 'clip.mp4', folder / 'in' / f'{number:04}.mp4')
        wrapper = folder / 'python'
        wrapper.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\n'
                           f'exec {sys.executable} -S -E {HERE}/simulate.py --job "$(basename "$1" .py)"\n')
        wrapper.chmod(0o755)
        os.environ.update(COALESCE_FLEET_PYTHON=str(wrapper), PYTHONPATH=str(HERE.parent), SIMULATION=json.dumps(
            {'seed': seed, 'folder': name, 'rate': RATE, 'start': START, 'cut': CUT, 'sigma': SIGMA, 'faults': faults}))
        nodes = Nodes(faults)
        try:
            for _ in range(count):
                nodes.add()
            nodes.cluster.wait_for_nodes()
            row = drive(nodes, folder, segments, faults)
        finally:
            nodes.cluster.shutdown()
        spent, last = waits(folder, nodes.killed)
        journal = (folder / 'out' / '.coalesce-fleet' / 'journal.jsonl').stat().st_size
        outputs = len(list((folder / 'out').glob('*.mxf')))
    # The slots of the node that was killed are not all there between its end and the other's coming.
    all_time = count * PER_GPU * (last - row.pop('first'))
    row.update(nodes=count, slots=count * PER_GPU, items=items, outputs=outputs, segments=segments,
               tasks_s=round((segments + 2 * items) / row['seconds'], 2), journal_bytes=journal,
               journal_bytes_a_segment=round(journal / segments), ideal_s=round(spent['useful'] / (count * PER_GPU), 1),
               useful_s=round(spent['useful'], 1), started_s=round(spent['started'], 1), lost_s=round(spent['failed'] + spent['died'], 1),
               efficiency=round(spent['useful'] / all_time, 3))
    return row


def drive(nodes, folder, segments, faults):
    """Runs the command, and makes the faults as its events come."""
    command = [sys.executable, '-m', 'coalesce_fleet', 'encode', str(folder / 'in'), '--to', str(folder / 'out'),
               '--pipeline', 'j2kenc bpp=2', '--segment-frames', str(SEGMENT), '--per-gpu', str(PER_GPU),
               '--address', nodes.cluster.address, '--json']
    begin, first, start, done, peak = time.monotonic(), None, None, 0, (0.0, 0.0)
    todo = [(segments // 3, nodes.kill_one), (segments // 2, nodes.add)] if faults and len(nodes.nodes) > 1 else []
    stores, retries = [], 0
    with open(folder / 'stderr', 'w+', encoding='utf-8') as said:
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            for line in driver.stdout:
                if not line.startswith('{'):  # of Ray's libraries
                    print(f'on the stdout of the command: {line.rstrip()}', file=sys.stderr)
                    continue
                kind = json.loads(line)['event']
                if first is None and (folder / 'waits').exists():
                    first = float((folder / 'waits').read_text().split()[2])
                retries += kind == 'retry'
                if kind == 'segment':
                    done += 1
                    peak = usage(driver.pid)
                    start = start or peak[0]
                    if todo and done >= todo[0][0]:
                        todo.pop(0)[1]()
                    if done == segments // 4 or done == segments:
                        stores.append(object_store(nodes.cluster.address))
            code = driver.wait()
        finally:
            driver.kill()
            driver.wait()
        if code:
            said.seek(0)
            raise RuntimeError(f'coalesce-fleet ended with {code}: {said.read()[-2000:]}')
    elapsed = time.monotonic() - begin
    return {'seconds': round(elapsed, 1), 'first': first, 'driver_cpu_s': round(peak[0], 2),
            'driver_start_cpu_s': round(start, 2), 'driver_memory_mb': round(peak[1]),
            'driver_cpu_ms_a_segment': round(1e3 * (peak[0] - start) / (segments - 1), 2),
            'object_store_mb': max((value for value in stores if value is not None), default=None), 'retries': retries}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--nodes', default='1,2,4,8,16')
    parser.add_argument('--seconds', type=float, default=60, help='of work for each slot')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--no-faults', action='store_true', help='only without faults')
    arguments = parser.parse_args()
    model = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text())
    result = {'date': datetime.date.today().isoformat(), 'cpu': model.group(1) if model else '',
              'cores': len(os.sched_getaffinity(0)), 'ray': ray.__version__, 'seed': arguments.seed,
              'wait': {'start_s': START, 'cut_s': CUT, 'pictures_s': RATE, 'sigma': SIGMA, 'pictures': SEGMENT}, 'rows': []}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for count in map(int, arguments.nodes.split(',')):
        for faults in (False, True)[:1 if arguments.no_faults or count == 1 else 2]:
            row = {'faults': faults} | simulate(count, arguments.seconds, arguments.seed, faults)
            result['rows'].append(row)
            print(json.dumps(row), flush=True)
            arguments.out.write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
