// SPDX-License-Identifier: LGPL-2.1-or-later
// One run makes both pictures of a frame: three frames are read, two pictures written.
#include "deinterlace/deinterlace.h"

#include <span>
#include <utility>

#include "bench/support/frames.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kFramesIn = 3, kPicturesOut = 2;

struct Work {
  const char *method, *format;
  DeinterlaceMethod value;
};
using Method = DeinterlaceMethod;
// What cards and decoders deliver, by the two methods with goals; the others of one format.
constexpr Work kWorks[] = {
    {"bwdif", "NV12", Method::bwdif},      {"bwdif", "P010_10LE", Method::bwdif},
    {"bwdif", "UYVY", Method::bwdif},      {"bwdif", "v210", Method::bwdif},
    {"bwdif", "I420", Method::bwdif},      {"bwdif", "RGB", Method::bwdif},
    {"bwdif", "I422_10LE", Method::bwdif}, {"yadif", "NV12", Method::yadif},
    {"yadif", "P010_10LE", Method::yadif}, {"yadif", "UYVY", Method::yadif},
    {"yadif", "v210", Method::yadif},      {"yadif", "I420", Method::yadif},
    {"yadif", "RGB", Method::yadif},       {"w3fdif", "NV12", Method::w3fdif},
    {"best", "NV12", Method::best},        {"best", "v210", Method::best},
    {"best", "RGB", Method::best},         {"ela", "NV12", Method::ela},
    {"linear", "NV12", Method::linear},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};
// What was published of other deinterlacers: docs/record.md.
constexpr std::pair<Work, FrameSize> kPublished[] = {
    {{"ela", "GRAY8", Method::ela}, {640, 480}},
    {{"yadif", "UYVY", Method::yadif}, {720, 480}},
    {{"yadif", "UYVY", Method::yadif}, {720, 576}},
};

void time_work(Bench &bench, const Backend &backend, const Work &work, FrameSize size) {
  const PixelFormat format = pixel_format(work.format);
  const PictureBytes picture = picture_bytes(format, size);
  const FrameWork frames = {std::string("deinterlace ") + work.method + " " + work.format, size,
                            kFramesIn * picture.all, kPicturesOut * picture.all,
                            (kFramesIn + kPicturesOut) * picture.useful};
  const DeinterlaceParams params = {.method = work.value};
  time_frames(bench, backend, frames, [&](const std::uint8_t *from, std::uint8_t *to) {
    const auto in = [&](int i) {
      return picture_at(from + static_cast<std::size_t>(i) * picture.all, format, size, true);
    };
    const auto out = [&](int i) {
      return picture_at(to + static_cast<std::size_t>(i) * picture.all, format, size);
    };
    const FieldPicture pictures[] = {{out(0), 0, false, false}, {out(1), 1, true, false}};
    return deinterlace(params, in(0), in(1), in(2), pictures, 2, backend.queue());
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks)
      time_work(bench, backend, work, size);
  for (const auto &[work, size] : kPublished)
    time_work(bench, backend, work, size);
}

}  // namespace

BenchCase deinterlace_bench() {
  return {"deinterlace", time_all, {}};
}

}  // namespace coalesce::test
