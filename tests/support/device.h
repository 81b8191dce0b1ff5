// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests need of a GPU, without CUDA in their source. In a build without CUDA no device is
// usable. Every function but the first two throws std::runtime_error when the device reports an
// error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace coalesce::test {

bool device_usable();
std::string device_text();  // the GPU and its driver, or why there is none
int device_major();         // of its compute capability

// An allocation of exactly so many bytes.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  std::uint8_t *data() const { return data_; }
  std::size_t size() const { return size_; }
  void upload(const void *from);
  void download(void *to) const { download(to, size_); }
  void download(void *to, std::size_t bytes) const;  // the first ones
  void fill_random(std::uint64_t seed);

 private:
  std::uint8_t *data_ = nullptr;
  std::size_t size_ = 0;
};

std::shared_ptr<std::uint8_t> page_locked(std::size_t bytes);  // host memory

// The number of places where they differ.
std::size_t device_mismatches(const DeviceMemory &a, const DeviceMemory &b);

void *device_stream();      // one for the whole program
void device_synchronize();  // waits for that stream, reports what went wrong in it
std::size_t device_free_bytes();
void device_copy_async(void *to, const void *from, std::size_t bytes);
// The same by a kernel of four 16-byte loads and stores a thread, to judge that yardstick by. Both
// addresses are multiples of 16; the last bytes that fill no 16 are left out.
void device_copy_by_kernel_async(void *to, const void *from, std::size_t bytes);

// Work on device_stream(), captured once and timed by replaying it; or enqueued anew each time, if
// it cannot be captured.
class DeviceGraph {
 public:
  explicit DeviceGraph(const std::function<void()> &enqueue, bool captured = true);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph &) = delete;
  DeviceGraph &operator=(const DeviceGraph &) = delete;

  double milliseconds();  // of one run, by events

 private:
  [[maybe_unused]] void *exec_ = nullptr;
  std::function<void()> enqueue_;  // not captured
};

}  // namespace coalesce::test
