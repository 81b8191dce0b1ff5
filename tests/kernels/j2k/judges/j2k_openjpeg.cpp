// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_openjpeg.h"

#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace coalesce::test {
namespace {

struct Source {
  const std::vector<std::uint8_t> &bytes;
  std::size_t at = 0;
};

OPJ_SIZE_T read(void *to, OPJ_SIZE_T count, void *user) {
  auto &source = *static_cast<Source *>(user);
  const std::size_t n = std::min(count, source.bytes.size() - source.at);
  if (n == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, source.bytes.data() + source.at, n);
  source.at += n;
  return n;
}

OPJ_BOOL seek(OPJ_OFF_T to, void *user) {
  auto &source = *static_cast<Source *>(user);
  if (to < 0 || static_cast<std::size_t>(to) > source.bytes.size()) return OPJ_FALSE;
  source.at = static_cast<std::size_t>(to);
  return OPJ_TRUE;
}

OPJ_OFF_T skip(OPJ_OFF_T count, void *user) {
  auto &source = *static_cast<Source *>(user);
  return seek(static_cast<OPJ_OFF_T>(source.at) + count, user) == OPJ_TRUE ? count : -1;
}

void complain(const char *text, void *user) {
  *static_cast<std::string *>(user) += text;
}

// (opj_stream_t and opj_codec_t are the same type.)
using Stream = std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)>;
using Codec = std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)>;
using Image = std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)>;

Image decode(opj_codec_t *codec, opj_stream_t *stream, int layers, std::string *complaint) {
  opj_set_warning_handler(codec, complain, complaint);
  opj_set_error_handler(codec, complain, complaint);
  opj_dparameters_t params;
  opj_set_default_decoder_parameters(&params);
  params.cp_layer = static_cast<OPJ_UINT32>(layers);
  opj_image_t *image = nullptr;
  const bool started = opj_setup_decoder(codec, &params) == OPJ_TRUE &&
                       opj_read_header(stream, codec, &image) == OPJ_TRUE;
  Image owner(image, opj_image_destroy);
  if (!started || opj_decode(codec, stream, image) != OPJ_TRUE ||
      opj_end_decompress(codec, stream) != OPJ_TRUE) {
    *complaint += "(it did not decode)";
    return {nullptr, opj_image_destroy};
  }
  return owner;
}

}  // namespace

bool have_openjpeg() {
  return true;
}

Decoded decode_with_openjpeg(const std::vector<std::uint8_t> &bytes, int layers) {
  Source source = {bytes};
  const Stream stream(opj_stream_default_create(OPJ_TRUE), opj_stream_destroy);
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), bytes.size());
  opj_stream_set_read_function(stream.get(), read);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_stream_set_skip_function(stream.get(), skip);
  const bool raw = bytes.size() > 1 && bytes[0] == 0xFF && bytes[1] == 0x4F;
  const Codec codec(opj_create_decompress(raw ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), opj_destroy_codec);
  Decoded decoded;
  const Image image = decode(codec.get(), stream.get(), layers, &decoded.complaint);
  if (image == nullptr) return decoded;
  decoded.colour_space = image->color_space;
  for (OPJ_UINT32 c = 0; c < image->numcomps; ++c) {
    const opj_image_comp_t &from = image->comps[c];
    if (from.alpha != 0) decoded.alpha = static_cast<int>(c);
    decoded.components.push_back(
        {static_cast<int>(from.w), static_cast<int>(from.h), static_cast<int>(from.prec), {}});
    if (from.data != nullptr)
      decoded.components.back().samples.assign(
          from.data, from.data + static_cast<std::size_t>(from.w) * from.h);
  }
  return decoded;
}

}  // namespace coalesce::test
