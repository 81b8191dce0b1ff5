// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame under way in CudaEncoder.
#pragma once

#include <cstdint>

#include "../../core/device.h"
#include "../pcrd/rate_cuda.h"
#include "../tier2/packets_cuda.h"
#include "../transform/samples.h"
#include "cuda_format.h"

namespace coalesce::j2k {

class CudaSlot {
 public:
  // format must stay.
  Status prepare(const CudaFormat &format);
  Status start(const Samples *samples, void *stream);
  Status wait(std::size_t *bytes);
  Status fetch(std::uint8_t *to);
  void abandon();

 private:
  Status code();
  Status take_targets();
  Status allocate();
  Status take_turns(int turns);
  Status finish_turns();
  Status write();
  PacketJob packet_job() const;
  RateJob rate_job() const;

  const CudaFormat *format_ = nullptr;
  DeviceMemory memory_, host_memory_;
  DeviceStream stream_;
  DeviceEvent input_ready_, input_read_;
  SlotArrays arrays_ = {};
  std::size_t length_ = 0;
  // In page-locked memory.
  PacketResult *result_ = nullptr;
  RateReport *report_ = nullptr;
  LayerBudget *own_targets_ = nullptr;
  RateFormat rate_format_ = {};  // of the frame under way
  int targets_ = -1;             // which of the format's it has
  // Turns of the allocation: that this frame was given, and that one like the last may need.
  int turns_ = 0, likely_turns_ = 0;
};

}  // namespace coalesce::j2k
