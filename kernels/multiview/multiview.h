// SPDX-License-Identifier: LGPL-2.1-or-later
// Depths of a picture's points by other pictures of the same scene, whose cameras are known:
// windows are compared along epipolar lines, each other picture has a best match, and a point
// counts if enough of them agree (after Park and others' pilot of multi-view stereo, 2010).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

enum class MultiviewMethod : std::uint8_t {
  sad,  // sums of absolute differences
  ncc,  // normalised cross-correlation, without the means
};

// What a depth is in the result. 0 is unknown in both.
enum class MultiviewDepth : std::uint8_t {
  words,   // GRAY16_LE: depth times scale, rounded to nearest, from 1 to 65535
  floats,  // GRAY16_LE of twice the width: a float32 in two words, the lower one first. So a row is
           // one of float32, little-endian: the depth as it is
};

constexpr int kMinMultiviewViews = 2, kMaxMultiviewViews = 16;
constexpr int kMaxMultiviewSize = 16384;  // pixels across and down
constexpr int kMinMultiviewWindow = 3, kMaxMultiviewWindow = 21;
constexpr int kMinMultiviewDepths = 2, kMaxMultiviewDepths = 256;
constexpr double kMinMultiviewDepth = 1e-6, kMaxMultiviewDepth = 1e9;
constexpr double kMaxMultiviewScale = 1e9;

struct MultiviewParams {
  MultiviewMethod method = MultiviewMethod::sad;
  int window = 9;    // rows and columns, odd, from 3 to kMaxMultiviewWindow
  int depths = 128;  // candidates, from 2 to kMaxMultiviewDepths
  // The first and the last candidate, in the unit of the matrices. Their inverses are evenly
  // spaced. kMinMultiviewDepth <= nearest < farthest <= kMaxMultiviewDepth
  double nearest = 1000, farthest = 10000;
  int tolerance = 1;  // candidates by which neighbours that agree may differ, 0 or more
  int min_count = 2;  // neighbours that must agree: from 1 to as many as there are
  MultiviewDepth output = MultiviewDepth::words;
  double scale = 1;  // of words: above 0, at most kMaxMultiviewScale
};

struct MultiviewView {
  // Of points (X, Y, Z, 1) the pixel, times anything. The pixel in the upper left corner has its
  // middle at (0, 0). Scale and sign do not matter; the first three columns must be invertible.
  double matrix[3][4];
  ConstImage picture;
};

// Is this the matrix of a camera: finite numbers, of which the first three columns can be inverted?
bool is_camera_matrix(const double (&matrix)[3][4]);

// Can the camera of a neighbour be used with that of the reference, for depths from `nearest` on?
// Both matrices are those of cameras. Errors: invalid_argument, as of multiview().
Status check_neighbour(const double (&reference)[3][4], const double (&neighbour)[3][4],
                       double nearest);

// Finds the depths of all pixels of view number `reference` (docs/numerics.md). Depths are along
// its optical axis, in the unit of the matrices. All other views are its neighbours.
//
// views       of one format and size. Luma or grey is looked at, of any depth, as of stereo()
// count       of views: kMinMultiviewViews to kMaxMultiviewViews
// depth       GRAY16_LE, of the same size, or with twice the width (MultiviewDepth)
// confidence  GRAY8, of the same size: 255 times the share of neighbours that agree, 0 where the
//             depth is unknown. nullptr: not wanted. None of the planes may overlap (which is not
//             checked)
// scratch     multiview_scratch_bytes(), in the memory of the queue, aligned to 256 bytes, and
//             nobody else's until the work has been done
//
// Errors: invalid_argument for pictures, sizes, matrices, parameters and scratch memory that break
// the above or image.h, and for a neighbour that is where the reference is; unsupported for a CUDA
// queue in a build without CUDA kernels, or on a device they were not built for; device_error.
Status multiview(const MultiviewParams &params, const MultiviewView *views, int count,
                 int reference, const Image &depth, const Image *confidence, const Queue &queue,
                 void *scratch);

// Can multiview() look at pictures of this format?
bool multiview_takes(const PixelFormat &format);

// 0 for parameters, numbers or sizes that multiview() refuses.
std::size_t multiview_scratch_bytes(const MultiviewParams &params, int views, int width, int height,
                                    bool on_cuda);

}  // namespace coalesce
