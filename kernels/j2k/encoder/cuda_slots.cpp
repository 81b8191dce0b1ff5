// SPDX-License-Identifier: LGPL-2.1-or-later
// CudaEncoder with the CUDA kernels.
#include <new>
#include <vector>

#include "cuda_encoder.h"
#include "cuda_slot.h"

namespace coalesce::j2k {
namespace {

class Slots : public CudaEncoder {
 public:
  ~Slots() override {
    for (CudaSlot &slot : slots_)
      slot.abandon();
  }

  Status prepare(const EncoderParams &params, int slots) {
    if (Status s = format_.plan_for(params); !s.ok()) return s;
    if (Status s = format_.upload(); !s.ok()) return s;
    slots_.resize(static_cast<std::size_t>(slots));
    for (CudaSlot &slot : slots_)
      if (Status s = slot.prepare(format_); !s.ok()) return s;
    return {};
  }

  Status set_targets(const std::vector<LayerBudget> &targets) override {
    return format_.set_targets(targets);
  }
  Status start(int slot, const Samples *samples, void *stream) override {
    return at(slot).start(samples, stream);
  }
  Status wait(int slot, std::size_t *bytes) override { return at(slot).wait(bytes); }
  Status fetch(int slot, std::uint8_t *to) override { return at(slot).fetch(to); }
  void abandon(int slot) override { at(slot).abandon(); }

 private:
  CudaSlot &at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  CudaFormat format_;
  std::vector<CudaSlot> slots_;
};

}  // namespace

Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder) {
  try {
    auto made = std::make_unique<Slots>();
    if (Status s = made->prepare(params, slots); !s.ok()) return s;
    *encoder = std::move(made);
    return {};
  } catch (const std::bad_alloc &) {
    return no_memory();
  }
}

Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes) {
  try {
    CudaFormat format;
    if (Status s = format.plan_for(params); !s.ok()) return s;
    *bytes = format.slot().end;
    return {};
  } catch (const std::bad_alloc &) {
    return no_memory();
  }
}

}  // namespace coalesce::j2k
