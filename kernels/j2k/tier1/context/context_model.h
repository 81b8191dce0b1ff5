// SPDX-License-Identifier: LGPL-2.1-or-later
// Context modelling for 64 samples at a time.
//
// Whether a sample is coded in the significance pass depends on what the pass has done to its
// neighbours, which looks as if samples had to be visited one after the other. But with sigma the
// significance before the pass and v the bits of the plane, the members pi of the pass are
//
//   pi[x] = not sigma[x] and (sigma[n] for a neighbour n of x,
//                             or pi[n] and v[n] for a neighbour n that is scanned before x)
//
// and the right side only grows with pi: so it can be applied to many samples at once, from pi = 0
// on, until nothing changes any more, and arrives at what the serial order arrives at. (After
// J. Matela, V. Rusnak, P. Holub: Efficient JPEG2000 EBCOT Context Modeling for Massively Parallel
// Architectures, DCC 2011: sigma is their rho of the plane above, pi and v their tau, and what
// stands in brackets their delta.) All else in the three passes then follows from pi: contexts are
// logic on whole words.
//
// A word holds 4 rows, one stripe, of 16 columns; sample (x, y) of them is bit 4 x + y, so that the
// order of bits is the order of the scan (T.800 D.1).
#pragma once

#include <cstdint>

#include "coding_pass.h"
#include "context_logic.h"

namespace coalesce::j2k {

class ContextModel {
 public:
  // See code_passes().
  int begin(const CodeBlock &block);
  PassSymbols significance(int plane, bool raw, std::uint8_t *symbols);
  PassSymbols refinement(int plane, bool raw, std::uint8_t *symbols);
  PassSymbols cleanup(int plane, std::uint8_t *symbols);

 private:
  // Words with a frame of zeros: one on each side, one stripe above and below. Most for 256
  // stripes.
  static constexpr int kMaxWords = (kMaxBlockSide / 4 + 2) * 3;

  void load_word(const CodeBlock &block, int stripe, int column, int word);
  template <class Visit>
  void for_words(Visit &&visit);
  Sliced signs(int word, const Neighbours &n) const;
  bool exact(int plane) const { return fraction_bits_ == 0 && plane == 0; }

  std::uint64_t inside_[kMaxWords];       // samples of the block
  std::uint64_t negative_[kMaxWords];     // signs
  std::uint64_t significant_[kMaxWords];  // sigma
  std::uint64_t visited_[kMaxWords];      // pi of this plane
  std::uint64_t refined_[kMaxWords];      // at least once
  std::uint64_t planes_[32 * kMaxWords];  // of magnitudes, fraction bits included

  int stripes_, columns_;  // in words
  int stride_, words_;     // with the frame
  int fraction_bits_, total_planes_;
  Band band_;
  unsigned style_;
};

}  // namespace coalesce::j2k
