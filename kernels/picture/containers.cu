// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread takes a unit of a row: 16 bytes of containers, or 8 pixels of v210 that become planes.
// Units that are not all of the picture, at the end of a row, go sample by sample. So do fields in
// five bytes, which have any alignment.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "byte_words.h"
#include "containers_job.h"
#include "runs.cuh"
#include "sample.cuh"
#include "tile.cuh"

namespace coalesce {
namespace {

constexpr int kColumns = 32, kRows = 8;  // threads of a block

struct Unit {
  int pixels, bytes;
};
// Of pixels with four samples of 16 bits, not of 4:2:2.
COALESCE_HOST_DEVICE bool has_pixels(const PixelFormat &format) {
  return format.component[0].container == Container::u16 && format.component[0].step == 4;
}

Unit unit_of(const PixelFormat &format) {
  if (has_pixels(format)) return {2, 16};
  switch (format.component[0].container) {
    case Container::u8:
      return {8, 16};
    case Container::v210:
      return {6, 16};
    case Container::be10:
      return {2, 5};
    default:
      return {4, 16};
  }
}
// Of v210 read: groups of 6 pixels would be written in threes.
constexpr int kV210Read = 8;

struct ContainerArgs {
  ContainerJob job;
  Unit unit;
  int whole, units;  // of a row: units with nothing but pixels that are not be10, and all
  int tiles_across;
  int alignment;  // of rows of the containers
  // 4:2:2 in bytes and words of 16 bits: of eight bytes those of luma, and those of U and V.
  std::uint32_t luma, chroma;
  // To pack. The eight bytes out of a word of luma and one of U and V; bits that a unit keeps.
  std::uint32_t low, high;
  std::uint32_t kept[4];
  bool keeps;
};

template <int kWords>
__device__ __forceinline__ void store_wide(std::uint8_t *to, const std::uint32_t (&words)[kWords]) {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4, "what one access can take");
  if constexpr (kWords == 1)
    *reinterpret_cast<std::uint32_t *>(to) = words[0];
  else if constexpr (kWords == 2)
    *reinterpret_cast<uint2 *>(to) = make_uint2(words[0], words[1]);
  else
    *reinterpret_cast<uint4 *>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

// Between a component's plane and registers, words of the unit's samples.
template <int kWords>
__device__ __forceinline__ void store_samples(const ContainerJob &job, int component, int unit,
                                              int y, const std::uint32_t (&words)[kWords]) {
  if (job.filters(component)) store_wide(job.unpacked[component].row(y) + unit * 4 * kWords, words);
}
template <int kWords>
__device__ __forceinline__ void load_samples(const ContainerJob &job, int component, int unit,
                                             int y, std::uint32_t (&words)[kWords]) {
  if (job.filters(component))
    load_wide(job.filtered[component].row(y) + unit * 4 * kWords, words);
  else
    for (std::uint32_t &word : words)
      word = 0;
}

// ---- Units -------------------------------------------------------------------------------------

// The unit's sixteen fields, U Y V Y, begin with field 0, 1 or 2 of a word, and end in the fifth
// behind it.
__device__ __forceinline__ void read_v210(const ContainerArgs &a, int unit, int y) {
  const int word = 16 * unit / 3, phase = 16 * unit - 3 * word;
  const auto *from = reinterpret_cast<const std::uint32_t *>(a.job.in.row(y)) + word;
  std::uint32_t words[7];
#pragma unroll
  for (int i = 0; i < 6; ++i)
    words[i] = load_global(from + i);
  words[6] = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i)
    words[i] = (words[i] & 0x3fffffff) >> 10 * phase | words[i + 1] << (30 - 10 * phase);
  const auto two = [&](int i, int j) {
    return (words[i / 3] >> 10 * (i % 3) & 0x3ff) | (words[j / 3] >> 10 * (j % 3) & 0x3ff) << 16;
  };
  store_samples(a.job, 0, unit, y, {two(1, 3), two(5, 7), two(9, 11), two(13, 15)});
  store_samples(a.job, 1, unit, y, {two(0, 4), two(8, 12)});
  store_samples(a.job, 2, unit, y, {two(2, 6), two(10, 14)});
}

__device__ __forceinline__ void make_v210(const ContainerArgs &a, int unit, int y,
                                          std::uint32_t (&words)[4]) {
  std::uint32_t luma[3] = {}, chroma[2][3] = {};
  if (a.job.filters(0)) {
    const auto *from = reinterpret_cast<const std::uint32_t *>(a.job.filtered[0].row(y)) + 3 * unit;
#pragma unroll
    for (int i = 0; i < 3; ++i)
      luma[i] = load_global(from + i);
  }
#pragma unroll
  for (int c = 0; c < 2; ++c)
    if (a.job.filters(1 + c)) {
      const auto *from =
          reinterpret_cast<const std::uint16_t *>(a.job.filtered[1 + c].row(y)) + 3 * unit;
#pragma unroll
      for (int i = 0; i < 3; ++i)
        chroma[c][i] = load_global(from + i);
    }
  const auto y_of = [&](int i) { return luma[i / 2] >> 16 * (i % 2) & 0xffff; };
  const auto &u = chroma[0], &v = chroma[1];
  words[0] = u[0] | y_of(0) << 10 | v[0] << 20;
  words[1] = y_of(1) | u[1] << 10 | y_of(2) << 20;
  words[2] = v[1] | y_of(3) << 10 | u[2] << 20;
  words[3] = y_of(4) | v[2] << 10 | y_of(5) << 20;
}

// 4:2:2 in bytes or words of 16 bits: eight bytes have a word of luma, and one of U and V.
__device__ __forceinline__ void read_pairs(const ContainerArgs &a, int unit, int y) {
  std::uint32_t words[4];
  load_run<16>(a.job.in.row(y) + unit * 16, a.alignment, words);
  const std::uint32_t first = shuffle_bytes(words[0], words[1], a.chroma),
                      second = shuffle_bytes(words[2], words[3], a.chroma);
  store_samples(
      a.job, 0, unit, y,
      {shuffle_bytes(words[0], words[1], a.luma), shuffle_bytes(words[2], words[3], a.luma)});
  store_samples(a.job, 1, unit, y, {shuffle_bytes(first, second, 0x5410)});
  store_samples(a.job, 2, unit, y, {shuffle_bytes(first, second, 0x7632)});
}

__device__ __forceinline__ void make_pairs(const ContainerArgs &a, int unit, int y,
                                           std::uint32_t (&words)[4]) {
  std::uint32_t luma[2], u[1], v[1];
  load_samples(a.job, 0, unit, y, luma);
  load_samples(a.job, 1, unit, y, u);
  load_samples(a.job, 2, unit, y, v);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t chroma = shuffle_bytes(u[0], v[0], i == 0 ? 0x5410 : 0x7632);
    words[2 * i] = shuffle_bytes(luma[i], chroma, a.low);
    words[2 * i + 1] = shuffle_bytes(luma[i], chroma, a.high);
  }
}

// Pixels of four samples of 16 bits: two of them.
__device__ __forceinline__ void read_pixels(const ContainerArgs &a, int unit, int y) {
  std::uint32_t words[4];
  load_run<16>(a.job.in.row(y) + unit * 16, a.alignment, words);
#pragma unroll 1
  for (int c = 0; c < a.job.format.components; ++c) {
    const int place = a.job.format.component[c].first;
    const std::uint32_t first = place < 2 ? words[0] : words[1];
    const std::uint32_t second = place < 2 ? words[2] : words[3];
    store_samples(a.job, c, unit, y,
                  {shuffle_bytes(first, second, place % 2 == 0 ? 0x5410 : 0x7632)});
  }
}

__device__ __forceinline__ void make_pixels(const ContainerArgs &a, int unit, int y,
                                            std::uint32_t (&words)[4]) {
#pragma unroll
  for (std::uint32_t &word : words)
    word = 0;
#pragma unroll 1
  for (int c = 0; c < a.job.format.components; ++c) {
    const int place = a.job.format.component[c].first, up = 16 * (place % 2);
    std::uint32_t samples[1];
    load_samples(a.job, c, unit, y, samples);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (i % 2 == place / 2) words[i] |= (samples[0] >> 16 * (i / 2) & 0xffff) << up;
  }
}

// Words of fields, which are samples of 16 bits.
__device__ __forceinline__ void read_words(const ContainerArgs &a, int unit, int y) {
  std::uint32_t words[4];
  load_run<16>(a.job.in.row(y) + unit * 16, a.alignment, words);
#pragma unroll 1
  for (int c = 0; c < a.job.format.components; ++c) {
    const PixelComponent &place = a.job.format.component[c];
    const auto sample = [&](int i) { return words[i] >> place.shift & ((1u << place.bits) - 1); };
    store_samples(a.job, c, unit, y, {sample(0) | sample(1) << 16, sample(2) | sample(3) << 16});
  }
}

__device__ __forceinline__ void make_words(const ContainerArgs &a, int unit, int y,
                                           std::uint32_t (&words)[4]) {
#pragma unroll
  for (std::uint32_t &word : words)
    word = 0;
#pragma unroll 1
  for (int c = 0; c < a.job.format.components; ++c) {
    std::uint32_t samples[2];
    load_samples(a.job, c, unit, y, samples);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      words[i] |= (samples[i / 2] >> 16 * (i % 2) & 0xffff) << a.job.format.component[c].shift;
  }
}

// ---- The ends of rows --------------------------------------------------------------------------

__device__ __noinline__ void read_samples(const ContainerArgs &a, int unit, int y) {
#pragma unroll 1
  for (int c = 0; c < a.job.format.components; ++c) {
    if (!a.job.filters(c)) continue;
    const PixelComponent &place = a.job.format.component[c];
    const int first = unit * a.unit.pixels >> place.log2_width;
    const int last = min(first + (a.unit.pixels >> place.log2_width), a.job.columns(c));
    // What is alone in a container keeps its place there.
    const int up = place.container == Container::u16 ? place.shift : 0;
    std::uint8_t *row = a.job.unpacked[c].row(y);
#pragma unroll 1
    for (int x = first; x < last; ++x) {
      const int sample = read_sample(a.job.in.row(y), place, x) << up;
      if (a.job.in_words)
        reinterpret_cast<std::uint16_t *>(row)[x] = static_cast<std::uint16_t>(sample);
      else
        row[x] = static_cast<std::uint8_t>(sample);
    }
  }
}

// Container `number`, with what is filtered in place of the bits that it has.
__device__ __forceinline__ void write_container(const ContainerJob &job, int number, int y) {
  const Container container = job.format.component[0].container;
  const int bytes = container_bytes(container);
  const bool highest_first = container == Container::be10;
  const std::uint8_t *from = job.in.row(y) + static_cast<std::ptrdiff_t>(number) * bytes;
  std::uint64_t word = 0;
  for (int i = 0; i < bytes; ++i)
    word |= std::uint64_t{load_global(from + i)} << 8 * (highest_first ? bytes - 1 - i : i);
  const auto put = [&](int c, int x, int shift, std::uint32_t mask) {
    if (!job.filters(c)) return;
    const std::uint8_t *row = job.filtered[c].row(y);
    const std::uint32_t value = job.in_words
                                    ? load_global(reinterpret_cast<const std::uint16_t *>(row) + x)
                                    : load_global(row + x);
    word = (word & ~(std::uint64_t{mask} << shift)) | std::uint64_t{value} << shift;
  };
  if (container == Container::u32) {
    for (int c = 0; c < job.format.components; ++c)
      put(c, number, job.format.component[c].shift, (1u << job.format.component[c].bits) - 1);
  } else {
    const int samples = container == Container::v210 ? 3 : highest_first ? 4 : 1;
    for (int k = 0; k < samples; ++k) {
      int c, x;
      if (find_sample(job.format, job.width, 0, samples * number + k, &c, &x))
        put(c, x, 10 * (highest_first ? samples - 1 - k : k),
            (1u << container_bits(container)) - 1);
    }
  }
  std::uint8_t *to = job.out.row(y) + static_cast<std::ptrdiff_t>(number) * bytes;
  for (int i = 0; i < bytes; ++i)
    to[i] = static_cast<std::uint8_t>(word >> 8 * (highest_first ? bytes - 1 - i : i));
}

__device__ __noinline__ void write_containers(const ContainerArgs &a, int unit, int y) {
  const int bytes = container_bytes(a.job.format.component[0].container);
  const int each = a.unit.bytes / bytes;
  const int last = min((unit + 1) * each, a.job.in.width / bytes);
#pragma unroll 1
  for (int number = unit * each; number < last; ++number)
    write_container(a.job, number, y);
}

// ---- Kernels -----------------------------------------------------------------------------------

// The thread's unit and row. False: there is none.
__device__ __forceinline__ bool find_unit(const ContainerArgs &a, int *unit, int *y) {
  const int band = static_cast<int>(blockIdx.x) / a.tiles_across;
  *unit = (static_cast<int>(blockIdx.x) - band * a.tiles_across) * kColumns +
          static_cast<int>(threadIdx.x);
  *y = band * kRows + static_cast<int>(threadIdx.y);
  return *unit < a.units && *y < a.job.height;
}

__global__ void __launch_bounds__(kColumns *kRows)
    unpack_kernel(const __grid_constant__ ContainerArgs a) {
  wait_for_grid_before();
  int unit, y;
  if (!find_unit(a, &unit, &y)) return;
  const Container container = a.job.format.component[0].container;
  if (unit >= a.whole)
    read_samples(a, unit, y);
  else if (container == Container::v210)
    read_v210(a, unit, y);
  else if (container == Container::u32)
    read_words(a, unit, y);
  else if (has_pixels(a.job.format))
    read_pixels(a, unit, y);
  else
    read_pairs(a, unit, y);
}

__global__ void __launch_bounds__(kColumns *kRows)
    pack_kernel(const __grid_constant__ ContainerArgs a) {
  wait_for_grid_before();
  int unit, y;
  if (!find_unit(a, &unit, &y)) return;
  if (unit >= a.whole) {
    write_containers(a, unit, y);
    return;
  }
  const Container container = a.job.format.component[0].container;
  std::uint32_t words[4], before[4];
  if (container == Container::v210)
    make_v210(a, unit, y, words);
  else if (container == Container::u32)
    make_words(a, unit, y, words);
  else if (has_pixels(a.job.format))
    make_pixels(a, unit, y, words);
  else
    make_pairs(a, unit, y, words);
  if (a.keeps) {
    load_run<16>(a.job.in.row(y) + unit * 16, a.alignment, before);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      words[i] = (words[i] & ~a.kept[i]) | (before[i] & a.kept[i]);
  }
  store_run<16>(a.job.out.row(y) + unit * 16, a.alignment, words);
}

// ---- Launches ----------------------------------------------------------------------------------

// Of eight bytes, those of `bytes` each at these places, as a selector of four.
std::uint32_t selector_of(const int *places, int bytes) {
  std::uint32_t selector = 0;
  for (int i = 0; i < 4; ++i)
    selector |= static_cast<std::uint32_t>(places[i / bytes] * bytes + i % bytes) << 4 * i;
  return selector;
}

void select_bytes(const ContainerJob &job, ContainerArgs *args) {
  const PixelComponent *c = job.format.component;
  const int bytes = job.in_words ? 2 : 1;
  const int y = c[0].first, u = c[1].first, v = c[2].first;
  const int luma[] = {y, y + 2, y + 4, y + 6};
  const int in_bytes[] = {u, u + 4, v, v + 4}, in_words[] = {u, v};
  args->luma = selector_of(luma, bytes);
  args->chroma = selector_of(job.in_words ? in_words : in_bytes, bytes);
  for (int i = 0; i < 4; ++i)
    for (const auto &[selector, number] : {std::pair{args->luma, i}, {args->chroma, 4 + i}}) {
      const int byte = static_cast<int>(selector >> 4 * i & 7);
      (byte < 4 ? args->low : args->high) |= static_cast<std::uint32_t>(number) << 4 * (byte % 4);
    }
}

// Bits of a unit's words that no filtered sample has. (Not of be10.)
void find_kept(ContainerArgs *args) {
  const PixelFormat &format = args->job.format;
  std::fill_n(args->kept, 4, ~0u);
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    const bool fields = c.container == Container::v210 || c.container == Container::u32;
    const int bits = fields ? c.bits : container_bits(c.container);
    const int in_word = c.container == Container::v210 ? 3 : 32 / container_bits(c.container);
    for (int x = 0; args->job.filters(i) && x < args->unit.pixels >> c.log2_width; ++x) {
      const int number = c.first + x * c.step, at = number % in_word * container_bits(c.container);
      args->kept[number / in_word] &=
          ~(((1u << bits) - 1) << (at + (c.container == Container::u32 ? c.shift : 0)));
    }
  }
  args->keeps =
      std::any_of(args->kept, args->kept + 4, [](std::uint32_t word) { return word != 0; });
}

ContainerArgs make_args(const ContainerJob &job, Unit unit, int units) {
  const Container container = job.format.component[0].container;
  ContainerArgs args = {};
  args.job = job;
  args.unit = unit;
  args.whole = container == Container::be10 ? 0 : job.width / unit.pixels;
  args.units = units;
  args.tiles_across = (units - 1) / kColumns + 1;
  const bool in_pairs = container == Container::u8 || container == Container::u16;
  if (in_pairs && !has_pixels(job.format)) select_bytes(job, &args);
  return args;
}

Status launch_units(void (*kernel)(ContainerArgs), const ContainerArgs &args, void *stream) {
  static_assert(sizeof args <= 4096, "kernels take no more");
  const std::int64_t blocks = std::int64_t{(args.job.height - 1) / kRows + 1} * args.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "the picture is too large"};
  return launch_early(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kColumns, kRows), 0,
                      static_cast<cudaStream_t>(stream), args);
}

}  // namespace

Status unpack_containers_cuda(const ContainerJob &job, void *stream) {
  const TraceRange range("unpack");
  Unit unit = unit_of(job.format);
  if (job.format.component[0].container == Container::v210) unit.pixels = kV210Read;
  ContainerArgs args = make_args(job, unit, (job.width - 1) / unit.pixels + 1);
  args.alignment = alignment_of(job.in);
  return launch_units(unpack_kernel, args, stream);
}

Status pack_containers_cuda(const ContainerJob &job, void *stream) {
  const TraceRange range("pack");
  const Unit unit = unit_of(job.format);
  ContainerArgs args = make_args(job, unit, (job.in.width - 1) / unit.bytes + 1);
  args.alignment = std::min(alignment_of(job.in), alignment_of(job.out));
  find_kept(&args);
  return launch_units(pack_kernel, args, stream);
}

}  // namespace coalesce
