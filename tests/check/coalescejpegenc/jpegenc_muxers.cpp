// SPDX-License-Identifier: LGPL-2.1-or-later
// Through GStreamer's muxers, and out again: the same files. And through packets to the same
// pixels.
#include "../../support/elements/elements.h"
#include "../../support/elements/pipeline.h"
#include "../../support/temporary_file.h"

namespace test {
namespace {

constexpr int kFrames = 3;

std::string source(const std::string &format) {
  return "videotestsrc pattern=ball num-buffers=" + std::to_string(kFrames) + " ! " +
         video_caps(format, {64, 48}) + " ! coalescejpegenc restart-interval=4 ! ";
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

// filesink may seek back and mend headers, which fakesink would not.
void files(const char *muxer, const char *demuxer, std::initializer_list<const char *> formats) {
  if (skip_without({muxer, demuxer})) return;
  for (const char *format : formats) {
    const TemporaryFile file;
    {
      Pipeline pipeline(source(format) + "tee name=t ! queue ! " + muxer + " ! filesink location=" +
                        file.name() + " t. ! queue ! fakesink name=sink sync=false");
      pipeline.set_state(GST_STATE_PLAYING);
      pipeline.wait_for_eos();
      pipeline.set_state(GST_STATE_NULL);
    }
    const std::vector<Bytes> wanted = run(source(format) + "identity");
    const std::vector<Bytes> got =
        run(std::string("filesrc location=") + file.name() + " ! " + demuxer);
    fail_unless(wanted.size() == kFrames && got == wanted, "%s, %s: %zu frames", format, muxer,
                got.size());
  }
}

GST_START_TEST(avi) {
  files("avimux", "avidemux", {"I420", "Y42B", "RGB", "GRAY8"});
}
GST_END_TEST;

GST_START_TEST(matroska) {
  files("matroskamux", "matroskademux", {"I420", "Y444", "RGB", "GRAY8"});
}
GST_END_TEST;

GST_START_TEST(quicktime) {
  files("qtmux", "qtdemux", {"I420", "UYVY", "BGRx", "GRAY8"});
}
GST_END_TEST;

GST_START_TEST(multipart) {
  files("multipartmux", "multipartdemux", {"NV12", "RGB"});
}
GST_END_TEST;

// RFC 2435 has 4:2:0 and 4:2:2.
GST_START_TEST(packets) {
  if (skip_without({"rtpjpegpay", "rtpjpegdepay", "jpegdec"})) return;
  for (const char *format : {"I420", "Y42B", "RGB"}) {
    const std::vector<Bytes> got =
        run(source(format) + "rtpjpegpay ! rtpjpegdepay ! jpegparse ! jpegdec");
    fail_unless(got.size() == kFrames && got == run(source(format) + "jpegdec"), "%s: %zu frames",
                format, got.size());
  }
}
GST_END_TEST;

// What jpegparse reads in a file is what the caps say.
GST_START_TEST(parser) {
  if (skip_without({"jpegparse"})) return;
  for (const char *format : {"I420", "Y42B", "Y444", "RGB", "GRAY8"}) {
    Pipeline pipeline(source(format) +
                      "identity name=before ! jpegparse name=parser ! "
                      "fakesink name=sink sync=false");
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_eos();
    const auto caps_of = [&](const char *element) {
      const Owned<GstPad> pad(gst_element_get_static_pad(pipeline.element(element), "src"));
      return current_caps(pad.get());
    };
    const CapsRef ours = caps_of("before"), parsed = caps_of("parser");
    for (const char *field :
         {"width", "height", "parsed", "sof-marker", "sampling", "colorspace"}) {
      const GValue *a = gst_structure_get_value(gst_caps_get_structure(ours.get(), 0), field);
      const GValue *b = gst_structure_get_value(gst_caps_get_structure(parsed.get(), 0), field);
      fail_unless(a != nullptr && b != nullptr && gst_value_compare(a, b) == GST_VALUE_EQUAL,
                  "%s, %s: %s; %s", format, field, text_of(ours.get()).c_str(),
                  text_of(parsed.get()).c_str());
    }
    pipeline.set_state(GST_STATE_NULL);
  }
}
GST_END_TEST;

}  // namespace

void add_muxer_cases(Suite *suite) {
  TCase *muxers = new_case(suite, "muxers");
  tcase_add_test(muxers, avi);
  tcase_add_test(muxers, matroska);
  tcase_add_test(muxers, quicktime);
  tcase_add_test(muxers, multipart);
  tcase_add_test(muxers, packets);
  tcase_add_test(muxers, parser);
}

}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "coalescejpegenc-muxers", test::add_muxer_cases);
}
