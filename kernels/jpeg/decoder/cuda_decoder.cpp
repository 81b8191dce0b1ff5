// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_decoder.h"

namespace coalesce::jpeg {

Status CudaDecoder::make(const DecodeParams &params, int slots,
                         std::unique_ptr<CudaDecoder> *decoder) {
  if (slots < 1) return invalid_argument("jpeg: a decoder has one slot at least");
#if COALESCE_CUDA_KERNELS
  return make_cuda_decoder(params, slots, decoder);
#else
  (void)params;
  (void)decoder;
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce::jpeg
