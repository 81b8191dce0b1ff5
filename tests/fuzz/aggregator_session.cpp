// SPDX-License-Identifier: LGPL-2.1-or-later
#include "aggregator_session.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "../support/elements/pipeline.h"

namespace test {
namespace {

// Of larger frames only the caps are tried.
constexpr gsize kLargestFrame = 1 << 16;
constexpr int kMostTimes = 4;
constexpr GstClockTime kDuration = GST_SECOND / 25;

// What comes out of an element, with its caps, and whether it has ended.
class Outputs {
 public:
  explicit Outputs(Harness &harness)
      : pad_(GST_PAD(gst_object_ref(harness.from_element()))),
        probe_(gst_pad_add_probe(
            pad_.get(),
            GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM), note,
            this, nullptr)) {}
  ~Outputs() { gst_pad_remove_probe(pad_.get(), probe_); }
  Outputs(const Outputs &) = delete;
  Outputs &operator=(const Outputs &) = delete;

  bool ended() const { return ended_; }

  struct Output {
    BufferRef buffer;
    CapsRef caps;
  };
  std::map<GstClockTime, Output> take() {
    const std::lock_guard guard(lock_);
    return std::move(all_);
  }

 private:
  static GstPadProbeReturn note(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Outputs *>(data);
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
      if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) self->ended_ = true;
      return GST_PAD_PROBE_OK;
    }
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const std::lock_guard guard(self->lock_);
    fail_unless(self->all_.find(GST_BUFFER_PTS(buffer)) == self->all_.end(), "a time twice");
    self->all_[GST_BUFFER_PTS(buffer)] = {BufferRef(gst_buffer_ref(buffer)), current_caps(pad)};
    return GST_PAD_PROBE_OK;
  }

  const Owned<GstPad> pad_;
  const gulong probe_;
  std::mutex lock_;
  std::map<GstClockTime, Output> all_;
  std::atomic<bool> ended_{false};
};

}  // namespace

// For one input: events and frames in their order, and the frames by their number.
struct AggregatorSession::Plan {
  std::vector<std::unique_ptr<GstMiniObject, DropMini>> items;
  std::map<int, GstBuffer *> frames;
};

struct AggregatorSession::Stream {
  std::vector<Plan> plans;
  std::map<int, GstVideoInfo> infos;  // of the frames with that number, where they are alike
  bool good = true;                   // all of it must be taken
};

AggregatorSession::AggregatorSession(const std::string &element, Input &in) : Session(element, in) {
  for (const std::string &name : input_names(element))
    inputs_.push_back(gst_harness_new_with_element(harness_.element(), name.c_str(), nullptr));
}

AggregatorSession::~AggregatorSession() {
  gst_element_set_state(harness_.element(), GST_STATE_NULL);
  for (GstHarness *input : inputs_)
    gst_harness_teardown(input);
}

void AggregatorSession::step() {
  switch (in_.below(8)) {
    case 0:
      restart();
      break;
    case 1:
    case 2:
    case 3:
      set_property();
      break;
    default:
      play();
  }
}

AggregatorSession::Stream AggregatorSession::any_stream() {
  Stream stream;
  stream.plans.resize(inputs_.size());
  const auto add = [](Plan &plan, auto *item) {
    plan.items.emplace_back(GST_MINI_OBJECT_CAST(item));
  };
  // All of them get these caps, but for one now and then.
  GstVideoInfo info{};
  const auto add_caps = [&] {
    const bool plain = !in_.once_in(4);
    const std::string all = plain ? plain_input_caps(in_, name_) : any_input_caps(in_, name_);
    stream.good = stream.good && plain;
    for (Plan &plan : stream.plans) {
      const bool other = in_.once_in(16);
      stream.good = stream.good && !other;
      const CapsRef caps = parse_caps(other ? any_input_caps(in_, name_) : all);
      add(plan, gst_event_new_caps(caps.get()));
    }
    info = {};
    if (!gst_video_info_from_caps(&info, parse_caps(all).get())) info = {};
  };
  for (Plan &plan : stream.plans)
    add(plan, gst_event_new_stream_start("fuzz"));
  add_caps();
  for (Plan &plan : stream.plans) {
    const bool bytes = in_.once_in(32);
    stream.good = stream.good && !bytes;
    GstSegment segment;
    gst_segment_init(&segment, bytes ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
    add(plan, gst_event_new_segment(&segment));
  }
  bool changes = false, misses = false;
  for (int n = 0, times = 1 + in_.below(kMostTimes); n < times; n++) {
    if (n > 0 && in_.once_in(8)) {
      add_caps();
      changes = true;
    }
    stream.infos[n] = info;
    for (Plan &plan : stream.plans) {
      const unsigned what = in_.byte() & 15;
      const GstClockTime time = static_cast<GstClockTime>(n) * kDuration;
      const bool fits = info.finfo != nullptr && info.width > 0 && info.height > 0 &&
                        GST_VIDEO_INFO_SIZE(&info) <= kLargestFrame;
      misses = misses || what < 2 || !fits;
      if (what == 0 || !fits) continue;
      if (what == 1) {
        add(plan, gst_event_new_gap(time, kDuration));
        continue;
      }
      if (what == 2)
        add(plan, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                       gst_structure_new_empty("application/fuzz")));
      AnyFrame frame = any_frame(in_, info);
      GstBuffer *buffer = frame.buffer.release();
      GST_BUFFER_PTS(buffer) = time, GST_BUFFER_DURATION(buffer) = kDuration;
      if (what == 3) {
        GST_BUFFER_PTS(buffer) = in_.flag() ? GST_CLOCK_TIME_NONE : time + in_.word() / 16;
        frame.good = false;
      }
      stream.good = stream.good && frame.good;
      plan.frames[n] = buffer;
      add(plan, buffer);
    }
  }
  // Caps that come before frames that do not are another pad's wrong ones.
  stream.good = stream.good && !(changes && misses);
  return stream;
}

// Returns when all inputs have ended.
void AggregatorSession::push(const Stream &stream) {
  std::vector<std::thread> threads;
  for (gsize i = 0; i < inputs_.size(); i++)
    threads.emplace_back([pad = inputs_[i]->srcpad, &plan = stream.plans[i]] {
      GstFlowReturn flow = GST_FLOW_OK;
      for (const auto &item : plan.items) {
        if (GST_IS_EVENT(item.get()))
          gst_pad_push_event(pad, GST_EVENT(gst_mini_object_ref(item.get())));
        else if (flow == GST_FLOW_OK)
          flow = gst_pad_push(pad, GST_BUFFER(gst_mini_object_ref(item.get())));
      }
      gst_pad_push_event(pad, gst_event_new_eos());
    });
  for (std::thread &thread : threads)
    thread.join();
}

// As upstream of a seek; after an end GstAggregator goes on for no other flush.
void AggregatorSession::flush() {
  GstEvent *seek = gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                      GST_SEEK_TYPE_NONE, 0);
  const guint32 number = gst_event_get_seqnum(seek);
  gst_harness_push_upstream_event(harness_.get(), seek);
  for (const auto make :
       {gst_event_new_flush_start, +[] { return gst_event_new_flush_stop(TRUE); }})
    for (GstHarness *input : inputs_) {
      GstEvent *event = make();
      gst_event_set_seqnum(event, number);
      gst_pad_push_event(input->srcpad, event);
      while (EventRef(gst_harness_try_pull_upstream_event(input)) != nullptr) {
      }
    }
}

void AggregatorSession::play() {
  const bool any = in_.once_in(4);
  const std::string downstream = any ? any_downstream() : "ANY";
  harness_.accept(downstream);
  const Stream stream = any_stream();
  if (!playing_) return;
  // Of what is wrong with properties there has been a warning, and those before are in use.
  const bool sound = settings_are_sound(harness_.element(), stream.infos.at(0));
  take_messages();
  Outputs outputs(harness_);
  push(stream);
  Told told;
  fail_unless(eventually([&] {
                const Told more = take_messages();
                if (more.errors > 0) told = more;
                return outputs.ended() || told.errors > 0;
              }),
              "neither an end nor an error");
  const bool must_do = stream.good && downstream == "ANY" && sound;
  fail_unless(told.errors == 0 || !must_do, "good streams: %s", told.error.c_str());
  auto found = outputs.take();
  for (const auto &[n, info] : stream.infos) {
    std::vector<GstBuffer *> in;
    for (const Plan &plan : stream.plans)
      if (const auto frame = plan.frames.find(n); frame != plan.frames.end())
        in.push_back(frame->second);
    const auto out = found.find(static_cast<GstClockTime>(n) * kDuration);
    const bool complete = in.size() == inputs_.size();
    fail_unless(!must_do || (out != found.end()) == complete, "picture %d: %s", n,
                complete ? "there is none" : "of a time with a frame too few");
    if (!stream.good || !sound || out == found.end() || !complete) continue;
    GstVideoInfo out_info;
    fail_unless(gst_video_info_from_caps(&out_info, out->second.caps.get()));
    judge({harness_.element(), in[0], out->second.buffer.get(), info, out_info, in});
  }
  while (harness_.pull() != nullptr) {
  }
  while (EventRef(gst_harness_try_pull_event(harness_.get())) != nullptr) {
  }
  if (told.errors > 0 || in_.flag())
    restart();
  else
    flush();
}

}  // namespace test
