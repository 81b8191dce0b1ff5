// SPDX-License-Identifier: LGPL-2.1-or-later
// What coalescejpegenc has to give, by the obvious encoder of tests/kernels/jpeg, and the
// properties read a second time.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// Empty if `file` is what an element with these properties, in which nothing is wrong, makes of the
// frame; else what differs.
std::string jpeg_difference(GstElement *element, GstBuffer *frame, const GstVideoInfo &info,
                            const Bytes &file);

// Is nothing wrong in them for frames of this format?
bool jpeg_settings_are_sound(GstElement *element, const GstVideoInfo &info);

}  // namespace test
