// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG files to pictures on the CPU. See README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../../picture/image.h"
#include "headers.h"

namespace coalesce::jpeg {

struct DecodeParams {
  std::int64_t max_pixels = kUsualMostPixels;  // of a file that is not refused
  bool fancy_upsampling = true;                // of RGB; else samples are repeated
};

// For files of any kind one after the other. The pixels are those of libjpeg-turbo in C with its
// accurate integer DCT: those of its raw data, or RGB. Memory stays from one file to the next.
class Decoder {
 public:
  // pool: nullptr for the calling thread alone.
  explicit Decoder(const DecodeParams &params, ThreadPool *pool = nullptr);
  ~Decoder();
  Decoder(const Decoder &) = delete;
  Decoder &operator=(const Decoder &) = delete;

  // Reads what is before the first scan. The file stays where it is until decode() has returned.
  // Errors: those of HeaderReader::first_scan(); out_of_memory.
  Status read(const std::uint8_t *file, std::size_t bytes);
  const Frame &frame() const;  // after read()

  // Once after each read(). *broken: how the file is, and the picture what libjpeg makes of it;
  // nullptr: it is whole. Errors: those of check_output() and check_image(); invalid_argument of a
  // header between scans; out_of_memory.
  Status decode(const Image &out, const char **broken);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coalesce::jpeg
