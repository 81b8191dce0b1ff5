// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backend.h"
#include "core/objectlock.h"

namespace coalesce::gst {
namespace {

enum {
  PROP_0,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_N_THREADS,
  PROP_ACTIVE_BACKEND,
  PROP_STATS,
};

GType backend_get_type() {
  static const GEnumValue values[] = {
      {int(BackendChoice::automatic),
       "GPU if either pad has CUDA memory. With system memory on both pads: GPU for JPEG 2000 and "
       "for large masks on large frames, if a GPU is usable; otherwise CPU",
       "auto"},
      {int(BackendChoice::cuda), "GPU; an error if no GPU is usable", "cuda"},
      {int(BackendChoice::cpu), "CPU; neither pad accepts CUDA memory", "cpu"},
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

// For threads that may come while the element is stopped and the application sets properties.
Backend::Settings Backend::settings() {
  const ObjectLock lock(element_);
  return settings_;
}

bool Backend::has_started() {
  const ObjectLock lock(element_);
  return started_;
}

// What the properties say now holds, from now on or until the next start.
void Backend::set_started(bool started) {
  const ObjectLock lock(element_);
  started_ = started;
  settings_ = wanted_;
}

void Backend::set_active(ActiveBackend active) {
  if (active_.exchange(active) != active) g_object_notify(G_OBJECT(element_), "active-backend");
}

void Backend::set_property(guint id, const GValue *value, GParamSpec *pspec) {
  const ObjectLock lock(element_);
  switch (id) {
    case PROP_BACKEND:
      wanted_.choice = static_cast<BackendChoice>(g_value_get_enum(value));
      break;
    case PROP_CUDA_DEVICE_ID:
      wanted_.cuda_device_id = g_value_get_int(value);
      break;
    case PROP_N_THREADS:
      wanted_.n_threads = g_value_get_int(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(element_, id, pspec);
  }
  if (!started_) settings_ = wanted_;
}

void Backend::get_property(guint id, GValue *value, GParamSpec *pspec) {
  const ObjectLock lock(element_);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum(value, int(wanted_.choice));
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int(value, wanted_.cuda_device_id);
      break;
    case PROP_N_THREADS:
      g_value_set_int(value, wanted_.n_threads);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_enum(value, int(active_.load()));
      break;
    case PROP_STATS:
      g_value_take_boxed(value, stats());
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(element_, id, pspec);
  }
}

void Backend::install_properties(GObjectClass *klass) {
  constexpr auto kStatic = static_cast<GParamFlags>(G_PARAM_STATIC_STRINGS);
  const auto ready =
      static_cast<GParamFlags>(G_PARAM_READWRITE | kStatic | GST_PARAM_MUTABLE_READY);
  const auto readable = static_cast<GParamFlags>(G_PARAM_READABLE | kStatic);
  g_object_class_install_property(
      klass, PROP_BACKEND,
      g_param_spec_enum("backend", "Back end",
                        "Processing on the GPU or on the CPU; both produce the same bytes",
                        backend_get_type(), int(BackendChoice::automatic), ready));
  g_object_class_install_property(
      klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int("cuda-device-id", "CUDA device",
                       "CUDA device number, counted from 0 (-1 = the device of the buffers or of "
                       "neighbouring elements, otherwise 0)",
                       -1, G_MAXINT, -1, ready));
  g_object_class_install_property(
      klass, PROP_N_THREADS,
      g_param_spec_int("n-threads", "Threads",
                       "Number of threads per frame on the CPU (0 = number of cores)", 0, 1024, 0,
                       ready));
  g_object_class_install_property(
      klass, PROP_ACTIVE_BACKEND,
      g_param_spec_enum("active-backend", "Active back end",
                        "Back end in use for the negotiated caps", active_backend_get_type(),
                        int(ActiveBackend::none), readable));
  g_object_class_install_property(
      klass, PROP_STATS,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Counters since the element was created: frames processed, uploads and downloads of "
          "frames over the bus, their bytes, and synchronizations (CPU threads waiting for the "
          "GPU)",
          GST_TYPE_STRUCTURE, readable));
  gst_type_mark_as_plugin_api(backend_get_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(active_backend_get_type(), GstPluginAPIFlags(0));
}

}  // namespace coalesce::gst
