// SPDX-License-Identifier: LGPL-2.1-or-later
// Errors of depths of the tests' scene, by the CPU back end: a table for docs/lab/multiview.md.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/thread_pool.h"
#include "multiview/multiview.h"
#include "picture/formats.h"
#include "tests/kernels/multiview/multiview_scene.h"

namespace coalesce::test {
namespace {

void run(const MultiviewScene &scene, MultiviewMethod method, int window, int min_count,
         ThreadPool *pool) {
  MultiviewParams params;
  params.method = method, params.window = window, params.min_count = min_count;
  params.nearest = MultiviewScene::kNearest, params.farthest = MultiviewScene::kFarthest;
  params.output = MultiviewDepth::floats;
  const auto count = static_cast<int>(scene.views.size());
  const auto width = static_cast<std::size_t>(scene.width);
  std::vector<MultiviewView> views;
  for (const MultiviewScene::View &of : scene.views) {
    MultiviewView view;
    std::memcpy(view.matrix, of.matrix, sizeof view.matrix);
    view.picture = {pixel_format("GRAY8"),
                    scene.width,
                    scene.height,
                    false,
                    {{of.picture.data(), scene.width, scene.height, width}}};
    views.push_back(view);
  }
  std::vector<float> depths(scene.depth.size());
  const Image out = {pixel_format("GRAY16_LE"),
                     2 * scene.width,
                     scene.height,
                     false,
                     {{reinterpret_cast<std::uint8_t *>(depths.data()), 4 * scene.width,
                       scene.height, 4 * width}}};
  std::vector<std::uint64_t> memory(
      multiview_scratch_bytes(params, count, scene.width, scene.height, false) / 8 + 32);
  auto *const scratch = reinterpret_cast<void *>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) + 255) & ~std::uintptr_t{255});
  const Status s =
      multiview(params, views.data(), count, 0, out, nullptr, Queue::cpu(pool), scratch);
  if (!s.ok()) std::printf("%s\n", s.message());
  const MultiviewErrors e = multiview_errors(scene, depths, params.depths, min_count);
  std::printf("| `%s` %dx%d | %d | %d | %.1f | %.2f | %.2f | %.3f |\n",
              method == MultiviewMethod::sad ? "sad" : "ncc", window, window, count, min_count,
              100 * e.known, 100 * e.bad, 100 * e.missed, e.error);
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  ThreadPool pool;
  std::printf("| way | views | min-count | known, %% | off, %% | missed, %% | error |\n");
  for (const int views : {3, 5, 9}) {
    const test::MultiviewScene scene(640, 360, views, 2);
    for (const auto method : {MultiviewMethod::sad, MultiviewMethod::ncc})
      for (const int window : {5, 9, 15})
        for (const int min_count : {1, 2, 3})
          if (min_count < views) test::run(scene, method, window, min_count, &pool);
  }
  return 0;
}
