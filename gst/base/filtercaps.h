// SPDX-License-Identifier: LGPL-2.1-or-later
// Which caps a filter offers on one pad for those on the other, and which of them it takes.
#pragma once

#include "filter.h"

namespace coalesce::gst {

// For each structure: the element's conversions of it, in both memories (in CUDA memory only if a
// GPU may be used).
GstCaps *filter_transform_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                               GstCaps *filter);

// Takes othercaps. CUDA memory only for a peer whose caps name it.
GstCaps *filter_fixate_caps(GstCoalesceFilter *self, GstPadDirection direction, GstCaps *caps,
                            GstCaps *othercaps);

}  // namespace coalesce::gst
