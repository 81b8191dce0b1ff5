// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include <utility>

#include "cuda_status.h"

namespace coalesce {
namespace {

cudaStream_t stream_of(void *stream) {
  return static_cast<cudaStream_t>(stream);
}

cudaEvent_t event_of(void *event) {
  return static_cast<cudaEvent_t>(event);
}

}  // namespace

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), on_host_(other.on_host_) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(on_host_, other.on_host_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) (void)cuda_checked(on_host_ ? cudaFreeHost(data_) : cudaFree(data_));
}

Status DeviceMemory::on_device(std::size_t bytes, DeviceMemory *memory) {
  DeviceMemory made;
  if (Status s = cuda_checked(cudaMalloc(&made.data_, bytes)); !s.ok()) return s;
  *memory = std::move(made);
  return {};
}

Status DeviceMemory::page_locked(std::size_t bytes, DeviceMemory *memory) {
  DeviceMemory made;
  made.on_host_ = true;
  if (Status s = cuda_checked(cudaHostAlloc(&made.data_, bytes, cudaHostAllocDefault)); !s.ok())
    return s;
  *memory = std::move(made);
  return {};
}

DeviceEvent::DeviceEvent(DeviceEvent &&other) noexcept
    : event_(std::exchange(other.event_, nullptr)) {}

DeviceEvent &DeviceEvent::operator=(DeviceEvent &&other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

DeviceEvent::~DeviceEvent() {
  if (event_ != nullptr) (void)cuda_checked(cudaEventDestroy(event_of(event_)));
}

Status DeviceEvent::make(DeviceEvent *event) {
  cudaEvent_t made = nullptr;
  if (Status s = cuda_checked(cudaEventCreateWithFlags(&made, cudaEventDisableTiming)); !s.ok())
    return s;
  DeviceEvent owner;
  owner.event_ = made;
  *event = std::move(owner);
  return {};
}

Status DeviceEvent::record(void *stream) const {
  return cuda_checked(cudaEventRecord(event_of(event_), stream_of(stream)));
}

Status DeviceEvent::wait() const {
  return cuda_checked(cudaEventSynchronize(event_of(event_)));
}

Status DeviceEvent::hold_back(void *stream) const {
  return cuda_checked(cudaStreamWaitEvent(stream_of(stream), event_of(event_), 0));
}

DeviceStream::DeviceStream(DeviceStream &&other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)) {}

DeviceStream &DeviceStream::operator=(DeviceStream &&other) noexcept {
  std::swap(stream_, other.stream_);
  return *this;
}

DeviceStream::~DeviceStream() {
  if (stream_ != nullptr) (void)cuda_checked(cudaStreamDestroy(stream_of(stream_)));
}

Status DeviceStream::make(DeviceStream *stream) {
  cudaStream_t made = nullptr;
  if (Status s = cuda_checked(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking)); !s.ok())
    return s;
  DeviceStream owner;
  owner.stream_ = made;
  *stream = std::move(owner);
  return {};
}

Status DeviceStream::wait() const {
  return cuda_checked(cudaStreamSynchronize(stream_of(stream_)));
}

Status copy_to_device(void *to, const void *from, std::size_t bytes, void *stream) {
  return cuda_checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)));
}

Status copy_to_host(void *to, const void *from, std::size_t bytes, void *stream) {
  return cuda_checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)));
}

Status clear_device(void *to, std::size_t bytes, void *stream) {
  return cuda_checked(cudaMemsetAsync(to, 0, bytes, stream_of(stream)));
}

}  // namespace coalesce
