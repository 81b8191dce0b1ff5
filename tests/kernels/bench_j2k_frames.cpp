// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench_j2k_frames.h"

#include <cstdio>
#include <stdexcept>

namespace coalesce::test {
namespace {

struct Ppm {
  int width = 0, height = 0;
  std::vector<std::uint8_t> samples;
};

Ppm read(const char *name) {
  FILE *file = std::fopen(name, "rb");
  if (file == nullptr) throw std::runtime_error(std::string("cannot open ") + name);
  Ppm p;
  int most = 0;
  bool ok = std::fscanf(file, "P6%d%d%d", &p.width, &p.height, &most) == 3 &&
            std::fgetc(file) != EOF && most == 255 && p.width > 0 && p.height > 0;
  if (ok) {
    p.samples.resize(3 * static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height));
    ok = std::fread(p.samples.data(), 1, p.samples.size(), file) == p.samples.size();
  }
  std::fclose(file);
  if (!ok) throw std::runtime_error(std::string(name) + " is no PPM of 8 bits");
  return p;
}

// (x, y) is where it is cut out.
std::vector<std::uint8_t> cut(const Ppm &p, int x, int y, int width, int height, bool mirrored) {
  std::vector<std::uint8_t> planes;
  planes.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int c = 0; c < 3; ++c)
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i) {
        const int at = (y + j) * p.width + x + (mirrored ? width - 1 - i : i);
        planes.push_back(p.samples[3 * static_cast<std::size_t>(at) + static_cast<unsigned>(c)]);
      }
  return planes;
}

}  // namespace

BenchFrames read_bench_frames(const char *name, int width, int height, int count) {
  const Ppm p = read(name);
  if (p.width < width || p.height < height)
    throw std::runtime_error(std::string(name) + " is too small");
  BenchFrames result;
  result.width = width;
  result.height = height;
  for (int i = 0; i < count; ++i) {
    const int x = (p.width - width) * i / count, y = (p.height - height) * (i * 7 % count) / count;
    const std::vector<std::uint8_t> planes = cut(p, x, y, width, height, i % 2 == 1);
    if (i == 0) result.first = planes;
    result.frames.emplace_back(planes.size());
    result.frames.back().upload(planes.data());
  }
  return result;
}

}  // namespace coalesce::test
