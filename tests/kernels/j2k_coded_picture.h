// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture of one tile through all stages up to Tier-1, and back from any cut of its blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k/geometry.h"
#include "j2k/quantiser.h"
#include "j2k_rate_tables.h"

namespace coalesce::test {

// 8 bits, of one or three components (R, G, B).
struct PlainPicture {
  int width = 0, height = 0, components = 0;
  std::vector<std::uint8_t> samples;  // plane by plane
};
// Smooth parts, edges, texture, noise.
PlainPicture made_picture(int width, int height, int components, std::uint64_t seed);
// P5 or P6; nothing of it if it cannot be read.
PlainPicture read_pnm(const char *path);

struct CodingChoice {
  j2k::Wavelet wavelet = j2k::Wavelet::irreversible_97;
  int block_log2 = 6;
  unsigned style = 0;
  double base_step = 0.5;
};

class CodedPicture {
 public:
  CodedPicture(const PlainPicture &picture, const CodingChoice &choice);

  const j2k::CodingParams &params() const { return params_; }
  const Blocks &blocks() const { return blocks_; }
  // The squared error of the picture that a decoder makes of so many passes of each block: before
  // it rounds samples to integers and limits them, or afterwards.
  struct Error {
    double exact, rounded;
  };
  Error error(const std::uint8_t *passes) const;
  double psnr(double error) const;

 private:
  template <class T>
  void code();
  void code_band(int band, const Plane<std::int32_t> &samples, int fraction_bits);
  template <class T>
  Error decoded_error(const std::uint8_t *passes) const;

  const PlainPicture picture_;
  CodingChoice choice_;
  j2k::CodingParams params_;
  j2k::TileGeometry geometry_;
  Blocks blocks_;
  std::vector<j2k::BandQuantiser> quantisers_;    // by band
  std::vector<int> planes_;                       // by block, coded ones
  std::vector<std::vector<std::uint8_t>> bytes_;  // by block
};

}  // namespace coalesce::test
