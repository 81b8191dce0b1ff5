// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packet_budgets.h"

#include <algorithm>

#include "../params/encoder_params.h"

namespace coalesce::j2k {

void PacketBudgets::prepare(int layers, std::uint64_t fixed, std::uint64_t empty_layer) {
  fixed_ = fixed;
  least_bytes_ = fixed + empty_layer * static_cast<unsigned>(layers);
  list_.assign(static_cast<std::size_t>(layers), {});
}

Status PacketBudgets::set(const std::vector<LayerBudget> &targets) {
  if (Status s = check_targets(targets, static_cast<int>(list_.size())); !s.ok()) return s;
  if (targets.back().kind == LayerBudget::Kind::bytes && targets.back().value < least_bytes_)
    return invalid_argument(
        "j2k: the last layer's target has fewer bytes than markers and empty packets require");
  std::copy(targets.begin(), targets.end(), list_.begin());
  wants_bytes_ = wants_errors_ = false;
  for (LayerBudget &target : list_) {
    wants_errors_ = wants_errors_ || target.kind == LayerBudget::Kind::error;
    if (target.kind != LayerBudget::Kind::bytes) continue;
    wants_bytes_ = true;
    target.value -= std::min(target.value, fixed_);
  }
  return {};
}

}  // namespace coalesce::j2k
