// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "convert_job.h"

namespace coalesce {

// stream: a cudaStream_t of the current context.
Status convert_cuda(const ConvertJob &job, void *stream);

}  // namespace coalesce
