// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convert.h"

#include "convert_cuda.h"
#include "convert_job.h"

namespace coalesce {

Status convert(const ConvertParams &params, const ConstImage &in, const Image &out,
               const Queue &queue) {
  ConvertJob job;
  if (Status s = make_job(params, in, out, &job); !s.ok()) return s;
  if (!queue.on_cuda()) return convert_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return convert_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
