// SPDX-License-Identifier: LGPL-2.1-or-later
// What GStreamer 1.22's CUDA library and base class do to the unwary, and what keeps each from us.
//
// 1. A CUDA context made before the driver is loaded aborts; after a cuInit() that failed, the
// second
//    try never returns.
//      gpu_gate() in gst/cuda/gpu.cpp is the only way to a context, asks in the right
//      order, once for each start.
//      no_gpu.cpp, all of it, under init-fails, no-device, driver-lacks-functions and no-driver;
//      here: nothing_happens_before_it_must.
// 2. CUDA memory's type and allocator exist only after gst_cuda_memory_init_once().
//      gpu_gate() calls it. Here: alone, which has no one else to call it.
// 3. Asking for a context comes back through set_context() in the same thread.
//      ensure_session() holds no lock of ours while it asks, and passes the slot that set_context()
//      fills. contexts.cpp: need_context_is_heard, simultaneous_starts, from_the_application.
// 4. A pool's buffers are larger than the caps say, which is known only after its configuration; a
//      configuration read from a pool belongs to the reader.
//      pools.cpp: every_format, proposed_for_cuda_caps, steady_state (a wrong size makes the pool
//      throw every buffer away); the leak would show under the suite valgrind.
// 5. Only a mapped GstVideoFrame says where a plane is; rows are padded as the driver likes.
//      The simulated driver pads oddly and guards every block; combinations.cpp and pools.cpp
//      compare every byte and ask for its counts.
// 6. Buffers come from another context, another device, or no device.
//      contexts.cpp: follows_the_buffers, moves_with_frames_in_flight, fixed_device_copies,
//      memory_is_not_what_the_caps_say.
// 7. The elements cudaupload, cudadownload, cudaconvert may be missing.
//      Here: alone, where no other plugin can be found. No test uses any of them.
// 8. A plugin that registers elements only where there is a GPU is remembered without them.
//      plugin_init() in gst/plugin.cpp asks for none. The cases of no_gpu.cpp share one registry
//      file with the tests that have a GPU; here: nothing_happens_before_it_must.
// 9. GstBaseTransform lets events overtake frames that are held back, and does nothing at EOS.
//      flight.cpp, all of it; with frames on the GPU: states.cpp, new_caps_with_frames_in_flight.
//
// And three that the tests found:
// - libgstcuda copies within the device without waiting for it. fence.cpp: copies,
//   copy_into_our_element; combinations.cpp: plain_cuda_memory.
// - Memory such as a camera's is gone when unmapped. retire.cpp: input_unmapped_early.
// - Caps that were refused are sent again with every push. faults.cpp: always_from_start.
#include <cuda.h>

#include "../support.h"

using namespace simulated;

extern "C" CUresult cuDeviceGetCount(int *count);

namespace {

bool driver_was_initialised() {
  int count = 0;
  return cuDeviceGetCount(&count) != CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace

// Looking at the plugin, making an element, and using its CPU side touch no GPU.
GST_START_TEST(nothing_happens_before_it_must) {
  GstElementFactory *factory = gst_element_factory_find("uyvy2y");
  fail_unless(factory != nullptr);
  GstPluginFeature *loaded = gst_plugin_feature_load(GST_PLUGIN_FEATURE(factory));
  fail_unless(loaded != nullptr);
  gst_object_unref(loaded);
  gst_object_unref(factory);
  fail_if(driver_was_initialised());

  gst_object_unref(gst_object_ref_sink(gst_element_factory_make("uyvy2y", nullptr)));
  fail_if(driver_was_initialised());
  {
    Bench bench("uyvy2y backend=cpu");
    bench.negotiate(video_caps(kSystem, "UYVY", 32, 4), video_caps(kSystem, "GRAY8", 0, 0));
    fail_unless_equals_int(bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_UYVY, 32, 4), 1)),
                           GST_FLOW_OK);
  }
  fail_if(driver_was_initialised());
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kSystem, "UYVY", 32, 4), video_caps(kSystem, "GRAY8", 0, 0));
    fail_unless_equals_int(bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_UYVY, 32, 4), 1)),
                           GST_FLOW_OK);
    fail_unless(active_backend(bench.element()) == "cpu");
  }
  fail_unless_equals_uint64(counts().contexts, 0);
}
GST_END_TEST

GST_START_TEST(alone) {
  for (const char *name : {"cudaupload", "cudadownload", "cudaconvert", "queue"}) {
    GstElementFactory *factory = gst_element_factory_find(name);
    fail_unless(factory == nullptr, "%s is there: the test tests nothing", name);
  }
  for (const char *out : {kCuda, kSystem}) {
    Bench bench("uyvy2y backend=cuda");
    bench.negotiate(video_caps(kSystem, "VYUY", 33, 5), video_caps(out, "I420", 33, 5));
    fail_unless_equals_int(bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_VYUY, 33, 5), 1)),
                           GST_FLOW_OK);
    GstBuffer *output = bench.pull();
    fail_unless(is_cuda(output) == (out == kCuda));
    assert_luma(output, video_info(GST_VIDEO_FORMAT_I420, 33, 5), GST_VIDEO_FORMAT_VYUY, 1);
    gst_buffer_unref(output);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *hazards_suite() {
  Suite *suite = suite_create("hazards");
  TCase *tests = new_case(suite, "hazards");
  tcase_add_test(tests, nothing_happens_before_it_must);
  tcase_add_test(tests, alone);
  return suite;
}
SIMULATED_MAIN(hazards)
