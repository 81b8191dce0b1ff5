// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements whose allocations fail, one by one, from their making to their end: then all frames come
// and are right, or there is an element error; nothing throws through GStreamer, hangs or is left.
// (GLib and the driver are left out: they have failures of their own.)
#include "../../support/cameras.h"
#include "../classes/elements.h"
#include "base/job.h"
#include "failing_new.h"
#include "linedetect/linesmeta.h"

using namespace simulated;

namespace {

constexpr int kFrames = 3;

struct Run {
  const char *element;
  const char *format, *more_caps;
  Size size;
  const char *in, *out;  // memory; of a codestream none
  const char *out_caps;
  Properties properties;         // from the start
  Properties change;             // after the first frame
  const char *second = nullptr;  // memory of a second input, if there is one
  std::string raw_caps = {};     // of the output, where they are not like the input's
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
      {"yuv2rgb", "NV12", "RGBA", {}, {{"chroma", "nearest"}}},
      {"yuv2yuv", "v210", "NV12", {}, {{"dither", "ordered"}}},
      {"convolve", "NV12", "NV12", kMask, {{"preset", "unsharp"}, {"border", "wrap"}}},
      {"sepconvolve", "UYVY", "UYVY", kRows, {{"horizontal", "1 1 1"}, {"sigma", "1.5"}}},
      {"median", "v210", "v210", {{"size", "5"}}, {{"size", "9"}, {"border", "wrap"}}},
      {"bilateral", "RGB", "RGB", {{"iterations", "3"}}, {{"radius", "4"}, {"iterations", "2"}}},
      {"sepconvolve", "NV12", "NV12", kRows, {{"preset", "blur"}, {"sigma", "20"}}},
      {"oilpaint", "NV12", "NV12", {{"temporal", "true"}}, {{"method", "kuwahara"}}},
      {"canny", "NV12", "GRAY8", {{"sigma", "1.5"}}, {{"sigma", "20"}, {"aperture", "7"}}},
      {"canny", "UYVY", "UYVY", {{"output", "overlay"}}, {{"edge-color", "0"}, {"sigma", "2"}}},
      {"cartoon", "NV12", "NV12", {}, {{"edges", "canny"}, {"iterations", "4"}}},
      {"linedetect",
       "NV12",
       "NV12",
       {{"post-messages", "true"}},
       {{"draw", "true"}, {"sigma", "9"}}},
      {"sepconvolve", "UYVY", "UYVY", kRows, {{"preset", "blur"}, {"sigma", "20"}}},
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
  const auto add_deinterlacing = [&runs](const char *in, const char *out,
                                         const Properties &backend) {
    runs.push_back({"coalescedeinterlace",
                    "NV12",
                    ",interlace-mode=interleaved,field-order=top-field-first",
                    {34, 8},
                    in,
                    out,
                    "NV12",
                    backend,
                    {{"method", "yadif"}},
                    nullptr,
                    video_caps(out, "NV12", 34, 8) + ",interlace-mode=progressive"});
  };
  add_deinterlacing(kSystem, kSystem, kCpu);
  for (const auto &way : ways)
    add_deinterlacing(way.in, way.out, kCudaBackend);
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
  const Properties limit = {{"max-frame-size", "3000"}};
  runs.push_back(
      {"coalescejpegenc", "RGB", "", {40, 24}, kSystem, nullptr, "image/jpeg", kCpu, limit});
  runs.push_back({"coalescejpegenc",
                  "NV12",
                  "",
                  {40, 24},
                  kCuda,
                  nullptr,
                  "image/jpeg",
                  kCudaBackend + Properties{{"frames-in-flight", "3"}},
                  {{"optimize", "true"}}});
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

// The test elements on the classes Temporal and Aggregator, the latter also with named inputs; and
// stereodisparity and multiview.
void add_class_runs(std::vector<Run> *runs) {
  const auto gray = [](const char *memory, const char *fields) {
    return std::string("video/x-raw") + (*memory != 0 ? "(" + std::string(memory) + ")" : "") +
           ",format=GRAY8,width=34," + fields;
  };
  for (const bool on_cpu : {true, false})
    for (const char *in : {kSystem, kCuda})
      for (const char *out : {kSystem, kCuda}) {
        if (on_cpu && (in == kCuda || out == kCuda)) continue;
        const Properties &backend = on_cpu ? kCpu : kCudaBackend;
        const auto add = [&](const char *element, const char *more, const char *second,
                             const std::string &raw_caps) {
          runs->push_back(
              {element, "GRAY8", more, {34, 6}, in, out, "GRAY8", backend, {}, second, raw_caps});
        };
        add("coalesceblend", "", nullptr, "");
        add("coalescefields", ",interlace-mode=interleaved", nullptr,
            gray(out, "height=3,framerate=50/1,interlace-mode=progressive"));
        for (const char *second : {kSystem, kCuda}) {
          if (on_cpu && second == kCuda) continue;
          add("coalescedifference", "", second, "");
          if (in != second) continue;
          add("coalesceleftright", "", second, gray(out, "height=3,framerate=25/1"));
          runs->push_back({"stereodisparity",
                           "GRAY8",
                           "",
                           {34, 6},
                           in,
                           out,
                           "GRAY16_LE",
                           backend + Properties{{"num-disparities", "16"}},
                           {},
                           second});
          runs->push_back({"multiview",
                           "GRAY8",
                           "",
                           {34, 6},
                           in,
                           out,
                           "GRAY16_LE",
                           backend + Properties{{"cameras", test::camera_file().c_str()}},
                           {},
                           second});
        }
      }
}

const std::vector<Run> &runs() {
  static const std::vector<Run> all = [] {
    std::vector<Run> both = all_runs();
    add_class_runs(&both);
    return both;
  }();
  return all;
}

std::string in_caps(const Run &run, const char *memory) {
  return video_caps(memory, run.format, run.size.width, run.size.height) + run.more_caps;
}

std::string out_caps(const Run &run) {
  if (!run.raw_caps.empty()) return run.raw_caps;
  return run.out == nullptr
             ? run.out_caps
             : video_caps(run.out, run.out_caps, run.size.width, run.size.height) + run.more_caps;
}

// What is made of pictures once, without counting, for all trials of a run.
struct Materials {
  explicit Materials(const Run &run)
      : in_caps{parse_caps(::in_caps(run, run.in)),
                parse_caps(::in_caps(run, run.second != nullptr ? run.second : run.in))},
        out_caps(parse_caps(::out_caps(run))),
        info(video_info(::in_caps(run, kSystem))) {
    if (run.out != nullptr) gst_video_info_from_caps(&out_info, out_caps.get());
    for (int i = 0; i < kFrames; i++) {
      pictures[i].reset(system_buffer(info, unsigned(i) + 1));
      GST_BUFFER_PTS(pictures[i].get()) = static_cast<GstClockTime>(i) * GST_SECOND / 25;
    }
  }
  CapsRef in_caps[2], out_caps;
  GstVideoInfo info, out_info;
  BufferRef pictures[kFrames];
};

// ---- the pads around an element: all in C, so that no allocation is the test's ----------------

GstFlowReturn take(GstPad *pad, GstObject *, GstBuffer *buffer) {
  g_async_queue_push(static_cast<GAsyncQueue *>(gst_pad_get_element_private(pad)), buffer);
  return GST_FLOW_OK;
}

// Its end comes as itself.
gboolean take_event(GstPad *pad, GstObject *parent, GstEvent *event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_EOS) return gst_pad_event_default(pad, parent, event);
  g_async_queue_push(static_cast<GAsyncQueue *>(gst_pad_get_element_private(pad)), event);
  return TRUE;
}

class Pads {
 public:
  // With a second input there are the names of both; else it is "sink".
  Pads(GstElement *element, GstCaps *accepted, bool two)
      : element_(element), received_(g_async_queue_new()) {
    GstPadTemplate *any = gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, accepted);
    from_ = gst_pad_new_from_template(any, "sink");
    gst_object_unref(any);
    gst_pad_use_fixed_caps(from_);
    gst_pad_set_element_private(from_, received_);
    gst_pad_set_chain_function(from_, take);
    gst_pad_set_event_function(from_, take_event);
    link(from_, "src");
    add_input(two ? "left" : "sink");
    if (two) add_input("right");
    gst_pad_set_active(from_, TRUE);
    for (int i = 0; i < inputs_; i++)
      gst_pad_set_active(to_[i], TRUE);
  }
  ~Pads() {
    for (GstPad *pad : {to_[0], to_[1], from_}) {
      if (pad == nullptr) continue;
      gst_pad_set_active(pad, FALSE);
      gst_object_unref(pad);
    }
    g_async_queue_unref(received_);
  }
  Pads(const Pads &) = delete;
  Pads &operator=(const Pads &) = delete;

  int inputs() const { return inputs_; }
  // There are pads for all of them.
  bool linked() const { return linked_; }
  GstPad *to(int input) const { return to_[input]; }
  GstPad *from() const { return from_; }
  void push_event(GstEvent *event) const {
    for (int i = 0; i < inputs_; i++)
      gst_pad_push_event(to_[i], gst_event_ref(event));
    gst_event_unref(event);
  }

  // All that have come. False: the end has not.
  bool pull(GQueue *frames) const {
    bool ended = false;
    while (gpointer object = g_async_queue_try_pop(received_)) {
      if (GST_IS_BUFFER(object)) {
        g_queue_push_tail(frames, object);
        continue;
      }
      ended = true;
      gst_event_unref(GST_EVENT(object));
    }
    return ended;
  }

 private:
  void add_input(const char *name) {
    to_[inputs_] = gst_pad_new(nullptr, GST_PAD_SRC);
    link(to_[inputs_++], name);
  }
  void link(GstPad *pad, const char *name) {
    GstPad *theirs = gst_element_get_static_pad(element_, name);
    if (theirs == nullptr) theirs = gst_element_request_pad_simple(element_, "sink_%u");
    if (theirs == nullptr) {
      linked_ = false;
      return;
    }
    gst_pad_link(GST_PAD_IS_SRC(pad) ? pad : theirs, GST_PAD_IS_SRC(pad) ? theirs : pad);
    gst_object_unref(theirs);
  }

  GstElement *element_;
  GAsyncQueue *received_;
  GstPad *from_, *to_[2] = {};
  int inputs_ = 0;
  bool linked_ = true;
};

void set(GstElement *element, const Properties &properties) {
  for (const auto &[name, value] : properties)
    gst_util_set_object_arg(G_OBJECT(element), name, value);
}

// The pool that the element proposes; nullptr if there is none.
GstBufferPool *pool_of(const Pads &pads, int input, GstCaps *caps) {
  GstBufferPool *pool = nullptr;
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  guint size = 0;
  if (gst_pad_peer_query(pads.to(input), query) && gst_query_get_n_allocation_pools(query) > 0)
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

// False where the application has heard of a failure itself: it got no pad, or no memory, or none
// that can be mapped.
bool push_all(const Run &run, const Materials &materials, GstElement *element, const Pads &pads) {
  GstBufferPool *pools[2] = {};
  bool made = pads.linked(), pushed = true;
  pads.push_event(gst_event_new_stream_start("one"));
  for (int n = 0; n < pads.inputs(); n++) {
    GstCaps *caps = materials.in_caps[n].get();
    gst_pad_push_event(pads.to(n), gst_event_new_caps(caps));
    gst_pad_push_event(pads.to(n), segment_event());
    pools[n] = pool_of(pads, n, caps);
    made = made && (pools[n] != nullptr || (n == 0 ? run.in : run.second) == kSystem);
  }
  for (int i = 0; i < kFrames && made && pushed; i++) {
    for (int n = 0; n < pads.inputs() && made && pushed; n++) {
      GstBuffer *buffer = input(pools[n], materials, i);
      made = buffer != nullptr;
      pushed = made && gst_pad_push(pads.to(n), buffer) == GST_FLOW_OK;
    }
    if (i > 0 || !pushed) continue;
    set(element, run.change);
    gst_pad_push_event(pads.from(), gst_event_new_reconfigure());
    gst_pad_push_event(pads.from(),
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
  }
  pads.push_event(gst_event_new_eos());
  for (GstBufferPool *pool : pools) {
    if (pool == nullptr) continue;
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
  return made;
}

GstBusSyncReply note_error(GstBus *, GstMessage *message, gpointer noted) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    g_atomic_int_set(static_cast<gint *>(noted), 1);
  return GST_BUS_PASS;
}

struct Result {
  bool failed = false;  // an allocation
  bool told = false;    // the application, by an error or by a function's return
  bool hangs = false;
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
  gint failed = 0;
  gst_bus_set_sync_handler(bus.get(), note_error, &failed, nullptr);
  GQueue frames = G_QUEUE_INIT;
  {
    const FailingNew failing(nth);
    GstElement *element = make(run);
    gst_element_set_bus(element, bus.get());
    set(element, run.properties);
    {
      const Pads pads(element, materials.out_caps.get(), run.second != nullptr);
      if (gst_element_set_state(element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) {
        result.told = !push_all(run, materials, element, pads);
        // Frames of several inputs come in a thread of their own.
        const gint64 end = g_get_monotonic_time() + 30 * G_USEC_PER_SEC;
        while (run.second != nullptr && !pads.pull(&frames) && !g_atomic_int_get(&failed) &&
               !result.hangs) {
          g_usleep(100);
          result.hangs = g_get_monotonic_time() > end;
        }
      }
      gst_element_set_state(element, GST_STATE_NULL);
      pads.pull(&frames);
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
      result.frames.push_back(picture_if_mapped(frame, materials.out_info));
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
  const std::size_t come = result.frames.size(), all = expected.size();
  fail_if(result.hangs, "%s: hangs", what.c_str());
  fail_unless(come == all || (come < all && result.told), "%s: %zu frames and no error",
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
  std::string name = std::string(run.element) + ", " + in_caps(run, run.in) +
                     (run.second != nullptr ? " and " + in_caps(run, run.second) : "") + " to " +
                     out_caps(run);
  for (const auto &[property, value] : run.properties)
    name += std::string(" ") + property + "=" + value;
  return name;
}

// Which failure follows the nth one. Where the whole tier has the same with other memories, too, it
// takes every second one, and the next of them the others: most do not know of memory.
int next_of(int nth, const Run &run) {
  if (small_run()) return next_fault(nth);
  int all = 0, before = 0;
  for (const Run &other : runs()) {
    if (&other == &run) before = all;
    all += std::string(other.element) == run.element && other.format == run.format &&
           other.properties == run.properties;
  }
  if (all == 1) return next_fault(nth);
  return nth == 1 ? 2 + before % 2 : nth + 2;
}

}  // namespace

GST_START_TEST(one_by_one) {
  const Run &run = runs()[static_cast<std::size_t>(__i__)];
  Run without_change = run;
  without_change.change.clear();
  const std::string name = name_of(run);
  const Materials materials(run);
  const Result good = try_run(run, materials, 0);
  const std::size_t all = run.element == std::string("coalescefields") ? 2 * kFrames : kFrames;
  fail_unless(!good.told && good.frames.size() == all, "%s: %s", name.c_str(), good.error.c_str());
  const std::vector<Bytes> unchanged = try_run(without_change, materials, 0).frames;
  const long lasting = living_allocations();  // the process's: the driver's table and the like
  int tried = 0, errors = 0;
  for (int nth = 1;; nth = next_of(nth, run)) {
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

// What one job leaves to the next has not been left where there was no memory for it.
GST_START_TEST(kept_memory) {
  using namespace coalesce::gst;
  const Bench bench("uyvy2y");
  Backend backend(bench.element());
  fail_unless(backend.select(false, false, false));
  KeptMemory kept;
  const auto prepare = [&](int nth) {
    Job job(backend);
    const FailingNew failing(nth);
    return kept.prepare(backend, job, 100);
  };
  fail_unless_equals_int(prepare(1), kNoMemory);
  for (const bool is_new : {true, false}) {
    fail_unless_equals_int(prepare(0), GST_FLOW_OK);
    fail_unless(kept.is_new() == is_new);
  }
}
GST_END_TEST

// Whoever scales a picture with lines calls this, and knows no exceptions.
GST_START_TEST(meta_of_lines) {
  namespace gst = coalesce::gst;
  gst::register_lines_meta();
  const BufferRef from(gst_buffer_new());
  const coalesce::Line line = {0, 0, 2560, 0, 256, 25600};
  gst::add_lines_meta(from.get(), nullptr, &line, {1, 1});
  GstVideoInfo small = video_info(GST_VIDEO_FORMAT_GRAY8, 32, 32),
               large = video_info(GST_VIDEO_FORMAT_GRAY8, 64, 64);
  GstVideoMetaTransform change = {&small, &large};
  auto *meta = reinterpret_cast<GstMeta *>(gst_buffer_get_custom_meta(from.get(), gst::kLinesMeta));
  const long lasting = living_allocations();
  bool failed = true;
  for (int nth = 1; failed; nth++) {
    const BufferRef to(gst_buffer_new());
    bool done;
    {
      const FailingNew failing(nth);
      done = meta->info->transform_func(to.get(), meta, from.get(),
                                        gst_video_meta_transform_scale_get_quark(), &change);
      failed = failing.has_failed();
    }
    fail_unless(failed || nth > 1);
    fail_unless(done == !failed);
    fail_unless((gst_buffer_get_custom_meta(to.get(), gst::kLinesMeta) != nullptr) == done);
    fail_unless(living_allocations() == lasting);
  }
}
GST_END_TEST

// The leaks tracer would drop those that have been registered since it is there.
static void let_factories_live() {
  GstRegistry *registry = gst_registry_get();
  GList *features = gst_registry_get_feature_list(registry, GST_TYPE_ELEMENT_FACTORY);
  GList *plugins = gst_registry_get_plugin_list(registry);
  for (GList *list : {features, plugins})
    for (GList *item = list; item != nullptr; item = item->next)
      GST_OBJECT_FLAG_SET(item->data, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  gst_plugin_list_free(plugins);
  gst_plugin_feature_list_free(features);
}

static Suite *allocations_suite() {
  register_elements();
  let_factories_live();
  Suite *suite = suite_create("allocations");
  TCase *tests = new_case(suite, "allocations");
  add_sampled_loop_test(tests, one_by_one, runs().size());
  tcase_add_test(tests, presets);
  tcase_add_test(tests, kept_memory);
  tcase_add_test(tests, meta_of_lines);
  return suite;
}

int main(int argc, char **argv) {
  g_setenv("GST_TRACERS", "leaks", FALSE);
  gst_check_init(&argc, &argv);
  return run_suite(allocations_suite(), "allocations");
}
