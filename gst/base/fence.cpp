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

bool Fence::is_written_elsewhere(const Stream &stream) {
  std::lock_guard guard(lock_);
  return write_.event != nullptr && write_.event->context() != stream.context();
}

// A failure need not reach another context, whose work would go on with what is not there.
CUresult Fence::order(const Stream &stream, GstMapFlags access) {
  if ((access & GST_MAP_READ) != 0 && is_written_elsewhere(stream))
    if (CUresult result = wait(GST_MAP_READ); result != CUDA_SUCCESS) return result;
  std::lock_guard guard(lock_);
  if (CUresult result = write_.order(stream); result != CUDA_SUCCESS) return result;
  if ((access & GST_MAP_WRITE) == 0) return CUDA_SUCCESS;
  for (const Use &use : reads_)
    if (CUresult result = use.order(stream); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

}  // namespace coalesce::gst
