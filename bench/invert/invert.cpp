// SPDX-License-Identifier: LGPL-2.1-or-later
#include "invert/invert.h"

#include "bench/support/frames.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// (Widths and heights are even.)
template <class Image, class Byte>
Image nv12_at(Byte *data, FrameSize size) {
  const std::size_t pitch = padded(static_cast<std::size_t>(size.width));
  Image image = {pixel_format("NV12"), size.width, size.height, false, {}};
  image.plane[0] = {data, size.width, size.height, pitch};
  image.plane[1] = {image.plane[0].row(size.height), size.width, size.height / 2, pitch};
  return image;
}

void time_size(Bench &bench, const Backend &backend, FrameSize size) {
  const auto width = static_cast<std::size_t>(size.width);
  const auto rows = static_cast<std::size_t>(size.height) / 2 * 3;
  time_frames(bench, backend,
              {"invert NV12", size, padded(width) * rows, padded(width) * rows, 2 * width * rows},
              [&](const std::uint8_t *in, std::uint8_t *out) {
                return invert(nv12_at<ConstImage>(in, size), nv12_at<Image>(out, size),
                              backend.queue());
              });
}

void time_all(Bench &bench, const Backend &backend) {
  if (backend.cuda)
    for (const FrameSize &size : kCudaSizes)
      time_size(bench, backend, size);
  else
    for (const FrameSize &size : kCpuSizes)
      time_size(bench, backend, size);
}

}  // namespace

BenchCase invert_bench() {
  return {"invert", time_all};
}

}  // namespace coalesce::test
