// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../bilateral/bilateral_reference.h"
#include "../canny/canny_reference.h"
#include "../canny/edge_overlay_reference.h"
#include "../sample_bits.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// A picture in memory of its own, with the rows of another one.
class Copy {
 public:
  Copy(const PixelFormat &format, const Image &like) : image_(like) {
    image_.format = format;
    for (int p = 0; p < format.planes; ++p) {
      Plane<std::uint8_t> &plane = image_.plane[p];
      plane.width = static_cast<int>(row_bytes(format, p, like.width));
      if (format.planes != like.format.planes) plane.height = like.height;
      plane.pitch = static_cast<std::size_t>(plane.width);
      memory_[p].resize(plane.pitch * static_cast<std::size_t>(plane.height));
      plane.data = memory_[p].data();
    }
  }
  const Image &image() const { return image_; }

 private:
  Image image_;
  std::vector<std::uint8_t> memory_[4];
};

int rounded(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

bool is_rgb(const PixelFormat &format) {
  return format.has(Role::r);
}

int luma_at(const ConstImage &image, int x, int y) {
  const auto sample = [&](Role role) {
    const PixelComponent &c = *image.format.find(role);
    return read_bits(image.plane[c.plane].row(y), c, x);
  };
  if (is_rgb(image.format))
    return rounded((13933. * sample(Role::r) + 46871. * sample(Role::g) + 4732. * sample(Role::b)) /
                   65536);
  return sample(image.format.has(Role::y) ? Role::y : Role::grey);
}

// Taps by their distance from the middle, which add up to 65536.
std::vector<std::int64_t> gaussian(double sigma) {
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  double sum = 0;
  for (int i = -reach; i <= reach; ++i)
    sum += std::exp(-i * i / (2 * sigma * sigma));
  std::vector<std::int64_t> taps = {65536};
  for (int i = 1; i <= reach; ++i) {
    taps.push_back(rounded(65536 * std::exp(-i * i / (2 * sigma * sigma)) / sum));
    taps[0] -= 2 * taps.back();
  }
  return taps;
}

struct Grid {
  int width = 0, height = 0;
  std::vector<std::int64_t> cells;

  // The nearest one outside.
  std::int64_t at(int x, int y) const {
    return cells[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width +
                                          std::clamp(x, 0, width - 1))];
  }
};

Grid summed(const Grid &in, const std::vector<std::int64_t> &taps, int across, int down,
            std::int64_t divisor) {
  Grid out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      std::int64_t sum = taps[0] * in.at(x, y);
      for (int i = 1; i < static_cast<int>(taps.size()); ++i)
        sum += taps[static_cast<std::size_t>(i)] *
               (in.at(x - i * across, y - i * down) + in.at(x + i * across, y + i * down));
      out.cells[static_cast<std::size_t>(y * in.width + x)] = (sum + divisor / 2) / divisor;
    }
  return out;
}

// In 256ths.
Grid smoothed(const Grid &luma, double sigma) {
  const std::vector<std::int64_t> taps = gaussian(sigma);
  return summed(summed(luma, taps, 1, 0, 256), taps, 0, 1, 65536);
}

void dog_reference(double sigma, double threshold, const ConstImage &in, const Image &out) {
  Grid luma = {in.width, in.height, {}};
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      luma.cells.push_back(luma_at(in, x, y));
  const Grid narrow = smoothed(luma, sigma), wide = smoothed(luma, 1.6 * sigma);
  const std::int64_t least = rounded(256 * threshold);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const std::int64_t difference = wide.at(x, y) - narrow.at(x, y);
      const std::int64_t strength =
          difference <= least ? 0 : std::min<std::int64_t>(255 * (difference - least) / least, 255);
      out.plane[0].row(y)[x] = static_cast<std::uint8_t>(strength);
    }
}

void tones_reference(const CartoonSettings &settings, const ConstImage &in, const Image &out) {
  for (int p = 0; p < in.format.planes; ++p) {
    const int used = used_rows(in, p);
    for (int y = 0; y < out.plane[p].height; ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y < used ? y : std::max(used - 2, 0)),
                  static_cast<std::size_t>(out.plane[p].width));
  }
  // The second luma of an odd width's last pair repeats the first.
  const bool in_pairs = in.format.is_packed_422();
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const int level = luma_at(in, x, y), by = cartoon_tone(settings, level) - level;
      for (const Role role : {Role::r, Role::g, Role::b, Role::y, Role::grey})
        if (const PixelComponent *c = in.format.find(role)) {
          const int moved = std::clamp(read_bits(in.plane[c->plane].row(y), *c, x) + by, 0, 255);
          write_bits(out.plane[c->plane].row(y), *c, x, moved);
          if (in_pairs && x == in.width - 1 && x % 2 == 0)
            write_bits(out.plane[c->plane].row(y), *c, x + 1, moved);
        }
    }
}

}  // namespace

int cartoon_tone(const CartoonSettings &settings, int level) {
  const bool limited = settings.range == SampleRange::limited;
  const int black = limited ? 16 : 0, white = limited ? 235 : 255;
  if (level <= black || level >= white) return level;
  // Tone t is at black + t * range / steps.
  const int range = white - black, steps = settings.levels - 1, above = level - black;
  int lower = 0;
  while ((lower + 1) * range <= above * steps)
    ++lower;
  // From the middle between both tones, in halves of a step.
  const double place = (2.0 * above * steps - (2 * lower + 1) * range) / range;
  const double s = settings.softness;
  const double curve = s == 0 ? (place < 0 ? -1 : 1) : std::tanh(place / s) / std::tanh(1 / s);
  return black + rounded(range * (2 * lower + 1 + curve) / (2 * steps));
}

void cartoon_reference(const CartoonSettings &settings, const ConstImage &in, const Image &out) {
  const Copy areas(in.format, out), tones(in.format, out), lines(pixel_format("GRAY8"), out);
  BilateralParams params;
  params.iterations = settings.iterations;
  bilateral_reference(settings.areas, params, in, areas.image());
  tones_reference(settings, areas.image(), tones.image());
  Image grey = lines.image();
  grey.interlaced = false;
  if (settings.lines == CartoonLines::canny) canny_reference(settings.canny, areas.image(), grey);
  if (settings.lines == CartoonLines::dog)
    dog_reference(settings.dog_sigma, settings.dog_threshold, areas.image(), grey);
  // (Without lines none is drawn.)
  edge_overlay_reference(settings.colour, grey, tones.image(), out);
}

}  // namespace coalesce::test
