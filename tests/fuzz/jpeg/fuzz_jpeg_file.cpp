// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture of coalescejpegdec, of one file or of two fields, also by libjpeg: it is refused, or
// its samples stay in memory that has no byte more than they need. The first byte is the caps'
// height, the second the output's format, the others are the files.
#include <vector>

#include "../fuzz.h"
#include "coalescejpegdec/jpegfile.h"

namespace coalesce::test {
namespace {

using gst::CodedPicture;
using gst::Frame;

constexpr std::int64_t kFewPixels = 1 << 14;  // so that one input takes milliseconds

// Where a frame of the picture is decoded to.
void decode(gst::JpegFile &file, const CodedPicture &picture, GstVideoFormat format) {
  GstVideoInfo info;
  DEMAND(gst_video_info_set_interlaced_format(&info, format, picture.interlacing,
                                              static_cast<guint>(picture.width),
                                              static_cast<guint>(picture.height)) != FALSE,
         "no frames of %dx%d", picture.width, picture.height);
  std::vector<guint8> bytes(GST_VIDEO_INFO_SIZE(&info));
  GstBuffer *buffer = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_NO_SHARE, bytes.data(),
                                                  bytes.size(), 0, bytes.size(), nullptr, nullptr);
  {
    Frame out;
    DEMAND(out.map(buffer, info, gst::Memory::system, GST_MAP_WRITE), "%s", out.problem().c_str());
    std::string broken;
    const Status status = file.decode(out, nullptr, &broken);
    DEMAND(status.ok() || status.message()[0] != '\0', "refused without a word");
  }
  gst_buffer_unref(buffer);
}

}  // namespace
}  // namespace coalesce::test

// Without the registry: where many plugins are installed, GLib replaces its table of quarks and
// never frees the old one, which is a leak for LeakSanitizer.
extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init(nullptr, nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce;
  using namespace coalesce::test;
  if (size < 2) return 0;
  // Memory of its own, with nothing behind the last byte.
  const std::vector<std::uint8_t> files(data + 2, data + size);
  jpeg::DecodeParams params;
  params.max_pixels = kFewPixels;
  params.fancy_upsampling = data[1] < 128;
  gst::JpegFile file;
  if (!file.read(files.data(), files.size(), params, {data[0], false}).ok()) return 0;
  CodedPicture picture;
  file.describe(&picture);
  decode(file, picture, picture.formats[data[1] % picture.formats.size()]);
  return 0;
}
