// SPDX-License-Identifier: LGPL-2.1-or-later
// What a decoder makes of a codestream.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::test {

struct Decoded {
  struct Component {
    int width, height, bits;
    std::vector<std::int32_t> samples;
    std::vector<float> exact = {};  // before they were rounded and limited, if the decoder tells
  };
  std::vector<Component> components;
  int colour_space = 0;   // of a JP2 file: 1 sRGB, 2 grey, 3 sYCC
  int alpha = -1;         // of a JP2 file: the component that is opacity
  std::string complaint;  // empty: it decoded, and there was nothing to warn of
};

}  // namespace coalesce::test
