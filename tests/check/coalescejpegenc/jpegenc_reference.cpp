// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegenc_reference.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "jpeg/jpeg_reference.h"
#include "jpeg/tables/quantisation.h"
#include "picture/formats.h"

namespace test {
namespace {

namespace jpeg = coalesce::jpeg;
using coalesce::ConstImage;
using jpeg::EncoderParams;

std::string text_of(GstElement *element, const char *property) {
  const Owned<char> text([&] {
    gchar *value = nullptr;
    g_object_get(element, property, &value, nullptr);
    return value;
  }());
  return text ? text.get() : "";
}

std::optional<jpeg::QuantTable> table_of(GstElement *element, const char *property) {
  const std::string text = text_of(element, property);
  if (text.empty()) return std::nullopt;
  jpeg::QuantTable table;
  const gchar *at = text.c_str();
  for (std::uint16_t &step : table) {
    gchar *end = nullptr;
    at += std::strspn(at, " ,\t\n");
    step = static_cast<std::uint16_t>(g_ascii_strtoull(at, &end, 10));
    at = end;
  }
  return table;
}

int columns_of_mcus(const EncoderParams &params) {
  const coalesce::PixelComponent *u = params.format.find(coalesce::Role::u);
  int across = u != nullptr ? 8 << u->log2_width : 8;
  if (params.format.has(coalesce::Role::r) && !params.keep_rgb &&
      params.subsampling != jpeg::Subsampling::s444)
    across = 16;
  return (params.width + across - 1) / across;
}

EncoderParams params_of(GstElement *element, const GstVideoInfo &info) {
  gint quality, subsampling, restart;
  gboolean keep_rgb, optimize;
  guint max_frame_size, bitrate;
  g_object_get(element, "quality", &quality, "subsampling", &subsampling, "keep-rgb", &keep_rgb,
               "optimize", &optimize, "restart-interval", &restart, "max-frame-size",
               &max_frame_size, "bitrate", &bitrate, nullptr);
  EncoderParams params;
  params.format = coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info));
  params.width = info.width;
  params.height = info.height;
  params.quality = quality;
  if (params.format.has(coalesce::Role::r)) {
    params.keep_rgb = keep_rgb != FALSE;
    if (!params.keep_rgb) params.subsampling = static_cast<jpeg::Subsampling>(subsampling);
  }
  params.optimize = optimize != FALSE;
  params.luma_table = table_of(element, "quant-table-luma");
  params.chroma_table = table_of(element, "quant-table-chroma");
  params.density_x = info.par_d;
  params.density_y = info.par_n;
  for (; std::max(params.density_x, params.density_y) > 65535;
       params.density_x /= 2, params.density_y /= 2) {
  }
  params.density_x = std::max(params.density_x, 1);
  params.density_y = std::max(params.density_y, 1);
  const bool large = gint64{info.width} * info.height >= 1 << 20;
  params.restart_interval = restart >= 0 ? restart : large ? columns_of_mcus(params) : 0;
  params.max_bytes = max_frame_size;
  if (bitrate > 0)
    params.max_bytes = std::max<guint64>(
        gst_util_uint64_scale(bitrate, guint64{125} * static_cast<guint64>(info.fps_d),
                              static_cast<guint64>(info.fps_n)),
        1);
  return params;
}

Bytes with_quality(EncoderParams params, int quality, const ConstImage &image) {
  if (params.max_bytes > 0) {
    if (params.luma_table) params.luma_table = jpeg::quant_table(*params.luma_table, quality);
    if (params.chroma_table) params.chroma_table = jpeg::quant_table(*params.chroma_table, quality);
  }
  params.max_bytes = 0;
  params.quality = quality;
  return coalesce::test::jpeg_reference(params, image);
}

std::string difference(const EncoderParams &params, const ConstImage &image, const Bytes &file) {
  if (params.max_bytes == 0)
    return file == with_quality(params, params.quality, image) ? "" : "other bytes";
  if (file.size() > params.max_bytes) return "more bytes than the limit";
  for (int quality = params.quality; quality > 0; quality--) {
    if (file != with_quality(params, quality, image)) continue;
    return quality == params.quality ||
                   with_quality(params, quality + 1, image).size() > params.max_bytes
               ? ""
               : "a better quality fits, too";
  }
  return "the bytes of no quality";
}

}  // namespace

std::string jpeg_difference(GstElement *element, GstBuffer *buffer, const GstVideoInfo &info,
                            const Bytes &file) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return "the frame is not mapped";
  ConstImage image;
  image.format = coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info));
  image.width = info.width;
  image.height = info.height;
  for (int p = 0; p < image.format.planes; p++)
    image.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)),
                      static_cast<int>(coalesce::row_bytes(image.format, p, info.width)),
                      coalesce::plane_rows(image.format, p, info.height),
                      static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p))};
  const std::string result = difference(params_of(element, info), image, file);
  gst_video_frame_unmap(&frame);
  return result;
}

bool jpeg_settings_are_sound(GstElement *element, const GstVideoInfo &info) {
  constexpr const char *kTable =
      "^([ ,\\t\\n]*([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])(?=[ ,\\t\\n]|$)){64}"
      "[ ,\\t\\n]*$";
  for (const char *property : {"quant-table-luma", "quant-table-chroma"}) {
    const std::string text = text_of(element, property);
    if (!text.empty() && !g_regex_match_simple(kTable, text.c_str(), G_REGEX_DOLLAR_ENDONLY,
                                               static_cast<GRegexMatchFlags>(0)))
      return false;
  }
  gint subsampling;
  guint max_frame_size, bitrate;
  g_object_get(element, "subsampling", &subsampling, "max-frame-size", &max_frame_size, "bitrate",
               &bitrate, nullptr);
  if (max_frame_size > 0 && bitrate > 0) return false;
  if (bitrate > 0 && info.fps_n == 0) return false;
  if (subsampling == 0 || !GST_VIDEO_INFO_IS_YUV(&info)) return true;
  constexpr guint kShifts[][2] = {{}, {0, 0}, {1, 0}, {1, 1}};
  return GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1) == kShifts[subsampling][0] &&
         GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1) == kShifts[subsampling][1];
}

}  // namespace test
