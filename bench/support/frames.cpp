// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/support/frames.h"

#include <algorithm>
#include <cstring>

#include "core/thread_pool.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr std::size_t kCudaFootprint = std::size_t{400} << 20;  // over six times the largest L2
constexpr std::size_t kCpuFootprint = std::size_t{256} << 20;

int buffers_for(const FrameWork &work, std::size_t footprint) {
  return static_cast<int>(
      std::max<std::size_t>(2, footprint / (work.in_bytes + work.out_bytes) + 1));
}

// The copy needs half of what is read and written in each.
std::size_t in_size(const FrameWork &work) {
  return std::max(work.in_bytes, work.useful_bytes / 2);
}

std::size_t out_size(const FrameWork &work) {
  return std::max(work.out_bytes, work.useful_bytes / 2);
}

struct DeviceBuffers {
  std::vector<DeviceMemory> in, out;
  explicit DeviceBuffers(const FrameWork &work) {
    std::vector<std::uint8_t> content = work.content;
    content.resize(in_size(work));
    for (int i = 0; i < buffers_for(work, kCudaFootprint); ++i) {
      in.emplace_back(in_size(work));
      if (work.content.empty())
        in.back().fill_random(static_cast<std::uint64_t>(i));
      else
        in.back().upload(content.data());
      out.emplace_back(out_size(work));
    }
  }
};

struct HostBuffers {
  std::vector<std::vector<std::uint8_t>> in, out;
  explicit HostBuffers(const FrameWork &work) {
    std::vector<std::uint8_t> content = work.content;
    content.resize(in_size(work));
    Random random(1);
    if (work.content.empty())
      std::generate(content.begin(), content.end(),
                    [&random] { return static_cast<std::uint8_t>(random.bits()); });
    in.assign(static_cast<std::size_t>(buffers_for(work, kCpuFootprint)), content);
    out.assign(in.size(), std::vector<std::uint8_t>(out_size(work)));
  }
};

Timing timing(const FrameWork &work, const char *variant, std::size_t buffers) {
  Timing t;
  t.operation = work.operation;
  t.variant = variant;
  t.width = work.size.width;
  t.height = work.size.height;
  t.buffers = static_cast<int>(buffers);
  t.bytes = work.useful_bytes;
  t.captured = work.captured;
  return t;
}

void must(const Status &s) {
  require(s.ok(), s.message());
}

void time_on_device(Bench &bench, const Backend &backend, const FrameWork &work,
                    const char *variant, const FrameRun &run, const DeviceBuffers &b) {
  Timing t = timing(work, variant, b.in.size());
  t.run = [&](int i) { must(run(b.in[i].data(), b.out[i].data())); };
  t.copy = [&](int i) {
    device_copy_async(b.out[i].data(), b.in[i].data(), work.useful_bytes / 2);
  };
  t.copy_by_kernel = [&](int i) {
    device_copy_by_kernel_async(b.out[i].data(), b.in[i].data(), work.useful_bytes / 2);
  };
  bench.time(backend, t);
}

void time_on_cpu(Bench &bench, const Backend &backend, const FrameWork &work, const FrameRun &run) {
  HostBuffers b(work);
  Timing t = timing(work, "library", b.in.size());
  t.run = [&](int i) { must(run(b.in[i].data(), b.out[i].data())); };
  t.copy = [&](int i) {
    const std::size_t row = work.useful_bytes / 2 / static_cast<std::size_t>(work.size.height);
    for_ranges(backend.pool, work.size.height, 16, [&](int first, int last) {
      std::memcpy(b.out[i].data() + first * row, b.in[i].data() + first * row,
                  (last - first) * row);
    });
  };
  bench.time(backend, t);
}

}  // namespace

PictureBytes picture_bytes(const PixelFormat &format, FrameSize size, std::size_t more) {
  PictureBytes bytes;
  bytes.all = more;
  for (int p = 0; p < format.planes; ++p) {
    const auto row = static_cast<std::size_t>(row_bytes(format, p, size.width));
    const auto rows = static_cast<std::size_t>(plane_rows(format, p, size.height));
    bytes.all += padded((padded(row) + more) * rows);
    bytes.useful += row * rows;
  }
  return bytes;
}

void time_frames(Bench &bench, const Backend &backend, const FrameWork &work, const FrameRun &run) {
  if (!bench.wants(work.operation, work.size.width, work.size.height) ||
      !bench.wants_variant("library"))
    return;
  if (backend.cuda)
    time_on_device(bench, backend, work, "library", run, DeviceBuffers(work));
  else
    time_on_cpu(bench, backend, work, run);
}

void time_variants(Bench &bench, const Backend &backend, const FrameWork &work,
                   const std::vector<FrameVariant> &variants) {
  if (variants.empty() || !bench.wants(work.operation, work.size.width, work.size.height)) return;
  DeviceBuffers b(work);
  // The first judges the others at this size. The noise in the padding of rows is the same for all.
  DeviceMemory right(b.out[0].size());
  for (const FrameVariant &v : variants) {
    const bool first = &v == &variants.front();
    if (!first && !bench.variants()) break;
    if (!first && !bench.wants_variant(v.name)) continue;
    DeviceMemory &out = first ? right : b.out[0];
    out.fill_random(8);
    const Status status = v.run(b.in[0].data(), out.data());
    if (!first && status.code() == StatusCode::unsupported) continue;
    must(status);
    require(first || device_mismatches(out, right) == 0,
            work.operation + ", " + v.name + ": other bytes than " + variants.front().name);
    if (bench.wants_variant(v.name)) time_on_device(bench, backend, work, v.name, v.run, b);
  }
}

void compare_with_cpu(const FrameWork &work, const FrameRun &on_device, const FrameRun &on_cpu) {
  std::vector<std::uint8_t> in(work.in_bytes), expected(work.out_bytes), got(work.out_bytes);
  Random random(2);
  std::generate(in.begin(), in.end(),
                [&random] { return static_cast<std::uint8_t>(random.bits()); });
  DeviceMemory device_in(in.size()), device_out(got.size());
  device_in.upload(in.data());
  device_out.upload(got.data());
  must(on_device(device_in.data(), device_out.data()));
  must(on_cpu(in.data(), expected.data()));
  device_synchronize();
  device_out.download(got.data());
  require(got == expected, work.operation + ": other bytes than on the CPU");
}

}  // namespace coalesce::test
