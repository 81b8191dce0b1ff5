// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers that are not what their caps say end in an element error that names the problem; the next
// good one works.
#include <algorithm>
#include <cstring>
#include <functional>

#include "bad_cases.h"

namespace test {

struct Unmappable {
  GstAllocator parent;
};
struct UnmappableClass {
  GstAllocatorClass parent_class;
};
GType unmappable_get_type();
G_DEFINE_TYPE(Unmappable, unmappable, GST_TYPE_ALLOCATOR)

static void unmappable_class_init(UnmappableClass *klass) {
  GST_ALLOCATOR_CLASS(klass)->free = [](GstAllocator *, GstMemory *memory) { g_free(memory); };
}

static void unmappable_init(Unmappable *self) {
  self->parent.mem_type = "unmappable";
  self->parent.mem_map = [](GstMemory *, gsize, GstMapFlags) -> gpointer { return nullptr; };
  self->parent.mem_unmap = [](GstMemory *) {};
}

namespace {

GstAllocator *unmappable_allocator_new() {
  return GST_ALLOCATOR(gst_object_ref_sink(g_object_new(unmappable_get_type(), nullptr)));
}

const Size kSize{64, 48};

GstBuffer *of_bytes(gsize size) {
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
  gst_buffer_memset(buffer, 0, 0x55, size);
  return buffer;
}

// What a GstVideoMeta claims; starting from the truth.
struct Claim {
  int format;  // also numbers that are none
  guint width, height;
  guint n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
};

GstBuffer *claiming(const GstVideoInfo &info, const std::function<void(Claim &)> &lie) {
  Claim claim{GST_VIDEO_INFO_FORMAT(&info),
              static_cast<guint>(info.width),
              static_cast<guint>(info.height),
              GST_VIDEO_INFO_N_PLANES(&info),
              {},
              {}};
  std::copy_n(info.offset, GST_VIDEO_MAX_PLANES, claim.offset);
  std::copy_n(info.stride, GST_VIDEO_MAX_PLANES, claim.stride);
  lie(claim);
  GstBuffer *buffer = of_bytes(info.size);
  GstVideoMeta *meta = gst_buffer_add_video_meta_full(
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), claim.width, claim.height,
      claim.n_planes, claim.offset, claim.stride);
  std::memcpy(&meta->format, &claim.format, sizeof meta->format);
  return buffer;
}

struct Case {
  const char *name;
  GstBuffer *(*make)(const GstVideoInfo &info);
  std::vector<const char *> words;
};

const Case kCases[] = {
    {"one byte short",
     [](const GstVideoInfo &info) { return of_bytes(info.size - 1); },
     {"input", "64x48", "bytes"}},
    {"one byte", [](const GstVideoInfo &) { return of_bytes(1); }, {"input", "1 bytes"}},
    {"no memory", [](const GstVideoInfo &) { return gst_buffer_new(); }, {"input", "empty"}},
    {"no bytes", [](const GstVideoInfo &) { return of_bytes(0); }, {"input"}},
    {"stride of a byte less than the row",
     [](const GstVideoInfo &info) {
       return claiming(info, [](Claim &c) { c.stride[0] = c.stride[0] - 1; });
     },
     {"input", "stride", "plane 0"}},
    {"stride 0",
     [](const GstVideoInfo &info) { return claiming(info, [](Claim &c) { c.stride[0] = 0; }); },
     {"input", "stride of 0"}},
    {"negative stride",
     [](const GstVideoInfo &info) {
       return claiming(info, [](Claim &c) { c.stride[0] = -c.stride[0]; });
     },
     {"input", "stride of -"}},
    {"rows that end a byte behind the buffer",
     [](const GstVideoInfo &info) {
       return claiming(info, [&info](Claim &c) { c.offset[GST_VIDEO_INFO_N_PLANES(&info) - 1]++; });
     },
     {"input", "plane ", "bytes"}},
    {"huge stride",
     [](const GstVideoInfo &info) {
       return claiming(info, [](Claim &c) { c.stride[0] = G_MAXINT; });
     },
     {"input", "plane 0", "bytes"}},
    {"offset at the end",
     [](const GstVideoInfo &info) {
       return claiming(info, [&info](Claim &c) { c.offset[0] = info.size; });
     },
     {"input"}},
    {"offset far away",
     [](const GstVideoInfo &info) {
       return claiming(info, [](Claim &c) { c.offset[0] = G_MAXSIZE - 16; });
     },
     {"input"}},
    {"another format",
     [](const GstVideoInfo &info) {
       return claiming(info, [](Claim &c) { c.format = GST_VIDEO_FORMAT_v216; });
     },
     {"input", "v216", "GstVideoMeta"}},
    {"a format that there is not",
     [](const GstVideoInfo &info) { return claiming(info, [](Claim &c) { c.format = 300; }); },
     {"input", "format 300", "GstVideoMeta"}},
    {"a narrower frame",
     [](const GstVideoInfo &info) { return claiming(info, [](Claim &c) { c.width = 63; }); },
     {"input", "63x48", "GstVideoMeta"}},
    {"a lower frame",
     [](const GstVideoInfo &info) { return claiming(info, [](Claim &c) { c.height = 47; }); },
     {"input", "64x47", "GstVideoMeta"}},
    {"no planes",
     [](const GstVideoInfo &info) { return claiming(info, [](Claim &c) { c.n_planes = 0; }); },
     {"input"}},
};

void check_case(const Case &bad, const std::string &element, const std::string &caps,
                bool converts) {
  const GstVideoInfo info = video_info(caps);
  GST_INFO("%s", bad.name);
  Harness harness(element);
  if (converts) let_convert(harness);
  fail_unless(harness.set_input(caps));
  const GstFlowReturn flow = harness.push(bad.make(info));
  fail_unless(flow == GST_FLOW_ERROR, "%s: %s", bad.name, gst_flow_get_name(flow));
  fail_unless(harness.waiting() == 0, "%s: something came out", bad.name);
  std::vector<const char *> words = bad.words;
  words.push_back(GST_VIDEO_INFO_NAME(&info));
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, words);

  // It has not done for the element.
  fail_unless_equals_int(harness.push(random_frame(info, {}, 1)), GST_FLOW_OK);
  harness.push_event(gst_event_new_eos());
  fail_unless(harness.waiting() == 1, "%s: the next frame is missing", bad.name);
}

GST_START_TEST(bad_buffers) {
  for (const Case &bad : kCases)
    check_case(bad, element_name(__i__), sink_caps(element_name(__i__), kSize), true);
}
GST_END_TEST;

// Elements with nothing to do look at what they pass on all the same.
GST_START_TEST(passing_buffers) {
  for (const char *element : {"yuv2yuv", "coalescedeinterlace"})
    for (const Case &bad : kCases)
      check_case(bad, element, sink_caps(element, kSize), false);
}
GST_END_TEST;

// What looks odd and is right: more bytes than needed, a meta of a larger frame.
GST_START_TEST(generous_buffers) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  const GstVideoInfo info = video_info(caps);
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(of_bytes(info.size + 1000)), GST_FLOW_OK);
  const GstVideoInfo large = video_info(sink_caps(element_name(__i__), {80, 60}));
  fail_unless_equals_int(harness.push(claiming(large, [](Claim &) {})), GST_FLOW_OK);
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 2);
  harness.expect_no_error();
}
GST_END_TEST;

// Memory that cannot be mapped: an error, not a crash.
GST_START_TEST(unmappable_memory) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  const GstVideoInfo info = video_info(caps);
  Harness harness(element_name(__i__));
  let_convert(harness);
  fail_unless(harness.set_input(caps));
  const Owned<GstAllocator> allocator(unmappable_allocator_new());
  auto *memory = g_new0(GstMemory, 1);
  gst_memory_init(memory, GstMemoryFlags(0), allocator.get(), nullptr, info.size, 0, 0, info.size);
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  fail_unless_equals_int(harness.push(buffer), GST_FLOW_ERROR);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"input", "mapped"});
}
GST_END_TEST;

}  // namespace

void add_bad_buffer_cases(Suite *suite) {
  TCase *buffers = new_case(suite, "buffers");
  tcase_add_loop_test(buffers, bad_buffers, 0, n_elements());
  tcase_add_test(buffers, passing_buffers);
  tcase_add_loop_test(buffers, generous_buffers, 0, n_elements());
  tcase_add_loop_test(buffers, unmappable_memory, 0, n_elements());
}

}  // namespace test
