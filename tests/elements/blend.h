// SPDX-License-Identifier: LGPL-2.1-or-later
// coalesceblend, an element of the tests on the class Temporal: each frame becomes the average of
// itself and the frame before it, the first one itself. Nothing is waited for.
#pragma once

#include "base/temporal.h"

namespace coalesce::testing {

GType blend_get_type();

}  // namespace coalesce::testing
