// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backend.h"
#include "object/propertytable.h"

namespace coalesce::gst {
namespace {

enum : guint { PROP_ACTIVE_BACKEND = 4, PROP_STATS };  // after the settings

GType backend_get_type() {
  static const GEnumValue values[] = {
      {int(BackendChoice::automatic),
       "GPU if any pad has CUDA memory. With system memory on all pads and a usable GPU: GPU "
       "in coders of JPEG and JPEG 2000, and in convolve, sepconvolve, median, bilateral, cartoon, "
       "linedetect, oilpaint, stereodisparity and multiview if pixels x work for each >= 2^28. "
       "Otherwise CPU",
       "auto"},
      {int(BackendChoice::cuda), "GPU; an error if no GPU is usable", "cuda"},
      {int(BackendChoice::cpu), "CPU; no pad accepts CUDA memory", "cpu"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceBackend", values);
  return type;
}

GType active_backend_get_type() {
  static const GEnumValue values[] = {{int(ActiveBackend::none), "No caps negotiated yet", "none"},
                                      {int(ActiveBackend::cpu), "CPU", "cpu"},
                                      {int(ActiveBackend::cuda), "GPU", "cuda"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceActiveBackend", values);
  return type;
}

}  // namespace

GstStructure *Backend::stats() const {
  const Counters &c = *counters_;
  return gst_structure_new("application/x-coalesce-stats",                              //
                           "frames", G_TYPE_UINT64, guint64(c.frames),                  //
                           "uploads", G_TYPE_UINT64, guint64(c.uploads),                //
                           "downloads", G_TYPE_UINT64, guint64(c.downloads),            //
                           "upload-bytes", G_TYPE_UINT64, guint64(c.upload_bytes),      //
                           "download-bytes", G_TYPE_UINT64, guint64(c.download_bytes),  //
                           "synchronizations", G_TYPE_UINT64, guint64(c.synchronizations), nullptr);
}

void Backend::set_active(ActiveBackend active) {
  if (active_.exchange(active) != active) g_object_notify(G_OBJECT(element_), "active-backend");
}

const PropertyTable<BackendSettings> &Backend::properties() {
  static const auto table = [] {
    using S = BackendSettings;
    PropertyTable<S> table;
    table.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY);
    table.add(
        &S::choice,
        {"backend", "Back end", "Processing on the GPU or on the CPU; both produce the same bytes"},
        backend_get_type());
    table.add(&S::cuda_device_id,
              {"cuda-device-id", "CUDA device",
               "CUDA device number, counted from 0 (-1 = the device of the buffers or of "
               "neighbouring elements, otherwise 0)"},
              -1, G_MAXINT);
    table.add(
        &S::n_threads,
        {"n-threads", "Threads", "Number of threads per frame on the CPU (0 = number of cores)"}, 0,
        1024);
    return table;
  }();
  return table;
}

void Backend::set_property(guint id, const GValue *value) {
  settings_.change([&](BackendSettings &s) { return properties().set(id, &s, value); });
}

void Backend::get_property(guint id, GValue *value) {
  if (id == PROP_ACTIVE_BACKEND)
    g_value_set_enum(value, int(active_.load()));
  else if (id == PROP_STATS)
    g_value_take_boxed(value, stats());
  else
    settings_.read([&](const BackendSettings &s) { properties().get(id, s, value); });
}

void Backend::install_properties(GObjectClass *klass) {
  constexpr auto kReadable = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties().install(klass);
  g_object_class_install_property(
      klass, PROP_ACTIVE_BACKEND,
      g_param_spec_enum("active-backend", "Active back end",
                        "Back end in use for the negotiated caps", active_backend_get_type(),
                        int(ActiveBackend::none), kReadable));
  g_object_class_install_property(
      klass, PROP_STATS,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Counters since the element was created: frames processed, uploads and downloads of "
          "frames over the bus, their bytes, and synchronizations (CPU threads waiting for the "
          "GPU)",
          GST_TYPE_STRUCTURE, kReadable));
  gst_type_mark_as_plugin_api(backend_get_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(active_backend_get_type(), GstPluginAPIFlags(0));
}

}  // namespace coalesce::gst
