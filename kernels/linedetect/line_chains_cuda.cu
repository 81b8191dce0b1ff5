// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains are put in order: fragments of tiles are found; how many pixels come behind their exits is
// known after some rounds of pointer jumping, each of which doubles the way; then each fragment
// knows its place.
#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "line_cuda.h"
#include "line_links.h"
#include "line_tile.cuh"

namespace coalesce {
namespace {

__constant__ PickTable kPicks = make_pick_table();

struct ChainArgs {
  LineMap map;
  LineCudaScratch s;
  int min_length;
  int turn, turns;
};

// ---- Fragments ----------------------------------------------------------------------------------

// As seen by who comes in at the fragment's begin, or by its end.
struct SideFragments {
  LineFragment by_begin, by_end;
};

// Which pixel of a fragment with two exits is the first in the order of rows, and where.
__device__ __forceinline__ SideFragments passing(const LineTile &tile, const WalkedFragment &f) {
  TilePixel least = f.begin;
  int at = 0, steps = 0, back = -1, on = -1;
  tile.follow(f.begin, tile.inwards(f.begin), f.count, [&](TilePixel p, int from, int to) {
    if (p <= least) least = p, at = steps, back = from, on = to;
    ++steps;
  });
  if (back < 0) back = f.first_exit;
  if (on < 0) on = f.last_exit;
  const std::uint32_t pixel = kPassing | tile.in_picture(least);
  const auto count = static_cast<std::uint32_t>(f.count), before = static_cast<std::uint32_t>(at);
  // The way of a loop is out by this exit: the highest bit of the steps.
  const std::uint32_t by_begin = order_of(back) < order_of(on) ? 1u << 31 : 0;
  return {{0, count, pixel, (before + 1) | by_begin},
          {0, count, pixel, (count - before) | (by_begin ^ 1u << 31)}};
}
constexpr std::uint32_t kSteps = 0x7fffffff;

__device__ void store_exit(const ChainArgs &a, const LineTile &tile, TilePixel p, int direction,
                           std::uint32_t exit, const LineFragment &fragment) {
  a.s.opposite[exit] = tile.opposite_exit_of(a.map, p, direction);
  a.s.fragment[exit] = fragment;
  a.s.list[atomicAdd(&a.s.counters->exits, 1u)] = exit;
}

__global__ void __launch_bounds__(kTileThreads)
    fragments_kernel(const __grid_constant__ ChainArgs a) {
  wait_for_grid_before();
  __shared__ LineTile tile;
  if (!tile.load(a.map, kPicks, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y))) return;
  tile.for_fragments([&](const WalkedFragment &f) {
    if (f.first_exit < 0 && f.last_exit < 0) return;
    const bool begins = f.first_exit < 0, ends = f.last_exit < 0;
    const auto count = static_cast<std::uint32_t>(f.count);
    const std::uint32_t first = begins ? kNone : tile.exit_of(a.map, f.begin, f.first_exit);
    const std::uint32_t last = ends ? kNone : tile.exit_of(a.map, f.end, f.last_exit);
    SideFragments sides;
    if (begins || ends)
      sides = {{0, count, tile.in_picture(f.end), count},
               {0, count, tile.in_picture(f.begin), count}};
    else
      sides = passing(tile, f);
    sides.by_begin.across = last, sides.by_end.across = first;
    if (!begins) store_exit(a, tile, f.begin, f.first_exit, first, sides.by_begin);
    if (!ends) store_exit(a, tile, f.end, f.last_exit, last, sides.by_end);
  });
}

// ---- Pointer jumping ----------------------------------------------------------------------------

constexpr int kThreads = 128;

template <class Visit>
__device__ __forceinline__ void for_exits(const ChainArgs &a, Visit visit) {
  const std::uint32_t count = load_global(&a.s.counters->exits);
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
    visit(load_global(a.s.list + i));
}

// One fragment behind each exit.
__global__ void __launch_bounds__(kThreads) start_kernel(const __grid_constant__ ChainArgs a) {
  wait_for_grid_before();
  for_exits(a, [&](std::uint32_t exit) {
    const std::uint32_t entry = load_global(a.s.opposite + exit);
    const LineFragment f = load_global(a.s.fragment + entry);
    a.s.beyond[0][exit] = {f.across, f.count, f.offset & kSteps, entry};
    if (f.across != kNone) a.s.counters->going[0] = 1;
  });
}

__device__ __forceinline__ std::uint32_t pixel_of(const ChainArgs &a, const LineBeyond &b) {
  return load_global(&a.s.fragment[b.holder].pixel);
}

// Twice as many. Both ways of a loop are known as soon as the second half of the way has the same
// first pixel as the first half: then it has been round.
__global__ void __launch_bounds__(kThreads) round_kernel(const __grid_constant__ ChainArgs a) {
  wait_for_grid_before();
  if (load_global(a.s.counters->going + a.turn) == 0) return;
  const LineBeyond *from = a.s.beyond[a.turn % 2];
  LineBeyond *to = a.s.beyond[(a.turn + 1) % 2];
  for_exits(a, [&](std::uint32_t exit) {
    LineBeyond b = load_global(from + exit);
    if (b.next != kNone) {
      const LineBeyond then = load_global(from + b.next);
      const bool is_round = then.holder == b.holder;
      if (pixel_of(a, then) < pixel_of(a, b))
        b.holder = then.holder, b.steps = b.count + then.steps;
      b.count += then.count;
      b.next = is_round ? kNone : then.next;
      if (b.next != kNone) a.s.counters->going[a.turn + 1] = 1;
    }
    to[exit] = b;
  });
}

// After the last round that did anything.
__device__ __forceinline__ const LineBeyond *beyond_all(const ChainArgs &a) {
  int round = 0;
  while (round < a.turns && load_global(a.s.counters->going + round) != 0)
    ++round;
  return a.s.beyond[round % 2];
}

// ---- Places -------------------------------------------------------------------------------------

// Room for a chain's pixels, and its windows; kNone if it cannot have a line.
__device__ std::uint32_t make_chain(const ChainArgs &a, std::uint32_t count) {
  if (!may_have_line(count, a.min_length)) return kNone;
  LineCounters *counters = a.s.counters;
  const std::uint32_t first = atomicAdd(&counters->pixels, count), last = first + count - 1;
  const std::uint32_t windows = (count - 2) / kLineWindow + 1;
  const std::uint32_t window = atomicAdd(&counters->windows, windows);
  const auto cut = [&](std::uint32_t at) { atomicOr(a.s.cuts + at / 32, 1u << at % 32); };
  for (std::uint32_t i = 0; i < windows; ++i) {
    const std::uint32_t at = first + i * kLineWindow;
    a.s.windows[window + i] = {at, min(last - at, static_cast<std::uint32_t>(kLineWindow))};
    cut(at);
  }
  cut(last);
  if (windows > 1) a.s.long_chains[atomicAdd(&counters->long_chains, 1u)] = {window, windows};
  return first;
}

// A fragment with exits, in its chain.
struct Placed {
  std::uint32_t side;    // the exit that it is entered by on the chain's way; kNone: it begins here
  std::uint32_t before;  // pixels of the chain before it
  std::uint32_t holder;  // the exit that knows where the chain is in `order`
  bool makes_chain;      // it is the chain's first one
  std::uint32_t count;   // of the chain, whose ways round come again in loops
};

// by: an exit of it; the chain ends at its other side if this is kNone.
__device__ __forceinline__ Placed place_of(const ChainArgs &a, const LineBeyond *beyond,
                                           std::uint32_t by, const LineFragment &f) {
  const LineBeyond b = load_global(beyond + by);
  const std::uint32_t end = pixel_of(a, b);
  if (f.across == kNone) {
    const std::uint32_t count = b.steps + f.count;
    return f.pixel < end ? Placed{kNone, 0, by, true, count}
                         : Placed{by, b.steps, b.holder, false, count};
  }
  const LineBeyond other = load_global(beyond + f.across);
  if (end < kPassing) {
    const std::uint32_t count = b.steps + f.count + other.steps;
    return end < pixel_of(a, other) ? Placed{by, b.steps, b.holder, false, count}
                                    : Placed{f.across, other.steps, other.holder, false, count};
  }
  // A loop. (Who holds its first pixel comes round to itself.)
  const bool is_holder = b.holder == by || b.holder == f.across;
  const std::uint32_t count =
      is_holder ? b.steps + (f.offset & kSteps) - 1 : b.steps + other.steps + f.count - 1;
  const bool is_way = load_global(&a.s.fragment[b.holder].offset) >> 31 != 0;
  return is_way ? Placed{by, b.steps, b.holder, is_holder, count}
                : Placed{f.across, other.steps, other.holder, is_holder, count};
}

__global__ void __launch_bounds__(kThreads) chains_kernel(const __grid_constant__ ChainArgs a) {
  wait_for_grid_before();
  const LineBeyond *beyond = beyond_all(a);
  for_exits(a, [&](std::uint32_t exit) {
    const LineFragment f = load_global(a.s.fragment + exit);
    if (f.across < exit) return;  // that one does it
    const Placed placed = place_of(a, beyond, exit, f);
    if (!placed.makes_chain) return;
    const std::uint32_t chain = make_chain(a, placed.count);
    a.s.chain[exit] = chain;
    if (f.across != kNone) a.s.chain[f.across] = chain;
  });
}

// Writes pixels of a chain.
struct ChainWriter {
  const LineTile &tile;
  LinePixel *order;
  std::uint32_t at, count;
  __device__ void write(TilePixel from, int direction, int pixels) {
    tile.follow(from, direction, pixels, [this](TilePixel p, int, int) {
      order[at] = tile.in_picture(p);
      at = at + 1 == count ? 0 : at + 1;
    });
  }
};

__global__ void __launch_bounds__(kTileThreads) order_kernel(const __grid_constant__ ChainArgs a) {
  wait_for_grid_before();
  __shared__ LineTile tile;
  if (!tile.load(a.map, kPicks, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y))) return;
  const LineBeyond *beyond = beyond_all(a);
  tile.for_fragments([&](const WalkedFragment &f) {
    if (f.first_exit < 0 && f.last_exit < 0) {
      const auto count = static_cast<std::uint32_t>(f.count);
      const std::uint32_t chain = make_chain(a, count);
      if (chain == kNone) return;
      ChainWriter{tile, a.s.order + chain, 0, count}.write(f.begin, tile.inwards(f.begin), f.count);
      return;
    }
    const bool by_begin = f.first_exit >= 0;
    const std::uint32_t exit = by_begin ? tile.exit_of(a.map, f.begin, f.first_exit)
                                        : tile.exit_of(a.map, f.end, f.last_exit);
    const Placed placed = place_of(a, beyond, exit, load_global(a.s.fragment + exit));
    const std::uint32_t chain = load_global(a.s.chain + placed.holder);
    if (chain == kNone) return;
    const bool from_begin = (placed.side == exit) == by_begin;
    const TilePixel from = from_begin ? f.begin : f.end;
    // (In a loop, all of its pixels may be before the first one.)
    const std::uint32_t at = placed.before == placed.count ? 0 : placed.before;
    ChainWriter{tile, a.s.order + chain, at, placed.count}.write(from, tile.inwards(from), f.count);
  });
  tile.for_loops([&](TilePixel first, int direction, int pixels) {
    const auto count = static_cast<std::uint32_t>(pixels);
    const std::uint32_t chain = make_chain(a, count);
    if (chain == kNone) return;
    ChainWriter{tile, a.s.order + chain, 0, count}.write(first, direction, pixels);
  });
}

}  // namespace

Status order_chains(const LineJob &job, const LineCudaScratch &s, void *stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  ChainArgs a = {
      {s.bits, s.words, job.width, job.height, s.tiles_across}, s, job.min_length, 0, s.rounds};
  const dim3 tiles(s.tiles_across, s.tiles / s.tiles_across), tile_threads(kTileThreads);
  const dim3 blocks(line_blocks(s, (std::size_t{s.tiles} * kTileExits - 1) / kThreads + 1));
  if (Status status = launch_early(fragments_kernel, tiles, tile_threads, 0, on, a); !status.ok())
    return status;
  if (s.tiles > 1)
    if (Status status = launch_early(start_kernel, blocks, dim3(kThreads), 0, on, a); !status.ok())
      return status;
  for (; s.tiles > 1 && a.turn < a.turns; ++a.turn)
    if (Status status = launch_early(round_kernel, blocks, dim3(kThreads), 0, on, a); !status.ok())
      return status;
  if (s.tiles > 1)
    if (Status status = launch_early(chains_kernel, blocks, dim3(kThreads), 0, on, a); !status.ok())
      return status;
  return launch_early(order_kernel, tiles, tile_threads, 0, on, a);
}

}  // namespace coalesce
