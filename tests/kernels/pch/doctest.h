// SPDX-License-Identifier: LGPL-2.1-or-later
// Precompiled for the tests of the kernel library: a third of their compiling is these headers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#define DOCTEST_CONFIG_SUPER_FAST_ASSERTS
#include <doctest/doctest.h>
