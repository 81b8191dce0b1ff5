// SPDX-License-Identifier: LGPL-2.1-or-later
// Where frames are downloaded to: memory that downstream has of its own is used, ordinary memory
// gives way to page-locked memory.
#include "../classes/elements.h"
#include "memory/pagelocked.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

constexpr unsigned kFrames = 5;
const std::string kSystemGray = video_caps(kSystem, "GRAY8", 70, 9);

GstVideoInfo gray() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, 70, 9);
}

// ---- what a sink with memory of its own has ----------------------------------------------------

struct OwnPool {
  GstVideoBufferPool parent;
};
struct OwnPoolClass {
  GstVideoBufferPoolClass parent_class;
};
GType own_pool_get_type();
G_DEFINE_TYPE(OwnPool, own_pool, GST_TYPE_VIDEO_BUFFER_POOL)
void own_pool_class_init(OwnPoolClass *) {}
void own_pool_init(OwnPool *) {}

struct OwnAllocator {
  GstAllocator parent;
  int memories;
};
struct OwnAllocatorClass {
  GstAllocatorClass parent_class;
};
GType own_allocator_get_type();
G_DEFINE_TYPE(OwnAllocator, own_allocator, GST_TYPE_ALLOCATOR)
void own_allocator_class_init(OwnAllocatorClass *klass) {
  GST_ALLOCATOR_CLASS(klass)->alloc = [](GstAllocator *self, gsize size,
                                         GstAllocationParams *params) {
    reinterpret_cast<OwnAllocator *>(self)->memories++;
    return gst_allocator_alloc(nullptr, size, params);
  };
}
void own_allocator_init(OwnAllocator *) {}

// ---- downstream --------------------------------------------------------------------------------

struct Downstream {
  GstBufferPool *pool = nullptr;
  GstAllocator *allocator = nullptr;
  bool with_params = false;

  ~Downstream() {
    gst_clear_object(&pool);
    gst_clear_object(&allocator);
  }
};

void answer_allocation(const Downstream &self, GstQuery *query) {
  if (self.pool != nullptr) gst_query_add_allocation_pool(query, self.pool, 700, 2, 0);
  if (!self.with_params) return;
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.align = 127;
  gst_query_add_allocation_param(query, self.allocator, &params);
}

gboolean answer(GstPad *pad, GstObject *parent, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS) {
    GstCaps *caps = gst_caps_from_string(kSystemGray.c_str());
    gst_query_set_caps_result(query, caps);
    gst_caps_unref(caps);
    return TRUE;
  }
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default(pad, parent, query);
  answer_allocation(*static_cast<Downstream *>(g_object_get_data(G_OBJECT(pad), "downstream")),
                    query);
  return TRUE;
}

// Frames for that downstream; then visit() looks at each, unfinished as it may be.
template <class Visit>
void run(Downstream &downstream, guint64 waits_while_pushing, Visit visit) {
  {
    Bench bench("coalesceinvert delay=2000");
    g_object_set_data(G_OBJECT(bench.harness()->sinkpad), "downstream", &downstream);
    gst_pad_set_query_function(bench.harness()->sinkpad, answer);
    gst_harness_set_src_caps_str(bench.harness(), kSystemGray.c_str());
    GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
    for (unsigned seed = 1; seed <= kFrames; seed++)
      fail_unless_equals_int(bench.push(pool_buffer(pool, gray(), seed)), GST_FLOW_OK);
    fail_unless_equals_uint64(stat(bench.element(), "synchronizations"), waits_while_pushing);
    for (unsigned seed = 1; seed <= kFrames; seed++) {
      GstBuffer *output = bench.pull();
      visit(output);
      assert_inverted(output, gray(), seed);
      gst_buffer_unref(output);
    }
    fail_unless_equals_uint64(stat(bench.element(), "downloads"), kFrames);
    drop_pool(pool);
  }
  assert_clean();
}

bool is_page_locked(GstBuffer *buffer) {
  return page_locked_fence(buffer) != nullptr;
}

}  // namespace

GST_START_TEST(says_nothing) {
  Downstream downstream;
  run(downstream, 0, [](GstBuffer *output) { fail_unless(is_page_locked(output)); });
}
GST_END_TEST

// Its alignment is kept.
GST_START_TEST(wants_alignment) {
  Downstream downstream;
  downstream.with_params = true;
  run(downstream, 0, [](GstBuffer *output) {
    fail_unless(is_page_locked(output));
    fail_unless_equals_uint64(gst_buffer_peek_memory(output, 0)->align, 127);
  });
}
GST_END_TEST

// As videoconvert and its like have it.
GST_START_TEST(ordinary_pool) {
  for (bool named : {false, true}) {
    Downstream downstream;
    downstream.pool = gst_video_buffer_pool_new();
    downstream.with_params = named;
    if (named) downstream.allocator = gst_allocator_find(GST_ALLOCATOR_SYSMEM);
    run(downstream, 0, [&](GstBuffer *output) {
      fail_unless(is_page_locked(output));
      fail_unless(output->pool == downstream.pool);
    });
  }
}
GST_END_TEST

// As a sink has that shows its own memory: the element waits, for it knows nothing of that memory.
GST_START_TEST(pool_of_its_own) {
  Downstream downstream;
  downstream.pool = GST_BUFFER_POOL(g_object_new(own_pool_get_type(), nullptr));
  gst_object_ref_sink(downstream.pool);
  run(downstream, kFrames, [&](GstBuffer *output) {
    fail_if(is_page_locked(output));
    fail_unless(output->pool == downstream.pool);
  });
}
GST_END_TEST

GST_START_TEST(allocator_of_its_own) {
  for (bool pool : {false, true}) {
    Downstream downstream;
    downstream.allocator = GST_ALLOCATOR(g_object_new(own_allocator_get_type(), nullptr));
    gst_object_ref_sink(downstream.allocator);
    downstream.with_params = true;
    if (pool) downstream.pool = gst_video_buffer_pool_new();
    run(downstream, kFrames, [](GstBuffer *output) { fail_if(is_page_locked(output)); });
    fail_unless(reinterpret_cast<OwnAllocator *>(downstream.allocator)->memories > 0);
  }
}
GST_END_TEST

// Another context: page-locked memory of the new one, and the old one goes.
GST_START_TEST(follows_the_context) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_UYVY, 34, 5),
                     out = video_info(GST_VIDEO_FORMAT_GRAY8, 34, 5);
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kCuda, "UYVY", 34, 5), video_caps(kSystem, "GRAY8", 34, 5));
    for (unsigned round = 0; round < 3; round++) {
      GstCudaContext *context = new_context();
      for (unsigned seed = 1; seed <= 4; seed++) {
        fail_unless_equals_int(bench.push(plain_cuda_buffer(context, info, seed)), GST_FLOW_OK);
        GstBuffer *output = bench.pull();
        fail_unless(is_page_locked(output));
        assert_luma(output, out, GST_VIDEO_FORMAT_UYVY, seed);
        gst_buffer_unref(output);
        // A pool of the first round's context, which only the element itself can replace later.
        if (round == 0) gst_pad_push_event(bench.harness()->sinkpad, gst_event_new_reconfigure());
      }
      gst_object_unref(context);
      // This one, and the first of all, which the element itself remembers.
      fail_unless(eventually([] { return counts().contexts_live == 2; }));
    }
    fail_unless(bench.errors().empty());
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *downstream_pools_suite() {
  register_elements();
  Suite *suite = suite_create("downstream-pools");
  TCase *tests = new_case(suite, "downstream-pools");
  tcase_add_test(tests, says_nothing);
  tcase_add_test(tests, wants_alignment);
  tcase_add_test(tests, ordinary_pool);
  tcase_add_test(tests, pool_of_its_own);
  tcase_add_test(tests, allocator_of_its_own);
  tcase_add_test(tests, follows_the_context);
  return suite;
}
SIMULATED_MAIN(downstream_pools)
