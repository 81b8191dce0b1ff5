// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace_args.h"

#include <algorithm>
#include <cstdint>

#include "deinterlace_motion.h"

namespace coalesce {
namespace {

std::uint8_t alignment_of(const DeinterlaceJob &job, int plane) {
  std::uintptr_t bits = 16;
  const auto add = [&](const auto &p) {
    bits |= reinterpret_cast<std::uintptr_t>(p.data) | p.pitch;
  };
  for (const ConstImage &frame : job.frame)
    add(frame.plane[plane]);
  for (int i = 0; i < job.pictures; ++i)
    add(job.picture[i].out.plane[plane]);
  return static_cast<std::uint8_t>(bits & -bits);
}

// Of weave also the row that a progressive picture has not, where all have it.
int rows_of(const DeinterlaceJob &job, int plane) {
  const ConstImage &current = job.frame[1];
  if (job.params.method != DeinterlaceMethod::weave)
    return plane_rows(current.format, plane, current.height);
  int rows = current.plane[plane].height;
  for (int i = 0; i < job.pictures; ++i) {
    rows = std::min(rows, job.picture[i].out.plane[plane].height);
    if (job.picture[i].across) rows = std::min(rows, job.frame[2].plane[plane].height);
  }
  return rows;
}

Steps steps_of(const PixelFormat &format, const PixelComponent &first) {
  if (format.is_packed_422()) return first.first == 0 ? Steps::luma_first : Steps::chroma_first;
  return static_cast<Steps>(first.step - 1);
}

PlaneRuns plane_runs(const DeinterlaceJob &job, int plane) {
  const ConstImage &picture = job.frame[1];
  const PixelFormat &format = picture.format;
  PlaneRuns runs;
  runs.alignment = alignment_of(job, plane);
  runs.rows = rows_of(job, plane);
  runs.row_bytes = static_cast<int>(row_bytes(format, plane, picture.width));
  runs.least_log2 = 8;
  const PixelComponent *first = nullptr;
  std::uint32_t used = 0;
  for (int c = format.components - 1; c >= 0; --c) {
    const PixelComponent &component = format.component[c];
    if (component.plane != plane) continue;
    first = &component;
    runs.least_log2 = std::min<int>(runs.least_log2, component.log2_width);
    runs.columns = std::max(runs.columns, -(-picture.width >> component.log2_width));
    if (component.container == Container::u32)
      used |= ((1u << component.bits) - 1) << component.shift;
    if (component.container == Container::u8 && 4 % component.step == 0)
      for (int at = component.first; at < 4; at += component.step)
        used |= 0xffu << 8 * at;
  }
  runs.maximum = (1 << first->bits) - 1;
  runs.tile_bytes = static_cast<int>(row_bytes(format, plane, kTileColumns << runs.least_log2));
  // The last pair of an odd width lacks a sample of luma.
  const int pairs = format.is_packed_422() ? picture.width / 2 : 0;
  runs.container_bytes = container_bytes(first->container);
  runs.end = runs.row_bytes / runs.container_bytes;
  if (format.is_packed_422()) {
    runs.end = 4 * ((picture.width + 1) / 2);
    runs.luma_end = 2 * picture.width;
  }
  switch (first->container) {
    case Container::u8:
      runs.lanes = Lanes::bytes;
      runs.steps = steps_of(format, *first);
      runs.whole = format.is_packed_422() ? 4 * pairs : runs.row_bytes;
      runs.ones = 4 % first->step == 0 ? ~used : 0;
      break;
    case Container::u16:
      runs.lanes = Lanes::halves;
      runs.steps = steps_of(format, *first);
      runs.shift = first->shift;
      runs.whole = format.is_packed_422() ? 8 * pairs : runs.row_bytes;
      break;
    case Container::u32:
      runs.lanes = Lanes::fields10;
      runs.steps = Steps::four;
      runs.end = 4 * picture.width;
      runs.whole = runs.row_bytes;
      runs.ones = ~used;
      break;
    case Container::v210:
      runs.lanes = Lanes::v210;
      runs.steps = Steps::chroma_first;
      runs.whole = 4 * pairs / 6 * 8;  // runs begin with chroma
      runs.zeros = 3u << 30;
      break;
    case Container::be10:
      break;
  }
  if (runs.whole < kRunBytes) runs.whole = 0;
  return runs;
}

}  // namespace

DeinterlaceArgs make_args(const DeinterlaceJob &job) {
  DeinterlaceArgs args = {job, {}};
  for (int p = 0; p < job.frame[1].format.planes; ++p)
    args.plane[p] = plane_runs(job, p);
  return args;
}

}  // namespace coalesce
