// SPDX-License-Identifier: LGPL-2.1-or-later
// From coefficients to a picture: what fits, and the work on the CPU.
#pragma once

#include "../../core/thread_pool.h"
#include "../../picture/image.h"
#include "headers.h"
#include "scan_decoder.h"
#include "upsample.h"

namespace coalesce::jpeg {

// The format that has the file's samples as they are: GRAY8, I420, Y42B or Y444. Without planes if
// there is none: then there is RGB alone.
PixelFormat coded_format(const Frame &frame);

// May a picture of this format and size be written? It has samples of a byte, and is either RGB in
// any order, or grey or YUV in planes of the file's own sampling (NV12 too).
// Errors: invalid_argument; unsupported where libjpeg cannot upsample: factors that do not divide
// the largest ones.
Status check_output(const Frame &frame, const PixelFormat &format, int width, int height);

// RGB whose bytes without a component (RGBx) are alpha: they become 255, too.
PixelFormat with_spare_bytes(PixelFormat format);

// Sample planes of all components behind each other: those of whole MCUs.
struct SampleLayout {
  std::size_t offset[kMostComponents] = {};
  int pitch[kMostComponents] = {};
  std::size_t bytes = 0;
};
SampleLayout sample_layout(const Frame &frame);
SamplePlane sample_plane(const Frame &frame, int component, const SampleLayout &layout,
                         const std::uint8_t *samples, bool fancy);

// Dequantises and transforms all blocks of the picture.
void transform_blocks(const Frame &frame, int component, const QuantTable &quant,
                      const std::int16_t *coefficients, std::uint8_t *samples, int pitch,
                      ThreadPool *pool);

// The output has passed check_output(). planes: of the frame's components.
void write_picture(const Frame &frame, const SamplePlane *planes, const Image &out,
                   ThreadPool *pool);

}  // namespace coalesce::jpeg
