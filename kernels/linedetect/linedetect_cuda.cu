// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps after each other. None waits for another block, and the host waits for none.
#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "line_cuda.h"

namespace coalesce {

Status linedetect_cuda(const LineJob &job, void *stream) {
  const TraceRange range("linedetect");
  const LineCudaScratch s(job.scratch, job.width, job.height);
  if (Status status = thin_edges(job, s, stream); !status.ok()) return status;
  if (Status status = order_chains(job, s, stream); !status.ok()) return status;
  if (Status status = split_chains(job, s, stream); !status.ok()) return status;
  return fit_lines(job, s, stream);
}

}  // namespace coalesce
