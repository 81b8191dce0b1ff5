// SPDX-License-Identifier: LGPL-2.1-or-later
// What caps of coded video have in common with those of raw video.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

namespace coalesce::gst {

// What caps call a format, as in "YCbCr-4:2:0" and "sYUV".
const char *coded_sampling(const GstVideoFormatInfo *format);
const char *coded_colorspace(const GstVideoFormatInfo *format);

// What is said of the input, and true of the output: size, times, shape, colours, interlacing. So
// what downstream says of them is asked of the input.
void copy_common_fields(const GstStructure *from, GstStructure *to);
// Adds the values of a structure's fields to those of another.
void add_values(const GstStructure *from, GstStructure *to);

// Of a text or a list of them.
template <class Take>
void for_each_string(const GstStructure *structure, const char *field, Take take) {
  const GValue *value = gst_structure_get_value(structure, field);
  const auto take_one = [&take](const GValue *one) {
    if (G_VALUE_HOLDS_STRING(one)) take(g_value_get_string(one));
  };
  if (value == nullptr) return;
  take_one(value);
  if (!GST_VALUE_HOLDS_LIST(value)) return;
  for (guint i = 0; i < gst_value_list_get_size(value); i++)
    take_one(gst_value_list_get_value(value, i));
}

// Of raw video.
template <class Take>
void for_each_format(const GstStructure *raw, Take take) {
  for_each_string(raw, "format", [&take](const char *name) {
    const GstVideoFormat format = gst_video_format_from_string(name);
    if (format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED)
      take(gst_video_format_get_info(format));
  });
}

// False if the structure is not fixed, or no video.
bool fixed_info(const GstStructure *raw, GstVideoInfo *info);
// What raw caps say without words: pixel-aspect-ratio, interlace-mode, colorimetry.
void set_raw_defaults(const GstVideoInfo &info, GstStructure *coded);

// After a CAPS query of a sink pad was answered. Elements such as GStreamer's interlace answer for
// us, and then accept only caps that name all that the answer names. So it names no default that
// upstream leaves out.
void drop_defaults(GstQuery *query);

// In CUDA memory, if that may be, before system memory: there the work is. Takes `raw`.
GstCaps *in_any_memory(GstCaps *raw, bool cuda);

// Of an encoder's input. Where it will not do, posts an error and returns false.
bool check_raw_caps(GstBaseTransform *element, GstCaps *caps, GstVideoInfo *info);

}  // namespace coalesce::gst
