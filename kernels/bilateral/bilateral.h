// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter of pictures: a mean of the pixels around, weighted by how near they are and by
// how alike (Tomasi and Manduchi, 1998). Edges stay, what lies between them gets smooth.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/border.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/channels.h"
#include "../picture/containers.h"
#include "../picture/image.h"

namespace coalesce {

constexpr int kMaxBilateralRadius = 9;  // 253 pixels: sums of 8 bits fit 32
constexpr int kMaxBilateralIterations = 100;
constexpr double kMinBilateralSigma = 0.1, kMaxBilateralSigma = 1000;

// Pixels (i, j) with i^2 + j^2 <= radius^2 count.
struct BilateralSettings {
  int radius = 2;           // 1 to kMaxBilateralRadius
  double sigma_space = 2;   // pixels
  double sigma_range = 25;  // of differences, in 255ths of the range of samples
};

// Settings made ready for a format: the weights of docs/numerics.md.
struct Bilateral {
  static constexpr int kEntries = 1024, kColumns = kMaxBilateralRadius + 1;

  int radius = 0;
  int half[kColumns] = {};                       // rows of column |i| on either side
  std::uint16_t space[kColumns][kColumns] = {};  // by |i| and |j|
  std::uint16_t range[kEntries] = {};            // of distances, in steps of 2^shift
  int last = 0;                                  // greater ones have this entry
  int shift = 0;                                 // distance d: (d + (1 << shift >> 1)) >> shift
  SampleDepth depth;                             // of the format, as sample_depth() says
  bool rgb = false;                              // is the format RGB?

  // Of the window.
  int pixels() const {
    int sum = 2 * half[0] + 1;
    for (int i = 1; i <= radius; ++i)
      sum += 2 * (2 * half[i] + 1);
    return sum;
  }
};

// Errors: invalid_argument for settings beyond their limits, or a format that bilateral() lacks.
Status make_bilateral(const BilateralSettings &settings, const PixelFormat &format,
                      Bilateral *bilateral);

struct BilateralParams {
  const Bilateral *bilateral = nullptr;  // needed until the call returns
  int iterations = 1;                    // from 1 on; each filters what the one before has made
  Border border = Border::replicate;
  int border_value = 0;       // constant: of luma, R, G, B and alpha; chroma uses its middle
  bool luma_only = false;     // chroma is copied
  bool filter_alpha = false;  // like luma, instead of copying it
};

// Memory that bilateral() needs beside the pictures, whatever the other parameters are.
std::size_t bilateral_scratch_bytes(const ConstImage &image, int iterations);

// Filters a picture: `out` has the format and size of `in`. R, G and B have one weight, by the sum
// of their differences. Every other component has weights of its own. Padding, alpha, and with
// luma_only chroma, are copied. Rows of both fields are filtered together.
//
// Formats, interlaced chroma, sizes, pitches and alignment are those of median(). The planes must
// not overlap (which is not checked). The format's depth, and whether it is RGB, are those that the
// weights were made for.
//
// scratch: bilateral_scratch_bytes() of the queue's back end, aligned to 16 bytes, and nobody
// else's until the work has been done.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
Status bilateral(const BilateralParams &params, const ConstImage &in, const Image &out,
                 const Queue &queue, void *scratch = nullptr);

}  // namespace coalesce
