#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames a second of one host with 1, 2, 4, ... GPUs and several encoder processes on each, and what limits them.

usage: scale.py --out FILE.json [--minutes 8] [--size 3840x2160] [--picture FILE] [--clip FILE.h264] [--work FOLDER]
                [--fleet 6:960,6:240,3:960] [--pipeline TEXT] [--processes 6,1,3] [--rows h264:bpp=2:3,...]

It needs Python's standard library and gst-launch-1.0 with the plugin on GST_PLUGIN_PATH; no Ray, no gi, no network.
Each GPU's processes are gst-launch-1.0 with CUDA_VISIBLE_DEVICES. Without a GPU each core counts as a device, with one
thread, so that the script can be tried anywhere.

Sources:
  gpu    one picture, uploaded once; imagefreeze repeats the buffer. No disk, no bus, no decoder: the encoder alone.
         The picture may stay in the GPU's L2 cache; its reading is a small part of the work.
  h264   a clip of H.264, decoded by NVDEC (by avdec_h264 without a GPU), again and again from the page cache
  raw    raw frames, a file each, read from the page cache and uploaded: the bus and the host's memory

A figure is the number of codestreams of all processes, over the time in which all of them encode: after each had
WARM frames. The start is a figure of its own: seconds from the start of a process to its first codestream. Other figures: the same sources without the encoder (decoder, upload, reading), writing and sha256
of codestreams, and joining of files to MXF by mxfmux. What the minutes do not allow is left out, and listed.

At first the fleet itself runs with --engine processes, where this Python has its packages (av, rich, typer) and some
Python has gi: on 1, 2, 4, ... devices, with three items for each, which repeat the clip; on one device also with other
numbers of processes and lengths of segments. Its frames a second are from its start to its end: planning, starts of
processes, cutting, decoding, writing, digests and joining. Its rate is that of encoding alone, once all processes run.

To carry to a host without GStreamer: gst-launch-1.0, the plugins coreelements, nvcodec, jpeg, imagefreeze,
videoconvertscale, multifile, videoparsersbad, mxf, openjpeg (to check), their libraries, libgstcoalesce.so, and the
clip (--clip makes it where openh264enc is, if the file is missing). The fleet itself needs gi there: README.md in this
folder has the list.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'examples' / 'media' / 'bus_1920x1080.jpg'
SETTINGS = ('bpp=2', 'lossless=true')
WARM = 8
START_LIMIT = 60  # seconds until every process has WARM frames
FILES = 64  # raw frames on disk
ITEMS = 3  # of the fleet, for each device
LINE = re.compile(rb'last-message = .*?\((\d+) bytes')


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ''


class Host:
    def __init__(self):
        rows = command_output('nvidia-smi', '--query-gpu=name,driver_version,power.limit', '--format=csv,noheader,nounits')
        self.gpus = [[cell.strip() for cell in row.split(',')] for row in rows.splitlines() if row.count(',') >= 2]
        self.cuda = bool(self.gpus)
        self.cores = sorted(os.sched_getaffinity(0))
        self.devices = len(self.gpus) if self.cuda else len(self.cores)

    def describe(self, work):
        model = re.search(r'model name\s*:\s*(.*)', pathlib.Path('/proc/cpuinfo').read_text())
        memory = re.search(r'MemTotal:\s*(\d+)', pathlib.Path('/proc/meminfo').read_text())
        result = {'cpu': model.group(1) if model else platform.machine(), 'cores': len(self.cores),
                  'memory_gb': round(int(memory.group(1)) / 1e6, 1) if memory else None,
                  'device': self.gpus[0][0] if self.cuda else 'a core of the CPU', 'devices': self.devices,
                  'work': command_output('stat', '-f', '-c', '%T', str(work or tempfile.gettempdir())),
                  'gstreamer': (command_output('gst-launch-1.0', '--version').splitlines() or ['?'])[0].split()[-1]}
        if self.cuda:
            result |= {'driver': self.gpus[0][1], 'power_limit_w': self.gpus[0][2]}
        return result

    def environment(self, device):
        return os.environ | ({'CUDA_VISIBLE_DEVICES': str(device)} if self.cuda else {})

    def pin(self, device):
        """Without GPUs a device is a core."""
        return None if self.cuda else lambda: os.sched_setaffinity(0, {self.cores[device]})


class Sources:
    """Pipelines that give frames, in CUDA memory where there is a GPU."""

    def __init__(self, host, size, layout, picture, clip, work):
        self.host, self.clip, self.work, self.layout = host, clip, work, layout
        self.width, self.height = size
        self.caps = f'video/x-raw,format={layout},width={size[0]},height={size[1]},framerate=25/1'
        self.still = (f'filesrc location={picture} ! jpegdec ! videoconvertscale add-borders=false ! '
                      f'video/x-raw,format={layout},width={size[0]},height={size[1]},pixel-aspect-ratio=1/1')
        self.upload = 'cudaupload ! ' if host.cuda else ''

    def make_files(self):
        """Raw frames and the clip."""
        first = self.work / '000.raw'
        subprocess.run(['gst-launch-1.0', '-q', *f'{self.still} ! filesink location={first}'.split()], check=True, timeout=120)
        for number in range(1, FILES):
            shutil.copyfile(first, self.work / f'{number:03}.raw')
        if self.clip and not self.clip.exists():
            make_clip(self.clip, self.still, self.width, self.height)

    def pipelines(self):
        feature = '(memory:CUDAMemory)' if self.host.cuda else ''
        yield 'gpu', f'{self.still} ! {self.upload}imagefreeze ! video/x-raw{feature},framerate=25/1'
        decoder = 'nvh264dec' if self.host.cuda else 'avdec_h264 max-threads=1' if command_output(
            'gst-inspect-1.0', 'avdec_h264') else 'openh264dec'
        if self.clip and self.clip.exists():
            yield 'h264', (f'multifilesrc location={self.clip} loop=true caps=video/x-h264,stream-format=byte-stream ! '
                           f'h264parse ! {decoder}')
        yield 'raw', (f'multifilesrc location={self.work}/%03d.raw loop=true start-index=0 stop-index={FILES - 1} '
                      f'caps={self.caps}' + (' ! cudaupload' if self.host.cuda else ''))

    def frame_bytes(self):
        return os.path.getsize(self.work / '000.raw')


def make_clip(path, still, width, height, count=100):
    """Two seconds of the picture moving by four rows a frame, at 20 Mbit/s and 50 frames a second."""
    if subprocess.run(['gst-inspect-1.0', '--exists', 'openh264enc'], capture_output=True).returncode:
        return
    raw = path.with_suffix('.raw')
    try:
        subprocess.run(['gst-launch-1.0', '-q', *f'{still} ! videoconvertscale ! video/x-raw,format=I420 ! filesink location={raw}'
                        .split()], check=True, timeout=120)
        picture = raw.read_bytes()
    finally:
        raw.unlink(missing_ok=True)
    sizes = [(width * height, width), (width * height // 4, width // 2), (width * height // 4, width // 2)]
    encode = ('fdsrc ! rawvideoparse format=i420 framerate=50/1 '
              f'width={width} height={height} ! openh264enc bitrate=20000000 gop-size=50 ! h264parse ! '
              f'video/x-h264,stream-format=byte-stream,alignment=au ! filesink location={path}')
    with subprocess.Popen(['gst-launch-1.0', '-q', *encode.split()], stdin=subprocess.PIPE) as encoder:
        for number in range(count):
            begin = 0
            for (size, stride), rows in zip(sizes, (4 * number, 2 * number, 2 * number)):
                plane, moved = picture[begin:begin + size], rows * stride % size
                encoder.stdin.write(plane[moved:] + plane[:moved])
                begin += size
    if encoder.returncode:
        path.unlink(missing_ok=True)
        raise SystemExit(f'scale.py: {path} could not be encoded')


class Process:
    """A gst-launch-1.0 whose fakesink reports each buffer; `marks` has (time, buffers, bytes) as they came."""

    def __init__(self, host, device, pipeline):
        self.begin, self.marks, self.buffers, self.bytes, self.text = time.monotonic(), [], 0, 0, b''
        self.child = subprocess.Popen(
            ['gst-launch-1.0', '-v', *f'{pipeline} ! fakesink name=end sync=false silent=false'.split()],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=host.environment(device), preexec_fn=host.pin(device))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        rest = b''
        while chunk := os.read(self.child.stdout.fileno(), 1 << 16):
            now = time.monotonic()
            whole, _, rest = (rest + chunk).rpartition(b'\n')
            for size in LINE.findall(whole):
                self.buffers += 1
                self.bytes += int(size)
                if self.buffers in (1, WARM):
                    self.marks.append((now, self.buffers, self.bytes))
            self.marks.append((now, self.buffers, self.bytes))
            if b'last-message' not in whole:
                self.text = (self.text + whole)[-4000:]

    def alive(self):
        return self.child.poll() is None

    def stop(self):
        if self.alive():
            self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        self.reader.join(5)
        self.child.stdout.close()

    def between(self, begin, end):
        """Buffers and bytes."""
        inside = [mark for mark in self.marks if begin <= mark[0] <= end]
        return (inside[-1][1] - inside[0][1], inside[-1][2] - inside[0][2]) if len(inside) > 1 else (0, 0)


def cpu_times():
    fields = [int(field) for field in pathlib.Path('/proc/stat').read_text().split('\n')[0].split()[1:]]
    return sum(fields), fields[3] + fields[4]


def gpu_state():
    rows = command_output('nvidia-smi', '--query-gpu=power.draw,utilization.gpu,memory.used', '--format=csv,noheader,nounits')
    return [[float(cell) for cell in row.split(',')] for row in rows.splitlines()
            if re.fullmatch(r'[\d., ]+', row)]


def measure(host, pipeline, devices, per_device, seconds):
    """Runs the pipeline in per_device processes on each device. Raises RuntimeError with what gst-launch-1.0 said."""
    processes = [Process(host, device, pipeline) for _ in range(per_device) for device in range(devices)]
    try:
        while not all(process.buffers >= WARM for process in processes):
            for process in processes:
                if not process.alive() or time.monotonic() - process.begin > START_LIMIT:
                    said = re.findall(rb'(?:ERROR|WARNING|erroneous).*', process.text) or [process.text[-300:]]
                    raise RuntimeError(b' '.join(said[:2]).decode(errors='replace') or 'no frames')
            time.sleep(0.01)
        begin, before = time.monotonic(), cpu_times()
        time.sleep(seconds / 2)
        state = gpu_state() if host.cuda else []
        time.sleep(max(0, begin + seconds - time.monotonic()))
        end, after = time.monotonic(), cpu_times()
        if not all(process.alive() for process in processes):
            raise RuntimeError('a process ended early')
    finally:
        for process in processes:
            process.stop()
    counts = [process.between(begin, end) for process in processes]
    frames, size = (sum(column) for column in zip(*counts))
    busy, idle = after[0] - before[0], after[1] - before[1]
    row = {'devices': devices, 'per_device': per_device, 'frames_s': round(frames / (end - begin), 2),
           'frames': frames, 'seconds': round(end - begin, 2), 'frame_bytes': round(size / max(frames, 1)),
           'start_s': round(statistics.median(process.marks[0][0] - process.begin if process.marks[0][1]
                                              else next(m[0] for m in process.marks if m[1]) - process.begin
                                              for process in processes), 2),
           'cpu_cores_busy': round((busy - idle) / max(busy, 1) * os.cpu_count(), 1)}
    if state:
        row |= {'power_w': round(sum(gpu[0] for gpu in state[:devices])), 'gpu_busy_percent': round(statistics.mean(
            gpu[1] for gpu in state[:devices])), 'gpu_memory_mb': round(max(gpu[2] for gpu in state[:devices]))}
    return row


def device_numbers(devices):
    return sorted({1, devices} | {2 ** n for n in range(8) if 2 ** n <= devices})


def plan(devices, sources, processes):
    """What to measure, the most wanted first: source, setting, devices, processes on each."""
    kinds = [('gpu', SETTINGS[0]), *((source, SETTINGS[0]) for source in sources[1:]), ('gpu', SETTINGS[1])]
    for some in processes[:1], processes[1:]:
        for source, setting in kinds:
            for number in device_numbers(devices):
                for per_device in some:
                    yield source, setting, number, per_device


def encoder(host, setting):
    return f'j2kenc {setting}' + ('' if host.cuda else ' backend=cpu n-threads=1') + ' ! image/x-jpc'


def host_limits(work):
    """Bytes a second of one thread's sha256, and of writing a file, to the disk's end."""
    block = os.urandom(2_000_000)
    begin = time.monotonic()
    digest = hashlib.sha256()
    for _ in range(200):
        digest.update(block)
    hashed = 200 * len(block) / (time.monotonic() - begin)
    path, begin = work / 'written', time.monotonic()
    with open(path, 'wb') as file:
        for _ in range(500):
            file.write(block)
        cached = 500 * len(block) / (time.monotonic() - begin)
        os.fsync(file.fileno())
    written = 500 * len(block) / (time.monotonic() - begin)
    path.unlink()
    return {'sha256_bytes_s': round(hashed), 'write_cached_bytes_s': round(cached), 'write_synced_bytes_s': round(written)}


def join(host, still, work, count=200):
    """Seconds and bytes of joining count codestreams of files to MXF."""
    stills = work / 'codestreams'
    stills.mkdir(exist_ok=True)
    one = f"{still} ! {encoder(host, SETTINGS[0])} ! filesink location={stills}/000000.jpc"
    said = subprocess.run(['gst-launch-1.0', '-v', *one.split()], capture_output=True, text=True, timeout=120, check=True,
                          env=host.environment(0)).stdout
    caps = re.findall(r'GstJ2kEnc:\S+\.GstPad:src: caps = (image/.*)', said)[-1]
    fields = dict(re.findall(r'(width|height|sampling|colorspace|num-components)=(\([a-z]+\)[\w:\\-]+)', caps))
    caps = ','.join(['image/x-jpc', 'framerate=25/1', *(f'{key}={value}' for key, value in fields.items())]).replace('\\', '')
    for number in range(1, count):
        shutil.copyfile(stills / '000000.jpc', stills / f'{number:06}.jpc')
    times = {}
    for frames in 1, count:
        begin = time.monotonic()
        subprocess.run(['gst-launch-1.0', '-q', *(f'multifilesrc location={stills}/%06d.jpc index=0 stop-index={frames - 1} '
                                                  f'caps={caps} ! mxfmux ! filesink location={work}/joined.mxf').split()],
                       check=True, timeout=120, capture_output=True, text=True)
        times[frames] = time.monotonic() - begin
    size = os.path.getsize(work / 'joined.mxf')
    shutil.rmtree(stills)
    return {'joined_frames': count, 'joined_bytes': size, 'join_of_one_frame_s': round(times[1], 2), 'join_of_all_s': round(times[count], 2),
            'join_bytes_s': round(size / max(times[count] - times[1], 0.01))}


def repeat_clip(clip, path, frames):
    """An MP4 file of at least so many frames."""
    import av  # of the fleet; nothing else here needs it
    with av.open(str(clip), options={'framerate': '50'}) as source:
        packets = [(bytes(packet), packet.is_keyframe) for packet in source.demux(video=0) if packet.size]
        template = source.streams.video[0]
        with av.open(str(path), 'w') as file:
            stream = file.add_stream_from_template(template)
            stream.time_base = Fraction(1, 12800)
            for number in range(-(-frames // len(packets)) * len(packets)):
                data, key = packets[number % len(packets)]
                packet = av.Packet(data)
                packet.stream, packet.time_base = stream, stream.time_base
                packet.pts = packet.dts = number * 256
                packet.duration, packet.is_keyframe = 256, key
                file.mux(packet)
    return number + 1


def run_fleet(host, clip, work, frames, devices, per_device, segment_frames, pipeline):
    """The command on items of the clip, ITEMS for each device, which have `frames` for each device together."""
    folder = work / 'fleet'
    (folder / 'in').mkdir(parents=True)
    try:
        items = ITEMS * devices
        count = repeat_clip(clip, folder / 'in' / '0.mp4', frames // ITEMS) * items
        for number in range(1, items):
            os.link(folder / 'in' / '0.mp4', folder / 'in' / f'{number}.mp4')
        command = [sys.executable, '-m', 'coalesce_fleet', 'encode', str(folder / 'in'), '--to', str(folder / 'out'),
                   '--pipeline', pipeline, '--engine', 'processes', '--segment-frames',
                   str(segment_frames), '--per-gpu', str(per_device if host.cuda else per_device * devices), '--json']
        environment = host.environment(','.join(map(str, range(devices)))) | {
            'PYTHONPATH': os.pathsep.join([str(ROOT / 'fleet'), *filter(None, [os.environ.get('PYTHONPATH')])])}
        begin, before = time.time(), cpu_times()
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment, preexec_fn=None if host.cuda
                              else lambda: os.sched_setaffinity(0, host.cores[:devices]))
        seconds, after = time.time() - begin, cpu_times()
        if done.returncode:
            raise RuntimeError(f'coalesce-fleet ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}')
        busy, idle = after[0] - before[0], after[1] - before[1]
        return {'devices': devices, 'per_device': per_device, 'segment_frames': segment_frames, 'items': items, 'frames': count,
                'seconds': round(seconds, 2), 'frames_s': round(count / seconds, 2),
                **phases([json.loads(line) for line in done.stdout.splitlines()], begin, devices * per_device),
                'cpu_cores_busy': round((busy - idle) / max(busy, 1) * os.cpu_count(), 1)}
    finally:
        shutil.rmtree(folder)


def phases(events, begin, processes):
    """From a run's events, in seconds: when the first segment begins and the last ends; how long a process takes until the first
    frame of its first segment (start) and of the others (cut); the time of a segment that is not a process's first; and what
    finishing an item costs, from its last segment on. The rate: of what ends after all processes' first segments."""
    segments = [event for event in events if event['event'] == 'segment']
    first, others = ([event for event in segments if bool(event['before']) == used] for used in (False, True))
    last = {event['output']: event['time'] for event in segments}
    running, end = max(event['time'] for event in first[:processes]), max(last.values())
    later = sum(event['frames'] * min(1, (event['time'] - running) / event['seconds']) for event in segments if event['time'] > running)
    again = [event['text'] for event in events if event['event'] == 'retry']
    print(*again[:3], sep='\n', end='\n' if again else '')
    return {'segments': len(segments), 'retries': len(again), 'bytes': sum(event['bytes'] for event in segments), 'processes': len(first),
            'start_s': median([event['start'] for event in first]), 'cut_s': median([event['start'] for event in others]),
            'segment_s': median([event['seconds'] for event in others or first]),
            'first_segment_s': round(min(event['time'] - event['seconds'] for event in segments) - begin, 2),
            'last_segment_s': round(end - begin, 2), 'rate_frames_s': round(later / (end - running), 1) if later else None,
            'finish_s': median([event['time'] - last[event['output']] for event in events if event['event'] == 'done'])}


def median(values):
    return round(statistics.median(values), 2) if values else None


def efficiencies(rows):
    """Of each row: frames/s over those of one device with its best number of processes, times devices."""
    for row in rows:
        alone = max((other['frames_s'] for other in rows if other['devices'] == 1 and
                     (other.get('source'), other.get('setting')) == (row.get('source'), row.get('setting'))), default=0)
        row['efficiency'] = round(row['frames_s'] / (alone * row['devices']), 3) if alone else None


def print_table(result):
    print(f"\n| source | setting | devices | processes each | frames/s | efficiency | bytes a frame | start, s | cores busy |"
          f"\n|{'---|' * 9}")
    for row in result['rows']:
        print(f"| {row['source']} | `{row['setting']}` | {row['devices']} | {row['per_device']} | {row['frames_s']:,.1f} | "
              f"{row['efficiency']} | {row['frame_bytes']:,} | {row['start_s']} | {row['cpu_cores_busy']} |")
    names = ('devices', 'per_device', 'segment_frames', 'segments', 'seconds', 'frames_s', 'rate_frames_s', 'efficiency', 'start_s',
             'cut_s', 'segment_s', 'first_segment_s', 'last_segment_s', 'finish_s', 'cpu_cores_busy')
    print(f"\nThe fleet:\n| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in result['fleet']:
        print(f"| {' | '.join(str(row[name]) for name in names)} |")
    print('\n| limit | value |\n|---|---|')
    for name, value in result['limits'].items():
        print(f'| {name} | {value:,} |' if isinstance(value, (int, float)) else f'| {name} | {value} |')
    for line in result['left_out']:
        print(f'left out: {line}')


class Measurements:
    """What has been measured so far, which each step saves."""

    def __init__(self, arguments, host):
        self.arguments, self.host, self.begin = arguments, host, time.monotonic()
        self.result = {'date': datetime.date.today().isoformat(), 'machine': host.describe(arguments.work), 'size': arguments.size,
                       'format': arguments.format, 'picture': arguments.picture.name, 'rows': [], 'fleet': [], 'limits': {},
                       'left_out': []}

    def save(self):
        efficiencies(self.result['rows'])
        efficiencies(self.result['fleet'])
        self.result['seconds'] = round(time.monotonic() - self.begin)
        self.arguments.out.write_text(json.dumps(self.result, indent=1) + '\n', encoding='utf-8')

    def attempt(self, what, seconds, work, minutes=None):
        """The result of work(), which is expected to need so many seconds of `minutes`; or None, with the reason listed."""
        try:
            if time.monotonic() - self.begin + seconds > (minutes or self.arguments.minutes) * 60:
                raise RuntimeError('no time')
            return work()
        except (RuntimeError, ImportError, OSError, subprocess.SubprocessError, LookupError, statistics.StatisticsError) as error:
            said = getattr(error, 'stderr', None) or str(error)
            self.result['left_out'].append(f'{what}: {said.strip()[-300:]}')
            print(self.result['left_out'][-1], flush=True)
            return None

    def add(self, rows, row):
        if row:
            self.result[rows].append(row)
            print(json.dumps(row), flush=True)
        self.save()

    def host_limits(self, sources, work):
        limits = self.result['limits']
        limits['raw_frame_bytes'] = sources.frame_bytes()
        limits |= self.attempt('sha256 and writing', 0, lambda: host_limits(work)) or {}
        limits |= self.attempt('join', 0, lambda: join(self.host, sources.still, work)) or {}

    def encoders(self, pipelines):
        seconds, start = self.arguments.seconds, 4
        rows = [(source, setting, number, per_device) for source, setting, per_device in self.arguments.rows or ()
                for number in device_numbers(self.host.devices)] or plan(self.host.devices, list(pipelines), self.arguments.processes)
        for source, setting, devices, per_device in rows:
            row = self.attempt(f'{source}, {setting}, {devices} devices, {per_device} processes each', seconds + start, lambda: measure(
                self.host, f'{pipelines[source]} ! {encoder(self.host, setting)}', devices, per_device, seconds))
            self.add('rows', row and {'source': source, 'setting': setting} | row)
            start = row['start_s'] + 2 if row else start

    def sources_alone(self, pipelines):
        """Without the encoder: what the sources can give."""
        for source, pipeline in pipelines.items():
            for devices in sorted({1, self.host.devices}):
                row = self.attempt(f'{source} alone, {devices} devices', 6, lambda: measure(self.host, pipeline, devices, self.arguments.processes[0],
                                                                         min(self.arguments.seconds, 3)))
                if row:
                    self.result['limits'][f'{source}_without_encoder_{devices}_devices_frames_s'] = row['frames_s']
        self.save()

    def fleet(self, clip, work):
        """The first of the wanted runs on all numbers of devices, the others on one; for at most fleet_minutes."""
        last, wanted = 0, self.arguments.fleet
        pipeline = self.result['pipeline'] = self.arguments.pipeline or encoder(self.host, SETTINGS[0]).partition(' ! ')[0]
        for devices, (per_device, length) in [*((number, wanted[0]) for number in device_numbers(self.host.devices)),
                                              *((1, pair) for pair in wanted[1:])]:
            begin = time.monotonic()
            row = self.attempt(f'the fleet on {devices} devices, {per_device} processes each, segments of {length} frames', last, lambda:
                               run_fleet(self.host, clip, work, self.arguments.fleet_frames, devices, per_device, length, pipeline),
                               self.arguments.fleet_minutes)
            self.add('fleet', row)
            last = time.monotonic() - begin if row else last


def numbers(text):
    return [int(number) for number in text.split(',')]


def pairs(text):
    return [tuple(map(int, pair.split(':'))) for pair in text.split(',')]


def rows(text):
    return [(source, setting, int(number)) for source, setting, number in (row.split(':') for row in text.split(','))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--minutes', type=float, default=8)
    parser.add_argument('--seconds', type=float, default=5, help='of each measurement')
    parser.add_argument('--size', default='3840x2160')
    parser.add_argument('--format', default='NV12')
    parser.add_argument('--picture', type=pathlib.Path, default=PICTURE)
    parser.add_argument('--clip', type=pathlib.Path, help='of H.264, an elementary stream that begins with a keyframe')
    parser.add_argument('--processes', type=numbers, default=[6, 1, 3], help='on each device, the most wanted number first: 6,1,3')
    parser.add_argument('--rows', type=rows, help='of the encoders, these only: SOURCE:SETTING:PROCESSES,...')
    parser.add_argument('--fleet', type=pairs, default=[(6, 960), (6, 240), (3, 960), (3, 240), (1, 960), (6, 60)],
                        help='processes on each device and frames of a segment, the most wanted first: 6:960,6:240')
    parser.add_argument('--pipeline', help='of the fleet, instead of j2kenc bpp=2')
    parser.add_argument('--fleet-minutes', type=float, default=4, help='for the fleet at most; 0: it does not run')
    parser.add_argument('--fleet-frames', type=int, default=9600, help='for each device')
    parser.add_argument('--work', type=pathlib.Path, help='a folder for raw frames and joined files; default: a temporary one')
    arguments = parser.parse_args()
    for element in 'j2kenc', 'imagefreeze', 'jpegdec':
        if not command_output('gst-inspect-1.0', element):
            parser.error(f'GStreamer has no {element}: GST_PLUGIN_PATH must name the folder of libgstcoalesce.so')
    host = Host()
    measurements = Measurements(arguments, host)
    left_out = measurements.result['left_out']
    with tempfile.TemporaryDirectory(prefix='scale-', dir=arguments.work) as folder:
        work = pathlib.Path(folder)
        sources = Sources(host, tuple(map(int, arguments.size.split('x'))), arguments.format, arguments.picture, arguments.clip, work)
        sources.make_files()
        pipelines = dict(sources.pipelines())
        if 'h264' not in pipelines:
            left_out.append('source h264, and the fleet: no clip (--clip FILE)')
        measurements.host_limits(sources, work)
        if 'h264' in pipelines and arguments.fleet_minutes:
            measurements.fleet(arguments.clip, work)
        measurements.encoders(pipelines)
        measurements.sources_alone(pipelines)
    measurements.save()
    print_table(measurements.result)
    return 0 if measurements.result['rows'] else 1


if __name__ == '__main__':
    sys.exit(main())
