// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions between formats: which formats there are, what is lost from one to another, and the
// parameters of a conversion by the caps of both pads.
#pragma once

#include <gst/video/video.h>

#include <functional>
#include <string>
#include <vector>

#include "convert/convert.h"
#include "picture/pixel_format.h"

namespace coalesce::gst {

// Families of formats, as bits.
enum FormatFamily : unsigned { kGrey = 1, kYuv = 2, kRgb = 4 };
FormatFamily family_of(const PixelFormat &format);

// The formats of picture/formats.h that `wanted` accepts and this GStreamer has. Few bits come
// before more, planes of YUV before packed pixels, 4:4:4 before 4:2:0, packed 4:2:2 and grey last;
// else they have the order of the table.
std::vector<std::string> formats_where(
    const std::function<bool(const PixelFormat &format)> &wanted);
// The same, after those of `first` that this GStreamer has.
std::vector<std::string> formats_where(
    const std::vector<const char *> &first,
    const std::function<bool(const PixelFormat &format)> &wanted);
// As in "{ RGB, BGR }".
std::string format_list(const std::vector<std::string> &formats);
// Those of some families, as a list.
const std::string &formats_of(unsigned families);
// Those that a structure may have: all of them if it names none.
std::vector<std::string> formats_in(const GstStructure *structure);

// What a picture loses: less is better. As in GStreamer's videoconvert, colour counts more than
// chroma, chroma more than alpha, and that more than depth; of formats that lose as much, one with
// no more than the picture needs is better.
int conversion_loss(GstVideoFormat from, GstVideoFormat to);

// Matrix, ranges and sites of a conversion, with GStreamer's defaults for what caps leave open.
ConvertParams conversion_params(const GstVideoInfo &in, const GstVideoInfo &out);
// A colour, 0xAARRGGBB, as the components of pictures of 8 bits have it, but for alpha: what
// rgb2yuv makes of such a pixel.
void set_colour(guint argb, const GstVideoInfo &info, std::uint8_t (&sample)[4]);
// For the log.
std::string conversion_text(const ConvertParams &params);

// Why there is no conversion, for an error message; empty if there is one.
std::string conversion_problem(const GstVideoInfo &in, const GstVideoInfo &out);

// Does a conversion leave every sample as it is, and where it is?
bool is_identity(const GstVideoInfo &in, const GstVideoInfo &out);

// The names of all colorimetries with the matrix of this one, itself first, then itself in the
// other range.
std::vector<std::string> colorimetries_like(const GstVideoColorimetry &colorimetry);

}  // namespace coalesce::gst
