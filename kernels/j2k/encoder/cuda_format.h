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

// Everything of a frame, in its slot's device memory.
struct SlotArrays {
  DeviceFrame frame;
  std::uint8_t *transform_scratch, *code_scratch, *layers;
  PacketScratch packets;
  std::uint32_t *errors;
  LayerBudget *targets;
  RateScratch rate;
  std::uint8_t *out;
  std::size_t out_bytes;  // room
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
  SlotArrays place_slot(Layout *l) const;
  // Are rates allocated?
  bool has_targets() const { return !plan_.params.targets.empty(); }

  // In device memory, after upload().
  const TransformTile *transform_tiles() const { return tiles_; }
  PacketFormat packet_format() const { return packets_.format_at(packet_image_); }
  // The list of targets() at `targets`.
  RateFormat rate_format(const LayerBudget *targets) const {
    return rate_.format_at(rate_image_, targets);
  }
  const PacketBudgets &targets() const { return rate_.targets(); }
  int times_set() const { return times_set_; }  // they were

 private:
  std::size_t place(Layout l);

  EncoderPlan plan_;
  TransformPlan transform_;
  ModelShape model_;
  PacketTables packets_;
  RateTables rate_;
  int times_set_ = 0;
  BlockPlan *blocks_ = nullptr;
  TransformTile *tiles_ = nullptr;
  std::uint8_t *packet_image_ = nullptr, *rate_image_ = nullptr;
  DeviceMemory memory_;
};

}  // namespace coalesce::j2k
