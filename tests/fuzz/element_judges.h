// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element should have made of a frame, by the references that its own tests have.
#pragma once

#include "element_caps.h"
#include "picture/pixel_format.h"

namespace test {

struct Work {
  GstElement *element;
  GstBuffer *in, *out;
  GstVideoInfo in_info, out_info;
  std::vector<GstBuffer *> inputs{};  // all of an element with several, `in` among them
};

inline bool has_luma(const coalesce::PixelFormat &format) {
  return format.has(coalesce::Role::y) || format.has(coalesce::Role::grey);
}

// Ends the program where a sample is wrong. An element that is not known here is not judged.
void judge(const Work &work);

// Is every property of the element something that it can meet in this format? If not, it warns, and
// goes on with what was before.
bool settings_are_sound(GstElement *element, const GstVideoInfo &info);

}  // namespace test
