// SPDX-License-Identifier: LGPL-2.1-or-later
// Device and page-locked memory, rectangles, and every kind of wrong address.

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "selftest.h"

namespace selftest {

namespace {

constexpr int poison = 0xCD;

char *bytes(CUdeviceptr pointer) {
  return reinterpret_cast<char *>(pointer);
}

// What a faulty kernel does.
void poke(CUdeviceptr pointer) {
  fakecuda_launch(
      nullptr, [](void *arg) { *static_cast<char *>(arg) = 1; }, bytes(pointer), nullptr);
  CHECK_OK(cuCtxSynchronize());
}

TEST_CASE("fresh memory is poisoned") {
  Session session;
  DeviceBytes a(1000), b(1000);
  std::array<unsigned char, 1000> seen{};
  CHECK_OK(cuMemcpyDtoH_v2(seen.data(), a.pointer, 1000));
  CHECK(std::count(seen.begin(), seen.end(), poison) == 1000);
  CHECK_EQ(a.pointer % 512, 0);
  CHECK(a.pointer != b.pointer);
  FakecudaCounts c = counts();
  CHECK_EQ(c.allocations_live, 2);
  CHECK_EQ(c.allocations, 2);
  CHECK_EQ(c.bytes_live, 2000);
  CHECK_EQ(c.bytes, 2000);
  void *host = nullptr;
  CHECK_OK(cuMemHostAlloc(&host, 10, CU_MEMHOSTALLOC_PORTABLE));
  CHECK_EQ(static_cast<unsigned char *>(host)[9], poison);
  c = counts();
  CHECK_EQ(c.host_allocations_live, 1);
  CHECK_EQ(c.host_allocations, 1);
  CHECK_EQ(c.host_bytes_live, 10);
  CHECK_OK(cuMemFreeHost(host));
}

TEST_CASE("pitches are odd") {
  Session session;
  bool varies = false;
  for (std::size_t row_bytes : {1u, 511u, 512u, 513u, 1920u, 3840u, 5760u, 7680u}) {
    CUdeviceptr first, second;
    std::size_t pitch = 0, again = 0;
    CHECK_OK(cuMemAllocPitch_v2(&first, &pitch, row_bytes, 3, 16));
    CHECK_OK(cuMemAllocPitch_v2(&second, &again, row_bytes, 3, 16));
    CHECK_EQ(pitch % 512, 0);
    CHECK(pitch >= row_bytes + 512);
    CHECK_EQ(pitch, again);
    varies |= pitch - row_bytes >= 1024;
    CHECK_EQ(counts().bytes_live, 6 * pitch);
    CHECK_EQ(peek(first + 3 * pitch - 1), poison);
    CHECK_OK(cuMemFree_v2(first));
    CHECK_OK(cuMemFree_v2(second));
  }
  CHECK(varies);
}

TEST_CASE("rectangles") {
  Session session;
  CUdeviceptr device;
  std::size_t pitch;
  CHECK_OK(cuMemAllocPitch_v2(&device, &pitch, 100, 10, 4));
  std::array<unsigned char, 6 * 20> from{}, to{};
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i);
  CUDA_MEMCPY2D up{};
  up.srcMemoryType = CU_MEMORYTYPE_HOST;
  up.srcHost = from.data();
  up.srcPitch = 20;
  up.srcXInBytes = 3;
  up.srcY = 1;
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = device;
  up.dstPitch = pitch;
  up.dstXInBytes = 40;
  up.dstY = 6;
  up.WidthInBytes = 7;
  up.Height = 4;
  CHECK_OK(cuMemcpy2D_v2(&up));
  CUDA_MEMCPY2D down{};
  down.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  down.srcDevice = device;
  down.srcPitch = pitch;
  down.srcXInBytes = 40;
  down.srcY = 6;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = to.data();
  down.dstPitch = 20;
  down.dstXInBytes = 2;
  down.dstY = 2;
  down.WidthInBytes = 7;
  down.Height = 4;
  CHECK_OK(cuMemcpy2DUnaligned_v2(&down));
  for (std::size_t y = 0; y < 6; ++y)
    for (std::size_t x = 0; x < 20; ++x) {
      bool inside = y >= 2 && x >= 2 && x < 9;
      CHECK_EQ(to[y * 20 + x], inside ? from[(y - 1) * 20 + x + 1] : 0);
    }
  CHECK_EQ(peek(device + 6 * pitch + 39), poison);
  CHECK_EQ(peek(device + 6 * pitch + 47), poison);
  CHECK_EQ(peek(device + 5 * pitch + 40), poison);
  CHECK_EQ(counts().bytes_htod, 28);
  CHECK_EQ(counts().bytes_dtoh, 28 + 3);

  CHECK_OK(cuMemsetD2D8Async(device + 1, pitch, 8, 2, 3, nullptr));
  CHECK_EQ(peek(device + 2 * pitch + 2), 8);
  CHECK_EQ(peek(device + 2 * pitch + 3), poison);
  CHECK_EQ(peek(device + 3 * pitch + 1), poison);
  CHECK_EQ(peek(device), poison);

  CHECK_OK(cuMemsetD2D16Async(device, pitch, 0x1234, 3, 2, nullptr));
  CHECK_EQ(peek(device + pitch + 4), 0x34);
  CHECK_EQ(peek(device + pitch + 5), 0x12);
  CHECK_EQ(peek(device + pitch + 6), poison);
  CHECK_OK(cuMemsetD2D32_v2(device, pitch, 0x12345678, 1, 1));
  CHECK_EQ(peek(device + 3), 0x12);
  CHECK_EQ(peek(device + 4), 0x34);
  CHECK_EQ(cuMemsetD2D32_v2(device + 2, pitch, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemsetD2D8_v2(device, 10, 0, 11, 2), CUDA_ERROR_INVALID_VALUE);

  // The last row may end with the memory; a row may not be longer than the pitch.
  up.dstXInBytes = pitch - 7;
  CHECK_OK(cuMemcpy2D_v2(&up));
  up.dstXInBytes = pitch - 6;
  CHECK_EQ(cuMemcpy2D_v2(&up), CUDA_ERROR_INVALID_VALUE);
  up.dstXInBytes = 0;
  up.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK_EQ(cuMemcpy2D_v2(&up), CUDA_ERROR_NOT_SUPPORTED);
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstY = ~std::size_t{0} / pitch + 1;  // times the pitch it is 0 again
  CHECK_EQ(up.dstY * pitch, 0);
  CHECK_EQ(cuMemcpy2D_v2(&up), CUDA_ERROR_INVALID_VALUE);
  up.dstY = 0;
  up.Height = 1;
  for (std::size_t *p : {&up.srcPitch, &up.dstPitch}) {
    const std::size_t before = std::exchange(*p, std::size_t{1} << 31);
    CHECK_EQ(cuMemcpy2D_v2(&up), CUDA_ERROR_INVALID_VALUE);
    *p = before;
  }
  up.Height = 0;
  CHECK_OK(cuMemcpy2D_v2(&up));
  CHECK_OK(cuMemFree_v2(device));
  session.bad_calls = 6;
  session.padding_writes = 1;
}

TEST_CASE("wrong addresses are refused") {
  Session session;
  DeviceBytes a(100), b(100);
  HostBytes locked(100, 3);
  std::array<unsigned char, 256> host{};
  CUdeviceptr freed;
  CHECK_OK(cuMemAlloc_v2(&freed, 100));
  CHECK_OK(cuMemFree_v2(freed));
  auto refused = [&](CUresult result) {
    ++session.bad_accesses;
    ++session.bad_calls;
    CHECK_EQ(result, CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(counts().bad_accesses, session.bad_accesses);
  };
  CHECK_OK(cuMemcpyHtoD_v2(a.pointer + 1, host.data(), 99));
  refused(cuMemcpyHtoD_v2(a.pointer + 1, host.data(), 100));
  refused(cuMemcpyHtoD_v2(a.pointer - 1, host.data(), 2));
  refused(cuMemcpyHtoD_v2(freed, host.data(), 1));
  refused(cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(locked.data), host.data(), 1));
  refused(cuMemcpyDtoH_v2(bytes(b.pointer), a.pointer, 1));
  refused(cuMemcpyDtoHAsync_v2(host.data(), a.pointer, 101, nullptr));
  refused(cuMemcpyDtoD_v2(b.pointer + 50, a.pointer, 51));
  refused(cuMemsetD8Async(a.pointer + 99, 0, 2, nullptr));
  refused(cuMemsetD2D8Async(a.pointer, 50, 0, 40, 3, nullptr));
  // Host memory that is page-locked in part.
  refused(cuMemcpyHtoD_v2(a.pointer, locked.data + 99, 2));
  CHECK_OK(cuMemHostRegister(host.data() + 100, 50, 0));
  CHECK_OK(cuMemcpyHtoD_v2(a.pointer, host.data() + 50, 50));
  CHECK_OK(cuMemcpyHtoD_v2(a.pointer, host.data() + 100, 50));
  refused(cuMemcpyHtoD_v2(a.pointer, host.data() + 50, 51));
  refused(cuMemcpyHtoD_v2(a.pointer, host.data() + 100, 51));
  CHECK_OK(cuMemHostUnregister(host.data() + 100));
  CHECK_OK(cuMemcpyHtoD_v2(a.pointer, host.data() + 50, 51));
  CHECK_EQ(cuMemcpyHtoD_v2(0, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemcpyHtoD_v2(a.pointer, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  session.bad_calls += 2;
}

TEST_CASE("kernels may access what is theirs") {
  Session session;
  std::uint64_t bad = 0;
  auto refused = [&](int result) {
    CHECK_EQ(result, CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(counts().bad_accesses, ++bad);
  };
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CUdeviceptr theirs;
  CHECK_OK(cuMemAlloc_v2(&theirs, 100));
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  {
    DeviceBytes mine(100);
    HostBytes locked(100, 0);
    CHECK_OK(fakecuda_check_access(bytes(mine.pointer), 10, 10, 10));
    CHECK_OK(fakecuda_check_access(bytes(mine.pointer), 9, 4, 30));
    CHECK_OK(fakecuda_check_access(locked.data, 100, 1, 100));
    refused(fakecuda_check_access(bytes(mine.pointer), 11, 4, 30));
    refused(fakecuda_check_access(bytes(mine.pointer), 10, 11, 10));
    refused(fakecuda_check_access(&session, 1, 1, 1));
    refused(fakecuda_check_access(bytes(theirs), 100, 1, 100));
    CHECK_OK(cuMemcpyDtoD_v2(mine.pointer, theirs, 10));
    CHECK_EQ(counts().foreign_copies, 1);
    CHECK_OK(cuCtxEnablePeerAccess(other, 0));
    CHECK_OK(fakecuda_check_access(bytes(theirs), 100, 1, 100));
    CHECK_OK(cuMemcpyDtoD_v2(mine.pointer, theirs, 10));
    CHECK_EQ(counts().foreign_copies, 1);
    CHECK_OK(cuCtxDisablePeerAccess(other));
    refused(fakecuda_check_access(bytes(theirs), 100, 1, 100));
  }
  CHECK_OK(cuMemFree_v2(theirs));
  CHECK_OK(cuCtxDestroy_v2(other));
  session.bad_accesses = bad;
}

TEST_CASE("guards catch stray writes") {
  Session session;
  CUdeviceptr before, behind;
  CHECK_OK(cuMemAlloc_v2(&before, 100));
  CHECK_OK(cuMemAlloc_v2(&behind, 100));
  CHECK_EQ(counts().guard_violations, 0);
  poke(before - 1);
  CHECK_EQ(counts().guard_violations, 1);
  CHECK_EQ(counts().guard_violations, 1);
  poke(behind + 100);
  CHECK_OK(cuMemFree_v2(behind));
  CHECK_OK(cuMemFree_v2(before));
  CHECK_EQ(counts().guard_violations, 2);
  HostBytes host(100, 0);
  host.data[100] = 0;
  CHECK_EQ(counts().guard_violations, 3);
  session.guard_violations = 3;
}

TEST_CASE("padding is watched") {
  Session session;
  CUdeviceptr a, b;
  std::size_t pitch;
  CHECK_OK(cuMemAllocPitch_v2(&a, &pitch, 10, 4, 4));
  CHECK_OK(cuMemAllocPitch_v2(&b, &pitch, 10, 4, 4));
  poke(a + pitch + 9);
  poke(b + 3 * pitch + 10);
  CHECK_EQ(counts().padding_writes, 1);
  CHECK_OK(cuMemFree_v2(a));
  CHECK_OK(cuMemFree_v2(b));
  session.padding_writes = 1;
}

TEST_CASE("freed memory is poisoned and watched") {
  Session session;
  CUdeviceptr pointer;
  void *host;
  CHECK_OK(cuMemAlloc_v2(&pointer, 100));
  CHECK_OK(cuMemAllocHost_v2(&host, 100));
  CHECK_OK(cuMemsetD8_v2(pointer, 1, 100));
  CHECK_OK(cuMemFree_v2(pointer));
  CHECK_OK(cuMemFreeHost(host));
  CHECK_EQ(static_cast<unsigned char>(*bytes(pointer)), poison);
  CHECK_EQ(counts().use_after_free, 0);
  *bytes(pointer) = 1;
  static_cast<char *>(host)[99] = 1;
  CHECK_EQ(counts().use_after_free, 2);
  CHECK_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  session.use_after_free = 2;
  session.bad_calls = 2;
  // So much is freed here that the oldest is let go.
  for (int i = 0; i < 5; ++i)
    DeviceBytes(std::size_t{20} << 20);
}

TEST_CASE("copies notice freed memory") {
  Session session;
  DeviceBytes device(100);
  void *host;
  CHECK_OK(cuMemAllocHost_v2(&host, 100));
  CHECK_OK(cuMemcpyHtoDAsync_v2(device.pointer, host, 100, nullptr));
  CHECK_OK(cuMemFreeHost(host));
  CHECK_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK_EQ(cuMemsetD8_v2(device.pointer, 0, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  session.bad_accesses = 1;
  fakecuda_reset_faults();
  CHECK_EQ(peek(device.pointer), poison);
}

TEST_CASE("registered memory") {
  Session session;
  std::array<char, 100> host{};
  CHECK_OK(cuMemHostRegister_v2(host.data(), 50, 0));
  CHECK_EQ(cuMemHostRegister_v2(host.data() + 49, 2, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CHECK_OK(cuMemHostRegister_v2(host.data() + 50, 50, 0));
  CHECK_EQ(counts().host_registrations_live, 2);
  CHECK_EQ(cuMemFreeHost(host.data()), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemHostUnregister(host.data() + 1), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  CHECK_OK(cuMemHostUnregister(host.data()));
  CHECK_OK(cuMemHostUnregister(host.data() + 50));
  CHECK_EQ(cuMemHostUnregister(host.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  HostBytes locked(10, 0);
  CHECK_EQ(cuMemHostUnregister(locked.data), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  CHECK_EQ(counts().host_registrations_live, 0);
  CHECK_EQ(counts().host_registrations, 2);
  session.bad_calls = 5;
}

TEST_CASE("memory ends") {
  Session session;
  CUdeviceptr pointer;
  std::size_t pitch, free = 0, total = 0, left = 0;
  CHECK_OK(cuMemGetInfo_v2(&free, &total));
  CHECK_EQ(free, total);
  CHECK_EQ(cuMemAlloc_v2(&pointer, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_EQ(cuMemAllocPitch_v2(&pointer, &pitch, 1 << 20, 1 << 20, 4), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_EQ(cuMemAllocPitch_v2(&pointer, &pitch, ~std::size_t{0}, 2, 4), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_EQ(cuMemAllocPitch_v2(&pointer, &pitch, 16, 2, 5), CUDA_ERROR_INVALID_VALUE);
  CHECK_EQ(cuMemAlloc_v2(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
  session.bad_calls = 2;
  DeviceBytes some(1000);
  CHECK_OK(cuMemGetInfo_v2(&left, &total));
  CHECK_EQ(free - left, 1000);
  fakecuda_set_device_memory(1500);
  CHECK_OK(cuMemGetInfo_v2(&left, &total));
  CHECK_EQ(left, 500);
  CHECK_EQ(cuMemAlloc_v2(&pointer, 501), CUDA_ERROR_OUT_OF_MEMORY);
  fakecuda_set_device_memory(free);
}

// More than the machine may have, as long as nobody touches it.
TEST_CASE("large memory") {
  Session session;
  std::size_t free = 0, total = 0;
  CHECK_OK(cuMemGetInfo_v2(&free, &total));
  fakecuda_set_device_memory(std::size_t{64} << 30);
  constexpr std::size_t size = std::size_t{40} << 30;
  {
    DeviceBytes large(size);
    poke(large.pointer);
    poke(large.pointer + size - 1);
    CHECK_EQ(counts().guard_violations, 0);
    poke(large.pointer + size);
    CHECK_EQ(counts().guard_violations, 1);
    session.guard_violations = 1;
  }
  fakecuda_set_device_memory(free);
}

TEST_CASE("questions about pointers") {
  Session session;
  DeviceBytes device(100);
  HostBytes host(100, 0);
  CUcontext context = nullptr;
  unsigned type = 0;
  int ordinal = -1;
  CUdeviceptr start = 0;
  std::size_t size = 0;
  CUdeviceptr inside = device.pointer + 99;
  CHECK_OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, inside));
  CHECK(context == session.context);
  CHECK_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
  CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
  CHECK_OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
  CHECK_EQ(ordinal, 0);
  CHECK_OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
  CHECK_EQ(start, device.pointer);
  CHECK_OK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
  CHECK_EQ(size, 100);
  CHECK_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 reinterpret_cast<CUdeviceptr>(host.data)));
  CHECK_EQ(type, CU_MEMORYTYPE_HOST);
  CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, inside + 1),
           CUDA_ERROR_INVALID_VALUE);
}

// As on a real GPU, the host cannot follow device pointers, if asked for.
TEST_CASE("protected memory") {
  CHECK_EQ(run_again("env:protect", "COALESCE_FAKECUDA_PROTECT", "1"), 0);
  CHECK_EQ(run_again("env:follow", "COALESCE_FAKECUDA_PROTECT", "1"), 128 + SIGSEGV);
  CHECK_EQ(run_again("env:follow", "COALESCE_FAKECUDA_PROTECT", "0"), 0);
}

TEST_CASE("env:protect" * doctest::skip()) {
  Session session;
  DeviceBytes device(100);
  CHECK_OK(cuMemsetD8_v2(device.pointer, 4, 100));
  poke(device.pointer + 1);
  CHECK_EQ(peek(device.pointer), 4);
  CHECK_EQ(peek(device.pointer + 1), 1);
}

TEST_CASE("env:follow" * doctest::skip()) {
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would make an exit of it
  Session session;
  DeviceBytes device(100);
  CHECK_EQ(static_cast<unsigned char>(*bytes(device.pointer)), poison);
}

}  // namespace

}  // namespace selftest
