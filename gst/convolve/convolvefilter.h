// SPDX-License-Identifier: LGPL-2.1-or-later
// What the elements convolve and sepconvolve share: properties, formats, and the filter that is
// made of them anew whenever something has changed. An element adds its masks: texts and presets.
#pragma once

#include "base/filter.h"
#include "convolveproperties.h"

GST_DEBUG_CATEGORY_EXTERN(gst_convolve_debug);

struct GstConvolveFilter {
  GstCoalesceFilter parent;
  struct GstConvolveFilterPrivate *priv;
};

struct GstConvolveFilterClass {
  GstCoalesceFilterClass parent_class;
  const coalesce::gst::ConvolveKind *kind;
  const coalesce::gst::ConvolveProperties *properties;
};

COALESCE_DECLARE_CLASS(GstConvolveFilter, gst_convolve_filter, GST_CONVOLVE_FILTER)
#define GST_TYPE_CONVOLVE_FILTER (gst_convolve_filter_get_type())

namespace coalesce::gst {

// Registers an element and its type. `kind` must stay.
gboolean convolve_register(GstPlugin *plugin, const char *name, const char *type_name,
                           const ConvolveKind *kind);

}  // namespace coalesce::gst
