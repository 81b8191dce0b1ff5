// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels: a thread converts a run of pixels of a row, or of two rows that share a row of
// chroma, or (convert_up.cuh) are between the same two. Packings are selected at run time, by
// branches that all threads take alike: so there is a kernel for each kind of run, not one for each
// pair of formats. Common shapes have kernels without these branches.
#include "convert_cuda.h"

#include <algorithm>
#include <type_traits>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "convert_args.h"
#include "convert_load.cuh"
#include "convert_store.cuh"
#include "convert_up.cuh"
#include "convert_word.cuh"

namespace coalesce {
namespace {

// How sums are made: of 32 bits with the half added, or of 64 bits with the half or a threshold.
template <bool kIsWide>
struct Arithmetic {
  using Sum = std::conditional_t<kIsWide, std::int64_t, std::int32_t>;
  static constexpr bool kDithered = kIsWide;
};

__host__ __device__ __forceinline__ bool has_wide_sums(const ConvertArgs &a) {
  return a.job.wide || a.sum[0].dithered || a.sum[1].dithered || a.sum[2].dithered;
}

// What a kernel is compiled for.
template <int kPixels, RunKind kRunKind, int kInShape, int kOutShape>
struct Run {
  static constexpr int kRun = kPixels;
  static constexpr RunKind kKind = kRunKind;
  using In = Shaped<kInShape>;
  using Out = Shaped<kOutShape>;
};

// Calls `f` with the arithmetic of this call: shapes that are known have narrow sums.
template <class Run, class F>
__device__ __forceinline__ void with_numbers(const ConvertArgs &a, const F &f) {
  if (Run::In::kKnown || !has_wide_sums(a))
    f(Arithmetic<false>{});
  else
    f(Arithmetic<true>{});
}

// ---- Sums ---------------------------------------------------------------------------------------

// Of sample x of a row; not clamped: packing does that.
template <class Numbers>
__device__ __forceinline__ int rounded(const SlotSum &s, typename Numbers::Sum sum, int x,
                                       int row) {
  using Sum = typename Numbers::Sum;
  if (Numbers::kDithered && s.dithered) sum += static_cast<Sum>(dither_threshold(x, row, s.shift));
  return static_cast<int>(sum >> s.shift);
}

// Slot `slot` of the output, from samples of the input in slot kFirst and those after it.
template <class Numbers, int kFirst, class... Samples>
__device__ __forceinline__ int weighed(const ConvertArgs &a, int slot, int x, int row,
                                       Samples... samples) {
  using Sum = typename Numbers::Sum;
  const SlotSum &s = a.sum[slot];
  auto sum = static_cast<Sum>(s.offset);
  int i = kFirst;
  ((sum += static_cast<Sum>(s.weight[i++]) * samples), ...);
  return rounded<Numbers>(s, sum, x, row);
}
template <class Numbers>
__device__ __forceinline__ int weighed_alpha(const ConvertArgs &a, int x, int row, int v) {
  using Sum = typename Numbers::Sum;
  const SlotSum &s = a.sum[3];
  return rounded<Numbers>(s, static_cast<Sum>(s.offset) + static_cast<Sum>(s.alpha_weight) * v, x,
                          row);
}

// ---- Chroma -------------------------------------------------------------------------------------

// The rows of the input that a row of filtered samples is made of.
struct FilterRows {
  const ChromaTaps::Phase *phase;
  int first, count, field, log2_fields, rows;

  __device__ __forceinline__ FilterRows(const ConvertJob &job, int row, int rows_in)
      : field(row & ((1 << job.log2_fields()) - 1)), log2_fields(job.log2_fields()), rows(rows_in) {
    const ChromaTaps &down = job.down[field];
    phase = &phase_of(down, row >> log2_fields);
    first = first_of(down, *phase, row >> log2_fields);
    count = down.count;
  }
  __device__ __forceinline__ int row(int k) const {
    return field_row(first + k, field, log2_fields, rows);
  }
};

// Chroma columns x / 2 - 1 to x / 2 + kRun / 2, filtered down.
template <int kRun>
struct Columns {
  static constexpr int kInner = kRun / 2;
  int a[kInner + 2], b[kInner + 2];
};

// Rows k and, if kBoth, k + 1 of those that row `row` of the output is made of: all of their loads
// come before the first sum.
template <int kRun, bool kBoth, bool kSides, class In>
__device__ __forceinline__ void add_rows(const ConvertArgs &args, const In &in,
                                         const FilterRows &rows, int k, int x, Columns<kRun> &c) {
  constexpr int kInner = Columns<kRun>::kInner, kRows = kBoth ? 2 : 1;
  int u[kRows][kInner], v[kRows][kInner], u_right[kRows] = {}, v_right[kRows] = {};
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int from = rows.row(k + n);
    load_chroma<kRun>(in, from, x, u[n], v[n]);
    if (kSides) load_column(in, from, x / 2 + kInner, &u_right[n], &v_right[n]);
  }
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    const int tap = rows.phase->tap[k + n];
#pragma unroll
    for (int i = 0; i < kInner; ++i)
      c.a[i + 1] += tap * u[n][i], c.b[i + 1] += tap * v[n][i];
    c.a[kInner + 1] += tap * u_right[n], c.b[kInner + 1] += tap * v_right[n];
    if (kSides && args.even[0] != 0) {
      int u_left, v_left;
      load_column(in, rows.row(k + n), x / 2 - 1, &u_left, &v_left);
      c.a[0] += tap * u_left, c.b[0] += tap * v_left;
    }
  }
}

// For row `row` of the output. kSides: with the columns beside the run's own.
template <int kRun, bool kSides, class In>
__device__ __forceinline__ void filter_down(const ConvertArgs &args, int row, int x,
                                            Columns<kRun> &c) {
  const In in = {args.in};
  const FilterRows rows(args.job, row, in.at.chroma_rows);
#pragma unroll
  for (int i = 0; i < Columns<kRun>::kInner + 2; ++i)
    c.a[i] = c.b[i] = 0;
  // (Taps behind the last are 0.)
  int k = 0;
  if constexpr (In::kKnown) {
#pragma unroll 1
    for (; k + 2 <= rows.count; k += 2)
      add_rows<kRun, true, kSides>(args, in, rows, k, x, c);
    if (k < rows.count) add_rows<kRun, false, kSides>(args, in, rows, k, x, c);
  } else {  // of any shape there are branches between the loads all the same
#pragma unroll 1
    for (; k < rows.count; ++k)
      add_rows<kRun, false, kSides>(args, in, rows, k, x, c);
  }
}

// Of half as many columns, from all colours of pixels: filtered down, then across.
template <int kRun, class In>
__device__ __forceinline__ void filter_colours(const ConvertArgs &args, int row, int x,
                                               int (&v)[3][kRun / 2]) {
  const In in = {args.in};
  const FilterRows rows(args.job, row, args.job.in.height);
  const int left = args.across[0], here = args.across[1], right = args.across[2];
#pragma unroll
  for (int s = 0; s < 3; ++s)
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i)
      v[s][i] = 0;
#pragma unroll 1
  for (int k = 0; k < rows.count; ++k) {
    const int tap = rows.phase->tap[k], from = rows.row(k);
    if (tap == 0) continue;
    Slots<kRun> pixels;
    load_pixels<kRun>(in, from, x, pixels);
    int before[3] = {};
    if (left != 0) load_pixel(in, from, max(x - 1, 0), before);
#pragma unroll
    for (int s = 0; s < 3; ++s)
#pragma unroll
      for (int i = 0; i < kRun / 2; ++i)
        v[s][i] += tap * (left * (i == 0 ? before[s] : pixels[s][i == 0 ? 0 : 2 * i - 1]) +
                          here * pixels[s][2 * i] + right * pixels[s][2 * i + 1]);
  }
}

// ---- Runs ---------------------------------------------------------------------------------------

// All colours of each pixel of the output.
template <class Run>
__device__ __forceinline__ void convert_full(const ConvertArgs &a, int row, int x) {
  constexpr int kRun = Run::kRun;
  const typename Run::In in = {a.in};
  const typename Run::Out out = {a.out};
  Slots<kRun> v = {};
  load_pixels<kRun>(in, row, x, v);
  if (in.half() && out.colours() == 3) {
    Columns<kRun> c;
    filter_down<kRun, true, typename Run::In>(a, row, x, c);
    const auto &[u, w] = c;
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i) {
      v[1][2 * i] = a.even[0] * u[i] + a.even[1] * u[i + 1];
      v[1][2 * i + 1] = a.odd[0] * u[i + 1] + a.odd[1] * u[i + 2];
      v[2][2 * i] = a.even[0] * w[i] + a.even[1] * w[i + 1];
      v[2][2 * i + 1] = a.odd[0] * w[i + 1] + a.odd[1] * w[i + 2];
    }
  }
  with_numbers<Run>(a, [&](auto numbers) {
    using Numbers = decltype(numbers);
    if (out.alpha() && in.alpha()) {
#pragma unroll
      for (int i = 0; i < kRun; ++i)
        v[3][i] = weighed_alpha<Numbers>(a, x + i, row, v[3][i]);
    } else {
#pragma unroll
      for (int i = 0; i < kRun; ++i)
        v[3][i] = a.sum[3].maximum;  // alpha that the input lacks, and padding: ones
    }
    if (out.colours() == 1) {
#pragma unroll
      for (int i = 0; i < kRun; ++i)
        v[0][i] = weighed<Numbers, 0>(a, 0, x + i, row, v[0][i], v[1][i], v[2][i]);
    } else {
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        const int v0 = v[0][i], v1 = v[1][i], v2 = v[2][i];
#pragma unroll
        for (int slot = 0; slot < 3; ++slot)
          v[slot][i] = weighed<Numbers, 0>(a, slot, x + i, row, v0, v1, v2);
      }
    }
  });
  store_pixels<kRun>(out, row, x, v);
}

// Luma of a row of an output whose chroma is elsewhere, or in the same words.
template <class Run>
__device__ __forceinline__ void convert_luma(const ConvertArgs &a, int row, int x,
                                             Slots<Run::kRun> &v) {
  constexpr int kRun = Run::kRun;
  const typename Run::In in = {a.in};
  load_pixels<kRun>(in, row, x, v);
  with_numbers<Run>(a, [&](auto numbers) {
    using Numbers = decltype(numbers);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[0][i] = Run::kKind == RunKind::down
                    ? weighed<Numbers, 0>(a, 0, x + i, row, v[0][i], v[1][i], v[2][i])
                    : weighed<Numbers, 0>(a, 0, x + i, row, v[0][i]);
  });
}

template <class Run>
__device__ __forceinline__ void convert_chroma(const ConvertArgs &a, int row, int x,
                                               int (&u)[Run::kRun / 2], int (&v)[Run::kRun / 2]) {
  constexpr int kRun = Run::kRun;
  const typename Run::In in = {a.in};
  if constexpr (Run::kKind == RunKind::down) {
    int c[3][kRun / 2];
    filter_colours<kRun, typename Run::In>(a, row, x, c);
    with_numbers<Run>(a, [&](auto numbers) {
      using Numbers = decltype(numbers);
#pragma unroll
      for (int i = 0; i < kRun / 2; ++i) {
        u[i] = weighed<Numbers, 0>(a, 1, x / 2 + i, row, c[0][i], c[1][i], c[2][i]);
        v[i] = weighed<Numbers, 0>(a, 2, x / 2 + i, row, c[0][i], c[1][i], c[2][i]);
      }
    });
  } else {
    Columns<kRun> c = {};
    if (in.half()) filter_down<kRun, false, typename Run::In>(a, row, x, c);
    with_numbers<Run>(a, [&](auto numbers) {
      using Numbers = decltype(numbers);
#pragma unroll
      for (int i = 0; i < kRun / 2; ++i) {
        u[i] = weighed<Numbers, 1>(a, 1, x / 2 + i, row, c.a[i + 1], c.b[i + 1]);
        v[i] = weighed<Numbers, 1>(a, 2, x / 2 + i, row, c.a[i + 1], c.b[i + 1]);
      }
    });
  }
}

// What is left of a row of `plane` from pixel x on.
__device__ __forceinline__ void convert_rest(const ConvertArgs &a, int plane, int row, int x) {
  const PlaneWords &w = a.words[plane];
  const int first = w.bytes == 16 ? x / 6 : (w.pixels == 2 ? x / 2 : x >> w.log2_width);
  write_words(a, plane, first, words_of_row(a, plane), row);
}

// The rows of a thread: of luma `luma` of them from `first` on, `step` apart, and one of chroma.
struct Rows {
  int luma, first, step, chroma;
};

// Group number `group`: rows 2i and 2i + 1 of a field and row i of its chroma, else a row.
__device__ __forceinline__ Rows rows_of_group(const ConvertArgs &a, int group) {
  const ConvertJob &job = a.job;
  if (!a.shares_rows) return {1, group, 1, group};
  const int fields = 1 << job.log2_fields(), field = group & (fields - 1);
  const int first = 2 * (group - field) + field;
  const int luma = first >= job.out.height ? 0 : first + fields >= job.out.height ? 1 : 2;
  return {luma, first, fields, group < job.out_chroma_rows ? group : -1};
}

// What is left of a group's rows from pixel x on.
__device__ __forceinline__ void rest_of_group(const ConvertArgs &a, const Rows &rows, int x) {
#pragma unroll 1
  for (int p = 0; p < a.job.out.format.planes; ++p) {
    const bool is_shared = a.words[p].log2_height == 1;
    const int count = is_shared ? rows.chroma >= 0 : rows.luma;
#pragma unroll 1
    for (int r = 0; r < count; ++r)
      convert_rest(a, p, is_shared ? rows.chroma : rows.first + r * rows.step, x);
  }
}

// A whole run of a group's rows.
template <class Run>
__device__ __forceinline__ void convert_group(const ConvertArgs &a, const Rows &rows, int x) {
  constexpr int kRun = Run::kRun;
  const typename Run::Out out = {a.out};
  if constexpr (Run::kKind == RunKind::full) {
    convert_full<Run>(a, rows.first, x);
  } else {
    Slots<kRun> v = {}, second = {};
    int one[kRun / 2], two[kRun / 2];
    if (Run::Out::kKnown && out.half_rows() && rows.luma == 2 && rows.chroma >= 0) {
      // (All loads come before the first store, which the compiler leaves before what follows it.)
      convert_luma<Run>(a, rows.first, x, v);
      convert_luma<Run>(a, rows.first + rows.step, x, second);
      convert_chroma<Run>(a, rows.chroma, x, one, two);
      store_plane<kRun>(out, 0, rows.first, x, v[0]);
      store_plane<kRun>(out, 0, rows.first + rows.step, x, second[0]);
      store_chroma<kRun>(out, rows.chroma, x, one, two);
      return;
    }
    for (int r = 0; r < rows.luma; ++r) {
      convert_luma<Run>(a, rows.first + r * rows.step, x, v);
      if (out.chroma() != ChromaPacking::packed)
        store_plane<kRun>(out, 0, rows.first + r * rows.step, x, v[0]);
    }
    if (rows.chroma < 0) return;
    convert_chroma<Run>(a, rows.chroma, x, one, two);
    if (out.chroma() == ChromaPacking::packed) {
      store_pairs<kRun>(out, rows.first, x, v[0], one, two);
    } else {
      store_chroma<kRun>(out, rows.chroma, x, one, two);
    }
  }
}

// Resident blocks hide latency, at the price of registers. Planes for each component have more
// addresses. From v210, runs of 36 bytes are stored in words, and fewer of them merge in the cache
// the more blocks there are.
template <class Run>
constexpr int min_blocks() {
  if (Run::kRun == 12) return Run::kKind == RunKind::full ? 5 : 8;
  if (Run::kKind != RunKind::full) return Run::kKind == RunKind::half ? 10 : 8;
  return Run::In::kChroma == ChromaPacking::planes || Run::Out::kPacking == Packing::planes8 ? 10
                                                                                             : 12;
}

// Of any shape.
template <class Run>
__global__ void __launch_bounds__(128, 1) convert_runs(const __grid_constant__ ConvertArgs a) {
  wait_for_grid_before();
  const int width = a.job.out.width;
  const int x = Run::kRun * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= width) return;
  const auto step = static_cast<int>(gridDim.y * blockDim.y);
  for (auto group = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); group < a.groups;
       group += step) {
    const Rows rows = rows_of_group(a, group);
    const bool is_whole = x + Run::kRun <= width;
    if (is_whole) convert_group<Run>(a, rows, x);
    // (Rows of v210 have empty groups of pixels at the end.)
    if (!is_whole || (Run::kRun == 12 && x + Run::kRun == width))
      rest_of_group(a, rows, is_whole ? width : x);
  }
}

// Of shapes that are known, with a thread for each run. The last blocks across have what is behind
// the last whole run, a group of rows each thread: beside it, its code would take registers.
template <class Run>
__global__ void __launch_bounds__(128, min_blocks<Run>())
    convert_known(const __grid_constant__ ConvertArgs a) {
  wait_for_grid_before();
  const int runs = a.job.out.width / Run::kRun;
  const auto run = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto down = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (static_cast<int>(blockIdx.x * blockDim.x) >= runs) {
    const auto group = static_cast<int>(down * blockDim.x + threadIdx.x);
    if (group < a.groups) rest_of_group(a, rows_of_group(a, group), Run::kRun * runs);
  } else if (run < runs) {
    if constexpr (Run::kKind != RunKind::full) {
      if (down < a.groups) convert_group<Run>(a, rows_of_group(a, down), Run::kRun * run);
    } else if (down < a.up.groups) {
      if (a.even[0] != 0)
        convert_run_up<Run, true>(a, down, Run::kRun * run);
      else
        convert_run_up<Run, false>(a, down, Run::kRun * run);
    }
  }
}

// Word by word. blockIdx.z: the plane.
__global__ void __launch_bounds__(128) convert_words(const __grid_constant__ ConvertArgs a) {
  wait_for_grid_before();
  const auto plane = static_cast<int>(blockIdx.z);
  const auto number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto step = static_cast<int>(gridDim.y * blockDim.y);
  if (number >= words_of_row(a, plane)) return;
  const int rows =
      a.words[plane].log2_height == 1 ? a.job.out_chroma_rows : a.job.out.plane[plane].height;
  for (auto row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); row < rows; row += step)
    write_words(a, plane, number, number + 1, row);
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(ConvertArgs);

// Of a kind only some shapes can be: runs of 12 pixels have v210 on one side.
template <int kRun>
Kernel kernel_of_any(RunKind kind) {
  constexpr bool kHasV210 = kRun == 12;
  constexpr int kIn = kHasV210 ? kAnyV210 : kAnyShape, kOut = kHasV210 ? kAnyV210 : kAnyHalf;
  switch (kind) {
    case RunKind::full:
      return convert_runs<Run<kRun, RunKind::full, kIn, kAnyWhole>>;
    case RunKind::half:
      return convert_runs<Run<kRun, RunKind::half, kAnyHalf, kAnyHalf>>;
    default:
      return convert_runs<Run<kRun, RunKind::down, kAnyWhole, kOut>>;
  }
}

// Shapes of the table below.
constexpr int kSemi8 = shape(Packing::planes8, ChromaPacking::interleaved, true, true, 3, false);
constexpr int kSemi16 = shape(Packing::planes16, ChromaPacking::interleaved, true, true, 3, false);
constexpr int kPlanes8 = shape(Packing::planes8, ChromaPacking::planes, true, true, 3, false);
constexpr int kPlanes420 = shape(Packing::planes16, ChromaPacking::planes, true, true, 3, false);
constexpr int kPlanes422 = shape(Packing::planes16, ChromaPacking::planes, true, false, 3, false);
constexpr int kPairs8 = shape(Packing::pairs8, ChromaPacking::packed, true, false, 3, false);
constexpr int kV210 = shape(Packing::v210, ChromaPacking::packed, true, false, 3, false);
constexpr int kRgb24 = shape(Packing::packed24, ChromaPacking::none, false, false, 3, false);
constexpr int kRgb32 = shape(Packing::packed32, ChromaPacking::none, false, false, 3, true);
constexpr int kRgbx = shape(Packing::packed32, ChromaPacking::none, false, false, 3, false);
constexpr int kRgbPlanes = shape(Packing::planes8, ChromaPacking::none, false, false, 3, false);

// What is common and aligned has kernels of its own, without the branches for other shapes: they
// take a half to a third of the time (docs/lab/conversions.md).
struct KnownShapes {
  RunKind kind;
  int in, out;
  Kernel kernel;
};
template <RunKind kKind, int kIn, int kOut>
constexpr KnownShapes known() {
  static_assert(kKind != RunKind::full || (Shaped<kIn>::kHalf && !Shaped<kOut>::kHalf),
                "what convert_up.cuh converts");
  constexpr int kRun = kIn == kV210 || kOut == kV210 ? 12 : 8;
  return {kKind, kIn, kOut, convert_known<Run<kRun, kKind, kIn, kOut>>};
}
constexpr KnownShapes kKnown[] = {
    known<RunKind::full, kSemi8, kRgb24>(),      known<RunKind::full, kSemi8, kRgb32>(),
    known<RunKind::full, kSemi8, kRgbx>(),       known<RunKind::full, kSemi8, kRgbPlanes>(),
    known<RunKind::full, kPlanes8, kRgb24>(),    known<RunKind::full, kPlanes8, kRgb32>(),
    known<RunKind::full, kSemi16, kRgb24>(),     known<RunKind::full, kSemi16, kRgb32>(),
    known<RunKind::full, kPairs8, kRgb24>(),     known<RunKind::full, kPairs8, kRgb32>(),
    known<RunKind::full, kV210, kRgb24>(),       known<RunKind::full, kV210, kRgb32>(),
    known<RunKind::half, kPairs8, kSemi8>(),     known<RunKind::half, kPairs8, kPlanes8>(),
    known<RunKind::half, kV210, kSemi16>(),      known<RunKind::half, kV210, kPlanes422>(),
    known<RunKind::half, kPlanes422, kV210>(),   known<RunKind::half, kSemi16, kV210>(),
    known<RunKind::half, kSemi8, kPlanes8>(),    known<RunKind::half, kPlanes8, kSemi8>(),
    known<RunKind::half, kSemi16, kPlanes420>(), known<RunKind::half, kPlanes420, kSemi16>(),
    known<RunKind::half, kSemi16, kSemi8>(),     known<RunKind::down, kRgb24, kV210>(),
    known<RunKind::down, kRgb32, kV210>(),       known<RunKind::down, kRgb32, kSemi16>(),
};

constexpr int kAcross = 32, kDown = 4;  // threads of a block
constexpr int kMostDown = 65535;        // blocks of a grid

// nullptr: none of them.
const KnownShapes *known_shapes(const ConvertArgs &args) {
  if (has_wide_sums(args) || !args.aligned || args.groups > kDown * kMostDown) return nullptr;
  if (args.kind == RunKind::full && !args.up.fits) return nullptr;
  for (const KnownShapes &k : kKnown)
    if (k.kind == args.kind && k.in == shape(args.in) && k.out == shape(args.out)) return &k;
  return nullptr;
}

unsigned blocks_down(int rows) {
  return static_cast<unsigned>(std::min((rows - 1) / kDown + 1, kMostDown));
}

Status launch(const ConvertArgs &args, cudaStream_t stream) {
  const ConvertJob &job = args.job;
  const dim3 block(kAcross, kDown);
  if (args.kind == RunKind::none) {
    int words = 1;
    for (int p = 0; p < job.out.format.planes; ++p)
      words = std::max(words, words_of_row(args, p));
    const dim3 grid(static_cast<unsigned>((words - 1) / kAcross + 1), blocks_down(args.groups),
                    job.out.format.planes);
    return launch_early(convert_words, grid, block, 0, stream, args);
  }
  const KnownShapes *known = known_shapes(args);
  if (known == nullptr) {
    const int runs = (job.out.width - 1) / args.run + 1;
    const dim3 grid(static_cast<unsigned>((runs - 1) / kAcross + 1), blocks_down(args.groups));
    return launch_early(args.run == 12 ? kernel_of_any<12>(args.kind) : kernel_of_any<8>(args.kind),
                        grid, block, 0, stream, args);
  }
  const int runs = job.out.width / args.run;
  const bool has_rest = job.out.width % args.run != 0 || args.out.packing == Packing::v210;
  const int groups = args.kind == RunKind::full ? args.up.groups : args.groups;
  const dim3 grid(static_cast<unsigned>((runs + kAcross - 1) / kAcross + has_rest),
                  blocks_down(groups));
  return launch_early(known->kernel, grid, block, 0, stream, args);
}

}  // namespace

Status convert_cuda(const ConvertJob &job, void *stream) {
  const TraceRange range("convert");
  return launch(make_args(job), static_cast<cudaStream_t>(stream));
}

}  // namespace coalesce
