// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of 8 bits, of one or three components.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "j2k_picture.h"

namespace coalesce::test {

struct PlainPicture {
  int width = 0, height = 0, components = 0;
  std::vector<std::uint8_t> samples;  // plane by plane
};
// Smooth parts, edges, texture, noise.
PlainPicture made_picture(int width, int height, int components, std::uint64_t seed);
// P5 or P6; nothing of it if it cannot be read.
PlainPicture read_pnm(const char *path);

Picture picture(const PlainPicture &plain);

}  // namespace coalesce::test
