// SPDX-License-Identifier: LGPL-2.1-or-later
// Gaussian blur of pictures with a large sigma, by way of a smaller picture: what it costs hardly
// depends on sigma. docs/numerics.md defines it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../convolve/convolve.h"

namespace coalesce {

// A sigma of kMinBlurSigma or more and a depth made ready. Below, a Gaussian is a filter for
// convolve().
struct Blur {
  static constexpr int kMostReach = 14;
  int log2_factor = 0;  // of the smaller picture, 2 to 5
  int reach = 0;        // half as many as there are taps
  // Of the smaller picture's Gaussian: they add up to 2^15, and their middle lies between two.
  std::uint16_t tap[2 * kMostReach] = {};
  Filter identity;    // for what is copied
  SampleDepth depth;  // of the picture, as sample_depth() says
};

// Errors: invalid_argument for a sigma that is not kMinBlurSigma to kMaxSigma, or another depth.
Status make_blur(double sigma, SampleDepth depth, Blur *blur);

struct BlurParams {
  const Blur *blur = nullptr;  // needed until the call returns
  Border border = Border::replicate;
  int border_value = 0;  // these three as in ConvolveParams
  bool luma_only = false;
  bool filter_alpha = false;
};

// Memory that blur() needs beside the pictures, whatever the other parameters are, and for every
// sigma of one factor.
std::size_t blur_scratch_bytes(const Blur &blur, const ConstImage &image);

// Blurs a picture: formats, sizes, and what is copied are those of convolve(), but for pixels of
// three words of 16 bits. scratch: of the queue's back end, aligned to 16 bytes, and nobody else's
// until the work has been done.
Status blur(const BlurParams &params, const ConstImage &in, const Image &out, const Queue &queue,
            void *scratch);

}  // namespace coalesce
