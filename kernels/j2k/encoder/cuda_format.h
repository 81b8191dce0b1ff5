// SPDX-License-Identifier: LGPL-2.1-or-later
// What CudaEncoder has once for all frames of a format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/device.h"
#include "../tier1/context/context_model_cuda.h"
#include "../tier1/mq/mq_cuda.h"
#include "encoder_plan.h"
#include "packet_tables.h"
#include "rate_tables.h"
#include "transform_tables.h"

namespace coalesce::j2k {

// Where everything of a frame lies in its slot's device memory.
struct SlotLayout {
  std::size_t coefficients, planes, symbols, made, passes, bytes, coded;
  std::size_t transform_scratch, code_scratch, layers, packet_scratch, errors, targets, rate, out;
  std::size_t out_bytes;  // room
  std::size_t end;
};

class CudaFormat {
 public:
  // On the host: what decides about memory.
  Status plan_for(const EncoderParams &params);
  // Copies to the device, and waits for that. Errors: targets that no picture can keep, too.
  Status upload();
  // After upload(): other targets, for the frames that are started from now on.
  Status set_targets(const std::vector<LayerBudget> &targets);

  const EncoderPlan &plan() const { return plan_; }
  const TransformPlan &transform() const { return transform_; }
  const ModelShape &model() const { return model_; }
  const PacketTables &packets() const { return packets_; }
  const SlotLayout &slot() const { return slot_; }
  // Are rates allocated?
  bool has_targets() const { return !plan_.params.targets.empty(); }

  // In device memory, after upload().
  const BlockPlan *blocks() const { return at<BlockPlan>(blocks_at_); }
  const TransformTile *transform_tiles() const { return at<TransformTile>(tiles_at_); }
  PacketFormat packet_format() const { return packets_.format_at(at<std::uint8_t>(packets_at_)); }
  // The list of targets() at `targets`.
  RateFormat rate_format(const LayerBudget *targets) const {
    return rate_.format_at(at<std::uint8_t>(rate_at_), targets);
  }
  const PacketBudgets &targets() const { return rate_.targets(); }
  int times_set() const { return times_set_; }  // they were

 private:
  void lay_out_slot();
  template <class T>
  T *at(std::size_t offset) const {
    return reinterpret_cast<T *>(static_cast<std::uint8_t *>(memory_.get()) + offset);
  }

  EncoderPlan plan_;
  TransformPlan transform_;
  ModelShape model_;
  PacketTables packets_;
  RateTables rate_;
  int times_set_ = 0;
  SlotLayout slot_;
  std::size_t blocks_at_ = 0, tiles_at_ = 0, packets_at_ = 0, rate_at_ = 0;
  DeviceMemory memory_;
};

}  // namespace coalesce::j2k
