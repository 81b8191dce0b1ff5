// SPDX-License-Identifier: LGPL-2.1-or-later
// What is refused, limits of bytes, and what a file's header says. Whole files are compared by the
// check tool's case jpeg-encoder.
#include <memory>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "../refused.h"
#include "jpeg/encoder/cuda_encoder.h"
#include "jpeg/encoder/encoder.h"
#include "jpeg/encoder/quality_search.h"
#include "jpeg/plan/coding_plan.h"
#include "jpeg_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using namespace jpeg;  // NOLINT

using Bytes = std::vector<std::uint8_t>;

constexpr int kWidth = 70, kHeight = 45;

EncoderParams params_of(const char *format) {
  EncoderParams params;
  params.format = pixel_format(format);
  params.width = kWidth;
  params.height = kHeight;
  return params;
}

// RGB with noise.
struct Picture {
  Bytes pixels;
  ConstImage image;

  explicit Picture(std::uint64_t seed = 1) {
    Random random(seed);
    for (int i = 0; i < 3 * kWidth * kHeight; ++i)
      pixels.push_back(static_cast<std::uint8_t>(i / 41 + random.below(60)));
    image = {pixel_format("RGB"),
             kWidth,
             kHeight,
             false,
             {{pixels.data(), 3 * kWidth, kHeight, 3 * kWidth}}};
  }
};

struct Call {
  EncoderParams params = params_of("RGB");
  Picture picture;
  ConstImage image = picture.image;

  Status run() const {
    std::unique_ptr<Encoder> encoder;
    if (Status s = Encoder::make(params, &encoder); !s.ok()) return s;
    Bytes file = {1, 2, 3};
    const Status s = encoder->encode(image, &file);
    CHECK((s.ok() || file == Bytes{1, 2, 3}));
    return s;
  }
};

void refused(const char *what, void (*spoil)(Call &call)) {
  expect_refused<Call>(what, spoil);
}

TEST_CASE("parameters that are refused") {
  refused("quality", [](Call &c) { c.params.quality = 0; });
  refused("quality", [](Call &c) { c.params.quality = 101; });
  refused("65500", [](Call &c) { c.params.width = 65501; });
  refused("65500", [](Call &c) { c.params.height = 0; });
  refused("of 8 bits", [](Call &c) { c.params.format = {}; });
  refused("of 8 bits", [](Call &c) { c.params.format = pixel_format("P010_10LE"); });
  refused("of 8 bits", [](Call &c) { c.params.format = pixel_format("RGB10A2_LE"); });
  refused("restart-interval", [](Call &c) { c.params.restart_interval = -1; });
  refused("restart-interval", [](Call &c) { c.params.restart_interval = 65536; });
  refused("density", [](Call &c) { c.params.density_x = 0; });
  refused("density", [](Call &c) { c.params.density_y = 65536; });
  refused("steps", [](Call &c) { c.params.luma_table = QuantTable{}; });
  refused("steps", [](Call &c) {
    c.params.chroma_table = kChromaQuantTable;
    (*c.params.chroma_table)[63] = 256;
  });
  refused("kept as RGB", [](Call &c) {
    c.params.keep_rgb = true;
    c.params.subsampling = Subsampling::s420;
  });
  refused("subsampling is", [](Call &c) { c.params.subsampling = static_cast<Subsampling>(4); });
  refused("requires RGB", [](Call &c) {
    c.params.format = pixel_format("I420");
    c.params.keep_rgb = true;
  });
  refused("that it has", [](Call &c) {
    c.params.format = pixel_format("NV12");
    c.params.subsampling = Subsampling::s444;
  });
}

TEST_CASE("pictures that are refused") {
  refused("another format or size", [](Call &c) { c.params.width = kWidth - 1; });
  refused("another format or size", [](Call &c) { c.params.format = pixel_format("BGR"); });
  refused("no data", [](Call &c) { c.image.plane[0].data = nullptr; });
  refused("empty", [](Call &c) { c.image.height = 0; });
}

TEST_CASE("a picture that is too large for the best tables") {
  EncoderParams params = params_of("I420");
  params.width = params.height = 30000;
  CHECK(check_params(params).ok());
  params.optimize = true;
  CHECK(check_params(params).code() == StatusCode::unsupported);
  params.width = 10000;
  CHECK(check_params(params).ok());
}

TEST_CASE("YUV may be given the subsampling that it has") {
  const struct {
    const char *format;
    Subsampling subsampling;
  } kOwn[] = {{"NV12", Subsampling::s420},
              {"UYVY", Subsampling::s422},
              {"AYUV", Subsampling::s444},
              {"GRAY8", Subsampling::s420}};
  for (const auto &own : kOwn) {
    EncoderParams params = params_of(own.format);
    params.subsampling = own.subsampling;
    CHECK(check_params(params).ok());
  }
}

TEST_CASE("CUDA: what is refused before a GPU is looked for") {
  std::unique_ptr<CudaEncoder> encoder;
  EncoderParams params = params_of("RGB");
  CHECK(CudaEncoder::make(params, 0, &encoder).code() == StatusCode::invalid_argument);
  params.quality = 0;
  std::size_t bytes = 0;
  CHECK(CudaEncoder::make(params, 1, &encoder).code() == StatusCode::invalid_argument);
  CHECK(CudaEncoder::slot_memory(params, &bytes).code() == StatusCode::invalid_argument);
}

TEST_CASE("the search for a quality: bisection") {
  for (const int most : {1, 2, 50, 100})
    for (int fits = 0; fits <= most; ++fits) {
      QualitySearch search(most);
      int steps = 0;
      while (!search.is_over()) {
        search.tried(search.next() <= fits);
        ++steps;
      }
      CHECK(search.best() == fits);
      CHECK(steps <= 8);
    }
}

std::size_t bytes_of(Encoder &encoder, const Picture &picture, Bytes *file = nullptr) {
  Bytes own;
  Bytes *to = file == nullptr ? &own : file;
  REQUIRE(encoder.encode(picture.image, to).ok());
  return to->size();
}

TEST_CASE("a limit of bytes: never over, and the next quality would be") {
  const Picture picture;
  for (const bool optimize : {false, true}) {
    EncoderParams params = params_of("RGB");
    params.optimize = optimize;
    params.quality = 95;
    const auto with_quality = [&](int quality) {
      EncoderParams plain = params;
      plain.max_bytes = 0;
      plain.quality = quality;
      return jpeg_reference(plain, picture.image);
    };
    const std::size_t least = with_quality(1).size(), most = with_quality(95).size();
    std::unique_ptr<Encoder> encoder;
    params.max_bytes = most;
    REQUIRE(Encoder::make(params, &encoder).ok());
    for (std::size_t limit : {least, least + 1, (least + most) / 3, most - 1, most, 10 * most}) {
      REQUIRE(encoder->set_max_bytes(limit).ok());
      Bytes file;
      bytes_of(*encoder, picture, &file);
      CHECK(file.size() <= limit);
      CHECK(file == with_quality(encoder->quality()));
      if (encoder->quality() < 95) CHECK(with_quality(encoder->quality() + 1).size() > limit);
    }
    CHECK(encoder->quality() == 95);
    REQUIRE(encoder->set_max_bytes(least - 1).ok());
    Bytes file = {5};
    const Status s = encoder->encode(picture.image, &file);
    CHECK(std::strstr(s.message(), "max-bytes") != nullptr);
    CHECK(file == Bytes{5});
    CHECK(!encoder->set_max_bytes(0).ok());
  }
}

TEST_CASE("another quality from the next picture on") {
  const Picture one(1), two(2);
  EncoderParams params = params_of("RGB");
  std::unique_ptr<Encoder> encoder;
  REQUIRE(Encoder::make(params, &encoder).ok());
  for (const int quality : {20, 95, 50}) {
    REQUIRE(encoder->set_quality(quality).ok());
    params.quality = quality;
    for (const Picture *picture : {&one, &two}) {
      Bytes file;
      bytes_of(*encoder, *picture, &file);
      CHECK(file == jpeg_reference(params, picture->image));
    }
  }
  CHECK(!encoder->set_quality(0).ok());
  CHECK(!encoder->set_max_bytes(1000).ok());
  CHECK(encoder->quality() == 50);
}

TEST_CASE("blocks beyond the picture repeat the DC before them") {
  EncoderParams params = params_of("NV12");
  params.width = 17, params.height = 9;  // 3 by 2 blocks of luma in 2 by 1 MCUs
  const CodingPlan plan = make_plan(params);
  CHECK((plan.mcus_x == 2 && plan.mcus_y == 1 && plan.blocks_of_mcu == 6));
  const CodedComponent &luma = plan.component[0];
  const BlockSource right = luma.source(1, 0, 1, 1);
  CHECK((right.x == 2 && right.y == 1 && !right.has_ac));
  const BlockSource inside = luma.source(1, 0, 0, 1);
  CHECK((inside.x == 2 && inside.y == 1 && inside.has_ac));
  params.height = 8;
  const BlockSource below = make_plan(params).component[0].source(0, 0, 0, 1);
  CHECK((below.x == 1 && below.y == 0 && !below.has_ac));
}

}  // namespace
}  // namespace coalesce::test
