// SPDX-License-Identifier: LGPL-2.1-or-later
#include "neighbourhood.h"

#include "picture/formats.h"

namespace test {
namespace {

constexpr Size kSize{21, 8};

}  // namespace

std::vector<std::string> formats_of_8_bits() {
  std::vector<std::string> names;
  for (const coalesce::NamedFormat &each : coalesce::named_formats())
    if (each.format.in_bytes() &&
        gst_video_format_from_string(each.name) != GST_VIDEO_FORMAT_UNKNOWN)
      names.emplace_back(each.name);
  return names;
}

int n_formats_of_8_bits() {
  return static_cast<int>(formats_of_8_bits().size());
}

void push_and_compare(Harness &harness, const std::string &caps, guint32 seed, GstClockTime pts,
                      const std::function<std::string(const GstVideoFrame &in,
                                                      const GstVideoFrame &out)> &difference) {
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(random_frame(info, {}, seed));
  GST_BUFFER_PTS(in.get()) = pts;
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s", caps.c_str());
  const GstVideoInfo out_info = harness.output_info();
  GstVideoFrame from, to;
  fail_unless(gst_video_frame_map(&from, &info, in.get(), GST_MAP_READ));
  fail_unless(gst_video_frame_map(&to, &out_info, out.get(), GST_MAP_READ));
  const std::string text = difference(from, to);
  gst_video_frame_unmap(&from);
  gst_video_frame_unmap(&to);
  fail_unless(text.empty(), "%s: %s", caps.c_str(), text.c_str());
}

void check_caps_are_kept(const char *element, const Properties &properties) {
  for (const char *more : {"colorimetry=bt709, chroma-site=mpeg2",
                           "interlace-mode=interleaved, pixel-aspect-ratio=16/11"}) {
    const std::string caps = video_caps("I420", {16, 8}, more);
    Harness harness(element, properties);
    fail_unless(harness.set_input(caps));
    fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
  }
}

void check_no_start(const char *element, const Properties &properties, const char *problem) {
  Harness harness(element);
  gst_element_set_state(harness.element(), GST_STATE_READY);
  for (const auto &[name, value] : properties)
    set(harness, name, value);
  fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {problem});
}

void check_channels_refused(const char *element) {
  const struct {
    const char *format;
    Properties properties;
    std::vector<const char *> words;
  } cases[] = {
      {"RGB", {{"planes", "luma"}}, {"planes=luma", "RGB has no luma"}},
      {"GRAY8",
       {{"border", "constant"}, {"border-value", "256"}},
       {"border-value=256", "255, the largest sample of GRAY8"}},
  };
  for (const auto &[format, properties, words] : cases) {
    Harness harness(element, properties);
    (void)harness.set_input(video_caps(format, kSize));
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  }
}

void check_channels_ignored(const char *element) {
  Harness value(element, {{"border-value", "3"}});
  fail_unless(value.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(value.take_warning(), "it requires border=constant"));
  Harness alpha(element, {{"filter-alpha", "true"}});
  fail_unless(alpha.set_input(video_caps("RGB", kSize)));
  fail_unless(contains(alpha.take_warning(), "RGB has no alpha channel"));
  fail_unless(alpha.set_input(video_caps("Y410", kSize)));
  fail_unless(contains(alpha.take_warning(), "alpha of two bits"));
}

}  // namespace test
