// SPDX-License-Identifier: LGPL-2.1-or-later
#include "combing.h"

#include <cstdlib>

#include "../core/thread_pool.h"
#include "../picture/rows.h"
#include "combing_job.h"

namespace coalesce {
namespace {

const PixelComponent &component_of(const PixelFormat &format) {
  for (Role role : {Role::y, Role::g})
    if (const PixelComponent *component = format.find(role)) return *component;
  return format.component[0];
}

constexpr int kBlock = 384;  // samples: whole groups of v210

using Samples = std::uint16_t[kBlock];

// Four rows that follow each other: row y is at y % 4.
struct Rows {
  Samples current[kCombingRows], before[kCombingRows];
};

// first: of the rows, its number. The sums of one group, columns of a block.
void add_group(const Rows &rows, int first, int count, Combing *sum) {
  const std::uint16_t *current[kCombingRows], *before[kCombingRows], *across[2][kCombingRows];
  for (int i = 0; i < kCombingRows; ++i) {
    current[i] = rows.current[(first + i) % kCombingRows];
    before[i] = rows.before[(first + i) % kCombingRows];
    for (int field = 0; field < 2; ++field)
      across[field][i] = (first + i) % 2 == field ? current[i] : before[i];
  }
  int within = 0, over[2] = {};
  for (int x = 0; x < count; x += kCombingColumns) {
    int change = 0;
    for (int i = 0; i < kCombingRows; ++i)
      change = most(change, std::abs(current[i][x] - before[i][x]));
    const int moves = change > kCombingThreshold ? -1 : 0;
    within += moves & combing_of(current[0][x], current[1][x], current[2][x], current[3][x]);
    for (int field = 0; field < 2; ++field) {
      const auto &row = across[field];
      over[field] += moves & combing_of(row[0][x], row[1][x], row[2][x], row[3][x]);
    }
  }
  sum->within += static_cast<unsigned>(within);
  for (int field = 0; field < 2; ++field)
    sum->across[field] += static_cast<unsigned>(over[field]);
}

Combing measure_part(const CombingJob &job, const RowReader &read, int part) {
  const int begin = job.first_group(part), end = job.first_group(part + 1);
  Combing sum;
  Rows rows;
  const auto read_row = [&](const Plane<const std::uint8_t> &plane, int y, int x, int count,
                            Samples &out) {
    read(plane.row(y), x, count, out);
    for (int i = 0; i < count; i += kCombingColumns)
      out[i] = static_cast<std::uint16_t>(out[i] >> job.shift());
  };
  for (int x = 0; begin < end && x < job.columns; x += kBlock) {
    const int count = least(kBlock, job.columns - x);
    for (int y = begin; y < end + kCombingRows - 1; ++y) {
      read_row(job.current, y, x, count, rows.current[y % kCombingRows]);
      read_row(job.before, y, x, count, rows.before[y % kCombingRows]);
      if (const int first = y - kCombingRows + 1; first >= begin)
        add_group(rows, first, count, &sum);
    }
  }
  return sum;
}

}  // namespace

Status measure_combing_cpu(const CombingJob &job, ThreadPool *pool) {
  const RowReader read(job.component);
  for_ranges(pool, kCombingParts, most(1, (1 << 16) / most(job.columns, 1)),
             [&](int first, int last) {
               for (int part = first; part < last; ++part)
                 job.parts[part] = measure_part(job, read, part);
             });
  return {};
}

Status measure_combing(const ConstImage &before, const ConstImage &current, Combing *parts,
                       const Queue &queue) {
  for (const ConstImage *frame : {&before, &current})
    if (Status s = check_image(*frame); !s.ok()) return s;
  if (!(before.format == current.format))
    return invalid_argument("telecine: the frames differ in format");
  if (before.width != current.width || before.height != current.height)
    return invalid_argument("telecine: the frames differ in size");
  if (parts == nullptr || reinterpret_cast<std::uintptr_t>(parts) % alignof(Combing) != 0)
    return invalid_argument("telecine: no place for the result that is aligned to 8 bytes");
  const PixelComponent &component = component_of(current.format);
  const CombingJob job = {before.of(component), current.of(component), component,
                          current.width,        current.height,        parts};
  if (!queue.on_cuda()) return measure_combing_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return measure_combing_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Combing sum_of(const Combing (&parts)[kCombingParts]) {
  Combing sum;
  for (const Combing &part : parts) {
    sum.within += part.within;
    for (int field = 0; field < 2; ++field)
      sum.across[field] += part.across[field];
  }
  return sum;
}

}  // namespace coalesce
