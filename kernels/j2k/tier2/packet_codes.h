// SPDX-License-Identifier: LGPL-2.1-or-later
// What a packet header tells of a block, but for the tag trees (ITU-T T.800 B.10.6, B.10.7). Shared
// by the back ends. Bits has put(value, bits), the low bits of a value, the highest first.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "../canvas/code_block.h"

namespace coalesce::j2k {

constexpr int kFirstLBlock = 3;  // B.10.7.1

COALESCE_HOST_DEVICE int floor_log2(std::uint32_t v) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(v));
#else
  return 31 - __builtin_clz(v);
#endif
}

// Table B.4.
template <class Bits>
COALESCE_HOST_DEVICE void put_number_of_passes(int passes, Bits *bits) {
  const auto n = static_cast<std::uint32_t>(passes);
  if (n == 1)
    bits->put(0, 1);
  else if (n == 2)
    bits->put(2, 2);
  else if (n <= 5)
    bits->put(0xCu + (n - 3), 4);
  else if (n <= 36)
    bits->put(0x1E0u + (n - 6), 9);
  else
    bits->put(0xFF80u + (n - 37), 16);
}

// Passes of a block that one packet has.
struct PassRun {
  const Pass *passes;  // the block's
  int first, end;
  std::uint32_t sent;  // bytes of those before
  // No pass but the last one of the block ends a codeword segment: nobody looks at the others.
  bool one_segment;

  COALESCE_HOST_DEVICE std::uint32_t bytes() const { return passes[end - 1].length - sent; }
};

// The codeword segments, or parts of one, that the passes are in: visit(number of passes, bytes).
template <class Visit>
COALESCE_HOST_DEVICE void for_segments(const PassRun &run, Visit &&visit) {
  int first = run.first;
  std::uint32_t sent = run.sent;
  for (int i = run.one_segment ? run.end - 1 : first; i < run.end; ++i) {
    if (i + 1 < run.end && !run.passes[i].terminated) continue;
    visit(static_cast<std::uint32_t>(i + 1 - first), run.passes[i].length - sent);
    sent = run.passes[i].length;
    first = i + 1;
  }
}

// B.10.7: a length has l_block + floor(log2(passes)) bits, so l_block grows until all fit.
COALESCE_HOST_DEVICE int grown_l_block(int l_block, const PassRun &run) {
  for_segments(run, [&](std::uint32_t count, std::uint32_t bytes) {
    const int needed = bytes == 0 ? 0 : floor_log2(bytes) + 1;
    const int least = needed - floor_log2(count);
    l_block = l_block < least ? least : l_block;
  });
  return l_block;
}

// Returns what l_block is afterwards.
template <class Bits>
COALESCE_HOST_DEVICE int put_lengths(int l_block, const PassRun &run, Bits *bits) {
  const int grown = grown_l_block(l_block, run);
  const int more = grown - l_block;
  bits->put((std::uint32_t{1} << (more + 1)) - 2, more + 1);  // ones, and a zero
  for_segments(run, [&](std::uint32_t count, std::uint32_t bytes) {
    bits->put(bytes, grown + floor_log2(count));
  });
  return grown;
}

}  // namespace coalesce::j2k
