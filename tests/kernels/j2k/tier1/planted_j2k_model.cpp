// SPDX-License-Identifier: LGPL-2.1-or-later
#include <vector>

#include "j2k/canvas/block_plan.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k_model_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The true operation on a frame that is not quite the one it should be.
using Spoil = void (*)(DeviceFrame &frame);

PlantedBug bug(const char *name, bool cuda, Spoil spoil) {
  return {name, cuda, [spoil](Random &random, int index, const Backend &backend) {
            const BlockModelling broken = [spoil](const DeviceFrame &frame, const BlockPlan *plan,
                                                  const Queue &queue) {
              DeviceFrame spoiled = frame;
              spoil(spoiled);
              return model_frame(spoiled, plan, queue);
            };
            return j2k_model_trial(broken, random, index, backend);
          }};
}

}  // namespace

std::vector<PlantedBug> j2k_model_planted() {
  std::vector<PlantedBug> bugs;
  for (bool cuda : {false, true}) {
    bugs.push_back(bug("j2k-model, looks into the next stripe", cuda,
                       [](DeviceFrame &f) { f.style &= ~unsigned{kCausal}; }));
    bugs.push_back(
        bug("j2k-model, no raw bits", cuda, [](DeviceFrame &f) { f.style &= ~unsigned{kBypass}; }));
    bugs.push_back(bug("j2k-model, no segmentation symbols", cuda,
                       [](DeviceFrame &f) { f.style &= ~unsigned{kSegmentationSymbols}; }));
    bugs.push_back(
        bug("j2k-model, a fraction bit more", cuda, [](DeviceFrame &f) { ++f.fraction_bits; }));
    bugs.push_back(bug("j2k-model, not the last block", cuda, [](DeviceFrame &f) { --f.blocks; }));
  }
  return bugs;
}

}  // namespace coalesce::test
