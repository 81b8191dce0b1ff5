// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture of one tile through all stages up to Tier-1, and back from any cut of its blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "../encoder/j2k_plain_picture.h"
#include "../pcrd/j2k_rate_tables.h"
#include "j2k/canvas/geometry.h"
#include "j2k/transform/quantiser.h"

namespace coalesce::test {

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
