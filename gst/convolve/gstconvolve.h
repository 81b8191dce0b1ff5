// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// The element convolve: convolution with any mask of up to 31 x 31.
GType gst_convolve_get_type();
