// SPDX-License-Identifier: LGPL-2.1-or-later
// Through GStreamer's muxers into files, and where it can read them, out again to the same pixels.
#include <glib/gstdio.h>

#include "../../support/elements/pipeline.h"
#include "../../support/temporary_file.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

constexpr int kFrames = 3;

std::string source(const std::string &caps) {
  return "videotestsrc pattern=ball num-buffers=" + std::to_string(kFrames) + " ! " + caps + " ! ";
}

// The frames that reach the end of a pipeline.
std::vector<Bytes> run(const std::string &description) {
  std::vector<Bytes> frames;
  Pipeline pipeline(description + " ! fakesink name=sink sync=false");
  pipeline.on_buffer = [&frames](GstBuffer *buffer, GstPad *) {
    frames.push_back(bytes_of(buffer));
  };
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  pipeline.set_state(GST_STATE_NULL);
  return frames;
}

std::string read_file(const std::string &name) {
  gchar *text = nullptr;
  gsize length = 0;
  fail_unless(g_file_get_contents(name.c_str(), &text, &length, nullptr), "%s", name.c_str());
  const std::string result(text, length);
  g_free(text);
  return result;
}

// filesink may seek back and mend headers, which fakesink would not.
void write_file(const std::string &caps, const std::string &muxer, const TemporaryFile &file) {
  Pipeline pipeline(source(caps) + "tee name=t ! queue ! j2kenc ! " + muxer +
                    " ! filesink location=" + file.name() +
                    " t. ! queue ! fakesink name=sink sync=false");
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  pipeline.set_state(GST_STATE_NULL);
}

void there_and_back(const std::string &format, const std::string &muxer,
                    const std::string &demuxer) {
  const std::string caps = video_caps(format, {64, 48});
  const TemporaryFile file;
  write_file(caps, muxer, file);
  const std::vector<Bytes> wanted = run(source(caps) + "identity");
  const std::vector<Bytes> got =
      run(std::string("filesrc location=") + file.name() + " ! " + demuxer +
          " ! jpeg2000parse ! openjpegdec ! videoconvert ! video/x-raw, format=" + format);
  fail_unless(wanted.size() == kFrames && got.size() == kFrames, "%s, %s: %zu frames",
              format.c_str(), muxer.c_str(), got.size());
  for (std::size_t i = 0; i < got.size(); i++)
    fail_unless(got[i] == wanted[i], "%s, %s: frame %zu differs", format.c_str(), muxer.c_str(), i);
}

// With every one of the formats.
void files(const char *muxer, const char *demuxer, std::initializer_list<const char *> formats) {
  if (skip_without({muxer, demuxer, "jpeg2000parse", "openjpegdec"})) return;
  for (const char *format : formats)
    there_and_back(format, muxer, demuxer);
}

GST_START_TEST(mj2) {
  files("mj2mux", "qtdemux", {"I420", "Y42B", "Y444", "RGB", "AYUV", "GRAY8", "I422_10LE"});
}
GST_END_TEST;

GST_START_TEST(mxf) {
  files("mxfmux", "mxfdemux", {"I420", "Y42B", "RGB", "I422_10LE"});
}
GST_END_TEST;

GST_START_TEST(mpegts) {
  files("mpegtsmux", "tsdemux", {"I420", "Y42B", "RGB", "I422_10LE"});
}
GST_END_TEST;

GST_START_TEST(packets) {
  if (skip_without({"rtpj2kpay", "rtpj2kdepay", "jpeg2000parse", "openjpegdec"})) return;
  for (const char *format : {"I420", "RGB", "GRAY8"}) {
    const std::string caps = video_caps(format, {64, 48});
    const std::vector<Bytes> got =
        run(source(caps) +
            "j2kenc ! rtpj2kpay ! rtpj2kdepay ! jpeg2000parse ! openjpegdec ! videoconvert ! "
            "video/x-raw, format=" +
            format);
    fail_unless(got == run(source(caps) + "identity"), "%s: %zu frames", format, got.size());
  }
}
GST_END_TEST;

// GStreamer writes these and cannot read them.
GST_START_TEST(avi) {
  if (skip_without({"avimux"})) return;
  const std::string caps = video_caps("I420", {64, 48});
  const TemporaryFile file;
  write_file(caps, "avimux", file);
  const std::string text = read_file(file.name());
  fail_unless(contains(text, "MJ2C"), "no video stream of that kind");
  for (const Bytes &frame : run(source(caps) + "j2kenc"))
    fail_unless(contains(text, std::string(frame.begin(), frame.end())), "a frame is missing");
}
GST_END_TEST;

// Two fields: their number in the file, both of them in each sample.
GST_START_TEST(fields_in_mj2) {
  if (skip_without({"mj2mux", "qtdemux"})) return;
  const std::string caps =
      video_caps("I420", {64, 48}, "interlace-mode=interleaved, field-order=top-field-first");
  const TemporaryFile file;
  write_file(caps, "mj2mux", file);
  const std::vector<Bytes> samples =
      run(std::string("filesrc location=") + file.name() + " ! qtdemux");
  fail_unless_equals_int(static_cast<int>(samples.size()), kFrames);
  for (const Bytes &sample : samples)
    fail_unless_equals_int(static_cast<int>(boxed_codestreams(sample).size()), 2);
}
GST_END_TEST;

// What needs no muxer: files of one picture each. (Of a size that leaves no bytes behind rows: in
// those others' elements leave what was there.)
GST_START_TEST(stills) {
  if (skip_without({"openjpegdec"})) return;
  for (const char *format : {"RGB", "GRAY8", "ARGB", "I420"}) {
    const std::string caps = video_caps(format, {40, 18});
    const std::vector<Bytes> got =
        run(source(caps) +
            "j2kenc ! image/jp2 ! openjpegdec ! videoconvert ! video/x-raw, format=" + format);
    fail_unless(got == run(source(caps) + "identity"), "%s: %zu frames", format, got.size());
  }
}
GST_END_TEST;

}  // namespace

// A request for a key unit cuts: here after the second and the fourth of six frames.
GST_START_TEST(files_of_key_units) {
  if (skip_without({"multifilesink"})) return;
  const TemporaryFile file;
  const std::string name = file.name();
  Pipeline pipeline("videotestsrc num-buffers=6 ! " + video_caps("GRAY8", {64, 48}) +
                    " ! j2kenc name=coder ! tee name=t ! queue ! multifilesink sync=false "
                    "next-file=key-unit-event location=" +
                    name +
                    ".%d t. ! queue ! "
                    "fakesink name=sink sync=false");
  std::vector<std::string> codestreams;
  pipeline.on_buffer = [&codestreams](GstBuffer *buffer, GstPad *) {
    const Bytes bytes = bytes_of(buffer);
    codestreams.emplace_back(bytes.begin(), bytes.end());
  };
  GstPad *pad = gst_element_get_static_pad(pipeline.element("coder"), "src");
  const auto ask = [](GstPad *pad, GstPadProbeInfo *, gpointer frames) {
    int *count = static_cast<int *>(frames);
    if (++*count == 2 || *count == 4)
      gst_pad_send_event(pad, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE,
                                                                          guint(*count / 2)));
    return GST_PAD_PROBE_OK;
  };
  int frames = 0;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, ask, &frames, nullptr);
  gst_object_unref(pad);
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  pipeline.set_state(GST_STATE_NULL);
  fail_unless_equals_int(codestreams.size(), 6);
  for (std::size_t i = 0; i < 3; i++) {
    const std::string part = name + "." + std::to_string(i);
    fail_unless(read_file(part) == codestreams[2 * i] + codestreams[2 * i + 1], "%s", part.c_str());
    g_remove(part.c_str());
  }
}
GST_END_TEST;

void add_muxer_cases(Suite *suite) {
  TCase *muxers = new_case(suite, "muxers");
  tcase_add_test(muxers, mj2);
  tcase_add_test(muxers, mxf);
  tcase_add_test(muxers, mpegts);
  tcase_add_test(muxers, packets);
  tcase_add_test(muxers, avi);
  tcase_add_test(muxers, fields_in_mj2);
  tcase_add_test(muxers, stills);
  tcase_add_test(muxers, files_of_key_units);
}

}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "j2kenc-muxers", test::add_muxer_cases);
}
