// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines on a buffer: a GstCustomMeta, which an application reads by its name in any language.
//
// Its structure has the fields
//   lines  GBytes: of each line six floats of 32 bits in the machine's order: x0, y0, x1, y1, width
//          (pixels; the centre of the upper left one is (0, 0)) and strength (levels of 255)
//   count  guint: of these lines
//   found  guint: of all lines that are long enough
// and is replaced where the buffer is scaled, so that it is about the new picture.
#pragma once

#include <gst/gst.h>

#include "linedetect/linedetect.h"

namespace coalesce::gst {

constexpr const char *kLinesMeta = "GstCoalesceLinesMeta";

// Before the first buffer that has one, at any time and from any thread.
void register_lines_meta();

// In place of one that is there. The buffer is writable. message: nullptr, or what gets the three
// fields, too.
void add_lines_meta(GstBuffer *buffer, GstStructure *message, const Line *lines,
                    const LineCount &count);

}  // namespace coalesce::gst
