// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies and fills. Addresses are checked when the work is submitted and again when it runs.

#include <cstring>

#include "state.h"

namespace fakecuda {

namespace {

// One side of a copy: `rows` rows of `row_bytes` bytes.
struct Area {
  bool device;
  std::uintptr_t first;
  std::size_t pitch, row_bytes, rows;
  std::size_t extent = 0;    // from the first byte to behind the last one
  bool page_locked = false;  // found when it was submitted
  bool foreign = false;
};

CUresult measure(Area &area) {
  if (area.first == 0 || area.pitch < area.row_bytes) return CUDA_ERROR_INVALID_VALUE;
  std::size_t before_last;
  if (__builtin_mul_overflow(area.pitch, area.rows - 1, &before_last) ||
      __builtin_add_overflow(before_last, area.row_bytes, &area.extent) ||
      area.extent > UINTPTR_MAX - area.first)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

bool is_live(State &s, const Area &area) {
  Block *block = find_block(area.device ? s.device_blocks : s.host_blocks, area.first);
  return block != nullptr && inside(*block, area.first, area.extent);
}

bool may_access(const Context &context, const Block &block) {
  return block.context == &context || context.peers.count(block.context) != 0;
}

CUresult check(State &s, const Context &context, Area &area) {
  if (CUresult error = measure(area)) return error;
  // Host memory is page-locked from end to end or not at all, and never on the device.
  area.page_locked = !area.device && is_live(s, area);
  bool good = area.device
                  ? is_live(s, area)
                  : !touches_any(s.device_blocks, area.first, area.extent) &&
                        (area.page_locked || !touches_any(s.host_blocks, area.first, area.extent));
  if (!good) {
    ++s.counts.bad_accesses;
    return CUDA_ERROR_INVALID_VALUE;
  }
  area.foreign = area.device && !may_access(context, *find_block(s.device_blocks, area.first));
  return CUDA_SUCCESS;
}

// Memory may have been freed between the submission and now.
CUresult check_again(const Area &area) {
  State &s = state();
  if ((!area.device && !area.page_locked) || is_live(s, area)) return CUDA_SUCCESS;
  ++s.counts.bad_accesses;
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUresult execute_copy(const Area &from, const Area &to) {
  if (CUresult error = check_again(from)) return error;
  if (CUresult error = check_again(to)) return error;
  for (std::size_t y = 0; y < from.rows; ++y)
    std::memmove(reinterpret_cast<char *>(to.first + y * to.pitch),
                 reinterpret_cast<const char *>(from.first + y * from.pitch), from.row_bytes);
  return CUDA_SUCCESS;
}

// `unit` bytes of the value at a time.
CUresult execute_fill(const Area &to, std::uint32_t value, std::size_t unit) {
  if (CUresult error = check_again(to)) return error;
  for (std::size_t y = 0; y < to.rows; ++y) {
    char *row = reinterpret_cast<char *>(to.first + y * to.pitch);
    if (unit == 1)
      std::memset(row, static_cast<int>(value), to.row_bytes);
    else
      for (std::size_t x = 0; x < to.row_bytes; x += unit)
        std::memcpy(row + x, &value, unit);
  }
  return CUDA_SUCCESS;
}

void count_copy(FakecudaCounts &counts, const Area &from, const Area &to) {
  std::size_t bytes = from.row_bytes * from.rows;
  if (from.device) {
    ++(to.device ? counts.copies_dtod : counts.copies_dtoh);
    (to.device ? counts.bytes_dtod : counts.bytes_dtoh) += bytes;
  } else {
    ++(to.device ? counts.copies_htod : counts.copies_htoh);
    (to.device ? counts.bytes_htod : counts.bytes_htoh) += bytes;
  }
  if (from.foreign || to.foreign) ++counts.foreign_copies;
}

bool pageable(const Area &area) {
  return !area.device && !area.page_locked;
}

CUresult copy(State &s, Context &context, CUstream handle, bool wait, Area from, Area to) {
  std::shared_ptr<Stream> stream;
  if (CUresult error = find_stream(s, context, handle, stream)) return error;
  if (from.row_bytes == 0 || from.rows == 0) return CUDA_SUCCESS;
  if (CUresult error = check(s, context, from)) return error;
  if (CUresult error = check(s, context, to)) return error;
  count_copy(s.counts, from, to);
  enqueue(s, stream, [from, to] { return execute_copy(from, to); });
  // The host never waits for a copy within the device.
  if (wait && !(from.device && to.device)) wait_for(s, tail(stream), s.counts.implicit_syncs);
  if (!wait && (pageable(from) || pageable(to))) ++s.counts.pageable_async_copies;
  return s.lost != CUDA_SUCCESS ? s.lost : context.sticky;
}

CUresult copy_flat(bool from_device, const void *from, bool to_device, const void *to,
                   std::size_t size, CUstream stream, bool wait) {
  return in_context(FAKECUDA_COPY, [&](State &s, Context &context) {
    Area source{from_device, reinterpret_cast<std::uintptr_t>(from), size, size, 1};
    Area target{to_device, reinterpret_cast<std::uintptr_t>(to), size, size, 1};
    return copy(s, context, stream, wait, source, target);
  });
}

const void *address(CUdeviceptr pointer) {
  return reinterpret_cast<const void *>(pointer);
}

// Where one side of a CUDA_MEMCPY2D starts. Arrays are not simulated.
CUresult start_of(State &s, CUmemorytype type, const void *host, CUdeviceptr device, std::size_t x,
                  std::size_t y, Area &area) {
  std::uintptr_t base =
      type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host) : device;
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      area.device = false;
      break;
    case CU_MEMORYTYPE_DEVICE:
      area.device = true;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      area.device = find_block(s.device_blocks, base) != nullptr;
      break;
    case CU_MEMORYTYPE_ARRAY:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t offset;
  if (base == 0 || x > area.pitch || area.row_bytes > area.pitch - x ||
      __builtin_mul_overflow(y, area.pitch, &offset) ||
      __builtin_add_overflow(offset, x, &offset) ||
      __builtin_add_overflow(base, offset, &area.first))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool wait) {
  return in_context(FAKECUDA_COPY, [&](State &s, Context &context) {
    if (c == nullptr || c->srcPitch > s.max_pitch || c->dstPitch > s.max_pitch)
      return CUDA_ERROR_INVALID_VALUE;
    Area from{false, 0, c->srcPitch, c->WidthInBytes, c->Height};
    Area to{false, 0, c->dstPitch, c->WidthInBytes, c->Height};
    if (CUresult error =
            start_of(s, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, from))
      return error;
    if (CUresult error =
            start_of(s, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, to))
      return error;
    return copy(s, context, stream, wait, from, to);
  });
}

CUresult fill(CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t unit,
              std::size_t width, std::size_t rows, CUstream handle) {
  return in_context(FAKECUDA_MEMSET, [&](State &s, Context &context) {
    std::shared_ptr<Stream> stream;
    if (CUresult error = find_stream(s, context, handle, stream)) return error;
    if (width == 0 || rows == 0) return CUDA_SUCCESS;
    Area area{true, to, pitch, 0, rows};
    if (__builtin_mul_overflow(width, unit, &area.row_bytes) || to % unit != 0 ||
        (rows > 1 && pitch % unit != 0))
      return CUDA_ERROR_INVALID_VALUE;
    if (rows == 1) area.pitch = area.row_bytes;
    if (CUresult error = check(s, context, area)) return error;
    ++s.counts.memsets;
    enqueue(s, stream, [area, value, unit] { return execute_fill(area, value, unit); });
    return s.lost != CUDA_SUCCESS ? s.lost : context.sticky;
  });
}

}  // namespace

}  // namespace fakecuda

using namespace fakecuda;

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return copy_2d(copy, nullptr, true);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return copy_2d(copy, nullptr, true);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy_2d(copy, stream, false);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, std::size_t size) {
  return copy_flat(false, from, true, address(to), size, nullptr, true);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, std::size_t size) {
  return copy_flat(true, address(from), false, to, size, nullptr, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return copy_flat(true, address(from), true, address(to), size, nullptr, true);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, std::size_t size, CUstream stream) {
  return copy_flat(false, from, true, address(to), size, stream, false);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return copy_flat(true, address(from), false, to, size, stream, false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return copy_flat(true, address(from), true, address(to), size, stream, false);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t size) {
  return fill(to, size, value, 1, size, 1, nullptr);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t size, CUstream stream) {
  return fill(to, size, value, 1, size, 1, stream);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t rows) {
  return fill(to, pitch, value, 1, width, rows, nullptr);
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value,
                           std::size_t width, std::size_t rows, CUstream stream) {
  return fill(to, pitch, value, 1, width, rows, stream);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value,
                          std::size_t width, std::size_t rows) {
  return fill(to, pitch, value, 2, width, rows, nullptr);
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value,
                            std::size_t width, std::size_t rows, CUstream stream) {
  return fill(to, pitch, value, 2, width, rows, stream);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                          std::size_t rows) {
  return fill(to, pitch, value, 4, width, rows, nullptr);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t rows, CUstream stream) {
  return fill(to, pitch, value, 4, width, rows, stream);
}

int fakecuda_check_access(const void *data, std::size_t row_bytes, std::size_t rows,
                          std::size_t pitch) {
  return in_context(no_function, [&](State &s, Context &context) {
    Area area{true, reinterpret_cast<std::uintptr_t>(data), pitch, row_bytes, rows};
    if (CUresult error = measure(area)) return error;
    // Kernels may read page-locked memory too.
    area.device = find_block(s.device_blocks, area.first) != nullptr;
    bool good = is_live(s, area) &&
                (!area.device || may_access(context, *find_block(s.device_blocks, area.first)));
    if (good) return CUDA_SUCCESS;
    ++s.counts.bad_accesses;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}
