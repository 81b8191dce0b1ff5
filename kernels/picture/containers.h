// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures whose samples are not evenly spaced in planes of pixels: packed 4:2:2, and words of
// fields. Filters of neighbourhoods go by way of planes that are: unpacked, filtered, packed.
// Pixels of four samples of 16 bits may go the same way.
#pragma once

#include <cstddef>
#include <functional>

#include "../core/queue.h"
#include "../core/status.h"
#include "image.h"

namespace coalesce {

// Memory for the planes of such a picture, in and out, whatever is filtered of it. 0: its samples
// are in channels (channels.h).
std::size_t container_scratch_bytes(const ConstImage &image);

// Is the format one plane of pixels of four samples of 16 bits each, as AYUV64 and ARGB64?
bool has_deep_pixels(const PixelFormat &format);
// Of a picture of such a format, what container_scratch_bytes() is of others.
std::size_t deep_pixel_scratch_bytes(const ConstImage &image);

// Unpacks the components that are filtered to planes of their own, of 8-bit samples in bytes and of
// others in words of 16 bits; calls filter() once, with pictures of these planes; packs what it has
// made. The planes have the samples' depth (channels.h), and luma without chroma is grey.
//
// Components that are copied, padding, and what is in a row beside the samples keep every bit. Of
// filtered samples that are alone in a container, the other bits of it become 0. The second luma of
// an odd width's last pair repeats the first.
//
// in, out: pictures that have been checked, of such a format. scratch: container_scratch_bytes(),
// or deep_pixel_scratch_bytes(), of the queue's back end, aligned to 16 bytes, and nobody else's
// until the work has been done. Errors: invalid_argument for scratch memory that is missing or not
// aligned; unsupported for a CUDA queue without kernels; device_error; those of filter().
Status filter_containers(
    const ConstImage &in, const Image &out, bool luma_only, bool filter_alpha, const Queue &queue,
    void *scratch, const std::function<Status(const ConstImage &in, const Image &out)> &filter);

}  // namespace coalesce
