// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements that only tests need, made on the base classes, and the project's own ones, registered
// in this process: a program that uses these links the plugin's objects and must not load the
// plugin.
#pragma once

#include "../support.h"
#include "base/filter.h"

namespace simulated {

void register_elements();

// coalesceinvert: GRAY8 to GRAY8, every byte inverted, always worth the trip to the GPU.
//   delay  empty kernels launched before the real one, so that what a frame waits for is not done
//   by
//          the time the test looks (each question about an event runs one operation)
//   fail   the number of the frame whose run() fails, counted from 1; 0 = none
//   throw  the number of the frame whose run() throws, its work in flight; -1: to set it throws
//   scratch, kept  GiB beside the frames, whose first and last bytes the kernel writes
//
// coalesceblend, coalescefields: tests/elements.
//
// coalescedifference, coalesceanydifference, coalesceleftright: tests/elements/difference.h.
//
// coalescehold: anything to itself, unchanged, but `frames` frames are held back.

// Bytes of invert's picture `seed`: as sample(), of plane 0.
std::string wrong_inverted(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed,
                           int flags = GST_MAP_READ, guint8 xor_with = 0xFF);
#define assert_inverted(...)                               \
  do {                                                     \
    const std::string wrong = wrong_inverted(__VA_ARGS__); \
    fail_unless(wrong.empty(), "%s", wrong.c_str());       \
  } while (0)

}  // namespace simulated
