// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the markers of a codestream, as ITU-T T.800 Annex A has them, and complains of whatever is
// not so. It is made for what the encoder writes: unsigned components, tile after tile, POC in the
// main header only.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "j2k/canvas/geometry.h"

namespace coalesce::test {

// What is wrong with a codestream.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes, read from the first to the last.
class ByteReader {
 public:
  ByteReader(const std::uint8_t *bytes, std::size_t count) : bytes_(bytes), count_(count) {}

  unsigned u8();
  unsigned u16() {
    const unsigned high = u8();
    return high << 8 | u8();
  }
  std::uint32_t u32() {
    const std::uint32_t high = u16();
    return high << 16 | u16();
  }
  // The next bytes, which are skipped here.
  ByteReader part(std::size_t count);
  unsigned peek_u16() const { return ByteReader(*this).u16(); }
  std::size_t left() const { return count_ - at_; }
  std::size_t at() const { return at_; }
  const std::uint8_t *data() const { return bytes_ + at_; }

 private:
  const std::uint8_t *bytes_;
  std::size_t count_, at_ = 0;
};

struct StepSize {
  int exponent, mantissa;
};

struct StreamComponent {
  std::vector<StepSize> steps;  // of the bands
  int guard_bits = -1;
  int roi_shift = 0;
};

// A line of POC.
struct StreamProgression {
  int first_resolution, first_component;
  int end_layer, end_resolution, end_component;  // exclusive
  int order;
};

// A tile-part begins where the one before ends.
struct StreamPart {
  std::size_t end;                            // of its bytes, in the tile's data
  std::vector<std::uint64_t> packet_lengths;  // of PLT
};

struct StreamTile {
  std::vector<StreamPart> parts;
  std::vector<std::uint8_t> data;  // behind SOD, of all parts
};

struct TlmEntry {
  unsigned tile;
  std::uint32_t length;
};

struct Stream {
  j2k::CodingParams coding;
  unsigned profile = 0;
  bool sop = false, eph = false, colour = false, reversible = false;
  int layers = 0;
  std::vector<StreamProgression> progressions;  // of POC, or the one of COD
  unsigned style = 0;
  std::vector<StreamComponent> components;
  std::string comment;
  bool has_tlm = false, has_plt = false;
  std::vector<TlmEntry> tlm;
  std::vector<StreamTile> tiles;
};

// Where a marker is found, from a place on; bytes.size() if it is not.
std::size_t find_marker(const std::vector<std::uint8_t> &bytes, unsigned marker,
                        std::size_t from = 0);

// Throws Malformed.
Stream read_markers(const std::vector<std::uint8_t> &bytes);

}  // namespace coalesce::test
