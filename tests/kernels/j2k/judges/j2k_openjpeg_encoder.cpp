// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_openjpeg.h"

#include <algorithm>

#include "../../../support/openjpeg_compress.h"

namespace coalesce::test {
namespace {

using namespace j2k;

OpenjpegImage image_of(const Picture &p) {
  std::vector<opj_image_cmptparm_t> components(static_cast<std::size_t>(p.params.num_components));
  for (std::size_t c = 0; c < components.size(); ++c) {
    const Component &from = p.params.component[c];
    const Rect rect = component_rect(p.params, static_cast<int>(c));
    components[c].dx = static_cast<OPJ_UINT32>(from.dx);
    components[c].dy = static_cast<OPJ_UINT32>(from.dy);
    components[c].w = static_cast<OPJ_UINT32>(rect.width());
    components[c].h = static_cast<OPJ_UINT32>(rect.height());
    components[c].prec = static_cast<OPJ_UINT32>(from.bits);
  }
  OpenjpegImage image = make_openjpeg_image(components, static_cast<OPJ_UINT32>(p.params.image.x1),
                                            static_cast<OPJ_UINT32>(p.params.image.y1));
  for (std::size_t c = 0; c < components.size(); ++c)
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
  return openjpeg_compress(&params, image_of(p).get());
}

}  // namespace coalesce::test
