// SPDX-License-Identifier: LGPL-2.1-or-later
// The width study: the same work with narrower and wider accesses and other shapes. Built into the
// benchmark, not into the library.
#pragma once

#include "uyvy2y/uyvy2y.h"

namespace coalesce {

// Every base, pitch and width must be a multiple of 16; chroma is left alone.
struct Uyvy2yVariant {
  const char *name;
  Status (*run)(const ConstImage &in, const Image &out, void *stream);
};

struct Uyvy2yVariants {
  const Uyvy2yVariant *first;
  int count;
  const Uyvy2yVariant *begin() const { return first; }
  const Uyvy2yVariant *end() const { return first + count; }
};

Uyvy2yVariants uyvy2y_variants();  // the first is the plainest

}  // namespace coalesce
