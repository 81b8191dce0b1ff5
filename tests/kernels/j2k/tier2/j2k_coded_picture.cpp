// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_coded_picture.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../../../support/doctest.h"
#include "../tier1/j2k_block_decoder.h"
#include "../transform/j2k_wavelet_reference.h"
#include "j2k/tier1/tier1.h"
#include "j2k/transform/colour.h"
#include "j2k/transform/wavelet.h"

namespace coalesce::test {

using namespace j2k;

CodedPicture::CodedPicture(const PlainPicture &picture, const CodingChoice &choice)
    : picture_(picture), choice_(choice) {
  params_.image = {0, 0, picture.width, picture.height};
  params_.num_components = picture.components;
  params_.block_x = params_.block_y = choice.block_log2;
  geometry_ = tile_geometry(params_, 0);
  for (const Subband &band : geometry_.bands) {
    QuantiserParams q;
    q.wavelet = choice.wavelet;
    q.levels = params_.levels;
    q.colour = picture.components == 3 ? band.component : -1;
    q.base_step = choice.base_step;
    quantisers_.push_back(band_quantiser(q, band.orientation, band.level));
  }
  bytes_.resize(geometry_.blocks.size());
  planes_.resize(geometry_.blocks.size());
  blocks_.passes.resize(geometry_.blocks.size());
  blocks_.blocks.resize(geometry_.blocks.size());
  if (choice.wavelet == Wavelet::reversible_53)
    code<std::int32_t>();
  else
    code<float>();
}

template <class T>
void CodedPicture::code() {
  const Rect rect = geometry_.rect;
  const int w = rect.width(), h = rect.height();
  const std::size_t size = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  std::vector<T> storage[6];  // before and behind the wavelet
  Plane<T> planes[6];
  Samples samples[3];
  for (std::size_t i = 0; i < 6; ++i) {
    storage[i].resize(size);
    planes[i] = {storage[i].data(), w, h, static_cast<std::size_t>(w) * sizeof(T)};
    if (i < static_cast<std::size_t>(picture_.components))
      samples[i] = {&picture_.samples[i * size],
                    static_cast<std::size_t>(w),
                    Container::u8,
                    0,
                    8,
                    0,
                    1,
                    0,
                    0};
  }
  const bool rgb = picture_.components == 3;
  Status s;
  if constexpr (std::is_same_v<T, float>)
    s = rgb ? irreversible_transform({samples[0], samples[1], samples[2]},
                                     {planes[0], planes[1], planes[2]}, nullptr)
            : level_shift(samples[0], planes[0], nullptr);
  else
    s = rgb ? reversible_transform({samples[0], samples[1], samples[2]},
                                   {planes[0], planes[1], planes[2]}, nullptr)
            : level_shift(samples[0], planes[0], nullptr);
  CHECK_MESSAGE(s.ok(), s.message());
  WaveletMemory<T> memory;
  for (int c = 0; c < picture_.components; ++c) {
    if constexpr (std::is_same_v<T, float>)
      s = wavelet_97(rect, params_.levels, planes[c], planes[3 + c], &memory, nullptr);
    else
      s = wavelet_53(rect, params_.levels, planes[c], planes[3 + c], &memory, nullptr);
    CHECK_MESSAGE(s.ok(), s.message());
  }
  std::vector<std::int32_t> indices(size);
  for (std::size_t b = 0; b < geometry_.bands.size(); ++b) {
    const Subband &band = geometry_.bands[b];
    if (band.rect.empty()) continue;
    const Plane<T> &whole = planes[3 + band.component];
    const Plane<const T> part = {whole.row(band.plane_y) + band.plane_x, band.rect.width(),
                                 band.rect.height(), whole.pitch};
    const Plane<std::int32_t> out = {indices.data(), part.width, part.height,
                                     static_cast<std::size_t>(part.width) * 4};
    if constexpr (std::is_same_v<T, float>)
      CHECK_MESSAGE(quantise(quantisers_[b], part, out, nullptr).ok(), "quantise");
    else
      for (int y = 0; y < part.height; ++y)
        std::copy_n(part.row(y), part.width, out.row(y));
    code_band(static_cast<int>(b), out, std::is_same_v<T, float> ? kFractionBitsOf97 : 0);
  }
}

void CodedPicture::code_band(int band, const Plane<std::int32_t> &samples, int fraction_bits) {
  Tier1Coder coder;
  const BandQuantiser &q = quantisers_[static_cast<std::size_t>(band)];
  const Subband &subband = geometry_.bands[static_cast<std::size_t>(band)];
  for (std::size_t i = 0; i < geometry_.blocks.size(); ++i) {
    const BlockPlace &place = geometry_.blocks[i];
    if (place.band != band) continue;
    CodeBlock block = {};
    block.samples = samples.row(place.plane_y - subband.plane_y) + place.plane_x - subband.plane_x;
    block.pitch = static_cast<std::ptrdiff_t>(samples.pitch / 4);
    block.width = place.rect.width();
    block.height = place.rect.height();
    block.fraction_bits = fraction_bits;
    block.max_planes = q.planes;
    block.band = subband.orientation;
    block.style = static_cast<std::uint8_t>(choice_.style);
    bytes_[i].resize(tier1_bytes_bound(block.width * block.height, q.planes, choice_.style));
    blocks_.passes[i].resize(kMaxPasses);
    CodedBlock coded = {};
    const Status s =
        coder.encode(block, blocks_.passes[i].data(), bytes_[i].data(), bytes_[i].size(), &coded);
    CHECK_MESSAGE(s.ok(), s.message());
    planes_[i] = q.planes - coded.zero_planes;
    bytes_[i].resize(coded.length);
    blocks_.passes[i].resize(static_cast<std::size_t>(coded.passes));
    RateBlock &rate = blocks_.blocks[i];
    rate.passes = blocks_.passes[i].data();
    rate.num_passes = coded.passes;
    rate.weight = q.weight;
    rate.final_error = final_error(block);
  }
}

template <class T>
CodedPicture::Error CodedPicture::decoded_error(const std::uint8_t *passes) const {
  constexpr bool kReversible = std::is_same_v<T, std::int32_t>;
  const Rect rect = geometry_.rect;
  const int w = rect.width(), h = rect.height();
  const std::size_t size = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  const auto components = static_cast<std::size_t>(picture_.components);
  std::vector<ReferencePicture<T>> v(components, {rect, std::vector<T>(size)});
  for (std::size_t i = 0; i < geometry_.blocks.size(); ++i) {
    const BlockPlace &place = geometry_.blocks[i];
    const auto b = static_cast<std::size_t>(place.band);
    const Subband &band = geometry_.bands[b];
    DecoderInput in = {place.rect.width(),
                       place.rect.height(),
                       band.orientation,
                       choice_.style,
                       planes_[i],
                       bytes_[i].data(),
                       {}};
    for (int n = 1; n <= passes[i]; ++n)
      in.lengths.push_back(length_of(blocks_.blocks[i], n));
    const DecodedBlock decoded = decode_block(in);
    for (std::size_t k = 0; k < decoded.magnitudes.size(); ++k) {
      if (decoded.magnitudes[k] == 0) continue;
      const bool known = kReversible && decoded.lowest[k] == 0;
      const double middle = known ? 0 : std::ldexp(0.5, decoded.lowest[k]);
      const double value =
          (decoded.magnitudes[k] + middle) * static_cast<double>(quantisers_[b].step);
      const int x = place.plane_x + static_cast<int>(k) % in.width;
      const int y = place.plane_y + static_cast<int>(k) / in.width;
      v[static_cast<std::size_t>(band.component)](x, y) =
          static_cast<T>(decoded.negative[k] ? -value : value);
    }
  }
  for (ReferencePicture<T> &component : v)
    component.inverse(params_.levels);
  Error sum = {0, 0};
  for (std::size_t i = 0; i < size; ++i) {
    double rgb[3] = {static_cast<double>(v[0].at[i])};
    if (components == 3) {
      const double y = rgb[0], cb = v[1].at[i], cr = v[2].at[i];
      const double green =
          kReversible ? y - std::floor((cb + cr) / 4) : y - 0.344136 * cb - 0.714136 * cr;
      rgb[0] = kReversible ? cr + green : y + 1.402 * cr;
      rgb[1] = green;
      rgb[2] = kReversible ? cb + green : y + 1.772 * cb;
    }
    for (std::size_t c = 0; c < components; ++c) {
      const double truth = picture_.samples[c * size + i], value = rgb[c] + 128;
      const double rounded = std::clamp(std::floor(value + 0.5), 0.0, 255.0);
      sum.exact += (value - truth) * (value - truth);
      sum.rounded += (rounded - truth) * (rounded - truth);
    }
  }
  return sum;
}

CodedPicture::Error CodedPicture::error(const std::uint8_t *passes) const {
  return choice_.wavelet == Wavelet::reversible_53 ? decoded_error<std::int32_t>(passes)
                                                   : decoded_error<double>(passes);
}

double CodedPicture::psnr(double error) const {
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(picture_.samples.size()) / error);
}

}  // namespace coalesce::test
