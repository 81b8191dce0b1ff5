// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges drawn on the picture that they are those of.
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

struct EdgeColour {
  std::uint8_t sample[4] = {};  // by the format's components; that of alpha is not looked at
  int opacity = 255;            // from 0, which draws nothing, to 255
};

// Copies a picture, and draws a colour where there are edges.
//
// edges  GRAY8, of the same size: how strong the edge at a pixel is, from 0, none, to 255
// in     any format with samples of 8 bits
// out    of the same format, size and interlacing; none of the memory of `in` or `edges` (which is
//        not checked)
// size   from 1x1; any pitch and alignment
//
// A sample becomes floor((s * (255^2 - w) + colour * w) / 255^2 + 1 / 2), w = opacity * strength.
// If several pixels share it, that is the largest strength among them. Alpha and padding are
// copied. Rows of interlaced chroma that no pixel of `in` has are copies of the nearest row of
// their field.
//
// Errors: invalid_argument for pictures and an opacity that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
Status draw_edges(const EdgeColour &colour, const ConstImage &edges, const ConstImage &in,
                  const Image &out, const Queue &queue);

}  // namespace coalesce
