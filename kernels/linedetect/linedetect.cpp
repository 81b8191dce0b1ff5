// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linedetect.h"

#include <algorithm>

#include "../picture/formats.h"
#include "line_cuda.h"
#include "line_job.h"
#include "line_scratch.h"

namespace coalesce {
namespace {

Status check_parameters(const LineParams &params) {
  if (!(params.tolerance >= 0 && params.tolerance <= kMaxLineTolerance))
    return invalid_argument("linedetect: the tolerance must be from 0 to 16");
  if (params.min_length < kMinLineLength || params.min_length > kMaxLineLength)
    return invalid_argument("linedetect: the least length must be from 5 to 32767");
  if (params.max_lines < 1 || params.max_lines > kMaxLines)
    return invalid_argument("linedetect: the number of lines must be from 1 to 16384");
  return {};
}

Status check_pictures(const ConstImage &in, const ConstImage &edges) {
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(edges); !s.ok()) return s;
  if (!in.format.in_bytes()) return invalid_argument("linedetect: samples must have 8 bits");
  if (!(edges.format == pixel_format("GRAY8")))
    return invalid_argument("linedetect: edges must be GRAY8");
  if (in.width != edges.width || in.height != edges.height)
    return invalid_argument("linedetect: the pictures differ in size");
  if (in.width > kMaxLinePixels || in.height > kMaxLinePixels)
    return invalid_argument("linedetect: the picture is too large; 32767 pixels are the limit");
  return {};
}

bool is_aligned(const void *memory, std::uintptr_t to) {
  return memory != nullptr && reinterpret_cast<std::uintptr_t>(memory) % to == 0;
}

Status check_memory(const Line *lines, const LineCount *count, const void *scratch) {
  if (!is_aligned(lines, alignof(Line))) return invalid_argument("linedetect: no lines");
  if (!is_aligned(count, alignof(LineCount))) return invalid_argument("linedetect: no count");
  if (!is_aligned(scratch, 16))
    return invalid_argument("linedetect: no scratch memory that is aligned to 16 bytes");
  return {};
}

void find_channels(const ConstImage &in, LineJob *job) {
  job->channels = 0;
  const auto add = [&](Role role) {
    const PixelComponent *c = in.format.find(role);
    if (c == nullptr) return;
    job->channel[job->channels] = *c;
    job->in[job->channels++] = in.of(*c);
  };
  add(Role::y);
  if (job->channels == 0) add(Role::grey);
  if (job->channels == 0)
    for (const Role role : {Role::r, Role::g, Role::b})
      add(role);
}

}  // namespace

std::size_t linedetect_scratch_bytes(int width, int height) {
  return std::max(LineCpuScratch(nullptr, width, height).bytes,
                  LineCudaScratch(nullptr, width, height).bytes);
}

Status linedetect(const LineParams &params, const ConstImage &in, const ConstImage &edges,
                  Line *lines, LineCount *count, const Queue &queue, void *scratch) {
  if (Status s = check_parameters(params); !s.ok()) return s;
  if (Status s = check_pictures(in, edges); !s.ok()) return s;
  if (Status s = check_memory(lines, count, scratch); !s.ok()) return s;
  LineJob job;
  find_channels(in, &job);
  job.edges = edges.plane[0];
  job.width = in.width;
  job.height = in.height;
  job.tolerance = squared(static_cast<std::int64_t>(16 * params.tolerance + 0.5));
  job.min_length = params.min_length;
  job.max_lines = params.max_lines;
  job.lines = lines;
  job.count = count;
  job.scratch = scratch;
  if (!queue.on_cuda()) return linedetect_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return linedetect_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
