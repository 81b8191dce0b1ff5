// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "frame.h"

namespace coalesce::gst {

// Enqueues a copy of every plane between two mapped frames of the same format and size, in any
// combination of host and device memory, as far as both have its rows. Host memory must stay as it
// is until the stream gets there. bytes receives how much was moved.
CUresult copy_frame(const Frame &from, const Frame &to, const Stream &stream, gsize *bytes);

}  // namespace coalesce::gst
