// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace coalesce::test {

// How often this program has asked for memory with `new` so far; under a sanitizer, which has its
// own `new`, also with malloc().
long allocations();

}  // namespace coalesce::test
