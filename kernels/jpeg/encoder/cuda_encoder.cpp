// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_encoder.h"

namespace coalesce::jpeg {
namespace {

#if !COALESCE_CUDA_KERNELS
Status no_kernels() {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}
#endif

}  // namespace

Status CudaEncoder::make(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder) {
  if (Status s = check_params(params); !s.ok()) return s;
  if (slots < 1) return invalid_argument("jpeg: an encoder has one slot at least");
#if COALESCE_CUDA_KERNELS
  return make_cuda_encoder(params, slots, encoder);
#else
  (void)encoder;
  return no_kernels();
#endif
}

Status CudaEncoder::slot_memory(const EncoderParams &params, std::size_t *bytes) {
  if (Status s = check_params(params); !s.ok()) return s;
#if COALESCE_CUDA_KERNELS
  return cuda_encoder_slot_memory(params, bytes);
#else
  (void)bytes;
  return no_kernels();
#endif
}

}  // namespace coalesce::jpeg
