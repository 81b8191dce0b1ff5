// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/telecine/combing_job.h"
#include "../twin.h"

namespace coalesce {

Status measure_combing_cuda(const CombingJob &job, void *stream) {
  const Plane<std::uint8_t> parts = {reinterpret_cast<std::uint8_t *>(job.parts),
                                     kCombingParts * static_cast<int>(sizeof(Combing)), 1,
                                     kCombingParts * sizeof(Combing)};
  if (Status s = twin::check_access({job.before, job.current, parts}); !s.ok()) return s;
  return twin::launch(stream, [=] { (void)measure_combing_cpu(job, nullptr); });
}

}  // namespace coalesce
