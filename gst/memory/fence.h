// SPDX-License-Identifier: LGPL-2.1-or-later
// What the GPU still has to do with a piece of memory. The promise travels with the memory: who
// wants to touch it on the CPU waits here, who goes on on the GPU orders a stream behind it.
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/cudadriver.h"

namespace coalesce::gst {

// Private to us: "I order myself behind the fence." Any other map waits.
constexpr auto MAP_FENCED = static_cast<GstMapFlags>(GST_MAP_FLAG_LAST << 12);

class Fence {
 public:
  // `event` has been recorded behind a write, or a read, of this memory, before which its stream
  // was ordered with order(). stream: that of the write, if others may go on in it.
  void written(std::shared_ptr<Event> event, const std::shared_ptr<Stream> &stream = nullptr);
  void read(std::shared_ptr<Event> event);

  // The stream of the last write, if it was this thread that gave it, and it still exists.
  std::shared_ptr<Stream> stream_of_this_thread();

  // The CPU is about to read (GST_MAP_READ) or to write: waits for the last write, and before
  // writing for the readers too. After a failure the memory must not be touched.
  CUresult wait(GstMapFlags access);
  // The same for what `stream` is given next, without waiting, unless it reads what another context
  // writes.
  CUresult order(const Stream &stream, GstMapFlags access);

 private:
  std::shared_ptr<Event> next_to_wait_for(GstMapFlags access);
  void forget(const std::shared_ptr<Event> &event);

  std::mutex lock_;               // never held while waiting: others need only order themselves
  std::shared_ptr<Event> write_;  // none, or it has passed
  std::vector<std::shared_ptr<Event>> reads_;  // since that write, the last of each stream
  std::weak_ptr<Stream> stream_;
  std::thread::id thread_;
};

}  // namespace coalesce::gst
