// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace coalesce {

// Pieces of `b` in `a`, the last one perhaps in part; both are at least 1.
constexpr int divided_up(int a, int b) {
  return (a - 1) / b + 1;
}

}  // namespace coalesce
