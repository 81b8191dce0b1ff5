// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory, streams and events of the current CUDA context, for host code that is compiled without
// the toolkit's headers. What is made in a context must go while it is current.
#pragma once

#include <cstddef>

#include "status.h"

namespace coalesce {

// Either kind of memory; aligned to 256 bytes. Letting it go waits for the device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  static Status on_device(std::size_t bytes, DeviceMemory *memory);
  static Status page_locked(std::size_t bytes, DeviceMemory *memory);  // of the host

  void *get() const { return data_; }

 private:
  void *data_ = nullptr;
  bool on_host_ = false;
};

// A cudaEvent_t without a time.
class DeviceEvent {
 public:
  DeviceEvent() = default;
  DeviceEvent(DeviceEvent &&other) noexcept;
  DeviceEvent &operator=(DeviceEvent &&other) noexcept;
  ~DeviceEvent();

  static Status make(DeviceEvent *event);
  Status record(void *stream) const;
  Status wait() const;                   // on the host
  Status hold_back(void *stream) const;  // what `stream` is given from now on

 private:
  void *event_ = nullptr;
};

// A cudaStream_t that does not wait for the default stream.
class DeviceStream {
 public:
  DeviceStream() = default;
  DeviceStream(DeviceStream &&other) noexcept;
  DeviceStream &operator=(DeviceStream &&other) noexcept;
  ~DeviceStream();

  static Status make(DeviceStream *stream);
  void *get() const { return stream_; }
  Status wait() const;  // on the host, for all that it was given

 private:
  void *stream_ = nullptr;
};

// Enqueue a copy, or zeros.
Status copy_to_device(void *to, const void *from, std::size_t bytes, void *stream);
Status copy_to_host(void *to, const void *from, std::size_t bytes, void *stream);
Status clear_device(void *to, std::size_t bytes, void *stream);

}  // namespace coalesce
