// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers beyond a property's limits, of which GObject keeps the value before.
#pragma once

#include "../support/elements/owned.h"

namespace test {

// GLib's word of a refusal is a warning, and a critical one in newer versions.
template <class Number>
void expect_refused(GstElement *element, const char *name, Number value) {
  _gst_check_expecting_log = TRUE;
  _gst_check_raised_warning = _gst_check_raised_critical = FALSE;
  g_object_set(element, name, value, nullptr);
  _gst_check_expecting_log = FALSE;
  fail_unless(_gst_check_raised_warning || _gst_check_raised_critical, "%s was not refused", name);
}

// Limits of real numbers are not sharp in older versions of GLib. In newer ones this is 0.
inline void set_just_below_0(GstElement *element, const char *name) {
  g_object_set(element, name, 0., nullptr);
  _gst_check_expecting_log = TRUE;
  g_object_set(element, name, -1e-100, nullptr);
  _gst_check_expecting_log = FALSE;
}

}  // namespace test
