// SPDX-License-Identifier: LGPL-2.1-or-later
// What canny looks at: the picture, or the picture behind a Gaussian, the one of sepconvolve's
// preset=blur.
#pragma once

#include "blur/blur.h"

namespace coalesce::gst {

class CannySmoothing {
 public:
  // For frames of one format: kMinSigma to kMaxSigma, or 0 for none.
  void set_sigma(double sigma);

  std::size_t scratch_bytes(const ConstImage &picture) const;
  // What is to be looked at: what this puts into scratch memory, or the picture itself.
  Status run(const ConstImage &picture, const Queue &queue, void *scratch, ConstImage *smoothed);

 private:
  double sigma_ = 0;
  Filter filter_;  // below kMinBlurSigma
  Blur blur_;
  ArgumentCache cache_;  // of the filter
};

// A progressive picture without memory.
Image picture_of(const PixelFormat &format, int width, int height);

}  // namespace coalesce::gst
