// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scan_decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "../../core/simd.h"

namespace coalesce::jpeg {

DecodeTable decode_table(const HuffmanTable &table) {
  DecodeTable t = {};
  std::copy(table.symbols.begin(), table.symbols.end(), t.symbols);
  unsigned code = 0;
  int next = 0;
  for (int length = 1; length <= kMostCodeBits; ++length, code <<= 1) {
    const int count = table.counts[static_cast<std::size_t>(length - 1)];
    t.first[length] = next - static_cast<int>(code);
    for (int n = 0; n < count; ++n, ++next, ++code) {
      if (length > kLookupBits) continue;
      const unsigned spare = static_cast<unsigned>(kLookupBits - length);
      for (unsigned rest = 0; rest < 1u << spare; ++rest)
        t.lookup[(code << spare) + rest] =
            static_cast<std::uint16_t>(length << 8 | t.symbols[next]);
    }
    t.limit[length] = code << (kMostCodeBits - length);
  }
  return t;
}

namespace {

// Bits of a segment, up to a marker; zeros behind it.
class BitReader {
 public:
  explicit BitReader(ByteSource *source) : source_(source) {}

  // At least 33 bits, or all that there are: a code and the number behind it.
  COALESCE_INLINE void fill() {
    if (count_ > 32) return;
    if (source_->at + 8 <= source_->size && source_->marker == 0) {
      std::uint64_t word;
      std::memcpy(&word, source_->data + source_->at, 8);
      if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
      // Has it a byte of FF? (Its complement has a zero there.)
      constexpr std::uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
      if (((~word - kOnes) & word & kTops) == 0) {
        const int bytes = (64 - count_) / 8;
        bits_ |= word >> count_;
        count_ += 8 * bytes;
        source_->at += static_cast<std::size_t>(bytes);
        // What is below the last whole byte will come again.
        if (count_ < 64) bits_ &= ~(~std::uint64_t{0} >> count_);
        return;
      }
    }
    const Bits more = fill_bytewise(source_, {bits_, count_});
    bits_ = more.bits;
    count_ = more.count;
  }
  std::uint32_t peek(int n) const { return static_cast<std::uint32_t>(bits_ >> (64 - n)); }
  void drop(int n) {
    bits_ <<= n;
    count_ -= n;
    if (count_ < 0) {
      count_ = 0;
      too_few_ = true;
    }
  }
  bool too_few() const { return too_few_; }
  // Whole bytes that no code has taken, where a segment should end.
  bool has_more() const { return count_ >= 8; }

  // A new segment. too_few() stays if it begins with a marker.
  void restart() {
    bits_ = 0;
    count_ = 0;
    if (source_->marker == 0) too_few_ = false;
  }

 private:
  struct Bits {
    std::uint64_t bits;  // the next one is the highest
    int count;
  };
  // (By value, so that a reader may be in registers.)
  [[gnu::noinline]] static Bits fill_bytewise(ByteSource *source, Bits b) {
    while (b.count <= 56 && source->marker == 0) {
      std::uint8_t c = source->byte();
      if (c == 0xFF) {
        do
          c = source->byte();
        while (c == 0xFF);
        if (c != 0) {
          source->marker = c;
          break;
        }
        c = 0xFF;
      }
      b.bits |= std::uint64_t{c} << (56 - b.count);
      b.count += 8;
    }
    return b;
  }

  ByteSource *source_;
  std::uint64_t bits_ = 0;
  int count_ = 0;
  bool too_few_ = false;
};

// Codes of AC with their numbers, by the next bits.
struct NumberTable {
  static constexpr int kBits = 10;
  struct Entry {
    std::int16_t number;
    std::uint8_t run, bits;  // 0 bits: not here
  };
  Entry entry[1 << kBits];

  void make(const DecodeTable &codes) {
    for (std::uint32_t bits = 0; bits < 1u << kBits; ++bits) {
      const std::uint32_t found = codes.lookup[bits >> (kBits - kLookupBits)];
      const int length = static_cast<int>(found >> 8), size = static_cast<int>(found & 15);
      entry[bits] = {};
      if (found == 0 || size == 0 || length + size > kBits) continue;
      const std::uint32_t number = bits >> (kBits - length - size) & ((1u << size) - 1);
      entry[bits] = {static_cast<std::int16_t>(extend(number, size)),
                     static_cast<std::uint8_t>(found >> 4 & 15),
                     static_cast<std::uint8_t>(length + size)};
    }
  }
};

struct Tables {
  DecodeTable dc, ac;
  NumberTable numbers;
};

// Returns whether it is broken. *dc: of the block before it in the segment.
COALESCE_INLINE bool decode_block(const Tables &tables, BitReader *to, std::uint32_t *dc,
                                  std::int16_t *block) {
  BitReader reader = *to;
  bool broken = false;
  reader.fill();
  std::uint32_t found = look_up(tables.dc, reader.peek(16));
  int length = static_cast<int>(found >> 8), size = static_cast<int>(found & 15);
  broken |= length > kMostCodeBits;
  reader.drop(length);
  if (size != 0) {
    *dc += static_cast<std::uint32_t>(extend(reader.peek(size), size));
    reader.drop(size);
  }
  block[0] = static_cast<std::int16_t>(*dc);
  for (int k = 1; k < kCoefficients; ++k) {
    reader.fill();
    int value;
    const NumberTable::Entry entry = tables.numbers.entry[reader.peek(NumberTable::kBits)];
    if (entry.bits != 0) {
      k += entry.run;
      value = entry.number;
      reader.drop(entry.bits);
    } else {
      found = look_up(tables.ac, reader.peek(16));
      length = static_cast<int>(found >> 8);
      broken |= length > kMostCodeBits;
      reader.drop(length);
      const int run = static_cast<int>(found >> 4 & 15);
      size = static_cast<int>(found & 15);
      k += run;
      if (size == 0) {
        if (run != 15) break;
        continue;
      }
      value = extend(reader.peek(size), size);
      reader.drop(size);
    }
    // libjpeg writes what is behind the last coefficient over it.
    broken |= k >= kCoefficients;
    block[kNaturalOrder[static_cast<std::size_t>(std::min(k, kCoefficients - 1))]] =
        static_cast<std::int16_t>(value);
  }
  *to = reader;
  return broken;
}

// Libjpeg's way out where another marker comes than the wanted one (0 to 7). The segment that
// follows is empty if the source has a marker afterwards. Returns whether there was one such.
bool find_restart(ByteSource *source, int wanted) {
  constexpr int kFirst = static_cast<int>(Marker::rst0), kLast = static_cast<int>(Marker::rst7);
  source->skipped = false;
  if (source->marker == 0) source->next_marker();
  if (source->marker == kFirst + wanted) {
    source->marker = 0;
    return source->skipped;
  }
  for (;;) {
    const int marker = source->marker;
    if (marker >= static_cast<int>(Marker::sof0)) {
      if (marker < kFirst || marker > kLast) return true;  // it stays
      const int ahead = (marker - kFirst - wanted) & 7;
      if (ahead == 1 || ahead == 2) return true;  // a later one, for a later segment
      if (ahead != 6 && ahead != 7) {             // too far away, or the wanted one
        source->marker = 0;
        return true;
      }
    }
    source->next_marker();
  }
}

}  // namespace

const char *decode_scan(const Frame &frame, const Scan &scan, HeaderReader *reader,
                        const CoefficientPlanes &out) {
  ByteSource *source = reader->source();
  Tables tables[kMostComponents];
  for (int i = 0; i < scan.components; ++i) {
    tables[i].dc = decode_table(reader->dc_table(scan.component[i].dc));
    tables[i].ac = decode_table(reader->ac_table(scan.component[i].ac));
    tables[i].numbers.make(tables[i].ac);
  }
  const bool is_alone = scan.components == 1;
  BitReader bits(source);
  std::uint32_t dc[kMostComponents] = {};
  bool too_few = false, misplaced = false, no_code = false;
  int to_go = scan.restart_interval, next_restart = 0;
  const std::int64_t mcus = std::int64_t{scan.mcus_wide} * scan.mcus_high;
  for (std::int64_t mcu = 0; mcu < mcus;) {
    if (scan.restart_interval != 0 && to_go == 0) {
      too_few |= bits.too_few();
      misplaced |= bits.has_more();
      misplaced |= find_restart(source, next_restart);
      next_restart = (next_restart + 1) & 7;
      bits.restart();
      std::fill(dc, dc + kMostComponents, 0);
      to_go = scan.restart_interval;
    }
    if (bits.too_few()) {
      // No more of this segment; and of none, if there is no restart marker to come.
      too_few = true;
      const bool may_restart =
          scan.restart_interval != 0 && (source->marker < static_cast<int>(Marker::sof0) ||
                                         (source->marker >= static_cast<int>(Marker::rst0) &&
                                          source->marker <= static_cast<int>(Marker::rst7)));
      if (!may_restart) break;
      mcu += to_go;
      to_go = 0;
      continue;
    }
    const int x = static_cast<int>(mcu % scan.mcus_wide),
              y = static_cast<int>(mcu / scan.mcus_wide);
    for (int i = 0; i < scan.components; ++i) {
      const int c = scan.component[i].component;
      const FrameComponent &k = frame.component[c];
      const int h = is_alone ? 1 : k.h, v = is_alone ? 1 : k.v;
      for (int row = 0; row < v; ++row)
        for (int column = 0; column < h; ++column) {
          const std::size_t block =
              static_cast<std::size_t>(y * v + row) * static_cast<std::size_t>(k.padded_wide) +
              static_cast<std::size_t>(x * h + column);
          no_code |=
              decode_block(tables[i], &bits, &dc[i], out.component[c] + kCoefficients * block);
        }
    }
    ++mcu;
    --to_go;
  }
  if (too_few || bits.too_few()) return "jpeg: the data of a scan end too early";
  if (misplaced) return "jpeg: a restart marker is missing, or in the wrong place";
  return no_code ? "jpeg: bits that are no code, or more than 64 coefficients in a block" : nullptr;
}

}  // namespace coalesce::jpeg
