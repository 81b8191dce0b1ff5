// SPDX-License-Identifier: LGPL-2.1-or-later
// Depths of the tests' scene. All pictures are in one buffer, behind each other.
#include "multiview/multiview.h"

#include <algorithm>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"
#include "tests/kernels/multiview/multiview_scene.h"

namespace coalesce::test {
namespace {

struct Work {
  MultiviewMethod method;
  int views = 5, depths = 128, window = 9;
};
// Both methods; then time against views, candidates, and the window.
constexpr Work kWorks[] = {
    {MultiviewMethod::sad},
    {MultiviewMethod::ncc},
    {MultiviewMethod::sad, 2},
    {MultiviewMethod::sad, 3},
    {MultiviewMethod::sad, 9},
    {MultiviewMethod::sad, 5, 32},
    {MultiviewMethod::sad, 5, 64},
    {MultiviewMethod::sad, 5, 256},
    {MultiviewMethod::sad, 5, 128, 3},
    {MultiviewMethod::sad, 5, 128, 15},
    {MultiviewMethod::sad, 5, 128, 21},
    {MultiviewMethod::ncc, 5, 128, 3},
    {MultiviewMethod::ncc, 5, 128, 21},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {640, 480}, {3840, 2160}};  // the last: GPU

std::string name_of(const Work &work) {
  return std::string("multiview ") + (work.method == MultiviewMethod::sad ? "sad" : "ncc") + ", " +
         std::to_string(work.views) + " views, " + std::to_string(work.depths) + " depths, " +
         std::to_string(work.window) + "x" + std::to_string(work.window);
}

MultiviewParams params_of(const Work &work) {
  MultiviewParams params;
  params.method = work.method;
  params.depths = work.depths;
  params.window = work.window;
  params.nearest = MultiviewScene::kNearest, params.farthest = MultiviewScene::kFarthest;
  params.min_count = std::min(2, work.views - 1);
  return params;
}

void time_work(Bench &bench, const Backend &backend, const Work &work, FrameSize size) {
  const PixelFormat grey = pixel_format("GRAY8"), words = pixel_format("GRAY16_LE");
  const PictureBytes from = picture_bytes(grey, size), to = picture_bytes(words, size);
  const MultiviewScene scene(size.width, size.height, work.views, 2);
  const auto count = static_cast<std::size_t>(work.views);
  FrameWork frames = {name_of(work), size, count * from.all, to.all,
                      count * from.useful + to.useful};
  frames.content.resize(frames.in_bytes);
  std::vector<MultiviewView> views(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(&scene.views[i].matrix[0][0], 12, &views[i].matrix[0][0]);
    const Image picture = picture_at(frames.content.data() + i * from.all, grey, size);
    for (int y = 0; y < size.height; ++y)
      std::copy_n(scene.views[i].picture.data() +
                      static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width),
                  size.width, picture.plane[0].row(y));
  }
  const MultiviewParams params = params_of(work);
  const Scratch scratch(
      multiview_scratch_bytes(params, work.views, size.width, size.height, backend.cuda) + 256,
      backend.cuda);
  auto *const memory = reinterpret_cast<void *>(
      (reinterpret_cast<std::uintptr_t>(scratch.data()) + 255) & ~std::uintptr_t{255});
  time_frames(bench, backend, frames, [&](const std::uint8_t *in, std::uint8_t *out) {
    for (std::size_t i = 0; i < count; ++i)
      views[i].picture = picture_at(in + i * from.all, grey, size);
    return multiview(params, views.data(), work.views, 0, picture_at(out, words, size), nullptr,
                     backend.queue(), memory);
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks)
      if ((size.width <= 1920 || backend.cuda) &&
          bench.wants(name_of(work), size.width, size.height))
        time_work(bench, backend, work, size);
}

}  // namespace

BenchCase multiview_bench() {
  return {"multiview", time_all, {}};
}

}  // namespace coalesce::test
