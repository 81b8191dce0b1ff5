// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include "config.h"

GST_DEBUG_CATEGORY(gst_coalesce_debug);

COALESCE_EACH(GST_ELEMENT_REGISTER_DECLARE)

// Elements are registered whether there is a GPU or not: the registry remembers, and a GPU may
// come.
static gboolean plugin_init(GstPlugin *plugin) {
  GST_DEBUG_CATEGORY_INIT(gst_coalesce_debug, "coalesce", 0, "Base classes of gst-coalesce");
#define REGISTER(element) GST_ELEMENT_REGISTER(element, plugin) &&
  return COALESCE_EACH(REGISTER) TRUE;
}

#define PACKAGE "gst-coalesce"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, coalesce,
                  "Image operations on the GPU or on the CPU, with the same output bytes",
                  plugin_init, COALESCE_VERSION, "LGPL", PACKAGE, PACKAGE)
