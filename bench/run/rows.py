# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is measured: one list of operations, formats and settings, and for each layer how.

A row without a way for a layer is not measured there. Sizes, peers and memories are applied by the layers.
"""

import typing

HD, UHD = (1920, 1080), (3840, 2160)
SIZES, LARGE = (HD, UHD), (UHD,)
JPEG_SIZES = ((1920, 1088), UHD)  # multiples of 16

# What filters are measured on: pictures people have, and what flatters last.
FILTERED = ('NV12', 'RGB', 'I420', 'RGBA', 'AYUV', 'GBR', 'P010_10LE', 'I422_10LE', 'GRAY16_LE', 'AYUV64', 'GRAY8')
SIGMAS = (1, 2, 3, 4, 5, 7, 10)

CUDA = 'video/x-raw(memory:CUDAMemory)'  # between elements


class Row(typing.NamedTuple):
    operation: str
    format: str
    setting: str = ''
    sizes: tuple = SIZES
    # The kernels: case and label in bench-kernels; and the beginnings of labels of NPP and libSGM.
    kernel: tuple = ()
    npp: tuple = ()
    # Kernels on the CPU beside another library in its own program: (library, label).
    cpu_peer: tuple = ()
    # The element in gst-launch's syntax; {b} is its back end's property. And its peers by name: where both sides
    # are CUDA memory, and where they are system memory.
    element: str = ''
    gpu_peers: dict = {}
    cpu_peers: dict = {}
    layer: str = 'element'    # or pipeline: with the copies between the memories
    memory: tuple = ()        # of a pipeline: of its input and output, else both are system memory
    out: str = ''             # caps of what comes out, if the format does not say it
    prepare: str = ''         # what the frames go through before
    inputs: int = 1
    own_memory: bool = False
    quick: bool = False


def formats_of(row):
    """Of what goes in, and comes out."""
    before, _, after = row.format.partition(' to ')
    return before, after or before


def name_of(row):
    return ' '.join(part for part in (row.operation, row.format, row.setting) if part)


# ---- kernels --------------------------------------------------------------------------------------

def conversions():
    def row(operation, form, kernel=('convert',), npp=False):
        label = form.replace(' to ', '->')
        return Row(operation, form, kernel=(*kernel, label), npp=(f'{label}, ',) if npp else (),
                   cpu_peer=('videoconvert', label))

    yield row('rgb2yuv', 'RGB to NV12', ('rgb2yuv',), npp=True)
    yield row('rgb2yuv', 'RGB to I420', ('rgb2yuv',), npp=True)
    yield row('rgb2yuv', 'RGB to Y444', ('rgb2yuv',), npp=True)
    yield row('rgb2yuv', 'RGB to v210')
    yield row('yuv2rgb', 'NV12 to RGB', npp=True)
    yield row('yuv2rgb', 'NV12 to RGBA')
    yield row('yuv2rgb', 'I420 to RGB', npp=True)
    yield row('yuv2rgb', 'P010_10LE to RGBA')
    yield row('yuv2rgb', 'v210 to RGB')
    yield row('yuv2yuv', 'UYVY to NV12', npp=True)
    yield row('yuv2yuv', 'v210 to P010_10LE')
    yield row('yuv2yuv', 'v210 to I422_10LE')
    yield row('uyvy2y', 'UYVY to GRAY8', ('uyvy2y',))
    yield row('uyvy2y', 'UYVY to NV12', ('uyvy2y',), npp=True)


def deinterlacing():
    for layout, methods in (('NV12', ('linear', 'yadif', 'bwdif', 'best')), ('P010_10LE', ('yadif', 'bwdif')),
                            ('UYVY', ('yadif', 'bwdif')), ('v210', ('yadif', 'bwdif', 'best'))):
        for method in methods:
            yield Row('coalescedeinterlace', layout, method, kernel=('deinterlace', f'deinterlace {method} {layout}'))


def masks():
    for layout in FILTERED:
        for mask in '3x3', '5x5', '7x7', '15x15', '15x15 real':
            size, real = mask.split()[0], ' real' in mask
            opencv = f'filter2D {size}, {"real" if real else "integers"}'
            yield Row('convolve', layout, mask, kernel=('convolve', f"{layout} {mask}{'' if real else ' integer'}"),
                      npp=(f"{layout} {size}, {'nppiFilterBorder32f' if real else ''}",),
                      cpu_peer=('OpenCV', opencv) if layout == 'GRAY8' else ())
        for sigma in SIGMAS:
            taps = f'{layout} separable {6 * sigma + 1}, nppiFilter'
            yield Row('sepconvolve', layout, f'Gaussian, sigma {sigma}',
                      kernel=('convolve', f'{layout} separable Gaussian of sigma {sigma}'),
                      npp=(f'{taps}Row/ColumnBorder32f', f'{taps}GaussAdvanced'),
                      cpu_peer=('OpenCV', f'sepFilter2D {6 * sigma + 1}, Gaussian')
                      if layout == 'GRAY8' and sigma in (1, 2, 5) else ())
        if layout in ('NV12', 'RGB', 'RGBA', 'P010_10LE', 'GRAY16_LE', 'GRAY8'):
            for sigma in 8, 10, 16, 50, 100:
                yield Row('sepconvolve preset=blur', layout, f'sigma {sigma}', kernel=('blur', f'{layout} blur of sigma {sigma}'))


def medians():
    for layout, windows in (('NV12', (3, 5, 7, 15)), ('RGB', (3, 5, 7, 15, 31)), ('RGBA', (3, 5)), ('P010_10LE', (3, 5, 15)),
                            ('GRAY16_LE', (3, 5, 7, 9, 15, 31)), ('GRAY8', (3, 5, 7, 9, 15, 31, 75))):
        for window in windows:
            size = f'{window}x{window}'
            yield Row('median', layout, size, kernel=('median', f'median {size} {layout}'), npp=(f'{layout} median {size}, ',),
                      cpu_peer=('OpenCV', f'medianBlur {size}') if layout == 'GRAY8' and window < 75 else ())


def edges():
    for layout, thresholds in (('GRAY8', '50 and 150'), ('GRAY8', '700 and 900'), ('NV12', '700 and 900'), ('RGB', '700 and 900')):
        label = f'canny {layout}, aperture 3, {thresholds}'
        yield Row('canny', layout, thresholds, kernel=('canny', label), npp=(f'{label}, ',),
                  cpu_peer=('OpenCV', 'Canny 3, noise') if (layout, thresholds) == ('GRAY8', '50 and 150') else ())
    for layout, radii in (('NV12', (2, 5)), ('RGB', (1, 2, 5, 9)), ('P010_10LE', (2,)), ('GRAY16_LE', (2, 5)), ('GRAY8', (2, 5))):
        for radius in radii:
            opencv = {'GRAY8': 1, 'RGB': 3}.get(layout)
            space = {1: '1 25', 2: '2 25', 5: '3 25', 9: '6 150'}[radius]
            yield Row('bilateral', layout, f'radius {radius}', kernel=('bilateral', f'bilateral radius {radius} {layout}'),
                      npp=(f'{layout} bilateral radius {radius}, ',),
                      cpu_peer=('OpenCV', f'bilateral {opencv} noise {radius} {space}') if opencv else ())
    for drawn in 'squares', 'noise', 'spiral':
        yield Row('linedetect', 'GRAY8', drawn, kernel=('linedetect', f'linedetect {drawn}'))


def paint():
    for layout in 'NV12', 'RGB':
        for lines in 'canny', 'dog':
            yield Row('cartoon', layout, f'lines={lines}', kernel=('cartoon', f'cartoon, lines {lines} {layout}'))
        for method in 'strokes', 'strokes kept', 'kuwahara radius 6', 'mode radius 5':
            yield Row('oilpaint', layout, method, kernel=('oilpaint', f'oilpaint {method} {layout}'))


def cameras():
    for paths in 4, 8:
        label = f'stereo sgm, 128 disparities, {paths} paths'
        yield Row('stereodisparity', 'GRAY8', f'sgm, 128 disparities, {paths} paths', kernel=('stereo', label), npp=(f'{label}, ',))
    for method in 'sad', 'ncc', 'census':
        yield Row('stereodisparity', 'GRAY8', f'{method}, 128 disparities, 9x9',
                  kernel=('stereo', f'stereo {method}, 128 disparities, 9x9'))
    for method in 'sad', 'ncc':
        yield Row('multiview', 'GRAY8', f'{method}, 5 views, 128 depths, 9x9',
                  kernel=('multiview', f'multiview {method}, 5 views, 128 depths, 9x9'))


# ---- elements -------------------------------------------------------------------------------------

# By operation, format and setting, which are those of the kernels where there is the same. Any element of the plugin
# has one at least.
ELEMENTS = [
    Row('uyvy2y', 'UYVY to GRAY8', element='uyvy2y {b}', cpu_peers={'videoconvert': 'videoconvert n-threads=0'}, quick=True),
    Row('uyvy2y', 'UYVY to NV12', element='uyvy2y {b}'),
    Row('rgb2yuv', 'RGB to NV12', element='rgb2yuv {b}', quick=True),
    Row('rgb2yuv', 'BGRx to I420', element='rgb2yuv {b}'),
    Row('rgb2yuv', 'RGBA to NV12', element='rgb2yuv {b}'),
    Row('rgb2yuv', 'RGBA to NV12', 'chroma=nearest', element='rgb2yuv chroma=nearest {b}'),
    Row('yuv2rgb', 'NV12 to RGBA', element='yuv2rgb {b}', quick=True),
    Row('yuv2rgb', 'NV12 to RGBA', 'chroma=nearest', element='yuv2rgb chroma=nearest {b}'),
    Row('yuv2rgb', 'I420 to RGBA', element='yuv2rgb {b}'),
    Row('yuv2rgb', 'I420 to RGB', element='yuv2rgb {b}'),
    Row('yuv2rgb', 'P010_10LE to RGBA', element='yuv2rgb {b}'),
    Row('yuv2rgb', 'v210 to RGB', element='yuv2rgb {b}'),
    Row('yuv2yuv', 'NV12 to I420', element='yuv2yuv {b}'),
    Row('yuv2yuv', 'P010_10LE to NV12', element='yuv2yuv {b}'),
    Row('yuv2yuv', 'UYVY to NV12', element='yuv2yuv {b}', quick=True),
    Row('yuv2yuv', 'v210 to P010_10LE', element='yuv2yuv {b}'),
    Row('convolve', 'NV12', '3x3', element='convolve preset=sharpen {b}', gpu_peers={'identity': 'identity'}, quick=True),
    Row('convolve', 'RGB', '5x5', element='convolve preset=gaussian size=5 {b}'),
    Row('convolve', 'RGBA', '7x7', element='convolve preset=gaussian size=7 {b}'),
    Row('convolve', 'NV12', 'four of 3x3 in a row', element=f' ! {CUDA} ! '.join(['convolve preset=sharpen {b}'] * 4)),
    Row('sepconvolve', 'NV12', 'Gaussian, sigma 2', element='sepconvolve preset=gaussian sigma=2 {b}', quick=True),
    Row('sepconvolve', 'RGB', 'Gaussian, sigma 2', element='sepconvolve preset=gaussian sigma=2 {b}'),
    Row('sepconvolve', 'AYUV', 'Gaussian, sigma 2', element='sepconvolve preset=gaussian sigma=2 {b}',
        cpu_peers={'gaussianblur': 'gaussianblur sigma=2'}),
    Row('median', 'NV12', '3x3', element='median size=3 {b}', quick=True),
    Row('median', 'RGB', '5x5', element='median size=5 {b}'),
    Row('bilateral', 'NV12', 'radius 2', element='bilateral radius=2 {b}'),
    Row('bilateral', 'RGB', 'radius 2', element='bilateral radius=2 {b}', quick=True),
    Row('canny', 'NV12 to GRAY8', '50 and 150', element='canny {b}', quick=True),
    Row('canny', 'RGB to GRAY8', '50 and 150', element='canny {b}'),
    Row('linedetect', 'NV12', 'a photograph', element='linedetect {b}', quick=True),
    Row('cartoon', 'NV12', 'lines=dog', element='cartoon edges=dog {b}', quick=True),
    Row('oilpaint', 'NV12', 'strokes', element='oilpaint {b}', quick=True),
    Row('coalescedeinterlace', 'NV12', 'yadif', element='coalescedeinterlace mode=interlaced method=yadif fields=all {b}', quick=True,
        cpu_peers={'deinterlace': 'deinterlace mode=interlaced method=yadif fields=all'}),
    Row('coalescedeinterlace', 'NV12', 'bwdif', element='coalescedeinterlace mode=interlaced method=bwdif fields=all {b}'),
    Row('coalescedeinterlace', 'UYVY', 'bwdif', element='coalescedeinterlace mode=interlaced method=bwdif fields=all {b}'),
    Row('coalescedeinterlace', 'v210', 'bwdif', element='coalescedeinterlace mode=interlaced method=bwdif fields=all {b}'),
    Row('stereodisparity', 'GRAY8 to GRAY16_LE', 'sgm, 128 disparities, 8 paths', element='stereodisparity {b}', inputs=2, quick=True),
    Row('multiview', 'GRAY8 to GRAY16_LE', 'sad, 5 views, 128 depths, 9x9', element='multiview cameras={cameras} {b}', inputs=5,
        quick=True),
    Row('coalescejpegenc', 'I420 to JPEG', 'quality 90', element='coalescejpegenc quality=90 {b}', quick=True,
        gpu_peers={'nvjpegenc': 'nvjpegenc quality=90'}, cpu_peers={'jpegenc': 'jpegenc quality=90'}),
    Row('coalescejpegenc', 'RGB to JPEG', 'quality 90', element='coalescejpegenc quality=90 {b}',
        cpu_peers={'jpegenc': 'jpegenc quality=90'}),
    Row('coalescejpegdec', 'JPEG to I420', 'quality 90', element='coalescejpegdec {b}', prepare='coalescejpegenc quality=90', quick=True,
        cpu_peers={'jpegdec': 'jpegdec'}),
    # (What nvjpegdec gives.)
    Row('coalescejpegdec', 'JPEG to NV12', 'quality 90', element='coalescejpegdec {b}', prepare='coalescejpegenc quality=90',
        gpu_peers={'nvjpegdec': 'nvjpegdec'}),
    Row('j2kenc', 'I420 to JPEG 2000', 'lossless', element='j2kenc {b}',
        cpu_peers={'openjpegenc': 'openjpegenc num-threads={threads}'}, quick=True),
    Row('j2kenc', 'I420 to JPEG 2000', '2 bits per pixel', element='j2kenc bpp=2 {b}'),
    *(Row('j2kenc', 'RGBP to JPEG 2000', f'{name}, frames-in-flight={n}', element=f'j2kenc {rate}frames-in-flight={n} {{b}}', sizes=LARGE)
      for name, rate in (('lossless', ''), ('2 bits per pixel', 'bpp=2 ')) for n in (1, 2, 4, 8)),
]
CONVERTERS = ('uyvy2y', 'rgb2yuv', 'yuv2rgb', 'yuv2yuv')
ELEMENTS = [row._replace(gpu_peers={'cudaconvert': 'cudaconvert', **row.gpu_peers},
                         cpu_peers={'videoconvert': 'videoconvert n-threads={threads}', **row.cpu_peers})
            if row.operation in CONVERTERS else row for row in ELEMENTS]

# ---- pipelines: with the copies between host and GPU ----------------------------------------------

UP_DOWN = 'cudaupload ! {} ! cudadownload'
IDENTITY = 'convolve preset=identity {b}'
TRANSFERS = [
    *(Row('upload', 'UYVY', "upstream's own buffers" if own else '', element=f'uyvy2y {{b}} ! capsfilter caps="{CUDA},format=GRAY8"', out=CUDA,
          gpu_peers={'cudaupload': 'cudaupload'}, memory=('system', 'CUDA'), own_memory=own, layer='pipeline')
      for own in (False, True)),
    Row('upload', 'NV12', element=IDENTITY, gpu_peers={'cudaupload': 'cudaupload'}, memory=('system', 'CUDA'), layer='pipeline'),
    Row('download', 'NV12', element=IDENTITY, gpu_peers={'cudadownload': 'cudadownload'}, memory=('CUDA', 'system'), layer='pipeline'),
    Row('download', 'RGBA', element=IDENTITY, gpu_peers={'cudadownload': 'cudadownload'}, memory=('CUDA', 'system'), layer='pipeline'),
    Row('both ways', 'NV12', element=IDENTITY, gpu_peers={'cudaupload, cudadownload': f'cudaupload ! {CUDA} ! cudadownload'},
        memory=('system', 'system'), layer='pipeline'),
]
# Of several elements. {cuda} becomes caps of CUDA memory between them where there is a GPU.
CHAINS = [
    Row('encode', 'UYVY to JPEG 2000', '2 bits per pixel', element='j2kenc bpp=2 {b}', layer='pipeline', quick=True,
        cpu_peers={'openjpegenc': 'videoconvert n-threads={threads} ! openjpegenc num-threads={threads}'}),
    Row('deinterlace, encode', 'UYVY to JPEG', 'bwdif, fields=all, quality 90', layer='pipeline', quick=True,
        element='coalescedeinterlace mode=interlaced method=bwdif fields=all {b}{cuda} ! coalescejpegenc quality=90 {b}',
        cpu_peers={'GStreamer': 'videoconvert n-threads={threads} ! deinterlace mode=interlaced method=yadif fields=all ! '
                                'jpegenc quality=90'}),
    Row('decode, sharpen, encode', 'JPEG to JPEG', 'quality 90', prepare='coalescejpegenc quality=90', layer='pipeline', quick=True,
        element='coalescejpegdec {b}{cuda} ! convolve preset=unsharp {b}{cuda} ! coalescejpegenc quality=90 {b}'),
    Row('decode, encode', 'JPEG to JPEG 2000', 'lossless', prepare='coalescejpegenc quality=90', layer='pipeline',
        element='coalescejpegdec {b}{cuda} ! j2kenc {b}',
        cpu_peers={'GStreamer': 'jpegdec ! openjpegenc num-threads={threads}'}),
]


def through_the_bus():
    """Elements between system memory on both sides, on the GPU: what their formats cost with the copies."""
    for row in ELEMENTS:
        if row.setting == 'four of 3x3 in a row' or 'frames-in-flight' in row.setting or 'nearest' in row.setting:
            continue
        gpu = {name: UP_DOWN.format(line) for name, line in row.gpu_peers.items() if name == 'cudaconvert'}
        yield row._replace(layer='pipeline', gpu_peers=gpu, quick=False, sizes=LARGE)


# ---- commands: whole programs ---------------------------------------------------------------------

# Of one picture, from file to file; {in}, {raw}, {out}, {width}, {height}, {threads}. {b} becomes the back end.
OURS = ('gst-launch-1.0 -q filesrc location={raw} blocksize={bytes} ! rawvideoparse format=rgb width={width} height={height} ! '
        'j2kenc %s{b} ! filesink location={out}')
COMMANDS = [
    Row('j2k file', 'RGB to JPEG 2000', 'lossless', layer='command', element=OURS % '', quick=True, cpu_peers={
        'opj_compress': 'opj_compress -i {in} -o {out} -threads {threads}',
        'grk_compress': 'grk_compress -i {in} -o {out} -H {threads}',
        'ffmpeg': 'ffmpeg -v error -y -i {in} -c:v jpeg2000 -pred dwt53 -f image2 -update 1 {out}',
        'ojph_compress': 'ojph_compress -i {in} -o {out} -reversible true'}),
    Row('j2k file', 'RGB to JPEG 2000', '2 bits per pixel', layer='command', element=OURS % 'bpp=2 ', cpu_peers={
        'opj_compress': 'opj_compress -i {in} -o {out} -I -r 12 -threads {threads}',
        'grk_compress': 'grk_compress -i {in} -o {out} -I -r 12 -H {threads}'}),
    *(Row('deinterlaced frames', 'I420', method, layer='command', quick=method == 'bwdif',
          element='gst-launch-1.0 -q multifilesrc location={frame} loop=true num-buffers={count} '
                  'caps=video/x-raw,format=I420,width={width},height={height},framerate=25/1,interlace-mode=interleaved,'
                  f'field-order=top-field-first ! coalescedeinterlace mode=interlaced method={method} fields=all {{b}} ! fakesink',
          cpu_peers={'ffmpeg': 'ffmpeg -v error -stream_loop -1 -f rawvideo -pix_fmt yuv420p -s {width}x{height} -i {frame} '
                               f'-frames:v {{outputs}} -vf setfield=tff,{method}=send_field -f null -'})
      for method in ('yadif', 'bwdif')),
]

KERNELS = [*conversions(), *deinterlacing(), *masks(), *medians(), *edges(), *paint(), *cameras()]
# Short enough for --quick.
QUICK_KERNELS = {
    ('rgb2yuv', 'RGB to NV12', ''), ('yuv2rgb', 'NV12 to RGBA', ''), ('yuv2yuv', 'UYVY to NV12', ''), ('uyvy2y', 'UYVY to GRAY8', ''),
    ('coalescedeinterlace', 'NV12', 'bwdif'), ('convolve', 'NV12', '3x3'), ('convolve', 'RGB', '7x7'),
    ('sepconvolve', 'NV12', 'Gaussian, sigma 2'), ('median', 'NV12', '3x3'), ('bilateral', 'RGB', 'radius 2'),
    ('canny', 'GRAY8', '50 and 150'),
}
KERNELS = [row._replace(layer='kernel', quick=(row.operation, row.format, row.setting) in QUICK_KERNELS) for row in KERNELS]

# JPEG and JPEG 2000 in the layer of kernels, whose programs measure all formats and settings of an operation at once.
CODING = [
    *(Row('coalescejpegenc', form, 'quality 90', layer='kernel') for form in ('4:2:0', '4:4:4', 'RGB as 4:2:0')),
    *(Row('coalescejpegdec', form, 'quality 90', layer='kernel')
      for form in ('4:2:0', '4:2:0, marked rows', '4:2:0, intervals of 5')),
    *(Row('j2kenc', 'RGB 4:4:4, 8 bits', setting, layer='kernel') for setting in ('lossless', '2 bits per pixel')),
]
LAYERS = {'kernel': [*KERNELS, *CODING], 'element': ELEMENTS, 'pipeline': [*TRANSFERS, *CHAINS, *through_the_bus()], 'command': COMMANDS}
