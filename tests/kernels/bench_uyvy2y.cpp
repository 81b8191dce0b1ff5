// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../support/device.h"
#include "core/thread_pool.h"
#include "uyvy2y_trial.h"
#if COALESCE_CUDA_KERNELS
#include "uyvy2y/uyvy2y_variants.h"
#endif

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};
const Size kCudaSizes[] = {{1920, 1080}, {3840, 2160}, {4096, 4096}, {16384, 16384}};
const Size kCpuSizes[] = {{1920, 1080}, {3840, 2160}};

constexpr std::size_t kCudaFootprint = std::size_t{400} << 20;  // over six times the largest L2
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

#if COALESCE_CUDA_KERNELS
void bench_cuda(Bench &bench, const Backend &backend, Size size) {
  for (const Kind &kind : {kLuma, kCropped, kOdd, kNv12}) {
    const Shape shape = {size, kind.chroma};
    const int buffers = shape.buffers(kCudaFootprint);
    std::vector<DeviceMemory> in, out;
    for (int i = 0; i < buffers; ++i) {
      in.emplace_back(shape.in_bytes() + kind.skew);
      in.back().fill_random(static_cast<std::uint64_t>(i));
      out.emplace_back(std::max(shape.out_bytes(), shape.useful_bytes() / 2));
    }
    DeviceMemory right(out[0].size());
    const auto run_variant = [&](const Uyvy2yVariant &v, DeviceMemory &to) {
      const Status s =
          v.run({}, shape.packed(in[0].data()), shape.image(to.data()), device_stream());
      require(s.ok(), std::string(v.name) + ": " + s.message());
    };
    const auto run_library = [&](int i) {
      const Status s = uyvy2y({}, shape.packed(in[i].data() + kind.skew),
                              shape.image(out[i].data()), backend.queue());
      require(s.ok(), s.message());
    };
    const auto copy = [&](int i) {
      device_copy_async(out[i].data(), in[i].data(), shape.useful_bytes() / 2);
    };

    Timing t = timing(kind, "library", shape, buffers);
    t.run = run_library;
    t.copy = copy;
    bench.time(backend, t);
    if (kind.chroma || kind.skew != 0) continue;

    // The plainest variant has passed the checks at small sizes, and judges the others at this one.
    // The noise in the padding of rows is the same on both sides.
    right.fill_random(8);
    run_variant(*uyvy2y_variants().begin(), right);
    const auto check_first = [&](const char *what) {
      require(device_mismatches(out[0], right) == 0, std::string(what) + ": wrong bytes");
    };
    out[0].fill_random(8);
    run_library(0);
    check_first("library");
    for (const Uyvy2yVariant &v : uyvy2y_variants()) {
      out[0].fill_random(8);
      run_variant(v, out[0]);
      check_first(v.name);
      Timing tv = timing(kind, v.name, shape, buffers);
      tv.copy = copy;
      tv.run = [&](int i) {
        const Status s =
            v.run({}, shape.packed(in[i].data()), shape.image(out[i].data()), device_stream());
        require(s.ok(), s.message());
      };
      bench.time(backend, tv);
    }
  }
}

// Before a variant is timed it passes the operation's own trials.
void check_variants(const Backend &backend) {
  for (const Uyvy2yVariant &v : uyvy2y_variants()) {
    const Uyvy2y run = [&v](const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                            const LumaImage &out, const Queue &queue) {
      return v.run(params, packed, out, queue.stream());
    };
    for (int i = 0; i < 25; ++i) {
      Random random(static_cast<std::uint64_t>(i));
      const std::string wrong =
          uyvy2y_trial(run, {.aligned = true, .luma_only = true}, random, i, backend);
      require(wrong.empty(), std::string(v.name) + ": " + wrong);
    }
  }
}
#else
void bench_cuda(Bench &, const Backend &, Size) {}
void check_variants(const Backend &) {}
#endif

}  // namespace

void uyvy2y_bench(Bench &bench, const Backend &backend) {
  if (!backend.cuda) {
    for (const Size &size : kCpuSizes)
      bench_cpu(bench, backend, size);
    return;
  }
  check_variants(backend);
  for (const Size &size : kCudaSizes)
    bench_cuda(bench, backend, size);
}

}  // namespace coalesce::test
