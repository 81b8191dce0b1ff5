// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "rgb2yuv.h"
#include "rgb2yuv_kernel.cuh"

namespace coalesce {
namespace {

constexpr int kThreads = 128;     // of a block, along the row
constexpr int kMaxBands = 65535;  // of a launch, by the limit of gridDim.y

using Kernel = void (*)(Rgb2yuvArgs);

template <RgbSource kSource>
Kernel kernel_for(YuvSink sink) {
  switch (sink) {
    case YuvSink::gray:
      return rgb_to_yuv<YuvSink::gray, kSource>;
    case YuvSink::planar444:
      return rgb_to_yuv<YuvSink::planar444, kSource>;
    case YuvSink::planar422:
      return rgb_to_yuv<YuvSink::planar422, kSource>;
    case YuvSink::planar420:
      return rgb_to_yuv<YuvSink::planar420, kSource>;
    case YuvSink::packed444:
      return rgb_to_yuv<YuvSink::packed444, kSource>;
    case YuvSink::packed422:
      break;
  }
  return rgb_to_yuv<YuvSink::packed422, kSource>;
}

Kernel kernel_for(RgbSource source, YuvSink sink) {
  switch (source) {
    case RgbSource::packed24:
      return kernel_for<RgbSource::packed24>(sink);
    case RgbSource::packed32:
      return kernel_for<RgbSource::packed32>(sink);
    case RgbSource::planar:
      break;
  }
  return kernel_for<RgbSource::planar>(sink);
}

}  // namespace

Status rgb2yuv_cuda(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                    void *stream) {
  const TraceRange range("rgb2yuv");
  const YuvSink sink = yuv_sink(params.out);
  auto *kernel = kernel_for(rgb_source(params.in), sink);
  Rgb2yuvArgs args = rgb2yuv_args(params, in, out);
  const int chunks = (args.width - 1) / chunk_pixels(sink) + 1;
  int bands = 0;
  for (int left = band_count(params, args.height); left > 0; left -= bands) {
    bands = std::min(left, kMaxBands);
    const dim3 grid((chunks - 1) / kThreads + 1, bands);
    Status s = launch(kernel, grid, dim3(kThreads), static_cast<cudaStream_t>(stream), args);
    if (!s.ok()) return s;
    args.first_band += bands;
  }
  return {};
}

}  // namespace coalesce
