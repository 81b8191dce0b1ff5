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

std::vector<std::uint8_t> Photograph::frame(int i, int count, int width, int height,
                                            int right) const {
  const auto place = [count](int size, int part, int at) {
    return (size >= part ? size - part : size) * at / count;
  };
  const auto inside = [](int at, int size) {
    at = (at % (2 * size) + 2 * size) % (2 * size);
    return at < size ? at : 2 * size - 1 - at;
  };
  const bool mirrored = i % 2 == 1;
  const int x = place(width_, width, i) + (mirrored ? -right : right);
  const int y = place(height_, height, i * 7 % count);
  std::vector<std::size_t> columns;
  for (int column = 0; column < width; ++column)
    columns.push_back(
        3 * static_cast<std::size_t>(inside(x + (mirrored ? width - 1 - column : column), width_)));
  std::vector<std::uint8_t> planes;
  planes.reserve(3 * columns.size() * static_cast<std::size_t>(height));
  for (std::size_t c = 0; c < 3; ++c)
    for (int row = 0; row < height; ++row) {
      const std::uint8_t *line =
          samples_.data() +
          static_cast<std::size_t>(inside(y + row, height_)) * 3 * static_cast<std::size_t>(width_);
      for (const std::size_t column : columns)
        planes.push_back(line[column + c]);
    }
  return planes;
}

}  // namespace coalesce::test
