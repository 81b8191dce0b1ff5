// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_serial_model.h"

#include <algorithm>
#include <bit>

#include "j2k/tier1/context/contexts.h"

namespace coalesce::j2k {
namespace {

// The scan of D.1: stripes of four rows, in them columns from left to right.
template <class Visit>
void for_scan(int width, int height, Visit &&visit) {
  for (int stripe = 0; stripe < height; stripe += 4)
    for (int x = 0; x < width; ++x)
      for (int y = stripe; y < std::min(stripe + 4, height); ++y)
        visit(x, y);
}

}  // namespace

int SerialModel::begin(const CodeBlock &block) {
  block_ = block;
  samples_.assign(static_cast<std::size_t>(block.width * block.height), Sample());
  std::uint32_t all = 0;
  for (int y = 0; y < block.height; ++y)
    for (int x = 0; x < block.width; ++x) {
      const std::int32_t v = block.samples[y * block.pitch + x];
      Sample &sample = at(x, y);
      sample.negative = v < 0;
      sample.magnitude = v < 0 ? 0u - static_cast<std::uint32_t>(v) : static_cast<std::uint32_t>(v);
      all |= sample.magnitude >> block.fraction_bits;
    }
  return std::bit_width(all);
}

// 1 or -1 where the neighbour is significant. Outside the block nothing is, and what begins at
// stripe_end does not count (D.7).
int SerialModel::sign(int x, int y, int stripe_end) {
  if (x < 0 || y < 0 || x >= block_.width || y >= stripe_end) return 0;
  const Sample &sample = at(x, y);
  if (!sample.significant) return 0;
  return sample.negative ? -1 : 1;
}

SerialModel::Neighbours SerialModel::neighbours(int x, int y) {
  const bool causal = (block_.style & kCausal) != 0;
  const int end = causal ? std::min(y / 4 * 4 + 4, block_.height) : block_.height;
  const int left = sign(x - 1, y, end), right = sign(x + 1, y, end);
  const int above = sign(x, y - 1, end), below = sign(x, y + 1, end);
  Neighbours n = {};
  n.horizontal = (left != 0) + (right != 0);
  n.vertical = (above != 0) + (below != 0);
  for (int dy : {-1, 1})
    for (int dx : {-1, 1})
      n.diagonal += sign(x + dx, y + dy, end) != 0;
  n.horizontal_sign = std::clamp(left + right, -1, 1);
  n.vertical_sign = std::clamp(above + below, -1, 1);
  return n;
}

int SerialModel::zero_context_of(int x, int y) {
  const Neighbours n = neighbours(x, y);
  return kContextZero + zero_context(block_.band, n.horizontal, n.vertical, n.diagonal);
}

int SerialModel::bit(int x, int y, int plane) {
  return static_cast<int>(at(x, y).magnitude >> block_.fraction_bits >> plane & 1);
}

// What is below the plane, in units of 1 / 64 of it.
int SerialModel::fraction(int x, int y, int plane) {
  const std::uint64_t below = at(x, y).magnitude & ((1ull << (plane + block_.fraction_bits)) - 1);
  return static_cast<int>((below << kDistortionBits) >> (plane + block_.fraction_bits));
}

void SerialModel::put(int context, int decision) {
  symbols_.push_back(symbol_of(context, decision));
}

PassSymbols SerialModel::take(std::uint8_t *symbols) {
  std::copy(symbols_.begin(), symbols_.end(), symbols);
  const PassSymbols made = {static_cast<int>(symbols_.size()), distortion_};
  symbols_.clear();
  distortion_ = 0;
  return made;
}

// D.3.2.
void SerialModel::code_sign(int x, int y, int plane, bool raw) {
  Sample &sample = at(x, y);
  const Neighbours n = neighbours(x, y);
  const SignContext sign = sign_context(n.horizontal_sign, n.vertical_sign);
  const bool flips = sign.flips && !raw;
  put(raw ? kContextRaw : sign.context, sample.negative != flips ? 1 : 0);
  sample.significant = true;
  distortion_ += becomes_significant(fraction(x, y, plane), exact(plane));
}

void SerialModel::code_significance(int x, int y, int plane, bool raw) {
  put(raw ? kContextRaw : zero_context_of(x, y), bit(x, y, plane));
  if (bit(x, y, plane) == 1) code_sign(x, y, plane, raw);
}

// D.3.1.
PassSymbols SerialModel::significance(int plane, bool raw, std::uint8_t *symbols) {
  for_scan(block_.width, block_.height, [&](int x, int y) {
    at(x, y).visited = !at(x, y).significant && zero_context_of(x, y) != kContextZero;
    if (at(x, y).visited) code_significance(x, y, plane, raw);
  });
  return take(symbols);
}

// D.3.3.
PassSymbols SerialModel::refinement(int plane, bool raw, std::uint8_t *symbols) {
  for_scan(block_.width, block_.height, [&](int x, int y) {
    Sample &sample = at(x, y);
    if (!sample.significant || sample.visited) return;
    const bool any = zero_context_of(x, y) != kContextZero;
    put(raw ? kContextRaw : magnitude_context(!sample.refined, any), bit(x, y, plane));
    sample.refined = true;
    distortion_ += is_refined(bit(x, y, plane), fraction(x, y, plane), exact(plane));
  });
  return take(symbols);
}

// Whether the column of a stripe that begins at (x, y) is coded in run-length mode.
bool SerialModel::run(int x, int y) {
  if (y % 4 != 0 || y + 4 > block_.height) return false;
  for (int i = y; i < y + 4; ++i)
    if (at(x, i).significant || at(x, i).visited || zero_context_of(x, i) != kContextZero)
      return false;
  return true;
}

// D.3.4, and the segmentation symbol of D.5.
PassSymbols SerialModel::cleanup(int plane, std::uint8_t *symbols) {
  int run_end = 0;  // the samples of a column above this row are coded
  for_scan(block_.width, block_.height, [&](int x, int y) {
    if (y % 4 == 0) run_end = y;
    if (run(x, y)) {
      run_end = y;
      while (run_end < y + 4 && bit(x, run_end, plane) == 0)
        ++run_end;
      put(kContextRun, run_end < y + 4 ? 1 : 0);
      if (run_end == y + 4) return;
      put(kContextUniform, (run_end - y) >> 1);
      put(kContextUniform, (run_end - y) & 1);
      code_sign(x, run_end, plane, false);
      ++run_end;
      return;
    }
    if (y < run_end || at(x, y).significant || at(x, y).visited) return;
    code_significance(x, y, plane, false);
  });
  if ((block_.style & kSegmentationSymbols) != 0)
    for (int decision : {1, 0, 1, 0})
      put(kContextUniform, decision);
  for (Sample &sample : samples_)
    sample.visited = false;
  return take(symbols);
}

}  // namespace coalesce::j2k
