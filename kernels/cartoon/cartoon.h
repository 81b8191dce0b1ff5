// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture as a cartoon: flat areas in a few tones, and lines over them (Winnemoller, Olsen and
// Gooch, Real-Time Video Abstraction, 2006). docs/numerics.md defines it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../bilateral/bilateral.h"
#include "../canny/canny.h"
#include "../canny/edge_overlay.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/colours.h"
#include "../picture/image.h"

namespace coalesce {

enum class CartoonLines : std::uint8_t { none, canny, dog };

constexpr int kMinCartoonLevels = 2, kMaxCartoonLevels = 64;
constexpr double kMaxCartoonSoftness = 1;
constexpr double kMinDogSigma = 0.3, kMaxDogSigma = 5;
constexpr double kMinDogThreshold = 0.1, kMaxDogThreshold = 255;

struct CartoonSettings {
  BilateralSettings areas = {4, 3, 40};
  int iterations = 2;  // of the bilateral filter, 1 to kMaxBilateralIterations
  int levels = 8;      // tones of luma, black and white among them
  // Of a step between two tones: 0 hard, 1 almost a ramp.
  double softness = 0.4;
  SampleRange range = SampleRange::full;  // of luma, grey, R, G and B
  CartoonLines lines = CartoonLines::dog;
  CannyParams canny = {100, 250, 3, false};
  double dog_sigma = 1;      // pixels, of the narrow Gaussian; the wide one has 1.6 times that
  double dog_threshold = 2;  // steps of luma; a line is whole at twice that
  EdgeColour colour;
};

// Taps of a Gaussian, by their distance from the middle. With those of the other side they add up
// to 2^16.
struct DogTaps {
  static constexpr int kMostReach = 24;
  int reach = 0;
  std::uint32_t tap[kMostReach + 1] = {};
};

// Settings made ready for a format.
struct Cartoon {
  Bilateral areas;
  int iterations = 0;           // 0: nothing has been made ready
  std::uint8_t tone[256] = {};  // of luma
  CartoonLines lines = CartoonLines::none;
  CannyParams canny;
  DogTaps narrow, wide;
  int threshold = 0;  // of their difference, in 256ths
  EdgeColour colour;
};

// Errors: invalid_argument for settings beyond their limits, and for formats that are not of 8
// bits.
Status make_cartoon(const CartoonSettings &settings, const PixelFormat &format, Cartoon *cartoon);

// Memory that cartoon() needs beside the pictures: one picture more, its lines, and what
// bilateral() or canny() needs.
std::size_t cartoon_scratch_bytes(const Cartoon &cartoon, const ConstImage &image);

// Makes a cartoon of a picture. Areas: bilateral() of all planes with Border::replicate, alpha and
// padding copied. Lines are found in the areas. Then luma becomes tones (R, G and B move by as much
// as their luma), and lines are drawn.
//
// in, out  any format with samples of 8 bits, of one format and size; any pitch and alignment; they
//          must not overlap (which is not checked). Interlaced chroma as in median()
// size     that of bilateral(); with lines of Canny that of canny(), too
// scratch  cartoon_scratch_bytes(), in the memory of the queue, aligned to 16 bytes, and nobody
//          else's until the work has been done
//
// Errors: invalid_argument for pictures, a Cartoon and scratch memory that break the above or
// image.h; unsupported for a CUDA queue in a build without CUDA kernels, or on a device they were
// not built for; device_error.
Status cartoon(const Cartoon &cartoon, const ConstImage &in, const Image &out, const Queue &queue,
               void *scratch);

}  // namespace coalesce
