// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace_motion_cpu.h"

#include <limits>

#include "../core/simd.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // all functions of vectors are inlined

namespace coalesce {
namespace {

// A lane of 64 bits for each block; the sums need less than 32.
template <class V>
COALESCE_INLINE void find(const MotionRows &rows, int blocks, std::uint32_t *best) {
  using Sums = typename V::Int32;
  constexpr int kBlocks = sizeof(Sums) / 8;
  for (int block = 0; block < blocks; block += kBlocks) {
    const int x = MotionRows::kSide + kMotionBlock * block;
    Sums least = Sums{} + std::numeric_limits<std::int32_t>::max();
    for (int number = 0, dy = -kMotionRows; dy <= kMotionRows; dy += 2)
      for (int dx = -kMotionColumns; dx <= kMotionColumns; ++dx, ++number) {
        typename V::Int64 sums = {};
        for (int k = 0; k < kMotionBlock / 2; ++k) {
          const int other = k + kMotionRows / 2;
          V::add_distances(rows.before[other - dy / 2] + x - dx,
                           rows.after[other + dy / 2] + x + dx, sums);
          const std::uint8_t *here = rows.current[k + MotionRows::kAbove] + x;
          V::add_distances(rows.earlier[k + kMotionRows - dy] + x - 2 * dx, here, sums);
          V::add_distances(rows.later[k + kMotionRows + dy] + x + 2 * dx, here, sums);
        }
        const auto score = static_cast<std::int32_t>(motion_score(0, number));
        const Sums scores = (reinterpret_cast<Sums>(sums) << 7) + score;
        least = scores < least ? scores : least;
      }
    for (int i = 0; i < kBlocks; ++i)
      best[block + i] = static_cast<std::uint32_t>(reinterpret_cast<typename V::Int64>(least)[i]);
  }
}

void find_any(const MotionRows &rows, int blocks, std::uint32_t *best) {
  find<Vector<16>>(rows, blocks, best);
}
#if defined(COALESCE_AVX2)
COALESCE_AVX2 void find_avx2(const MotionRows &rows, int blocks, std::uint32_t *best) {
  find<Vector<32>>(rows, blocks, best);
}
#endif

std::uint32_t within_field(const MotionRows &rows, int block) {
  std::uint32_t sum = 0;
  for (int k = MotionRows::kAbove; k < MotionRows::kAbove + kMotionBlock / 2; ++k)
    for (int i = 0; i < kMotionBlock; ++i) {
      const int x = MotionRows::kSide + kMotionBlock * block + i;
      const auto row = [&](int distance) { return rows.current[k + distance][x]; };
      sum += within_field_difference(row(-1), row(-3), row(0), row(1), row(3));
    }
  return sum;
}

}  // namespace

void find_motion(const MotionRows &rows, int blocks, Motion *motion) {
  std::uint32_t best[MotionRows::kColumns / kMotionBlock + 4];
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2"))
    find_avx2(rows, blocks, best);
  else
#endif
    find_any(rows, blocks, best);
  for (int i = 0; i < blocks; ++i)
    motion[i] = motion_of(best[i], within_field(rows, i));
}

}  // namespace coalesce
