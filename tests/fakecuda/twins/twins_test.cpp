// SPDX-License-Identifier: LGPL-2.1-or-later
// The twins through the public entry of each operation, as the test plugin calls them.

#include <array>

#include "../../../kernels/convolve/planes.h"
#include "../../../kernels/picture/formats.h"
#include "../../../kernels/uyvy2y/uyvy2y.h"
#include "../selftest.h"

namespace selftest {

namespace {

using coalesce::ConstImage;
using coalesce::Image;
using coalesce::pixel_format;
using coalesce::Plane;
using coalesce::Queue;
using coalesce::StatusCode;

struct Picture {
  explicit Picture(int width, int height) {
    std::size_t pitch;
    CHECK_OK(cuMemAllocPitch_v2(&pointer, &pitch, static_cast<std::size_t>(width),
                                static_cast<std::size_t>(height), 4));
    plane = {reinterpret_cast<std::uint8_t *>(pointer), width, height, pitch};
  }
  ~Picture() { CHECK_OK(cuMemFree_v2(pointer)); }
  Picture(const Picture &) = delete;
  CUdeviceptr pointer = 0;
  Plane<std::uint8_t> plane;
};

constexpr int width = 37, height = 5;

TEST_CASE("it runs late and right") {
  Session session;
  StreamHandle stream;
  constexpr int row_bytes = 2 * (width + 1);
  Picture packed(row_bytes, height), luma(width, height), chroma(width + 1, 3);
  HostBytes from(row_bytes * height, 0), to(width * height, 0);
  for (int i = 0; i < row_bytes * height; ++i)
    from.data[i] = static_cast<unsigned char>(i * 7);
  CUDA_MEMCPY2D up{};
  up.srcMemoryType = CU_MEMORYTYPE_HOST;
  up.srcHost = from.data;
  up.srcPitch = row_bytes;
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = packed.pointer;
  up.dstPitch = packed.plane.pitch;
  up.WidthInBytes = row_bytes;
  up.Height = height;
  CHECK_OK(cuMemcpy2DAsync_v2(&up, stream));
  {
    // Its arguments are its own: these go away before it runs.
    ConstImage in = {pixel_format("UYVY"), width, height, false, {packed.plane}};
    Image out = {pixel_format("NV12"), width, height, false, {luma.plane, chroma.plane}};
    CHECK(uyvy2y(in, out, Queue::cuda(stream)).ok());
    in = {};
    out = {};
  }
  CHECK_EQ(counts().launches, 1);
  CHECK_EQ(peek(luma.pointer), 0xCD);
  CHECK_OK(cuStreamSynchronize(stream));
  CUDA_MEMCPY2D down{};
  down.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  down.srcDevice = luma.pointer;
  down.srcPitch = luma.plane.pitch;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = to.data;
  down.dstPitch = width;
  down.WidthInBytes = width;
  down.Height = height;
  CHECK_OK(cuMemcpy2D_v2(&down));
  int wrong = 0;
  for (int i = 0; i < width * height; ++i)
    wrong += to.data[i] != from.data[i / width * row_bytes + i % width * 2 + 1];
  CHECK_EQ(wrong, 0);
  CHECK_EQ(peek(chroma.pointer + 2 * chroma.plane.pitch + width), 128);
}

TEST_CASE("it keeps the filter") {
  Session session;
  StreamHandle stream;
  Picture in(width, height), out(width, height);
  CHECK_OK(cuMemsetD2D8_v2(in.pointer, in.plane.pitch, 20, width, height));
  {
    // Goes away before the twin runs.
    coalesce::FilterSettings settings;
    settings.horizontal = {1, 2};
    settings.normalize = false;
    coalesce::Filter filter;
    coalesce::FilterError error;
    CHECK(make_filter(settings, {8, 0}, &filter, &error));
    coalesce::ConvolveParams params;
    params.filter = &filter;
    coalesce::ConvolvePlanes image;
    image.plane[0].in = in.plane;
    image.plane[0].out = out.plane;
    CHECK(convolve_planes(params, image, Queue::cuda(stream)).ok());
    filter.divisor = 100;
    filter.weights.assign(filter.weights.size(), 0);
    filter.across.assign(filter.across.size(), 0);
  }
  CHECK_EQ(peek(out.pointer), 0xCD);
  CHECK_OK(cuStreamSynchronize(stream));
  CHECK_EQ(peek(out.pointer), 20 * 9);
}

TEST_CASE("it refuses what is not there") {
  Session session;
  constexpr int row_bytes = 2 * (width + 1);
  Picture packed(row_bytes, height), luma(width, height), chroma(width + 1, 3);
  auto run = [&](Plane<std::uint8_t> in, Plane<std::uint8_t> y, Plane<std::uint8_t> c) {
    const ConstImage from = {pixel_format("UYVY"), width, y.height, true, {in}};
    const Image to = {
        pixel_format(c.data != nullptr ? "NV12" : "GRAY8"), width, y.height, true, {y, c}};
    return uyvy2y(from, to, Queue::cuda(nullptr));
  };
  auto rows = [](Plane<std::uint8_t> plane, int more) {
    plane.height += more;
    return plane;
  };
  auto moved = [](Plane<std::uint8_t> plane, std::ptrdiff_t bytes) {
    plane.data += bytes;
    return plane;
  };
  CHECK(run(packed.plane, luma.plane, chroma.plane).ok());
  std::array<std::uint8_t, row_bytes * height> host{};
  Plane<std::uint8_t> on_host{host.data(), row_bytes, height, row_bytes};
  for (const auto &status : {
           run(on_host, luma.plane, {}),
           run(rows(packed.plane, 1), rows(luma.plane, 1), {}),
           run(moved(packed.plane, -1), luma.plane, {}),
           run(packed.plane, moved(luma.plane, static_cast<std::ptrdiff_t>(luma.plane.pitch)), {}),
           run(packed.plane, luma.plane, rows(chroma.plane, 1)),
       })
    CHECK(status.code() == StatusCode::device_error);
  CHECK_EQ(counts().launches, 1);
  session.bad_accesses = 5;
}

TEST_CASE("it reports a failed launch") {
  Session session;
  Picture packed(2 * (width + 1), height), luma(width, height);
  const ConstImage in = {pixel_format("UYVY"), width, height, false, {packed.plane}};
  const Image out = {pixel_format("GRAY8"), width, height, false, {luma.plane}};
  fakecuda_fail(FAKECUDA_LAUNCH, 1, CUDA_ERROR_LAUNCH_FAILED);
  auto run = [&](CUstream stream) { return uyvy2y(in, out, Queue::cuda(stream)).code(); };
  CHECK(run(nullptr) == StatusCode::device_error);
  CHECK(run(nullptr) == StatusCode::ok);
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  CHECK(run(nullptr) == StatusCode::device_error);
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
  session.bad_calls = 1;
  session.injected_faults = 1;
}

}  // namespace

}  // namespace selftest
