// SPDX-License-Identifier: LGPL-2.1-or-later
// The types of the properties that are a choice: enums, and flags.
#pragma once

#include <gst/gst.h>

namespace coalesce::gst {

GType j2k_wavelet_type();
GType j2k_progression_type();
GType j2k_block_style_type();
GType j2k_profile_type();

}  // namespace coalesce::gst
