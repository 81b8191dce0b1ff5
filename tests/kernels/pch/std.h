// SPDX-License-Identifier: LGPL-2.1-or-later
// Precompiled for what the tests of the kernel library share.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
