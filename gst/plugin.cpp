// SPDX-License-Identifier: LGPL-2.1-or-later
#include "config.h"
#include "convolve/gstconvolve.h"
#include "j2kenc/gstj2kenc.h"
#include "rgb2yuv/gstrgb2yuv.h"
#include "sepconvolve/gstsepconvolve.h"
#include "uyvy2y/gstuyvy2y.h"

GST_DEBUG_CATEGORY(gst_coalesce_debug);

// Elements are registered whether there is a GPU or not: the registry remembers, and a GPU may
// come.
static gboolean plugin_init(GstPlugin *plugin) {
  GST_DEBUG_CATEGORY_INIT(gst_coalesce_debug, "coalesce", 0, "Base classes of gst-coalesce");
  return gst_element_register(plugin, "convolve", GST_RANK_NONE, gst_convolve_get_type()) &&
         gst_element_register(plugin, "j2kenc", GST_RANK_SECONDARY, gst_j2kenc_get_type()) &&
         gst_element_register(plugin, "rgb2yuv", GST_RANK_NONE, gst_rgb2yuv_get_type()) &&
         gst_element_register(plugin, "sepconvolve", GST_RANK_NONE, gst_sepconvolve_get_type()) &&
         gst_element_register(plugin, "uyvy2y", GST_RANK_NONE, gst_uyvy2y_get_type());
}

#define PACKAGE "gst-coalesce"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, coalesce,
                  "Image operations on the GPU or on the CPU, with the same output bytes",
                  plugin_init, COALESCE_VERSION, "LGPL", PACKAGE, PACKAGE)
