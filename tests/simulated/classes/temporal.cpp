// SPDX-License-Identifier: LGPL-2.1-or-later
// The class Temporal, by coalescefields (tests/elements/fields.h): two pictures a frame, and one
// frame of look-ahead.
#include <cuda.h>

#include <optional>

#include "../../elements/fields.h"
#include "elements.h"

using namespace simulated;

namespace {

constexpr int kWidth = 37, kHeight = 11, kOutHeight = kHeight / 2;
constexpr const char *kMemories[] = {kSystem, kCuda};

std::string sink_caps(const char *memory, int height = kHeight) {
  return video_caps(memory, "GRAY8", kWidth, height) +
         ", interlace-mode=interleaved, field-order=top-field-first";
}

std::string source_caps(const char *memory) {
  return std::string("video/x-raw") + (*memory != 0 ? "(" + std::string(memory) + ")" : "") +
         ", format=GRAY8";
}

GstVideoInfo in_info(int height = kHeight) {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, height);
}

// The time and the offset of the frame tell its number; by its flag every third has its bottom
// field first.
bool top_is_first(unsigned seed) {
  return seed % 3 != 0;
}

void describe(GstBuffer *buffer, unsigned seed) {
  GST_BUFFER_PTS(buffer) = seed * kFrame;
  GST_BUFFER_DURATION(buffer) = kFrame;
  GST_BUFFER_OFFSET(buffer) = seed;
  GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  if (top_is_first(seed)) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

// A byte of a field, by its place in time.
guint8 of_field(unsigned seed, int number, int x, int y) {
  return sample(seed, 0, x, 2 * y + (top_is_first(seed) ? number : 1 - number));
}

// Of frame `seed`, which `next` follows, or nothing: 0.
guint8 expected(unsigned seed, unsigned next, int number, int x, int y) {
  const int a = of_field(seed, number, x, y);
  const int b = number == 0 ? of_field(seed, 1, x, y) : next != 0 ? of_field(next, 0, x, y) : a;
  return static_cast<guint8>((a + b + 1) / 2);
}

class FieldsBench : public Bench {
 public:
  FieldsBench(const char *in, const char *out, const std::string &properties = {})
      : Bench("coalescefields " + properties), in_(in) {
    negotiate(sink_caps(in), source_caps(out));
  }
  ~FieldsBench() { drop_pool(pool_); }

  GstFlowReturn push_frame(unsigned seed, int flags = 0) {
    GstBuffer *buffer = nullptr;
    if (in_ == std::string(kCuda)) {
      if (pool_ == nullptr) pool_ = proposed_pool(harness(), sink_caps(kCuda).c_str());
      buffer = pool_buffer(pool_, in_info(), seed);
    } else {
      buffer = system_buffer(in_info(), seed);
    }
    describe(buffer, seed);
    GST_BUFFER_FLAG_SET(buffer, flags);
    return push(buffer);
  }
  void push_frames(unsigned first, unsigned last) {
    for (unsigned seed = first; seed <= last; seed++)
      fail_unless_equals_int(push_frame(seed), GST_FLOW_OK);
  }
  void end() { fail_unless(push_event(gst_event_new_eos())); }

  // The next two pictures are those of that frame, which `next` followed.
  void expect_frame(unsigned seed, unsigned next) {
    for (int number : {0, 1})
      expect_picture(test::BufferRef(gst_harness_try_pull(harness())), seed, next, number);
  }
  void expect_frames(unsigned first, unsigned last, unsigned after_last = 0) {
    for (unsigned seed = first; seed <= last; seed++)
      expect_frame(seed, seed < last ? seed + 1 : after_last);
  }
  static void expect_picture(test::BufferRef buffer, unsigned seed, unsigned next, int number) {
    const std::string what =
        "picture " + std::to_string(number) + " of frame " + std::to_string(seed) + ": ";
    fail_unless(buffer != nullptr, "%smissing", what.c_str());
    const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kOutHeight);
    const std::string wrong = wrong_bytes(buffer.get(), info, GST_MAP_READ, [&](int, int x, int y) {
      return expected(seed, next, number, x, y);
    });
    fail_unless(wrong.empty(), "%s%s", what.c_str(), wrong.c_str());
    fail_unless_equals_uint64(GST_BUFFER_PTS(buffer.get()),
                              seed * kFrame + (number == 0 ? 0 : kFrame / 2));
    fail_unless_equals_uint64(GST_BUFFER_DURATION(buffer.get()), kFrame / 2);
    fail_if(GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
    fail_if(GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_VIDEO_BUFFER_FLAG_TFF));
  }

  GstClockTime latency() { return gst_harness_query_latency(harness()); }

 private:
  std::string in_;
  GstBufferPool *pool_ = nullptr;
};

// What passes the element's source pad, each after a space. Pictures have their frame's number.
void note_passing(const Bench &bench, std::string *seen) {
  gst_pad_add_probe(
      bench.from_element(),
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto &list = *static_cast<std::string *>(data);
        list += (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0
                    ? " " + std::to_string(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)) / kFrame)
                    : std::string(" ") + GST_EVENT_TYPE_NAME(GST_PAD_PROBE_INFO_EVENT(info));
        return GST_PAD_PROBE_OK;
      },
      seen, nullptr);
}

GstEvent *custom_event() {
  return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("mark"));
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Every mix of memories and back ends; the pictures of a frame wait for the frame after it.
GST_START_TEST(every_memory) {
  for (const char *in : kMemories)
    for (const char *out : kMemories)
      for (const char *backend : {"auto", "cuda", "cpu"}) {
        const bool cuda = in == std::string(kCuda) || out == std::string(kCuda);
        if (cuda && backend == std::string("cpu")) continue;
        FieldsBench bench(in, out, std::string("delay=50 backend=") + backend);
        for (unsigned seed = 1; seed <= 6; seed++) {
          bench.push_frames(seed, seed);
          fail_unless_equals_int(bench.waiting(), int(2 * (seed - 1)));
        }
        bench.end();
        fail_unless_equals_int(bench.waiting(), 12);
        bench.expect_frames(1, 6);
        fail_unless_equals_uint64(stat(bench.element(), "frames"), 12);
        bench.expect_no_error();
      }
}
GST_END_TEST

// What is measured of every frame is there when its pictures are chosen: in any memory, and after a
// new beginning.
GST_START_TEST(measured) {
  using Bytes = std::vector<guint8>;
  static std::vector<Bytes> seen;
  coalesce::testing::look_at_measured = [](const std::uint8_t *bytes) {
    seen.emplace_back(bytes, bytes == nullptr ? bytes : bytes + coalesce::testing::kMeasured);
  };
  for (const char *in : kMemories)
    for (const char *out : kMemories)
      for (const char *backend : {"cuda", "cpu"}) {
        const bool cuda = in == std::string(kCuda) || out == std::string(kCuda);
        if (cuda && backend == std::string("cpu")) continue;
        FieldsBench bench(in, out, std::string("measures=true delay=50 backend=") + backend);
        seen.clear();
        bench.push_frames(1, 5);
        fail_unless_equals_int(bench.push_frame(6, GST_BUFFER_FLAG_DISCONT), GST_FLOW_OK);
        bench.push_frames(7, 8);
        bench.end();
        fail_unless_equals_int(static_cast<int>(seen.size()), 8);
        for (unsigned seed = 1; seed <= 8; seed++) {
          Bytes average;
          for (int x = 0; x < coalesce::testing::kMeasured && seed != 1 && seed != 6; x++)
            average.push_back(
                static_cast<guint8>((sample(seed - 1, 0, x, 0) + sample(seed, 0, x, 0) + 1) / 2));
          fail_unless(seen[seed - 1] == average, "frame %u, %s to %s", seed, in, out);
        }
        bench.expect_frames(1, 5);
        bench.expect_frames(6, 8);
        bench.expect_no_error();
      }
  coalesce::testing::look_at_measured = [](const std::uint8_t *) {};
}
GST_END_TEST

// Frames that another element writes, and writes again, in streams by turns.
GST_START_TEST(behind_another_element) {
  Bench bench("coalesceinvert delay=50 ! coalescefields delay=200");
  bench.negotiate(sink_caps(kSystem), source_caps(kCuda));
  constexpr unsigned kFrames = 40;
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *buffer = system_buffer(in_info(), seed);
    describe(buffer, seed);
    fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
  }
  fail_unless(bench.push_event(gst_event_new_eos()));
  const auto inverted = [](unsigned seed, int number, int x, int y) {
    return 255 - of_field(seed, number, x, y);
  };
  for (unsigned picture = 0; picture < 2 * kFrames; picture++) {
    const test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
    fail_unless(buffer != nullptr, "%u pictures", picture);
    const unsigned seed = 1 + picture / 2;
    const int number = static_cast<int>(picture % 2);
    const std::string wrong =
        wrong_bytes(buffer.get(), video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kOutHeight),
                    GST_MAP_READ, [&](int, int x, int y) {
                      const int a = inverted(seed, number, x, y);
                      const int b = number == 0      ? inverted(seed, 1, x, y)
                                    : seed < kFrames ? inverted(seed + 1, 0, x, y)
                                                     : a;
                      return static_cast<guint8>((a + b + 1) / 2);
                    });
    fail_unless(wrong.empty(), "picture %u: %s", picture, wrong.c_str());
  }
}
GST_END_TEST

GST_START_TEST(caps_and_latency) {
  FieldsBench bench(kSystem, kSystem);
  bench.push_frames(1, 2);
  const test::CapsRef caps = bench.output_caps();
  const GstVideoInfo info = bench.output_info();
  fail_unless_equals_int(info.height, kOutHeight);
  fail_unless_equals_int(info.fps_n, 50);
  fail_if(GST_VIDEO_INFO_IS_INTERLACED(&info));
  fail_unless_equals_uint64(bench.latency(), kFrame);
  // From now on no frame is waited for, so the latency goes; those that wait come out as they are.
  g_object_set(bench.element(), "ahead", FALSE, nullptr);
  bench.push_frames(3, 3);
  fail_unless_equals_uint64(bench.latency(), 0);
  bench.expect_frame(1, 2);
  bench.expect_frame(2, 0);
  bench.expect_frame(3, 0);
  g_object_set(bench.element(), "ahead", TRUE, nullptr);
  bench.push_frames(4, 5);
  fail_unless_equals_uint64(bench.latency(), kFrame);
  bench.expect_frame(4, 5);
}
GST_END_TEST

// A discontinuity, a gap, a segment, new caps, a flush: what came before has no successor.
GST_START_TEST(sequences) {
  for (const char *memory : kMemories) {
    FieldsBench bench(memory, memory);
    bench.push_frames(1, 2);
    fail_unless_equals_int(bench.push_frame(5, GST_BUFFER_FLAG_DISCONT), GST_FLOW_OK);
    bench.expect_frames(1, 2);
    fail_unless_equals_int(bench.waiting(), 0);
    fail_unless(bench.push_event(gst_event_new_gap(6 * kFrame, kFrame)));
    bench.expect_frame(5, 0);
    bench.push_frames(7, 8);
    fail_unless(bench.push_event(segment_event()));
    bench.expect_frames(7, 8);
    bench.push_frames(9, 10);
    fail_unless(bench.set_input(sink_caps(memory, kHeight + 1)));
    bench.expect_frames(9, 10);
    fail_unless(bench.set_input(sink_caps(memory)));
    bench.push_frames(11, 12);
    bench.expect_frame(11, 12);
    fail_unless(bench.push_event(gst_event_new_flush_start()));
    fail_unless(bench.push_event(gst_event_new_flush_stop(TRUE)));
    fail_unless(bench.push_event(segment_event()));
    bench.push_frames(13, 14);
    bench.end();
    bench.expect_frames(13, 14);
    fail_unless_equals_int(bench.waiting(), 0);
    bench.expect_no_error();
  }
}
GST_END_TEST

GST_START_TEST(discontinuity_is_marked_once) {
  FieldsBench bench(kSystem, kSystem);
  fail_unless_equals_int(bench.push_frame(1, GST_BUFFER_FLAG_DISCONT), GST_FLOW_OK);
  bench.push_frames(2, 2);
  fail_unless_equals_int(bench.push_frame(5, GST_BUFFER_FLAG_DISCONT), GST_FLOW_OK);
  bench.end();
  for (unsigned picture = 0; picture < 6; picture++) {
    const test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
    fail_unless(buffer != nullptr);
    fail_unless_equals_int(GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT),
                           picture == 0 || picture == 4);
  }
}
GST_END_TEST

// A frame that becomes no picture is still looked at, its events keep their place, and its marks go
// to the next picture.
GST_START_TEST(frames_without_pictures) {
  for (const char *memory : kMemories)
    for (int flags : {0, int(GST_BUFFER_FLAG_DISCONT), int(GST_BUFFER_FLAG_RESYNC)}) {
      FieldsBench bench(memory, memory);
      const bool ends = flags == GST_BUFFER_FLAG_DISCONT;
      const auto push = [&](unsigned seed, int more) {
        fail_unless_equals_int(bench.push_frame(seed, more), GST_FLOW_OK);
      };
      push(1, 0);
      std::string seen;
      note_passing(bench, &seen);
      push(2, flags | GST_BUFFER_FLAG_DROPPABLE);
      fail_unless(bench.push_event(custom_event()));
      push(3, GST_BUFFER_FLAG_DROPPABLE);
      push(4, 0);
      push(5, 0);
      push(6, GST_BUFFER_FLAG_DROPPABLE);
      bench.end();
      fail_unless(seen == " 1 1 custom-downstream 4 4 5 5 eos", "%s", seen.c_str());
      for (unsigned picture = 0; picture < 6; picture++) {
        test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
        fail_unless(buffer != nullptr);
        const int marks = int(GST_BUFFER_FLAGS(buffer.get())) &
                          (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC);
        if (picture > 0) fail_unless_equals_int(marks, picture == 2 ? flags : 0);
        const unsigned seed = picture < 2 ? 1 : 3 + picture / 2;
        FieldsBench::expect_picture(std::move(buffer), seed, seed == 1 && ends ? 0 : seed + 1,
                                    static_cast<int>(picture % 2));
      }
      fail_unless_equals_uint64(stat(bench.element(), "frames"), 6);
      bench.expect_no_error();
    }
}
GST_END_TEST

// Frames alone that become no picture: the stream ends without any.
GST_START_TEST(no_picture_at_all) {
  FieldsBench bench(kSystem, kSystem);
  fail_unless_equals_int(bench.push_frame(1, GST_BUFFER_FLAG_DROPPABLE), GST_FLOW_OK);
  bench.end();
  fail_unless_equals_int(bench.waiting(), 0);
  bench.expect_no_error();
}
GST_END_TEST

// Without durations, and without times.
GST_START_TEST(times) {
  for (bool rate : {true, false}) {
    Bench bench("coalescefields");
    bench.negotiate(sink_caps(kSystem) + (rate ? "" : ", framerate=0/1"), source_caps(kSystem));
    for (unsigned seed = 1; seed <= 2; seed++) {
      GstBuffer *buffer = system_buffer(in_info(), seed);
      GST_BUFFER_PTS(buffer) = seed * 100;
      fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
    }
    fail_unless(bench.push_event(gst_event_new_eos()));
    const GstClockTime last = rate ? 200 + kFrame / 2 : GST_CLOCK_TIME_NONE;
    for (GstClockTime expected : {GstClockTime(100), GstClockTime(150), GstClockTime(200), last}) {
      const test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
      fail_unless(buffer != nullptr);
      fail_unless_equals_uint64(GST_BUFFER_PTS(buffer.get()), expected);
    }
  }
}
GST_END_TEST

// Serialized events keep their place; sticky ones of frames that are flushed come all the same.
GST_START_TEST(events_keep_their_place) {
  FieldsBench bench(kSystem, kSystem);
  bench.push_frames(1, 1);
  std::string seen;
  note_passing(bench, &seen);
  const auto expect_seen = [&](const char *expected) {
    fail_unless(std::exchange(seen, {}) == expected, "not \"%s\"", expected);
  };
  const auto tags = [] {
    return gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "title", nullptr));
  };
  fail_unless(bench.push_event(custom_event()));
  fail_unless(bench.push_event(tags()));
  fail_unless(bench.push_event(
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("now"))));
  expect_seen(" custom-downstream-oob");
  bench.push_frames(2, 2);
  expect_seen(" 1 1 custom-downstream tag");
  fail_unless(bench.push_event(custom_event()));
  bench.end();
  expect_seen(" 2 2 custom-downstream eos");
  fail_unless(bench.push_event(gst_event_new_flush_start()));
  fail_unless(bench.push_event(gst_event_new_flush_stop(TRUE)));
  fail_unless(bench.push_event(segment_event()));
  bench.push_frames(3, 3);
  seen.clear();
  fail_unless(bench.push_event(tags()));
  fail_unless(bench.push_event(custom_event()));
  fail_unless(bench.push_event(gst_event_new_flush_start()));
  fail_unless(bench.push_event(gst_event_new_flush_stop(TRUE)));
  fail_unless(bench.push_event(segment_event()));
  bench.push_frames(4, 5);
  expect_seen(" segment tag 4 4");
}
GST_END_TEST

// A query for memory changes nothing; others that are serialized wait for all frames.
GST_START_TEST(queries) {
  FieldsBench bench(kSystem, kSystem);
  bench.push_frames(1, 2);
  bench.expect_frame(1, 2);
  const test::CapsRef caps = parse_caps(sink_caps(kSystem));
  const test::QueryRef memory(gst_query_new_allocation(caps.get(), TRUE));
  gst_pad_peer_query(bench.to_element(), memory.get());
  fail_unless_equals_int(bench.waiting(), 0);
  const test::QueryRef drain(gst_query_new_drain());
  gst_pad_peer_query(bench.to_element(), drain.get());
  bench.expect_frame(2, 0);
}
GST_END_TEST

// What ends no sequence leaves the frames before it in view.
GST_START_TEST(history_over_events) {
  Bench bench("coalesceblend");
  const std::string caps = video_caps(kSystem, "GRAY8", kWidth, kHeight);
  bench.negotiate(caps, source_caps(kSystem));
  for (unsigned seed = 1; seed <= 3; seed++) {
    fail_unless(bench.push_event(custom_event()));
    fail_unless_equals_int(bench.push(system_buffer(in_info(), seed)), GST_FLOW_OK);
    const test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
    const std::string wrong =
        wrong_bytes(buffer.get(), in_info(), GST_MAP_READ, [&](int, int x, int y) {
          const int a = sample(seed, 0, x, y), b = seed > 1 ? sample(seed - 1, 0, x, y) : a;
          return static_cast<guint8>((a + b + 1) / 2);
        });
    fail_unless(wrong.empty(), "picture %u: %s", seed, wrong.c_str());
  }
}
GST_END_TEST

// Upstream's pool has a buffer for each frame that is held.
GST_START_TEST(buffers_for_what_is_held) {
  FieldsBench bench(kSystem, kSystem);
  bench.push_frames(1, 1);
  const test::CapsRef caps = parse_caps(sink_caps(kSystem));
  const test::QueryRef query(gst_query_new_allocation(caps.get(), TRUE));
  fail_unless(gst_pad_peer_query(bench.to_element(), query.get()));
  guint least = 0;
  gst_query_parse_nth_allocation_pool(query.get(), 0, nullptr, nullptr, &least, nullptr);
  fail_unless_equals_int(least, 2);
}
GST_END_TEST

// The frame that is held cannot be made a picture of any more.
GST_START_TEST(context_that_cannot_be_had) {
  GstCudaContext *contexts[] = {new_context(0), new_context(0)};
  {
    Bench bench("coalescefields");
    give_context(bench.element(), contexts[0]);
    bench.negotiate(sink_caps(kCuda), source_caps(kSystem));
    for (unsigned seed = 1; seed <= 2; seed++) {
      guint size = 0;
      auto pool = coalesce::gst::cuda_pool_new(contexts[seed - 1],
                                               parse_caps(sink_caps(kCuda)).get(), &size);
      gst_buffer_pool_set_active(pool.get(), TRUE);
      GstBuffer *buffer = pool_buffer(pool.get(), in_info(), seed);
      describe(buffer, seed);
      if (seed == 2) fakecuda_fail(FAKECUDA_STREAM_CREATE, 1, CUDA_ERROR_OUT_OF_MEMORY);
      fail_unless_equals_int(bench.push(buffer), seed == 1 ? GST_FLOW_OK : GST_FLOW_ERROR);
      gst_buffer_pool_set_active(pool.get(), FALSE);
    }
    fakecuda_reset_faults();
    bench.push_event(custom_event());
    bench.push_event(gst_event_new_eos());
    fail_unless_equals_int(bench.waiting(), 0);
    fail_unless_equals_int(bench.errors().size(), 1);
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
}
GST_END_TEST

// Frames that are held go along to another context, and to the other back end.
GST_START_TEST(another_context) {
  GstCudaContext *contexts[] = {new_context(0), new_context(0), new_context(1)};
  {
    Bench bench("coalescefields");
    give_context(bench.element(), contexts[0]);
    bench.negotiate(sink_caps(kCuda), source_caps(kSystem));
    for (unsigned seed = 1; seed <= 6; seed++) {
      guint size = 0;
      auto pool = coalesce::gst::cuda_pool_new(contexts[seed % 3],
                                               parse_caps(sink_caps(kCuda)).get(), &size);
      gst_buffer_pool_set_active(pool.get(), TRUE);
      GstBuffer *buffer = pool_buffer(pool.get(), in_info(), seed);
      describe(buffer, seed);
      fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
      gst_buffer_pool_set_active(pool.get(), FALSE);
    }
    fail_unless(bench.push_event(gst_event_new_eos()));
    for (unsigned seed = 1; seed <= 6; seed++)
      for (int number : {0, 1})
        FieldsBench::expect_picture(test::BufferRef(gst_harness_try_pull(bench.harness())), seed,
                                    seed < 6 ? seed + 1 : 0, number);
    bench.expect_no_error();
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
}
GST_END_TEST

GST_START_TEST(downstream_changes_memory) {
  for (const char *in : kMemories) {
    FieldsBench bench(in, kSystem);
    bench.push_frames(1, 2);
    bench.expect_frame(1, 2);
    unsigned seed = 3;
    for (const char *out : {kCuda, kSystem, kCuda}) {
      bench.accept(source_caps(out));
      gst_pad_push_event(bench.from_element(), gst_event_new_reconfigure());
      bench.push_frames(seed, seed);
      bench.expect_frame(seed - 1, seed);
      fail_unless(contains(text_of(bench.output_caps().get()), kCuda) ==
                  (out == std::string(kCuda)));
      seed++;
    }
    bench.end();
    bench.expect_frame(seed - 1, 0);
    bench.expect_no_error();
  }
}
GST_END_TEST

// Downstream's answers reach upstream, also those to frames that a drain has pushed.
GST_START_TEST(flows) {
  FieldsBench bench(kSystem, kSystem);
  bench.push_frames(1, 2);
  bench.expect_frame(1, 2);
  gst_pad_set_active(bench.from_element(), FALSE);
  bench.push_event(gst_event_new_gap(3 * kFrame, kFrame));
  fail_unless_equals_int(bench.push_frame(4), GST_FLOW_FLUSHING);
}
GST_END_TEST

GST_START_TEST(failing_run) {
  for (const char *memory : kMemories) {
    FieldsBench bench(memory, memory, memory == std::string(kCuda) ? "fail=4" : "fail=3");
    bench.push_frames(1, 3);
    fail_unless_equals_int(bench.push_frame(4), GST_FLOW_ERROR);
    bench.expect_frame(1, 2);
    bench.expect_frame(2, 3);
    fail_unless_equals_int(bench.waiting(), 0);
    fail_unless_equals_int(bench.errors().size(), 1);
  }
}
GST_END_TEST

GST_START_TEST(up_and_down) {
  for (const char *memory : kMemories) {
    FieldsBench bench(memory, memory);
    for (int round = 0; round < 20; round++) {
      bench.push_frames(1, unsigned(1 + round % 3));
      gst_element_set_state(bench.element(), GST_STATE_NULL);
      while (GstBuffer *buffer = gst_harness_try_pull(bench.harness()))
        gst_buffer_unref(buffer);
      fail_unless(gst_element_set_state(bench.element(), GST_STATE_PLAYING) !=
                  GST_STATE_CHANGE_FAILURE);
      fail_unless(bench.push_event(gst_event_new_stream_start("again")));
      fail_unless(bench.set_input(sink_caps(memory)));
      fail_unless(bench.push_event(segment_event()));
    }
    bench.expect_no_error();
  }
}
GST_END_TEST

// Each call of the driver fails in turn: what comes out is right, and if not all does, there is one
// error.
namespace {

struct Fault {
  FakecudaFunction function;
  int code;
};
constexpr Fault kFaults[] = {{FAKECUDA_ALLOC_PITCH, CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_COPY, 719},
                             {FAKECUDA_LAUNCH, 719},
                             {FAKECUDA_STREAM_CREATE, CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_STREAM_WAIT, 719},
                             {FAKECUDA_EVENT_CREATE, CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_EVENT_RECORD, 719},
                             {FAKECUDA_EXECUTE, 719}};

bool check_fault(const Fault &fault, int nth, FakecudaFault how, const char *in, const char *out,
                 bool measures) {
  const std::string what = std::to_string(fault.function) + " number " + std::to_string(nth) +
                           (how == FAKECUDA_ONCE ? ", once, to " : ", lost, to ") + "\"" + out +
                           "\"";
  const guint64 before = counts().injected_faults;
  {
    Bench bench(std::string("coalescefields backend=cuda measures=") +
                (measures ? "true" : "false"));
    fakecuda_fail_how(fault.function, nth, fault.code, how);
    bench.negotiate(sink_caps(in), source_caps(out));
    bool refused = false;
    for (unsigned seed = 1; seed <= 4 && !refused; seed++) {
      GstBuffer *buffer = system_buffer(in_info(), seed);
      describe(buffer, seed);
      refused = bench.push(buffer) != GST_FLOW_OK;
    }
    bench.push_event(gst_event_new_eos());
    // What has not failed by now would fail where downstream looks.
    if (counts().injected_faults == before) fakecuda_reset_faults();
    const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kOutHeight);
    int right = 0;
    for (int picture = 0;; picture++) {
      const test::BufferRef buffer(gst_harness_try_pull(bench.harness()));
      if (buffer == nullptr) break;
      const unsigned seed = unsigned(1 + picture / 2);
      const std::string wrong =
          wrong_bytes(buffer.get(), info, GST_MAP_READ, [&](int, int x, int y) {
            return expected(seed, seed < 4 ? seed + 1 : 0, picture % 2, x, y);
          });
      fail_unless(wrong.empty() || wrong == kNotMapped, "%s: %s", what.c_str(), wrong.c_str());
      right += wrong.empty() ? 1 : 0;
    }
    const std::size_t errors = bench.errors().size();
    fail_unless(right == 8 ? errors <= 1 : errors == 1, "%s: %d pictures, %zu errors", what.c_str(),
                right, errors);
  }
  fakecuda_reset_faults();
  return fault_was_met(what);
}

}  // namespace

GST_START_TEST(faults) {
  const bool measures = __i__ >= 2;
  const FakecudaFault how = __i__ % 2 == 0 ? FAKECUDA_ONCE : FAKECUDA_LOST;
  for (const Fault &fault : kFaults) {
    int nth = 1;
    while (check_fault(fault, nth, how, kSystem, kMemories[__i__ % 2], measures))
      nth = next_fault(nth);
    fail_unless(nth > 1, "%d: never called", int(fault.function));
  }
}
GST_END_TEST

static Suite *temporal_suite() {
  register_elements();
  Suite *suite = suite_create("temporal");
  TCase *tests = new_case(suite, "temporal");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, every_memory);
  tcase_add_test(tests, measured);
  tcase_add_test(tests, behind_another_element);
  tcase_add_test(tests, caps_and_latency);
  tcase_add_test(tests, sequences);
  tcase_add_test(tests, discontinuity_is_marked_once);
  tcase_add_test(tests, frames_without_pictures);
  tcase_add_test(tests, no_picture_at_all);
  tcase_add_test(tests, times);
  tcase_add_test(tests, events_keep_their_place);
  tcase_add_test(tests, queries);
  tcase_add_test(tests, history_over_events);
  tcase_add_test(tests, buffers_for_what_is_held);
  tcase_add_test(tests, context_that_cannot_be_had);
  tcase_add_test(tests, another_context);
  tcase_add_test(tests, downstream_changes_memory);
  tcase_add_test(tests, flows);
  tcase_add_test(tests, failing_run);
  tcase_add_test(tests, up_and_down);
  tcase_add_loop_test(tests, faults, 0, 4);
  return suite;
}
SIMULATED_MAIN(temporal)
