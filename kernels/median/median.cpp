// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include "median_job.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;

bool is_window(int size) {
  return size >= 1 && size <= kMaxMedianSize && size % 2 == 1;
}

Status check(const MedianParams &params, const ConstImage &in, const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  const SampleDepth depth = sample_depth(in.format);
  if (depth.bits == 0) return invalid_argument("median: no such format");
  for (int p = 0; p < in.format.planes; ++p)
    if (in.plane[p].width > kMaxSize || in.plane[p].height > kMaxSize)
      return invalid_argument(
          "median: the picture is too large; width in bytes and height are limited to 2^28");
  if (!is_window(params.width) || !is_window(params.height))
    return invalid_argument("median: the window's sizes must be odd, from 1 to 75");
  if (!(params.percentile >= 0 && params.percentile <= 100))
    return invalid_argument("median: the percentile must be from 0 to 100");
  if (params.border > Border::constant) return invalid_argument("median: no such border");
  if (params.border == Border::constant &&
      (params.border_value < 0 || params.border_value > depth.max()))
    return invalid_argument("median: the border's value is no sample");
  return {};
}

Status run(const MedianJob &job, const Queue &queue) {
  if (!queue.on_cuda()) return median_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return median_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace

int median_rank(int count, double percentile) {
  const auto millionths = static_cast<std::int64_t>(std::floor(percentile * 1e4 + 0.5));
  return static_cast<int>((millionths * (count - 1) + 500'000) / 1'000'000);
}

Status median(const MedianParams &params, const ConstImage &in, const Image &out,
              const Queue &queue, void *scratch) {
  if (Status s = check(params, in, out); !s.ok()) return s;
  MedianJob job;
  job.depth = sample_depth(in.format);
  job.width = params.width;
  job.height = params.height;
  job.rank = median_rank(params.width * params.height, params.percentile);
  job.border = params.border;
  job.border_value = params.border_value;
  if (!is_in_channels(in.format)) {
    const auto filtered = [&](const ConstImage &from, const Image &to) {
      job.planes = channels_of(from, to, false, true);
      return run(job, queue);
    };
    return filter_containers(in, out, params.luma_only, params.filter_alpha, queue, scratch,
                             std::ref(filtered));
  }
  job.planes = channels_of(in, out, params.luma_only, params.filter_alpha);
  if (Status s = run(job, queue); !s.ok()) return s;
  job.planes = missing_rows(in, out);
  return job.planes.planes > 0 ? run(job, queue) : Status();
}

}  // namespace coalesce
