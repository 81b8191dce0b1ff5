#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the public headers: each is several headers of the rooms, one after the other.

usage: public_headers.py FOLDER   write them there
       public_headers.py --list   print their names, and then the names of the headers that they are made of

A header includes none but those before it in the whole table. So what is public is what the table has, and a header
that begins to include another is an error here until somebody has decided about that.
"""
import pathlib
import re
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent
HEADERS = {
    "core": """
        core/status.h core/host_device.h core/queue.h core/thread_pool.h core/plane.h core/border.h
        core/argument_cache.h
        """,
    "picture": """
        picture/pixel_format.h picture/formats.h picture/image.h picture/colours.h picture/channels.h
        picture/containers.h
        """,
    "convert": """
        convert/convert.h rgb2yuv/rgb2yuv.h uyvy2y/uyvy2y.h
        """,
    "deinterlace": """
        deinterlace/deinterlace.h telecine/cadence.h telecine/combing.h
        """,
    "filter": """
        convolve/mask/mask.h convolve/mask/filter.h convolve/convolve.h blur/blur.h median/median.h
        bilateral/bilateral.h canny/canny.h canny/edge_overlay.h cartoon/cartoon.h linedetect/linedetect.h
        linedetect/line_mask.h oilpaint/oilpaint.h
        """,
    "stereo": """
        remap/remap.h remap/rectification.h remap/calibration.h stereo/stereo.h stereo/view.h multiview/cameras.h
        multiview/multiview.h
        """,
    "jpeg": """
        jpeg/tables/zigzag.h jpeg/tables/quantisation.h jpeg/tables/huffman.h jpeg/tables/markers.h
        jpeg/plan/encoder_params.h jpeg/encoder/encoder.h jpeg/encoder/cuda_encoder.h jpeg/decoder/byte_source.h
        jpeg/decoder/headers.h jpeg/decoder/decoder.h jpeg/decoder/cuda_decoder.h
        """,
    "jpeg2000": """
        j2k/codestream/coding_params.h j2k/params/layer_budget.h j2k/params/encoder_params.h
        j2k/profile/profile.h j2k/codestream/jp2.h j2k/transform/samples.h j2k/canvas/band.h
        j2k/canvas/code_block.h j2k/tier2/coded_picture.h j2k/encoder/encoder.h j2k/encoder/cuda_encoder.h
        """,
}
LICENCE = "// SPDX-License-Identifier: LGPL-2.1-or-later\n"


def write(folder):
    home = {}  # of each header, the public one
    for name, headers in HEADERS.items():
        system, own, bodies = set(), set(), []
        for header in headers.split():
            home[header] = name

            def include(match):
                if match.group(1):
                    system.add(match.group(1))
                    return ""
                target = (KERNELS / header).parent.joinpath(match.group(2)).resolve().relative_to(KERNELS).as_posix()
                if target not in home:
                    sys.exit(f"kernels/{header} includes {target}, which is not before it in HEADERS of "
                             "kernels/public/public_headers.py")
                own.add(home[target])
                return ""
            text = (KERNELS / header).read_text(encoding="utf-8").replace(LICENCE, "").replace("#pragma once\n", "")
            text = re.sub(r'#include (?:(<[^>]+>)|"([^"]+)")\n', include, text)
            bodies.append(f"\n// {'-' * 8} {header} {'-' * 8}\n\n" + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n")
        includes = "".join(f"#include {other}\n" for other in sorted(system)) + "\n" + \
            "".join(f'#include "{other}.h"\n' for other in dict.fromkeys(home.values()) if other in own - {name})
        (folder / f"{name}.h").write_text(
            f"{LICENCE}// Made of the kernel library's headers, which are named below.\n#pragma once\n\n" +
            includes.strip() + "\n" + "".join(bodies), encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print(" ".join(f"{name}.h" for name in HEADERS))
        print(" ".join("\n".join(HEADERS.values()).split()))
    else:
        write(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
