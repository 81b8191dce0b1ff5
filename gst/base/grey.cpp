// SPDX-License-Identifier: LGPL-2.1-or-later
#include "grey.h"

#include "picture/formats.h"
#include "picture/luma.h"
#include "picture/scratch_picture.h"
#include "stereo/view.h"
#include "video/conversion.h"
#include "video/pixelformat.h"

namespace coalesce::gst {

const std::string &formats_with_grey() {
  static const std::string list =
      format_list(formats_where({"GRAY8", "GRAY16_LE", "I420", "NV12", "Y42B", "Y444"},
                                [](const PixelFormat &) { return true; }));
  return list;
}

const std::string &formats_of_colours() {
  static const std::string list = format_list(formats_where({"RGB", "RGBx", "RGBA"}, colours_make));
  return list;
}

const char *grey_format(const GstVideoInfo &info) {
  return pixel_format(info).component[0].bits > 8 ? "GRAY16_LE" : "GRAY8";
}

Image picture_in(Layout *layout, const char *format, int width, int height) {
  Image made = {coalesce::pixel_format(format), width, height, false, {}};
  made.plane[0].width = static_cast<int>(row_bytes(made.format, 0, width));
  made.plane[0].height = height;
  put_in_scratch(&made, layout->at<std::uint8_t>(scratch_picture_bytes(made)));
  return made;
}

Image grey_copy_in(Layout *layout, const GstVideoInfo &in) {
  if (luma_by_itself(pixel_format(in)) != nullptr) return {};
  return picture_in(layout, grey_format(in), GST_VIDEO_INFO_WIDTH(&in), GST_VIDEO_INFO_HEIGHT(&in));
}

ConvertParams params_to_grey(const GstVideoInfo &in) {
  GstVideoInfo grey;
  gst_video_info_set_format(&grey, gst_video_format_from_string(grey_format(in)),
                            static_cast<guint>(GST_VIDEO_INFO_WIDTH(&in)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&in)));
  ConvertParams params = conversion_params(in, grey);
  if (!GST_VIDEO_INFO_IS_RGB(&in)) params.out_range = params.in_range;
  return params;
}

Status look_at_grey(const Frame &in, const ConvertParams &params, const Image &copy,
                    const Queue &queue, ConstImage *picture) {
  *picture = in.image();
  if (luma_by_itself(picture->format) != nullptr) return {};
  Image grey = copy;
  grey.interlaced = picture->interlaced;
  const Status status = convert(params, *picture, grey, queue);
  *picture = grey;
  return status;
}

}  // namespace coalesce::gst
