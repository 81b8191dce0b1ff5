// SPDX-License-Identifier: LGPL-2.1-or-later
// Owners of what GStreamer's functions return and take.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <utility>

namespace coalesce::gst {

// A part of an object, made in its init function. It goes with the object, after finalize().
template <class Part, class... Arguments>
Part *add_part(gpointer object, Arguments &&...arguments) {
  static const GQuark name = g_quark_from_static_string(__PRETTY_FUNCTION__);
  auto *part = new Part(std::forward<Arguments>(arguments)...);
  g_object_set_qdata_full(static_cast<GObject *>(object), name, part,
                          [](gpointer data) { delete static_cast<Part *>(data); });
  return part;
}

struct Drop {
  void operator()(GstEvent *event) const { gst_event_unref(event); }
  void operator()(GstStructure *structure) const { gst_structure_free(structure); }
  void operator()(gpointer memory) const { g_free(memory); }
};
using EventRef = std::unique_ptr<GstEvent, Drop>;
using StructureRef = std::unique_ptr<GstStructure, Drop>;
using TextRef = std::unique_ptr<gchar, Drop>;

// Sets a field to a text, if there is one. Takes it.
inline void set_text(GstStructure *structure, const char *field, gchar *text) {
  const TextRef owned(text);
  if (text != nullptr) gst_structure_set(structure, field, G_TYPE_STRING, text, nullptr);
}

}  // namespace coalesce::gst
