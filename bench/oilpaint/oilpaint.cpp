// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint/oilpaint.h"

#include <string>
#include <vector>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
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
              {std::string("oilpaint ") + work.name + " " + name, size, bytes.all, bytes.all,
               2 * bytes.useful},
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
