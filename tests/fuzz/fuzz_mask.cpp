// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks and rows as text, the filters that are made of them, and small pictures through these.
//
// An input is two texts, each up to a 0, then the settings.
#include <cmath>
#include <string_view>
#include <vector>

#include "../kernels/convolve/convolve_filter.h"
#include "../kernels/convolve/convolve_ideal.h"
#include "../kernels/convolve/convolve_reference.h"
#include "fuzz.h"

namespace coalesce::test {
namespace {

bool is_readable(std::string_view text) {
  return !text.empty() && text.size() < 200 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// "row 2, column 3: ..." or "row 2 has 3 numbers, row 1 has 4"
bool names_its_place(const std::string &error) {
  int row = 0, column = 0, first = 0;
  return (std::sscanf(error.c_str(), "row %d, column %d: found", &row, &column) == 2 ||
          std::sscanf(error.c_str(), "row %d has %d number%*[s], row 1 has %d", &row, &column,
                      &first) == 3 ||
          std::sscanf(error.c_str(), "row %d has 1 number, row 1 has %d", &row, &column) == 2) &&
         row >= 1 && column >= 1;
}

void demand_sound(const Mask &mask, int max_width, int max_height) {
  DEMAND(mask.width >= 1 && mask.width <= max_width && mask.height >= 1 &&
             mask.height <= max_height &&
             mask.at.size() == static_cast<std::size_t>(mask.width * mask.height) &&
             std::all_of(mask.at.begin(), mask.at.end(), [](double x) { return std::isfinite(x); }),
         "%d x %d, %zu numbers", mask.width, mask.height, mask.at.size());
  Mask again;
  std::string error;
  DEMAND(parse_mask(mask_text(mask), max_width, max_height, &again, &error) &&
             again.width == mask.width && again.at.size() == mask.at.size() &&
             std::memcmp(again.at.data(), mask.at.data(), mask.at.size() * sizeof(double)) == 0,
         "%s: %s", mask_text(mask).c_str(), error.c_str());
}

// False, with an error that says where, or true with a mask that can be written and read again.
bool read(const std::string &text, int max_width, int max_height, Mask *mask) {
  // A copy of its own without a terminator, so that reading beyond the end is noticed.
  const std::vector<char> bytes(text.begin(), text.end());
  std::string error;
  if (parse_mask({bytes.data(), bytes.size()}, max_width, max_height, mask, &error)) {
    demand_sound(*mask, max_width, max_height);
    return true;
  }
  DEMAND(is_readable(error) && names_its_place(error), "%s", error.c_str());
  DEMAND(mask->at == std::vector<double>{1}, "the mask was changed");
  return false;
}

bool read_texts(Input *in, FilterSettings *settings) {
  const std::string first = in->text(), second = in->text();
  if (in->flag()) return read(first, kMaxMaskSize, kMaxMaskSize, &settings->mask);
  Mask across, down;
  const bool good = read(first, kMaxTaps, 1, &across);
  settings->horizontal = across.at;
  if (second.empty()) return good;
  if (!read(second, kMaxTaps, 1, &down)) return false;
  settings->vertical = down.at;
  return good;
}

bool make_preset(Input *in, FilterSettings *settings) {
  const int size = in->once_in(8) ? static_cast<int>(in->word()) : in->below(66);
  const double sigma = in->once_in(4)   ? in->bits_of_double()
                       : in->once_in(2) ? 0
                                        : in->below(1000) / 9.0;
  std::string error;
  bool good;
  if (in->flag()) {
    Mask mask;
    good = preset_mask(static_cast<MaskPreset>(in->below(16)), size, sigma, &mask, &error);
    if (good) demand_sound(mask, kMaxMaskSize, kMaxMaskSize);
    settings->mask = mask;
  } else {
    Mask across, down;
    good = preset_rows(static_cast<RowPreset>(in->below(11)), size, sigma, &across, &down, &error);
    if (good) demand_sound(across, kMaxTaps, 1), demand_sound(down, kMaxTaps, 1);
    settings->horizontal = across.at;
    settings->vertical = down.at;
  }
  DEMAND(good || is_readable(error), "size %d, sigma %g: %s", size, sigma, error.c_str());
  return good;
}

double any_number(Input *in) {
  constexpr double kNumbers[] = {0, 1, -1, 3, 0.1, 1e-300, 1e300, 256, kAutomatic, -0.5};
  switch (in->below(6)) {
    case 0:
      return in->bits_of_double();
    case 1:
      return in->pick(kNumbers);
    case 2:
      return in->below(2000) / 10.0;
    default:
      return 0;
  }
}

void choose_numbers(Input *in, FilterSettings *settings) {
  settings->anchor_x = in->once_in(4) ? in->between(-3, 64) : -1;
  settings->anchor_y = in->once_in(4) ? in->between(-3, 64) : -1;
  settings->correlate = in->flag();
  settings->normalize = !in->once_in(3);
  settings->absolute = in->once_in(3);
  settings->divisor = any_number(in);
  settings->bias = in->once_in(3) ? any_number(in) : kAutomatic;
}

bool make(const FilterSettings &settings, SampleDepth depth, Filter *filter) {
  constexpr const char *kProperties[] = {"mask",     "horizontal", "vertical", "anchor-x",
                                         "anchor-y", "divisor",    "bias"};
  FilterError error;
  if (make_filter(settings, depth, filter, &error)) {
    DEMAND(flaw(*filter).empty(), "%s: %s", mask_text(settings.mask).c_str(),
           flaw(*filter).c_str());
    return true;
  }
  DEMAND(is_readable(error.text) && std::find(std::begin(kProperties), std::end(kProperties),
                                              error.property) != std::end(kProperties),
         "%s: %s", error.property.c_str(), error.text.c_str());
  return false;
}

// What the quantised filter gives is what the formula gives in real numbers, rounded; where weights
// were rounded too, at most one beside it.
void check_against_reals(Input *in, const FilterSettings &settings, const Filter &filter) {
  const Taps taps = taps_of(settings, filter);
  DEMAND(taps.inside, "%s: taps that are none of the mask's", mask_text(settings.mask).c_str());
  const int max = filter.depth.max();
  long double most = 0;  // what a sum can come to
  for (const long double h : taps.real)
    most += std::abs(h) * max;
  const long double near = (filter.exact ? 0.5L : 1.5L) + 1e-11L * most + 1e-6L;
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<int> samples;
    const int kind = in->below(3);
    std::uint32_t seed = in->word() | 1;
    for (std::size_t i = 0; i < taps.size(); ++i) {
      seed = seed * 1664525 + 1013904223;
      const int random = static_cast<int>((seed >> 8) & static_cast<unsigned>(max));
      samples.push_back(kind == 0 ? random : random > max / 2 ? max : kind == 1 ? 0 : max);
    }
    for (const bool chroma : {false, true}) {
      const long double exact = std::clamp<long double>(ideal(taps, filter, samples.data(), chroma),
                                                        0, filter.depth.max());
      const int got = by_filter(taps, filter, samples.data(), chroma);
      DEMAND(std::abs(got - exact) <= near, "%s: %d, not %Lg", mask_text(settings.mask).c_str(),
             got, exact);
    }
  }
}

// A picture of one plane; its bytes of the input, and round that what must not be touched.
struct Picture {
  Picture(Input *in, const Filter &filter) {
    constexpr ChannelRole kRoles[] = {ChannelRole::level, ChannelRole::chroma, ChannelRole::copy};
    const int channels = filter.width * filter.height > 100 ? 1 : in->between(1, 4);
    const int width = in->between(1, 14) * channels * filter.depth.bytes();
    const int height = in->between(1, 9);
    const std::size_t pitch = static_cast<std::size_t>(width + 2 * in->below(3) + width % 2);
    const std::size_t size = pitch * static_cast<std::size_t>(height);
    std::uint32_t seed = in->word();
    for (std::size_t i = 0; i < size; ++i) {
      seed = seed * 1664525 + 1013904223;
      source.push_back(static_cast<std::uint8_t>(seed >> 24));
    }
    plane.in = {source.data(), width, height, pitch};
    plane.channels = channels;
    for (ChannelRole &role : plane.role)
      role = in->pick(kRoles);
    result.assign(size, 0xa5);
    expected.assign(size, 0xa5);
  }

  ConvolvePlanes image(std::vector<std::uint8_t> *out) {
    plane.out = {out->data(), plane.in.width, plane.in.height, plane.in.pitch};
    ConvolvePlanes image;
    image.plane[0] = plane;
    return image;
  }

  std::vector<std::uint8_t> source, result, expected;
  ConvolvePlane plane;
};

void check_against_integers(Input *in, const Filter &filter) {
  Picture picture(in, filter);
  const ConvolveParams params{&filter, static_cast<Border>(in->below(5)),
                              in->below(filter.depth.max() + 1)};
  convolve_reference(params, picture.image(&picture.expected));
  for (const ConvolveAlgorithm algorithm :
       {ConvolveAlgorithm::automatic, ConvolveAlgorithm::direct, ConvolveAlgorithm::separable}) {
    const Status s =
        convolve_planes(params, picture.image(&picture.result), Queue::cpu(nullptr), algorithm);
    if (s.code() == StatusCode::unsupported && algorithm != ConvolveAlgorithm::automatic) continue;
    DEMAND(s.ok(), "%s", s.message());
    DEMAND(picture.result == picture.expected, "algorithm %d: %d x %d taps, %d x %d bytes",
           static_cast<int>(algorithm), filter.width, filter.height, picture.plane.in.width,
           picture.plane.in.height);
    std::fill(picture.result.begin(), picture.result.end(), std::uint8_t{0xa5});
  }
}

}  // namespace
}  // namespace coalesce::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce;
  using namespace coalesce::test;
  constexpr SampleDepth kDepths[] = {{8, 0}, {10, 0}, {10, 6}, {16, 0}};
  Input in(data, size);
  FilterSettings settings;
  const bool texts = read_texts(&in, &settings);
  if (in.once_in(4) ? !make_preset(&in, &settings) : !texts) return 0;
  choose_numbers(&in, &settings);
  Filter filter;
  if (!make(settings, in.pick(kDepths), &filter)) return 0;
  check_against_reals(&in, settings, filter);
  check_against_integers(&in, filter);
  return 0;
}
