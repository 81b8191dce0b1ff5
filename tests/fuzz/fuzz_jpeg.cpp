// SPDX-License-Identifier: LGPL-2.1-or-later
// The JPEG decoder: whatever it is given is refused, or becomes the picture that libjpeg shows
// (where it is there). The first byte is the output, the others are the file.
#include <algorithm>
#include <vector>

#include "../kernels/jpeg/libjpeg_judge.h"
#include "fuzz.h"
#include "jpeg/decoder/decoder.h"
#include "jpeg/decoder/output.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kFewPixels = 1 << 14;  // so that one input takes milliseconds

// What libjpeg does otherwise on purpose: other codings, pictures that are too large, and very many
// scans.
bool is_judged(const Status &refusal, const jpeg::Frame &frame) {
  const std::string text = refusal.message();
  return have_libjpeg() && refusal.code() == StatusCode::invalid_argument &&
         text != "jpeg: too many scans" && std::int64_t{frame.width} * frame.height <= kFewPixels;
}

struct Picture {
  std::vector<Bytes> planes;
  Image image;

  explicit Picture(const jpeg::Frame &frame, const PixelFormat &format) {
    image.format = format;
    image.width = frame.width;
    image.height = frame.height;
    for (int p = 0; p < format.planes; ++p) {
      const auto bytes = static_cast<std::size_t>(row_bytes(format, p, frame.width));
      const int rows = plane_rows(format, p, frame.height);
      planes.emplace_back(bytes * static_cast<std::size_t>(rows), std::uint8_t{0x55});
      image.plane[p] = {planes.back().data(), static_cast<int>(bytes), rows, bytes};
    }
  }
};

void compare(const LibjpegPicture &judge, const Picture &picture) {
  const PixelFormat &format = picture.image.format;
  const bool is_rgb = format.has(Role::r);
  for (std::size_t p = 0; p < judge.planes.size(); ++p) {
    const LibjpegSamples &from = judge.planes[p];
    const PixelComponent &k = format.component[is_rgb ? 0 : p];
    const int step = is_rgb ? 1 : k.step, row = (is_rgb ? 3 : 1) * from.width;
    for (int y = 0; y < from.height; ++y)
      for (int x = 0; x < row; ++x) {
        const int ours = picture.image.of(k).row(y)[(is_rgb ? 0 : k.first) + x * step];
        const int theirs =
            from.samples[static_cast<std::size_t>(y) * static_cast<std::size_t>(row) +
                         static_cast<std::size_t>(x)];
        DEMAND(ours == theirs, "plane %zu, row %d, sample %d: %d, and libjpeg has %d", p, y, x,
               ours, theirs);
      }
  }
}

void decode(const Bytes &file, unsigned kind) {
  jpeg::DecodeParams params;
  params.max_pixels = kFewPixels;
  params.fancy_upsampling = (kind & 1) == 0;
  jpeg::HeaderReader header(file.data(), file.size());
  const Status read = header.first_scan(kFewPixels);
  jpeg::Decoder decoder(params);
  DEMAND(decoder.read(file.data(), file.size()).ok() == read.ok(), "two opinions of a header");
  const jpeg::Frame &frame = header.frame();
  if (!read.ok()) {
    if (is_judged(read, frame))
      DEMAND(!libjpeg_planes(file).error.empty(), "libjpeg does not refuse it: %s", read.message());
    return;
  }
  DEMAND(
      frame.width > 0 && frame.height > 0 && std::int64_t{frame.width} * frame.height <= kFewPixels,
      "%d x %d", frame.width, frame.height);
  DEMAND(frame.orientation >= 1 && frame.orientation <= 8, "orientation %d", frame.orientation);
  const bool as_coded = (kind & 2) != 0 && jpeg::coded_format(frame).planes != 0;
  Picture picture(frame, as_coded ? jpeg::coded_format(frame) : pixel_format("RGB"));
  const char *broken = nullptr;
  const Status status = decoder.decode(picture.image, &broken);
  if (!have_libjpeg() ||
      (!status.ok() && !is_judged(status, frame) && status.code() != StatusCode::unsupported))
    return;
  const LibjpegPicture judge =
      as_coded ? libjpeg_planes(file) : libjpeg_rgb(file, params.fancy_upsampling);
  if (status.code() == StatusCode::unsupported && judge.error.empty()) return;
  DEMAND(status.ok() == judge.error.empty(), "%s, and libjpeg: %s", status.message(),
         judge.error.c_str());
  if (status.ok()) compare(judge, picture);
}

}  // namespace
}  // namespace coalesce::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce::test;
  if (size == 0) return 0;
  // Memory of its own, with nothing behind the last byte.
  const std::vector<std::uint8_t> file(data + 1, data + size);
  decode(file, data[0]);
  return 0;
}
