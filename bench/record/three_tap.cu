// SPDX-License-Identifier: LGPL-2.1-or-later
#include "three_tap.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/cuda_status.h"

namespace coalesce {
namespace {

using Sample = std::uint32_t;
constexpr int kSide = 16;  // of a block of threads
constexpr int kWide = 4;   // samples of a thread, in the last variant

struct Rows {
  const Sample *in;  // column 0
  Sample *out;
  std::size_t pitch;  // samples
  int width, height;
};

// A thread has a sample, and reads three.
__global__ void naive(Rows a) {
  const int x = static_cast<int>(threadIdx.x + kSide * blockIdx.x);
  const int y = static_cast<int>(threadIdx.y + kSide * blockIdx.y);
  if (x >= a.width || y >= a.height) return;
  const Sample *row = a.in + y * a.pitch;
  a.out[y * a.pitch + x] = row[x] + row[x - 1] + row[x + 1];
}

// A block brings three aligned squares into shared memory, and takes its samples from there.
__global__ void by_shared_memory(Rows a) {
  __shared__ Sample rows[kSide][3 * kSide];
  const int column = static_cast<int>(threadIdx.x);
  const int x = column + kSide * static_cast<int>(blockIdx.x);
  const int y = static_cast<int>(threadIdx.y + kSide * blockIdx.y);
  Sample *row = rows[threadIdx.y];
  if (y < a.height) {
    const Sample *from = a.in + y * a.pitch + x;
    row[column] = from[-kSide];
    row[column + kSide] = from[0];
    row[column + 2 * kSide] = from[kSide];
  }
  __syncthreads();
  if (x < a.width && y < a.height)
    a.out[y * a.pitch + x] =
        row[column + kSide - 1] + row[column + kSide] + row[column + kSide + 1];
}

// A thread has four samples, which it loads at once; neighbours come by way of the cache.
__global__ void four_samples(Rows a) {
  const int x = kWide * static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= a.width) return;
  const Sample *row = a.in + y * a.pitch + x;
  const uint4 own = *reinterpret_cast<const uint4 *>(row);
  const Sample left = row[-1], right = row[kWide];
  *reinterpret_cast<uint4 *>(a.out + y * a.pitch + x) = make_uint4(
      left + own.x + own.y, own.x + own.y + own.z, own.y + own.z + own.w, own.z + own.w + right);
}

Rows rows_of(const Sample *in, Sample *out, int width, int height) {
  return {in + kThreeTapMargin, out + kThreeTapMargin, three_tap_pitch(width), width, height};
}

template <void (*kKernel)(Rows)>
Status run_squares(const Sample *in, Sample *out, int width, int height, void *stream) {
  return launch(kKernel, dim3((width - 1) / kSide + 1, (height - 1) / kSide + 1),
                dim3(kSide, kSide), static_cast<cudaStream_t>(stream),
                rows_of(in, out, width, height));
}

Status run_wide(const Sample *in, Sample *out, int width, int height, void *stream) {
  constexpr int kThreads = 128;
  return launch(four_samples, dim3((width - 1) / (kWide * kThreads) + 1, height), dim3(kThreads),
                static_cast<cudaStream_t>(stream), rows_of(in, out, width, height));
}

constexpr ThreeTapVariant kVariants[] = {
    {"naive", run_squares<naive>},
    {"shared memory", run_squares<by_shared_memory>},
    {"four samples a thread", run_wide},
};

// The first call that failed, of many.
class Calls {
 public:
  void operator()(cudaError_t error) { (*this)(cuda_checked(error)); }
  void operator()(const Status &status) {
    if (status_.ok()) status_ = status;
  }
  const Status &status() const { return status_; }

 private:
  Status status_;
};

using Freed = void (*)(void *);
std::unique_ptr<void, Freed> device_memory(std::size_t bytes, Calls *calls) {
  void *memory = nullptr;
  (*calls)(cudaMalloc(&memory, bytes));
  if (memory != nullptr) (*calls)(cudaMemset(memory, 0, bytes));
  return {memory, [](void *used) { (void)cudaFree(used); }};
}
std::unique_ptr<void, Freed> locked_memory(std::size_t bytes, Calls *calls) {
  void *memory = nullptr;
  (*calls)(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  return {memory, [](void *used) { (void)cudaFreeHost(used); }};
}

// A frame's memory on both sides, and the stream it goes through.
class Frame {
 public:
  Frame(int width, int height, bool locked, Calls *calls)
      : width_(width),
        height_(height),
        host_in_(nullptr, [](void *) {}),
        host_out_(nullptr, [](void *) {}),
        in_(device_memory(sizeof(Sample) * three_tap_pitch(width) * height, calls)),
        out_(device_memory(sizeof(Sample) * three_tap_pitch(width) * height, calls)) {
    if (locked) {
      host_in_ = locked_memory(bytes(), calls);
      host_out_ = locked_memory(bytes(), calls);
    } else {
      pageable_.resize(2 * bytes());
      host_in_ = {pageable_.data(), [](void *) {}};
      host_out_ = {pageable_.data() + bytes(), [](void *) {}};
    }
    (*calls)(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Frame() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  std::size_t bytes() const { return row() * static_cast<std::size_t>(height_); }
  void *host_in() const { return host_in_.get(); }
  void *host_out() const { return host_out_.get(); }
  cudaStream_t stream() const { return stream_; }

  cudaError_t upload(Transfers how) const {
    return copy(how, first(in_), pitch(), host_in(), row(), cudaMemcpyHostToDevice);
  }
  Status process(const ThreeTapVariant &variant, Transfers how) const {
    return variant.run(static_cast<const Sample *>(in_.get()), static_cast<Sample *>(out_.get()),
                       width_, height_, how == Transfers::synchronous ? nullptr : stream_);
  }
  cudaError_t readback(Transfers how) const {
    return copy(how, host_out(), row(), first(out_), pitch(), cudaMemcpyDeviceToHost);
  }

 private:
  std::size_t row() const { return sizeof(Sample) * static_cast<std::size_t>(width_); }
  std::size_t pitch() const { return sizeof(Sample) * three_tap_pitch(width_); }
  static void *first(const std::unique_ptr<void, Freed> &memory) {
    return static_cast<Sample *>(memory.get()) + kThreeTapMargin;
  }
  cudaError_t copy(Transfers how, void *to, std::size_t to_pitch, const void *from,
                   std::size_t from_pitch, cudaMemcpyKind kind) const {
    const auto rows = static_cast<std::size_t>(height_);
    return how == Transfers::synchronous
               ? cudaMemcpy2D(to, to_pitch, from, from_pitch, row(), rows, kind)
               : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row(), rows, kind, stream_);
  }

  int width_, height_;
  std::vector<std::uint8_t> pageable_;
  std::unique_ptr<void, Freed> host_in_, host_out_, in_, out_;
  cudaStream_t stream_ = nullptr;
};

double microseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Events {
  cudaEvent_t at[4] = {};
  explicit Events(Calls *calls) {
    for (cudaEvent_t &event : at)
      (*calls)(cudaEventCreate(&event));
  }
  ~Events() {
    for (cudaEvent_t event : at)
      if (event != nullptr) (void)cudaEventDestroy(event);
  }
};

constexpr int kWarmUp = 3, kFrames = 21;

}  // namespace

ThreeTapVariants three_tap_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

Status time_three_tap(const ThreeTapVariant &variant, Transfers transfers, int width, int height,
                      const std::uint32_t *in, std::uint32_t *out, FrameSteps *steps) {
  Calls calls;
  const Frame frame(width, height, transfers == Transfers::asynchronous, &calls);
  const Events events(&calls);
  if (!calls.status().ok()) return calls.status();
  std::memcpy(frame.host_in(), in, frame.bytes());
  const cudaStream_t stream = transfers == Transfers::synchronous ? nullptr : frame.stream();
  std::vector<double> gpu[3], cpu[3];
  for (int i = -kWarmUp; i < kFrames; ++i) {
    const auto step = [&](int number, const auto &call) {
      const auto start = std::chrono::steady_clock::now();
      calls(call());
      if (i >= 0) cpu[number].push_back(microseconds_since(start));
      calls(cudaEventRecord(events.at[number + 1], stream));
    };
    calls(cudaEventRecord(events.at[0], stream));
    step(0, [&] { return frame.upload(transfers); });
    step(1, [&] { return frame.process(variant, transfers); });
    step(2, [&] { return frame.readback(transfers); });
    calls(cudaEventSynchronize(events.at[3]));
    for (int number = 0; number < 3; ++number) {
      float ms = 0;
      calls(cudaEventElapsedTime(&ms, events.at[number], events.at[number + 1]));
      if (i >= 0) gpu[number].push_back(1e3 * ms);
    }
    if (!calls.status().ok()) return calls.status();
  }
  StepTime *const times[] = {&steps->upload, &steps->process, &steps->readback};
  for (int number = 0; number < 3; ++number)
    *times[number] = {median(gpu[number]), median(cpu[number])};
  std::memcpy(out, frame.host_out(), frame.bytes());
  return {};
}

Status time_three_tap_streams(const ThreeTapVariant &variant, int streams, int width, int height,
                              const std::uint32_t *in, std::uint32_t *out, double *us) {
  constexpr Transfers kHow = Transfers::asynchronous;
  Calls calls;
  std::vector<std::unique_ptr<Frame>> frames;
  for (int i = 0; i < streams; ++i) {
    frames.push_back(std::make_unique<Frame>(width, height, true, &calls));
    if (!calls.status().ok()) return calls.status();
    std::memcpy(frames.back()->host_in(), in, frames.back()->bytes());
  }
  const auto run_all = [&](int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      const Frame &frame = *frames[static_cast<std::size_t>(i % streams)];
      calls(frame.upload(kHow));
      calls(frame.process(variant, kHow));
      calls(frame.readback(kHow));
    }
    calls(cudaDeviceSynchronize());
    return microseconds_since(start) / count;
  };
  run_all(2 * streams);
  std::vector<double> times;
  for (int i = 0; i < kFrames / 3; ++i)
    times.push_back(run_all(4 * streams));
  if (!calls.status().ok()) return calls.status();
  *us = median(times);
  std::memcpy(out, frames.back()->host_out(), frames.back()->bytes());
  return {};
}

}  // namespace coalesce
