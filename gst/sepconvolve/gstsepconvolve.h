// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// The element sepconvolve: convolution with the product of a row and a column of up to 63.
GType gst_sepconvolve_get_type();
