// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "convert_reference.h"
#include "convert_trial.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

Status last_column(const ConvertParams &params, const ConstImage &in, const Image &out,
                   const Queue &queue) {
  const Status s = convert(params, in, out, queue);
  for (int y = 0; y < out.height; ++y)
    out.plane[0].row(y)[out.plane[0].width - 1] ^= 1;
  return s;
}

Status past_row(const ConvertParams &params, const ConstImage &in, const Image &out,
                const Queue &queue) {
  const Status s = convert(params, in, out, queue);
  const Plane<std::uint8_t> &chroma = out.plane[1];
  chroma.row(chroma.height - 1)[chroma.width] ^= 1;
  return s;
}

// The true operation on spoiled arguments.
using Spoil = void (*)(ConvertParams *params, ConstImage *in, Image *out);
Convert spoiled(Spoil spoil) {
  return [spoil](ConvertParams params, ConstImage in, Image out, const Queue &queue) {
    spoil(&params, &in, &out);
    return convert(params, in, out, queue);
  };
}

void ignores_pitch(ConvertParams *, ConstImage *in, Image *) {
  in->plane[0].pitch = static_cast<std::size_t>(in->plane[0].width);
}

void swaps_chroma(ConvertParams *, ConstImage *in, Image *) {
  in->format = pixel_format("NV12");
}

void forgets_alpha(ConvertParams *, ConstImage *in, Image *) {
  in->format = pixel_format("RGBx");
}

void ignores_interlaced(ConvertParams *, ConstImage *in, Image *out) {
  in->interlaced = out->interlaced = false;
  for (int p = 1; p < in->format.planes; ++p)
    in->plane[p].height = (in->height + 1) / 2;
}

void ignores_site(ConvertParams *params, ConstImage *, Image *) {
  params->in_site.v_cosited = !params->in_site.v_cosited;
}

void ignores_range(ConvertParams *params, ConstImage *, Image *) {
  params->in_range = params->out_range = SampleRange::limited;
}

void ignores_dither(ConvertParams *params, ConstImage *, Image *) {
  params->dither = Dither::none;
}

// Rounds chroma as soon as it is interpolated.
Status rounds_twice(const ConvertParams &params, const ConstImage &in, const Image &out,
                    const Queue &queue) {
  const int width = in.width, height = in.height;
  const auto pitch = static_cast<std::size_t>(width);
  std::vector<std::uint8_t> samples[3];
  Image full = {pixel_format("Y444"), width, height, in.interlaced, {}};
  for (int i = 0; i < 3; ++i) {
    samples[i].resize(pitch * static_cast<std::size_t>(height));
    full.plane[i] = {samples[i].data(), width, height, pitch};
  }
  ConvertParams first = params;
  first.out_range = params.in_range;
  if (Status s = convert(first, in, full, queue); !s.ok()) return s;
  return convert(params, full, out, queue);
}

// Planes of bytes with another rounding.
Status truncates(const ConvertParams &params, const ConstImage &in, const Image &out,
                 const Queue &) {
  const ConvertReference reference(params, in, out.format);
  for (int i = 0; i < out.format.components; ++i) {
    const PixelComponent &c = out.format.component[i];
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x)
        out.plane[c.plane].row(y)[x] =
            static_cast<std::uint8_t>(std::clamp(std::floor(reference.real(c, x, y)), 0.0, 255.0));
  }
  return {};
}

PlantedBug bug(const char *name, const Convert &broken, ConvertTrialOptions options) {
  options.roomy = true;
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return convert_trial(broken, options, random, index, backend);
          }};
}

void set_linear(ConvertParams *params) {
  params->chroma = ChromaFilter::linear;
}
void set_full(ConvertParams *params) {
  params->in_range = params->out_range = SampleRange::full;
}
void set_dither(ConvertParams *params) {
  params->dither = Dither::ordered;
}

}  // namespace

std::vector<PlantedBug> convert_planted() {
  return {
      bug("convert, wrong in the last column", last_column, {.in = "NV12", .out = "GRAY8"}),
      bug("convert, writes behind the last row", past_row, {.out = "NV12"}),
      bug("convert, ignores the pitch", spoiled(ignores_pitch), {.in = "v210"}),
      bug("convert, swaps U and V", spoiled(swaps_chroma), {.in = "NV21", .out = "RGB"}),
      bug("convert, forgets alpha", spoiled(forgets_alpha), {.in = "RGBA", .out = "Y410"}),
      bug("convert, ignores interlacing", spoiled(ignores_interlaced),
          {.in = "I420", .out = "UYVY"}),
      bug("convert, puts chroma rows elsewhere", spoiled(ignores_site),
          {.in = "P010_10LE", .out = "RGB", .set = set_linear}),
      bug("convert, makes depth of full range by a shift", spoiled(ignores_range),
          {.in = "Y444", .out = "Y444_10LE", .set = set_full}),
      bug("convert, does not dither", spoiled(ignores_dither),
          {.in = "v210", .out = "UYVY", .set = set_dither}),
      bug("convert, rounds chroma between filter and matrix", rounds_twice,
          {.in = "NV12", .out = "RGBA", .set = set_linear}),
      bug("convert, truncates", truncates, {.in = "Y444", .out = "GBR"}),
  };
}

}  // namespace coalesce::test
