#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every header of the product compiles by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
read -r -a flags <<<"-std=c++20 -fsyntax-only -Wall -Wextra -Ikernels -Igst -Igst/cuda/abi \
  -DCOALESCE_CUDA_KERNELS=0 $(pkg-config --cflags gstreamer-video-1.0 gstreamer-base-1.0 gstreamer-cuda-1.0)"
git ls-files 'kernels/*.h' 'gst/*.h' ':!gst/cuda/abi' |
  xargs -P "$(nproc)" -I{} g++ "${flags[@]}" -Werror -include {} -x c++ /dev/null
