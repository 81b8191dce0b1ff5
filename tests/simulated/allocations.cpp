// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements whose allocations fail, one by one, from their making to their end: then all frames come
// and are right, or there is an element error; nothing throws through GStreamer, hangs or is left.
// (GLib and the driver are left out: they have failures of their own.)
#include "failing_new.h"
#include "support.h"

using namespace simulated;

namespace {

constexpr int kFrames = 3;

struct Run {
  const char *element;
  const char *format, *more_caps;
  Size size;
  const char *in, *out;  // memory; of a codestream none
  const char *out_caps;
  Properties properties;  // from the start
  Properties change;      // after the first frame
};

const Properties kCpu = {{"backend", "cpu"}, {"n-threads", "3"}};
const Properties kCudaBackend = {{"backend", "cuda"}};
const Properties kMask = {{"mask", "1 2 1; 2 4 2; 1 2 1"}};
const Properties kRows = {{"preset", "gaussian"}, {"sigma", "0.8"}};

Properties operator+(Properties a, const Properties &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Run> all_runs() {
  std::vector<Run> runs;
  const struct {
    const char *element, *format, *out_format;
    Properties properties, change;
  } filters[] = {
      {"uyvy2y", "UYVY", "NV12", {}, {}},
      {"rgb2yuv", "RGB", "I420", {}, {}},
      {"convolve", "NV12", "NV12", kMask, {{"preset", "unsharp"}, {"border", "wrap"}}},
      {"sepconvolve", "RGB", "RGB", kRows, {{"horizontal", "1 1 1"}, {"sigma", "1.5"}}},
  };
  constexpr struct {
    const char *in, *out;
  } ways[] = {{kSystem, kCuda}, {kCuda, kCuda}, {kCuda, kSystem}, {kSystem, kSystem}};
  for (const auto &f : filters) {
    // Of several ranges, for three threads.
    runs.push_back({f.element,
                    f.format,
                    "",
                    {600, 300},
                    kSystem,
                    kSystem,
                    f.out_format,
                    f.properties + kCpu,
                    f.change});
    for (const auto &way : ways)
      runs.push_back({f.element,
                      f.format,
                      "",
                      {34, 6},
                      way.in,
                      way.out,
                      f.out_format,
                      f.properties + kCudaBackend,
                      f.change});
  }
  // (Of heights whose fields have as many rows of chroma: input() copies no more than the picture.)
  const Properties rate = {{"bpp", "2"}, {"comment", "a text that is longer than fits in place"}};
  const Properties layers = {
      {"num-layers", "3"}, {"layer-rates", "0.25 0.5"}, {"precincts", "128x128"}, {"bpp", "1"}};
  const char *jpc = "image/x-jpc", *box = "image/x-j2c", *jp2 = "image/jp2";
  runs.push_back({"j2kenc", "RGB", "", {100, 90}, kSystem, nullptr, jp2, kCpu, rate});
  runs.push_back({"j2kenc",
                  "NV12",
                  ",interlace-mode=interleaved,field-order=top-field-first",
                  {80, 72},
                  kSystem,
                  nullptr,
                  box,
                  kCpu + layers,
                  {{"bpp", "0.9"}}});
  runs.push_back({"j2kenc",
                  "GRAY8",
                  "",
                  {40, 24},
                  kSystem,
                  nullptr,
                  jpc,
                  kCpu + Properties{{"profile", "broadcast-single"}},
                  {{"quality", "50"}}});
  for (const char *memory : {kSystem, kCuda})
    for (const char *frames : {"1", "3"})
      runs.push_back({"j2kenc",
                      "NV12",
                      "",
                      {40, 24},
                      memory,
                      nullptr,
                      box,
                      kCudaBackend + Properties{{"frames-in-flight", frames}, {"bpp", "2"}},
                      frames[0] == '1' ? rate : Properties{{"bpp", "1"}}});
  // The CPU codes what the GPU has no memory for.
  runs.push_back({"j2kenc",
                  "RGB",
                  "",
                  {40, 24},
                  kSystem,
                  nullptr,
                  jpc,
                  {{"frames-in-flight", "2"}},
                  {{"sop", "true"}}});
  return runs;
}

const std::vector<Run> &runs() {
  static const std::vector<Run> all = all_runs();
  return all;
}

std::string in_caps(const Run &run, const char *memory) {
  return video_caps(memory, run.format, run.size.width, run.size.height) + run.more_caps;
}

std::string out_caps(const Run &run) {
  return run.out == nullptr
             ? run.out_caps
             : video_caps(run.out, run.out_caps, run.size.width, run.size.height) + run.more_caps;
}

// What is made of pictures once, without counting, for all trials of a run.
struct Materials {
  explicit Materials(const Run &run)
      : in_caps(parse_caps(::in_caps(run, run.in))),
        out_caps(parse_caps(::out_caps(run))),
        info(video_info(::in_caps(run, kSystem))) {
    for (int i = 0; i < kFrames; i++) {
      pictures[i].reset(system_buffer(info, unsigned(i) + 1));
      GST_BUFFER_PTS(pictures[i].get()) = static_cast<GstClockTime>(i) * GST_SECOND / 25;
    }
  }
  CapsRef in_caps, out_caps;
  GstVideoInfo info;
  BufferRef pictures[kFrames];
};

// ---- the two pads around an element: all in C, so that no allocation is the test's ------------

GstFlowReturn take(GstPad *pad, GstObject *, GstBuffer *buffer) {
  g_async_queue_push(static_cast<GAsyncQueue *>(gst_pad_get_element_private(pad)), buffer);
  return GST_FLOW_OK;
}

class Pads {
 public:
  Pads(GstElement *element, GstCaps *accepted) : element_(element), received_(g_async_queue_new()) {
    GstPadTemplate *any = gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, accepted);
    to_ = gst_pad_new("src", GST_PAD_SRC);
    from_ = gst_pad_new_from_template(any, "sink");
    gst_object_unref(any);
    gst_pad_use_fixed_caps(from_);
    gst_pad_set_element_private(from_, received_);
    gst_pad_set_chain_function(from_, take);
    link(to_, "sink");
    link(from_, "src");
    gst_pad_set_active(from_, TRUE);
    gst_pad_set_active(to_, TRUE);
  }
  ~Pads() {
    for (GstPad *pad : {to_, from_}) {
      gst_pad_set_active(pad, FALSE);
      gst_object_unref(pad);
    }
    g_async_queue_unref(received_);
  }
  Pads(const Pads &) = delete;
  Pads &operator=(const Pads &) = delete;

  GstPad *to() const { return to_; }
  GstPad *from() const { return from_; }
  GstBuffer *pull() const { return static_cast<GstBuffer *>(g_async_queue_try_pop(received_)); }

 private:
  void link(GstPad *pad, const char *name) {
    GstPad *theirs = gst_element_get_static_pad(element_, name);
    gst_pad_link(GST_PAD_IS_SRC(pad) ? pad : theirs, GST_PAD_IS_SRC(pad) ? theirs : pad);
    gst_object_unref(theirs);
  }

  GstElement *element_;
  GAsyncQueue *received_;
  GstPad *to_, *from_;
};

void set(GstElement *element, const Properties &properties) {
  for (const auto &[name, value] : properties)
    gst_util_set_object_arg(G_OBJECT(element), name, value);
}

// The pool that the element proposes; nullptr if there is none.
GstBufferPool *pool_of(const Pads &pads, GstCaps *caps) {
  GstBufferPool *pool = nullptr;
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  guint size = 0;
  if (gst_pad_peer_query(pads.to(), query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, nullptr, nullptr);
  gst_query_unref(query);
  if (pool == nullptr) return nullptr;
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  if (!gst_buffer_pool_set_config(pool, config) || !gst_buffer_pool_set_active(pool, TRUE))
    gst_clear_object(&pool);
  return pool;
}

bool to_device(GstBuffer *buffer) {
  GstMapInfo map;
  const auto flags = static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA);
  if (!gst_buffer_map(buffer, &map, flags)) return false;
  gst_buffer_unmap(buffer, &map);
  return true;
}

// A picture in a buffer of the pool, or as it is; nullptr where it cannot be brought there.
GstBuffer *input(GstBufferPool *pool, const Materials &materials, int number) {
  GstBuffer *picture = materials.pictures[number].get();
  if (pool == nullptr) return gst_buffer_copy(picture);
  GstBuffer *buffer = nullptr;
  if (gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) != GST_FLOW_OK) return nullptr;
  GstVideoFrame from, to;
  bool filled = false;
  if (gst_video_frame_map(&to, &materials.info, buffer, GST_MAP_WRITE)) {
    gst_video_frame_map(&from, &materials.info, picture, GST_MAP_READ);
    filled = gst_video_frame_copy(&to, &from);
    gst_video_frame_unmap(&from);
    gst_video_frame_unmap(&to);
  }
  if (filled && is_cuda(buffer)) filled = to_device(buffer);
  if (!filled) gst_clear_buffer(&buffer);
  if (buffer != nullptr) GST_BUFFER_PTS(buffer) = GST_BUFFER_PTS(picture);
  return buffer;
}

// ---- a trial ----------------------------------------------------------------------------------

// False where the application has heard of a failure itself: it got no memory, or none that can be
// mapped.
bool push_all(const Run &run, const Materials &materials, GstElement *element, const Pads &pads) {
  gst_pad_push_event(pads.to(), gst_event_new_stream_start("one"));
  gst_pad_push_event(pads.to(), gst_event_new_caps(materials.in_caps.get()));
  gst_pad_push_event(pads.to(), segment_event());
  GstBufferPool *pool = pool_of(pads, materials.in_caps.get());
  bool made = pool != nullptr || run.in == kSystem;
  for (int i = 0; i < kFrames && made; i++) {
    GstBuffer *buffer = input(pool, materials, i);
    made = buffer != nullptr;
    if (!made || gst_pad_push(pads.to(), buffer) != GST_FLOW_OK) break;
    if (i > 0) continue;
    set(element, run.change);
    gst_pad_push_event(pads.from(), gst_event_new_reconfigure());
    gst_pad_push_event(pads.from(),
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
  }
  gst_pad_push_event(pads.to(), gst_event_new_eos());
  if (pool != nullptr) gst_buffer_pool_set_active(pool, FALSE);
  gst_clear_object(&pool);
  return made;
}

struct Result {
  bool failed = false;  // an allocation
  bool told = false;    // the application, by an error or by a function's return
  std::string error;
  std::vector<Bytes> frames;  // what cannot be mapped is empty
};

GstElement *make(const Run &run) {
  GstElement *element = gst_element_factory_make(run.element, nullptr);
  return static_cast<GstElement *>(gst_object_ref_sink(element));
}

Result try_run(const Run &run, const Materials &materials, int nth) {
  Result result;
  const Owned<GstBus> bus(gst_bus_new());
  GQueue frames = G_QUEUE_INIT;
  {
    const FailingNew failing(nth);
    GstElement *element = make(run);
    gst_element_set_bus(element, bus.get());
    set(element, run.properties);
    {
      const Pads pads(element, materials.out_caps.get());
      if (gst_element_set_state(element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
        result.told = !push_all(run, materials, element, pads);
      gst_element_set_state(element, GST_STATE_NULL);
      while (GstBuffer *frame = pads.pull())
        g_queue_push_tail(&frames, frame);
    }
    gst_element_set_bus(element, nullptr);
    gst_object_unref(element);
    result.failed = failing.has_failed();
  }
  while (auto *frame = static_cast<GstBuffer *>(g_queue_pop_head(&frames))) {
    const BufferRef owned(frame);
    if (run.out == nullptr)
      result.frames.push_back(bytes_of(frame));
    else
      result.frames.push_back(picture_if_mapped(
          frame, video_info(video_caps(kSystem, run.out_caps, run.size.width, run.size.height))));
  }
  const MessageRef error(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  if (error != nullptr) {
    const Message said = parse(error.get());
    result.error = said.text + " (" + said.details + ")";
    result.told = true;
  }
  gst_bus_set_flushing(bus.get(), TRUE);
  return result;
}

// Each frame is what it should be, or, once the application has been told, what it was before the
// change of properties, or cannot be mapped.
bool is_right(const Result &result, std::size_t i, const std::vector<Bytes> &expected,
              const std::vector<Bytes> &unchanged) {
  const Bytes &frame = result.frames[i];
  return frame == expected[i] || (result.told && (frame.empty() || frame == unchanged[i]));
}

void check(const Result &result, const std::vector<Bytes> &expected,
           const std::vector<Bytes> &unchanged, long lasting, const std::string &what) {
  const std::size_t come = result.frames.size();
  fail_unless(come == kFrames || (come < kFrames && result.told), "%s: %zu frames and no error",
              what.c_str(), come);
  for (std::size_t i = 0; i < come; i++)
    fail_unless(is_right(result, i, expected, unchanged),
                "%s: frame %zu is wrong: %zu bytes, expected %zu; %s; error: %s", what.c_str(), i,
                result.frames[i].size(), expected[i].size(),
                result.failed ? "the allocation failed" : "nothing failed", result.error.c_str());
  fail_unless(living_allocations() == lasting, "%s: %ld allocations are left; error: %s",
              what.c_str(), living_allocations() - lasting, result.error.c_str());
}

std::string name_of(const Run &run) {
  std::string name =
      std::string(run.element) + ", " + in_caps(run, run.in) + " to " + out_caps(run);
  for (const auto &[property, value] : run.properties)
    name += std::string(" ") + property + "=" + value;
  return name;
}

}  // namespace

GST_START_TEST(one_by_one) {
  const Run &run = runs()[static_cast<std::size_t>(__i__)];
  Run without_change = run;
  without_change.change.clear();
  const std::string name = name_of(run);
  const Materials materials(run);
  const Result good = try_run(run, materials, 0);
  fail_unless(!good.told && good.frames.size() == kFrames, "%s: %s", name.c_str(),
              good.error.c_str());
  const std::vector<Bytes> unchanged = try_run(without_change, materials, 0).frames;
  const long lasting = living_allocations();  // the process's: the driver's table and the like
  int tried = 0, errors = 0;
  for (int nth = 1;; nth = next_fault(nth)) {
    const std::string what = name + ", allocation " + std::to_string(nth);
    const Result result = try_run(run, materials, nth);
    check(result, good.frames, unchanged, lasting, what);
    assert_clean();
    assert_nothing_lives();
    if (!result.failed) break;
    tried++;
    errors += result.told ? 1 : 0;
  }
  g_print("%s: %d allocations, %d errors\n", name.c_str(), tried, errors);
  fail_unless(tried > 0 && errors > 0, "%s: %d errors of %d failures", name.c_str(), errors, tried);
}
GST_END_TEST

// A preset that is saved and loaded comes back whole, or somebody is told; and the element is in
// its usual state afterwards.
GST_START_TEST(presets) {
  constexpr const char *kText = "a \"comment\"; of two, or more, words";
  const Run run = {"j2kenc", "", "", {}, nullptr, nullptr, "", {}, {}};
  for (int nth = 0;; nth = nth == 0 ? 1 : next_fault(nth)) {
    const std::string what = "allocation " + std::to_string(nth);
    const Owned<GstBus> bus(gst_bus_new());
    const long lasting = living_allocations();
    bool done, failed;
    gchar *text = nullptr, *again = nullptr;
    {
      const FailingNew failing(nth);
      GstElement *element = make(run);
      gst_element_set_bus(element, bus.get());
      g_object_set(element, "comment", kText, "bpp", 1.5, nullptr);
      done = gst_preset_save_preset(GST_PRESET(element), "allocations");
      g_object_set(element, "comment", "", "bpp", 0.0, nullptr);
      done = gst_preset_load_preset(GST_PRESET(element), "allocations") && done;
      g_object_get(element, "comment", &text, nullptr);
      g_object_set(element, "comment", "more", nullptr);
      g_object_get(element, "comment", &again, nullptr);
      gst_preset_delete_preset(GST_PRESET(element), "allocations");
      gst_element_set_state(element, GST_STATE_READY);
      gst_element_set_state(element, GST_STATE_NULL);
      gst_element_set_bus(element, nullptr);
      gst_object_unref(element);
      failed = failing.has_failed();
    }
    // (A message keeps its element.)
    const bool told = MessageRef(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)) != nullptr;
    const bool right = done && g_strcmp0(text, kText) == 0 && g_strcmp0(again, "more") == 0;
    fail_unless(right || (failed && told), "%s: comment=%s, then %s", what.c_str(), text, again);
    g_free(text);
    g_free(again);
    gst_bus_set_flushing(bus.get(), TRUE);
    fail_unless(nth == 0 || living_allocations() == lasting, "%s: %ld allocations are left",
                what.c_str(), living_allocations() - lasting);
    if (nth > 0 && !failed) break;
  }
}
GST_END_TEST

static Suite *allocations_suite() {
  Suite *suite = suite_create("allocations");
  TCase *tests = new_case(suite, "allocations");
  add_sampled_loop_test(tests, one_by_one, runs().size());
  tcase_add_test(tests, presets);
  return suite;
}

int main(int argc, char **argv) {
  g_setenv("GST_TRACERS", "leaks", FALSE);
  gst_check_init(&argc, &argv);
  return run_suite(allocations_suite(), "allocations");
}
