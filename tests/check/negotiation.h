// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element makes of input caps and of what downstream accepts.
#pragma once

#include "support.h"

namespace test {

// The output caps for these input caps and that downstream ("" = ANY), behind a frame.
CapsRef negotiated(const char *element, const std::string &in, const std::string &downstream);

// A field of the first structure, serialised; "" if it is not there.
std::string field(const CapsRef &caps, const char *name);
void expect_field(const CapsRef &caps, const char *name, const std::string &value);

// Neither the caps event nor a buffer gets through, and the flow says why.
void expect_refused(const char *element, const std::string &in, const std::string &downstream);

}  // namespace test
