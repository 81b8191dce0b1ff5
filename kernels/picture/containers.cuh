// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: the general way of planes whose samples have no better one. A thread makes a container,
// each of its samples straight from memory. Rows of five bytes for four samples have any alignment,
// so containers are read and written byte by byte.
#pragma once

#include "containers.h"
#include "sample.cuh"

namespace coalesce {

// Container `number` of row y, with sample(component, x, y) in place of what is filtered.
template <class SampleOf>
__device__ __forceinline__ void make_container(const ContainerImage &image, int number, int y,
                                               const SampleOf &sample) {
  const PixelFormat &format = image.format;
  int any = 0;  // of the plane
  while (format.component[any].plane != image.plane)
    ++any;
  const Container container = format.component[any].container;
  const int bytes = container_bytes(container);
  if (number >= image.in.width / bytes || y >= image.in.height) return;
  const bool highest_first = container == Container::be10;
  const std::uint8_t *from = image.in.row(y) + static_cast<std::ptrdiff_t>(number) * bytes;
  std::uint64_t word = 0;
  for (int i = 0; i < bytes; ++i)
    word |= std::uint64_t{load_global(from + i)} << 8 * (highest_first ? bytes - 1 - i : i);
  // Puts a component's sample at x in place of the bits that it has.
  const auto put = [&](int component, int x, int shift, std::uint32_t mask) {
    if (image.role[component] == ChannelRole::copy) return;
    const auto value = static_cast<std::uint32_t>(sample(component, x, y));
    const int up = bytes <= 2 ? format.component[component].shift : 0;
    word = (word & ~(std::uint64_t{mask} << shift)) | std::uint64_t{value << up} << shift;
  };
  if (container == Container::u32) {
    for (int c = 0; c < format.components; ++c)
      put(c, number, format.component[c].shift, (1u << format.component[c].bits) - 1);
  } else {
    const int samples = container == Container::v210 ? 3 : highest_first ? 4 : 1;
    for (int k = 0; k < samples; ++k) {
      int c, x;
      if (find_sample(format, image.width, image.plane, samples * number + k, &c, &x))
        put(c, x, 10 * (highest_first ? samples - 1 - k : k),
            (1u << container_bits(container)) - 1);
    }
  }
  std::uint8_t *to = image.out.row(y) + static_cast<std::ptrdiff_t>(number) * bytes;
  for (int i = 0; i < bytes; ++i)
    to[i] = static_cast<std::uint8_t>(word >> 8 * (highest_first ? bytes - 1 - i : i));
}

}  // namespace coalesce
