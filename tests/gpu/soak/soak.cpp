// SPDX-License-Identifier: LGPL-2.1-or-later
// soak [FRAMES]: ten pipelines at once in one process, that many frames in all, with seeks and
// new sizes in between. No error, the right bytes after each seek and at the end, and neither the
// host's nor the device's memory grows.
#include <random>

#include "../../support/random.h"
#include "soak_run.h"
#include "soak_support.h"

using namespace soak;

namespace {

constexpr int kPipelines = 2 * kKinds, kFramesOfRound = 40;

// One pipeline's share of all frames: rounds of a seek, often a new size, and some frames.
void run_share(Line &line, unsigned seed, Progress *progress) {
  std::mt19937 random(static_cast<unsigned>(coalesce::test::seed_of_run(seed)));
  long frames = 0;
  while (!progress->complete()) {
    const Place place{random() % kSizes.size(), random() % kPositions.size()};
    line.go_to(place);
    for (int i = 0; i < kFramesOfRound; i++) {
      const Picture picture = line.pull();
      if (i == 0) line.check(picture, place);
      progress->count(frames++ == 0);
    }
  }
  line.go_to({0, 1});
  line.check(line.pull(), {0, 1});
}

}  // namespace

int main(int argc, char **argv) {
  return run(argc, argv,
             {kPipelines, 4000, 3 * kPipelines * kFramesOfRound, 64, [] {},
              [](int i, const Device &device, Progress *progress) {
                // Half of them share a context, the others make their own.
                Line line(i % kKinds, "cuda", i % 2 ? device.context() : nullptr);
                run_share(line, unsigned(i), progress);
              }});
}
