// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of j2kenc, and its presets.
#pragma once

#include "j2kencsettings.h"
#include "object/settings.h"

namespace coalesce::gst {

// Those of an element j2kenc.
Settings<J2kSettings> &j2k_settings_of(gpointer element);

void j2k_install_properties(GObjectClass *klass);
// Returns whether `lossless`, which may follow others, reads as something else now.
bool j2k_set_property(Settings<J2kSettings> *settings, guint id, const GValue *value);
void j2k_get_property(const Settings<J2kSettings> &settings, guint id, GValue *value);

// The GstPreset interface; in j2kencpreset.cpp.
void j2k_init_presets(gpointer interface, gpointer);

}  // namespace coalesce::gst
