// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_format.h"

#include <algorithm>

#include "../../core/layout.h"
#include "../canvas/code_block.h"
#include "../tier1/context/coding_pass.h"

namespace coalesce::j2k {

Status CudaFormat::plan_for(const EncoderParams &params) {
  if (Status s = make_plan(params, &plan_); !s.ok()) return s;
  transform_ = transform_plan(plan_);
  model_ = model_shape(plan_.blocks.data(), static_cast<int>(plan_.blocks.size()));
  if (Status s = packets_.make(plan_); !s.ok()) return s;
  lay_out_slot();
  return {};
}

// The symbols are of no use any more when the codestream is written: it goes there.
void CudaFormat::lay_out_slot() {
  const std::size_t blocks = plan_.blocks.size();
  Layout l;
  slot_.coefficients = l.add<std::int32_t>(plan_.coefficients);
  slot_.planes = l.add<std::uint8_t>(blocks);
  slot_.made = l.add<PassSymbols>(plan_.passes);
  slot_.passes = l.add<Pass>(plan_.passes);
  slot_.bytes = l.add<std::uint8_t>(plan_.bytes);
  slot_.coded = l.add<CodedBlock>(blocks);
  slot_.transform_scratch = l.add<std::uint8_t>(transform_.scratch_bytes);
  slot_.code_scratch = l.add<std::uint8_t>(code_blocks_scratch(blocks, plan_.passes));
  slot_.layers = l.add<std::uint8_t>(blocks * static_cast<std::size_t>(plan_.params.layers));
  slot_.packet_scratch = l.add<std::uint8_t>(packets_.scratch_bytes());
  slot_.errors = l.add<std::uint32_t>(blocks);
  slot_.targets = l.add<LayerBudget>(plan_.params.targets.size());
  slot_.rate = l.add<std::uint8_t>(has_targets() ? rate_scratch_bytes(plan_) : 0);
  slot_.out_bytes =
      std::max<std::size_t>(plan_.symbols + kSymbolsPadding, plan_.bytes + packets_.most_beside());
  slot_.symbols = slot_.out = l.add<std::uint8_t>(slot_.out_bytes);
  slot_.end = l.end();
}

Status CudaFormat::set_targets(const std::vector<LayerBudget> &targets) {
  if (Status s = rate_.set_targets(targets); !s.ok()) return s;
  ++times_set_;
  return {};
}

Status CudaFormat::upload() {
  if (has_targets())
    if (Status s = rate_.make(plan_, packets_.main_bytes()); !s.ok()) return s;
  Layout l;
  blocks_at_ = l.add<BlockPlan>(plan_.blocks.size());
  tiles_at_ = l.add<TransformTile>(transform_.tiles.size());
  packets_at_ = l.add<std::uint8_t>(packets_.image().size());
  rate_at_ = l.add<std::uint8_t>(rate_.image().size());
  if (Status s = DeviceMemory::on_device(l.end(), &memory_); !s.ok()) return s;
  DeviceStream stream;
  if (Status s = DeviceStream::make(&stream); !s.ok()) return s;
  const auto copy = [&](std::size_t to, const auto &list) {
    return copy_to_device(at<std::uint8_t>(to), list.data(), list.size() * sizeof(list[0]),
                          stream.get());
  };
  if (Status s = copy(blocks_at_, plan_.blocks); !s.ok()) return s;
  if (Status s = copy(tiles_at_, transform_.tiles); !s.ok()) return s;
  if (Status s = copy(packets_at_, packets_.image()); !s.ok()) return s;
  if (Status s = copy(rate_at_, rate_.image()); !s.ok()) return s;
  return stream.wait();
}

}  // namespace coalesce::j2k
