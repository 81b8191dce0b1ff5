// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bulk_copy.cuh"

#include "../../../core/driver_function.h"

namespace coalesce {
#if CUDART_VERSION >= 12000
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encode() {
  static const auto found = reinterpret_cast<Encode>(driver_function("cuTensorMapEncodeTiled"));
  return found;
}

}  // namespace

bool has_plane_maps() {
  return encode() != nullptr;
}

bool make_plane_map(const Plane<const std::uint8_t> &plane, int element, int columns, int rows,
                    CUtensorMap *map) {
  if (encode() == nullptr || plane.width < element) return false;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(plane.width / element),
                             static_cast<cuuint64_t>(plane.height)};
  const cuuint64_t pitch[] = {plane.pitch};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(columns / element),
                            static_cast<cuuint32_t>(rows)};
  const cuuint32_t steps[] = {1, 1};
  const CUtensorMapDataType type =
      element == 8 ? CU_TENSOR_MAP_DATA_TYPE_UINT64 : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  return encode()(map, type, 2, const_cast<std::uint8_t *>(plane.data), size, pitch, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
#else
bool has_plane_maps() {
  return false;
}

bool make_plane_map(const Plane<const std::uint8_t> &, int, int, int, CUtensorMap *) {
  return false;
}
#endif

}  // namespace coalesce
