// SPDX-License-Identifier: LGPL-2.1-or-later
// The class of filters that convert formats: yuv2rgb, rgb2yuv, yuv2yuv. An element adds its
// families of formats.
#pragma once

#include "filter.h"
#include "video/conversion.h"

struct GstCoalesceConversionPrivate;

struct GstCoalesceConversion {
  GstCoalesceFilter parent;
  GstCoalesceConversionPrivate *priv;
};

struct GstCoalesceConversionClass {
  GstCoalesceFilterClass parent_class;

  // The conversion; `params` are those of the caps and the properties. Default: convert().
  coalesce::Status (*convert)(const coalesce::ConvertParams &params, const coalesce::ConstImage &in,
                              const coalesce::Image &out, const coalesce::Queue &queue);

  // By gst_coalesce_conversion_class_describe(). `unconverted`: from YUV to YUV, which leaves the
  // matrix as it is, or frames of equal caps untouched.
  unsigned sink_families, src_families;
  bool unconverted;
  GstDebugCategory *category;
};

COALESCE_DECLARE_CLASS(GstCoalesceConversion, gst_coalesce_conversion, GST_COALESCE_CONVERSION)
#define GST_TYPE_COALESCE_CONVERSION (gst_coalesce_conversion_get_type())

// In an element's class_init: pad templates with all formats of these families (FormatFamily), the
// metadata, and the category of its log. The texts are static.
void gst_coalesce_conversion_class_describe(GstCoalesceConversionClass *klass,
                                            unsigned sink_families, unsigned src_families,
                                            const char *long_name, const char *description,
                                            GstDebugCategory *category);
