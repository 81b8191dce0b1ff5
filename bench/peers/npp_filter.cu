// SPDX-License-Identifier: LGPL-2.1-or-later
// NPP's convolutions of 8-bit grey with a replicated border, each set against a copy of its own
// bytes: with masks, and with a row and a column by way of a picture between them. Meson builds
// this where it finds NPP; by hand:
//   nvcc -O3 -std=c++17 -arch=native -Itests tests/kernels/bench_npp_filter.cu
//        tests/support/device.cu -lnppif -lnppc -o bench-npp-filter
#include <cmath>
#include <string>

#include "bench_npp.h"

namespace {

using namespace coalesce::test;

// Symmetric, so that it makes no difference which way round a mask is laid; all sums are positive.
struct Mask {
  int side;
  bool rows;                // a row and a column of these
  std::vector<int> values;  // side * side, or side
  bool real;                // as floats, scaled to the sum 1

  int sum() const {
    int sum = 0;
    for (int v : values)
      sum += v;
    return sum;
  }
  std::string name() const {
    const std::string side_text = std::to_string(side);
    const char *type = real ? "32f" : "";
    return rows ? std::string("nppiFilterRow/ColumnBorder") + type + "_8u_C1R " + side_text
                : std::string("nppiFilterBorder") + type + "_8u_C1R " + side_text + "x" + side_text;
  }
};

Mask mask(int side, bool rows, bool real) {
  Mask m = {side, rows, {}, real};
  const int count = rows ? side : side * side;
  m.values.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < (count + 1) / 2; ++i)
    m.values[i] = m.values[count - 1 - i] = 1 + (i * 37 + i * i * 11) % 9;
  return m;
}

// The values in device memory.
DeviceMemory upload(const Mask &m) {
  DeviceMemory memory(4 * m.values.size());
  if (!m.real) {
    memory.upload(m.values.data());
    return memory;
  }
  std::vector<float> scaled;
  for (int v : m.values)
    scaled.push_back(static_cast<float>(v) / static_cast<float>(m.sum()));
  memory.upload(scaled.data());
  return memory;
}

struct Frame {
  int width, height;  // rows without padding
  NppiSize size() const { return {width, height}; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

NppStatus filter(const Mask &m, const DeviceMemory &values, const Frame &f, const Npp8u *in,
                 Npp8u *between, Npp8u *out, const NppStreamContext &npp) {
  const auto *integers = reinterpret_cast<const Npp32s *>(values.data());
  const auto *floats = reinterpret_cast<const Npp32f *>(values.data());
  const int n = m.side, anchor = n / 2, step = f.width;
  const NppiSize size = f.size();
  constexpr NppiBorderType kBorder = NPP_BORDER_REPLICATE;
  if (!m.rows)
    return m.real ? nppiFilterBorder32f_8u_C1R_Ctx(in, step, size, {0, 0}, out, step, size, floats,
                                                   {n, n}, {anchor, anchor}, kBorder, npp)
                  : nppiFilterBorder_8u_C1R_Ctx(in, step, size, {0, 0}, out, step, size, integers,
                                                {n, n}, {anchor, anchor}, m.sum(), kBorder, npp);
  const NppStatus across =
      m.real ? nppiFilterRowBorder32f_8u_C1R_Ctx(in, step, size, {0, 0}, between, step, size,
                                                 floats, n, anchor, kBorder, npp)
             : nppiFilterRowBorder_8u_C1R_Ctx(in, step, size, {0, 0}, between, step, size, integers,
                                              n, anchor, m.sum(), kBorder, npp);
  if (across != NPP_SUCCESS) return across;
  return m.real ? nppiFilterColumnBorder32f_8u_C1R_Ctx(between, step, size, {0, 0}, out, step, size,
                                                       floats, n, anchor, kBorder, npp)
                : nppiFilterColumnBorder_8u_C1R_Ctx(between, step, size, {0, 0}, out, step, size,
                                                    integers, n, anchor, m.sum(), kBorder, npp);
}

// Looks at some samples, those of the corners among them. NPP cuts fractions off, twice where there
// is a picture between.
bool correct(const Mask &m, const Frame &f, const DeviceMemory &in, const DeviceMemory &out) {
  std::vector<Npp8u> from(in.size()), to(out.size());
  in.download(from.data());
  out.download(to.data());
  const double divisor = m.rows ? 1.0 * m.sum() * m.sum() : m.sum();
  for (int y = 0; y < f.height; y += y + 1 == f.height ? 1 : std::min(97, f.height - 1 - y))
    for (int x = 0; x < f.width; x += x + 1 == f.width ? 1 : std::min(89, f.width - 1 - x)) {
      double sum = 0;
      for (int i = 0; i < m.side; ++i)
        for (int j = 0; j < m.side; ++j) {
          const int from_x = std::clamp(x + j - m.side / 2, 0, f.width - 1);
          const int from_y = std::clamp(y + i - m.side / 2, 0, f.height - 1);
          const double weight = m.rows ? 1.0 * m.values[i] * m.values[j] : m.values[i * m.side + j];
          sum += weight * from[static_cast<std::size_t>(from_y) * f.width + from_x];
        }
      const int result = to[static_cast<std::size_t>(y) * f.width + x];
      if (std::abs(result - sum / divisor) > (m.rows ? 2.1 : 1.1)) return false;
    }
  return true;
}

bool time(const Mask &m, const Frame &f, const NppStreamContext &npp) {
  const int buffers = static_cast<int>(std::max<std::size_t>(2, kFootprint / (2 * f.bytes()) + 1));
  std::vector<DeviceMemory> in, out;
  for (int i = 0; i < buffers; ++i) {
    in.emplace_back(f.bytes());
    in.back().fill_random(static_cast<std::uint64_t>(i));
    out.emplace_back(f.bytes());
  }
  const DeviceMemory between(f.bytes()), values = upload(m);
  const std::string name = m.name();
  const auto run = [&](int i) {
    check(filter(m, values, f, in[i].data(), between.data(), out[i].data(), npp) == NPP_SUCCESS,
          name.c_str());
  };
  run(0);
  device_synchronize();
  if (!correct(m, f, in[0], out[0])) {
    std::printf("%-50s %5dx%-5d not timed: samples differ\n", name.c_str(), f.width, f.height);
    return false;
  }
  time_against_copy(name.c_str(), f.width, f.height, buffers, run,
                    [&](int i) { device_copy_async(out[i].data(), in[i].data(), f.bytes()); });
  return true;
}

}  // namespace

int main() {
  if (!device_usable()) {
    std::printf("SKIP: %s\n", device_text().c_str());
    return 77;
  }
  std::printf("NPP on %s\n", device_text().c_str());
  bool all_correct = true;
  try {
    const NppStreamContext npp = npp_context();
    for (const auto &size : kSizes) {
      for (int side : {3, 5, 7, 9, 15})
        all_correct &= time(mask(side, false, false), {size[0], size[1]}, npp);
      for (int side : {15, 31})
        all_correct &= time(mask(side, false, true), {size[0], size[1]}, npp);
      for (int taps : {5, 15, 31})
        for (bool real : {false, true})
          all_correct &= time(mask(taps, true, real), {size[0], size[1]}, npp);
    }
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n", e.what());
    return 1;
  }
  return all_correct ? 0 : 1;
}
