// SPDX-License-Identifier: LGPL-2.1-or-later
#include "output.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "../../core/simd.h"
#include "../../picture/formats.h"
#include "inverse_dct.h"

namespace coalesce::jpeg {

// Eight numbers: of a row of a block, or of a column.
typedef std::uint32_t Eight __attribute__((vector_size(32)));
typedef std::int32_t SignedEight __attribute__((vector_size(32)));
typedef std::int16_t ShortEight __attribute__((vector_size(16)));

template <>
struct SignedOf<Eight> {
  using Type = SignedEight;
  using Number = std::uint32_t;
};

namespace {

// Has component c of the format the sampling that it has in the file?
bool fits(const Frame &frame, const PixelFormat &format, int c) {
  const FrameComponent &k = frame.component[c];
  return k.h << format.component[c].log2_width == frame.max_h &&
         k.v << format.component[c].log2_height == frame.max_v;
}

bool is_as_coded(const Frame &frame, const PixelFormat &format) {
  if (format.components != frame.components || format.is_packed_422()) return false;
  if (frame.colour == Colour::rgb) return false;
  if (!format.has(frame.colour == Colour::grey ? Role::grey : Role::u)) return false;
  for (int c = 0; c < frame.components; ++c)
    if (!fits(frame, format, c)) return false;
  return true;
}

// A block whose numbers want 64 bits.
void transform_in_64_bits(const std::int16_t *coefficients, const QuantTable &quant,
                          std::uint8_t *out, std::size_t pitch) {
  using Word = std::uint64_t;
  Word rows[kCoefficients], x[kBlockSize];
  for (std::size_t column = 0; column < kBlockSize; ++column) {
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      const std::size_t at = kBlockSize * i + column;
      x[i] = static_cast<Word>(std::int64_t{dequantised(coefficients[at], quant[at])});
    }
    inverse_dct_8(x, kColumnShift);
    for (std::size_t i = 0; i < kBlockSize; ++i)
      rows[kBlockSize * i + column] = between_passes(x[i]);
  }
  for (std::size_t y = 0; y < kBlockSize; ++y) {
    std::copy_n(rows + kBlockSize * y, kBlockSize, x);
    inverse_dct_8(x, kRowShift);
    for (std::size_t i = 0; i < kBlockSize; ++i)
      out[pitch * y + i] = idct_sample(x[i]);
  }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
// Each round moves the highest bit of a number's row behind the bits of its column.
COALESCE_INLINE void transpose(Eight (&v)[kBlockSize]) {
  for (int round = 0; round < 3; ++round) {
    Eight in[kBlockSize];
    for (int i = 0; i < kBlockSize; ++i)
      in[i] = v[i];
    for (int i = 0; i < kBlockSize / 2; ++i) {
      v[2 * i] = __builtin_shufflevector(in[i], in[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      v[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
  }
}

// Returns false, and writes nothing, if the block's numbers want 64 bits.
COALESCE_INLINE bool transform_in_32_bits(const std::int16_t *coefficients, const QuantTable &quant,
                                          std::uint8_t *out, std::size_t pitch) {
  Eight x[kBlockSize];
  SignedEight sums = {};
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    ShortEight numbers, steps;
    std::memcpy(&numbers, coefficients + kBlockSize * i, sizeof numbers);
    std::memcpy(&steps, quant.data() + kBlockSize * i, sizeof steps);
    const SignedEight products =
        __builtin_convertvector(numbers, SignedEight) * __builtin_convertvector(steps, SignedEight);
    const SignedEight sizes = products < 0 ? -products : products;
    sums += sizes > kMostIn32Bits ? SignedEight{} + (kMostIn32Bits + 1) : sizes;
    x[i] = reinterpret_cast<Eight>(products);
  }
  std::int32_t sum = 0;
  for (int i = 0; i < kBlockSize; ++i)
    sum += sums[i];
  if (sum > kMostIn32Bits) return false;
  inverse_dct_8(x, kColumnShift);
  transpose(x);
  inverse_dct_8(x, kRowShift);
  // A vector has a column: four of them are half of each row.
  Eight halves[2] = {};
  for (int i = 0; i < kBlockSize; ++i) {
    const SignedEight samples = reinterpret_cast<SignedEight>(((x[i] & 1023) ^ 512) - 512) + 128;
    const SignedEight from_0 = samples < 0 ? SignedEight{} : samples;
    const SignedEight to_255 = from_0 > 255 ? SignedEight{} + 255 : from_0;
    const int place = std::endian::native == std::endian::little ? i % 4 : 3 - i % 4;
    halves[i / 4] |= reinterpret_cast<Eight>(to_255) << 8 * place;
  }
  const Eight rows[2] = {__builtin_shufflevector(halves[0], halves[1], 0, 8, 1, 9, 2, 10, 3, 11),
                         __builtin_shufflevector(halves[0], halves[1], 4, 12, 5, 13, 6, 14, 7, 15)};
  for (std::size_t y = 0; y < kBlockSize; ++y)
    std::memcpy(out + pitch * y, reinterpret_cast<const char *>(rows) + kBlockSize * y, kBlockSize);
  return true;
}

COALESCE_CLONES void transform_row(const std::int16_t *coefficients, int blocks,
                                   const QuantTable &quant, std::uint8_t *out, std::size_t pitch) {
  for (int x = 0; x < blocks; ++x, coefficients += kCoefficients, out += kBlockSize)
    if (!transform_in_32_bits(coefficients, quant, out, pitch))
      transform_in_64_bits(coefficients, quant, out, pitch);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <Upsampling kHow>
void upsample_row_by(const SamplePlane &plane, int y, int width, std::uint8_t *out) {
  for (int x = 0; x < width; ++x)
    out[x] = static_cast<std::uint8_t>(upsampled_by<kHow>(plane, x, y));
}

// A row of one sample for each pixel; `memory` is used if it is not there already.
const std::uint8_t *upsample_row(const SamplePlane &plane, int y, int width, std::uint8_t *memory) {
  if (plane.h == 1 && plane.v == 1) return plane.row(y);
  switch (plane.how) {
    case Upsampling::repeat:
      upsample_row_by<Upsampling::repeat>(plane, y, width, memory);
      break;
    case Upsampling::fancy_h2v1:
      upsample_row_by<Upsampling::fancy_h2v1>(plane, y, width, memory);
      break;
    case Upsampling::fancy_h1v2:
      upsample_row_by<Upsampling::fancy_h1v2>(plane, y, width, memory);
      break;
    case Upsampling::fancy_h2v2:
      upsample_row_by<Upsampling::fancy_h2v2>(plane, y, width, memory);
      break;
  }
  return memory;
}

void write_as_coded(const SamplePlane *planes, const Image &out, ThreadPool *pool) {
  for (int c = 0; c < out.format.components; ++c) {
    const PixelComponent &k = out.format.component[c];
    const SamplePlane &from = planes[c];
    for_ranges(pool, from.height, 64, [&](int first, int last) {
      for (int y = first; y < last; ++y) {
        std::uint8_t *to = out.of(k).row(y) + k.first;
        const std::uint8_t *row = from.row(y);
        if (k.step == 1) {
          std::copy_n(row, from.width, to);
          continue;
        }
        for (int x = 0; x < from.width; ++x)
          to[x * k.step] = row[x];
      }
    });
  }
}

void write_rgb(const Frame &frame, const SamplePlane *planes, const Image &out, ThreadPool *pool) {
  const PixelFormat format = with_spare_bytes(out.format);
  const auto width = static_cast<std::size_t>(frame.width);
  for_ranges(pool, frame.height, 16, [&](int first, int last) {
    std::vector<std::uint8_t> memory(width * kMostComponents);
    for (int y = first; y < last; ++y) {
      const std::uint8_t *rows[3];
      for (int c = 0; c < 3; ++c)
        rows[c] = c < frame.components
                      ? upsample_row(planes[c], y, frame.width,
                                     memory.data() + width * static_cast<std::size_t>(c))
                      : rows[0];
      std::uint8_t *to[4] = {};
      for (int c = 0; c < format.components; ++c)
        to[c] = out.of(format.component[c]).row(y) + format.component[c].first;
      const int r = format.component[0].step, g = format.component[1].step,
                b = format.component[2].step;
      for (int x = 0; x < frame.width; ++x) {
        const Rgb8 rgb = frame.colour == Colour::ycc ? rgb_of(rows[0][x], rows[1][x], rows[2][x])
                                                     : Rgb8{rows[0][x], rows[1][x], rows[2][x]};
        to[0][x * r] = rgb.r;
        to[1][x * g] = rgb.g;
        to[2][x * b] = rgb.b;
      }
      if (format.components == 4)
        for (int x = 0; x < frame.width; ++x)
          to[3][x * format.component[3].step] = 255;
    }
  });
}

}  // namespace

PixelFormat coded_format(const Frame &frame) {
  for (const char *name : {"GRAY8", "I420", "Y42B", "Y444"})
    if (is_as_coded(frame, pixel_format(name))) return pixel_format(name);
  return {};
}

Status check_output(const Frame &frame, const PixelFormat &format, int width, int height) {
  if (width != frame.width || height != frame.height)
    return invalid_argument("jpeg: an output of another size than the file's");
  if (!format.in_bytes()) return invalid_argument("jpeg: an output of other than 8 bits");
  if (!format.has(Role::r)) {
    if (!is_as_coded(frame, format))
      return invalid_argument("jpeg: an output of another sampling than the file's");
    return {};
  }
  for (int c = 0; c < frame.components; ++c)
    if (frame.max_h % frame.component[c].h != 0 || frame.max_v % frame.component[c].v != 0)
      return {StatusCode::unsupported, "jpeg: RGB of sampling factors that are no divisors"};
  return {};
}

PixelFormat with_spare_bytes(PixelFormat format) {
  const PixelComponent &red = format.component[0];
  if (format.planes != 1 || format.components != 3 || red.step != 4) return format;
  PixelComponent &spare = format.component[format.components++];
  spare = red;
  spare.first = 6;  // the sum of all places
  for (int c = 0; c < 3; ++c)
    spare.first = static_cast<std::int8_t>(spare.first - format.component[c].first);
  spare.role = Role::alpha;
  return format;
}

SampleLayout sample_layout(const Frame &frame) {
  SampleLayout layout;
  for (int c = 0; c < frame.components; ++c) {
    layout.offset[c] = layout.bytes;
    layout.pitch[c] = frame.component[c].padded_wide * kBlockSize;
    layout.bytes += frame.component[c].blocks() * kCoefficients;
  }
  return layout;
}

SamplePlane sample_plane(const Frame &frame, int component, const SampleLayout &layout,
                         const std::uint8_t *samples, bool fancy) {
  const FrameComponent &k = frame.component[component];
  SamplePlane plane = {samples + layout.offset[component],
                       layout.pitch[component],
                       k.width,
                       k.height,
                       static_cast<std::uint8_t>(frame.max_h / k.h),
                       static_cast<std::uint8_t>(frame.max_v / k.v),
                       Upsampling::repeat};
  // As libjpeg chooses.
  if (fancy) {
    if (plane.h == 2 && plane.v == 1 && k.width > 2) plane.how = Upsampling::fancy_h2v1;
    if (plane.h == 1 && plane.v == 2) plane.how = Upsampling::fancy_h1v2;
    if (plane.h == 2 && plane.v == 2 && k.width > 2) plane.how = Upsampling::fancy_h2v2;
  }
  return plane;
}

void transform_blocks(const Frame &frame, int component, const QuantTable &quant,
                      const std::int16_t *coefficients, std::uint8_t *samples, int pitch,
                      ThreadPool *pool) {
  const FrameComponent &k = frame.component[component];
  const auto row_bytes = static_cast<std::size_t>(pitch);
  for_ranges(pool, k.blocks_high, 8, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      transform_row(coefficients + kCoefficients * static_cast<std::size_t>(y) *
                                       static_cast<std::size_t>(k.padded_wide),
                    k.blocks_wide, quant,
                    samples + row_bytes * static_cast<std::size_t>(kBlockSize * y), row_bytes);
  });
}

void write_picture(const Frame &frame, const SamplePlane *planes, const Image &out,
                   ThreadPool *pool) {
  if (out.format.has(Role::r))
    write_rgb(frame, planes, out, pool);
  else
    write_as_coded(planes, out, pool);
}

}  // namespace coalesce::jpeg
