// SPDX-License-Identifier: LGPL-2.1-or-later
// What must hold of convolutions of whole pictures, whatever computes them.
#include <stdexcept>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convolve_pictures.h"
#include "convolve_random.h"
#include "convolve_reference.h"

namespace coalesce::test {
namespace {

constexpr SampleDepth kDepths[] = {{8, 0}, {10, 0}, {10, 6}, {12, 0}, {12, 4}, {16, 0}};
constexpr Border kBorders[] = {Border::replicate, Border::reflect, Border::reflect_101,
                               Border::wrap, Border::constant};
struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{1, 1}, {1, 7}, {7, 1}, {3, 3}, {5, 9}, {37, 19}, {131, 23}};

Picture noise(Random &random, Size size, int most) {
  return picture(size.width, size.height, [&](int, int) { return random.below(most + 1); });
}

FilterSettings with_mask(Mask mask) {
  FilterSettings s;
  s.mask = std::move(mask);
  return s;
}

void expect_same(const Picture &a, const Picture &b, const char *what,
                 const FilterSettings &settings, SampleDepth depth, Border border) {
  CHECK_MESSAGE(a.samples == b.samples, what, ": ", a.width, "x", a.height, ", ", depth.bits,
                " bits, border ", static_cast<int>(border), ", ", text(settings));
}

// Calls it with all of these.
template <class F>
void for_all(F test) {
  Random random = random_of_run(3);
  for (SampleDepth depth : kDepths)
    for (Border border : kBorders)
      for (Size size : kSizes)
        test(random, depth, size, Surroundings{border, random.between(0, depth.max())});
}

TEST_CASE("identity") {
  for_all([](Random &random, SampleDepth depth, Size size, const Surroundings &around) {
    const Picture in = noise(random, size, depth.max());
    for (const Mask &mask :
         {Mask{1, 1, {1}}, Mask{1, 1, {0.1}}, Mask{3, 3, {0, 0, 0, 0, 9, 0, 0, 0, 0}}}) {
      const FilterSettings s = with_mask(mask);
      expect_same(filtered(s, depth, in, around), in, "identity", s, depth, around.border);
    }
  });
}

// Of integer masks: a weight of another may give or take 1 and its counterpart not.
TEST_CASE("symmetric") {
  for_all([](Random &random, SampleDepth depth, Size size, const Surroundings &around) {
    const Picture in = noise(random, size, depth.max());
    FilterSettings s = with_mask({2 * random.below(4) + 1, 2 * random.below(4) + 1, {}});
    const auto count = static_cast<std::size_t>(s.mask.width * s.mask.height);
    s.mask.at.resize(count);
    for (std::size_t i = 0; i <= count / 2; ++i)
      s.mask.at[i] = s.mask.at[count - 1 - i] = random.between(-2, 9);
    const Picture convolved = filtered(s, depth, in, around);
    s.correlate = true;
    expect_same(filtered(s, depth, in, around), convolved, "symmetric", s, depth, around.border);
  });
}

// A mask that is a product, by convolve (as text) and by sepconvolve.
TEST_CASE("product") {
  for_all([](Random &random, SampleDepth depth, Size size, const Surroundings &around) {
    const Picture in = noise(random, size, depth.max());
    const bool real = random.below(2) == 0;
    FilterSettings s;
    const auto fill = [&](std::vector<double> *row) {
      for (int i = random.between(1, 9); i > 0; --i)
        row->push_back(real ? uniform(random) - 0.2 : random.between(-4, 9));
    };
    fill(&s.horizontal);
    fill(&s.vertical);
    Mask product = {static_cast<int>(s.horizontal.size()), static_cast<int>(s.vertical.size()), {}};
    for (double v : s.vertical)
      for (double h : s.horizontal)
        product.at.push_back(v * h);
    FilterSettings whole;
    std::string error;
    CHECK_MESSAGE(parse_mask(mask_text(product), kMaxMaskSize, kMaxMaskSize, &whole.mask, &error),
                  error);
    // Random sums may be small, and nothing of this is about a range.
    s.divisor = whole.divisor = real ? 3.7 : 16;
    expect_same(filtered(whole, depth, in, around), filtered(s, depth, in, around), "product", s,
                depth, around.border);
  });
}

TEST_CASE("shift") {
  for_all([](Random &random, SampleDepth depth, Size size, const Surroundings &around) {
    const Picture in = noise(random, size, depth.max());
    FilterSettings s = with_mask({random.between(1, 31), random.between(1, 31), {}});
    const int row = random.below(s.mask.height), column = random.below(s.mask.width);
    s.mask.at.assign(static_cast<std::size_t>(s.mask.width * s.mask.height), 0);
    s.mask.at[static_cast<std::size_t>(row * s.mask.width + column)] = 1;
    s.anchor_x = random.below(s.mask.width);
    s.anchor_y = random.below(s.mask.height);
    const Picture shifted = picture(size.width, size.height, [&](int x, int y) {
      const int from_x = position_inside(around.border, x - (column - s.anchor_x), size.width);
      const int from_y = position_inside(around.border, y - (row - s.anchor_y), size.height);
      return from_x < 0 || from_y < 0 ? around.value : in.at(from_x, from_y);
    });
    expect_same(filtered(s, depth, in, around), shifted, "shift", s, depth, around.border);
  });
}

// The sum of a box, twice, is the sum of the box convolved with itself, where a border goes on
// outside as it does inside.
TEST_CASE("twice") {
  Random random = random_of_run(4);
  FilterSettings box, twice;
  box.horizontal = {1, 1, 1};
  twice.horizontal = {1, 2, 3, 2, 1};
  FilterSettings box_mask = with_mask({3, 3, std::vector<double>(9, 1)});
  for (FilterSettings *s : {&box, &twice, &box_mask})
    s->normalize = false;
  constexpr SampleDepth kDepth = {16, 0};
  for (Border border : {Border::wrap, Border::reflect, Border::reflect_101})
    for (Size size : kSizes) {
      const Picture in = noise(random, size, kDepth.max() / 81);
      const Surroundings around = {border};
      const Picture once = filtered(box, kDepth, in, around);
      expect_same(filtered(box_mask, kDepth, once, around), filtered(twice, kDepth, in, around),
                  "twice", twice, kDepth, border);
    }
}

TEST_CASE("flat") {
  for_all([](Random &random, SampleDepth depth, Size size, Surroundings around) {
    FilterSettings s;
    Filter filter;
    FilterError error;
    double sum = 0;
    do {  // S > 0, not tiny
      s = random_settings(random, 961, 31);
      s.normalize = true;
      s.absolute = false;
      s.divisor = 0;
      s.bias = kAutomatic;
      const std::vector<double> ideal =
          ideally_filtered(s, depth, {1, 1, {depth.max()}}, {Border::replicate});
      sum = ideal[0];
    } while (sum != sum || std::abs(sum - depth.max()) > 1e-6 ||
             !make_filter(s, depth, &filter, &error));
    const int level = random.pick({0, 1, depth.middle(), depth.max(), around.value});
    around.value = level;
    const Picture in = picture(size.width, size.height, [level](int, int) { return level; });
    expect_same(filtered(s, depth, in, around), in, "flat", s, depth, around.border);
    if (around.border == Border::constant) return;
    around.role = ChannelRole::chroma;
    expect_same(filtered(s, depth, in, around), in, "flat chroma", s, depth, around.border);
  });
}

}  // namespace
}  // namespace coalesce::test
