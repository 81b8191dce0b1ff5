// SPDX-License-Identifier: LGPL-2.1-or-later
// Sizes in units, and memory that is not there: for encoder and decoder.
#pragma once

#include <new>

#include "../../core/status.h"

namespace coalesce::jpeg {

// Parts that a whole has, the last one perhaps in part; both are at least 0, `part` 1.
template <class Number>
constexpr Number parts(Number whole, Number part) {
  return (whole + part - 1) / part;
}

// What the body returns; `lack` where it finds no memory of the host.
template <class Body>
Status with_memory(const char *lack, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, lack};
  }
}

}  // namespace coalesce::jpeg
