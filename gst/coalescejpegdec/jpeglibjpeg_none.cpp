// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpeglibjpeg.h"

namespace coalesce::gst {
namespace {

constexpr Status kNone = {
    StatusCode::unsupported,
    "progressive files, arithmetic coding, CMYK and YCCK require a build with "
    "libjpeg, or GStreamer's jpegdec"};

}  // namespace

Status read_by_libjpeg(const std::uint8_t *, std::size_t, std::int64_t, jpeg::Frame *,
                       std::string *) {
  return kNone;
}

Status decode_by_libjpeg(const std::uint8_t *, std::size_t, const jpeg::Frame &,
                         const jpeg::DecodeParams &, const Image &, std::string *, std::string *) {
  return kNone;
}

}  // namespace coalesce::gst
