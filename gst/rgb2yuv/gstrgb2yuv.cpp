// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-rgb2yuv
 * @title: rgb2yuv
 *
 * RGB to YUV or grey. See docs/rgb2yuv.md.
 */
#include "base/conversion.h"
#include "rgb2yuv/rgb2yuv.h"

GST_DEBUG_CATEGORY_STATIC(gst_rgb2yuv_debug);

using namespace coalesce;

using GstRgb2yuv = GstCoalesceConversion;
using GstRgb2yuvClass = GstCoalesceConversionClass;

G_DEFINE_TYPE(GstRgb2yuv, gst_rgb2yuv, GST_TYPE_COALESCE_CONVERSION)
GST_ELEMENT_REGISTER_DEFINE(rgb2yuv, "rgb2yuv", GST_RANK_NONE, gst_rgb2yuv_get_type())

namespace {

// Where there is a kernel of its own, which has the same bytes.
Status convert_rgb(const ConvertParams &params, const ConstImage &in, const Image &out,
                   const Queue &queue) {
  if (params.chroma != ChromaFilter::linear || !rgb2yuv_accepts(in.format, out.format))
    return convert(params, in, out, queue);
  return rgb2yuv({params.matrix, params.in_range, params.out_range, params.out_site.h_cosited,
                  params.out_site.v_cosited},
                 in, out, queue);
}

}  // namespace

static void gst_rgb2yuv_class_init(GstRgb2yuvClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_rgb2yuv_debug, "coalesce-rgb2yuv", 0, "RGB to YUV or grey");
  gst_coalesce_conversion_class_describe(
      klass, gst::kRgb, gst::kYuv | gst::kGrey, "RGB to YUV",
      "Converts RGB video of 8 to 16 bits to YUV or grey by the caps' matrix, range and chroma "
      "site, on the GPU or on the CPU",
      gst_rgb2yuv_debug);
  klass->convert = convert_rgb;
}

static void gst_rgb2yuv_init(GstRgb2yuv *) {}
