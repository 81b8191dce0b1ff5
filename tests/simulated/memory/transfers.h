// SPDX-License-Identifier: LGPL-2.1-or-later
// Grey pictures over the bus.
#pragma once

#include "../gray.h"
#include "memory/pagelocked.h"

namespace simulated {

// Nothing the test does meanwhile brings so many operations to their end.
constexpr const char *kSlow = "coalesceinvert delay=2000";

inline bool is_page_locked(GstBuffer *buffer) {
  return coalesce::gst::page_locked_fence(buffer) != nullptr;
}

// Pushes a picture in upstream's own memory, or in the pool's.
inline void push(Bench &bench, unsigned seed, GstBufferPool *pool = nullptr, int width = kWidth) {
  GstBuffer *input = pool ? pool_buffer(pool, gray(width), seed) : system_buffer(gray(width), seed);
  fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
}

inline void check_next(Bench &bench, unsigned seed, guint8 xor_with = 0xFF, int width = kWidth) {
  GstBuffer *output = bench.pull();
  assert_inverted(output, gray(width), seed, GST_MAP_READ, xor_with);
  gst_buffer_unref(output);
}

inline guint64 waits(Bench &bench) {
  return stat(bench.element(), "synchronizations");
}

}  // namespace simulated
