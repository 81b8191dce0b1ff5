// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescejpegenc, with any properties: a file that is not the reference's, more bytes than the
// limit, an error that names no property or format, is a finding, beside what is one in every
// session.
#include <algorithm>

#include "../check/coalescejpegenc/jpegenc_reference.h"
#include "element_session.h"

namespace test {
namespace {

constexpr gsize kLargestFrame = 1 << 13;  // the reference is slow
constexpr int kMostSteps = 20;

class JpegSession : public Session {
 public:
  explicit JpegSession(Input &in) : Session("coalescejpegenc", in) {}

 private:
  std::string any_downstream() override {
    constexpr const char *kCaps[] = {"image/jpeg",
                                     "ANY",
                                     "image/jpeg, parsed=(boolean)true",
                                     "image/jpeg, sampling=(string)YCbCr-4:2:0",
                                     "image/jpeg, colorspace=(string){ sRGB, GRAY }",
                                     "image/jpeg, width=(int)[ 1, 20 ]"};
    constexpr int kPicky = 3;
    const int n = in_.below(G_N_ELEMENTS(kCaps));
    picky_ = n >= kPicky;
    return kCaps[n];
  }

  std::string any_text(const GParamSpec *) override {
    const char *texts[] = {"", "!", "1 2 3", "444", "true", "256"};
    if (in_.flag()) return in_.flag() ? in_.text() : in_.pick(texts);
    // A table, mostly.
    std::string table;
    const int count = in_.once_in(8) ? in_.below(70) : 64, step = in_.below(260);
    for (int i = 0; i < count; i++)
      table += std::to_string((step + i * in_.once_in(2)) % 260) + (i % 8 == 7 ? ",\n" : " ");
    return table;
  }

  int any_number() override {
    return in_.once_in(16) ? static_cast<int>(in_.word())
           : in_.flag()    ? 1 << in_.below(14)
                           : in_.between(-2, 102);
  }

  // Much does not go together: so now and then all begins anew.
  void set_property() override {
    if (!in_.once_in(6)) return Session::set_property();
    auto *object = G_OBJECT(harness_.element());
    for (GParamSpec *spec : properties())
      g_object_set_property(object, spec->name, g_param_spec_get_default_value(spec));
  }

  void check_message(const std::string &text) override {
    const std::vector<GParamSpec *> all = properties();
    const auto named = [&text](const GParamSpec *spec) { return contains(text, spec->name); };
    fail_unless(std::any_of(all.begin(), all.end(), named) || contains(text, "caps") ||
                    contains(text, "interlace-mode") || contains(text, "input ") ||
                    text == "not negotiated",
                "names neither a property nor the format: %s", text.c_str());
  }

  bool has_limit() {
    guint bytes, rate;
    g_object_get(harness_.element(), "max-frame-size", &bytes, "bitrate", &rate, nullptr);
    return bytes > 0 || rate > 0;
  }

  void push_frame() override {
    if (info_.finfo == nullptr || GST_VIDEO_INFO_SIZE(&info_) > kLargestFrame) return;
    AnyFrame frame = any_frame(in_, info_);
    const bool sound = jpeg_settings_are_sound(harness_.element(), info_);
    const bool must_do = frame.good && negotiated_ && !eos_ && !picky_ && sound && !has_limit();
    const GstFlowReturn flow = harness_.push(gst_buffer_ref(frame.buffer.get()));
    const Told told = take_messages();
    const char *name = gst_flow_get_name(flow);
    fail_unless(flow == GST_FLOW_OK || !must_do, "a good frame: %s: %s", name, told.error.c_str());
    fail_unless(told.errors <= 1, "%d errors", told.errors);
    fail_unless(flow != GST_FLOW_OK || told.errors == 0, "done, but: %s", told.error.c_str());
    fail_unless(flow != GST_FLOW_ERROR || failed_, "an error that is not told");
    const BufferRef out = harness_.pull();
    fail_unless((flow == GST_FLOW_OK) == (out != nullptr), "%s, and %s frame", name,
                out != nullptr ? "a" : "no");
    if (out == nullptr) return;
    look_at_caps();
    failed_ = false;
    fail_unless(GST_BUFFER_PTS(out.get()) == GST_BUFFER_PTS(frame.buffer.get()));
    // (Unsound settings are a warning, and those before are in use.)
    if (!jpeg_settings_are_sound(harness_.element(), info_)) return;
    const std::string wrong =
        jpeg_difference(harness_.element(), frame.buffer.get(), info_, bytes_of(out.get()));
    fail_unless(wrong.empty(), "%s", wrong.c_str());
  }

  bool picky_ = false;  // downstream may not take what becomes of caps
};

}  // namespace
}  // namespace test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  test::Input in(data, size);
  test::JpegSession(in).run(test::kMostSteps);
  return 0;
}
