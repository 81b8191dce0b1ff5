// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpeg_reference.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "jpeg/tables/huffman.h"

namespace coalesce::test {
namespace {

using namespace jpeg;  // NOLINT

using Bytes = std::vector<std::uint8_t>;

int parts(int whole, int part) {
  return (whole + part - 1) / part;
}

int sample(const ConstImage &image, const PixelComponent &c, int x, int y) {
  return image.of(c).row(y)[c.first + x * c.step];
}

// libjpeg's tables of products with 16 bits of fraction, half a unit being added once.
int weighted(double r, double g, double b, const std::uint8_t *pixel, int added) {
  const auto fixed = [](double weight) {
    const int size = static_cast<int>(std::abs(weight) * 65536 + 0.5);
    return weight < 0 ? -size : size;
  };
  return (fixed(r) * pixel[0] + fixed(g) * pixel[1] + fixed(b) * pixel[2] + added) / 65536;
}

CodedSamples converted(const ConstImage &image, int h, int v) {
  const Bytes pixels = rgb_pixels(image);
  CodedSamples all;
  all.h = h, all.v = v, all.components = 3;
  for (int c = 0; c < 3; ++c) {
    all.width[c] = c == 0 ? image.width : parts(image.width, h);
    all.height[c] = c == 0 ? image.height : parts(image.height, v);
    if (c > 0) all.width[c] = parts(all.width[c], 8) * 8;  // made of columns beyond the picture
    for (int y = 0; y < all.height[c]; ++y)
      for (int x = 0; x < all.width[c]; ++x) {
        const int down = c == 0 ? 1 : v, across = c == 0 ? 1 : h;
        int sum = 0;
        for (int i = 0; i < down; ++i)
          for (int j = 0; j < across; ++j) {
            const int row = std::min(y * down + i, image.height - 1);
            const int column = std::min(x * across + j, image.width - 1);
            const std::uint8_t *pixel = pixels.data() + 3 * (row * image.width + column);
            constexpr int kHalf = 32768, k128 = 128 * 65536;
            sum += c == 0   ? weighted(0.29900, 0.58700, 0.11400, pixel, kHalf)
                   : c == 1 ? weighted(-0.16874, -0.33126, 0.5, pixel, k128 + kHalf - 1)
                            : weighted(0.5, -0.41869, -0.08131, pixel, k128 + kHalf - 1);
          }
        const int pixels_of_sample = down * across;
        const int bias = pixels_of_sample == 1 ? 0 : pixels_of_sample == 2 ? x % 2 : 1 + x % 2;
        all.samples[c].push_back(static_cast<std::uint8_t>((sum + bias) / pixels_of_sample));
      }
  }
  return all;
}

int floor_shift(std::int64_t value, int bits) {
  return static_cast<int>((value + (std::int64_t{1} << (bits - 1))) >> bits);
}

// jfdctint's flow graph as sums of products: out[k] is the sum of factor[k][i] * in[i].
std::int64_t factor_of(int k, int i) {
  const std::int64_t f298 = 2446, f390 = 3196, f541 = 4433, f765 = 6270, f899 = 7373, f1175 = 9633,
                     f1501 = 12299, f1847 = 15137, f1961 = 16069, f2053 = 16819, f2562 = 20995,
                     f3072 = 25172;
  const int mirrored = i < 4 ? i : 7 - i;  // 0 to 3: the pairs from the outside to the middle
  const int sign = i < 4 ? 1 : -1;
  switch (k) {
    case 0:
      return 8192;
    case 4:
      return mirrored == 0 || mirrored == 3 ? 8192 : -8192;
    case 2: {
      const std::int64_t f[4] = {f541 + f765, f541, -f541, -f541 - f765};
      return f[mirrored];
    }
    case 6: {
      const std::int64_t f[4] = {f541, f541 - f1847, f1847 - f541, -f541};
      return f[mirrored];
    }
    case 1: {
      const std::int64_t f[4] = {f1501 - f899 + f1175 - f390, f1175, f1175 - f390, f1175 - f899};
      return sign * f[mirrored];
    }
    case 3: {
      const std::int64_t f[4] = {f1175, f3072 - f2562 + f1175 - f1961, f1175 - f2562,
                                 f1175 - f1961};
      return sign * f[mirrored];
    }
    case 5: {
      const std::int64_t f[4] = {f1175 - f390, f1175 - f2562, f2053 - f2562 + f1175 - f390, f1175};
      return sign * f[mirrored];
    }
    default: {
      const std::int64_t f[4] = {f1175 - f899, f1175 - f1961, f1175, f298 - f899 + f1175 - f1961};
      return sign * f[mirrored];
    }
  }
}

using Block = std::array<int, 64>;

Block transformed(const Block &samples) {
  Block rows, all;
  for (int y = 0; y < 8; ++y)
    for (int k = 0; k < 8; ++k) {
      std::int64_t sum = 0;
      for (int x = 0; x < 8; ++x)
        sum += factor_of(k, x) * (samples[static_cast<std::size_t>(8 * y + x)] - 128);
      rows[static_cast<std::size_t>(8 * y + k)] = floor_shift(sum, 11);
    }
  for (int x = 0; x < 8; ++x)
    for (int k = 0; k < 8; ++k) {
      std::int64_t sum = 0;
      for (int y = 0; y < 8; ++y)
        sum += factor_of(k, y) * rows[static_cast<std::size_t>(8 * y + x)];
      all[static_cast<std::size_t>(8 * k + x)] = floor_shift(sum, 15);
    }
  return all;
}

struct Symbol {
  int table;  // 0 and 1: DC, 2 and 3: AC
  int symbol;
  int bits, count;  // behind the code
};
struct Mark {
  std::size_t before_symbol;
  int number;
};

int size_of(int value) {
  int size = 0;
  for (int left = std::abs(value); left != 0; left /= 2)
    ++size;
  return size;
}

class Encoder {
 public:
  Encoder(const EncoderParams &params, const CodedSamples &samples)
      : params_(params), samples_(samples) {
    for (int i = 0; i < 2; ++i) {
      const auto &own = i == 0 ? params.luma_table : params.chroma_table;
      steps_[i] =
          own ? *own : quant_table(i == 0 ? kLumaQuantTable : kChromaQuantTable, params.quality);
    }
  }

  Bytes file() {
    make_symbols();
    HuffmanTable tables[4] = {kLumaDcTable, kChromaDcTable, kLumaAcTable, kChromaAcTable};
    if (params_.optimize)
      for (int i = 0; i < 4; ++i)
        tables[i] = best_table(i);
    write_headers(tables);
    write_scan(tables);
    file_.insert(file_.end(), {0xFF, 0xD9});
    return file_;
  }

 private:
  int table_of(int component) const { return component > 0 && !params_.keep_rgb ? 1 : 0; }
  int h(int component) const { return component == 0 ? samples_.h : 1; }
  int v(int component) const { return component == 0 ? samples_.v : 1; }

  Block quantised_block(int component, int x, int y) const {
    Block in;
    const int width = samples_.width[component], height = samples_.height[component];
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) {
        const int row = std::min(8 * y + j, height - 1), column = std::min(8 * x + i, width - 1);
        in[static_cast<std::size_t>(8 * j + i)] =
            samples_.samples[component][static_cast<std::size_t>(row * width + column)];
      }
    const Block all = transformed(in);
    Block quantised;
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t at = kNaturalOrder[k];
      const int divisor = 8 * steps_[table_of(component)][at];
      const int size = (std::abs(all[at]) + divisor / 2) / divisor;
      quantised[k] = all[at] < 0 ? -size : size;
    }
    return quantised;
  }

  void add(int table, int symbol, int value, int size) {
    symbols_.push_back({table, symbol, value < 0 ? value - 1 + (1 << size) : value, size});
  }

  void make_block_symbols(int component, const Block &block) {
    const int table = table_of(component);
    const int difference = block[0] - dc_[component];
    dc_[component] = block[0];
    add(table, size_of(difference), difference, size_of(difference));
    int zeros = 0;
    for (std::size_t k = 1; k < 64; ++k) {
      if (block[k] == 0) {
        ++zeros;
        continue;
      }
      for (; zeros >= 16; zeros -= 16)
        add(2 + table, 0xF0, 0, 0);
      add(2 + table, 16 * zeros + size_of(block[k]), block[k], size_of(block[k]));
      zeros = 0;
    }
    if (zeros > 0) add(2 + table, 0, 0, 0);
  }

  void make_symbols() {
    int mcus = 0;
    const int width = samples_.width[0], height = samples_.height[0];
    for (int y = 0; y < parts(height, 8 * samples_.v); ++y)
      for (int x = 0; x < parts(width, 8 * samples_.h); ++x, ++mcus) {
        if (params_.restart_interval != 0 && mcus != 0 && mcus % params_.restart_interval == 0) {
          marks_.push_back({symbols_.size(), (mcus / params_.restart_interval - 1) % 8});
          std::fill_n(dc_, 3, 0);
        }
        for (int c = 0; c < samples_.components; ++c)
          for (int j = 0; j < v(c); ++j)
            for (int i = 0; i < h(c); ++i) {
              const int column = x * h(c) + i, row = y * v(c) + j;
              Block block = {dc_[c]};
              const int luma_columns = parts(width, 8), luma_rows = parts(height, 8);
              if (c > 0 || (column < luma_columns && row < luma_rows))
                block = quantised_block(c, column, row);
              make_block_symbols(c, block);
            }
      }
  }

  // Annex K.2: figures K.1 to K.4, the code of ones alone being kept free by a symbol 256.
  HuffmanTable best_table(int table) const {
    std::map<int, long> counts;
    for (const Symbol &s : symbols_)
      if (s.table == table) ++counts[s.symbol];
    if (counts.empty()) return {};
    counts[256] = 1;
    std::map<int, int> length;
    std::map<int, std::vector<int>> members;
    for (const auto &[symbol, count] : counts)
      members[symbol] = {symbol};
    const auto take_least = [&counts] {
      auto least = counts.begin();
      for (auto i = counts.begin(); i != counts.end(); ++i)
        if (i->second <= least->second) least = i;
      const auto found = *least;
      counts.erase(least);
      return found;
    };
    while (counts.size() > 1) {
      const auto a = take_least(), b = take_least();
      for (const int from : members[b.first])
        members[a.first].push_back(from);
      for (const int symbol : members[a.first])
        ++length[symbol];
      counts[a.first] = a.second + b.second;
    }
    std::vector<int> of_length(300);
    for (const auto &[symbol, bits] : length)
      ++of_length[static_cast<std::size_t>(bits)];
    for (std::size_t i = 299; i > 16; --i)
      while (of_length[i] > 0) {
        std::size_t j = i - 2;
        while (of_length[j] == 0)
          --j;
        of_length[i] -= 2;
        of_length[i - 1] += 1;
        of_length[j + 1] += 2;
        of_length[j] -= 1;
      }
    std::size_t longest = 16;
    while (of_length[longest] == 0)
      --longest;
    --of_length[longest];
    HuffmanTable made;
    for (std::size_t i = 0; i < 16; ++i)
      made.counts[i] = static_cast<std::uint8_t>(of_length[i + 1]);
    std::vector<std::pair<int, int>> order;
    for (const auto &[symbol, bits] : length)
      if (symbol != 256) order.emplace_back(bits, symbol);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i)
      made.symbols[i] = static_cast<std::uint8_t>(order[i].second);
    return made;
  }

  void begin_segment(int marker, int length) {
    for (const int byte : {0xFF, marker, length >> 8, length & 255})
      file_.push_back(static_cast<std::uint8_t>(byte));
  }
  void put(std::initializer_list<int> bytes) {
    for (const int byte : bytes)
      file_.push_back(static_cast<std::uint8_t>(byte));
  }

  void write_headers(const HuffmanTable (&tables)[4]) {
    const int n = samples_.components, kinds = n == 1 || params_.keep_rgb ? 1 : 2;
    put({0xFF, 0xD8});
    if (params_.keep_rgb) {
      begin_segment(0xEE, 14);
      put({'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0});
    } else {
      begin_segment(0xE0, 16);
      put({'J', 'F', 'I', 'F', 0, 1, 1, 0, params_.density_x >> 8, params_.density_x & 255,
           params_.density_y >> 8, params_.density_y & 255, 0, 0});
    }
    for (int i = 0; i < kinds; ++i) {
      begin_segment(0xDB, 67);
      put({i});
      for (const int at : kNaturalOrder)
        put({steps_[i][static_cast<std::size_t>(at)]});
    }
    begin_segment(0xC0, 8 + 3 * n);
    put({8, params_.height >> 8, params_.height & 255, params_.width >> 8, params_.width & 255, n});
    for (int c = 0; c < n; ++c)
      put({id(c), 16 * h(c) + v(c), table_of(c)});
    for (int i = 0; i < kinds; ++i)
      for (const int ac : {0, 1}) {
        const HuffmanTable &table = tables[2 * ac + i];
        begin_segment(0xC4, 19 + table.size());
        put({16 * ac + i});
        for (const int count : table.counts)
          put({count});
        for (int k = 0; k < table.size(); ++k)
          put({table.symbols[static_cast<std::size_t>(k)]});
      }
    if (params_.restart_interval != 0) {
      begin_segment(0xDD, 4);
      put({params_.restart_interval >> 8, params_.restart_interval & 255});
    }
    begin_segment(0xDA, 6 + 2 * n);
    put({n});
    for (int c = 0; c < n; ++c)
      put({id(c), 17 * table_of(c)});
    put({0, 63, 0});
  }
  int id(int component) const { return params_.keep_rgb ? "RGB"[component] : component + 1; }

  void put_bits(int bits, int count) {
    for (int i = count - 1; i >= 0; --i) {
      byte_ = byte_ * 2 + (bits >> i & 1);
      if (++bits_ < 8) continue;
      put({byte_});
      if (byte_ == 255) put({0});
      byte_ = bits_ = 0;
    }
  }
  void fill_byte() {
    while (bits_ != 0)
      put_bits(1, 1);
  }

  void write_scan(const HuffmanTable (&tables)[4]) {
    std::map<int, std::pair<int, int>> codes[4];  // by symbol: code, length
    for (int i = 0; i < 4; ++i) {
      int code = 0;
      std::size_t next = 0;
      for (int length = 1; length <= 16; ++length, code *= 2)
        for (int n = tables[i].counts[static_cast<std::size_t>(length - 1)]; n > 0; --n)
          codes[i][tables[i].symbols[next++]] = {code++, length};
    }
    auto mark = marks_.begin();
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (mark != marks_.end() && mark->before_symbol == i) {
        fill_byte();
        put({0xFF, 0xD0 + mark->number});
        ++mark;
      }
      const Symbol &s = symbols_[i];
      const auto [code, length] = codes[s.table].at(s.symbol);
      put_bits(code, length);
      put_bits(s.bits, s.count);
    }
    fill_byte();
  }

  const EncoderParams &params_;
  const CodedSamples &samples_;
  QuantTable steps_[2];
  int dc_[3] = {};
  std::vector<Symbol> symbols_;
  std::vector<Mark> marks_;
  Bytes file_;
  int byte_ = 0, bits_ = 0;
};

}  // namespace

std::vector<std::uint8_t> rgb_pixels(const ConstImage &image) {
  Bytes pixels;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      for (int c = 0; c < 3; ++c)
        pixels.push_back(static_cast<std::uint8_t>(sample(image, image.format.component[c], x, y)));
  return pixels;
}

CodedSamples samples_as_they_are(const ConstImage &image) {
  CodedSamples all;
  all.components = image.format.has(Role::grey) ? 1 : 3;
  for (int c = 0; c < all.components; ++c) {
    const PixelComponent &from = image.format.component[c];
    all.width[c] = parts(image.width, 1 << from.log2_width);
    all.height[c] = parts(image.height, 1 << from.log2_height);
    if (c > 0) all.h = 1 << from.log2_width, all.v = 1 << from.log2_height;
    for (int y = 0; y < all.height[c]; ++y)
      for (int x = 0; x < all.width[c]; ++x)
        all.samples[c].push_back(static_cast<std::uint8_t>(sample(image, from, x, y)));
  }
  return all;
}

std::vector<std::uint8_t> jpeg_reference(const EncoderParams &params, const ConstImage &image) {
  CodedSamples samples;
  if (image.format.has(Role::r) && !params.keep_rgb)
    samples = converted(
        image, params.subsampling == Subsampling::s444 ? 1 : 2,
        params.subsampling == Subsampling::s444 || params.subsampling == Subsampling::s422 ? 1 : 2);
  else
    samples = samples_as_they_are(image);
  return Encoder(params, samples).file();
}

}  // namespace coalesce::test
