// SPDX-License-Identifier: LGPL-2.1-or-later
// convert beside zimg, the library of FFmpeg's zscale, which knows nothing of this project: at most
// 1 apart, with the same sites. Where zimg was not found, the case is skipped.
#include "../../support/doctest.h"

#if __has_include(<zimg.h>)

#include <zimg.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "convert_reference.h"
#include "owned_picture.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 96, kHeight = 48, kAlignment = 64;

// A picture's components as zimg wants them: planes in aligned memory.
class ZimgPlanes {
 public:
  ZimgPlanes(const PixelFormat &format, int height) : format_(format) {
    for (int i = 0; i < 3; ++i) {
      memory_[i].resize(static_cast<std::size_t>(kStride * height + kAlignment));
      const auto address = reinterpret_cast<std::uintptr_t>(memory_[i].data());
      plane_[i] = memory_[i].data() + (kAlignment - address % kAlignment) % kAlignment;
    }
  }
  template <class Buffer>
  Buffer buffer() const {
    Buffer buffer = {};
    buffer.version = ZIMG_API_VERSION;
    for (int i = 0; i < 3; ++i) {
      buffer.plane[i].data = plane_[i];
      buffer.plane[i].stride = kStride;
      buffer.plane[i].mask = ZIMG_BUFFER_MAX;
    }
    return buffer;
  }
  // Rows first, first + step and so on of each component.
  void take(const Image &image, int first, int step) {
    for (int i = 0; i < 3; ++i) {
      const PixelComponent &c = format_.component[i];
      for (int y = first; y < image.of(c).height; y += step)
        for (int x = 0; x < image.width >> c.log2_width; ++x)
          put(i, x, y / step, sample_of(image, c, x, y));
    }
  }
  int at(int i, int x, int y) const {
    const std::uint8_t *row = plane_[i] + static_cast<std::ptrdiff_t>(y) * kStride;
    if (format_.component[i].bits == 8) return row[x];
    std::uint16_t sample;
    std::memcpy(&sample, row + static_cast<std::ptrdiff_t>(2) * x, 2);
    return sample;
  }

 private:
  static constexpr std::ptrdiff_t kStride = 2 * kWidth + kAlignment;

  void put(int i, int x, int y, int value) {
    std::uint8_t *row = plane_[i] + static_cast<std::ptrdiff_t>(y) * kStride;
    const auto sample = static_cast<std::uint16_t>(value);
    if (format_.component[i].bits == 8)
      row[x] = static_cast<std::uint8_t>(value);
    else
      std::memcpy(row + static_cast<std::ptrdiff_t>(2) * x, &sample, 2);
  }

  PixelFormat format_;
  std::vector<std::uint8_t> memory_[3];
  std::uint8_t *plane_[3];
};

zimg_chroma_location_e location(const ChromaSite &site) {
  if (site.v_cosited) return site.h_cosited ? ZIMG_CHROMA_TOP_LEFT : ZIMG_CHROMA_TOP;
  return site.h_cosited ? ZIMG_CHROMA_LEFT : ZIMG_CHROMA_CENTER;
}

zimg_image_format described(const PixelFormat &format, YuvMatrix matrix, SampleRange range,
                            const ChromaSite &site, int height, zimg_field_parity_e parity) {
  static const zimg_matrix_coefficients_e matrices[] = {ZIMG_MATRIX_BT470_BG, ZIMG_MATRIX_BT709,
                                                        ZIMG_MATRIX_BT2020_NCL, ZIMG_MATRIX_ST240_M,
                                                        ZIMG_MATRIX_FCC};
  zimg_image_format f;
  zimg_image_format_default(&f, ZIMG_API_VERSION);
  const bool rgb = format.has(Role::r);
  f.width = kWidth;
  f.height = static_cast<unsigned>(height);
  f.pixel_type = format.component[0].bits == 8 ? ZIMG_PIXEL_BYTE : ZIMG_PIXEL_WORD;
  f.subsample_w = format.component[1].log2_width;
  f.subsample_h = format.component[1].log2_height;
  f.color_family = rgb ? ZIMG_COLOR_RGB : ZIMG_COLOR_YUV;
  f.matrix_coefficients = rgb ? ZIMG_MATRIX_RGB : matrices[static_cast<int>(matrix)];
  f.depth = format.component[0].bits;
  f.pixel_range = range == SampleRange::full ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
  f.field_parity = parity;
  f.chroma_location = location(site);
  return f;
}

void run_zimg(const zimg_image_format &from, const zimg_image_format &to, const ZimgPlanes &in,
              const ZimgPlanes &out) {
  zimg_graph_builder_params params;
  zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
  params.resample_filter = params.resample_filter_uv = ZIMG_RESIZE_BILINEAR;
  const std::unique_ptr<zimg_filter_graph, decltype(&zimg_filter_graph_free)> graph(
      zimg_filter_graph_build(&from, &to, &params), zimg_filter_graph_free);
  char error[256] = "";
  zimg_get_last_error(error, sizeof error);
  REQUIRE_MESSAGE(graph != nullptr, error);
  std::size_t size = 0;
  REQUIRE(zimg_filter_graph_get_tmp_size(graph.get(), &size) == ZIMG_ERROR_SUCCESS);
  std::vector<std::uint8_t> memory(size + kAlignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto source = in.buffer<zimg_image_buffer_const>();
  const auto target = out.buffer<zimg_image_buffer>();
  REQUIRE(
      zimg_filter_graph_process(graph.get(), &source, &target,
                                memory.data() + (kAlignment - address % kAlignment) % kAlignment,
                                nullptr, nullptr, nullptr, nullptr) == ZIMG_ERROR_SUCCESS);
}

struct Pair {
  const char *from, *to;
};

// The largest difference, without `margin` columns and rows at the edges.
int compare(const ConvertParams &params, const Pair &pair, OwnedPicture *in, int margin,
            bool interlaced) {
  OwnedPicture out(pair.to, kWidth, kHeight, interlaced);
  REQUIRE(convert(params, in->image(), out.image(), Queue::cpu()).ok());
  const PixelFormat &from = in->image().format, &to = out.image().format;
  int furthest = 0;
  const int fields = interlaced ? 2 : 1;
  for (int field = 0; field < fields; ++field) {
    const zimg_field_parity_e parity = !interlaced  ? ZIMG_FIELD_PROGRESSIVE
                                       : field == 0 ? ZIMG_FIELD_TOP
                                                    : ZIMG_FIELD_BOTTOM;
    const int height = kHeight / fields;
    ZimgPlanes source(from, height), target(to, height);
    source.take(in->image(), field, fields);
    run_zimg(described(from, params.matrix, params.in_range, params.in_site, height, parity),
             described(to, params.matrix, params.out_range, params.out_site, height, parity),
             source, target);
    for (int i = 0; i < 3; ++i) {
      const PixelComponent &c = to.component[i];
      const int columns = kWidth >> c.log2_width, rows = height >> c.log2_height;
      for (int y = margin; y < rows - margin; ++y)
        for (int x = margin; x < columns - margin; ++x)
          furthest = std::max(furthest, std::abs(target.at(i, x, y) -
                                                 sample_of(out.image(), c, x, y * fields + field)));
    }
  }
  return furthest;
}

ConvertParams random_params(Random &random) {
  ConvertParams params;
  params.matrix = static_cast<YuvMatrix>(random.below(5));
  params.in_range = static_cast<SampleRange>(random.below(2));
  params.out_range = static_cast<SampleRange>(random.below(2));
  params.in_site = {random.below(2) == 0, random.below(2) == 0};
  params.out_site = {random.below(2) == 0, random.below(2) == 0};
  return params;
}

// Where chroma is interpolated, or left as it is: noise.
TEST_CASE("noise") {
  Random random = random_of_run(1);
  const Pair pairs[] = {
      {"I420", "RGBP"},          {"Y42B", "GBR"},           {"Y444", "RGBP"},
      {"I420_10LE", "RGBP"},     {"I422_10LE", "GBR_10LE"}, {"I420_10LE", "GBR_10LE"},
      {"I420_12LE", "GBR_12LE"}, {"Y444_12LE", "GBR"},      {"RGBP", "Y444"},
      {"GBR_10LE", "Y444_10LE"}, {"RGBP", "Y444_10LE"},     {"GBR_10LE", "Y444"},
      {"I420", "Y444"},          {"I420", "I420_10LE"},     {"I422_10LE", "Y42B"},
      {"I420_10LE", "I420"},     {"Y444", "Y444_12LE"}};
  int furthest = 0;
  for (const Pair &pair : pairs) {
    for (int i = 0; i < 40; ++i) {
      ConvertParams params = random_params(random);
      if (!pixel_format(pair.to).has(Role::r)) params.out_site = params.in_site;
      const bool interlaced = i % 2 == 1;
      // (Cosited chroma of fields is elsewhere in zimg: we have it on rows of its own field.)
      if (interlaced) params.in_site.v_cosited = params.out_site.v_cosited = false;
      OwnedPicture in(pair.from, kWidth, kHeight, interlaced);
      in.fill(random);
      const int apart = compare(params, pair, &in, 0, interlaced);
      CHECK_MESSAGE(apart <= 1, pair.from, " to ", pair.to, ", ", text(params),
                    interlaced ? ", interlaced: " : ": ", apart);
      furthest = std::max(furthest, apart);
    }
  }
  std::printf("zimg: off by %d at most\n", furthest);
}

// Where there is less of it, zimg's filter is wider: slopes, on which any filter of the same site
// gives the same.
TEST_CASE("slopes") {
  Random random = random_of_run(2);
  const Pair pairs[] = {{"RGBP", "I420"},      {"RGBP", "Y42B"},      {"GBR_10LE", "I420_10LE"},
                        {"Y444", "I420"},      {"I422_10LE", "I420"}, {"Y42B", "I420"},
                        {"I420", "I420_10LE"}, {"Y42B", "Y42B"}};
  for (const Pair &pair : pairs) {
    for (int i = 0; i < 40; ++i) {
      const ConvertParams params = random_params(random);
      OwnedPicture in(pair.from, kWidth, kHeight);
      const int across = random.between(-4, 4), down = random.between(-4, 4);
      const PixelFormat &format = in.image().format;
      for (int c = 0; c < 3; ++c) {
        const PixelComponent &component = format.component[c];
        const int unit = 1 << (component.bits - 8);
        const int step_x = across << component.log2_width, step_y = down << component.log2_height;
        for (int y = 0; y < kHeight >> component.log2_height; ++y)
          for (int x = 0; x < kWidth >> component.log2_width; ++x) {
            const int slope = step_x * (x - (kWidth >> component.log2_width) / 2) +
                              step_y * (y - (kHeight >> component.log2_height) / 2);
            const auto value = static_cast<std::uint16_t>(unit * (128 + slope / 4));
            std::uint8_t *row = in.image().of(component).row(y);
            std::memcpy(row + x * container_bytes(component.container), &value,
                        static_cast<std::size_t>(container_bytes(component.container)));
          }
      }
      const int apart = compare(params, pair, &in, 3, false);
      CHECK_MESSAGE(apart <= (format.component[0].bits > 8 ? 4 : 1), pair.from, " to ", pair.to,
                    ", ", text(params), ": ", apart);
    }
  }
}

}  // namespace
}  // namespace coalesce::test

#else

TEST_CASE("zimg") {
  coalesce::test::skip("zimg.h was not found");
}

#endif
