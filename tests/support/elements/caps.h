// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps as text, and what they say.
#pragma once

#include <string>

#include "owned.h"

namespace test {

struct Size {
  int width, height;
};

constexpr const char *kCuda = "memory:CUDAMemory";
constexpr const char *kSystem = "";
inline std::string memory_text(const char *memory) {
  return *memory ? "CUDA" : "system";
}

// One more where GStreamer's rows are too short: of UYVP of widths 8n + 1 and 8n + 3.
int possible_width(const std::string &format, int width);

// "video/x-raw, format=F, width=W, height=H, framerate=25/1" and `more` ("colorimetry=bt601"),
// W being possible.
std::string video_caps(const std::string &format, Size size, const std::string &more = {});
// The same in one of the memories above. No format and no size if these are "" and 0.
std::string video_caps(const char *memory, const char *format, int width, int height);

CapsRef parse_caps(const std::string &text);
std::string text_of(const GstCaps *caps);
GstVideoInfo video_info(const std::string &caps);
GstVideoInfo video_info(GstVideoFormat format, int width, int height);
CapsRef current_caps(GstPad *pad);  // nullptr if there are none

bool contains(const std::string &text, const std::string &part);

}  // namespace test
