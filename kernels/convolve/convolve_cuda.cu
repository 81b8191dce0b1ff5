// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../core/trace.h"
#include "convolve_kernels.h"

namespace coalesce {
namespace {

bool is_copied(const ConvolvePlane &plane) {
  for (int c = 0; c < plane.channels; ++c)
    if (plane.role[c] != ChannelRole::copy) return false;
  return true;
}

// A plane that no kernel takes together with others.
Status enqueue(const ConvolveParams &params, const ConvolvePlane &plane,
               ConvolveAlgorithm algorithm, cudaStream_t stream) {
  const Filter &f = *params.filter;
  if (algorithm == ConvolveAlgorithm::copy || is_copied(plane))
    return launch_copy(f.depth, plane, stream);
  if (algorithm == ConvolveAlgorithm::separable) return launch_separable(params, plane, stream);
  if (sparse_takes(f, plane)) return launch_sparse(params, plane, stream);
  if (mma_takes(f, plane)) return launch_mma(params, plane, stream);
  if (f.width <= kMaxMaskSize && f.height <= kMaxMaskSize)
    return launch_direct(params, plane, stream);
  // The weights of so large a mask are no kernel's parameters; its factors are.
  if (f.separable) return launch_separable(params, plane, stream);
  return {StatusCode::unsupported, "convolve: the mask is too large for the CUDA kernels"};
}

}  // namespace

Status convolve_cuda(const ConvolveParams &params, const ConvolveImage &image,
                     ConvolveAlgorithm algorithm, void *stream) {
  const TraceRange range("convolve");
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const ConvolvePlane *small[4];
  int smalls = 0;
  unsigned done = 0;  // bits of planes
  if (algorithm == ConvolveAlgorithm::separable) {
    Status s;
    done = launch_separable_mma(params, image, cuda_stream, &s);
    if (!s.ok()) return s;
  }
  for (int i = 0; i < image.planes; ++i) {
    if ((done >> i & 1) != 0) continue;
    const ConvolvePlane &plane = image.plane[i];
    if (algorithm == ConvolveAlgorithm::direct && !is_copied(plane) &&
        small_takes(*params.filter, plane)) {
      small[smalls++] = &plane;
      continue;
    }
    if (Status s = enqueue(params, plane, algorithm, cuda_stream); !s.ok()) return s;
  }
  return smalls == 0 ? Status() : launch_small(params, small, smalls, cuda_stream);
}

}  // namespace coalesce
