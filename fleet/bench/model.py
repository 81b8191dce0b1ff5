#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From measured figures to 1,000 GPUs: what driver, journal, object store and file system hold, and what ends it first.

usage: model.py --measure      measures the driver's figures on this machine into results/driver.json
       model.py                computes results/model.json from the newest figures

Figures come from results/driver.json (this script), simulation.json (simulate.py), scale.json (scale.py) or, until
there is one of a GPU, from docs/benchmarks; assumptions are in ASSUMED, and are named in the result.

--measure runs the real engine and journal with an executor that does nothing: tasks end one at a time, so that each
costs a turn of the loop over all slots and a commit, which is the worst case. Time of fsync is not CPU time.

The model of a GPU is a closed queue: each of its processes begins a segment and decodes its frames by itself, and all share
the encoder. Mean value analysis gives the share of the time in which the encoder works. The start of a process is not in
it: a process does many segments.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import resource
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / 'results'
GPUS = (1, 4, 16, 64, 256, 1000)
SIZE = (3840, 2160)
PROCESSES, FRAMES, JOINS = 6, 960, 4  # the defaults: on a GPU, of a segment, at once for a GPU
SHOWN = (1, 3, 6)  # processes
ASSUMED = {
    'host_gpus': (8, 'GPUs of a host'),
    'host_network_bytes_s': (50e9, 'network of a host, 400 Gbit/s'),
    'storage_bytes_s': (1e12, 'a large parallel file system, reading and writing together'),
    'storage_operations_s': (100e3, 'its metadata operations (create, rename, fsync)'),
    'input_bytes_frame': (0.5e6, 'H.264 at 100 Mbit/s and 25 frames/s'),
    'driver_share': (0.5, 'of a core that the driver may use'),
    'mean_item_frames': (90_000, 'an item, an hour at 25 frames/s'),
}
# Of a byte of output: written as segment, read for joining, written joined, read to compare and for the output's digest.
WRITES, READS = 2, 3
# Of a segment: two files created, synced and renamed, and the folder synced twice.
OPERATIONS = 8


def engine_costs(slots, segments, items):
    """CPU ms a segment in the driver's loop, journal bytes a segment, and commits a second by the clock."""
    sys.path.insert(0, str(HERE.parent))
    import contextlib
    import io
    from coalesce_fleet.engine import Engine, Settings
    from coalesce_fleet.events import Events
    from coalesce_fleet.executors import ALL, Done, Executor, Slot
    from coalesce_fleet.inputs import Item
    from coalesce_fleet.journal import Journal
    from coalesce_fleet.metrics import Metrics

    class Nothing(Executor):
        name = 'nothing'

        def __init__(self, out):
            super().__init__()
            self.out = out
            self.slots = {number: Slot(number, f'host{number // 24}/gpu{number // 3 % 8}', ALL) for number in range(slots)}

        def submit(self, slot, task):
            slot.task = task
            result = {'seconds': 1.0}
            if task['kind'] == 'prepare':
                result |= {'segments': segments, 'frames': segments * 240, 'bytes': 0}
            elif task['kind'] == 'segment':
                result |= {'count': 240, 'bytes': 1, 'sha256': '0' * 64, 'start': 0.5, 'before': 0}
            else:
                pathlib.Path(task['out']).touch()
                result |= {'frames': segments * 240, 'bytes': 0, 'sha256': '0' * 64}
            self.reports.put((slot, Done(task, result)))

        def wait(self, seconds):
            if self.reports.empty():
                return []
            slot, done = self.reports.get()
            slot.task = None
            return [done]

        def cancel(self):
            pass

    with tempfile.TemporaryDirectory(prefix='model-') as folder:
        source = pathlib.Path(folder) / 'in'
        source.touch()
        executor = Nothing(folder)
        journal = Journal(folder + '/out')
        engine = Engine(Settings('j2kenc'), [Item(f'{number}', str(source)) for number in range(items)], folder + '/out',
                        executor, journal, Events(True), Metrics())
        with contextlib.redirect_stdout(io.StringIO()):
            before, begin = time.process_time(), time.monotonic()
            code = engine.run()
            cpu, clock = time.process_time() - before, time.monotonic() - begin
        if code:
            raise RuntimeError(f'the engine ended with {code}')
        size = (pathlib.Path(folder) / 'out' / '.coalesce-fleet' / 'journal.jsonl').stat().st_size
        journal.close()
    count = segments * items
    return {'slots': slots, 'cpu_ms': round(1e3 * cpu / count, 3), 'commits_s': round((count + 2 * items) / clock),
            'journal_bytes_segment': round(size / count)}


def memory_of_items(count=20_000):
    """Bytes of memory for an item that is done: the engine's item and the journal's record."""
    sys.path.insert(0, str(HERE.parent))
    from coalesce_fleet.inputs import Item
    from coalesce_fleet.journal import replay

    def line(number):
        return json.dumps({'what': 'done', 'output': f'folder/of/an/archive/clip-{number:08}.mxf', 'job': f'{number:064}',
                           'input': f'/somewhere/folder/of/an/archive/clip-{number:08}.mov', 'frames': 1, 'bytes': number,
                           'sha256': f'{number:064}', 'pipeline': 'j2kenc bpp=2', 'container': 'mxf', 'verified': None,
                           'changed': number})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    records, _ = replay(map(line, range(count)))
    items = [Item(f'folder/of/an/archive/clip-{number:08}', f'/somewhere/folder/of/an/archive/clip-{number:08}.mov')
             for number in range(count)]
    return round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / max(len(records), len(items)))


def measure():
    memory = memory_of_items()
    rows = [engine_costs(slots, 100, items) for slots, items in ((3, 10), (48, 10), (192, 10), (768, 10), (3000, 30))]
    model = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text())
    return {'date': datetime.date.today().isoformat(), 'cpu': model.group(1) if model else '', 'cores': os.cpu_count(),
            'item_bytes': memory, 'rows': rows}


def read(path):
    return json.loads(path.read_text(encoding='utf-8')) if path.exists() else None


def gpu_figures():
    """By setting: frames/s of one GPU's encoder and bytes of a frame. And where they are from: what scale.py has not measured
    comes from the project's benchmarks."""
    for path in sorted((HERE.parents[1] / 'docs' / 'benchmarks').glob('*.json'), reverse=True):
        figures = read(path)
        found = {row['setting']: (1e6 / row['ours_us'], row['bytes']) for row in figures['rows']
                 if row['operation'] == 'j2kenc' and (row['width'], row['height']) == SIZE}
        if found:
            where = {setting: f"{figures['gpu']}, RGB, docs/benchmarks, {figures['date']}" for setting in found}
            break
    else:
        raise SystemExit('model.py: no figures of a GPU')
    scale = read(RESULTS / 'scale.json')
    for row in sorted(rows_of(scale, 'gpu'), key=lambda row: row['frames_s']):
        setting = {'bpp=2': '2 bits per pixel'}.get(row['setting'], 'lossless')
        found[setting] = row['frames_s'], row['frame_bytes']
        where[setting] = f"{scale['machine']['device']}, {scale['format']}, scale.py, {scale['date']}"
    sources = sorted(set(where.values()))
    text = sources[0] if len(sources) == 1 else '; '.join(f'{setting}: {where[setting]}' for setting in sorted(where))
    return found, text


def rows_of(scale, source):
    return [row for row in scale['rows'] if (row['source'], row['devices']) == (source, 1)]


def fleet_figures():
    """Of the fleet on one GPU: seconds that a frame needs outside the encoder, the seconds of a segment beside its frames,
    the start of a process, and bytes a second of finishing an output while others are finished."""
    scale = read(RESULTS / 'scale.json')
    h264 = {row['per_device']: row['frames_s'] for row in rows_of(scale, 'h264')}
    encoder = max(row['frames_s'] for row in rows_of(scale, 'gpu') if row['setting'] == 'bpp=2')
    runs = [row for row in scale['fleet'] if row['devices'] == 1]
    cuts = [row['segment_s'] - row['segment_frames'] * row['per_device'] / h264[row['per_device']] for row in runs
            if row['cut_s'] and row['per_device'] in h264 and row['segments'] >= 3 * row['processes']]
    return {'own_s': 1 / h264[1] - 1 / encoder, 'cut_s': max(cuts), 'start_s': max(row['start_s'] for row in runs),
            'finish_bytes_s': min(row['bytes'] / row['items'] / row['finish_s'] for row in runs), 'runs': [
                {name: row[name] for name in ('per_device', 'segment_frames', 'rate_frames_s')} for row in runs
                if row['rate_frames_s'] and row['segments'] >= 3 * row['processes']]}


def share(processes, cut, own, rate, frames):
    """Of the time, in which a GPU's encoder works (mean value analysis of a closed queue)."""
    alone, service = cut + frames * own, frames / rate
    waiting = 0.0
    throughput = 0.0
    for number in range(1, processes + 1):
        response = service * (1 + waiting)
        throughput = number / (alone + response)
        waiting = throughput * response
    return throughput * service


def driver_ms(rows, slots):
    """CPU ms a segment between measured numbers of slots."""
    for before, after in zip(rows, rows[1:]):
        if slots <= after['slots']:
            part = max(0.0, (slots - before['slots']) / (after['slots'] - before['slots']))
            return before['cpu_ms'] + part * (after['cpu_ms'] - before['cpu_ms'])
    return rows[-1]['cpu_ms'] * slots / rows[-1]['slots']


def compute():
    driver, simulation = read(RESULTS / 'driver.json'), read(RESULTS / 'simulation.json')
    gpus, where = gpu_figures()
    fleet = fleet_figures()
    cut, own, finish = fleet['cut_s'], fleet['own_s'], fleet['finish_bytes_s']
    assumed = {name: value for name, (value, _) in ASSUMED.items()}
    # What Ray adds in the driver to the engine's own loop, at the simulation's slots.
    plain = [row for row in simulation['rows'] if not row['faults']]
    ray_ms = max(0.0, plain[-1]['driver_cpu_ms_a_segment'] - driver_ms(driver['rows'], plain[-1]['slots']))
    journal = driver['rows'][0]['journal_bytes_segment']
    result = {'date': datetime.date.today().isoformat(), 'gpu': where, 'processes': PROCESSES, 'default_frames': FRAMES,
              'default_joins': JOINS, 'shown': SHOWN, 'start_s': fleet['start_s'], 'cut_s': round(cut, 2), 'own_ms': round(1e3 * own, 2),
              'finish_bytes_s': round(finish), 'ray_ms': round(ray_ms, 2),
              'assumed': {name: {'value': value, 'what': text} for name, (value, text) in ASSUMED.items()}, 'segments': [], 'rows': [],
              'least_frames': {}, 'uncut': {}, 'checked': []}
    for run in fleet['runs']:
        rate = gpus['2 bits per pixel'][0]
        modelled = rate * share(run['per_device'], cut, own, rate, run['segment_frames'])
        result['checked'].append({**run, 'modelled_frames_s': round(modelled)})
    for setting, (rate, size) in sorted(gpus.items()):
        for frames in 60, 240, 480, 960, 2400, 9600:
            result['segments'].append({'setting': setting, 'frames': frames, 'gpu_s': round(frames / rate, 2), 'bytes': round(frames * size),
                                       'share': [round(share(count, cut, own, rate, frames), 3) for count in SHOWN]})
        uncut = share(PROCESSES, 0, own, rate, 1)
        result['uncut'][setting] = [round(share(count, 0, own, rate, 1), 3) for count in SHOWN]
        result['least_frames'][setting] = next(frames for frames in range(60, 100_000, 60)
                                               if share(PROCESSES, cut, own, rate, frames) >= 0.95 * uncut)
        for count in GPUS:
            slots = PROCESSES * count
            cpu_ms = driver_ms(driver['rows'], slots) + ray_ms
            # As long as the driver's core needs.
            frames = max(FRAMES, math.ceil(count * rate * uncut * cpu_ms / 1e3 / assumed['driver_share']))
            frames_s = count * rate * share(PROCESSES, cut, own, rate, frames)
            segments_s = frames_s / frames
            output = frames_s * size
            storage = output * (WRITES + READS) + frames_s * assumed['input_bytes_frame']
            network = storage / math.ceil(count / assumed['host_gpus'])
            result['rows'].append({
                'setting': setting, 'gpus': count, 'frames_s': round(frames_s), 'segment_frames': frames,
                'segments_s': round(segments_s, 2),
                'driver_cores': round(segments_s * cpu_ms / 1e3, 3), 'journal_bytes_s': round(segments_s * journal),
                'journal_bytes_100000_h': round(100_000 * 90_000 / frames * journal),
                'driver_item_bytes_100000_h': round(100_000 * 90_000 / assumed['mean_item_frames'] * driver['item_bytes']),
                'ray_bytes': slots * 1024 * 2, 'operations_s': round(segments_s * OPERATIONS),
                'output_bytes_s': round(output), 'storage_bytes_s': round(storage), 'host_network_bytes_s': round(network),
                'joins_at_once_a_gpu': round(output / count / finish, 1),
                'join_s_of_an_item': round(assumed['mean_item_frames'] * size / finish),
                'storage_limit_gpus': round(assumed['storage_bytes_s'] / (storage / count)),
                'first_limit': first_limit(storage, network, segments_s, cpu_ms, assumed)})
    return result


def first_limit(storage, network, segments_s, cpu_ms, assumed):
    """What is used most, as a share of what there is."""
    use = {'file system, bytes': storage / assumed['storage_bytes_s'],
           'file system, operations': segments_s * OPERATIONS / assumed['storage_operations_s'],
           'network of a host': network / assumed['host_network_bytes_s'],
           'driver': segments_s * cpu_ms / 1e3}
    name = max(use, key=use.get)
    return [name, round(use[name], 3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--measure', action='store_true')
    arguments = parser.parse_args()
    path, result = (RESULTS / 'driver.json', measure()) if arguments.measure else (RESULTS / 'model.json', compute())
    path.write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
    print(json.dumps(result, indent=1))
    return 0


if __name__ == '__main__':
    sys.exit(main())
