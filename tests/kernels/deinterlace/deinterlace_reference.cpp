// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace_reference.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "../convert/convert_reference.h"
#include "picture/rows.h"

namespace coalesce::test {
namespace {

// A missing sample, and all that can be asked about its neighbours.
class Missing {
 public:
  Missing(const DeinterlaceParams &params, const SamplePlane *before, const SamplePlane *current,
          const SamplePlane *after, bool second, bool end)
      : params_(params),
        before_(*before),
        current_(*current),
        after_(*after),
        field_before_(second ? *current : *before),
        field_after_(second ? *after : *current),
        end_(end),
        rows_(current->height) {}

  int value(int x, int y) const {
    const int up = exists(y - 1) ? y - 1 : y + 1, down = exists(y + 1) ? y + 1 : y - 1;
    if (!exists(up)) return current_.at(x, y);
    switch (params_.method) {
      case DeinterlaceMethod::weave:
        return current_.at(x, y);
      case DeinterlaceMethod::line:
        return current_.at(x, up);
      case DeinterlaceMethod::linear:
        return (current_.at(x, up) + current_.at(x, down) + 1) / 2;
      case DeinterlaceMethod::ela:
        return ela(x, up, down);
      case DeinterlaceMethod::yadif:
        return yadif(x, y, up, down);
      case DeinterlaceMethod::bwdif:
        return bwdif(x, y);
      case DeinterlaceMethod::w3fdif:
        return w3fdif(x, y);
      case DeinterlaceMethod::best:
        return end_ ? bwdif(x, y) : best(x, y);
    }
    return -1;
  }

 private:
  bool exists(int row) const { return 0 <= row && row < rows_; }

  int ela(int x, int up, int down) const {
    int best = 0, least = 1 << 30;
    for (int dx : {0, -1, 1, -2, 2, -3, 3}) {
      const int reach = std::abs(dx);
      if (reach > params_.ela_window / 2 || x - reach < 0 || x + reach >= current_.width) continue;
      const int a = current_.at(x + dx, up), b = current_.at(x - dx, down);
      if (std::abs(a - b) >= least) continue;
      least = std::abs(a - b);
      best = (a + b + 1) / 2;
    }
    return best;
  }

  // The sample in time, and how far from it a result may be.
  int mean(int x, int y) const { return (field_before_.at(x, y) + field_after_.at(x, y)) / 2; }
  int range(int x, int y, int up, int down) const {
    const auto change = [&](const SamplePlane &frame) {
      return (std::abs(frame.at(x, up) - current_.at(x, up)) +
              std::abs(frame.at(x, down) - current_.at(x, down))) /
             2;
    };
    return std::max({std::abs(field_before_.at(x, y) - field_after_.at(x, y)) / 2, change(before_),
                     change(after_)});
  }
  int checked_range(int x, int y, int up, int down, int up2, int down2, int range) const {
    const int c = current_.at(x, up), e = current_.at(x, down), d = mean(x, y);
    const int b = mean(x, up2) - c, f = mean(x, down2) - e;
    const int high = std::max({d - e, d - c, std::min(b, f)});
    const int low = std::min({d - e, d - c, std::max(b, f)});
    return std::max({range, low, -high});
  }

  int yadif_prediction(int x, int up, int down) const {
    const auto sample = [&](int row, int column) { return current_.at(column, row); };
    const auto pair = [&](int dx) { return (sample(up, x + dx) + sample(down, x - dx)) / 2; };
    if (x < 3 || x >= current_.width - 3) return pair(0);
    const auto score = [&](int dx) {
      int sum = 0;
      for (int i = -1; i <= 1; ++i)
        sum += std::abs(sample(up, x + dx + i) - sample(down, x - dx + i));
      return sum;
    };
    int best = pair(0), least = score(0) - 1;
    for (int side : {-1, 1})
      for (int dx = side; std::abs(dx) <= 2 && score(dx) < least; dx += side) {
        least = score(dx);
        best = pair(dx);
      }
    return best;
  }

  int yadif(int x, int y, int up, int down) const {
    int r = range(x, y, up, down);
    if (params_.spatial_check && y != 1 && y != rows_ - 2)
      r = checked_range(x, y, up, down, y + 2 * (up - y), y + 2 * (down - y), r);
    return std::clamp(yadif_prediction(x, up, down), mean(x, y) - r, mean(x, y) + r);
  }

  // Near the ends of planes of more than 8 bits, the filter of this name looks as if they ended a
  // row earlier.
  int bwdif_row(int y, int distance) const {
    const int unit = current_.deep ? 2 : 1, reach = std::abs(distance) * unit;
    int row = distance < 0 ? (y >= reach ? y + distance : y + 1)
                           : (y + reach < rows_ ? y + distance : y - 1);
    if (!exists(row)) row = row < y ? y + 1 : y - 1;
    return row;
  }
  int within_field(int x, int up, int down, int up3, int down3) const {
    const int sum = 5077 * (current_.at(x, up) + current_.at(x, down)) -
                    981 * (current_.at(x, up3) + current_.at(x, down3));
    return sum >> 13;
  }
  int both(int x, int y) const { return field_before_.at(x, y) + field_after_.at(x, y); }
  int high_frequencies(int x, int y2, int y4, int y, int y_2, int y_4) const {
    return 5570 * both(x, y) - 3801 * (both(x, y2) + both(x, y_2)) +
           1016 * (both(x, y4) + both(x, y_4));
  }

  int bwdif(int x, int y) const {
    const int maximum = (1 << current_.bits) - 1;
    int up = bwdif_row(y, -1), down = bwdif_row(y, 1);
    if (end_)
      return std::clamp(within_field(x, up, down, bwdif_row(y, -3), bwdif_row(y, 3)), 0, maximum);
    const bool whole = y >= 4 && y + 5 <= rows_;
    if (whole) up = y - 1, down = y + 1;
    int r = range(x, y, up, down);
    if (r == 0) return mean(x, y);
    if (y >= 2 && y + 3 <= rows_) r = checked_range(x, y, up, down, y - 2, y + 2, r);
    const int c = current_.at(x, up), e = current_.at(x, down);
    int prediction = (c + e) / 2;
    if (whole && std::abs(c - e) > std::abs(field_before_.at(x, y) - field_after_.at(x, y)))
      prediction = ((high_frequencies(x, y - 2, y - 4, y, y + 2, y + 4) >> 2) + 4309 * (c + e) -
                    213 * (current_.at(x, y - 3) + current_.at(x, y + 3))) >>
                   13;
    else if (whole)
      prediction = within_field(x, up, down, y - 3, y + 3);
    return std::clamp(std::clamp(prediction, mean(x, y) - r, mean(x, y) + r), 0, maximum);
  }

  int w3fdif(int x, int y) const {
    const auto row = [&](int distance) { return in_field(y + distance); };
    const auto of = [&](int distance) {
      return static_cast<long long>(current_.at(x, row(distance)));
    };
    const auto beside = [&](int distance) {
      return static_cast<long long>(both(x, row(distance)));
    };
    const long long sum = 17236 * (of(-1) + of(1)) - 852 * (of(-3) + of(3)) + 5570 * beside(0) -
                          3801 * (beside(-2) + beside(2)) + 1016 * (beside(-4) + beside(4));
    return static_cast<int>(std::clamp(sum >> 15, 0LL, (1LL << current_.bits) - 1));
  }

  // The nearest row of the same field.
  int in_field(int row) const {
    while (row < 0)
      row += 2;
    while (row >= rows_)
      row -= 2;
    return row;
  }

  // The sample there, or the nearest one of the field; its upper eight bits.
  int near(const SamplePlane &plane, int x, int y) const {
    return plane.at(std::clamp(x, 0, plane.width - 1), in_field(y));
  }
  int upper(const SamplePlane &plane, int x, int y) const {
    const int sample = near(plane, x, y);
    return plane.bits >= 8 ? sample >> (plane.bits - 8) : sample << (8 - plane.bits);
  }

  struct Vector {
    int dx, dy;
    long weight;
  };

  // What differs in the 8x8 samples from (x0, y0) on, if they move by (dx, dy) from field to field.
  int differences(int x0, int y0, int missing, int dx, int dy) const {
    int sum = 3 * (std::abs(dx) + std::abs(dy));
    for (int y = y0; y < y0 + 8; ++y)
      for (int x = x0; x < x0 + 8; ++x)
        if (y % 2 == missing)
          sum +=
              std::abs(upper(field_before_, x - dx, y - dy) - upper(field_after_, x + dx, y + dy));
        else
          sum += std::abs(upper(before_, x - 2 * dx, y - 2 * dy) - upper(current_, x, y)) +
                 std::abs(upper(after_, x + 2 * dx, y + 2 * dy) - upper(current_, x, y));
    return sum;
  }

  Vector vector(int x0, int y0, int missing) const {
    Vector vector = {0, 0, 0};
    int least = 1 << 30;
    for (int dy = -4; dy <= 4; dy += 2)
      for (int dx = -12; dx <= 12; ++dx)
        if (const int sum = differences(x0, y0, missing, dx, dy); sum < least) {
          least = sum;
          vector = {dx, dy, 0};
        }
    long within = 6;
    for (int y = y0 + 1 - missing; y < y0 + 8; y += 2)
      for (int x = x0; x < x0 + 8; ++x) {
        const auto row = [&](int distance) { return upper(current_, x, y + distance); };
        const int sum = 5077 * (row(-2) + row(2)) - 981 * (row(-6) + row(6));
        within += std::abs(std::clamp(sum >> 13, 0, 255) - row(0));
      }
    const long along = least + 6, all = along * along + within * within;
    vector.weight = (256 * within * within + all / 2) / all;
    return vector;
  }

  int best(int x, int y) const {
    const int x0 = x / 8 * 8, y0 = y / 8 * 8;
    const auto [place, fresh] = vectors_.try_emplace({x0, y0});
    if (fresh) place->second = vector(x0, y0, y % 2);
    const auto [dx, dy, weight] = place->second;
    const int mean =
        (near(field_before_, x - dx, y - dy) + near(field_after_, x + dx, y + dy) + 1) / 2;
    const int still = bwdif(x, y);
    return still + static_cast<int>(((mean - still) * weight + 128) >> 8);
  }

  const DeinterlaceParams &params_;
  mutable std::map<std::pair<int, int>, Vector> vectors_;
  const SamplePlane &before_, &current_, &after_, &field_before_, &field_after_;
  bool end_;
  int rows_;
};

SamplePlane samples_of(const ConstImage &image, const PixelComponent &c) {
  SamplePlane plane = {-(-image.width >> c.log2_width),
                       -(-image.height >> c.log2_height),
                       c.bits,
                       image.format.component[0].bits > 8,
                       {}};
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      plane.samples.push_back(sample_of(image, c, x, y));
  return plane;
}

}  // namespace

SamplePlane deinterlace_plane(const DeinterlaceParams &params, const SamplePlane &before,
                              const SamplePlane &current, const SamplePlane &after, int field,
                              bool second, bool end) {
  const Missing missing(params, &before, &current, &after, second, end);
  SamplePlane out = current;
  for (int y = 1 - field; y < out.height; y += 2)
    for (int x = 0; x < out.width; ++x)
      out.samples[static_cast<std::size_t>(y * out.width + x)] = missing.value(x, y);
  return out;
}

void deinterlace_reference(const DeinterlaceParams &params, const ConstImage &before,
                           const ConstImage &current, const ConstImage &after,
                           const FieldPicture &picture) {
  const Image &out = picture.out;
  SamplePlane made[4];
  for (int i = 0; i < out.format.components; ++i) {
    const PixelComponent &c = out.format.component[i];
    made[i] = deinterlace_plane(params, samples_of(before, c), samples_of(current, c),
                                samples_of(after, c), picture.field, picture.second, picture.end);
  }
  for (int p = 0; p < out.format.planes; ++p) {
    const RowWriter write(out.format, p, out.width);
    const bool weaves = params.method == DeinterlaceMethod::weave;
    const ConstImage &other = weaves && picture.across ? after : current;
    const int rows =
        std::min({out.plane[p].height, current.plane[p].height, other.plane[p].height});
    for (int y = 0; y < rows; ++y) {
      if (y % 2 == picture.field || weaves) {
        const ConstImage &from = y % 2 == picture.field ? current : other;
        std::memcpy(out.plane[p].row(y), from.plane[p].row(y),
                    static_cast<std::size_t>(out.plane[p].width));
        continue;
      }
      std::vector<std::uint16_t> row[4];
      const std::uint16_t *samples[4] = {};
      int columns = 0;
      for (int i = 0; i < out.format.components; ++i) {
        if (out.format.component[i].plane != p) continue;
        for (int x = 0; x < made[i].width; ++x)
          row[i].push_back(static_cast<std::uint16_t>(made[i].at(x, y)));
        row[i].resize(row[i].size() + 64);  // the writer may read more
        samples[i] = row[i].data();
        columns = std::max(columns, made[i].width);
      }
      write(out.plane[p].row(y), 0, columns, samples);
    }
  }
}

}  // namespace coalesce::test
