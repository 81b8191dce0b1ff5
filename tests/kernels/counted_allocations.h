// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace coalesce::test {

// How often this program has asked for memory with `new` so far; under a sanitizer, which has its
// own `new`, also with malloc().
long allocations();

// Makes the nth next `new` fail, in any thread; 0: none. False under a sanitizer, where none can.
bool fail_allocation(long nth);
// Has that one come?
bool allocation_has_failed();

}  // namespace coalesce::test
