// SPDX-License-Identifier: LGPL-2.1-or-later
#include "containers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "put_sample.h"
#include "rows.h"

namespace coalesce {
namespace {

constexpr int kRun = 512;        // samples, unpacked at a time
constexpr int kGrain = 1 << 16;  // bytes of rows, at least, for a thread

// A component that is filtered, and what it becomes, in samples of one depth.
struct Samples {
  const PixelComponent *component;
  int columns;
  Plane<std::uint8_t> in, out;
};

// For the planes of all components, from one frame to the next.
class SampleMemory {
 public:
  std::uint8_t *of(std::size_t bytes) {
    if (bytes > bytes_) {
      bytes_ = 0;
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t bytes_ = 0;
};

void unpack(const RowReader &read, const std::uint8_t *row, int count, SampleDepth depth,
            std::uint8_t *out) {
  std::uint16_t samples[kRun];
  for (int x = 0; x < count; x += kRun) {
    const int run = std::min(count - x, kRun);
    read(row, x, run, samples);
    if (depth.bytes() == 1) {
      std::copy_n(samples, run, out + x);
      continue;
    }
    auto *halves = reinterpret_cast<std::uint16_t *>(out) + x;
    for (int i = 0; i < run; ++i)
      halves[i] = static_cast<std::uint16_t>(samples[i] << depth.shift);
  }
}

// all: with the second luma of the last pair, which the picture may lack.
void put_all(std::uint8_t *row, const Samples &samples, int all, SampleDepth depth, int y) {
  const PixelComponent &c = *samples.component;
  const std::uint8_t *bytes = samples.out.row(y);
  for (int x = 0; x < all; ++x) {
    const int from = std::min(x, samples.columns - 1);
    const std::uint16_t value =
        depth.bytes() == 1 ? bytes[from] : reinterpret_cast<const std::uint16_t *>(bytes)[from];
    put_sample(row, c, c.first + std::ptrdiff_t{x} * c.step, value);
  }
}

// Of the components that are filtered; returns how many.
int make_samples(const ContainerImage &image, SampleDepth depth, SampleMemory &memory,
                 Samples (&samples)[4], ChannelPlanes *planes) {
  std::size_t bytes = 0;
  int count = 0;
  for (int i = 0; i < image.format.components; ++i) {
    const PixelComponent &c = image.format.component[i];
    if (image.role[i] == ChannelRole::copy) continue;
    const int columns = image.columns(c), row_bytes = columns * depth.bytes();
    const Plane<std::uint8_t> plane = {nullptr, row_bytes, image.in.height,
                                       static_cast<std::size_t>(row_bytes)};
    bytes += 2 * plane.pitch * static_cast<std::size_t>(plane.height);
    planes->plane[count].role[0] = image.role[i];
    samples[count++] = {&c, columns, plane, plane};
  }
  planes->planes = count;
  std::uint8_t *at = memory.of(bytes);
  for (int i = 0; i < count; ++i) {
    for (Plane<std::uint8_t> *plane : {&samples[i].in, &samples[i].out}) {
      plane->data = at;
      at += plane->pitch * static_cast<std::size_t>(plane->height);
    }
    planes->plane[i].in = samples[i].in, planes->plane[i].out = samples[i].out;
  }
  return count;
}

}  // namespace

ContainerImage container_image(const ConstImage &in, const Image &out, bool luma_only,
                               bool filter_alpha) {
  ContainerImage image = {in.format, in.width, in.plane[0], out.plane[0]};
  for (int i = 0; i < in.format.components; ++i)
    image.role[i] = channel_role(in.format, in.format.component[i], luma_only, filter_alpha);
  return image;
}

Status filter_containers(const ContainerImage &image, SampleDepth depth, ArgumentCache *memory,
                         ThreadPool *pool,
                         const std::function<Status(const ChannelPlanes &planes)> &filter) {
  Samples samples[4];
  ChannelPlanes planes;
  SampleMemory own;
  int count = 0;
  try {
    SampleMemory &of_samples =
        memory == nullptr ? own : memory->get<SampleMemory>(0, [] { return SampleMemory(); });
    count = make_samples(image, depth, of_samples, samples, &planes);
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "no memory for the samples of a picture"};
  }
  const int grain = std::max(1, kGrain / image.in.width);
  for_ranges(pool, image.in.height, grain, [&](int first, int last) {
    for (int i = 0; i < count; ++i) {
      const RowReader read(*samples[i].component);
      for (int y = first; y < last; ++y)
        unpack(read, image.in.row(y), samples[i].columns, depth, samples[i].in.row(y));
    }
  });
  if (Status s = filter(planes); !s.ok()) return s;
  for_ranges(pool, image.in.height, grain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::uint8_t *row = image.out.row(y);
      std::memcpy(row, image.in.row(y), static_cast<std::size_t>(image.in.width));
      for (int i = 0; i < count; ++i) {
        const int columns = samples[i].columns;
        const bool in_pairs = image.format.is_packed_422() && samples[i].component->role == Role::y;
        put_all(row, samples[i], columns + (in_pairs ? columns & 1 : 0), depth, y);
      }
    }
  });
  return {};
}

}  // namespace coalesce
