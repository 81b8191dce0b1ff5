# SPDX-License-Identifier: LGPL-2.1-or-later
"""What record.py runs, and what page.py makes of it: the settings of each experiment, and the setting of each element.

Operations and pixels of an element are counted by the profiler. Its bytes are those of the formats: what must be read and
written at least, whatever the kernels do.
"""

HD, UHD, LARGE = '1920x1080', '3840x2160', '16384x16384'
SQUARES = ('512x512', '1024x1024', '2048x2048', '4096x4096')
RADII = (1, 2, 3, 4, 5, 6)

WIDTHS = ('8-bit loads, 8-bit stores', '8-bit loads, 32-bit stores', '32- and 8-bit loads, 32-bit stores',
          '32-bit loads, 32-bit stores', '64-bit loads, 32-bit stores', '128/64 bits, 1 row', '2x128/128 bits, 1 row', 'library')
RGB = ('8-bit loads and stores', '8-bit loads, 32-bit stores', "the post's: 48 of 64 threads load",
       "its reader's: 3 words, 4 pixels", 'library')
TAPS = ('naive', 'shared memory', 'four samples a thread')
MQ = ('lecture: basic', 'lecture: R', 'lecture: R+ERN', 'lecture: R+LU', 'lecture: R+PS', 'lecture: R+CL', 'lecture: R+ERN+CL',
      'library')
MQ_SIZES = ('1280x720', HD, UHD)
RESIDENT = ('lanes, 1 block at a time', 'lanes, 2 blocks at a time', 'lanes, 4 blocks at a time', 'lanes, 8 blocks at a time',
            'lanes')
WAVELETS = ('5/3, grey', '9/7, grey', '5/3, 8-bit 4:4:4, 5 levels', '9/7, 8-bit 4:4:4, 5 levels')
DEINTERLACED = (('deinterlace ela GRAY8', '640x480'), ('deinterlace yadif UYVY', '720x480'), ('deinterlace yadif UYVY', '720x576'),
                ('deinterlace yadif UYVY', HD), ('deinterlace bwdif UYVY', HD))


def options(name, values):
    return [argument for value in values for argument in (name, value)]


def kernels(case, backend='cuda', operations=(), sizes=(), variants=(), more=()):
    """Arguments of bench-kernels. Operations are whole names."""
    return ['bench-kernels', '--backend', backend, '--case', case, *options('--operation', [f'={name}' for name in operations]),
            *options('--size', sizes), *options('--variant', variants), *more]


# Of the photograph: {picture} is a PPM file.
PICTURE = ('--picture', '{picture}')
FEW = ('--trials', '40')

# By name, what is timed.
RUNS = {
    'widths': kernels('uyvy2y', operations=['UYVY->GRAY8'], sizes=[HD, UHD, LARGE], variants=WIDTHS, more=FEW),
    'rgb': kernels('rgb2yuv', operations=['RGB->Y444', 'RGB->AYUV', 'RGB->GRAY8'], sizes=[HD, UHD], variants=RGB, more=FEW),
    'three-tap': kernels('three-tap', more=FEW),
    'filters': kernels('book-filters', more=FEW),
    'wavelet': kernels('j2k-transform', operations=[f'j2k-transform {name}' for name in WAVELETS], sizes=['512x512', HD], more=FEW),
    'wavelet, CPU': kernels('j2k-transform', 'cpu-1', [f'j2k-transform {name}' for name in WAVELETS], ['512x512', HD], more=FEW),
    'context': kernels('j2k-model', operations=['j2k-model 5/3, 64x64'], sizes=[HD, UHD], more=FEW + PICTURE),
    'context, CPU': kernels('j2k-model', 'cpu-1', ['j2k-model 5/3, 64x64'], [HD], more=FEW + PICTURE),
    'mq': kernels('j2k-mq', operations=['j2k-mq 64x64'], sizes=MQ_SIZES, variants=MQ, more=FEW + PICTURE),
    'deinterlacing': kernels('deinterlace', operations=sorted({name for name, _ in DEINTERLACED}),
                             sizes=sorted({size for _, size in DEINTERLACED}), more=FEW),
    'jpeg, HD': ['bench-jpeg', '{picture}', '--quality', '90', '--size', '1920x1088'],
    'jpeg, UHD': ['bench-jpeg', '{picture}', '--quality', '90', '--size', UHD],
    'occupancy': kernels('j2k-mq', operations=['j2k-mq 32x32'], sizes=['7680x4320'], variants=RESIDENT + ('library',),
                         more=FEW + PICTURE),
}

# Bytes of a pixel.
FORMATS = {'NV12': 1.5, 'I420': 1.5, 'RGB': 3, 'RGBP': 3, 'RGBA': 4, 'UYVY': 2, 'GRAY8': 1, 'GRAY16_LE': 2}
FILE = 'file'  # of a coded picture: what the program says

# element: what, program, operation; formats that are read; that are written; pictures that a run makes.
ELEMENTS = {
    'uyvy2y': ('UYVY to GRAY8', 'uyvy2y', 'UYVY->GRAY8', ['UYVY'], ['GRAY8'], 1),
    'rgb2yuv': ('RGB to NV12', 'rgb2yuv', 'RGB->NV12', ['RGB'], ['NV12'], 1),
    'yuv2rgb': ('NV12 to RGBA', 'convert', 'NV12->RGBA', ['NV12'], ['RGBA'], 1),
    'yuv2yuv': ('UYVY to NV12', 'convert', 'UYVY->NV12', ['UYVY'], ['NV12'], 1),
    'convolve': ('5×5, NV12', 'convolve', 'NV12 5x5 integer', ['NV12'], ['NV12'], 1),
    'sepconvolve': ('Gaussian, sigma 2, NV12', 'convolve', 'NV12 separable Gaussian of sigma 2', ['NV12'], ['NV12'], 1),
    'median': ('5×5, NV12', 'median', 'median 5x5 NV12', ['NV12'], ['NV12'], 1),
    'bilateral': ('radius 2, NV12', 'bilateral', 'bilateral radius 2 NV12', ['NV12'], ['NV12'], 1),
    'canny': ('aperture 3, GRAY8', 'canny', 'canny GRAY8, aperture 3, 700 and 900', ['GRAY8'], ['GRAY8'], 1),
    'linedetect': ('edges of squares', 'linedetect', 'linedetect squares', ['GRAY8'], [], 1),
    'cartoon': ('`lines=dog`, NV12', 'cartoon', 'cartoon, lines dog NV12', ['NV12'], ['NV12'], 1),
    'oilpaint': ('strokes, NV12', 'oilpaint', 'oilpaint strokes NV12', ['NV12'], ['NV12'], 1),
    'coalescedeinterlace': ('bwdif, NV12, both fields', 'deinterlace', 'deinterlace bwdif NV12', ['NV12'] * 3, ['NV12'] * 2, 2),
    'stereodisparity': ('sgm, 128 disparities, 8 paths', 'stereo', 'stereo sgm, 128 disparities, 8 paths', ['GRAY8'] * 2,
                        ['GRAY16_LE'], 1),
    'multiview': ('sad, 5 views, 128 depths, 9×9', 'multiview', 'multiview sad, 5 views, 128 depths, 9x9', ['GRAY8'] * 5,
                  ['GRAY16_LE'], 1),
    'j2kenc': ('lossless, RGBP', ['bench-j2k-cuda', '{picture}', '1920', '1080', 'once'], None, ['RGBP'], [FILE], 1),
    'coalescejpegenc': ('quality 90, I420', ['bench-jpeg', '{picture}', '--size', '1920x1088', '--once'], None, ['I420'], [FILE], 1),
    'coalescejpegdec': ('quality 90, 4:2:0', ['bench-jpeg-decode', '{jpeg}', '--once'], None, [FILE], ['I420'], 1),
}


def element_command(name):
    """What launches the element's work once."""
    _, program, operation, *_ = ELEMENTS[name]
    return program if operation is None else kernels(program, operations=[operation], sizes=[HD], more=('--once', '--no-variants'))


# What the profiler is for.
PROFILES = {
    'widths': kernels('uyvy2y', operations=['UYVY->GRAY8'], sizes=[HD], variants=WIDTHS, more=('--once',)),
    'rgb': kernels('rgb2yuv', operations=['RGB->Y444', 'RGB->AYUV', 'RGB->GRAY8'], sizes=[HD], variants=RGB, more=('--once',)),
    'three-tap': kernels('three-tap', sizes=['1024x1024'], variants=TAPS, more=('--once',)),
    **{f'element {name}': element_command(name) for name in ELEMENTS},
    'mq': kernels('j2k-mq', operations=['j2k-mq 64x64'], sizes=[HD], variants=MQ, more=('--once',) + PICTURE),
    'occupancy': kernels('j2k-mq', operations=['j2k-mq 32x32'], sizes=['7680x4320'], variants=RESIDENT, more=('--once',) + PICTURE),
}

# Times of the elements, beside a copy: without the coders, whose programs time whole frames.
ELEMENT_RUNS = {f'element {name}': kernels(case, operations=[operation], sizes=[HD], more=('--no-variants', '--trials', '10'))
                for name, (_, case, operation, *_) in ELEMENTS.items() if operation is not None}

# What is left out first, where time is short, comes last.
LAST = ('filters', 'mq', 'jpeg, UHD', 'occupancy')


def steps():
    """(name, arguments, is it for the profiler?)"""
    early = [(name, run, False) for name, run in (RUNS | ELEMENT_RUNS).items() if name not in LAST]
    profiled = [(name, run, True) for name, run in PROFILES.items() if name not in LAST]
    late = [step for name in LAST for step in ((name, RUNS[name], False), (name, PROFILES.get(name), True)) if step[1]]
    return early + profiled + late
