// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of random coefficients, of every kind that the decoder takes: what the encoder and libjpeg
// never write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../support/random.h"

namespace coalesce::test {

struct WrittenComponent {
  int h = 1, v = 1;
  int wide = 0, high = 0;  // blocks of whole MCUs
  // Block (x, y) at 64 * (y * wide + x), in rows. Blocks that no scan has are zeros.
  std::vector<std::int16_t> coefficients;
};
struct WrittenFile {
  std::vector<std::uint8_t> bytes;
  std::size_t scan = 0;  // where the first one's data begin
  int width = 0, height = 0;
  std::vector<WrittenComponent> components;
  std::string text;
};

// A good file.
WrittenFile random_jpeg(Random &random);

}  // namespace coalesce::test
