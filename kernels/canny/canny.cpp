// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../picture/formats.h"
#include "canny_job.h"
#include "canny_scratch.h"

namespace coalesce {
namespace {

// Errors have static texts: one for each format, made when the first one is refused.
Status refuse_depth(const PixelFormat &format) {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const NamedFormat &each : named_formats())
      all.push_back("canny: samples must have 8 bits, those of " + std::string(each.name) +
                    " do not");
    return all;
  }();
  const auto formats = named_formats();
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (formats[i].format == format) return invalid_argument(texts[i].c_str());
  return invalid_argument("canny: samples must have 8 bits");
}

bool is_threshold(double value) {
  return value >= 0 && value <= kMaxCannyThreshold;
}

Status check(const CannyParams &params, const ConstImage &in, const Image &out,
             const void *scratch) {
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(out); !s.ok()) return s;
  if (!in.format.in_bytes()) return refuse_depth(in.format);
  if (!(out.format == pixel_format("GRAY8")))
    return invalid_argument("canny: the output must be GRAY8");
  if (in.width != out.width || in.height != out.height)
    return invalid_argument("canny: the pictures differ in size");
  if ((std::int64_t{in.width} + 31) / 32 * in.height > kMaxCannyWords)
    return invalid_argument(
        "canny: the picture is too large; words of 32 pixels are limited to 2^26");
  if (!is_threshold(params.low) || !is_threshold(params.high))
    return invalid_argument("canny: thresholds must be from 0 to 1000000");
  if (params.aperture != 3 && params.aperture != 5 && params.aperture != 7)
    return invalid_argument("canny: the aperture must be 3, 5 or 7");
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 16 != 0)
    return invalid_argument("canny: no scratch memory that is aligned to 16 bytes");
  return {};
}

// What magnitudes are compared with.
int integer_threshold(double threshold, const CannyParams &params) {
  if (params.aperture == 7) threshold /= 16;
  if (params.l2) {
    threshold = std::min(32767.0, threshold);
    threshold *= threshold;
  }
  return static_cast<int>(std::floor(threshold));
}

// In memory.
bool is_before(const PixelComponent &a, const PixelComponent &b) {
  return a.plane != b.plane ? a.plane < b.plane : a.first < b.first;
}

void find_channels(const ConstImage &in, CannyJob *job) {
  const PixelComponent *luma = in.format.find(Role::y);
  if (luma == nullptr) luma = in.format.find(Role::grey);
  if (luma != nullptr) {
    job->channel[0] = *luma;
    job->channels = 1;
  } else {
    // Into their places among those that are there already.
    job->channels = 0;
    for (const Role role : {Role::r, Role::g, Role::b}) {
      const PixelComponent *c = in.format.find(role);
      int at = job->channels++;
      for (; at > 0 && is_before(*c, job->channel[at - 1]); --at)
        job->channel[at] = job->channel[at - 1];
      job->channel[at] = *c;
    }
  }
  for (int c = 0; c < job->channels; ++c)
    job->in[c] = in.of(job->channel[c]);
}

}  // namespace

std::size_t canny_scratch_bytes(int width, int height) {
  const std::size_t bytes = std::max(CannyCpuScratch(nullptr, width, height).bytes,
                                     CannyCudaScratch(nullptr, width, height).bytes);
  return (bytes + 15) / 16 * 16;
}

Status canny(const CannyParams &params, const ConstImage &in, const Image &out, const Queue &queue,
             void *scratch) {
  if (Status s = check(params, in, out, scratch); !s.ok()) return s;
  CannyJob job;
  find_channels(in, &job);
  job.out = out.plane[0];
  job.width = in.width;
  job.height = in.height;
  job.aperture = params.aperture;
  job.l2 = params.l2;
  job.low = integer_threshold(std::min(params.low, params.high), params);
  job.high = integer_threshold(std::max(params.low, params.high), params);
  job.scratch = scratch;
  if (!queue.on_cuda()) return canny_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return canny_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
