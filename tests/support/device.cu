// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <utility>

#include "core/cuda_status.h"

namespace coalesce::test {
namespace {

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

void check(const Status &status, const char *what) {
  if (!status.ok()) throw std::runtime_error(std::string(what) + ": " + status.message());
}

__global__ void fill(std::uint8_t *data, std::size_t size, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    std::uint64_t z = (i + seed) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    data[i] = static_cast<std::uint8_t>(z >> 40);
  }
}

__global__ void count_mismatches(const std::uint8_t *a, const std::uint8_t *b, std::size_t size,
                                 unsigned long long *count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step)
    if (a[i] != b[i]) atomicAdd(count, 1ull);
}

struct Events {
  cudaEvent_t begin;
  cudaEvent_t end;
  Events() {
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
  }
};

cudaStream_t stream() {
  return static_cast<cudaStream_t>(device_stream());
}

}  // namespace

bool device_usable() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string device_text() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return cudaGetErrorString(error);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return std::string(properties.name) + ", driver for CUDA " + std::to_string(driver / 1000) + "." +
         std::to_string(driver % 1000 / 10);
}

int device_major() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
        "cudaDeviceGetAttribute");
  return major;
}

DeviceMemory::DeviceMemory(std::size_t bytes) : size_(bytes) {
  check(cudaMalloc(&data_, bytes), "cudaMalloc");
}

DeviceMemory::~DeviceMemory() {
  (void)cudaFree(data_);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

void DeviceMemory::upload(const void *from) {
  check(cudaMemcpyAsync(data_, from, size_, cudaMemcpyHostToDevice, stream()), "upload");
  device_synchronize();
}

void DeviceMemory::download(void *to, std::size_t bytes) const {
  check(cudaMemcpyAsync(to, data_, bytes, cudaMemcpyDeviceToHost, stream()), "download");
  device_synchronize();
}

void DeviceMemory::fill_random(std::uint64_t seed) {
  check(launch(fill, dim3(1024), dim3(256), stream(), data_, size_, seed), "fill");
}

std::shared_ptr<std::uint8_t> page_locked(std::size_t bytes) {
  void *memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return {static_cast<std::uint8_t *>(memory), [](void *used) { (void)cudaFreeHost(used); }};
}

std::size_t device_mismatches(const DeviceMemory &a, const DeviceMemory &b) {
  if (a.size() != b.size()) throw std::runtime_error("device_mismatches: different sizes");
  DeviceMemory count(sizeof(unsigned long long));
  unsigned long long result = 0;
  count.upload(&result);
  const std::uint8_t *first = a.data(), *second = b.data();
  check(launch(count_mismatches, dim3(1024), dim3(256), stream(), first, second, a.size(),
               reinterpret_cast<unsigned long long *>(count.data())),
        "count_mismatches");
  count.download(&result);
  return result;
}

void *device_stream() {
  static const cudaStream_t made = [] {
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
    return s;
  }();
  return made;
}

std::size_t device_free_bytes() {
  std::size_t free_bytes = 0, all = 0;
  check(cudaMemGetInfo(&free_bytes, &all), "cudaMemGetInfo");
  return free_bytes;
}

void device_synchronize() {
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

namespace {

constexpr int kCopyThreads = 256;
constexpr int kCopyWords = 4;  // of 16 bytes, for a thread

__global__ void copy_words(uint4 *to, const uint4 *from, std::size_t words) {
  const std::size_t first = std::size_t{blockIdx.x} * kCopyThreads * kCopyWords + threadIdx.x;
  uint4 word[kCopyWords];
#pragma unroll
  for (int i = 0; i < kCopyWords; ++i)
    if (first + i * kCopyThreads < words) word[i] = __ldg(from + first + i * kCopyThreads);
#pragma unroll
  for (int i = 0; i < kCopyWords; ++i)
    if (first + i * kCopyThreads < words) __stcs(to + first + i * kCopyThreads, word[i]);
}

}  // namespace

void device_copy_by_kernel_async(void *to, const void *from, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(uint4);
  const auto blocks = static_cast<unsigned>((words - 1) / (kCopyThreads * kCopyWords) + 1);
  check(launch(copy_words, dim3(blocks), dim3(kCopyThreads), stream(), static_cast<uint4 *>(to),
               static_cast<const uint4 *>(from), words),
        "copy by a kernel");
}

void device_copy_async(void *to, const void *from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "copy");
}

DeviceGraph::DeviceGraph(const std::function<void()> &enqueue, bool captured) {
  if (!captured) {
    enqueue_ = enqueue;
    return;
  }
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "capture");
  enqueue();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream(), &graph), "capture");
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiateWithFlags(&exec, graph, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  exec_ = exec;
}

DeviceGraph::~DeviceGraph() {
  if (exec_ != nullptr) (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec_));
}

double DeviceGraph::milliseconds() {
  static const Events events;
  check(cudaEventRecord(events.begin, stream()), "cudaEventRecord");
  if (enqueue_)
    enqueue_();
  else
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(exec_), stream()), "cudaGraphLaunch");
  check(cudaEventRecord(events.end, stream()), "cudaEventRecord");
  device_synchronize();
  float ms = 0;
  check(cudaEventElapsedTime(&ms, events.begin, events.end), "cudaEventElapsedTime");
  return ms;
}

}  // namespace coalesce::test
