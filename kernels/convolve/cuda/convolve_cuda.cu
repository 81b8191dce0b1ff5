// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/trace.h"
#include "kernels.h"

namespace coalesce {
namespace {

// Parameters with a cache: for this call alone, if the caller has none.
class Cached {
 public:
  explicit Cached(const ConvolveParams &params) : params_(params) {
    if (params_.cache == nullptr) params_.cache = &own_;
  }
  Cached(const Cached &) = delete;
  Cached &operator=(const Cached &) = delete;
  const ConvolveParams &params() const { return params_; }

 private:
  ConvolveParams params_;
  ArgumentCache own_;
};

bool takes(ConvolveKernel kernel, const ConvolveParams &params, const ConvolvePlane &plane) {
  const Filter &f = *params.filter;
  switch (kernel) {
    case ConvolveKernel::small:
      return small_takes(params, plane);
    case ConvolveKernel::mma:
      return mma_takes(params, plane);
    case ConvolveKernel::strip:
      return strip_takes(params, plane);
    case ConvolveKernel::sparse:
      return sparse_takes(params, plane);
    default:
      return !f.weights.empty() && f.width <= kMaxMaskSize && f.height <= kMaxMaskSize;
  }
}

constexpr std::int64_t kSmallUpTo = 3840 * 2160, kMmaUpTo = kSmallUpTo / 2;  // bytes

// What the choice for a plane depends on beside it.
struct Picture {
  std::int64_t bytes = 0;  // of all planes
  int filtered = 0;        // planes
};

// Are strips faster than what else there is? (Measured: docs/lab/convolution.md.) Samples of two
// bytes have no other kernel on tensor cores, and planes that are not aligned have none. On pixels
// of three and four bytes small_kernel is faster at 5 x 5. Of smaller pictures strips are too few
// to fill the device; but they take three planes at once.
bool strip_pays(const ConvolveParams &params, const ConvolvePlane &plane, const Picture &picture) {
  const Filter &f = *params.filter;
  if (f.depth.bits != 8 || !is_aligned(plane)) return true;
  if (plane.channels >= 3) return f.height > 5;
  const bool byte_weights = weight_range(params).least >= -128 && weight_range(params).most <= 127;
  if (picture.filtered >= 3 && byte_weights && picture.bytes <= kSmallUpTo) return true;
  return picture.bytes > kMmaUpTo && (plane.channels == 2 || has_one_segment(f));
}

// Of 3 x 3 weights small_kernel is as fast as a copy; of 5 x 5 it is up to a size.
ConvolveKernel choose_kernel(const ConvolveParams &params, const ConvolvePlane &plane,
                             const Picture &picture) {
  const std::int64_t bytes = std::int64_t{plane.in.width} * plane.in.height;
  const bool small = params.filter->height <= 3 || bytes <= kSmallUpTo;
  if (small && takes(ConvolveKernel::small, params, plane)) return ConvolveKernel::small;
  if (strip_pays(params, plane, picture) && takes(ConvolveKernel::strip, params, plane))
    return ConvolveKernel::strip;
  for (const ConvolveKernel kernel :
       {ConvolveKernel::sparse, ConvolveKernel::small, ConvolveKernel::mma, ConvolveKernel::strip})
    if (takes(kernel, params, plane)) return kernel;
  return ConvolveKernel::universal;
}

// Planes that a launch takes together.
struct Together {
  const ConvolvePlane *plane[4];
  int count = 0;
};

// A plane that no kernel takes together with others.
Status enqueue(const ConvolveParams &params, const ConvolvePlane &plane, ConvolveKernel kernel,
               cudaStream_t stream) {
  if (kernel == ConvolveKernel::sparse) return launch_sparse(params, plane, stream);
  if (kernel == ConvolveKernel::mma) return launch_mma(params, plane, stream);
  if (takes(kernel, params, plane)) return launch_direct(params, plane, stream);
  // The weights of so large a mask are no kernel's parameters; its factors are.
  if (params.filter->separable) return launch_separable(params, plane, stream);
  return {StatusCode::unsupported, "convolve: the mask is too large for the CUDA kernels"};
}

}  // namespace

Status convolve_cuda_by(ConvolveKernel kernel, const ConvolveParams &given,
                        const ConvolvePlanes &image, void *stream) {
  const Cached cached(given);
  const ConvolveParams &params = cached.params();
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const Filter &f = *params.filter;
  Together small, strip;
  Picture picture;
  for (int i = 0; i < image.planes; ++i) {
    picture.bytes += std::int64_t{image.plane[i].in.width} * image.plane[i].in.height;
    picture.filtered += is_copied(image.plane[i]) ? 0 : 1;
  }
  if (kernel != ConvolveKernel::automatic)
    for (int i = 0; i < image.planes; ++i)
      if (!is_copied(image.plane[i]) && !takes(kernel, params, image.plane[i]))
        return {StatusCode::unsupported, "convolve: this kernel does not support the planes"};
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    if (is_copied(plane)) {
      if (Status s = launch_copy(f.depth, plane, cuda_stream); !s.ok()) return s;
      continue;
    }
    const ConvolveKernel chosen =
        kernel == ConvolveKernel::automatic ? choose_kernel(params, plane, picture) : kernel;
    if (chosen == ConvolveKernel::small || chosen == ConvolveKernel::strip) {
      Together &planes = chosen == ConvolveKernel::small ? small : strip;
      planes.plane[planes.count++] = &plane;
      continue;
    }
    if (Status s = enqueue(params, plane, chosen, cuda_stream); !s.ok()) return s;
  }
  Status s;
  if (strip.count > 0) s = launch_strip(params, strip.plane, strip.count, cuda_stream);
  if (s.ok() && small.count > 0) s = launch_small(params, small.plane, small.count, cuda_stream);
  return s;
}

bool separable_cuda_wants_planes(const ConvolveParams &given, const ConvolvePlanes &image) {
  const Cached cached(given);
  return !is_copied(image.plane[0]) && separable_mma_wants_planes(cached.params(), image.plane[0]);
}

Status convolve_cuda(const ConvolveParams &given, const ConvolvePlanes &image,
                     ConvolveAlgorithm algorithm, void *stream) {
  const TraceRange range("convolve");
  const Cached cached(given);
  const ConvolveParams &params = cached.params();
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
