// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs for a profiler that does not profile from the start (ncu --profile-from-start off).
#pragma once

#include <functional>

namespace coalesce::test {

// Runs enqueue() once, on device_stream(). What it launches comes after a kernel profile_mark,
// which tells one run from the next. Throws std::runtime_error.
void device_profile(const std::function<void()> &enqueue);

}  // namespace coalesce::test
