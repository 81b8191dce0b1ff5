// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements share that compare luma or grey. They look at a frame's own samples, where these
// have bytes or words of their own, or at a copy of its grey in scratch memory. Of RGB that is what
// rgb2yuv makes; luma keeps its numbers. They show numbers as they are, or in colours.
#pragma once

#include <string>

#include "convert/convert.h"
#include "core/layout.h"
#include "core/queue.h"
#include "video/frame.h"

namespace coalesce::gst {

// All formats: each has luma or grey, or a grey that can be made.
const std::string &formats_with_grey();

// Those that colours() makes of numbers.
const std::string &formats_of_colours();

// What a copy of the grey of such pictures is, whether there has to be one or not.
const char *grey_format(const GstVideoInfo &info);

// A picture of a format with one plane, in scratch memory.
Image picture_in(Layout *layout, const char *format, int width, int height);

// For frames of these caps: room for the copy, which is empty if there is none, and how it is made.
Image grey_copy_in(Layout *layout, const GstVideoInfo &in);
ConvertParams params_to_grey(const GstVideoInfo &in);

// *picture: what is to be looked at.
Status look_at_grey(const Frame &in, const ConvertParams &params, const Image &copy,
                    const Queue &queue, ConstImage *picture);

}  // namespace coalesce::gst
