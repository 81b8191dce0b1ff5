// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral_reference.h"

#include <algorithm>
#include <iterator>

#include "../../kernels/bilateral/bilateral_reference.h"
#include "../convolve/convolve_reference.h"
#include "../neighbourhood.h"

namespace test {
namespace {

using coalesce::Border;
using coalesce::test::BilateralChannel;

// A channel's place.
struct Place {
  int plane, channel;
  char letter;  // as SampleFormat has them
};

// Channels that have one weight, or one that has its own.
std::vector<std::vector<Place>> groups_of(const SampleFormat &format, bool rgb) {
  std::vector<std::vector<Place>> groups;
  for (int p = 0; p < 4 && format.planes[p] != nullptr; p++)
    for (int n = 0; format.planes[p][n] != 0; n++) {
      const Place place = {p, n, format.planes[p][n]};
      const bool joins = rgb && place.letter == 'y' && !groups.empty();
      const auto with = std::find_if(groups.begin(), groups.end(),
                                     [](const auto &group) { return group[0].letter == 'y'; });
      if (joins && with != groups.end())
        with->push_back(place);
      else
        groups.push_back({place});
    }
  return groups;
}

void filter_group(const BilateralFilter &f, int max, bool rgb,
                  std::vector<BilateralChannel> *group) {
  constexpr const char *kBorders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  const auto border = std::find(std::begin(kBorders), std::end(kBorders), f.border);
  fail_unless(border != std::end(kBorders));
  for (int i = 0; i < f.iterations; i++)
    coalesce::test::bilateral_pass_reference({f.radius, f.sigma_space, f.sigma_range},
                                             static_cast<Border>(border - kBorders), max, rgb,
                                             group);
}

}  // namespace

std::string bilateral_difference(const GstVideoFrame &in, const GstVideoFrame &out,
                                 const BilateralFilter &f,
                                 const std::function<int(int plane)> &rows_of) {
  const SampleFormat &format = sample_format(in.info.finfo->name);
  const int max = (1 << format.bits) - 1;
  const bool rgb = GST_VIDEO_INFO_IS_RGB(&in.info);
  for (const std::vector<Place> &group : groups_of(format, rgb)) {
    const char letter = group[0].letter;
    std::vector<BilateralChannel> expected;
    for (const Place &place : group) {
      const int n_rows = rows_of ? rows_of(place.plane) : rows(in.info, place.plane);
      const Channel before = read_channel(in, format, place.plane, place.channel, n_rows);
      expected.push_back({before.width, before.height, letter == 'c' ? max / 2 + 1 : f.border_value,
                          before.samples});
    }
    if (letter == 'y' || (letter == 'c' && !f.luma_only) || (letter == 'a' && f.filter_alpha))
      filter_group(f, max, rgb, &expected);
    for (gsize i = 0; i < group.size(); i++) {
      const Channel after = read_channel(out, format, group[i].plane, group[i].channel);
      for (int y = 0; y < after.height; y++)
        for (int x = 0; x < after.width; x++)
          if (after.at(x, y) != expected[i].at(x, y))
            return std::string(format.name) + ": plane " + std::to_string(group[i].plane) +
                   ", channel " + std::to_string(group[i].channel) + ", (" + std::to_string(x) +
                   ", " + std::to_string(y) + "): " + std::to_string(after.at(x, y)) + ", not " +
                   std::to_string(expected[i].at(x, y));
    }
  }
  return {};
}

void push_and_check(Harness &harness, const std::string &caps, const BilateralFilter &filter,
                    guint32 seed, GstClockTime pts) {
  push_and_compare(harness, caps, seed, pts,
                   [&](const GstVideoFrame &in, const GstVideoFrame &out) {
                     return bilateral_difference(in, out, filter);
                   });
}

}  // namespace test
