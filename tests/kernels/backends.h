// SPDX-License-Identifier: LGPL-2.1-or-later
// The back ends that the check tool and bench-kernels run: by --backend, and by the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check.h"

namespace coalesce::test {

constexpr int kSkipped = 77;  // the exit status that Meson shows as SKIP

// cpu-1, cpu-n (on the pool) and cuda, in this order, or those that `name` selects: one of them, or
// "cpu" for the first two. Empty: all.
std::vector<Backend> select_backends(const std::string &name, ThreadPool *pool);

void list(const std::vector<Backend> &backends);

// Removes cuda and prints why, if no GPU is usable. Returns the exit status of a program that has
// nothing to run then: kSkipped, or 1 with COALESCE_REQUIRE_GPU=1.
std::optional<int> keep_usable(std::vector<Backend> *backends);

}  // namespace coalesce::test
