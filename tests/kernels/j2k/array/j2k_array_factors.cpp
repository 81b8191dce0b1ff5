// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_array_factors.h"

namespace coalesce::test {
namespace {

using namespace j2k;

enum class Colour { grey, rgb, yuv };

struct Layout {
  const char *name;  // of one of those of j2kenc's formats that come to this
  Colour colour;
  int bits;
  int dx = 1, dy = 1;
  bool alpha = false;
};
constexpr Layout kLayouts[] = {
    {"GRAY8", Colour::grey, 8},
    {"GRAY16", Colour::grey, 16},
    {"RGB", Colour::rgb, 8},
    {"GBR_10", Colour::rgb, 10},
    {"GBR_12", Colour::rgb, 12},
    {"RGBA", Colour::rgb, 8, 1, 1, true},
    {"ARGB64", Colour::rgb, 16, 1, 1, true},
    {"I420", Colour::yuv, 8, 2, 2},
    {"I420_10", Colour::yuv, 10, 2, 2},
    {"I420_12", Colour::yuv, 12, 2, 2},
    {"P016", Colour::yuv, 16, 2, 2},
    {"Y42B", Colour::yuv, 8, 2, 1},
    {"I422_10", Colour::yuv, 10, 2, 1},
    {"I422_12", Colour::yuv, 12, 2, 1},
    {"Y41B", Colour::yuv, 8, 4, 1},
    {"Y444", Colour::yuv, 8},
    {"Y444_10", Colour::yuv, 10},
    {"Y444_12", Colour::yuv, 12},
    {"Y444_16", Colour::yuv, 16},
    {"AYUV", Colour::yuv, 8, 1, 1, true},
    {"AYUV64", Colour::yuv, 16, 1, 1, true},
    {"GBR_16", Colour::rgb, 16},
    {"A444_12", Colour::yuv, 12, 1, 1, true},
    {"GRAY10", Colour::grey, 10},
    {"Y216", Colour::yuv, 16, 2, 1},
};

void set_layout(const Layout &layout, EncoderParams *e) {
  e->colour_transform = layout.colour == Colour::rgb;
  e->coding.num_components = (layout.colour == Colour::grey ? 1 : 3) + layout.alpha;
  for (std::size_t c = 0; c < kMaxComponents; ++c) {
    const bool chroma = c == 1 || c == 2;
    e->coding.component[c] = {chroma ? layout.dx : 1, chroma ? layout.dy : 1, layout.bits};
  }
}

}  // namespace

J2kArray::Factor j2k_formats() {
  J2kArray::Factor factor = {"format", {}};
  for (const Layout &layout : kLayouts)
    factor.values.push_back({layout.name, [&layout](EncoderParams *e) { set_layout(layout, e); }});
  return factor;
}

J2kArray::Factor j2k_sizes() {
  J2kArray::Factor factor = {"size", {}, Ties::not_last};
  for (const auto &[width, height] :
       {std::pair{1, 1}, {2, 3}, {17, 33}, {61, 97}, {211, 127}, {1920, 1080}})
    factor.values.push_back({std::to_string(width) + "x" + std::to_string(height),
                             [width = width, height = height](EncoderParams *e) {
                               e->coding.image = {0, 0, width, height};
                             }});
  return factor;
}

}  // namespace coalesce::test
