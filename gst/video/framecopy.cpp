// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framecopy.h"

#include <algorithm>
#include <cstring>

namespace coalesce::gst {

CUresult copy_frame(const Frame &from, const Frame &to, const Stream &stream, gsize *bytes) {
  *bytes = 0;
  for (guint p = 0; p < from.n_planes(); p++) {
    const Plane<std::uint8_t> source = from.plane(p), target = to.plane(p);
    CUDA_MEMCPY2D copy{};
    if (from.where() == Memory::cuda) {
      copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.srcDevice = reinterpret_cast<CUdeviceptr>(source.data);
    } else {
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = source.data;
    }
    if (to.where() == Memory::cuda) {
      copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.dstDevice = reinterpret_cast<CUdeviceptr>(target.data);
    } else {
      copy.dstMemoryType = CU_MEMORYTYPE_HOST;
      copy.dstHost = target.data;
    }
    copy.srcPitch = source.pitch;
    copy.dstPitch = target.pitch;
    copy.WidthInBytes = static_cast<size_t>(source.width);
    copy.Height = static_cast<size_t>(std::min(source.height, target.height));
    CUresult result = cuda_driver()->memcpy_2d_async(&copy, stream.handle());
    if (result != CUDA_SUCCESS) return result;
    *bytes += copy.WidthInBytes * copy.Height;
  }
  return CUDA_SUCCESS;
}

CUresult repeat_last_rows(const Frame &from, const Frame &to, const Stream &stream) {
  for (guint p = 0; p < from.n_planes(); p++) {
    const int rows = from.plane(p).height;
    const Plane<std::uint8_t> target = to.plane(p);
    if (target.height <= rows) continue;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(target.row(rows - 1));
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(target.row(rows));
    copy.srcPitch = copy.dstPitch = target.pitch;
    copy.WidthInBytes = static_cast<size_t>(target.width);
    copy.Height = 1;
    const CUresult result = cuda_driver()->memcpy_2d_async(&copy, stream.handle());
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

void copy_on_cpu(const Frame &from, const Frame &to, ThreadPool *pool) {
  constexpr int kWorthAThread = 1 << 18;  // bytes, measured (docs/lab/transfers.md)
  for (guint p = 0; p < from.n_planes(); p++) {
    const Plane<std::uint8_t> source = from.plane(p), target = to.plane(p);
    const int rows = std::min(source.height, target.height);
    for_ranges(pool, rows, kWorthAThread / std::max(1, source.width), [&](int first, int last) {
      for (int y = first; y < last; y++)
        std::memcpy(target.row(y), source.row(y), static_cast<std::size_t>(source.width));
    });
  }
}

}  // namespace coalesce::gst
