// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include "multiview/multiview.h"

#include <vector>

#include "../refused.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {}  // namespace
}  // namespace coalesce::test
