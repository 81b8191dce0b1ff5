// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/controller/controller.h>

#include <vector>

#include "../support/elements/elements.h"

namespace test {

// Binds a property to numbers that are `step` apart, from 0 on.
inline void control(GstElement *element, const char *property, const std::vector<double> &numbers,
                    GstInterpolationMode mode = GST_INTERPOLATION_MODE_LINEAR,
                    GstClockTime step = GST_SECOND) {
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", mode, nullptr);
  for (std::size_t n = 0; n < numbers.size(); n++)
    gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), n * step,
                                       numbers[n]);
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(element), property, source)));
  gst_object_unref(source);
}

}  // namespace test
