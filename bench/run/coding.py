# SPDX-License-Identifier: LGPL-2.1-or-later
"""JPEG and JPEG 2000 in the layer of kernels: whole frames of a photograph by the library, without GStreamer. The
programs have the settings."""

from figures import figure, rounded
from programs import Failed, Missing
from rows import JPEG_SIZES, SIZES
from steps import Step, beside

SETTINGS = ('lossless', '2 bits per pixel')
MARKERS = (('4:2:0', {}), ('4:2:0, marked rows', {'restart_marker_rows': 1}), ('4:2:0, intervals of 5', {'restart_marker_blocks': 5}))


class Coding:
    def __init__(self, run):
        self.run = run
        self.rows = []

    def steps(self, wanted):
        """wanted(operation, size): whether --only names it."""
        for size in JPEG_SIZES:
            if wanted('coalescejpegenc', size):
                yield Step('coding', f'kernels: JPEG encoding {size[0]}x{size[1]}', 4, lambda size=size: self.jpeg(size))
            if wanted('coalescejpegdec', size):
                yield Step('coding', f'kernels: JPEG decoding {size[0]}x{size[1]}', 6, lambda size=size: self.decoding(size))
        for size in SIZES:
            if wanted('j2kenc', size):
                yield Step('coding', f'kernels: JPEG 2000 {size[0]}x{size[1]}', 15, lambda size=size: self.jpeg2000(size))

    # A time is of one name and one way ("alone", "4 streams"): the best way is taken beside the one alone.
    def jpeg(self, size):
        found = self.run.programs.run('bench-jpeg', [str(self.run.picture), '--quality', '90', '--size', f'{size[0]}x{size[1]}'])
        for operation in dict.fromkeys(row['operation'] for row in found['rows']):
            times = [row | {'who': row['encoder']} for row in found['rows'] if row['operation'] == operation]
            self.jpeg_rows('coalescejpegenc', operation.removeprefix('JPEG '), size, times)

    def decoding(self, size):
        """Files with and without restart markers. At 3840x2160 GPUJPEG itself writes intervals of five units of 16 x 16 pixels."""
        try:
            from PIL import Image
        except ImportError as error:
            raise Missing('Pillow', 'writes JPEG files with restart markers, and is not here') from error
        part = Image.open(self.run.picture).crop((0, 0, *size))
        for setting, markers in MARKERS:
            path = self.run.folder / 'part.jpg'
            part.save(path, quality=90, subsampling='4:2:0', **markers)
            found = self.run.programs.run('bench-jpeg-decode', [str(path)])
            self.jpeg_rows('coalescejpegdec', setting, size, [row | {'who': row['decoder']} for row in found['rows']])

    def jpeg_rows(self, operation, form, size, times):
        def best(who, prefix):
            own = [row for row in times if row['who'] == who]
            alone = next((row for row in own if row['how'] in ('alone', '1 thread')), None)
            if alone is None:
                return {}
            fastest = min(own, key=lambda row: row['ms'])
            return times_of(prefix, fastest, alone, fastest['how'].split()[0])

        names = list(dict.fromkeys(row['who'] for row in times))
        ours = best('coalesce CUDA' if self.run.gpu else 'coalesce', 'ours')
        if not ours:
            raise Failed(f'{operation}: no times of ours')
        peers = {who: best(who, 'peer') for who in names if who.startswith(('nvJPEG', 'GPUJPEG') if self.run.gpu else 'libjpeg')}
        base = {'operation': operation, 'format': form, 'setting': 'quality 90', 'width': size[0], 'height': size[1]}
        self.rows += beside(base, ours, peers)

    def jpeg2000(self, size):
        arguments = [str(self.run.picture), str(size[0]), str(size[1])]
        rows = []
        if self.run.gpu:
            found = self.run.programs.run('bench-j2k-cuda', arguments)
            if found['status'] != 0:
                raise Failed('bench-j2k-cuda failed')
            rows += found['rows']
            if 'nvJPEG2000' in found:
                self.run.libraries['nvJPEG2000'] = found['nvJPEG2000']
        try:
            found = self.run.programs.run('bench-openjpeg', arguments)
            self.run.libraries['OpenJPEG'] = found['OpenJPEG']
            rows += [row for row in found['rows'] if row['encoder'] == 'OpenJPEG' or not self.run.gpu]
        except Missing as error:
            self.run.missing.add(error.what)
        except Failed as error:
            self.run.leave_out(str(error))
        for setting in SETTINGS:
            self.jpeg2000_rows(setting, size, [row for row in rows if row['operation'] == setting])

    def jpeg2000_rows(self, setting, size, rows):
        ours = [row for row in rows if row['encoder'] == 'j2kenc']
        if not ours:
            return
        best = min(ours, key=lambda row: row['ms'])
        alone = next((row for row in ours if row.get('slots') == 1), None)
        fields = times_of('ours', best, alone, best.get('slots', best.get('threads')))
        peers = {row['encoder']: times_of('peer', row, None, row.get('streams', row.get('threads')))
                 for row in rows if row['encoder'] != 'j2kenc'}
        base = {'operation': 'j2kenc', 'format': 'RGB 4:4:4, 8 bits', 'setting': setting, 'width': size[0], 'height': size[1]}
        self.rows += beside(base, fields, peers)


def times_of(who, best, alone, in_flight):
    """Sustained, and alone: of a row of its own, or in this one."""
    def samples(row, name):
        return row.get(f'{name}_samples') or [row[name]]

    fields = figure(f'{who}_us', samples(best, 'ms'), 1e3)
    fields |= figure(f'{who}_alone_us', samples(alone, 'ms') if alone else samples(best, 'alone_ms'), 1e3)
    fields[f'{who}_in_flight'] = in_flight
    if 'bytes' in best:
        fields['bytes' if who == 'ours' else 'peer_bytes'] = rounded(best['bytes'])
    return fields
