// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include <utility>

namespace test {
namespace {

constexpr gint64 kPatience = 120 * G_USEC_PER_SEC;

bool is_eos(GstElement *appsink) {
  gboolean eos = FALSE;
  g_object_get(appsink, "eos", &eos, nullptr);
  return eos == TRUE;
}

}  // namespace

bool eventually(const std::function<bool()> &condition) {
  for (const gint64 end = g_get_monotonic_time() + kPatience; !condition(); g_usleep(500))
    if (g_get_monotonic_time() > end) return false;
  return true;
}

void drop_pipeline(GstElement *pipeline) {
  std::atomic<bool> gone{false};
  g_object_weak_ref(
      G_OBJECT(pipeline),
      [](gpointer data, GObject *) { *static_cast<std::atomic<bool> *>(data) = true; }, &gone);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  fail_unless(eventually([&gone] { return gone.load(); }), "a pipeline lives on");
}

int threads_of_process() {
  GDir *tasks = g_dir_open("/proc/self/task", 0, nullptr);
  fail_unless(tasks != nullptr);
  int threads = 0;
  while (g_dir_read_name(tasks) != nullptr)
    threads++;
  g_dir_close(tasks);
  return threads;
}

Pipeline::Pipeline(const std::string &description) {
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(description.c_str(), &error);
  fail_unless(error == nullptr && pipeline_ != nullptr, "%s: %s", description.c_str(),
              error ? error->message : "no pipeline");
  gst_object_ref_sink(pipeline_);
  const Owned<GstBus> bus(gst_element_get_bus(pipeline_));
  gst_bus_set_sync_handler(bus.get(), note, this, nullptr);
  const Owned<GstElement> sink(gst_bin_get_by_name(GST_BIN(pipeline_), "sink"));
  if (sink == nullptr || !g_str_equal(G_OBJECT_TYPE_NAME(sink.get()), "GstFakeSink")) return;
  g_object_set(sink.get(), "signal-handoffs", TRUE, nullptr);
  g_signal_connect(sink.get(), "handoff", G_CALLBACK(handoff), this);
}

Pipeline::~Pipeline() {
  drop_pipeline(pipeline_);
}

void Pipeline::die(const std::string &why) const {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  ck_abort_msg("%s", why.c_str());
  std::abort();  // not reached
}

GstElement *Pipeline::element(const char *name) const {
  GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  if (found == nullptr) die(std::string("no element is called ") + name);
  gst_object_unref(found);
  return found;
}

void Pipeline::handoff(GstElement *, GstBuffer *buffer, GstPad *pad, gpointer self) {
  auto *pipeline = static_cast<Pipeline *>(self);
  if (pipeline->on_buffer) pipeline->on_buffer(buffer, pad);
  pipeline->buffers_++;
}

GstBusSyncReply Pipeline::note(GstBus *, GstMessage *message, gpointer self) {
  auto *pipeline = static_cast<Pipeline *>(self);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) pipeline->eos_ = true;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    const std::lock_guard guard(pipeline->lock_);
    pipeline->errors_.push_back(parse(message));
  }
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    const std::lock_guard guard(pipeline->lock_);
    pipeline->warnings_.push_back(parse(message).text);
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

std::vector<Message> Pipeline::errors() {
  const std::lock_guard guard(lock_);
  return std::exchange(errors_, {});
}

std::vector<std::string> Pipeline::warnings() {
  const std::lock_guard guard(lock_);
  return std::exchange(warnings_, {});
}

std::string Pipeline::take_error() {
  const std::vector<Message> all = errors();
  return all.empty() ? std::string() : all[0].text + ", " + all[0].details;
}

bool Pipeline::failed() const {
  const std::lock_guard guard(lock_);
  return !errors_.empty();
}

void Pipeline::die_on_error() {
  for (const Message &error : errors())
    die(error.source + ": " + error.text + ", " + error.details);
}

void Pipeline::stop() {
  fail_if(gst_element_set_state(pipeline_, GST_STATE_NULL) == GST_STATE_CHANGE_FAILURE);
  eos_ = false;
}

void Pipeline::set_state(GstState state) {
  const auto change = gst_element_set_state(pipeline_, state);
  die_on_error();
  const std::string name = gst_element_state_get_name(state);
  if (change == GST_STATE_CHANGE_FAILURE) die("no change to " + name);
  const auto reached = gst_element_get_state(pipeline_, nullptr, nullptr, kPatience * GST_USECOND);
  die_on_error();
  if (state <= GST_STATE_READY) eos_ = false;
  if (reached != GST_STATE_CHANGE_SUCCESS && reached != GST_STATE_CHANGE_NO_PREROLL)
    die(name + " was not reached");
}

GstFlowReturn Pipeline::push(GstBuffer *buffer, const char *source) const {
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_signal_emit_by_name(element(source), "push-buffer", buffer, &flow);
  gst_buffer_unref(buffer);
  return flow;
}

void Pipeline::end(const char *source) const {
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_signal_emit_by_name(element(source), "end-of-stream", &flow);
}

// An appsink does not notice that upstream has failed; the bus does.
GstBuffer *Pipeline::pull(const char *sink, CapsRef *caps) const {
  GstElement *from = element(sink);
  GstBuffer *buffer = nullptr;
  const bool over = eventually([&] {
    GstSample *sample = nullptr;
    g_signal_emit_by_name(from, "try-pull-sample", guint64{10 * GST_MSECOND}, &sample);
    if (sample == nullptr) return failed() || is_eos(from);
    buffer = gst_buffer_ref(gst_sample_get_buffer(sample));
    if (caps != nullptr) caps->reset(gst_caps_ref(gst_sample_get_caps(sample)));
    gst_sample_unref(sample);
    return true;
  });
  if (!over) die(std::string("neither a frame nor an end comes to ") + sink);
  return buffer;
}

void Pipeline::wait_until(const std::function<bool()> &done, const char *what) const {
  if (!eventually(done)) die(std::string("waited too long for ") + what);
}

void Pipeline::wait_for_end() const {
  wait_until([this] { return eos_ || failed(); }, "an end");
}

void Pipeline::wait_for_eos() {
  wait_for_end();
  die_on_error();
}

void Pipeline::wait_for_buffers(int more) {
  const int target = buffers_ + more;
  wait_until([this, target] { return buffers_ >= target || failed(); }, "buffers");
  die_on_error();
}

GstBuffer *timed(GstBuffer *buffer, unsigned n, GstClockTime duration) {
  GST_BUFFER_PTS(buffer) = n * kFrame;
  GST_BUFFER_DURATION(buffer) = duration;
  return buffer;
}

namespace {

std::string launch(const std::vector<SeveralInputs::Source> &sources, const std::string &element,
                   const std::string &out, const std::string &source) {
  std::string text;
  for (const auto &from : sources)
    text += source + " name=" + from.name + " caps=\"" + from.caps + "\"" + from.front + " ! d." +
            from.pad + " ";
  return text + element + " name=d ! appsink name=sink sync=false caps=\"" + out + "\"";
}

}  // namespace

SeveralInputs::SeveralInputs(const std::vector<Source> &sources, const std::string &element,
                             const std::string &out, const std::string &source)
    : Pipeline(launch(sources, element, out, source)) {
  for (const Source &each : sources)
    sources_.push_back(each.name);
}

void SeveralInputs::end_all() const {
  for (const std::string &source : sources_)
    end(source.c_str());
}

void SeveralInputs::set_caps(const std::string &text) const {
  const CapsRef caps = parse_caps(text);
  for (const std::string &source : sources_)
    g_object_set(element(source.c_str()), "caps", caps.get(), nullptr);
}

guint64 SeveralInputs::unpaired() const {
  guint64 unpaired = 0;
  g_object_get(d(), "unpaired", &unpaired, nullptr);
  return unpaired;
}

void SeveralInputs::expect_end() const {
  const BufferRef buffer(pull());
  if (buffer != nullptr) die("a picture more at " + std::to_string(GST_BUFFER_PTS(buffer.get())));
}

std::string SeveralInputs::expect_error() {
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

}  // namespace test
