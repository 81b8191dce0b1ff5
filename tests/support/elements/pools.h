// SPDX-License-Identifier: LGPL-2.1-or-later
// Pools that an element proposes, and one that downstream offers to an element.
#pragma once

#include "harness.h"

namespace test {

// The pool that the element proposes upstream for caps, active; nullptr if it proposes none. `size`
// receives the announced size of a buffer.
GstBufferPool *proposed_pool(GstHarness *harness, const char *caps, guint *size = nullptr,
                             guint max_buffers = 0);
GstBufferPool *proposed_pool(GstPad *source, const char *caps, guint *size = nullptr,
                             guint max_buffers = 0);  // to the peer of this pad
GstBuffer *acquire(GstBufferPool *pool);
void drop_pool(GstBufferPool *pool);  // stops it; nullptr is nothing

// Its buffers have odd strides, offsets and bases, and a guard in every byte that belongs to no
// plane, where GstVideoMeta is understood.
GstBufferPool *odd_pool_new();
// Fails if a guard byte has been written.
void check_guards(GstBuffer *buffer, const GstVideoInfo &info);
// Answers the element's ALLOCATION queries with `pool`, with GstVideoMeta or without.
void offer_pool(Harness &harness, GstBufferPool *pool, bool video_meta);

}  // namespace test
