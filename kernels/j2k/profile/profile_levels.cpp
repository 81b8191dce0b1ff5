// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile_levels.h"

#include <algorithm>
#include <iterator>

namespace coalesce::j2k {
namespace {

// Millions of samples a second that a (main) level has, the first one's first.
constexpr double kLevelSamples[] = {65, 130, 195, 260, 520, 1200, 2400, 4800, 9600, 19200, 38400};
// Millions of bits a second: of levels for broadcast, of sub-levels for IMF.
constexpr double kBroadcastBits[] = {200, 200, 200, 400, 800};
constexpr double kSubLevelBits[] = {200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200};
constexpr std::size_t kHighestSubLevel[] = {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};  // by main level
constexpr double kCinemaBits = 250, kCinemaComponentBits = 200;

// (Numbers around the limits are integers that doubles hold.)
std::uint64_t frame_bytes(double megabits, const ProfileRate &rate) {
  return static_cast<std::uint64_t>(megabits * 1e6 * rate.fps_den / (8.0 * rate.fps_num));
}

bool has_room(const ProfileRate &rate, double megabits) {
  return rate.frame_bytes <= frame_bytes(megabits, rate);
}

// From 0; as many as there are if it is none of them.
std::size_t level_of(double samples, const ProfileRate &rate) {
  const auto has = [&](double limit) {
    return samples * rate.fps_num <= limit * 1e6 * rate.fps_den;
  };
  return static_cast<std::size_t>(
      std::find_if(std::begin(kLevelSamples), std::end(kLevelSamples), has) -
      std::begin(kLevelSamples));
}

LevelFit fit_broadcast(std::size_t level, const ProfileRate &rate, unsigned *levels,
                       LevelLimits *limits) {
  constexpr std::size_t kLevels = std::size(kBroadcastBits);
  *limits = {kLevelSamples[kLevels - 1] * 1e6, frame_bytes(kBroadcastBits[kLevels - 1], rate), 0};
  if (level >= kLevels) return LevelFit::too_many_samples;
  while (level < kLevels && !has_room(rate, kBroadcastBits[level]))
    ++level;
  if (level == kLevels) return LevelFit::too_many_bytes;
  *levels = static_cast<unsigned>(level + 1);
  limits->frame = frame_bytes(kBroadcastBits[level], rate);
  return LevelFit::fits;
}

// If nobody says how many bytes, it is the highest sub-level of the lowest main level.
LevelFit fit_imf(std::size_t level, const ProfileRate &rate, unsigned *levels,
                 LevelLimits *limits) {
  constexpr std::size_t kSubLevels = std::size(kSubLevelBits);
  *limits = {std::end(kLevelSamples)[-1] * 1e6, frame_bytes(kSubLevelBits[kSubLevels - 1], rate),
             0};
  if (level == std::size(kLevelSamples)) return LevelFit::too_many_samples;
  std::size_t sub = rate.frame_bytes == 0 ? kHighestSubLevel[level] - 1 : 0;
  while (sub < kSubLevels && !has_room(rate, kSubLevelBits[sub]))
    ++sub;
  if (sub == kSubLevels) return LevelFit::too_many_bytes;
  while (kHighestSubLevel[level] < sub + 1)
    ++level;
  *levels = static_cast<unsigned>((sub + 1) << 4 | (level + 1));
  limits->frame = frame_bytes(kSubLevelBits[sub], rate);
  return LevelFit::fits;
}

LevelFit fit_cinema(const ProfileRate &rate, LevelLimits *limits) {
  *limits = {0, frame_bytes(kCinemaBits, rate), frame_bytes(kCinemaComponentBits, rate)};
  return has_room(rate, kCinemaBits) ? LevelFit::fits : LevelFit::too_many_bytes;
}

}  // namespace

LevelFit fit_levels(Profile profile, double samples, const ProfileRate &rate, unsigned *levels,
                    LevelLimits *limits) {
  *levels = 0;
  *limits = {};
  if (rate.fps_num <= 0 || rate.fps_den <= 0) return LevelFit::no_frame_rate;
  if (profile == Profile::cinema_2k || profile == Profile::cinema_4k)
    return fit_cinema(rate, limits);
  const std::size_t level = level_of(samples, rate);
  const bool imf = profile == Profile::imf_2k || profile == Profile::imf_4k;
  return (imf ? fit_imf : fit_broadcast)(level, rate, levels, limits);
}

}  // namespace coalesce::j2k
