// SPDX-License-Identifier: LGPL-2.1-or-later
// Disparities of a rectified pair of pictures: how far left each point of the left picture is in
// the right one. Windows that are most alike, or semi-global matching (Hirschmüller, Stereo
// Processing by Semiglobal Matching and Mutual Information, 2008).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

enum class StereoMethod : std::uint8_t {
  sad,     // sums of absolute differences
  ncc,     // normalised cross-correlation, without the means
  census,  // sums of the bits in which census transforms differ
  sgm,     // semi-global matching of census transforms
};

constexpr int kMaxStereoSize = 16384;  // pixels across and down
constexpr int kMaxStereoWindow = 21;
constexpr int kMaxDisparities = 256, kMaxMinDisparity = 1024;
constexpr int kMaxStereoPenalty = 96;
constexpr int kDisparityUnit = 16;  // one pixel in the result

struct StereoParams {
  StereoMethod method = StereoMethod::sgm;
  // Candidates are min_disparity to min_disparity + disparities - 1, in pixels.
  int min_disparity = 0;  // from 0 to kMaxMinDisparity
  int disparities = 128;  // a multiple of 16, from 16 to kMaxDisparities
  int window = 9;  // of sad, ncc and census: rows and columns, odd, from 3 to kMaxStereoWindow

  // Of sgm.
  int paths = 8;         // 4 or 8
  int p1 = 10, p2 = 96;  // for steps of one pixel, for larger ones: 1 <= p1 <= p2 <= 96
  bool adaptive = true;  // p2 is less where the left picture has an edge

  bool subpixel = true;  // else whole pixels
  int uniqueness = 5;    // per cent by which the best candidate must win; 0: any, at most 99
  int left_right = 1;  // pixels by which the right picture's disparity may differ; -1: not checked
  int median = 3;      // size of its window: 0 (none), 3 or 5
  int speckle_size = 100;  // areas of at most so many pixels are dropped; 0: none
  int speckle_range = 2;   // pixels; neighbours that differ by more are of different areas
};

// Finds the disparity d of each pixel of the left picture: (x, y) there is (x - d, y) in the right
// one (docs/numerics.md).
//
// left, right  of one format and size. Luma or grey is looked at, of any depth, which must have
//              bytes or words of 16 bits of its own: no RGB, no v210 and its like
// out          GRAY16_LE, of the same size: 16 d; 0: unknown; 1: less than a 16th of a pixel. None
//              of the planes may overlap (which is not checked)
// size         from 1x1 to kMaxStereoSize across and down
// scratch      stereo_scratch_bytes(), in the memory of the queue, aligned to 256 bytes, and nobody
//              else's until the work has been done
//
// Errors: invalid_argument for pictures, sizes, parameters and scratch memory that break the above
// or image.h; unsupported for a CUDA queue in a build without CUDA kernels, or on a device they
// were not built for; device_error.
Status stereo(const StereoParams &params, const ConstImage &left, const ConstImage &right,
              const Image &out, const Queue &queue, void *scratch);

// Can stereo() look at pictures of this format?
bool stereo_takes(const PixelFormat &format);

// 0 for parameters or sizes that stereo() refuses. Of sgm, two bytes a pixel and candidate, on CUDA
// five, or three with four paths: 1.3 GB for 1920x1080 and 128.
std::size_t stereo_scratch_bytes(const StereoParams &params, int width, int height, bool on_cuda);

}  // namespace coalesce
