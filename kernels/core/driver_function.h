// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: the driver's own functions, where the runtime has none that does the same.
#pragma once

namespace coalesce {

// This library is not linked with the driver; nullptr if it, or a function of this name, is not
// there.
void *driver_function(const char *name);

}  // namespace coalesce
