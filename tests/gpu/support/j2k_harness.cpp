// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_harness.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace gpu_test {
namespace {

constexpr unsigned kPictures = 5;
constexpr GstClockTime kFrameTime = GST_SECOND / 25;

std::string caps_of(const Coding &c, bool cuda) {
  return caps_text(c.format.c_str(), c.width, c.height, cuda) + c.more_caps;
}

GstVideoInfo info_of(const Coding &c) {
  return video_info(caps_of(c, false));
}

// Patches of a colour, with noise from none to as much as there can be.
void draw(GstBuffer *buffer, const GstVideoInfo &info, unsigned picture) {
  constexpr unsigned masks[] = {0, 1, 0, 7, 31, 255, 3};
  unsigned y = 0, noise = 2463534242u + picture;
  const bool mapped = each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int, guint8 *row) {
    for (unsigned x = 0, bytes = unsigned(row_bytes(info, plane)); x < bytes; x++) {
      noise ^= noise << 13;
      noise ^= noise >> 17;
      noise ^= noise << 5;
      const unsigned mask = masks[(x / 24 + y / 9 * 3 + picture) % std::size(masks)];
      const unsigned colour = x / 24 * 37 + y / 9 * 91 + picture * 53;
      row[x] = static_cast<std::uint8_t>((colour & ~mask) | (noise & mask));
    }
    y++;
  });
  if (!mapped) throw Failure(kNotMapped);
}

// "a=1; b=2 3" as pairs.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::string &settings) {
  std::vector<std::pair<std::string, std::string>> pairs;
  gchar **parts = g_strsplit(settings.c_str(), ";", -1);
  for (gchar **part = parts; *part != nullptr && settings != ""; part++) {
    const std::string text = g_strstrip(*part);
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw Failure(text + " is no setting");
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  g_strfreev(parts);
  return pairs;
}

std::string line_of(const Coding &c, const std::string &backend) {
  const std::string memory = backend == "cuda" ? "(memory:CUDAMemory)" : "";
  std::string line;
  if (!c.filter.empty())
    line = c.filter + " backend=" + backend + " ! video/x-raw" + memory + " ! ";
  line += "j2kenc backend=" + backend + " frames-in-flight=" + std::to_string(c.frames_in_flight);
  for (const auto &[name, value] : pairs_of(c.settings))
    line += " " + name + "=\"" + value + "\"";
  return line;
}

void set(GstElement *element, const std::string &settings) {
  for (const auto &[name, value] : pairs_of(settings))
    gst_util_set_object_arg(G_OBJECT(element), name.c_str(), value.c_str());
}

void set_to_defaults(GstElement *element, const std::string &settings) {
  for (const auto &[name, value] : pairs_of(settings)) {
    GParamSpec *pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name.c_str());
    if (pspec == nullptr) throw Failure("j2kenc has no " + name);
    g_object_set_property(G_OBJECT(element), name.c_str(), g_param_spec_get_default_value(pspec));
  }
}

Bytes encode_on_cpu(const Coding &c, unsigned picture) {
  GstHarness *h = harness(line_of(c, "cpu").c_str(), caps_of(c, false), c.media);
  const GstVideoInfo info = info_of(c);
  GstBuffer *buffer = gst_buffer_new_and_alloc(GST_VIDEO_INFO_SIZE(&info));
  draw(buffer, info, picture);
  if (gst_harness_push(h, buffer) != GST_FLOW_OK) throw Failure(c.text() + ": the CPU refuses it");
  const Bytes bytes = take_bytes(gst_harness_pull(h));
  gst_harness_teardown(h);
  return bytes;
}

}  // namespace

std::string Coding::text() const {
  return filter + " " + caps_of(*this, false) + " to " + media + ", " + settings +
         ", frames-in-flight=" + std::to_string(frames_in_flight);
}

const Bytes &on_cpu(const Coding &c, unsigned picture) {
  static std::mutex lock;
  static std::map<std::vector<std::string>, Bytes> known;
  std::lock_guard guard(lock);
  Bytes &bytes = known[{c.filter, caps_of(c, false), c.settings, c.media, std::to_string(picture)}];
  if (bytes.empty()) bytes = encode_on_cpu(c, picture);
  return bytes;
}

// (Delegating: if there is no pool, the destructor stops the encoder. GStreamer would wait at the
// end of the program for one that runs.)
J2kHarness::J2kHarness(const Coding &coding, Input input, Context context)
    : J2kHarness(coding, input,
                 harness(line_of(coding, "cuda").c_str(), caps_of(coding, input == Input::cuda),
                         coding.media, context)) {
  new_pool();
}

J2kHarness::J2kHarness(const Coding &coding, Input input, GstHarness *harness)
    : coding_(coding),
      input_(input),
      harness_(harness),
      coder_(gst_harness_find_element(harness_, "j2kenc")),
      bus_(gst_bus_new()) {
  gst_element_set_bus(harness_->element, bus_);
}

J2kHarness::~J2kHarness() {
  if (pool_ != nullptr) drop_pool(pool_);
  gst_object_unref(coder_);
  gst_element_set_bus(harness_->element, nullptr);
  gst_object_unref(bus_);
  gst_harness_teardown(harness_);
}

void J2kHarness::new_pool() {
  if (pool_ != nullptr) drop_pool(pool_);
  pool_ = input_ == Input::pageable ? nullptr : proposed_pool(harness_);
  if (pool_ == nullptr && input_ != Input::pageable) throw Failure(coding_.text() + ": no pool");
}

void J2kHarness::change(const Coding &coding) {
  set_to_defaults(coder_, coding_.settings);
  const bool same_caps = caps_of(coding, false) == caps_of(coding_, false);
  coding_ = coding;
  set(coder_, coding.settings);
  g_object_set(coder_, "frames-in-flight", coding.frames_in_flight, nullptr);
  if (same_caps) return;
  gst_harness_set_src_caps_str(harness_, caps_of(coding, input_ == Input::cuda).c_str());
  new_pool();
}

GstBuffer *J2kHarness::frame(unsigned picture) {
  const GstVideoInfo info = info_of(coding_);
  GstBuffer *buffer = nullptr;
  if (pool_ == nullptr)
    buffer = gst_buffer_new_and_alloc(GST_VIDEO_INFO_SIZE(&info));
  else if (gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr) != GST_FLOW_OK)
    throw Failure(coding_.text() + ": no buffer from the pool");
  draw(buffer, info, picture);
  return buffer;
}

void J2kHarness::push(int frames) {
  for (int i = 0; i < frames; i++) {
    GstBuffer *buffer = frame(static_cast<unsigned>(number_ % kPictures));
    GST_BUFFER_PTS(buffer) = number_ * kFrameTime;
    GST_BUFFER_DURATION(buffer) = kFrameTime;
    GST_BUFFER_OFFSET(buffer) = number_;
    pushed_.push_back({coding_, number_++});
    const GstFlowReturn flow = gst_harness_push(harness_, buffer);
    check_messages();
    if (flow != GST_FLOW_OK) throw Failure(coding_.text() + ": " + gst_flow_get_name(flow));
  }
}

void J2kHarness::send(GstEvent *event) {
  const std::string name = GST_EVENT_TYPE_NAME(event);
  if (!gst_harness_push_event(harness_, event)) throw Failure(name + " was refused");
}

void J2kHarness::begin_stream() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  send(gst_event_new_segment(&segment));
}

void J2kHarness::flush() {
  send(gst_event_new_flush_start());
  send(gst_event_new_flush_stop(TRUE));
  check();  // those that came out before
  pushed_.clear();
  begin_stream();
}

void J2kHarness::restart() {
  gst_element_set_state(harness_->element, GST_STATE_NULL);
  check();  // those that came out before
  pushed_.clear();
  gst_element_set_state(harness_->element, GST_STATE_PLAYING);
  send(gst_event_new_stream_start("again"));
  gst_harness_set_src_caps_str(harness_, caps_of(coding_, input_ == Input::cuda).c_str());
  begin_stream();
  new_pool();
}

void J2kHarness::check() {
  while (GstBuffer *buffer = gst_harness_try_pull(harness_)) {
    const BufferRef owner(buffer);
    if (pushed_.empty()) throw Failure(coding_.text() + ": a frame too many");
    check_frame(buffer, pushed_.front());
    pushed_.pop_front();
  }
}

void J2kHarness::end() {
  send(gst_event_new_eos());
  check();
  check_messages();
  if (!pushed_.empty())
    throw Failure(coding_.text() + ": " + std::to_string(pushed_.size()) + " frames are missing");
}

void J2kHarness::check_frame(GstBuffer *buffer, const Pushed &pushed) const {
  const std::string what = pushed.coding.text() + ", frame " + std::to_string(pushed.number);
  if (GST_BUFFER_PTS(buffer) != pushed.number * kFrameTime ||
      GST_BUFFER_DURATION(buffer) != kFrameTime || GST_BUFFER_OFFSET(buffer) != pushed.number)
    throw Failure(what + ": has the time of frame " + std::to_string(GST_BUFFER_OFFSET(buffer)));
  const Bytes bytes = bytes_of(buffer);
  const Bytes &expected = on_cpu(pushed.coding, static_cast<unsigned>(pushed.number % kPictures));
  const std::size_t both = std::min(bytes.size(), expected.size());
  const auto first =
      std::mismatch(bytes.begin(), bytes.begin() + std::ptrdiff_t(both), expected.begin()).first -
      bytes.begin();
  if (bytes != expected)
    throw Failure(what + ": byte " + std::to_string(first) + " of " + std::to_string(bytes.size()) +
                  " differs, and the CPU has " + std::to_string(expected.size()));
}

// Neither an error nor a warning.
void J2kHarness::check_messages() const {
  constexpr auto kTypes = GstMessageType(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  while (const MessageRef message{gst_bus_pop_filtered(bus_, kTypes)})
    throw Failure(coding_.text() + ": " + parse(message.get()).text);
}

guint64 J2kHarness::statistic(const char *name) const {
  return stat(coder_, name);
}

Cases::~Cases() {
  fail_unless(failed_ == 0 && tried_ > 0, "%d of %d cases", failed_, tried_);
}

bool Cases::attempt(const std::function<void()> &one) {
  tried_++;
  try {
    one();
    return true;
  } catch (const Failure &failure) {
    failed_++;
    g_print("FAILED %s\n", failure.what());
    return false;
  }
}

bool Cases::encode(const Coding &coding, Input input, int frames) {
  return attempt([&] {
    J2kHarness h(coding, input);
    h.push(frames);
    h.end();
    const guint64 uploads = input == Input::cuda ? 0 : guint64(frames);
    if (h.statistic("uploads") != uploads) throw Failure(coding.text() + ": wrong uploads");
  });
}

}  // namespace gpu_test
