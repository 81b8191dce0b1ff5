#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares methods of deinterlacing: PSNR and SSIM of luma, at field rate.

usage: quality.py --build BUILD --photograph PICTURE --json FILE NAME=CLIP...

Clips are progressive videos that FFmpeg reads; pictures that move are made of the photograph, too.
Each becomes frames of two fields, the top one first. What coalescedeinterlace, FFmpeg's filters and
GStreamer's deinterlace make of them is compared with the pictures as they were, by FFmpeg's filters
psnr and ssim. The first two and the last two pictures of a clip do not count. bench/tables.py
writes the page's table from FILE.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

MOST_PICTURES = 60
MOST_WIDTH = 960
ENDS = 2  # pictures at either end that do not count

# Of the photograph, four times as large as the pictures: what FFmpeg cuts out of it, n being the
# number of the picture. So motion is by quarters of a pixel, and by what lies between them.
MOVED = {
    'pan': "crop=1920:1088:x='200+11*n':y=600,scale=480:272",
    'vertical pan': "crop=1920:1088:x=900:y='200+7*n',scale=480:272",
    'rotation': "rotate=a='0.004*n':bilinear=1,crop=1920:1088,scale=480:272",
    'still with noise': 'crop=1920:1088,scale=480:272,noise=alls=6:allf=t',
}

OURS = ('best', 'bwdif', 'yadif', 'w3fdif', 'ela', 'linear', 'line', 'weave')
FFMPEG = {
    'bwdif': 'bwdif=mode=send_field:parity=tff:deint=all',
    'yadif': 'yadif=mode=send_field:parity=tff:deint=all',
    'w3fdif': 'w3fdif=filter=complex:mode=field:parity=tff:deint=all',
    'estdif': 'estdif=mode=field:parity=tff:deint=all',
}
GSTREAMER = ('yadif', 'greedyh', 'greedyl', 'tomsmocomp', 'vfir', 'linear')


def run(*command, env=None):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=env).stdout


def ffmpeg(*arguments):
    return run('ffmpeg', '-hide_banner', '-y', '-filter_threads', '1', *map(str, arguments))


class Clip:
    """Progressive pictures of I420, in a file, and the same as frames of two fields."""

    def __init__(self, folder, name, source, filters):
        self.name = name
        self.whole, self.frames = folder / 'whole.yuv', folder / 'frames.yuv'
        filters = ','.join([*filters, f"scale='min({MOST_WIDTH},iw)':-4:flags=bicubic", 'format=yuv420p'])
        log = ffmpeg(*source, '-vf', filters, '-frames:v', MOST_PICTURES, '-f', 'rawvideo', self.whole)
        self.width, self.height = map(int, re.findall(r'rawvideo.* (\d+)x(\d+)', log)[-1])
        self.pictures = self.whole.stat().st_size // (self.width * self.height * 3 // 2) // 2 * 2
        ffmpeg(*self.raw(50), '-i', self.whole, '-vf', 'interlace=scan=tff:lowpass=off', '-f', 'rawvideo', self.frames)

    def raw(self, rate):
        return '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', f'{self.width}x{self.height}', '-r', rate

    def score(self, made):
        """Of the pictures in a file. Some of GStreamer's methods make more or less than there were."""
        made_pictures = made.stat().st_size // (self.width * self.height * 3 // 2)
        shifts = range(-ENDS, ENDS + 1) if made_pictures != self.pictures else (0,)
        return max((self.compare(made, shift) for shift in shifts
                    if self.pictures - ENDS + shift <= made_pictures), key=lambda score: score['psnr'])

    def compare(self, made, shift):
        count = self.pictures - 2 * ENDS
        inputs = [*self.raw(50), '-i', made, *self.raw(50), '-i', self.whole]
        cut = ';'.join(f'[{i}:v]trim=start_frame={first}:end_frame={first + count},setpts=N/50/TB[{i}]'
                       for i, first in enumerate((ENDS + shift, ENDS)))
        score = {}
        for name, pattern in (('psnr', r'PSNR y:(\S+)'), ('ssim', r'SSIM Y:(\S+)')):
            log = ffmpeg(*inputs, '-lavfi', f'{cut};[0][1]{name}', '-f', 'null', '-')
            score[name] = float(re.search(pattern, log).group(1))
        return score


def gstreamer(clip, element, made, plugin):
    caps = f'width={clip.width} height={clip.height} framerate=25/1 format=i420'
    run('gst-launch-1.0', '-q', *f'filesrc location={clip.frames} ! rawvideoparse {caps} interlaced=true '
        f'top-field-first=true ! {element} ! filesink location={made}'.split(),
        env={**os.environ, 'GST_PLUGIN_PATH_1_0': str(plugin)})


def measure(clip, folder, plugin):
    made = folder / 'made.yuv'
    scores = {}
    for method in OURS:
        gstreamer(clip, f'coalescedeinterlace backend=cpu fields=all method={method}', made, plugin)
        scores[f'coalescedeinterlace {method}'] = clip.score(made)
    for method, text in FFMPEG.items():
        ffmpeg(*clip.raw(25), '-i', clip.frames, '-vf', 'setfield=tff,' + text, '-f', 'rawvideo', made)
        scores[f'FFmpeg {method}'] = clip.score(made)
    for method in GSTREAMER:
        gstreamer(clip, f'deinterlace mode=interlaced fields=all tff=tff method={method}', made, plugin)
        scores[f'GStreamer {method}'] = clip.score(made)
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, required=True)
    parser.add_argument('--photograph', type=pathlib.Path, required=True)
    parser.add_argument('--json', type=pathlib.Path, required=True)
    parser.add_argument('clips', nargs='*', metavar='NAME=CLIP')
    arguments = parser.parse_args()
    sources = [(name, ('-i', path), ()) for name, path in (clip.split('=', 1) for clip in arguments.clips)]
    still = ('-loop', '1', '-framerate', '50', '-i', arguments.photograph)
    sources += [(name, still, (filters,)) for name, filters in MOVED.items()]
    clips = []
    for name, source, filters in sources:
        with tempfile.TemporaryDirectory() as folder:
            clip = Clip(pathlib.Path(folder), name, source, filters)
            clips.append({'name': name, 'filmed': not filters, 'width': clip.width, 'height': clip.height,
                          'pictures': clip.pictures, 'scores': measure(clip, pathlib.Path(folder), arguments.build / 'gst')})
        print(name, clip.pictures, clips[-1]['scores']['coalescedeinterlace bwdif'], flush=True)
    versions = {'FFmpeg': run('ffmpeg', '-version').split()[2], 'GStreamer': run('gst-launch-1.0', '--version').split()[2]}
    arguments.json.write_text(json.dumps({'versions': versions, 'clips': clips}, indent=1) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
