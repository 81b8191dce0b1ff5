// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../core/thread_pool.h"
#include "convolve.h"

namespace coalesce {
namespace {

int load(const std::uint8_t *row, std::ptrdiff_t i, SampleDepth depth) {
  if (depth.bytes() == 1) return row[i];
  return (reinterpret_cast<const std::uint16_t *>(row)[i] >> depth.shift) & depth.max();
}

void store(std::uint8_t *row, std::ptrdiff_t i, SampleDepth depth, int value) {
  if (depth.bytes() == 1)
    row[i] = static_cast<std::uint8_t>(value);
  else
    reinterpret_cast<std::uint16_t *>(row)[i] = static_cast<std::uint16_t>(value << depth.shift);
}

// One plane, a sample at a time.
class Picture {
 public:
  Picture(const ConvolveParams &params, const ConvolvePlane &plane)
      : filter_(*params.filter), params_(params), plane_(plane) {}

  int width() const { return plane_.in.width / (plane_.channels * filter_.depth.bytes()); }

  int at(int x, int y, int c) const {
    x = border_position(params_.border, x, width());
    y = border_position(params_.border, y, plane_.in.height);
    if (x < 0 || y < 0)
      return plane_.role[c] == ChannelRole::chroma ? filter_.depth.middle() : params_.border_value;
    return load(plane_.in.row(y), std::ptrdiff_t{x} * plane_.channels + c, filter_.depth);
  }

  std::int64_t sum_across(int x, int y, int c) const {
    std::int64_t sum = 0;
    for (int i = 0; i < filter_.width; ++i)
      sum += std::int64_t{filter_.across[static_cast<std::size_t>(i)]} *
             at(x + i - filter_.left, y, c);
    return sum;
  }

  std::int64_t sum(int x, int y, int c, ConvolveAlgorithm algorithm) const {
    std::int64_t sum = 0;
    if (algorithm == ConvolveAlgorithm::separable) {
      for (int j = 0; j < filter_.height; ++j)
        sum += filter_.down[static_cast<std::size_t>(j)] * sum_across(x, y + j - filter_.above, c);
      return sum;
    }
    const std::int32_t *weight = filter_.weights.data();
    for (int j = 0; j < filter_.height; ++j)
      for (int i = 0; i < filter_.width; ++i)
        sum += std::int64_t{*weight++} * at(x + i - filter_.left, y + j - filter_.above, c);
    return sum;
  }

  void filter_sample(int x, int y, int c, ConvolveAlgorithm algorithm) const {
    const SampleDepth depth = filter_.depth;
    const std::ptrdiff_t i = std::ptrdiff_t{x} * plane_.channels + c;
    const ChannelRole role = plane_.role[c];
    if (role == ChannelRole::copy) {
      std::memcpy(plane_.out.row(y) + i * depth.bytes(), plane_.in.row(y) + i * depth.bytes(),
                  static_cast<std::size_t>(depth.bytes()));
      return;
    }
    if (algorithm == ConvolveAlgorithm::copy)
      return store(plane_.out.row(y), i, depth, at(x, y, c));
    const Filter::Offsets &o = role == ChannelRole::level ? filter_.level : filter_.chroma;
    std::int64_t value = sum(x, y, c, algorithm) + o.before;
    if (filter_.absolute && value < 0) value = -value;
    value = std::max<std::int64_t>(value + o.after, 0) / filter_.divisor;
    store(plane_.out.row(y), i, depth,
          static_cast<int>(std::min<std::int64_t>(value, depth.max())));
  }

 private:
  const Filter &filter_;
  const ConvolveParams &params_;
  const ConvolvePlane &plane_;
};

}  // namespace

Status convolve_cpu(const ConvolveParams &params, const ConvolveImage &image,
                    ConvolveAlgorithm algorithm, ThreadPool *pool) {
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    const Picture picture(params, plane);
    const int width = picture.width();
    for_ranges(pool, plane.in.height, std::max(1, 4096 / width), [&](int first, int last) {
      for (int y = first; y < last; ++y)
        for (int x = 0; x < width; ++x)
          for (int c = 0; c < plane.channels; ++c)
            picture.filter_sample(x, y, c, algorithm);
    });
  }
  return {};
}

}  // namespace coalesce
