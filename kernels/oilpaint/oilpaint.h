// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures as if they were painted in oil.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

enum class OilMethod : std::uint8_t {
  strokes,   // strokes of brushes along edges, the thickest brush first (Hertzmann, 1998)
  kuwahara,  // means of sectors that lie along edges, the calmest ones most (Kyprianidis, 2009)
  mode,      // the mean colour of the commonest intensity around a pixel (Holzmann, 1988)
};

constexpr int kMinOilBrush = 2, kMaxOilBrush = 32;
constexpr int kMaxOilLength = 13;
constexpr int kMaxOilStrokesSize = 32768;  // columns or rows of a picture
constexpr int kMinOilKuwaharaRadius = 2, kMaxOilKuwaharaRadius = 10;
constexpr int kMaxOilModeRadius = 15;
constexpr int kMaxOilModeRatio = 127;

struct OilpaintParams {
  OilMethod method = OilMethod::strokes;
  // strokes: radii of the first and the last brush, powers of two from kMinOilBrush to
  // kMaxOilBrush; each brush is half as thick as the one before. What a stroke's cell must differ
  // by on average, in steps of a component, 0 to 255. The least points of a stroke, half a radius
  // apart, 1 to kMaxOilLength. The intensity of the ground, 0 to 255.
  int brush_thickest = 16, brush_thinnest = 2;
  int threshold = 12;
  int least_length = 4;
  int ground = 255;
  // strokes of video: oilpaint_state_bytes() of the queue's back end, aligned to 16 bytes, or
  // nullptr. Strokes of the picture before that still fit are kept. The same memory serves all
  // pictures of a stream, in their order. It is new if that begins, or if brushes, least_length,
  // the format or the size change: then nothing is kept. (Strokes may be kept under another
  // threshold, or on another ground.)
  void *state = nullptr;
  bool state_is_new = true;
  // kuwahara: radius of the circle that becomes an ellipse along an edge, of up to twice the
  // radius.
  int kuwahara_radius = 6;
  // mode: columns and rows on either side of a pixel, 1 to kMaxOilModeRadius; and what intensities
  // are divided by, 1 to kMaxOilModeRatio. As in OpenCV's xphoto::oilPainting().
  int mode_radius = 5;
  int mode_ratio = 20;
};

// Memory that oilpaint() needs beside the pictures, on either back end.
std::size_t oilpaint_scratch_bytes(const OilpaintParams &params, const ConstImage &image);

// And what OilpaintParams::state needs.
std::size_t oilpaint_state_bytes(const OilpaintParams &params, const ConstImage &image);

// Paints a picture: `out` has the format and size of `in`. Alpha and padding are copied.
//
// Formats are those whose samples are bytes: grey, RGB, YUV with chroma of any size, planar,
// semi-planar or packed. Rows of both fields are painted together. Chroma of fewer samples is
// repeated for each pixel, and becomes the mean of what its pixels got. Any width and height from 1
// to 2^28 (bytes of a row, rows), any pitch; strokes have kMaxOilStrokesSize columns and rows. The
// planes must not overlap (which is not checked).
//
// scratch: oilpaint_scratch_bytes() of the queue's back end, aligned to 16 bytes, and nobody else's
// until the work has been done.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
Status oilpaint(const OilpaintParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, void *scratch);

}  // namespace coalesce
