// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame as context modelling leaves it, and what the coders are to make of it.
#pragma once

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
  std::vector<j2k::BlockPlan> plan;
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

// gaps: unused room behind each block's passes, symbols and bytes, as a plan has it.
MqFrame frame_of(const std::vector<MqBlock> &blocks, unsigned style, const std::vector<int> &gaps);

// What j2k::PassCoder makes of the frame's symbols.
void code_by_pass_coder(MqFrame *frame);

// Empty, or the first difference of results: passes, bytes up to each block's length, coded.
std::string difference(const MqFrame &actual, const MqFrame &expected);
// Between the rooms of blocks, frame_of() leaves bytes that nobody may write to.
std::string guard_difference(const MqFrame &actual);

// code_blocks() of j2k/mq_cuda.h, or something in its place.
using CodeBlocks = std::function<Status(const j2k::DeviceFrame &frame, std::size_t passes,
                                        void *scratch, void *stream)>;
struct MqCoder {
  std::string name;
  CodeBlocks run;
};
// The pipeline's stages, a lane after the other, on the host. The first is as the library's.
std::vector<MqCoder> mq_host_coders();

// A copy of a frame on the device.
class DeviceMqFrame {
 public:
  explicit DeviceMqFrame(MqFrame *frame);
  Status run(const CodeBlocks &code) const;
  void download(MqFrame *frame) const;

 private:
  DeviceMemory plan_, planes_, symbols_, made_, passes_, bytes_, coded_, scratch_;
  j2k::DeviceFrame frame_;
  std::size_t pass_count_;
};

}  // namespace coalesce::test
