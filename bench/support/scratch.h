// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory that operations need beside the pictures.
#pragma once

#include <cstddef>
#include <memory>

#include "tests/support/device.h"

namespace coalesce::test {

// For one call at a time, of either back end. Of no bytes: nullptr.
class Scratch {
 public:
  Scratch(std::size_t bytes, bool on_cuda) {
    if (bytes == 0) return;
    if (on_cuda)
      device_ = std::make_unique<DeviceMemory>(bytes);
    else
      host_ = std::make_unique<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
  }
  void *data() const {
    return device_ != nullptr ? device_->data() : static_cast<void *>(host_.get());
  }
  DeviceMemory *device() const { return device_.get(); }  // nullptr on the CPU, where it is zero

 private:
  std::unique_ptr<DeviceMemory> device_;
  std::unique_ptr<std::max_align_t[]> host_;
};

}  // namespace coalesce::test
