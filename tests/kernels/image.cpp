// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace coalesce::test {
namespace {

std::string hex_window(const std::uint8_t *data, std::size_t size, std::size_t at) {
  const std::size_t first = at < 8 ? 0 : at - 8;
  std::string text;
  for (std::size_t i = first; i < std::min(size, first + 24); ++i) {
    char byte[8];
    std::snprintf(byte, sizeof byte, i == at ? "[%02x]" : " %02x ", data[i]);
    text += byte;
  }
  return text;
}

}  // namespace

std::string Layout::text() const {
  char text[128];
  std::snprintf(text, sizeof text, "%dx%d pitch %zu, %zu bytes before, %zu after, fenced %s",
                row_bytes, height, pitch, before, after,
                against == FencedMemory::Against::high ? "behind" : "in front");
  return text;
}

Layout random_layout(Random &random, int row_bytes, int height, const LayoutOptions &options) {
  Layout layout;
  layout.row_bytes = row_bytes;
  layout.height = height;
  const auto slack = static_cast<std::size_t>(random.pick({0, 0, 1, 2, 4, 8, 15, 16, 64}));
  layout.pitch = static_cast<std::size_t>(row_bytes) + slack;
  layout.before = static_cast<std::size_t>(random.pick({0, 0, 1, 2, 3, 4, 6, 8, 13, 16}));
  // A third of all are aligned, another third have only their base off.
  const bool aligned = options.aligned || random.below(3) == 0;
  if (aligned || random.below(2) == 0) layout.pitch = (layout.pitch + 15) / 16 * 16;
  if (aligned) layout.before = layout.before / 16 * 16;
  if (options.roomy || random.below(2) == 0) {
    layout.before += 64;
    layout.after = layout.pitch + 64;
  }
  layout.against = random.below(2) == 0 ? FencedMemory::Against::low : FencedMemory::Against::high;
  return layout;
}

Pattern random_pattern(Random &random) {
  return random.pick({Pattern::low, Pattern::high, Pattern::gradient, Pattern::extremes,
                      Pattern::sparse, Pattern::noise, Pattern::noise, Pattern::noise});
}

const char *name(Pattern pattern) {
  static const char *const names[] = {"low", "high", "gradient", "extremes", "sparse", "noise"};
  return names[static_cast<int>(pattern)];
}

void TestImage::upload() {
  if (!device_) device_.emplace(host_.size());
  device_->upload(host_.data());
}

void TestImage::fill(Pattern pattern, Random &random) {
  for (std::size_t i = 0; i < size(); ++i)
    data()[i] = pattern == Pattern::low        ? 0
                : pattern == Pattern::high     ? 255
                : pattern == Pattern::gradient ? static_cast<std::uint8_t>(i)
                : pattern == Pattern::extremes ? static_cast<std::uint8_t>(random.below(2) * 255)
                : pattern == Pattern::sparse && random.below(4) != 0
                    ? 0
                    : static_cast<std::uint8_t>(random.bits());
}

void TestImage::fill_guard() {
  for (std::size_t i = 0; i < size(); ++i)
    data()[i] = static_cast<std::uint8_t>((i * 167) ^ (i >> 8) ^ 0x5a);
}

std::string TestImage::difference(const TestImage &expected) const {
  if (std::memcmp(data(), expected.data(), size()) == 0) return {};
  const auto at = static_cast<std::size_t>(
      std::mismatch(data(), data() + size(), expected.data()).first - data());
  char where[128];
  const std::size_t from_first = at - layout_.before;
  const std::size_t x = from_first % layout_.pitch;
  const std::size_t y = from_first / layout_.pitch;
  if (at >= layout_.before && x < static_cast<std::size_t>(layout_.row_bytes) &&
      y < static_cast<std::size_t>(layout_.height)) {
    std::snprintf(where, sizeof where, "differs first at (%zu, %zu)", x, y);
  } else {
    std::snprintf(where, sizeof where, "was written outside of its rows, first %td bytes from it",
                  static_cast<std::ptrdiff_t>(at - layout_.before));
  }
  return std::string(where) + "\n    expected" + hex_window(expected.data(), size(), at) +
         "\n    got     " + hex_window(data(), size(), at);
}

InputImage::InputImage(const Layout &layout, Pattern pattern, Random &random)
    : image(layout), before(layout) {
  image.fill(pattern, random);
  std::copy_n(image.data(), image.size(), before.data());
}

OutputImage::OutputImage(const Layout &layout) : expected(layout), actual(layout) {
  expected.fill_guard();
  actual.fill_guard();
}

}  // namespace coalesce::test
