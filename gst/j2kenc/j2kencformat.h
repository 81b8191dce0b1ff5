// SPDX-License-Identifier: LGPL-2.1-or-later
// Formats of raw video as the components of a codestream.
#pragma once

#include <gst/video/video.h>

#include <string>
#include <vector>

#include "j2k/canvas/geometry.h"
#include "j2k/codestream/jp2.h"
#include "j2k/transform/samples.h"
#include "video/frame.h"
#include "video/pixelformat.h"

namespace coalesce::gst {

// All of picture/formats.h that this GStreamer has, as in "{ GRAY8, RGB }".
std::string j2k_formats();

bool j2k_is_rgb(const GstVideoFormatInfo *format);

// Rows of the picture that have one codestream: all, or those of a field.
struct J2kRows {
  int first = 0, step = 1;

  // Of so many rows of a frame.
  int count(int rows) const { return (rows - first + step - 1) / step; }
};

// Image and components: R, G, B or Y, Cb, Cr or grey, and alpha.
void j2k_components(const GstVideoInfo &info, J2kRows rows, j2k::CodingParams *coding);

// Of two fields, is the top one first in time, and so in the buffer?
bool j2k_is_top_first(const GstVideoInfo &info, GstBuffer *buffer);

// Says where the samples of each component are in the frame. A chroma row that belongs to a field,
// and that the frame lacks, is made in `spare` (one for each component) out of the frame's last.
void j2k_samples(const Frame &frame, J2kRows rows, std::vector<std::uint8_t> *spare,
                 j2k::Samples *samples);

// For info's pixels.
j2k::Jp2Params j2k_jp2_params(const GstVideoInfo &info);

}  // namespace coalesce::gst
