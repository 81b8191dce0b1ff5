// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../../support/device.h"
#include "../encoder/j2k_encode.h"

namespace coalesce::test {

class DevicePicture {
 public:
  explicit DevicePicture(const Picture &p) : samples_(p) {
    for (int c = 0; c < p.params.num_components; ++c) {
      const std::vector<std::uint16_t> &plane = p.plane[c];
      planes_.emplace_back(std::max<std::size_t>(plane.size() * sizeof plane[0], 1));
      if (!plane.empty()) planes_.back().upload(plane.data());
      samples_.at[c].data =
          planes_.back().data() + (static_cast<const std::uint8_t *>(samples_.at[c].data) -
                                   reinterpret_cast<const std::uint8_t *>(plane.data()));
    }
  }
  const j2k::Samples *samples() const { return samples_.at; }

 private:
  AllSamples samples_;
  std::vector<DeviceMemory> planes_;
};

}  // namespace coalesce::test
