// SPDX-License-Identifier: LGPL-2.1-or-later
// Who gets CUDA memory, and which back end is chosen.
#include "../support.h"

using namespace simulated;

namespace {

constexpr const char *kFields = ",format=UYVY,width=32,height=4,framerate=25/1";

std::string in_caps(const char *memory) {
  return video_caps(memory, "UYVY", 32, 4);
}

struct Choice {
  const char *launch;
  const char *in_memory;
  const char *out;  // what downstream takes; "" = ANY
  bool cuda_out;
  const char *active;
};

bool names_cuda(const std::string &caps) {
  return caps.find(kCuda) != std::string::npos;
}

void check(const Choice &c) {
  Bench bench(c.launch);
  bench.negotiate(in_caps(c.in_memory), c.out);
  const std::string got = bench.out_caps();
  fail_if(got.empty(), "%s, %s to %s: not negotiated", c.launch, c.in_memory, c.out);
  fail_unless(names_cuda(got) == c.cuda_out, "%s, %s to %s: %s", c.launch, c.in_memory, c.out,
              got.c_str());
  GstElement *element = bench.element();
  if (GST_IS_BIN(element)) element = gst_bin_get_by_name(GST_BIN(element), "y");
  fail_unless(active_backend(element) == c.active);
  if (element != bench.element()) gst_object_unref(element);
  fail_unless(bench.errors().empty());
}

constexpr const char *kBoth = "video/x-raw;video/x-raw(memory:CUDAMemory)";
constexpr const char *kBothCudaFirst = "video/x-raw(memory:CUDAMemory);video/x-raw";
constexpr const char *kOnlyCuda = "video/x-raw(memory:CUDAMemory)";
constexpr const char *kOnlySystem = "video/x-raw";

GstCaps *pad_caps(GstElement *element, const char *pad_name) {
  GstPad *pad = gst_element_get_static_pad(element, pad_name);
  GstCaps *caps = gst_pad_query_caps(pad, nullptr);
  gst_object_unref(pad);
  return caps;
}

bool offers_cuda(GstElement *element, const char *pad_name) {
  GstCaps *caps = pad_caps(element, pad_name);
  gchar *text = gst_caps_to_string(caps);
  const bool offered = names_cuda(text);
  g_free(text);
  gst_caps_unref(caps);
  return offered;
}

}  // namespace

GST_START_TEST(any_means_system_memory) {
  for (const char *memory : {kSystem, kCuda}) {
    const char *active = memory == kCuda ? "cuda" : "cpu";
    check({"uyvy2y", memory, "", false, active});
    check({"uyvy2y backend=cuda", memory, "", false, "cuda"});
    check({"uyvy2y", memory, "ANY", false, active});
    // Elements that hand on whatever they are given know no better.
    check({"uyvy2y name=y ! identity ! queue", memory, "", false, active});
  }
}
GST_END_TEST

GST_START_TEST(cuda_memory_where_it_is_named) {
  for (const char *memory : {kSystem, kCuda}) {
    check({"uyvy2y", memory, kOnlyCuda, true, "cuda"});
    check({"uyvy2y name=y ! identity ! queue", memory, kOnlyCuda, true, "cuda"});
    check({"uyvy2y name=y ! capsfilter caps=video/x-raw(memory:CUDAMemory)", memory, "", true,
           "cuda"});
    check({"uyvy2y backend=cuda", memory, kOnlySystem, false, "cuda"});
  }
}
GST_END_TEST

GST_START_TEST(buffers_stay_where_they_are) {
  for (const char *both : {kBoth, kBothCudaFirst}) {
    check({"uyvy2y", kCuda, both, true, "cuda"});
    check({"uyvy2y", kSystem, both, false, "cpu"});
    check({"uyvy2y backend=cuda", kSystem, both, false, "cuda"});
  }
}
GST_END_TEST

GST_START_TEST(cpu_never_offers_cuda) {
  check({"uyvy2y backend=cpu", kSystem, kBothCudaFirst, false, "cpu"});
  check({"uyvy2y backend=cpu", kSystem, "", false, "cpu"});
  GstElement *element = gst_element_factory_make("uyvy2y", nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cpu");
  Bench bench(element);
  gst_harness_set_sink_caps_str(bench.harness(), kBoth);
  fail_if(offers_cuda(element, "sink"));
  fail_if(offers_cuda(element, "src"));
  GstCaps *cuda = gst_caps_from_string((std::string(kOnlyCuda) + kFields).c_str());
  GstPad *sink = gst_element_get_static_pad(element, "sink");
  fail_if(gst_pad_query_accept_caps(sink, cuda));
  gst_object_unref(sink);
  gst_caps_unref(cuda);
}
GST_END_TEST

GST_START_TEST(both_pads_offer_cuda) {
  for (const char *launch : {"uyvy2y", "uyvy2y backend=cuda"}) {
    Bench bench(launch);
    gst_harness_set_sink_caps_str(bench.harness(), kOnlySystem);
    fail_unless(offers_cuda(bench.element(), "sink"));
    gst_harness_set_sink_caps_str(bench.harness(), kOnlyCuda);
    fail_unless(offers_cuda(bench.element(), "sink"));
  }
}
GST_END_TEST

// The table of docs/architecture.md, for filters. (encoder: back_ends, and no_gpu: all of it
// without a GPU.) The large filter is just as large as it has to be.
GST_START_TEST(table_of_back_ends) {
  const struct {
    const char *element, *format;
    int width, height;
    bool large;
  } filters[] = {
      {"uyvy2y", "UYVY", 16384, 16, false},
      {"rgb2yuv", "RGB", 16384, 16, false},
      {"convolve preset=laplacian-of-gaussian size=15", "GRAY8", 16384, 72, false},
      {"convolve preset=laplacian-of-gaussian size=15", "GRAY8", 16384, 73, true},
      {"sepconvolve preset=box size=16", "GRAY8", 16384, 511, false},
      {"sepconvolve preset=box size=16", "GRAY8", 16384, 512, true},
  };
  for (const auto &f : filters) {
    if (small_run() && f.height > 100) continue;
    for (const std::string backend : {"auto", "cuda", "cpu"})
      for (const char *in : {kSystem, kCuda})
        for (const char *out : {kSystem, kCuda}) {
          const bool system = in == kSystem && out == kSystem;
          Bench bench((std::string(f.element) + " backend=" + backend).c_str());
          if (backend == "cpu" && !system) {
            gst_harness_set_sink_caps_str(bench.harness(), kBoth);
            fail_if(offers_cuda(bench.element(), in == kCuda ? "sink" : "src"));
            continue;
          }
          bench.negotiate(video_caps(in, f.format, f.width, f.height),
                          out == kCuda ? kOnlyCuda : kOnlySystem);
          const bool gpu = backend == "cuda" || !system || (f.large && backend == "auto");
          fail_unless(active_backend(bench.element()) == (gpu ? "cuda" : "cpu"),
                      "%s %dx%d backend=%s, %s to %s: %s", f.element, f.width, f.height,
                      backend.c_str(), in, out, active_backend(bench.element()).c_str());
          fail_unless(bench.errors().empty());
        }
  }
  assert_clean();
}
GST_END_TEST

GST_START_TEST(active_backend_notifies) {
  int notified = 0;
  GstElement *element = gst_element_factory_make("uyvy2y", nullptr);
  g_signal_connect(
      element, "notify::active-backend",
      G_CALLBACK(+[](GObject *, GParamSpec *, gpointer data) { ++*static_cast<int *>(data); }),
      &notified);
  Bench bench(element);
  fail_unless(active_backend(element) == "none");
  bench.negotiate(in_caps(kSystem), kBoth);
  fail_unless_equals_int(notified, 1);
  fail_unless(active_backend(element) == "cpu");
  bench.negotiate(in_caps(kCuda), kBoth);
  fail_unless_equals_int(notified, 2);
  fail_unless(active_backend(element) == "cuda");
  gst_element_set_state(element, GST_STATE_NULL);
  fail_unless_equals_int(notified, 3);
  fail_unless(active_backend(element) == "none");
}
GST_END_TEST

// The whole of it in pipelines as people write them.
GST_START_TEST(pipelines) {
  const struct {
    const char *middle;
    bool cuda;
  } cases[] = {
      {"uyvy2y name=y ! fakesink", false},
      {"uyvy2y name=y backend=cuda ! fakesink", false},
      {"uyvy2y name=y ! video/x-raw(memory:CUDAMemory) ! fakesink", true},
      {"uyvy2y name=y ! tee name=t t. ! queue ! fakesink t. ! queue ! fakesink", false},
      {"uyvy2y name=y ! video/x-raw(memory:CUDAMemory),format=NV12 ! tee ! fakesink", true},
  };
  for (const auto &c : cases) {
    const std::string text =
        std::string("videotestsrc num-buffers=3 ! video/x-raw,format=UYVY,width=34,height=5 ! ") +
        c.middle;
    Pipeline pipeline(text);
    pipeline.start();
    pipeline.wait_for_eos();
    GstElement *y = pipeline.element("y");
    const Owned<GstPad> pad(gst_element_get_static_pad(y, "src"));
    const std::string caps = text_of(current_caps(pad.get()).get());
    fail_unless(names_cuda(caps) == c.cuda, "%s: %s", text.c_str(), caps.c_str());
    fail_unless_equals_uint64(stat(y, "frames"), 3);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *caps_suite() {
  Suite *suite = suite_create("caps");
  TCase *tests = new_case(suite, "caps");
  tcase_add_test(tests, any_means_system_memory);
  tcase_add_test(tests, cuda_memory_where_it_is_named);
  tcase_add_test(tests, buffers_stay_where_they_are);
  tcase_add_test(tests, cpu_never_offers_cuda);
  tcase_add_test(tests, both_pads_offer_cuda);
  tcase_add_test(tests, table_of_back_ends);
  tcase_add_test(tests, active_backend_notifies);
  tcase_add_test(tests, pipelines);
  return suite;
}
SIMULATED_MAIN(caps)
