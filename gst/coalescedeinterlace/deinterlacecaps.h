// SPDX-License-Identifier: LGPL-2.1-or-later
// What deinterlacing makes of caps.
#pragma once

#include <gst/video/video.h>

#include "deinterlacesettings.h"

namespace coalesce::gst {

// The n-th way from a structure of the pad `direction` to one of the other pad. False: there are
// fewer. wanted: of the rates that pattern=auto allows, the first.
bool deinterlace_caps(const DeinterlaceSettings &settings, DeinterlaceRate wanted,
                      GstPadDirection direction, guint n, GstStructure *structure);

// Pictures in the time of a frame, of such caps; without frame rates as the settings have it.
DeinterlaceRate deinterlace_rate(const DeinterlaceSettings &settings, const GstVideoInfo &in,
                                 const GstVideoInfo &out);

}  // namespace coalesce::gst
