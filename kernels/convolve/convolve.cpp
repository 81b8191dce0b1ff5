// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>

#include "cpu/sum_type.h"
#include "planes.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;
constexpr char kTooLarge[] =
    "convolve: the picture is too large; width in bytes and height are limited to 2^28";

// Does what a picture of zeros becomes fit 31 bits and sign, on the way too?
bool narrow_enough(const Filter &f, const Filter::Offsets &o) {
  const auto fits = [](std::int64_t x) { return x >= -INT32_MAX && x <= INT32_MAX; };
  return fits(o.before) && fits(o.after) &&
         fits((f.absolute ? std::abs(o.before) : o.before) + o.after);
}

// Those beside the weights.
Status check_numbers(const Filter &f) {
  if (f.divisor < 1) return invalid_argument("convolve: the filter's divisor is less than 1");
  const std::int64_t most = f.narrow ? INT32_MAX : INT64_MAX;
  if (f.divisor > most / (std::int64_t{f.depth.max()} + 1))
    return invalid_argument("convolve: the filter's divisor is too large for its sums");
  if (f.narrow && (!narrow_enough(f, f.level) || !narrow_enough(f, f.chroma)))
    return invalid_argument("convolve: the filter's offsets are too large for its sums");
  return {};
}

Status check_filter(const Filter &f) {
  if (!is_known(f.depth)) return invalid_argument("convolve: no such depth");
  if (f.width < 1 || f.width > kMaxTaps || f.height < 1 || f.height > kMaxTaps)
    return invalid_argument("convolve: the filter is empty or too large");
  const auto too_far = [](int taps) { return taps <= -kMaxTaps || taps >= kMaxTaps; };
  if (too_far(f.left) || too_far(f.above))
    return invalid_argument("convolve: the filter's anchor is too far away");
  const auto width = static_cast<std::size_t>(f.width);
  const auto height = static_cast<std::size_t>(f.height);
  if (f.separable ? f.across.size() != width || f.down.size() != height : f.weights.empty())
    return invalid_argument("convolve: the filter has not the weights it wants");
  if (!f.weights.empty() && f.weights.size() != width * height)
    return invalid_argument("convolve: the filter's weights are not as many as its size wants");
  if (!f.weights.empty() && (f.width > kMaxMaskSize || f.height > kMaxMaskSize))
    return invalid_argument("convolve: so large a filter has no weights but factors");
  return check_numbers(f);
}

Status check_plane_pair(const ConvolvePlane &plane, SampleDepth depth) {
  if (Status s = check_plane(plane.in); !s.ok()) return s;
  if (Status s = check_plane(plane.out); !s.ok()) return s;
  if (plane.in.width != plane.out.width || plane.in.height != plane.out.height)
    return invalid_argument("convolve: the two planes differ in size");
  if (plane.in.width > kMaxSize || plane.in.height > kMaxSize) return invalid_argument(kTooLarge);
  if (plane.channels < 1 || plane.channels > 4)
    return invalid_argument("convolve: a pixel has 1 to 4 channels");
  if (plane.in.width % (plane.channels * depth.bytes()) != 0)
    return invalid_argument("convolve: a plane is not a whole number of pixels wide");
  const auto addresses = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch |
                         reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch;
  if (addresses % static_cast<std::uintptr_t>(depth.bytes()) != 0)
    return invalid_argument("convolve: 16-bit samples at odd addresses (a plane or its pitch)");
  for (int c = 0; c < plane.channels; ++c)
    if (plane.role[c] > ChannelRole::chroma) return invalid_argument("convolve: no such role");
  return {};
}

Status check(const ConvolveParams &params) {
  if (params.filter == nullptr) return invalid_argument("convolve: there is no filter");
  if (Status s = check_filter(*params.filter); !s.ok()) return s;
  if (params.border > Border::constant) return invalid_argument("convolve: no such border");
  if (params.border == Border::constant &&
      (params.border_value < 0 || params.border_value > params.filter->depth.max()))
    return invalid_argument("convolve: the border's value is no sample");
  return {};
}

Status check(const ConvolveParams &params, const ConvolvePlanes &image) {
  if (Status s = check(params); !s.ok()) return s;
  if (image.planes < 1 || image.planes > 4)
    return invalid_argument("convolve: an image has 1 to 4 planes");
  for (int i = 0; i < image.planes; ++i)
    if (Status s = check_plane_pair(image.plane[i], params.filter->depth); !s.ok()) return s;
  return {};
}

// Is every sample of this role left as it is?
bool is_identity(const Filter &f, ChannelRole role) {
  if (role == ChannelRole::copy) return true;
  if (f.width != 1 || f.height != 1 || f.left != 0 || f.above != 0) return false;
  const std::int64_t weight =
      f.weights.empty() ? std::int64_t{f.down[0]} * f.across[0] : std::int64_t{f.weights[0]};
  const Filter::Offsets &o = role == ChannelRole::level ? f.level : f.chroma;
  if (weight != f.divisor || (f.absolute && o.before != 0)) return false;
  return o.before + o.after >= 0 && o.before + o.after < f.divisor;
}

bool is_identity(const Filter &filter, const ConvolvePlanes &image) {
  for (int i = 0; i < image.planes; ++i)
    for (int c = 0; c < image.plane[i].channels; ++c)
      if (!is_identity(filter, image.plane[i].role[c])) return false;
  return true;
}

// Of masks that are both, on CUDA: one pass over memory is all that counts for small ones.
constexpr int kMostDirectTaps = 25;

bool separable_is_cheaper(const Filter &filter, const ConvolvePlanes &image) {
  int direct = 0, separable = 0;
  for (int i = 0; i < image.planes; ++i) {
    direct += sums_cost(filter, image.plane[i], false);
    separable += sums_cost(filter, image.plane[i], true);
  }
  return separable < direct;
}

}  // namespace

ConvolveAlgorithm choose_algorithm(const Filter &filter, const ConvolvePlanes &image,
                                   bool on_cuda) {
  if (is_identity(filter, image)) return ConvolveAlgorithm::copy;
  if (!filter.separable) return ConvolveAlgorithm::direct;
  if (filter.weights.empty()) return ConvolveAlgorithm::separable;
  const bool separable = on_cuda ? filter.width * filter.height > kMostDirectTaps
                                 : separable_is_cheaper(filter, image);
  return separable ? ConvolveAlgorithm::separable : ConvolveAlgorithm::direct;
}

namespace {

// Puts a choice in the place of `automatic`, or refuses what cannot compute the filter.
Status settle(const Filter &filter, const ConvolvePlanes &image, bool on_cuda,
              ConvolveAlgorithm *algorithm) {
  switch (*algorithm) {
    case ConvolveAlgorithm::automatic:
      *algorithm = choose_algorithm(filter, image, on_cuda);
      return {};
    case ConvolveAlgorithm::copy:
      if (!is_identity(filter, image))
        return {StatusCode::unsupported, "convolve: this filter is not the identity"};
      return {};
    case ConvolveAlgorithm::direct:
      if (filter.weights.empty())
        return {StatusCode::unsupported, "convolve: this filter has factors only"};
      return {};
    case ConvolveAlgorithm::separable:
      if (!filter.separable)
        return {StatusCode::unsupported, "convolve: this filter is not separable"};
      return {};
    default:
      return invalid_argument("convolve: no such algorithm");
  }
}

}  // namespace

Status convolve_planes(const ConvolveParams &params, const ConvolvePlanes &image,
                       const Queue &queue, ConvolveAlgorithm algorithm) {
  if (Status s = check(params, image); !s.ok()) return s;
  if (Status s = settle(*params.filter, image, queue.on_cuda(), &algorithm); !s.ok()) return s;
  if (!queue.on_cuda()) return convolve_cpu(params, image, algorithm, queue.pool());
#if COALESCE_CUDA_KERNELS
  return convolve_cuda(params, image, algorithm, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

// ---- pictures --------------------------------------------------------------------------------

namespace {

Status check(const ConvolveParams &params, const ConstImage &in, const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  const SampleDepth depth = sample_depth(in.format);
  if (depth.bits == 0) return invalid_argument("convolve: no such format");
  if (params.filter != nullptr &&
      (params.filter->depth.bits != depth.bits || params.filter->depth.shift != depth.shift))
    return invalid_argument("convolve: the filter was made for samples of another depth");
  return {};
}

// Pictures that have been checked, of a format whose samples are not in channels.
Status convolve_containers(const ConvolveParams &params, const ConstImage &in, const Image &out,
                           const Queue &queue, void *scratch, ConvolveAlgorithm algorithm) {
  if (Status s = check(params); !s.ok()) return s;
  if (in.plane[0].width > kMaxSize || in.plane[0].height > kMaxSize)
    return invalid_argument(kTooLarge);
  const ConvolvePlanes channels = channels_of(in.format, params.luma_only, params.filter_alpha);
  if (Status s = settle(*params.filter, channels, queue.on_cuda(), &algorithm); !s.ok()) return s;
  const auto filtered = [&](const ConstImage &from, const Image &to) {
    return convolve_planes(params, channels_of(from, to, false, true), queue, algorithm);
  };
  return filter_containers(in, out, params.luma_only, params.filter_alpha, queue, scratch,
                           std::ref(filtered));
}

// Longer rows on pixels of 8 bytes may need too much of a block's memory.
constexpr int kMostTapsOfDeepPixels = 33;

// May these be faster by way of planes?
bool may_want_planes(const Filter &f, const PixelFormat &format) {
  return has_deep_pixels(format) && f.separable &&
         std::max(f.width, f.height) > kMostTapsOfDeepPixels;
}

// Are they? The planes have been checked.
bool want_planes([[maybe_unused]] const ConvolveParams &params,
                 [[maybe_unused]] const ConvolvePlanes &planes,
                 [[maybe_unused]] ConvolveAlgorithm algorithm) {
#if COALESCE_CUDA_KERNELS
  if (algorithm == ConvolveAlgorithm::automatic)
    algorithm = choose_algorithm(*params.filter, planes, true);
  return algorithm == ConvolveAlgorithm::separable && separable_cuda_wants_planes(params, planes);
#else
  return false;
#endif
}

}  // namespace

std::size_t convolve_scratch_bytes(const ConvolveParams &params, const ConstImage &image,
                                   bool on_cuda) {
  return on_cuda && may_want_planes(*params.filter, image.format) ? deep_pixel_scratch_bytes(image)
                                                                  : container_scratch_bytes(image);
}

ConvolveAlgorithm choose_algorithm(const ConvolveParams &params, const PixelFormat &format,
                                   bool on_cuda) {
  return choose_algorithm(*params.filter,
                          channels_of(format, params.luma_only, params.filter_alpha), on_cuda);
}

Status convolve(const ConvolveParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, void *scratch, ConvolveAlgorithm algorithm) {
  if (Status s = check(params, in, out); !s.ok()) return s;
  if (!is_in_channels(in.format))
    return convolve_containers(params, in, out, queue, scratch, algorithm);
  const ConvolvePlanes planes = channels_of(in, out, params.luma_only, params.filter_alpha);
  if (queue.on_cuda() && scratch != nullptr && params.filter != nullptr &&
      may_want_planes(*params.filter, in.format)) {
    if (Status s = check(params, planes); !s.ok()) return s;
    if (want_planes(params, planes, algorithm))
      return convolve_containers(params, in, out, queue, scratch, algorithm);
  }
  if (Status s = convolve_planes(params, planes, queue, algorithm); !s.ok()) return s;
  const ConvolvePlanes rows = missing_rows(in, out);
  return rows.planes > 0 ? convolve_planes(params, rows, queue) : Status();
}

}  // namespace coalesce
