// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median_reference.h"

#include <algorithm>
#include <cmath>

#include "../convolve/convolve_reference.h"
#include "../neighbourhood.h"

namespace test {
namespace {

int ranked(const Channel &in, int x, int y, const RankFilter &f, int outside) {
  std::vector<int> window;
  for (int i = y - f.height / 2; i <= y + f.height / 2; i++)
    for (int j = x - f.width / 2; j <= x + f.width / 2; j++) {
      const int column = position_inside(f.border, j, in.width);
      const int row = position_inside(f.border, i, in.height);
      window.push_back(row >= 0 && column >= 0 ? in.at(column, row) : outside);
    }
  const double hundredths = std::floor(f.percentile * 1e4 + 0.5) / 1e4;
  const double last = static_cast<double>(window.size() - 1);
  const auto at = window.begin() + static_cast<int>(std::floor(hundredths * last / 100 + 0.5));
  std::nth_element(window.begin(), at, window.end());
  return *at;
}

}  // namespace

std::string rank_difference(const GstVideoFrame &in, const GstVideoFrame &out, const RankFilter &f,
                            const std::function<int(int plane)> &rows_of) {
  const SampleFormat &format = sample_format(in.info.finfo->name);
  for (int p = 0; p < 4 && format.planes[p] != nullptr; p++) {
    const std::string letters = format.planes[p];
    const int n_rows = rows_of ? rows_of(p) : rows(in.info, p);
    for (int n = 0; n < static_cast<int>(letters.size()); n++) {
      const char letter = letters[static_cast<gsize>(n)];
      const bool filtered =
          letter == 'y' || (letter == 'c' && !f.luma_only) || (letter == 'a' && f.filter_alpha);
      const int outside = letter == 'c' ? 1 << (format.bits - 1) : f.border_value;
      const Channel before = read_channel(in, format, p, n, n_rows);
      const Channel after = read_channel(out, format, p, n);
      for (int y = 0; y < after.height; y++)
        for (int x = 0; x < after.width; x++) {
          const int expected = filtered ? ranked(before, x, y, f, outside) : before.at(x, y);
          if (after.at(x, y) != expected)
            return std::string(format.name) + ": plane " + std::to_string(p) + ", channel " +
                   std::to_string(n) + ", (" + std::to_string(x) + ", " + std::to_string(y) +
                   "): " + std::to_string(after.at(x, y)) + ", not " + std::to_string(expected);
        }
    }
  }
  return {};
}

void push_and_check(Harness &harness, const std::string &caps, const RankFilter &filter,
                    guint32 seed, GstClockTime pts) {
  push_and_compare(harness, caps, seed, pts,
                   [&](const GstVideoFrame &in, const GstVideoFrame &out) {
                     return rank_difference(in, out, filter);
                   });
}

}  // namespace test
