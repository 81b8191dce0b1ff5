// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sparse.cuh"

#include <algorithm>
#include <cstdint>

#include "../../../core/cuda_status.h"
#include "../kernels.h"

namespace coalesce {
namespace {

using Smallest = SparseShape<1, true, 7>;

// Can the current device run what this file was compiled for?
bool built_for_device() {
  static MmaKernel kernel(reinterpret_cast<const void *>(sparse_kernel<Smallest>), 90);
  return kernel.built();
}

// Weights as digits of a byte, all signed or all not.
struct Digits {
  int count;  // 0: they are larger
  bool is_signed;
};

Digits digits_of(const ConvolveParams &params) {
  const auto [least, most] = weight_range(params);
  // The upper digit of two takes what the lower one, being signed, is too low.
  constexpr int kMost = 127 * 256 + 127;
  if (least >= 0 && most <= 255) return {1, false};
  if (least >= -128 && most <= 127) return {1, true};
  if (least >= 0 && most <= 65535) return {2, false};
  if (least >= -32768 && most <= kMost) return {2, true};
  return {0, false};
}

// Bands begin at a multiple of 8 bytes, so many bytes before the first tap of their first output.
int lead_of(const Filter &f, const ConvolvePlane &plane) {
  return -f.left * plane.channels & 7;
}

// All that does not depend on the picture.
template <class Shape>
SparseArgs<Shape> make_args(const Filter &f, const ConvolvePlane &plane) {
  SparseArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  a.lead = lead_of(f, plane);
  a.left = f.left * plane.channels + a.lead;
  a.above = f.above;
  a.right = mma_span(f, plane) - 1 - f.left * plane.channels;
  for (int j = 0; j < f.height; ++j)
    for (int i = 0; i < f.width; ++i) {
      const int w = f.weights[static_cast<std::size_t>(j * f.width + i)];
      const int low = Shape::kSigned ? static_cast<std::int8_t>(w) : w & 255;
      const int digits[2] = {low, (w - low) / 256};
      const int at = i * plane.channels;
      for (int d = 0; d < Shape::kDigits; ++d)
        a.taps[d][j][at / 4] |= (static_cast<std::uint32_t>(digits[d]) & 0xff) << 8 * (at % 4);
    }
  return a;
}

// Rows of a block: as many as give all multiprocessors their blocks once, or several times.
template <class Shape>
int rows_of(int strips, int height, int multiprocessors) {
  constexpr int kMostRows = 256;
  const int at_once = std::max(Shape::kBlocks * multiprocessors / strips, 1);
  const int times = (height - 1) / (at_once * kMostRows) + 1;
  const int rows = (height - 1) / (at_once * times) + 1;
  return (rows + kStepRows - 1) / kStepRows * kStepRows;
}

template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  auto &a = params.cache->get<SparseArgs<Shape>>(
      plane.channels, [&] { return make_args<Shape>(*params.filter, plane); });
  a.in = make_tile_source(params, plane);
  a.out = make_mma_output(params, plane);
  a.plain = a.out.wide_stores && a.out.copied == 0 && plane.in.width % 16 == 0;
  int multiprocessors = 1;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  const int strips = (plane.in.width - 1) / Shape::kColumns + 1;
  a.rows = rows_of<Shape>(strips, plane.in.height, multiprocessors);
  const int blocks_down = (plane.in.height - 1) / a.rows + 1;
  return launch_early(sparse_kernel<Shape>,
                      dim3(static_cast<unsigned>(strips), static_cast<unsigned>(blocks_down)),
                      dim3(Shape::kThreads), sizeof(SparseShared<Shape>), stream, a);
}

template <int kDigits, bool kSigned>
Status launch_digits(const ConvolveParams &params, const ConvolvePlane &plane,
                     cudaStream_t stream) {
  const int height = params.filter->height;
  if (height <= 7) return launch_shape<SparseShape<kDigits, kSigned, 7>>(params, plane, stream);
  if (height <= 11) return launch_shape<SparseShape<kDigits, kSigned, 11>>(params, plane, stream);
  if (height <= 15) return launch_shape<SparseShape<kDigits, kSigned, 15>>(params, plane, stream);
  return launch_shape<SparseShape<kDigits, kSigned, 17>>(params, plane, stream);
}

}  // namespace

bool sparse_takes(const ConvolveParams &params, const ConvolvePlane &plane) {
  const Filter &f = *params.filter;
  constexpr int kLeastSpan = 10;  // for less, other kernels waste less
  constexpr int kMostRows = 17;
  MmaWeights weights;
  const int span = mma_span(f, plane);
  if (!direct_sums_take(params, plane, &weights) || digits_of(params).count == 0) return false;
  return f.height <= kMostRows && span >= kLeastSpan && span <= kBandBytes &&
         lead_of(f, plane) + span <= kBandBytes + 1 && built_for_device();
}

Status launch_sparse(const ConvolveParams &params, const ConvolvePlane &plane,
                     cudaStream_t stream) {
  const Digits digits = digits_of(params);
  if (digits.count == 1)
    return digits.is_signed ? launch_digits<1, true>(params, plane, stream)
                            : launch_digits<1, false>(params, plane, stream);
  return digits.is_signed ? launch_digits<2, true>(params, plane, stream)
                          : launch_digits<2, false>(params, plane, stream);
}

}  // namespace coalesce
