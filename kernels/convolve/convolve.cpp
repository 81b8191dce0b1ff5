// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "containers.h"
#include "cpu/sum_type.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;
constexpr char kTooLarge[] =
    "convolve: the picture is too large; width in bytes and height are limited to 2^28";
#if !COALESCE_CUDA_KERNELS
constexpr char kNoKernels[] = "this build has no CUDA kernels";
#endif

bool known_depth(SampleDepth depth) {
  if (depth.bits == 8 || depth.bits == 16) return depth.shift == 0;
  return (depth.bits == 10 || depth.bits == 12) &&
         (depth.shift == 0 || depth.shift == 16 - depth.bits);
}

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
  if (!known_depth(f.depth)) return invalid_argument("convolve: no such depth");
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
  return {StatusCode::unsupported, kNoKernels};
#endif
}

// ---- pictures --------------------------------------------------------------------------------

namespace {

// Is a sample all that there is in a container?
bool is_alone(const PixelComponent &c) {
  return c.container == Container::u8 || c.container == Container::u16;
}

// Are the samples where ConvolvePlanes has them?
bool in_pixels(const PixelFormat &format) {
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (!is_alone(c)) return false;
    for (int j = 0; j < i; ++j) {
      const PixelComponent &other = format.component[j];
      if (c.plane == other.plane && (c.step != other.step || c.log2_width != other.log2_width))
        return false;
    }
  }
  return true;
}

bool is_packed_422(const PixelFormat &format) {
  const PixelComponent &y = format.component[0];
  if (format.planes != 1 || format.components != 3 || y.step != 2) return false;
  return std::all_of(format.component + 1, format.component + 3, [](const PixelComponent &c) {
    return c.step == 4 && c.log2_width == 1 && c.log2_height == 0;
  });
}

// Is a pixel a word?
bool is_words(const PixelFormat &format) {
  return format.planes == 1 && std::all_of(format.component, format.component + format.components,
                                           [](const PixelComponent &c) {
                                             return c.container == Container::u32 && c.step == 1 &&
                                                    c.log2_width == 0 && c.log2_height == 0;
                                           });
}

// Alpha of two bits beside others of ten is copied.
ChannelRole role_of(const PixelComponent &c, int bits, const ConvolveParams &params) {
  if (c.role == Role::alpha)
    return params.filter_alpha && c.bits == bits ? ChannelRole::level : ChannelRole::copy;
  if (c.role != Role::u && c.role != Role::v) return ChannelRole::level;
  return params.luma_only ? ChannelRole::copy : ChannelRole::chroma;
}

// Without the planes' memory. Where a format is not in pixels, of each component by itself.
ConvolvePlanes channels_of(const PixelFormat &format, const ConvolveParams &params) {
  const bool apart = !in_pixels(format);
  ConvolvePlanes planes;
  planes.planes = apart ? format.components : format.planes;
  for (ConvolvePlane &plane : planes.plane)
    std::fill_n(plane.role, 4, ChannelRole::copy);  // padding stays so
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    ConvolvePlane &plane = planes.plane[apart ? i : c.plane];
    plane.channels = apart ? 1 : c.step;
    plane.role[apart ? 0 : c.first] = role_of(c, format.component[0].bits, params);
  }
  return planes;
}

Status check(const ConvolveParams &params, const ConstImage &in, const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  const SampleDepth depth = sample_depth(in.format);
  if (depth.bits == 0) return invalid_argument("convolve: no such format");
  if (params.filter != nullptr &&
      (params.filter->depth.bits != depth.bits || params.filter->depth.shift != depth.shift))
    return invalid_argument("convolve: the filter was made for samples of another depth");
  return {};
}

// The rows of chroma that only `out` has, or that no pixel has, from the nearest row of their
// field, which is there.
ConvolvePlanes missing_rows(const ConstImage &in, const Image &out) {
  ConvolvePlanes rows;
  rows.planes = 0;
  for (int p = 0; p < in.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    const int missing = used_rows(in, p);
    if (plane.height <= missing) continue;
    ConvolvePlane &copied = rows.plane[rows.planes++];
    copied.in = {plane.row(std::max(missing - 2, 0)), plane.width, 1, plane.pitch};
    copied.out = {plane.row(missing), plane.width, 1, plane.pitch};
    copied.role[0] = ChannelRole::copy;
  }
  return rows;
}

// Pictures that have been checked, of a format that is not in pixels.
Status convolve_containers(const ConvolveParams &params, const ConstImage &in, const Image &out,
                           const Queue &queue, ConvolveAlgorithm algorithm) {
  if (Status s = check(params); !s.ok()) return s;
  if (in.plane[0].width > kMaxSize || in.plane[0].height > kMaxSize)
    return invalid_argument(kTooLarge);
  const ConvolvePlanes channels = channels_of(in.format, params);
  if (Status s = settle(*params.filter, channels, queue.on_cuda(), &algorithm); !s.ok()) return s;
  ConvolveContainers image = {in.format, in.width, in.plane[0], out.plane[0], {}};
  for (int i = 0; i < in.format.components; ++i)
    image.role[i] = channels.plane[i].role[0];
  if (!queue.on_cuda()) return convolve_containers_cpu(params, image, algorithm, queue.pool());
#if COALESCE_CUDA_KERNELS
  return convolve_containers_cuda(params, image, algorithm, queue.stream());
#else
  return {StatusCode::unsupported, kNoKernels};
#endif
}

}  // namespace

SampleDepth sample_depth(const PixelFormat &format) {
  const PixelComponent &first = format.component[0];
  const bool alone = is_alone(first);
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    const bool alike = c.bits == first.bits && (!alone || c.shift == first.shift);
    if (c.container != first.container || !(alike || (!alone && c.role == Role::alpha)))
      return {0, 0};
  }
  if (!in_pixels(format) && !is_packed_422(format) && !is_words(format)) return {0, 0};
  const SampleDepth depth = {first.bits, alone ? first.shift : 0};
  const bool fits = !alone || container_bytes(first.container) == depth.bytes();
  return fits && known_depth(depth) ? depth : SampleDepth{0, 0};
}

ConvolveAlgorithm choose_algorithm(const ConvolveParams &params, const PixelFormat &format,
                                   bool on_cuda) {
  return choose_algorithm(*params.filter, channels_of(format, params), on_cuda);
}

Status convolve(const ConvolveParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, ConvolveAlgorithm algorithm) {
  if (Status s = check(params, in, out); !s.ok()) return s;
  if (!in_pixels(in.format)) return convolve_containers(params, in, out, queue, algorithm);
  ConvolvePlanes planes = channels_of(in.format, params);
  for (int p = 0; p < planes.planes; ++p) {
    planes.plane[p].in = in.plane[p];
    planes.plane[p].out = out.plane[p];
    // Of interlaced chroma one may have a row more.
    planes.plane[p].in.height = planes.plane[p].out.height =
        std::min(used_rows(in, p), out.plane[p].height);
  }
  if (Status s = convolve_planes(params, planes, queue, algorithm); !s.ok()) return s;
  const ConvolvePlanes rows = missing_rows(in, out);
  return rows.planes > 0 ? convolve_planes(params, rows, queue) : Status();
}

}  // namespace coalesce
