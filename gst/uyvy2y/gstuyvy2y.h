// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// The element uyvy2y: luma of packed 4:2:2 video.
GType gst_uyvy2y_get_type();
