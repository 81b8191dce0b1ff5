// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element makes of input caps and of what downstream accepts.
#pragma once

#include "../support/elements/elements.h"

namespace test {

// The output caps for these input caps and that downstream ("" = ANY), behind a frame.
CapsRef negotiated(const char *element, const std::string &in, const std::string &downstream);

// A field of the first structure, serialised; "" if it is not there.
std::string field(const CapsRef &caps, const char *name);
void expect_field(const CapsRef &caps, const char *name, const std::string &value);

// Downstream changes its mind while frames flow: what comes out of the next one of these caps.
CapsRef renegotiated(Harness &harness, const std::string &in, const std::string &downstream);

// What says nothing of format and colours goes through an element as it is.
void expect_the_rest_kept(const char *element, const char *format);

// Neither the caps event nor a buffer gets through, and the flow says why.
void expect_refused(const char *element, const std::string &in, const std::string &downstream);

}  // namespace test
