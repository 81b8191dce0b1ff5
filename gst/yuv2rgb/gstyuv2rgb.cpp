// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-yuv2rgb
 * @title: yuv2rgb
 *
 * YUV or grey to RGB. See docs/yuv2rgb.md.
 */
#include "base/conversion.h"

GST_DEBUG_CATEGORY_STATIC(gst_yuv2rgb_debug);

using namespace coalesce;

using GstYuv2rgb = GstCoalesceConversion;
using GstYuv2rgbClass = GstCoalesceConversionClass;

G_DEFINE_TYPE(GstYuv2rgb, gst_yuv2rgb, GST_TYPE_COALESCE_CONVERSION)
GST_ELEMENT_REGISTER_DEFINE(yuv2rgb, "yuv2rgb", GST_RANK_NONE, gst_yuv2rgb_get_type())

static void gst_yuv2rgb_class_init(GstYuv2rgbClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_yuv2rgb_debug, "coalesce-yuv2rgb", 0, "YUV or grey to RGB");
  gst_coalesce_conversion_class_describe(
      klass, gst::kYuv | gst::kGrey, gst::kRgb, "YUV to RGB",
      "Converts YUV or grey video of 8 to 16 bits to RGB by the caps' matrix, range and chroma "
      "site, on the GPU or on the CPU",
      gst_yuv2rgb_debug);
}

static void gst_yuv2rgb_init(GstYuv2rgb *) {}
