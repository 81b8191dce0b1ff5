// SPDX-License-Identifier: LGPL-2.1-or-later
// device.h in a build without CUDA.
#include <stdexcept>

#include "device.h"

namespace coalesce::test {
namespace {

[[noreturn]] void none() {
  throw std::runtime_error(device_text());
}

}  // namespace

bool device_usable() {
  return false;
}

std::string device_text() {
  return "this build has no CUDA kernels";
}

int device_major() {
  none();
}

DeviceMemory::DeviceMemory(std::size_t) {
  none();
}
DeviceMemory::~DeviceMemory() = default;
DeviceMemory::DeviceMemory(DeviceMemory &&) noexcept = default;
void DeviceMemory::upload(const void *) {
  none();
}
void DeviceMemory::download(void *, std::size_t) const {
  none();
}
void DeviceMemory::fill_random(std::uint64_t) {
  none();
}
std::shared_ptr<std::uint8_t> page_locked(std::size_t) {
  none();
}
std::size_t device_mismatches(const DeviceMemory &, const DeviceMemory &) {
  none();
}
void *device_stream() {
  none();
}
void device_synchronize() {
  none();
}
std::size_t device_free_bytes() {
  none();
}
void device_copy_async(void *, const void *, std::size_t) {
  none();
}
void device_copy_by_kernel_async(void *, const void *, std::size_t) {
  none();
}
DeviceGraph::DeviceGraph(const std::function<void()> &, bool) {
  none();
}
DeviceGraph::~DeviceGraph() = default;
double DeviceGraph::milliseconds() {
  none();
}

}  // namespace coalesce::test
