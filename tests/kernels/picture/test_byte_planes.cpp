// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels to byte planes and back, against bytes moved one by one.
#include <cstring>

#include "../../support/doctest.h"
#include "picture/byte_planes.h"

namespace coalesce::test {
namespace {

TEST_CASE_TEMPLATE("every byte of every pixel", Bytes, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>,
                   std::integral_constant<int, 4>, std::integral_constant<int, 8>) {
  constexpr int kBytes = Bytes::value;
  PixelWords<kBytes> pixels;
  std::uint8_t bytes[4 * kBytes];
  for (int i = 0; i < 4 * kBytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(17 + 5 * i);
  std::memcpy(pixels.words, bytes, sizeof bytes);

  const PixelWords<kBytes> planes = split_pixels(pixels);
  for (int plane = 0; plane < kBytes; ++plane)
    for (int pixel = 0; pixel < 4; ++pixel)
      CHECK((planes.words[plane] >> 8 * pixel & 0xff) == bytes[pixel * kBytes + plane]);

  const PixelWords<kBytes> joined = join_pixels(planes);
  CHECK(std::memcmp(joined.words, bytes, sizeof bytes) == 0);
}

}  // namespace
}  // namespace coalesce::test
