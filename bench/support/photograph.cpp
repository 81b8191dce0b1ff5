// SPDX-License-Identifier: LGPL-2.1-or-later
#include "photograph.h"

#include <cstdio>
#include <stdexcept>
#include <string>

namespace coalesce::test {

Photograph::Photograph(const char *ppm) {
  FILE *file = std::fopen(ppm, "rb");
  if (file == nullptr) throw std::runtime_error(std::string("cannot open ") + ppm);
  int most = 0;
  bool ok = std::fscanf(file, "P6%d%d%d", &width_, &height_, &most) == 3 &&
            std::fgetc(file) != EOF && most == 255 && width_ > 0 && height_ > 0;
  if (ok) {
    samples_.resize(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    ok = std::fread(samples_.data(), 1, samples_.size(), file) == samples_.size();
  }
  std::fclose(file);
  if (!ok) throw std::runtime_error(std::string(ppm) + " is no PPM of 8 bits");
}

std::vector<std::uint8_t> Photograph::frame(int i, int count, int width, int height) const {
  if (width_ < width || height_ < height) throw std::runtime_error("the picture is too small");
  const int x = (width_ - width) * i / count, y = (height_ - height) * (i * 7 % count) / count;
  const bool mirrored = i % 2 == 1;
  std::vector<std::uint8_t> planes;
  planes.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int c = 0; c < 3; ++c)
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const int at = (y + row) * width_ + x + (mirrored ? width - 1 - column : column);
        planes.push_back(samples_[3 * static_cast<std::size_t>(at) + static_cast<unsigned>(c)]);
      }
  return planes;
}

}  // namespace coalesce::test
