// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../support/device.h"
#include "core/thread_pool.h"
#include "uyvy2y/uyvy2y_variants.h"
#include "uyvy2y_trial.h"

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};
const Size kCudaSizes[] = {{1920, 1080}, {3840, 2160}, {4096, 4096}, {16384, 16384}};
const Size kCpuSizes[] = {{1920, 1080}, {3840, 2160}};

constexpr std::size_t kCudaFootprint = std::size_t{400} << 20;  // over six times the largest L2
constexpr int kVariantTrials = 60;
constexpr std::size_t kCpuFootprint = std::size_t{256} << 20;

struct Kind {
  const char *text;
  bool chroma;
  std::size_t skew;  // bytes from a well-aligned address to the packed plane
};
const Kind kLuma = {"UYVY->GRAY8", false, 0};
const Kind kCropped = {"UYVY->GRAY8, 2 pixels cropped", false, 4};
const Kind kOdd = {"UYVY->GRAY8, odd address", false, 1};
const Kind kNv12 = {"UYVY->NV12", true, 0};

struct Shape {
  Size size;
  bool chroma;
  std::size_t pitch() const { return (static_cast<std::size_t>(size.width) + 255) / 256 * 256; }
  std::size_t in_bytes() const { return 2 * pitch() * static_cast<std::size_t>(size.height); }
  std::size_t out_bytes() const {
    return pitch() * static_cast<std::size_t>(size.height + (chroma ? size.height / 2 : 0));
  }
  // What must be read and written, without the padding of rows.
  std::size_t useful_bytes() const {
    const auto pixels =
        static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    return 3 * pixels + (chroma ? pixels / 2 : 0);
  }
  Plane<const std::uint8_t> packed(const std::uint8_t *data) const {
    return {data, 2 * size.width, size.height, 2 * pitch()};
  }
  LumaImage image(std::uint8_t *data) const {
    LumaImage out = {{data, size.width, size.height, pitch()}, {}};
    if (chroma)
      out.chroma[0] = {data + pitch() * static_cast<std::size_t>(size.height), size.width,
                       size.height / 2, pitch()};
    return out;
  }
  int buffers(std::size_t footprint) const {
    return static_cast<int>(std::max<std::size_t>(2, footprint / (in_bytes() + out_bytes()) + 1));
  }
};

Timing timing(const Kind &kind, const char *variant, const Shape &shape, int buffers) {
  Timing t;
  t.operation = kind.text;
  t.variant = variant;
  t.width = shape.size.width;
  t.height = shape.size.height;
  t.buffers = buffers;
  t.bytes = shape.useful_bytes();
  return t;
}

void bench_cpu(Bench &bench, const Backend &backend, Size size) {
  const Shape shape = {size, false};
  const int buffers = shape.buffers(kCpuFootprint);
  std::vector<std::vector<std::uint8_t>> in, out;
  Random random(1);
  for (int i = 0; i < buffers; ++i) {
    in.emplace_back(shape.in_bytes());
    out.emplace_back(shape.in_bytes());  // the copy needs three quarters of it
    std::generate(in.back().begin(), in.back().end(),
                  [&random] { return static_cast<std::uint8_t>(random.bits()); });
  }
  Timing t = timing(kLuma, "library", shape, buffers);
  t.run = [&](int i) {
    const Status s =
        uyvy2y({}, shape.packed(in[i].data()), shape.image(out[i].data()), backend.queue());
    require(s.ok(), s.message());
  };
  t.copy = [&](int i) {
    const std::size_t row = t.bytes / 2 / static_cast<std::size_t>(size.height);
    for_ranges(backend.pool, size.height, 16, [&](int first, int last) {
      std::memcpy(out[i].data() + first * row, in[i].data() + first * row, (last - first) * row);
    });
  };
  bench.time(backend, t);
}

// A variant is timed if it passes the operation's own trials.
std::vector<Uyvy2yVariant> correct_variants(const Backend &backend) {
  std::vector<Uyvy2yVariant> correct;
  for (const Uyvy2yVariant &v : uyvy2y_variants()) {
    const Uyvy2y run = [&v](const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                            const LumaImage &out, const Queue &queue) {
      return v.run(params, packed, out, queue.stream());
    };
    std::string wrong;
    for (int i = 0; wrong.empty() && i < kVariantTrials; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      wrong = uyvy2y_trial(run, {.aligned = true, .luma_only = true}, random, i, backend);
    }
    if (wrong.empty())
      correct.push_back(v);
    else
      std::printf("not timed: %s: %s\n", v.name, wrong.c_str());
  }
  return correct;
}

struct DeviceBuffers {
  std::vector<DeviceMemory> in, out;
  DeviceBuffers(const Shape &shape, std::size_t skew, int count) {
    for (int i = 0; i < count; ++i) {
      in.emplace_back(shape.in_bytes() + skew);
      in.back().fill_random(static_cast<std::uint64_t>(i));
      out.emplace_back(std::max(shape.out_bytes(), shape.useful_bytes() / 2));
    }
  }
};

void bench_library(Bench &bench, const Backend &backend, const Kind &kind, Size size) {
  const Shape shape = {size, kind.chroma};
  Timing t = timing(kind, "library", shape, shape.buffers(kCudaFootprint));
  DeviceBuffers b(shape, kind.skew, t.buffers);
  t.run = [&](int i) {
    const Status s = uyvy2y({}, shape.packed(b.in[i].data() + kind.skew),
                            shape.image(b.out[i].data()), backend.queue());
    require(s.ok(), s.message());
  };
  t.copy = [&](int i) {
    device_copy_async(b.out[i].data(), b.in[i].data(), shape.useful_bytes() / 2);
  };
  bench.time(backend, t);
}

void bench_variants(Bench &bench, const Backend &backend,
                    const std::vector<Uyvy2yVariant> &variants, Size size) {
  const Shape shape = {size, false};
  const int buffers = shape.buffers(kCudaFootprint);
  DeviceBuffers b(shape, 0, buffers);
  // The first judges the others at this size. The noise in the padding of rows is the same for all.
  DeviceMemory right(b.out[0].size());
  for (const Uyvy2yVariant &v : variants) {
    const auto run = [&](const DeviceMemory &in, DeviceMemory &out) {
      const Status s = v.run({}, shape.packed(in.data()), shape.image(out.data()), device_stream());
      require(s.ok(), s.message());
    };
    DeviceMemory &first = &v == &variants.front() ? right : b.out[0];
    first.fill_random(8);
    run(b.in[0], first);
    if (&first != &right && device_mismatches(first, right) != 0) {
      std::printf("not timed: %s: wrong bytes\n", v.name);
      continue;
    }
    Timing t = timing(kLuma, v.name, shape, buffers);
    t.run = [&](int i) { run(b.in[i], b.out[i]); };
    t.copy = [&](int i) {
      device_copy_async(b.out[i].data(), b.in[i].data(), shape.useful_bytes() / 2);
    };
    bench.time(backend, t);
  }
}

// How good is the yardstick? cudaMemcpyAsync is not equally fast at all sizes.
void bench_yardstick(Bench &bench, const Backend &backend, Size size) {
  const Shape shape = {size, false};
  Timing t = timing(kLuma, "a plain copy by a kernel", shape, shape.buffers(kCudaFootprint));
  DeviceBuffers b(shape, 0, t.buffers);
  const std::size_t bytes = shape.useful_bytes() / 2;
  t.run = [&](int i) { device_copy_by_kernel_async(b.out[i].data(), b.in[i].data(), bytes); };
  t.copy = [&](int i) { device_copy_async(b.out[i].data(), b.in[i].data(), bytes); };
  bench.time(backend, t);
}

void bench_cuda(Bench &bench, const Backend &backend) {
  const std::vector<Uyvy2yVariant> variants = correct_variants(backend);
  for (const Size &size : kCudaSizes) {
    for (const Kind &kind : {kLuma, kCropped, kOdd, kNv12})
      bench_library(bench, backend, kind, size);
    bench_yardstick(bench, backend, size);
    bench_variants(bench, backend, variants, size);
  }
}

}  // namespace

void uyvy2y_bench(Bench &bench, const Backend &backend) {
  if (backend.cuda) return bench_cuda(bench, backend);
  for (const Size &size : kCpuSizes)
    bench_cpu(bench, backend, size);
}

}  // namespace coalesce::test
