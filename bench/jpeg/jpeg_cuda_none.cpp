// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/jpeg/jpeg_bench.h"

namespace coalesce::test {

void time_cuda(const std::vector<JpegFrame> &, const JpegOptions &, Results *) {}

}  // namespace coalesce::test
