// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpeg_writer.h"

#include <algorithm>
#include <cstdlib>

#include "jpeg/tables/huffman.h"
#include "jpeg/tables/zigzag.h"

namespace coalesce::test {
namespace {

using jpeg::HuffmanTable;
using Bytes = std::vector<std::uint8_t>;

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

int bits_of(int value) {
  int bits = 0;
  for (int v = std::abs(value); v != 0; v >>= 1)
    ++bits;
  return bits;
}

// The symbols of a scan, and how often they are there.
struct Symbol {
  int table;  // 2 * class + destination: 0, 1 for DC and 2, 3 for AC; kRestart
  int symbol, extra, bits;
};
constexpr int kRestart = -1;

class Writer {
 public:
  Writer(WrittenFile *file, Random &random) : file_(file), random_(random) {}

  void byte(int value) { file_->bytes.push_back(static_cast<std::uint8_t>(value)); }
  void word(int value) {
    byte(value >> 8);
    byte(value & 255);
  }
  // With fill bytes, now and then.
  void marker(int value) {
    while (random_.below(12) == 0)
      byte(0xFF);
    byte(0xFF);
    byte(value);
  }

  void table(int which, const HuffmanTable &huffman) {
    marker(0xC4);
    word(19 + huffman.size());
    byte((which >= 2 ? 0x10 : 0) + which % 2);
    for (const int count : huffman.counts)
      byte(count);
    for (int i = 0; i < huffman.size(); ++i)
      byte(huffman.symbols[static_cast<std::size_t>(i)]);
  }

  void bits(std::uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i) {
      pending_ = pending_ << 1 | static_cast<int>(value >> i & 1);
      if (++pending_bits_ == 8) flush();
    }
  }
  // Up to a whole byte, with ones.
  void pad() {
    while (pending_bits_ != 0)
      bits(1, 1);
  }

 private:
  void flush() {
    byte(pending_);
    if (pending_ == 0xFF) byte(0);
    pending_ = pending_bits_ = 0;
  }

  WrittenFile *file_;
  Random &random_;
  int pending_ = 0, pending_bits_ = 0;
};

void add_block(const std::int16_t *block, int table, int *dc, std::vector<Symbol> *symbols) {
  const auto add = [&](int which, int prefix, int value) {
    const int size = bits_of(value);
    symbols->push_back({which, prefix | size, value < 0 ? value + (1 << size) - 1 : value, size});
  };
  add(table, 0, block[0] - *dc);
  *dc = block[0];
  int run = 0;
  for (std::size_t k = 1; k < jpeg::kCoefficients; ++k) {
    const int value = block[jpeg::kNaturalOrder[k]];
    if (value == 0) {
      ++run;
      continue;
    }
    for (; run > 15; run -= 16)
      symbols->push_back({2 + table, jpeg::kZeroRun, 0, 0});
    add(2 + table, run << 4, value);
    run = 0;
  }
  if (run != 0) symbols->push_back({2 + table, jpeg::kEndOfBlock, 0, 0});
}

void fill_randomly(WrittenComponent *c, int most_dc, int most_ac, int density, Random &random) {
  for (std::size_t at = 0; at < c->coefficients.size(); at += jpeg::kCoefficients) {
    c->coefficients[at] = static_cast<std::int16_t>(random.between(-most_dc, most_dc));
    for (std::size_t i = 1; i < jpeg::kCoefficients; ++i)
      if (random.below(100) < density)
        c->coefficients[at + i] = static_cast<std::int16_t>(random.between(-most_ac, most_ac));
  }
}

void choose_sampling(WrittenFile *file, Random &random) {
  const bool is_grey = random.below(5) == 0;
  file->components.resize(is_grey ? 1 : 3);
  static constexpr int kUsual[][2] = {{2, 2}, {2, 1}, {1, 1}, {1, 2}, {4, 1}, {4, 2}};
  if (random.below(4) != 0) {
    const auto &usual = kUsual[random.below(6)];
    file->components[0].h = usual[0];
    file->components[0].v = usual[1];
    return;
  }
  for (WrittenComponent &c : file->components) {
    c.h = random.between(1, 4);
    c.v = random.between(1, 4);
  }
}

}  // namespace

WrittenFile random_jpeg(Random &random) {
  WrittenFile file;
  Writer w(&file, random);
  file.width =
      random.below(4) == 0 ? random.pick({1, 2, 3, 7, 8, 9, 16, 17}) : random.between(1, 90);
  file.height = random.below(4) == 0 ? random.pick({1, 2, 7, 8, 9, 16, 17}) : random.between(1, 70);
  if (random.below(10) == 0) file.width = random.between(100, 1500);
  choose_sampling(&file, random);
  const auto count = static_cast<int>(file.components.size());
  int max_h = 1, max_v = 1, blocks = 0;
  for (const WrittenComponent &c : file.components) {
    max_h = std::max(max_h, c.h);
    max_v = std::max(max_v, c.v);
    blocks += c.h * c.v;
  }
  const int mcus_wide = parts(file.width, 8 * max_h), mcus_high = parts(file.height, 8 * max_v);
  const bool is_wide = random.below(5) == 0;  // steps of 16 bits
  const int most_step = random.pick({1, 20, 255}), density = random.pick({0, 3, 20, 60});
  const int most_ac = random.pick({1, 30, 1023}), most_dc = random.pick({5, 1023});
  for (WrittenComponent &c : file.components) {
    c.wide = mcus_wide * c.h;
    c.high = mcus_high * c.v;
    c.coefficients.resize(jpeg::kCoefficients * static_cast<std::size_t>(c.wide * c.high));
    fill_randomly(&c, most_dc, most_ac, density, random);
  }

  w.byte(0xFF);
  w.byte(0xD8);
  const int app = random.below(4);
  if (app == 0) {
    w.marker(0xE0);
    w.word(16);
    for (const int value :
         std::initializer_list<int>{'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 3, 0, 4, 0, 0})
      w.byte(value);
  } else if (app == 1) {
    w.marker(0xEE);
    w.word(14);
    for (const int value :
         std::initializer_list<int>{'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, random.below(2)})
      w.byte(value);
  }
  if (random.below(4) == 0) {
    w.marker(random.pick({0xFE, 0xE5, 0xED}));
    const int length = random.below(50);
    w.word(2 + length);
    for (int i = 0; i < length; ++i)
      w.byte(random.below(256));
  }
  for (int t = 0; t < 2; ++t) {
    w.marker(0xDB);
    w.word(is_wide ? 131 : 67);
    w.byte((is_wide ? 0x10 : 0) + t);
    for (int i = 0; i < jpeg::kCoefficients; ++i) {
      const int step = random.between(1, is_wide && random.below(8) == 0 ? 65535 : most_step);
      is_wide ? w.word(step) : w.byte(step);
    }
  }
  w.marker(is_wide || random.below(4) == 0 ? 0xC1 : 0xC0);
  w.word(8 + 3 * count);
  w.byte(8);
  w.word(file.height);
  w.word(file.width);
  w.byte(count);
  for (int c = 0; c < count; ++c) {
    const WrittenComponent &k = file.components[static_cast<std::size_t>(c)];
    w.byte(c + 1);
    w.byte(k.h << 4 | k.v);
    w.byte(c == 0 ? 0 : 1);
  }

  const int interval = random.below(2) == 0 ? 0 : random.pick({1, 2, 3, 5, 9, 30, 300});
  if (interval != 0 || random.below(8) == 0) {
    w.marker(0xDD);
    w.word(4);
    w.word(interval);
  }
  const bool own_tables = random.below(2) == 0;
  const bool leave_tables_out = random.below(3) == 0;
  const HuffmanTable usual[] = {jpeg::kLumaDcTable, jpeg::kChromaDcTable, jpeg::kLumaAcTable,
                                jpeg::kChromaAcTable};
  // The scans: all components, one after the other, or the first one and the others.
  int kind = blocks > 10 ? 1 : random.below(4) == 0 ? random.between(1, 2) : 0;
  if (kind == 2 && blocks - file.components[0].h * file.components[0].v > 10) kind = 1;
  for (int first = 0, scan = 0; first < count; ++scan) {
    const int last = kind == 0 ? count : kind == 1 || first == 0 ? first + 1 : count;
    const bool alone = last - first == 1;
    std::vector<Symbol> symbols;
    int dc[3] = {}, mcu = 0;
    const WrittenComponent &k = file.components[static_cast<std::size_t>(first)];
    const int wide = alone ? parts(file.width * k.h, 8 * max_h) : mcus_wide;
    const int high = alone ? parts(file.height * k.v, 8 * max_v) : mcus_high;
    for (int y = 0; y < high; ++y)
      for (int x = 0; x < wide; ++x, ++mcu) {
        if (interval != 0 && mcu != 0 && mcu % interval == 0) {
          symbols.push_back({kRestart, mcu / interval - 1, 0, 0});
          std::fill(dc, dc + 3, 0);
        }
        for (int c = first; c < last; ++c) {
          const WrittenComponent &of = file.components[static_cast<std::size_t>(c)];
          const int h = alone ? 1 : of.h, v = alone ? 1 : of.v;
          for (int b = 0; b < h * v; ++b) {
            const int at = (y * v + b / h) * of.wide + x * h + b % h;
            add_block(of.coefficients.data() + jpeg::kCoefficients * at, c == 0 ? 0 : 1, &dc[c],
                      &symbols);
          }
        }
      }
    if (alone)  // the others are not there
      for (int y = 0; y < k.high; ++y)
        for (int x = 0; x < k.wide; ++x)
          if (x >= wide || y >= high)
            std::fill_n(file.components[static_cast<std::size_t>(first)].coefficients.begin() +
                            jpeg::kCoefficients * (y * k.wide + x),
                        static_cast<int>(jpeg::kCoefficients), std::int16_t{0});
    HuffmanTable tables[4];
    for (int t = 0; t < 4; ++t) {
      tables[t] = usual[t];
      if (!own_tables) continue;
      std::uint32_t counts[jpeg::kSymbols] = {};
      for (const Symbol &s : symbols)
        if (s.table == t) ++counts[s.symbol];
      tables[t] = jpeg::optimal_table(counts);
    }
    if (own_tables || !leave_tables_out)
      for (int t = 0; t < 4; ++t)
        w.table(t, tables[t]);
    w.marker(0xDA);
    w.word(6 + 2 * (last - first));
    w.byte(last - first);
    for (int c = first; c < last; ++c) {
      w.byte(c + 1);
      w.byte(c == 0 ? 0x00 : 0x11);
    }
    w.byte(0);
    w.byte(63);
    w.byte(0);
    if (scan == 0) file.scan = file.bytes.size();
    jpeg::HuffmanCodes codes_of_tables[4];
    for (int t = 0; t < 4; ++t)
      codes_of_tables[t] = jpeg::codes_of(tables[t]);
    for (const Symbol &s : symbols) {
      if (s.table == kRestart) {
        w.pad();
        w.marker(0xD0 + s.symbol % 8);
        continue;
      }
      const jpeg::HuffmanCodes &codes = codes_of_tables[s.table];
      const auto symbol = static_cast<std::size_t>(s.symbol);
      w.bits(codes.code[symbol], codes.length[symbol]);
      w.bits(static_cast<std::uint32_t>(s.extra), s.bits);
    }
    w.pad();
    first = last;
  }
  if (random.below(8) != 0) w.marker(0xD9);
  file.text = std::to_string(file.width) + " x " + std::to_string(file.height) + ", interval " +
              std::to_string(interval) + ", scans of kind " + std::to_string(kind) + ", sampling ";
  for (const WrittenComponent &c : file.components)
    file.text += std::to_string(c.h) + "x" + std::to_string(c.v) + " ";
  if (is_wide) file.text += ", wide steps";
  if (own_tables) file.text += ", own tables";
  return file;
}

}  // namespace coalesce::test
