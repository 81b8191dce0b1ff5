// SPDX-License-Identifier: LGPL-2.1-or-later
// Disparities of noise.
#include "stereo/stereo.h"

#include "bench/stereo/noise_pair.h"
#include "bench/support/scratch.h"

namespace coalesce::test {
namespace {

struct Work {
  StereoMethod method;
  int disparities, window = 9, paths = 8;
  bool checked = true;  // with the defaults; false: neither uniqueness nor the right picture
};
// By methods; then time against disparities, and against the window.
constexpr Work kWorks[] = {
    {StereoMethod::sad, 128},
    {StereoMethod::sad, 128, 9, 8, false},
    {StereoMethod::ncc, 128},
    {StereoMethod::census, 128},
    {StereoMethod::sgm, 128, 9, 4},
    {StereoMethod::sgm, 128, 9, 8},
    {StereoMethod::sgm, 128, 9, 4, false},
    {StereoMethod::sgm, 128, 9, 8, false},
    {StereoMethod::sad, 64},
    {StereoMethod::sad, 256},
    {StereoMethod::sgm, 64, 9, 8},
    {StereoMethod::sgm, 256, 9, 8},
    {StereoMethod::sad, 128, 3},
    {StereoMethod::sad, 128, 15},
    {StereoMethod::sad, 128, 21},
    {StereoMethod::ncc, 128, 21},
    {StereoMethod::census, 128, 21},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {640, 480}, {3840, 2160}};  // the last: GPU

std::string name_of(const Work &work) {
  static const char *const names[] = {"sad", "ncc", "census", "sgm"};
  const bool sgm = work.method == StereoMethod::sgm;
  return std::string("stereo ") + names[static_cast<int>(work.method)] + ", " +
         std::to_string(work.disparities) + " disparities, " +
         (sgm ? std::to_string(work.paths) + " paths"
              : std::to_string(work.window) + "x" + std::to_string(work.window)) +
         (work.checked ? "" : ", no checks");
}

StereoParams params_of(const Work &work) {
  StereoParams params;
  params.method = work.method;
  params.disparities = work.disparities;
  params.window = work.window;
  params.paths = work.paths;
  if (!work.checked) {
    params.uniqueness = 0, params.left_right = -1;
    params.median = params.speckle_size = 0;
  }
  return params;
}

void time_all(Bench &bench, const Backend &backend) {
  const PixelFormat grey = pixel_format("GRAY8"), words = pixel_format("GRAY16_LE");
  for (const FrameSize &size : kSizes) {
    const PictureBytes from = picture_bytes(grey, size), to = picture_bytes(words, size);
    for (const Work &work : kWorks) {
      if (size.width > 1920 && !backend.cuda) continue;
      if (!bench.wants(name_of(work), size.width, size.height)) continue;
      const StereoParams params = params_of(work);
      const Scratch scratch(
          stereo_scratch_bytes(params, size.width, size.height, backend.cuda) + 256, backend.cuda);
      auto *const memory = reinterpret_cast<void *>(
          (reinterpret_cast<std::uintptr_t>(scratch.data()) + 255) & ~std::uintptr_t{255});
      FrameWork frames = {name_of(work), size, 2 * from.all, to.all, 2 * from.useful + to.useful};
      frames.content = noise_pair(size);
      time_frames(bench, backend, frames, [&](const std::uint8_t *in, std::uint8_t *out) {
        return stereo(params, picture_at(in, grey, size), picture_at(in + from.all, grey, size),
                      picture_at(out, words, size), backend.queue(), memory);
      });
    }
  }
}

}  // namespace

BenchCase stereo_bench() {
  return {"stereo", time_all, {}};
}

}  // namespace coalesce::test
