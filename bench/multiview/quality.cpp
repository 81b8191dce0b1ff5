// SPDX-License-Identifier: LGPL-2.1-or-later
// Errors of depths by the CPU back end, as tables for docs/lab/multiview.md: of the tests' scene,
// or of a folder (scene_folder.h), which quality.py makes of public data.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

#include "core/thread_pool.h"
#include "multiview/multiview.h"
#include "picture/formats.h"
#include "scene_folder.h"

namespace coalesce::test {
namespace {

// off: candidates beyond which a depth is wrong.
void run(const MultiviewScene &scene, const MultiviewParams &params, double off, ThreadPool *pool) {
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
  if (!s.ok()) throw std::runtime_error(s.message());
  const MultiviewErrors e = multiview_errors(scene, depths, params, off);
  std::printf("| `%s` %dx%d | %d | %d | %.1f | %.2f | %.2f | %.3f |\n",
              params.method == MultiviewMethod::sad ? "sad" : "ncc", params.window, params.window,
              count, params.min_count, 100 * e.known, 100 * e.bad, 100 * e.missed, e.error);
}

void run_all(const MultiviewScene &scene, MultiviewParams params, double off, ThreadPool *pool) {
  params.output = MultiviewDepth::floats;
  for (const auto method : {MultiviewMethod::sad, MultiviewMethod::ncc})
    for (const int window : {5, 9, 15})
      for (const int min_count : {1, 2, 3}) {
        if (min_count >= static_cast<int>(scene.views.size())) continue;
        params.method = method, params.window = window, params.min_count = min_count;
        run(scene, params, off, pool);
      }
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce;
  if (argc != 1 && argc != 6) {
    std::fprintf(stderr,
                 "bench-multiview-quality [FOLDER NEAR FAR DEPTHS OFF]\n"
                 "FOLDER: with view0.pgm and so on, cameras.txt, and depths.raw as float32\n"
                 "NEAR, FAR, DEPTHS: as near, far and num-depths of the element\n"
                 "OFF: candidates beyond which a depth is wrong\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  ThreadPool pool;
  MultiviewParams params;
  params.nearest = test::MultiviewScene::kNearest,
  params.farthest = test::MultiviewScene::kFarthest;
  double off = 1;
  if (argc == 6) {
    params.nearest = std::atof(argv[2]), params.farthest = std::atof(argv[3]);
    params.depths = std::atoi(argv[4]), off = std::atof(argv[5]);
  }
  std::printf("| way | views | min-count | known, %% | off, %% | missed, %% | error |\n");
  try {
    for (const int views : {2, 3, 5, 9}) {
      const double step = (1 / params.nearest - 1 / params.farthest) / (params.depths - 1);
      const test::MultiviewScene scene = argc == 6 ? test::read_scene(argv[1], views, off * step)
                                                   : test::MultiviewScene(640, 360, views, 2);
      if (static_cast<int>(scene.views.size()) == views) test::run_all(scene, params, off, &pool);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
