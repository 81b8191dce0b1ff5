// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "oilpaint/kuwahara.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 12, kHeight = 10;

struct GreyCall {
  std::uint8_t memory[2][kWidth * kHeight] = {};
  OilpaintParams params = {.method = OilMethod::mode};
  ConstImage in = {
      pixel_format("GRAY8"), kWidth, kHeight, false, {{memory[0], kWidth, kHeight, kWidth}}};
  Image out = {
      pixel_format("GRAY8"), kWidth, kHeight, false, {{memory[1], kWidth, kHeight, kWidth}}};
  alignas(16) std::uint8_t scratch[1 << 16] = {};
  void *memory_between = scratch;

  GreyCall() = default;
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  std::uint8_t &from(int x, int y) { return memory[0][y * kWidth + x]; }
  int at(int x, int y) const { return memory[1][y * kWidth + x]; }
  Status run(const Queue &queue = Queue::cpu()) {
    return oilpaint(params, in, out, queue, memory_between);
  }
};

void expect_refused(const char *what, void (*spoil)(GreyCall &call)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    GreyCall call;
    spoil(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(
        (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr),
        "\"", s.message(), "\" does not say \"", what, "\"");
  }
}

TEST_CASE("refused") {
  GreyCall sound;
  CHECK(oilpaint_scratch_bytes(sound.params, sound.in) <= sizeof sound.scratch);
  CHECK(sound.run().ok());
  expect_refused("radius of mode", [](GreyCall &c) { c.params.mode_radius = 0; });
  expect_refused("radius of mode", [](GreyCall &c) { c.params.mode_radius = 16; });
  expect_refused("ratio of mode", [](GreyCall &c) { c.params.mode_ratio = 0; });
  expect_refused("ratio of mode", [](GreyCall &c) { c.params.mode_ratio = 128; });
  expect_refused("radii of brushes", [](GreyCall &c) { c.params.brush_thickest = 64; });
  expect_refused("radii of brushes", [](GreyCall &c) { c.params.brush_thinnest = 3; });
  expect_refused("thinner than", [](GreyCall &c) { c.params.brush_thinnest = 32; });
  expect_refused("threshold", [](GreyCall &c) { c.params.threshold = 256; });
  expect_refused("threshold", [](GreyCall &c) { c.params.threshold = -1; });
  expect_refused("least length", [](GreyCall &c) { c.params.least_length = 0; });
  expect_refused("least length", [](GreyCall &c) { c.params.least_length = 14; });
  expect_refused("ground", [](GreyCall &c) { c.params.ground = 256; });
  expect_refused("state is not aligned", [](GreyCall &c) { c.params.state = c.scratch + 1; });
  expect_refused("radius of kuwahara", [](GreyCall &c) { c.params.kuwahara_radius = 1; });
  expect_refused("radius of kuwahara", [](GreyCall &c) { c.params.kuwahara_radius = 11; });
  expect_refused("no such method",
                 [](GreyCall &c) { c.params.method = static_cast<OilMethod>(9); });
  expect_refused("scratch memory", [](GreyCall &c) { c.memory_between = nullptr; });
  expect_refused("scratch memory", [](GreyCall &c) { c.memory_between = c.scratch + 1; });
  expect_refused("differ in size",
                 [](GreyCall &c) { c.out.height = c.out.plane[0].height = kHeight - 1; });
  expect_refused("no data", [](GreyCall &c) { c.out.plane[0].data = nullptr; });
}

// Does a text have one of a format's names?
bool names(const char *text, const PixelFormat &format) {
  for (const NamedFormat &named : named_formats())
    if (named.format == format && std::strstr(text, named.name) != nullptr) return true;
  return false;
}

// Each format of other samples is named.
TEST_CASE("refused formats") {
  std::vector<std::uint8_t> memory(1 << 16);
  int refused = 0;
  for (const NamedFormat &named : named_formats()) {
    if (named.format.in_bytes()) continue;
    ConstImage in = {named.format, 4, 4, false, {}};
    Image out = {named.format, 4, 4, false, {}};
    for (int p = 0; p < named.format.planes; ++p) {
      const auto row = static_cast<int>(row_bytes(named.format, p, 4));
      out.plane[p] = {memory.data(), row, plane_rows(named.format, p, 4), 256};
      in.plane[p] = out.plane[p];
    }
    const Status s = oilpaint({}, in, out, Queue::cpu(), memory.data());
    CHECK(s.code() == StatusCode::invalid_argument);
    CHECK_MESSAGE(names(s.message(), named.format), s.message());
    ++refused;
  }
  CHECK(refused > 20);
}

TEST_CASE("mode: the commonest intensity wins, the darkest of several") {
  GreyCall call;
  call.params.mode_radius = 1, call.params.mode_ratio = 10;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      call.from(x, y) = x < 6 ? 40 : 200;
  call.from(3, 3) = 90;   // alone
  call.from(9, 5) = 201;  // of the same bin: the mean of 200 and of this is 200.1
  REQUIRE(call.run().ok());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      CHECK(call.at(x, y) == (x < 6 ? 40 : 200));
}

TEST_CASE("mode: halves go to the even number") {
  GreyCall call;
  call.params.mode_radius = 15, call.params.mode_ratio = 127;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      call.from(x, y) = static_cast<std::uint8_t>(x % 2 == 0 ? 10 : 11);
  REQUIRE(call.run().ok());
  CHECK(call.at(5, 5) == 10);
  for (std::uint8_t &sample : call.memory[0])
    ++sample;
  REQUIRE(call.run().ok());
  CHECK(call.at(5, 5) == 12);
}

TEST_CASE("kuwahara: every direction and level") {
  CHECK(oil_code({0, 0, 0}) == 0);
  for (int i = 0; i < kOilDirections; ++i) {
    // A plane that gets brighter in this direction has one with certainty.
    const int x = oil_cosine(i) / 16, y = oil_cosine(i < 16 ? 16 - i : i - 16) / 16;
    CHECK(oil_code({x * x, x * y, y * y}) == static_cast<std::uint32_t>(i * kOilLevels + 7));
  }
  for (int i = 0; i < kOilLevels; ++i)
    CHECK(oil_code({7 + i, 0, 7 - i}) == static_cast<std::uint32_t>(i));
}

TEST_CASE("kuwahara: lists have room, and the longest fills it") {
  for (int radius = kMinOilKuwaharaRadius; radius <= kMaxOilKuwaharaRadius; ++radius) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(oil_kuwahara_stride(radius)) *
                                     kOilCodes * kOilLists);
    const OilKuwahara kuwahara = {radius, oil_kuwahara_stride(radius), words.data()};
    oil_kuwahara_lists_cpu(kuwahara, nullptr);
    std::uint32_t most = 0;
    for (int code = 0; code < kOilCodes; ++code)
      for (int sector = 0; sector < kOilLists; ++sector) {
        const std::uint32_t *list = kuwahara.list(code, sector);
        std::uint32_t all = 0;
        for (std::uint32_t i = 1; i <= *list; ++i)
          all += list[i] >> 16;
        REQUIRE(all == 1u << kOilWeightBits);
        most = std::max(most, *list);
      }
    CHECK(most + 1 == static_cast<std::uint32_t>(oil_kuwahara_stride(radius)));
  }
}

TEST_CASE("kuwahara: a flat picture stays, an edge stays sharp") {
  GreyCall call;
  call.params.method = OilMethod::kuwahara, call.params.kuwahara_radius = 2;
  std::vector<std::uint8_t> scratch(oilpaint_scratch_bytes(call.params, call.in) + 16);
  call.memory_between =
      scratch.data() + (16 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 16);
  for (std::uint8_t &sample : call.memory[0])
    sample = 93;
  REQUIRE(call.run().ok());
  CHECK(call.at(0, 0) == 93);
  CHECK(call.at(5, 5) == 93);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      call.from(x, y) = x < 6 ? 20 : 220;
  REQUIRE(call.run().ok());
  CHECK(call.at(5, 5) <= 21);
  CHECK(call.at(6, 5) >= 219);
}

// ---- Strokes ------------------------------------------------------------------------------------

// Pictures of waves with a little noise, painted one after the other.
class Waves {
 public:
  static constexpr int kSide = 128;

  explicit Waves(OilpaintParams params) : params_(params), in_(kSide * kSide), out_(kSide * kSide) {
    const ConstImage image = picture(in_.data());
    scratch_.resize(oilpaint_scratch_bytes(params, image) / sizeof(Aligned) + 1);
    state_.resize(oilpaint_state_bytes(params, image) / sizeof(Aligned) + 1);
  }

  std::vector<std::uint8_t> paint(int seed, bool keeps) {
    Random random(static_cast<std::uint64_t>(seed));
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        in_[static_cast<std::size_t>(y * kSide + x)] =
            static_cast<std::uint8_t>(100 + (x * x / 40 + y) % 100 + random.between(-3, 3));
    params_.state = keeps ? state_.data() : nullptr;
    const Status s =
        oilpaint(params_, picture(in_.data()),
                 {pixel_format("GRAY8"), kSide, kSide, false, {{out_.data(), kSide, kSide, kSide}}},
                 Queue::cpu(), scratch_.data());
    REQUIRE_MESSAGE(s.ok(), s.message());
    params_.state_is_new = false;
    return out_;
  }

 private:
  struct alignas(16) Aligned {
    std::uint8_t bytes[16];
  };
  static ConstImage picture(const std::uint8_t *data) {
    return {pixel_format("GRAY8"), kSide, kSide, false, {{data, kSide, kSide, kSide}}};
  }

  OilpaintParams params_;
  std::vector<std::uint8_t> in_, out_;
  std::vector<Aligned> scratch_, state_;
};

int changed_samples(const std::vector<std::uint8_t> &a, const std::vector<std::uint8_t> &b) {
  int changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    changed += a[i] != b[i] ? 1 : 0;
  return changed;
}

TEST_CASE("strokes: noise moves them, but not with the strokes of the picture before") {
  Waves anew({}), kept({});
  const std::vector<std::uint8_t> first = anew.paint(1, false);
  CHECK(kept.paint(1, true) == first);
  const int of_new = changed_samples(anew.paint(2, false), first);
  const int of_kept = changed_samples(kept.paint(2, true), first);
  CHECK(of_new > 1000);
  CHECK_MESSAGE(of_kept * 2 < of_new, of_kept, " of ", of_new);
}

TEST_CASE("strokes: the ground is seen where none is born; short ones may run over the border") {
  GreyCall call;
  call.params.method = OilMethod::strokes;
  call.params.brush_thinnest = 16, call.params.least_length = 13, call.params.ground = 77;
  for (std::uint8_t &sample : call.memory[0])
    sample = 140;
  REQUIRE(oilpaint_scratch_bytes(call.params, call.in) <= sizeof call.scratch);
  // No pixel lacks more than the most.
  call.params.threshold = 255;
  REQUIRE(call.run().ok());
  for (std::uint8_t sample : call.memory[1])
    CHECK(sample == 77);
  // A picture of 12 columns has no path of 13 points of radius 16.
  call.params.threshold = 254;
  REQUIRE(call.run().ok());
  for (std::uint8_t sample : call.memory[1])
    CHECK(sample == 140);
}

TEST_CASE("strokes: short ones are dropped inside") {
  // A light square: on what a thick brush has painted, strokes of a thin one end at its corners.
  GreyCall call;
  call.params.method = OilMethod::strokes;
  call.params.brush_thickest = 4, call.params.brush_thinnest = 2, call.params.threshold = 4;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      call.from(x, y) = x / 4 == 1 && y / 4 == 1 ? 220 : 100;
  const auto light_pixels = [&](int least_length) {
    call.params.least_length = least_length;
    REQUIRE(call.run().ok());
    int light = 0;
    for (std::uint8_t sample : call.memory[1])
      light += sample > 170 ? 1 : 0;
    return light;
  };
  const int with_short_ones = light_pixels(1), without = light_pixels(13);
  CHECK_MESSAGE(with_short_ones > without, with_short_ones, " and ", without);
}

TEST_CASE("strokes: the lighter one covers the darker one") {
  GreyCall call;
  call.params.method = OilMethod::strokes;
  call.params.brush_thickest = call.params.brush_thinnest = 2, call.params.least_length = 1;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      call.from(x, y) = x < 6 ? 40 : 200;
  REQUIRE(call.run().ok());
  // The edge is light: strokes begin at the first pixel of a cell and are blurred.
  CHECK(call.at(0, 5) == 40);
  CHECK(call.at(11, 5) == 200);
  CHECK(call.at(5, 5) > 40);
}

}  // namespace
}  // namespace coalesce::test
