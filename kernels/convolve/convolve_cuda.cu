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

bool takes(ConvolveKernel kernel, const Filter &f, const ConvolvePlane &plane) {
  switch (kernel) {
    case ConvolveKernel::small:
      return small_takes(f, plane);
    case ConvolveKernel::mma:
      return mma_takes(f, plane);
    case ConvolveKernel::strip:
      return strip_takes(f, plane);
    case ConvolveKernel::sparse:
      return sparse_takes(f, plane);
    default:
      return !f.weights.empty() && f.width <= kMaxMaskSize && f.height <= kMaxMaskSize;
  }
}

// Of 3 x 3 weights small_kernel is as fast as a copy; of 5 x 5 it is up to this size, and
// mma_kernel is up to that, where strips are too few to fill the device (docs/benchmarks.md).
ConvolveKernel choose_kernel(const Filter &f, const ConvolvePlane &plane) {
  constexpr std::int64_t kSmallUpTo = 3840 * 2160, kMmaUpTo = kSmallUpTo / 2;
  const std::int64_t bytes = std::int64_t{plane.in.width} * plane.in.height;
  const bool small = f.height <= 3 || bytes <= kSmallUpTo;
  if (small && takes(ConvolveKernel::small, f, plane)) return ConvolveKernel::small;
  if (bytes > kMmaUpTo && takes(ConvolveKernel::strip, f, plane)) return ConvolveKernel::strip;
  for (const ConvolveKernel kernel :
       {ConvolveKernel::sparse, ConvolveKernel::small, ConvolveKernel::mma})
    if (takes(kernel, f, plane)) return kernel;
  return ConvolveKernel::universal;
}

// A plane that no kernel takes together with others.
Status enqueue(const ConvolveParams &params, const ConvolvePlane &plane, ConvolveKernel kernel,
               cudaStream_t stream) {
  const Filter &f = *params.filter;
  if (kernel == ConvolveKernel::strip) return launch_strip(params, plane, stream);
  if (kernel == ConvolveKernel::sparse) return launch_sparse(params, plane, stream);
  if (kernel == ConvolveKernel::mma) return launch_mma(params, plane, stream);
  if (takes(kernel, f, plane)) return launch_direct(params, plane, stream);
  // The weights of so large a mask are no kernel's parameters; its factors are.
  if (f.separable) return launch_separable(params, plane, stream);
  return {StatusCode::unsupported, "convolve: the mask is too large for the CUDA kernels"};
}

}  // namespace

Status convolve_cuda_by(ConvolveKernel kernel, const ConvolveParams &params,
                        const ConvolveImage &image, void *stream) {
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const Filter &f = *params.filter;
  const ConvolvePlane *small[4];
  int smalls = 0;
  if (kernel != ConvolveKernel::automatic)
    for (int i = 0; i < image.planes; ++i)
      if (!is_copied(image.plane[i]) && !takes(kernel, f, image.plane[i]))
        return {StatusCode::unsupported, "convolve: this kernel does not take the planes"};
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    if (is_copied(plane)) {
      if (Status s = launch_copy(f.depth, plane, cuda_stream); !s.ok()) return s;
      continue;
    }
    const ConvolveKernel chosen =
        kernel == ConvolveKernel::automatic ? choose_kernel(f, plane) : kernel;
    if (chosen == ConvolveKernel::small) {
      small[smalls++] = &plane;
      continue;
    }
    if (Status s = enqueue(params, plane, chosen, cuda_stream); !s.ok()) return s;
  }
  return smalls == 0 ? Status() : launch_small(params, small, smalls, cuda_stream);
}

Status convolve_cuda(const ConvolveParams &params, const ConvolveImage &image,
                     ConvolveAlgorithm algorithm, void *stream) {
  const TraceRange range("convolve");
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (algorithm == ConvolveAlgorithm::direct)
    return convolve_cuda_by(ConvolveKernel::automatic, params, image, stream);
  unsigned done = 0;  // bits of planes
  if (algorithm == ConvolveAlgorithm::separable) {
    Status s;
    done = launch_separable_mma(params, image, cuda_stream, &s);
    if (!s.ok()) return s;
  }
  for (int i = 0; i < image.planes; ++i) {
    if ((done >> i & 1) != 0) continue;
    const ConvolvePlane &plane = image.plane[i];
    const Status s = algorithm == ConvolveAlgorithm::copy || is_copied(plane)
                         ? launch_copy(params.filter->depth, plane, cuda_stream)
                         : launch_separable(params, plane, cuda_stream);
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace coalesce
