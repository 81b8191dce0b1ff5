// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures to baseline JPEG files (ITU-T T.81), on the CPU. See README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../core/status.h"
#include "../../picture/image.h"
#include "../plan/encoder_params.h"

namespace coalesce::jpeg {

// For pictures of one format and size, one after the other, on the calling thread. The bytes depend
// on the parameters and the samples alone. Memory is allocated in make(), and for *file.
class Encoder {
 public:
  // Errors: those of check_params(); out_of_memory.
  static Status make(const EncoderParams &params, std::unique_ptr<Encoder> *encoder);
  ~Encoder();

  // EncoderParams::quality and max_bytes of the pictures from now on. Errors: invalid_argument;
  // then all stays as it was. max_bytes is 0 where it was 0 in make(), and is not elsewhere.
  Status set_quality(int quality);
  Status set_max_bytes(std::size_t max_bytes);

  // Appends a file. Errors: invalid_argument: another format or size, or max_bytes is too small for
  // the picture even with a quality of 1; out_of_memory. Then *file is as it was.
  Status encode(const ConstImage &image, std::vector<std::uint8_t> *file);
  // Of the last file: that of EncoderParams, or lower with max_bytes.
  int quality() const;

 private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace coalesce::jpeg
