// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "bilateral_job.h"
#include "bilateral_pixel.cuh"

namespace coalesce {
namespace {

// A block's tile, of pixels. A thread has a column of kRows pixels at a time, so that a pixel
// around is loaded once for all of them, and twice so many rows.
constexpr int kAcross = 64, kRows = 4, kTurns = 2, kGroups = 4;
constexpr int kDown = kRows * kTurns * kGroups, kThreads = kAcross * kGroups;

struct GroupArgs {
  const std::uint8_t *in[3];  // the first sample
  std::uint8_t *out[3];
  std::size_t in_pitch[3], out_pitch[3];
  int width, height, step;
  int first;        // of the first component, in the pixels of its plane
  unsigned copied;  // channels of that plane
  int outside[3];
  // packed: are all rows aligned to 4 bytes, and is all of a pixel written or copied?
  bool in_words, out_words;
  int tiles_across, end;  // of its blocks, which begin where those of the group before end
};

constexpr int kColumns = Bilateral::kColumns;
struct BilateralArgs {
  GroupArgs group[4];
  // Of column |i|, from its first pixel on, two by two.
  uint2 space[kColumns][kColumns];
  int half[kColumns];
  std::uint16_t range[Bilateral::kEntries];
  int radius, last, shift, round;
  int sample_shift, max;
  Border border;
};
static_assert(sizeof(BilateralArgs) <= 4096, "what a launch takes");

// Of the circle that has this radius.
__device__ constexpr int half_of(int radius, int column) {
  int half = 0;
  while (column * column + (half + 1) * (half + 1) <= radius * radius)
    ++half;
  return half;
}

template <int kBytes>
using SampleOf = std::conditional_t<kBytes == 1, std::uint8_t, std::uint16_t>;

// How a kernel finds samples. packed: three bytes that follow each other, in whatever order, for
// they all are treated alike.
template <int kComponents_, int kBytes_, bool kPacked_>
struct Layout {
  static constexpr int kComponents = kComponents_, kBytes = kBytes_;
  static constexpr bool kPacked = kPacked_;
  using Sample = SampleOf<kBytes>;
  using Pixel = BilateralPixel<kComponents, kBytes>;
  using Word = typename Pixel::Word;
};

// The pixel at (x, y), which lies inside.
template <class L>
__device__ __forceinline__ typename L::Word load_inside(const BilateralArgs &a, const GroupArgs &g,
                                                        int x, int y) {
  std::uint32_t sample[3] = {};
#pragma unroll
  for (int c = 0; c < L::kComponents; ++c) {
    const int from = L::kPacked ? 0 : c;
    const std::uint8_t *row = g.in[from] + static_cast<std::size_t>(y) * g.in_pitch[from];
    sample[c] = load_global(reinterpret_cast<const typename L::Sample *>(row) + x * g.step +
                            (L::kPacked ? c : 0));
    if (L::kBytes > 1) sample[c] = sample[c] >> a.sample_shift & static_cast<std::uint32_t>(a.max);
  }
  return L::Pixel::word_of(sample);
}

// By the border rule.
template <class L>
__device__ __forceinline__ typename L::Word load_pixel(const BilateralArgs &a, const GroupArgs &g,
                                                       int x, int y) {
  x = border_position(a.border, x, g.width);
  y = border_position(a.border, y, g.height);
  if (x >= 0 && y >= 0) return load_inside<L>(a, g, x, y);
  std::uint32_t sample[3] = {};
#pragma unroll
  for (int c = 0; c < L::kComponents; ++c)
    sample[c] = static_cast<std::uint32_t>(g.outside[c]);
  return L::Pixel::word_of(sample);
}

// The tile whose first pixel is (x, y): threads side by side have pixels side by side, first those
// of as many columns as there are outputs, then the rest of them.
template <class L, int kPitch>
__device__ __forceinline__ void load_tile(const BilateralArgs &a, const GroupArgs &g, int x, int y,
                                          int columns, int rows, typename L::Word *tile) {
  const int thread = static_cast<int>(threadIdx.x);
  const bool inside = x >= 0 && y >= 0 && x + columns <= g.width && y + rows <= g.height;
  const auto load = [&](int column, int row, int step) {
    if (column >= columns) return;
    if (inside) {
#pragma unroll 3
      for (; row < rows; row += step)
        tile[row * kPitch + column] = load_inside<L>(a, g, x + column, y + row);
    } else {
#pragma unroll 1
      for (; row < rows; row += step)
        tile[row * kPitch + column] = load_pixel<L>(a, g, x + column, y + row);
    }
  };
  constexpr int kBeside = kPitch - kAcross > 16 ? 32 : 16;
  load(thread % kAcross, thread / kAcross, kThreads / kAcross);
  load(kAcross + thread % kBeside, thread / kBeside, kThreads / kBeside);
}

// The same of packed pixels that all lie inside, four at a time, from x on, a multiple of 4.
template <class L, int kPitch>
__device__ __forceinline__ void load_words_of_tile(const GroupArgs &g, int x, int y, int fours,
                                                   int rows, typename L::Word *tile) {
  const std::uint8_t *from = g.in[0] - g.first;
#pragma unroll 3
  for (int i = static_cast<int>(threadIdx.x); i < fours * rows; i += kThreads) {
    const int row = i / fours, column = 4 * (i - row * fours);
    const auto *words = reinterpret_cast<const std::uint32_t *>(
        from + static_cast<std::size_t>(y + row) * g.in_pitch[0] + (x + column) * g.step);
    std::uint32_t pixel[4];
    if (g.step == 4) {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        pixel[k] = load_global(words + k) >> 8 * g.first;
    } else {
      const std::uint32_t w[3] = {load_global(words), load_global(words + 1),
                                  load_global(words + 2)};
      pixel[0] = w[0];
      pixel[1] = __funnelshift_r(w[0], w[1], 24);
      pixel[2] = __funnelshift_r(w[1], w[2], 16);
      pixel[3] = w[2] >> 8;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      pixel[k] = (pixel[k] & 0xffffff) | 1u << 24;
    *reinterpret_cast<uint4 *>(&tile[row * kPitch + column]) =
        make_uint4(pixel[0], pixel[1], pixel[2], pixel[3]);
  }
}

template <class L>
__device__ __forceinline__ void store_pixel(const BilateralArgs &a, const GroupArgs &g, int x,
                                            int y, const int (&result)[L::kComponents]) {
  using Sample = typename L::Sample;
  const int at = x * g.step;
  const auto row = static_cast<std::size_t>(y);
#pragma unroll
  for (int c = 0; c < L::kComponents; ++c) {
    const int to = L::kPacked ? 0 : c;
    reinterpret_cast<Sample *>(g.out[to] + row * g.out_pitch[to])[at + (L::kPacked ? c : 0)] =
        static_cast<Sample>(L::kBytes > 1 ? result[c] << a.sample_shift : result[c]);
  }
  if (g.copied == 0) return;
  const auto *from = reinterpret_cast<const Sample *>(g.in[0] + row * g.in_pitch[0]) + at - g.first;
  auto *to = reinterpret_cast<Sample *>(g.out[0] + row * g.out_pitch[0]) + at - g.first;
#pragma unroll 1
  for (int channel = 0; channel < g.step; ++channel)
    if (g.copied >> channel & 1) to[channel] = load_global(from + channel);
}

// Packed pixels below each other, in words. All threads of the warp have some, and four of them
// side by side begin at a multiple of 4.
__device__ __forceinline__ void store_words(const GroupArgs &g, int x, int y, int rows,
                                            const std::uint32_t (&pixel)[kRows]) {
  const int from_first = x * g.step - g.first;
  std::uint8_t *out = g.out[0] + static_cast<std::size_t>(y) * g.out_pitch[0] + from_first;
  if (g.step == 4) {
    // The fourth byte is before the three or after them.
    const int fourth = g.first == 0 ? 3 : 0;
    const std::uint8_t *in =
        g.in[0] + static_cast<std::size_t>(y) * g.in_pitch[0] + from_first + fourth;
#pragma unroll
    for (int k = 0; k < kRows && k < rows; ++k) {
      const std::uint32_t copied = load_global(in);
      *reinterpret_cast<std::uint32_t *>(out) = pixel[k] << 8 * g.first | copied << 8 * fourth;
      in += g.in_pitch[0], out += g.out_pitch[0];
    }
    return;
  }
  // The first three of four threads have a word each, of their own pixel and the next one.
  const int place = x & 3;
  out += place;
#pragma unroll
  for (int k = 0; k < kRows && k < rows; ++k) {
    const std::uint32_t next = __shfl_down_sync(~0u, pixel[k], 1);
    const std::uint32_t word = __funnelshift_r(pixel[k] | next << 24, next >> 8, 8 * place);
    if (place < 3) *reinterpret_cast<std::uint32_t *>(out) = word;
    out += g.out_pitch[0];
  }
}

// What a thread has of kRows pixels below each other, and of the pixels beside them.
template <class L, int kPitch>
struct Column {
  using Word = typename L::Word;
  using Sums = typename L::Pixel::Sums;

  const BilateralArgs &a;
  const std::uint16_t *range;
  static constexpr std::uint32_t kOwnWeight = 65535u * 65535 + 0x8000;
  Word own[kRows], around[kRows + 1];
  Sums sums[kRows];

  // A weight in the upper half of a word.
  __device__ __forceinline__ std::uint32_t weight(int k, const Word &other,
                                                  std::uint32_t space) const {
    std::uint32_t entry =
        L::Pixel::distance(own[k], other, L::kBytes > 1 ? static_cast<std::uint32_t>(a.round) : 0);
    if (L::kBytes > 1) entry >>= a.shift;
    return space * range[min(entry, static_cast<std::uint32_t>(a.last))] + 0x8000;
  }

  // Pixels of a column, from row -half on, but the last one, which `around` has in the end.
  // knows_own: the weight of the pixels themselves, in this column, is known when it is compiled.
  template <int kUnroll>
  __device__ __forceinline__ void add(const Word *from, int half, const uint2 *space,
                                      bool knows_own = false) {
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      around[k] = from[k * kPitch];
#pragma unroll kUnroll
    for (int j = 0; j < half; ++j) {
      const uint2 weights = space[j];
      around[kRows] = from[kRows * kPitch];
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        L::Pixel::add(
            __byte_perm(
                knows_own && 2 * j == half ? kOwnWeight : weight(k, around[k], weights.x),
                knows_own && 2 * j + 1 == half ? kOwnWeight : weight(k, around[k + 1], weights.y),
                0x7632),
            around[k], around[k + 1], &sums[k]);
#pragma unroll
      for (int k = 0; k < kRows - 1; ++k)
        around[k] = around[k + 2];
      around[kRows - 1] = from[(kRows + 1) * kPitch];
      from += 2 * kPitch;
    }
  }

  // The columns on either side have an even number of pixels together.
  template <int kUnroll>
  __device__ __forceinline__ void add_both(const Word *centre, int i, int half,
                                           const uint2 *space) {
    add<kUnroll>(centre - i - half * kPitch, half, space);
    Word left[kRows];
    std::uint32_t of_left[kRows];
    const std::uint32_t last = space[half].x;
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      left[k] = around[k];
      of_left[k] = weight(k, left[k], last);
    }
    add<kUnroll>(centre + i - half * kPitch, half, space);
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      L::Pixel::add(__byte_perm(of_left[k], weight(k, around[k], last), 0x7632), left[k], around[k],
                    &sums[k]);
  }

  template <int kUnroll>
  __device__ __forceinline__ void add_middle(const Word *centre, int half, const uint2 *space) {
    add<kUnroll>(centre - half * kPitch, half, space, kUnroll > 1);
    const std::uint32_t last = space[half].x;
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      L::Pixel::add(weight(k, around[k], last) >> 16, around[k], around[k], &sums[k]);
  }
};

// kRadius: 0, or a radius whose pixels are gone through without a loop.
template <class L, int kRadius>
__global__ void __launch_bounds__(kThreads)
    bilateral_kernel(const __grid_constant__ BilateralArgs a) {
  wait_for_grid_before();
  using Word = typename L::Word;
  constexpr int kMost = kRadius > 0 ? kRadius : kMaxBilateralRadius;
  // (Columns before a tile, so that words of four pixels begin where they do in memory.)
  constexpr int kPitch = kAcross + 2 * ((kMost + 3) & ~3), kTileRows = kDown + 2 * kMost;
  __shared__ __align__(16) Word tile[kTileRows * kPitch];
  __shared__ std::uint16_t range[Bilateral::kEntries];

  int block = static_cast<int>(blockIdx.x), number = 0;
  while (block >= a.group[number].end)
    ++number;
  const GroupArgs &g = a.group[number];
  if (number > 0) block -= a.group[number - 1].end;
  const int band = block / g.tiles_across;
  const int x0 = (block - band * g.tiles_across) * kAcross, y0 = band * kDown;
  const int radius = kRadius > 0 ? kRadius : a.radius;
  const int thread = static_cast<int>(threadIdx.x);

  for (int i = thread; i <= a.last; i += kThreads)
    range[i] = a.range[i];
  const int lead = (radius + 3) & ~3, rows = min(kDown, g.height - y0) + 2 * radius;
  if (L::kPacked && g.in_words && x0 >= lead && x0 + kAcross + lead <= g.width && y0 >= radius &&
      y0 - radius + rows <= g.height) {
    if constexpr (L::kPacked)
      load_words_of_tile<L, kPitch>(g, x0 - lead, y0 - radius, (kAcross + 2 * lead) / 4, rows,
                                    tile);
  } else {
    load_tile<L, kPitch>(a, g, x0 - radius, y0 - radius, min(kAcross, g.width - x0) + 2 * radius,
                         rows, tile + lead - radius);
  }
  __syncthreads();

  const int x = x0 + thread % kAcross;
  if (x >= g.width) return;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const int row = (thread / kAcross * kTurns + turn) * kRows;
    if (y0 + row >= g.height) return;
    const Word *centre = &tile[(row + radius) * kPitch + thread % kAcross + lead];
    Column<L, kPitch> column = {a, range, {}, {}, {}};
#pragma unroll
    for (int k = 0; k < kRows; ++k)
      column.own[k] = centre[k * kPitch];
    constexpr int kUnroll = kRadius > 0 ? kRadius : 1;
    column.template add_middle<kUnroll>(centre, radius, a.space[0]);
#pragma unroll kUnroll
    for (int i = 1; i <= radius; ++i)
      column.template add_both<kUnroll>(centre, i, kRadius > 0 ? half_of(kRadius, i) : a.half[i],
                                        a.space[i]);
    if constexpr (L::kPacked)
      if (g.out_words && x0 + kAcross <= g.width) {
        std::uint32_t pixel[kRows];
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
          int result[L::kComponents];
          L::Pixel::results(column.sums[k], result);
          pixel[k] = static_cast<std::uint32_t>(result[0] | result[1] << 8 | result[2] << 16);
        }
        store_words(g, x, y0 + row, g.height - y0 - row, pixel);
        continue;
      }
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      if (y0 + row + k >= g.height) break;
      int result[L::kComponents];
      L::Pixel::results(column.sums[k], result);
      store_pixel<L>(a, g, x, y0 + row + k, result);
    }
  }
}

// ---- Planes that are copied ---------------------------------------------------------------------

constexpr int kCopyThreads = 256;

struct CopyArgs {
  const std::uint8_t *in;
  std::uint8_t *out;
  std::size_t in_pitch, out_pitch;
  int width;  // bytes
};

// A block has a row.
template <class T>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const __grid_constant__ CopyArgs a) {
  wait_for_grid_before();
  const std::uint8_t *in = a.in + static_cast<std::size_t>(blockIdx.x) * a.in_pitch;
  std::uint8_t *out = a.out + static_cast<std::size_t>(blockIdx.x) * a.out_pitch;
  const int thread = static_cast<int>(threadIdx.x), whole = a.width / static_cast<int>(sizeof(T));
  for (int i = thread; i < whole; i += kCopyThreads)
    reinterpret_cast<T *>(out)[i] = load_global(reinterpret_cast<const T *>(in) + i);
  for (int i = whole * static_cast<int>(sizeof(T)) + thread; i < a.width; i += kCopyThreads)
    out[i] = load_global(in + i);
}

Status copy_plane(const ChannelPlane &plane, cudaStream_t stream) {
  const CopyArgs a = {plane.in.data, plane.out.data, plane.in.pitch, plane.out.pitch,
                      plane.in.width};
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(a.in) |
                              reinterpret_cast<std::uintptr_t>(a.out) | a.in_pitch | a.out_pitch;
  auto *const kernel = bits % 16 == 0 ? copy_kernel<uint4> : copy_kernel<std::uint8_t>;
  return launch_early(kernel, dim3(static_cast<unsigned>(plane.in.height)), dim3(kCopyThreads), 0,
                      stream, a);
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(BilateralArgs);

// Bytes of RGB in planes are rare, and have no kernels of their own for small radii.
template <class L>
Kernel kernel_of(const Bilateral &weights) {
  if constexpr (L::kBytes == 1 && (L::kPacked || L::kComponents == 1)) {
    if (weights.radius == 1) return bilateral_kernel<L, 1>;
    if (weights.radius == 2) return bilateral_kernel<L, 2>;
    if (weights.radius == 3) return bilateral_kernel<L, 3>;
    if (weights.radius == 4) return bilateral_kernel<L, 4>;
    if (weights.radius == 5) return bilateral_kernel<L, 5>;
  }
  return bilateral_kernel<L, 0>;
}

// Are the samples of a pixel three bytes that follow each other?
bool is_packed(const BilateralGroup &group) {
  const BilateralComponent *c = group.component;
  const int first = std::min({c[0].first, c[1].first, c[2].first});
  const int last = std::max({c[0].first, c[1].first, c[2].first});
  return c[0].in.data == c[1].in.data && c[0].in.data == c[2].in.data && last - first == 2;
}

// The groups that a kernel is for.
enum class GroupKind { single, joint, packed };
GroupKind kind_of(const BilateralJob &job, const BilateralGroup &group) {
  if (group.components == 1) return GroupKind::single;
  return job.weights.depth.bytes() == 1 && is_packed(group) ? GroupKind::packed : GroupKind::joint;
}

GroupArgs make_group(const BilateralJob &job, BilateralGroup group, GroupKind kind) {
  if (kind == GroupKind::packed)
    std::sort(group.component, group.component + 3,
              [](const auto &a, const auto &b) { return a.first < b.first; });
  GroupArgs g = {};
  for (int c = 0; c < group.components; ++c) {
    const BilateralComponent &component = group.component[c];
    const int first = component.first * job.weights.depth.bytes();
    g.in[c] = component.in.data + first;
    g.out[c] = component.out.data + first;
    g.in_pitch[c] = component.in.pitch;
    g.out_pitch[c] = component.out.pitch;
    g.outside[c] = component.outside;
  }
  g.width = group.width, g.height = group.height;
  g.step = group.component[0].step, g.first = group.component[0].first;
  g.copied = group.copied;
  if (kind == GroupKind::packed) {
    const BilateralComponent &plane = group.component[0];
    const auto in_words = [](const auto &p) {
      return (reinterpret_cast<std::uintptr_t>(p.data) | p.pitch) % 4 == 0;
    };
    g.in_words = in_words(plane.in);
    g.out_words = in_words(plane.out) && (g.step == 3 || g.copied != 0);
  }
  g.tiles_across = divided_up(g.width, kAcross);
  return g;
}

Kernel kernel_of(GroupKind kind, const Bilateral &weights) {
  if (kind == GroupKind::packed) return kernel_of<Layout<3, 1, true>>(weights);
  if (weights.depth.bytes() == 1)
    return kind == GroupKind::joint ? kernel_of<Layout<3, 1, false>>(weights)
                                    : kernel_of<Layout<1, 1, false>>(weights);
  return kind == GroupKind::joint ? kernel_of<Layout<3, 2, false>>(weights)
                                  : kernel_of<Layout<1, 2, false>>(weights);
}

Status launch_groups(const BilateralJob &job, GroupKind kind, cudaStream_t stream) {
  const Bilateral &weights = job.weights;
  BilateralArgs a = {};
  std::int64_t blocks = 0;
  for (int i = 0, n = 0; i < job.groups; ++i) {
    if (kind_of(job, job.group[i]) != kind) continue;
    GroupArgs &g = a.group[n++] = make_group(job, job.group[i], kind);
    blocks += std::int64_t{g.tiles_across} * divided_up(g.height, kDown);
    if (blocks > std::numeric_limits<int>::max())
      return {StatusCode::unsupported, "bilateral: the picture is too large"};
    g.end = static_cast<int>(blocks);
  }
  if (blocks == 0) return {};
  for (int i = 0; i <= weights.radius; ++i)
    for (int j = 0; j <= weights.half[i]; ++j) {
      const int row = 2 * j - weights.half[i];
      a.space[i][j] = {weights.space[i][std::abs(row)],
                       j < weights.half[i] ? weights.space[i][std::abs(row + 1)] : 0u};
    }
  std::copy_n(weights.half, Bilateral::kColumns, a.half);
  std::copy_n(weights.range, Bilateral::kEntries, a.range);
  a.radius = weights.radius, a.last = weights.last, a.shift = weights.shift;
  a.round = 1 << weights.shift >> 1;
  a.sample_shift = weights.depth.shift, a.max = weights.depth.max();
  a.border = job.border;
  return launch_early(kernel_of(kind, weights), dim3(static_cast<unsigned>(blocks)), dim3(kThreads),
                      0, stream, a);
}

}  // namespace

Status bilateral_cuda(const BilateralJob &job, void *stream) {
  const TraceRange range("bilateral");
  auto *const on = static_cast<cudaStream_t>(stream);
  for (const GroupKind kind : {GroupKind::packed, GroupKind::joint, GroupKind::single})
    if (Status s = launch_groups(job, kind, on); !s.ok()) return s;
  for (int p = 0; p < job.copies; ++p)
    if (Status s = copy_plane(job.copy[p], on); !s.ok()) return s;
  return {};
}

}  // namespace coalesce
