// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole encoder on a GPU: from samples in CUDA memory to codestreams in host memory, the same
// bytes as Encoder's. Several frames are under way at once, each in a slot of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../core/status.h"
#include "../params/encoder_params.h"
#include "../transform/samples.h"

namespace coalesce::j2k {

// All calls have the same CUDA context current. A slot goes round: start(), wait(), fetch(). One
// thread may start frames, and set targets, while another one waits for those in other slots and
// fetches them; a slot is handed over in an order that both know. Nothing is allocated after
// make().
//
// Errors: invalid_argument as for Encoder; out_of_memory in make(), where fewer slots may do;
// unsupported if the build or the GPU has no kernels, if a picture is too large for tables of
// 32-bit numbers, and for results as of Encoder; device_error when the GPU failed, after which the
// encoder is good for nothing but its end.
class CudaEncoder {
 public:
  static Status make(const EncoderParams &params, int slots, std::unique_ptr<CudaEncoder> *encoder);
  // What make() would take for each slot, in bytes of device memory.
  static Status slot_memory(const EncoderParams &params, std::size_t *bytes);

  // Waits for whatever is under way.
  virtual ~CudaEncoder() = default;

  // EncoderParams::targets of frames that are started from now on: those under way keep theirs.
  // The encoder must have been made with some, and they must be as many. Errors: invalid_argument
  // as of make(); then all stays as it was.
  virtual Status set_targets(const std::vector<LayerBudget> &targets) = 0;
  // Enqueues a frame. samples: one for each component, in device memory, ready as soon as `stream`
  // comes to it; of the component's bits. They are read before anything that `stream` is given
  // after this call.
  virtual Status start(int slot, const Samples *samples, void *stream) = 0;
  // Waits until the codestream is ready in device memory, and tells its length. (Seldom, where
  // rates took long to find, it does more.)
  virtual Status wait(int slot, std::size_t *bytes) = 0;
  // Copies it, and waits for that. Page-locked memory is several times as fast as other.
  virtual Status fetch(int slot, std::uint8_t *to) = 0;

  // Ends what a slot is doing, if anything, without a codestream.
  virtual void abandon(int slot) = 0;
};

// kernels/j2k/cuda_slots.cpp; params have been checked, slots are at least 1.
Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder);
Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes);

}  // namespace coalesce::j2k
