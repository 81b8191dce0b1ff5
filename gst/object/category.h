// SPDX-License-Identifier: LGPL-2.1-or-later
// The category of debug output. (Where an element has its own, it defines that instead.)
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(gst_coalesce_debug);
#define GST_CAT_DEFAULT gst_coalesce_debug
