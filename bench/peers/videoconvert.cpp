// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions on one thread, by GStreamer's video converter (what videoconvert runs) and by the CPU
// back ends, by turns in one process.
// bench-videoconvert [IN->OUT] [--size WIDTHxHEIGHT]... [--seconds S] [--json FILE]
#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/results.h"
#include "convert/convert.h"
#include "picture/formats.h"
#include "picture/rows.h"
#include "rgb2yuv/rgb2yuv.h"
#include "uyvy2y/uyvy2y.h"

namespace {

using namespace coalesce;
using Clock = std::chrono::steady_clock;

constexpr int kLeastRounds = 2;  // the first of which is not timed

template <class Work>
double microseconds(const Work &work, int i) {
  const auto begin = Clock::now();
  work(i);
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// A buffer of a format, mapped for the life of the object.
struct Frame {
  explicit Frame(const GstVideoInfo *info)
      : buffer(gst_buffer_new_allocate(nullptr, info->size, nullptr)) {
    if (!gst_video_frame_map(&video, info, buffer, GST_MAP_READWRITE))
      g_error("cannot map a buffer");
  }
  ~Frame() {
    gst_video_frame_unmap(&video);
    gst_buffer_unref(buffer);
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  int planes() const { return static_cast<int>(GST_VIDEO_FRAME_N_PLANES(&video)); }
  Plane<std::uint8_t> plane(int p) const {
    const PixelFormat format = pixel_format(GST_VIDEO_INFO_NAME(&video.info));
    return {static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&video, p)),
            static_cast<int>(row_bytes(format, p, video.info.width)),
            plane_rows(format, p, video.info.height),
            static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&video, p))};
  }

  Image image() const {
    Image image = {pixel_format(GST_VIDEO_INFO_NAME(&video.info)),
                   video.info.width,
                   video.info.height,
                   false,
                   {}};
    for (int p = 0; p < planes(); ++p)
      image.plane[p] = plane(p);
    return image;
  }

  GstBuffer *buffer;
  GstVideoFrame video;
};

void fill(const Plane<std::uint8_t> &plane) {
  unsigned k = 0;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      plane.row(y)[x] = static_cast<std::uint8_t>((k++ * 2654435761u) >> 13);
}

struct Difference {
  int largest = 0;
  double mean = 0;
};

// A smooth picture in other formats than RGB, where noise would compare filters of chroma.
void fill(const Frame &frame) {
  if (frame.image().format.component[0].role == Role::r) {
    for (int p = 0; p < frame.planes(); ++p)
      fill(frame.plane(p));
    return;
  }
  const int width = frame.video.info.width, height = frame.video.info.height;
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(3) * width * height);
  const Image rgb = {pixel_format("RGB"),
                     width,
                     height,
                     false,
                     {{samples.data(), 3 * width, height, static_cast<std::size_t>(3) * width}}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        rgb.plane[0].row(y)[3 * x + c] =
            static_cast<std::uint8_t>(128 + 100 * std::sin(0.01 * (c + 1) * x + 0.02 * y + c));
  ConvertParams params;
  params.matrix = YuvMatrix::bt709;
  params.out_range = SampleRange::limited;
  if (Status s = convert(params, rgb, frame.image(), Queue::cpu()); !s.ok()) g_error("a picture");
}

// Without the last columns of chroma, where GStreamer's filter differs from ours.
Difference difference(const Frame &a, const Frame &b) {
  Difference d;
  double count = 0;
  const Image p = a.image(), q = b.image();
  std::vector<std::uint16_t> ours(static_cast<std::size_t>(p.width)), theirs(ours.size());
  for (int i = 0; i < p.format.components; ++i) {
    const PixelComponent &c = p.format.component[i];
    const RowReader read(c);
    const int width = (p.width >> c.log2_width) - (c.log2_width > 0 ? 2 : 0);
    for (int y = 0; y < p.height >> c.log2_height; ++y) {
      read(p.of(c).row(y), 0, width, ours.data());
      read(q.of(c).row(y), 0, width, theirs.data());
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
        const int by = std::abs(ours[x] - theirs[x]);
        d.largest = std::max(d.largest, by);
        d.mean += by;
      }
    }
    count += static_cast<double>(width) * (p.height >> c.log2_height);
  }
  d.mean /= count;
  return d;
}

using Run = Status (*)(const Frame &in, const Frame &out);

Status run_uyvy2y(const Frame &in, const Frame &out) {
  return uyvy2y(in.image(), out.image(), Queue::cpu());
}

// Matrix, range and chroma site as videoconvert has them: those of the formats at these sizes.
Status run_rgb2yuv(const Frame &in, const Frame &out) {
  const GstVideoInfo &info = out.video.info;
  Rgb2yuvParams params;
  g_assert(info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709);
  g_assert(info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235);
  params.matrix = YuvMatrix::bt709;
  params.h_cosited = info.chroma_site & GST_VIDEO_CHROMA_SITE_H_COSITED;
  params.v_cosited = info.chroma_site & GST_VIDEO_CHROMA_SITE_V_COSITED;
  return rgb2yuv(params, in.image(), out.image(), Queue::cpu());
}

// The same of YUV's site and the ranges of both.
Status run_convert(const Frame &in, const Frame &out) {
  const auto site = [](const GstVideoInfo &info) {
    return ChromaSite{(info.chroma_site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0,
                      (info.chroma_site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0};
  };
  const auto range = [](const GstVideoInfo &info) {
    return info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 ? SampleRange::limited
                                                                  : SampleRange::full;
  };
  const GstVideoInfo &from = in.video.info, &to = out.video.info;
  ConvertParams params = {YuvMatrix::bt709, range(from), range(to), site(from), site(to)};
  if (GST_VIDEO_INFO_COMP_DEPTH(&to, 0) < GST_VIDEO_INFO_COMP_DEPTH(&from, 0))
    params.dither = Dither::ordered;
  return convert(params, in.image(), out.image(), Queue::cpu());
}

struct Conversion {
  GstVideoFormat in, out;
  Run run;
  int tolerance;  // how far our bytes may be from theirs, which are rounded more often
};

const Conversion kConversions[] = {
    {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_GRAY8, run_uyvy2y, 0},
    {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_Y444, run_rgb2yuv, 3},
    {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420, run_rgb2yuv, 3},
    {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12, run_rgb2yuv, 3},
    {GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_NV12, run_rgb2yuv, 3},
    {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_AYUV, run_rgb2yuv, 3},
    {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB, run_convert, 6},
    {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, run_convert, 6},
    {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB, run_convert, 10},
    {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_BGRA, run_convert, 10},
    {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA, run_convert, 3},
    {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I420, run_convert, 3},
    {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_RGB, run_convert, 3},
    {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_P010_10LE, run_convert, 4},
    {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I422_10LE, run_convert, 1},
    {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_NV12, run_convert, 3},
    {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_I420, run_convert, 3},
    {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_v210, run_convert, 4},
    {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12, run_convert, 3},
};

std::string name_of(const Conversion &c) {
  return std::string(gst_video_format_to_string(c.in)) + "->" + gst_video_format_to_string(c.out);
}

// Returns whether our bytes are right.
bool compare(const Conversion &conversion, int width, int height, int frames, const char *where,
             double seconds, test::Results *results) {
  GstVideoInfo in_info;
  GstVideoInfo out_info;
  gst_video_info_set_format(&in_info, conversion.in, static_cast<guint>(width),
                            static_cast<guint>(height));
  gst_video_info_set_format(&out_info, conversion.out, static_cast<guint>(width),
                            static_cast<guint>(height));
  // Grey of the same range and matrix: then luma is copied, as it is by us.
  if (conversion.out == GST_VIDEO_FORMAT_GRAY8) out_info.colorimetry = in_info.colorimetry;
  GstVideoConverter *converter = gst_video_converter_new(
      &in_info, &out_info,
      gst_structure_new("config", GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT, 1, nullptr));
  if (converter == nullptr) g_error("no converter");

  std::vector<std::unique_ptr<Frame>> in, theirs, ours;
  for (int i = 0; i < frames; ++i) {
    in.push_back(std::make_unique<Frame>(&in_info));
    theirs.push_back(std::make_unique<Frame>(&out_info));
    ours.push_back(std::make_unique<Frame>(&out_info));
    if (i == 0)
      fill(*in[0]);
    else
      gst_video_frame_copy(&in[i]->video, &in[0]->video);
  }

  const auto run_ours = [&](int i) {
    const Status s = conversion.run(*in[i], *ours[i]);
    if (!s.ok()) g_error("%s", s.message());
  };
  const auto run_theirs = [&](int i) {
    gst_video_converter_frame(converter, &in[i]->video, &theirs[i]->video);
  };
  std::vector<double> their_us, our_us;
  const int rounds = std::max(5, 100 / frames);
  const auto start = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    if (round >= kLeastRounds &&
        std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      break;
    for (int i = 0; i < frames; ++i) {
      // Who goes second finds the input in a nearer cache: take turns.
      const bool ours_first = (round + i) % 2 == 0;
      const double first = ours_first ? microseconds(run_ours, i) : microseconds(run_theirs, i);
      const double second = ours_first ? microseconds(run_theirs, i) : microseconds(run_ours, i);
      if (round == 0) continue;
      our_us.push_back(ours_first ? first : second);
      their_us.push_back(ours_first ? second : first);
    }
  }
  gst_video_converter_free(converter);

  const Difference d = difference(*ours[0], *theirs[0]);
  const bool right = d.largest <= conversion.tolerance;
  const std::string name = name_of(conversion);
  std::printf(
      "%-11s %4dx%-4d %-10s videoconvert %8.1f us, coalesce %7.1f us, ratio %5.2f, "
      "samples differ by at most %d, %.3f on average%s\n",
      name.c_str(), width, height, where, test::median(their_us), test::median(our_us),
      test::median(their_us) / test::median(our_us), d.largest, d.mean,
      right ? "" : ": OURS ARE WRONG");
  test::Row row;
  row.text("operation", name).number("width", width).number("height", height);
  row.number("buffers", frames).samples("us", our_us).samples("videoconvert_us", their_us);
  row.number("largest_difference", d.largest);
  results->add(row);
  return right;
}

struct Options {
  std::string conversion;
  std::vector<std::pair<int, int>> sizes;
  double seconds = 60;
};

bool parse(int argc, char **argv, Options *options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    int width = 0, height = 0;
    if (arg == "--seconds" && i + 1 < argc)
      options->seconds = std::atof(argv[++i]);
    else if (arg == "--size" && i + 1 < argc &&
             std::sscanf(argv[++i], "%dx%d", &width, &height) == 2)
      options->sizes.emplace_back(width, height);
    else if (arg.rfind("--", 0) != 0 && options->conversion.empty())
      options->conversion = arg;
    else
      return false;
  }
  if (options->sizes.empty()) options->sizes = {{1920, 1080}, {3840, 2160}};
  return true;
}

}  // namespace

int main(int argc, char **argv) {
  test::Results results("bench-videoconvert", &argc, argv);
  gst_init(&argc, &argv);
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  results.set_library("GStreamer", std::to_string(major) + "." + std::to_string(minor) + "." +
                                       std::to_string(micro));
  Options options;
  bool right = true, any = false;
  const bool good = parse(argc, argv, &options);
  for (const Conversion &conversion : kConversions) {
    if (!good || (!options.conversion.empty() && name_of(conversion) != options.conversion))
      continue;
    any = true;
    for (const auto &[width, height] : options.sizes)
      for (const auto &[buffers, where] : {std::pair{1, "one buffer"}, {12, "12 buffers"}})
        right =
            compare(conversion, width, height, buffers, where, options.seconds, &results) && right;
  }
  if (!any) {
    std::fprintf(stderr,
                 "usage: bench-videoconvert [IN->OUT] [--size WIDTHxHEIGHT]... [--seconds S] "
                 "[--json FILE]; it has no other conversion\n");
    return 2;
  }
  return results.write() && right ? 0 : 1;
}
