// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../../support/doctest.h"
#include "../encoder/j2k_encode.h"
#include "../encoder/j2k_random_params.h"

namespace coalesce::test {

// The decoder did not complain, and its samples are the picture's.
inline void expect_identical(const j2k::EncoderParams &params, const Picture &p,
                             const Decoded &decoded, const char *judge) {
  INFO(judge, ": ", describe(params));
  REQUIRE(decoded.complaint == "");
  CHECK(mean_squared_error(p, decoded) == 0);
}

}  // namespace coalesce::test
