// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_stream_decoder.h"

#include <algorithm>
#include <cmath>

#include "../tier1/j2k_block_decoder.h"
#include "../tier2/j2k_packet_reader.h"
#include "../transform/j2k_wavelet_reference.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// More than samples of 16 bits can have; and the wavelet does not overflow with it.
constexpr double kMostMagnitude = 1 << 24;

// A step of the quantiser, E-3.
double step_of(const Stream &s, int component, Band band, const StepSize &step) {
  if (s.reversible) return 1;
  const int range = s.coding.component[static_cast<std::size_t>(component)].bits + log2_gain(band);
  return std::ldexp(1 + step.mantissa / 2048.0, range - step.exponent);
}

DecodedBlock decode(const Stream &s, const Subband &band, const Rect &rect, const ReadBlock &block,
                    int max_planes) {
  DecoderInput input;
  input.width = rect.width();
  input.height = rect.height();
  input.band = band.orientation;
  input.style = s.style;
  input.planes = max_planes - block.zero_planes;
  if (input.planes < 1 || input.planes > 32 || block.passes > 3 * input.planes - 2)
    throw Malformed("a block has more passes than bit-planes");
  input.bytes = block.bytes.data();
  input.lengths = block.lengths;
  const DecodedBlock decoded = decode_block(input);
  if (decoded.bad_segmentation_symbol) throw Malformed("a segmentation symbol");
  if (decoded.bad_termination) throw Malformed("a predictable termination");
  return decoded;
}

// Coefficients of one component of a tile. T: int32 for 5/3, double for 9/7.
template <class T>
ReferencePicture<T> coefficients(const Stream &s, const TileGeometry &tile,
                                 const std::vector<ReadBlock> &blocks, int c,
                                 RegionSamples region) {
  const Rect rect = tile.components[static_cast<std::size_t>(c)].rect;
  ReferencePicture<T> out = {rect, {}};
  if (rect.empty()) return out;
  out.at.resize(static_cast<std::size_t>(rect.width()) * static_cast<std::size_t>(rect.height()));
  const StreamComponent &component = s.components[static_cast<std::size_t>(c)];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const BlockPlace &place = tile.blocks[i];
    const Subband &band = tile.bands[static_cast<std::size_t>(place.band)];
    if (band.component != c || blocks[i].passes == 0) continue;
    const int index = place.band - c * (3 * s.coding.levels + 1);
    const StepSize &step = component.steps[static_cast<std::size_t>(index)];
    const int max_planes = component.guard_bits + step.exponent - 1 + component.roi_shift;
    const DecodedBlock decoded = decode(s, band, place.rect, blocks[i], max_planes);
    const double delta = step_of(s, c, band.orientation, step);
    for (int y = 0; y < place.rect.height(); ++y)
      for (int x = 0; x < place.rect.width(); ++x) {
        const auto k = static_cast<std::size_t>(y * place.rect.width() + x);
        double magnitude = decoded.magnitudes[k];
        if (magnitude == 0) continue;
        int lowest = decoded.lowest[k];
        bool lower_end = false;
        if (component.roi_shift > 0 && magnitude >= std::ldexp(1.0, component.roi_shift)) {
          magnitude = std::ldexp(magnitude, -component.roi_shift);
          lower_end = region == RegionSamples::lower_end && lowest < component.roi_shift;
          lowest = std::max(lowest - component.roi_shift, 0);
        }
        // E-6: the middle of what it may be. (Of integers: only if planes are missing.)
        const bool known = s.reversible && lowest == 0;
        if (!known && !lower_end) magnitude += std::ldexp(0.5, lowest);
        magnitude *= delta;
        if (magnitude > kMostMagnitude) throw Malformed("a coefficient is too large");
        out(place.plane_x + x, place.plane_y + y) =
            static_cast<T>(decoded.negative[k] ? -magnitude : magnitude);
      }
  }
  out.inverse(s.coding.levels);
  return out;
}

// G.2: three components of one kind.
bool may_transform(const CodingParams &p) {
  const auto same = [](const Component &a, const Component &b) {
    return a.dx == b.dx && a.dy == b.dy && a.bits == b.bits;
  };
  return p.num_components >= 3 && same(p.component[0], p.component[1]) &&
         same(p.component[0], p.component[2]);
}

void inverse_colour(std::int32_t *y, std::int32_t *cb, std::int32_t *cr) {
  const int green = *y - ((*cb + *cr) >> 2);
  const int red = *cr + green, blue = *cb + green;
  *y = red;
  *cb = green;
  *cr = blue;
}

void inverse_colour(double *y, double *cb, double *cr) {
  const double red = *y + 1.402 * *cr, blue = *y + 1.772 * *cb;
  const double green = *y - 0.344136 * *cb - 0.714136 * *cr;
  *y = red;
  *cb = green;
  *cr = blue;
}

int rounded(std::int32_t v) {
  return v;
}
int rounded(double v) {
  return static_cast<int>(std::floor(v + 0.5));
}

// What the first layers have of a block.
void cut(int layers, ReadBlock *block) {
  block->passes = block->layer_passes[static_cast<std::size_t>(layers) - 1];
  block->lengths.resize(static_cast<std::size_t>(block->passes));
  block->bytes.resize(block->passes == 0 ? 0 : block->lengths.back());
}

template <class T>
void decode_tile(const Stream &s, int index, int layers, RegionSamples region, Decoded *out) {
  const TileGeometry tile = tile_geometry(s.coding, index);
  std::vector<ReadBlock> blocks = read_packets(s, tile, s.tiles[static_cast<std::size_t>(index)]);
  for (ReadBlock &block : blocks)
    if (layers > 0) cut(layers, &block);
  std::vector<ReferencePicture<T>> planes;
  for (int c = 0; c < s.coding.num_components; ++c)
    planes.push_back(coefficients<T>(s, tile, blocks, c, region));
  for (std::size_t i = 0; s.colour && i < planes[0].at.size(); ++i)
    inverse_colour(&planes[0].at[i], &planes[1].at[i], &planes[2].at[i]);
  for (int c = 0; c < s.coding.num_components; ++c) {
    ReferencePicture<T> &plane = planes[static_cast<std::size_t>(c)];
    Decoded::Component &component = out->components[static_cast<std::size_t>(c)];
    const Rect all = component_rect(s.coding, c);
    const int most = (1 << component.bits) - 1, middle = 1 << (component.bits - 1);
    for (int y = 0; y < plane.rect.height(); ++y)
      for (int x = 0; x < plane.rect.width(); ++x) {
        const auto at = static_cast<std::size_t>((plane.rect.y0 + y - all.y0) * component.width +
                                                 plane.rect.x0 + x - all.x0);
        component.samples[at] = std::clamp(rounded(plane(x, y)) + middle, 0, most);
        component.exact[at] = static_cast<float>(plane(x, y)) + static_cast<float>(middle);
      }
  }
}

}  // namespace

Decoded decode_stream(const std::vector<std::uint8_t> &bytes, int layers, std::int64_t most_points,
                      RegionSamples region) {
  Decoded out;
  try {
    const Stream s = read_markers(bytes);
    const Rect &image = s.coding.image;
    if (std::int64_t{image.width()} * image.height() > most_points / s.coding.num_components)
      throw Malformed("SIZ: a picture too large for this decoder");
    if (s.colour && !may_transform(s.coding)) throw Malformed("COD: transform");
    for (int c = 0; c < s.coding.num_components; ++c) {
      const Rect rect = component_rect(s.coding, c);
      const auto samples =
          static_cast<std::size_t>(rect.width()) * static_cast<std::size_t>(rect.height());
      out.components.push_back({rect.width(), rect.height(),
                                s.coding.component[static_cast<std::size_t>(c)].bits,
                                std::vector<std::int32_t>(samples), std::vector<float>(samples)});
    }
    for (int i = 0; i < tile_count(s.coding); ++i)
      s.reversible ? decode_tile<std::int32_t>(s, i, layers, region, &out)
                   : decode_tile<double>(s, i, layers, region, &out);
  } catch (const Malformed &malformed) {
    out.complaint = malformed.what();
  }
  return out;
}

}  // namespace coalesce::test
