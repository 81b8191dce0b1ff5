// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_trial.h"

namespace coalesce::test {

void rgb2yuv_bench(Bench &, const Backend &) {}

}  // namespace coalesce::test
