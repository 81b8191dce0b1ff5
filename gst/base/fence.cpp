// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fence.h"

#include <algorithm>

namespace coalesce::gst {

CUresult Fence::Use::wait() const {
  ContextScope scope(event->context());
  const CUresult result = scope.ok() ? event->query() : CUDA_ERROR_UNKNOWN;
  if (result != CUDA_ERROR_NOT_READY) return result;
  counters->synchronizations++;
  return event->synchronize();
}

CUresult Fence::Use::order(const Stream &behind) const {
  if (event == nullptr || stream == behind.handle()) return CUDA_SUCCESS;
  return cuda_driver()->stream_wait_event(behind.handle(), event->handle(), 0);
}

void Fence::written(std::shared_ptr<Event> event, const Stream &stream,
                    std::shared_ptr<Counters> counters) {
  std::lock_guard guard(lock_);
  write_ = {std::move(event), stream.handle(), std::move(counters)};
  reads_.clear();
}

void Fence::read(std::shared_ptr<Event> event, const Stream &stream,
                 std::shared_ptr<Counters> counters) {
  std::lock_guard guard(lock_);
  std::erase_if(reads_, [&](const Use &use) { return use.stream == stream.handle(); });
  reads_.push_back({std::move(event), stream.handle(), std::move(counters)});
}

Fence::Use Fence::next_to_wait_for(GstMapFlags access) {
  std::lock_guard guard(lock_);
  if (write_.event != nullptr || (access & GST_MAP_WRITE) == 0 || reads_.empty()) return write_;
  return reads_.back();
}

void Fence::forget(const Use &use) {
  std::lock_guard guard(lock_);
  if (write_.event == use.event) write_ = {};
  std::erase_if(reads_, [&](const Use &read) { return read.event == use.event; });
}

CUresult Fence::wait(GstMapFlags access) {
  for (Use use; (use = next_to_wait_for(access)).event != nullptr; forget(use))
    if (CUresult result = use.wait(); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

CUresult Fence::order(const Stream &stream, GstMapFlags access) {
  std::lock_guard guard(lock_);
  if (CUresult result = write_.order(stream); result != CUDA_SUCCESS) return result;
  if ((access & GST_MAP_WRITE) == 0) return CUDA_SUCCESS;
  for (const Use &use : reads_)
    if (CUresult result = use.order(stream); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

}  // namespace coalesce::gst
