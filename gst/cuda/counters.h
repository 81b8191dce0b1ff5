// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace coalesce::gst {

// What the `stats` property shows. Shared between an element and the memory it wrote, because a
// wait that someone downstream causes is counted where the write was made.
struct Counters {
  std::atomic<std::uint64_t> frames{0};
  std::atomic<std::uint64_t> uploads{0};
  std::atomic<std::uint64_t> downloads{0};
  std::atomic<std::uint64_t> upload_bytes{0};
  std::atomic<std::uint64_t> download_bytes{0};
  std::atomic<std::uint64_t> synchronizations{0};  // times a CPU thread waited for the GPU
};

}  // namespace coalesce::gst
