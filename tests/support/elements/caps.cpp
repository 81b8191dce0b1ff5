// SPDX-License-Identifier: LGPL-2.1-or-later
#include "caps.h"

namespace test {

int possible_width(const std::string &format, int width) {
  return format == "UYVP" && (width % 8 == 1 || width % 8 == 3) ? width + 1 : width;
}

std::string video_caps(const std::string &format, Size size, const std::string &more) {
  return "video/x-raw, format=" + format +
         ", width=" + std::to_string(possible_width(format, size.width)) +
         ", height=" + std::to_string(size.height) + ", framerate=25/1" +
         (more.empty() ? "" : ", " + more);
}

std::string video_caps(const char *memory, const char *format, int width, int height) {
  std::string text = "video/x-raw";
  if (*memory != '\0') text += std::string("(") + memory + ")";
  if (*format != '\0') text += std::string(",format=") + format;
  if (width > 0) text += ",width=" + std::to_string(width) + ",height=" + std::to_string(height);
  return text + ",framerate=25/1";
}

CapsRef parse_caps(const std::string &text) {
  CapsRef caps(gst_caps_from_string(text.c_str()));
  fail_unless(caps != nullptr, "not caps: %s", text.c_str());
  return caps;
}

std::string text_of(const GstCaps *caps) {
  return Owned<char>(gst_caps_to_string(caps)).get();
}

GstVideoInfo video_info(const std::string &caps) {
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, parse_caps(caps).get()), "%s", caps.c_str());
  return info;
}

GstVideoInfo video_info(GstVideoFormat format, int width, int height) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, format, static_cast<guint>(width),
                                        static_cast<guint>(height)));
  return info;
}

CapsRef current_caps(GstPad *pad) {
  return CapsRef(gst_pad_get_current_caps(pad));
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test
