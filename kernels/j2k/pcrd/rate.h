// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation: behind which pass each block is cut in each quality layer, so that a number of
// bytes buys the least squared error there is for it (PCRD-opt), over all tiles and components. In
// integers: docs/numerics.md. The result is a table for Tier-2; see docs/jpeg2000.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../params/encoder_params.h"
#include "rate_block.h"

namespace coalesce::j2k {

// The squared error that is left when all passes of a block are decoded, in units of step^2 / 64.
std::uint32_t final_error(const CodeBlock &block);

// What the error may be if each component is to have this many dB, after a decoder has rounded its
// samples; the PSNR of the whole picture if all have the same depth. How near that comes:
// docs/numerics.md. (With a region of interest, what 9/7's quantiser loses is not counted.)
LayerBudget target_at_psnr(const EncoderParams &params, double psnr);

// fine_base_step(), or as often halved as it takes to leave no more error than that.
double base_step_at_psnr(const EncoderParams &params, double psnr);

// For each layer and block, the number of passes in this layer and those before.
struct PassTable {
  const std::uint8_t *passes = nullptr;
  std::size_t blocks = 0;
  int layers = 0;

  const std::uint8_t *layer(int i) const { return passes + static_cast<std::size_t>(i) * blocks; }
};

// Tier-2's part: what a layer costs beside the bodies.
class PacketHeaders {
 public:
  virtual ~PacketHeaders() = default;
  // Adds the exact number of bytes of the headers of this layer's packets, and of markers that come
  // with them, to bytes[c] for each component c of the set, if `table` is right for layers 0 to
  // `layer`. (Without limits of components, it does not matter to which of them.) Calls come in the
  // order of layers, often several for one; the last of them, but for the last layer, with what the
  // layer stays to be. There may be a first round of layer 0 alone. A layer in which no block has
  // new passes must not take more than such a layer 0.
  virtual void count(int layer, unsigned components, const PassTable &table,
                     std::uint64_t *bytes) = 0;
};

class RateAllocator {
 public:
  RateAllocator();
  ~RateAllocator();
  RateAllocator(RateAllocator &&) noexcept;
  RateAllocator &operator=(RateAllocator &&) noexcept;

  // Makes room: once for a format. passes: all blocks' at most, together. limits: never exceeded;
  // each is at least what the component's empty packets take.
  // Errors: out_of_memory; invalid_argument for layers that are not 1 to 65535, or not 1 with
  // limits of components.
  Status prepare(std::size_t blocks, std::size_t passes, int layers, ComponentLimits limits = {});

  // As many blocks and targets as prepare() was told. Every layer has at least the passes of the
  // one before, and more as long as there are thresholds left: for that, layers other than the last
  // exceed their target if they must, and leave something for those behind. The last one never
  // exceeds its number of bytes. headers: asked if any target is `bytes`, or components have
  // limits; may be nullptr otherwise. Allocates nothing; does not depend on the pool. Errors:
  // invalid_argument for an automatic last layer, `bytes` without headers, more passes than there
  // is room for, or fewer bytes than empty packets take.
  Status allocate(const RateBlock *blocks, const LayerBudget *targets, PacketHeaders *headers,
                  ThreadPool *pool);

  // Of the last allocate() that was ok.
  PassTable table() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace coalesce::j2k
