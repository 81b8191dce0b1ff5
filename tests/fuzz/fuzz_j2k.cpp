// SPDX-License-Identifier: LGPL-2.1-or-later
// The decoder that judges the JPEG 2000 encoder: whatever it is given ends in a complaint or in a
// whole picture. A judge that crashes on a bad codestream, or is silent, judges nothing.
#include <vector>

#include "../kernels/j2k/judges/j2k_stream_decoder.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce::test;
  constexpr std::int64_t kFewPoints = 1 << 14;  // so that one input takes milliseconds
  const Decoded decoded =
      decode_stream(std::vector<std::uint8_t>(data, data + size), 0, kFewPoints);
  if (!decoded.complaint.empty()) return 0;
  DEMAND(!decoded.components.empty(), "no components");
  for (const Decoded::Component &c : decoded.components) {
    DEMAND(c.width > 0 && c.height > 0 && c.bits >= 1 && c.bits <= 16, "%d x %d, %d bits", c.width,
           c.height, c.bits);
    DEMAND(c.samples.size() == static_cast<std::size_t>(c.width) * static_cast<unsigned>(c.height),
           "%zu samples", c.samples.size());
    for (std::int32_t sample : c.samples)
      DEMAND(sample >= 0 && sample < 1 << c.bits, "a sample of %d", sample);
  }
  return 0;
}
