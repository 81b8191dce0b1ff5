// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/stereo/stereo_job.h"
#include "../../../kernels/stereo/view_job.h"
#include "../twin.h"

namespace coalesce {
namespace {

Plane<std::uint8_t> scratch_of(void *memory, std::size_t bytes, int rows) {
  const std::size_t row = bytes / static_cast<std::size_t>(rows);
  return {static_cast<std::uint8_t *>(memory), static_cast<int>(row), rows, row};
}

}  // namespace

Status find_disparities_cuda(const StereoJob &job, void *stream) {
  const std::size_t bytes = stereo_scratch_bytes(job.params, job.width, job.height, true);
  if (Status s = twin::check_access(
          {job.in[0], job.in[1], job.found, scratch_of(job.scratch, bytes, job.height)});
      !s.ok())
    return s;
  return twin::launch(stream, [job] { (void)find_disparities_cpu(job, nullptr); });
}

Status filter_speckles_cuda(const SpeckleJob &job, void *stream) {
  if (Status s = twin::check_access({job.disparities}); !s.ok()) return s;
  return twin::launch(stream, [job] { (void)filter_speckles_cpu(job, nullptr); });
}

Status depths_cuda(const DepthJob &job, void *stream) {
  if (Status s = twin::check_access({job.in, job.out}); !s.ok()) return s;
  return twin::launch(stream, [job] { depths_cpu(job, nullptr); });
}

Status hide_outside_cuda(const OutsideJob &job, void *stream) {
  if (Status s = twin::check_access({job.map[0].point, job.map[0].fraction, job.map[1].point,
                                     job.map[1].fraction, job.disparities});
      !s.ok())
    return s;
  return twin::launch(stream, [job] { hide_outside_cpu(job, nullptr); });
}

Status colours_cuda(const ColourJob &job, void *stream) {
  if (Status s = twin::check_access({job.in, job.out}); !s.ok()) return s;
  return twin::launch(stream, [job] { colours_cpu(job, nullptr); });
}

}  // namespace coalesce
