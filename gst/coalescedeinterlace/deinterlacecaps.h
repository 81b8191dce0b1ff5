// SPDX-License-Identifier: LGPL-2.1-or-later
// What deinterlacing makes of caps.
#pragma once

#include <gst/gst.h>

#include "deinterlacesettings.h"

namespace coalesce::gst {

// The n-th way from a structure of the pad `direction` to one of the other pad. False: there are
// fewer.
bool deinterlace_caps(const DeinterlaceSettings &settings, GstPadDirection direction, guint n,
                      GstStructure *structure);

}  // namespace coalesce::gst
