// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole encoder on a GPU: from pictures in CUDA memory to files in host memory, the same bytes
// as Encoder's. Several frames are under way at once, each in a slot of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/status.h"
#include "../../picture/image.h"
#include "../plan/encoder_params.h"

namespace coalesce::jpeg {

// All calls have the same CUDA context current. A slot goes round: start(), wait(), fetch(). One
// thread may start frames, and set the quality, while another one waits for those in other slots
// and fetches them; a slot is handed over in an order that both know. Nothing is allocated after
// make().
//
// Errors: invalid_argument as for Encoder; out_of_memory in make(), where fewer slots may do;
// unsupported if the build or the GPU has no kernels; device_error when the GPU failed, after which
// the encoder is good for nothing but its end.
class CudaEncoder {
 public:
  static Status make(const EncoderParams &params, int slots, std::unique_ptr<CudaEncoder> *encoder);
  // What make() would take for each slot, in bytes of device memory.
  static Status slot_memory(const EncoderParams &params, std::size_t *bytes);

  // Waits for whatever is under way.
  virtual ~CudaEncoder() = default;

  // As of Encoder, for frames that are started from now on.
  virtual Status set_quality(int quality) = 0;
  virtual Status set_max_bytes(std::size_t max_bytes) = 0;

  // Enqueues a frame. image: in device memory, ready as soon as `stream` comes to it. It is read
  // before anything that `stream` is given after this call.
  // to: page-locked memory for fetch(), or nullptr. As many bytes as the slot's last file had, and
  // some more, but at most `room`, come there without a further wait. Files with a limit of bytes,
  // or with the best Huffman tables, come with fetch() alone.
  virtual Status start(int slot, const ConstImage &image, void *stream, std::uint8_t *to = nullptr,
                       std::size_t room = 0) = 0;
  // Waits until the file is ready in device memory, and says how long it is. Errors:
  // invalid_argument, if max_bytes is too small.
  virtual Status wait(int slot, std::size_t *bytes) = 0;
  // Copies it, or what start() has not copied to this address, and waits for that. Page-locked
  // memory is several times as fast as other.
  virtual Status fetch(int slot, std::uint8_t *to) = 0;
  // Of the file, after wait().
  virtual int quality(int slot) const = 0;

  // Ends what a slot is doing, if anything, without a file.
  virtual void abandon(int slot) = 0;
};

// cuda_slot.cpp; params have been checked, slots are at least 1.
Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder);
Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes);

}  // namespace coalesce::jpeg
