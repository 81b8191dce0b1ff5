// SPDX-License-Identifier: LGPL-2.1-or-later
// soak-stereo [PAIRS]: four stereodisparity at once in one process, that many pairs in all, in
// either memory, with other settings, sizes, lost frames of one camera and restarts all the time.
// Every picture is the CPU's, and neither the host's nor the device's memory grows.
#include <map>
#include <mutex>
#include <random>
#include <sstream>

#include "../../support/random.h"
#include "../support/stereo_side.h"
#include "soak_run.h"

using namespace gpu_test;

namespace {

constexpr int kPipelines = 4, kPairsOfRound = 20;
constexpr unsigned kPairs = 3;  // that differ

const char *const kSettings[] = {
    "method=sad num-disparities=16 output=disparity",
    "method=sgm num-disparities=64 output=disparity",
    "method=census num-disparities=32 output=turbo",
    "method=ncc num-disparities=16 output=depth",
};
constexpr int kAll = int(std::size(kSettings));
const Size kSizes[] = {{64, 48}, {162, 122}};
const char *const kAlways = "focal-length=500 baseline=100 ";

const StereoFrames &frames(std::size_t size, unsigned n) {
  static std::mutex lock;
  static std::map<std::pair<std::size_t, unsigned>, StereoFrames> known;
  const std::lock_guard guard(lock);
  auto found = known.find({size, n});
  if (found == known.end())
    found = known
                .emplace(std::pair{size, n},
                         StereoFrames(video_info(GST_VIDEO_FORMAT_GRAY8, kSizes[size].width,
                                                 kSizes[size].height),
                                      n + 1))
                .first;
  return found->second;
}

const Bytes &expected(int setting, std::size_t size, unsigned n) {
  static std::mutex lock;
  static std::map<std::tuple<int, std::size_t, unsigned>, Bytes> known;
  const StereoFrames &pair = frames(size, n);
  const std::lock_guard guard(lock);
  Bytes &bytes = known[{setting, size, n}];
  if (bytes.empty()) {
    StereoSide cpu("GRAY8", kSizes[size], kAlways + std::string(kSettings[setting]), "cpu", {});
    cpu.push(pair);
    bytes = cpu.pull();
  }
  return bytes;
}

void change(const StereoSide &side, const char *settings) {
  std::istringstream words(settings);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    gst_util_set_object_arg(G_OBJECT(side.d()), word.substr(0, equals).c_str(),
                            word.substr(equals + 1).c_str());
  }
}

// A pipeline has one size and one mix of memories, and all settings in turn.
void run_share(int pipeline, soak::Progress *progress) {
  const auto size = static_cast<std::size_t>(pipeline % 2);
  const bool cuda = pipeline / 2 % 2 == 0;
  std::mt19937 random(static_cast<unsigned>(coalesce::test::seed_of_run(unsigned(pipeline))));
  StereoSide side("GRAY8", kSizes[size], kAlways, "cuda", {cuda, pipeline % 2 == 0, cuda});
  for (int round = pipeline; !progress->complete(); round++) {
    const int setting = round % kAll;
    change(side, kSettings[setting]);
    for (int i = 0; i < kPairsOfRound; i++) {
      const unsigned n = random() % kPairs, fate = random() % 16;
      if (fate < 2) side.push(frames(size, n), fate == 0 ? 'l' : 'r');
      side.push(frames(size, n));
      if (side.pull() != expected(setting, size, n)) soak::give_up("wrong bytes");
      progress->count(round == pipeline && i == 0);
    }
    if (random() % 16 == 0) side.restart();
  }
  side.end();
}

}  // namespace

int main(int argc, char **argv) {
  return soak::run(
      argc, argv,
      {kPipelines, 50000, kPipelines * kPairsOfRound * long{kAll}, 64, [] {},
       [](int i, const soak::Device &, soak::Progress *progress) { run_share(i, progress); }});
}
