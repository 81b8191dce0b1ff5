// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_format.h"

#include <algorithm>

#include "../canvas/code_block.h"
#include "../tier1/context/coding_pass.h"

namespace coalesce::j2k {

Status CudaFormat::plan_for(const EncoderParams &params) {
  if (Status s = make_plan(params, &plan_); !s.ok()) return s;
  transform_ = transform_plan(plan_);
  model_ = model_shape(plan_.blocks.data(), static_cast<int>(plan_.blocks.size()));
  return packets_.make(plan_);
}

SlotArrays CudaFormat::place_slot(Layout *l) const {
  const std::size_t blocks = plan_.blocks.size();
  SlotArrays a = {};
  a.frame = {.plan = blocks_,
             .blocks = static_cast<int>(blocks),
             .fraction_bits = plan_.fraction_bits,
             .style = plan_.params.block_style,
             .coefficients = l->at<std::int32_t>(plan_.coefficients),
             .planes = l->at<std::uint8_t>(blocks),
             .symbols = nullptr,
             .made = l->at<PassSymbols>(plan_.passes),
             .passes = l->at<Pass>(plan_.passes),
             .bytes = l->at<std::uint8_t>(plan_.bytes),
             .coded = l->at<CodedBlock>(blocks)};
  a.transform_scratch = l->at<std::uint8_t>(transform_.scratch_bytes);
  a.code_scratch = l->at<std::uint8_t>(code_blocks_scratch(blocks, plan_.passes));
  a.layers = l->at<std::uint8_t>(blocks * static_cast<std::size_t>(plan_.params.layers));
  a.packets = packets_.place_scratch(l);
  a.errors = l->at<std::uint32_t>(blocks);
  a.targets = l->at<LayerBudget>(plan_.params.targets.size());
  if (has_targets()) a.rate = place_rate_scratch(plan_, l);
  // The symbols are of no use any more when the codestream is written: it goes there.
  a.out_bytes =
      std::max<std::size_t>(plan_.symbols + kSymbolsPadding, plan_.bytes + packets_.most_beside());
  a.frame.symbols = a.out = l->at<std::uint8_t>(a.out_bytes);
  return a;
}

Status CudaFormat::set_targets(const std::vector<LayerBudget> &targets) {
  if (Status s = rate_.set_targets(targets); !s.ok()) return s;
  ++times_set_;
  return {};
}

std::size_t CudaFormat::place(Layout l) {
  blocks_ = l.at<BlockPlan>(plan_.blocks.size());
  tiles_ = l.at<TransformTile>(transform_.tiles.size());
  packet_image_ = l.at<std::uint8_t>(packets_.image().size());
  rate_image_ = l.at<std::uint8_t>(rate_.image().size());
  return l.end();
}

Status CudaFormat::upload() {
  if (has_targets())
    if (Status s = rate_.make(plan_, packets_.main_bytes()); !s.ok()) return s;
  if (Status s = DeviceMemory::on_device(place(Layout()), &memory_); !s.ok()) return s;
  place(Layout(256, memory_.get()));
  DeviceStream stream;
  if (Status s = DeviceStream::make(&stream); !s.ok()) return s;
  const auto copy = [&](auto *to, const auto &list) {
    return copy_to_device(to, list.data(), list.size() * sizeof(list[0]), stream.get());
  };
  if (Status s = copy(blocks_, plan_.blocks); !s.ok()) return s;
  if (Status s = copy(tiles_, transform_.tiles); !s.ok()) return s;
  if (Status s = copy(packet_image_, packets_.image()); !s.ok()) return s;
  if (Status s = copy(rate_image_, rate_.image()); !s.ok()) return s;
  return stream.wait();
}

}  // namespace coalesce::j2k
