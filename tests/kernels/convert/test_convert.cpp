// SPDX-License-Identifier: LGPL-2.1-or-later
// What convert refuses; the same bytes as rgb2yuv's; mappings that lose nothing; weights and taps.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "../counted_allocations.h"
#include "convert/convert_job.h"
#include "convert_reference.h"
#include "owned_picture.h"
#include "rgb2yuv/rgb2yuv.h"

namespace coalesce::test {
namespace {

bool same_samples(const Image &a, const Image &b) {
  for (int i = 0; i < a.format.components; ++i) {
    const PixelComponent &c = a.format.component[i];
    for (int y = 0; y < a.of(c).height; ++y)
      for (int x = 0; x < a.width >> c.log2_width; ++x)
        if (sample_of(a, c, x, y) != sample_of(b, *b.format.find(c.role), x, y)) return false;
  }
  return true;
}

struct Call {
  ConvertParams params;
  OwnedPicture in, out;

  Call(const char *from, const char *to) : in(from, 7, 5), out(to, 7, 5) {}
  Status run(const Queue &queue = Queue::cpu()) {
    return convert(params, in.image(), out.image(), queue);
  }
};

void expect_refused(const char *text, const char *from, const char *to,
                    const std::function<void(Call &)> &spoil) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call(from, to);
    spoil(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                  " for \"", text, "\"");
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(),
                  "\" does not say \"", text, "\"");
  }
}

TEST_CASE("refusals") {
  expect_refused("matrix", "RGB", "I420",
                 [](Call &c) { c.params.matrix = static_cast<YuvMatrix>(5); });
  expect_refused("range", "RGB", "I420",
                 [](Call &c) { c.params.in_range = static_cast<SampleRange>(2); });
  expect_refused("range", "I420", "RGB",
                 [](Call &c) { c.params.out_range = static_cast<SampleRange>(2); });
  expect_refused("filter", "I420", "RGB",
                 [](Call &c) { c.params.chroma = static_cast<ChromaFilter>(2); });
  expect_refused("dither", "I420", "RGB",
                 [](Call &c) { c.params.dither = static_cast<Dither>(2); });
  expect_refused("no data", "I420", "RGBP", [](Call &c) { c.out.image().plane[2].data = nullptr; });
  expect_refused("width", "NV12", "RGB", [](Call &c) { --c.in.image().plane[1].width; });
  expect_refused("differ in size or interlacing", "RGB", "GRAY8", [](Call &c) {
    --c.in.image().height;
    --c.in.image().plane[0].height;
  });
  expect_refused("differ in size or interlacing", "RGB", "GRAY8",
                 [](Call &c) { c.in.image().interlaced = true; });
  // Sound, but no row reader has it.
  expect_refused("none of", "GRAY8", "GRAY8",
                 [](Call &c) { c.in.image().format.component[0].bits = 7; });
}

TEST_CASE("no kernels" * doctest::skip(cuda_kernels_built())) {
  Call call("NV12", "RGB");
  CHECK(call.run(Queue::cuda(nullptr)).code() == StatusCode::unsupported);
}

TEST_CASE("no allocation") {
  for (const auto &[from, to] : {std::pair{"NV12", "RGBA"}, {"v210", "I420"}, {"RGB", "P016_LE"}}) {
    Call call(from, to);
    const long before = allocations();
    const Status s = call.run();
    CHECK_EQ(allocations(), before);
    CHECK(s.ok());
  }
}

// Conversions that rgb2yuv has have its bytes.
TEST_CASE("as rgb2yuv") {
  Random random = random_of_run(1);
  for (const char *from : {"RGB", "BGRx", "ARGB", "GBR"}) {
    for (const char *to : {"GRAY8", "Y444", "Y42B", "I420", "YV12", "NV12", "NV21", "AYUV", "VUYA",
                           "YUY2", "UYVY"}) {
      for (int i = 0; i < 80; ++i) {
        Rgb2yuvParams params;
        params.matrix = static_cast<YuvMatrix>(i / 4 % 5);
        params.in_range = static_cast<SampleRange>(i / 2 % 2);
        params.out_range = static_cast<SampleRange>(i % 2);
        params.h_cosited = i / 20 % 2 != 0;
        params.v_cosited = i / 40 != 0;
        const int width = random.between(1, 50), height = random.between(1, 9);
        const bool interlaced = random.below(2) == 0;
        OwnedPicture in(from, width, height, interlaced), expected(to, width, height, interlaced),
            got(to, width, height, interlaced);
        in.fill(random);
        ConvertParams same = {params.matrix, params.in_range, params.out_range, {}, {}};
        same.out_site = {params.h_cosited, params.v_cosited};
        CHECK(rgb2yuv(params, in.image(), expected.image(), Queue::cpu()).ok());
        CHECK(convert(same, in.image(), got.image(), Queue::cpu()).ok());
        for (int p = 0; p < got.image().format.planes; ++p) {
          const Plane<std::uint8_t> &plane = got.image().plane[p];
          const auto bytes = plane.pitch * static_cast<std::size_t>(plane.height);
          CHECK_MESSAGE(std::memcmp(plane.data, expected.image().plane[p].data, bytes) == 0, from,
                        " to ", to, ", ", text(same), ", ", width, "x", height);
        }
      }
    }
  }
}

// The row more of a height of 4n + 1 is no pixel's, and nobody writes it.
TEST_CASE("row of no pixel") {
  for (const char *from : {"I420", "NV12", "P010_10LE"})
    for (const char *to : {"RGB", "Y444_10LE", "I422_12LE", "NV21"})
      for (int height : {1, 2, 5, 6, 9, 11}) {
        Random random = random_of_run(1);
        // With memory for that row, which is the last of a picture two rows higher.
        OwnedPicture in(from, 9, height + 2, true);
        OwnedPicture one(to, 9, height, true), other(to, 9, height, true);
        in.fill(random);
        in.image().height = height;
        in.image().plane[0].height = height;
        const bool spare = ((height + 1) / 2) % 2 == 1;
        for (int p = 1; p < in.image().format.planes; ++p)
          in.image().plane[p].height = (height + 1) / 2 + (spare ? 1 : 0);
        CHECK(convert({}, in.image(), one.image(), Queue::cpu()).ok());
        for (int p = 1; spare && p < in.image().format.planes; ++p) {
          const Plane<std::uint8_t> &plane = in.image().plane[p];
          for (int i = 0; i < plane.width; ++i)
            plane.row(plane.height - 1)[i] ^= 0xff;
        }
        CHECK(convert({}, in.image(), other.image(), Queue::cpu()).ok());
        bool same = true;
        for (int p = 0; p < one.image().format.planes; ++p) {
          const Plane<std::uint8_t> &plane = one.image().plane[p];
          same = same && std::memcmp(plane.data, other.plane(p),
                                     plane.pitch * static_cast<std::size_t>(plane.height)) == 0;
        }
        const bool used = height % 4 == 2 && std::string(to) != "NV21";
        CHECK_MESSAGE(same != used, from, " to ", to, " of ", height, " rows");
      }
}

// There and back.
TEST_CASE("lossless") {
  struct Pair {
    const char *from, *to;
  };
  const Pair pairs[] = {
      {"v210", "I422_10LE"},
      {"I422_10LE", "v210"},
      {"v210", "Y210"},
      {"UYVY", "v210"},
      {"YUY2", "Y42B"},
      {"NV12", "I420"},
      {"NV12", "P010_10LE"},
      {"I420", "I420_12LE"},
      {"P010_10LE", "P016_LE"},
      {"Y444", "Y444_10LE"},
      {"Y444", "Y444_16LE"},
      {"Y444_10LE", "Y444_12LE"},
      {"Y444_12LE", "Y444_16LE"},
      {"AYUV", "AYUV64"},
      {"AYUV", "Y412_LE"},
      {"RGBA", "ARGB64"},
      {"RGB", "GBR_10LE"},
      {"GBR_10LE", "GBR_16LE"},
      {"BGRA", "GBRA_12LE"},
      {"GRAY8", "GRAY16_LE"},
      {"GRAY10_LE16", "GRAY16_LE"},
      {"GRAY8", "GRAY10_LE16"},
      {"RGB10A2_LE", "ARGB64"},
      {"Y410", "AYUV64"},
      {"GRAY8", "GBR_10LE"},
      {"RGB10A2_LE", "GBRA_12LE"},
  };
  Random random = random_of_run(2);
  for (const auto &pair : pairs) {
    const auto &from = pair.from, &to = pair.to;
    for (const SampleRange range : {SampleRange::full, SampleRange::limited}) {
      for (const bool interlaced : {false, true}) {
        ConvertParams params;
        params.in_range = params.out_range = range;
        OwnedPicture in(from, 101, 9, interlaced), there(to, 101, 9, interlaced),
            back(from, 101, 9, interlaced);
        in.fill(random);
        CHECK(convert(params, in.image(), there.image(), Queue::cpu()).ok());
        if (std::string(to) == "GBR_10LE" && std::string(from) == "GRAY8") continue;
        CHECK(convert(params, there.image(), back.image(), Queue::cpu()).ok());
        CHECK_MESSAGE(same_samples(in.image(), back.image()), from, " to ", to, ", ", text(params));
      }
    }
  }
}

// Black, white and greys are the same on both sides; of the full range white is white.
TEST_CASE("greys") {
  for (const char *from : {"Y444", "Y444_10LE", "Y444_12LE", "Y444_16LE", "GRAY8", "GRAY16_LE"}) {
    for (const char *to : {"RGBP", "GBR_10LE", "GBR_12LE", "GBR_16LE", "ARGB64"}) {
      for (int i = 0; i < 20; ++i) {
        ConvertParams params;
        params.matrix = static_cast<YuvMatrix>(i / 4);
        params.in_range = static_cast<SampleRange>(i / 2 % 2);
        params.out_range = static_cast<SampleRange>(i % 2);
        const PixelFormat in = pixel_format(from), out = pixel_format(to);
        ConvertJob job;
        OwnedPicture source(from, 1, 1), result(to, 1, 1);
        REQUIRE(make_job(params, source.image(), result.image(), &job).ok());
        const SampleScale a = {params.in_range, in.component[0].bits};
        const SampleScale b = {params.out_range, out.component[0].bits};
        const auto grey = [&](int y, int component) {
          const ConvertSum &s = job.sum[component];
          std::int64_t sum = s.offset + std::int64_t{s.weight[0]} * y;
          if (s.from == ConvertSum::kMatrix)
            sum += std::int64_t{s.weight[1] + s.weight[2]} * a.middle();
          return sum >> s.shift;
        };
        for (int component = 0; component < 3; ++component) {
          CHECK_EQ(grey(a.black(), component), b.black());
          CHECK_EQ(grey(a.black() + a.levels(), component), b.black() + b.levels());
          for (int y = 0; y <= a.maximum(); y += 13)
            CHECK_EQ(grey(y, component), grey(y, 0));
        }
      }
    }
  }
}

std::string taps_text(const ChromaTaps &t) {
  std::string all = std::to_string(1 << t.bits) + ":";
  for (int p = 0; p < 1 << t.up; ++p) {
    all += " " + std::to_string(t.phase[p].first) + "(";
    for (int k = 0; k < t.count; ++k)
      all += (k > 0 ? " " : "") + std::to_string(t.phase[p].tap[k]);
    all += ")";
  }
  return all;
}

// Those that docs/numerics.md prints.
TEST_CASE("taps") {
  const auto taps = [](int in, int in_site, int out, int out_site) {
    return taps_text(chroma_taps(ChromaFilter::linear, {in, in_site}, {out, out_site}));
  };
  CHECK_EQ(taps(1, 0, 0, 0), "2: 0(2 0) 0(1 1)");
  CHECK_EQ(taps(1, 2, 0, 0), "4: -1(1 3) 0(3 1)");
  CHECK_EQ(taps(1, 1, 0, 0), "8: -1(1 7) 0(5 3)");
  CHECK_EQ(taps(1, 3, 0, 0), "8: -1(3 5) 0(7 1)");
  CHECK_EQ(taps(2, 0, 0, 0), "4: 0(4 0) 0(3 1) 0(2 2) 0(1 3)");
  CHECK_EQ(taps(2, 6, 0, 0), "8: -1(3 5) -1(1 7) 0(7 1) 0(5 3)");
  CHECK_EQ(taps(0, 0, 1, 0), "4: -1(1 2 1)");
  CHECK_EQ(taps(0, 0, 1, 2), "2: 0(1 1)");
  CHECK_EQ(taps(0, 0, 2, 0), "8: -2(1 2 2 2 1)");
  CHECK_EQ(taps(0, 0, 2, 6), "4: 0(1 1 1 1)");
  CHECK_EQ(taps(1, 0, 1, 2), "4: 0(3 1)");
  CHECK_EQ(taps(1, 2, 1, 0), "4: -1(1 3)");
  CHECK_EQ(taps(1, 2, 1, 2), "1: 0(1)");
  CHECK_EQ(taps(1, 0, 2, 6), "8: 0(3 4 1)");
  CHECK_EQ(taps(2, 6, 1, 2), "4: -1(1 3) 0(3 1)");
  for (int field : {1, 3})
    CHECK_EQ(taps(1, field, 1, field), "1: 0(1)");
}

// Each threshold once, and equal shares of them in every part.
TEST_CASE("bayer") {
  int seen[64] = {}, quarter[4] = {};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      seen[bayer(x, y)]++;
      quarter[x / 4 + y / 4 * 2] += bayer(x, y);
      CHECK_EQ(bayer(x, y), bayer(x + 8, y + 16));
    }
  }
  for (const int times : seen)
    CHECK_EQ(times, 1);
  for (const int sum : quarter)
    CHECK(std::abs(sum - 504) <= 24);
  CHECK_EQ(bayer(1, 0), 32);
  CHECK_EQ(bayer(0, 1), 48);
}

// Dithered, the mean of a flat area is what it is before it is rounded.
TEST_CASE("dither") {
  ConvertParams params;
  params.dither = Dither::ordered;
  for (const SampleRange range : {SampleRange::limited, SampleRange::full}) {
    params.in_range = params.out_range = range;
    for (int level = 64; level < 940; level += 7) {
      OwnedPicture in("GRAY10_LE16", 8, 8), out("GRAY8", 8, 8);
      for (int i = 0; i < 64; ++i)
        reinterpret_cast<std::uint16_t *>(in.image().plane[0].data)[i] =
            static_cast<std::uint16_t>(level);
      REQUIRE(convert(params, in.image(), out.image(), Queue::cpu()).ok());
      int sum = 0;
      for (int i = 0; i < 64; ++i)
        sum += out.image().plane[0].data[i];
      const double exact = range == SampleRange::full ? level * 255.0 / 1023 : level / 4.0;
      CHECK_MESSAGE(std::abs(sum / 64.0 - exact) <= 1 / 64.0, level);
    }
  }
}

}  // namespace
}  // namespace coalesce::test
