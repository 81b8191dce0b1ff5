// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_plain_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "../../../support/random.h"

namespace coalesce::test {

PlainPicture made_picture(int width, int height, int components, std::uint64_t seed) {
  Random random(seed);
  PlainPicture p = {width, height, components, {}};
  for (int c = 0; c < components; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        double v = 110 + 60 * std::sin(x / 61.0 + c * 0.4) * std::cos(y / 47.0);
        if ((x - 90) * (x - 90) + (y - 80) * (y - 80) < 4000) v += 70 - 20 * c;
        if (x > width / 2 && y > height / 3) v += 25 * std::sin(x * y / 300.0) + 10 * c;
        if ((x + 2 * y) / 40 % 3 == 0) v -= 30;
        v += random.below(7) - 3;
        p.samples.push_back(static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0)));
      }
  return p;
}

PlainPicture read_pnm(const char *path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "rb"), std::fclose);
  PlainPicture p;
  char kind = 0;
  if (!file || std::fscanf(file.get(), "P%c %d %d 255", &kind, &p.width, &p.height) != 3) return {};
  p.components = kind == '6' ? 3 : 1;
  std::fgetc(file.get());
  const auto size = static_cast<std::size_t>(p.width * p.height);
  const auto components = static_cast<std::size_t>(p.components);
  std::vector<std::uint8_t> mixed(size * components);
  if (std::fread(mixed.data(), 1, mixed.size(), file.get()) != mixed.size()) return {};
  for (std::size_t c = 0; c < components; ++c)
    for (std::size_t i = 0; i < size; ++i)
      p.samples.push_back(mixed[i * components + c]);
  return p;
}

Picture picture(const PlainPicture &plain) {
  Picture p;
  p.params.image = {0, 0, plain.width, plain.height};
  p.params.num_components = plain.components;
  const std::size_t size = plain.samples.size() / static_cast<std::size_t>(plain.components);
  for (std::size_t c = 0; c < static_cast<std::size_t>(plain.components); ++c)
    p.plane[c].assign(plain.samples.begin() + static_cast<std::ptrdiff_t>(c * size),
                      plain.samples.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
  return p;
}

}  // namespace coalesce::test
