// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tier1.h"

#include "codeword_segments.h"
#include "context/context_model.h"

namespace coalesce::j2k {
namespace {

Status check_block(const CodeBlock &block) {
  if (block.samples == nullptr) return invalid_argument("code-block: no samples");
  if (block.width < 1 || block.height < 1 || block.width > kMaxBlockSide ||
      block.height > kMaxBlockSide || block.width * block.height > kMaxBlockSamples)
    return invalid_argument("code-block: sides are 1 to 1024, and 4096 samples at most");
  if (block.fraction_bits < 0 || block.fraction_bits > kMaxFractionBits)
    return invalid_argument("code-block: fraction bits are 0 to 30");
  if (block.max_planes < 0 || block.max_planes > kMaxBandPlanes)
    return invalid_argument("code-block: bit-planes are 0 to 74");
  if (block.band > Band::hh) return invalid_argument("code-block: no such band");
  if ((block.style & ~kAllBlockStyles) != 0)
    return invalid_argument("code-block: no such style flag");
  return {};
}

}  // namespace

// A sample has at most one decision in every plane and one for its sign; a run that ends adds two,
// once in four samples; the segmentation symbol has four in every plane.
std::size_t tier1_symbols_bound(int samples, int planes) {
  if (planes == 0) return 0;
  const std::size_t n = static_cast<std::size_t>(samples), p = static_cast<std::size_t>(planes);
  return n * (p + 1) + n / 2 + 4 * p;
}

// A decision of the MQ coder takes 5.4 bits at most, on average over any number of them but for 32
// bits for each context since its reset; of two bytes at least 15 bits are of use. (The tests
// derive 5.4 and 32 from the table of states.) Termination adds up to five bytes.
std::size_t tier1_bytes_bound(int samples, int planes, unsigned style) {
  if (planes == 0) return 0;
  const std::size_t passes = 3 * static_cast<std::size_t>(planes) - 2;
  const std::size_t resets = (style & kReset) != 0 ? passes : 1;
  return (tier1_symbols_bound(samples, planes) * 72 + 99) / 100 + resets * 82 + passes * 5;
}

struct Tier1Coder::Memory {
  ContextModel model;
  PassCoder coder;
  std::uint8_t symbols[kMaxPassSymbols];
};

Tier1Coder::Tier1Coder() : memory_(std::make_unique<Memory>()) {}
Tier1Coder::~Tier1Coder() = default;
Tier1Coder::Tier1Coder(Tier1Coder &&) noexcept = default;
Tier1Coder &Tier1Coder::operator=(Tier1Coder &&) noexcept = default;

Status Tier1Coder::encode(const CodeBlock &block, Pass *passes, std::uint8_t *bytes,
                          std::size_t room, CodedBlock *coded) {
  const Status status = check_block(block);
  if (!status.ok()) return status;
  const int planes = memory_->model.begin(block);
  if (planes > block.max_planes)
    return invalid_argument("code-block: a magnitude has more bit-planes than the band");
  if (room < tier1_bytes_bound(block.width * block.height, planes, block.style))
    return invalid_argument("code-block: too little room for the bytes");
  PassCoder &coder = memory_->coder;
  coder.start(block.style, planes, passes, bytes);
  code_passes(memory_->model, planes, block.style, memory_->symbols, coder);
  *coded = {block.max_planes - planes, coder.passes(), coder.length()};
  return {};
}

}  // namespace coalesce::j2k
