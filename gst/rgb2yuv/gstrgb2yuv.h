// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// The element rgb2yuv: 8-bit RGB to YUV.
GType gst_rgb2yuv_get_type();
