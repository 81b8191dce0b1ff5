// SPDX-License-Identifier: LGPL-2.1-or-later
// The targets of layers as rate allocation wants them: bytes are those of packets, and of what
// comes with each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/status.h"
#include "../params/layer_budget.h"

namespace coalesce::j2k {

class PacketBudgets {
 public:
  // Once for a format. fixed: what a codestream has at most beside; empty_layer: what a layer
  // takes that has nothing in it. Allocates.
  void prepare(int layers, std::uint64_t fixed, std::uint64_t empty_layer);
  // Those of whole codestreams, one for each layer, as often as wanted. Allocates nothing.
  // Errors: invalid_argument as of check_targets(), or if nothing fits the last layer's bytes; then
  // all stays as it was.
  Status set(const std::vector<LayerBudget> &targets);

  const std::vector<LayerBudget> &list() const { return list_; }
  // What the last layer's target has to have at least, if it is of bytes.
  std::uint64_t least_bytes() const { return least_bytes_; }
  bool wants_bytes() const { return wants_bytes_; }    // any of them
  bool wants_errors() const { return wants_errors_; }  // any

 private:
  std::uint64_t fixed_ = 0, least_bytes_ = 0;
  std::vector<LayerBudget> list_;
  bool wants_bytes_ = false, wants_errors_ = false;
};

}  // namespace coalesce::j2k
