// SPDX-License-Identifier: LGPL-2.1-or-later
// The coding passes of a block: context_model.h, with a word for each lane of a team. Where a
// block has more words than the team has lanes, it takes them in turns, in the order of the scan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../device/device_frame.h"
#include "bit_planes.cuh"
#include "coding_pass.h"
#include "context_logic.h"
#include "context_model_cuda.h"
#include "lane_team.cuh"
#include "symbol_writer.cuh"

namespace coalesce::j2k {

// Shared memory of a team, a multiple of 16.
__host__ __device__ inline std::size_t team_bytes(const ModelShape &shape) {
  const int words = 3 * shape.framed + (2 + kPlaneWindow) * shape.words;
  return static_cast<std::size_t>((8 * words + 15) / 16 * 16 + kStageBytes);
}

constexpr int kSignificant = becomes_significant(0, false);
constexpr int kSignificantExactly = becomes_significant(0, true);
constexpr int kSignificantStep = becomes_significant(1, false) - kSignificant;
constexpr int kRefined = is_refined(1, 0, false), kRefinedExactly = is_refined(1, 0, true);

constexpr int kMagnitudeSymbol = symbol_of(kContextMagnitude, 0);
constexpr int kSignSymbol = symbol_of(kContextSign, 0);
constexpr int kRawSymbol = symbol_of(kContextRaw, 0);
static_assert(kContextZero == 0);

// The last column and the lower row.
constexpr std::uint64_t kSeenFromLaterWords = std::uint64_t{15} << 60 | kBottomRow;

template <int kLanes>
class BlockModel {
 public:
  __device__ BlockModel(const DeviceFrame &frame, const BlockPlan &plan, Team<kLanes> team,
                        const ModelShape &shape, const std::uint32_t *table, std::uint8_t *memory)
      : team_(team),
        block_(frame.coefficients, plan),
        writer_(team, memory, table, frame.symbols + plan.first_symbol),
        made_(frame.made + plan.first_pass),
        fraction_bits_(frame.fraction_bits),
        style_(frame.style),
        band_(plan.band) {
    stride_ = block_.columns + 2;
    before_ = reinterpret_cast<std::uint64_t *>(memory + kStageBytes);
    after_ = before_ + shape.framed;
    negative_ = after_ + shape.framed;
    visited_ = negative_ + shape.framed;
    refined_ = visited_ + shape.words;
    planes_ = refined_ + shape.words;
    const int cleared = 3 * shape.framed + 2 * shape.words;
    for (int i = team.lane; i < cleared; i += kLanes)
      before_[i] = 0;
    __syncwarp();
  }

  // Returns the number of planes; if it is more than `limit`, nothing is coded.
  __device__ int code(int limit) {
    int planes = 0, plane = 0, top = 0;
    low_ = 0;
#pragma unroll 1
    for (bool first = true; plane >= 0; first = false) {
      __syncwarp();
      const std::uint32_t all = slice(block_, team_, low_, planes_, negative_);
      __syncwarp();
      if (first) {
        planes = 32 - __clz(static_cast<int>(team_.any_bits(all) >> fraction_bits_));
        block_planes_ = planes <= limit ? planes : 0;
        plane = top = max(block_planes_, __shfl_xor_sync(kWholeWarp, block_planes_, 16)) - 1;
      }
      for (; plane >= 0 && has_planes(plane + fraction_bits_); --plane)
#pragma unroll 1
        for (int type = plane == top ? 2 : 0; type < 3; ++type)
          code_pass(plane, static_cast<PassType>(type));
      low_ = max(plane + fraction_bits_ - (kPlaneWindow - 1), 0);
    }
    writer_.finish();
    return planes;
  }

 private:
  // A lane's word.
  struct Place {
    int word, at;          // in arrays without and with a frame
    bool valid;            // false: there are no more words
    std::uint64_t inside;  // samples of the block
  };
  __device__ Place place(int first) const {
    Place p;
    p.valid = first + team_.lane < block_.words;
    p.word = p.valid ? first + team_.lane : 0;
    const int stripe = block_.stripe_of(p.word), column = p.word - stripe * block_.columns;
    p.at = (stripe + 1) * stride_ + column + 1;
    const int rows = min(4, block_.height - 4 * stripe);
    const int columns = min(16, block_.width - 16 * column);
    p.inside = kTopRow * ((1u << rows) - 1) & ~std::uint64_t{0} >> (64 - 4 * columns);
    if (!p.valid) p.inside = 0;
    return p;
  }

  // Whether the plane and those below it which distortions need are in shared memory: numbers with
  // fraction bits.
  __device__ bool has_planes(int plane) {
    below_ = min(plane, kDistortionBits);
    plane_ = planes_ + (plane - low_) * block_.words;
    return plane - below_ >= low_ && plane < low_ + kPlaneWindow;
  }

  __device__ void code_pass(int plane, PassType type) {
    const bool raw = pass_is_raw(style_, block_planes_, plane, type);
    const bool coded = plane < block_planes_ - (type != PassType::cleanup);
    const bool exact = fraction_bits_ == 0 && plane == 0;
    const int begin = writer_.made();
    int distortion = 0;
    if (type == PassType::cleanup) find_last_members(coded);
#pragma unroll 1
    for (int first = 0; __any_sync(kWholeWarp, first < block_.words); first += kLanes) {
      Place p = place(first);
      if (!coded) p.inside = 0;
      const bool signs = type != PassType::refinement;
      const WordSymbols symbols =
          signs ? new_significance(p, type == PassType::cleanup, raw) : refinement(p, raw);
      distortion += signs ? gain_of_significant(p, symbols.fires, exact)
                          : gain_of_refined(p, symbols.decisions, exact);
      writer_.put(symbols, signs);
      __syncwarp();
    }
    if (type == PassType::cleanup && (style_ & kSegmentationSymbols) != 0)
      writer_.put_segmentation_symbol(coded);
    distortion = team_.sum(distortion);
    const int pass = 3 * (block_planes_ - 1 - plane) + static_cast<int>(type) - 2;
    if (coded && team_.lane == 0) made_[pass] = {writer_.made() - begin, distortion};
  }

  // Words of significance around a lane's, which those that are scanned before have left behind
  // already.
  __device__ WordsAround around(int at) const {
    const std::uint64_t *above = after_ + at - stride_, *below = before_ + at + stride_;
    WordsAround w = {above[-1], above[0], above[1], after_[at - 1], before_[at], before_[at + 1],
                     0,         0,        0};
    if ((style_ & kCausal) == 0) {
      w.below_left = below[-1];
      w.below = below[0];
      w.below_right = below[1];
    }
    return w;
  }

  // The members of the significance pass, by a fixed point over all words; w and after_ become what
  // they leave behind.
  __device__ std::uint64_t significance(const Place &p, std::uint64_t bits, WordsAround *w) {
    const std::uint64_t candidates = p.inside & ~w->word;
    const std::uint64_t near = any_neighbour(*w);
    std::uint64_t members, now = w->word;
    for (bool spreads = true; __any_sync(kWholeWarp, spreads);) {
      const std::uint64_t *above = after_ + p.at - stride_;
      w->above_left = above[-1], w->above = above[0], w->above_right = above[1];
      w->left = after_[p.at - 1];
      const WordsAround earlier = {w->above_left, w->above, w->above_right, w->left, 0, 0, 0, 0, 0};
      members = significance_members(candidates, near | any_neighbour(earlier), bits);
      const std::uint64_t then = w->word | (members & bits);
      const std::uint64_t change = then ^ now;
      now = then;
      spreads = (change & kSeenFromLaterWords) != 0;
      __syncwarp();
      if (change != 0) after_[p.at] = now;
      __syncwarp();
    }
    if (p.valid) visited_[p.word] = members;
    return members;
  }

  // The significance and the cleanup pass.
  __device__ WordSymbols new_significance(const Place &p, bool cleanup, bool raw) {
    const std::uint64_t bits = plane_[p.word];
    WordsAround w = around(p.at);
    const std::uint64_t members =
        cleanup ? p.inside & ~w.word & ~visited_[p.word] : significance(p, bits, &w);
    const std::uint64_t fires = members & bits, now = w.word | fires;
    const Neighbours n = neighbours_when_visited(w, now);
    WordSymbols s = {members, fires, 0, {}, {}, 0};
    set_symbols(&s, p, bits, raw, n);
    if (cleanup) {
      s.set_runs(cleanup_sets(members, fires, w, n));
      __syncwarp();
      if (p.valid) before_[p.at] = now;
    }
    return s;
  }

  __device__ WordSymbols refinement(const Place &p, bool raw) {
    const std::uint64_t bits = plane_[p.word];
    const std::uint64_t members = p.valid ? before_[p.at] : 0;
    const std::uint64_t refined = refined_[p.word];
    WordSymbols s = {members, 0, 0, {}, {}, 0};
    s.nibble[0] = bits;
    s.base = raw ? kRawSymbol : kMagnitudeSymbol;
    if (!raw) {
      const std::uint64_t any =
          any_neighbour(words_around(after_ + p.at, stride_, (style_ & kCausal) != 0));
      s.nibble[1] = any & ~refined;
      s.nibble[2] = refined;
    }
    __syncwarp();
    if (p.valid) {
      refined_[p.word] = refined | members;
      before_[p.at] = after_[p.at];
    }
    return s;
  }

  // What the cleanup pass makes significant, which takes no neighbours to know.
  __device__ void find_last_members(bool coded) {
    for (int first = 0; first < block_.words; first += kLanes) {
      const Place p = place(first);
      if (!p.valid || !coded) continue;
      const std::uint64_t members = p.inside & ~before_[p.at] & ~visited_[p.word];
      after_[p.at] = before_[p.at] | (members & plane_[p.word]);
    }
    __syncwarp();
  }

  __device__ void set_symbols(WordSymbols *s, const Place &p, std::uint64_t bits, bool raw,
                              const Neighbours &n) const {
    const std::uint64_t minus = negative_[p.at];
    s->first[0] = bits;
    s->nibble[0] = minus;
    s->base = kRawSymbol;
    if (raw) {
#pragma unroll
      for (int i = 1; i < kSymbolBits; ++i)
        s->first[i] = (kRawSymbol >> i & 1) != 0 ? ~std::uint64_t{0} : 0;
      return;
    }
    const Sliced zero = zero_contexts(band_, n);
    s->first[1] = zero.bit0;
    s->first[2] = zero.bit1;
    s->first[3] = zero.bit2;
    s->first[4] = zero.bit3;
    const WordsAround signs = words_around(negative_ + p.at, stride_, false);
    Neighbours negative = neighbours_when_visited(signs, signs.word);
    negative.left &= n.left;
    negative.right &= n.right;
    negative.above &= n.above;
    negative.below &= n.below;
    const Sliced sign = sign_contexts(n, negative);
    s->nibble[0] = minus ^ sign.bit3;
    s->nibble[1] = sign.bit0;
    s->nibble[2] = sign.bit1;
    s->nibble[3] = sign.bit2;
    s->base = kSignSymbol;
  }

  // What samples take off the squared error: becomes_significant() and is_refined() for all.
  __device__ int gain_of_significant(const Place &p, std::uint64_t fires, bool exact) const {
    int sum = 0;
    for (int i = 1; i <= below_; ++i)
      sum += __popcll(fires & plane_[p.word - i * block_.words]) << (kDistortionBits - i);
    return (exact ? kSignificantExactly : kSignificant) * __popcll(fires) + kSignificantStep * sum;
  }
  // A fraction f of a sample whose bit is 0 counts as 1 - f would if it were 1.
  __device__ int gain_of_refined(const Place &p, std::uint64_t members, bool exact) const {
    const std::uint64_t zeros = ~plane_[p.word];
    int sum = __popcll(members & zeros) << (kDistortionBits - below_);
    for (int i = 1; i <= below_; ++i)
      sum += __popcll(members & (plane_[p.word - i * block_.words] ^ zeros))
             << (kDistortionBits - i);
    return (exact ? kRefinedExactly : kRefined) * __popcll(members) + sum;
  }

  Team<kLanes> team_;
  BlockSamples block_;
  SymbolWriter<kLanes> writer_;
  PassSymbols *made_;
  int fraction_bits_;
  unsigned style_;
  Band band_;
  int block_planes_;
  int stride_;  // of arrays with a frame
  int low_;     // the lowest plane that is in shared memory
  int below_;   // planes below this one that count for distortions
  // In shared memory; the first three have frames.
  std::uint64_t *before_, *after_;     // significance: before the pass and behind it
  std::uint64_t *negative_;            // signs
  std::uint64_t *visited_, *refined_;  // pi of this plane; at least once
  std::uint64_t *planes_;              // of magnitudes, kPlaneWindow of them
  const std::uint64_t *plane_;         // this one
};

}  // namespace coalesce::j2k
