// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgecolour.h"

#include "video/conversion.h"

namespace coalesce::gst {

EdgeColour edge_colour(const GstVideoInfo &info, guint argb) {
  EdgeColour colour;
  set_colour(argb, info, colour.sample);
  colour.opacity = int(argb >> 24);
  return colour;
}

}  // namespace coalesce::gst
