// SPDX-License-Identifier: LGPL-2.1-or-later
#include "remap_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 16;  // rows of a range, at least

// (Bytes that are written could be any: so a job of its own, which stays in registers.)
template <class T>
void remap_rows(RemapJob job, int first, int last) {
  for (int y = first; y < last; ++y) {
    const MapPoint *points = job.map.point.row(y);
    const std::uint16_t *fractions = job.map.fraction.row(y);
    auto *to = reinterpret_cast<T *>(job.out.row(y));
    for (int x = 0; x < job.map.point.width; ++x)
      to[x] = remapped<T>(job, points[x], fractions[x], [](const T *from) { return *from; });
  }
}

}  // namespace

void remap_cpu(const RemapJob &job, ThreadPool *pool) {
  const bool bytes = job.component.container == Container::u8;
  for_ranges(pool, job.out.height, kGrain, [&](int first, int last) {
    (bytes ? remap_rows<std::uint8_t> : remap_rows<std::uint16_t>)(job, first, last);
  });
}

}  // namespace coalesce
