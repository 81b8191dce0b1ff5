// SPDX-License-Identifier: LGPL-2.1-or-later
// Any word of the output, sample by sample: edges of pictures, and shapes of chroma that runs lack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../picture/sample.cuh"
#include "convert_args.h"

namespace coalesce {

// The first of the input's rows (of a field) and columns that a filtered sample is made of.
__device__ __forceinline__ int first_of(const ChromaTaps &taps, const ChromaTaps::Phase &phase,
                                        int i) {
  return ((i >> taps.up) << taps.down) + phase.first;
}
__device__ __forceinline__ const ChromaTaps::Phase &phase_of(const ChromaTaps &taps, int i) {
  return taps.phase[i & ((1 << taps.up) - 1)];
}

__device__ __forceinline__ int rows_of(const ConvertJob &job, int j) {
  return job.in.format.component[j].log2_height == 1 ? job.in_chroma_rows : job.in.height;
}

// Component j at the place of sample (x, row) of the output's component.
__device__ __forceinline__ int plain_sample(const ConvertJob &job, int j, int x, int row) {
  const PixelComponent &c = job.in.format.component[j];
  const int log2_fields = job.log2_fields(), in_field = (1 << log2_fields) - 1;
  const int columns = -(-job.in.width >> c.log2_width);
  const int from = field_row(row >> log2_fields, row & in_field, log2_fields, rows_of(job, j));
  return read_sample(job.in.plane[c.plane].row(from), c, min(x, columns - 1));
}

__device__ __forceinline__ int filtered_sample(const ConvertJob &job, int j, int x, int row) {
  const PixelComponent &c = job.in.format.component[j];
  const int log2_fields = job.log2_fields(), field = row & ((1 << log2_fields) - 1);
  const int columns = -(-job.in.width >> c.log2_width), rows = rows_of(job, j);
  const ChromaTaps &down = job.down[field], &across = job.across;
  const ChromaTaps::Phase &vertical = phase_of(down, row >> log2_fields);
  const ChromaTaps::Phase &horizontal = phase_of(across, x);
  const int y0 = first_of(down, vertical, row >> log2_fields), x0 = first_of(across, horizontal, x);
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < down.count; ++k) {
    const std::uint8_t *from =
        job.in.plane[c.plane].row(field_row(y0 + k, field, log2_fields, rows));
#pragma unroll 1
    for (int i = 0; i < across.count; ++i)
      sum += vertical.tap[k] * horizontal.tap[i] *
             read_sample(from, c, min(max(x0 + i, 0), columns - 1));
  }
  return sum;
}

// Sample (x, row) of component number c of the output.
__device__ __noinline__ std::uint32_t output_sample(const ConvertJob &job, int c, int x, int row) {
  const ConvertSum &sum = job.sum[c];
  std::int64_t total = sum.offset;
  if (sum.from != ConvertSum::kConstant) {
    const bool matrix = sum.from == ConvertSum::kMatrix;
#pragma unroll 1
    for (int i = 0; i < (matrix ? 3 : 1); ++i) {
      const int j = matrix ? i : sum.from;
      std::int64_t sample =
          job.filters(sum, j) ? filtered_sample(job, j, x, row) : plain_sample(job, j, x, row);
      if (sum.filtered && !job.filters(sum, j)) sample <<= job.filter_bits;
      total += sum.weight[i] * sample;
    }
    if (sum.dithered) total += dither_threshold(x, row, sum.shift);
  }
  total >>= sum.shift;
  return static_cast<std::uint32_t>(total < 0 ? 0 : total > sum.maximum ? sum.maximum : total);
}

// Columns of luma are at most the picture's: the second luma of an odd width's last pair repeats
// the first.
__device__ __forceinline__ void write_word(const ConvertArgs &a, int plane, int number, int row) {
  const PlaneWords &w = a.words[plane];
  const ConvertJob &job = a.job;
  std::uint8_t *out = job.out.plane[plane].row(row) + static_cast<std::ptrdiff_t>(number) * w.bytes;
  std::uint64_t word = w.ones;
#pragma unroll 1
  for (int i = 0; i < w.components; ++i) {
    const bool second = w.pixels == 2 && i == 1;
    const int x = w.pixels == 2 && i < 2 ? min(2 * number + second, job.out.width - 1) : number;
    word |= std::uint64_t{output_sample(job, w.component[i], x, row)} << w.shift[i];
  }
  if (w.bytes == 1) {
    *out = static_cast<std::uint8_t>(word);
  } else if (w.bytes == 3) {
    for (int i = 0; i < 3; ++i)
      out[i] = static_cast<std::uint8_t>(word >> 8 * i);
  } else if (w.bytes == 5) {
    for (int i = 0; i < 5; ++i)
      out[i] = static_cast<std::uint8_t>(word >> (32 - 8 * i));
  } else {
    // Planes are aligned to their containers, which may be smaller than words.
    const int container = container_bytes(job.out.format.component[w.component[0]].container);
    for (int i = 0; i < w.bytes; i += container) {
      if (container == 1) out[i] = static_cast<std::uint8_t>(word >> 8 * i);
      if (container == 2)
        *reinterpret_cast<std::uint16_t *>(out + i) = static_cast<std::uint16_t>(word >> 8 * i);
      if (container == 4)
        *reinterpret_cast<std::uint32_t *>(out + i) = static_cast<std::uint32_t>(word >> 8 * i);
    }
  }
}

// Six pixels in four words, of zeros where the picture has none. The second luma of an odd width's
// last pair repeats the first.
__device__ __forceinline__ void write_group(const ConvertArgs &a, int number, int row) {
  const ConvertJob &job = a.job;
  const int width = job.out.width, wide = (width + 1) & ~1;
  auto *out = reinterpret_cast<std::uint32_t *>(job.out.plane[0].row(row)) +
              static_cast<std::ptrdiff_t>(4) * number;
  const auto field = [&](int i) -> std::uint32_t {  // of twelve: U Y V Y, three times
    const int x = 6 * number + i / 2;
    if (i % 2 == 1) return x < wide ? output_sample(job, 0, min(x, width - 1), row) : 0;
    return (x & ~1) < wide ? output_sample(job, i % 4 == 0 ? 1 : 2, x / 2, row) : 0;
  };
#pragma unroll 1
  for (int i = 0; i < 4; ++i)
    out[i] = field(3 * i) | field(3 * i + 1) << 10 | field(3 * i + 2) << 20;
}

// Words `first` to `last` - 1 of a row.
__device__ __noinline__ void write_words(const ConvertArgs &a, int plane, int first, int last,
                                         int row) {
#pragma unroll 1
  for (int number = first; number < last; ++number) {
    if (a.words[plane].bytes == 16)
      write_group(a, number, row);
    else
      write_word(a, plane, number, row);
  }
}

// Words of a row of this plane.
COALESCE_HOST_DEVICE int words_of_row(const ConvertArgs &a, int plane) {
  const PlaneWords &w = a.words[plane];
  const int width = a.job.out.width;
  if (w.bytes == 16) return (width + 47) / 48 * 8;
  if (w.pixels == 2) return (width + 1) / 2;
  return -(-width >> w.log2_width);
}

}  // namespace coalesce
