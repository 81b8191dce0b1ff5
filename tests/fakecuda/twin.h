// SPDX-License-Identifier: LGPL-2.1-or-later
// What the twin of a CUDA kernel needs: the CPU back end, run as a "kernel" of the simulated
// driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "../../kernels/core/plane.h"
#include "../../kernels/core/status.h"

namespace coalesce::twin {

struct Bytes {
  const void *data;
  std::size_t row_bytes, rows, pitch;

  template <class T>
  Bytes(const Plane<T> &plane)  // NOLINT: implicit on purpose
      : data(plane.data),
        row_bytes(static_cast<std::size_t>(plane.width) * sizeof(T)),
        rows(static_cast<std::size_t>(plane.height)),
        pitch(plane.pitch) {}
};

// A function of the driver, if it is a simulated one that someone else has loaded; else nullptr.
void *driver_function(const char *name);
Status no_driver();

// unsupported if the simulated driver is not loaded, device_error if the current context may not
// access all of these bytes. A plane without data is skipped.
Status check_access(std::initializer_list<Bytes> planes);

Status enqueue(void *stream, void (*fn)(void *), void *arg, void (*free_arg)(void *));

// Enqueues body(), which is copied: like a kernel it has its own arguments when it runs.
template <class Body>
Status launch(void *stream, Body body) {
  return enqueue(
      stream, [](void *arg) { (*static_cast<Body *>(arg))(); }, new Body(std::move(body)),
      [](void *arg) { delete static_cast<Body *>(arg); });
}

}  // namespace coalesce::twin
