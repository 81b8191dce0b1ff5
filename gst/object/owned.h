// SPDX-License-Identifier: LGPL-2.1-or-later
// Owners of what GStreamer's functions return and take.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace coalesce::gst {

struct Drop {
  void operator()(GstEvent *event) const { gst_event_unref(event); }
  void operator()(GstStructure *structure) const { gst_structure_free(structure); }
  void operator()(gpointer memory) const { g_free(memory); }
};
using EventRef = std::unique_ptr<GstEvent, Drop>;
using StructureRef = std::unique_ptr<GstStructure, Drop>;
using TextRef = std::unique_ptr<gchar, Drop>;

}  // namespace coalesce::gst
