// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_packet_reader.h"

#include <algorithm>
#include <functional>

#include "../canvas/j2k_packet_order.h"
#include "j2k/canvas/code_block.h"

namespace coalesce::test {
namespace {

using namespace j2k;

void demand(bool condition, const char *what) {
  if (!condition) throw Malformed(what);
}

// B.10.1
class BitReader {
 public:
  explicit BitReader(ByteReader *bytes) : bytes_(*bytes) {}

  int bit() {
    if (left_ == 0) {
      const bool stuffed = byte_ == 0xFF;
      byte_ = bytes_.u8();
      demand(!stuffed || byte_ < 0x80, "packet header: no stuffing behind FF");
      left_ = stuffed ? 7 : 8;
    }
    return byte_ >> --left_ & 1;
  }
  std::uint32_t bits(int n) {
    std::uint32_t v = 0;
    while (n-- > 0)
      v = v << 1 | static_cast<unsigned>(bit());
    return v;
  }
  void end() {
    demand((byte_ & ((1u << left_) - 1)) == 0, "packet header: padding");
    left_ = 0;
    if (byte_ == 0xFF) demand(bytes_.u8() == 0, "packet header: it ends in FF");
  }

 private:
  ByteReader &bytes_;
  unsigned byte_ = 0;
  int left_ = 0;
};

// B.10.2, by recursion.
class TagTreeReader {
 public:
  TagTreeReader(int width, int height) : width_(width) {
    low_.resize(static_cast<std::size_t>(width * height));
    known_.resize(low_.size());
    if (width * height > 1) parent_.push_back(TagTreeReader((width + 1) / 2, (height + 1) / 2));
  }

  // Reads until it is clear whether the value is below the threshold. The value, or a bound of it
  // that is not below the threshold.
  int read(int x, int y, int threshold, BitReader *bits) {
    const auto i = static_cast<std::size_t>(y * width_ + x);
    if (!parent_.empty())
      low_[i] = std::max(low_[i], parent_[0].read(x / 2, y / 2, threshold, bits));
    while (low_[i] < threshold && !known_[i]) {
      if (bits->bit() == 1)
        known_[i] = true;
      else
        ++low_[i];
    }
    return low_[i];
  }

 private:
  int width_;
  std::vector<int> low_;
  std::vector<bool> known_;
  std::vector<TagTreeReader> parent_;
};

// Table B.4.
int number_of_passes(BitReader *bits) {
  if (bits->bit() == 0) return 1;
  if (bits->bit() == 0) return 2;
  const std::uint32_t two = bits->bits(2);
  if (two < 3) return 3 + static_cast<int>(two);
  const std::uint32_t five = bits->bits(5);
  if (five < 31) return 6 + static_cast<int>(five);
  return 37 + static_cast<int>(bits->bits(7));
}

// Table D.8 and D.9: does a codeword segment end with this pass of a block?
bool ends_segment(unsigned style, int pass) {
  if ((style & kTermAll) != 0) return true;
  return (style & kBypass) != 0 && pass >= 9 && pass % 3 != 1;
}

class PacketReader {
 public:
  PacketReader(const Stream &stream, const TileGeometry &tile, const StreamTile &data)
      : s_(stream),
        tile_(tile),
        data_(data),
        bytes_(data.data.data(), data.data.size()),
        blocks_(tile.blocks.size()),
        l_block_(tile.blocks.size(), 3) {
    for (const PrecinctBand &band : tile.precinct_bands) {
      inclusion_.emplace_back(band.blocks_wide, band.blocks_high);
      zero_planes_.emplace_back(band.blocks_wide, band.blocks_high);
    }
  }

  void packet(int component, int resolution, int precinct, int layer) {
    const std::size_t begin = bytes_.at();
    if (s_.sop) {
      demand(bytes_.u16() == 0xFF91 && bytes_.u16() == 4, "SOP");
      demand(bytes_.u16() == (count_ & 0xFFFF), "SOP: number");
    }
    const Resolution &r = tile_.resolution(component, resolution);
    contributions_.clear();
    header(r, tile_.precincts[static_cast<std::size_t>(r.first_precinct + precinct)], layer);
    if (s_.eph) demand(bytes_.u16() == 0xFF92, "EPH");
    for (const Contribution &c : contributions_) {
      ReadBlock &block = blocks_[c.block];
      const ByteReader part = bytes_.part(c.bytes);
      block.bytes.insert(block.bytes.end(), part.data(), part.data() + c.bytes);
    }
    ++count_;
    count_in_tile_part(bytes_.at() - begin);
  }

  std::vector<ReadBlock> finish() {
    demand(bytes_.left() == 0, "bytes behind the last packet");
    if (count_ == 0) demand(data_.parts[part_++].packet_lengths.empty(), "PLT: packets");
    demand(part_ == data_.parts.size(), "a tile-part without packets");
    for (const ReadBlock &block : blocks_)
      demand(block.layer_passes.size() == static_cast<std::size_t>(s_.layers), "layers");
    return std::move(blocks_);
  }

 private:
  struct Contribution {
    std::size_t block;
    std::uint32_t bytes;
  };

  // Tile-parts have whole packets, and each of them the PLT of its own.
  void count_in_tile_part(std::size_t length) {
    demand(part_ < data_.parts.size(), "a packet behind the last tile-part");
    const StreamPart &part = data_.parts[part_];
    demand(bytes_.at() <= part.end, "a packet goes beyond its tile-part");
    if (s_.has_plt)
      demand(part_count_ < part.packet_lengths.size() && part.packet_lengths[part_count_] == length,
             "PLT and a packet differ");
    ++part_count_;
    if (bytes_.at() < part.end) return;
    demand(!s_.has_plt || part.packet_lengths.size() == part_count_, "PLT: packets");
    part_count_ = 0;
    ++part_;
  }

  void header(const Resolution &r, const Precinct &precinct, int layer) {
    BitReader bits(&bytes_);
    const bool empty = bits.bit() == 0;
    for (int b = 0; b < r.num_bands; ++b) {
      const auto index = static_cast<std::size_t>(precinct.first_band + b);
      const PrecinctBand &band = tile_.precinct_bands[index];
      for (int y = 0; y < band.blocks_high; ++y)
        for (int x = 0; x < band.blocks_wide; ++x) {
          const auto block = static_cast<std::size_t>(band.first_block + y * band.blocks_wide + x);
          demand(blocks_[block].layer_passes.size() == static_cast<std::size_t>(layer),
                 "layers out of order");
          if (!empty) read_block(block, index, x, y, layer, &bits);
          blocks_[block].layer_passes.push_back(blocks_[block].passes);
        }
    }
    bits.end();
  }

  void read_block(std::size_t index, std::size_t band, int x, int y, int layer, BitReader *bits) {
    ReadBlock &block = blocks_[index];
    if (block.passes > 0) {
      if (bits->bit() == 0) return;
    } else {
      if (inclusion_[band].read(x, y, layer + 1, bits) > layer) return;
      // The planes that are zero: no band has more than 74.
      int threshold = 1;
      while (zero_planes_[band].read(x, y, threshold, bits) >= threshold)
        demand(threshold++ < 75, "packet header: zero bit-planes");
      block.zero_planes = threshold - 1;
    }
    const int passes = number_of_passes(bits);
    while (bits->bit() == 1)
      demand(++l_block_[index] < 32, "packet header: Lblock");
    for (int first = block.passes, end = first + passes; first < end;) {
      int last = first;
      while (last + 1 < end && !ends_segment(s_.style, last))
        ++last;
      int log2 = 0;
      while (2 << log2 <= last + 1 - first)
        ++log2;
      demand(l_block_[index] + log2 < 32, "packet header: a length");
      const std::uint32_t length = bits->bits(l_block_[index] + log2);
      contributions_.push_back({index, length});
      const std::uint32_t before = block.lengths.empty() ? 0 : block.lengths.back();
      block.lengths.resize(static_cast<std::size_t>(last + 1), before + length);
      first = last + 1;
    }
    block.passes += passes;
    demand(block.passes <= 3 * 74 - 2, "packet header: passes");
  }

  const Stream &s_;
  const TileGeometry &tile_;
  const StreamTile &data_;
  ByteReader bytes_;
  std::vector<ReadBlock> blocks_;
  std::vector<int> l_block_;
  std::vector<TagTreeReader> inclusion_, zero_planes_;
  std::vector<Contribution> contributions_;
  std::size_t count_ = 0;
  std::size_t part_ = 0, part_count_ = 0;  // the tile-part, and packets in it
};

}  // namespace

std::vector<ReadBlock> read_packets(const Stream &stream, const TileGeometry &tile,
                                    const StreamTile &data) {
  PacketReader reader(stream, tile, data);
  for_packets(stream, tile, [&](int component, int resolution, int precinct, int layer) {
    reader.packet(component, resolution, precinct, layer);
  });
  return reader.finish();
}

}  // namespace coalesce::test
