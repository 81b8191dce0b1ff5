// SPDX-License-Identifier: LGPL-2.1-or-later
#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "j2k_openjpeg.h"

namespace coalesce::test {
namespace {

using namespace j2k;

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
using Image = std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)>;

Image image_of(const Picture &p) {
  opj_image_cmptparm_t components[kMaxComponents] = {};
  const auto count = static_cast<OPJ_UINT32>(p.params.num_components);
  for (OPJ_UINT32 c = 0; c < count; ++c) {
    const Component &from = p.params.component[c];
    const Rect rect = component_rect(p.params, static_cast<int>(c));
    components[c].dx = static_cast<OPJ_UINT32>(from.dx);
    components[c].dy = static_cast<OPJ_UINT32>(from.dy);
    components[c].w = static_cast<OPJ_UINT32>(rect.width());
    components[c].h = static_cast<OPJ_UINT32>(rect.height());
    components[c].prec = static_cast<OPJ_UINT32>(from.bits);
  }
  Image image(opj_image_create(count, components, count == 1 ? OPJ_CLRSPC_GRAY : OPJ_CLRSPC_SRGB),
              opj_image_destroy);
  image->x1 = static_cast<OPJ_UINT32>(p.params.image.x1);
  image->y1 = static_cast<OPJ_UINT32>(p.params.image.y1);
  for (std::size_t c = 0; c < count; ++c)
    std::copy(p.plane[c].begin(), p.plane[c].end(), image->comps[c].data);
  return image;
}

std::size_t raw_bytes(const Picture &p) {
  std::size_t bytes = 0;
  for (int c = 0; c < p.params.num_components; ++c)
    bytes += p.plane[c].size() *
             static_cast<unsigned>(p.params.component[static_cast<std::size_t>(c)].bits) / 8;
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> encode_with_openjpeg(const Picture &p, Wavelet wavelet,
                                               std::uint64_t bytes) {
  opj_cparameters_t params;
  opj_set_default_encoder_parameters(&params);
  params.irreversible = wavelet == Wavelet::irreversible_97;
  params.tcp_numlayers = 1;
  params.tcp_rates[0] = static_cast<float>(raw_bytes(p)) / static_cast<float>(bytes);
  params.cp_disto_alloc = 1;
  params.tcp_mct = p.params.num_components == 3 && p.params.component[1].dx == 1;
  const Image image = image_of(p);
  const Codec codec(opj_create_compress(OPJ_CODEC_J2K), opj_destroy_codec);
  const Stream stream(opj_stream_default_create(OPJ_FALSE), opj_stream_destroy);
  Sink sink;
  opj_stream_set_user_data(stream.get(), &sink, nullptr);
  opj_stream_set_write_function(stream.get(), write);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_stream_set_skip_function(stream.get(), skip);
  const bool ok = opj_setup_encoder(codec.get(), &params, image.get()) == OPJ_TRUE &&
                  opj_start_compress(codec.get(), image.get(), stream.get()) == OPJ_TRUE &&
                  opj_encode(codec.get(), stream.get()) == OPJ_TRUE &&
                  opj_end_compress(codec.get(), stream.get()) == OPJ_TRUE;
  return ok ? sink.bytes : std::vector<std::uint8_t>();
}

}  // namespace coalesce::test
