// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of every element, and what holds of them while it runs.
#pragma once

#include "transform.h"

namespace coalesce::gst {

// Once for the class, together with the types of its enumerations.
void transform_install_properties(GObjectClass *klass);
void transform_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void transform_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec);

// For threads that may come while the element is stopped and the application sets properties.
Settings settings_of(GstCoalesceTransform *self);

// What the properties say now holds, from now on or until the next start.
void set_started(GstCoalesceTransform *self, bool started);

// Tells those who watch active-backend.
void set_active(GstCoalesceTransform *self, ActiveBackend active);

}  // namespace coalesce::gst
