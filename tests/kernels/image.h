// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>

#include "../support/device.h"
#include "../support/fenced.h"
#include "../support/random.h"
#include "core/plane.h"

namespace coalesce::test {

// Where the rows of an 8-bit plane lie in its memory.
struct Layout {
  int row_bytes = 0;
  int height = 0;
  std::size_t pitch = 0;
  std::size_t before = 0;  // bytes in front of the first row
  std::size_t after = 0;   // bytes behind the last
  FencedMemory::Against against = FencedMemory::Against::high;

  std::size_t size() const {
    return before + static_cast<std::size_t>(height - 1) * pitch +
           static_cast<std::size_t>(row_bytes) + after;
  }
  std::string text() const;
};

struct LayoutOptions {
  bool aligned = false;  // to 16 bytes, base and pitch, in device memory
  bool roomy = false;    // bytes all around, where a stray write does no harm but is seen
};

// A random layout: pitches from the row itself upwards, bases of any alignment; half of them
// without a byte to spare behind the last row.
Layout random_layout(Random &random, int row_bytes, int height, const LayoutOptions &options);

// All low, all high, a gradient, each byte either low or high, mostly low with some noise, or
// (most often) noise.
enum class Pattern { low, high, gradient, extremes, sparse, noise };
Pattern random_pattern(Random &random);
const char *name(Pattern pattern);

// A plane in host memory and, on demand, a copy of all of its memory on the device.
class TestImage {
 public:
  explicit TestImage(const Layout &layout)
      : layout_(layout), host_(layout.size(), layout.against) {}

  Plane<std::uint8_t> plane() const { return plane_at(host_.data()); }
  Plane<std::uint8_t> device_plane() const { return plane_at(device_->data()); }
  std::uint8_t *data() const { return host_.data(); }
  std::size_t size() const { return host_.size(); }

  void upload();
  void download() { device_->download(host_.data()); }

  void fill(Pattern pattern, Random &random);

  // Bytes that depend on their place alone: what nobody should have written is recognised.
  void fill_guard();

  // Empty if all the memory is the same; else where the first byte differs, with what is around it.
  std::string difference(const TestImage &expected) const;

 private:
  Plane<std::uint8_t> plane_at(std::uint8_t *base) const {
    return {base + layout_.before, layout_.row_bytes, layout_.height, layout_.pitch};
  }

  Layout layout_;
  FencedMemory host_;
  std::optional<DeviceMemory> device_;
};

// What an operation may only read.
struct InputImage {
  TestImage image;
  TestImage before;
  InputImage(const Layout &layout, Pattern pattern, Random &random);

  // Empty if no byte has changed.
  std::string difference() const { return image.difference(before); }
};

// What it writes: all of the memory is guarded until then.
struct OutputImage {
  TestImage expected;
  TestImage actual;
  explicit OutputImage(const Layout &layout);

  std::string difference() const { return actual.difference(expected); }
};
}  // namespace coalesce::test
