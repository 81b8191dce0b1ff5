// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "cartoon.h"

namespace coalesce {
namespace {

constexpr double kWide = 1.6;  // of the wide Gaussian, in sigmas of the narrow one
constexpr double kReach = 3;   // of taps on either side, in sigmas
constexpr int kTapSum = 1 << 16;

void make_tones(const CartoonSettings &settings, std::uint8_t (&tone)[256]) {
  const SampleScale scale = {settings.range, 8};
  const int range = scale.levels(), steps = settings.levels - 1;
  for (int y = 0; y < 256; ++y) {
    const int above = y - scale.black();
    tone[y] = static_cast<std::uint8_t>(y);
    if (above <= 0 || above >= range) continue;
    // Twice the number of steps, and -1 to 1 between two tones.
    const int middle = 2 * (above * steps / range) + 1;
    const double place = double(2 * above * steps - middle * range) / range;
    const double moved = settings.softness > 0 ? std::tanh(place / settings.softness) /
                                                     std::tanh(1 / settings.softness)
                         : place < 0 ? -1
                                     : 1;
    tone[y] = static_cast<std::uint8_t>(scale.black() +
                                        std::floor(range * (middle + moved) / (2 * steps) + 0.5));
  }
}

DogTaps make_taps(double sigma) {
  DogTaps taps;
  taps.reach = std::min(static_cast<int>(std::ceil(kReach * sigma)), DogTaps::kMostReach);
  double weight[DogTaps::kMostReach + 1], sum = 0;
  for (int i = 0; i <= taps.reach; ++i) {
    weight[i] = std::exp(-i * i / (2 * sigma * sigma));
    sum += i == 0 ? weight[i] : 2 * weight[i];
  }
  taps.tap[0] = kTapSum;
  for (int i = 1; i <= taps.reach; ++i) {
    taps.tap[i] = static_cast<std::uint32_t>(std::floor(weight[i] / sum * kTapSum + 0.5));
    taps.tap[0] -= 2 * taps.tap[i];
  }
  return taps;
}

bool is_within(double value, double least, double most) {
  return value >= least && value <= most;
}

}  // namespace

Status make_cartoon(const CartoonSettings &settings, const PixelFormat &format, Cartoon *cartoon) {
  if (!format.in_bytes()) return invalid_argument("cartoon: samples must have 8 bits");
  Cartoon c;
  if (Status s = make_bilateral(settings.areas, format, &c.areas); !s.ok()) return s;
  if (settings.iterations < 1 || settings.iterations > kMaxBilateralIterations)
    return invalid_argument("cartoon: iterations must be from 1 to 100");
  if (settings.levels < kMinCartoonLevels || settings.levels > kMaxCartoonLevels)
    return invalid_argument("cartoon: levels must be from 2 to 64");
  if (!is_within(settings.softness, 0, kMaxCartoonSoftness))
    return invalid_argument("cartoon: softness must be from 0 to 1");
  if (settings.lines > CartoonLines::dog) return invalid_argument("cartoon: no such lines");
  if (!is_within(settings.dog_sigma, kMinDogSigma, kMaxDogSigma))
    return invalid_argument("cartoon: the sigma of lines must be from 0.3 to 5");
  if (!is_within(settings.dog_threshold, kMinDogThreshold, kMaxDogThreshold))
    return invalid_argument("cartoon: the threshold of lines must be from 0.1 to 255");
  for (const double threshold : {settings.canny.low, settings.canny.high})
    if (!is_within(threshold, 0, kMaxCannyThreshold))
      return invalid_argument("cartoon: thresholds of edges must be from 0 to 1000000");
  if (settings.canny.aperture != 3 && settings.canny.aperture != 5 && settings.canny.aperture != 7)
    return invalid_argument("cartoon: the aperture must be 3, 5 or 7");
  if (!is_within(settings.colour.opacity, 0, 255))
    return invalid_argument("cartoon: the opacity must be from 0 to 255");
  c.iterations = settings.iterations;
  make_tones(settings, c.tone);
  c.lines = settings.lines;
  c.canny = settings.canny;
  c.narrow = make_taps(settings.dog_sigma);
  c.wide = make_taps(kWide * settings.dog_sigma);
  c.threshold = static_cast<int>(std::floor(256 * settings.dog_threshold + 0.5));
  c.colour = settings.colour;
  *cartoon = c;
  return {};
}

}  // namespace coalesce
