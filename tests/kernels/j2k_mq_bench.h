// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "check.h"

namespace coalesce::test {

// On CUDA: frames of 3840 x 2160, one and several in a call. COALESCE_PHOTOGRAPH may name a PPM
// file; else each of three components is the photograph of the tests. It is mirrored to size.
void j2k_mq_bench(Bench &bench, const Backend &backend);

}  // namespace coalesce::test
