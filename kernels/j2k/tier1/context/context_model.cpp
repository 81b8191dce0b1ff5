// SPDX-License-Identifier: LGPL-2.1-or-later
#include "context_model.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "context_logic.h"

namespace coalesce::j2k {
namespace {

// Bit i of a byte as the lowest bit of byte i.
struct SpreadTable {
  std::uint64_t at[256];
};
constexpr SpreadTable make_spread_table() {
  SpreadTable table = {};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (int bit = 0; bit < 8; ++bit)
      table.at[byte] |= std::uint64_t{byte >> bit & 1} << 8 * bit;
  return table;
}
constexpr SpreadTable kSpread = make_spread_table();

// One symbol for each sample of a word.
struct WordSymbols {
  std::uint8_t at[64] = {};

  // base plus numbers given bit by bit, the lowest first.
  template <class... Bits>
  void set(int base, Bits... bits) {
    for (int i = 0; i < 8; ++i) {
      std::uint64_t eight = 0x0101010101010101u * static_cast<unsigned>(base);
      int shift = 0;
      ((eight += kSpread.at[bits >> 8 * i & 255] << shift++), ...);
      std::memcpy(at + 8 * i, &eight, 8);
    }
  }
  void set_zero(const Sliced &context, std::uint64_t bits) {
    set(symbol_of(kContextZero, 0), bits, context.bit0, context.bit1, context.bit2, context.bit3);
  }
  void set_sign(const Sliced &context, std::uint64_t negative) {
    set(symbol_of(kContextSign, 0), negative ^ context.bit3, context.bit0, context.bit1,
        context.bit2);
  }
  void set_raw(std::uint64_t bits) { set(symbol_of(kContextRaw, 0), bits); }
};

// What samples that become significant take off the squared error: sums over a pass.
class Gains {
 public:
  // below: the next lower planes, so many of them.
  Gains(const std::uint64_t *plane, int words, int below)
      : plane_(plane), words_(words), below_(below) {}

  void significant(int word, std::uint64_t fires) {
    const std::uint64_t *bits = plane_ + word;
    count_ += std::popcount(fires);
    for (int i = 1; i <= below_; ++i) {
      bits -= words_;
      sum_ += std::popcount(fires & *bits) << (kDistortionBits - i);
    }
  }
  // A fraction f of a sample whose bit is 0 counts as 1 - f would if it were 1.
  void refined(int word, std::uint64_t members) {
    const std::uint64_t *bits = plane_ + word;
    const std::uint64_t zeros = ~*bits;
    count_ += std::popcount(members);
    sum_ += std::popcount(members & zeros) << (kDistortionBits - below_);
    for (int i = 1; i <= below_; ++i) {
      bits -= words_;
      sum_ += std::popcount(members & (*bits ^ zeros)) << (kDistortionBits - i);
    }
  }
  int of_significant(bool exact) const { return becomes_significant(0, exact) * count_ + 3 * sum_; }
  int of_refined(bool exact) const { return is_refined(1, 0, exact) * count_ + sum_; }

 private:
  const std::uint64_t *plane_;
  int words_, below_;
  int count_ = 0, sum_ = 0;
};

// Bit i of 64 bytes as a word, for each i.
#if defined(__SSE2__)
void slice(const std::uint8_t (&bytes)[64], std::uint64_t (&planes)[8]) {
  for (int quarter = 0; quarter < 4; ++quarter) {
    __m128i sixteen = _mm_load_si128(reinterpret_cast<const __m128i *>(bytes) + quarter);
    for (int i = 7; i >= 0; --i) {  // the upper bits, one after the other
      const unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(sixteen));
      planes[i] |= std::uint64_t{mask} << 16 * quarter;
      sixteen = _mm_add_epi8(sixteen, sixteen);
    }
  }
}
#else
void slice(const std::uint8_t (&bytes)[64], std::uint64_t (&planes)[8]) {
  for (int i = 0; i < 64; ++i)
    for (int bit = 0; bit < 8; ++bit)
      planes[bit] |= std::uint64_t{bytes[i] >> bit & 1u} << i;
}
#endif

}  // namespace

// The samples of a word: their planes, and signs.
void ContextModel::load_word(const CodeBlock &block, int stripe, int column, int word) {
  // Column by column, as the bits are.
  std::uint32_t values[64] = {};
  const int rows = std::min(4, block.height - 4 * stripe);
  const int columns = std::min(16, block.width - 16 * column);
  const std::int32_t *first = block.samples + 4 * stripe * block.pitch + 16 * column;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      values[4 * x + y] = static_cast<std::uint32_t>(first[y * block.pitch + x]);
  const std::uint64_t column_bits = kTopRow * ((1u << rows) - 1);
  inside_[word] = column_bits & ~std::uint64_t{0} >> (64 - 4 * columns);

  alignas(16) std::uint8_t bytes[64];
  std::uint64_t planes[8] = {};
  for (int i = 0; i < 64; ++i) {
    bytes[i] = static_cast<std::uint8_t>(values[i] >> 31);
    values[i] = (values[i] ^ (0u - (values[i] >> 31))) + (values[i] >> 31);
  }
  slice(bytes, planes);
  negative_[word] = planes[0];
  for (int plane = 0; plane < total_planes_; plane += 8) {
    for (int i = 0; i < 64; ++i)
      bytes[i] = static_cast<std::uint8_t>(values[i] >> plane);
    std::memset(planes, 0, sizeof planes);
    slice(bytes, planes);
    for (int i = 0; i < 8; ++i)
      planes_[(plane + i) * words_ + word] = planes[i];
  }
}

int ContextModel::begin(const CodeBlock &block) {
  stripes_ = (block.height + 3) / 4;
  columns_ = (block.width + 15) / 16;
  stride_ = columns_ + 2;
  words_ = stride_ * (stripes_ + 2);
  fraction_bits_ = block.fraction_bits;
  band_ = block.band;
  style_ = block.style;
  std::uint32_t all = 0;
  for (int y = 0; y < block.height; ++y)
    for (int x = 0; x < block.width; ++x) {
      const std::uint32_t v = static_cast<std::uint32_t>(block.samples[y * block.pitch + x]);
      all |= v >> 31 != 0 ? 0u - v : v;
    }
  total_planes_ = std::bit_width(all);
  const int planes = std::bit_width(all >> fraction_bits_);
  const std::size_t bytes = static_cast<std::size_t>(words_) * 8;
  for (std::uint64_t *words : {inside_, negative_, significant_, visited_, refined_})
    std::memset(words, 0, bytes);
  for (int stripe = 0; stripe < stripes_; ++stripe)
    for (int column = 0; column < columns_; ++column)
      load_word(block, stripe, column, (stripe + 1) * stride_ + column + 1);
  return planes;
}

template <class Visit>
void ContextModel::for_words(Visit &&visit) {
  for (int stripe = 1; stripe <= stripes_; ++stripe)
    for (int word = stripe * stride_ + 1; word <= stripe * stride_ + columns_; ++word)
      visit(word);
}

PassSymbols ContextModel::significance(int plane, bool raw, std::uint8_t *symbols) {
  const std::uint64_t *plane_bits = planes_ + (plane + fraction_bits_) * words_;
  const bool causal = (style_ & kCausal) != 0;
  Gains gains(plane_bits, words_, std::min(plane + fraction_bits_, kDistortionBits));
  WordSymbols zero, sign;
  std::uint8_t *out = symbols;
  for_words([&](int word) {
    const WordsAround w = words_around(significant_ + word, stride_, causal);
    const std::uint64_t bits = plane_bits[word];
    const std::uint64_t candidates = inside_[word] & ~w.word;
    std::uint64_t members = significance_members(candidates, any_neighbour(w), bits);
    visited_[word] = members;
    if (members == 0) return;
    const std::uint64_t fires = members & bits, after = w.word | fires;
    significant_[word] = after;
    if (raw) {
      zero.set_raw(bits);
      sign.set_raw(negative_[word]);
    } else {
      const Neighbours n = neighbours_when_visited(w, after);
      zero.set_zero(zero_contexts(band_, n), bits);
      if (fires != 0) sign.set_sign(signs(word, n), negative_[word]);
    }
    gains.significant(word, fires);
    for (; members != 0; members &= members - 1) {
      const int i = std::countr_zero(members);
      out[0] = zero.at[i];
      out[1] = sign.at[i];
      out += 1 + (fires >> i & 1);
    }
  });
  return {static_cast<int>(out - symbols), gains.of_significant(exact(plane))};
}

// The sign contexts of samples whose neighbours are known.
Sliced ContextModel::signs(int word, const Neighbours &n) const {
  const WordsAround w = words_around(negative_ + word, stride_, (style_ & kCausal) != 0);
  Neighbours negative = neighbours_when_visited(w, w.word);
  negative.left &= n.left;
  negative.right &= n.right;
  negative.above &= n.above;
  negative.below &= n.below;
  return sign_contexts(n, negative);
}

PassSymbols ContextModel::refinement(int plane, bool raw, std::uint8_t *symbols) {
  const std::uint64_t *plane_bits = planes_ + (plane + fraction_bits_) * words_;
  const bool causal = (style_ & kCausal) != 0;
  Gains gains(plane_bits, words_, std::min(plane + fraction_bits_, kDistortionBits));
  WordSymbols refine;
  std::uint8_t *out = symbols;
  for_words([&](int word) {
    std::uint64_t members = significant_[word] & ~visited_[word];
    if (members == 0) return;
    const std::uint64_t refined = refined_[word];
    if (raw) {
      refine.set_raw(plane_bits[word]);
    } else {
      const std::uint64_t any = any_neighbour(words_around(significant_ + word, stride_, causal));
      refine.set(symbol_of(kContextMagnitude, 0), plane_bits[word], any & ~refined, refined);
    }
    refined_[word] = refined | members;
    gains.refined(word, members);
    for (; members != 0; members &= members - 1)
      *out++ = refine.at[std::countr_zero(members)];
  });
  return {static_cast<int>(out - symbols), gains.of_refined(exact(plane))};
}

PassSymbols ContextModel::cleanup(int plane, std::uint8_t *symbols) {
  const std::uint64_t *plane_bits = planes_ + (plane + fraction_bits_) * words_;
  const bool causal = (style_ & kCausal) != 0;
  Gains gains(plane_bits, words_, std::min(plane + fraction_bits_, kDistortionBits));
  WordSymbols zero, sign;
  std::uint8_t *out = symbols;
  for_words([&](int word) {
    const WordsAround w = words_around(significant_ + word, stride_, causal);
    const std::uint64_t members = inside_[word] & ~w.word & ~visited_[word];
    if (members == 0) return;
    const std::uint64_t bits = plane_bits[word], fires = members & bits, after = w.word | fires;
    significant_[word] = after;
    const Neighbours n = neighbours_when_visited(w, after);
    const CleanupSets sets = cleanup_sets(members, fires, w, n);
    if (sets.single != 0) zero.set_zero(zero_contexts(band_, n), bits);
    if (fires != 0) sign.set_sign(signs(word, n), negative_[word]);
    gains.significant(word, fires);
    for (std::uint64_t left = sets.runs | sets.single; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      if ((sets.runs >> i & 1) == 0) {
        out[0] = zero.at[i];
        out[1] = sign.at[i];
        out += 1 + (fires >> i & 1);
        continue;
      }
      const int ends = static_cast<int>(fires >> i & 15);
      out[0] = symbol_of(kContextRun, ends != 0);
      if (ends != 0) {
        const int row = std::countr_zero(static_cast<unsigned>(ends));
        out[1] = symbol_of(kContextUniform, row >> 1);
        out[2] = symbol_of(kContextUniform, row & 1);
        out[3] = sign.at[i + row];
      }
      out += ends != 0 ? 4 : 1;
    }
  });
  if ((style_ & kSegmentationSymbols) != 0)
    for (int decision : {1, 0, 1, 0})
      *out++ = symbol_of(kContextUniform, decision);
  return {static_cast<int>(out - symbols), gains.of_significant(exact(plane))};
}

}  // namespace coalesce::j2k
