// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames as context modelling leaves them, and what the coders are to make of them.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "../../../support/device.h"
#include "../../../support/random.h"
#include "core/status.h"
#include "j2k/device/device_frame.h"

namespace coalesce::test {

// All in host memory.
struct MqFrame {
  std::vector<j2k::BlockPlan> plan;  // the same for all frames of a call
  unsigned style = 0;
  std::vector<std::uint8_t> planes, symbols, bytes;
  std::vector<j2k::PassSymbols> made;
  std::vector<j2k::Pass> passes;
  std::vector<j2k::CodedBlock> coded;

  // With room for results, filled with what is no result.
  void make_room();
  j2k::DeviceFrame view();
  std::size_t symbol_count() const;
};

// One block's symbols, pass by pass.
struct MqBlock {
  int planes = 0;
  std::vector<j2k::PassSymbols> made;
  std::vector<std::uint8_t> symbols;
  std::size_t room = 0;  // for bytes
};

// Frames with the same number of blocks each. What the block of one frame needs more room for than
// that of another stays unused there.
std::vector<MqFrame> frames_of(const std::vector<std::vector<MqBlock>> &blocks, unsigned style);

// What j2k::PassCoder makes of the frame's symbols.
void code_by_pass_coder(MqFrame *frame);

// Empty, or the first difference of results: passes, bytes up to each block's length, coded.
std::string difference(const MqFrame &actual, const MqFrame &expected);
// Between the rooms of blocks, frames_of() leaves bytes that nobody may write to.
std::string guard_difference(const MqFrame &actual);

// code_blocks() of j2k/mq_cuda.h, or something in its place.
using CodeBlocks = std::function<Status(const j2k::DeviceFrame *frames, int count,
                                        std::size_t passes, void *scratch, void *stream)>;
struct MqCoder {
  std::string name;
  CodeBlocks run;
};
// The pipeline's stages, a lane after the other, on the host. The first is as the library's.
std::vector<MqCoder> mq_host_coders();

// Copies of frames on the device.
class DeviceMqFrames {
 public:
  explicit DeviceMqFrames(std::vector<MqFrame> &frames);
  Status run(const CodeBlocks &code, int frames) const;
  void download(std::vector<MqFrame> &frames) const;

 private:
  struct One {
    explicit One(MqFrame &frame);
    DeviceMemory plan, planes, symbols, made, passes, bytes, coded;
  };
  std::deque<One> memory_;
  std::vector<j2k::DeviceFrame> frames_;
  std::size_t passes_;
  DeviceMemory scratch_;
};

}  // namespace coalesce::test
