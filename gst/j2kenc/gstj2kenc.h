// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// The element j2kenc: JPEG 2000 of raw video.
GType gst_j2kenc_get_type();
