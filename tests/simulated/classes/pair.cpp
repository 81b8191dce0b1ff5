// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pair.h"

#include "memory/bufferpool.h"
#include "memory/fencedmemory.h"

namespace simulated {

GstBuffer *cuda_frame(GstCudaContext *context, const GstVideoInfo &info, unsigned seed) {
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];
  GstMemory *memory = coalesce::gst::fenced_memory_alloc(context, info, offsets, strides);
  fail_unless(memory != nullptr);
  GstBuffer *buffer = buffer_of(memory, info, offsets, strides);
  fill(buffer, info, seed);
  to_device(buffer);
  return buffer;
}

GstPad *Pair::pad(const char *name) const {
  GstPad *found = gst_element_get_static_pad(d(), name);
  fail_unless(found != nullptr, "no pad %s", name);
  gst_object_unref(found);
  return found;
}

void Pair::expect(const GstVideoInfo &info, unsigned a, unsigned b, unsigned n) const {
  const test::BufferRef buffer(pull());
  const std::string what = "difference of " + std::to_string(a) + " and " + std::to_string(b);
  if (buffer == nullptr) die(what + " is missing");
  const std::string wrong = wrong_difference(buffer.get(), info, a, b);
  if (!wrong.empty()) die(what + ": " + wrong);
  if (GST_BUFFER_PTS(buffer.get()) != n * kFrame || GST_BUFFER_DURATION(buffer.get()) != kFrame)
    die(what + ": at " + std::to_string(GST_BUFFER_PTS(buffer.get())));
}

void check_steady(SeveralInputs &inputs, GstCudaContext *context, const std::string &caps,
                  const std::function<void(unsigned n)> &expect) {
  coalesce::gst::FramePool pool;
  const test::CapsRef pool_caps = parse_caps(caps);
  fail_unless(pool.make(context, pool_caps.get()));
  give_context(inputs.d(), context);
  inputs.start();
  unsigned n = 0;
  const auto run = [&] {
    for (int i = 0; i < 40; i++, n++) {
      for (const std::string &source : inputs.sources()) {
        GstBuffer *buffer = pool.acquire().release();
        fill(buffer, video_info(caps), n);
        to_device(buffer);
        inputs.push_frame(source, timed(buffer, n));
      }
      expect(n);
    }
  };
  run();
  run_until_steady(run);
  inputs.stop();
  pool.drop();
}

std::string wrong_difference(GstBuffer *buffer, const GstVideoInfo &info, unsigned a, unsigned b) {
  return wrong_bytes(buffer, info, GST_MAP_READ, [&](int plane, int x, int y) {
    return static_cast<guint8>(std::abs(sample(a, plane, x, y) - sample(b, plane, x, y)));
  });
}

}  // namespace simulated
