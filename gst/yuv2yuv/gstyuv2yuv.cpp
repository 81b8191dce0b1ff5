// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-yuv2yuv
 * @title: yuv2yuv
 *
 * YUV or grey to YUV or grey. See docs/yuv2yuv.md.
 */
#include "base/conversion.h"

GST_DEBUG_CATEGORY_STATIC(gst_yuv2yuv_debug);

using namespace coalesce;

using GstYuv2yuv = GstCoalesceConversion;
using GstYuv2yuvClass = GstCoalesceConversionClass;

G_DEFINE_TYPE(GstYuv2yuv, gst_yuv2yuv, GST_TYPE_COALESCE_CONVERSION)
GST_ELEMENT_REGISTER_DEFINE(yuv2yuv, "yuv2yuv", GST_RANK_NONE, gst_yuv2yuv_get_type())

static void gst_yuv2yuv_class_init(GstYuv2yuvClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_yuv2yuv_debug, "coalesce-yuv2yuv", 0, "YUV or grey to YUV or grey");
  gst_coalesce_conversion_class_describe(
      klass, gst::kYuv | gst::kGrey, gst::kYuv | gst::kGrey, "YUV to YUV",
      "Converts YUV or grey video of 8 to 16 bits to another layout, subsampling, depth or range, "
      "on the GPU or on the CPU",
      gst_yuv2yuv_debug);
}

static void gst_yuv2yuv_init(GstYuv2yuv *) {}
