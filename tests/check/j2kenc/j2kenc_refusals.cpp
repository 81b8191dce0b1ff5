// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings that cannot be: an error that names property and value, before anything comes out.
#include "j2kenc_cases.h"

namespace test {
namespace {

struct Refusal {
  Properties properties;
  std::vector<const char *> words;
};

// At the start, in whatever format.
const std::vector<Refusal> &settings() {
  static const std::vector<Refusal> all = {
      {{{"bpp", "1"}, {"psnr", "40"}}, {"bpp=1 and psnr=40", "only one"}},
      {{{"bitrate", "5000"}, {"frame-size", "100"}}, {"bitrate=5000 and frame-size=100"}},
      {{{"quality", "80"}, {"bpp", "0.5"}}, {"bpp=0.5 and quality=80"}},
      {{{"lossless", "true"}, {"bpp", "0.5"}}, {"lossless=true and bpp=0.5"}},
      {{{"lossless", "true"}, {"quality", "80"}}, {"lossless=true and quality=80"}},
      {{{"wavelet", "9/7"}}, {"wavelet=9/7 without a rate", "lossless=false"}},
      {{{"wavelet", "9/7"}, {"lossless", "true"}}, {"lossless=true and wavelet=9/7"}},
      {{{"wavelet", "5/3"}, {"quality", "80"}}, {"quality=80 and wavelet=5/3", "psnr"}},
      {{{"code-block-width", "65"}},
       {"code-block-width=65 and code-block-height=64", "power of two"}},
      {{{"code-block-height", "12"}}, {"code-block-height=12", "12 is not"}},
      {{{"code-block-width", "128"}}, {"code-block-width=128", "4096 samples"}},
      {{{"precincts", "100x128"}}, {"precincts=\"100x128\"", "powers of two"}},
      {{{"precincts", "!"}}, {"precincts=\"!\"", "a shell removes", "use precincts='\"\"'"}},
      {{{"precincts", "128"}}, {"precincts=\"128\""}},
      {{{"precincts", "128x-128"}}, {"precincts=\"128x-128\""}},
      {{{"precincts", "0x40x64"}}, {"precincts=\"0x40x64\""}},  // not 64x64
      {{{"precincts", "65536x65536"}}, {"precincts=\"65536x65536\""}},
      {{{"precincts", "wide"}}, {"precincts=\"wide\""}},
      {{{"precincts", "128x64"}}, {"precincts=\"128x64\"", "128x64 is smaller than a code-block"}},
      {{{"precincts", "256x256 64x64"}}, {"64x64 is smaller than a code-block"}},
      {{{"precincts", "256x256 256x256"}, {"num-resolutions", "1"}},
       {"precincts=", "num-resolutions=1"}},
      {{{"layer-rates", "0.5"}},
       {"layer-rates=\"0.5\" and num-layers=1: 1 rate instead of none", "use num-layers=2"}},
      {{{"layer-rates", "0.5 1 2"}, {"num-layers", "3"}},
       {"num-layers=3: 3 rates instead of 2", "use num-layers=4"}},
      {{{"layer-rates", "0.5 0.5"}, {"num-layers", "3"}}, {"0.5 is not above the rate before"}},
      {{{"layer-rates", "0 0.5"}, {"num-layers", "3"}}, {"0 is not above 0"}},
      {{{"layer-rates", "a lot"}, {"num-layers", "3"}}, {"layer-rates=\"a lot\""}},
      {{{"roi", "1,2,3"}}, {"roi=\"1,2,3\""}},
      {{{"roi", "1,2,0,4"}}, {"roi=\"1,2,0,4\"", "width and height at least 1"}},
      {{{"roi", "-1,0,5,5"}}, {"roi=\"-1,0,5,5\"", "\"x,y,width,height\"", "none negative"}},
      {{{"roi", "1,2,3,4.5"}}, {"roi=\"1,2,3,4.5\""}},
      {{{"roi", "99999999999,2,3,4"}}, {"roi="}},
      {{{"profile", "cinema-2k"}, {"lossless", "true"}}, {"lossless=true and profile=cinema-2k"}},
      {{{"profile", "imf-4k"}, {"psnr", "40"}}, {"psnr=40 and profile=imf-4k", "bpp"}},
      {{{"comment", "\xe2\x82\xac"}}, {"comment=\"\xe2\x82\xac\"", "Latin-1"}},
  };
  return all;
}

GST_START_TEST(settings_that_cannot_be) {
  for (const auto &[properties, words] : settings()) {
    Owned<GstElement> element(
        GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("j2kenc", nullptr))));
    for (const auto &[name, value] : properties)
      gst_util_set_object_arg(G_OBJECT(element.get()), name, value);
    const Message error = start_error(element.get());
    const std::string &text = error.text;
    fail_unless(error.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "%s", text.c_str());
    for (const char *word : words)
      fail_unless(contains(text, word), "\"%s\" should say \"%s\"", text.c_str(), word);
  }
}
GST_END_TEST;

// With the caps, or with the first frame.
const std::vector<Refusal> &settings_for_the_format() {
  static const std::vector<Refusal> all = {
      {{{"tile-width", "1"}, {"tile-height", "1"}}, {"tile-width=1 and tile-height=1", "65535"}},
      {{{"roi", "300,200,21,10"}}, {"roi=\"300,200,21,10\"", "320x240"}},
      {{{"roi", "0,2147483647,1,2147483647"}}, {"roi=", "outside"}},
      {{{"frame-size", "20"}}, {"frame-size=20", "fewer bytes", "the least is frame-size="}},
      {{{"bpp", "0.001"}}, {"bpp=0.001", "fewer bytes", "the least is bpp=0."}},
      {{{"bpp", "0.00001"}}, {"bpp=1e-05", "the least is bpp=0."}},
      {{{"bpp", "1"}, {"num-layers", "2"}, {"layer-rates", "1.5"}},
       {"layer-rates=\"1.5\" and bpp=1"}},
  };
  return all;
}

void expect_refusal(const Properties &properties, const std::string &caps,
                    const std::vector<const char *> &words) {
  Harness harness("j2kenc", properties);
  harness.set_input(caps);
  const GstFlowReturn flow = harness.push(random_frame(video_info(caps), {}, 1));
  fail_unless(flow == GST_FLOW_ERROR || flow == GST_FLOW_NOT_NEGOTIATED, "%s: %s", words[0],
              gst_flow_get_name(flow));
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
}

struct ProfileRefusal {
  const char *profile, *format, *name, *value, *text;
};

// What a profile requires, and what there is instead.
constexpr ProfileRefusal kProfileRefusals[] = {
    {"cinema-2k", "RGB", "comment", "", "requires 12-bit components; the input has 8"},
    {"broadcast-single", "Y444_16LE", "comment", "",
     "requires components of 8 to 12 bits; the input has 16"},
    {"cinema-2k", "GRAY8", "comment", "", "requires 3 components; the input has 1"},
    {"imf-2k", "AYUV64", "comment", "", "requires 1 to 3 components; the input has 4"},
    {"cinema-2k", "I420_12LE", "comment", "", "requires 4:4:4; the input has 4:2:0"},
    {"imf-4k", "I420_12LE", "comment", "", "requires 4:4:4 or 4:2:2; the input has 4:2:0"},
    {"broadcast-single", "Y41B", "comment", "",
     "requires 4:4:4, 4:2:2 or 4:2:0; the input has 1x1, 4x1, 4x1"},
    {"cinema-2k", "GBR_12LE", "num-layers", "2", "requires num-layers=1; it is 2"},
    {"cinema-4k", "GBR_12LE", "num-resolutions", "1", "requires num-resolutions=2 to 7; it is 1"},
    {"cinema-4k", "GBR_12LE", "wavelet", "5/3", "requires wavelet=9/7; it is 5/3"},
    {"cinema-2k", "GBR_12LE", "sop", "true", "requires sop=false; it is true"},
    {"cinema-2k", "GBR_12LE", "eph", "true", "requires eph=false; it is true"},
    {"cinema-2k", "GBR_12LE", "plt", "true", "requires plt=false; it is true"},
    {"cinema-2k", "GBR_12LE", "guard-bits", "3", "requires guard-bits=1; it is 3"},
    {"cinema-2k", "GBR_12LE", "frame-size", "4000000",
     "requires at most frame-size=1250000 at this framerate; it is frame-size=4000000"},
    {"cinema-2k", "GBR_12LE", "code-block-width", "16",
     "requires code-block-width and code-block-height of 32; they are 16 and 32"},
    {"imf-2k", "I422_10LE", "tile-width", "100",
     "requires one tile; tile-width and tile-height make 4x1"},
    {"broadcast-multi", "I422_10LE", "tile-width", "100",
     "requires 1x1, 2x2 or 1x4 tiles; tile-width and tile-height make 4x"},
    {"imf-2k", "I422_10LE", "roi", "1,1,9,9", "requires an empty roi"},
    {"imf-2k", "I422_10LE", "progression-order", "rpcl",
     "requires progression-order=cprl; it is rpcl"},
    {"broadcast-multi", "I422_10LE", "precincts", "512x512",
     "requires precincts of 256x256, and of 128x128 at the smallest resolution; they are 512x512 "
     "512x512"},
    {"broadcast-single", "I422_10LE", "code-block-style", "reset", "requires code-block-style=0"},
};

GST_START_TEST(what_profiles_forbid) {
  for (const auto &[profile, format, name, value, words] : kProfileRefusals) {
    const std::string text = std::string("profile=") + profile + " " + words;
    expect_refusal({{"profile", profile}, {name, value}}, video_caps(format, {320, 240}),
                   {text.c_str()});
  }
  expect_refusal({{"profile", "cinema-2k"}}, video_caps("GBR_12LE", {2050, 20}),
                 {"profile=cinema-2k requires a picture of at most 2048x1080; the input has "
                  "2050x20"});
  std::string still = video_caps("I422_10LE", {320, 240});
  still.replace(still.find("25/1"), 4, "0/1");
  expect_refusal({{"profile", "imf-2k"}}, still,
                 {"profile=imf-2k requires a framerate; the caps have none"});
  still.replace(still.find("0/1"), 3, "2147483647/1");
  expect_refusal({{"profile", "imf-2k"}}, still,
                 {"profile=imf-2k requires at most ", " samples a second; width, height and "});
}
GST_END_TEST;

// Of the property that was set; it is accepted, and a step more is not.
GST_START_TEST(most_of_profiles) {
  const struct {
    const char *profile, *fps, *name, *value, *most, *more;
  } cases[] = {
      {"broadcast-single", "25/1", "bitrate", "5000000", "800000", "800001"},
      {"broadcast-multi", "30000/1001", "bitrate", "5000000", "800000", "800001"},
      {"broadcast-single", "25/1", "frame-size", "5000000", "4000000", "4000001"},
      {"broadcast-single", "250/1", "bpp", "100", "41.6667", "41.6668"},
      {"broadcast-single", "90/1", "bpp", "500", "115.74", "115.741"},
      {"imf-2k", "25/1", "frame-size", "2000000000", "256000000", "256000001"},
  };
  for (const auto &[profile, fps, name, value, most, more] : cases) {
    std::string caps = video_caps("I422_10LE", {320, 240});
    caps.replace(caps.find("25/1"), 4, fps);
    const std::string told = std::string("profile=") + profile + " requires at most " + name + "=" +
                             most + " at this framerate; it is " + name + "=";
    for (const char *wrong : {value, more})
      expect_refusal({{"profile", profile}, {name, wrong}}, caps, {(told + wrong).c_str()});
    Harness harness("j2kenc", {{"profile", profile}, {name, most}});
    fail_unless(harness.set_input(caps));
    harness.expect_no_error();
  }
}
GST_END_TEST;

// A setting without effect is one warning at the start, which says what would make it count.
GST_START_TEST(ignored_settings) {
  const struct {
    Properties properties;
    const char *words;  // nullptr: no warning
  } cases[] = {
      {{}, "visual-weighting=true has no effect without a rate; it requires bpp"},
      {{{"lossless", "false"}}, "visual-weighting=true has no effect without a rate"},
      {{{"quality", "50"}}, "visual-weighting=true has no effect with quality=50; it requires bpp"},
      {{{"quality", "50"}, {"num-layers", "2"}}, nullptr},
      {{{"num-layers", "2"}}, nullptr},
      {{{"bpp", "2"}}, nullptr},
      {{{"psnr", "40"}}, nullptr},
      {{{"profile", "imf-2k"}}, nullptr},
  };
  for (auto [properties, words] : cases) {
    properties.push_back({"visual-weighting", "true"});
    Harness harness("j2kenc", properties);
    const std::string caps = video_caps("I422_10LE", {320, 240});
    fail_unless(harness.set_input(caps));
    for (guint32 i = 0; i < 3; i++)
      fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, i)), GST_FLOW_OK);
    const std::string warning = harness.take_warning();
    fail_unless(words != nullptr ? contains(warning, words) : warning.empty(), "\"%s\"",
                warning.c_str());
    fail_unless(harness.take_warning().empty(), "a second warning");
  }
}
GST_END_TEST;

GST_START_TEST(settings_that_the_format_forbids) {
  for (const auto &[properties, words] : settings_for_the_format())
    expect_refusal(properties, video_caps("I420", {320, 240}), words);
  expect_refusal({{"roi", "1,1,9,9"}}, video_caps("Y444_16LE", {320, 240}),
                 {"roi=\"1,1,9,9\"", "bit-planes", "format has 16 bits", "wavelet=9/7"});
  expect_refusal({{"roi", "1,1,9,9"}, {"quality", "100"}}, video_caps("RGB", {320, 240}),
                 {"roi=\"1,1,9,9\"", "quality below 100"});
  expect_refusal({{"roi", "1,1,9,9"}, {"guard-bits", "3"}}, video_caps("Y444_12LE", {320, 240}),
                 {"16 bit-planes", "guard-bits=2 instead of 3"});
  expect_refusal({{"code-block-width", "4"}, {"code-block-height", "4"}, {"num-layers", "65535"}},
                 video_caps("RGB", {320, 240}),
                 {"num-layers", "code-blocks", "use fewer layers or larger code-blocks"});
  std::string still = video_caps("I420", {320, 240});
  still.replace(still.find("25/1"), 4, "0/1");
  expect_refusal({{"bitrate", "1000"}}, still,
                 {"bitrate=1000", "framerate", "use bpp or frame-size"});
}
GST_END_TEST;

// (Of strings that stay.)
Properties layers_of(const std::string &frame_size, const char *roi) {
  return {{"frame-size", frame_size.c_str()}, {"num-layers", "3"}, {"plt", "true"}, {"roi", roi}};
}

// The rate that the refusal names is enough, and less is not. (Of two fields the second has fewer
// rows, and less of the rate; but a region takes markers, and may be in the first one only.)
GST_START_TEST(least_rates) {
  constexpr const char *kFields = "interlace-mode=interleaved, field-order=top-field-first";
  for (const auto &[more, roi] :
       {std::pair{"", ""}, {kFields, ""}, {kFields, "0,4,4,1"}, {kFields, "0,5,4,1"}}) {
    const std::string caps = video_caps("I420", {64, 49}, more);
    const auto push = [&caps = caps](Harness &harness) {
      return harness.push(random_frame(video_info(caps), {}, 1));
    };
    Harness harness("j2kenc", layers_of("9000", roi));
    fail_unless(harness.set_input(caps) && push(harness) == GST_FLOW_OK);
    g_object_set(harness.element(), "frame-size", 9, nullptr);
    fail_unless_equals_int(push(harness), GST_FLOW_OK);
    const std::string told = harness.take_warning();
    const gsize at = told.find("the least is frame-size=");
    fail_unless(at != std::string::npos, "\"%s\"", told.c_str());
    const int least = std::stoi(told.substr(told.rfind('=') + 1));
    for (int size : {least - 1, least}) {
      Harness other("j2kenc", layers_of(std::to_string(size), roi));
      fail_unless(other.set_input(caps));
      fail_unless_equals_int(push(other), size < least ? GST_FLOW_ERROR : GST_FLOW_OK);
    }
  }
}
GST_END_TEST;

// What is named can be set, and is enough.
GST_START_TEST(least_rates_that_can_be_set) {
  const struct {
    int width;
    const char *fps, *name, *value, *enough, *number, *largest;
  } cases[] = {
      {1, "25/1", "bpp", "500", "frame-size", "478", "bpp=1000"},
      {7, "25/1", "bpp", "100", "bpp", "546.286", ""},
      {11, "25/1", "bpp", "100", "bpp", "347.637", ""},  // 347.636 is nearer, and too little
      {7, "25/1", "bitrate", "20", "bitrate", "96", ""},
      {7, "2147483647/1", "bitrate", "9", "frame-size", "478", "bitrate=2147483647"},
  };
  for (const auto &[width, fps, name, value, enough, number, largest] : cases) {
    std::string caps = video_caps("Y444", {width, 1});
    caps.replace(caps.find("25/1"), 4, fps);
    const std::string setting = std::string(enough) + "=" + number,
                      told =
                          "the least is " + (*largest == '\0' ? setting
                                                              : setting + ", which " + name +
                                                                    " cannot express (at most " +
                                                                    largest + "); use " + setting);
    expect_refusal({{"num-layers", "20"}, {name, value}}, caps, {name, value, told.c_str()});
    Harness harness("j2kenc", {{"num-layers", "20"}, {enough, number}});
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  }
  std::string fast = video_caps("Y444", {8, 1});
  fast.replace(fast.find("25/1"), 4, "900000/1");
  expect_refusal({{"profile", "imf-2k"}}, fast, {"profile=imf-2k", "least is frame-size="});
}
GST_END_TEST;

}  // namespace

void add_j2kenc_refusal_cases(Suite *suite) {
  TCase *refusals = new_case(suite, "refusals");
  tcase_add_test(refusals, settings_that_cannot_be);
  tcase_add_test(refusals, settings_that_the_format_forbids);
  tcase_add_test(refusals, what_profiles_forbid);
  tcase_add_test(refusals, most_of_profiles);
  tcase_add_test(refusals, ignored_settings);
  tcase_add_test(refusals, least_rates);
  tcase_add_test(refusals, least_rates_that_can_be_set);
}

}  // namespace test
