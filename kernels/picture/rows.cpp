// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rows.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "../core/clones.h"
#include "../core/simd.h"

namespace coalesce {
namespace {

using Place = RowReader::Place;
using Layout = RowWriter::Layout;
using Samples = const std::uint16_t *const[4];

using Read = void (*)(const std::uint8_t *row, int first, int count, Place place,
                      std::uint16_t *out);

// A word at any address.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  T value;
};

template <class T>
const Unaligned<T> *words(const std::uint8_t *row, int first) {
  return reinterpret_cast<const Unaligned<T> *>(row) + first;
}
template <class T>
Unaligned<T> *words(std::uint8_t *row, int first) {
  return reinterpret_cast<Unaligned<T> *>(row) + first;
}

// Where container number `first` of a word of `step` is in it.
int bit_of(int first, int step, int bits) {
  return (std::endian::native == std::endian::little ? first : step - 1 - first) * bits;
}

// ---- Reading
// -------------------------------------------------------------------------------------

template <class Word>
[[gnu::always_inline]] inline void read_words(const std::uint8_t *row, int first, int count,
                                              Place place, std::uint16_t *__restrict out) {
  const Unaligned<Word> *in = words<Word>(row, first);
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<std::uint16_t>(in[i].value >> place.shift & place.mask);
}

// Whole bytes.
COALESCE_CLONES void read1(const std::uint8_t *row, int first, int count, Place,
                           std::uint16_t *__restrict out) {
  for (int i = 0; i < count; ++i)
    out[i] = row[first + i];
}
// (With a shift that the compiler knows, it calculates in 16 bits.)
template <int kShift>
[[gnu::always_inline]] inline void read_shifted(const std::uint8_t *row, int first, int count,
                                                std::uint16_t mask, std::uint16_t *__restrict out) {
  const Unaligned<std::uint16_t> *in = words<std::uint16_t>(row, first);
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<std::uint16_t>(in[i].value >> kShift) & mask;
}
COALESCE_CLONES void read2(const std::uint8_t *row, int first, int count, Place place,
                           std::uint16_t *out) {
  read_shifted<0>(row, first, count, place.mask, out);
}
COALESCE_CLONES void read2_4(const std::uint8_t *row, int first, int count, Place place,
                             std::uint16_t *out) {
  read_shifted<4>(row, first, count, place.mask, out);
}
COALESCE_CLONES void read2_6(const std::uint8_t *row, int first, int count, Place place,
                             std::uint16_t *out) {
  read_shifted<6>(row, first, count, place.mask, out);
}
COALESCE_CLONES void read2_8(const std::uint8_t *row, int first, int count, Place place,
                             std::uint16_t *out) {
  read_shifted<8>(row, first, count, place.mask, out);
}
Read reader2(int shift) {
  return shift == 0 ? read2 : shift == 4 ? read2_4 : shift == 6 ? read2_6 : read2_8;
}
COALESCE_CLONES void read4(const std::uint8_t *row, int first, int count, Place place,
                           std::uint16_t *out) {
  read_words<std::uint32_t>(row, first, count, place, out);
}
COALESCE_CLONES void read8(const std::uint8_t *row, int first, int count, Place place,
                           std::uint16_t *out) {
  read_words<std::uint64_t>(row, first, count, place, out);
}

// Pixels of three bytes; shift: the number of the component's byte.
COALESCE_CLONES void read3(const std::uint8_t *row, int first, int count, Place place,
                           std::uint16_t *__restrict out) {
  const std::uint8_t *in = row + static_cast<std::ptrdiff_t>(3) * first + place.shift;
  for (int i = 0; i < count; ++i)
    out[i] = in[3 * i];
}

std::uint32_t load_le32(const std::uint8_t *bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
}

std::uint16_t v210_field(const std::uint8_t *row, int number) {
  return load_le32(row + 4 * (number / 3)) >> (10 * (number % 3)) & 0x3FF;
}

// Six pixels of v210 are twelve fields in four words. kFirst, kStep: of the component's fields.
template <int kFirst, int kStep>
void read_v210(const std::uint8_t *row, int first, int count, Place, std::uint16_t *out) {
  constexpr int kGroup = 12 / kStep;
  int i = 0;
  for (; i < count && (first + i) % kGroup != 0; ++i)
    out[i] = v210_field(row, kFirst + kStep * (first + i));
  const std::uint8_t *in = row + static_cast<std::ptrdiff_t>(16) * ((first + i) / kGroup);
  for (; i + kGroup <= count; i += kGroup, in += 16) {
    const std::uint32_t word[4] = {load_le32(in), load_le32(in + 4), load_le32(in + 8),
                                   load_le32(in + 12)};
    for (int k = 0; k < kGroup; ++k) {
      const int number = kFirst + kStep * k;
      out[i + k] = word[number / 3] >> (10 * (number % 3)) & 0x3FF;
    }
  }
  for (; i < count; ++i)
    out[i] = v210_field(row, kFirst + kStep * (first + i));
}

#if defined(COALESCE_AVX2)
typedef std::uint8_t Bytes __attribute__((vector_size(32)));
typedef std::uint16_t Numbers __attribute__((vector_size(32)));

// Two groups of 16 bytes. A field lies in two bytes, which are moved to a place of 16 bits; a
// product moves it to the top of that, and a shift down. kStored: how many samples of each are
// stored.
template <int kGroup, int kStored>
COALESCE_AVX2 COALESCE_INLINE void read_v210_groups(const std::uint8_t *from, const Bytes &bytes,
                                                    const Numbers &factor, std::uint16_t *out) {
  Bytes in;
  std::memcpy(&in, from, sizeof in);
  const auto fields = reinterpret_cast<Numbers>(
      __builtin_ia32_pshufb256(reinterpret_cast<__v32qi>(in), reinterpret_cast<__v32qi>(bytes)));
  const Numbers numbers = fields * factor >> 6;
  std::memcpy(out, &numbers, 2 * kStored);
  std::memcpy(out + kGroup, reinterpret_cast<const std::uint8_t *>(&numbers) + 16, 2 * kStored);
}

// The same of 32 bytes at a time.
template <int kFirst, int kStep>
COALESCE_AVX2 void read_v210_avx2(const std::uint8_t *row, int first, int count, Place place,
                                  std::uint16_t *out) {
  constexpr int kGroup = 12 / kStep;
  const int lead = std::min(count, (kGroup - first % kGroup) % kGroup);
  read_v210<kFirst, kStep>(row, first, lead, place, out);
  Bytes bytes = {};
  Numbers factor = {};
  for (int k = 0; k < kGroup; ++k) {
    const int number = kFirst + kStep * k, field = number % 3;
    for (int half = 0; half < 2; ++half) {
      bytes[16 * half + 2 * k] = static_cast<std::uint8_t>(4 * (number / 3) + field);
      bytes[16 * half + 2 * k + 1] = static_cast<std::uint8_t>(4 * (number / 3) + field + 1);
      factor[8 * half + k] = static_cast<std::uint16_t>(64 >> (2 * field));
    }
  }
  int i = lead;
  const std::uint8_t *from = row + static_cast<std::ptrdiff_t>(16) * ((first + i) / kGroup);
  // A store of 8 or 16 bytes reaches beyond its group.
  constexpr int kLong = kGroup == 6 ? 8 : 4;
  for (; i + kGroup + kLong <= count; i += 2 * kGroup, from += 32)
    read_v210_groups<kGroup, kLong>(from, bytes, factor, out + i);
  for (; i + 2 * kGroup <= count; i += 2 * kGroup, from += 32)
    read_v210_groups<kGroup, kGroup>(from, bytes, factor, out + i);
  read_v210<kFirst, kStep>(row, first + i, count - i, place, out + i);
}
#endif

template <int kFirst, int kStep>
void read_be10(const std::uint8_t *row, int first, int count, Place, std::uint16_t *out) {
  for (int i = 0; i < count; ++i) {
    const Be10Place at = be10_place(kFirst + std::ptrdiff_t{kStep} * (first + i));
    out[i] = (row[at.byte] << 8 | row[at.byte + 1]) >> at.shift & 0x3FF;
  }
}

template <int kFirst, int kStep>
Read v210_reader() {
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) return read_v210_avx2<kFirst, kStep>;
#endif
  return read_v210<kFirst, kStep>;
}

// ---- Writing
// -------------------------------------------------------------------------------------

template <class Word, int kComponents>
[[gnu::always_inline]] inline void write_words(std::uint8_t *row, int first, int count,
                                               const Layout &l, Samples &samples) {
  Unaligned<Word> *__restrict out = words<Word>(row, first);
  const std::uint16_t *s[kComponents];
  int shift[kComponents];
  for (int c = 0; c < kComponents; ++c) {
    s[c] = samples[l.component[c]];
    shift[c] = l.shift[c];
  }
  const auto ones = static_cast<Word>(l.ones);
  for (int i = 0; i < count; ++i) {
    Word word = ones;
    for (int c = 0; c < kComponents; ++c)
      word = static_cast<Word>(word | static_cast<Word>(s[c][i]) << shift[c]);
    out[i].value = word;
  }
}

COALESCE_CLONES void write1(std::uint8_t *__restrict row, int first, int count, const Layout &l,
                            Samples &samples) {
  const std::uint16_t *__restrict in = samples[l.component[0]];
  for (int i = 0; i < count; ++i)
    row[first + i] = static_cast<std::uint8_t>(in[i]);
}
// (Products of 16 bits: shifts would be of 32.)
COALESCE_CLONES void write2(std::uint8_t *row, int first, int count, const Layout &l,
                            Samples &samples) {
  Unaligned<std::uint16_t> *__restrict out = words<std::uint16_t>(row, first);
  const std::uint16_t *__restrict in = samples[l.component[0]];
  const auto factor = static_cast<std::uint16_t>(1 << l.shift[0]);
  for (int i = 0; i < count; ++i)
    out[i].value = static_cast<std::uint16_t>(in[i] * factor);
}
COALESCE_CLONES void write_pairs8(std::uint8_t *row, int first, int count, const Layout &l,
                                  Samples &samples) {
  Unaligned<std::uint16_t> *__restrict out = words<std::uint16_t>(row, first);
  const bool swapped = l.shift[0] != 0;
  const std::uint16_t *__restrict low = samples[l.component[swapped ? 1 : 0]];
  const std::uint16_t *__restrict high = samples[l.component[swapped ? 0 : 1]];
  for (int i = 0; i < count; ++i)
    out[i].value = static_cast<std::uint16_t>(low[i] + high[i] * 256);
}
COALESCE_CLONES void write_pairs16(std::uint8_t *row, int first, int count, const Layout &l,
                                   Samples &samples) {
  write_words<std::uint32_t, 2>(row, first, count, l, samples);
}
COALESCE_CLONES void write_three_of4(std::uint8_t *row, int first, int count, const Layout &l,
                                     Samples &samples) {
  write_words<std::uint32_t, 3>(row, first, count, l, samples);
}
COALESCE_CLONES void write4(std::uint8_t *row, int first, int count, const Layout &l,
                            Samples &samples) {
  write_words<std::uint32_t, 4>(row, first, count, l, samples);
}
COALESCE_CLONES void write8(std::uint8_t *row, int first, int count, const Layout &l,
                            Samples &samples) {
  write_words<std::uint64_t, 4>(row, first, count, l, samples);
}

// Pixels of three bytes; shift: the number of a component's byte.
COALESCE_CLONES void write3(std::uint8_t *row, int first, int count, const Layout &l,
                            Samples &samples) {
  typedef std::uint32_t Pixels __attribute__((vector_size(16)));
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  const std::uint16_t *in[3];
  for (int c = 0; c < 3; ++c)
    in[l.shift[c]] = samples[l.component[c]];
  std::uint8_t *out = row + static_cast<std::ptrdiff_t>(3) * first;
  int i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    // The store is four bytes longer than four pixels.
    for (; i + 6 <= count; i += 4) {
      Pixels pixels;
      for (int k = 0; k < 4; ++k)
        pixels[k] = in[0][i + k] | in[1][i + k] << 8 | in[2][i + k] << 16;
      const auto bytes = reinterpret_cast<Bytes>(pixels);
      const Bytes dense = __builtin_shufflevector(bytes, bytes, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13,
                                                  14, 3, 7, 11, 15);
      std::memcpy(out + static_cast<std::ptrdiff_t>(3) * i, &dense, sizeof dense);
    }
  }
  for (; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      out[3 * i + k] = static_cast<std::uint8_t>(in[k][i]);
}

// 4:2:2: words of pairs of pixels.
template <class Word>
[[gnu::always_inline]] inline void write_422(std::uint8_t *row, int first, int count,
                                             const Layout &l, Samples &samples) {
  Unaligned<Word> *__restrict out = words<Word>(row, first / 2);
  const std::uint16_t *y = samples[0], *u = samples[1], *v = samples[2];
  const auto at = [&](std::uint16_t sample, int c) {
    return static_cast<Word>(static_cast<Word>(sample) << l.shift[c]);
  };
  for (int i = 0; i < count / 2; ++i)
    out[i].value = at(y[2 * i], 0) | at(y[2 * i + 1], 1) | at(u[i], 2) | at(v[i], 3);
  if (const int last = count / 2; count % 2 == 1)
    out[last].value = at(y[2 * last], 0) | at(y[2 * last], 1) | at(u[last], 2) | at(v[last], 3);
}
COALESCE_CLONES void write_422_8(std::uint8_t *row, int first, int count, const Layout &l,
                                 Samples &samples) {
  write_422<std::uint32_t>(row, first, count, l, samples);
}
COALESCE_CLONES void write_422_16(std::uint8_t *row, int first, int count, const Layout &l,
                                  Samples &samples) {
  write_422<std::uint64_t>(row, first, count, l, samples);
}

void store_le32(std::uint8_t *bytes, std::uint32_t word) {
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
  std::memcpy(bytes, &word, sizeof word);
}

std::uint32_t fields(std::uint32_t low, std::uint32_t middle, std::uint32_t high) {
  return low | middle << 10 | high << 20;
}

void write_v210_group(std::uint8_t *out, const std::uint16_t *y, const std::uint16_t *u,
                      const std::uint16_t *v) {
  store_le32(out, fields(u[0], y[0], v[0]));
  store_le32(out + 4, fields(y[1], u[1], y[2]));
  store_le32(out + 8, fields(v[1], y[3], u[2]));
  store_le32(out + 12, fields(y[4], v[2], y[5]));
}

void write_v210(std::uint8_t *row, int first, int count, const Layout &l, Samples &samples) {
  const std::uint16_t *y = samples[0], *u = samples[1], *v = samples[2];
  std::uint8_t *out = row + static_cast<std::ptrdiff_t>(16) * (first / 6);
  int x = 0;
  for (; x + 6 <= count; x += 6, out += 16)
    write_v210_group(out, y + x, u + x / 2, v + x / 2);
  if (x < count) {
    std::uint16_t rest[3][6] = {};
    std::copy(y + x, y + count, rest[0]);
    if (count % 2 == 1) rest[0][count - x] = y[count - 1];
    std::copy(u + x / 2, u + (count + 1) / 2, rest[1]);
    std::copy(v + x / 2, v + (count + 1) / 2, rest[2]);
    write_v210_group(out, rest[0], rest[1], rest[2]);
    out += 16;
  }
  if (first + count < l.width) return;
  std::uint8_t *end = row + (static_cast<std::ptrdiff_t>(l.width) + 47) / 48 * 128;
  std::memset(out, 0, static_cast<std::size_t>(end - out));
}

void write_be10(std::uint8_t *row, int first, int count, const Layout &, Samples &samples) {
  const std::uint16_t *y = samples[0], *u = samples[1], *v = samples[2];
  std::uint8_t *out = row + static_cast<std::ptrdiff_t>(5) * (first / 2);
  for (int x = 0; x < count; x += 2, out += 5) {
    const std::uint16_t second = y[x + 1 < count ? x + 1 : x];
    const std::uint64_t pair = std::uint64_t{u[x / 2]} << 30 | std::uint64_t{y[x]} << 20 |
                               std::uint64_t{v[x / 2]} << 10 | second;
    for (int i = 0; i < 5; ++i)
      out[i] = static_cast<std::uint8_t>(pair >> (32 - 8 * i));
  }
}

// The bits of a word that belong to no component's container, or of one that holds several fields
// to none of them.
std::uint64_t spare_ones(const PixelFormat &format, int plane, int word_bits) {
  std::uint64_t used = 0;
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (c.plane != plane) continue;
    const int bits = container_bits(c.container);
    used |= c.container == Container::u32
                ? std::uint64_t{(1u << c.bits) - 1} << c.shift
                : ((std::uint64_t{1} << bits) - 1) << bit_of(c.first, c.step, bits);
  }
  return ~used & (word_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << word_bits) - 1);
}

int shift_of(const PixelComponent &c) {
  return bit_of(c.first, c.step, container_bits(c.container)) + c.shift;
}

Layout layout_422(const PixelFormat &format, int width) {
  const PixelComponent &y = format.component[0], &u = format.component[1], &v = format.component[2];
  const int bits = container_bits(y.container);
  const auto at = [&](int first, const PixelComponent &c) {
    return c.container == Container::be10 ? 30 - 10 * first : bit_of(first, 4, bits) + c.shift;
  };
  return {4,
          {0, 0, 1, 2},
          {at(y.first, y), at(y.first + 2, y), at(u.first, u), at(v.first, v)},
          0,
          width};
}

Layout layout_of(const PixelFormat &format, int plane, int width) {
  Layout l = {0, {}, {}, 0, width};
  int bytes = 0;
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (c.plane != plane) continue;
    bytes = c.step * container_bytes(c.container);
    l.component[l.components] = i;
    l.shift[l.components++] = bytes == 3 ? c.first : shift_of(c);
  }
  if (bytes != 3) l.ones = spare_ones(format, plane, 8 * bytes);
  return l;
}

}  // namespace

RowReader::RowReader(const PixelComponent &c) {
  const int bytes = c.step * container_bytes(c.container);
  place_ = {bytes == 3 ? c.first : shift_of(c), static_cast<std::uint16_t>((1 << c.bits) - 1)};
  if (c.container == Container::v210)
    read_ = c.step == 2    ? v210_reader<1, 2>()
            : c.first == 0 ? v210_reader<0, 4>()
                           : v210_reader<2, 4>();
  else if (c.container == Container::be10)
    read_ = c.step == 2 ? read_be10<1, 2> : c.first == 0 ? read_be10<0, 4> : read_be10<2, 4>;
  else
    read_ = bytes == 1   ? read1
            : bytes == 2 ? reader2(place_.shift)
            : bytes == 3 ? read3
            : bytes == 4 ? read4
                         : read8;
}

RowWriter::RowWriter(const PixelFormat &format, int plane, int width) {
  layout_ = format.is_packed_422() ? layout_422(format, width) : layout_of(format, plane, width);
  const PixelComponent *c = format.component;
  while (c->plane != plane)
    ++c;
  const int container = container_bytes(c->container);
  const int bytes = c->step * container;
  if (c->container == Container::v210)
    write_ = write_v210;
  else if (c->container == Container::be10)
    write_ = write_be10;
  else if (format.is_packed_422())
    write_ = container == 1 ? write_422_8 : write_422_16;
  else if (layout_.components == 1)
    write_ = bytes == 1 ? write1 : write2;
  else if (layout_.components == 2)
    write_ = container == 1 ? write_pairs8 : write_pairs16;
  else
    write_ = bytes == 3                ? write3
             : bytes == 8              ? write8
             : layout_.components == 3 ? write_three_of4
                                       : write4;
}

}  // namespace coalesce
