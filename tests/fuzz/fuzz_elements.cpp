// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements from raw video to raw video: a wrong sample, an error that is not told, a good frame
// that is refused is a finding, beside what is one in every session.
#include <algorithm>

#include "aggregator_session.h"
#include "element_judges.h"
#include "element_session.h"
#include "judges/canny_judge.h"

namespace test {
namespace {

// Of larger ones only the caps are tried, and of somewhat smaller ones the samples are not
// compared: the references are slow.
constexpr gsize kLargestFrame = 1 << 20, kLargestJudged = 1 << 14;
constexpr int kMostSteps = 40;

class FilterSession : public Session {
 public:
  FilterSession(const std::string &element, Input &in) : Session(element, in) {
    if (in_.once_in(4)) {
      pool_.reset(odd_pool_new());
      offer_pool(harness_, pool_.get(), true);
    }
  }

 private:
  std::string any_text(const GParamSpec *) override {
    constexpr const char *kTexts[] = {
        "1",
        "1 2 1; 2 4 2; 1 2 1",
        "-1 0 1",
        "0.1, 0.2, 0.3; 1 1 1",
        "1 4 6 4 1",
        "0 0; 0 1",
        "",
        "1e300 -1e300",
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"};
    return in_.flag() ? in_.pick(kTexts) : in_.text();
  }

  void push_frame() override {
    if (info_.finfo == nullptr || GST_VIDEO_INFO_SIZE(&info_) > kLargestFrame) return;
    AnyFrame frame = any_frame(in_, info_);
    // The memory of such a pool is not aligned to 16 bits. Where new caps were refused, those
    // before may be, too, when they come again.
    const bool must_do = frame.good && negotiated_ && !eos_ &&
                         !(pool_ && GST_VIDEO_INFO_COMP_DEPTH(&info_, 0) > 8) &&
                         (!failed_ || settings_are_sound(harness_.element(), info_)) &&
                         (!is_deinterlacer() || has_mode_for_all_settings()) &&
                         (!is("canny") || canny_has_its_format(harness_.element(), info_));
    const GstFlowReturn flow = harness_.push(gst_buffer_ref(frame.buffer.get()));
    const std::string error = take_messages().error;
    fail_unless(flow == GST_FLOW_OK || !must_do, "a good frame: %s: %s", gst_flow_get_name(flow),
                error.c_str());
    fail_unless(flow != GST_FLOW_ERROR || !error.empty(), "an error that is not told");
    fail_unless(flow != GST_FLOW_OK || error.empty(), "done, but: %s", error.c_str());
    if (is_deinterlacer()) return look_at_pictures();
    const BufferRef out = harness_.pull();
    fail_unless((flow == GST_FLOW_OK) == (out != nullptr), "%s, and %s frame",
                gst_flow_get_name(flow), out != nullptr ? "a" : "no");
    if (out == nullptr) return;
    look_at_caps();
    failed_ = false;
    const GstVideoInfo out_info = harness_.output_info();
    fail_unless(out_info.width == info_.width && out_info.height == info_.height);
    if (pool_ && out->pool == pool_.get()) check_guards(out.get(), out_info);
    if (GST_VIDEO_INFO_SIZE(&info_) <= kLargestJudged)
      judge({harness_.element(), frame.buffer.get(), out.get(), info_, out_info});
  }

  // A frame becomes none, one, or several, under its own caps or after the next ones have come:
  // what is in them is not judged here.
  bool is_deinterlacer() const { return is("coalescedeinterlace"); }
  // Other interlace modes pass with some values of `mode`, and are refused once it has another.
  bool has_mode_for_all_settings() const {
    const CapsRef caps = current_caps(harness_.to_element());
    const char *mode =
        gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "interlace-mode");
    constexpr const char *kModes[] = {"progressive", "interleaved", "mixed"};
    return mode == nullptr || std::ranges::any_of(kModes, [mode](const char *known) {
             return g_str_equal(mode, known);
           });
  }
  bool is(const char *element) const {
    return g_str_equal(GST_OBJECT_NAME(gst_element_get_factory(harness_.element())), element);
  }
  void look_at_pictures() {
    while (harness_.pull() != nullptr) {
      look_at_caps();
      failed_ = false;
    }
  }

  Owned<GstBufferPool> pool_;  // downstream's, with odd strides, if there is one
};

}  // namespace
}  // namespace test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  test::Input in(data, size);
  const auto &filters = test::video_filters(), &several = test::aggregators();
  const unsigned which = in.byte();
  // (Those with one input keep their numbers, which the corpus has.)
  if (which >> 4 == 14)
    test::AggregatorSession(several[which % several.size()], in).run(test::kMostSteps);
  else
    test::FilterSession(filters[which % filters.size()], in).run(test::kMostSteps);
  return 0;
}
