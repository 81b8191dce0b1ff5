// SPDX-License-Identifier: LGPL-2.1-or-later
#include "subject.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "cuda/gstcompat.h"

namespace coalesce::test {
namespace {

constexpr std::size_t kLookBehind = 3;  // downstream looks at frames as late as after a queue
constexpr std::chrono::seconds kPatience{60};
constexpr GstClockTime kDuration = GST_SECOND / 25;

using Microseconds = std::chrono::duration<double, std::micro>;

// Until the GPU has finished it, too. A map waits for our memory; the default stream waits for the
// streams of GStreamer.
void look_at(GstBuffer *buffer) {
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  const bool cuda = gst_is_cuda_memory(memory);
  const auto flags = static_cast<GstMapFlags>(int(GST_MAP_READ) | (cuda ? int(GST_MAP_CUDA) : 0));
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, flags)) throw std::runtime_error("could not map a frame");
  if (cuda) {
    gst_cuda_context_push(GST_CUDA_MEMORY_CAST(memory)->context);
    const bool good = CuStreamSynchronize(nullptr) == CUDA_SUCCESS;
    gst_cuda_context_pop(nullptr);
    if (!good) throw std::runtime_error("could not wait for the GPU");
  }
  gst_buffer_unmap(buffer, &map);
}

// Whether a thread of this process computes or would, other than this one, which asks.
bool others_run() {
  int running = 0;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && name_end + 2 < text.size())
      running += text[name_end + 2] == 'R' || text[name_end + 2] == 'D';
  }
  return running > 1;
}

// visit(element) until it returns true.
template <class Visit>
void each_element(GstElement *bin, const Visit &visit) {
  GValue item = G_VALUE_INIT;
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(bin));
  bool done = false;
  while (!done && gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    done = visit(GST_ELEMENT(g_value_get_object(&item)));
    g_value_unset(&item);
  }
  gst_iterator_free(elements);
}

// Of CUDA, above all: a GPU that switches between contexts does so in the times that are measured.
void share_contexts(GstElement *from, GstElement *to) {
  GList *contexts = gst_element_get_contexts(from);
  for (GList *i = contexts; i != nullptr; i = i->next)
    gst_element_set_context(to, GST_CONTEXT(i->data));
  g_list_free_full(contexts, [](gpointer context) { gst_context_unref(GST_CONTEXT(context)); });
}

bool has_property(GstElement *element, const char *name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name) != nullptr;
}

}  // namespace

Subject::Subject(const std::string &description, const Setup &setup, const Subject *other)
    : setup_(setup) {
  link(description);
  if (other != nullptr) share_contexts(other->bin_.get(), bin_.get());
  start();
  make_inputs(other);
  learn();
}

void Subject::fail(const std::string &what) const {
  std::string text = what;
  GstMessage *message = gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_ERROR);
  if (message != nullptr) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text += std::string(": ") + error->message;
    g_error_free(error);
    gst_message_unref(message);
  }
  throw std::runtime_error(text);
}

void Subject::link(const std::string &description) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description_full(description.c_str(), FALSE, nullptr,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (error != nullptr) {
    const std::string text = error->message;
    g_error_free(error);
    throw std::runtime_error(text);
  }
  bin_.reset(GST_ELEMENT(gst_object_ref_sink(bin)));
  bus_.reset(gst_bus_new());
  gst_element_set_bus(bin, bus_.get());

  const CapsRef caps = caps_of(setup_.out_caps);
  Owned<GstPadTemplate> accepted(GST_PAD_TEMPLATE(
      gst_object_ref_sink(gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps.get()))));
  sink_.reset(
      GST_PAD(gst_object_ref_sink(gst_pad_new_from_template(accepted.get(), "bench-sink"))));
  gst_pad_set_chain_function_full(sink_.get(), take, this, nullptr);
  gst_pad_set_active(sink_.get(), TRUE);
  const Owned<GstPad> last(gst_bin_find_unlinked_pad(GST_BIN(bin), GST_PAD_SRC));
  if (last == nullptr) throw std::runtime_error("nothing comes out of " + description);
  GstPad *out = gst_ghost_pad_new("src", last.get());
  gst_pad_set_active(out, TRUE);
  gst_element_add_pad(bin, out);
  if (gst_pad_link(out, sink_.get()) != GST_PAD_LINK_OK)
    throw std::runtime_error("the caps of what comes out are others");
  for (int i = 0; i < setup_.inputs; i++) {
    const Owned<GstPad> sink(next_free_sink());
    if (sink == nullptr) throw std::runtime_error("there are too few sink pads");
    add_source(sink.get());
  }
}

// A pad that is there already, or that an element gives on request.
GstPad *Subject::next_free_sink() {
  GstPad *pad = gst_bin_find_unlinked_pad(GST_BIN(bin_.get()), GST_PAD_SINK);
  if (pad != nullptr) return pad;
  each_element(bin_.get(), [&pad](GstElement *element) {
    for (GList *t = gst_element_get_pad_template_list(element); t != nullptr; t = t->next) {
      auto *of = GST_PAD_TEMPLATE(t->data);
      if (of->direction == GST_PAD_SINK && of->presence == GST_PAD_REQUEST)
        pad = gst_element_request_pad(element, of, nullptr, nullptr);
    }
    return pad != nullptr;
  });
  return pad;
}

void Subject::add_source(GstPad *sink) {
  const std::string number = std::to_string(sources_.size());
  GstPad *in = gst_ghost_pad_new(("sink" + number).c_str(), sink);
  gst_pad_set_active(in, TRUE);
  gst_element_add_pad(bin_.get(), in);
  GstPad *source = gst_pad_new(("source" + number).c_str(), GST_PAD_SRC);
  sources_.emplace_back(GST_PAD(gst_object_ref_sink(source)));
  gst_pad_set_active(source, TRUE);
  if (gst_pad_link(source, in) != GST_PAD_LINK_OK)
    throw std::runtime_error("a source cannot be linked");
}

void Subject::start() {
  if (gst_element_set_state(bin_.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail("does not start");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  for (std::size_t i = 0; i < sources_.size(); i++) {
    GstPad *source = sources_[i].get();
    gst_pad_push_event(source, gst_event_new_stream_start(("bench" + std::to_string(i)).c_str()));
    if (!gst_pad_push_event(source, gst_event_new_caps(setup_.content->caps.get())))
      fail("refuses the caps");
    gst_pad_push_event(source, gst_event_new_segment(&segment));
  }
}

GstBufferPool *Subject::proposed_pool() const {
  GstCaps *caps = setup_.content->caps.get();
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  GstBufferPool *pool = nullptr;
  guint bytes = 0;
  if (gst_pad_peer_query(sources_[0].get(), query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &bytes, nullptr, nullptr);
  gst_query_unref(query);
  if (pool == nullptr) return nullptr;
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, bytes, 0, 0);
  if (gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE))
    return pool;
  gst_object_unref(pool);
  return nullptr;
}

void Subject::make_inputs(const Subject *other) {
  const Content &content = *setup_.content;
  if (!content.is_raw()) {
    for (const BufferRef &frame : content.frames)
      inputs_.emplace_back(gst_buffer_ref(frame.get()));
    return;
  }
  const GstVideoInfo info = content.info();
  const bool gpu = content.on_gpu();
  if (!setup_.own_memory) pool_.reset(proposed_pool());
  if (pool_ == nullptr && gpu) {
    if (other == nullptr) throw std::runtime_error("proposes no pool of CUDA memory");
    for (const BufferRef &input : other->inputs_)
      inputs_.emplace_back(gst_buffer_ref(input.get()));
    return;
  }
  const std::size_t count = std::max(content.frames.size(), setup_.footprint / info.size);
  for (std::size_t i = 0; i < count / sources_.size() * sources_.size(); i++) {
    GstBuffer *from = content.frames[i % content.frames.size()].get(), *buffer = nullptr;
    if (pool_ == nullptr)
      buffer = gst_buffer_copy_deep(from);
    else if (gst_buffer_pool_acquire_buffer(pool_.get(), &buffer, nullptr) != GST_FLOW_OK)
      throw std::runtime_error("a pool gives no buffer");
    inputs_.emplace_back(buffer);
    if (pool_ != nullptr) copy_frame(info, from, buffer);
    if (!GST_VIDEO_INFO_IS_INTERLACED(&info)) continue;
    GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  }
}

GstFlowReturn Subject::take(GstPad *pad, GstObject *, GstBuffer *buffer) try {
  auto *self = static_cast<Subject *>(pad->chaindata);
  const gsize bytes = gst_buffer_get_size(buffer);
  std::unique_lock<std::mutex> lock(self->lock_);
  self->outputs_.emplace_back(buffer);
  const Sink mode = self->mode_;
  lock.unlock();
  if (mode == Sink::looks || mode == Sink::times)
    self->look_at_oldest(mode == Sink::looks ? kLookBehind : 0);
  lock.lock();
  while (mode == Sink::keeps_last && self->outputs_.size() > 1)
    self->outputs_.pop_front();
  self->asynchronous_ |= std::this_thread::get_id() != self->pushing_;
  self->arrived_++;
  self->bytes_ += bytes;
  self->last_arrival_ = Clock::now();
  if (self->arrived_ == self->first_mark_) self->at_first_mark_ = self->last_arrival_;
  if (self->arrived_ == self->second_mark_) self->at_second_mark_ = self->last_arrival_;
  self->arrival_.notify_one();
  return GST_FLOW_OK;
} catch (const std::exception &error) {
  GST_ERROR("%s", error.what());
  return GST_FLOW_ERROR;
}

void Subject::look_at_oldest(std::size_t keep) {
  std::unique_lock<std::mutex> lock(lock_);
  while (outputs_.size() > keep) {
    const BufferRef oldest = std::move(outputs_.front());
    outputs_.pop_front();
    lock.unlock();
    look_at(oldest.get());
    lock.lock();
  }
}

guint64 Subject::arrived() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return arrived_;
}

void Subject::set_mode(Sink mode) {
  const std::lock_guard<std::mutex> lock(lock_);
  mode_ = mode;
}

// Copies that share the memory and have times of their own, as no stream goes back in time.
void Subject::prepare(int count) {
  prepared_.clear();
  const std::size_t sources = sources_.size();
  for (int i = 0; i < count; i++, pushed_++)
    for (std::size_t s = 0; s < sources; s++) {
      GstBuffer *buffer = gst_buffer_copy(inputs_[(pushed_ * sources + s) % inputs_.size()].get());
      GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = pushed_ * kDuration;
      GST_BUFFER_DURATION(buffer) = kDuration;
      prepared_.emplace_back(buffer);
    }
}

void Subject::push_prepared() {
  for (std::size_t i = 0; i < prepared_.size(); i++) {
    const GstFlowReturn flow =
        gst_pad_push(sources_[i % sources_.size()].get(), prepared_[i].release());
    if (flow != GST_FLOW_OK) fail(std::string("refuses a frame: ") + gst_flow_get_name(flow));
  }
}

void Subject::wait_for_outputs() {
  std::unique_lock<std::mutex> lock(lock_);
  if (!arrival_.wait_for(lock, kPatience, [this] { return arrived_ >= expected_; })) {
    lock.unlock();
    fail("frames do not come out");
  }
}

// Until nothing has come for a while, and no thread computes. (The GPU's longest frame is shorter
// than that.) What has come in the pushing thread, more than `had`, was all.
void Subject::wait_until_quiet(guint64 had) {
  constexpr int kLooks = 10;
  constexpr std::chrono::milliseconds kBetween{10};
  guint64 before = arrived();
  for (int looks = 0; looks < kLooks; looks++) {
    if (before > had && !asynchronous_) return;
    std::this_thread::sleep_for(kBetween);
    const guint64 now = arrived();
    if (now != before || others_run()) looks = 0;
    before = now;
  }
}

// By single pushes, until two in a row bring as many buffers.
void Subject::learn() {
  constexpr int kMost = 10;
  guint64 before = 0, step = 0;
  for (int push = 1; push <= kMost; push++) {
    prepare(1);
    push_prepared();
    wait_until_quiet(before);
    const guint64 now = arrived(), previous = step;
    step = now - before;
    before = now;
    if (step == 0 || step != previous) continue;
    per_push_ = step;
    delay_ = push - static_cast<int>(now / step);
    expected_ = now;
    const CapsRef caps(gst_pad_get_current_caps(sink_.get()));
    const GstCapsFeatures *features = gst_caps_get_features(caps.get(), 0);
    out_on_gpu_ = gst_caps_features_contains(features, "memory:CUDAMemory");
    return;
  }
  fail("gives no output");
}

double Subject::frames(int count, int before_and_after) {
  const bool looks = setup_.look || !out_on_gpu_;
  set_mode(looks ? Sink::looks : Sink::keeps_last);
  prepare(count + 2 * before_and_after);
  {
    const std::lock_guard<std::mutex> lock(lock_);
    first_mark_ = expected_ + static_cast<guint64>(before_and_after) * per_push_;
    second_mark_ = first_mark_ + static_cast<guint64>(count) * per_push_;
  }
  expected_ = second_mark_ + static_cast<guint64>(before_and_after) * per_push_;
  const auto start = Clock::now();
  push_prepared();
  wait_for_outputs();
  look_at_oldest(0);
  const std::lock_guard<std::mutex> lock(lock_);
  return Microseconds(before_and_after > 0 ? at_second_mark_ - at_first_mark_
                                           : Clock::now() - start)
             .count() /
         count;
}

double Subject::latency() {
  set_mode(Sink::times);
  prepare(1);
  expected_ += per_push_;
  const auto start = Clock::now();
  push_prepared();
  wait_for_outputs();
  const std::lock_guard<std::mutex> lock(lock_);
  return Microseconds(last_arrival_ - start).count();
}

double Subject::pushes(int count) {
  set_mode(Sink::keeps_last);
  prepare(count);
  expected_ += static_cast<guint64>(count) * per_push_;
  const auto start = Clock::now();
  push_prepared();
  const double spent = Microseconds(Clock::now() - start).count();
  wait_for_outputs();
  look_at_oldest(0);
  return spent / count;
}

Content Subject::outputs(int count) {
  set_mode(Sink::keeps_all);
  prepare(count);
  expected_ += static_cast<guint64>(count) * per_push_;
  push_prepared();
  wait_for_outputs();
  Content content;
  content.caps.reset(gst_pad_get_current_caps(sink_.get()));
  const std::lock_guard<std::mutex> lock(lock_);
  content.frames.assign(std::make_move_iterator(outputs_.begin()),
                        std::make_move_iterator(outputs_.end()));
  outputs_.clear();
  return content;
}

double Subject::output_bytes() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return static_cast<double>(bytes_) / static_cast<double>(arrived_);
}

double Subject::stat(const char *name) const {
  guint64 sum = 0;
  each_element(bin_.get(), [&](GstElement *element) {
    GstStructure *stats = nullptr;
    guint64 value = 0;
    if (has_property(element, "stats")) g_object_get(element, "stats", &stats, nullptr);
    if (stats == nullptr) return false;
    if (gst_structure_get_uint64(stats, name, &value)) sum += value;
    gst_structure_free(stats);
    return false;
  });
  return static_cast<double>(sum) / static_cast<double>(pushed_);
}

std::string Subject::backend() const {
  std::string result;
  each_element(bin_.get(), [&result](GstElement *element) {
    if (!has_property(element, "active-backend")) return false;
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(element), "active-backend", &value);
    if (G_VALUE_HOLDS_ENUM(&value)) {
      auto *type = static_cast<GEnumClass *>(g_type_class_ref(G_VALUE_TYPE(&value)));
      result = g_enum_get_value(type, g_value_get_enum(&value))->value_nick;
      g_type_class_unref(type);
    }
    g_value_unset(&value);
    return !result.empty();
  });
  return result;
}

}  // namespace coalesce::test
