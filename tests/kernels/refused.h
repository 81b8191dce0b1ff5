// SPDX-License-Identifier: LGPL-2.1-or-later
// For doctest: a call that is right until something about it is spoiled.
#pragma once

#include <cstring>

#include "../support/doctest.h"
#include "core/status.h"

namespace coalesce::test {

// what: words of the error. Call: made by its default constructor; run() gives a Status.
template <class Call>
void expect_refused(const char *what, void (*spoil)(Call &call)) {
  Call call;
  REQUIRE(call.run().ok());
  spoil(call);
  const Status s = call.run();
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

}  // namespace coalesce::test
