// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: maxima of tiles for aperture 3 with sums of absolute values, in registers.
//
// Two pixels in a word, as halves: all numbers are integers up to 2^11, so nothing is rounded. A
// thread has four columns: pixels 0 and 2 are even ones, 1 and 3 odd ones. Between them, nothing
// goes through memory but what is beside the tile.
#pragma once

#include "../core/grid_order.cuh"
#include "../core/ptx.cuh"
#include "canny_tile.cuh"

namespace coalesce {
namespace {

constexpr int kPairRows = 32, kPairStripRows = kPairRows / kWarps;  // of a tile, of a warp
constexpr int kPairSampleRows = kPairRows + 4;
constexpr std::uint32_t kSigns = 0x80008000;

// Of a row: pixels 0 and 2, 1 and 3; -1 and 4.
struct Pairs {
  std::uint32_t even, odd, outer;
  // Left of the even ones: -1 and 1. Right of the odd ones: 2 and 4.
  __device__ __forceinline__ std::uint32_t left() const { return __byte_perm(outer, odd, 0x5410); }
  __device__ __forceinline__ std::uint32_t right() const {
    return __byte_perm(even, outer, 0x7632);
  }
};

// Four pixels of kStep bytes, a word before and a word behind them.
template <int kStep>
struct FourPixels {
  std::uint32_t word[kStep + 2];

  __device__ __forceinline__ explicit FourPixels(const std::uint32_t *from) {
    word[0] = from[-1], word[kStep + 1] = from[kStep];
    if constexpr (kStep == 4) {
      const uint4 all = *reinterpret_cast<const uint4 *>(from);
      word[1] = all.x, word[2] = all.y, word[3] = all.z, word[4] = all.w;
    } else if constexpr (kStep == 2) {
      const uint2 all = *reinterpret_cast<const uint2 *>(from);
      word[1] = all.x, word[2] = all.y;
    } else {
#pragma unroll
      for (int k = 0; k < kStep; ++k)
        word[1 + k] = from[k];
    }
  }

  // Byte `first` of pixels p and q. 1024 + byte, in a half, is the byte below 0x64. (Only pixels of
  // three bytes have a byte in another word than the pixel's first one; theirs are constants.)
  __device__ __forceinline__ std::uint32_t halves(int p, int q, int first) const {
    constexpr std::uint32_t k1024 = 0x64006400, kMinus1024 = 0xe400e400;
    const int crossing = kStep == 3 ? first : 0;
    const int from = (kStep * p + crossing + 4) / 4, other = (kStep * q + crossing + 4) / 4;
    const auto byte = static_cast<std::uint32_t>(kStep * p + first + 4 - 4 * from),
               other_byte = static_cast<std::uint32_t>(kStep * q + first + 4 - 4 * other);
    const std::uint32_t numbers =
        from == other
            ? __byte_perm(word[from], k1024, 0x7050 | byte | other_byte << 8)
            : (__byte_perm(word[from], word[other], byte | (other_byte + 4) << 8) & 0x00ff00ff) |
                  k1024;
    return ptx::add_halves(numbers, kMinus1024);
  }
  __device__ __forceinline__ Pairs pairs(int first) const {
    return {halves(0, 2, first), halves(1, 3, first), halves(-1, 4, first)};
  }
};

// Where a magnitude's neighbours across the edge are: by signs.
struct PairDirections {
  std::uint32_t not_flat, steep, rising;
};
__device__ __forceinline__ PairDirections directions_of(std::uint32_t dx, std::uint32_t dy) {
  // Of x and y without signs, 13573 / 2^15 x - y and (that plus 2) x - y in two steps. The first
  // one is exact where it is small, so the sign of the second one is right (flat_limit()).
  const std::uint32_t x = dx & ~kSigns, minus_y = dy | kSigns;
  constexpr std::uint32_t kFlatHigh = 0x36a136a1, kFlatLow = 0x86008600;  // 1697 / 2^12, -3 / 2^15
  constexpr std::uint32_t kSteepHigh = 0x40d440d4, kSteepLow = 0x09000900;  // 1236 / 2^9, 5 / 2^15
  return {ptx::fma_halves(x, kFlatLow, ptx::fma_halves(x, kFlatHigh, minus_y)),
          ptx::fma_halves(x, kSteepLow, ptx::fma_halves(x, kSteepHigh, minus_y)), dx ^ dy};
}

// Ones in halves that have a sign.
__device__ __forceinline__ std::uint32_t mask_of(std::uint32_t signs) {
  return ptx::prmt(signs, 0, 0xbb99);
}
__device__ __forceinline__ std::uint32_t chosen(std::uint32_t mask, std::uint32_t ones,
                                                std::uint32_t zeros) {
  return (ones & mask) | (zeros & ~mask);
}

// Gradients of a row.
struct PairGradients {
  Pairs magnitude;
  std::uint32_t even_dx, even_dy, odd_dx, odd_dy;

  // From the three rows around it.
  __device__ __forceinline__ PairGradients(const Pairs &a, const Pairs &b, const Pairs &c) {
    constexpr std::uint32_t kTwo = 0x40004000;
    const auto smoothed = [](std::uint32_t before, std::uint32_t here, std::uint32_t behind) {
      return ptx::fma_halves(here, kTwo, ptx::add_halves(before, behind));
    };
    const Pairs smooth = {smoothed(a.even, b.even, c.even), smoothed(a.odd, b.odd, c.odd),
                          smoothed(a.outer, b.outer, c.outer)};
    const Pairs slope = {ptx::subtract_halves(c.even, a.even), ptx::subtract_halves(c.odd, a.odd),
                         ptx::subtract_halves(c.outer, a.outer)};
    even_dx = ptx::subtract_halves(smooth.odd, smooth.left());
    odd_dx = ptx::subtract_halves(smooth.right(), smooth.even);
    even_dy = smoothed(slope.left(), slope.even, slope.odd);
    odd_dy = smoothed(slope.even, slope.odd, slope.right());
    magnitude = {ptx::add_halves(even_dx & ~kSigns, even_dy & ~kSigns),
                 ptx::add_halves(odd_dx & ~kSigns, odd_dy & ~kSigns), 0};
  }

  // Of a further channel. The first one of equals stays.
  __device__ __forceinline__ void keep_stronger(const PairGradients &now) {
    const std::uint32_t even = mask_of(ptx::subtract_halves(magnitude.even, now.magnitude.even)),
                        odd = mask_of(ptx::subtract_halves(magnitude.odd, now.magnitude.odd));
    magnitude.even = chosen(even, now.magnitude.even, magnitude.even);
    even_dx = chosen(even, now.even_dx, even_dx), even_dy = chosen(even, now.even_dy, even_dy);
    magnitude.odd = chosen(odd, now.magnitude.odd, magnitude.odd);
    odd_dx = chosen(odd, now.odd_dx, odd_dx), odd_dy = chosen(odd, now.odd_dy, odd_dy);
  }
};

struct PairRow {
  Pairs magnitude;
  PairDirections even, odd;
};

// Magnitudes around two pixels: above, beside and below them.
struct PairsAround {
  std::uint32_t above_left, above, above_right, left, right, below_left, below, below_right;
};

// Signs where they are maxima.
__device__ __forceinline__ std::uint32_t maxima_of(std::uint32_t here, const PairDirections &to,
                                                   const PairsAround &a) {
  const std::uint32_t not_flat = mask_of(to.not_flat), is_steep = mask_of(to.steep),
                      is_rising = mask_of(to.rising);
  const std::uint32_t before = chosen(
      not_flat, chosen(is_steep, a.above, chosen(is_rising, a.above_right, a.above_left)), a.left);
  const std::uint32_t behind = chosen(
      not_flat, chosen(is_steep, a.below, chosen(is_rising, a.below_left, a.below_right)), a.right);
  // Equal ones behind it are no more only where the gradient is flat or steep.
  const std::uint32_t one = not_flat & ~is_steep & 0x3c003c00;
  return ptx::subtract_halves(before, here) &
         ~ptx::subtract_halves(ptx::subtract_halves(here, one), behind);
}

// An integer up to 2047.
__device__ __forceinline__ std::uint32_t half_of(int number) {
  const auto n = static_cast<std::uint32_t>(number);
  return ptx::add_halves(0x6400 | (n & 1023), n < 1024 ? 0xe400 : 0) & 0xffff;
}

// The samples of a tile: rows of pixels of kStep bytes, or a plane after the other.
template <int kStep, int kChannels>
struct PairSamples {
  static constexpr int kPitch = kSampleWords * kStep, kPlaneWords = kPairSampleRows * kPitch;
  static constexpr int kPlanes = kStep == 1 ? kChannels : 1;

  const CannyArgs &args;
  const std::uint32_t *words;

  // Where the four pixels of a thread begin.
  __device__ __forceinline__ const std::uint32_t *row(int channel, int y) const {
    return words + (kPlanes > 1 ? channel * kPlaneWords : 0) + y * kPitch +
           (kLead / 4 + static_cast<int>(threadIdx.x) % 32) * kStep;
  }
  __device__ __forceinline__ int first(int channel) const {
    return kStep == 1 ? 0 : kStep == 3 ? channel : args.channel[channel].first;
  }
  __device__ __forceinline__ int byte(int channel, int x, int y) const {
    const auto *all = reinterpret_cast<const std::uint8_t *>(
        words + (kPlanes > 1 ? channel * kPlaneWords : 0) + y * kPitch);
    return all[(kLead + x) * kStep + first(channel)];
  }
};

// Magnitudes left and right of a warp's strip: a thread has one.
template <class Samples, int kChannels>
__device__ __forceinline__ void find_side_pairs(const Samples &samples, const TilePlace &place,
                                                int top, std::uint32_t *sides) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = top + lane / 2;
  if (lane >= 2 * (kPairStripRows + 2)) return;
  const int column = lane % 2 == 0 ? -1 : kColumns;
  int most = 0;
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    int smooth[3], slope[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int left = samples.byte(c, column - 1, row + k),
                right = samples.byte(c, column + 1, row + k);
      smooth[k] = left + 2 * samples.byte(c, column, row + k) + right, slope[k] = right - left;
    }
    most = max(most, abs(slope[0] + 2 * slope[1] + slope[2]) + abs(smooth[2] - smooth[0]));
  }
  sides[lane] = place.contains(column, row - 1) ? half_of(most) : 0;
}

// What a row's ballots have, the pixels of a thread apart, as a row: a thread has a word. Byte k of
// the words is word k; its bits change places by numbers: 8 i + j becomes 4 j + i.
__device__ __forceinline__ std::uint32_t word_of_ballots(const uint4 &ballots, int k) {
  const auto pick = static_cast<std::uint32_t>(k | (k + 4) << 4);
  std::uint32_t word = __byte_perm(__byte_perm(ballots.x, ballots.y, pick),
                                   __byte_perm(ballots.z, ballots.w, pick), 0x5410);
  const auto swap = [&](unsigned distance, std::uint32_t mask) {
    const std::uint32_t other = (word ^ word >> distance) & mask;
    word ^= other ^ other << distance;
  };
  swap(12, 0x0000f0f0), swap(6, 0x00cc00cc), swap(3, 0x0a0a0a0a), swap(1, 0x22222222);
  return word;
}

// Gradients of the strongest channel, row by row from the top down.
template <int kStep, int kChannels>
class PairRows {
 public:
  __device__ __forceinline__ PairRows(const PairSamples<kStep, kChannels> &samples, int top)
      : samples_(samples), y_(top + 2) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c)
      first_[c] = pairs(c, top), second_[c] = pairs(c, top + 1);
  }

  __device__ __forceinline__ PairGradients next() {
    PairGradients strongest = of_channel(0);
#pragma unroll
    for (int c = 1; c < kChannels; ++c)
      strongest.keep_stronger(of_channel(c));
    ++y_;
    return strongest;
  }

 private:
  __device__ __forceinline__ Pairs pairs(int c, int y) const {
    return FourPixels<kStep>(samples_.row(c, y)).pairs(samples_.first(c));
  }
  __device__ __forceinline__ PairGradients of_channel(int c) {
    const Pairs third = pairs(c, y_);
    const PairGradients gradients(first_[c], second_[c], third);
    first_[c] = second_[c], second_[c] = third;
    return gradients;
  }

  const PairSamples<kStep, kChannels> &samples_;
  int y_;
  Pairs first_[kChannels], second_[kChannels];
};

// The strip's maxima. A warp has kPairStripRows rows, from the top down.
template <int kStep, int kChannels>
__device__ __forceinline__ void find_pair_maxima(const CannyArgs &a,
                                                 const PairSamples<kStep, kChannels> &samples,
                                                 const TilePlace &place, std::uint32_t *sides,
                                                 TileBits &bits) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int top = warp * kPairStripRows;
  sides += warp * 2 * (kPairStripRows + 2);
  find_side_pairs<PairSamples<kStep, kChannels>, kChannels>(samples, place, top, sides);
  __syncwarp();
  const auto halves_inside = [&](int column) {
    const int x = place.x + 4 * lane + column;
    return (x < place.width ? 0xffffu : 0u) | (x + 2 < place.width ? 0xffff0000u : 0u);
  };
  const std::uint32_t even_inside = halves_inside(0), odd_inside = halves_inside(1);
  const std::uint32_t low = a.low * 0x00010001u, high = a.high * 0x00010001u;
  PairRows<kStep, kChannels> rows(samples, top);
  PairRow above = {}, here = {};
#pragma unroll
  for (int row = 0; row < kPairStripRows + 2; ++row) {
    const PairGradients gradients = rows.next();
    PairRow below = {gradients.magnitude, directions_of(gradients.even_dx, gradients.even_dy),
                     directions_of(gradients.odd_dx, gradients.odd_dy)};
    const int y = place.y + top + row - 1;
    const std::uint32_t row_inside = y >= 0 && y < place.height ? ~0u : 0;
    Pairs &m = below.magnitude;
    m.even &= even_inside & row_inside, m.odd &= odd_inside & row_inside;
    const std::uint32_t side = sides[2 * row + (lane == 0 ? 0 : 1)];
    std::uint32_t left = __shfl_up_sync(~0u, m.odd, 1) >> 16,
                  right = __shfl_down_sync(~0u, m.even, 1);
    if (lane == 0) left = side;
    if (lane == 31) right = side;
    m.outer = __byte_perm(left, right, 0x5410);
    if (row >= 2) {
      const Pairs &p = above.magnitude, &c = here.magnitude, &n = m;
      const std::uint32_t even_more = ptx::subtract_halves(low, c.even),
                          odd_more = ptx::subtract_halves(low, c.odd);
      uint4 found = {}, strong = {};
      if (__any_sync(~0u, ((even_more | odd_more) & kSigns) != 0)) {
        const std::uint32_t even = even_more & maxima_of(c.even, here.even,
                                                         {p.left(), p.even, p.odd, c.left(), c.odd,
                                                          n.left(), n.even, n.odd});
        const std::uint32_t odd = odd_more & maxima_of(c.odd, here.odd,
                                                       {p.even, p.odd, p.right(), c.even, c.right(),
                                                        n.even, n.odd, n.right()});
        const std::uint32_t even_strong = even & ptx::subtract_halves(high, c.even),
                            odd_strong = odd & ptx::subtract_halves(high, c.odd);
        const auto ballots = [](std::uint32_t evens, std::uint32_t odds) -> uint4 {
          return {__ballot_sync(~0u, (evens & 0x8000) != 0),
                  __ballot_sync(~0u, (odds & 0x8000) != 0), __ballot_sync(~0u, evens >> 31 != 0),
                  __ballot_sync(~0u, odds >> 31 != 0)};
        };
        found = ballots(even, odd), strong = ballots(even_strong, odd_strong);
      }
      if (lane == 0) {
        reinterpret_cast<uint4 *>(bits.found)[top + row - 2] = found;
        reinterpret_cast<uint4 *>(bits.strong)[top + row - 2] = strong;
      }
    }
    above = here, here = below;
  }
  __syncwarp();
  static_assert(kPairStripRows * kWords == 32, "a word each");
  const int row = top + lane / kWords, k = lane % kWords;
  const std::uint32_t found = word_of_ballots(reinterpret_cast<uint4 *>(bits.found)[row], k),
                      strong = word_of_ballots(reinterpret_cast<uint4 *>(bits.strong)[row], k);
  __syncwarp();
  reinterpret_cast<std::uint32_t *>(bits.found)[kWords * row + k] = found;
  reinterpret_cast<std::uint32_t *>(bits.strong)[kWords * row + k] = strong;
}

template <int kStep, int kChannels>
constexpr std::size_t pair_shared_bytes() {
  using Samples = PairSamples<kStep, kChannels>;
  return std::size_t{4} * Samples::kPlaneWords * Samples::kPlanes;
}

template <int kStep, int kChannels>
__global__ void __launch_bounds__(kThreads, kChannels == 1 ? 8 : 6)
    pair_tile_kernel(const __grid_constant__ CannyArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, shared);
  __shared__ TileBits bits;
  __shared__ std::uint32_t sides[kWarps * 2 * (kPairStripRows + 2)];
  const auto block = static_cast<int>(blockIdx.x);
  const int down = block / a.tiles_across;
  const TilePlace place = {(block - down * a.tiles_across) * kColumns, down * kPairRows, a.width,
                           a.height};
  if (block == 0 && threadIdx.x == 0) a.parent[0] = 0;
  const PairSamples<kStep, kChannels> samples = {a, shared};
#pragma unroll
  for (int c = 0; c < samples.kPlanes; ++c)
    load_chunks<kStep, kPairSampleRows>(a.channel[c].in, (place.x - kLead) * kStep, place.y - 2,
                                        shared + c * samples.kPlaneWords);
  __syncthreads();
  find_pair_maxima(a, samples, place, sides, bits);
  __syncthreads();
  find_components<kPairRows>(a, place, bits, reinterpret_cast<RowBits *>(shared));
}

}  // namespace
}  // namespace coalesce
