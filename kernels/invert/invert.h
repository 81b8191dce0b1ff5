// SPDX-License-Identifier: LGPL-2.1-or-later
// The negative of a picture.
#pragma once

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

// Each sample becomes the largest of its depth less itself. Alpha and padding are copied.
//
// `out` has the format, the size and the interlacing of `in`. Formats are all of formats.h. A row's
// samples beyond the width, which complete a group of packed 4:2:2 or v210, are inverted, too.
// If only `out` has the row more of chroma that image.h allows, it becomes that of the nearest row
// of its field.
// Any width and height from 1, any pitch, any alignment of whole samples. The planes are apart or
// the same.
//
// Errors: invalid_argument for pictures that break the above or image.h; unsupported for a CUDA
// queue in a build without CUDA kernels, or on a device they were not built for; device_error.
Status invert(const ConstImage &in, const Image &out, const Queue &queue);

// The back ends. Their arguments have been checked by invert().
Status invert_cpu(const ConstImage &in, const Image &out, ThreadPool *pool);
Status invert_cuda(const ConstImage &in, const Image &out, void *stream);

}  // namespace coalesce
