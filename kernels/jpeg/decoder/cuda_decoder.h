// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole decoder on a GPU: from files in host memory to pictures in CUDA memory, the same pixels
// as Decoder's. Several files are under way at once, each in a slot of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/status.h"
#include "../../picture/image.h"
#include "decoder.h"

namespace coalesce::jpeg {

// All calls have the same CUDA context current. A slot goes round: read(), start(), wait(). One
// thread may start files while another one waits for those in other slots. Memory grows with the
// largest file and picture; from then on nothing is allocated.
//
// The GPU decodes good files of one scan. Of others the CPU has the coefficients: of several scans
// in start(); of broken data, which the GPU finds, in wait(). Their pixels are the CPU's all the
// same.
//
// Errors: as for Decoder; unsupported if the build or the GPU has no kernels; device_error when the
// GPU failed, after which the decoder is good for nothing but its end.
class CudaDecoder {
 public:
  static Status make(const DecodeParams &params, int slots, std::unique_ptr<CudaDecoder> *decoder);
  // Waits for whatever is under way.
  virtual ~CudaDecoder() = default;

  // Reads what is before the first scan. The file stays where it is, in memory of whatever kind,
  // until start() has returned.
  virtual Status read(int slot, const std::uint8_t *file, std::size_t bytes) = 0;
  virtual const Frame &frame(int slot) const = 0;
  // Enqueues the work, and waits until the file has been read. out: in device memory, free to be
  // written as soon as `stream` comes to it.
  virtual Status start(int slot, const Image &out, void *stream) = 0;
  // Until the picture is there. *broken: as for Decoder.
  virtual Status wait(int slot, const char **broken) = 0;
  // Has the CPU decoded the bits of the last file?
  virtual bool was_on_cpu(int slot) const = 0;
};

// cuda_decode_slot.cpp; slots are at least 1.
Status make_cuda_decoder(const DecodeParams &params, int slots,
                         std::unique_ptr<CudaDecoder> *decoder);

}  // namespace coalesce::jpeg
