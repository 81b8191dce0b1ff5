// SPDX-License-Identifier: LGPL-2.1-or-later
// What convolve refuses, and what it must not.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "../plane_sizes.h"
#include "convolve/finish.h"
#include "convolve/planes.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// A sound call: 8 x 5 pixels of a byte each, a mask that is not the identity.
struct Call {
  Filter filter;
  ConvolveParams params;
  ConvolvePlanes image;
  ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic;

  explicit Call(const FilterSettings &settings, SampleDepth depth = {8, 0}) {
    FilterError error;
    CHECK_MESSAGE(make_filter(settings, depth, &filter, &error), error.text);
    params.filter = &filter;
    image.plane[0].in = {in_, 8 * depth.bytes(), 5, 32};
    image.plane[0].out = {out_, 8 * depth.bytes(), 5, 32};
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Status run(const Queue &queue) const { return convolve_planes(params, image, queue, algorithm); }

 private:
  alignas(16) std::uint8_t in_[32 * 5] = {};
  alignas(16) std::uint8_t out_[32 * 5] = {};
};

FilterSettings settings_of(Mask mask) {
  FilterSettings settings;
  settings.mask = std::move(mask);
  return settings;
}

FilterSettings rows(std::vector<double> across, std::vector<double> down) {
  FilterSettings settings;
  settings.horizontal = std::move(across);
  settings.vertical = std::move(down);
  return settings;
}

const FilterSettings kBox = settings_of({3, 1, {1, 1, 1}});
const FilterSettings kCorners = settings_of({2, 2, {1, 2, 2, 1}});  // of rank 2

using Change = std::function<void(Call &)>;

void expect_code(StatusCode code, const char *what, const FilterSettings &settings,
                 SampleDepth depth, const Change &change) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    if (queue.on_cuda() && code == StatusCode::ok) continue;
    Call call(settings, depth);
    change(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(s.code() == code, what, ": code ", static_cast<int>(s.code()), ", \"",
                  s.message(), "\"");
  }
}

void refused(const char *what, const Change &change) {
  expect_code(StatusCode::invalid_argument, what, kBox, {8, 0}, change);
}

void refused_words(const char *what, const Change &change) {
  expect_code(StatusCode::invalid_argument, what, kBox, {16, 0}, change);
}

void taken(const char *what, const FilterSettings &settings, SampleDepth depth,
           const Change &change) {
  expect_code(StatusCode::ok, what, settings, depth, change);
}

void unsupported(const char *what, const FilterSettings &settings, SampleDepth depth,
                 ConvolveAlgorithm algorithm) {
  expect_code(StatusCode::unsupported, what, settings, depth,
              [algorithm](Call &c) { c.algorithm = algorithm; });
}

TEST_CASE("filters") {
  refused("no filter", [](Call &c) { c.params.filter = nullptr; });
  for (SampleDepth depth :
       {SampleDepth{9, 0}, SampleDepth{0, 0}, SampleDepth{8, 1}, SampleDepth{10, 4},
        SampleDepth{12, 6}, SampleDepth{16, 1}, SampleDepth{32, 0}})
    refused("a depth that there is not", [depth](Call &c) { c.filter.depth = depth; });
  refused("no columns", [](Call &c) { c.filter.width = 0; });
  refused("no rows", [](Call &c) { c.filter.height = -1; });
  refused("more columns than weights", [](Call &c) { c.filter.width = 4; });
  refused("fewer rows than factors", [](Call &c) { c.filter.down = {1, 1}; });
  refused("fewer weights than elements", [](Call &c) { c.filter.weights.pop_back(); });
  refused("too many columns", [](Call &c) {
    c.filter.width = kMaxTaps + 1;
    c.filter.across.assign(kMaxTaps + 1, 1);
    c.filter.weights.clear();
  });
  for (int taps : {-kMaxTaps, kMaxTaps, INT32_MIN}) {
    refused("an anchor too far to the side", [taps](Call &c) { c.filter.left = taps; });
    refused("an anchor too far up or down", [taps](Call &c) { c.filter.above = taps; });
  }
  for (int taps : {1 - kMaxTaps, kMaxTaps - 1})
    taken("an anchor outside", kBox, {8, 0},
          [taps](Call &c) { c.filter.left = c.filter.above = taps; });
  refused("no weights", [](Call &c) {
    c.filter.separable = false;
    c.filter.weights.clear();
  });
  refused("divisor 0", [](Call &c) { c.filter.divisor = 0; });
  refused("divisor below 0", [](Call &c) { c.filter.divisor = -3; });
  refused("weights of more columns than masks have", [](Call &c) {
    c.filter.width = kMaxMaskSize + 1;
    c.filter.separable = false;
    c.filter.weights.assign(kMaxMaskSize + 1, 1);
  });
  refused("weights of more rows than masks have, and factors", [](Call &c) {
    c.filter.width = 1;
    c.filter.height = kMaxMaskSize + 1;
    c.filter.across = {1};
    c.filter.down.assign(kMaxMaskSize + 1, 1);
    c.filter.weights = c.filter.down;
  });
}

// Divisors and offsets beyond the sums' bits.
TEST_CASE("numbers") {
  for (bool narrow : {true, false}) {
    const std::int64_t most = narrow ? INT32_MAX : INT64_MAX;
    const auto divide_by = [narrow](std::int64_t divisor) {
      return [narrow, divisor](Call &c) {
        c.filter.narrow = narrow;
        c.filter.divisor = divisor;
      };
    };
    taken("the largest divisor", kBox, {8, 0}, divide_by(most / 256));
    taken("the largest divisor of 16 bits", kBox, {16, 0}, divide_by(most / 65536));
    refused("a divisor one too large", divide_by(most / 256 + 1));
    refused_words("a divisor one too large for 16 bits", divide_by(most / 65536 + 1));
  }
  // The second becomes 0 if it is cut to 32 bits.
  for (std::int64_t divisor : {std::int64_t{INT32_MAX} + 1, std::int64_t{1} << 32, INT64_MAX})
    refused("a divisor of more than 31 bits", [divisor](Call &c) { c.filter.divisor = divisor; });

  constexpr std::int64_t kMost = INT32_MAX;
  const auto offsets = [](bool chroma, bool absolute, Filter::Offsets o) {
    return [chroma, absolute, o](Call &c) {
      (chroma ? c.filter.chroma : c.filter.level) = o;
      c.filter.absolute = absolute;
    };
  };
  for (bool chroma : {false, true}) {
    for (std::int64_t offset : {kMost + 1, -kMost - 1, std::int64_t{1} << 32, INT64_MIN}) {
      refused("too large an offset before", offsets(chroma, false, {offset, 0}));
      refused("too large an offset after", offsets(chroma, false, {0, offset}));
    }
    refused("too large a sum of offsets", offsets(chroma, false, {kMost, 1}));
    refused("too small a sum of offsets", offsets(chroma, false, {-kMost, -1}));
    refused("too large an absolute value", offsets(chroma, true, {-kMost, 1}));
  }
  // Of a plane of the other role, for the sums over samples want their bits, too.
  taken("large offsets", kBox, {8, 0}, offsets(true, false, {kMost, -kMost}));
  taken("a large absolute value", kBox, {8, 0}, offsets(true, true, {-kMost, -kMost}));
  taken("offsets of more than 31 bits with sums that have them", kBox, {8, 0}, [](Call &c) {
    c.filter.narrow = false;
    c.filter.level = {kMost + 1, -kMost};
  });
}

TEST_CASE("params") {
  refused("no such border", [](Call &c) { c.params.border = static_cast<Border>(5); });
  for (int value : {-1, 256})
    refused("a border value that is no sample", [value](Call &c) {
      c.params.border = Border::constant;
      c.params.border_value = value;
    });
  for (SampleDepth depth : {SampleDepth{8, 0}, SampleDepth{10, 0}, SampleDepth{10, 6},
                            SampleDepth{12, 0}, SampleDepth{12, 4}, SampleDepth{16, 0}})
    for (int value : {0, depth.max()})
      taken("an extreme border value", kBox, depth, [value](Call &c) {
        c.params.border = Border::constant;
        c.params.border_value = value;
      });
  taken("a border value that nobody wants", kBox, {8, 0},
        [](Call &c) { c.params.border_value = -7; });
  refused("no such algorithm", [](Call &c) { c.algorithm = static_cast<ConvolveAlgorithm>(4); });
}

TEST_CASE("planes") {
  refused("no plane", [](Call &c) { c.image.planes = 0; });
  refused("five planes", [](Call &c) { c.image.planes = 5; });
  refused("an empty second plane", [](Call &c) { c.image.planes = 2; });
  taken("nonsense in planes that do not count", kBox, {8, 0},
        [](Call &c) { c.image.plane[1].channels = -1; });
  refused("nothing to read", [](Call &c) { c.image.plane[0].in.data = nullptr; });
  refused("nothing to write", [](Call &c) { c.image.plane[0].out.data = nullptr; });
  refused("no width", [](Call &c) { c.image.plane[0].in.width = c.image.plane[0].out.width = 0; });
  refused("no height",
          [](Call &c) { c.image.plane[0].in.height = c.image.plane[0].out.height = 0; });
  refused("pitch below the row, in", [](Call &c) { c.image.plane[0].in.pitch = 7; });
  refused("pitch below the row, out", [](Call &c) { c.image.plane[0].out.pitch = 7; });
  refused("other width", [](Call &c) { c.image.plane[0].in.width = 7; });
  refused("other height", [](Call &c) { c.image.plane[0].out.height = 4; });
  refused("no channels", [](Call &c) { c.image.plane[0].channels = 0; });
  refused("five channels", [](Call &c) {
    c.image.plane[0].in.width = c.image.plane[0].out.width = 5;
    c.image.plane[0].channels = 5;
  });
  refused("part of a pixel", [](Call &c) { c.image.plane[0].channels = 3; });
  refused("no such role", [](Call &c) { c.image.plane[0].role[0] = static_cast<ChannelRole>(3); });
  taken("nonsense as role of a channel that is none", kBox, {8, 0},
        [](Call &c) { c.image.plane[0].role[1] = static_cast<ChannelRole>(3); });
  taken("any address", kBox, {8, 0}, [](Call &c) {
    ++c.image.plane[0].in.data;
    --c.image.plane[0].in.pitch;
  });
  refused_words("half a sample",
                [](Call &c) { c.image.plane[0].in.width = c.image.plane[0].out.width = 15; });
  refused_words("words at odd addresses, in", [](Call &c) { ++c.image.plane[0].in.data; });
  refused_words("words at odd addresses, out", [](Call &c) { ++c.image.plane[0].out.data; });
  refused_words("words in odd rows, in", [](Call &c) { --c.image.plane[0].in.pitch; });
  refused_words("words in odd rows, out", [](Call &c) { --c.image.plane[0].out.pitch; });
}

TEST_CASE("algorithms") {
  unsupported("separable, of rank 2", kCorners, {8, 0}, ConvolveAlgorithm::separable);
  unsupported("direct, factors only", rows(std::vector<double>(40, 1), {1}), {8, 0},
              ConvolveAlgorithm::direct);
  unsupported("copy, not the identity", kBox, {8, 0}, ConvolveAlgorithm::copy);
  FilterSettings biased;
  biased.bias = 1;
  unsupported("copy, a bias", biased, {8, 0}, ConvolveAlgorithm::copy);
  FilterSettings negative;
  negative.mask.at = {-1};
  unsupported("copy, a negative", negative, {8, 0}, ConvolveAlgorithm::copy);
  FilterSettings shifted;
  shifted.mask = {2, 1, {1, 0}};
  shifted.anchor_x = 1;
  unsupported("copy, a shift", shifted, {8, 0}, ConvolveAlgorithm::copy);
  for (const std::vector<double> &identity :
       {std::vector<double>{1}, std::vector<double>{0.3}, std::vector<double>{0, 7, 0}})
    for (SampleDepth depth :
         {SampleDepth{8, 0}, SampleDepth{10, 6}, SampleDepth{12, 4}, SampleDepth{16, 0}})
      for (ConvolveAlgorithm algorithm :
           {ConvolveAlgorithm::copy, ConvolveAlgorithm::direct, ConvolveAlgorithm::separable})
        taken("the identity", settings_of({static_cast<int>(identity.size()), 1, identity}), depth,
              [algorithm](Call &c) { c.algorithm = algorithm; });
  taken("what is only copied", kBox, {8, 0}, [](Call &c) {
    c.image.plane[0].role[0] = ChannelRole::copy;
    c.algorithm = ConvolveAlgorithm::copy;
  });
}

TEST_CASE("without gpu") {
  hide_gpus();
  Call call(kBox);
  const Status s = call.run(Queue::cuda(nullptr));
  CHECK_MESSAGE(s.code() == StatusCode::unsupported, s.message());
}

// What `automatic` takes must be able to.
TEST_CASE("choice") {
  for (bool on_cuda : {false, true}) {
    const Call identity{FilterSettings()}, corners{kCorners},
        factors{rows(std::vector<double>(40, 1), {1, 1})};
    const auto chosen = [on_cuda](const Call &c) {
      return choose_algorithm(c.filter, c.image, on_cuda);
    };
    CHECK_MESSAGE(chosen(identity) == ConvolveAlgorithm::copy, "identity");
    CHECK_MESSAGE(chosen(corners) == ConvolveAlgorithm::direct, "rank 2");
    CHECK_MESSAGE(chosen(factors) == ConvolveAlgorithm::separable, "factors only");
  }
}

// The byte that a sum becomes is its quotient, for the first and the last sum of each.
bool divides(std::int64_t divisor, std::uint32_t multiplier, std::uint32_t addend) {
  const auto byte = [&](std::int64_t sum) { return (sum * multiplier + addend) >> 24; };
  for (std::int64_t q = 0; q < 256; ++q)
    if (byte(q * divisor) != q || byte((q + 1) * divisor - 1) != q) return false;
  return true;
}

TEST_CASE("byte finish") {
  for (std::int64_t divisor = 1; divisor <= 1 << 23; divisor += 1 + divisor / 512) {
    ByteFinish f;
    const auto down = static_cast<std::uint32_t>((1 << 24) / divisor);
    if (make_byte_finish(divisor, &f))
      CHECK_MESSAGE((f.top == 256 * divisor - 1 && divides(divisor, f.multiplier, f.addend)),
                    static_cast<int>(divisor));
    else
      CHECK_MESSAGE(
          (divisor > 256 && !divides(divisor, down + 1, 0) && !divides(divisor, down, down)),
          static_cast<int>(divisor));
  }
}

// ---- pictures ---------------------------------------------------------------------------------

// A sound call with pictures of 6 x 5 pixels, of bytes that depend on their place.
struct PictureCall {
  Filter filter;
  ConvolveParams params;
  ConstImage in;
  Image out;
  void *scratch = scratch_;

  explicit PictureCall(const char *format, bool interlaced = false) {
    const PixelFormat f = pixel_format(format);
    const SampleDepth depth = sample_depth(f);
    FilterError error;
    if (depth.bits != 0)
      CHECK_MESSAGE(make_filter(settings_of({3, 1, {1, 1, 2}}), depth, &filter, &error),
                    error.text);
    params.filter = &filter;
    in = {f, 6, 5, interlaced, {}};
    out = {f, 6, 5, interlaced, {}};
    const std::vector<PlaneSize> sizes = plane_sizes(f, 6, 5);
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      for (std::size_t i = 0; i < sizeof in_[p]; ++i)
        in_[p][i] = static_cast<std::uint8_t>(i * i * 7);
      in.plane[p] = {in_[p], sizes[p].row_bytes, sizes[p].height, 128};
      out.plane[p] = {out_[p], sizes[p].row_bytes, sizes[p].height, 128};
    }
  }
  PictureCall(const PictureCall &) = delete;
  PictureCall &operator=(const PictureCall &) = delete;

  Status run(ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic) const {
    return convolve(params, in, out, Queue::cpu(), scratch, algorithm);
  }
  // Is every sample of the component as it was?
  bool copied(const PixelComponent &c) const {
    const int bytes = container_bytes(c.container);
    for (int y = 0; y < out.of(c).height; ++y)
      for (int at = bytes * c.first; at < out.of(c).width; at += bytes * c.step)
        if (std::memcmp(in.of(c).row(y) + at, out.of(c).row(y) + at,
                        static_cast<std::size_t>(bytes)) != 0)
          return false;
    return true;
  }

 private:
  alignas(16) std::uint8_t in_[4][128 * 5], out_[4][128 * 5] = {};
  alignas(16) std::uint8_t scratch_[1 << 13];
};

TEST_CASE("formats") {
  for (const NamedFormat &format : named_formats())
    CHECK_MESSAGE(PictureCall(format.name).run().ok(), format.name);
}

TEST_CASE("scratch memory is for packed 4:2:2 and words") {
  for (const NamedFormat &format : named_formats()) {
    PictureCall call(format.name);
    const std::size_t bytes = container_scratch_bytes(call.in);
    CHECK_MESSAGE((bytes > 0) == !is_in_channels(format.format), format.name);
    call.scratch = nullptr;
    CHECK_MESSAGE(call.run().ok() == (bytes == 0), format.name);
  }
}

// Sound, but nobody's.
TEST_CASE("formats that there are not") {
  const auto refused = [](const char *name, const std::function<void(PixelFormat &)> &change) {
    PixelFormat format = pixel_format(name);
    change(format);
    CHECK_MESSAGE(sample_depth(format).bits == 0, name);
  };
  refused("UYVY", [](PixelFormat &f) { f.component[0].step = 4; });
  refused("UYVY", [](PixelFormat &f) { f.component[1].log2_width = 0; });
  refused("UYVY", [](PixelFormat &f) { f.component[2].log2_width = 2; });
  refused("UYVY", [](PixelFormat &f) { f.component[1].log2_height = 1; });
  refused("v210", [](PixelFormat &f) { f.component[0].step = 1; });
  refused("v210", [](PixelFormat &f) { f.component[0].bits = 9; });
  refused("v210", [](PixelFormat &f) { f.component[0].first = 0; });
  refused("UYVP", [](PixelFormat &f) { std::swap(f.component[1].first, f.component[2].first); });
  refused("v210", [](PixelFormat &f) {
    for (PixelComponent &c : f.component)
      c.container = Container::u32;
  });
  refused("Y410", [](PixelFormat &f) { f.components = 1; });
  refused("RGB10x2_LE", [](PixelFormat &f) {
    for (PixelComponent &c : f.component)
      c.bits = 8;
  });
  refused("Y210", [](PixelFormat &f) { f.component[1].shift = 4; });
  refused("Y410", [](PixelFormat &f) { f.component[2].step = 2; });
  refused("Y410", [](PixelFormat &f) { f.component[2].log2_width = 1; });
  refused("Y410", [](PixelFormat &f) { f.component[2].bits = 8; });
  refused("Y410", [](PixelFormat &f) { f.component[2].plane = 1, f.planes = 2; });
  refused("AYUV", [](PixelFormat &f) { f.component[3].bits = 2; });
  refused("I420", [](PixelFormat &f) { f.component[2].container = Container::u16; });
}

TEST_CASE("roles") {
  for (const char *name : {"RGBA", "AYUV", "NV12", "I420", "GBR_10LE", "ARGB64", "A444_16LE"}) {
    for (int i = 0; i < 4; ++i) {
      PictureCall call(name);
      call.params.luma_only = i % 2 == 1;
      call.params.filter_alpha = i / 2 == 1;
      CHECK(call.run().ok());
      for (int c = 0; c < call.in.format.components; ++c) {
        const PixelComponent &component = call.in.format.component[c];
        const bool chroma = component.role == Role::u || component.role == Role::v;
        const bool copied = component.role == Role::alpha ? !call.params.filter_alpha
                                                          : chroma && call.params.luma_only;
        CHECK_MESSAGE(call.copied(component) == copied, name, ", component ", c, ", case ", i);
      }
    }
  }
}

TEST_CASE("pictures that differ") {
  const auto refused = [](const char *text, const std::function<void(PictureCall &)> &change) {
    PictureCall call("NV12");
    change(call);
    const Status s = call.run();
    CHECK(s.code() == StatusCode::invalid_argument);
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, s.message());
  };
  refused("differ in format", [](PictureCall &c) { c.out.format = pixel_format("NV21"); });
  refused("another depth", [](PictureCall &c) { c.filter.depth = {10, 6}; });
  refused("no filter", [](PictureCall &c) { c.params.filter = nullptr; });
  refused("size or interlacing", [](PictureCall &c) { c.out.interlaced = true; });
  refused("size or interlacing", [](PictureCall &c) { c.in.width = c.in.plane[0].width = 5; });
}

TEST_CASE("what packed 4:2:2 and words refuse") {
  const auto code = [](const std::function<void(PictureCall &)> &change,
                       ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic) {
    PictureCall call("v210");
    change(call);
    return call.run(algorithm).code();
  };
  const auto nothing = [](PictureCall &) {};
  CHECK(code(nothing) == StatusCode::ok);
  CHECK(code(nothing, ConvolveAlgorithm::copy) == StatusCode::unsupported);
  CHECK(code(nothing, static_cast<ConvolveAlgorithm>(4)) == StatusCode::invalid_argument);
  for (const auto &change : std::vector<std::function<void(PictureCall &)>>{
           [](PictureCall &c) { c.params.filter = nullptr; },
           [](PictureCall &c) {
             c.filter.depth = {10, 6};
           },
           [](PictureCall &c) { c.filter.divisor = 0; },
           [](PictureCall &c) { c.params.border = static_cast<Border>(5); },
           [](PictureCall &c) {
             c.params.border = Border::constant;
             c.params.border_value = 1024;
           },
           [](PictureCall &c) { c.in.plane[0].pitch = 124; },
           [](PictureCall &c) { c.in.plane[0].data += 2; },
           [](PictureCall &c) { c.scratch = static_cast<std::uint8_t *>(c.scratch) + 8; },
           [](PictureCall &c) {
             c.in.height = c.out.height = (1 << 28) + 1;
             c.in.plane[0].height = c.out.plane[0].height = c.in.height;
           }})
    CHECK(code(change) == StatusCode::invalid_argument);
  CHECK(code(
            [](PictureCall &c) {
              c.filter.separable = false;
              c.filter.weights = {1, 1, 2};
            },
            ConvolveAlgorithm::separable) == StatusCode::unsupported);
}

// The row more of a height of 4n + 1 is no pixel's, and nobody writes it.
TEST_CASE("row of no pixel") {
  PictureCall call("NV12", true);
  call.in.height = call.out.height = 1;
  call.in.plane[0].height = call.out.plane[0].height = 1;
  call.in.plane[1].height = call.out.plane[1].height = 2;
  FilterError error;
  CHECK(make_filter(settings_of({1, 3, {1, 1, 2}}), {8, 0}, &call.filter, &error));
  CHECK(call.run().ok());
  CHECK(std::memcmp(call.out.plane[1].row(0), call.in.plane[1].row(0), 6) == 0);
  CHECK(std::memcmp(call.out.plane[1].row(1), call.out.plane[1].row(0), 6) == 0);
}

// A row of chroma that only the output has comes from the row of its field before it.
TEST_CASE("missing row") {
  PictureCall call("NV12", true);
  call.out.plane[1].height++;
  CHECK(call.run().ok());
  CHECK(std::memcmp(call.out.plane[1].row(3), call.out.plane[1].row(1), 6) == 0);
}

}  // namespace
}  // namespace coalesce::test
