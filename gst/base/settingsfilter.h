// SPDX-License-Identifier: LGPL-2.1-or-later
// What filters have in common whose settings may change with every frame
// (video/channelsettings.h).
//
// priv_of(element): its part, with Settings `settings` and SettingsInUse `in_use`. properties():
// the table. ignored(settings): texts for warnings, of what has been set and has no effect in any
// format; empty ones are none. update(element, info, new_format): follows the settings.
#pragma once

#include "filter.h"
#include "object/guarded.h"

namespace coalesce::gst {

template <auto priv_of, auto properties, auto ignored, auto update>
class SettingsFilter {
 public:
  // Sets functions of the class, and installs the properties.
  static void install(GstCoalesceFilterClass *klass) {
    auto *object_class = G_OBJECT_CLASS(klass);
    object_class->set_property = guarded<set_property>;
    object_class->get_property = guarded<get_property>;
    properties().install(object_class);
    GST_BASE_TRANSFORM_CLASS(klass)->start = guarded<start>;
    GST_BASE_TRANSFORM_CLASS(klass)->stop = guarded<stop>;
    GST_COALESCE_TRANSFORM_CLASS(klass)->settings_changes = [](GstCoalesceTransform *self) {
      return priv_of(self).settings.changes();
    };
    klass->set_info = [](GstCoalesceFilter *self, const GstVideoInfo *in,
                         const GstVideoInfo *) -> gboolean { return update(self, *in, true); };
  }

  // For an element's own, in place of the class's.
  static gboolean stop(GstBaseTransform *trans) {
    const gboolean stopped = parent()->stop(trans);
    priv_of(trans).in_use.stop();
    return stopped;
  }

 private:
  static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
    priv_of(object).settings.change(
        [&](auto &settings) { return properties().set(id, &settings, value); });
  }

  static void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
    priv_of(object).settings.read(
        [&](const auto &settings) { properties().get(id, settings, value); });
  }

  static GstBaseTransformClass *parent() {
    return GST_BASE_TRANSFORM_CLASS(g_type_class_peek(GST_TYPE_COALESCE_FILTER));
  }

  static gboolean start(GstBaseTransform *trans) {
    const auto settings = priv_of(trans).settings.snapshot();
    warn_of_ignored(trans, ignored(settings));
    return priv_of(trans).in_use.start(settings) && parent()->start(trans);
  }
};

}  // namespace coalesce::gst
