// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole encoder: pictures to codestreams of ITU-T T.800. See docs/jpeg2000.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../params/encoder_params.h"
#include "../tier2/coded_picture.h"
#include "../transform/samples.h"

namespace coalesce::j2k {

// Errors: invalid_argument; the text names the parameter.
Status check_params(const EncoderParams &params);

// For pictures of one format, one after the other. The bytes depend on the parameters and the
// samples only, not on the pool (nullptr: the calling thread) or on earlier pictures. Memory is
// allocated in make(), and with the first picture, or the first that is larger coded than any
// before it.
//
// Errors: invalid_argument, the text naming the parameter; out_of_memory; unsupported for results
// that a codestream has no numbers for (4 GiB of a tile-part, 256 PLT markers).
class Encoder {
 public:
  // least_bytes: how many the last layer's target has to have at least, if it is of bytes, and if
  // nothing else is wrong.
  static Status make(const EncoderParams &params, std::unique_ptr<Encoder> *encoder,
                     std::uint64_t *least_bytes = nullptr);
  ~Encoder();

  // Other EncoderParams::targets from the next picture on, or allocate(): the same bytes as of an
  // encoder that was made with them. It must have been made with some, and they must be as many.
  // Allocates nothing. Errors: invalid_argument as of make(); then all stays as it was.
  Status set_targets(const std::vector<LayerBudget> &targets);

  // samples: one for each component, at its first sample; of the component's bits. Appends a
  // codestream to *out, with layers as the targets want them.
  Status encode(const Samples *samples, ThreadPool *pool, std::vector<std::uint8_t> *out);

  // The same in steps. First everything up to Tier-1,
  Status code(const Samples *samples, ThreadPool *pool);
  // which leaves the blocks of all tiles as they are until the next picture;
  const std::vector<BlockData> &blocks() const;
  // then what is in which layer: as the targets want it,
  Status allocate(ThreadPool *pool);
  // or whatever is put here; at first, nothing is in any;
  LayerPasses *layers();
  // then, as often as wanted, the codestream, appended.
  Status write(std::vector<std::uint8_t> *out);

 private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace coalesce::j2k
