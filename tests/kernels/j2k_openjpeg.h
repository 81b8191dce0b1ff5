// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenJPEG as a judge, where the tests were built with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::test {

struct Decoded {
  struct Component {
    int width, height, bits;
    std::vector<std::int32_t> samples;
  };
  std::vector<Component> components;
  std::string complaint;  // empty: it decoded, and had nothing to warn of
};

bool have_openjpeg();
// A codestream, or a JP2 file. layers: how many to decode; 0: all.
Decoded decode_with_openjpeg(const std::vector<std::uint8_t> &bytes, int layers = 0);

}  // namespace coalesce::test
