// SPDX-License-Identifier: LGPL-2.1-or-later
#include "soak_support.h"

#include <map>
#include <mutex>
#include <tuple>

namespace soak {
namespace {

using namespace test;

std::string elements_of(int kind, const std::string &backend) {
  const std::string here = " backend=" + backend;
  const std::string memory = backend == "cuda" ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw";
  const std::string next = here + " ! " + memory + " ! ";
  switch (kind) {
    case 0:
      return "uyvy2y" + next + "convolve preset=sharpen" + next + "sepconvolve preset=gaussian" +
             next + "convolve preset=emboss" + here;
    case 1:
      return "rgb2yuv" + here + " ! " + memory + ",format=NV12 ! convolve preset=sobel-x" + next +
             "queue ! sepconvolve preset=gaussian" + here;
    case 2:
      return "coalescedeinterlace" + next + "queue ! convolve preset=sharpen" + here;
    case 3:
      return "coalescejpegenc quality=90 restart-interval=3" + here +
             " ! coalescejpegdec frames-in-flight=3" + next + "queue ! convolve preset=sharpen" +
             here;
    default:
      return "convolve mask=\"1 2 1; 2 4 2; 1 2 1\"" + here + " ! queue ! convolve preset=sharpen" +
             here;
  }
}

const char *format_of(int kind) {
  static const char *formats[kKinds] = {"UYVY", "BGRx", "NV12", "I420", "NV12"};
  return formats[kind];
}

// (Every element meets both: coalescedeinterlace passes the one, and holds a frame of the other.)
std::string caps_of(int kind, std::size_t size) {
  const Size &of = kSizes[size];
  return video_caps(kSystem, format_of(kind), of.width, of.height) +
         (size == kInterlacedSize ? ",interlace-mode=interleaved,field-order=top-field-first"
                                  : ",interlace-mode=progressive");
}

// What the CPU makes of each place, made once.
const Bytes &expected(int kind, const Place &place) {
  static std::mutex lock;
  static std::map<std::tuple<int, std::size_t, std::size_t>, Bytes> known;
  std::lock_guard guard(lock);
  Bytes &bytes = known[{kind, place.size, place.position}];
  if (bytes.empty()) {
    Line line(kind, "cpu", nullptr);
    line.go_to(place);
    bytes = line.pull().bytes();
  }
  return bytes;
}

GstClockTime time_of(const Place &place) {
  return gst_util_uint64_scale(guint64(kPositions[place.position]), GST_SECOND, 25);
}

}  // namespace

Line::Line(int kind, const char *backend, GstCudaContext *context)
    : Pipeline(std::string("videotestsrc pattern=ball ! capsfilter name=size ! ") +
               elements_of(kind, backend) +
               " ! appsink name=sink sync=false max-buffers=4 caps=video/x-raw"),
      kind_(kind) {
  if (context != nullptr) give_context(get(), context);
  go_to({0, 0});
  set_state(GST_STATE_PLAYING);
}

void Line::go_to(const Place &place) {
  const Size &size = kSizes[place.size];
  const CapsRef caps = parse_caps(caps_of(kind_, place.size));
  g_object_set(element("size"), "caps", caps.get(), nullptr);
  if (GST_STATE(get()) < GST_STATE_PAUSED) return;
  // New caps make videotestsrc count its frames anew, and a seek sets the count: in this order.
  while (pull().info.width != size.width) {
  }
  if (!gst_element_seek_simple(get(), GST_FORMAT_TIME,
                               GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                               gint64(time_of(place))))
    die("cannot seek");
}

Picture Line::pull() {
  CapsRef caps;
  BufferRef buffer(Pipeline::pull("sink", &caps));
  die_on_error();
  if (buffer == nullptr) die("no frame comes");
  return {std::move(buffer), video_info(text_of(caps.get()))};
}

void Line::check(const Picture &picture, const Place &place) const {
  if (GST_BUFFER_PTS(picture.buffer.get()) != time_of(place))
    die("not the frame that was asked for");
  if (picture.bytes() != expected(kind_, place)) die("wrong bytes");
}

void Line::die(const std::string &what) const {
  give_up("pipeline of kind " + std::to_string(kind_) + ": " + what);
}

}  // namespace soak
