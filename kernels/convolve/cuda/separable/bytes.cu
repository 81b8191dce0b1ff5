// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bytes.cuh"

#include <algorithm>

#include "../../../core/cuda_status.h"
#include "host.h"

namespace coalesce {
namespace {

// What a filter reaches for: of a row in memory, in bytes, and of rows, each in units of 16.
struct Reach {
  int span;    // from the first tap to the last, both included
  int before;  // the sample
  int down_units;

  Reach(const Filter &f, int channels)
      : span((f.width - 1) * channels + 1),
        before(f.left * channels),
        down_units((f.height + 15 + 15) / 16) {}
  // `before`, rounded up to where windows may begin.
  int left(int shift) const { return before + ((shift - before) & 15); }
  int across_units(int shift) const { return (left(shift) - before + span + 15 + 15) / 16; }

  template <class Shape>
  bool fits() const {
    return down_units <= Shape::kDownUnits && across_units(Shape::kShift) <= Shape::kAcrossUnits;
  }
};

// Planes of one or two numbers of channels, as those of NV12.
struct Job {
  const Filter *filter;
  const MmaNumbers *numbers;
  ArgumentCache *cache;
  int multiprocessors;
  cudaStream_t stream;
  int rows = 0;  // numbers of channels
  int channels[2] = {};
  int planes = 0;
  BytesPlane plane[4] = {};
  unsigned taken = 0;  // bits of the image's planes

  Reach reach(int row) const { return {*filter, channels[row]}; }
  bool wide() const { return numbers->sums >= SeparableSums::wide; }

  template <class Shape>
  bool fits() const {
    if (wide() && Shape::kAcrossUnits > kMostWideUnits) return false;
    for (int i = 0; i < rows; ++i)
      if (!reach(i).fits<Shape>()) return false;
    return true;
  }
};

template <class Shape, SeparableSums kSums>
void fill_row(const Job &job, int which, BytesRow<Shape, kSums> *row) {
  const Reach reach = job.reach(which);
  const int channels = job.channels[which];
  row->left = reach.left(Shape::kShift);
  row->right = reach.span - 1 - reach.before;
  const int zeros = row->left - reach.before;
  const auto byte = [&](int i, int digit) {
    i -= zeros;
    if (i < 0 || i % channels != 0) return std::uint32_t{0};
    return tap_byte(job.filter->across, i / channels, job.numbers->scale_across, digit);
  };
  for (int d = 0; d < MmaTypes<kSums>::kDigits; ++d)
    fill_across([&](int i) { return byte(i, d); }, row->across[d]);
}

// All that does not depend on the picture.
template <class Shape, SeparableSums kSums>
BytesArgs<Shape, kSums> make_args(const Job &job) {
  BytesArgs<Shape, kSums> args{};
  static_assert(sizeof args <= 4096, "kernels take no more");
  args.above = job.filter->above;
  args.below = job.filter->height - 1;
  args.shift = job.numbers->shift;
  args.reciprocal = job.numbers->reciprocal;
  for (int d = 0; d < MmaTypes<kSums>::kDigits; ++d)
    fill_down([&](int i) { return tap_byte(job.filter->down, i, job.numbers->scale_down, d); },
              args.down[d]);
  for (int i = 0; i < job.rows; ++i)
    fill_row(job, i, &args.row[i]);
  return args;
}

template <class Shape, SeparableSums kSums>
Status run(const Job &job) {
  auto &args = job.cache->get<BytesArgs<Shape, kSums>>(
      8 * job.channels[1] + job.channels[0], [&] { return make_args<Shape, kSums>(job); });
  int strips = 0, tiles = 0;
  for (int i = 0; i < job.planes; ++i) {
    const TileSource &in = job.plane[i].in;
    args.plane[i] = job.plane[i];
    strips = std::max(strips, (in.width - 1) / Shape::kColumns + 1);
    tiles = std::max(tiles, (in.height - 1) / Shape::kStep + 1);
  }
  args.steps = steps_of_block(strips, tiles, job.planes,
                              std::int64_t{job.multiprocessors} * bytes_blocks<Shape, kSums>());
  const dim3 grid(strips, (tiles - 1) / args.steps + 1, job.planes);
  return launch_early(separable_bytes_kernel<Shape, kSums>, grid, dim3(Shape::kThreads), 0,
                      job.stream, args);
}

using AllShapes = ShapeList<BytesShape<2, 2, 2>, BytesShape<3, 3, 2>, BytesShape<3, 4, 2>,
                            BytesShape<3, 5, 2>, BytesShape<5, 5, 1>, BytesShape<3, 9, 1>>;

// False if the plane is not for these kernels.
bool make_plane(const ConvolveParams &params, const ConvolvePlane &plane, const MmaNumbers &numbers,
                BytesPlane *made) {
  constexpr std::size_t kMaxPitch = INT32_MAX;
  if (plane.in.pitch > kMaxPitch || plane.out.pitch > kMaxPitch) return false;
  int levels = 0, chromas = 0;
  std::uint32_t copied = 0;
  for (int c = 0; c < plane.channels; ++c) {
    levels += plane.role[c] == ChannelRole::level;
    chromas += plane.role[c] == ChannelRole::chroma;
    if (plane.role[c] == ChannelRole::copy) copied |= 0xffu << (8 * c);
  }
  if (levels + chromas == 0 || (copied != 0 && plane.channels == 3)) return false;
  if (levels > 0 && chromas > 0 && numbers.level != numbers.chroma) return false;
  if (plane.channels == 2) copied |= copied << 16;
  *made = {make_tile_source(params, plane),
           plane.out.data,
           plane.out.pitch,
           copied,
           static_cast<int>(levels > 0 ? numbers.level : numbers.chroma),
           0};
  return true;
}

// All planes with so many channels that are for these kernels join the job.
void add_planes(const ConvolveParams &params, const ConvolvePlanes &image, int channels, Job *job) {
  const int before = job->planes;
  for (int i = 0; i < image.planes; ++i) {
    BytesPlane &plane = job->plane[job->planes];
    if (image.plane[i].channels != channels ||
        !make_plane(params, image.plane[i], *job->numbers, &plane))
      continue;
    plane.row = job->rows;
    ++job->planes;
    job->taken |= 1u << i;
  }
  if (job->planes > before) job->channels[job->rows++] = channels;
}

}  // namespace

unsigned run_separable_bytes(const ConvolveParams &params, const ConvolvePlanes &image,
                             const MmaNumbers &numbers, int multiprocessors, cudaStream_t stream,
                             Status *status) {
  // One launch for both kinds of planes, unless one of them would have to take a larger shape.
  const Job none = {params.filter, &numbers, params.cache, multiprocessors, stream};
  Job jobs[4] = {none, none, none, none};
  int shapes[4] = {}, count = 0;
  unsigned taken = 0;
  for (int channels = 1; channels <= 4; ++channels) {
    Job alone = none;
    add_planes(params, image, channels, &alone);
    if (alone.planes == 0) continue;
    const int shape = AllShapes::first(alone);
    if (shape == AllShapes::kCount) return 0;
    taken |= alone.taken;
    if (count > 0 && jobs[count - 1].rows == 1 && shape == shapes[count - 1]) {
      add_planes(params, image, channels, &jobs[count - 1]);
      continue;
    }
    jobs[count] = alone;
    shapes[count++] = shape;
  }
  unsigned filtered = 0;
  for (int i = 0; i < image.planes; ++i)
    if (!is_copied(image.plane[i])) filtered |= 1u << i;
  if (taken != filtered) return 0;
  for (int i = 0; i < count && status->ok(); ++i)
    *status = AllShapes::run(shapes[i], [&job = jobs[i]](auto shape) {
      using Shape = decltype(shape);
      return run_sums<Shape>(job.numbers->sums,
                             [&job](auto sums) { return run<Shape, sums()>(job); });
    });
  return filtered;
}

}  // namespace coalesce
