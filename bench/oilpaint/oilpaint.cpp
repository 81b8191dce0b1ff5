// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint/oilpaint.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "convert/convert.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Work {
  const char *name;
  OilpaintParams params;
  bool kept = false;  // strokes
};
constexpr Work kWorks[] = {
    {"strokes", {.method = OilMethod::strokes}},
    {"strokes kept", {.method = OilMethod::strokes}, true},
    {"kuwahara radius 6", {.method = OilMethod::kuwahara, .kuwahara_radius = 6}},
    {"mode radius 5", {.method = OilMethod::mode, .mode_radius = 5}},
    {"mode radius 15", {.method = OilMethod::mode, .mode_radius = 15}},
};
constexpr const char *kFormats[] = {"RGB", "NV12"};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

// Without strokes.
Scratch empty_state(const OilpaintParams &params, const ConstImage &image, bool on_cuda) {
  const std::size_t bytes = oilpaint_state_bytes(params, image);
  Scratch state(bytes, on_cuda);
  const std::vector<std::uint8_t> zeros(bytes);
  if (on_cuda && bytes > 0) state.device()->upload(zeros.data());
  return state;
}

// The photograph, if there is one; its rows are as picture_at() has them.
std::vector<std::uint8_t> photograph(const Bench &bench, const PixelFormat &format,
                                     FrameSize size) {
  if (!bench.has_picture()) return {};
  const std::vector<std::uint8_t> planes = bench.picture(size.width, size.height);
  const std::size_t plane = planes.size() / 3;
  const auto pitch = static_cast<std::size_t>(size.width);
  ConstImage from = {pixel_format("RGBP"), size.width, size.height, false, {}};
  for (std::size_t p = 0; p < 3; ++p)
    from.plane[p] = {planes.data() + p * plane, size.width, size.height, pitch};
  std::vector<std::uint8_t> bytes(picture_bytes(format, size).all);
  const Status s = convert({}, from, picture_at(bytes.data(), format, size), Queue::cpu());
  if (!s.ok()) throw std::runtime_error(s.message());
  return bytes;
}

void time_one(Bench &bench, const Backend &backend, const Work &work, const char *name,
              FrameSize size) {
  const PixelFormat format = pixel_format(name);
  const PictureBytes bytes = picture_bytes(format, size);
  const std::uint8_t *none = nullptr;
  const Scratch scratch(oilpaint_scratch_bytes(work.params, picture_at(none, format, size)),
                        backend.cuda);
  OilpaintParams params = work.params;
  const Scratch state = empty_state(params, picture_at(none, format, size), backend.cuda);
  if (work.kept) params.state = state.data(), params.state_is_new = false;
  time_frames(bench, backend,
              {std::string("oilpaint ") + work.name + " " + name +
                   (bench.has_picture() ? ", photograph" : ""),
               size, bytes.all, bytes.all, 2 * bytes.useful, true, photograph(bench, format, size)},
              [&](const std::uint8_t *in, std::uint8_t *out) {
                return oilpaint(params, picture_at(in, format, size), picture_at(out, format, size),
                                backend.queue(), scratch.data());
              });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks)
      for (const char *format : kFormats)
        time_one(bench, backend, work, format, size);
}

}  // namespace

BenchCase oilpaint_bench() {
  return {"oilpaint", time_all, {}};
}

}  // namespace coalesce::test
