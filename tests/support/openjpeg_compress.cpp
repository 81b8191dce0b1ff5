// SPDX-License-Identifier: LGPL-2.1-or-later
#include "openjpeg_compress.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace coalesce::test {
namespace {

struct Sink {
  std::vector<std::uint8_t> bytes;
  std::size_t at = 0;
};

OPJ_SIZE_T write(void *from, OPJ_SIZE_T count, void *user) {
  auto &sink = *static_cast<Sink *>(user);
  sink.bytes.resize(std::max(sink.bytes.size(), sink.at + count));
  std::memcpy(sink.bytes.data() + sink.at, from, count);
  sink.at += count;
  return count;
}

OPJ_BOOL seek(OPJ_OFF_T to, void *user) {
  static_cast<Sink *>(user)->at = static_cast<std::size_t>(to);
  return OPJ_TRUE;
}

OPJ_OFF_T skip(OPJ_OFF_T count, void *user) {
  static_cast<Sink *>(user)->at += static_cast<std::size_t>(count);
  return count;
}

using Stream = std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)>;
using Codec = std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)>;

}  // namespace

OpenjpegImage make_openjpeg_image(const std::vector<opj_image_cmptparm_t> &components,
                                  OPJ_UINT32 width, OPJ_UINT32 height) {
  std::vector<opj_image_cmptparm_t> copy = components;
  const auto count = static_cast<OPJ_UINT32>(copy.size());
  OpenjpegImage image(
      opj_image_create(count, copy.data(), count == 1 ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SRGB),
      opj_image_destroy);
  if (!image) throw std::runtime_error("OpenJPEG has no memory for an image");
  image->x1 = width;
  image->y1 = height;
  return image;
}

std::vector<std::uint8_t> openjpeg_compress(opj_cparameters_t *params, opj_image_t *image,
                                            int threads) {
  const Codec codec(opj_create_compress(OPJ_CODEC_J2K), opj_destroy_codec);
  const Stream stream(opj_stream_default_create(OPJ_FALSE), opj_stream_destroy);
  Sink sink;
  opj_stream_set_user_data(stream.get(), &sink, nullptr);
  opj_stream_set_write_function(stream.get(), write);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_stream_set_skip_function(stream.get(), skip);
  const bool ok = opj_setup_encoder(codec.get(), params, image) == OPJ_TRUE &&
                  (threads == 1 || opj_codec_set_threads(codec.get(), threads) == OPJ_TRUE) &&
                  opj_start_compress(codec.get(), image, stream.get()) == OPJ_TRUE &&
                  opj_encode(codec.get(), stream.get()) == OPJ_TRUE &&
                  opj_end_compress(codec.get(), stream.get()) == OPJ_TRUE;
  return ok ? std::move(sink.bytes) : std::vector<std::uint8_t>();
}

}  // namespace coalesce::test
