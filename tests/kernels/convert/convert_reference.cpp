// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convert_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace coalesce::test {
namespace {

bool is_chroma(const PixelComponent &c) {
  return c.role == Role::u || c.role == Role::v;
}

// Black, or grey of chroma, and the number of levels from there.
struct Meaning {
  double zero, levels;
};
Meaning meaning(const PixelComponent &c, SampleRange range) {
  const double unit = std::pow(2.0, c.bits - 8);  // of the limited range
  const bool limited = range == SampleRange::limited && c.role != Role::alpha;
  const double all = std::pow(2.0, c.bits) - 1;
  if (is_chroma(c)) return {std::pow(2.0, c.bits - 1), limited ? 224 * unit : all};
  return {limited ? 16 * unit : 0, limited ? 219 * unit : all};
}

double to_nearest(double weight, int q) {
  const double one = std::pow(2.0, q);
  return std::floor(weight * one + 0.5) / one;
}

// To units of 2^-q, with the nearest sum.
void balance(double (&weights)[3], int q) {
  const double one = std::pow(2.0, q);
  double exact_sum = 0, sum = 0, error[3];
  for (int i = 0; i < 3; ++i) {
    const double exact = weights[i] * one;
    exact_sum += exact;
    weights[i] = std::floor(exact + 0.5);
    error[i] = exact - weights[i];
    sum += weights[i];
  }
  const double missing = std::floor(exact_sum + 0.5) - sum;
  if (missing > 0) weights[std::max_element(error, error + 3) - error] += 1;
  if (missing < 0) weights[std::min_element(error, error + 3) - error] -= 1;
  for (double &weight : weights)
    weight /= one;
}

struct Share {
  double red, green, blue;
};
Share share(YuvMatrix matrix) {
  static const double shares[][2] = {
      {0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}, {0.212, 0.087}, {0.30, 0.11}};
  const double *s = shares[static_cast<int>(matrix)];
  return {s[0], 1 - s[0] - s[1], s[1]};
}

// 8x8: each matrix is four of the one before.
int bayer(int x, int y) {
  static const int small[2][2] = {{0, 2}, {3, 1}};
  int number = 0;
  for (int size = 1; size < 8; size *= 2)
    number = 4 * number + small[y / size % 2][x / size % 2];
  return number;
}

std::uint32_t container_of(const std::uint8_t *row, Container container, int number) {
  std::uint32_t word = 0;
  if (container == Container::v210) {
    std::memcpy(&word, row + 4 * (number / 3), 4);
    return word >> (10 * (number % 3)) & 0x3FF;
  }
  if (container == Container::be10) {
    for (int bit = 10 * number; bit < 10 * number + 10; ++bit)
      word = word << 1 | (row[bit / 8] >> (7 - bit % 8) & 1);
    return word;
  }
  const auto bytes = static_cast<std::size_t>(container_bytes(container));
  std::memcpy(&word, row + bytes * static_cast<std::size_t>(number), bytes);
  return word;
}

// Adds bits to a container that is 0 there.
void add_bits(std::uint8_t *row, Container container, int number, std::uint32_t bits) {
  if (container == Container::be10) {
    for (int i = 0; i < 10; ++i) {
      const int bit = 10 * number + i;
      row[bit / 8] =
          static_cast<std::uint8_t>(row[bit / 8] | (bits >> (9 - i) & 1) << (7 - bit % 8));
    }
    return;
  }
  auto bytes = static_cast<std::size_t>(container_bytes(container));
  std::size_t at = bytes * static_cast<std::size_t>(number);
  if (container == Container::v210) {
    at = 4 * static_cast<std::size_t>(number / 3);
    bits <<= 10 * (number % 3);
  }
  std::uint32_t word = 0;
  std::memcpy(&word, row + at, bytes);
  word |= bits;
  std::memcpy(row + at, &word, bytes);
}

int columns_of(const PixelComponent &c, int width) {
  return (width + (1 << c.log2_width) - 1) >> c.log2_width;
}

}  // namespace

int sample_of(const ConstImage &image, const PixelComponent &c, int x, int y) {
  return static_cast<int>(container_of(image.of(c).row(y), c.container, c.first + x * c.step) >>
                              c.shift &
                          ((1u << c.bits) - 1));
}

ConvertReference::ConvertReference(const ConvertParams &params, const ConstImage &in,
                                   const PixelFormat &out, Weights weights)
    : params_(params), in_(in), out_(out), weights_(weights) {}

// Positions count luma samples from the first one.
ConvertReference::Taps ConvertReference::taps(Place in, Place out, int index) const {
  const double in_size = 1 << in.log2, out_size = 1 << out.log2;
  if (params_.chroma == ChromaFilter::nearest)
    return {{static_cast<int>(std::floor(index * out_size / in_size)), 1}};
  const double at = (index * out_size + out.site - in.site) / in_size;  // in the input's samples
  if (out_size <= in_size) {
    const double first = std::floor(at);
    return {{static_cast<int>(first), 1 - (at - first)}, {static_cast<int>(first) + 1, at - first}};
  }
  const double half = out_size / in_size / 2;
  Taps taps;
  for (int k = static_cast<int>(at - half) - 2; k < at + half + 2; ++k) {
    const double covered = std::min(k + 0.5, at + half) - std::max(k - 0.5, at - half);
    if (covered > 0) taps.push_back({k, covered / (2 * half)});
  }
  return taps;
}

ConvertReference::Taps ConvertReference::columns(const PixelComponent &out,
                                                 const PixelComponent &in, int x) const {
  const auto site = [](int log2, bool cosited) { return cosited ? 0 : ((1 << log2) - 1) / 2.0; };
  Taps all = taps({in.log2_width, site(in.log2_width, params_.in_site.h_cosited)},
                  {out.log2_width, site(out.log2_width, params_.out_site.h_cosited)}, x);
  for (auto &tap : all)
    tap.first = std::clamp(tap.first, 0, columns_of(in, in_.width) - 1);
  return all;
}

ConvertReference::Taps ConvertReference::rows(const PixelComponent &out, const PixelComponent &in,
                                              int y) const {
  // All planes of chroma of 4:2:0 have as many.
  int count = in_.height;
  if (in.log2_height == 1)
    count =
        std::min(in_.of(in_.format.component[1]).height, in_.of(in_.format.component[2]).height);
  // A row more is nobody's where the odd field has fewer rows of chroma.
  if (in.log2_height == 1 && in_.interlaced &&
      (in_.height / 2 + 1) / 2 < ((in_.height + 1) / 2 + 1) / 2)
    count = std::min(count, (in_.height + 1) / 2);
  const int field = in_.interlaced ? y % 2 : 0;
  const bool made = out.log2_height > in.log2_height;  // there was more before
  const auto site = [&](const PixelComponent &c, bool cosited) {
    if (c.log2_height == 0 || cosited) return 0.0;
    return in_.interlaced && !made ? (field == 0 ? 0.25 : 0.75) : 0.5;
  };
  Taps all =
      taps({in.log2_height, site(in, params_.in_site.v_cosited)},
           {out.log2_height, site(out, params_.out_site.v_cosited)}, in_.interlaced ? y / 2 : y);
  for (auto &tap : all) {
    if (!in_.interlaced)
      tap.first = std::clamp(tap.first, 0, count - 1);
    else if (field >= count)
      tap.first = 0;
    else
      tap.first = 2 * std::clamp(tap.first, 0, (count - 1 - field) / 2) + field;
  }
  return all;
}

double ConvertReference::filtered(const PixelComponent &out, const PixelComponent &in, int x,
                                  int y) const {
  double sum = 0;
  for (const auto &[row, down] : rows(out, in, y))
    for (const auto &[column, across] : columns(out, in, x))
      if (down * across > 0) sum += down * across * sample_of(in_, in, column, row);
  return sum;
}

// From one component, which is the same or luma.
double ConvertReference::component(const PixelComponent &out, const PixelComponent &in, int x,
                                   int y) const {
  const Meaning from = meaning(in, params_.in_range), to = meaning(out, params_.out_range);
  double weight = to.levels / from.levels;
  if (weights_ == Weights::quantised) {
    // As few bits as are exact.
    int q = 0;
    while (q < in.bits + (in.bits > 12 ? 9 : 7) &&
           std::fmod(to.levels * std::pow(2.0, q), from.levels) != 0)
      ++q;
    weight = to_nearest(weight, q);
  }
  return weight * (filtered(out, in, x, y) - from.zero) + to.zero;
}

double ConvertReference::matrix(const PixelComponent &out, int x, int y) const {
  const auto [red, green, blue] = share(params_.matrix);
  const PixelComponent *in = in_.format.component;
  const Meaning first = meaning(in[0], params_.in_range), to = meaning(out, params_.out_range);
  const double luma = to.levels / first.levels;
  double weights[3] = {luma, 0, 0};
  if (out.role == Role::r || out.role == Role::g || out.role == Role::b) {
    const double chroma = to.levels / meaning(in[1], params_.in_range).levels;
    const double u = 2 * chroma * (1 - blue), v = 2 * chroma * (1 - red);
    if (out.role == Role::r) weights[2] = v;
    if (out.role == Role::b) weights[1] = u;
    if (out.role == Role::g) weights[1] = -u * blue / green, weights[2] = -v * red / green;
    if (weights_ == Weights::quantised)
      for (double &weight : weights)
        weight = to_nearest(weight, in[0].bits + 5);
  } else {
    const double u = luma / (2 * (1 - blue)), v = luma / (2 * (1 - red));
    const double rows[3][3] = {{luma * red, luma * green, luma * blue},
                               {u * -red, u * -green, u * (1 - blue)},
                               {v * (1 - red), v * -green, v * -blue}};
    std::copy_n(rows[out.role == Role::u ? 1 : out.role == Role::v ? 2 : 0], 3, weights);
    if (weights_ == Weights::quantised) balance(weights, in[0].bits + (in[0].bits > 12 ? 9 : 7));
  }
  double sum = to.zero;
  for (int i = 0; i < 3; ++i)
    sum += weights[i] * (filtered(out, in[i], x, y) - meaning(in[i], params_.in_range).zero);
  return sum;
}

double ConvertReference::real(const PixelComponent &c, int x, int y) const {
  const PixelFormat &from = in_.format;
  const PixelComponent *same = from.find(c.role);
  if (same != nullptr) return component(c, *same, x, y);
  if (c.role == Role::alpha) return std::pow(2.0, c.bits) - 1;
  if (from.has(Role::grey))
    return is_chroma(c) ? meaning(c, params_.out_range).zero
                        : component(c, from.component[0], x, y);
  if (c.role == Role::grey && from.has(Role::y)) return component(c, *from.find(Role::y), x, y);
  return matrix(c, x, y);
}

int ConvertReference::rounded(const PixelComponent &c, int x, int y) const {
  const PixelComponent *same = in_.format.find(c.role);
  const int bits = same != nullptr ? same->bits : in_.format.component[0].bits;
  const bool dithered = params_.dither == Dither::ordered && c.bits < bits && c.role != Role::alpha;
  const double threshold = dithered ? (2 * bayer(x, y) + 1) / 128.0 : 0.5;
  const double value = std::floor(real(c, x, y) + threshold);
  return static_cast<int>(std::clamp(value, 0.0, std::pow(2.0, c.bits) - 1));
}

std::string text(const ConvertParams &params) {
  static const char *const matrix[] = {"bt601", "bt709", "bt2020", "smpte240m", "fcc"};
  static const char *const range[] = {"full", "limited"};
  const auto site = [](const ChromaSite &s) {
    return std::string(s.h_cosited   ? s.v_cosited ? "cosited" : "mpeg2"
                       : s.v_cosited ? "cosited down"
                                     : "jpeg");
  };
  return std::string(matrix[static_cast<int>(params.matrix)]) + ", " +
         range[static_cast<int>(params.in_range)] + " to " +
         range[static_cast<int>(params.out_range)] + " range, " + site(params.in_site) + " to " +
         site(params.out_site) + (params.chroma == ChromaFilter::nearest ? ", nearest" : "") +
         (params.dither == Dither::ordered ? ", dithered" : "");
}

void convert_reference(const ConvertParams &params, const ConstImage &in, const Image &out) {
  const ConvertReference reference(params, in, out.format);
  const auto rows_of = [&](const PixelComponent &c) {
    if (c.log2_height == 0) return out.height;
    return std::min(out.of(out.format.component[1]).height, out.of(out.format.component[2]).height);
  };
  for (int p = 0; p < out.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    std::vector<const PixelComponent *> components;
    for (int i = 0; i < out.format.components; ++i)
      if (out.format.component[i].plane == p) components.push_back(out.format.component + i);
    const Container container = components[0]->container;
    for (int y = 0; y < rows_of(*components[0]); ++y) {
      std::uint8_t *row = plane.row(y);
      std::fill_n(row, plane.width, 0);
      const bool dense = container == Container::v210 || container == Container::be10;
      std::vector<bool> used(static_cast<std::size_t>(plane.width / container_bytes(container)));
      const auto put = [&](const PixelComponent &c, int x, int value) {
        const int number = c.first + x * c.step;
        add_bits(row, container, number, static_cast<std::uint32_t>(value) << c.shift);
        if (!dense) used[static_cast<std::size_t>(number)] = true;
      };
      for (const PixelComponent *c : components) {
        const int columns = columns_of(*c, out.width);
        for (int x = 0; x < columns; ++x)
          put(*c, x, reference.rounded(*c, x, y));
        // The last pair of 4:2:2 in one plane lacks one.
        const bool pairs = out.format.planes == 1 && out.format.component[1].log2_width == 1;
        if (pairs && c->role == Role::y && columns % 2 == 1)
          put(*c, columns, reference.rounded(*c, columns - 1, y));
      }
      if (dense) continue;
      for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i]) add_bits(row, container, static_cast<int>(i), 0xFFFFFFFF);
      if (container == Container::u32 && components.size() == 3)
        for (std::size_t i = 0; i < used.size(); ++i)
          add_bits(row, container, static_cast<int>(i), 3u << 30);
    }
  }
}

}  // namespace coalesce::test
