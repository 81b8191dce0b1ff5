// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pair.h"

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

GstBuffer *timed(GstBuffer *buffer, unsigned n, GstClockTime duration) {
  GST_BUFFER_PTS(buffer) = n * kFrame;
  GST_BUFFER_DURATION(buffer) = duration;
  return buffer;
}

Pair::Pair(const std::string &element, const std::string &a, const std::string &b,
           const std::string &out, const std::string &source)
    : Pipeline(source + " name=a caps=\"" + a + "\" ! d.sink_0 " + source + " name=b caps=\"" + b +
               "\" ! d.sink_1 " + element + " name=d ! appsink name=sink sync=false caps=\"" + out +
               "\"") {}

GstPad *Pair::pad(const char *name) const {
  GstPad *found = gst_element_get_static_pad(d(), name);
  fail_unless(found != nullptr, "no pad %s", name);
  gst_object_unref(found);
  return found;
}

guint64 Pair::unpaired() const {
  guint64 unpaired = 0;
  g_object_get(d(), "unpaired", &unpaired, nullptr);
  return unpaired;
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

void Pair::expect_end() const {
  const test::BufferRef buffer(pull());
  if (buffer != nullptr) die("a picture more at " + std::to_string(GST_BUFFER_PTS(buffer.get())));
}

std::string Pair::expect_error() {
  wait_for_end();
  std::string found;
  for (const Message &error : errors()) {
    if (error.source != "d") continue;
    if (!found.empty()) die("two errors: " + found + ", and " + error.text);
    found = error.text + ", " + error.details;
  }
  if (found.empty()) die("no error of d");
  return found;
}

std::string wrong_difference(GstBuffer *buffer, const GstVideoInfo &info, unsigned a, unsigned b) {
  return wrong_bytes(buffer, info, GST_MAP_READ, [&](int plane, int x, int y) {
    return static_cast<guint8>(std::abs(sample(a, plane, x, y) - sample(b, plane, x, y)));
  });
}

}  // namespace simulated
