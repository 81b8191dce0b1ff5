// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "host_device.h"
#include "status.h"

namespace coalesce {

// A rectangle of samples in host or device memory. It owns nothing.
//   width, height  in samples of T, both at least 1
//   pitch          bytes from one row to the next, at least width * sizeof(T), else free
//   data           first sample of the first row; any address that T may have
template <class T>
struct Plane {
  T *data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t pitch = 0;

  COALESCE_HOST_DEVICE T *row(int y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
    return reinterpret_cast<T *>(reinterpret_cast<Byte *>(data) +
                                 static_cast<std::size_t>(y) * pitch);
  }

  // A template, so that a plane of const samples has none.
  template <class U, class = std::enable_if_t<std::is_same_v<U, T> && !std::is_const_v<T>>>
  operator Plane<const U>() const {
    return {data, width, height, pitch};
  }
};

// What every operation demands of every plane it is given.
template <class T>
Status check_plane(const Plane<T> &plane) {
  if (plane.data == nullptr) return invalid_argument("a plane has no data");
  if (plane.width < 1 || plane.height < 1) return invalid_argument("a plane is empty");
  if (plane.pitch < static_cast<std::size_t>(plane.width) * sizeof(T))
    return invalid_argument("a plane's pitch is smaller than its row");
  if (reinterpret_cast<std::uintptr_t>(plane.data) % alignof(T) != 0 ||
      plane.pitch % alignof(T) != 0)
    return invalid_argument("a plane is not aligned to its samples");
  return {};
}

}  // namespace coalesce
