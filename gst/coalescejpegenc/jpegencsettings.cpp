// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegencsettings.h"

#include <algorithm>
#include <optional>

#include "coding/codedcaps.h"
#include "jpeg/plan/coding_plan.h"
#include "object/settings.h"
#include "video/pixelformat.h"

namespace coalesce::gst {
namespace {

using jpeg::Subsampling;

const char *name_of(Subsampling subsampling) {
  switch (subsampling) {
    case Subsampling::s444:
      return "444";
    case Subsampling::s422:
      return "422";
    case Subsampling::s420:
      return "420";
    default:
      return "auto";
  }
}

// Steps of 1 to 255, row by row. False if there is anything else.
bool parse_table(const std::string &text, jpeg::QuantTable *table) {
  constexpr const char *kSeparators = " ,\t\n";
  std::size_t at = 0, count = 0;
  while ((at = text.find_first_not_of(kSeparators, at)) != std::string::npos) {
    int step = 0;
    std::size_t digits = 0;
    for (; at < text.size() && g_ascii_isdigit(text[at]) && digits < 4; at++, digits++)
      step = 10 * step + (text[at] - '0');
    const bool ends =
        at == text.size() || std::string(kSeparators).find(text[at]) != std::string::npos;
    if (digits == 0 || !ends || step < 1 || step > 255 || count == table->size()) return false;
    (*table)[count++] = static_cast<std::uint16_t>(step);
  }
  return count == table->size();
}

std::string check_table(const char *property, const std::string &text) {
  jpeg::QuantTable table;
  if (text.empty() || parse_table(text, &table)) return {};
  return quote_setting(property, text, 200) +
         ": expected 64 whole numbers from 1 to 255, row by row" + quoting_hint(property, text);
}

std::optional<jpeg::QuantTable> table_of(const std::string &text) {
  jpeg::QuantTable table;
  if (text.empty() || !parse_table(text, &table)) return std::nullopt;
  return table;
}

// X and Y density of JFIF have 16 bits each.
void set_density(const GstVideoInfo &info, jpeg::EncoderParams *params) {
  gint n = std::max(GST_VIDEO_INFO_PAR_N(&info), 1), d = std::max(GST_VIDEO_INFO_PAR_D(&info), 1);
  for (; n > G_MAXUINT16 || d > G_MAXUINT16; n /= 2, d /= 2) {
  }
  params->density_x = std::max(d, 1);
  params->density_y = std::max(n, 1);
}

// Rows of MCUs of large pictures: decoders can work on several of them at once, and the file is
// hardly larger.
int automatic_interval(const jpeg::EncoderParams &params) {
  constexpr int kLarge = 1 << 20;  // pixels
  if (std::int64_t{params.width} * params.height < kLarge) return 0;
  return make_plan(params).mcus_x;
}

std::string set_limit(const JpegSettings &settings, const GstVideoInfo &info,
                      jpeg::EncoderParams *params) {
  params->max_bytes = settings.max_frame_size;
  if (settings.bitrate == 0) return {};
  const auto n = static_cast<guint64>(GST_VIDEO_INFO_FPS_N(&info));
  const auto d = static_cast<guint64>(GST_VIDEO_INFO_FPS_D(&info));
  if (n == 0) return jpeg_limit_text(settings) + ": requires a framerate; use max-frame-size";
  // kbit/s are 125 bytes a second.
  params->max_bytes = std::max<guint64>(gst_util_uint64_scale(settings.bitrate, 125 * d, n), 1);
  return {};
}

}  // namespace

std::string jpeg_limit_text(const JpegSettings &settings) {
  if (settings.max_frame_size > 0)
    return "max-frame-size=" + std::to_string(settings.max_frame_size);
  return settings.bitrate > 0 ? "bitrate=" + std::to_string(settings.bitrate) : std::string();
}

std::string jpeg_text(const Status &status, const JpegSettings &settings, std::size_t max_bytes) {
  const std::string limit = jpeg_limit_text(settings);
  if (status.code() == StatusCode::invalid_argument && !limit.empty())
    return limit + ": the frame has more than " + std::to_string(max_bytes) +
           " bytes, even with quality=1";
  std::string text = status.message();
  if (text.compare(0, 6, "jpeg: ") == 0) text.erase(0, 6);
  return text;
}

std::string jpeg_check(const JpegSettings &settings) {
  if (settings.max_frame_size > 0 && settings.bitrate > 0)
    return "max-frame-size=" + std::to_string(settings.max_frame_size) +
           " and bitrate=" + std::to_string(settings.bitrate) + ": only one limit can be set";
  const std::string luma = check_table("quant-table-luma", settings.quant_table_luma);
  return !luma.empty() ? luma : check_table("quant-table-chroma", settings.quant_table_chroma);
}

// Without a limit, own tables are what they are.
std::string jpeg_ignored(const JpegSettings &settings) {
  if (settings.quality == JpegSettings().quality || settings.quant_table_luma.empty() ||
      settings.quant_table_chroma.empty() || !jpeg_limit_text(settings).empty())
    return {};
  return "quality=" + std::to_string(settings.quality) +
         " has no effect with quant-table-luma and quant-table-chroma; it requires max-frame-size "
         "or bitrate";
}

bool jpeg_converts(const JpegSettings &settings, const GstVideoFormatInfo *format) {
  return GST_VIDEO_FORMAT_INFO_IS_RGB(format) && !settings.keep_rgb;
}

const char *jpeg_sampling(const JpegSettings &settings, const GstVideoFormatInfo *format) {
  if (jpeg_converts(settings, format)) {
    if (settings.subsampling == Subsampling::s444) return "YCbCr-4:4:4";
    return settings.subsampling == Subsampling::s422 ? "YCbCr-4:2:2" : "YCbCr-4:2:0";
  }
  if (GST_VIDEO_FORMAT_INFO_IS_RGB(format)) return "RGB";
  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA(format)) return "YCbCr-4:4:4";  // and no alpha
  return coded_sampling(format);
}

std::string jpeg_params(const JpegSettings &settings, const GstVideoInfo &info,
                        jpeg::EncoderParams *params) {
  *params = {};
  params->format = pixel_format(info);
  params->width = info.width;
  params->height = info.height;
  params->quality = settings.quality;
  params->keep_rgb = GST_VIDEO_INFO_IS_RGB(&info) && settings.keep_rgb;
  params->subsampling = params->keep_rgb ? Subsampling::automatic : settings.subsampling;
  params->optimize = settings.optimize;
  params->luma_table = table_of(settings.quant_table_luma);
  params->chroma_table = table_of(settings.quant_table_chroma);
  set_density(info, params);
  if (!jpeg_converts(settings, info.finfo) && !params->keep_rgb) {
    const jpeg::EncoderParams wanted = *params;
    params->subsampling = Subsampling::automatic;
    if (check_params(*params).ok() && !check_params(wanted).ok())
      return std::string("subsampling=") + name_of(settings.subsampling) + ": " +
             GST_VIDEO_INFO_NAME(&info) + " has " + jpeg_sampling(settings, info.finfo) +
             ", and YUV is coded with the subsampling that it has; use subsampling=auto, or "
             "yuv2yuv before";
  }
  if (std::string problem = set_limit(settings, info, params); !problem.empty()) return problem;
  if (const Status s = check_params(*params); !s.ok()) return jpeg_text(s, JpegSettings(), 0);
  params->restart_interval = settings.restart_interval == kJpegAutomaticInterval
                                 ? automatic_interval(*params)
                                 : settings.restart_interval;
  return {};
}

}  // namespace coalesce::gst
