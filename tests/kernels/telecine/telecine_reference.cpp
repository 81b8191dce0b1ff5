// SPDX-License-Identifier: LGPL-2.1-or-later
#include "telecine_reference.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "picture/rows.h"

namespace coalesce::test {
namespace {

PixelComponent component_of(const PixelFormat &format) {
  const PixelComponent *luma = format.find(Role::y), *green = format.find(Role::g);
  return luma != nullptr ? *luma : green != nullptr ? *green : format.component[0];
}

// In 8 bits.
std::vector<std::uint16_t> row_of(const ConstImage &image, int y) {
  const PixelComponent c = component_of(image.format);
  std::vector<std::uint16_t> row(static_cast<std::size_t>(image.width) + 64);
  RowReader{c}(image.of(c).row(y), 0, image.width, row.data());
  for (std::uint16_t &sample : row)
    sample = static_cast<std::uint16_t>(c.bits > 8 ? sample >> (c.bits - 8) : sample);
  return row;
}

// Of four samples below each other.
int combing(const int (&row)[4]) {
  const int gap = std::max(std::min(row[0], row[2]) - std::max(row[1], row[3]),
                           std::min(row[1], row[3]) - std::max(row[0], row[2]));
  return gap > 8 ? gap - 8 : 0;
}

}  // namespace

void combing_reference(const ConstImage &before, const ConstImage &current, Combing *parts) {
  std::fill_n(parts, kCombingParts, Combing{});
  const int groups = current.height - 3;
  for (int group = 0; group < groups; ++group) {
    int part = 0;
    while (group >= static_cast<std::int64_t>(groups) * (part + 1) / kCombingParts)
      ++part;
    std::vector<std::uint16_t> now[4], then[4];
    for (int i = 0; i < 4; ++i)
      now[i] = row_of(current, group + i), then[i] = row_of(before, group + i);
    for (std::size_t x = 0; x < static_cast<std::size_t>(current.width); x += 4) {
      bool moves = false;
      int frame[4], top_first[4], bottom_first[4];
      for (int i = 0; i < 4; ++i) {
        moves = moves || std::abs(now[i][x] - then[i][x]) > 8;
        frame[i] = now[i][x];
        const bool is_top = (group + i) % 2 == 0;
        top_first[i] = is_top ? now[i][x] : then[i][x];
        bottom_first[i] = is_top ? then[i][x] : now[i][x];
      }
      if (!moves) continue;
      parts[part].within += static_cast<unsigned>(combing(frame));
      parts[part].across[0] += static_cast<unsigned>(combing(top_first));
      parts[part].across[1] += static_cast<unsigned>(combing(bottom_first));
    }
  }
}

}  // namespace coalesce::test
