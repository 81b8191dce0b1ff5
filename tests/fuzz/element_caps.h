// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and frames out of the bytes of an input.
#pragma once

#include <string>

#include "../support/elements/elements.h"
#include "fuzz.h"

namespace test {

using coalesce::test::Input;

// The elements of the plugin that take raw video and give raw video.
const std::vector<std::string> &video_filters();

// Mostly what the element takes, of some tens of pixels across; sometimes another format, extreme
// sizes, nonsense in fields.
std::string any_input_caps(Input &in, const std::string &element);
// What the element takes, and a moderate size.
std::string plain_input_caps(Input &in, const std::string &element);
// What downstream accepts.
std::string any_output_caps(Input &in, const std::string &element);

struct AnyFrame {
  BufferRef buffer;
  bool good;  // it is what the caps say, so it must be taken
};
// Half of them lie oddly in their memory, some claim what is not so.
AnyFrame any_frame(Input &in, const GstVideoInfo &info);

}  // namespace test
